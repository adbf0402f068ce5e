// SPDX-License-Identifier: MIT
#include "cone_root.h"

#include "cone_span.h"
#include "lcp_vector.h"

#include <float.h>
#include <math.h>

// What rounding leaves of an entry of the rest, as part of the largest diagonal entry and a row.
#define REST_MOST (16 * DBL_EPSILON)
// Dense is quicker on fewer rows than these and where more than this part of all entries is there.
enum { SPARSE_ROWS = 300, SPARSE_PART = 5 };
enum { DENSE_COPIES = 5 };  // of n x n doubles, made of a dense matrix on the way

// C - G G', of the pivots so far: `rest` holds it, the columns of G stand at the places of the pivots.
typedef struct elimination {
    int32_t n, rank;
    double *a;  // n x n
    bool *is_pivot;
    int32_t *pivot;
    double *column;  // of the pivot at hand; 0 at pivots
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

// Column p of G, and what it takes off the rest: whole rows, in which those of pivots have nothing to take.
static void eliminate(elimination *e, int32_t p)
{
    const size_t n = (size_t)e->n;
    const double root = sqrt(e->a[(size_t)p * n + (size_t)p]);
    e->is_pivot[p] = true;
    e->pivot[e->rank++] = p;
    e->a[(size_t)p * n + (size_t)p] = root;
    for (size_t i = 0; i < n; i++) {
        e->column[i] = e->is_pivot[i] ? 0 : e->a[i * n + (size_t)p] / root;
        if (!e->is_pivot[i])
            e->a[i * n + (size_t)p] = e->column[i];
    }
    for (size_t i = 0; i < n; i++) {
        if (e->column[i] != 0)
            cd_vector_subtract(e->a + i * n, e->column[i], e->column, e->n);
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

static cd_cone_root_status factor_dense(const cd_lcp_structure *s, int64_t most_bytes, cd_cone_root *out,
                                        cd_arena *arena)
{
    const size_t n = (size_t)s->n;
    if ((int64_t)s->n * s->n > most_bytes / (int64_t)(DENSE_COPIES * sizeof(double)))
        return CD_CONE_TOO_LARGE;
    cd_arena scratch = {0};
    elimination e = {.n = s->n,
                     .a = CD_ARENA_ZARRAY(&scratch, double, n *n),
                     .is_pivot = CD_ARENA_ZARRAY(&scratch, bool, n),
                     .pivot = CD_ARENA_ARRAY(&scratch, int32_t, n),
                     .column = CD_ARENA_ARRAY(&scratch, double, n)};
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
    return is_semidefinite ? CD_CONE_ROOT : CD_CONE_INDEFINITE;
}

// ---- sparse --------------------------------------------------------------------------------------------------------

static bool is_sparse(const cd_lcp_structure *s)
{
    return s->n >= SPARSE_ROWS && (int64_t)s->direct.first[s->n] * SPARSE_PART <= (int64_t)s->n * s->n;
}

static bool has_cone(const cd_lcp_structure *s, int32_t i)
{
    const int32_t normal = cd_lcp_head(s, i);
    return s->diagonal[normal] > 0 && (normal == i || s->mu[i] > 0);
}

// Row i of C at the pivots, times their scales. place: of each row its pivot, or -1.
static void add_row(const cd_lcp_structure *s, int32_t i, const int32_t *place, const double *scale, cd_lcp_rows *out,
                    int32_t *count)
{
    for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++) {
        const int32_t p = place[s->direct.col[k]];
        if (p < 0 || s->direct.value[k] == 0)
            continue;
        out->col[*count] = p;
        out->value[(*count)++] = s->direct.value[k] * scale[p];
    }
}

// Rows of the mass: those of the pivots, scaled, below the diagonal.
static cd_lcp_rows mass_of(const cd_cone_root *root, const int32_t *pivot, const double *scale, cd_arena *arena)
{
    int32_t most = 0, count = 0;
    for (int32_t p = 0; p < root->columns; p++)
        most += root->rows.first[pivot[p] + 1] - root->rows.first[pivot[p]];
    cd_lcp_rows out = {CD_ARENA_ZARRAY(arena, int32_t, (size_t)root->columns + 1), CD_ARENA_ARRAY(arena, int32_t, most),
                       CD_ARENA_ARRAY(arena, double, most)};
    for (int32_t p = 0; p < root->columns; p++) {
        for (int32_t k = root->rows.first[pivot[p]]; k < root->rows.first[pivot[p] + 1]; k++) {
            if (root->rows.col[k] >= p)
                continue;
            out.col[count] = root->rows.col[k];
            out.value[count++] = scale[p] * root->rows.value[k];
        }
        out.first[p + 1] = count;
    }
    return out;
}

static cd_cone_root_status take_columns(const cd_lcp_structure *s, int64_t most, cd_cone_root *out, cd_arena *arena)
{
    const size_t n = (size_t)s->n;
    bool *is_used = CD_ARENA_ARRAY(arena, bool, n);
    int32_t *pivot = CD_ARENA_ARRAY(arena, int32_t, n), *place = CD_ARENA_ARRAY(arena, int32_t, n), count = 0;
    for (int32_t i = 0; i < s->n; i++) {
        is_used[i] = has_cone(s, i);
        place[i] = -1;
    }
    const cd_cone_root_status status = cd_cone_span(s, is_used, most, pivot, &out->columns, arena);
    if (status != CD_CONE_ROOT)
        return status;
    double *scale = CD_ARENA_ARRAY(arena, double, out->columns);
    for (int32_t p = 0; p < out->columns; p++) {
        place[pivot[p]] = p;
        scale[p] = 1 / sqrt(cd_cone_diagonal(s, pivot[p]));
    }
    out->rows =
        (cd_lcp_rows){CD_ARENA_ZARRAY(arena, int32_t, n + 1), CD_ARENA_ARRAY(arena, int32_t, s->direct.first[n]),
                      CD_ARENA_ARRAY(arena, double, s->direct.first[n])};
    for (int32_t i = 0; i < s->n; i++) {
        if (is_used[i])
            add_row(s, i, place, scale, &out->rows, &count);
        out->rows.first[i + 1] = count;
    }
    out->mass = mass_of(out, pivot, scale, arena);
    return CD_CONE_ROOT;
}

cd_cone_root_status cd_cone_root_make(const cd_lcp_structure *s, int64_t most, cd_cone_root *out, cd_arena *arena)
{
    *out = (cd_cone_root){0};
    if (!s->is_semidefinite)
        return is_sparse(s) ? take_columns(s, most, out, arena) : factor_dense(s, most, out, arena);
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
    return CD_CONE_ROOT;
}
