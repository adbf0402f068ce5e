// SPDX-License-Identifier: MIT
#include "lcp_tiles.h"

#include "cd_vector.h"
#include "lcp_lanes.h"
#include "lcp_structure.h"
#include "lcp_vector.h"

#include <math.h>
#include <string.h>

_Static_assert((int)CD_TILE == (int)LANES, "a row of a tile is one vector");

static cd_tiles start(int32_t n, cd_arena *arena)
{
    const int32_t rows = (n + CD_TILE - 1) / CD_TILE;
    return (cd_tiles){n, rows, CD_ARENA_ARRAY(arena, cd_tile_row, rows)};
}

// Row i's part of its tiles.
static inline double *part_of(const cd_tile_row *row, int32_t i)
{
    return row->value + (size_t)(i % CD_TILE) * CD_TILE * (size_t)row->count;
}

// ---- from a matrix -------------------------------------------------------------------------------------------------

// Of either sign.
#define IS_ANY(bits) ((((bits)[0] | (bits)[1] | (bits)[2] | (bits)[3]) & INT64_MAX) != 0)
#define AT(row, j) (*(const int4 *)((row) + (j)))

// Which tiles of four rows hold anything. Two at once: most hold nothing.
CD_VECTOR_CLONES static int32_t find_tiles(const double *const row[], int32_t n, int32_t *col)
{
    int32_t count = 0, j = 0;
    for (; j + 2 * LANES <= n; j += 2 * LANES) {
        const int4 low = AT(row[0], j) | AT(row[1], j) | AT(row[2], j) | AT(row[3], j),
                   high = AT(row[0], j + LANES) | AT(row[1], j + LANES) | AT(row[2], j + LANES) | AT(row[3], j + LANES),
                   both = low | high;
        if (!IS_ANY(both))
            continue;
        col[count] = j;
        count += IS_ANY(low);
        col[count] = j + LANES;
        count += IS_ANY(high);
    }
    for (; j < n; j += LANES) {
        double edge[LANES] = {0};
        for (int32_t r = 0; r < CD_TILE; r++) {
            for (int32_t k = j; k < n && k < j + LANES; k++)
                edge[k - j] = row[r][k] != 0 ? 1 : edge[k - j];
        }
        col[count] = j;
        count += edge[0] != 0 || edge[1] != 0 || edge[2] != 0 || edge[3] != 0;
    }
    return count;
}

// The tile of rows from i and columns from j on, zeros beyond the n-th, by rows.
static const double *edge_tile(const double *M, int32_t n, int32_t i, int32_t j, double *out)
{
    for (int32_t r = 0; r < CD_TILE; r++) {
        for (int32_t k = 0; k < LANES; k++)
            out[CD_TILE * r + k] = i + r < n && j + k < n ? M[(size_t)(i + r) * (size_t)n + (size_t)(j + k)] : 0;
    }
    return out;
}

// Takes the tiles of one row of them. False: some number is not finite or, left of the diagonal, is not its twin.
CD_VECTOR_CLONES static bool take_row(const double *M, int32_t n, int32_t i, const cd_tile_row *row)
{
    const size_t stride = CD_TILE * (size_t)row->count;
    int4 wrong = {0};
    for (int32_t k = 0; k < row->count; k++) {
        const int32_t j = row->col[k];
        const bool is_inside = i + CD_TILE <= n && j + CD_TILE <= n;
        double edge[CD_TILE * CD_TILE], *to = row->value + (size_t)k * CD_TILE;
        const double *from = is_inside ? M + (size_t)i * (size_t)n + (size_t)j : edge_tile(M, n, i, j, edge);
        size_t step = is_inside ? (size_t)n : CD_TILE;
        vec4 twin[LANES];
        for (int32_t r = 0; r < CD_TILE; r++) {
            const vec4 own = *(const vec4 *)(from + (size_t)r * step);
            *(vec4 *)(to + (size_t)r * stride) = own;
            wrong |= own - own != (vec4){0};
        }
        if (j > i)
            continue;
        from = is_inside ? M + (size_t)j * (size_t)n + (size_t)i : edge_tile(M, n, j, i, edge);
        transpose(from, step, twin);
        for (int32_t r = 0; r < CD_TILE; r++)
            wrong |= *(const vec4 *)(to + (size_t)r * stride) != twin[r];
    }
    return (wrong[0] | wrong[1] | wrong[2] | wrong[3]) == 0;
}

