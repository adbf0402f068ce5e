// lcp_ppm -- principal pivoting of Dantzig's and Cottle's kind for symmetric positive semidefinite problems, with upper
// bounds.
//
// Rows are "between" (set A: w = 0), at their lower or at their upper bound. One violated row i at a time is driven:
// y_i moves (up where w_i < 0, down where w_i > 0 at the upper bound), y_A moves so that w_A stays 0, until w_i = 0 (i
// joins A) or y_i meets a bound. Rows that are satisfied stay so: before one fails, it changes its set, and the motion
// goes on:
//   y_j of A meets a bound -> j leaves A;   w_j of a row at a bound reaches 0 -> j joins A.
// So the number of violated rows falls with each driven row. A row that depends on A has no change of w when A moves (S
// is semidefinite), so it never has to join A, and the factor of S_AA stays regular. Where nothing ends the motion, e_i
// - r is a combination of rows that no motion can satisfy: infeasible, if that is verified. Cost: all entries + k^2 a
// step (k = |A|); more steps than qp, which lets satisfied rows go, but it takes upper bounds.
//
// Source: Dantzig & Cottle 1967; Cottle, Pang & Stone 4.2; with bounds: Baraff 1994 (as in ODE and DART). Degenerate
// ties may cycle in theory (no lexicographic rule): the number of steps is bounded.
// SPDX-License-Identifier: MIT
#include "lcp_active.h"
#include "lcp_vector.h"

#include <math.h>

enum { CORRECT_EVERY = 24, CORRECTIONS = 3, STEPS_A_ROW = 40 };
#define RATIO_TIE 1e-13    // of 1 + step: ratios nearer than this are tied, the one of the largest slope wins
#define SLOPE_LEAST 1e-11  // slopes below it are rounding of zeros (S_ii is near 1)

typedef enum event { NOTHING, REACHED, AT_BOUND, LEAVES, JOINS } event;

typedef struct motion {
    event what;
    int32_t which;  // LEAVES: place in A; JOINS: row
    double step, slope;
} motion;

static double room_of(const cd_active *a, int32_t i) { return a->s->room ? a->s->room[i] : INFINITY; }
static bool is_up(const cd_active *a, int32_t i) { return a->y[i] > 0; }  // of a row not in A: at its upper bound

// The row that is violated most, -1 when none is.
static int32_t worst_row(const cd_active *a)
{
    double largest = cd_active_violation(a);
    int32_t row = -1;
    for (int32_t i = 0; i < a->s->n; i++) {
        double violation = a->active[i] ? 0 : is_up(a, i) ? a->w[i] : room_of(a, i) > 0 ? -a->w[i] : 0;
        if (violation > largest) {
            largest = violation;
            row = i;
        }
    }
    return row;
}

static void offer(motion *m, event what, int32_t which, double value, double slope)
{
    const double step = cd_larger(0, value) / slope, window = RATIO_TIE * (1 + (m->step < INFINITY ? m->step : 0));
    if (step < m->step - window || (step <= m->step + window && slope > m->slope))
        *m = (motion){what, which, m->what == NOTHING ? step : cd_smaller(step, m->step), slope};
}

// The first thing that happens while y_i moves by sign * step and the others follow (r, dw for sign 1).
static motion next_event(const cd_active *a, int32_t i, double sign, const double *dw, double tolerance)
{
    motion m = {.what = NOTHING, .step = INFINITY};
    if (a->distance > 0)
        offer(&m, REACHED, i, fabs(a->w[i]), a->distance);
    const double way = sign > 0 ? room_of(a, i) - a->y[i] : a->y[i];
    if (way < m.step)
        m = (motion){AT_BOUND, i, cd_larger(0, way), 1};
    for (int32_t p = 0; p < a->f.count; p++) {
        const int32_t j = a->f.list[p];
        const double speed = -sign * a->r[p];
        if (speed < -SLOPE_LEAST)
            offer(&m, LEAVES, p, a->y[j], -speed);
        else if (speed > SLOPE_LEAST && room_of(a, j) < INFINITY)
            offer(&m, LEAVES, p, room_of(a, j) - a->y[j], speed);
    }
    for (int32_t j = 0; j < a->s->n; j++) {
        const double down = sign * (is_up(a, j) ? dw[j] : -dw[j]), slack = is_up(a, j) ? -a->w[j] : a->w[j];
        if (!a->active[j] && j != i && down > SLOPE_LEAST && slack >= -tolerance && room_of(a, j) > 0)
            offer(&m, JOINS, j, slack, down);
    }
    return m;
}

