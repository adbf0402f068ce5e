// How near two bodies come: boxes, reach, and the poses of the step.
// SPDX-License-Identifier: MIT
#include "why_pair.h"

#include "cd_cell.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SHARES = 16 };  // of the way to a pose that gaps are looked at

const char *const cd_why_pose_names[] = {"start", "predicted", "trial", "next", NULL};

// ---- boxes and candidates ------------------------------------------------------------------------------------------

// Rows of the stream's bounds by part of a body; -1: it has none.
static int32_t *bounds_of(const cd_why_pair *pair, int side)
{
    const cd_bounds_rows *bounds = &pair->frame->in.bounds;
    const int32_t body = pair->row[side], parts = cd_why_parts(pair->frame, body);
    int32_t *row = CD_ARENA_ARRAY(pair->frame->arena, int32_t, parts + 1);
    for (int32_t i = 0; i < parts; i++)
        row[i] = -1;
    for (int32_t i = 0; i < bounds->count; i++) {
        const int32_t *site = bounds->a + 2 * (size_t)i;
        if (site[0] == body && site[1] >= 0 && site[1] < parts)
            row[site[1]] = i;
    }
    return row;
}

// [m] How much of the box that the body gives the stream's leaves out; <= 0: nothing.
static double left_out(int dim, const double *min, const double *max, const double *own_min, const double *own_max)
{
    double most = -INFINITY;
    for (int k = 0; k < dim; k++) {
        const double low = isinf(own_min[k]) && isinf(min[k]) ? 0 : min[k] - own_min[k];
        const double high = isinf(own_max[k]) && isinf(max[k]) ? 0 : own_max[k] - max[k];
        most = fmax(most, fmax(low, high));
    }
    return most;
}

static bool is_larger(const double *min, const double *max, const double *own_min, const double *own_max, int dim,
                      double tolerance)
{
    bool is = false;
    for (int k = 0; min && k < dim; k++)
        is |= own_min[k] - min[k] > tolerance || max[k] - own_max[k] > tolerance;
    return is;
}

// table NULL: the box is compared, and not told. row: of the stream's bounds; -1: none
static void compare_box(cd_why_pair *pair, int side, int32_t part, int32_t row, cd_why_table *table)
{
    const cd_model *in = &pair->frame->in;
    const size_t dim = (size_t)in->dim, at = dim * (size_t)part;
    const double *min = pair->boxes[side].min + at, *max = pair->boxes[side].max + at;
    const double *own_min = row < 0 ? NULL : in->bounds.min + dim * (size_t)row;
    const double *own_max = row < 0 ? NULL : in->bounds.max + dim * (size_t)row;
    const double out = row < 0 ? 0 : left_out((int)dim, own_min, own_max, min, max);
    const bool is_small = out > cd_why_tolerance(pair->frame) && !pair->frame->run->broad.uses_bounds;
    if (!table && !is_small)
        return;
    const char *verdict =
        out > cd_why_tolerance(pair->frame) ? "too small"
        : is_larger(row < 0 ? NULL : own_min, own_max, min, max, (int)dim, cd_why_tolerance(pair->frame)) ? "larger"
                                                                                                          : "same";
    const char *site = cd_why_site(pair->story->arena, in, (int32_t[]){pair->row[side], part});
    if (is_small)
        cd_why_differ(pair->story, "cd-broad", "bounds", "too-small",
                      "the box of %s is too small: it leaves out %.4g m of what the body covers in the step, grown by "
                      "its share of the reach",
                      site, out);
    if (table && row >= 0)
        cd_why_add(pair->story, table,
                   (cd_why_value[]){cd_why_text("stream"), cd_why_text(site), cd_why_vector(own_min, (int)dim),
                                    cd_why_vector(own_max, (int)dim), cd_why_text(verdict)});
    if (table)
        cd_why_add(pair->story, table,
                   (cd_why_value[]){cd_why_text("bodies"), cd_why_text(site), cd_why_vector(min, (int)dim),
                                    cd_why_vector(max, (int)dim), cd_why_text("")});
}

