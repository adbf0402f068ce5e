// Surfaces of triangles, with a thickness: each facet is a leaf, its triangle and everything within half the thickness
// of it.
// SPDX-License-Identifier: MIT
#include "cd_shape.h"

#include "cd_flatness.h"
#include "cd_sum.h"

static void corners_of(const cd_leaf3 *leaf, cd_vec3 corner[3])
{
    for (int k = 0; k < 3; k++)
        corner[k] = cd_leaf3_corner(leaf, k);
}

static double margin(const cd_leaf3 *leaf) { return leaf->facet.half_thickness; }

static double extent(const cd_leaf3 *leaf)
{
    cd_vec3 corner[3];
    corners_of(leaf, corner);
    return cd_add_up(cd_points_radius3(corner, 3), margin(leaf));
}

static int32_t leaf_count(const cd_shape_geometry *geometry)
{
    return geometry->triangle_count > 0 ? geometry->triangle_count : 1;  // none is refused later, by `make`
}

static cd_status check_triangle(const cd_shape_geometry *geometry, int32_t t, cd_diag *diag)
{
    const int32_t *corner = geometry->triangle + 3 * (size_t)t;
    for (int k = 0; k < 3; k++) {
        if (corner[k] < 0 || corner[k] >= geometry->vertex_count)
            return cd_fail(diag, CD_ERR_FORMAT, "triangles: triangle %d names vertex %d; there are %d", (int)t,
                           (int)corner[k], (int)geometry->vertex_count);
        if (corner[k] == corner[(k + 1) % 3])
            return cd_fail(diag, CD_ERR_FORMAT, "triangles: triangle %d names vertex %d twice", (int)t, (int)corner[k]);
    }
    return CD_OK;
}

static cd_status make(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf3 *leaf, cd_diag *diag)
{
    (void)arena;
    double thickness = isnan(geometry->thickness[0]) ? 0 : geometry->thickness[0];
    const cd_vec3 *vertex = (const cd_vec3 *)geometry->vertex;
    if (geometry->vertex_count == 0)
        return cd_fail(diag, CD_ERR_FORMAT, "vertices: required of facets");
    if (geometry->triangle_count == 0)
        return cd_fail(diag, CD_ERR_FORMAT, "triangles: required of facets, at least one");
    if (!(thickness >= 0) || isinf(thickness))
        return cd_fail(diag, CD_ERR_FORMAT, "thickness: must be finite and not below 0");
    for (int32_t i = 0; i < geometry->vertex_count; i++)
        if (!isfinite(vertex[i].x) || !isfinite(vertex[i].y) || !isfinite(vertex[i].z))
            return cd_fail(diag, CD_ERR_FORMAT, "vertices: vertex %d is not finite", (int)i);
    for (int32_t t = 0; t < geometry->triangle_count; t++)
        CD_TRY(check_triangle(geometry, t, diag));
    leaf->facet = (cd_corners3){vertex, geometry->triangle, thickness / 2, 0};
    leaf->extent = extent(leaf);
    return CD_OK;
}

// The vertices of a surface are moved once, all its facets share them.
static void compose(cd_arena *arena, const cd_leaf3 *leaf, int32_t count, const cd_pose3 *pose, cd_leaf3 *composed)
{
    for (int32_t i = 0, end; i < count; i = end) {
        int32_t vertices = 0;
        for (end = i; end < count && leaf[end].facet.vertex == leaf[i].facet.vertex; end++)
            for (int k = 0; k < 3; k++)
                vertices = leaf[end].facet.corner[k] >= vertices ? leaf[end].facet.corner[k] + 1 : vertices;
        cd_vec3 *vertex = CD_ARENA_ARRAY(arena, cd_vec3, vertices);
        cd_points_place3(leaf[i].facet.vertex, vertices, pose, vertex);
        for (int32_t k = i; k < end; k++) {
            composed[k] = leaf[k];
            composed[k].facet.vertex = vertex;
        }
    }
}

static void place(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose, bool has_planes, cd_solid3 *placed)
{
    (void)arena, (void)has_planes;
    cd_vec3 corner[3];
    corners_of(leaf, corner);
    cd_points_place3(corner, 3, pose, placed->facet.vertex);
    placed->facet.half_thickness = leaf->facet.half_thickness;
    placed->facet.triangle = leaf->facet.triangle;
}

static cd_aabb bounds(const cd_leaf3 *leaf, const cd_pose3 *pose, double slack)
{
    cd_vec3 corner[3];
    corners_of(leaf, corner);
    return cd_shape_points_box3(corner, 3, margin(leaf), pose, slack);
}

static void support(const cd_solid3 *solid, cd_support3 *s)
{
    const cd_facet *f = &solid->facet;
    int longest = 0;
    double squares[3];
    for (int k = 0; k < 3; k++) {
        cd_vec3 edge = cd_sub3(f->vertex[(k + 1) % 3], f->vertex[k]);
        squares[k] = cd_dot3(edge, edge);
        longest = squares[k] > squares[longest] ? k : longest;
    }
    cd_vec3 p = f->vertex[longest], q = f->vertex[(longest + 1) % 3], r = f->vertex[(longest + 2) % 3];
    cd_vec3 area = cd_cross3(cd_sub3(q, p), cd_sub3(r, p));
    if (!(squares[longest] > 0))
        *s = cd_support3_sphere(p, f->half_thickness);
    else if (cd_dot3(area, area) <= CD_FLATNESS_SQ * squares[longest] * squares[longest])
        *s = cd_support3_segment(p, q, f->half_thickness);
    else
        *s = cd_support3_triangle(f->vertex[0], f->vertex[1], f->vertex[2], f->half_thickness);
}

static void moments(const cd_shape_geometry *geometry, int dim, cd_arena *scratch, cd_shape_moments *m)
{
    const cd_vec3 *vertex = (const cd_vec3 *)geometry->vertex;
    m->diameter = cd_shape_diameter(scratch, dim, geometry->vertex, geometry->vertex_count);
    m->feature = INFINITY;
    for (int32_t t = 0; t < geometry->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            m->feature = fmin(m->feature, cd_length3(cd_sub3(vertex[geometry->triangle[3 * t + k]],
                                                             vertex[geometry->triangle[3 * t + (k + 1) % 3]])));
}

const cd_shape cd_shape_facets = {.name = "facets",
                                  .sizes = CD_SHAPE_SIZE(thickness),
                                  .is_off_centre = true,
                                  .space = {.leaf_count = leaf_count,
                                            .make = make,
                                            .compose = compose,
                                            .place = place,
                                            .extent = extent,
                                            .bounds = bounds,
                                            .margin = margin,
                                            .support = support},
                                  .moments = moments};
