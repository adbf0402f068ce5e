// SPDX-License-Identifier: MIT
#include "lcp_dense.h"

#include <float.h>
#include <math.h>

// Four doubles at a time: one AVX register or two SSE2 or NEON ones. Every entry goes through the same operations in
// the same order whatever the width, and contraction is off, so the bytes do not depend on the machine's vectors.
typedef double vec4 __attribute__((vector_size(32), may_alias));

static void subtract4(double *restrict row, const double *f, const double *restrict v, int32_t stride)
{
    vec4 *r = (vec4 *)row;
    const vec4 *v0 = (const vec4 *)v, *v1 = (const vec4 *)(v + stride), *v2 = (const vec4 *)(v + 2 * (size_t)stride),
               *v3 = (const vec4 *)(v + 3 * (size_t)stride);
    const double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3];
    for (int32_t j = 0; j < stride / 4; j++)
        r[j] = r[j] - f0 * v0[j] - f1 * v1[j] - f2 * v2[j] - f3 * v3[j];
}

static void subtract1(double *restrict row, double f, const double *restrict v, int32_t stride)
{
    vec4 *r = (vec4 *)row;
    const vec4 *v0 = (const vec4 *)v;
    for (int32_t j = 0; j < stride / 4; j++)
        r[j] = r[j] - f * v0[j];
}

void cd_dense_subtract_rows(double *row, const double *coefficient, int32_t count, const double *v, int32_t stride)
{
    int32_t k = 0;
    for (; k + 4 <= count; k += 4) {
        const double *f = coefficient + k;
        if (f[0] != 0 && f[1] != 0 && f[2] != 0 && f[3] != 0) {
            subtract4(row, f, v + (size_t)k * stride, stride);
            continue;
        }
        for (int32_t s = 0; s < 4; s++) {
            if (f[s] != 0)
                subtract1(row, f[s], v + (size_t)(k + s) * stride, stride);
        }
    }
    for (; k < count; k++) {
        if (coefficient[k] != 0)
            subtract1(row, coefficient[k], v + (size_t)k * stride, stride);
    }
}

static void swap_rows(cd_lu *lu, int32_t i, int32_t k)
{
    double *a = lu->a + (size_t)i * lu->stride, *b = lu->a + (size_t)k * lu->stride;
    for (int32_t j = 0; j < lu->n; j++) {
        double t = a[j];
        a[j] = b[j];
        b[j] = t;
    }
    int32_t t = lu->order[i];
    lu->order[i] = lu->order[k];
    lu->order[k] = t;
}

// Columns [first, last) of all rows below `first`: multipliers into L, the columns of the panel itself updated.
static bool factor_panel(cd_lu *lu, int32_t first, int32_t last, double least)
{
    const size_t stride = (size_t)lu->stride;
    for (int32_t k = first; k < last; k++) {
        int32_t best = k;
        for (int32_t i = k + 1; i < lu->n; i++) {
            if (fabs(lu->a[i * stride + k]) > fabs(lu->a[best * stride + k]))
                best = i;
        }
        if (!(fabs(lu->a[best * stride + k]) > least))
            return false;
        if (best != k)
            swap_rows(lu, best, k);
        const double *pivot_row = lu->a + k * stride;
        for (int32_t i = k + 1; i < lu->n; i++) {
            double *row = lu->a + i * stride;
            if (row[k] == 0)
                continue;
            row[k] /= pivot_row[k];
            for (int32_t j = k + 1; j < last; j++)
                row[j] -= row[k] * pivot_row[j];
        }
    }
    return true;
}

bool cd_lu_factor(cd_lu *lu, int32_t n, double *a, cd_arena *arena)
{
    *lu = (cd_lu){.n = n, .stride = cd_dense_stride(n), .a = a, .order = CD_ARENA_ARRAY(arena, int32_t, n)};
    const size_t stride = (size_t)lu->stride;
    double largest = 0;
    for (int32_t i = 0; i < n; i++) {
        lu->order[i] = i;
        for (int32_t j = 0; j < n; j++) {
            const double size = fabs(a[i * stride + j]);
            largest = size > largest ? size : largest;
        }
    }
    if (!isfinite(largest))
        return false;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    double *panel = CD_ARENA_ARRAY(arena, double, (size_t)CD_DENSE_BLOCK *stride);
    bool regular = true;
    for (int32_t first = 0; first < n && regular; first += CD_DENSE_BLOCK) {
        int32_t last = first + CD_DENSE_BLOCK < n ? first + CD_DENSE_BLOCK : n, count = last - first;
        regular = factor_panel(lu, first, last, n * DBL_EPSILON * largest);
        if (!regular || last == n)
            break;
        // Rows of the panel right of it: solved with the panel's unit triangle, one after the other, then packed.
        int32_t width = lu->stride - last;  // `last` is a multiple of the block here, so rows stay aligned
        for (int32_t k = 0; k < count; k++) {
            double *row = a + (first + k) * stride;
            cd_dense_subtract_rows(row + last, row + first, k, panel, width);
            memcpy(panel + (size_t)k * width, row + last, sizeof *row * (size_t)width);
        }
        for (int32_t i = last; i < n; i++)
            cd_dense_subtract_rows(a + i * stride + last, a + i * stride + first, count, panel, width);
    }
    cd_arena_rewind(arena, mark);
    return regular;
}

void cd_lu_solve(const cd_lu *lu, const double *b, double *x)
{
    const size_t stride = (size_t)lu->stride;
    for (int32_t i = 0; i < lu->n; i++) {
        const double *row = lu->a + i * stride;
        double sum = b[lu->order[i]];
        for (int32_t j = 0; j < i; j++)
            sum -= row[j] * x[j];
        x[i] = sum;
    }
    for (int32_t i = lu->n - 1; i >= 0; i--) {
        const double *row = lu->a + i * stride;
        double sum = x[i];
        for (int32_t j = i + 1; j < lu->n; j++)
            sum -= row[j] * x[j];
        x[i] = sum / row[i];
    }
}
