// The search of cd_gjk.c with four corners at a time.
// SPDX-License-Identifier: MIT
#include "cd_gjk.h"

#ifdef __AVX2__
#include <immintrin.h>

static inline __attribute__((always_inline)) __m256d heights(const cd_gjk_side *side, int32_t i, const __m256d *centre,
                                                             const __m256d *d)
{
    __m256d x = _mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(side->x + i), centre[0]), d[0]);
    __m256d y = _mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(side->y + i), centre[1]), d[1]);
    __m256d z = _mm256_mul_pd(_mm256_sub_pd(_mm256_loadu_pd(side->z + i), centre[2]), d[2]);
    return _mm256_add_pd(_mm256_add_pd(x, y), z);
}

// Corners are padded with corner 0: a tie with it goes to the lower number.
static inline int32_t farthest_corner(const cd_gjk_side *side, cd_vec3 direction)
{
    const __m256d centre[3] = {_mm256_set1_pd(side->centre.x), _mm256_set1_pd(side->centre.y),
                               _mm256_set1_pd(side->centre.z)};
    const __m256d d[3] = {_mm256_set1_pd(direction.x), _mm256_set1_pd(direction.y), _mm256_set1_pd(direction.z)};
    __m256d most = heights(side, 0, centre, d);
    __m256i at = _mm256_setr_epi64x(0, 1, 2, 3), here = at, step = _mm256_set1_epi64x(4);
    for (int32_t i = 4; i < side->count; i += 4) {
        __m256d height = heights(side, i, centre, d);
        here = _mm256_add_epi64(here, step);
        __m256d is_higher = _mm256_cmp_pd(height, most, _CMP_GT_OQ);
        most = _mm256_max_pd(most, height);
        at = _mm256_blendv_epi8(at, here, _mm256_castpd_si256(is_higher));
    }
    double height[4];
    int64_t number[4];
    _mm256_storeu_pd(height, most);
    _mm256_storeu_si256((__m256i *)number, at);
    int best = 0;
    for (int k = 1; k < 4; k++)
        if (height[k] > height[best] || (height[k] == height[best] && number[k] < number[best]))
            best = k;
    return number[best] < side->count ? (int32_t)number[best] : 0;
}

#include "cd_gjk_loop.h"

void cd_gjk_run_avx2(cd_gjk *g) { run(g); }
int32_t cd_gjk_support_avx2(const cd_gjk_side *side, cd_vec3 direction) { return farthest_corner(side, direction); }
#else
void cd_gjk_run_avx2(cd_gjk *g) { cd_gjk_run(g); }
int32_t cd_gjk_support_avx2(const cd_gjk_side *side, cd_vec3 direction) { return cd_gjk_support(side, direction); }
#endif
