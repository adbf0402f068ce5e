// Disjointness and intersection of two convex polygons.
//
// The intersection is the subject polygon cut by the lines of the clip polygon one after the other (Sutherland &
// Hodgman 1974). Each cut keeps one run of vertices, from the one deepest inside outwards both ways until the
// first that lies outside: for a convex subject that is all there is, and for one bent by rounding it bounds the
// result to one vertex more than before, so the memory needed is known beforehand.
//
// A vertex within the rounding error of a line counts as on it and is kept in place. So vertices that are meant to lie
// on an edge neither move nor breed slivers, and boundaries that run along each other are recognised as common.
// SPDX-License-Identifier: MIT
#include "cd_assert.h"
#include "cd_polygon.h"
#include "cd_predicates.h"

#include <float.h>

// Whether all of `other` lies on or outside the line of edge `edge` of `owner`. `hint` is a vertex likely to be inside:
// on entry where to look first, on exit where an inside vertex was found.
static bool is_separating(cd_polygon owner, int32_t edge, cd_polygon other, int32_t *hint)
{
    cd_vec2 p = owner.vertex[edge], q = owner.vertex[cd_polygon_next(owner, edge)];
    int32_t i = *hint;
    for (int32_t seen = 0; seen < other.count; seen++) {
        if (cd_orient2d(p, q, other.vertex[i]) > 0) {
            *hint = i;
            return false;
        }
        i = cd_polygon_next(other, i);
    }
    return true;
}

static bool has_separating_edge(cd_polygon owner, cd_polygon other)
{
    int32_t hint = 0;
    for (int32_t i = 0; i < owner.count; i++)
        if (is_separating(owner, i, other, &hint))
            return true;
    return false;
}

bool cd_polygon_disjoint(cd_polygon a, cd_polygon b)
{
    CD_ASSERT(a.count >= 3 && b.count >= 3);
    return has_separating_edge(a, b) || has_separating_edge(b, a);
}

// ---- clipping ------------------------------------------------------------------------------------------------------

// A vertex of the growing intersection, relative to the subject's vertex 0, and what the edge that leaves it lies on.
typedef struct corner {
    cd_vec2 p;
    int32_t subject, clip;  // edge indices, -1: none
} corner;

typedef struct cutting_line {
    cd_vec2 start, edge;  // in the subject's frame; inside is to the left
} cutting_line;

// [1] times |edge.x| |y| + |edge.y| |x|: below it the sign of (edge x offset) is noise. The coordinates relative to
// vertex 0, the edge, the offset, the two products and their difference carry half a DBL_EPSILON each: 3 in all,
// rounded up. Smaller: slivers of rounding are cut off. Larger: corners beside the line stay.
#define POINT_ON_LINE (4 * DBL_EPSILON)

typedef struct split {
    int32_t inside, outside, deepest;  // counts of strict signs; the corner farthest inside
} split;

// `extent` holds the largest |x| and |y| of the corners, so that an offset is below extent + |start|, made of two
// rounded coordinates of at most extent and |start|.
static split classify(const corner *in, int32_t count, cutting_line line, cd_vec2 extent, double *inward)
{
    double x = extent.x + 2 * fabs(line.start.x), y = extent.y + 2 * fabs(line.start.y);
    double bound = POINT_ON_LINE * (fabs(line.edge.x) * y + fabs(line.edge.y) * x), largest = -INFINITY;
    split result = {0, 0, 0};
    for (int32_t i = 0; i < count; i++) {
        double cross = cd_cross2(line.edge, cd_sub2(in[i].p, line.start));
        cross = fabs(cross) <= bound ? 0 : cross;
        inward[i] = cross;
        result.inside += cross > 0;
        result.outside += cross < 0;
        if (cross > largest) {
            largest = cross;
            result.deepest = i;
        }
    }
    return result;
}

static void mark_common_edges(corner *in, int32_t count, const double *inward, int32_t clip_edge)
{
    for (int32_t i = 0; i < count; i++)
        if (inward[i] == 0 && inward[i + 1 < count ? i + 1 : 0] == 0)
            in[i].clip = clip_edge;
}

// Where the segment from `in` (inward > 0) to `out` (inward < 0) meets the line.
static cd_vec2 crossing(cd_vec2 in, double side_in, cd_vec2 out, double side_out)
{
    return cd_lerp2(in, out, side_in / (side_in - side_out));
}

// Cuts `in` by one line. Returns the number of corners in `out` (room for count + 1); 0: nothing is strictly inside.
static int32_t cut(const corner *in, int32_t count, const double *inward, split s, int32_t clip_edge, corner *out)
{
    int32_t first = s.deepest, last = s.deepest;  // the run of corners kept
    int32_t before = first, after = last;
    for (;;) {
        before = first > 0 ? first - 1 : count - 1;
        if (inward[before] < 0)
            break;
        first = before;
    }
    for (;;) {
        after = last + 1 < count ? last + 1 : 0;
        if (inward[after] < 0)
            break;
        last = after;
    }
    int32_t kept = 0;
    if (inward[first] > 0) {  // the entering corner starts what is left of the edge before -> first
        cd_vec2 p = crossing(in[first].p, inward[first], in[before].p, inward[before]);
        out[kept++] = (corner){p, in[before].subject, in[before].clip};
    }
    for (int32_t i = first;; i = i + 1 < count ? i + 1 : 0) {
        out[kept++] = in[i];
        if (i == last)
            break;
    }
    if (inward[last] > 0) {
        cd_vec2 p = crossing(in[last].p, inward[last], in[after].p, inward[after]);
        out[kept++] = (corner){p, -1, clip_edge};
    } else {
        out[kept - 1].subject = -1;
        out[kept - 1].clip = clip_edge;
    }
    return kept;
}

