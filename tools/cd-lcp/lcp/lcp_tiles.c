// SPDX-License-Identifier: MIT
#include "lcp_tiles.h"

#include "cd_assert.h"
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
    return row->value + (size_t)i % CD_TILE * CD_TILE * (size_t)row->count;
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

// The columns of N in groups of four rows, those without an entry left out; the same by fours of rows.
typedef struct groups {
    int32_t *first;     // of column k of N: its groups first[k] .. first[k + 1] - 1, rows ascending
    int32_t *row;       // of a group: which four
    double *value;      // of a group: 4 numbers
    int32_t *start;     // of four rows: their groups are start[t] .. start[t + 1] - 1 of
    int32_t *col, *at;  // the column, ascending; which group of all
} groups;

// A set of small numbers, in words.
enum { WORD = 64 };
static inline void put(uint64_t *set, uint32_t k) { set[k / WORD] |= (uint64_t)1 << k % WORD; }

// The numbers of the set into `list`, ascending; it is empty again.
static int32_t take_out(uint64_t *set, int32_t words, int32_t *list)
{
    int32_t count = 0;
    for (int32_t k = 0; k < words; k++) {
        for (uint64_t bits = set[k]; bits; bits &= bits - 1)
            list[count++] = WORD * k + __builtin_ctzll(bits);
        set[k] = 0;
    }
    return count;
}

// Whether rows i .. i + 3 have the same columns, as those of two faces often do.
static bool are_alike(const cd_lcp_rows *N, int32_t i)
{
    const int32_t begin = N->first[i], count = N->first[i + 1] - begin;
    uint32_t differ = (uint32_t)(N->first[i + CD_TILE] - begin - CD_TILE * count);
    for (int32_t r = 1; r < CD_TILE && differ == 0; r++) {
        const int32_t *own = N->col + begin + r * count;
        differ = (uint32_t)(N->first[i + r] - begin - r * count);
        for (int32_t k = 0; k < count; k++)
            differ |= (uint32_t)(own[k] ^ N->col[begin + k]);
    }
    return differ == 0;
}

// Which columns each four rows have. g->first: how many groups each column has, one place ahead.
static void find_columns(const cd_lcp_rows *N, int32_t n, int32_t m, groups *g, cd_arena *scratch)
{
    const int32_t words = m / WORD + 1;
    const cd_arena_mark mark = cd_arena_get_mark(scratch);
    uint64_t *set = CD_ARENA_ZARRAY(scratch, uint64_t, words);
    int32_t t = 0;
    for (int32_t i = 0; i < n; i += CD_TILE, t++) {
        const int32_t end = N->first[i + CD_TILE < n ? i + CD_TILE : n];
        if (i + CD_TILE <= n && are_alike(N, i)) {
            const int32_t count = N->first[i + 1] - N->first[i];
            memcpy(g->col + g->start[t], N->col + N->first[i], sizeof *g->col * (size_t)count);
            g->start[t + 1] = g->start[t] + count;
        } else {
            for (int32_t k = N->first[i]; k < end; k++)
                put(set, N->col[k]);
            g->start[t + 1] = g->start[t] + take_out(set, words, g->col + g->start[t]);
        }
        for (int32_t k = g->start[t]; k < g->start[t + 1]; k++)
            g->first[g->col[k] + 1]++;
    }
    cd_arena_rewind(scratch, mark);
}

