// SPDX-License-Identifier: MIT
#include "gram_cross.h"

#include "cd_vector.h"
#include "gram_fronts.h"

enum { LANES = 4, TOGETHER = 4 };  // doubles of a vector; pivots that are taken at once

typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));

// The right sides in the order of their fronts: front f meets those from low[f] to high[f]. What they have in a column
// stands from x + at[column] on, and has room for whole vectors from any of them on: entries behind a front's last
// right side belong to others or to none, and lose 0.
typedef struct cross {
    const cd_gram *m;
    int32_t count;
    int32_t *order, *front_of;  // of each group: its front
    int32_t *low, *high;        // of each front
    int32_t *pivot_front;       // of each column: the front that eliminates it
    int64_t *at;
    double *x, *sum;
    int32_t sum_stride;
} cross;

static int32_t whole(int32_t count) { return (count + LANES - 1) / LANES * LANES; }

static void find_fronts(cross *c, cd_arena *scratch)
{
    const cd_gram *m = c->m;
    c->front_of = CD_ARENA_ZARRAY(scratch, int32_t, m->groups->count);  // one without columns adds nothing anywhere
    c->pivot_front = CD_ARENA_ARRAY(scratch, int32_t, m->groups->columns);
    for (int32_t f = 0; f < m->count; f++) {
        for (int32_t k = m->group_at[f]; k < m->group_at[f + 1]; k++)
            c->front_of[m->group[k]] = f;
        for (int32_t k = m->first[f]; k < m->first[f] + m->pivots[f]; k++)
            c->pivot_front[m->column[k]] = f;
    }
}

// Counted by fronts; those of one front stay in their order. Fronts come after all that are below them, so these are
// the ones right before.
static void sort_rows(cross *c, const cd_gram_row *row, cd_arena *scratch)
{
    const cd_gram *m = c->m;
    int32_t *begin = CD_ARENA_ZARRAY(scratch, int32_t, (size_t)m->count + 1), *least = c->low;
    for (int32_t k = 0; k < c->count; k++)
        begin[c->front_of[row[k].group] + 1]++;
    for (int32_t f = 0; f < m->count; f++) {
        begin[f + 1] += begin[f];
        c->high[f] = begin[f + 1];
        least[f] = begin[f];
    }
    for (int32_t f = 0; f < m->count; f++) {
        const int32_t up = m->parent[f];
        if (up >= 0 && least[f] < least[up])
            least[up] = least[f];
    }
    for (int32_t k = 0; k < c->count; k++)
        c->order[begin[c->front_of[row[k].group]]++] = k;
}

// X := V'.
static void spread(cross *c, const cd_gram_row *row, cd_arena *scratch)
{
    const cd_gram *m = c->m;
    int64_t size = 0;
    for (int32_t f = 0; f < m->count; f++) {
        const int32_t met = c->high[f] - c->low[f];
        for (int32_t k = m->first[f]; k < m->first[f] + m->pivots[f] && met > 0; k++) {
            c->at[m->column[k]] = size;
            size += whole(met) + LANES;
        }
    }
    c->x = CD_ARENA_ZARRAY(scratch, double, size);
    for (int32_t k = 0; k < c->count; k++) {
        const cd_gram_row *from = &row[c->order[k]];
        const int32_t *col = m->groups->col + m->groups->first[from->group],
                      width = m->groups->first[from->group + 1] - m->groups->first[from->group];
        for (int32_t i = 0; i < width; i++)
            c->x[c->at[col[i]] + k - c->low[c->pivot_front[col[i]]]] = from->value[i];
    }
}

// What the right sides of front f have in its column k.
static inline __attribute__((always_inline)) double *entries(const cross *c, int32_t f, int32_t k)
{
    const int32_t column = c->m->column[c->m->first[f] + k];
    return c->x + c->at[column] + (c->low[f] - c->low[c->pivot_front[column]]);
}

// to[r] -= sum_j factor[j][r] from[j] for one or two rows r, the first `count` of whole vectors.
static inline __attribute__((always_inline)) void
subtract(int32_t count, int pivots, int rows, double factor[TOGETHER][2], double *const *from, double *const to[2])
{
    for (int32_t k = 0; k < count; k += LANES) {
        vec4 sum[2] = {{0}};
        _Pragma("GCC unroll 4") for (int j = 0; j < pivots; j++)
        {
            const vec4 x = *(const vec4 *)(from[j] + k);
            sum[0] += x * factor[j][0];
            if (rows > 1)
                sum[1] += x * factor[j][1];
        }
        *(vec4 *)(to[0] + k) -= sum[0];
        if (rows > 1)
            *(vec4 *)(to[1] + k) -= sum[1];
    }
}