static void tell_candidate(cd_why_pair *pair)
{
    const cd_model *in = &pair->frame->in;
    cd_why_story *story = pair->story;
    int32_t pairs = 0, should = 0;
    for (int32_t i = 0; i < pair->count; i++) {
        pairs += pair->leaves[i].is_pair;
        should += pair->leaves[i].should_be;
    }
    const bool has_table = cd_why_ran(pair->frame, CD_RANK_PAIR);
    cd_why_say(story, "candidates", "candidates in the stream", has_table ? cd_why_number(pairs) : cd_why_nothing(),
               NULL, has_table ? NULL : cd_why_missing(pair->story->arena, pair->frame, "cd-broad", "them"));
    cd_why_say(story, "candidates_expected", "candidates by the boxes", cd_why_number(should), NULL, pair->excluded);
    for (int32_t i = 0; i < pair->count && has_table; i++) {
        const cd_why_leaves *leaves = &pair->leaves[i];
        const char *a = cd_why_site(story->arena, in, (int32_t[]){pair->row[0], leaves->part[0]});
        const char *b = cd_why_site(story->arena, in, (int32_t[]){pair->row[1], leaves->part[1]});
        const bool is_by_boxes = !pair->frame->run->broad.uses_bounds && !pair->frame->run->broad.is_of_spheres;
        if (leaves->should_be && !leaves->is_pair && is_by_boxes)
            cd_why_differ(story, "cd-broad", "pair", "lost",
                          "%s and %s are no candidate, though the boxes that the bodies give overlap by %.4g m", a, b,
                          -leaves->boxes_apart);
        // Another program may pair whom it likes: contacts are looked for, that is all.
        if (leaves->is_pair && leaves->boxes_apart > cd_why_tolerance(pair->frame) && is_by_boxes &&
            cd_why_run_has(pair->frame->run, "cd-broad"))
            cd_why_differ(story, "cd-broad", "pair", "extra",
                          "%s and %s are a candidate, though the boxes that the bodies give are %.4g m apart", a, b,
                          leaves->boxes_apart);
    }
}

void cd_why_tell_bounds(cd_why_pair *pair)
{
    enum { TOLD_PARTS = 4 };  // the nearest
    static const cd_why_column columns[] = {
        {"source", "from"}, {"part", "part"}, {"min", "min"}, {"max", "max"}, {"verdict", "stream is"}};
    cd_why_story *story = pair->story;
    cd_why_open(story, "bounds",
                "boxes over the step, grown by each body's share of the reach, and who is a candidate");
    if (pair->count == 0)
        return;
    const cd_why_leaves *first = &pair->leaves[0];
    cd_why_say(story, "margin", "margin", cd_why_number(pair->frame->run->broad.margin), "m", NULL);
    cd_why_say(story, "apart", "boxes apart by", cd_why_number(first->boxes_apart), "m",
               cd_arena_printf(story->arena, "%s%s", first->boxes_apart > 0 ? "they do not meet" : "they overlap",
                               pair->count > 1 ? "; of the nearest parts" : ""));
    tell_candidate(pair);
    cd_why_table *table = cd_why_tabulate(story, "boxes", NULL, 5, columns);
    for (int side = 0; side < 2; side++) {
        const int32_t *row = bounds_of(pair, side);
        bool *is_done = CD_ARENA_ZARRAY(pair->frame->arena, bool, cd_why_parts(pair->frame, pair->row[side]) + 1);
        for (int32_t i = 0; i < pair->count; i++) {
            const int32_t part = pair->leaves[i].part[side];
            if (!is_done[part])
                compare_box(pair, side, part, row[part], i < TOLD_PARTS ? table : NULL);
            is_done[part] = true;
        }
    }
}

// ---- reach ---------------------------------------------------------------------------------------------------------

