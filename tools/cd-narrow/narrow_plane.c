// One frame of the plane: parts placed at the poses of the step, and the contacts of all pairs.
// SPDX-License-Identifier: MIT
#include "narrow_frame.h"

#include <inttypes.h>

typedef struct plane_frame {
    const cd_narrow_frame_state *frame;
    cd_narrow_part **placed;  // by body row, then part; NULL until a pair asks for the body
} plane_frame;

// ---- poses ---------------------------------------------------------------------------------------------------------

static bool is_same_pose(cd_state2 a, cd_state2 b)
{
    return a.position.x == b.position.x && a.position.y == b.position.y && a.angle == b.angle;
}

static const cd_leaf2 *place_leaves(const cd_narrow_frame_state *frame, int32_t body, cd_state2 state)
{
    const cd_leaves *leaves = frame->shapes;
    int32_t first = leaves->first[frame->in->body.shape[body]], count = cd_narrow_leaf_count(frame, body);
    cd_leaf2 *placed = CD_ARENA_ARRAY(frame->arena, cd_leaf2, count);
    cd_pose2 pose = cd_state2_pose(state);
    for (int32_t i = 0; i < count; i++)
        placed[i] = cd_leaf2_place(frame->arena, &leaves->plane.leaf[first + i], pose);
    return placed;
}

// All parts of a body at the poses of the step; made once a frame.
static const cd_narrow_part *parts_of(plane_frame *plane, int32_t body)
{
    if (plane->placed[body])
        return plane->placed[body];
    const cd_narrow_frame_state *frame = plane->frame;
    cd_state2 start = cd_body_start2(frame->in, body), trial = cd_body_trial2(frame->in, frame->trial_row, body);
    cd_state2 predicted = frame->step > 0 ? cd_body_predicted2(frame->in, body, frame->step) : start;
    const cd_leaf2 *at_start = place_leaves(frame, body, start), *at_predicted = at_start, *at_trial = at_start;
    if (!is_same_pose(start, predicted))
        at_predicted = place_leaves(frame, body, predicted);
    if (!is_same_pose(start, trial))
        at_trial = is_same_pose(predicted, trial) ? at_predicted : place_leaves(frame, body, trial);
    int32_t count = cd_narrow_leaf_count(frame, body);
    cd_narrow_part *part = CD_ARENA_ARRAY(frame->arena, cd_narrow_part, count);
    for (int32_t i = 0; i < count; i++)
        part[i] = (cd_narrow_part){at_start + i, at_predicted + i, at_trial + i};
    plane->placed[body] = part;
    return part;
}

// ---- contacts ------------------------------------------------------------------------------------------------------

static cd_status find_contacts(plane_frame *plane, cd_arena *scratch, cd_narrow_found *found)
{
    const cd_narrow_frame_state *frame = plane->frame;
    cd_contacts contacts = {0};
    CD_LIST(int32_t) owner = {0};
    for (int32_t i = 0; i < frame->pair_count; i++) {
        const cd_narrow_site_pair *pair = &frame->pair[i];
        cd_narrow_input input = {.a = parts_of(plane, pair->row_a)[pair->part_a],
                                 .b = parts_of(plane, pair->row_b)[pair->part_b],
                                 .reach = cd_reach_pair(&frame->reach, pair->row_a, pair->row_b),
                                 .epsilon = frame->epsilon,
                                 .choice = frame->choice,
                                 .keep_rejected = frame->options->keep_rejected,
                                 .rejected = &found->rejected,
                                 .arena = frame->arena,
                                 .scratch = scratch};
        cd_status status = cd_narrow_find(frame->mode, &input, &contacts, frame->diag);
        cd_arena_reset(scratch);
        if (status != CD_OK)
            return cd_narrow_fail_at(frame, status, pair);
        while (owner.count < contacts.count)
            cd_list_push(frame->arena, &owner, i);
    }
    found->count = contacts.count;
    found->pair = owner.item;
    found->contact = contacts.item;
    return CD_OK;
}

cd_status cd_narrow_plane(const cd_narrow_frame_state *frame, cd_narrow_found *found)
{
    plane_frame plane = {frame, CD_ARENA_ZARRAY(frame->arena, cd_narrow_part *, frame->in->body.count)};
    cd_arena scratch = {0};
    cd_status status = find_contacts(&plane, &scratch, found);
    cd_arena_release(&scratch);
    return status;
}
