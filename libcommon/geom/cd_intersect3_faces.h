// The clipping of faces by planes, for one width of vectors: included by cd_intersect3_clip.c, _avx2.c and _avx512.c,
// which compile it for their machines. No sum runs across lanes and nothing is contracted, so that all widths give the
// same bits.
//
// Every vertex gets a mask of the other body's active planes that it is outside of. The AND over a face's corners drops
// the face, the OR names the planes that cut it. Corners live in a pool by number, with their masks; loops are lists of
// numbers. What remains of a face enters the sums of the divergence theorem at once; corners are made anew in each
// face, and the closure of the area vectors tells when these do not agree.
// SPDX-License-Identifier: MIT

// The compiler's own vectors, made of the three numbers of a point, cost more than they bring here: 5 % (gcc 12).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("no-tree-vectorize", "unroll-loops")
#endif
#include "cd_intersect3_pair.h"

#include <float.h>

// [1] of the own radius: a face with all corners nearer than this to a plane of the other body may be double or
// missing. Beyond it two planes that meet inside the faces have an angle above about 1e-5 and their line is known to
// 1e-11.
#define NEAR_PLANE 1e-5
// [1] What an open surface may cost: of the volume, and of size times area.
#define OPEN_OF_VOLUME 1e-11
#define OPEN_OF_AREA 2e-15

enum { MOST_WORDS = 4 };

// ---- vectors of this width ---------------------------------------------------------------------------------------

