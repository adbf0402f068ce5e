// Placing of cd_convex3_place.c with eight vertices, and eight faces, at a time.
// SPDX-License-Identifier: MIT
#include "cd_convex3_place.h"

#ifdef __AVX512F__
#include <immintrin.h>

// Loops over coordinates, so that these stay in registers.
#define UNROLLED _Pragma("GCC unroll 4")

// ---- vertices ------------------------------------------------------------------------------------------------------

// Halves against each other, the lower first, as fold_least and fold_most of cd_convex3_place.c do it.
static inline double fold_least(__m512d v)
{
    __m256d four = _mm256_min_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
    __m128d two = _mm_min_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_min_sd(two, _mm_unpackhi_pd(two, two)));
}

static inline double fold_most(__m512d v)
{
    __m256d four = _mm256_max_pd(_mm512_castpd512_pd256(v), _mm512_extractf64x4_pd(v, 1));
    __m128d two = _mm_max_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_max_sd(two, _mm_unpackhi_pd(two, two)));
}

static inline __m512d sum_of_products(const __m512d *u, __m512d x, __m512d y, __m512d z)
{
    return _mm512_add_pd(_mm512_add_pd(_mm512_mul_pd(u[0], x), _mm512_mul_pd(u[1], y)), _mm512_mul_pd(u[2], z));
}

static inline void spread(const cd_mat3 *turn, __m512d row[3][3])
{
    UNROLLED
    for (int k = 0; k < 3; k++) {
        row[k][0] = _mm512_set1_pd(turn->row[k].x);
        row[k][1] = _mm512_set1_pd(turn->row[k].y);
        row[k][2] = _mm512_set1_pd(turn->row[k].z);
    }
}

static inline void move_vertices(const cd_convex3 *from, const cd_vec3 *position, __m512d row[3][3],
                                 cd_convex3_columns to, cd_convex3 *c)
{
    const __m512d by[3] = {_mm512_set1_pd(position->x), _mm512_set1_pd(position->y), _mm512_set1_pd(position->z)};
    double *column[3] = {to.x, to.y, to.z};
    const __m512d none = _mm512_setzero_pd();
    __m512d least[3] = {none, none, none}, most[3] = {none, none, none};
    for (int32_t i = 0; i < from->vertex_count; i += 8) {
        __m512d x = _mm512_loadu_pd(from->x + i), y = _mm512_loadu_pd(from->y + i), z = _mm512_loadu_pd(from->z + i);
        UNROLLED
        for (int k = 0; k < 3; k++) {
            __m512d w = _mm512_add_pd(by[k], sum_of_products(row[k], x, y, z));
            _mm512_store_pd(column[k] + i, w);
            least[k] = i == 0 ? w : _mm512_min_pd(w, least[k]);
            most[k] = i == 0 ? w : _mm512_max_pd(w, most[k]);
        }
    }
    c->low = (cd_vec3){fold_least(least[0]), fold_least(least[1]), fold_least(least[2])};
    c->high = (cd_vec3){fold_most(most[0]), fold_most(most[1]), fold_most(most[2])};
    c->centre = cd_convex3_mean(c);
    const __m512d centre[3] = {_mm512_set1_pd(c->centre.x), _mm512_set1_pd(c->centre.y), _mm512_set1_pd(c->centre.z)};
    __m512d farthest = none;
    for (int32_t i = 0; i < from->vertex_count; i += 8) {
        __m512d d[3];
        UNROLLED
        for (int k = 0; k < 3; k++)
            d[k] = _mm512_sub_pd(_mm512_load_pd(column[k] + i), centre[k]);
        farthest = _mm512_max_pd(sum_of_products(d, d[0], d[1], d[2]), farthest);
    }
    c->radius = cd_convex3_radius(fold_most(farthest));
}

// ---- planes --------------------------------------------------------------------------------------------------------
// Of triangles, with all corners in registers: a column of up to 32 vertices is four vectors, of which a permutation
// takes any eight numbers out of two. Of 28 faces 30 ns, where one by one they take 150.

enum { MOST_VERTICES = 32 };

typedef struct column {
    __m512d part[MOST_VERTICES / 8];
} column;

// Numbers `index` of a column of up to 16, or more.
static inline __m512d pick(const column *of, __m512i index, bool is_long)
{
    __m512d low = _mm512_permutex2var_pd(of->part[0], index, of->part[1]);
    if (!is_long)
        return low;
    __mmask8 is_high = _mm512_test_epi64_mask(index, _mm512_set1_epi64(16));
    return _mm512_mask_blend_pd(is_high, low, _mm512_permutex2var_pd(of->part[2], index, of->part[3]));
}

static inline column load_column(const double *from, int32_t count)
{
    column c;
    UNROLLED
    for (int k = 0; k < MOST_VERTICES / 8; k++)
        c.part[k] = 8 * k < count ? _mm512_load_pd(from + 8 * k) : _mm512_setzero_pd();
    return c;
}

