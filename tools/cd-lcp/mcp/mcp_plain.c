// SPDX-License-Identifier: MIT
#include "mcp_plain.h"

#include "cd_dense.h"
#include "lcp_structure.h"
#include "lcp_vector.h"

#include <math.h>

extern const cd_lcp_solver cd_lcp_solver_qp;

enum { IN_A_RUN = -2 };   // the rows of a block follow one another
enum { BLOCK_MOST = 8 };  // a body's freedoms and less; the general way asks what more would need

// What the rows need of each velocity of the island.
typedef struct velocities {
    double *g;        // of its block: B^-1 rhs
    double *root;     // of a block by itself: sqrt(-B)
    int32_t *block;   // of a block of several: which of the island; else -1
    double **factor;  // of each block of several: L with -B = L L'
    int32_t *met;     // of each block of several: IN_A_RUN, or the held row that took all of it last; -1: none did
    int32_t most;     // in a block
} velocities;

// x = rhs / value with one step of refinement: block_solve of mcp_blocks.c, whose powers of two change no bit.
static inline double divided(double value, double rhs)
{
    const double first = 0 + rhs / value;  // no -0
    return first + (rhs - value * first) / value;
}

static bool take_single(const cd_mcp_problem *p, const cd_mcp_block *b, velocities *v)
{
    const int32_t place = cd_mcp_single_entry(p, b);
    const double value = place < 0 ? 0 : p->m.value[place];
    v->root[b->offset] = sqrt(fabs(value));
    v->g[b->offset] = divided(value, p->rhs[b->row[0]]);
    return value < 0;
}

// cd_mcp_block_root of a block that is known to be symmetric. NULL: -B is not definite; one that would go with -G' is
// left to the general way.
static double *root_of(const cd_mcp_problem *p, const cd_mcp_block *b)
{
    if (b->root)
        return b->sign > 0 ? b->root : NULL;
    const int32_t count = b->count * b->count;
    double *a = CD_ARENA_ARRAY(p->arena, double, count);
    for (int32_t k = 0; k < count; k++)
        a[k] = -b->dense[k];
    return cd_cholesky_factor(b->count, a) ? a : NULL;
}

static bool take_several(const cd_mcp_problem *p, cd_mcp_block *b, int32_t number, velocities *v)
{
    if (b->count > BLOCK_MOST || !cd_mcp_block_factor(p, b))
        return false;
    v->factor[number] = root_of(p, b);
    if (!v->factor[number])
        return false;
    cd_mcp_block_constants(p, b);
    v->met[number] = b->row[b->count - 1] - b->row[0] < b->count ? IN_A_RUN : -1;
    memcpy(v->g + b->offset, b->g, sizeof *b->g * (size_t)b->count);
    for (int32_t f = b->offset; f < b->offset + b->count; f++)
        v->block[f] = number;
    return true;
}

static bool take_blocks(const cd_mcp_problem *p, const cd_mcp_island *s, velocities *v)
{
    *v = (velocities){.g = CD_ARENA_ARRAY(p->arena, double, s->velocity_count),
                      .root = CD_ARENA_ARRAY(p->arena, double, s->velocity_count),
                      .block = CD_ARENA_ARRAY(p->arena, int32_t, s->velocity_count),
                      .factor = CD_ARENA_ARRAY(p->arena, double *, s->block_count),
                      .met = CD_ARENA_ARRAY(p->arena, int32_t, s->block_count),
                      .most = 1};
    for (int32_t k = 0; k < s->block_count; k++) {
        cd_mcp_block *b = &p->blocks[s->block[k]];
        v->block[b->offset] = -1;
        if (b->count > 1 ? !take_several(p, b, k, v) : !take_single(p, b, v))
            return false;
        v->most = b->count > v->most ? b->count : v->most;
    }
    return true;
}

// Where the velocities f .. f + width - 1 come to stand in a row of N, which has entries from `begin` to `count`: they
// ascend. Those above, where a block is no run of rows, move up.
static inline int32_t make_room(const cd_lcp_rows *N, int32_t begin, int32_t count, int32_t f, int32_t width)
{
    int32_t at = count;
    for (; at > begin && N->col[at - 1] > f; at--) {
        N->col[at - 1 + width] = N->col[at - 1];
        N->value[at - 1 + width] = N->value[at - 1];
    }
    return at;
}

