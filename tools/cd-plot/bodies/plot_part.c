// SPDX-License-Identifier: MIT
#include "plot_part.h"

#include "cd_assert.h"
#include "cd_hull3.h"

#include <math.h>

// ---- shapes --------------------------------------------------------------------------------------------------------

static void outline_plane(cd_arena *arena, cd_leaf2 *leaf)
{
    cd_vec2 *point;
    int32_t count = cd_shape_table[leaf->kind]->plane.outline(leaf, arena, &point);
    leaf->polygon = (cd_polygon){count, point};
    leaf->kind = CD_SHAPE_POLYGON;
}

static void outline_space(cd_arena *arena, cd_leaf3 *leaf)
{
    cd_vec3 *point;
    int32_t count = cd_shape_table[leaf->kind]->space.outline(leaf, arena, &point);
    cd_hull3 hull = cd_hull3_make(point, count, arena);
    CD_ASSERT(hull.dimension == 3);
    cd_prepared3 *prepared = cd_arena_alloc(arena, sizeof *prepared);
    cd_polyhedron *p = cd_arena_alloc(arena, sizeof *p);
    *p = cd_hull3_polyhedron(&hull, point, arena);
    leaf->polyhedron = p;
    cd_prepared3_make(arena, p, NULL, prepared);
    leaf->prepared = prepared;
    leaf->kind = CD_SHAPE_POLYHEDRON;
}

static void draw_outlines(cd_arena *arena, cd_leaves *leaves, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        cd_leaf3 *stored = leaves->dim == 3 ? cd_leaves3_stored(&leaves->space, i) : NULL;
        if (leaves->dim == 2 && cd_shape_table[leaves->plane.leaf[i].kind]->plane.outline)
            outline_plane(arena, &leaves->plane.leaf[i]);
        if (stored && cd_shape_table[stored->kind]->space.outline)
            outline_space(arena, stored);
    }
}

cd_status cd_plot_shapes_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_plot_shapes *shapes,
                              cd_diag *diag)
{
    *shapes = (cd_plot_shapes){0};
    CD_TRY(cd_leaves_make_prepared(arena, in, refs, 1, &shapes->leaves, diag));
    draw_outlines(arena, &shapes->leaves, shapes->leaves.first[in->shape.count]);
    if (shapes->leaves.dim == 3)
        shapes->mate = cd_plot_mates_make(arena, in->shape.count, &shapes->leaves.space);
    return CD_OK;
}

// ---- placing -------------------------------------------------------------------------------------------------------

static cd_vec3 least(cd_vec3 a, cd_vec3 b) { return (cd_vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)}; }
static cd_vec3 most(cd_vec3 a, cd_vec3 b) { return (cd_vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)}; }

static void add_to_box(cd_plot_part *part, cd_vec3 p)
{
    part->low = least(part->low, p);
    part->high = most(part->high, p);
}

static void place_ellipsoid(cd_plot_part *part, cd_vec3 centre, const cd_mat3 *axes, cd_vec3 semiaxes)
{
    cd_mat3 columns = cd_mat3_transpose(axes);
    part->kind = CD_SHAPE_ELLIPSOID;
    part->centre = centre;
    part->axis[0] = cd_scale3(semiaxes.x, columns.row[0]);
    part->axis[1] = cd_scale3(semiaxes.y, columns.row[1]);
    part->axis[2] = cd_scale3(semiaxes.z, columns.row[2]);
    const cd_vec3 *a = part->axis;
    cd_vec3 half = {cd_length3((cd_vec3){a[0].x, a[1].x, a[2].x}), cd_length3((cd_vec3){a[0].y, a[1].y, a[2].y}),
                    cd_length3((cd_vec3){a[0].z, a[1].z, a[2].z})};
    add_to_box(part, cd_sub3(centre, half));
    add_to_box(part, cd_add3(centre, half));
}

static void place_polyhedron(cd_plot_part *part, const cd_solid3 *placed, const cd_vec3 *mate, const cd_pose3 *pose)
{
    part->convex = placed->convex;
    part->edges = placed->edges;
    part->mate = mate;
    part->eye = pose->turn.row[2];
    for (int32_t i = 0; i < part->convex.vertex_count; i++)
        add_to_box(part, cd_convex3_vertex(&part->convex, i));
}

static void place_facet(cd_plot_part *part, const cd_vec3 vertex[3])
{
    for (int k = 0; k < 3; k++) {
        part->corner[k] = vertex[k];
        add_to_box(part, vertex[k]);
    }
}

static bool is_finite(cd_vec3 p) { return isfinite(p.x) && isfinite(p.y) && isfinite(p.z); }

