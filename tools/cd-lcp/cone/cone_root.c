// SPDX-License-Identifier: MIT
#include "cone_root.h"

#include <float.h>
#include <math.h>

// What rounding leaves of an entry of the rest, as part of the largest diagonal entry and a row.
#define REST_MOST (16 * DBL_EPSILON)

// C - G G', of the pivots so far: `rest` holds it, the columns of G stand at the places of the pivots.
typedef struct elimination {
    int32_t n, rank;
    double *a;  // n x n
    bool *is_pivot;
    int32_t *pivot;
} elimination;

static int32_t largest_diagonal(const elimination *e)
{
    int32_t at = -1;
    for (int32_t i = 0; i < e->n; i++) {
        if (!e->is_pivot[i] && (at < 0 || e->a[(size_t)i * e->n + i] > e->a[(size_t)at * e->n + at]))
            at = i;
    }
    return at;
}

static void eliminate(elimination *e, int32_t p)
{
    const size_t n = (size_t)e->n;
    const double root = sqrt(e->a[(size_t)p * n + (size_t)p]);
    e->is_pivot[p] = true;
    e->pivot[e->rank++] = p;
    e->a[(size_t)p * n + (size_t)p] = root;
    for (size_t i = 0; i < n; i++) {
        if (!e->is_pivot[i])
            e->a[i * n + (size_t)p] /= root;
    }
    for (size_t i = 0; i < n; i++) {
        const double f = e->a[i * n + (size_t)p];
        for (size_t j = 0; j < n && !e->is_pivot[i]; j++) {
            if (!e->is_pivot[j])
                e->a[i * n + j] -= f * e->a[j * n + (size_t)p];
        }
    }
}

static bool is_nothing(const elimination *e, double most)
{
    for (int32_t i = 0; i < e->n; i++) {
        for (int32_t j = 0; j < e->n && !e->is_pivot[i]; j++) {
            if (!e->is_pivot[j] && fabs(e->a[(size_t)i * e->n + j]) > most)
                return false;
        }
    }
    return true;
}

// Row i of G: entries of the pivots up to its own.
static void write_rows(const elimination *e, cd_cone_root *out, cd_arena *arena)
{
    const size_t n = (size_t)e->n, most = n * (size_t)e->rank;
    out->columns = e->rank;
    out->rows = (cd_lcp_rows){CD_ARENA_ZARRAY(arena, int32_t, n + 1), CD_ARENA_ARRAY(arena, int32_t, most),
                              CD_ARENA_ARRAY(arena, double, most)};
    int32_t count = 0;
    for (size_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < e->rank; k++) {
            const size_t p = (size_t)e->pivot[k];
            if (e->a[i * n + p] != 0) {
                out->rows.col[count] = k;
                out->rows.value[count++] = e->a[i * n + p];
            }
            if (p == i)
                break;
        }
        out->rows.first[i + 1] = count;
    }
}

static bool factor_dense(const cd_lcp_structure *s, cd_cone_root *out, cd_arena *arena)
{
    const size_t n = (size_t)s->n;
    cd_arena scratch = {0};
    elimination e = {.n = s->n,
                     .a = CD_ARENA_ZARRAY(&scratch, double, n *n),
                     .is_pivot = CD_ARENA_ZARRAY(&scratch, bool, n),
                     .pivot = CD_ARENA_ARRAY(&scratch, int32_t, n)};
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++) {
            e.a[i * n + (size_t)s->direct.col[k]] = s->direct.value[k];
            largest = fmax(largest, fabs(s->direct.value[k]));
        }
    }
    const double most = REST_MOST * (double)n * largest;
    for (int32_t p = largest_diagonal(&e); p >= 0 && e.a[(size_t)p * n + (size_t)p] > most; p = largest_diagonal(&e))
        eliminate(&e, p);
    const bool is_semidefinite = is_nothing(&e, most);
    if (is_semidefinite)
        write_rows(&e, out, arena);
    cd_arena_release(&scratch);
    return is_semidefinite;
}

bool cd_cone_root_make(const cd_lcp_structure *s, cd_cone_root *out, cd_arena *arena)
{
    if (!s->is_semidefinite)
        return factor_dense(s, out, arena);
    out->columns = 0;
    out->rows = (cd_lcp_rows){CD_ARENA_ZARRAY(arena, int32_t, (size_t)s->n + 1), CD_ARENA_ARRAY(arena, int32_t, s->n),
                              CD_ARENA_ARRAY(arena, double, s->n)};
    for (int32_t i = 0; i < s->n; i++) {
        double sum = 0;
        for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++)
            sum += s->direct.value[k];
        if (sum > 0) {
            out->rows.col[out->columns] = out->columns;
            out->rows.value[out->columns++] = sqrt(sum);
        }
        out->rows.first[i + 1] = out->columns;
    }
    return true;
}