bool cd_tiles_of_matrix(const double *M, int32_t n, cd_tiles *out, cd_arena *arena)
{
    *out = start(n, arena);
    int64_t below = 0, above = 0;  // tiles left and right of the diagonal: as many, where each has its twin
    for (int32_t t = 0; t < out->rows; t++) {
        cd_tile_row *row = &out->row[t];
        const double *of[CD_TILE];
        for (int32_t r = 0; r < CD_TILE; r++)
            of[r] = M + (size_t)(CD_TILE * t + r < n ? CD_TILE * t + r : n - 1) * (size_t)n;
        int32_t *col = CD_ARENA_ARRAY(arena, int32_t, out->rows + 1);
        row->count = find_tiles(of, n, col);
        row->col = col;
        for (int32_t k = 0; k < row->count; k++) {
            below += col[k] < CD_TILE * t;
            above += col[k] > CD_TILE * t;
        }
        row->value = CD_ARENA_ARRAY(arena, double, CD_TILE *CD_TILE *(size_t)row->count);
        if (!take_row(M, n, CD_TILE * t, row))
            return false;
    }
    return below == above;
}

// ---- from rows -----------------------------------------------------------------------------------------------------

// The columns of N in groups of four rows, those without an entry left out.
typedef struct groups {
    int32_t *first, *row;
    double *value;
} groups;

static groups groups_of(const cd_lcp_rows *N, int32_t n, int32_t m, cd_arena *arena)
{
    groups g = {.first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)m + 1)};
    int32_t *last = CD_ARENA_ARRAY(arena, int32_t, m);
    memset(last, -1, sizeof *last * (size_t)m);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = N->first[i]; k < N->first[i + 1]; k++) {
            g.first[N->col[k] + 1] += last[N->col[k]] != i / CD_TILE;
            last[N->col[k]] = i / CD_TILE;
        }
    }
    for (int32_t k = 0; k < m; k++)
        g.first[k + 1] += g.first[k];
    g.row = CD_ARENA_ARRAY(arena, int32_t, g.first[m]);
    g.value = CD_ARENA_ZARRAY(arena, double, CD_TILE *(size_t)g.first[m]);
    for (int32_t k = 0; k < m; k++)
        last[k] = g.first[k] - 1;
    for (int32_t i = 0; i < n; i++) {
        const int32_t own = i / CD_TILE * CD_TILE;
        for (int32_t k = N->first[i]; k < N->first[i + 1]; k++) {
            int32_t *at = &last[N->col[k]];
            if (*at < g.first[N->col[k]] || g.row[*at] != own)
                g.row[++*at] = own;
            g.value[CD_TILE * (size_t)*at + (size_t)(i - own)] = N->value[k];
        }
    }
    return g;
}

// Four rows of S while they are summed up: those of its tiles that are touched.
typedef struct sums {
    double *tile;  // 16 numbers each
    int32_t *touched, count;
    bool *is_touched;  // of each tile
    int32_t *at;       // of each column of N: its group of these four rows, or the next
    int32_t *columns;  // that these four rows have, ascending
    int32_t column_count;
} sums;

static inline double *touch(sums *s, int32_t j)
{
    double *tile = s->tile + CD_TILE * (size_t)j;
    if (!s->is_touched[j / CD_TILE]) {
        s->is_touched[j / CD_TILE] = true;
        s->touched[s->count++] = j;
        memset(tile, 0, sizeof *tile * CD_TILE * CD_TILE);
    }
    return tile;
}

// The group of four rows at column k times each group of that column: a product of 4 x 4 for every tile.
CD_VECTOR_CLONES static void add_products(const groups *g, sums *s)
{
    for (int32_t c = 0; c < s->column_count; c++) {
        const int32_t k = s->columns[c];
        const double *own = g->value + CD_TILE * (size_t)s->at[k]++;
        for (int32_t t = g->first[k]; t < g->first[k + 1]; t++) {
            const vec4 other = *(const vec4 *)(g->value + CD_TILE * (size_t)t);
            vec4 *tile = (vec4 *)touch(s, g->row[t]);
            tile[0] += own[0] * other;
            tile[1] += own[1] * other;
            tile[2] += own[2] * other;
            tile[3] += own[3] * other;
        }
    }
}

// They come in a few runs that ascend.
static void sort(int32_t *list, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        const int32_t own = list[i];
        int32_t at = i;
        for (; at > 0 && list[at - 1] > own; at--)
            list[at] = list[at - 1];
        list[at] = own;
    }
}

