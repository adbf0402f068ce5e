// SPDX-License-Identifier: MIT
#include "overlap_stage.h"

#include "cd_bodies.h"
#include "cd_bounds2.h"
#include "cd_box_pairs.h"

#include <stdlib.h>

// [1] of the characteristic length: the range first looked at for the least gap, and by how much it is widened each
// time.
static const double first_range = 0.01, range_growth = 8;

// The parts of all bodies that take part, placed, in canonical order (body by id, then part).
typedef struct overlap_items {
    int32_t count;
    const cd_leaf2 **leaf;
    cd_aabb *box;
    int32_t *row;        // of `body`
    uint8_t *is_fixed;   // the body is
    uint8_t *is_new;     // the body takes part for the first time
    bool only_new;       // list only pairs with a new body
} overlap_items;

// ---- items -----------------------------------------------------------------------------------------------------

static cd_pose2 pose_of(const cd_model *in, const int32_t *next_row, int32_t body)
{
    if (!next_row || next_row[body] < 0)
        return cd_state2_pose(cd_body_start2(in, body));
    return cd_pose2_make(cd_vec2_at(in->next.position + 2 * (size_t)next_row[body]), in->next.rotation[next_row[body]]);
}

// Released within the step that ended with this frame's start; in the first frame every body is new.
static bool is_new_body(const cd_model *in, int32_t body)
{
    double release = in->body.release ? in->body.release[body] : 0, step = in->frame.step ? in->frame.step[0] : NAN;
    if (in->frame.index[0] == 0 && !(in->frame.substep && in->frame.substep[0] > 0))
        return true;
    // A body that took part at time - step was active there by the same tolerance.
    return !isnan(release) && release > in->frame.time[0] - step * (1 - CD_TIME_TOLERANCE);
}

static overlap_items items_make(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, cd_body_order order,
                                int32_t capacity, const int32_t *next_row)
{
    overlap_items items = {.leaf = CD_ARENA_ARRAY(arena, const cd_leaf2 *, capacity),
                           .box = CD_ARENA_ARRAY(arena, cd_aabb, capacity),
                           .row = CD_ARENA_ARRAY(arena, int32_t, capacity),
                           .is_fixed = CD_ARENA_ARRAY(arena, uint8_t, capacity),
                           .is_new = CD_ARENA_ARRAY(arena, uint8_t, capacity)};
    cd_leaf2 *placed = CD_ARENA_ARRAY(arena, cd_leaf2, capacity);
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t body = order.row[rank];
        if (!cd_body_is_active(in, body))
            continue;
        int32_t shape = in->body.shape[body];
        cd_pose2 pose = pose_of(in, next_row, body);
        for (int32_t leaf = leaves->first[shape]; leaf < leaves->first[shape + 1]; leaf++) {
            int32_t k = items.count++;
            placed[k] = cd_leaf2_place(arena, &leaves->plane.leaf[leaf], pose);
            items.leaf[k] = &placed[k];
            items.box[k] = cd_bounds2_leaf(&leaves->plane.leaf[leaf], pose);
            items.row[k] = body;
            items.is_fixed[k] = cd_body_motion(in, body) == CD_MOTION_FIXED;
            items.is_new[k] = is_new_body(in, body);
        }
    }
    return items;
}

static bool is_wanted(const void *context, int32_t i, int32_t j)
{
    const overlap_items *items = context;
    return items->row[i] != items->row[j] && !(items->is_fixed[i] && items->is_fixed[j]) &&
           (!items->only_new || items->is_new[i] || items->is_new[j]);
}

// Pairs of items not farther apart than `range` along any axis, in canonical order of (body a, body b, part a, part
// b).
static cd_box_pairs pairs_within(cd_arena *arena, const overlap_items *items, double range)
{
    cd_aabb *box = CD_ARENA_ARRAY(arena, cd_aabb, items->count);
    for (int32_t i = 0; i < items->count; i++)
        box[i] = cd_aabb_grow(items->box[i], range / 2, 2);
    cd_box_pairs pairs = {0};
    cd_box_sweep(box, items->count, 2, is_wanted, items, arena, &pairs);
    cd_box_pairs_sort(&pairs, arena);
    return pairs;
}

// ---- areas -----------------------------------------------------------------------------------------------------

// What two parts whose boxes meet add to their bodies' overlap.
typedef struct part_overlap {
    uint64_t bodies;  // rank of a, rank of b
    int32_t index;    // keeps the order of parts within two bodies
    double area;      // [m^2]
    bool is_measured;
} part_overlap;

