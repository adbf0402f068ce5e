// SPDX-License-Identifier: MIT
#include "broad_incremental.h"

#ifdef __AVX2__
#include <immintrin.h>

#define WALK(name) name##_avx2

static inline unsigned node_mask(const cd_timed_node *node, const cd_timed_bounds *bounds)
{
    unsigned mask = 0;
    for (int half = 0; half < CD_TIMED_LANES; half += 8) {
        __m256 meets = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
        for (int axis = 0; axis < 3; axis++) {
            __m256 min = _mm256_loadu_ps(node->min[axis] + half), max = _mm256_loadu_ps(node->max[axis] + half);
            meets = _mm256_and_ps(meets, _mm256_cmp_ps(min, _mm256_set1_ps(bounds->max[axis]), _CMP_LE_OQ));
            meets = _mm256_and_ps(meets, _mm256_cmp_ps(max, _mm256_set1_ps(bounds->min[axis]), _CMP_GE_OQ));
        }
        mask |= (unsigned)_mm256_movemask_ps(meets) << half;
    }
    return mask;
}

// a <= b of unsigned bytes is max(a, b) == b.
static inline uint64_t ticks_within(const uint8_t *from, const uint8_t *to, int tick)
{
    __m256i now = _mm256_set1_epi8((char)tick);
    uint64_t mask = 0;
    for (int half = 0; half < 64; half += 32) {
        __m256i one = _mm256_loadu_si256((const __m256i *)(from + half));
        __m256i other = _mm256_loadu_si256((const __m256i *)(to + half));
        __m256i within = _mm256_and_si256(_mm256_cmpeq_epi8(_mm256_max_epu8(one, now), now),
                                          _mm256_cmpeq_epi8(_mm256_max_epu8(other, now), other));
        mask |= (uint64_t)(uint32_t)_mm256_movemask_epi8(within) << half;
    }
    return mask;
}

#include "broad_incremental_walk.h"
#endif