// Every product runs over the columns as they ascend, so that S_ij is S_ji to the bit.
static void sum_up(const cd_lcp_rows *N, const cd_lcp_rows *C, const groups *g, int32_t begin, int32_t end, sums *s,
                   int32_t *last)
{
    s->count = s->column_count = 0;
    for (int32_t k = N->first[begin]; k < N->first[end]; k++) {
        if (last[N->col[k]] == begin)
            continue;
        last[N->col[k]] = begin;
        s->columns[s->column_count++] = N->col[k];
    }
    sort(s->columns, s->column_count);
    add_products(g, s);
    for (int32_t i = begin; i < end; i++) {
        for (int32_t k = C->first[i]; k < C->first[i + 1]; k++) {
            const int32_t j = C->col[k];
            touch(s, j / CD_TILE * CD_TILE)[CD_TILE * (i - begin) + j % CD_TILE] += C->value[k];
        }
    }
    sort(s->touched, s->count);
}

static void take_sums(sums *s, cd_tile_row *row, cd_arena *arena)
{
    const size_t stride = CD_TILE * (size_t)s->count;
    row->count = s->count;
    row->col = CD_ARENA_ARRAY(arena, int32_t, s->count);
    row->value = CD_ARENA_ARRAY(arena, double, CD_TILE *stride);
    for (int32_t k = 0; k < s->count; k++) {
        const int32_t j = row->col[k] = s->touched[k];
        s->is_touched[j / CD_TILE] = false;
        for (int32_t r = 0; r < CD_TILE; r++)
            memcpy(row->value + (size_t)r * stride + CD_TILE * (size_t)k, s->tile + CD_TILE * (size_t)j + CD_TILE * r,
                   sizeof *s->tile * CD_TILE);
    }
}

cd_tiles cd_tiles_of_gram(const cd_lcp_rows *N, const cd_lcp_rows *C, int32_t n, int32_t m, cd_arena *arena)
{
    cd_tiles out = start(n, arena);
    const groups g = groups_of(N, n, m, arena);
    sums s = {.tile = CD_ARENA_ARRAY(arena, double, CD_TILE *(size_t)cd_tiles_padded(n)),
              .touched = CD_ARENA_ARRAY(arena, int32_t, out.rows),
              .is_touched = CD_ARENA_ZARRAY(arena, bool, out.rows),
              .at = CD_ARENA_ARRAY(arena, int32_t, m),
              .columns = CD_ARENA_ARRAY(arena, int32_t, m)};
    int32_t *last = CD_ARENA_ARRAY(arena, int32_t, m);
    memset(last, -1, sizeof *last * (size_t)m);
    memcpy(s.at, g.first, sizeof *s.at * (size_t)m);
    for (int32_t t = 0; t < out.rows; t++) {
        const int32_t begin = CD_TILE * t, end = begin + CD_TILE < n ? begin + CD_TILE : n;
        sum_up(N, C, &g, begin, end, &s, last);
        take_sums(&s, &out.row[t], arena);
    }
    return out;
}

// ---- loops ---------------------------------------------------------------------------------------------------------

CD_VECTOR_CLONES double cd_tiles_most(const cd_tiles *t, int32_t i, const double *c)
{
    const cd_tile_row *row = &t->row[i / CD_TILE];
    const double *value = part_of(row, i);
    vec4 most = {0};
    for (int32_t k = 0; k < row->count; k++) {
        const vec4 size =
            (vec4)(*(const int4 *)(value + CD_TILE * (size_t)k) & INT64_MAX) * *(const vec4 *)(c + row->col[k]);
        most = (vec4)(((int4)size & (size > most)) | ((int4)most & ~(size > most)));
    }
    return cd_larger(cd_larger(most[0], most[1]), cd_larger(most[2], most[3]));
}

CD_VECTOR_CLONES void cd_tiles_scale(const cd_tiles *t, const double *c)
{
    for (int32_t i = 0; i < CD_TILE * t->rows; i++) {
        const cd_tile_row *row = &t->row[i / CD_TILE];
        double *value = part_of(row, i);
        const double own = c[i];
        for (int32_t k = 0; k < row->count; k++)
            *(vec4 *)(value + CD_TILE * (size_t)k) *= own * *(const vec4 *)(c + row->col[k]);
    }
}