#if defined(__AVX512F__)
#include <immintrin.h>
enum { WIDTH = 8 };
typedef __m512d vec;
static inline vec v_load(const double *p) { return _mm512_loadu_pd(p); }
static inline void v_store(double *p, vec v) { _mm512_storeu_pd(p, v); }
static inline vec v_all(double x) { return _mm512_set1_pd(x); }
static inline vec v_add(vec a, vec b) { return _mm512_add_pd(a, b); }
static inline vec v_sub(vec a, vec b) { return _mm512_sub_pd(a, b); }
static inline vec v_mul(vec a, vec b) { return _mm512_mul_pd(a, b); }
static inline vec v_min(vec a, vec b) { return _mm512_min_pd(a, b); }
static inline vec v_max(vec a, vec b) { return _mm512_max_pd(a, b); }
static inline vec v_abs(vec a) { return _mm512_abs_pd(a); }
static inline uint64_t v_greater(vec a, vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ); }
static inline double v_least(vec a) { return _mm512_reduce_min_pd(a); }
static inline double v_most(vec a) { return _mm512_reduce_max_pd(a); }
static inline void load_planes(const cd_plane *plane, int32_t count, vec *nx, vec *ny, vec *nz, vec *offset)
{
    const double *p = &plane->normal.x;
    uint32_t valid = count < WIDTH ? ((uint32_t)1 << 4 * count) - 1 : ~(uint32_t)0;  // of the doubles; the others are 0
    vec q0 = _mm512_maskz_loadu_pd((__mmask8)valid, p), q1 = _mm512_maskz_loadu_pd((__mmask8)(valid >> 8), p + 8);
    vec q2 = _mm512_maskz_loadu_pd((__mmask8)(valid >> 16), p + 16);
    vec q3 = _mm512_maskz_loadu_pd((__mmask8)(valid >> 24), p + 24);
    const __m512i xy = _mm512_setr_epi64(0, 4, 8, 12, 1, 5, 9, 13), zd = _mm512_setr_epi64(2, 6, 10, 14, 3, 7, 11, 15);
    vec xy0 = _mm512_permutex2var_pd(q0, xy, q1), xy1 = _mm512_permutex2var_pd(q2, xy, q3);
    vec zd0 = _mm512_permutex2var_pd(q0, zd, q1), zd1 = _mm512_permutex2var_pd(q2, zd, q3);
    *nx = _mm512_shuffle_f64x2(xy0, xy1, 0x44);
    *ny = _mm512_shuffle_f64x2(xy0, xy1, 0xee);
    *nz = _mm512_shuffle_f64x2(zd0, zd1, 0x44);
    *offset = _mm512_shuffle_f64x2(zd0, zd1, 0xee);
}
#elif defined(__AVX2__)
#include <immintrin.h>
enum { WIDTH = 4 };
typedef __m256d vec;
static inline vec v_load(const double *p) { return _mm256_loadu_pd(p); }
static inline void v_store(double *p, vec v) { _mm256_storeu_pd(p, v); }
static inline vec v_all(double x) { return _mm256_set1_pd(x); }
static inline vec v_add(vec a, vec b) { return _mm256_add_pd(a, b); }
static inline vec v_sub(vec a, vec b) { return _mm256_sub_pd(a, b); }
static inline vec v_mul(vec a, vec b) { return _mm256_mul_pd(a, b); }
static inline vec v_min(vec a, vec b) { return _mm256_min_pd(a, b); }
static inline vec v_max(vec a, vec b) { return _mm256_max_pd(a, b); }
static inline vec v_abs(vec a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
static inline uint64_t v_greater(vec a, vec b) { return (uint64_t)_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ)); }
static inline double v_least(vec a)
{
    __m128d m = _mm_min_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_min_sd(m, _mm_unpackhi_pd(m, m)));
}
static inline double v_most(vec a)
{
    __m128d m = _mm_max_pd(_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1));
    return _mm_cvtsd_f64(_mm_max_sd(m, _mm_unpackhi_pd(m, m)));
}
static inline void load_planes(const cd_plane *plane, int32_t count, vec *nx, vec *ny, vec *nz, vec *offset)
{
    const double *p = &plane->normal.x;
    vec q0 = v_load(p), q1 = v_load(count > 1 ? p + 4 : p), q2 = v_load(count > 2 ? p + 8 : p);
    vec q3 = v_load(count > 3 ? p + 12 : p);
    vec xz01 = _mm256_unpacklo_pd(q0, q1), xz23 = _mm256_unpacklo_pd(q2, q3);
    vec yd01 = _mm256_unpackhi_pd(q0, q1), yd23 = _mm256_unpackhi_pd(q2, q3);
    *nx = _mm256_permute2f128_pd(xz01, xz23, 0x20);
    *ny = _mm256_permute2f128_pd(yd01, yd23, 0x20);
    *nz = _mm256_permute2f128_pd(xz01, xz23, 0x31);
    *offset = _mm256_permute2f128_pd(yd01, yd23, 0x31);
}
#else
enum { WIDTH = 1 };
typedef double vec;
static inline vec v_load(const double *p) { return *p; }
static inline void v_store(double *p, vec v) { *p = v; }
static inline vec v_all(double x) { return x; }
static inline vec v_add(vec a, vec b) { return a + b; }
static inline vec v_sub(vec a, vec b) { return a - b; }
static inline vec v_mul(vec a, vec b) { return a * b; }
static inline vec v_min(vec a, vec b) { return a < b ? a : b; }
static inline vec v_max(vec a, vec b) { return a > b ? a : b; }
static inline vec v_abs(vec a) { return fabs(a); }
static inline uint64_t v_greater(vec a, vec b) { return a > b; }
static inline double v_least(vec a) { return a; }
static inline double v_most(vec a) { return a; }
static inline void load_planes(const cd_plane *plane, int32_t count, vec *nx, vec *ny, vec *nz, vec *offset)
{
    (void)count;
    *nx = plane->normal.x;
    *ny = plane->normal.y;
    *nz = plane->normal.z;
    *offset = plane->offset;
}
#endif
_Static_assert(sizeof(cd_plane) == 4 * sizeof(double), "planes are read as four doubles");

// ---- preparation -------------------------------------------------------------------------------------------------

typedef struct range {
    double low, high;
} range;

static inline range range_of(const double *x, int32_t padded)
{
    vec low = v_load(x), high = low;
    for (int32_t i = WIDTH; i < padded; i += WIDTH) {
        vec v = v_load(x + i);
        low = v_min(low, v);
        high = v_max(high, v);
    }
    return (range){v_least(low), v_most(high)};
}

