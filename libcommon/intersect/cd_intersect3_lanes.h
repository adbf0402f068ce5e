// cd_intersect3_lanes -- vectors of doubles as wide as the machine that the file is compiled for: included by
// cd_intersect3_planes.h alone. Minimum and maximum are those of numbers that are not NaN.
//
// v_outer: infinite where the number's face is an inner one (`surface` negative; NULL: none is) and beyond the first
// `count`. load_planes: what is loaded beyond `count` planes is 0 or the first of them again.
// put_corners: WIDTH points, from their coordinates, as corners.
// quad: the numbers of a corner, or of a plane with its offset as the fourth, side by side; a dot product is the sum of
// three in their order. q_with_one: the fourth becomes 1.
// v_leave: before a kernel returns to code that is compiled for narrow vectors. The compiler does so itself but not on
// every way out (gcc 12), and then all that follows takes half as long again.
// SPDX-License-Identifier: MIT
#ifndef CD_INTERSECT3_LANES_H
#define CD_INTERSECT3_LANES_H

#include "cd_intersect3_pair.h"

#if defined(__AVX512F__)
#include <immintrin.h>
enum { WIDTH = 8 };
typedef __m512d vec;
static inline void v_leave(void) { _mm256_zeroupper(); }
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
static inline vec v_outer(vec a, const int32_t *surface, int32_t count)
{
    __mmask8 valid = (__mmask8)(count < WIDTH ? (1 << count) - 1 : 255);
    if (surface)
        valid = _mm256_mask_cmpge_epi32_mask(valid, _mm256_maskz_loadu_epi32(valid, surface), _mm256_setzero_si256());
    return _mm512_mask_mov_pd(_mm512_set1_pd(INFINITY), valid, a);
}
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
static inline void put_corners(vec x, vec y, vec z, cd_corner3 *to)
{
    vec xy0 = _mm512_unpacklo_pd(x, y), xy1 = _mm512_unpackhi_pd(x, y);  // corners 0 2 4 6, and 1 3 5 7
    vec z0 = _mm512_unpacklo_pd(z, v_all(0)), z1 = _mm512_unpackhi_pd(z, v_all(0));
    const __m512i front = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                  back = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    vec c02 = _mm512_permutex2var_pd(xy0, front, z0), c46 = _mm512_permutex2var_pd(xy0, back, z0);
    vec c13 = _mm512_permutex2var_pd(xy1, front, z1), c57 = _mm512_permutex2var_pd(xy1, back, z1);
    v_store(&to[0].x, _mm512_shuffle_f64x2(c02, c13, 0x44));
    v_store(&to[2].x, _mm512_shuffle_f64x2(c02, c13, 0xee));
    v_store(&to[4].x, _mm512_shuffle_f64x2(c46, c57, 0x44));
    v_store(&to[6].x, _mm512_shuffle_f64x2(c46, c57, 0xee));
}
#elif defined(__AVX2__)
#include <immintrin.h>
enum { WIDTH = 4 };
typedef __m256d vec;
static inline void v_leave(void) { _mm256_zeroupper(); }
static inline vec v_load(const double *p) { return _mm256_loadu_pd(p); }
static inline void v_store(double *p, vec v) { _mm256_storeu_pd(p, v); }
static inline vec v_all(double x) { return _mm256_set1_pd(x); }
static inline vec v_add(vec a, vec b) { return _mm256_add_pd(a, b); }
static inline vec v_sub(vec a, vec b) { return _mm256_sub_pd(a, b); }
static inline vec v_mul(vec a, vec b) { return _mm256_mul_pd(a, b); }
static inline vec v_min(vec a, vec b) { return _mm256_min_pd(a, b); }
static inline vec v_max(vec a, vec b) { return _mm256_max_pd(a, b); }
static inline vec v_abs(vec a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
static inline vec v_outer(vec a, const int32_t *surface, int32_t count)
{
    __m128i valid = _mm_cmpgt_epi32(_mm_set1_epi32(count), _mm_setr_epi32(0, 1, 2, 3));
    if (surface)
        valid = _mm_andnot_si128(_mm_srai_epi32(_mm_maskload_epi32(surface, valid), 31), valid);
    return _mm256_blendv_pd(_mm256_set1_pd(INFINITY), a, _mm256_castsi256_pd(_mm256_cvtepi32_epi64(valid)));
}
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
static inline void put_corners(vec x, vec y, vec z, cd_corner3 *to)
{
    vec xy0 = _mm256_unpacklo_pd(x, y), xy1 = _mm256_unpackhi_pd(x, y);  // corners 0 2, and 1 3
    vec z0 = _mm256_unpacklo_pd(z, v_all(0)), z1 = _mm256_unpackhi_pd(z, v_all(0));
    v_store(&to[0].x, _mm256_permute2f128_pd(xy0, z0, 0x20));
    v_store(&to[1].x, _mm256_permute2f128_pd(xy1, z1, 0x20));
    v_store(&to[2].x, _mm256_permute2f128_pd(xy0, z0, 0x31));
    v_store(&to[3].x, _mm256_permute2f128_pd(xy1, z1, 0x31));
}
#else
enum { WIDTH = 1 };
typedef double vec;
static inline void v_leave(void) {}
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
static inline vec v_outer(vec a, const int32_t *surface, int32_t count)
{
    (void)count;
    return surface && *surface < 0 ? INFINITY : a;
}
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
static inline void put_corners(vec x, vec y, vec z, cd_corner3 *to) { *to = (cd_corner3){x, y, z, 0}; }
#endif
#if defined(__AVX2__)
typedef __m256d quad;
static inline quad q_load(const double *p) { return _mm256_loadu_pd(p); }
static inline void q_store(double *p, quad a) { _mm256_storeu_pd(p, a); }
static inline quad q_zero(void) { return _mm256_setzero_pd(); }
static inline quad q_of(cd_vec3 a) { return _mm256_setr_pd(a.x, a.y, a.z, 0); }
static inline cd_vec3 q_vec3(quad a)
{
    __m128d xy = _mm256_castpd256_pd128(a), z = _mm256_extractf128_pd(a, 1);
    return (cd_vec3){_mm_cvtsd_f64(xy), _mm_cvtsd_f64(_mm_unpackhi_pd(xy, xy)), _mm_cvtsd_f64(z)};
}
static inline quad q_add(quad a, quad b) { return _mm256_add_pd(a, b); }
static inline quad q_sub(quad a, quad b) { return _mm256_sub_pd(a, b); }
static inline quad q_scale(double s, quad a) { return _mm256_mul_pd(_mm256_set1_pd(s), a); }
static inline quad q_mul(quad a, quad b) { return _mm256_mul_pd(a, b); }
static inline quad q_with_one(quad a) { return _mm256_blend_pd(a, _mm256_set1_pd(1), 8); }
static inline quad q_cross(quad a, quad b)
{
    enum { YZX = 0xc9 };
    quad zxy =
        _mm256_sub_pd(_mm256_mul_pd(a, _mm256_permute4x64_pd(b, YZX)), _mm256_mul_pd(_mm256_permute4x64_pd(a, YZX), b));
    return _mm256_permute4x64_pd(zxy, YZX);
}
static inline double q_dot(quad a, quad b)
{
    quad product = _mm256_mul_pd(a, b);
    __m128d xy = _mm256_castpd256_pd128(product), z = _mm256_extractf128_pd(product, 1);
    return _mm_cvtsd_f64(_mm_add_sd(_mm_add_sd(xy, _mm_unpackhi_pd(xy, xy)), z));
}
#else
typedef struct quad {
    double x, y, z, w;
} quad;
static inline quad q_load(const double *p) { return (quad){p[0], p[1], p[2], p[3]}; }
static inline void q_store(double *p, quad a)
{
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
    p[3] = a.w;
}
static inline quad q_zero(void) { return (quad){0, 0, 0, 0}; }
static inline quad q_of(cd_vec3 a) { return (quad){a.x, a.y, a.z, 0}; }
static inline cd_vec3 q_vec3(quad a) { return (cd_vec3){a.x, a.y, a.z}; }
static inline quad q_add(quad a, quad b) { return (quad){a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w}; }
static inline quad q_sub(quad a, quad b) { return (quad){a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w}; }
static inline quad q_scale(double s, quad a) { return (quad){s * a.x, s * a.y, s * a.z, s * a.w}; }
static inline quad q_mul(quad a, quad b) { return (quad){a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w}; }
static inline quad q_with_one(quad a) { return (quad){a.x, a.y, a.z, 1}; }
static inline quad q_cross(quad a, quad b)
{
    return (quad){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x, 0};
}
static inline double q_dot(quad a, quad b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
#endif
_Static_assert(sizeof(cd_plane) == 4 * sizeof(double), "planes are read as four doubles");

#endif