static groups groups_of(const cd_lcp_rows *N, int32_t n, int32_t m, cd_arena *arena)
{
    const int32_t *col = N->col;
    const double *value = N->value;
    groups g = {.first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)m + 1),
                .start = CD_ARENA_ZARRAY(arena, int32_t, n / CD_TILE + 2),
                .col = CD_ARENA_ARRAY(arena, int32_t, N->first[n]),
                .at = CD_ARENA_ARRAY(arena, int32_t, N->first[n])};
    find_columns(N, n, m, &g, arena);
    int32_t *next = CD_ARENA_ARRAY(arena, int32_t, m);
    for (int32_t k = 0; k < m; k++) {
        g.first[k + 1] += g.first[k];
        next[k] = g.first[k];
    }
    g.row = CD_ARENA_ARRAY(arena, int32_t, g.first[m]);
    g.value = CD_ARENA_ZARRAY(arena, double, CD_TILE *(size_t)g.first[m]);
    int32_t t = 0;
    for (int32_t begin = 0; begin < n; begin += CD_TILE, t++) {
        const int32_t start = g.start[t], count = g.start[t + 1] - start;
        for (int32_t k = start; k < start + count; k++)
            g.row[g.at[k] = next[g.col[k]]++] = t;
        for (int32_t i = begin; i < n && i < begin + CD_TILE; i++) {
            const int32_t first = N->first[i], most = N->first[i + 1] - first;
            double *own = g.value + (i - begin);
            if (most == count) {  // the columns of all four
                for (int32_t k = 0; k < count; k++)
                    own[CD_TILE * (size_t)g.at[start + k]] = value[first + k];
                continue;
            }
            for (int32_t k = first; k < first + most; k++)
                own[CD_TILE * (size_t)(next[col[k]] - 1)] = value[k];
        }
    }
    return g;
}

// Which tiles there are: the diagonal, those of N N', and those of C with their twins.
static uint64_t *find_pattern(const groups *g, const cd_lcp_rows *C, int32_t n, int32_t m, int32_t rows,
                              cd_arena *arena)
{
    uint64_t *meets = CD_ARENA_ZARRAY(arena, uint64_t, rows);
    for (int32_t k = 0; k < m; k++) {
        uint64_t of_column = 0;
        for (int32_t t = g->first[k]; t < g->first[k + 1]; t++)
            put(&of_column, g->row[t]);
        for (int32_t t = g->first[k]; t < g->first[k + 1]; t++)
            meets[g->row[t]] |= of_column;
    }
    for (int32_t t = 0; t < rows; t++)
        put(&meets[t], t);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = C->first[i]; k < C->first[i + 1]; k++) {
            put(&meets[i / CD_TILE], C->col[k] / CD_TILE);
            put(&meets[C->col[k] / CD_TILE], i / CD_TILE);
        }
    }
    return meets;
}

static void open_row(cd_tile_row *row, uint64_t meets, cd_arena *arena)
{
    row->count = __builtin_popcountll(meets);
    row->col = CD_ARENA_ARRAY(arena, int32_t, row->count);
    row->value = CD_ARENA_ZARRAY(arena, double, CD_TILE *CD_TILE *(size_t)row->count);
    take_out(&meets, 1, row->col);
    for (int32_t k = 0; k < row->count; k++)
        row->col[k] *= CD_TILE;
}

// Tiles of row t right of its diagonal and on it: each group of these four rows times each of its column from there
// on. place: of each tile in the row.
CD_VECTOR_CLONES static void add_products(const groups *g, int32_t t, const cd_tile_row *row, const int32_t *place)
{
    const size_t stride = (size_t)row->count;  // in vectors
    for (int32_t k = g->start[t]; k < g->start[t + 1]; k++) {
        int32_t at = g->at[k];
        const int32_t end = g->first[g->col[k] + 1];
        const double *own = g->value + CD_TILE * (size_t)at;
        const vec4 own0 = {own[0], own[0], own[0], own[0]}, own1 = {own[1], own[1], own[1], own[1]},
                   own2 = {own[2], own[2], own[2], own[2]}, own3 = {own[3], own[3], own[3], own[3]};
        for (; at < end; at++) {
            const vec4 other = *(const vec4 *)(g->value + CD_TILE * (size_t)at);
            vec4 *tile = (vec4 *)row->value + place[g->row[at]];
            tile[0] += own0 * other;
            tile[stride] += own1 * other;
            tile[2 * stride] += own2 * other;
            tile[3 * stride] += own3 * other;
        }
    }
}

// Tiles left of the diagonal are twins. next[j]: the first tile of row j right of its diagonal that has not met its
// own: row by row they come in the order of these.
CD_VECTOR_CLONES static void add_twins(const cd_tiles *tiles, int32_t t, int32_t *next)
{
    const cd_tile_row *row = &tiles->row[t];
    const size_t stride = CD_TILE * (size_t)row->count;
    int32_t k = 0;
    for (; row->col[k] < CD_TILE * t; k++) {
        const int32_t j = row->col[k] / CD_TILE;
        const cd_tile_row *other = &tiles->row[j];
        vec4 twin[LANES];
        transpose(other->value + CD_TILE * (size_t)next[j]++, CD_TILE * (size_t)other->count, twin);
        for (int32_t r = 0; r < CD_TILE; r++)
            *(vec4 *)(row->value + (size_t)r * stride + CD_TILE * (size_t)k) = twin[r];
    }
    next[t] = k + 1;
}