// Velocity f of a block of several, which comes to stand there in full, zeros, when the row meets it first. The end of
// the row.
static int32_t enter(const cd_lcp_rows *N, int32_t begin, int32_t count, const cd_mcp_block *b, int32_t f, double value)
{
    int32_t at = count;
    while (at > begin && N->col[at - 1] > f)
        at--;
    if (at > begin && N->col[at - 1] == f) {
        N->value[at - 1] = value;
        return count;
    }
    at = make_room(N, begin, count, b->offset, b->count);
    for (int32_t k = 0; k < b->count; k++) {
        N->col[at + k] = b->offset + k;
        N->value[at + k] = b->offset + k == f ? value : 0;
    }
    return count + b->count;
}

// L^-1 of each block of several in the row.
static void whiten(const cd_mcp_problem *p, const cd_mcp_island *s, const velocities *v, const cd_lcp_rows *N,
                   int32_t begin, int32_t end)
{
    for (int32_t k = begin; k < end;) {
        const int32_t number = v->block[N->col[k]], count = number < 0 ? 1 : p->blocks[s->block[number]].count;
        if (number >= 0)
            cd_cholesky_forward(count, v->factor[number], N->value + k);
        k += count;
    }
}

// What a row of N from `begin` on comes with: what is left of its constant, and the square of its length.
typedef struct row_sums {
    int32_t begin;
    double constant, square;
} row_sums;

// Where in a row of the matrix it is, and what was summed up before.
typedef struct place {
    const int32_t *at, *end;  // columns
    const double *value;
    double constant, square;
} place;

// The blocks of most bodies: the run of velocities from f on that are of one of three, with cd_cholesky_forward in
// registers. They ascend, for the columns do.
static inline void take_three(place *p, const int32_t *velocity, int32_t f, int32_t offset, const double *g,
                              const double *L, double *x)
{
    double own[3];
    for (int32_t k = 0; k < 3; k++) {
        own[k] = 0;
        if (f != offset + k)
            continue;
        own[k] = *p->value++;
        p->constant -= own[k] * g[f];
        f = ++p->at < p->end ? velocity[*p->at] : -1;
    }
    const double x0 = own[0] / L[0], x1 = (own[1] - L[3] * x0) / L[4], x2 = (own[2] - L[6] * x0 - L[7] * x1) / L[8];
    x[0] = x0;
    x[1] = x1;
    x[2] = x2;
    p->square = p->square + x0 * x0 + x1 * x1 + x2 * x2;
}

static place take_any(place p, const int32_t *velocity, int32_t f, const cd_mcp_block *b, const double *g,
                      const double *L, double *x)
{
    const int32_t offset = b->offset, last = offset + b->count - 1;
    for (int32_t k = 0; k < b->count; k++)
        x[k] = 0;
    do {
        p.constant -= *p.value * g[f];
        x[f - offset] = *p.value++;
    } while (++p.at < p.end && (f = velocity[*p.at]) <= last && f >= offset);
    cd_cholesky_forward(b->count, L, x);
    for (int32_t k = 0; k < b->count; k++)
        p.square += x[k] * x[k];
    return p;
}

// A block whose rows do not follow one another, as where the inertia of a body joins two of its turns and leaves out
// the one between: what the row has of it stands among other velocities, and is all taken where it begins.
static void take_apart(place p, const int32_t *velocity, const cd_mcp_block *b, const double *L, double *x)
{
    const int32_t offset = b->offset, last = b->row[b->count - 1];
    for (int32_t k = 0; k < b->count; k++)
        x[k] = 0;
    for (; p.at < p.end && *p.at <= last; p.at++, p.value++) {
        const int32_t f = velocity[*p.at];
        if (f >= offset && f < offset + b->count)
            x[f - offset] = *p.value;
    }
    cd_cholesky_forward(b->count, L, x);
}

static inline void pass(place *p, double g)
{
    p->constant -= *p->value++ * g;
    p->at++;
}

