// SPDX-License-Identifier: MIT
#include "gram_front.h"

#include "cd_vector.h"
#include "lcp_vector.h"

#include <math.h>
#include <stddef.h>

typedef double vec8 __attribute__((vector_size(64), aligned(8), may_alias));

// A panel of columns is factored before the rest of the front is touched: so many that it is read often, and so few
// that a tile's share of it stays in the cache.
enum { PANEL = 48, TILE_ROWS = 16, TILE_COLUMNS = 4 };

// Rows and columns that no whole tile covers; l is row 0 of the panel.
typedef struct patch {
    int32_t i, height, j, width;
} patch;

static inline void subtract_patch(double *a, size_t stride, const double *l, int32_t depth, patch t)
{
    for (int32_t j = t.j; j < t.j + t.width; j++) {
        for (int32_t i = t.i; i < t.i + t.height; i++) {
            double sum = 0;
            for (int32_t k = 0; k < depth; k++)
                sum += l[(size_t)k * stride + (size_t)i] * l[(size_t)k * stride + (size_t)j];
            a[(size_t)j * stride + (size_t)i] -= sum;
        }
    }
}

static inline __attribute__((always_inline)) void tile(double *a, size_t stride, const double *l, int32_t i, int32_t j,
                                                       int32_t depth)
{
    vec8 s00 = {0}, s01 = {0}, s10 = {0}, s11 = {0}, s20 = {0}, s21 = {0}, s30 = {0}, s31 = {0};
    for (int32_t k = 0; k < depth; k++) {
        const double *column = l + (size_t)k * stride, *b = column + j;
        const vec8 x = *(const vec8 *)(column + i), y = *(const vec8 *)(column + i + 8);
        s00 += x * b[0];
        s01 += y * b[0];
        s10 += x * b[1];
        s11 += y * b[1];
        s20 += x * b[2];
        s21 += y * b[2];
        s30 += x * b[3];
        s31 += y * b[3];
    }
    double *out = a + (size_t)j * stride + (size_t)i;
    *(vec8 *)out -= s00;
    *(vec8 *)(out + 8) -= s01;
    *(vec8 *)(out + stride) -= s10;
    *(vec8 *)(out + stride + 8) -= s11;
    *(vec8 *)(out + 2 * stride) -= s20;
    *(vec8 *)(out + 2 * stride + 8) -= s21;
    *(vec8 *)(out + 3 * stride) -= s30;
    *(vec8 *)(out + 3 * stride + 8) -= s31;
}

// Rows and columns from `begin` on lose L L' of the panel.
CD_VECTOR_CLONES static void subtract_panel(int32_t n, int32_t begin, double *a, size_t stride, const double *l,
                                            int32_t depth)
{
    int32_t j = begin;
    for (; j + TILE_COLUMNS <= n; j += TILE_COLUMNS) {
        int32_t i = j;
        for (; i + TILE_ROWS <= n; i += TILE_ROWS)
            tile(a, stride, l, i, j, depth);
        if (i < n)
            subtract_patch(a, stride, l, depth, (patch){i, n - i, j, TILE_COLUMNS});
    }
    if (j < n)
        subtract_patch(a, stride, l, depth, (patch){j, n - j, j, n - j});
}

int32_t cd_front_factor(int32_t n, int32_t p, double *a, int32_t stride, const double *floor)
{
    int32_t raised = 0;
    for (int32_t begin = 0; begin < p; begin += PANEL) {
        const int32_t end = begin + PANEL < p ? begin + PANEL : p;
        for (int32_t k = begin; k < end; k++) {
            double *column = a + (size_t)k * (size_t)stride;
            double pivot = column[k];
            if (floor && !(pivot > floor[k])) {
                pivot = floor[k];
                raised++;
            }
            column[k] = sqrt(pivot);
            const double inverse = 1 / column[k];
            for (int32_t i = k + 1; i < n; i++)
                column[i] *= inverse;
            for (int32_t j = k + 1; j < end; j++) {
                double *other = a + (size_t)j * (size_t)stride;
                cd_vector_subtract(other + j, column[j], column + j, n - j);
            }
        }
        if (end < n)
            subtract_panel(n, end, a, (size_t)stride, a + (size_t)begin * (size_t)stride, end - begin);
    }
    return raised;
}

void cd_front_forward(int32_t n, int32_t p, const double *l, int32_t stride, double *x)
{
    for (int32_t k = 0; k < p; k++) {
        const double *column = l + (size_t)k * (size_t)stride;
        x[k] /= column[k];
        cd_vector_subtract(x + k + 1, x[k], column + k + 1, n - k - 1);
    }
}

void cd_front_backward(int32_t n, int32_t p, const double *l, int32_t stride, double *x)
{
    for (int32_t k = p - 1; k >= 0; k--) {
        const double *column = l + (size_t)k * (size_t)stride;
        x[k] = (x[k] - cd_vector_dot(column + k + 1, x + k + 1, n - k - 1)) / column[k];
    }
}
