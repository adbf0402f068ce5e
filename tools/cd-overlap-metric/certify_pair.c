// SPDX-License-Identifier: MIT
#include "certify_pair.h"

#include "cd_assert.h"
#include "cd_pair2.h"
#include "cd_shape.h"

#include <float.h>

// ---- parts ---------------------------------------------------------------------------------------------------------

static certify_core core_of(cd_arena *arena, const cd_vec3 *point, int32_t count)
{
    double *x = CD_ARENA_ARRAY(arena, double, 3 * (size_t)count), *y = x + count, *z = y + count;
    for (int32_t i = 0; i < count; i++) {
        x[i] = point[i].x;
        y[i] = point[i].y;
        z[i] = point[i].z;
    }
    return (certify_core){count, x, y, z};
}

certify_part certify_part2(cd_arena *arena, const cd_leaf2 *leaf)
{
    certify_part part = {.placed = leaf};
    cd_vec3 centre = cd_vec3_of_plane(leaf->centre);
    switch (leaf->kind) {
    case CD_SHAPE_POLYGON: {
        cd_vec3 *corner = CD_ARENA_ARRAY(arena, cd_vec3, leaf->polygon.count);
        for (int32_t i = 0; i < leaf->polygon.count; i++)
            corner[i] = cd_vec3_of_plane(leaf->polygon.vertex[i]);
        part.core = core_of(arena, corner, leaf->polygon.count);
        break;
    }
    case CD_SHAPE_SPHERE:
        part.core = core_of(arena, &centre, 1);
        part.margin = leaf->radius;
        break;
    case CD_SHAPE_HALFSPACE:
        part.form = CERTIFY_HALFSPACE;
        part.normal = cd_vec3_of_plane(leaf->normal);
        part.offset = leaf->offset;
        break;
    case CD_SHAPE_ELLIPSOID:
        part.form = CERTIFY_ELLIPSOID;
        part.centre = centre;
        part.axis[0] = (cd_vec3){leaf->cosine, leaf->sine, 0};
        part.axis[1] = (cd_vec3){-leaf->sine, leaf->cosine, 0};
        part.axis[2] = (cd_vec3){0, 0, 1};
        part.semiaxis[0] = leaf->semiaxes.x;
        part.semiaxis[1] = leaf->semiaxes.y;
        part.semiaxis[2] = 1;
        break;
    default:
        CD_ASSERT(!"a kind of leaves has no form here");
    }
    return part;
}

certify_part certify_part3(cd_arena *arena, const cd_solid3 *solid)
{
    certify_part part = {.placed = solid};
    switch (solid->kind) {
    case CD_SHAPE_POLYHEDRON:
        part.core = (certify_core){solid->convex.vertex_count, solid->convex.x, solid->convex.y, solid->convex.z};
        break;
    case CD_SHAPE_SPHERE:
        part.core = core_of(arena, &solid->sphere.centre, 1);
        part.margin = solid->sphere.radius;
        break;
    case CD_SHAPE_FACETS:
        part.core = core_of(arena, solid->facet.vertex, 3);
        part.margin = solid->facet.half_thickness;
        break;
    case CD_SHAPE_HALFSPACE:
        part.form = CERTIFY_HALFSPACE;
        part.normal = solid->halfspace.normal;
        part.offset = solid->halfspace.offset;
        break;
    case CD_SHAPE_ELLIPSOID:
        part.form = CERTIFY_ELLIPSOID;
        part.centre = solid->ellipsoid.centre;
        cd_mat3 columns = cd_mat3_transpose(solid->ellipsoid.axes);
        memcpy(part.axis, columns.row, sizeof part.axis);
        part.semiaxis[0] = solid->ellipsoid.semiaxes.x;
        part.semiaxis[1] = solid->ellipsoid.semiaxes.y;
        part.semiaxis[2] = solid->ellipsoid.semiaxes.z;
        break;
    default:
        CD_ASSERT(!"a kind of leaves has no form here");
    }
    return part;
}

// ---- in doubles, with bounds ---------------------------------------------------------------------------------------

// The extent of a core along a direction of numbers up to 1, and what rounding can be wrong by: three roundings of
// products and sums up to the corner's largest sum of numbers.
typedef struct extent {
    double low, high, error;
} extent;

static extent extent_along(const certify_core *core, cd_vec3 n)
{
    extent e = {INFINITY, -INFINITY, 0};
    for (int32_t i = 0; i < core->count; i++) {
        double x = core->x[i], y = core->y[i], z = core->z[i], height = n.x * x + n.y * y + n.z * z;
        double sum = fabs(x) + fabs(y) + fabs(z);
        e.low = height < e.low ? height : e.low;
        e.high = height > e.high ? height : e.high;
        e.error = sum > e.error ? sum : e.error;
    }
    e.error = 0x1p-50 * e.error + DBL_MIN;
    return e;
}

// Whether the plane with this normal (numbers up to 1) parts the bodies, beyond rounding.
static bool separates(const certify_part *a, const certify_part *b, cd_vec3 n)
{
    extent of_a = extent_along(&a->core, n), of_b = extent_along(&b->core, n);
    double margin = (a->margin + b->margin) * cd_length3(n) * (1 + 0x1p-48) + DBL_MIN;
    return of_b.low - of_a.high > (margin + of_a.error + of_b.error) * (1 + 0x1p-50);
}

static cd_vec3 difference_of(const certify_part *a, const certify_part *b, certify_pair pair)
{
    return cd_sub3(certify_corner(&a->core, pair.a), certify_corner(&b->core, pair.b));
}

