// One frame of the plane: parts placed at the poses of the step, and how the contacts of a pair are found.
// SPDX-License-Identifier: MIT
#include "narrow_beside.h"
#include "narrow_known.h"
#include "narrow_pinball.h"
#include "narrow_run.h"

typedef struct plane_frame {
    const cd_narrow_frame_state *frame;
    const cd_pair2_part **placed;  // by body row, then part; NULL until a pair asks for the body
    const cd_narrow_beside *beside;
    cd_arena *scratch;  // of one pair
    cd_arena own;       // a worker's
} plane_frame;

// ---- poses ---------------------------------------------------------------------------------------------------------

static bool is_same_pose(cd_state2 a, cd_state2 b)
{
    return a.position.x == b.position.x && a.position.y == b.position.y && a.angle == b.angle;
}

static cd_vec3 middle_of(const cd_narrow_frame_state *frame, int32_t body)
{
    return cd_cell_middle(frame->cell, cd_vec3_of_plane(cd_body_start2(frame->in, body).position));
}

static const cd_leaf2 *place_leaves(const cd_narrow_frame_state *frame, int32_t body, cd_state2 state, cd_vec3 middle)
{
    const cd_leaves *leaves = frame->shapes;
    int32_t first = leaves->first[frame->in->body.shape[body]], count = cd_narrow_leaf_count(frame, body);
    cd_leaf2 *placed = CD_ARENA_ARRAY(frame->arena, cd_leaf2, count);
    cd_pose2 pose = cd_state2_pose(state);
    pose.position = cd_sub2(pose.position, (cd_vec2){middle.x, middle.y});
    for (int32_t i = 0; i < count; i++)
        placed[i] = cd_leaf2_place(frame->arena, &leaves->plane.leaf[first + i], pose);
    return placed;
}

// All parts of a body at the poses of the step, about `middle`.
static const cd_pair2_part *place_parts(const cd_narrow_frame_state *frame, int32_t body, cd_vec3 middle)
{
    cd_state2 start = cd_body_start2(frame->in, body), trial = cd_body_trial2(frame->in, frame->trial_row, body);
    cd_state2 (*expected)(const cd_model *, int32_t, double) =
        frame->mode->needs & CD_NARROW_NEEDS_DRIFT ? cd_body_drifted2 : cd_body_predicted2;
    cd_state2 predicted = frame->step > 0 ? expected(frame->in, body, frame->step) : start;
    const cd_leaf2 *at_start = place_leaves(frame, body, start, middle), *at_predicted = at_start, *at_trial = at_start;
    if (!is_same_pose(start, predicted))
        at_predicted = place_leaves(frame, body, predicted, middle);
    if (!is_same_pose(start, trial))
        at_trial = is_same_pose(predicted, trial) ? at_predicted : place_leaves(frame, body, trial, middle);
    int32_t count = cd_narrow_leaf_count(frame, body);
    cd_pair2_part *part = CD_ARENA_ARRAY(frame->arena, cd_pair2_part, count);
    for (int32_t i = 0; i < count; i++)
        part[i] = (cd_pair2_part){.start = at_start + i, .predicted = at_predicted + i, .current = at_trial + i};
    return part;
}

// About the middle of the body's own cell they are made once a frame, about another one for each pair.
static const cd_pair2_part *parts_of(plane_frame *plane, int32_t body, cd_vec3 middle)
{
    if (!cd_cell_is_same(middle, middle_of(plane->frame, body)))
        return place_parts(plane->frame, body, middle);
    if (!plane->placed[body])
        plane->placed[body] = place_parts(plane->frame, body, middle);
    return plane->placed[body];
}

// ---- contacts ------------------------------------------------------------------------------------------------------

static double extent_of(const cd_narrow_frame_state *frame, int32_t row, int32_t part)
{
    return cd_leaves_extent(frame->shapes, cd_narrow_leaf_number(frame, row, part));
}

static cd_vec3 middle_of_pair(const cd_narrow_frame_state *frame, const cd_narrow_site_pair *pair)
{
    return cd_cell_of_pair(extent_of(frame, pair->row_a, pair->part_a), middle_of(frame, pair->row_a),
                           extent_of(frame, pair->row_b, pair->part_b), middle_of(frame, pair->row_b));
}

static cd_status check_pairs(const cd_narrow_frame_state *frame)
{
    for (int32_t i = 0; i < frame->pair_count; i++) {
        const cd_narrow_site_pair *pair = &frame->pair[i];
        if (cd_narrow_is_of_pinballs(frame->pinballs, pair))
            continue;
        cd_shape_kind kind_a = cd_narrow_kind_of(frame, pair->row_a, pair->part_a);
        cd_shape_kind kind_b = cd_narrow_kind_of(frame, pair->row_b, pair->part_b);
        const cd_pair2 *entry = cd_pair2_for(kind_a, kind_b);
        if (!entry)
            return cd_narrow_refuse(frame, pair, kind_a, kind_b);
    }
    return CD_OK;
}

