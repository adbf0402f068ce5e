// SPDX-License-Identifier: MIT
#include "cd_contact3.h"

#include "cd_intersect3_pair.h"

static int32_t surface_of(const cd_convex3 *body, int32_t face)
{
    return face < 0 ? -1 : body->surface ? body->surface[face] : face;
}

static bool is_outer(const cd_convex3 *body, int32_t face)
{
    return face >= 0 && (!body->surface || body->surface[face] >= 0);
}

typedef struct normal_sum {
    cd_vec3 sum;   // [m^4]
    double total;  // [m^4] of A^2 over the faces that entered
} normal_sum;

// The sum over the whole planar faces of one side. Every pair of faces is looked at, so what tells nearly all of them
// apart, the normal's first number, has a list of its own (100 faces: 2 us instead of 10).
static void add_side(const cd_intersect3 *r, const cd_convex3 *body, bool is_b, normal_sum *s, double *first,
                     double *area, int32_t *listed)
{
    int32_t count = 0;
    for (int32_t f = 0; f < r->face_count; f++) {
        const cd_intersect3_face *face = &r->face[f];
        if (!is_outer(body, is_b ? face->b : face->a))
            continue;
        first[count] = face->normal.x;
        area[count] = face->area;
        listed[count++] = f;
    }
    for (int32_t i = 0; i < count; i++) {
        cd_vec3 normal = r->face[listed[i]].normal;
        for (int32_t j = i + 1; j < count; j++) {
            if (fabs(first[i] - first[j]) > CD_CONVEX3_SAME_NORMAL ||
                !cd_convex3_is_same_normal(normal, r->face[listed[j]].normal))
                continue;
            area[i] += area[j];
            area[j] = 0;
        }
        double weight = area[i] * area[i];
        s->total += weight;
        s->sum = cd_add3(s->sum, cd_scale3(is_b ? -weight : weight, normal));
    }
}

// The bodies in the order of their geometry: sums of two terms do not depend on it, longer ones do.
static normal_sum sum_normals(const cd_intersect3 *r, const cd_convex3 *a, const cd_convex3 *b, cd_arena *scratch)
{
    normal_sum s = {{0, 0, 0}, 0};
    bool in_order = cd_convex_pair3_in_order(a, b);
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *first = CD_ARENA_ARRAY(scratch, double, 3 * (size_t)r->face_count), *area = first + r->face_count;
    int32_t *listed = (int32_t *)(area + r->face_count);
    add_side(r, in_order ? a : b, !in_order, &s, first, area, listed);
    add_side(r, in_order ? b : a, in_order, &s, first, area, listed);
    cd_arena_rewind(scratch, mark);
    return s;
}

static double extent_along(const cd_intersect3 *r, cd_vec3 normal)
{
    double low = INFINITY, high = -INFINITY;
    for (int32_t f = 0; f < r->face_count; f++) {
        for (int32_t k = 0; k < r->face[f].count; k++) {
            double height = cd_dot3(normal, r->corner[r->face[f].first + k]);
            low = height < low ? height : low;
            high = height > high ? height : high;
        }
    }
    return high - low;
}

// From the faces of an intersection that has them.
static cd_convex_pair3_push push_of(const cd_intersect3 *r, const cd_convex3 *a, const cd_convex3 *b, cd_arena *scratch)
{
    cd_vec3 moment = {0, 0, 0};
    double whole = 0;
    for (int32_t f = 0; f < r->face_count; f++) {
        whole += r->face[f].area;
        moment = cd_add3(moment, cd_scale3(r->face[f].area, r->face[f].centroid));
    }
    normal_sum s = sum_normals(r, a, b, scratch);
    double length = cd_length3(s.sum);
    cd_vec3 normal = cd_scale3(1 / length, s.sum);
    return (cd_convex_pair3_push){.point = cd_add3(r->origin, cd_scale3(1 / whole, moment)),
                                  .cancels = !(length > CD_CONVEX_PAIR3_CANCELS * s.total),
                                  .normal = normal,
                                  .extent = extent_along(r, normal)};
}

typedef struct way_out {
    double depth;    // [m] of the move of `other` along the normal that parts it from `owner`
    cd_vec3 normal;  // of the owner's face
    bool of_second;
} way_out;