// Every third of 24 corners, from the first, second or third on.
static inline __m512i corners_of(__m512i first_16, __m512i last_8, int from)
{
    __m512i at = _mm512_add_epi32(_mm512_setr_epi32(0, 3, 6, 9, 12, 15, 18, 21, 0, 0, 0, 0, 0, 0, 0, 0),
                                  _mm512_set1_epi32(from));
    return _mm512_cvtepi32_epi64(_mm512_castsi512_si256(_mm512_permutex2var_epi32(first_16, at, last_8)));
}

// Eight planes as they lie in memory, two a vector, to normals by coordinate, and back with offsets.
static inline __m512d coordinate(const __m512d two[4], int k)
{
    __m512i at = _mm512_add_epi64(_mm512_setr_epi64(0, 4, 8, 12, 0, 4, 8, 12), _mm512_set1_epi64(k));
    return _mm512_mask_blend_pd(0xf0, _mm512_permutex2var_pd(two[0], at, two[1]),
                                _mm512_permutex2var_pd(two[2], at, two[3]));
}

static inline void store_planes(cd_plane *plane, const __m512d n[3], __m512d offset)
{
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                  high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    __m512d even[2] = {_mm512_unpacklo_pd(n[0], n[1]), _mm512_unpacklo_pd(n[2], offset)};  // planes 0, 2, 4, 6
    __m512d odd[2] = {_mm512_unpackhi_pd(n[0], n[1]), _mm512_unpackhi_pd(n[2], offset)};
    __m512d of_0_2 = _mm512_permutex2var_pd(even[0], low, even[1]),
            of_4_6 = _mm512_permutex2var_pd(even[0], high, even[1]);
    __m512d of_1_3 = _mm512_permutex2var_pd(odd[0], low, odd[1]), of_5_7 = _mm512_permutex2var_pd(odd[0], high, odd[1]);
    double *to = &plane->normal.x;
    _mm512_storeu_pd(to, _mm512_shuffle_f64x2(of_0_2, of_1_3, 0x44));
    _mm512_storeu_pd(to + 8, _mm512_shuffle_f64x2(of_0_2, of_1_3, 0xee));
    _mm512_storeu_pd(to + 16, _mm512_shuffle_f64x2(of_4_6, of_5_7, 0x44));
    _mm512_storeu_pd(to + 24, _mm512_shuffle_f64x2(of_4_6, of_5_7, 0xee));
}

static inline __attribute__((always_inline)) void turn_triangles(const cd_convex3 *from, __m512d row[3][3],
                                                                 const cd_convex3 *c, cd_plane *plane, bool is_long)
{
    int32_t count = c->vertex_count;
    const int32_t *corner = c->face_vertex + c->face_first[0];
    column x = load_column(c->x, count), y = load_column(c->y, count), z = load_column(c->z, count);
    for (int32_t f = 0; f < c->face_count; f += 8) {
        uint32_t left = (uint32_t)(c->face_count - f < 8 ? c->face_count - f : 8);
        const double *normals = &from->plane[f].normal.x;
        uint32_t numbers = left == 8 ? 0xffffffff : (1u << 4 * left) - 1, corners = (1u << 3 * left) - 1;
        __m512d two[4], n[3], most = _mm512_setzero_pd();
        UNROLLED
        for (int k = 0; k < 4; k++)
            two[k] = _mm512_maskz_loadu_pd((__mmask8)(numbers >> 8 * k), normals + 8 * k);
        __m512d home[3] = {coordinate(two, 0), coordinate(two, 1), coordinate(two, 2)};
        UNROLLED
        for (int k = 0; k < 3; k++)
            n[k] = sum_of_products(row[k], home[0], home[1], home[2]);
        __m512i first_16 = _mm512_maskz_loadu_epi32((__mmask16)corners, corner + 3 * f);
        __m512i last_8 = _mm512_maskz_loadu_epi32((__mmask16)(corners >> 16), corner + 3 * f + 16);
        UNROLLED
        for (int k = 0; k < 3; k++) {
            __m512i at = corners_of(first_16, last_8, k);
            __m512d height = sum_of_products(n, pick(&x, at, is_long), pick(&y, at, is_long), pick(&z, at, is_long));
            most = k == 0 ? height : _mm512_max_pd(most, height);
        }
        store_planes(plane + f, n, most);
    }
}

void cd_convex3_move_avx512(const cd_convex3 *from, const cd_pose3 *pose, cd_convex3_columns to, cd_plane *plane,
                            cd_convex3 *c)
{
    __m512d row[3][3];
    spread(&pose->turn, row);
    move_vertices(from, &pose->position, row, to, c);
    if (!plane)
        return;
    // Each face has three corners or more.
    bool are_triangles = c->face_first[c->face_count] - c->face_first[0] == 3 * c->face_count;
    if (are_triangles && c->vertex_count <= 16)
        turn_triangles(from, row, c, plane, false);
    else if (are_triangles && c->vertex_count <= MOST_VERTICES)
        turn_triangles(from, row, c, plane, true);
    else
        cd_convex3_turn_planes(from, pose, c, plane);
}
#else
void cd_convex3_move_avx512(const cd_convex3 *from, const cd_pose3 *pose, cd_convex3_columns to, cd_plane *plane,
                            cd_convex3 *c)
{
    cd_convex3_move(from, pose, to, plane, c);
}
#endif
