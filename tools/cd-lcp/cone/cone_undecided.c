// SPDX-License-Identifier: MIT
#include "cone_undecided.h"

#include "cone_product.h"
#include "gram_cross.h"
#include "gram_front.h"
#include "lcp_solver.h"
#include "lcp_vector.h"

#include <math.h>
#include <stdlib.h>

extern const cd_lcp_solver cd_lcp_solver_qp;

// Rows that may become undecided: one in MOST_PART of all, and no fewer or more than these. The dense problem costs
// their cube: of 10,050 squares in a bond, 60,000 rows, 3,750 took 13 s.
enum { ROUNDS = 10, MOST_PART = 16, LEAST_BOUND = 320, MOST_BOUND = 640 };

typedef struct undecided {
    cd_cone_lagrangian *m;
    int32_t most, count, crossed;  // those that `cross` has
    int32_t *row;
    double *y;       // what they push with,
    double *t;       // and what that is more than what the factor has them push with
    double *base;    // next of the balance without t, a row of the programme each
    bool *is_in;     // of each row of the programme
    int32_t *group;  // of each row of the programme
    int32_t *held;   // those that the factor holds, places in `row`
    int32_t held_count;
    cd_gram_cross *cross;
} undecided;

static undecided start(cd_cone_lagrangian *m, int32_t most, cd_arena *arena)
{
    const cd_cone_program *p = m->system->p;
    undecided d = {.m = m,
                   .most = most,
                   .row = CD_ARENA_ARRAY(arena, int32_t, most),
                   .y = CD_ARENA_ARRAY(arena, double, most),
                   .t = CD_ARENA_ARRAY(arena, double, most),
                   .base = CD_ARENA_ARRAY(arena, double, p->cones.rows),
                   .is_in = CD_ARENA_ZARRAY(arena, bool, p->cones.rows),
                   .group = CD_ARENA_ARRAY(arena, int32_t, p->cones.rows),
                   .held = CD_ARENA_ARRAY(arena, int32_t, most)};
    for (int32_t g = 0, r = 0; g < p->groups.count; g++) {
        for (int32_t end = r + p->groups.height[g]; r < end; r++)
            d.group[r] = g;
    }
    return d;
}

// The factor of the rows that are held to carry, and the balance of these alone.
static void begin(undecided *d, cd_arena *arena)
{
    cd_cone_lagrangian_factor(d->m);
    cd_cone_lagrangian_balance(d->m, 1);
    memcpy(d->base, d->m->next, sizeof *d->base * (size_t)d->m->system->p->cones.rows);
    d->cross = cd_gram_cross_start(d->m->system->gram, arena);
    d->crossed = d->held_count = 0;
}

