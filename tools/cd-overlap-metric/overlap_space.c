// Volumes of space. Two polyhedra are clipped, spheres, ellipsoids and half-spaces against them measured in closed
// form, two ellipsoids by quadrature. Pairs without a routine are counted as not measured; facets have none, they have
// no inside.
// SPDX-License-Identifier: MIT
#include "overlap_layer.h"

#include "cd_bodies.h"
#include "cd_bounds3.h"
#include "cd_pair3.h"
#include "cd_intersect3.h"
#include "certify_pair.h"
#include "overlap_volume.h"

static void place(cd_arena *arena, const cd_leaves *shapes, const cd_model *in, int32_t body, int32_t next_row,
                  void *parts, cd_aabb *box)
{
    cd_solid3 *part = parts;
    cd_pose3 pose = next_row < 0 ? cd_state3_pose(cd_body_start3(in, body))
                                 : cd_pose3_make(cd_vec3_at(in->next.position + 3 * (size_t)next_row),
                                                 cd_quat_at(in->next.rotation + 4 * (size_t)next_row));
    int32_t shape = in->body.shape[body], first = shapes->first[shape];
    for (int32_t k = 0; k < shapes->first[shape + 1] - first; k++) {
        const cd_leaf3 leaf = cd_leaves3_at(&shapes->space, first + k);
        part[k] = cd_solid3_place(arena, &leaf, &pose);
        box[k] = cd_bounds3_leaf(&leaf, &pose);
    }
}

static cd_overlap_size measured(cd_volume volume)
{
    return (cd_overlap_size){.is_measured = true, .size = volume.value, .error = volume.error};
}

// The kernel's own bounds. What it calls touching holds no ball of 2^-49 (r_a + r_b): a layer of four times that over
// the smaller body's largest section is more than it can be.
static cd_overlap_size polyhedra(const cd_convex3 *a, const cd_convex3 *b, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_intersect3 common = cd_intersect3_clip(a, b, scratch);
    cd_arena_rewind(scratch, mark);
    double radii = a->radius + b->radius, least = fmin(a->radius, b->radius);
    if (common.status == CD_INTERSECT3_DEGENERATE)
        return (cd_overlap_size){.is_measured = false};
    if (!cd_intersect3_has_volume(common.status))
        return (cd_overlap_size){.is_measured = true,
                                 .error =
                                     common.status == CD_INTERSECT3_EMPTY ? 0 : 0x1p-47 * radii * M_PI * least * least};
    return measured((cd_volume){common.volume, fmax(0x1p-46 * radii * common.area, 1e-11 * common.volume)});
}

// ---- pairs of kinds, a <= b, that are measured in closed form or by quadrature -------------------------------------

static cd_volume convex_ball(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    return cd_volume_convex_ball(&a->convex, b->sphere, scratch);
}

static cd_volume convex_ellipsoid(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    return cd_volume_convex_ellipsoid(&a->convex, &b->ellipsoid, scratch);
}

static cd_volume convex_halfspace(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    return cd_volume_convex_halfspace(&a->convex, b->halfspace, scratch);
}

static cd_volume ball_ball(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    return cd_volume_ball_ball(a->sphere, b->sphere);
}

static cd_volume ball_ellipsoid(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    static const cd_mat3 unturned = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    double r = a->sphere.radius;
    cd_ellipsoid ball = {a->sphere.centre, {r, r, r}, &unturned};
    return cd_volume_ellipsoid_ellipsoid(&ball, &b->ellipsoid);
}

static cd_volume ball_halfspace(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    return cd_volume_ball_halfspace(a->sphere, b->halfspace);
}

static cd_volume ellipsoid_ellipsoid(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    return cd_volume_ellipsoid_ellipsoid(&a->ellipsoid, &b->ellipsoid);
}

static cd_volume ellipsoid_halfspace(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    return cd_volume_ellipsoid_halfspace(&a->ellipsoid, b->halfspace);
}

typedef cd_volume volume_routine(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch);
static volume_routine *const routine[CD_SHAPE_KINDS][CD_SHAPE_KINDS] = {
    [CD_SHAPE_POLYHEDRON][CD_SHAPE_SPHERE] = convex_ball,
    [CD_SHAPE_POLYHEDRON][CD_SHAPE_ELLIPSOID] = convex_ellipsoid,
    [CD_SHAPE_POLYHEDRON][CD_SHAPE_HALFSPACE] = convex_halfspace,
    [CD_SHAPE_SPHERE][CD_SHAPE_SPHERE] = ball_ball,
    [CD_SHAPE_SPHERE][CD_SHAPE_ELLIPSOID] = ball_ellipsoid,
    [CD_SHAPE_SPHERE][CD_SHAPE_HALFSPACE] = ball_halfspace,
    [CD_SHAPE_ELLIPSOID][CD_SHAPE_ELLIPSOID] = ellipsoid_ellipsoid,
    [CD_SHAPE_ELLIPSOID][CD_SHAPE_HALFSPACE] = ellipsoid_halfspace,
};

static cd_overlap_size size(const void *left, const void *right, cd_arena *scratch)
{
    const cd_solid3 *a = left, *b = right;
    const cd_pair3 *pair = cd_pair3_for(a->kind, b->kind);
    if (!pair)
        return (cd_overlap_size){.is_measured = false};
    if (a->kind > b->kind) {
        a = right;
        b = left;
    }
    if (a->kind == CD_SHAPE_POLYHEDRON && b->kind == CD_SHAPE_POLYHEDRON)
        return polyhedra(&a->convex, &b->convex, scratch);
    if (cd_pair3_gap(pair, a, b, scratch).gap >= 0)
        return (cd_overlap_size){.is_measured = true};
    volume_routine *volume = routine[a->kind][b->kind];
    return volume ? measured(volume(a, b, scratch)) : (cd_overlap_size){.is_measured = false};
}

static double gap(const void *left, const void *right, cd_arena *scratch)
{
    const cd_solid3 *a = left, *b = right;
    const cd_pair3 *pair = cd_pair3_for(a->kind, b->kind);
    return pair ? cd_pair3_gap(pair, a, b, scratch).gap : NAN;
}

static certify_result certify(const void *left, const void *right, cd_arena *arena, cd_arena *scratch)
{
    certify_part a = certify_part3(scratch, left), b = certify_part3(scratch, right);
    return certify_pair3(arena, scratch, &a, &b);
}

const cd_overlap_layer cd_overlap_space = {sizeof(cd_solid3), place, size, gap, certify};
