// SPDX-License-Identifier: MIT
#include "narrow_beside.h"

#include "pair_region.h"

#include <math.h>
#include <stdlib.h>

static bool is_polytope(const cd_narrow_frame_state *frame, cd_narrow_site site)
{
    return cd_narrow_is_polytope(cd_narrow_kind_of(frame, site.row, site.part));
}

static bool is_round(const cd_narrow_frame_state *frame, cd_narrow_site site)
{
    cd_shape_kind kind = cd_narrow_kind_of(frame, site.row, site.part);
    return kind == CD_SHAPE_SPHERE || kind == CD_SHAPE_ELLIPSOID;
}

static bool is_fixed(const cd_narrow_frame_state *frame, int32_t row)
{
    return cd_body_motion(frame->in, row) == CD_MOTION_FIXED;
}

// May something be one body with it?
static bool has_company(const cd_narrow_frame_state *frame, int32_t row)
{
    return is_fixed(frame, row) || cd_narrow_leaf_count(frame, row) > 1;
}

static int compare_sites(cd_narrow_site a, cd_narrow_site b)
{
    int rows = (a.row > b.row) - (a.row < b.row);
    return rows ? rows : (a.part > b.part) - (a.part < b.part);
}

static int compare_meetings(const void *left, const void *right)
{
    const cd_narrow_meeting *a = left, *b = right;
    int sites = compare_sites(a->site, b->site);
    return sites ? sites : compare_sites(a->met, b->met);
}

static cd_narrow_meeting meeting_of(const cd_narrow_site_pair *pair, int side)
{
    cd_narrow_site a = {pair->row_a, pair->part_a}, b = {pair->row_b, pair->part_b};
    return side ? (cd_narrow_meeting){a, b} : (cd_narrow_meeting){b, a};
}

static const cd_aabb everywhere = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};

static cd_aabb box_of_facet(const cd_leaf3 *facet)
{
    cd_aabb box = cd_aabb_empty(3);
    for (int k = 0; k < 3; k++) {
        cd_vec3 p = cd_leaf3_corner(facet, k);
        box = cd_aabb_add_point(box, (double[]){p.x, p.y, p.z}, 3);
    }
    return box;
}

// Of shapes whose parts are met more often than there are of them: where each of two surfaces has all of the other in
// reach, each facet is asked about for each pair that it is in. Two rings of 192 facets: 30 to 2 us a pair.
static const cd_aabb *const *boxes_of_facets(const cd_narrow_frame_state *frame, const cd_narrow_beside *beside)
{
    const int32_t shapes = (int32_t)frame->in->shape.count;
    const cd_aabb **box = CD_ARENA_ZARRAY(frame->arena, const cd_aabb *, shapes);
    int64_t *met = CD_ARENA_ZARRAY(frame->arena, int64_t, shapes);
    for (int32_t i = 0; i < beside->count; i++)
        met[frame->in->body.shape[beside->meeting[i].met.row]]++;
    for (int32_t s = 0; s < shapes; s++) {
        const int32_t first = frame->shapes->first[s], count = frame->shapes->first[s + 1] - first;
        if (met[s] <= count)
            continue;
        cd_aabb *own = CD_ARENA_ARRAY(frame->arena, cd_aabb, count);
        for (int32_t k = 0; k < count; k++) {
            const cd_leaf3 leaf = cd_leaves3_at(&frame->shapes->space, first + k);
            own[k] = leaf.kind == CD_SHAPE_FACETS ? box_of_facet(&leaf) : everywhere;
        }
        box[s] = own;
    }
    return box;
}

cd_narrow_beside cd_narrow_beside_make(const cd_narrow_frame_state *frame)
{
    int32_t count = 0;
    if (!(frame->mode->needs & CD_NARROW_NEEDS_BESIDE))
        return (cd_narrow_beside){0};
    cd_narrow_meeting *meeting = CD_ARENA_ARRAY(frame->arena, cd_narrow_meeting, 2 * (size_t)frame->pair_count);
    for (int32_t i = 0; i < frame->pair_count; i++)
        for (int side = 0; side < 2; side++) {
            cd_narrow_meeting m = meeting_of(&frame->pair[i], side);
            if (has_company(frame, m.met.row) && is_polytope(frame, m.met) &&
                (is_polytope(frame, m.site) || is_round(frame, m.site)))
                meeting[count++] = m;
        }
    qsort(meeting, (size_t)count, sizeof *meeting, compare_meetings);
    cd_narrow_beside beside = {count, meeting, NULL};
    if (frame->shapes->dim == 3)
        beside.facet_box = boxes_of_facets(frame, &beside);
    return beside;
}

// The first meeting that is not before `least`.
static int32_t find_meeting(const cd_narrow_beside *beside, const cd_narrow_meeting *least)
{
    int32_t low = 0, high = beside->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (compare_meetings(&beside->meeting[middle], least) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Of what is no facet: all of space.
static cd_aabb box_of(const cd_narrow_frame_state *frame, cd_narrow_site site)
{
    const cd_leaf3 leaf = cd_narrow_leaf3_of(frame, site.row, site.part);
    return leaf.kind == CD_SHAPE_FACETS ? box_of_facet(&leaf) : everywhere;
}

cd_narrow_sites cd_narrow_beside_of(const cd_narrow_frame_state *frame, const cd_narrow_beside *beside,
                                    const cd_narrow_site_pair *pair, int side, cd_arena *arena)
{
    cd_narrow_meeting own = meeting_of(pair, side);
    bool is_of_fixed = is_fixed(frame, own.met.row);
    if (beside->count == 0 || !(is_of_fixed || cd_narrow_leaf_count(frame, own.met.row) > 1))
        return (cd_narrow_sites){0};
    // Meetings of the other side's part: with the own body, or with all that is fixed.
    const cd_narrow_meeting least = {own.site, {is_of_fixed ? 0 : own.met.row, 0}};
    const cd_narrow_meeting above = {own.site, {is_of_fixed ? INT32_MAX : own.met.row + 1, 0}};
    const int32_t first = find_meeting(beside, &least), end = find_meeting(beside, &above);
    cd_narrow_site *list = CD_ARENA_ARRAY(arena, cd_narrow_site, end - first);
    cd_narrow_sites found = {.site = list, .is_under_round = is_polytope(frame, own.met) && is_round(frame, own.site)};
    // Facets of one surface touch, or are none of each other's seams. A surface has many, and all that a body may meet
    // in the step are met: without this each of them would be asked about each other one.
    const bool is_facet =
        frame->shapes->dim == 3 && cd_narrow_kind_of(frame, own.met.row, own.met.part) == CD_SHAPE_FACETS;
    const cd_aabb *boxes = is_facet ? beside->facet_box[frame->in->body.shape[own.met.row]] : NULL;
    cd_aabb box, near = everywhere;
    if (is_facet)
        near = cd_aabb_grow(box_of(frame, own.met), CD_SEAM_NEAR * frame->choice.tolerance, 3);
    for (int32_t i = first; i < end; i++) {
        cd_narrow_site met = beside->meeting[i].met;
        int order = compare_sites(met, own.met);
        if (order == 0 || (is_of_fixed && !is_fixed(frame, met.row)))
            continue;
        if (is_facet && met.row == own.met.row) {
            if (!boxes)
                box = box_of(frame, met);
            if (!cd_aabb_overlaps(&near, boxes ? &boxes[met.part] : &box, 3))
                continue;
        }
        list[found.count++] = met;
        found.before += order < 0;
    }
    return found;
}