// take_row where blocks come as they ascend, as most do: what a row has of one stands behind what it has of those
// before. -1: it is not so.
static int32_t take_ascending(const cd_mcp_problem *p, const cd_mcp_island *s, int32_t i, const velocities *v,
                              const cd_lcp_rows *N, row_sums *sums)
{
    const int32_t begin = sums->begin, *const col = p->m.col;
    const int32_t *const velocity = p->velocity, *const block = v->block;
    const double *const g = v->g, *const root = v->root;
    place at = {col + p->m.first[i], col + p->m.first[i + 1], p->m.value + p->m.first[i], p->rhs[i], 0};
    int32_t *to = N->col + begin, last = -1;
    double *x = N->value + begin;
    while (at.at < at.end) {
        const int32_t f = velocity[*at.at];
        const int32_t number = block[f];
        if (number < 0) {
            if (f < last)
                return -1;
            last = *to++ = f;
            *x = *at.value / root[f];
            at.square += *x * *x;
            x++;
            pass(&at, g[f]);
            continue;
        }
        const cd_mcp_block *b = &p->blocks[s->block[number]];
        const int32_t offset = b->offset, count = b->count;
        if (offset < last) {
            if (v->met[number] != i)
                return -1;
            pass(&at, g[f]);
            continue;
        }
        last = offset + count - 1;
        if (v->met[number] != IN_A_RUN) {
            v->met[number] = i;
            take_apart(at, velocity, b, v->factor[number], x);
            pass(&at, g[f]);
            for (int32_t k = 0; k < count; k++)
                at.square += x[k] * x[k];
        } else if (count == 3) {
            take_three(&at, velocity, f, offset, g, v->factor[number], x);
        } else {
            at = take_any(at, velocity, f, b, g, v->factor[number], x);
        }
        for (int32_t k = 0; k < count; k++)
            *to++ = offset + k;
        x += count;
    }
    sums->constant = at.constant;
    sums->square = at.square;
    return (int32_t)(to - N->col);
}

// Row i of N. The end of the row.
static int32_t take_row(const cd_mcp_problem *p, const cd_mcp_island *s, int32_t i, const velocities *v,
                        const cd_lcp_rows *N, row_sums *sums)
{
    const int32_t begin = sums->begin, end = p->m.first[i + 1];
    int32_t count = begin;
    bool has_several = false;
    double constant = p->rhs[i];
    for (int32_t k = p->m.first[i]; k < end; k++) {
        const int32_t f = p->velocity[p->m.col[k]], number = v->block[f];
        const double value = p->m.value[k];
        constant -= value * v->g[f];
        if (number >= 0) {
            has_several = true;
            count = enter(N, begin, count, &p->blocks[s->block[number]], f, value);
            continue;
        }
        const int32_t at = make_room(N, begin, count++, f, 1);
        N->col[at] = f;
        N->value[at] = value / v->root[f];
    }
    if (has_several)
        whiten(p, s, v, N, begin, count);
    sums->constant = constant;
    sums->square = 0;
    for (int32_t k = begin; k < count; k++)
        sums->square += N->value[k] * N->value[k];
    return count;
}

// The problem in the units of the method: y = c y' / sigma.
typedef struct scaled {
    cd_lcp_structure s;
    double *c, sigma, size;
} scaled;