// The box alone does not tell: fmin and fmax pass over a NaN.
static bool has_finite_points(const cd_plot_part *part)
{
    if (part->kind == CD_SHAPE_POLYHEDRON) {
        for (int32_t i = 0; i < part->convex.vertex_count; i++)
            if (!is_finite(cd_convex3_vertex(&part->convex, i)))
                return false;
        return true;
    }
    const cd_vec3 *p = part->kind == CD_SHAPE_FACETS ? part->corner : part->axis;
    bool has_centre = part->kind == CD_SHAPE_FACETS || is_finite(part->centre);
    return has_centre && is_finite(p[0]) && is_finite(p[1]) && is_finite(p[2]);
}

static bool is_drawable(const cd_plot_part *part)
{
    const double most_far = 2 * CD_PLOT_FAR;
    cd_vec3 low = part->low, high = part->high;
    return has_finite_points(part) && low.x <= high.x && low.y <= high.y && low.z <= high.z && low.x >= -most_far &&
           low.y >= -most_far && low.z >= -most_far && high.x <= most_far && high.y <= most_far && high.z <= most_far;
}

bool cd_plot_part_place(cd_arena *arena, const cd_plot_shapes *shapes, int32_t number, const cd_pose3 *pose,
                        cd_plot_part *part)
{
    const cd_leaf3 own = cd_leaves3_at(&shapes->leaves.space, number);
    if (own.kind == CD_SHAPE_HALFSPACE)
        return false;
    cd_solid3 placed = cd_solid3_place(arena, &own, pose);
    const cd_solid3 *leaf = &placed;
    *part = (cd_plot_part){
        .kind = leaf->kind, .low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    if (leaf->kind == CD_SHAPE_POLYHEDRON) {
        place_polyhedron(part, &placed, shapes->mate[number], pose);
    } else if (leaf->kind == CD_SHAPE_FACETS) {
        place_facet(part, leaf->facet.vertex);
    } else if (leaf->kind == CD_SHAPE_ELLIPSOID) {
        place_ellipsoid(part, leaf->ellipsoid.centre, leaf->ellipsoid.axes, leaf->ellipsoid.semiaxes);
    } else {
        CD_ASSERT(leaf->kind == CD_SHAPE_SPHERE);  // other kinds are there by their outlines
        double radius = leaf->sphere.radius;
        place_ellipsoid(part, leaf->sphere.centre, &pose->turn, (cd_vec3){radius, radius, radius});
        part->is_sphere = true;
    }
    return is_drawable(part);
}

static const cd_plot_part no_part = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};

bool cd_plot_part_triangle(const cd_vec3 corner[3], cd_plot_part *part)
{
    *part = no_part;
    part->kind = CD_SHAPE_FACETS;
    place_facet(part, corner);
    return is_drawable(part);
}

bool cd_plot_part_ball(cd_vec3 centre, double radius, cd_plot_part *part)
{
    cd_mat3 axes = cd_mat3_identity();
    *part = no_part;
    part->kind = CD_SHAPE_ELLIPSOID;
    part->is_sphere = true;
    place_ellipsoid(part, centre, &axes, (cd_vec3){radius, radius, radius});
    return is_drawable(part);
}

// ---- outline -------------------------------------------------------------------------------------------------------

// 1 where a convex polygon of the picture turns left at q seen from p, with `point` as its third corner.
static bool is_left(cd_vec3 p, cd_vec3 q, cd_vec2 point)
{
    return (q.x - p.x) * (point.y - p.y) - (q.y - p.y) * (point.x - p.x) >= 0;
}

static bool face_covers(const cd_convex3 *convex, int32_t face, cd_vec2 point)
{
    int32_t first = convex->face_first[face], end = convex->face_first[face + 1];
    for (int32_t i = first; i < end; i++) {
        cd_vec3 p = cd_convex3_vertex(convex, convex->face_vertex[i]);
        cd_vec3 q = cd_convex3_vertex(convex, convex->face_vertex[i + 1 < end ? i + 1 : first]);
        if (!is_left(p, q, point))
            return false;
    }
    return true;
}

bool cd_plot_part_covers(const cd_plot_part *part, cd_vec2 point)
{
    if (point.x < part->low.x || point.x > part->high.x || point.y < part->low.y || point.y > part->high.y)
        return false;
    if (part->kind == CD_SHAPE_POLYHEDRON) {
        for (int32_t f = 0; f < part->convex.face_count; f++)
            if (part->convex.plane[f].normal.z > 0 && face_covers(&part->convex, f, point))
                return true;
        return false;
    }
    if (part->kind == CD_SHAPE_FACETS) {
        const cd_vec3 *c = part->corner;
        bool left[3] = {is_left(c[0], c[1], point), is_left(c[1], c[2], point), is_left(c[2], c[0], point)};
        return left[0] == left[1] && left[1] == left[2];
    }
    // The outline is { Q b : |b| <= 1 } with the 2 x 3 matrix Q of the axes: points p with p' (Q Q')^-1 p <= 1.
    const cd_vec3 *a = part->axis;
    double xx = 0, xy = 0, yy = 0, x = point.x - part->centre.x, y = point.y - part->centre.y;
    for (int k = 0; k < 3; k++) {
        xx += a[k].x * a[k].x;
        xy += a[k].x * a[k].y;
        yy += a[k].y * a[k].y;
    }
    return yy * x * x - 2 * xy * x * y + xx * y * y <= xx * yy - xy * xy;
}