static void move(cd_active *a, int32_t i, double change, const double *dw)
{
    for (int32_t p = 0; p < a->f.count; p++) {
        const int32_t j = a->f.list[p];
        a->y[j] = cd_smaller(room_of(a, j), cd_larger(0, a->y[j] - change * a->r[p]));
    }
    a->y[i] = cd_smaller(room_of(a, i), cd_larger(0, a->y[i] + change));
    for (int32_t j = 0; j < a->s->n; j++)
        a->w[j] += change * dw[j];
}

// Drives row i until it is satisfied. False: the steps are used up or nothing ends the motion (result says which).
static bool drive(cd_active *a, int32_t i, double *dw, int64_t limit, cd_lcp_result *result)
{
    const double sign = a->w[i] < 0 ? 1 : -1, tolerance = cd_active_violation(a);
    while (result->iterations < limit && !cd_factor_is_full(&a->f)) {
        cd_active_direction(a, i);
        cd_active_change(a, i, dw);
        motion m = next_event(a, i, sign, dw, tolerance);
        result->iterations++;
        if (m.what == NOTHING) {
            result->status = cd_active_refutes(a, i) ? CD_LCP_INFEASIBLE : CD_LCP_INACCURATE;
            result->reason = result->status == CD_LCP_INFEASIBLE
                                 ? "rows contradict each other: a combination of them cannot be made non-negative"
                                 : "rows contradict each other within rounding";
            return false;
        }
        move(a, i, sign * m.step, dw);
        if (m.what == REACHED)
            cd_active_join(a, i);
        if (m.what == REACHED || m.what == AT_BOUND)
            return true;
        if (m.what == LEAVES) {
            const int32_t j = a->f.list[m.which];
            a->y[j] = sign * a->r[m.which] > 0 ? 0 : room_of(a, j);
            cd_active_leave(a, &m.which, 1);
        } else {
            cd_active_direction(a, m.which);
            if (a->distance > 0)
                cd_active_join(a, m.which);
        }
    }
    result->status = CD_LCP_LIMIT;
    result->reason = cd_factor_is_full(&a->f) ? CD_ACTIVE_TOO_LARGE : "principal pivoting used up its steps";
    return false;
}

static cd_lcp_result solve(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena)
{
    const int32_t n = s->n;
    cd_lcp_result result = {.status = CD_LCP_SOLVED,
                            .solver = "ppm",
                            .reason = "",
                            .z = CD_ARENA_ZARRAY(arena, double, cd_tiles_padded(n))};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_active a = cd_active_start(s, options, result.z, arena);
    double *dw = CD_ARENA_ARRAY(arena, double, n);
    const int64_t limit = options->max_iterations > 0 ? options->max_iterations : 100 + STEPS_A_ROW * (int64_t)n;
    cd_active_evaluate(&a);
    int64_t corrected_at = 0;
    for (;;) {
        int32_t i = worst_row(&a);
        if (result.iterations > corrected_at && (i < 0 || result.iterations >= corrected_at + CORRECT_EVERY)) {
            cd_active_evaluate(&a);
            for (int k = 0; k < (i < 0 ? CORRECTIONS : 1); k++)
                cd_active_correct(&a);
            corrected_at = result.iterations;
            i = worst_row(&a);
        }
        if (i < 0 || !drive(&a, i, dw, limit, &result))
            break;
    }
    cd_arena_rewind(arena, mark);
    return result;
}

const cd_lcp_solver cd_lcp_solver_ppm = {
    .name = "ppm",
    .summary = "principal pivoting (Dantzig, Cottle) on the structure, with upper bounds",
    .source = "Dantzig & Cottle 1967; Baraff 1994",
    .cost = "entries + k^2 a step, k active rows, usually 2k to 4k steps",
    .guarantee = "symmetric positive semidefinite, not degenerate: solves, or shows that nothing is feasible",
    .takes = CD_LCP_TAKES_ROOMS,
    .solves = CD_LCP_SOLVES_CONTACTS | CD_LCP_SOLVES_SEMIDEFINITE,
    .solve_structure = solve,
};
