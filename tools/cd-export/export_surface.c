// SPDX-License-Identifier: MIT
#include "export_surface.h"

#include "cd_bodies.h"
#include "cd_hull3.h"

#include <math.h>

static int32_t add_point(cd_arena *arena, cd_export_surface *s, cd_vec3 point)
{
    cd_list_push(arena, &s->point, point);
    return s->point.count - 1;
}

static void open_face(cd_arena *arena, cd_export_surface *s, int32_t part)
{
    const cd_export_face face = {s->corner.count, part};
    cd_list_push(arena, &s->face, face);
}

void cd_export_surface_add(cd_arena *arena, cd_export_surface *surface, const cd_vec3 *corner, int count, int32_t part)
{
    open_face(arena, surface, part);
    for (int k = 0; k < count; k++) {
        int32_t number = add_point(arena, surface, corner[k]);
        cd_list_push(arena, &surface->corner, number);
    }
}

// ---- of the plane --------------------------------------------------------------------------------------------------

static void add_loop(cd_arena *arena, cd_export_surface *s, const cd_vec2 *vertex, int32_t count, int32_t part)
{
    open_face(arena, s, part);
    for (int32_t k = 0; k < count; k++) {
        int32_t number = add_point(arena, s, cd_vec3_of_plane(vertex[k]));
        cd_list_push(arena, &s->corner, number);
    }
}

static void add_ellipse(cd_arena *arena, cd_export_surface *s, const cd_leaf2 *leaf, int segments, int32_t part)
{
    bool is_circle = leaf->kind == CD_SHAPE_SPHERE;
    double a = is_circle ? leaf->radius : leaf->semiaxes.x, b = is_circle ? leaf->radius : leaf->semiaxes.y;
    double c = is_circle ? 1 : leaf->cosine, d = is_circle ? 0 : leaf->sine;
    open_face(arena, s, part);
    for (int k = 0; k < segments; k++) {
        double u = a * cos(2 * M_PI * k / segments), v = b * sin(2 * M_PI * k / segments);
        const cd_vec3 point = {leaf->centre.x + c * u - d * v, leaf->centre.y + d * u + c * v, 0};
        int32_t number = add_point(arena, s, point);
        cd_list_push(arena, &s->corner, number);
    }
}

// A strip below the boundary, a tenth as deep as it is wide.
static void add_halfplane(cd_arena *arena, cd_export_surface *s, const cd_leaf2 *leaf, double reach, int32_t part)
{
    cd_vec3 n = cd_vec3_of_plane(leaf->normal), along = {-n.y, n.x, 0};
    cd_vec3 top = cd_scale3(leaf->offset, n), bottom = cd_scale3(leaf->offset - 0.2 * reach, n);
    cd_vec3 side = cd_scale3(reach, along);
    const cd_vec3 corner[4] = {cd_add3(top, side), cd_add3(bottom, side), cd_sub3(bottom, side), cd_sub3(top, side)};
    cd_export_surface_add(arena, s, corner, 4, part);
}

static void add_leaf2(cd_arena *arena, cd_export_surface *s, const cd_leaf2 *leaf, cd_export_detail detail,
                      int32_t part)
{
    if (leaf->kind == CD_SHAPE_HALFSPACE) {
        add_halfplane(arena, s, leaf, detail.reach, part);
    } else if (leaf->kind == CD_SHAPE_SPHERE || leaf->kind == CD_SHAPE_ELLIPSOID) {
        add_ellipse(arena, s, leaf, detail.segments, part);
    } else if (leaf->kind == CD_SHAPE_POLYGON) {
        add_loop(arena, s, leaf->polygon.vertex, leaf->polygon.count, part);
    } else {
        cd_vec2 *vertex;
        int32_t count = cd_shape_table[leaf->kind]->plane.outline(leaf, arena, &vertex);
        add_loop(arena, s, vertex, count, part);
    }
}

// ---- of space ------------------------------------------------------------------------------------------------------

// surface: ids of the faces, NULL: none.
static void add_polyhedron(cd_arena *arena, cd_export_surface *s, const cd_polyhedron *p, const int32_t *surface,
                           int32_t part)
{
    int32_t before = s->point.count;
    for (int32_t v = 0; v < p->vertex_count; v++)
        (void)add_point(arena, s, p->vertex[v]);
    for (int32_t f = 0; f < p->face_count; f++) {
        if (surface && surface[f] < 0)
            continue;
        open_face(arena, s, part);
        for (int32_t k = p->face_first[f]; k < p->face_first[f + 1]; k++)
            cd_list_push(arena, &s->corner, before + p->face_vertex[k]);
    }
}

static void add_quad(cd_arena *arena, cd_export_surface *s, const int32_t corner[4], int32_t part)
{
    open_face(arena, s, part);
    for (int k = 0; k < 4; k++)
        if (k == 0 || corner[k] != corner[k - 1])  // at a pole two are one
            cd_list_push(arena, &s->corner, corner[k]);
}