// The intersection's corners in *result, which is in the arena; 0 when nothing is left beyond rounding.
static int32_t intersect(cd_polygon subject, cd_polygon clip, cd_arena *arena, corner **result)
{
    size_t room = (size_t)subject.count + (size_t)clip.count + 1;
    corner *now = CD_ARENA_ARRAY(arena, corner, room), *next = CD_ARENA_ARRAY(arena, corner, room);
    double *inward = CD_ARENA_ARRAY(arena, double, room);
    cd_vec2 origin = subject.vertex[0];
    cd_vec2 extent = {0, 0};
    int32_t count = subject.count;
    for (int32_t i = 0; i < count; i++) {
        now[i] = (corner){cd_sub2(subject.vertex[i], origin), i, -1};
        extent = (cd_vec2){fmax(extent.x, fabs(now[i].p.x)), fmax(extent.y, fabs(now[i].p.y))};
    }

    cd_vec2 start = cd_sub2(clip.vertex[0], origin);
    for (int32_t i = 0; i < clip.count; i++) {
        int32_t j = cd_polygon_next(clip, i);
        cutting_line line = {start, cd_sub2(clip.vertex[j], clip.vertex[i])};
        start = cd_sub2(clip.vertex[j], origin);
        split s = classify(now, count, line, extent, inward);
        if (s.inside == 0)
            return 0;
        if (s.inside + s.outside < count)
            mark_common_edges(now, count, inward, i);
        if (s.outside == 0)
            continue;
        count = cut(now, count, inward, s, i, next);
        corner *full = next;
        next = now;
        now = full;
    }
    *result = now;
    return count;
}

// Twice the area; all corners are relative to a point of the intersection's neighbourhood, taken from corner 0 again.
static double shoelace(const corner *c, int32_t count)
{
    double twice = 0;
    if (count < 3)
        return 0;
    cd_vec2 p = cd_sub2(c[1].p, c[0].p);
    for (int32_t i = 2; i < count; i++) {
        cd_vec2 q = cd_sub2(c[i].p, c[0].p);
        twice += cd_cross2(p, q);
        p = q;
    }
    return twice;
}

double cd_polygon_overlap_area(cd_polygon a, cd_polygon b, cd_arena *scratch)
{
    if (cd_polygon_disjoint(a, b))
        return 0;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    corner *c = NULL;
    bool in_order = cd_polygon_in_order(a, b);
    int32_t count = in_order ? intersect(a, b, scratch, &c) : intersect(b, a, scratch, &c);
    double twice = shoelace(c, count);
    cd_arena_rewind(scratch, mark);
    return twice > 0 ? twice / 2 : 0;
}

// Removes vertices equal to their successor; of the edges that meet in one place the last one leaves it.
static int32_t drop_repeated(cd_vec2 *vertex, cd_clip_origin *origin, int32_t count)
{
    int32_t kept = 0;
    cd_vec2 first = count > 0 ? vertex[0] : (cd_vec2){0, 0};
    for (int32_t i = 0; i < count; i++) {
        cd_vec2 next = i + 1 < count ? vertex[i + 1] : first;
        if (vertex[i].x != next.x || vertex[i].y != next.y) {
            vertex[kept] = vertex[i];
            origin[kept++] = origin[i];
        }
    }
    return kept;
}

cd_clip2 cd_polygon_clip(cd_polygon a, cd_polygon b, cd_arena *arena)
{
    cd_clip2 empty = {{0, NULL}, NULL};
    if (cd_polygon_disjoint(a, b))
        return empty;
    size_t room = (size_t)a.count + (size_t)b.count + 1;
    cd_vec2 *vertex = CD_ARENA_ARRAY(arena, cd_vec2, room);
    cd_clip_origin *origin = CD_ARENA_ARRAY(arena, cd_clip_origin, room);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    corner *c = NULL;
    bool in_order = cd_polygon_in_order(a, b);
    cd_polygon subject = in_order ? a : b, clip = in_order ? b : a;
    int32_t count = intersect(subject, clip, arena, &c);
    for (int32_t i = 0; i < count; i++) {
        vertex[i] = cd_add2(c[i].p, subject.vertex[0]);
        origin[i] = in_order ? (cd_clip_origin){c[i].subject, c[i].clip} : (cd_clip_origin){c[i].clip, c[i].subject};
    }
    cd_arena_rewind(arena, mark);
    count = drop_repeated(vertex, origin, count);
    return count >= 3 ? (cd_clip2){{count, vertex}, origin} : empty;
}