static const char *reach_source(const cd_why_pair *pair, const char *tool)
{
    cd_arena *arena = pair->story->arena;
    const char *option = cd_why_option(pair->frame->run, tool, "reach");
    if (option)
        return cd_arena_printf(arena, "%s %s", tool, option);
    return isnan(cd_f64_or(pair->frame->in.head.reach, 0, NAN)) ? "automatic" : "head.reach";
}

void cd_why_tell_reach(cd_why_pair *pair)
{
    const cd_why_frame *frame = pair->frame;
    const cd_reach *reach = &frame->reach;
    cd_why_story *story = pair->story;
    cd_arena *arena = story->arena;
    const int32_t a = pair->row[0], b = pair->row[1];
    const double rest = 2 * reach->rest, sway = cd_reach_sway(reach, a, b), force = cd_reach_pair(reach, a, b);
    const char *source = reach_source(pair, "cd-narrow");
    cd_why_open(story, "reach", "reach: parts as near as that at a pose of the step have potential contacts");
    cd_why_say(story, "in_force", "in force", cd_why_number(force), "m", source);
    cd_why_say(story, "source", NULL, cd_why_text(source), NULL, NULL);
    cd_why_say(story, "automatic", "automatic would be", cd_why_number(rest + sway), "m",
               cd_arena_printf(arena, "0.005 of the length %.4g m: %.4g, + 1.5 of the motion: %.4g", reach->length,
                               rest, sway));
    cd_why_say(story, "rest", NULL, cd_why_number(rest), "m", NULL);
    cd_why_say(story, "sway_a", NULL, cd_why_number(reach->sway[a]), "m", NULL);
    cd_why_say(story, "sway_b", NULL, cd_why_number(reach->sway[b]), "m", NULL);
    const double boxes = cd_reach_pair(&frame->boxes_reach, a, b);
    const char *boxes_source = reach_source(pair, "cd-broad");
    cd_why_say(story, "of_boxes", "that the boxes grow by", cd_why_number(boxes), "m", boxes_source);
    if (boxes + 2 * frame->run->broad.margin < force * (1 - 1e-12) && cd_why_run_has(frame->run, "cd-broad"))
        cd_why_differ(
            story, "cd-broad", "prog", "reach",
            "the boxes grow by a reach of %.4g m (%s), cd-narrow looks %.4g m far (%s): pairs between are lost", boxes,
            boxes_source, force, source);
}

// ---- poses ---------------------------------------------------------------------------------------------------------

// A body at a pose of the step, and after a share of the way there.
typedef struct way_state {
    cd_state2 plane;
    cd_state3 space;
} way_state;

static bool has_pose(const cd_why_pair *pair, int pose)
{
    const cd_why_frame *frame = pair->frame;
    if (pose == CD_WHY_START)
        return true;
    if (pose == CD_WHY_PREDICTED)
        return frame->step > 0;
    const int32_t *row = pose == CD_WHY_TRIAL ? frame->trial_row : frame->next_row;
    return row[pair->row[0]] >= 0 || row[pair->row[1]] >= 0;
}

static way_state next_state(const cd_why_frame *frame, int32_t body)
{
    const cd_next_rows *next = &frame->in.next;
    const size_t row = (size_t)frame->next_row[body], dim = (size_t)frame->in.dim;
    way_state state = {0};
    if (dim == 2) {
        state.plane.position = cd_vec2_at(next->position + 2 * row);
        state.plane.angle = next->rotation[row];
    } else {
        state.space.position = cd_vec3_at(next->position + 3 * row);
        state.space.rotation = cd_quat_at(next->rotation + 4 * row);
    }
    return state;
}

