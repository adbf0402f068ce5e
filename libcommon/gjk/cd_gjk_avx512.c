// The search of cd_gjk.c with eight corners at a time.
// SPDX-License-Identifier: MIT
#include "cd_gjk.h"

#ifdef __AVX512F__
#include <immintrin.h>

static inline __attribute__((always_inline)) __m512d heights(const cd_gjk_side *side, int32_t i, const __m512d *centre,
                                                             const __m512d *d)
{
    __m512d x = _mm512_mul_pd(_mm512_sub_pd(_mm512_loadu_pd(side->x + i), centre[0]), d[0]);
    __m512d y = _mm512_mul_pd(_mm512_sub_pd(_mm512_loadu_pd(side->y + i), centre[1]), d[1]);
    __m512d z = _mm512_mul_pd(_mm512_sub_pd(_mm512_loadu_pd(side->z + i), centre[2]), d[2]);
    return _mm512_add_pd(_mm512_add_pd(x, y), z);
}

// Corners are padded with corner 0: a tie with it goes to the lower number.
static inline __attribute__((always_inline)) int32_t farthest_corner(const cd_gjk_side *side, cd_vec3 direction)
{
    const __m512d centre[3] = {_mm512_set1_pd(side->centre.x), _mm512_set1_pd(side->centre.y),
                               _mm512_set1_pd(side->centre.z)};
    const __m512d d[3] = {_mm512_set1_pd(direction.x), _mm512_set1_pd(direction.y), _mm512_set1_pd(direction.z)};
    if (side->count <= 16) {
        __m512d low = heights(side, 0, centre, d), high = side->count > 8 ? heights(side, 8, centre, d) : low;
        __m512d most = _mm512_set1_pd(_mm512_reduce_max_pd(_mm512_max_pd(low, high)));
        unsigned hits = _mm512_cmp_pd_mask(low, most, _CMP_EQ_OQ) |
                        (unsigned)_mm512_cmp_pd_mask(high, most, _CMP_EQ_OQ) << 8 | 0x10000;
        return __builtin_ctz(hits) & 15;
    }
    __m512d most = heights(side, 0, centre, d);
    __m512i at = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), here = at, step = _mm512_set1_epi64(8);
    for (int32_t i = 8; i < side->count; i += 8) {
        __m512d height = heights(side, i, centre, d);
        here = _mm512_add_epi64(here, step);
        __mmask8 is_higher = _mm512_cmp_pd_mask(height, most, _CMP_GT_OQ);
        most = _mm512_max_pd(most, height);
        at = _mm512_mask_mov_epi64(at, is_higher, here);
    }
    __mmask8 hits = _mm512_cmp_pd_mask(most, _mm512_set1_pd(_mm512_reduce_max_pd(most)), _CMP_EQ_OQ);
    uint64_t least = _mm512_mask_reduce_min_epu64(hits, at);
    return least < (uint64_t)side->count ? (int32_t)least : 0;
}

#include "cd_gjk_loop.h"

void cd_gjk_run_avx512(cd_gjk *g) { run(g); }
int32_t cd_gjk_support_avx512(const cd_gjk_side *side, cd_vec3 direction) { return farthest_corner(side, direction); }
#else
void cd_gjk_run_avx512(cd_gjk *g) { cd_gjk_run(g); }
int32_t cd_gjk_support_avx512(const cd_gjk_side *side, cd_vec3 direction) { return cd_gjk_support(side, direction); }
#endif