static int compare_falling(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static bool is_other(const undecided *d, int32_t r) { return !d->is_in[r] && (d->m->next[r] > 0) != d->m->carries[r]; }

// Rows on the other side become undecided: at once at most so many, those that ask for it most. Returns how many there
// are, -1: more than may be in all.
static int32_t take_others(undecided *d, int32_t at_once, cd_arena *scratch)
{
    cd_cone_lagrangian *m = d->m;
    const int32_t rows = m->system->p->cones.rows;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double least = 0, *asked = CD_ARENA_ARRAY(scratch, double, rows);
    int32_t others = 0;
    for (int32_t r = 0; r < rows; r++) {
        if (is_other(d, r))
            asked[others++] = fabs(m->next[r]);
    }
    if (others > at_once) {
        qsort(asked, (size_t)others, sizeof *asked, compare_falling);
        least = asked[at_once - 1];
    }
    cd_arena_rewind(scratch, mark);
    for (int32_t r = 0; r < rows; r++) {
        if (!is_other(d, r) || fabs(m->next[r]) < least)
            continue;
        if (d->count == d->most)
            return -1;
        d->is_in[r] = true;
        d->y[d->count] = 0;
        d->row[d->count++] = r;
    }
    return others;
}

// How the undecided rows act on each other through the factor.
static void cross_new(undecided *d, cd_arena *arena)
{
    const cd_cone_program *p = d->m->system->p;
    const int32_t count = d->count - d->crossed;
    cd_gram_row *row = CD_ARENA_ARRAY(arena, cd_gram_row, count);
    for (int32_t k = 0; k < count; k++) {
        const int32_t r = d->row[d->crossed + k];
        row[k] = (cd_gram_row){d->group[r], p->H + p->place[r]};
        if (d->m->carries[r])
            d->held[d->held_count++] = d->crossed + k;
    }
    cd_gram_cross_add(d->cross, row, count);
    d->crossed = d->count;
}

// The undecided rows alone, M y + q, by the first `held` columns of a front of held + n + 1. It begins as
//     1 - rho S_AA               |
//     root rho S_A, 1 / root rho | -M of the others     the second column of rows is one for each undecided row, the
//     next_A' / root rho         | q of the others      one of what the factor holds has 1 / root rho in its place
// and ends with -M and q where these stand, for M has what A gives it besides.
typedef struct small {
    int32_t n, held;
    const bool *is_held;
    double *front;
    size_t stride;
    double *M, *q;
} small;

static small make_small(const undecided *d, cd_arena *arena)
{
    const size_t n = (size_t)d->count, size = n + (size_t)d->held_count + 1,
                 stride = (size_t)cd_front_stride((int32_t)size);
    bool *is_held = CD_ARENA_ZARRAY(arena, bool, n);
    for (int32_t i = 0; i < d->held_count; i++)
        is_held[d->held[i]] = true;
    return (small){.n = d->count,
                   .held = d->held_count,
                   .is_held = is_held,
                   .front = CD_ARENA_ARRAY(arena, double, stride *size),
                   .stride = stride,
                   .M = CD_ARENA_ARRAY(arena, double, n *n),
                   .q = CD_ARENA_ARRAY(arena, double, n)};
}

static void fill_held(const undecided *d, const small *s)
{
    const double rho = d->m->penalty, root = sqrt(rho);
    for (int32_t i = 0; i < s->held; i++) {
        const int32_t at = d->held[i];
        const double *S = cd_gram_cross_row(d->cross, at);
        double *column = s->front + (size_t)i * s->stride, *rest = column + s->held;
        for (int32_t j = i; j < s->held; j++)
            column[j] = (i == j) - rho * S[d->held[j]];
        for (int32_t j = 0; j < s->n; j++)
            rest[j] = s->is_held[j] ? 0 : root * S[j];
        rest[at] = 1 / root;
        rest[s->n] = d->base[d->row[at]] / root;
        memset(rest + s->n + 1, 0, sizeof *rest * (s->stride - (size_t)(s->held + s->n + 1)));
    }
}

static void fill_others(const undecided *d, const small *s)
{
    const double rho = d->m->penalty;
    for (int32_t j = 0; j < s->n; j++) {
        const double *S = cd_gram_cross_row(d->cross, j);
        double *column = s->front + (size_t)(s->held + j) * s->stride + s->held;
        for (int32_t k = j; k < s->n; k++)
            column[k] = s->is_held[j] || s->is_held[k] ? 0 : -S[k];
        column[j] -= s->is_held[j] ? 0 : 1 / rho;
        column[s->n] = s->is_held[j] ? 0 : -d->base[d->row[j]] / rho;
    }
    s->front[(size_t)(s->held + s->n) * (s->stride + 1)] = 0;
}

// False: of 1 - rho S_AA rounding has eaten a pivot.
static bool reduce(const small *s, cd_arena *scratch)
{
    const cd_front front = {s->held + s->n + 1, s->held, s->front, CD_ARENA_ZARRAY(scratch, double, s->held),
                            CD_ARENA_ARRAY(scratch, double, s->held)};
    if (s->held > 0 && cd_front_factor(&front, 1) > 0)
        return false;
    for (int32_t j = 0; j < s->n; j++) {
        const double *column = s->front + (size_t)(s->held + j) * s->stride + s->held;
        double *M = s->M + (size_t)j * (size_t)s->n;
        for (int32_t k = j; k < s->n; k++)
            M[k] = -column[k];
        s->q[j] = column[s->n];
    }
    for (int32_t j = 0; j < s->n; j++) {
        for (int32_t k = 0; k < j; k++)
            s->M[(size_t)j * (size_t)s->n + (size_t)k] = s->M[(size_t)k * (size_t)s->n + (size_t)j];
    }
    return true;
}

// y and t. False: what the rows that the factor holds would be without it, rounding has eaten.
static bool solve_small(undecided *d, cd_arena *scratch)
{
    const small s = make_small(d, scratch);
    const size_t n = (size_t)s.n;
    fill_held(d, &s);
    fill_others(d, &s);
    if (!reduce(&s, scratch))
        return false;
    const cd_lcp lcp = {.n = s.n, .M = s.M, .q = s.q};
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.warm = d->y;
    memcpy(d->y, cd_lcp_solve(&cd_lcp_solver_qp, &lcp, &options, scratch).z, sizeof *d->y * n);
    for (size_t j = 0; j < n; j++) {
        const bool is_released = s.is_held[j] && !(d->y[j] > 0);
        d->t[j] = is_released    ? d->m->penalty * (s.q[j] + cd_vector_dot(s.M + j * n, d->y, s.n))
                  : s.is_held[j] ? 0
                                 : d->y[j];
    }
    return true;
}

// The balance with what the undecided rows push with.
static void balance(undecided *d)
{
    cd_cone_lagrangian *m = d->m;
    const cd_cone_program *p = m->system->p;
    memset(m->change, 0, sizeof *m->change * (size_t)p->cones.rows);
    for (int32_t k = 0; k < d->count; k++)
        m->change[d->row[k]] = d->t[k];
    cd_cone_transposed(&p->groups, p->H, m->change, m->du);
    cd_gram_solve(m->system->gram, p->D, m->du);
    cd_cone_values(&p->groups, p->H, m->du, m->change);
    for (int32_t r = 0; r < p->cones.rows; r++)
        m->next[r] = d->base[r] - m->penalty * m->change[r];
}

// With more of the others than this part of the rows that carry, or of those that may be undecided, a guess is no near
// one. Of 343 hulls that land all 38 guesses, as they came, had 1.15 to 10 times as many as may be undecided, and none
// was decided, for a fourth of the time of their problems; of 39 that sway 36 had fewer, and two of the other three
// were decided. Guesses that are mended first (cd_cone_lagrangian_mend) have fewer.
#define OTHERS_MOST (2.0 / 3)
#define UNDECIDED_MOST 1.25

// False as well: all may be undecided.
static bool is_far(const undecided *d, int32_t others, int32_t at_once)
{
    const int32_t rows = d->m->system->p->cones.rows;
    int32_t carrying = 0;
    for (int32_t r = 0; r < rows; r++)
        carrying += d->m->carries[r];
    return at_once < rows && (others > OTHERS_MOST * carrying || others > UNDECIDED_MOST * d->most);
}

// Rows that were found together are no longer held by the factor, nor are those before.
static void begin_again(undecided *d, cd_arena *arena)
{
    for (int32_t k = 0; k < d->count; k++)
        d->m->carries[d->row[k]] = false;
    begin(d, arena);
    cross_new(d, arena);
}

static int32_t most_undecided(int32_t rows)
{
    const int32_t part = rows / MOST_PART;
    return part < LEAST_BOUND ? LEAST_BOUND : part > MOST_BOUND ? MOST_BOUND : part;
}

bool cd_cone_undecided_decide(cd_cone_lagrangian *m, int32_t at_once, cd_arena *scratch)
{
    const size_t rows = (size_t)m->system->p->cones.rows;
    cd_cone_lagrangian_factor(m);  // which may make the memory of the factor
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    bool *kept = CD_ARENA_ARRAY(scratch, bool, rows);
    memcpy(kept, m->carries, sizeof *kept * rows);
    undecided d = start(m, most_undecided((int32_t)rows), scratch);
    begin(&d, scratch);
    int32_t others = take_others(&d, at_once, scratch);
    if (others > 0 && is_far(&d, others, at_once))
        others = -1;
    for (int round = 0; others > 0 && round < ROUNDS; round++) {
        cross_new(&d, scratch);
        cd_arena_mark before = cd_arena_get_mark(scratch);
        if (!solve_small(&d, scratch)) {
            cd_arena_rewind(scratch, before);
            begin_again(&d, scratch);  // its `cross` is of the rounds to come too
            before = cd_arena_get_mark(scratch);
            (void)solve_small(&d, scratch);
        }
        balance(&d);
        cd_arena_rewind(scratch, before);
        others = take_others(&d, at_once, scratch);
    }
    for (int32_t k = 0; k < d.count; k++)
        m->carries[d.row[k]] = d.y[k] > 0;
    if (others != 0)
        memcpy(m->carries, kept, sizeof *kept * rows);
    cd_arena_rewind(scratch, mark);
    return others == 0;
}