static way_state state_at(const cd_why_frame *frame, int32_t body, int pose)
{
    const cd_model *in = &frame->in;
    const bool is_plane = in->dim == 2;
    way_state start = {0};
    if (is_plane)
        start.plane = cd_body_start2(in, body);
    else
        start.space = cd_body_start3(in, body);
    if (pose == CD_WHY_START || (pose == CD_WHY_NEXT && frame->next_row[body] < 0))
        return start;
    if (pose == CD_WHY_NEXT)
        return next_state(frame, body);
    way_state state = {0};
    if (pose == CD_WHY_PREDICTED && is_plane)
        state.plane = cd_body_predicted2(in, body, frame->step);
    else if (pose == CD_WHY_PREDICTED)
        state.space = cd_body_predicted3(in, body, frame->step);
    else if (is_plane)
        state.plane = cd_body_trial2(in, frame->trial_row, body);
    else
        state.space = cd_body_trial3(in, frame->trial_row, body);
    return state;
}

// Positions go evenly along a line, rotations evenly about one axis.
static way_state between(const way_state *from, const way_state *to, double share)
{
    if (share >= 1)
        return *to;
    way_state state = *from;
    state.plane.position = cd_lerp2(from->plane.position, to->plane.position, share);
    state.plane.angle += share * (to->plane.angle - from->plane.angle);
    state.space.position =
        cd_add3(from->space.position, cd_scale3(share, cd_sub3(to->space.position, from->space.position)));
    const cd_vec3 turn = cd_quat_vector(cd_quat_product(to->space.rotation, cd_quat_conjugate(from->space.rotation)));
    state.space.rotation = cd_quat_product(cd_quat_from_vector(cd_scale3(share, turn)), from->space.rotation);
    return state;
}

// [m] The signed distance of two parts; NaN where it has no routine. Poses are taken about the middle of a, so that far
// from the origin no digits are lost.
static double gap_at(const cd_why_pair *pair, const cd_why_leaves *leaves, const way_state *a, const way_state *b)
{
    const cd_why_frame *frame = pair->frame;
    const cd_leaves *shapes = &frame->run->narrow.shapes;
    const int32_t *shape = frame->in.body.shape;
    const int32_t leaf_a = shapes->first[shape[pair->row[0]]] + leaves->part[0];
    const int32_t leaf_b = shapes->first[shape[pair->row[1]]] + leaves->part[1];
    cd_arena *arena = frame->arena;
    if (frame->in.dim == 2) {
        const cd_leaf2 *one = &shapes->plane.leaf[leaf_a], *other = &shapes->plane.leaf[leaf_b];
        const cd_pair2 *entry = cd_pair2_for(one->kind, other->kind);
        if (!entry)
            return NAN;
        cd_pose2 pose_a = cd_state2_pose(a->plane), pose_b = cd_state2_pose(b->plane);
        pose_b.position = cd_sub2(pose_b.position, pose_a.position);
        pose_a.position = (cd_vec2){0, 0};
        const cd_leaf2 placed_a = cd_leaf2_place(arena, one, pose_a), placed_b = cd_leaf2_place(arena, other, pose_b);
        return cd_pair2_gap(entry, &placed_a, &placed_b).gap;
    }
    const cd_leaf3 one = cd_leaves3_at(&shapes->space, leaf_a), other = cd_leaves3_at(&shapes->space, leaf_b);
    const cd_pair3 *entry = cd_pair3_for(one.kind, other.kind);
    if (!entry)
        return NAN;
    cd_pose3 pose_a = cd_state3_pose(a->space), pose_b = cd_state3_pose(b->space);
    pose_b.position = cd_sub3(pose_b.position, pose_a.position);
    pose_a.position = (cd_vec3){0, 0, 0};
    const cd_solid3 placed_a = cd_solid3_place(arena, &one, &pose_a),
                    placed_b = cd_solid3_place(arena, &other, &pose_b);
    cd_arena scratch = {0};
    const double gap = cd_pair3_gap(entry, &placed_a, &placed_b, &scratch).gap;
    cd_arena_release(&scratch);
    return gap;
}

