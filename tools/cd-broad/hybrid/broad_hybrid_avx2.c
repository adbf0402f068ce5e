// SPDX-License-Identifier: MIT
#include "broad_hybrid.h"

#ifdef __AVX2__
#include <immintrin.h>

#define SCAN cd_hybrid_scan_avx2

enum { LANES = 8 };

static inline __m256i load(const int32_t *from) { return _mm256_loadu_si256((const __m256i *)from); }

static inline __attribute__((always_inline)) void scan_one(const cd_hybrid_list *outer, int32_t o,
                                                           const cd_hybrid_list *inner, int32_t from, int axes,
                                                           cd_broad_pairs *pairs)
{
    __m256i begin[3], end[3];
    for (int axis = 0; axis < axes; axis++) {
        begin[axis] = _mm256_set1_epi32(outer->begin[axis][o]);
        end[axis] = _mm256_set1_epi32(outer->end[axis][o]);
    }
    for (int32_t k = from;; k += LANES) {
        __m256i begun = _mm256_cmpgt_epi32(end[0], load(inner->begin[0] + k)), hit = begun;
        for (int axis = 1; axis < axes; axis++) {
            hit = _mm256_and_si256(hit, _mm256_cmpgt_epi32(end[axis], load(inner->begin[axis] + k)));
            hit = _mm256_and_si256(hit, _mm256_cmpgt_epi32(load(inner->end[axis] + k), begin[axis]));
        }
        unsigned hits = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(hit));
        if (hits) {
            cd_box_pair *to = cd_broad_room(pairs, LANES);
            int32_t count = 0;
            for (; hits; hits &= hits - 1)
                to[count++] = (cd_box_pair){outer->item[o], inner->item[k + __builtin_ctz(hits)]};
            pairs->count += count;
        }
        if (_mm256_movemask_ps(_mm256_castsi256_ps(begun)) != 255)
            break;
    }
}

#include "broad_hybrid_scan.h"
#endif
