// SPDX-License-Identifier: MIT
#include "gram_cross.h"

#include "cd_vector.h"
#include "gram_fronts.h"

enum { LANES = 4, TOGETHER = 4 };  // doubles of a vector; pivots that are taken at once

typedef double vec4 __attribute__((vector_size(32), aligned(8), may_alias));

// Right sides that were added together, in the order of their fronts: front f meets those from low[f] to high[f]. What
// they have in a column stands from x + at[column] on, and has room for whole vectors from any of them on: entries
// behind a front's last right side belong to others or to none, and lose 0.
typedef struct batch {
    struct batch *before;  // the one that was added before; NULL: this is the first
    int32_t first, count;  // row first + order[k] of S is the k-th of them
    int32_t *order;
    int32_t *low, *high;  // of each front
    int64_t *at;
    double *x;
} batch;

struct cd_gram_cross {
    const cd_gram *m;
    cd_arena *arena;
    int32_t count;
    int32_t *front_of;     // of each group: its front
    int32_t *pivot_front;  // of each column: the front that eliminates it
    int32_t capacity;      // entries from one row of S to the next
    double *S;
    batch *last;
};

// Products of right sides of two batches: the sum over columns of a' b.
typedef struct products {
    const batch *a, *b;  // may be the same
    double *sum;
    int32_t stride;
} products;

static int32_t whole(int32_t count) { return (count + LANES - 1) / LANES * LANES; }

cd_gram_cross *cd_gram_cross_start(const cd_gram *m, cd_arena *arena)
{
    cd_gram_cross *c = CD_ARENA_ZARRAY(arena, cd_gram_cross, 1);
    c->m = m;
    c->arena = arena;
    c->front_of = CD_ARENA_ZARRAY(arena, int32_t, m->groups->count);  // one without columns adds nothing anywhere
    c->pivot_front = CD_ARENA_ARRAY(arena, int32_t, m->groups->columns);
    for (int32_t f = 0; f < m->count; f++) {
        for (int32_t k = m->group_at[f]; k < m->group_at[f + 1]; k++)
            c->front_of[m->group[k]] = f;
        for (int32_t k = m->first[f]; k < m->first[f] + m->pivots[f]; k++)
            c->pivot_front[m->column[k]] = f;
    }
    return c;
}

const double *cd_gram_cross_row(const cd_gram_cross *c, int32_t i) { return c->S + (size_t)i * (size_t)c->capacity; }

// Room for so many rows: at least twice as many as there was.
static void reserve(cd_gram_cross *c, int32_t count)
{
    if (count <= c->capacity)
        return;
    const int32_t capacity = count / 2 < c->capacity ? 2 * c->capacity : count;
    double *S = CD_ARENA_ARRAY(c->arena, double, (size_t)capacity *(size_t)capacity);
    for (int32_t i = 0; i < c->count; i++)
        memcpy(S + (size_t)i * (size_t)capacity, cd_gram_cross_row(c, i), sizeof *S * (size_t)c->count);
    c->capacity = capacity;
    c->S = S;
}

// Counted by fronts; those of one front stay in their order. Fronts come after all that are below them, so these are
// the ones right before.
static void sort_rows(const cd_gram_cross *c, batch *b, const cd_gram_row *row)
{
    const cd_gram *m = c->m;
    cd_arena_mark mark = cd_arena_get_mark(c->arena);
    int32_t *begin = CD_ARENA_ZARRAY(c->arena, int32_t, (size_t)m->count + 1), *least = b->low;
    for (int32_t k = 0; k < b->count; k++)
        begin[c->front_of[row[k].group] + 1]++;
    for (int32_t f = 0; f < m->count; f++) {
        begin[f + 1] += begin[f];
        b->high[f] = begin[f + 1];
        least[f] = begin[f];
    }
    for (int32_t f = 0; f < m->count; f++) {
        const int32_t up = m->parent[f];
        if (up >= 0 && least[f] < least[up])
            least[up] = least[f];
    }
    for (int32_t k = 0; k < b->count; k++)
        b->order[begin[c->front_of[row[k].group]]++] = k;
    cd_arena_rewind(c->arena, mark);
}