// The box common to both bounds; false when it is empty by more than the tolerance.
static inline bool common_range(const double *p, int32_t p_padded, const double *q, int32_t q_padded, double tolerance,
                                double *centre, double *half)
{
    range a = range_of(p, p_padded), b = range_of(q, q_padded);
    double low = a.low > b.low ? a.low : b.low, high = a.high < b.high ? a.high : b.high;
    *centre = 0.5 * low + 0.5 * high;
    double below = *centre - low, above = high - *centre, h = below > above ? below : above;  // the centre is rounded
    *half = h > 0 ? h : 0;
    return high - low >= -tolerance;
}

// Of the first `count` planes, WIDTH at most. Bit i of the result: the box does not lie wholly inside plane i.
// *separates when it lies wholly outside one. The stored offset is relative to the world's origin; the margin covers its
// rounding and that of normal . origin, three products.
static inline uint64_t reached_planes(const cd_plane *plane, int32_t count, const cd_pair3 *pair, bool *separates)
{
    vec nx, ny, nz, offset;
    load_planes(plane, count, &nx, &ny, &nz, &offset);
    vec x = v_mul(nx, v_all(pair->origin.x)), y = v_mul(ny, v_all(pair->origin.y)),
        z = v_mul(nz, v_all(pair->origin.z));
    vec inside = v_sub(offset, v_add(v_add(x, y), z));
    vec noise = v_add(v_add(v_abs(x), v_abs(y)), v_add(v_abs(z), v_abs(offset)));
    vec margin = v_add(v_mul(noise, v_all(8 * DBL_EPSILON)), v_all(CD_PAIR3_GAP * pair->tolerance));
    vec reach = v_add(v_add(v_mul(v_abs(nx), v_all(pair->half.x)), v_mul(v_abs(ny), v_all(pair->half.y))),
                      v_mul(v_abs(nz), v_all(pair->half.z)));
    reach = v_add(reach, margin);
    *separates |= v_greater(v_sub(v_all(0), reach), inside) != 0;
    return ~v_greater(inside, reach) & ((1u << (count < WIDTH ? count : WIDTH)) - 1);
}

// Lists the faces whose planes meet the box, without a branch on any of them. False when one separates.
static inline bool list_active_faces(cd_pair3_side *s, const cd_pair3 *pair)
{
    bool separates = false;
    int32_t count = s->body->face_count, active = 0;
    for (int32_t first = 0; first < count; first += WIDTH) {
        uint64_t reached = reached_planes(s->body->plane + first, count - first, pair, &separates);
        for (int32_t i = 0; i < WIDTH; i++) {
            s->face[active] = first + i;  // room for WIDTH more than there are
            active += reached >> i & 1;
        }
    }
    s->active = active;
    return !separates;
}

static inline void take_planes(cd_pair3_side *s)
{
    const cd_convex3 *c = s->body;
    int32_t taken = 0;
    for (int32_t k = 0; k < s->active; k++) {
        int32_t face = s->face[k], v = c->face_vertex[c->face_first[face]];
        cd_vec3 n = c->plane[face].normal;
        s->face[taken] = face;
        s->nx[taken] = n.x;
        s->ny[taken] = n.y;
        s->nz[taken] = n.z;
        s->offset[taken] = n.x * s->x[v] + n.y * s->y[v] + n.z * s->z[v];
        taken += cd_dot3(n, n) > 0.5;  // a face without area has no plane
    }
    s->active = taken;
    s->padded = cd_convex3_padded(taken);
    for (int32_t i = taken; i < s->padded; i++) {
        s->nx[i] = s->ny[i] = s->nz[i] = 0;
        s->offset[i] = INFINITY;
    }
}

static inline void shift_column(const double *from, double by, int32_t padded, double *to)
{
    for (int32_t i = 0; i < padded; i += WIDTH)
        v_store(to + i, v_sub(v_load(from + i), v_all(by)));
}