// The one worker's state is the frame's.
static void *begin(const void *job)
{
    plane_frame *plane = cd_alloc(sizeof *plane);
    *plane = *(const plane_frame *)job;
    plane->scratch = &plane->own;
    return plane;
}

// The polygons beside a side of the pair.
static void put_beside(plane_frame *plane, const cd_narrow_site_pair *pair, int side, cd_vec3 middle,
                       cd_pair2_part *put)
{
    cd_narrow_sites sites = cd_narrow_beside_of(plane->frame, plane->beside, pair, side, plane->scratch);
    if (sites.count == 0)
        return;
    cd_polygon *polygon = CD_ARENA_ARRAY(plane->scratch, cd_polygon, sites.count);
    cd_pair2_part *part = CD_ARENA_ARRAY(plane->scratch, cd_pair2_part, sites.count);
    const cd_pair2_part *parts = NULL;
    for (int32_t i = 0; i < sites.count; i++) {
        if (i == 0 || sites.site[i].row != sites.site[i - 1].row)
            parts = parts_of(plane, sites.site[i].row, middle);
        part[i] = parts[sites.site[i].part];
        polygon[i] = part[i].start->polygon;
    }
    put->beside = (cd_beside2){sites.count, polygon};
    if (sites.is_under_round)
        put->covers = (cd_covers2){sites.count, sites.before, part};
}

// All but `known`; the parts are placed about the point that is given back.
static cd_vec3 ask_of(plane_frame *plane, int32_t number, cd_arena *arena, cd_pair2_input *input)
{
    const cd_narrow_frame_state *frame = plane->frame;
    const cd_narrow_site_pair *pair = &frame->pair[number];
    cd_vec3 middle = middle_of_pair(frame, pair);
    *input = (cd_pair2_input){.a = parts_of(plane, pair->row_a, middle)[pair->part_a],
                              .b = parts_of(plane, pair->row_b, middle)[pair->part_b],
                              .reach = cd_reach_pair(&frame->reach, pair->row_a, pair->row_b),
                              .sway = cd_reach_sway(&frame->reach, pair->row_a, pair->row_b),
                              .drift = cd_reach_drift(&frame->reach, pair->row_a, pair->row_b),
                              .epsilon = frame->epsilon,
                              .choice = frame->choice,
                              .wants_true_gap = frame->options->true_gap,
                              .arena = arena,
                              .scratch = plane->scratch};
    put_beside(plane, pair, 0, middle, &input->a);
    put_beside(plane, pair, 1, middle, &input->b);
    return middle;
}

static const cd_pair2_part **no_bodies_placed(const cd_narrow_frame_state *frame)
{
    return CD_ARENA_ZARRAY(frame->arena, const cd_pair2_part *, frame->in->body.count);
}

cd_vec3 cd_narrow_plane_input(const cd_narrow_frame_state *frame, const struct cd_narrow_beside *beside, int32_t pair,
                              cd_arena *arena, cd_pair2_input *input)
{
    plane_frame plane = {.frame = frame, .beside = beside, .placed = no_bodies_placed(frame), .scratch = arena};
    return ask_of(&plane, pair, arena, input);
}

static void find(void *context, int32_t number, cd_arena *arena, cd_contacts *contacts)
{
    plane_frame *plane = context;
    const cd_narrow_frame_state *frame = plane->frame;
    const cd_narrow_site_pair *pair = &frame->pair[number];
    if (cd_narrow_is_of_pinballs(frame->pinballs, pair)) {
        cd_narrow_find_pinballs(frame->pinballs, pair, plane->scratch, arena, contacts);
        cd_arena_reset(plane->scratch);
        return;
    }
    cd_pair2_input input;
    cd_vec3 middle = ask_of(plane, number, arena, &input);
    cd_narrow_known_pair *known = cd_narrow_known_of(frame->memory, number, input.reach, &input.choice);
    input.known = known ? &known->of.plane : NULL;
    int32_t before = contacts->count;
    frame->mode->plane(cd_pair2_for(input.a.current->kind, input.b.current->kind), &input, contacts);
    cd_narrow_move_contacts(contacts, before, middle);
    cd_arena_reset(plane->scratch);
}

static void end(void *context)
{
    plane_frame *plane = context;
    cd_arena_release(&plane->own);
    cd_free(plane);
}

cd_status cd_narrow_plane(const cd_narrow_frame_state *frame, cd_contact_rows *out, int32_t *rejected)
{
    if (!frame->mode->plane)
        return cd_narrow_refuse_dimension(frame);
    CD_TRY(check_pairs(frame));
    cd_narrow_beside beside = cd_narrow_beside_make(frame);
    plane_frame job = {.frame = frame, .beside = &beside, .placed = no_bodies_placed(frame)};
    cd_narrow_run(frame, &(cd_narrow_finder){&job, begin, find, end, .threads = 1}, out, rejected);
    return CD_OK;
}
