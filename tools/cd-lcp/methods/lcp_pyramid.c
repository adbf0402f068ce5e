// SPDX-License-Identifier: MIT
#include "lcp_pyramid.h"

#include <math.h>

extern const cd_lcp_solver cd_lcp_solver_ladder;

// Column k of the new problem acts as direction (a, b) in the rows i, j of the old one (j = -1: a alone); slips act on
// nothing.
typedef struct column {
    int32_t i, j;  // i = -1: a slip
    double a, b;
    int32_t slip;    // of an impulse on a disc: its slip's column; else -1
    int32_t normal;  // of a slip: the row of the normal impulse, in the old problem
    double mu;       // of a slip
} column;

static int32_t sides_of(const cd_lcp_structure *s, int32_t i) { return s->partner[i] < 0 ? 2 : CD_PYRAMID_SIDES; }

// Whether the disc that starts at row i gets a pyramid: all do, or with `closed` those alone whose normal impulse there
// is positive.
static bool has_pyramid(const cd_lcp_structure *s, int32_t i, const double *closed)
{
    return cd_lcp_is_tangent(s, i) && (s->partner[i] < 0 || s->partner[i] > i) && (!closed || closed[s->normal[i]] > 0);
}

static int32_t count_columns(const cd_lcp_structure *s, const double *closed)
{
    int32_t count = 0;
    for (int32_t i = 0; i < s->n; i++)
        count += !cd_lcp_is_tangent(s, i) ? 1 : has_pyramid(s, i, closed) ? sides_of(s, i) + 1 : 0;
    return count;
}

static void list_columns(const cd_lcp_structure *s, const double *closed, column *list, int32_t *place)
{
    int32_t count = 0;
    for (int32_t i = 0; i < s->n; i++) {
        place[i] = -1;
        if (!cd_lcp_is_tangent(s, i)) {
            place[i] = count;
            list[count++] = (column){.i = i, .j = -1, .a = 1, .slip = -1};
            continue;
        }
        if (!has_pyramid(s, i, closed))
            continue;
        const int32_t sides = sides_of(s, i), slip = count + sides;
        for (int32_t k = 0; k < sides; k++) {
            const double turn = 2 * M_PI * k / sides;
            list[count++] = (column){.i = i,
                                     .j = s->partner[i],
                                     .a = sides == 2 ? 1 - 2 * k : cos(turn),
                                     .b = sides == 2 ? 0 : sin(turn),
                                     .slip = slip};
        }
        list[count++] = (column){.i = -1, .j = -1, .slip = -1, .normal = s->normal[i], .mu = s->mu[i]};
    }
}

static double entry_of(const cd_lcp *S, const column *row, const column *col)
{
    const double *M = S->M;
    const size_t n = (size_t)S->n;
    double sum = row->a * col->a * M[row->i * n + col->i];
    if (col->j >= 0)
        sum += row->a * col->b * M[row->i * n + col->j];
    if (row->j >= 0)
        sum += row->b * col->a * M[row->j * n + col->i];
    if (row->j >= 0 && col->j >= 0)
        sum += row->b * col->b * M[row->j * n + col->j];
    return sum;
}

bool cd_lcp_pyramid_start(const cd_lcp_structure *s, const cd_lcp_options *options, const double *best, double *y,
                          int64_t *iterations, cd_arena *scratch)
{
    const double *closed = count_columns(s, NULL) > CD_PYRAMID_ROWS ? best : NULL;
    const int32_t n = count_columns(s, closed);
    if (n > CD_PYRAMID_ROWS || s->room || !cd_lcp_dense_fits(s->n, options))
        return false;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    column *list = CD_ARENA_ARRAY(scratch, column, n);
    int32_t *place = CD_ARENA_ARRAY(scratch, int32_t, s->n);
    list_columns(s, closed, list, place);
    // The problem with a pyramid in the place of each disc.
    cd_lcp S = cd_lcp_structure_to_dense(s, scratch);
    double *M = CD_ARENA_ZARRAY(scratch, double, (size_t)n *(size_t)n), *q = CD_ARENA_ZARRAY(scratch, double, n);
    for (int32_t r = 0; r < n; r++) {
        const column *row = &list[r];
        double *out = M + (size_t)r * (size_t)n;
        if (row->i < 0) {
            out[place[row->normal]] = row->mu;
            for (int32_t c = 0; c < n; c++) {
                if (list[c].slip == r)
                    out[c] = -1;
            }
            continue;
        }
        q[r] = row->a * s->q[row->i] + (row->j >= 0 ? row->b * s->q[row->j] : 0);
        for (int32_t c = 0; c < n; c++) {
            if (list[c].i >= 0)
                out[c] = entry_of(&S, row, &list[c]);
        }
        if (row->slip >= 0)
            out[row->slip] = 1;
    }
    // Its solution, and back to discs.
    cd_lcp lcp = {.n = n, .M = M, .q = q};
    cd_lcp_options inner = {
        .tolerance = CD_LCP_TOLERANCE, .seed = options->seed, .max_dense = options->max_dense, .is_rounded = true};
    cd_lcp_result result = cd_lcp_solve(&cd_lcp_solver_ladder, &lcp, &inner, scratch);
    *iterations += result.iterations;
    if (result.status == CD_LCP_SOLVED) {
        memset(y, 0, sizeof *y * (size_t)s->n);
        for (int32_t c = 0; c < n; c++) {
            if (list[c].i >= 0)
                y[list[c].i] += list[c].a * result.z[c];
            if (list[c].i >= 0 && list[c].j >= 0)
                y[list[c].j] += list[c].b * result.z[c];
        }
    }
    cd_arena_rewind(scratch, mark);
    return result.status == CD_LCP_SOLVED;
}