// What is nearer by rounding alone does not count.
static void look_at(cd_why_leaves *leaves, double gap, int way, double share, double rounding)
{
    if (isnan(gap) || gap >= leaves->nearest - rounding)
        return;
    leaves->nearest = gap;
    leaves->nearest_way = way;
    leaves->nearest_at = share;
}

static void measure_way(const cd_why_pair *pair, cd_why_leaves *leaves, int pose)
{
    const double rounding = 1e-12 * pair->frame->reach.length;
    const int32_t a = pair->row[0], b = pair->row[1];
    const way_state from_a = state_at(pair->frame, a, CD_WHY_START), from_b = state_at(pair->frame, b, CD_WHY_START);
    const way_state to_a = state_at(pair->frame, a, pose), to_b = state_at(pair->frame, b, pose);
    for (int k = 1; k <= SHARES; k++) {
        const double share = (double)k / SHARES;
        const way_state at_a = between(&from_a, &to_a, share), at_b = between(&from_b, &to_b, share);
        const double gap = gap_at(pair, leaves, &at_a, &at_b);
        look_at(leaves, gap, pose, share, rounding);
        if (k == SHARES)
            leaves->gap[pose] = gap;
    }
}

static void measure_leaves(const cd_why_pair *pair, cd_why_leaves *leaves)
{
    const way_state a = state_at(pair->frame, pair->row[0], CD_WHY_START);
    const way_state b = state_at(pair->frame, pair->row[1], CD_WHY_START);
    cd_arena_mark mark = cd_arena_get_mark(pair->frame->arena);
    leaves->gap[CD_WHY_START] = gap_at(pair, leaves, &a, &b);
    leaves->nearest = INFINITY;
    look_at(leaves, leaves->gap[CD_WHY_START], CD_WHY_START, 0, 0);
    for (int pose = CD_WHY_PREDICTED; pose < CD_WHY_POSES; pose++)
        if (has_pose(pair, pose))
            measure_way(pair, leaves, pose);
    if (isinf(leaves->nearest))
        leaves->nearest = NAN;
    cd_arena_rewind(pair->frame->arena, mark);
}

// The same of pinballs, whose way is to the predicted pose alone.
static void measure_balls(const cd_why_pair *pair, cd_why_leaves *leaves)
{
    leaves->nearest = INFINITY;
    for (int k = 0; k <= (has_pose(pair, CD_WHY_PREDICTED) ? SHARES : 0); k++) {
        const double share = (double)k / SHARES, gap = cd_why_balls_gap(pair, leaves, share);
        look_at(leaves, gap, k == 0 ? CD_WHY_START : CD_WHY_PREDICTED, share, 0);
        if (k == 0 || k == SHARES)
            leaves->gap[k == 0 ? CD_WHY_START : CD_WHY_PREDICTED] = gap;
    }
    if (isinf(leaves->nearest))
        leaves->nearest = NAN;
}

static int compare_nearest(const void *left, const void *right)
{
    const double a = ((const cd_why_leaves *)left)->nearest, b = ((const cd_why_leaves *)right)->nearest;
    if (isnan(a) || isnan(b))
        return isnan(a) - isnan(b);
    return (a > b) - (a < b);
}

// Gaps of the parts whose boxes overlap, at most so many; of none that do: of the nearest boxes.
static void measure_all(cd_why_pair *pair)
{
    enum { MOST = 400, LEAST = 4 };
    const bool are_elements = cd_elements_of_body(&pair->frame->elements, pair->row[0]) > 0 ||
                              cd_elements_of_body(&pair->frame->elements, pair->row[1]) > 0;
    for (int32_t i = 0; i < pair->count && i < MOST; i++) {
        if (pair->leaves[i].boxes_apart > 0 && i >= LEAST && !pair->leaves[i].is_pair)
            break;
        (are_elements ? measure_balls : measure_leaves)(pair, &pair->leaves[i]);
        pair->asked = i + 1;
    }
    qsort(pair->leaves, (size_t)pair->asked, sizeof *pair->leaves, compare_nearest);
    for (int32_t i = 0; i < pair->asked; i++) {
        const int32_t *part = pair->leaves[i].part;
        pair->place[(size_t)(part[0] - pair->first[0]) * (size_t)pair->span[1] + (size_t)(part[1] - pair->first[1])] =
            i;
    }
}

