// SPDX-License-Identifier: MIT
#include "lcp_active.h"

#include "lcp_vector.h"

#include <math.h>

// Squared distances relative to S_ii (which is near 1).
#define DISTANCE_DOUBTFUL 1e-5  // below: computed anew without cancellation
#define DISTANCE_LEAST 1e-13    // below: dependent. Directions nearer than 3e-7 rad cannot be told apart by the factor
#define NOISE 1e-15             // rounding of a sum, of the magnitudes of its terms

enum { RESERVED_MOST = 256 };  // candidates that the factor makes room for at once, though some depend on others
// Fewer rows are solved before S is formed; of more, S holds mostly zeros.
enum { FORMED_LEAST = 24, FORMED_MOST = CD_TILES_GRAM_MOST };

static cd_tiles form(const cd_lcp_structure *s, cd_arena *arena)
{
    if (s->tiles)
        return *s->tiles;
    if (s->n < FORMED_LEAST || s->n > FORMED_MOST)
        return (cd_tiles){0};
    return cd_tiles_of_gram(&s->left, &s->direct, s->n, s->m, arena);
}

cd_active cd_active_start(const cd_lcp_structure *s, const cd_lcp_options *options, double *y, cd_arena *arena)
{
    enum { FIRST_CAPACITY = 32 };
    const int32_t n = s->n;
    const cd_factor factor = cd_factor_start(FIRST_CAPACITY, cd_lcp_largest_factor(options), arena);
    cd_active a = {.s = s, .f = factor, .has_direct = s->tiles || s->direct.first[n] > 0, .y = y, .arena = arena};
    double **const of_rows[] = {&a.w, &a.r, &a.v, &a.spread_y}, **const of_motion[] = {&a.u, &a.spread_u, &a.combined};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        *of_rows[k] = CD_ARENA_ZARRAY(arena, double, cd_tiles_padded(n));
    for (size_t k = 0; k < sizeof of_motion / sizeof *of_motion; k++)
        *of_motion[k] = CD_ARENA_ZARRAY(arena, double, s->m);
    a.active = CD_ARENA_ZARRAY(arena, bool, n);
    a.tiles = form(s, arena);
    a.four = CD_ARENA_ZARRAY(arena, double, a.tiles.row ? CD_TILE *(size_t)cd_tiles_padded(n) : 0);
    return a;
}

// From the rows themselves: S as it was summed up may be off by the rounding of each of its entries.
static void evaluate_rows(cd_active *a)
{
    const cd_lcp_structure *s = a->s;
    const int32_t *col = s->left.col;
    const double *value = s->left.value;
    double *u = a->u;
    memset(u, 0, sizeof *u * (size_t)s->m);
    for (int32_t i = 0; i < s->n && s->m > 0; i++) {
        const double y = a->y[i];
        const int32_t end = y != 0 ? s->left.first[i + 1] : s->left.first[i];
        for (int32_t k = s->left.first[i]; k < end; k++)
            u[col[k]] += value[k] * y;
    }
    memcpy(a->w, s->q, sizeof *a->w * (size_t)s->n);
    for (int32_t i = 0; i < s->n && s->m > 0; i++) {
        const int32_t end = s->left.first[i + 1];
        double sum = s->q[i];
        for (int32_t k = s->left.first[i]; k < end; k++)
            sum += value[k] * u[col[k]];
        a->w[i] = sum;
    }
    for (int32_t i = 0; i < s->n && a->has_direct; i++) {
        if (a->y[i] == 0)
            continue;
        const double y = a->y[i];
        const int32_t end = s->direct.first[i + 1];
        for (int32_t k = s->direct.first[i]; k < end; k++)
            a->w[s->direct.col[k]] += s->direct.value[k] * y;
    }
}

void cd_active_evaluate(cd_active *a)
{
    if (!a->tiles.row) {
        evaluate_rows(a);
        return;
    }
    memcpy(a->w, a->s->q, sizeof *a->w * (size_t)a->s->n);
    cd_tiles_add(&a->tiles, a->y, a->w);
}

// spread_u, spread_y = factor times row i.
static void spread(cd_active *a, int32_t i, double factor)
{
    const cd_lcp_structure *s = a->s;
    for (int32_t k = s->left.first[i]; k < s->left.first[i + 1]; k++)
        a->spread_u[s->left.col[k]] = factor * s->left.value[k];
    for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++)
        a->spread_y[s->direct.col[k]] = factor * s->direct.value[k];
}

