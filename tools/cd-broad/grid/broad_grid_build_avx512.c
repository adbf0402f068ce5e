// Records of the method `grid` with AVX-512: two boxes, and two balls, are one register, a lane for each axis of the
// job, and come out in the shape in which they are stored.
// SPDX-License-Identifier: MIT
#ifdef __AVX512F__
#include "broad_grid.h"

#include <immintrin.h>

// Lanes 0 .. 2 and 4 .. 6 are the axes of a first and a second item.
typedef struct lattice {
    __m512i axes;              // of min and max from where they lie in memory
    __m512i ball_axes, radii;  // of balls; lanes 3 and 7 are radii
    __m512d low, high;         // [m]
    __m512d scale, top;        // [points/m], [points]
    __m256i middle;            // [points] GRID_MIDDLE along the rows
    __m512d ball_low, ball_scale, ball_half;
} lattice;

static __m512d each(double a, double b, double c, double d) { return _mm512_setr_pd(a, b, c, d, a, b, c, d); }

static lattice lattice_of(const grid_job *job)
{
    const grid_class *class = &job->class[0];
    const int64_t x = job->axis[0], y = job->axis[1], z = job->axis[2];
    const double *low = class->low, *high = class->high, *scale = class->scale, *top = class->top;
    double s = job->snug_scale;
    return (lattice){.axes = _mm512_setr_epi64(x, y, z, x, 3 + x, 3 + y, 3 + z, 3 + x),
                     .ball_axes = _mm512_setr_epi64(x, y, z, 3, 4 + x, 4 + y, 4 + z, 7),
                     .radii = _mm512_setr_epi64(3, 3, 3, 3, 7, 7, 7, 7),
                     .low = each(low[0], low[1], low[2], 0),
                     .high = each(high[0], high[1], high[2], 0),
                     .scale = each(scale[0], scale[1], scale[2], 0),
                     .top = each(top[0], top[1], top[2], 0),
                     .middle = _mm256_setr_epi32(GRID_MIDDLE, 0, 0, 0, GRID_MIDDLE, 0, 0, 0),
                     .ball_low = each(low[0], low[1], low[2], 0),
                     .ball_scale = each(s, s, s, 8 * s),
                     .ball_half = each(0, 0, 0, 0.5)};
}

// As grid_lattice.
static inline __m256i points_of(const lattice *l, __m512d face)
{
    __m512d point = _mm512_mul_pd(_mm512_sub_pd(face, l->low), l->scale);
    return _mm512_cvttpd_epi32(_mm512_min_pd(_mm512_max_pd(point, _mm512_setzero_pd()), l->top));
}

static inline __m256i records_of(const lattice *l, __m512d min, __m512d max, int32_t item)
{
    __m256i low = _mm256_sub_epi32(points_of(l, min), l->middle), high = _mm256_sub_epi32(points_of(l, max), l->middle);
    __m256i words = _mm256_and_si256(_mm256_sub_epi32(_mm256_setzero_si256(), low), _mm256_set1_epi32(0xffff));
    words = _mm256_or_si256(words, _mm256_slli_epi32(high, 16));
    return _mm256_mask_add_epi32(words, 0x88, _mm256_set1_epi32(item), _mm256_setr_epi32(0, 0, 0, 0, 0, 0, 0, 1));
}

// As grid_ball_of.
static inline __m128i balls_of(const lattice *l, __m512d min, __m512d max, __m512d ball)
{
    const __m512d half = _mm512_set1_pd(0.5);
    __m512d radius = _mm512_permutexvar_pd(l->radii, ball);
    __m512d middle = _mm512_add_pd(_mm512_mul_pd(min, half), _mm512_mul_pd(max, half));
    __m512d extent = _mm512_mul_pd(_mm512_set1_pd(1 + 1e-6), _mm512_sub_pd(max, min));
    ball = _mm512_permutexvar_pd(l->ball_axes, ball);
    __mmask8 is_snug = _mm512_cmp_pd_mask(ball, middle, _CMP_EQ_OQ);
    is_snug = _mm512_mask_cmp_pd_mask(is_snug, _mm512_add_pd(radius, radius), extent, _CMP_LE_OQ);
    is_snug = _mm512_mask_cmp_pd_mask(is_snug, min, l->low, _CMP_GE_OQ);
    is_snug = _mm512_mask_cmp_pd_mask(is_snug, max, l->high, _CMP_LE_OQ);
    __m512d point = _mm512_mul_pd(_mm512_sub_pd(ball, l->ball_low), l->ball_scale);
    __m256i points = _mm512_cvttpd_epi32(_mm512_add_pd(point, l->ball_half));
    __mmask8 loose = (__mmask8)(((is_snug & 0x07) != 0x07 ? 0x0f : 0) | ((is_snug & 0x70) != 0x70 ? 0xf0 : 0));
    const __m256i none = _mm256_setr_epi32(0, 0, 0, GRID_LOOSE, 0, 0, 0, GRID_LOOSE);
    return _mm256_cvtepi32_epi16(_mm256_mask_mov_epi32(points, loose, none));
}

// Each row is written from its begin on, a cache line now and then: asked for before it is needed.
static inline int32_t next_place(const grid_job *job, int32_t *place, int32_t item)
{
    enum { AHEAD = 8 };
    int32_t at = place[job->row_of[item]]++;
    __builtin_prefetch(job->record + at + AHEAD, 1);
    return at;
}

void cd_grid_scatter_avx512(const grid_job *job, int32_t begin, int32_t end, int32_t *place)
{
    const cd_broad_input *input = job->input;
    const lattice l = lattice_of(job);
    for (int32_t i = begin; i < end; i += 2) {
        bool is_pair = i + 1 < end;
        __mmask8 there = is_pair ? 0x3f : 0x07;
        __m512d min = _mm512_permutexvar_pd(l.axes, _mm512_maskz_loadu_pd(there, input->min + 3 * (int64_t)i));
        __m512d max = _mm512_permutexvar_pd(l.axes, _mm512_maskz_loadu_pd(there, input->max + 3 * (int64_t)i));
        __m256i records = records_of(&l, min, max, i);
        int32_t at = next_place(job, place, i), next = is_pair ? next_place(job, place, i + 1) : at;
        // The first one last: alone, it stays.
        _mm_storeu_si128((__m128i *)(job->record + next), _mm256_extracti128_si256(records, 1));
        _mm_storeu_si128((__m128i *)(job->record + at), _mm256_castsi256_si128(records));
        if (!job->is_snug)
            continue;
        __m512d ball = _mm512_maskz_loadu_pd(is_pair ? 0xff : 0x0f, input->ball + 4 * (int64_t)i);
        __m128i balls = balls_of(&l, min, max, ball);
        _mm_storeu_si64(job->record_ball + next, _mm_unpackhi_epi64(balls, balls));
        _mm_storeu_si64(job->record_ball + at, balls);
    }
}
#else
typedef int no_avx512;  // a file must declare something
#endif