static int compare_parts(const void *left, const void *right)
{
    const part_overlap *a = left, *b = right;
    if (a->bodies != b->bodies)
        return a->bodies < b->bodies ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

typedef struct area_sum {
    double total;         // [m^2]
    int32_t unmeasured;   // pairs of bodies
    CD_LIST(cd_overlap_of_pair) pair;
} area_sum;

static area_sum sum_areas(cd_arena *arena, const overlap_items *items, const int32_t *rank)
{
    cd_box_pairs meeting = pairs_within(arena, items, 0);
    part_overlap *part = CD_ARENA_ARRAY(arena, part_overlap, meeting.count);
    for (int32_t i = 0; i < meeting.count; i++) {
        int32_t a = meeting.item[i].a, b = meeting.item[i].b;
        cd_overlap overlap = cd_overlap_measure(items->leaf[a], items->leaf[b], arena);
        uint64_t rank_a = (uint32_t)rank[items->row[a]], rank_b = (uint32_t)rank[items->row[b]];
        part[i] = (part_overlap){rank_a << 32 | rank_b, i, overlap.area, overlap.is_measured};
    }
    qsort(part, (size_t)meeting.count, sizeof *part, compare_parts);
    area_sum sum = {0};
    for (int32_t i = 0; i < meeting.count;) {
        double area = 0;
        bool is_measured = true;
        uint64_t bodies = part[i].bodies;
        int32_t first = part[i].index;
        for (; i < meeting.count && part[i].bodies == bodies; i++) {
            area += part[i].area;
            is_measured &= part[i].is_measured;
        }
        sum.total += area;
        sum.unmeasured += !is_measured;
        if (area > 0) {
            cd_overlap_of_pair pair = {items->row[meeting.item[first].a], items->row[meeting.item[first].b], area};
            cd_list_push(arena, &sum.pair, pair);
        }
    }
    return sum;
}

// ---- the least gap ---------------------------------------------------------------------------------------------

// The largest extent of all finite faces along an axis [m].
static double finite_width(const overlap_items *items)
{
    double width = 0;
    for (int k = 0; k < 2; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int32_t i = 0; i < 2 * items->count; i++) {
            double face = i & 1 ? items->box[i / 2].max[k] : items->box[i / 2].min[k];
            if (isfinite(face)) {
                low = face < low ? face : low;
                high = face > high ? face : high;
            }
        }
        width = high - low > width ? high - low : width;
    }
    return width;
}

static double least_gap(cd_arena *arena, const overlap_items *items, double length)
{
    double widest = finite_width(items) + length;  // from here on no pair is left out
    for (double range = first_range * length;; range *= range_growth) {
        bool is_last = range >= widest;
        cd_arena_mark mark = cd_arena_get_mark(arena);
        cd_box_pairs pairs = pairs_within(arena, items, range);
        double least = NAN;
        for (int32_t i = 0; i < pairs.count; i++) {
            cd_overlap overlap = cd_overlap_measure(items->leaf[pairs.item[i].a], items->leaf[pairs.item[i].b], arena);
            if (overlap.is_measured && !(overlap.gap >= least))
                least = overlap.gap;
        }
        cd_arena_rewind(arena, mark);
        if (least <= range || is_last)
            return least;
    }
}

// ---- a frame ---------------------------------------------------------------------------------------------------

cd_status cd_overlap_frame(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, cd_overlap_result *result,
                           cd_diag *diag)
{
    int32_t count = 0;
    CD_TRY(cd_leaves_count(in, leaves, &count, diag));
    cd_body_order order = cd_body_order_make(arena, &in->body);
    const int32_t *next_row = in->next.count > 0 ? cd_body_next_rows(arena, in) : NULL;
    overlap_items items = items_make(arena, in, leaves, order, count, next_row);
    area_sum sum = sum_areas(arena, &items, order.rank);
    double length = cd_f64_or(in->head.length, 0, 1);
    *result = (cd_overlap_result){.overlap = sum.total,
                                  .gap = least_gap(arena, &items, length),
                                  .unmeasured = sum.unmeasured,
                                  .pair_count = sum.pair.count,
                                  .pair = sum.pair.item};
    bool has_new = false;
    for (int32_t i = 0; i < items.count; i++)
        has_new |= items.is_new[i];
    if (has_new) {
        overlap_items start = items_make(arena, in, leaves, order, count, NULL);
        start.only_new = true;
        result->released = sum_areas(arena, &start, order.rank).total;
    }
    return CD_OK;
}