// v[p] = S_{list[p], i}
static void couple(cd_active *a, int32_t i, const int32_t *list, int32_t count, double *v)
{
    const cd_lcp_structure *s = a->s;
    if (a->tiles.row) {
        cd_tiles_spread(&a->tiles, i, 1, a->spread_y);
        for (int32_t p = 0; p < count; p++)
            v[p] = a->spread_y[list[p]];
        cd_tiles_spread(&a->tiles, i, 0, a->spread_y);
        return;
    }
    spread(a, i, 1);
    for (int32_t p = 0; p < count; p++) {
        const int32_t j = list[p];
        double sum = a->has_direct ? a->spread_y[j] : 0;
        for (int32_t k = s->left.first[j]; k < s->left.first[j + 1]; k++)
            sum += s->left.value[k] * a->spread_u[s->left.col[k]];
        v[p] = sum;
    }
    spread(a, i, 0);
}

// combined = N'x and spread_y = C'x for x = e_i - r over A and i.
static void gather(cd_active *a, int32_t i)
{
    const cd_lcp_structure *s = a->s;
    memset(a->combined, 0, sizeof *a->combined * (size_t)s->m);
    for (int32_t p = 0; p <= a->f.count; p++) {
        const int32_t j = p < a->f.count ? a->f.list[p] : i;
        const double x = p < a->f.count ? -a->r[p] : 1;
        for (int32_t k = s->left.first[j]; k < s->left.first[j + 1]; k++)
            a->combined[s->left.col[k]] += s->left.value[k] * x;
        if (s->tiles)
            cd_tiles_add_row(s->tiles, j, x, a->spread_y);
        for (int32_t k = s->direct.first[j]; k < s->direct.first[j + 1]; k++)
            a->spread_y[s->direct.col[k]] += s->direct.value[k] * x;
    }
}

static double product_with_column(const cd_active *a, int32_t j)
{
    const cd_lcp_structure *s = a->s;
    double sum = a->has_direct ? a->spread_y[j] : 0;
    for (int32_t k = s->left.first[j]; k < s->left.first[j + 1]; k++)
        sum += s->left.value[k] * a->combined[s->left.col[k]];
    return sum;
}

static void forget_spread(cd_active *a)
{
    if (a->has_direct)
        memset(a->spread_y, 0, sizeof *a->spread_y * (size_t)a->s->n);
}

// g[p] = (S x)_{A_p}, x = e_i - r; returns x'S x, the squared distance, as a sum of squares and not a difference.
static double combination(cd_active *a, int32_t i, double *g)
{
    double square = 0;
    gather(a, i);
    for (int32_t k = 0; k < a->s->m; k++)
        square += a->combined[k] * a->combined[k];
    for (int32_t p = 0; p < a->f.count; p++) {
        square -= a->has_direct ? a->r[p] * a->spread_y[a->f.list[p]] : 0;
        g[p] = product_with_column(a, a->f.list[p]);
    }
    square += a->has_direct ? a->spread_y[i] : 0;
    forget_spread(a);
    return square;
}

// The distance from the factor is a difference of numbers near 1. Where it is small it is taken from the combination
// itself, after one correction of r.
void cd_active_direction(cd_active *a, int32_t i)
{
    const int32_t k = a->f.count;
    couple(a, i, a->f.list, a->f.count, a->v);
    double distance = cd_factor_forward(&a->f, a->s->diagonal[i], a->v);
    memcpy(a->r, a->v, sizeof *a->r * (size_t)k);
    cd_factor_backward(&a->f, a->r);
    if (distance < DISTANCE_DOUBTFUL * a->s->diagonal[i]) {
        cd_arena_mark mark = cd_arena_get_mark(a->arena);
        double *g = CD_ARENA_ARRAY(a->arena, double, k);
        combination(a, i, g);
        cd_factor_forward(&a->f, 0, g);
        cd_factor_backward(&a->f, g);
        for (int32_t p = 0; p < k; p++)
            a->r[p] += g[p];
        distance = combination(a, i, g);
        cd_arena_rewind(a->arena, mark);
    }
    double size = 1;
    for (int32_t p = 0; p < k; p++)
        size += fabs(a->r[p]);
    // What is left of terms of this size by rounding: of a sum of squares when there are only velocities, else of the
    // sum itself.
    const double noise = a->has_direct ? NOISE * size * size : NOISE * size * NOISE * size;
    a->distance = distance > cd_larger(DISTANCE_LEAST * a->s->diagonal[i], noise) ? distance : 0;
}

enum { FOUR = CD_VECTOR_FOUR };
_Static_assert((int)FOUR == (int)CD_FACTOR_SOME && (int)FOUR == (int)CD_TILE, "four rows at once");

