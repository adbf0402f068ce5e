// Records of the method `grid` with AVX2: a box, and a ball, are one register, a lane for each axis of the job, and
// come out in the shape in which they are stored.
// SPDX-License-Identifier: MIT
#ifdef __AVX2__
#include "broad_grid.h"

#include <immintrin.h>

// Lanes 0 .. 2 are the axes of the job; lane 3 is free, of balls the radius.
typedef struct lattice {
    __m256i axes, ball_axes;  // where they lie in memory, as halves of doubles
    __m256d low, high;        // [m]
    __m256d scale, top;       // [points/m], [points]
    __m128i middle;           // [points] GRID_MIDDLE along the rows
    __m256d ball_scale, ball_half;
} lattice;

static __m256i lanes_of(const int axis[3], int last)
{
    return _mm256_setr_epi32(2 * axis[0], 2 * axis[0] + 1, 2 * axis[1], 2 * axis[1] + 1, 2 * axis[2], 2 * axis[2] + 1,
                             2 * last, 2 * last + 1);
}

static lattice lattice_of(const grid_job *job)
{
    const grid_class *class = &job->class[0];
    const double *low = class->low, *high = class->high, *scale = class->scale, *top = class->top;
    double s = job->snug_scale;
    return (lattice){.axes = lanes_of(job->axis, job->axis[0]),
                     .ball_axes = lanes_of(job->axis, 3),
                     .low = _mm256_setr_pd(low[0], low[1], low[2], 0),
                     .high = _mm256_setr_pd(high[0], high[1], high[2], INFINITY),
                     .scale = _mm256_setr_pd(scale[0], scale[1], scale[2], 0),
                     .top = _mm256_setr_pd(top[0], top[1], top[2], 0),
                     .middle = _mm_setr_epi32(GRID_MIDDLE, 0, 0, 0),
                     .ball_scale = _mm256_setr_pd(s, s, s, 8 * s),
                     .ball_half = _mm256_setr_pd(0, 0, 0, 0.5)};
}

static inline __m256d permuted(__m256d v, __m256i lanes)
{
    return _mm256_castps_pd(_mm256_permutevar8x32_ps(_mm256_castpd_ps(v), lanes));
}

// As grid_lattice.
static inline __m128i points_of(const lattice *l, __m256d face)
{
    __m256d point = _mm256_mul_pd(_mm256_sub_pd(face, l->low), l->scale);
    return _mm256_cvttpd_epi32(_mm256_min_pd(_mm256_max_pd(point, _mm256_setzero_pd()), l->top));
}

static inline __m128i record_of(const lattice *l, __m256d min, __m256d max, int32_t item)
{
    __m128i low = _mm_sub_epi32(points_of(l, min), l->middle), high = _mm_sub_epi32(points_of(l, max), l->middle);
    __m128i words = _mm_and_si128(_mm_sub_epi32(_mm_setzero_si128(), low), _mm_set1_epi32(0xffff));
    return _mm_insert_epi32(_mm_or_si128(words, _mm_slli_epi32(high, 16)), item, 3);
}

// As grid_ball_of, in the lower half.
static inline __m128i ball_of(const lattice *l, __m256d min, __m256d max, __m256d ball)
{
    const __m256d half = _mm256_set1_pd(0.5);
    __m256d radius = _mm256_permute4x64_pd(ball, 0xff);
    __m256d middle = _mm256_add_pd(_mm256_mul_pd(min, half), _mm256_mul_pd(max, half));
    __m256d extent = _mm256_mul_pd(_mm256_set1_pd(1 + 1e-6), _mm256_sub_pd(max, min));
    ball = permuted(ball, l->ball_axes);
    __m256d is_snug = _mm256_cmp_pd(ball, middle, _CMP_EQ_OQ);
    is_snug = _mm256_and_pd(is_snug, _mm256_cmp_pd(_mm256_add_pd(radius, radius), extent, _CMP_LE_OQ));
    is_snug = _mm256_and_pd(is_snug, _mm256_cmp_pd(min, l->low, _CMP_GE_OQ));
    is_snug = _mm256_and_pd(is_snug, _mm256_cmp_pd(max, l->high, _CMP_LE_OQ));
    if ((_mm256_movemask_pd(is_snug) & 7) != 7)
        return _mm_setr_epi16(0, 0, 0, (short)GRID_LOOSE, 0, 0, 0, 0);
    __m256d point = _mm256_mul_pd(_mm256_sub_pd(ball, l->low), l->ball_scale);
    __m128i points = _mm256_cvttpd_epi32(_mm256_add_pd(point, l->ball_half));
    return _mm_shuffle_epi8(points, _mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, -1, -1, -1, -1, -1, -1, -1, -1));
}

static inline __m256d load(const double *from, __m256i there) { return _mm256_maskload_pd(from, there); }

void cd_grid_scatter_avx2(const grid_job *job, int32_t begin, int32_t end, int32_t *place)
{
    enum { AHEAD = 8 };
    const cd_broad_input *input = job->input;
    const lattice l = lattice_of(job);
    const __m256i three = _mm256_setr_epi64x(-1, -1, -1, 0);
    grid_record *record = job->record;
    grid_ball *record_ball = job->is_snug ? job->record_ball : NULL;
    const int32_t *row_of = job->row_of;
    for (int32_t i = begin; i < end; i++) {
        __m256d min = permuted(load(input->min + 3 * (int64_t)i, three), l.axes);
        __m256d max = permuted(load(input->max + 3 * (int64_t)i, three), l.axes);
        int32_t at = place[row_of[i]]++;
        // Each row is written from its begin on, a cache line now and then: asked for before it is needed.
        __builtin_prefetch(record + at + AHEAD, 1);
        _mm_storeu_si128((__m128i *)(record + at), record_of(&l, min, max, i));
        if (!record_ball)
            continue;
        __builtin_prefetch(record_ball + at + 2 * AHEAD, 1);
        __m128i ball = ball_of(&l, min, max, _mm256_loadu_pd(input->ball + 4 * (int64_t)i));
        _mm_storel_epi64((__m128i *)(record_ball + at), ball);
    }
}
#else
typedef int no_avx2;  // a file must declare something
#endif
