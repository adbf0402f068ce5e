// SPDX-License-Identifier: MIT
#include "step_momentum.h"

#include "cd_arms.h"
#include "step_impulses.h"
#include "step_restore.h"

// Of space: what the rows gave to each body are torques as of cd_arm_turned. `given` zero at first, by body row.
static void add_unturned(const cd_step_bodies *bodies, const int32_t *trial_row, const double *z, cd_vec3 *given,
                         cd_vec3 *moment)
{
    const cd_model *in = bodies->in;
    const cd_row_rows *rows = &in->row;
    for (int32_t i = 0; i < in->entry.count; i++) {
        int32_t row = in->entry.row[i], col = in->entry.col[i];
        if (rows->role[row] != CD_ROLE_VELOCITY || !rows->contact || rows->contact[col] < 0 || rows->axis[row] < 3)
            continue;
        double part = in->entry.value[i] * z[col];
        int axis = rows->axis[row] - 3;
        cd_vec3 add = {axis == 0 ? part : 0, axis == 1 ? part : 0, axis == 2 ? part : 0};
        given[rows->body[row]] = cd_add3(given[rows->body[row]], add);
    }
    for (int32_t i = 0; i < in->body.count; i++)
        if (trial_row[i] >= 0) {
            cd_arm_turn turn = cd_arm_turn_make(cd_scale3(bodies->step, cd_body_trial3(in, trial_row, i).spin));
            moment[i] = cd_add3(moment[i], cd_sub3(cd_arm_unturned(&turn, given[i]), given[i]));
        }
}

void cd_step_carry_moments(cd_arena *scratch, const cd_step_bodies *bodies, const int32_t *trial_row)
{
    const cd_model *in = bodies->in;
    const bool is_whole = cd_i32_or(in->frame.target, 0, CD_TARGET_FREE) == CD_TARGET_TRIAL;
    if (bodies->dim == 2 || in->trial.count == 0 || in->entry.count == 0 || is_whole)
        return;
    const double *z = cd_step_unknowns(scratch, in);
    cd_vec3 *moment = CD_ARENA_ZARRAY(scratch, cd_vec3, in->body.count);
    add_unturned(bodies, trial_row, z, CD_ARENA_ZARRAY(scratch, cd_vec3, in->body.count), moment);
    for (int32_t i = 0; i < in->body.count; i++)
        if (cd_body_is_moved(in, i))
            cd_step_turn(bodies, i, moment[i]);
}

void cd_step_keep_moments(cd_arena *arena, cd_step_bodies *bodies, const cd_leaves *shapes)
{
    if (bodies->in->trial.count == 0 && !cd_step_has_pushed_tops(bodies, shapes))
        return;
    const cd_step_met met = cd_step_met_on_way(arena, bodies);
    const cd_step_whole *whole = cd_step_wholes(arena, bodies, &met);
    cd_step_stand(arena, bodies, shapes);
    cd_step_restore(arena, bodies, shapes, &met, whole, CD_STEP_NO_MORE);
}