// V[4 p + b] = S_{list[p], row[b]}, mutual[b][c] = S_{row[b], row[c]} for c < b.
static void couple_four(cd_active *a, const int32_t *row, int32_t count, double *V, double mutual[FOUR][FOUR])
{
    const int32_t before = a->f.count;
    if (a->tiles.row) {
        cd_tiles_spread_four(&a->tiles, row, count, a->four);
        for (int32_t p = 0; p < before; p++)
            memcpy(V + FOUR * (size_t)p, a->four + FOUR * (size_t)a->f.list[p], sizeof *V * FOUR);
        for (int32_t b = 0; b < count; b++) {
            for (int32_t c = 0; c < b; c++)
                mutual[b][c] = a->four[FOUR * (size_t)row[c] + (size_t)b];
        }
        cd_tiles_forget_four(&a->tiles, row, count, a->four);
        return;
    }
    int32_t *list = CD_ARENA_ARRAY(a->arena, int32_t, before + FOUR);
    double *v = CD_ARENA_ARRAY(a->arena, double, before + FOUR);
    memcpy(list, a->f.list, sizeof *list * (size_t)before);
    memcpy(list + before, row, sizeof *row * (size_t)count);
    for (int32_t b = 0; b < count; b++) {
        couple(a, row[b], list, before + b, v);
        for (int32_t p = 0; p < before; p++)
            V[FOUR * (size_t)p + (size_t)b] = v[p];
        memcpy(mutual[b], v + before, sizeof *v * (size_t)b);
    }
}

// Rows k and on of the factor for row[0..count), from what row by row would give: with V = R'^-1 S_{A,row} the entries
// below are the Cholesky factor of S_{row,row} - V'V, `own`, without the rows that depend on those before.
static void join_four(cd_active *a, const int32_t *row, int32_t count)
{
    const int32_t before = a->f.count, most = a->f.most - before;
    cd_factor_reserve(&a->f, count);
    cd_arena_mark mark = cd_arena_get_mark(a->arena);
    double *V = CD_ARENA_ARRAY(a->arena, double, FOUR *((size_t)before + 1)), gram[FOUR * FOUR];
    double mutual[FOUR][FOUR] = {{0}}, own[FOUR][FOUR] = {{0}};
    int32_t joined[FOUR], joined_count = 0;
    if (count < FOUR)
        memset(V, 0, sizeof *V * FOUR * (size_t)before);
    couple_four(a, row, count, V, mutual);
    cd_vector_forward_four(a->f.r, (size_t)a->f.capacity, before, V, gram);
    for (int32_t b = 0; b < count && joined_count < most; b++) {
        const double diagonal = a->s->diagonal[row[b]];
        double distance = diagonal - gram[FOUR * b + b], *next = own[joined_count];
        for (int32_t k = 0; k < joined_count; k++) {
            double sum = mutual[b][joined[k]] - gram[FOUR * b + joined[k]];
            for (int32_t l = 0; l < k; l++)
                sum -= own[k][l] * next[l];
            next[k] = sum / own[k][k];
            distance -= next[k] * next[k];
        }
        if (!(distance > DISTANCE_DOUBTFUL * diagonal))
            continue;
        next[joined_count] = sqrt(distance);
        joined[joined_count++] = b;
    }
    for (int32_t b = 0; b < count; b++)
        a->active[row[b]] = false;
    for (int32_t k = 0; k < joined_count; k++)
        a->active[row[joined[k]]] = true;
    cd_factor_append_some(&a->f, row, joined, joined_count, V, own);
    cd_arena_rewind(a->arena, mark);
}

// Whether row i depends on rows of A in its own tile already: the fourth point of a face on the three others. Of 610,
// 792 and 848 candidates of a pile, a wall and a column these are 61, 86 and 105, for a thousandth of what the whole
// factor takes to find them.
static bool depends_on_tile(const cd_active *a, int32_t i)
{
    const int32_t begin = i - i % CD_TILE, end = begin + CD_TILE < a->s->n ? begin + CD_TILE : a->s->n;
    int32_t list[CD_TILE], count = 0;
    for (int32_t j = begin; j < end; j++) {
        if (a->active[j])
            list[count++] = j;
    }
    if (count < CD_TILE - 1)
        return false;
    // Rows of the Cholesky factor of the four, i last. Those in A have their tile.
    double own[CD_TILE][CD_TILE];
    size_t stride;
    const double *tile = cd_tiles_of_itself(&a->tiles, i, &stride);
    list[count] = i;
    for (int32_t r = 0; r <= count; r++) {
        double distance = a->s->diagonal[list[r]];
        for (int32_t c = 0; c < r; c++) {
            double sum = tile[stride * (size_t)(list[r] - begin) + (size_t)(list[c] - begin)];
            for (int32_t k = 0; k < c; k++)
                sum -= own[r][k] * own[c][k];
            own[r][c] = sum / own[c][c];
            distance -= own[r][c] * own[r][c];
        }
        if (!(distance > DISTANCE_DOUBTFUL * a->s->diagonal[list[r]]))
            return r == count;
        own[r][r] = sqrt(distance);
    }
    return false;
}