static cd_pair3_verdict prepare(cd_pair3 *pair, cd_arena *arena)
{
    const cd_convex3 *a = pair->side[0].body, *b = pair->side[1].body;
    int32_t a_padded = cd_convex3_padded(a->vertex_count), b_padded = cd_convex3_padded(b->vertex_count);
    cd_vec3 o, h;
    if (!common_range(a->x, a_padded, b->x, b_padded, CD_PAIR3_GAP * pair->tolerance, &o.x, &h.x) ||
        !common_range(a->y, a_padded, b->y, b_padded, CD_PAIR3_GAP * pair->tolerance, &o.y, &h.y) ||
        !common_range(a->z, a_padded, b->z, b_padded, CD_PAIR3_GAP * pair->tolerance, &o.z, &h.z))
        return CD_PAIR3_APART;
    pair->origin = o;
    pair->half = h;
    pair->reach = cd_length3(h);
    pair->twin_tolerance = pair->tolerance + 4 * DBL_EPSILON * fmax(fabs(o.x), fmax(fabs(o.y), fabs(o.z)));
    int32_t a_planes = cd_convex3_padded(a->face_count), b_planes = cd_convex3_padded(b->face_count);
    // In doubles, each plane 4 and half a number of a face; and a vector's width of numbers to overrun.
    size_t room = 3 * ((size_t)a_padded + (size_t)b_padded) + 5 * ((size_t)a_planes + (size_t)b_planes) + 2 * WIDTH;
    double *memory = CD_ARENA_ARRAY(arena, double, room);
    for (int k = 0; k < 2; k++) {
        cd_pair3_side *s = &pair->side[k];
        int32_t vertices = k ? b_padded : a_padded, planes = k ? b_planes : a_planes;
        s->x = memory;
        s->y = s->x + vertices;
        s->z = s->y + vertices;
        s->nx = s->z + vertices;
        s->ny = s->nx + planes;
        s->nz = s->ny + planes;
        s->offset = s->nz + planes;
        s->face = (int32_t *)(s->offset + planes);
        memory = s->offset + 2 * (size_t)planes + WIDTH;
        if (!list_active_faces(s, pair))
            return CD_PAIR3_APART;
        shift_column(s->body->x, o.x, vertices, s->x);
        shift_column(s->body->y, o.y, vertices, s->y);
        shift_column(s->body->z, o.z, vertices, s->z);
        take_planes(s);
    }
    return CD_PAIR3_DONE;
}

// ---- clipping ----------------------------------------------------------------------------------------------------

// Corners by number: the subject's vertices, then those made while its current face is clipped.
typedef struct pool {
    cd_vec3 *at;
    uint64_t *outside;  // [words] a corner
    int32_t count;
} pool;

typedef struct clipping {
    const cd_pair3_side *subject, *cutter;
    pool corners;
    int32_t *loop[2];     // numbers of corners
    int32_t corner_room;  // of the result
    cd_vec3 closure;      // [m^2] twice the sum of the area vectors
    cd_vec3 area_moment;  // [m^3] 6 times the first moment of the surface
    cd_vec3 moment;       // [m^4] 24 times the first moment of the volume
    double six_volumes;   // [m^3]
    double twice_area;    // [m^2]
} clipping;

static inline __attribute__((always_inline)) void outside_mask(const int words, const cd_pair3_side *planes, cd_vec3 p,
                                                               uint64_t *mask)
{
    vec x = v_all(p.x), y = v_all(p.y), z = v_all(p.z);
    for (int w = 0; w < words; w++) {
        uint64_t bits = 0;
        int32_t first = 64 * w, last = planes->padded < first + 64 ? planes->padded : first + 64;
        for (int32_t i = first; i < last; i += WIDTH) {
            vec height = v_add(v_add(v_mul(v_load(planes->nx + i), x), v_mul(v_load(planes->ny + i), y)),
                               v_mul(v_load(planes->nz + i), z));
            bits |= v_greater(height, v_load(planes->offset + i)) << (i - first);
        }
        mask[w] = bits;
    }
}

