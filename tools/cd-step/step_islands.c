// SPDX-License-Identifier: MIT
#include "step_islands.h"

#include "cd_contact_limits.h"
#include "step_impulses.h"

static cd_step_islands alone(cd_arena *arena, const cd_model *in)
{
    int32_t count = in->body.count;
    cd_step_islands islands = {in, cd_body_roots_start(arena, in), CD_ARENA_ARRAY(arena, int32_t, count)};
    for (int32_t i = 0; i < count; i++)
        islands.state[i] = CD_ABSENT;
    return islands;
}

cd_step_islands cd_step_islands_of(cd_arena *arena, const cd_model *in, const bool *is_taken)
{
    cd_step_islands islands = alone(arena, in);
    for (int32_t i = 0; i < in->contact.count; i++)
        if (is_taken[i])
            cd_body_roots_connect(in, islands.root, in->contact.a[2 * i], in->contact.b[2 * i]);
    const int32_t *trial_row = in->impulse.count > 0 ? cd_body_trial_rows(arena, in) : NULL;
    for (int32_t i = 0; i < in->impulse.count; i++)
        if (cd_step_is_carried(in, trial_row, i))
            cd_body_roots_connect(in, islands.root, in->impulse.a[2 * i], in->impulse.b[2 * i]);
    cd_body_roots_finish(in, islands.root);
    return islands;
}

cd_step_islands cd_step_islands_make(cd_arena *arena, const cd_model *in, const int32_t *trial_row)
{
    cd_step_islands islands = alone(arena, in);
    for (int32_t i = 0; i < in->contact.count; i++)
        if (cd_contact_takes_part(in->contact.status ? in->contact.status[i] : CD_ABSENT))
            cd_body_roots_connect(in, islands.root, in->contact.a[2 * i], in->contact.b[2 * i]);
    for (int32_t i = 0; i < in->impulse.count; i++)
        cd_body_roots_connect(in, islands.root, in->impulse.a[2 * i], in->impulse.b[2 * i]);
    cd_body_roots_finish(in, islands.root);
    // The states of an island's bodies become one.
    bool *has_open = CD_ARENA_ZARRAY(arena, bool, in->body.count);
    bool *has_failed = CD_ARENA_ZARRAY(arena, bool, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++) {
        int32_t state = cd_body_trial_state(in, trial_row, i);
        if (!cd_body_is_moved(in, i))
            continue;
        has_open[islands.root[i]] |= state == CD_ABSENT;
        has_failed[islands.root[i]] |= state == CD_STATE_FAILED;
    }
    for (int32_t i = 0; i < in->body.count; i++)
        if (cd_body_is_moved(in, i) && islands.root[i] == i)
            islands.state[i] = has_failed[i] ? CD_STATE_FAILED : has_open[i] ? CD_ABSENT : CD_STATE_SETTLED;
    return islands;
}

bool cd_step_islands_have(const cd_step_islands *islands, int32_t state)
{
    for (int32_t i = 0; i < islands->in->body.count; i++)
        if (cd_body_is_moved(islands->in, i) && cd_step_island_state(islands, i) == state)
            return true;
    return false;
}

int32_t *cd_step_islands_states(cd_arena *arena, const cd_step_islands *islands)
{
    int32_t *state = CD_ARENA_ARRAY(arena, int32_t, islands->in->body.count);
    for (int32_t i = 0; i < islands->in->body.count; i++)
        state[i] = cd_step_island_state(islands, i);
    return state;
}

double *cd_step_islands_norm_sq(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_islands *islands,
                                const cd_step_velocity *nu)
{
    double *sum = CD_ARENA_ZARRAY(arena, double, bodies->in->body.count);
    for (int32_t rank = 0; rank < bodies->in->body.count; rank++) {
        int32_t i = bodies->by_id[rank];
        if (cd_body_is_moved(bodies->in, i))
            sum[islands->root[i]] += cd_step_norm_sq_of(bodies, i, &nu[i]);
    }
    return sum;
}
