// SPDX-License-Identifier: MIT
#include "cone_multipliers.h"

#include "cone_bracket.h"
#include "cone_product.h"
#include "lcp_vector.h"

#include <float.h>
#include <math.h>

#define FREE_MASS 1e-3  // of a column without mass, which an open contact would leave without a pivot
// The rest of the equations of u, in units of its rounding: nothing more to be done; good enough where steps end.
#define REST_LEAST 8
#define REST_MOST 1e4
#define NOISE_PART 1e-3      // of the largest rounding of all columns, that each one is granted
#define RELATIVE_NOISE 1e-4  // of the rounding: what a rest is granted that is made of differences from the start
#define SLOPE_PART 0.5       // of the first slope that a step may leave
#define LEAD_LEAST 1e-13     // a difference of slips and sigma that is left alone; the largest |q| is near 1
enum { TRIALS = 12, STUCK_MOST = 2 };
#define SHORT 1e-3  // a length of a step
#define FAST 1e-2   // part of the rest that a step may leave where the next one keeps its factor

cd_cone_multipliers cd_cone_multipliers_make(cd_cone_system *system, const double *u, const double *z, cd_arena *arena)
{
    const cd_cone_program *p = system->p;
    const int32_t rows = p->cones.rows, columns = p->groups.columns, cones = p->cones.count;
    cd_cone_multipliers m = {.system = system,
                             .slip = CD_ARENA_ZARRAY(arena, double, cones),
                             .lead = CD_ARENA_ZARRAY(arena, double, cones),
                             .off = CD_ARENA_ZARRAY(arena, double, cones)};
    double **const of_rows[] = {&m.z, &m.x, &m.next, &m.value, &m.kept_value, &m.change, &m.slide};
    double **const of_columns[] = {&m.u, &m.kept_u, &m.D, &m.rest, &m.noise, &m.du};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        *of_rows[k] = CD_ARENA_ARRAY(arena, double, rows);
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++)
        *of_columns[k] = CD_ARENA_ARRAY(arena, double, columns);
    memcpy(m.u, u, sizeof *u * (size_t)columns);
    memcpy(m.z, z, sizeof *z * (size_t)rows);
    for (int32_t i = 0; i < columns; i++)
        m.D[i] = p->D[i] > 0 ? p->D[i] : FREE_MASS;
    cd_cone_values(&p->groups, p->H, m.u, m.value);
    for (int32_t i = 0; i < rows; i++)
        m.value[i] += p->h[i];
    return m;
}