double cd_tiles_entry(const cd_tiles *t, int32_t i, int32_t j)
{
    const cd_tile_row *row = &t->row[i / CD_TILE];
    const int32_t wanted = j / CD_TILE * CD_TILE;
    int32_t low = 0, high = row->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (row->col[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row->count && row->col[low] == wanted ? part_of(row, i)[CD_TILE * (size_t)low + (size_t)(j - wanted)]
                                                       : 0;
}

CD_VECTOR_CLONES void cd_tiles_spread(const cd_tiles *t, int32_t i, double factor, double *out)
{
    const cd_tile_row *row = &t->row[i / CD_TILE];
    const double *value = part_of(row, i);
    for (int32_t k = 0; k < row->count; k++)
        *(vec4 *)(out + row->col[k]) = factor * *(const vec4 *)(value + CD_TILE * (size_t)k);
}

void cd_tiles_spread_four(const cd_tiles *t, const int32_t *i, int32_t count, double *out)
{
    for (int32_t b = 0; b < count; b++) {
        const cd_tile_row *row = &t->row[i[b] / CD_TILE];
        const double *value = part_of(row, i[b]);
        for (int32_t k = 0; k < row->count; k++, value += CD_TILE) {
            double *to = out + CD_TILE * (size_t)row->col[k] + b;
            to[0] = value[0];
            to[CD_TILE] = value[1];
            to[2 * CD_TILE] = value[2];
            to[3 * CD_TILE] = value[3];
        }
    }
}

CD_VECTOR_CLONES void cd_tiles_forget_four(const cd_tiles *t, const int32_t *i, int32_t count, double *out)
{
    for (int32_t b = 0; b < count; b++) {
        const cd_tile_row *row = &t->row[i[b] / CD_TILE];
        for (int32_t k = 0; k < row->count; k++) {
            vec4 *to = (vec4 *)(out + CD_TILE * (size_t)row->col[k]);
            to[0] = to[1] = to[2] = to[3] = (vec4){0};
        }
    }
}

CD_VECTOR_CLONES double cd_tiles_dot(const cd_tiles *t, int32_t i, const double *y)
{
    const cd_tile_row *row = &t->row[i / CD_TILE];
    const double *value = part_of(row, i);
    vec4 sum = {0};
    for (int32_t k = 0; k < row->count; k++)
        sum += *(const vec4 *)(value + CD_TILE * (size_t)k) * *(const vec4 *)(y + row->col[k]);
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

INLINE void add_row(const cd_tile_row *row, const double *value, double factor, double *out)
{
    for (int32_t k = 0; k < row->count; k++)
        *(vec4 *)(out + row->col[k]) += factor * *(const vec4 *)(value + CD_TILE * (size_t)k);
}

CD_VECTOR_CLONES void cd_tiles_add_row(const cd_tiles *t, int32_t i, double factor, double *out)
{
    const cd_tile_row *row = &t->row[i / CD_TILE];
    add_row(row, part_of(row, i), factor, out);
}

CD_VECTOR_CLONES void cd_tiles_add(const cd_tiles *t, const double *y, double *w)
{
    for (int32_t r = 0; r < t->rows; r++, y += CD_TILE) {
        const cd_tile_row *row = &t->row[r];
        const size_t stride = CD_TILE * (size_t)row->count;
        if (y[0] == 0 && y[1] == 0 && y[2] == 0 && y[3] == 0)
            continue;
        for (int32_t k = 0; k < row->count; k++) {
            const double *value = row->value + CD_TILE * (size_t)k;
            vec4 *to = (vec4 *)(w + row->col[k]);
            *to = *to + y[0] * *(const vec4 *)value + y[1] * *(const vec4 *)(value + stride) +
                  y[2] * *(const vec4 *)(value + 2 * stride) + y[3] * *(const vec4 *)(value + 3 * stride);
        }
    }
}

CD_VECTOR_CLONES void cd_tiles_measure(const cd_tiles *t, const double *y, double *w, double *size)
{
    for (int32_t i = 0; i < t->n; i++) {
        const cd_tile_row *row = &t->row[i / CD_TILE];
        const double *value = part_of(row, i);
        vec4 sum = {0}, most = {0};
        for (int32_t k = 0; k < row->count; k++) {
            const vec4 term = *(const vec4 *)(value + CD_TILE * (size_t)k) * *(const vec4 *)(y + row->col[k]);
            sum += term;
            most += (vec4)((int4)term & INT64_MAX);
        }
        w[i] += (sum[0] + sum[2]) + (sum[1] + sum[3]);
        size[i] += (most[0] + most[2]) + (most[1] + most[3]);
    }
}

CD_VECTOR_CLONES bool cd_tiles_relax(const cd_tiles *t, const double *step, double *y, double *w)
{
    bool is_other = false;
    for (int32_t i = 0; i < CD_TILE * t->rows; i++) {
        if (y[i] == 0 && w[i] >= 0)  // most rows of most sweeps
            continue;
        const double next = cd_larger(0, y[i] - w[i] * step[i]), change = next - y[i];
        is_other = is_other || (y[i] > 0) != (next > 0);
        y[i] = next;
        const cd_tile_row *row = &t->row[i / CD_TILE];
        if (change != 0)
            add_row(row, part_of(row, i), change, w);
    }
    return is_other;
}
