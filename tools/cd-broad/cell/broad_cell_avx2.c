// The scan of the method `cell-vector` with AVX2: four masters a step.
// SPDX-License-Identifier: MIT
#ifdef __AVX2__
#include "broad_cell_scan.h"

#include <immintrin.h>

CELL_INLINE int32_t *cell_compare(const cell_job *job, int dim, bool is_round, const double *query, int32_t begin,
                                  int32_t end, int32_t *found)
{
    double *const *column = job->column;
    for (int32_t row = begin; row < end; row += 4) {
        __m256d meets;
        if (is_round) {
            __m256d square = _mm256_setzero_pd();
            for (int k = 0; k < dim; k++) {
                __m256d d = _mm256_sub_pd(_mm256_set1_pd(query[k]), _mm256_loadu_pd(column[k] + row));
                square = _mm256_add_pd(square, _mm256_mul_pd(d, d));
            }
            __m256d reach = _mm256_add_pd(_mm256_set1_pd(query[dim]), _mm256_loadu_pd(column[dim] + row));
            meets = _mm256_cmp_pd(square, _mm256_mul_pd(reach, reach), _CMP_LE_OQ);
        } else {
            meets = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
            for (int k = 0; k < dim; k++) {
                __m256d low = _mm256_loadu_pd(column[k] + row), high = _mm256_loadu_pd(column[dim + k] + row);
                meets = _mm256_and_pd(meets, _mm256_cmp_pd(_mm256_set1_pd(query[k]), high, _CMP_LE_OQ));
                meets = _mm256_and_pd(meets, _mm256_cmp_pd(low, _mm256_set1_pd(query[dim + k]), _CMP_LE_OQ));
            }
        }
        unsigned hits = (unsigned)_mm256_movemask_pd(meets);
        hits &= end - row < 4 ? (1u << (end - row)) - 1 : 15;
        for (; hits; hits &= hits - 1)
            *found++ = row + __builtin_ctz(hits);
    }
    return found;
}

void cd_cell_scan_avx2(cell_job *job) { cell_scan(job); }
#else
typedef int no_avx2;  // a file must declare something
#endif