static void tell_parts(cd_why_pair *pair)
{
    static const cd_why_column columns[] = {{"part_a", "part of a"},        {"part_b", "of b"},
                                            {"boxes_apart", "boxes apart"}, {"candidate", "candidate"},
                                            {"gap", "gap at start"},        {"nearest", "nearest"},
                                            {"contacts", "contacts"},       {"contacts_expected", "by bodies"}};
    cd_why_table *table = cd_why_tabulate(pair->story, "parts", "parts, the nearest first", 8, columns);
    for (int32_t i = 0; i < pair->asked || (i < pair->count && pair->leaves[i].boxes_apart <= 0); i++) {
        const cd_why_leaves *leaves = &pair->leaves[i];
        cd_why_add(pair->story, table,
                   (cd_why_value[]){cd_why_number(leaves->part[0]), cd_why_number(leaves->part[1]),
                                    cd_why_number(leaves->boxes_apart), cd_why_yes(leaves->is_pair),
                                    cd_why_number(leaves->gap[CD_WHY_START]), cd_why_number(leaves->nearest),
                                    cd_why_number(leaves->contacts), cd_why_number(leaves->expected)});
    }
    table->shown = 12;
}

const char *cd_why_when(cd_arena *arena, const cd_why_leaves *leaves)
{
    const char *pose = cd_why_pose_names[leaves->nearest_way];
    if (leaves->nearest_at == 0)
        return "at the start";
    return leaves->nearest_at == 1 ? cd_arena_printf(arena, "at the %s pose", pose)
                                   : cd_arena_printf(arena, "%.3g of the way to the %s pose", leaves->nearest_at, pose);
}

void cd_why_tell_motion(cd_why_pair *pair)
{
    static const cd_why_column columns[] = {
        {"pose", "pose"}, {"share", "of the step"}, {"gap", "gap [m]"}, {"what", "what it is"}};
    static const char *const what[] = {"where the frame begins", "free motion, without contact",
                                       "the end that the round before found", "the end of the step"};
    cd_why_story *story = pair->story;
    measure_all(pair);
    if (pair->asked == 0 || isnan(pair->leaves[0].nearest)) {
        cd_why_open(story, "motion", "gap of the two over the step");
        cd_why_say(story, "nearest", "gap", cd_why_nothing(), NULL, "no routine for these parts");
        return;
    }
    const cd_why_leaves *near = &pair->leaves[0];
    cd_why_open(story, "motion",
                pair->count == 1 ? "gap of the two over the step"
                                 : cd_arena_printf(story->arena, "gap over the step, of parts %d and %d, the nearest",
                                                   (int)near->part[0], (int)near->part[1]));
    cd_why_say(story, "nearest", "nearest", cd_why_number(near->nearest), "m", cd_why_when(story->arena, near));
    cd_why_say(story, "nearest_share", NULL, cd_why_number(near->nearest_at), NULL, NULL);
    cd_why_say(story, "nearest_way", NULL, cd_why_text(cd_why_pose_names[near->nearest_way]), NULL, NULL);
    cd_why_table *table = cd_why_tabulate(story, "poses", NULL, 4, columns);
    for (int pose = 0; pose < CD_WHY_POSES; pose++)
        if (has_pose(pair, pose))
            cd_why_add(story, table,
                       (cd_why_value[]){cd_why_text(cd_why_pose_names[pose]),
                                        cd_why_number(pose == CD_WHY_START ? 0 : 1), cd_why_number(near->gap[pose]),
                                        cd_why_text(what[pose])});
    if (pair->count > 1)
        tell_parts(pair);
}