// X := V'.
static void spread(const cd_gram_cross *c, batch *b, const cd_gram_row *row)
{
    const cd_gram *m = c->m;
    int64_t size = 0;
    for (int32_t f = 0; f < m->count; f++) {
        const int32_t met = b->high[f] - b->low[f];
        for (int32_t k = m->first[f]; k < m->first[f] + m->pivots[f] && met > 0; k++) {
            b->at[m->column[k]] = size;
            size += whole(met) + LANES;
        }
    }
    b->x = CD_ARENA_ZARRAY(c->arena, double, size);
    for (int32_t k = 0; k < b->count; k++) {
        const cd_gram_row *from = &row[b->order[k]];
        const int32_t *col = m->groups->col + m->groups->first[from->group],
                      width = m->groups->first[from->group + 1] - m->groups->first[from->group];
        for (int32_t i = 0; i < width; i++)
            b->x[b->at[col[i]] + k - b->low[c->pivot_front[col[i]]]] = from->value[i];
    }
}

// What the right sides of front f have in its column k.
static inline __attribute__((always_inline)) double *entries(const cd_gram_cross *c, const batch *b, int32_t f,
                                                             int32_t k)
{
    const int32_t column = c->m->column[c->m->first[f] + k];
    return b->x + b->at[column] + (b->low[f] - b->low[c->pivot_front[column]]);
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
static inline __attribute__((always_inline)) void eliminate(const cd_gram_cross *c, const batch *b, int32_t f,
                                                            int32_t first, int pivots)
{
    const cd_gram *m = c->m;
    const int32_t n = cd_gram_size(m, f), met = b->high[f] - b->low[f], stride = cd_front_rows(n);
    const double *panel = m->panel + m->panel_at[f] + (size_t)first * (size_t)stride,
                 *inverse = m->inverse + m->pivot_at[f] + first;
    double factor[TOGETHER][2] = {{0}}, *from[TOGETHER], *to[2];
    for (int j = 0; j < pivots; j++) {
        to[0] = from[j] = entries(c, b, f, first + j);
        for (int i = 0; i < j; i++)
            factor[i][0] = panel[(size_t)i * (size_t)stride + (size_t)(first + j)];
        subtract(j > 0 ? met : 0, j, 1, factor, from, to);
        for (int32_t k = 0; k < met; k++)
            from[j][k] *= inverse[j];
    }
    int32_t i = first + pivots;
    for (; i + 2 <= n; i += 2) {
        for (int r = 0; r < 2; r++) {
            to[r] = entries(c, b, f, i + r);
            for (int j = 0; j < pivots; j++)
                factor[j][r] = panel[(size_t)j * (size_t)stride + (size_t)(i + r)];
        }
        subtract(met, pivots, 2, factor, from, to);
    }
    if (i < n) {
        to[0] = entries(c, b, f, i);
        for (int j = 0; j < pivots; j++)
            factor[j][0] = panel[(size_t)j * (size_t)stride + (size_t)i];
        subtract(met, pivots, 1, factor, from, to);
    }
}

// The sum over some pivots of what two right sides have there: of one batch from the diagonal on, in whole vectors,
// LANES rows at once.
static inline __attribute__((always_inline)) void add_products(const cd_gram_cross *c, const products *p, int32_t f,
                                                               int32_t first, int pivots)
{
    const batch *a = p->a, *b = p->b;
    const int32_t rows = a->high[f] - a->low[f], columns = b->high[f] - b->low[f];
    const size_t stride = (size_t)p->stride;
    const double *left[TOGETHER], *right[TOGETHER];
    for (int j = 0; j < pivots; j++) {
        left[j] = entries(c, a, f, first + j);
        right[j] = entries(c, b, f, first + j);
    }
    for (int32_t i = 0; i < rows; i += LANES) {
        double *to = p->sum + (size_t)(a->low[f] + i) * stride + b->low[f];
        for (int32_t k = a == b ? i : 0; k < columns; k += LANES) {
            vec4 sum[LANES] = {{0}};
            _Pragma("GCC unroll 4") for (int j = 0; j < pivots; j++)
            {
                const vec4 x = *(const vec4 *)(right[j] + k);
                _Pragma("GCC unroll 4") for (int r = 0; r < LANES; r++) sum[r] += x * left[j][i + r];
            }
            _Pragma("GCC unroll 4") for (int r = 0; r < LANES; r++) * (vec4 *)(to + (size_t)r * stride + k) += sum[r];
        }
    }
}

CD_VECTOR_CLONES static void work_off(const cd_gram_cross *c, const batch *b)
{
    for (int32_t f = 0; f < c->m->count; f++) {
        const int32_t pivots = b->high[f] > b->low[f] ? c->m->pivots[f] : 0;
        int32_t j = 0;
        for (; j + TOGETHER <= pivots; j += TOGETHER)
            eliminate(c, b, f, j, TOGETHER);
        if (j < pivots)
            eliminate(c, b, f, j, pivots - j);
    }
}

CD_VECTOR_CLONES static void sum_up(const cd_gram_cross *c, const products *p)
{
    for (int32_t f = 0; f < c->m->count; f++) {
        const bool meet = p->a->high[f] > p->a->low[f] && p->b->high[f] > p->b->low[f];
        const int32_t pivots = meet ? c->m->pivots[f] : 0;
        int32_t j = 0;
        for (; j + TOGETHER <= pivots; j += TOGETHER)
            add_products(c, p, f, j, TOGETHER);
        if (j < pivots)
            add_products(c, p, f, j, pivots - j);
    }
}

// What the right sides of a batch and those of a later one, or of itself, have together.
static void join(const cd_gram_cross *c, const batch *a, const batch *b)
{
    cd_arena_mark mark = cd_arena_get_mark(c->arena);
    products p = {.a = a, .b = b, .stride = whole(b->count) + LANES};
    p.sum = CD_ARENA_ZARRAY(c->arena, double, (size_t)(a->count + LANES) * (size_t)p.stride);
    sum_up(c, &p);
    const size_t stride = (size_t)c->capacity;
    for (int32_t i = 0; i < a->count; i++) {
        const size_t row = (size_t)(a->first + a->order[i]);
        const double *from = p.sum + (size_t)i * (size_t)p.stride;
        for (int32_t k = a == b ? i : 0; k < b->count; k++) {
            const size_t column = (size_t)(b->first + b->order[k]);
            c->S[row * stride + column] = c->S[column * stride + row] = from[k];
        }
    }
    cd_arena_rewind(c->arena, mark);
}

void cd_gram_cross_add(cd_gram_cross *c, const cd_gram_row *row, int32_t count)
{
    const int32_t fronts = c->m->count;
    reserve(c, c->count + count);
    batch *b = CD_ARENA_ZARRAY(c->arena, batch, 1);
    *b = (batch){.before = c->last,
                 .first = c->count,
                 .count = count,
                 .order = CD_ARENA_ARRAY(c->arena, int32_t, count),
                 .low = CD_ARENA_ARRAY(c->arena, int32_t, fronts),
                 .high = CD_ARENA_ARRAY(c->arena, int32_t, fronts),
                 .at = CD_ARENA_ARRAY(c->arena, int64_t, c->m->groups->columns)};
    c->count += count;
    c->last = b;
    if (fronts > 0) {
        sort_rows(c, b, row);
        spread(c, b, row);
        work_off(c, b);
    } else {
        for (int32_t k = 0; k < count; k++)
            b->order[k] = k;
    }
    for (const batch *a = b; a; a = a->before)
        join(c, a, b);
}