// u.(v x w) beyond rounding: 1, -1, or 0 where doubles do not tell. Differences carry one rounding each, so a product
// of three has three, and five of its own and of the sums.
static int volume_sign(cd_vec3 u, cd_vec3 v, cd_vec3 w)
{
    cd_vec3 p = {v.y * w.z, v.z * w.x, v.x * w.y}, q = {v.z * w.y, v.x * w.z, v.y * w.x};
    double volume = u.x * (p.x - q.x) + u.y * (p.y - q.y) + u.z * (p.z - q.z);
    double size =
        fabs(u.x) * (fabs(p.x) + fabs(q.x)) + fabs(u.y) * (fabs(p.y) + fabs(q.y)) + fabs(u.z) * (fabs(p.z) + fabs(q.z));
    if (!(size > 1e-280))  // products may have lost their digits
        return 0;
    return volume > 0x1p-48 * size ? 1 : volume < -0x1p-48 * size ? -1 : 0;
}

// Whether 0 is strictly inside the tetrahedron of four differences, beyond rounding.
static bool surrounds_origin(const certify_part *a, const certify_part *b, const certify_pair pair[4])
{
    cd_vec3 d[4];
    for (int k = 0; k < 4; k++)
        d[k] = difference_of(a, b, pair[k]);
    int sign = volume_sign(d[1], d[2], d[3]);
    return sign != 0 && volume_sign(d[0], d[2], d[3]) == -sign && volume_sign(d[0], d[1], d[3]) == sign &&
           volume_sign(d[0], d[1], d[2]) == -sign;
}

static certify_result one_normal(cd_arena *arena, cd_vec3 n)
{
    cd_vec3 *normal = CD_ARENA_ARRAY(arena, cd_vec3, 1);
    *normal = n;
    return (certify_result){.label = CD_LABEL_APART, .normal = normal, .normal_count = 1};
}

// ---- exactly -------------------------------------------------------------------------------------------------------

// Where a search in doubles ended.
typedef struct hint {
    cd_vec3 normal;
    int32_t count;
    certify_pair pair[4];
} hint;

static certify_result cores_of(cd_arena *arena, cd_arena *scratch, int dim, const certify_part *a,
                               const certify_part *b, const hint *h)
{
    if (separates(a, b, h->normal))
        return one_normal(arena, h->normal);
    cd_exact margin = cd_exact_add(scratch, cd_exact_of(scratch, a->margin), cd_exact_of(scratch, b->margin));
    certify_cores cores = {dim, a->core, b->core, margin, NULL};
    if (a->margin + b->margin > 0)
        return certify_by_distance(arena, scratch, &cores, h->pair, h->count);
    if (h->count == 4 && surrounds_origin(a, b, h->pair)) {
        certify_pair *pair = CD_ARENA_ARRAY(arena, certify_pair, 4);
        memcpy(pair, h->pair, 4 * sizeof *pair);
        return (certify_result){.label = CD_LABEL_OVERLAPPING, .corner = pair, .corner_count = 4};
    }
    return certify_by_cone(arena, scratch, &cores, h->pair, h->count);
}

static hint hint2(const certify_part *a, const certify_part *b)
{
    const cd_leaf2 *p = a->placed, *q = b->placed;
    cd_distance2 distance = cd_pair2_gap(cd_pair2_for(p->kind, q->kind), p, q);
    return (hint){.normal = cd_vec3_of_plane(distance.normal)};
}

static cd_support3 support_of(const certify_part *part)
{
    const cd_solid3 *solid = part->placed;
    if (solid->kind == CD_SHAPE_POLYHEDRON)
        return cd_support3_convex(&solid->convex);
    if (solid->kind == CD_SHAPE_SPHERE)
        return cd_support3_sphere(solid->sphere.centre, 0);
    return cd_support3_triangle(solid->facet.vertex[0], solid->facet.vertex[1], solid->facet.vertex[2], 0);
}

static hint hint3(const certify_part *a, const certify_part *b)
{
    cd_support3 p = support_of(a), q = support_of(b);
    cd_distance3 distance = cd_distance3_of(&p, &q, NULL);
    hint h = {.normal = distance.normal, .count = distance.simplex.count};
    for (int k = 0; k < h.count; k++)
        h.pair[k] = (certify_pair){distance.simplex.a[k], distance.simplex.b[k]};
    return h;
}

static certify_result decide(cd_arena *arena, cd_arena *scratch, int dim, const certify_part *a, const certify_part *b)
{
    if (a->form == CERTIFY_HALFSPACE || b->form == CERTIFY_HALFSPACE)
        return certify_halfspace(scratch, a, b);
    if (a->form == CERTIFY_ELLIPSOID || b->form == CERTIFY_ELLIPSOID)
        return certify_ellipsoid(arena, scratch, dim, a, b);
    hint h = dim == 2 ? hint2(a, b) : hint3(a, b);
    return cores_of(arena, scratch, dim, a, b, &h);
}

certify_result certify_pair2(cd_arena *arena, cd_arena *scratch, const certify_part *a, const certify_part *b)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    certify_result result = decide(arena, scratch, 2, a, b);
    cd_arena_rewind(scratch, mark);
    return result;
}

certify_result certify_pair3(cd_arena *arena, cd_arena *scratch, const certify_part *a, const certify_part *b)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    certify_result result = decide(arena, scratch, 3, a, b);
    cd_arena_rewind(scratch, mark);
    return result;
}