// The same; true when p is nearer to one of the planes than `band`.
static inline __attribute__((always_inline)) bool outside_and_near(const int words, const cd_pair3_side *planes,
                                                                   cd_vec3 p, double band, uint64_t *mask)
{
    vec x = v_all(p.x), y = v_all(p.y), z = v_all(p.z), width = v_all(band);
    uint64_t near = 0;
    for (int w = 0; w < words; w++) {
        uint64_t bits = 0;
        int32_t first = 64 * w, last = planes->padded < first + 64 ? planes->padded : first + 64;
        for (int32_t i = first; i < last; i += WIDTH) {
            vec height = v_add(v_add(v_mul(v_load(planes->nx + i), x), v_mul(v_load(planes->ny + i), y)),
                               v_mul(v_load(planes->nz + i), z));
            vec offset = v_load(planes->offset + i);
            bits |= v_greater(height, offset) << (i - first);
            near |= v_greater(width, v_abs(v_sub(height, offset)));
        }
        mask[w] = bits;
    }
    return near != 0;
}

static inline double height_above(const cd_pair3_side *planes, int32_t plane, cd_vec3 p)
{
    return planes->nx[plane] * p.x + planes->ny[plane] * p.y + planes->nz[plane] * p.z - planes->offset[plane];
}

// The corner where the way from `in` to `out` crosses the plane: always from inside, so that it is the same in both
// faces.
static inline int32_t make_crossing(clipping *c, cd_vec3 normal, double offset, int32_t in, int32_t out)
{
    cd_vec3 p = c->corners.at[in], q = c->corners.at[out];
    double below = cd_dot3(normal, p) - offset, above = cd_dot3(normal, q) - offset;
    double t = below / (below - above);  // `below` is not positive, `above` is: 0 <= t < 1
    int32_t made = c->corners.count++;
    c->corners.at[made] = cd_lerp3(p, q, t);
    return made;
}

// What is inside the plane: from loop `from` to the other one; after the last cut masks are of no use. The inside
// corners of a convex loop are one run; branches on each corner's side would be mispredicted half the time, so the
// run's ends come from a pattern of bits. -1 when rounding has made several runs, or the loop is too long: too much for
// this method.
static inline __attribute__((always_inline)) int32_t cut_loop(const int words, clipping *c, int from, int32_t count,
                                                              int32_t plane, bool is_last)
{
    const int32_t *loop = c->loop[from];
    int32_t *out = c->loop[1 - from];
    const uint64_t *mask = c->corners.outside + plane / 64;
    if (count > 63)
        return -1;
    uint64_t outside = 0;
    for (int32_t i = 0; i < count; i++)
        outside |= (mask[(size_t)words * (size_t)loop[i]] >> (plane & 63) & 1) << i;
    uint64_t whole = ((uint64_t)1 << count) - 1, inside = ~outside & whole;
    uint64_t after_outside = (outside << 1 | outside >> (count - 1)) & whole;
    uint64_t before_outside = outside >> 1 | (outside & 1) << (count - 1);
    uint64_t first_inside = inside & after_outside;
    if (first_inside == 0 || (first_inside & (first_inside - 1)) != 0)
        return -1;
    int32_t first = __builtin_ctzll(first_inside), last = __builtin_ctzll(inside & before_outside);
    int32_t run = last - first + (last < first ? count : 0) + 1;
    cd_vec3 normal = cd_pair3_normal(c->cutter, plane);
    double offset = c->cutter->offset[plane];
    out[0] = make_crossing(c, normal, offset, loop[first], loop[first > 0 ? first - 1 : count - 1]);
    for (int32_t k = 0; k < 3; k++) {  // most runs are no longer; what is too much is overwritten
        int32_t i = first + k;
        out[1 + k] = loop[i < count ? i : i - count];
    }
    for (int32_t k = 3; k < run; k++) {
        int32_t i = first + k;
        out[1 + k] = loop[i < count ? i : i - count];
    }
    out[1 + run] = make_crossing(c, normal, offset, loop[last], loop[last + 1 < count ? last + 1 : 0]);
    if (!is_last) {
        outside_mask(words, c->cutter, c->corners.at[out[0]], c->corners.outside + (size_t)words * (size_t)out[0]);
        outside_mask(words, c->cutter, c->corners.at[out[1 + run]],
                     c->corners.outside + (size_t)words * (size_t)out[1 + run]);
    }
    return run + 2;
}

enum { LOOP_DROPPED = -2, LOOP_WHOLE = -1 };

// The planes that most of the corners are outside of, counted to 3.
static inline uint64_t most_often(uint64_t once, uint64_t twice, uint64_t thrice)
{
    uint64_t often = twice | (once & -(uint64_t)(twice == 0));
    return thrice | (often & -(uint64_t)(thrice == 0));
}