// ---- order of two --------------------------------------------------------------------------------------------------

typedef struct range {
    double low, high;  // [m] of direction . x over a part
} range;

static range range_along(const cd_plot_part *part, cd_vec3 n)
{
    range r = {INFINITY, -INFINITY};
    if (part->kind == CD_SHAPE_POLYHEDRON) {
        const cd_convex3 *c = &part->convex;
        for (int32_t i = 0; i < c->vertex_count; i++) {
            double s = n.x * c->x[i] + n.y * c->y[i] + n.z * c->z[i];
            r.low = s < r.low ? s : r.low;
            r.high = s > r.high ? s : r.high;
        }
    } else if (part->kind == CD_SHAPE_FACETS) {
        for (int k = 0; k < 3; k++) {
            double s = cd_dot3(n, part->corner[k]);
            r.low = s < r.low ? s : r.low;
            r.high = s > r.high ? s : r.high;
        }
    } else {
        const cd_vec3 along = {cd_dot3(n, part->axis[0]), cd_dot3(n, part->axis[1]), cd_dot3(n, part->axis[2])};
        double middle = cd_dot3(n, part->centre), half = cd_length3(along);
        r = (range){middle - half, middle + half};
    }
    return r;
}

typedef struct gap_plane {
    double gap;      // [m] between the bodies along the normal; negative: they overlap there
    cd_vec3 normal;  // unit, from a to b
} gap_plane;

static void improve(gap_plane *best, double gap, cd_vec3 normal)
{
    if (gap > best->gap)
        *best = (gap_plane){gap, normal};
}

// The best of the planes that a has, for b; `sign` -1 when a and b are exchanged.
static void try_planes(const cd_plot_part *a, const cd_plot_part *b, double sign, gap_plane *best)
{
    if (a->kind == CD_SHAPE_POLYHEDRON) {
        for (int32_t f = 0; f < a->convex.face_count && best->gap < 0; f++) {
            const cd_plane *plane = &a->convex.plane[f];
            improve(best, range_along(b, plane->normal).low - plane->offset, cd_scale3(sign, plane->normal));
        }
    } else if (a->kind == CD_SHAPE_FACETS) {
        const cd_vec3 *c = a->corner;
        cd_vec3 n = cd_unit3(cd_cross3(cd_sub3(c[1], c[0]), cd_sub3(c[2], c[0])));
        range r = range_along(b, n);
        double offset = cd_dot3(n, c[0]);
        improve(best, r.low - offset, cd_scale3(sign, n));
        improve(best, offset - r.high, cd_scale3(-sign, n));
    }
}

static cd_support3 support_of(const cd_plot_part *part)
{
    if (part->kind == CD_SHAPE_POLYHEDRON)
        return cd_support3_convex(&part->convex);
    if (part->kind == CD_SHAPE_FACETS)
        return cd_support3_triangle(part->corner[0], part->corner[1], part->corner[2], 0);
    return (cd_support3){
        .kind = CD_SUPPORT3_ELLIPSOID, .point = {part->centre}, .axis = {part->axis[0], part->axis[1], part->axis[2]}};
}

static double size_of(const cd_plot_part *s) { return cd_length3(cd_sub3(s->high, s->low)); }

int cd_plot_part_order(const cd_plot_part *a, const cd_plot_part *b)
{
    if (a->high.z <= b->low.z || b->high.z <= a->low.z)
        return a->high.z <= b->low.z ? -1 : 1;
    cd_vec3 apart = cd_scale3(0.5, cd_sub3(cd_add3(b->low, b->high), cd_add3(a->low, a->high)));
    gap_plane best = {-INFINITY, cd_unit3(apart)};
    if (!(a->is_sphere && b->is_sphere)) {
        try_planes(a, b, 1, &best);
        try_planes(b, a, -1, &best);
        // Bodies that lie face on face are apart only up to rounding: no search for what is not there.
        if (best.gap < -1e-7 * (size_of(a) + size_of(b))) {
            cd_distance3 d = cd_distance3_compute(support_of(a), support_of(b), NULL);
            if (d.distance > 0)
                best.normal = d.normal;
        }
    }
    // A plane along the line of sight: the parts lie beside each other.
    return best.normal.z > 1e-9 ? -1 : best.normal.z < -1e-9 ? 1 : 0;
}