static void add_direct(const cd_lcp_rows *C, const cd_tiles *tiles)
{
    for (int32_t i = 0; i < tiles->n; i++) {
        const cd_tile_row *row = &tiles->row[i / CD_TILE];
        int32_t at = 0;
        for (int32_t k = C->first[i]; k < C->first[i + 1]; k++) {
            const int32_t j = C->col[k];
            while (row->col[at] + CD_TILE <= j)
                at++;
            part_of(row, i)[CD_TILE * (size_t)at + (size_t)(j - row->col[at])] += C->value[k];
        }
    }
}

// Every product runs over the columns as they ascend, so that S_ij is S_ji to the bit where C_ij is C_ji.
cd_tiles cd_tiles_of_gram(const cd_lcp_rows *N, const cd_lcp_rows *C, int32_t n, int32_t m, cd_arena *arena)
{
    CD_ASSERT(n <= CD_TILES_GRAM_MOST);
    cd_tiles out = start(n, arena);
    const groups g = groups_of(N, n, m, arena);
    const uint64_t *meets = find_pattern(&g, C, n, m, out.rows, arena);
    int32_t place[CD_TILES_GRAM_MOST / CD_TILE], next[CD_TILES_GRAM_MOST / CD_TILE];
    for (int32_t t = 0; t < out.rows; t++) {
        cd_tile_row *row = &out.row[t];
        open_row(row, meets[t], arena);
        for (int32_t k = 0; k < row->count; k++)
            place[row->col[k] / CD_TILE] = k;
        add_products(&g, t, row, place);
        add_twins(&out, t, next);
    }
    add_direct(C, &out);
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

// The tile with column j; NULL: it is all zeros.
static const double *tile_of(const cd_tile_row *row, int32_t j)
{
    const int32_t wanted = j / CD_TILE * CD_TILE;
    int32_t low = 0, high = row->count;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (row->col[middle] < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    return low < row->count && row->col[low] == wanted ? row->value + CD_TILE * (size_t)low : NULL;
}

const double *cd_tiles_of_itself(const cd_tiles *t, int32_t i, size_t *stride)
{
    const cd_tile_row *row = &t->row[i / CD_TILE];
    *stride = CD_TILE * (size_t)row->count;
    return tile_of(row, i);
}

double cd_tiles_entry(const cd_tiles *t, int32_t i, int32_t j)
{
    const cd_tile_row *row = &t->row[i / CD_TILE];
    const double *tile = tile_of(row, j);
    return tile ? tile[(size_t)(i % CD_TILE) * CD_TILE * (size_t)row->count + (size_t)(j % CD_TILE)] : 0;
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
    const int32_t *col = row->col, *const end = col + row->count;
    for (; col + 1 < end; col += 2, value += 2 * CD_TILE) {
        *(vec4 *)(out + col[0]) += factor * *(const vec4 *)value;
        *(vec4 *)(out + col[1]) += factor * *(const vec4 *)(value + CD_TILE);
    }
    if (col < end)
        *(vec4 *)(out + *col) += factor * *(const vec4 *)value;
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
    const cd_tile_row *row = t->row, *const last = t->row + t->rows;
    for (const double *now = w; row < last; row++) {
        const double *value = row->value;
        const size_t stride = CD_TILE * (size_t)row->count;
        for (int32_t r = 0; r < CD_TILE; r++, y++, step++, now++, value += stride) {
            const double own = *y;
            if (own == 0 && *now >= 0)  // most rows of most sweeps
                continue;
            const double next = cd_larger(0, own - *now * *step), change = next - own;
            is_other |= (own > 0) != (next > 0);
            *y = next;
            if (change != 0)
                add_row(row, value, change, w);
        }
    }
    return is_other;
}
