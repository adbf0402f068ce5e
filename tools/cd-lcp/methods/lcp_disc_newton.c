// SPDX-License-Identifier: MIT
#include "lcp_disc_newton.h"

#include "lcp_dense.h"

#include <math.h>

typedef enum state { OPEN, AT_ROOM, CLOSED, STICKS, SLIPS } state;

static state state_of(const cd_lcp_structure *s, int32_t i, const double *y, const double *w)
{
    const double a = y[i] - w[i];
    if (!cd_lcp_is_tangent(s, i)) {
        if (a <= 0 || !(s->diagonal[i] > 0))
            return OPEN;
        return s->room && a >= s->room[i] ? AT_ROOM : CLOSED;
    }
    const int32_t normal = s->normal[i], other = s->partner[i];
    if (state_of(s, normal, y, w) == OPEN || !(s->diagonal[i] > 0))
        return OPEN;
    const double b = other < 0 ? 0 : y[other] - w[other];
    return hypot(a, b) < s->mu[i] * y[normal] ? STICKS : SLIPS;
}

void cd_lcp_proximal_values(const cd_lcp_proximal *p, const double *y, double *u, double *w, cd_arena *scratch)
{
    cd_lcp_structure_values(p->s, y, u, w, scratch);
    for (int32_t i = 0; i < p->s->n && p->damping > 0; i++)
        w[i] += p->damping * (y[i] - p->center[i]);
}

int32_t cd_lcp_disc_unknowns(const cd_lcp_structure *s, const double *y, const double *w)
{
    int32_t count = 0;
    for (int32_t i = 0; i < s->n; i++) {
        state is = state_of(s, i, y, w);
        count += is != OPEN && is != AT_ROOM;
    }
    return count;
}

// The equation of row `row` of the system (its unknown is i): Delta y over the unknowns. M: rows of the unknowns, k x
// k.
typedef struct newton_system {
    const cd_lcp_structure *s;
    const double *y, *w;   // of the point from which open rows were already moved to their bounds
    const double *a;       // y - w of the point that the states are of
    const int32_t *place;  // of each row: its unknown, or -1
    const double *M;
    int32_t k;
    size_t stride;
    double *A, *b;
} newton_system;

static void closed_row(newton_system *t, int32_t i)
{
    const int32_t row = t->place[i];
    for (int32_t j = 0; j < t->k; j++)
        t->A[row * t->stride + j] = t->M[(size_t)row * t->k + j];
    t->b[row] = -t->w[i];
}

static void slipping_row(newton_system *t, int32_t i)
{
    const cd_lcp_structure *s = t->s;
    const int32_t row = t->place[i], other = s->partner[i], normal = s->normal[i];
    const double b = other < 0 ? 0 : t->a[other], length = hypot(t->a[i], b), radius = s->mu[i] * t->y[normal];
    const double d[2] = {t->a[i] / length, b / length};
    const double turn = other < 0 ? 0 : fmin(1, radius / length);
    const double across[2] = {turn * (1 - d[0] * d[0]), -turn * d[0] * d[1]};  // row i of turn (1 - d d')
    double *A = t->A + row * t->stride;
    memset(A, 0, sizeof *A * t->stride);
    A[row] = 1 - across[0];
    // The other tangent is no unknown where nothing resists it (a zero on the diagonal).
    const int32_t beside = other < 0 ? -1 : t->place[other];
    if (beside >= 0)
        A[beside] -= across[1];
    for (int32_t j = 0; j < t->k; j++) {
        A[j] += across[0] * t->M[(size_t)row * t->k + j];
        if (beside >= 0)
            A[j] += across[1] * t->M[(size_t)beside * t->k + j];
    }
    if (t->place[normal] >= 0)
        A[t->place[normal]] -= s->mu[i] * d[0];
    // The value of the projection at the moved point: r d + turn (1 - d d') (a - a_0), a_0 along d, so only a counts.
    const double now[2] = {t->y[i] - t->w[i], other < 0 ? 0 : t->y[other] - t->w[other]};
    t->b[row] = radius * d[0] + across[0] * now[0] + across[1] * now[1] - t->y[i];
}

bool cd_lcp_disc_step(const cd_lcp_proximal *p, const double *y, const double *w, double *next, cd_arena *scratch)
{
    const cd_lcp_structure *s = p->s;
    const int32_t n = s->n;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    state *is = CD_ARENA_ARRAY(scratch, state, n);
    int32_t *place = CD_ARENA_ARRAY(scratch, int32_t, n), *list = CD_ARENA_ARRAY(scratch, int32_t, n), k = 0;
    double *a = CD_ARENA_ARRAY(scratch, double, n), *moved_w = CD_ARENA_ARRAY(scratch, double, n),
           *row = CD_ARENA_ARRAY(scratch, double, n);
    // Open rows and those at their room are fixed; the others are the unknowns.
    for (int32_t i = 0; i < n; i++) {
        is[i] = state_of(s, i, y, w);
        place[i] = is[i] == OPEN || is[i] == AT_ROOM ? -1 : k;
        next[i] = is[i] == OPEN ? 0 : is[i] == AT_ROOM ? s->room[i] : y[i];
        a[i] = y[i] - w[i];
        if (place[i] >= 0)
            list[k++] = i;
    }
    // The linearised system of these.
    cd_lcp_proximal_values(p, next, NULL, moved_w, scratch);
    cd_lcp_columns columns = cd_lcp_structure_columns(s, scratch);
    newton_system t = {
        .s = s, .y = next, .w = moved_w, .a = a, .place = place, .k = k, .stride = (size_t)cd_dense_stride(k)};
    double *M = CD_ARENA_ARRAY(scratch, double, (size_t)k *(size_t)k), *x = CD_ARENA_ARRAY(scratch, double, k);
    for (int32_t e = 0; e < k; e++) {
        cd_lcp_structure_row(s, &columns, list[e], row);
        for (int32_t j = 0; j < k; j++)
            M[(size_t)e * k + j] = row[list[j]];
        M[(size_t)e * k + e] += p->damping;
    }
    t.M = M;
    t.A = CD_ARENA_ZARRAY(scratch, double, (size_t)k *t.stride);
    t.b = CD_ARENA_ARRAY(scratch, double, k);
    for (int32_t e = 0; e < k; e++) {
        if (is[list[e]] == SLIPS)
            slipping_row(&t, list[e]);
        else
            closed_row(&t, list[e]);
    }
    // The step.
    cd_lu lu;
    bool regular = cd_lu_factor(&lu, k, t.A, scratch);
    if (regular) {
        cd_lu_solve(&lu, t.b, x);
        for (int32_t e = 0; e < k; e++) {
            regular = regular && isfinite(x[e]);
            next[list[e]] += x[e];
        }
    }
    cd_arena_rewind(scratch, mark);
    return regular;
}