// The plane to cut by next, one that cuts most; LOOP_DROPPED when all corners are outside of one. `open`: the planes
// that the loop may yet be cut by, less the one returned; a plane that no corner is outside of can be no such plane
// later.
static inline __attribute__((always_inline)) int32_t next_plane(const int words, const clipping *c, const int32_t *loop,
                                                                int32_t count, uint64_t *open)
{
    int32_t best = LOOP_WHOLE;
    int best_rank = 0;
    for (int w = 0; w < words; w++) {
        const uint64_t *mask = c->corners.outside + w;
        uint64_t p = mask[(size_t)words * (size_t)loop[0]], q = mask[(size_t)words * (size_t)loop[1]];
        uint64_t r = mask[(size_t)words * (size_t)loop[2]];
        uint64_t all = p & q & r, once = p | q | r, twice = (p & q) | ((p | q) & r), thrice = all;
        for (int32_t i = 3; i < count; i++) {
            uint64_t m = mask[(size_t)words * (size_t)loop[i]];
            all &= m;
            thrice |= twice & m;
            twice |= once & m;
            once |= m;
        }
        if (all & open[w])
            return LOOP_DROPPED;
        once &= open[w];
        twice &= open[w];
        thrice &= open[w];
        open[w] = once;
        uint64_t pick = most_often(once, twice, thrice);
        if (words == 1) {
            open[0] = once & ~(pick & -pick);
            return pick ? __builtin_ctzll(pick) : LOOP_WHOLE;
        }
        int rank = (once != 0) + (twice != 0) + (thrice != 0);
        if (rank > best_rank) {
            best_rank = rank;
            best = 64 * w + __builtin_ctzll(pick);
        }
    }
    if (best >= 0)
        open[best / 64] &= ~((uint64_t)1 << (best & 63));
    return best;
}

// Adds what remains of a face to the sums and to the result.
static inline void add_face(clipping *c, int32_t plane, const int32_t *loop, int32_t count, cd_intersect3 *result)
{
    const cd_vec3 *at = c->corners.at;
    cd_vec3 normal = cd_pair3_normal(c->subject, plane), p = at[loop[0]], first_moment = {0, 0, 0};
    cd_vec3 *corner = result->corner + result->corner_count;
    double twice_area = 0;
    corner[0] = p;
    cd_vec3 q = corner[1] = at[loop[1]], u = cd_sub3(q, p);
    for (int32_t i = 2; i < count; i++) {
        cd_vec3 r = corner[i] = at[loop[i]], v = cd_sub3(r, p), x = cd_cross3(u, v);
        double area = cd_dot3(x, normal);
        twice_area += area;
        first_moment = cd_add3(first_moment, cd_scale3(area, cd_add3(cd_add3(p, q), r)));
        q = r;
        u = v;
    }
    double height = c->subject->offset[plane];
    c->closure = cd_add3(c->closure, cd_scale3(twice_area, normal));
    c->area_moment = cd_add3(c->area_moment, first_moment);
    c->moment = cd_add3(c->moment, cd_scale3(height, first_moment));
    c->six_volumes += height * twice_area;
    c->twice_area += twice_area;
    if (!(twice_area > 0))
        return;
    int32_t face = c->subject->face[plane];
    bool is_b = c->subject->is_b;
    result->face[result->face_count++] =
        (cd_intersect3_face){.a = is_b ? -1 : face,
                             .b = is_b ? face : -1,
                             .first = result->corner_count,
                             .count = count,
                             .area = 0.5 * twice_area,
                             .normal = normal,
                             .centroid = cd_scale3(1 / (3 * twice_area), first_moment)};
    result->corner_count += count;
}

