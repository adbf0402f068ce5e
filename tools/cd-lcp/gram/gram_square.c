// SPDX-License-Identifier: MIT
#include "gram_square.h"

#include "cd_vector.h"

#include <stdbool.h>

enum { LANES = 4, VECTORS_MOST = CD_GRAM_SQUARE_MOST / LANES };

typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));

// Four columns of R'S, rows from LANES `from` on: their sums stay in registers over all rows of R and S.
static inline __attribute__((always_inline)) void four_columns(int32_t height, const double *R, const double *S,
                                                               double *K, int vectors, int block, int from)
{
    const int stride = LANES * vectors;
    vec4 sum[LANES][VECTORS_MOST] = {0};
    for (int32_t r = 0; r < height; r++, R += stride, S += stride) {
        _Pragma("GCC unroll 4") for (int v = from; v < vectors; v++)
        {
            const vec4 x = *(const vec4 *)(R + LANES * v);
            _Pragma("GCC unroll 4") for (int j = 0; j < LANES; j++) sum[j][v] += x * S[LANES * block + j];
        }
    }
    _Pragma("GCC unroll 4") for (int j = 0; j < LANES; j++)
    {
        _Pragma("GCC unroll 4") for (int v = from; v < vectors; v++) *
            (vec4 *)(K + (LANES * block + j) * stride + LANES * v) = sum[j][v];
    }
}

static inline __attribute__((always_inline)) void all_columns(int32_t height, const double *R, const double *S,
                                                              double *K, int vectors, bool is_lower)
{
    _Pragma("GCC unroll 4") for (int block = 0; block < vectors; block++)
        four_columns(height, R, S, K, vectors, block, is_lower ? block : 0);
}

static inline __attribute__((always_inline)) void product(int32_t height, int32_t stride, const double *R,
                                                          const double *S, double *K, bool is_lower)
{
    switch (stride / LANES) {
    case 1:
        all_columns(height, R, S, K, 1, is_lower);
        break;
    case 2:
        all_columns(height, R, S, K, 2, is_lower);
        break;
    case 3:
        all_columns(height, R, S, K, 3, is_lower);
        break;
    default:
        all_columns(height, R, S, K, 4, is_lower);
    }
}

CD_VECTOR_CLONES void cd_gram_square(int32_t height, int32_t stride, const double *rows, double *K)
{
    product(height, stride, rows, rows, K, true);
}

CD_VECTOR_CLONES void cd_gram_product(int32_t height, int32_t stride, const double *R, const double *S, double *K)
{
    product(height, stride, R, S, K, false);
}

CD_VECTOR_CLONES void cd_gram_column(int32_t height, int32_t stride, int32_t j, const double *R, const double *S,
                                     double *out)
{
    for (int32_t i = 0; i < stride; i += LANES)
        *(vec4 *)(out + i) = (vec4){0};
    for (int32_t h = 0; h < height; h++, R += stride) {
        const double factor = S[h * stride + j];
        for (int32_t i = 0; i < stride; i += LANES)
            *(vec4 *)(out + i) += *(const vec4 *)(R + i) * factor;
    }
}