// A pole, rings of `segments` points from it to the other pole.
static void add_ball(cd_arena *arena, cd_export_surface *s, cd_vec3 centre, const cd_half_axes *half, int segments,
                     int32_t part)
{
    int rings = segments / 2;
    int32_t before = s->point.count;
    for (int i = 0; i <= rings; i++)
        for (int k = 0; k < (i == 0 || i == rings ? 1 : segments); k++) {
            double down = M_PI * i / rings, round = 2 * M_PI * k / segments, r = i == rings ? 0 : sin(down);
            const cd_vec3 b = {r * cos(round), r * sin(round), cos(down)};
            (void)add_point(arena, s, cd_add3(centre, cd_half_axes_apply(half, b)));
        }
    for (int i = 0; i < rings; i++)
        for (int k = 0; k < segments; k++) {
            int32_t upper = before + 1 + (i - 1) * segments, lower = upper + segments, next = (k + 1) % segments;
            const int32_t quad[4] = {i == 0 ? before : upper + k, i == rings - 1 ? lower : lower + k,
                                     i == rings - 1 ? lower : lower + next, i == 0 ? before : upper + next};
            const int32_t turned[4] = {quad[3], quad[0], quad[1], quad[2]};
            add_quad(arena, s, i == 0 ? turned : quad, part);
        }
}

static void add_halfspace(cd_arena *arena, cd_export_surface *s, cd_halfspace h, double reach, int32_t part)
{
    cd_vec3 n = h.normal, other = fabs(n.x) < 0.5 ? (cd_vec3){1, 0, 0} : (cd_vec3){0, 1, 0};
    cd_vec3 u = cd_scale3(reach, cd_unit3(cd_cross3(other, n))), v = cd_cross3(n, u);
    cd_vec3 middle = cd_scale3(h.offset, n);
    const cd_vec3 corner[4] = {cd_sub3(cd_sub3(middle, u), v), cd_sub3(cd_add3(middle, u), v),
                               cd_add3(cd_add3(middle, u), v), cd_add3(cd_sub3(middle, u), v)};
    cd_export_surface_add(arena, s, corner, 4, part);
}

// The hull of what a kind says of itself; without a volume it has no surface.
static void add_outline(cd_arena *arena, cd_export_surface *s, const cd_leaf3 *leaf, int32_t part)
{
    cd_vec3 *point;
    int32_t count = cd_shape_table[leaf->kind]->space.outline(leaf, arena, &point);
    cd_hull3 hull = cd_hull3_make(point, count, arena);
    if (hull.dimension < 3)
        return;
    cd_polyhedron polyhedron = cd_hull3_polyhedron(&hull, point, arena);
    add_polyhedron(arena, s, &polyhedron, NULL, part);
}

static void add_leaf3(cd_arena *arena, cd_export_surface *s, const cd_shape_rows *shape, const cd_leaf3 *leaf,
                      cd_export_detail detail, int32_t part)
{
    if (leaf->kind == CD_SHAPE_HALFSPACE) {
        add_halfspace(arena, s, leaf->halfspace, detail.reach, part);
    } else if (leaf->kind == CD_SHAPE_POLYHEDRON) {
        const cd_list *ids = &shape->surfaces;
        bool has_ids = ids->offset && ids->offset[leaf->shape + 1] > ids->offset[leaf->shape];
        add_polyhedron(arena, s, leaf->polyhedron, has_ids ? ids->i32 + ids->offset[leaf->shape] : NULL, part);
    } else if (leaf->kind == CD_SHAPE_FACETS) {
        const cd_vec3 corner[3] = {cd_leaf3_corner(leaf, 0), cd_leaf3_corner(leaf, 1), cd_leaf3_corner(leaf, 2)};
        cd_export_surface_add(arena, s, corner, 3, part);
    } else if (leaf->kind == CD_SHAPE_SPHERE) {
        double r = leaf->sphere.radius;
        const cd_half_axes half = {{{r, 0, 0}, {0, r, 0}, {0, 0, r}}};
        add_ball(arena, s, leaf->sphere.centre, &half, detail.segments, part);
    } else if (leaf->kind == CD_SHAPE_ELLIPSOID) {
        const cd_half_axes half = cd_ellipsoid_half_axes(leaf->ellipsoid);
        add_ball(arena, s, leaf->ellipsoid->centre, &half, detail.segments, part);
    } else {
        add_outline(arena, s, leaf, part);
    }
}

// ---- all -----------------------------------------------------------------------------------------------------------

cd_export_surface *cd_export_surfaces_make(cd_arena *arena, const cd_model *in, const cd_leaves *leaves,
                                           cd_export_detail detail)
{
    cd_export_surface *all = CD_ARENA_ZARRAY(arena, cd_export_surface, in->shape.count);
    for (int32_t shape = 0; shape < in->shape.count; shape++)
        for (int32_t i = leaves->first[shape]; i < leaves->first[shape + 1]; i++) {
            int32_t part = i - leaves->first[shape];
            if (leaves->dim == 2) {
                add_leaf2(arena, &all[shape], &leaves->plane.leaf[i], detail, part);
                continue;
            }
            const cd_leaf3 leaf = cd_leaves3_at(&leaves->space, i);
            add_leaf3(arena, &all[shape], &in->shape, &leaf, detail, part);
        }
    return all;
}

double cd_export_reach(const cd_model *in, const cd_leaves *leaves)
{
    double reach = 0;
    for (int32_t body = 0; body < in->body.count; body++) {
        int32_t shape = in->body.shape ? in->body.shape[body] : -1;
        if (shape < 0 || !cd_body_has_position(in, body))
            continue;
        const double *x = in->body.position + (size_t)in->dim * (size_t)body;
        double away = hypot(hypot(x[0], x[1]), in->dim == 3 ? x[2] : 0);
        for (int32_t i = leaves->first[shape]; i < leaves->first[shape + 1]; i++)
            if (isfinite(cd_leaves_extent(leaves, i)))
                reach = fmax(reach, away + cd_leaves_extent(leaves, i));
    }
    return reach > 0 ? reach : 1;
}