static inline __attribute__((always_inline)) bool clip_faces(const int words, clipping *c, cd_intersect3 *result)
{
    const cd_convex3 *body = c->subject->body;
    for (int32_t k = 0; k < c->subject->active; k++) {
        const int32_t *vertex = body->face_vertex + body->face_first[c->subject->face[k]];
        int32_t count = body->face_first[c->subject->face[k] + 1] - body->face_first[c->subject->face[k]];
        uint64_t open[MOST_WORDS] = {~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0};
        int32_t plane = next_plane(words, c, vertex, count, open);
        if (plane == LOOP_DROPPED)
            continue;
        if (plane == LOOP_WHOLE) {
            if (result->corner_count + count > c->corner_room)
                return false;
            add_face(c, k, vertex, count, result);
            continue;
        }
        int now = 0;
        for (int32_t i = 0; i < count; i++)
            c->loop[0][i] = vertex[i];
        c->corners.count = body->vertex_count;
        while (plane >= 0) {
            uint64_t rest = open[0];
            for (int w = 1; w < words; w++)
                rest |= open[w];
            count = cut_loop(words, c, now, count, plane, rest == 0);
            now = 1 - now;
            if (count < 0)
                return false;
            plane = rest == 0 ? LOOP_WHOLE : next_plane(words, c, c->loop[now], count, open);
        }
        if (plane == LOOP_DROPPED)
            continue;
        if (result->corner_count + count > c->corner_room)
            return false;
        add_face(c, k, c->loop[now], count, result);
    }
    return true;
}

// Masks of the subject's vertices. *near (NULL: not wanted): one of them is near a plane of the cutter. False when such
// a plane has all of them outside: *gap is then their least distance from it.
static inline __attribute__((always_inline)) bool classify(const int words, clipping *c, bool *near, double *gap)
{
    const cd_pair3_side *s = c->subject;
    double band = NEAR_PLANE * s->body->radius;
    uint64_t all[MOST_WORDS] = {~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0, ~(uint64_t)0};
    bool any_near = false;
    for (int32_t i = 0; i < s->body->vertex_count; i++) {
        uint64_t *mask = c->corners.outside + (size_t)words * (size_t)i;
        c->corners.at[i] = cd_pair3_vertex(s, i);
        if (near)
            any_near |= outside_and_near(words, c->cutter, c->corners.at[i], band, mask);
        else
            outside_mask(words, c->cutter, c->corners.at[i], mask);
        for (int w = 0; w < words; w++)
            all[w] &= mask[w];
    }
    if (near)
        *near = any_near;
    uint64_t any = all[0];
    for (int w = 1; w < words; w++)
        any |= all[w];
    if (!any)
        return true;
    for (int w = 0; w < words; w++) {
        for (; all[w]; all[w] &= all[w] - 1) {
            double least = INFINITY;
            for (int32_t i = 0; i < s->body->vertex_count; i++)
                least = fmin(least, height_above(c->cutter, 64 * w + __builtin_ctzll(all[w]), c->corners.at[i]));
            *gap = fmax(*gap, least);
        }
    }
    return false;
}

// Whether all corners of an active face lie near one and the same plane of the other body.
static bool has_near_face(const clipping *c)
{
    const cd_convex3 *body = c->subject->body;
    double band = NEAR_PLANE * body->radius;
    for (int32_t k = 0; k < c->subject->active; k++) {
        int32_t face = c->subject->face[k], first = body->face_first[face], last = body->face_first[face + 1];
        for (int32_t j = 0; j < c->cutter->active; j++) {
            int32_t i = first;
            while (i < last && fabs(height_above(c->cutter, j, c->corners.at[body->face_vertex[i]])) < band)
                i++;
            if (i == last)
                return true;
        }
    }
    return false;
}

// Each cut makes two corners and lengthens the loop by one at most, and no plane cuts twice.
static inline void new_clippings(int words, const cd_pair3 *pair, clipping *both, cd_arena *arena)
{
    size_t room[2], capacity[2], bytes[2];
    for (int k = 0; k < 2; k++) {
        const cd_pair3_side *subject = &pair->side[k], *cutter = &pair->side[1 - k];
        capacity[k] = (size_t)subject->body->vertex_count + 2 * (size_t)cutter->active;
        room[k] = ((size_t)subject->body->vertex_count + (size_t)cutter->active + 7) / 2 * 2;
        bytes[k] = capacity[k] * (sizeof(cd_vec3) + (size_t)words * sizeof(uint64_t)) + 2 * room[k] * sizeof(int32_t);
    }
    char *memory = cd_arena_alloc(arena, bytes[0] + bytes[1]);
    for (int k = 0; k < 2; k++) {
        clipping c = {.subject = &pair->side[k], .cutter = &pair->side[1 - k]};
        c.corners.at = (cd_vec3 *)memory;
        c.corners.outside = (uint64_t *)(c.corners.at + capacity[k]);
        c.loop[0] = (int32_t *)(c.corners.outside + (size_t)words * capacity[k]);
        c.loop[1] = c.loop[0] + room[k];
        both[k] = c;
        memory += bytes[k];
    }
}