static void take_rows(const cd_mcp_problem *p, const cd_mcp_island *s, const velocities *v, scaled *out)
{
    const int32_t n = s->held_count;
    int32_t entries = 0, count = 0;
    for (int32_t h = 0; h < n; h++)
        entries += p->m.first[s->held[h] + 1] - p->m.first[s->held[h]];
    cd_lcp_structure *t = &out->s;
    const cd_lcp_rows N = {CD_ARENA_ARRAY(p->arena, int32_t, (size_t)n + 1),
                           CD_ARENA_ARRAY(p->arena, int32_t, (size_t)entries * (size_t)v->most),
                           CD_ARENA_ARRAY(p->arena, double, (size_t)entries *(size_t)v->most)};
    *t = (cd_lcp_structure){.n = n, .m = s->velocity_count, .is_symmetric = true, .is_semidefinite = true};
    t->left = t->right = N;
    t->direct = (cd_lcp_rows){CD_ARENA_ZARRAY(p->arena, int32_t, (size_t)n + 1), CD_ARENA_ARRAY(p->arena, int32_t, 0),
                              CD_ARENA_ARRAY(p->arena, double, 0)};
    t->q = CD_ARENA_ARRAY(p->arena, double, n);
    t->diagonal = CD_ARENA_ARRAY(p->arena, double, n);
    out->c = CD_ARENA_ARRAY(p->arena, double, n);
    N.first[0] = 0;
    double largest = 0;
    for (int32_t h = 0; h < n; h++) {
        row_sums sums = {.begin = count};
        int32_t end = take_ascending(p, s, s->held[h], v, &N, &sums);
        if (end < 0)
            end = take_row(p, s, s->held[h], v, &N, &sums);
        const double square = sums.square, c = out->c[h] = square > 0 ? cd_lcp_half_power_for(square) : 1;
        for (int32_t k = count; k < end && c != 1; k++)
            N.value[k] *= c;
        t->q[h] = sums.constant * c;
        t->diagonal[h] = square * c * c;
        largest = cd_larger(largest, fabs(t->q[h]));
        N.first[h + 1] = count = end;
    }
    out->sigma = cd_lcp_power_for(largest);
    for (int32_t h = 0; h < n; h++)
        t->q[h] *= out->sigma;
    out->size = largest > 0 ? largest * out->sigma : 1;
}

static void take_impulses(const cd_mcp_problem *p, const cd_mcp_island *s, const scaled *from, const double *y)
{
    for (int32_t h = 0; h < s->held_count; h++) {
        const double z = isfinite(y[h]) ? y[h] * from->c[h] / from->sigma : 0;
        p->z[s->held[h]] = cd_larger(0, 0 + z);  // no -0
    }
}

static void find_velocities(const cd_mcp_problem *p, const cd_mcp_island *s)
{
    for (int32_t k = 0; k < s->block_count; k++) {
        const cd_mcp_block *b = &p->blocks[s->block[k]];
        const int32_t i = b->row[0], end = p->m.first[i + 1];
        if (b->count > 1) {
            cd_mcp_block_substitute(p, b);
            continue;
        }
        double rhs = -p->rhs[i], own = 0;
        for (int32_t e = p->m.first[i]; e < end; e++) {
            const double value = p->m.value[e];
            if (p->m.col[e] == i)
                own = value;
            else
                rhs -= value * p->z[p->m.col[e]];
        }
        p->z[i] = divided(own, rhs);
    }
}

bool cd_mcp_plain_solve(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_solver *solver,
                        const cd_lcp_options *options, cd_mcp_island_result *out)
{
    const cd_lcp_structure kind = {.n = s->held_count, .m = 1, .is_symmetric = true, .is_semidefinite = true};
    const cd_lcp_solver *chosen = solver->choose ? solver->choose(&kind) : solver;
    if (!p->is_contacts || !p->m.is_symmetric || p->is_based || options->warm || s->held_count == 0 ||
        chosen != &cd_lcp_solver_qp)
        return false;
    velocities v;
    scaled problem;
    if (!take_blocks(p, s, &v))
        return false;
    take_rows(p, s, &v, &problem);
    cd_lcp_options inner = *options;
    inner.guess = NULL;  // it is of all rows, in their units; this method asks for none
    inner.tolerance = CD_MCP_STRUCTURE_SHARE * options->tolerance * problem.size;
    const cd_lcp_result result = chosen->solve_structure(&problem.s, &inner, p->arena);
    take_impulses(p, s, &problem, result.z);
    find_velocities(p, s);
    const double error = cd_mcp_rows_error(p, s->row, s->count);
    if (result.status == CD_LCP_INFEASIBLE || !(error <= options->tolerance * p->size))
        return false;
    *out = (cd_mcp_island_result){.status = CD_LCP_SOLVED,
                                  .reason = "",
                                  .solver = result.solver,
                                  .iterations = result.iterations,
                                  .rows = s->held_count,
                                  .error = error,
                                  .share = 1};
    return true;
}
