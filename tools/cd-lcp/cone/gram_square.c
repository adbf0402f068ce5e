// SPDX-License-Identifier: MIT
#include "gram_square.h"

#include "cd_vector.h"

enum { LANES = 4, VECTORS_MOST = CD_GRAM_SQUARE_MOST / LANES };

typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));

// Four columns from row LANES `block` on: their sums stay in registers over all rows.
static inline __attribute__((always_inline)) void four_columns(int32_t height, const double *row, double *K,
                                                               int vectors, int block)
{
    const int stride = LANES * vectors;
    vec4 sum[LANES][VECTORS_MOST] = {0};
    for (int32_t r = 0; r < height; r++, row += stride) {
        _Pragma("GCC unroll 4") for (int v = block; v < vectors; v++)
        {
            const vec4 x = *(const vec4 *)(row + LANES * v);
            _Pragma("GCC unroll 4") for (int j = 0; j < LANES; j++) sum[j][v] += x * row[LANES * block + j];
        }
    }
    _Pragma("GCC unroll 4") for (int j = 0; j < LANES; j++)
    {
        _Pragma("GCC unroll 4") for (int v = block; v < vectors; v++) *
            (vec4 *)(K + (LANES * block + j) * stride + LANES * v) = sum[j][v];
    }
}

CD_VECTOR_CLONES void cd_gram_square(int32_t height, int32_t stride, const double *rows, double *K)
{
    switch (stride / LANES) {
    case 1:
        four_columns(height, rows, K, 1, 0);
        break;
    case 2:
        four_columns(height, rows, K, 2, 0);
        four_columns(height, rows, K, 2, 1);
        break;
    case 3:
        four_columns(height, rows, K, 3, 0);
        four_columns(height, rows, K, 3, 1);
        four_columns(height, rows, K, 3, 2);
        break;
    default:
        four_columns(height, rows, K, 4, 0);
        four_columns(height, rows, K, 4, 1);
        four_columns(height, rows, K, 4, 2);
        four_columns(height, rows, K, 4, 3);
    }
}
