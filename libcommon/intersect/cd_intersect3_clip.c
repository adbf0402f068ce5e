// The clip method's driver: order, vector level, and what decides where clipping edges cannot.
// SPDX-License-Identifier: MIT
#include "cd_intersect3_faces.h"

const cd_convex_pair3_kernel cd_convex_pair3_kernel_portable = {prepare, clip, nearest};

const cd_convex_pair3_kernel *cd_convex_pair3_kernel_of(cd_vector_level most)
{
    switch (cd_vector_detect(most)) {
#if defined(__x86_64__)
    case CD_VECTOR_AVX512:
        return &cd_convex_pair3_kernel_avx512;
    case CD_VECTOR_AVX2:
        return &cd_convex_pair3_kernel_avx2;
#endif
    default:
        return &cd_convex_pair3_kernel_portable;
    }
}

static int compare_columns(const double *a, const double *b, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

bool cd_convex_pair3_in_order(const cd_convex3 *a, const cd_convex3 *b)
{
    if (a->vertex_count != b->vertex_count)
        return a->vertex_count < b->vertex_count;
    if (a->face_count != b->face_count)
        return a->face_count < b->face_count;
    int order = compare_columns(a->x, b->x, a->vertex_count);
    order = order ? order : compare_columns(a->y, b->y, a->vertex_count);
    order = order ? order : compare_columns(a->z, b->z, a->vertex_count);
    return order <= 0;
}

// Bodies, order and tolerance.
static void set_pair(cd_convex_pair3 *pair, const cd_convex3 *a, const cd_convex3 *b)
{
    bool in_order = cd_convex_pair3_in_order(a, b);
    pair->side[0].body = in_order ? a : b;
    pair->side[1].body = in_order ? b : a;
    pair->side[0].is_b = !in_order;
    pair->side[1].is_b = in_order;
    pair->size = a->radius + b->radius;
    // Heights above a plane are sums of three products of numbers up to 2 r, whose terms carry 2^-53 each, about six of
    // them with the rounding of normal and offset; both bodies' planes together.
    pair->tolerance = 8 * DBL_EPSILON * pair->size;
}

// Neither body has a coordinate that is no number: these would compare as apart.
static bool is_finite(const cd_convex3 *a, const cd_convex3 *b)
{
    double sum =
        a->centre.x + a->centre.y + a->centre.z + b->centre.x + b->centre.y + b->centre.z + a->radius + b->radius;
    return sum - sum == 0;
}

cd_intersect3_status cd_convex_pair3_begin(const cd_convex3 *a, const cd_convex3 *b, cd_convex_pair3 *pair,
                                           cd_ball3 *ball, cd_arena *arena)
{
    if (!is_finite(a, b))
        return CD_INTERSECT3_DEGENERATE;
    set_pair(pair, a, b);
    if (cd_convex_pair3_kernel_of(CD_VECTOR_AVX512)->prepare(pair, arena) == CD_CONVEX_PAIR3_APART)
        return CD_INTERSECT3_EMPTY;
    return cd_convex_pair3_status(pair, ball, arena);
}

// Reads a byte of each cache line. (Prefetch instructions instead, or a pair ahead, were measured to bring no more.)
static inline void touch_lines(const void *memory, size_t bytes)
{
    enum { MOST = 4096 };  // longer lists are followed by the machine itself
    for (size_t k = 0; k < bytes && k < MOST; k += 64)
        (void)*((const volatile char *)memory + k);
}

// A pair costs less than the memory it is read from when nothing of it is in the caches, and the steps below ask for
// one list after another. Asked for all at once: tetrahedra 0.74 us -> 0.62, hulls of 16 vertices 2.3 -> 1.5.
static inline void touch_body(const cd_convex3 *c)
{
    touch_lines(c->x, 3 * (size_t)cd_convex3_padded(c->vertex_count) * sizeof(double));  // columns follow each other
    touch_lines(c->plane, (size_t)c->face_count * sizeof(cd_plane));
    size_t corners = (size_t)c->face_count * sizeof(int32_t), edges = (size_t)c->edge_count * sizeof(cd_edge3_short);
    if ((const char *)c->short_edge == (const char *)c->corner + corners) {
        touch_lines(c->corner, corners + edges);
        return;
    }
    touch_lines(c->corner, corners);
    touch_lines(c->short_edge ? (const void *)c->short_edge : c->edge, c->short_edge ? edges : 2 * edges);
}

// Whether the push is set.
static bool clip_level(const cd_convex3 *a, const cd_convex3 *b, cd_vector_level most, cd_intersect3 *result,
                       cd_convex_pair3_push *push, cd_arena *arena)
{
    *result = (cd_intersect3){0};
    touch_body(a);
    touch_body(b);
    if (!is_finite(a, b)) {
        result->status = CD_INTERSECT3_DEGENERATE;
        return false;
    }
    cd_ball3 ball;
    cd_convex_pair3 pair;
    set_pair(&pair, a, b);
    const cd_convex_pair3_kernel *kernel = cd_convex_pair3_kernel_of(most);
    if (kernel->prepare(&pair, arena) == CD_CONVEX_PAIR3_APART)
        return false;
    if (a->has_twins || b->has_twins)
        push = NULL;
    switch (kernel->clip(&pair, result, push, arena)) {
    case CD_CONVEX_PAIR3_APART:
        *result = (cd_intersect3){0};
        return false;
    case CD_CONVEX_PAIR3_UNCLEAR:
        *result = (cd_intersect3){.status = cd_convex_pair3_status(&pair, &ball, arena)};
        if (result->status == CD_INTERSECT3_OVERLAPPING)
            *result = cd_convex_pair3_cut(&pair, arena);
        return false;
    case CD_CONVEX_PAIR3_DONE:
        break;
    }
    return push != NULL;
}

bool cd_intersect3_measure(const cd_convex3 *a, const cd_convex3 *b, cd_intersect3 *result, cd_convex_pair3_push *push,
                           cd_arena *arena)
{
    return clip_level(a, b, CD_VECTOR_AVX512, result, push, arena);
}

cd_intersect3 cd_intersect3_clip_level(const cd_convex3 *a, const cd_convex3 *b, cd_vector_level most, cd_arena *arena)
{
    cd_intersect3 result;
    clip_level(a, b, most, &result, NULL, arena);
    return result;
}

cd_intersect3 cd_intersect3_clip(const cd_convex3 *a, const cd_convex3 *b, cd_arena *arena)
{
    return cd_intersect3_clip_level(a, b, CD_VECTOR_AVX512, arena);
}
