// The scan of the method `cell-vector` with AVX-512: eight masters a step.
// SPDX-License-Identifier: MIT
#ifdef __AVX512F__
#include "broad_cell_scan.h"

#include <immintrin.h>

CELL_INLINE int32_t *cell_compare(const cell_job *job, int dim, bool is_round, const double *query, int32_t begin,
                                  int32_t end, int32_t *found)
{
    double *const *column = job->column;
    for (int32_t row = begin; row < end; row += 8) {
        __mmask8 hits = end - row < 8 ? (__mmask8)((1u << (end - row)) - 1) : (__mmask8)255;
        if (is_round) {
            __m512d square = _mm512_setzero_pd();
            for (int k = 0; k < dim; k++) {
                __m512d d = _mm512_sub_pd(_mm512_set1_pd(query[k]), _mm512_loadu_pd(column[k] + row));
                square = _mm512_add_pd(square, _mm512_mul_pd(d, d));
            }
            __m512d reach = _mm512_add_pd(_mm512_set1_pd(query[dim]), _mm512_loadu_pd(column[dim] + row));
            hits = _mm512_mask_cmp_pd_mask(hits, square, _mm512_mul_pd(reach, reach), _CMP_LE_OQ);
        } else {
            for (int k = 0; k < dim; k++) {
                __m512d low = _mm512_loadu_pd(column[k] + row), high = _mm512_loadu_pd(column[dim + k] + row);
                hits = _mm512_mask_cmp_pd_mask(hits, _mm512_set1_pd(query[k]), high, _CMP_LE_OQ);
                hits = _mm512_mask_cmp_pd_mask(hits, low, _mm512_set1_pd(query[dim + k]), _CMP_LE_OQ);
            }
        }
        for (unsigned left = hits; left; left &= left - 1)
            *found++ = row + __builtin_ctz(left);
    }
    return found;
}

void cd_cell_scan_avx512(cell_job *job) { cell_scan(job); }
#else
typedef int no_avx512;  // a file must declare something
#endif