static inline __attribute__((always_inline)) cd_pair3_verdict clip_both(const int words, const cd_pair3 *pair,
                                                                        cd_intersect3 *result, cd_arena *arena)
{
    const cd_pair3_side *a = &pair->side[0], *b = &pair->side[1];
    // By Euler's formula a closed polyhedron of F faces has at most 6 F - 12 corners of faces.
    size_t faces = (size_t)a->active + (size_t)b->active, corners = 6 * faces + 16;
    char *memory = cd_arena_alloc(arena, (faces + 1) * sizeof(cd_intersect3_face) + corners * sizeof(cd_vec3));
    result->face = (cd_intersect3_face *)memory;
    result->corner = (cd_vec3 *)(result->face + faces + 1);
    result->face_count = result->corner_count = 0;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    clipping both[2], *c = &both[0], *d = &both[1];
    new_clippings(words, pair, both, arena);
    c->corner_room = d->corner_room = (int32_t)corners;
    bool near = false;
    double gap_c = -INFINITY, gap_d = -INFINITY;
    cd_pair3_verdict verdict = CD_PAIR3_UNCLEAR;
    if (!classify(words, c, &near, &gap_c) || !classify(words, d, NULL, &gap_d))
        verdict = fmax(gap_c, gap_d) > CD_PAIR3_GAP * pair->tolerance ? CD_PAIR3_APART : CD_PAIR3_UNCLEAR;
    else if (!(near && has_near_face(c)) && clip_faces(words, c, result) && clip_faces(words, d, result))
        verdict = CD_PAIR3_DONE;
    cd_arena_rewind(arena, mark);
    if (verdict != CD_PAIR3_DONE)
        return verdict;

    cd_vec3 closure = cd_add3(c->closure, d->closure), moment = cd_add3(c->moment, d->moment);
    double twice_area = c->twice_area + d->twice_area, area = 0.5 * twice_area, defect = 0.5 * cd_length3(closure);
    // Where the surface is not closed the sum depends on the point that heights are measured from: take the surface's
    // centroid, then an opening can cost no more than its area times the extent, for which the root of the area stands.
    cd_vec3 middle = cd_scale3(1 / (3 * twice_area), cd_add3(c->area_moment, d->area_moment));
    double volume = (c->six_volumes + d->six_volumes - cd_dot3(middle, closure)) / 6;
    // A convex body's inner ball has a radius of at least volume / area.
    if (!(volume > pair->tolerance * area) ||
        !(defect * sqrt(area) <= OPEN_OF_VOLUME * volume + OPEN_OF_AREA * pair->size * area))
        return CD_PAIR3_UNCLEAR;
    result->path = CD_INTERSECT3_FACES;
    result->volume = volume;
    result->area = area;
    result->closure = defect / area;
    result->origin = pair->origin;
    result->centroid = cd_add3(pair->origin, cd_scale3(1 / (24 * volume), moment));
    return CD_PAIR3_DONE;
}

static cd_pair3_verdict clip(const cd_pair3 *pair, cd_intersect3 *result, cd_arena *arena)
{
    int32_t most = pair->side[0].active > pair->side[1].active ? pair->side[0].active : pair->side[1].active;
    if (most <= 64)
        return clip_both(1, pair, result, arena);
    if (most <= 128)
        return clip_both(2, pair, result, arena);
    return most <= 64 * MOST_WORDS ? clip_both(MOST_WORDS, pair, result, arena) : CD_PAIR3_UNCLEAR;
}
