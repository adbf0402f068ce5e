// SPDX-License-Identifier: MIT
#include "lcp_polish.h"

#include "lcp_dense.h"

#include <math.h>

enum { REFINEMENTS = 1 };  // one step makes LU with partial pivoting backward stable in practice (Higham 2002, 12.2)

bool cd_lcp_resolve(const cd_lcp *lcp, const bool *active, double *z, cd_arena *scratch)
{
    const int32_t n = lcp->n;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    // The rows and columns of the active set.
    int32_t *index = CD_ARENA_ARRAY(scratch, int32_t, n), count = 0;
    for (int32_t i = 0; i < n; i++) {
        if (active[i])
            index[count++] = i;
    }
    const size_t stride = (size_t)cd_dense_stride(count);
    double *a = CD_ARENA_ZARRAY(scratch, double, (size_t)count *stride);
    for (int32_t i = 0; i < count; i++) {
        const double *row = lcp->M + (size_t)index[i] * (size_t)n;
        for (int32_t j = 0; j < count; j++)
            a[i * stride + j] = row[index[j]];
    }
    // Solved, and refined against the residual of the matrix as it was.
    cd_lu lu;
    bool regular = cd_lu_factor(&lu, count, a, scratch);
    if (regular) {
        double *x = CD_ARENA_ARRAY(scratch, double, count), *b = CD_ARENA_ARRAY(scratch, double, count);
        double *dx = CD_ARENA_ARRAY(scratch, double, count);
        for (int32_t i = 0; i < count; i++)
            b[i] = -lcp->q[index[i]];
        cd_lu_solve(&lu, b, x);
        for (int pass = 0; pass < REFINEMENTS; pass++) {
            for (int32_t i = 0; i < count; i++) {
                const double *row = lcp->M + (size_t)index[i] * (size_t)n;
                double sum = -lcp->q[index[i]];
                for (int32_t j = 0; j < count; j++)
                    sum -= row[index[j]] * x[j];
                b[i] = sum;
            }
            cd_lu_solve(&lu, b, dx);
            for (int32_t i = 0; i < count; i++)
                x[i] += dx[i];
        }
        // z stays as it is when the set is singular.
        for (int32_t i = 0; i < count && regular; i++)
            regular = isfinite(x[i]);
        if (regular) {
            memset(z, 0, sizeof *z * (size_t)n);
            for (int32_t i = 0; i < count; i++)
                z[index[i]] = x[i] > 0 ? x[i] : 0;
        }
    }
    cd_arena_rewind(scratch, mark);
    return regular;
}

double cd_lcp_polish(const cd_lcp *lcp, double *z, double tolerance, int steps, int64_t *steps_done, cd_arena *scratch)
{
    const int32_t n = lcp->n;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *w = CD_ARENA_ARRAY(scratch, double, n), *next = CD_ARENA_ARRAY(scratch, double, n);
    bool *active = CD_ARENA_ARRAY(scratch, bool, n);
    double best = cd_lcp_natural_residual(lcp, z, w);
    memcpy(next, z, sizeof *z * (size_t)n);
    for (int step = 0; step < steps && best > tolerance; step++) {
        for (int32_t i = 0; i < n; i++)
            active[i] = next[i] > w[i];
        ++*steps_done;
        if (!cd_lcp_resolve(lcp, active, next, scratch))
            break;
        double residual = cd_lcp_natural_residual(lcp, next, w);
        if (residual < best) {
            best = residual;
            memcpy(z, next, sizeof *z * (size_t)n);
        }
    }
    cd_arena_rewind(scratch, mark);
    return best;
}
