// SPDX-License-Identifier: MIT
#include "cone_undecided.h"

#include "gram_cross.h"
#include "lcp_solver.h"

extern const cd_lcp_solver cd_lcp_solver_qp;

enum { ROUNDS = 10, MOST = 320, MOST_PART = 16 };

typedef struct undecided {
    cd_cone_lagrangian *m;
    int32_t count;
    int32_t *row;
    double *y;
    bool *is_in;     // of each row of the programme
    int32_t *group;  // of each row of the programme
} undecided;

static undecided start(cd_cone_lagrangian *m, int32_t most, cd_arena *arena)
{
    const cd_cone_program *p = m->system->p;
    undecided d = {.m = m,
                   .row = CD_ARENA_ARRAY(arena, int32_t, most),
                   .y = CD_ARENA_ARRAY(arena, double, most),
                   .is_in = CD_ARENA_ZARRAY(arena, bool, p->cones.rows),
                   .group = CD_ARENA_ARRAY(arena, int32_t, p->cones.rows)};
    for (int32_t g = 0, r = 0; g < p->groups.count; g++) {
        for (int32_t end = r + p->groups.height[g]; r < end; r++)
            d.group[r] = g;
    }
    return d;
}

// Rows on the other side become undecided and leave the factor. Returns how many, -1: more than may be.
static int32_t take_others(undecided *d, int32_t most)
{
    cd_cone_lagrangian *m = d->m;
    const int32_t before = d->count;
    for (int32_t r = 0; r < m->system->p->cones.rows; r++) {
        if (d->is_in[r] || (m->next[r] > 0) == m->carries[r])
            continue;
        if (d->count == most)
            return -1;
        d->is_in[r] = true;
        m->carries[r] = false;
        d->y[d->count] = 0;
        d->row[d->count++] = r;
    }
    return d->count - before;
}

// y of the undecided rows, from the balance that was found without them.
static void solve_small(undecided *d, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    const cd_cone_program *p = d->m->system->p;
    const size_t n = (size_t)d->count;
    cd_gram_row *row = CD_ARENA_ARRAY(scratch, cd_gram_row, n);
    double *M = CD_ARENA_ARRAY(scratch, double, n *n), *q = CD_ARENA_ARRAY(scratch, double, n);
    for (size_t k = 0; k < n; k++) {
        row[k] = (cd_gram_row){d->group[d->row[k]], p->H + p->place[d->row[k]]};
        q[k] = -d->m->next[d->row[k]] / d->m->penalty;
    }
    cd_gram_cross(d->m->system->gram, row, d->count, M, scratch);
    for (size_t k = 0; k < n; k++)
        M[k * n + k] += 1 / d->m->penalty;
    const cd_lcp lcp = {.n = d->count, .M = M, .q = q};
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.warm = d->y;
    memcpy(d->y, cd_lcp_solve(&cd_lcp_solver_qp, &lcp, &options, scratch).z, sizeof *d->y * n);
    cd_arena_rewind(scratch, mark);
}

// The balance with what the undecided rows carry, or without it.
static void balance(undecided *d, bool with)
{
    for (int32_t k = 0; k < d->count; k++)
        d->m->held[d->row[k]] = with ? d->y[k] : 0;
    cd_cone_lagrangian_balance(d->m, 1);
}

bool cd_cone_undecided_decide(cd_cone_lagrangian *m, int32_t first_most, cd_arena *scratch)
{
    const size_t rows = (size_t)m->system->p->cones.rows;
    cd_cone_lagrangian_factor(m);  // which may make the memory of the factor
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    bool *kept = CD_ARENA_ARRAY(scratch, bool, rows);
    memcpy(kept, m->carries, sizeof *kept * rows);
    const int32_t most = (int32_t)rows / MOST_PART > MOST ? (int32_t)rows / MOST_PART : MOST;
    undecided d = start(m, most, scratch);
    balance(&d, false);
    int32_t others = take_others(&d, first_most < most ? first_most : most);
    for (int round = 0; others > 0 && round < ROUNDS; round++) {
        cd_cone_lagrangian_factor(m);
        balance(&d, false);
        solve_small(&d, scratch);
        balance(&d, true);
        others = take_others(&d, most);
    }
    for (int32_t k = 0; k < d.count; k++) {
        m->carries[d.row[k]] = d.y[k] > 0;
        m->held[d.row[k]] = 0;
    }
    if (others != 0)
        memcpy(m->carries, kept, sizeof *kept * rows);
    cd_arena_rewind(scratch, mark);
    return others == 0;
}
