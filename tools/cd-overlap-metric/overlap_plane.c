// Areas of the plane: polygons are clipped, circles and half-planes measured by closed forms.
// SPDX-License-Identifier: MIT
#include "overlap_layer.h"

#include "cd_bodies.h"
#include "cd_bounds2.h"
#include "cd_pair2.h"
#include "certify_pair.h"

typedef struct plane_part {
    cd_leaf2 leaf;
    double diameter;  // [m] of its box; infinite for a half-plane
    double reach;     // [m] the largest coordinate of its box
} plane_part;

static void place(cd_arena *arena, const cd_leaves *shapes, const cd_model *in, int32_t body, int32_t next_row,
                  void *parts, cd_aabb *box)
{
    plane_part *part = parts;
    cd_pose2 pose =
        next_row < 0 ? cd_state2_pose(cd_body_start2(in, body))
                     : cd_pose2_make(cd_vec2_at(in->next.position + 2 * (size_t)next_row), in->next.rotation[next_row]);
    int32_t shape = in->body.shape[body], first = shapes->first[shape];
    for (int32_t k = 0; k < shapes->first[shape + 1] - first; k++) {
        const cd_leaf2 *leaf = &shapes->plane.leaf[first + k];
        box[k] = cd_bounds2_leaf(leaf, pose);
        part[k] = (plane_part){.leaf = cd_leaf2_place(arena, leaf, pose),
                               .diameter = hypot(box[k].max[0] - box[k].min[0], box[k].max[1] - box[k].min[1])};
        for (int axis = 0; axis < 2; axis++)
            part[k].reach = fmax(part[k].reach, fmax(fabs(box[k].min[axis]), fabs(box[k].max[axis])));
    }
}

// ---- pairs of kinds, a <= b --------------------------------------------------------------------------------------

static double polygon_polygon(const cd_leaf2 *a, const cd_leaf2 *b, cd_arena *scratch)
{
    return cd_polygon_overlap_area(a->polygon, b->polygon, scratch);
}

static double polygon_circle(const cd_leaf2 *a, const cd_leaf2 *b, cd_arena *scratch)
{
    (void)scratch;
    return cd_polygon_circle_area(a->polygon, cd_leaf2_circle(b));
}

static double polygon_halfplane(const cd_leaf2 *a, const cd_leaf2 *b, cd_arena *scratch)
{
    return cd_polygon_halfplane_area(a->polygon, cd_leaf2_halfplane(b), scratch);
}

static double circle_circle(const cd_leaf2 *a, const cd_leaf2 *b, cd_arena *scratch)
{
    (void)scratch;
    return cd_circle_circle_area(cd_leaf2_circle(a), cd_leaf2_circle(b));
}

static double circle_halfplane(const cd_leaf2 *a, const cd_leaf2 *b, cd_arena *scratch)
{
    (void)scratch;
    return cd_circle_halfplane_area(cd_leaf2_circle(a), cd_leaf2_halfplane(b));
}

typedef double area_routine(const cd_leaf2 *a, const cd_leaf2 *b, cd_arena *scratch);
static area_routine *const routine[CD_SHAPE_KINDS][CD_SHAPE_KINDS] = {
    [CD_SHAPE_POLYGON][CD_SHAPE_POLYGON] = polygon_polygon,     [CD_SHAPE_POLYGON][CD_SHAPE_SPHERE] = polygon_circle,
    [CD_SHAPE_POLYGON][CD_SHAPE_HALFSPACE] = polygon_halfplane, [CD_SHAPE_SPHERE][CD_SHAPE_SPHERE] = circle_circle,
    [CD_SHAPE_SPHERE][CD_SHAPE_HALFSPACE] = circle_halfplane,
};

// cd_polygon.h's bound, with boxes for diameters. The closed forms are wrong by a few 2^-53 of the bodies' size (and of
// the half-plane's offset) times the chord: well within it.
static double error_of(const plane_part *a, const plane_part *b)
{
    double corners = 64, size;
    corners += a->leaf.kind == CD_SHAPE_POLYGON ? a->leaf.polygon.count : 0;
    corners += b->leaf.kind == CD_SHAPE_POLYGON ? b->leaf.polygon.count : 0;
    if (b->leaf.kind == CD_SHAPE_HALFSPACE)
        size = a->diameter + a->reach + fabs(cd_leaf2_halfplane(&b->leaf).offset);
    else
        size = a->diameter + b->diameter;
    return corners * 0x1p-52 * fmin(a->diameter, b->diameter) * size;
}

static cd_overlap_size size(const void *left, const void *right, cd_arena *scratch)
{
    const plane_part *a = left, *b = right;
    const cd_pair2 *pair = cd_pair2_for(a->leaf.kind, b->leaf.kind);
    if (!pair)
        return (cd_overlap_size){.is_measured = false};
    if (!(cd_pair2_gap(pair, &a->leaf, &b->leaf).gap < 0))
        return (cd_overlap_size){.is_measured = true};
    if (a->leaf.kind > b->leaf.kind) {
        a = right;
        b = left;
    }
    area_routine *area = routine[a->leaf.kind][b->leaf.kind];
    if (!area)
        return (cd_overlap_size){.is_measured = false};
    return (cd_overlap_size){.is_measured = true, .size = area(&a->leaf, &b->leaf, scratch), .error = error_of(a, b)};
}

static double gap(const void *left, const void *right, cd_arena *scratch)
{
    (void)scratch;
    const plane_part *a = left, *b = right;
    const cd_pair2 *pair = cd_pair2_for(a->leaf.kind, b->leaf.kind);
    return pair ? cd_pair2_gap(pair, &a->leaf, &b->leaf).gap : NAN;
}

static certify_result certify(const void *left, const void *right, cd_arena *arena, cd_arena *scratch)
{
    const plane_part *a = left, *b = right;
    certify_part p = certify_part2(scratch, &a->leaf), q = certify_part2(scratch, &b->leaf);
    return certify_pair2(arena, scratch, &p, &q);
}

const cd_overlap_layer cd_overlap_plane = {sizeof(plane_part), place, size, gap, certify};
