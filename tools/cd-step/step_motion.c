// SPDX-License-Identifier: MIT
#include "step_motion.h"

#include <inttypes.h>

enum { AXES = 3, ALL_AXES = 7 };

// What acts on a body during the step.
typedef struct motion {
    double value[AXES];  // solved velocity [m/s, rad/s]
    unsigned axes_seen;  // bit k: value[k] is there
    cd_vec2 force;       // [N]
    double moment;       // [N m] about the centre of mass
} motion;

cd_status cd_step_read_outcome(const cd_model *in, cd_step_outcome *outcome, cd_diag *diag)
{
    *outcome = (cd_step_outcome){.has_rows = in->row.count > 0, .is_solved = true};
    if (!outcome->has_rows)
        return CD_OK;
    if (in->solution.count == 0)
        return cd_fail(diag, CD_ERR_FORMAT,
                       "solution: missing: the frame has rows that nobody solved (cd-lcp comes before cd-step)");
    if (in->solution.count > 1)
        return cd_fail(diag, CD_ERR_FORMAT, "solution: %d of them, wanted one", in->solution.count);
    outcome->status = cd_words_SOLUTION[in->solution.status[0]];
    outcome->is_solved = in->solution.status[0] == CD_SOLUTION_SOLVED;
    return CD_OK;
}

static cd_status collect_values(const cd_model *in, motion *of, cd_diag *diag)
{
    const cd_row_rows *rows = &in->row;
    for (int32_t i = 0; i < in->value.count; i++) {
        int32_t row = in->value.row[i];
        if (rows->role[row] != CD_ROLE_VELOCITY)
            continue;
        int32_t body = rows->body ? rows->body[row] : -1, axis = rows->axis ? rows->axis[row] : CD_ABSENT;
        if (body < 0 || axis < 0 || axis >= AXES)
            return cd_fail(diag, CD_ERR_FORMAT, "row %" PRId64 ": a velocity row needs a body and an axis 0..2",
                           rows->id[row]);
        if (of[body].axes_seen >> axis & 1)
            return cd_fail(diag, CD_ERR_FORMAT, "value: body %" PRId64 ", axis %d: there twice", in->body.id[body],
                           axis);
        of[body].axes_seen |= 1u << axis;
        of[body].value[axis] = in->value.z[i];
    }
    // A body whose rows got no value at all must not drift off as if it had none.
    for (int32_t row = 0; row < rows->count; row++)
        if (rows->role[row] == CD_ROLE_VELOCITY && rows->body && rows->body[row] >= 0 &&
            of[rows->body[row]].axes_seen != ALL_AXES)
            return cd_fail(diag, CD_ERR_FORMAT,
                           "value: body %" PRId64 ": its velocity rows have no complete set of values",
                           in->body.id[rows->body[row]]);
    return CD_OK;
}

static void collect_forces(const cd_model *in, motion *of)
{
    for (int32_t i = 0; i < in->force.count; i++) {
        int32_t contact = in->force.contact[i];
        cd_vec2 point = cd_vec2_at(in->contact.point + 2 * (size_t)contact);
        cd_vec2 f = cd_vec2_at(in->force.vector + 2 * (size_t)i);
        const int32_t body[2] = {in->contact.a[2 * contact], in->contact.b[2 * contact]};
        for (int s = 0; s < 2; s++) {
            cd_vec2 acting = s ? f : cd_negate2(f);
            cd_vec2 arm = cd_sub2(point, cd_body_start2(in, body[s]).position);
            of[body[s]].force = cd_add2(of[body[s]].force, acting);
            of[body[s]].moment += cd_cross2(arm, acting);
        }
    }
}

static cd_state2 moved(const cd_model *in, int32_t body, double step, cd_step_source source, const motion *of)
{
    cd_state2 start = cd_body_start2(in, body);
    if (!cd_body_is_active(in, body) || in->body.motion[body] == CD_MOTION_FIXED)
        return start;
    if (in->body.motion[body] == CD_MOTION_PRESCRIBED)
        return cd_state2_advance(start, start.velocity, start.spin, step);
    if (source == CD_STEP_HOLD)
        return (cd_state2){start.position, start.angle, {0, 0}, 0};
    cd_state2 free = cd_state2_free(start, cd_gravity2(in), step);
    if (source == CD_STEP_FREE)
        return free;
    bool is_solved = of[body].axes_seen == ALL_AXES;
    cd_vec2 velocity = is_solved ? (cd_vec2){of[body].value[0], of[body].value[1]} : free.velocity;
    double spin = is_solved ? of[body].value[2] : free.spin;
    velocity = cd_add2(velocity, cd_scale2(step / in->body.mass[body], of[body].force));
    spin += step / in->body.inertia[body] * of[body].moment;
    return cd_state2_advance(start, velocity, spin, step);
}

cd_status cd_step_move2(cd_arena *arena, const cd_model *in, cd_step_source source, cd_next_rows *next, cd_diag *diag)
{
    double step;
    CD_TRY(cd_frame_step(in, &step, diag));
    CD_TRY(cd_bodies_check(in, false, diag));
    motion *of = CD_ARENA_ZARRAY(arena, motion, in->body.count);
    if (source == CD_STEP_SOLVED) {
        CD_TRY(collect_values(in, of, diag));
        collect_forces(in, of);
    }
    cd_body_order order = cd_body_order_make(arena, &in->body);
    next->count = 0;
    for (int32_t i = 0; i < in->body.count; i++)
        next->count += cd_body_has_position(in, i);
    int32_t *body = CD_COLUMN(arena, 2, next, next, body);
    double *position = CD_COLUMN(arena, 2, next, next, position), *rotation = CD_COLUMN(arena, 2, next, next, rotation);
    double *velocity = CD_COLUMN(arena, 2, next, next, velocity), *spin = CD_COLUMN(arena, 2, next, next, spin);
    for (int32_t k = 0, rank = 0; rank < in->body.count; rank++) {
        if (!cd_body_has_position(in, order.row[rank]))
            continue;
        body[k] = order.row[rank];
        cd_state2 state = moved(in, body[k], step, source, of);
        position[2 * k] = state.position.x;
        position[2 * k + 1] = state.position.y;
        rotation[k] = state.angle;
        velocity[2 * k] = state.velocity.x;
        velocity[2 * k + 1] = state.velocity.y;
        spin[k] = state.spin;
        if (!isfinite(state.position.x + state.position.y + state.angle + state.velocity.x + state.velocity.y +
                      state.spin))
            return cd_fail(diag, CD_ERR_NUMERIC, "body %" PRId64 ": its state at the end of the step is not finite",
                           in->body.id[body[k]]);
        k++;
    }
    return CD_OK;
}