static void try_faces(const cd_convex3 *owner, const cd_convex3 *other, bool of_second, bool outer_only, way_out *best)
{
    for (int32_t f = 0; f < owner->face_count; f++) {
        cd_vec3 n = owner->plane[f].normal;
        if ((outer_only && !is_outer(owner, f)) || !(cd_dot3(n, n) > 0.5))
            continue;
        cd_vec3 on = cd_convex3_vertex(owner, owner->face_vertex[owner->face_first[f]]);
        double depth = 0;
        for (int32_t i = 0; i < other->vertex_count && depth < best->depth; i++) {
            double below = cd_dot3(n, cd_sub3(on, cd_convex3_vertex(other, i)));
            depth = below > depth ? below : depth;
        }
        if (depth < best->depth)
            *best = (way_out){depth, n, of_second};
    }
}

// The bodies in the order of their geometry, so that equal depths are told apart alike when a and b are exchanged.
static way_out shortest_way_out(const cd_convex3 *a, const cd_convex3 *b)
{
    bool in_order = cd_convex_pair3_in_order(a, b);
    const cd_convex3 *first = in_order ? a : b, *second = in_order ? b : a;
    way_out best = {INFINITY, {0, 0, 0}, false};
    for (int outer_only = 1; outer_only >= 0 && !(best.depth < INFINITY); outer_only--) {
        try_faces(first, second, false, outer_only, &best);
        try_faces(second, first, true, outer_only, &best);
    }
    if (best.of_second == in_order)  // a face of b: its normal points from b to a
        best.normal = cd_negate3(best.normal);
    return best;
}

// push NULL: from the faces.
static cd_contact3 contact_of(const cd_intersect3 *r, const cd_convex_pair3_push *push, const cd_convex3 *a,
                              const cd_convex3 *b, double epsilon, cd_arena *scratch)
{
    cd_contact3 c = {.overlap = r->status, .face_a = -1, .face_b = -1, .surface_a = -1, .surface_b = -1};
    if (!cd_intersect3_has_volume(r->status)) {
        c.status = r->status == CD_INTERSECT3_EMPTY ? CD_CONTACT3_NONE : CD_CONTACT3_TOUCHING;
        return c;
    }
    cd_convex_pair3_push of_faces;
    if (!push) {
        of_faces = push_of(r, a, b, scratch);
        push = &of_faces;
    }
    c.point = push->point;
    c.area = 0.5 * r->area;
    c.volume = r->volume;
    if (r->status == CD_INTERSECT3_OVERLAPPING && !push->cancels) {
        c.status = CD_CONTACT3_CONTACT;
        c.normal = push->normal;
        c.gap = -push->extent;
    } else {
        way_out out = shortest_way_out(a, b);
        c.status = CD_CONTACT3_DEGENERATE;
        c.normal = out.normal;
        c.gap = -out.depth;
    }
    double outside = 0;
    const cd_convex_pair3_kernel *kernel = cd_convex_pair3_kernel_of(CD_VECTOR_AVX512);
    c.face_a = kernel->nearest(a, c.point, &outside);
    c.face_b = kernel->nearest(b, c.point, &outside);
    c.surface_a = surface_of(a, c.face_a);
    c.surface_b = surface_of(b, c.face_b);
    if (outside > epsilon)
        c.status = CD_CONTACT3_OUTSIDE;
    return c;
}

cd_contact3 cd_contact3_make(const cd_intersect3 *r, const cd_convex3 *a, const cd_convex3 *b, double epsilon,
                             cd_arena *scratch)
{
    return contact_of(r, NULL, a, b, epsilon, scratch);
}

cd_contact3 cd_contact3_volume(const cd_convex3 *a, const cd_convex3 *b, double epsilon, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_intersect3 r;
    cd_convex_pair3_push push;
    bool has_push = cd_intersect3_measure(a, b, &r, &push, scratch);
    cd_contact3 c = contact_of(&r, has_push ? &push : NULL, a, b, epsilon, scratch);
    cd_arena_rewind(scratch, mark);
    return c;
}

cd_contact3 cd_contact3_dual(const cd_convex3 *a, const cd_convex3 *b, double epsilon, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_intersect3 r = cd_intersect3_dual(a, b, scratch);
    cd_contact3 c = contact_of(&r, NULL, a, b, epsilon, scratch);
    cd_arena_rewind(scratch, mark);
    return c;
}