// Some pivots of front f from `first` on: X of its other columns loses theirs.
static inline __attribute__((always_inline)) void eliminate(const cross *c, int32_t f, int32_t first, int pivots,
                                                            const double *inverse, double **from)
{
    const int32_t n = cd_gram_size(c->m, f), met = c->high[f] - c->low[f], stride = cd_front_rows(n);
    const double *panel = c->m->panel + c->m->panel_at[f] + (size_t)first * (size_t)stride;
    double factor[TOGETHER][2] = {{0}}, *to[2];
    for (int j = 0; j < pivots; j++) {
        to[0] = from[j] = entries(c, f, first + j);
        for (int i = 0; i < j; i++)
            factor[i][0] = panel[(size_t)i * (size_t)stride + (size_t)(first + j)];
        subtract(j > 0 ? met : 0, j, 1, factor, from, to);
        for (int32_t k = 0; k < met; k++)
            from[j][k] *= inverse[first + j];
    }
    int32_t i = first + pivots;
    for (; i + 2 <= n; i += 2) {
        for (int r = 0; r < 2; r++) {
            to[r] = entries(c, f, i + r);
            for (int j = 0; j < pivots; j++)
                factor[j][r] = panel[(size_t)j * (size_t)stride + (size_t)(i + r)];
        }
        subtract(met, pivots, 2, factor, from, to);
    }
    if (i < n) {
        to[0] = entries(c, f, i);
        for (int j = 0; j < pivots; j++)
            factor[j][0] = panel[(size_t)j * (size_t)stride + (size_t)i];
        subtract(met, pivots, 1, factor, from, to);
    }
}

// The sum over some pivots of what two right sides have there: from the diagonal on, in whole vectors, LANES rows at
// once.
static inline __attribute__((always_inline)) void add_products(const cross *c, int32_t f, int pivots,
                                                               double *const *from)
{
    const int32_t met = c->high[f] - c->low[f];
    const size_t stride = (size_t)c->sum_stride;
    for (int32_t i = 0; i < met; i += LANES) {
        double *to = c->sum + (size_t)(c->low[f] + i) * stride + c->low[f];
        for (int32_t k = i; k < met; k += LANES) {
            vec4 sum[LANES] = {{0}};
            _Pragma("GCC unroll 4") for (int j = 0; j < pivots; j++)
            {
                const vec4 x = *(const vec4 *)(from[j] + k);
                _Pragma("GCC unroll 4") for (int r = 0; r < LANES; r++) sum[r] += x * from[j][i + r];
            }
            _Pragma("GCC unroll 4") for (int r = 0; r < LANES; r++) * (vec4 *)(to + (size_t)r * stride + k) += sum[r];
        }
    }
}

CD_VECTOR_CLONES static void work_off(const cross *c)
{
    const double *inverse = c->m->inverse;
    for (int32_t f = 0; f < c->m->count; inverse += c->m->pivots[f++]) {
        double *from[TOGETHER];
        for (int32_t j = 0; j < c->m->pivots[f] && c->high[f] > c->low[f]; j += TOGETHER) {
            if (j + TOGETHER <= c->m->pivots[f]) {
                eliminate(c, f, j, TOGETHER, inverse, from);
                add_products(c, f, TOGETHER, from);
            } else {
                eliminate(c, f, j, c->m->pivots[f] - j, inverse, from);
                add_products(c, f, c->m->pivots[f] - j, from);
            }
        }
    }
}

void cd_gram_cross(const cd_gram *m, const cd_gram_row *row, int32_t count, double *S, cd_arena *scratch)
{
    if (m->count == 0) {
        memset(S, 0, sizeof *S * (size_t)count * (size_t)count);
        return;
    }
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cross c = {.m = m,
               .count = count,
               .order = CD_ARENA_ARRAY(scratch, int32_t, count),
               .low = CD_ARENA_ARRAY(scratch, int32_t, m->count),
               .high = CD_ARENA_ARRAY(scratch, int32_t, m->count),
               .at = CD_ARENA_ARRAY(scratch, int64_t, m->groups->columns),
               .sum_stride = whole(count) + LANES};
    c.sum = CD_ARENA_ZARRAY(scratch, double, (size_t)(count + LANES) * (size_t)c.sum_stride);
    find_fronts(&c, scratch);
    sort_rows(&c, row, scratch);
    spread(&c, row, scratch);
    work_off(&c);
    for (int32_t i = 0; i < count; i++) {
        const double *from = c.sum + (size_t)i * (size_t)c.sum_stride;
        for (int32_t k = i; k < count; k++)
            S[(size_t)c.order[i] * (size_t)count + (size_t)c.order[k]] =
                S[(size_t)c.order[k] * (size_t)count + (size_t)c.order[i]] = from[k];
    }
    cd_arena_rewind(scratch, mark);
}