void cd_active_join_all(cd_active *a, const int32_t *row, int32_t count)
{
    if (a->f.count == 0)  // before there is anything to copy
        cd_factor_reserve(&a->f, count < RESERVED_MOST ? count : RESERVED_MOST);
    for (int32_t k = 0; k < count;) {
        int32_t next[FOUR], found = 0;
        for (; k < count && found < FOUR; k++) {
            if (a->tiles.row && depends_on_tile(a, row[k]))
                continue;
            a->active[row[k]] = true;  // for the rows of its tile, until it is known
            next[found++] = row[k];
        }
        if (found > 0)
            join_four(a, next, found);
    }
}

void cd_active_change(cd_active *a, int32_t i, double *dw)
{
    gather(a, i);
    for (int32_t j = 0; j < a->s->n; j++)
        dw[j] = a->active[j] ? 0 : product_with_column(a, j);
    dw[i] = a->distance;
    forget_spread(a);
}

void cd_active_join(cd_active *a, int32_t i)
{
    cd_factor_append(&a->f, i, a->v, a->distance);
    a->active[i] = true;
}

void cd_active_leave(cd_active *a, const int32_t *place, int32_t count)
{
    for (int32_t k = 0; k < count; k++)
        a->active[a->f.list[place[k]]] = false;
    cd_factor_drop(&a->f, place, count);
}

double cd_active_value(cd_active *a, int32_t i) { return a->w[i] = a->s->q[i] + cd_tiles_dot(&a->tiles, i, a->y); }

double cd_active_left_over(const cd_active *a)
{
    double most = 0;
    for (int32_t p = 0; p < a->f.count; p++)
        most = cd_larger(most, fabs(a->w[a->f.list[p]]));
    return most;
}

void cd_active_correct(cd_active *a)
{
    for (int32_t p = 0; p < a->f.count; p++)
        a->r[p] = a->w[a->f.list[p]];
    cd_factor_forward(&a->f, 0, a->r);
    cd_factor_backward(&a->f, a->r);
    for (int32_t p = 0; p < a->f.count; p++) {
        const int32_t j = a->f.list[p];
        a->y[j] = cd_larger(0, a->y[j] - a->r[p]);
        if (a->s->room)
            a->y[j] = cd_smaller(a->y[j], a->s->room[j]);
    }
    if (a->s->tiles)
        cd_active_evaluate(a);
    else
        evaluate_rows(a);
}

// u is a sum of terms that may be much larger than itself: where rows nearly depend on one another, multipliers of 1e5
// and more cancel.
double cd_active_violation(const cd_active *a)
{
    const cd_lcp_structure *s = a->s;
    double largest = 0, terms = 0, *size = a->combined;
    memset(size, 0, sizeof *size * (size_t)s->m);
    memset(a->u, 0, sizeof *a->u * (size_t)s->m);
    for (int32_t i = 0; i < s->n; i++) {
        for (int32_t k = s->left.first[i]; k < s->left.first[i + 1] && a->y[i] != 0; k++) {
            const double term = s->left.value[k] * a->y[i];
            a->u[s->left.col[k]] += term;
            size[s->left.col[k]] += fabs(term);
        }
        largest = a->has_direct ? cd_larger(largest, fabs(a->y[i])) : largest;
    }
    for (int32_t k = 0; k < s->m; k++) {
        largest = cd_larger(largest, fabs(a->u[k]));
        terms = cd_larger(terms, size[k]);
    }
    return cd_larger(CD_ACTIVE_VIOLATION * (1 + largest), CD_ACTIVE_ROUNDING * terms);
}

bool cd_active_refutes(cd_active *a, int32_t i)
{
    cd_arena_mark mark = cd_arena_get_mark(a->arena);
    double *v = CD_ARENA_ZARRAY(a->arena, double, cd_tiles_padded(a->s->n));
    for (int32_t p = 0; p < a->f.count; p++)
        v[a->f.list[p]] = cd_larger(0, -a->r[p]);
    v[i] = 1;
    bool proved = cd_lcp_structure_refutes(a->s, v, a->arena);
    cd_arena_rewind(a->arena, mark);
    return proved;
}