static double tail_of(const double *x, int32_t height)
{
    return height < 2 ? 0 : height < 3 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

// x = z - rho s, and its projection. Where a contact slips, s and z lie on opposite sides of the cone, and what is left
// of x_0 + |x_t| is far below rho |w_t|: it is summed from what does not cancel.
static void project(cd_cone_multipliers *m)
{
    const cd_cone_program *p = m->system->p;
    const double rho = m->penalty;
    for (int32_t c = 0; c < p->cones.count; c++) {
        const int32_t at = p->cones.row[c], height = p->cones.row[c + 1] - at;
        const double *z = m->z + at, *v = m->value + at, *d = m->slide + at;
        double *x = m->x + at, *next = m->next + at, vv = 0, zv = 0, zz = 0, dv = 0;
        for (int32_t i = 1; i < height; i++) {
            x[i] = z[i] - rho * v[i];
            vv += v[i] * v[i];
            zv += z[i] * v[i];
            zz += z[i] * z[i];
            dv += d[i] * (2 * v[i] - d[i]);
        }
        const double slip = sqrt(vv), tail = tail_of(x, height), base = z[0] - rho * v[0];
        const double rise = slip + m->slip[c] > 0 ? dv / (slip + m->slip[c]) : 0;  // |w_t| less that at the start
        const double gain = tail + rho * slip > 0 ? (zz - 2 * rho * zv) / (tail + rho * slip) : 0;  // |x_t| - rho |w_t|
        x[0] = base - rho * (m->slip[c] + m->lead[c]);
        const double sum = base + rho * (rise - m->lead[c]) + gain;
        const double first = x[0] >= tail ? x[0] : cd_larger(0, sum / 2);
        next[0] = first;
        for (int32_t i = 1; i < height; i++)
            next[i] = x[0] >= tail ? x[i] : first > 0 ? x[i] * (first / tail) : 0;
    }
}

// R = (rho J)^(1/2) H: J is 1 inside, 0 where the projection is 0, else 1 along (1, d) / sqrt 2, d the direction of the
// tail, and first / tail across it.
static void linearise(const cd_cone_multipliers *m)
{
    const cd_cone_program *p = m->system->p;
    for (int32_t c = 0; c < p->cones.count; c++) {
        const int32_t at = p->cones.row[c], n = p->cones.row[c + 1] - at;
        const double *x = m->x + at, tail = tail_of(x, n), whole = sqrt(m->penalty), along = sqrt(m->penalty / 2);
        double T[9] = {0};
        if (x[0] >= tail && x[0] > 0) {
            for (int32_t i = 0; i < n; i++)
                T[(n + 1) * i] = whole;
        } else if (m->next[at] > 0) {
            const double across = sqrt(m->penalty * m->next[at] / tail) / tail;
            T[0] = along;
            for (int32_t i = 1; i < n; i++)
                T[i] = along * x[i] / tail;
            T[4] = n > 2 ? -across * x[2] : T[4];
            T[5] = n > 2 ? across * x[1] : T[5];
        }
        cd_cone_turn_rows(n, p->stride[c], T, p->H + p->place[c], m->system->R + p->place[c]);
    }
}

// u += a du. The slacks follow by their change: what they are off from H u + h is the rounding of u, but that of a
// small one is its own, and rho times it does not spoil z.
static void shift(cd_cone_multipliers *m, double length)
{
    cd_vector_subtract(m->u, -length, m->du, m->system->p->groups.columns);
    cd_vector_subtract(m->value, -length, m->change, m->system->p->cones.rows);
    cd_vector_subtract(m->slide, -length, m->change, m->system->p->cones.rows);
    project(m);
}

// H'(next - z) - (D + C)(u - kept_u), into rest: what both equations have in common with the start is left out.
static void find_relative_rest(cd_cone_multipliers *m)
{
    const cd_cone_program *p = m->system->p;
    double *row = m->system->row, *column = m->system->column;
    for (int32_t r = 0; r < p->cones.rows; r++)
        row[r] = m->next[r] - m->z[r];
    cd_cone_transposed(&p->groups, p->H, row, m->rest);
    for (int32_t i = 0; i < p->groups.columns; i++) {
        column[i] = m->u[i] - m->kept_u[i];
        m->rest[i] -= p->D[i] * column[i];
    }
    cd_cone_add_held(&p->groups, -1, column, m->rest);
}

// rest = H' next - (D + C) u; returns its size in units of the noise.
static double measure(cd_cone_multipliers *m)
{
    const cd_cone_program *p = m->system->p;
    double largest = 0;
    if (m->is_relative) {
        find_relative_rest(m);
    } else {
        cd_cone_transposed(&p->groups, p->H, m->next, m->rest);
        for (int32_t i = 0; i < p->groups.columns; i++)
            m->rest[i] -= p->D[i] * m->u[i];
        cd_cone_add_held(&p->groups, -1, m->u, m->rest);
    }
    for (int32_t i = 0; i < p->groups.columns; i++)
        largest = cd_larger(largest, fabs(m->rest[i]) / m->noise[i]);
    return largest;
}

// The slope along du of what u makes least, u'D u / 2 + |next|^2 / (2 rho).
static double slope_of(cd_cone_multipliers *m)
{
    const cd_cone_program *p = m->system->p;
    if (p->groups.held_first) {
        (void)measure(m);
        return -cd_vector_dot(m->rest, m->du, p->groups.columns);
    }
    double sum = -cd_vector_dot(m->next, m->change, p->cones.rows);
    for (int32_t i = 0; i < p->groups.columns; i++)
        sum += p->D[i] * m->u[i] * m->du[i];
    return sum;
}

// u += a du: a = 1, or where the slope would rise too much a smaller one, between a place with a negative slope and
// one with a positive. Returns a.
static double move(cd_cone_multipliers *m)
{
    const cd_cone_program *p = m->system->p;
    double noise = 0, at = 1;
    cd_cone_values(&p->groups, p->H, m->du, m->change);
    for (int32_t r = 0; r < p->cones.rows; r++)
        noise += fabs(m->next[r] * m->change[r]);
    const double first = -cd_vector_dot(m->rest, m->du, p->groups.columns),
                 most = -SLOPE_PART * first + DBL_EPSILON * noise;
    shift(m, 1);
    double slope = slope_of(m);
    if (slope <= most)
        return 1;
    cd_cone_bracket bracket = {.low = 0, .high = 1, .low_slope = first, .high_slope = slope};
    for (int k = 0; k < TRIALS && !(fabs(slope) <= most); k++) {
        const double next = cd_cone_bracket_next(&bracket);
        shift(m, next - at);
        at = next;
        slope = slope_of(m);
        cd_cone_bracket_take(&bracket, at, slope);
    }
    return at;
}

// noise: what the sums of the rest are rounded by.
static void find_noise(cd_cone_multipliers *m)
{
    const cd_cone_program *p = m->system->p;
    const cd_gram_groups *g = &p->groups;
    double most = 0;
    cd_cone_magnitudes(g, p->H, m->z, m->noise);
    for (int32_t i = 0; i < g->columns; i++)
        m->noise[i] += p->D[i] * fabs(m->u[i]);
    cd_cone_add_held_magnitudes(g, m->u, m->noise);
    for (int32_t i = 0; i < g->columns; i++)
        most = cd_larger(most, m->noise[i]);
    const double part = m->is_relative ? DBL_EPSILON / 2 * RELATIVE_NOISE : DBL_EPSILON / 2;
    for (int32_t i = 0; i < g->columns; i++)
        m->noise[i] = part * cd_larger(m->noise[i], NOISE_PART * most) + DBL_MIN;
}

// A step with the factor of an earlier one, which is taken back unless it is fast: it may end on a kink. Returns the
// rest.
static double step_again(cd_cone_multipliers *m, double rest)
{
    cd_cone_system_solve(m->system, m->rest, m->du);
    const double length = move(m), next = measure(m);
    if (length == 1 && (next < FAST * rest || next <= REST_LEAST))
        return next;
    m->factored = 0;
    shift(m, -length);
    return measure(m);
}

// Newton's method for u; after a fast step with the same factor, in the next change too where rho is the same. Returns
// whether the rest has come down to rounding.
static bool solve(cd_cone_multipliers *m, int most)
{
    project(m);
    double rest = measure(m);
    int stuck = 0;  // short steps in a row: a kink of the projection that the slopes do not see
    for (int steps = 0; steps < most && rest > REST_LEAST && stuck < STUCK_MOST;) {
        const double before = rest;
        if (m->factored == m->penalty) {
            rest = step_again(m, rest);
        } else {
            linearise(m);
            cd_gram_factor(m->system->gram, m->D, m->system->R);
            cd_cone_system_solve(m->system, m->rest, m->du);
            m->factors++;
            steps++;
            const double length = move(m);
            stuck = length < SHORT ? stuck + 1 : 0;
            rest = measure(m);
            m->factored = length == 1 && rest < FAST * before ? m->penalty : 0;
        }
        if (rest < REST_MOST && !(rest < before / 2))
            break;
    }
    return rest < REST_MOST;
}

// How sigma acts on u: rho J e.
static void find_push(const cd_cone_multipliers *m)
{
    const cd_cone_program *p = m->system->p;
    for (int32_t c = 0; c < p->cones.count; c++) {
        const int32_t at = p->cones.row[c], height = p->cones.row[c + 1] - at;
        const double *x = m->x + at, tail = tail_of(x, height);
        const bool is_inside = x[0] >= tail && x[0] > 0, is_cut = !is_inside && m->next[at] > 0;
        double *push = m->system->push + at;
        push[0] = m->penalty * (is_inside ? 1 : is_cut ? 0.5 : 0);
        for (int32_t i = 1; i < height; i++)
            push[i] = is_cut ? m->penalty * x[i] / tail / 2 : 0;
    }
}

// How far sigma is to be ahead of the slips: one step of Newton's method on sigma = |w_t|.
static void lead_slips(cd_cone_multipliers *m)
{
    const cd_cone_program *p = m->system->p;
    double largest = 0;
    for (int32_t c = 0; c < p->cones.count; c++) {
        const int32_t at = p->cones.row[c], height = p->cones.row[c + 1] - at;
        const double slip = tail_of(m->value + at, height);
        m->off[c] = slip - m->slip[c] - m->lead[c];
        largest = cd_larger(largest, fabs(m->off[c]));
        m->slip[c] = slip;
        m->lead[c] = 0;
    }
    if (!(largest > LEAD_LEAST))
        return;
    find_push(m);
    cd_cone_system_slopes(m->system, m->value);
    cd_cone_system_lead(m->system, m->off, m->du, m->lead);
    for (int32_t c = 0; c < p->cones.count; c++)
        m->lead[c] = cd_larger(-m->slip[c], m->lead[c]);
}

void cd_cone_multipliers_mend(cd_cone_multipliers *m, const double *value)
{
    memcpy(m->value, value, sizeof *value * (size_t)m->system->p->cones.rows);
    m->is_relative = true;
}

bool cd_cone_multipliers_step(cd_cone_multipliers *m, double penalty, int steps)
{
    const cd_cone_program *p = m->system->p;
    const size_t of_rows = sizeof *m->z * (size_t)p->cones.rows, of_columns = sizeof *m->u * (size_t)p->groups.columns;
    m->penalty = penalty;
    for (int32_t c = 0; c < p->cones.count; c++)
        m->slip[c] = tail_of(m->value + p->cones.row[c], p->cones.row[c + 1] - p->cones.row[c]);
    memset(m->slide, 0, of_rows);
    memcpy(m->kept_u, m->u, of_columns);
    memcpy(m->kept_value, m->value, of_rows);
    find_noise(m);
    if (!solve(m, steps)) {
        memcpy(m->u, m->kept_u, of_columns);
        memcpy(m->value, m->kept_value, of_rows);
        m->factored = 0;
        return false;
    }
    memcpy(m->z, m->next, of_rows);
    lead_slips(m);
    return true;
}
