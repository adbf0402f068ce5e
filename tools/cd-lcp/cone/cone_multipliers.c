// SPDX-License-Identifier: MIT
#include "cone_multipliers.h"

#include "lcp_vector.h"

#include <math.h>

#define FREE_MASS 1e-3  // of a column without mass, which an open contact would leave without a pivot
// Parts of |D u|: rounding, and, times rho, from where on a step that gains nothing is the last.
#define REST_LEAST 1e-15
#define REST_SMALL 1e-15
#define ARMIJO 1e-4         // part of the predicted fall of the energy that a step must reach
#define ENERGY_NOISE 1e-15  // of the energy
enum { NEWTON_STEPS = 12, HALVINGS = 8 };

cd_cone_multipliers cd_cone_multipliers_make(cd_cone_system *system, const double *u, const double *z, cd_arena *arena)
{
    const cd_cone_program *p = system->p;
    const int32_t rows = p->cones.rows, columns = p->groups.columns;
    cd_cone_multipliers m = {.system = system, .sigma = CD_ARENA_ARRAY(arena, double, p->cones.count)};
    double **const of_rows[] = {&m.z, &m.x, &m.next}, **const of_columns[] = {&m.u, &m.D, &m.rest, &m.du};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        *of_rows[k] = CD_ARENA_ARRAY(arena, double, rows);
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++)
        *of_columns[k] = CD_ARENA_ARRAY(arena, double, columns);
    memcpy(m.u, u, sizeof *u * (size_t)columns);
    memcpy(m.z, z, sizeof *z * (size_t)rows);
    for (int32_t i = 0; i < columns; i++)
        m.D[i] = p->D[i] > 0 ? p->D[i] : FREE_MASS;
    return m;
}

static double tail_of(const double *x, int32_t height)
{
    return height < 2 ? 0 : height < 3 ? fabs(x[1]) : hypot(x[1], x[2]);
}

// x, and its projection.
static void project(cd_cone_multipliers *m)
{
    const cd_cone_program *p = m->system->p;
    cd_cone_values(p, p->H, m->u, m->x);
    for (int32_t c = 0; c < p->cones.count; c++) {
        const int32_t at = p->cones.row[c], height = p->cones.row[c + 1] - at;
        double *x = m->x + at, *next = m->next + at;
        for (int32_t i = 0; i < height; i++)
            x[i] = m->z[at + i] - m->penalty * (x[i] + p->h[at + i] + (i == 0 ? m->sigma[c] : 0));
        const double tail = tail_of(x, height), first = x[0] >= tail ? x[0] : cd_larger(0, (x[0] + tail) / 2);
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
        const int32_t at = p->cones.row[c], height = p->groups.height[c],
                      width = p->groups.first[c + 1] - p->groups.first[c];
        const double *H = p->H + p->groups.place[c], *x = m->x + at, tail = tail_of(x, height);
        double *R = m->system->R + p->groups.place[c];
        const bool is_inside = x[0] >= tail && x[0] > 0, is_cut = !is_inside && m->next[at] > 0;
        const double d[2] = {is_cut ? x[1] / tail : 0, is_cut && height > 2 ? x[2] / tail : 0};
        const double along = sqrt(m->penalty / 2), across = is_cut ? sqrt(m->penalty * m->next[at] / tail) : 0;
        for (int32_t k = 0; k < height * width; k++)
            R[k] = is_inside ? sqrt(m->penalty) * H[k] : 0;
        for (int32_t k = 0; k < width && is_cut; k++) {
            R[k] = along * (H[k] + d[0] * H[width + k] + (height > 2 ? d[1] * H[2 * width + k] : 0));
            if (height > 2)
                R[width + k] = across * (d[0] * H[2 * width + k] - d[1] * H[width + k]);
        }
    }
}

// What u makes least: u'D u / 2 + |next|^2 / (2 rho).
static double energy(const cd_cone_multipliers *m)
{
    const cd_cone_program *p = m->system->p;
    double sum = cd_vector_dot(m->next, m->next, p->cones.rows) / m->penalty;
    for (int32_t i = 0; i < p->groups.columns; i++)
        sum += p->D[i] * m->u[i] * m->u[i];
    return sum / 2;
}

// u += a du, a halved from 1 until the energy falls as it should, or by no more than rounding can tell.
static void move(cd_cone_multipliers *m)
{
    const int32_t n = m->system->p->groups.columns;
    const double before = energy(m), slope = cd_vector_dot(m->rest, m->du, n);
    double length = 1, moved = 0;
    for (int k = 0; k < HALVINGS; k++, length /= 2) {
        cd_vector_subtract(m->u, moved - length, m->du, n);
        moved = length;
        project(m);
        if (energy(m) <= before - ARMIJO * length * slope + ENERGY_NOISE * before)
            return;
    }
}

// rest = H' next - D u; returns its size as part of |D u|.
static double measure(cd_cone_multipliers *m)
{
    const cd_cone_program *p = m->system->p;
    double largest = 0, size = 0;
    cd_cone_transposed(p, p->H, m->next, m->rest);
    for (int32_t i = 0; i < p->groups.columns; i++) {
        size = cd_larger(size, fabs(m->rest[i]));
        m->rest[i] -= p->D[i] * m->u[i];
        largest = cd_larger(largest, fabs(m->rest[i]));
    }
    return size > 0 ? largest / size : largest;
}

int cd_cone_multipliers_step(cd_cone_multipliers *m, double penalty)
{
    m->penalty = penalty;
    const cd_cone_program *p = m->system->p;
    cd_cone_values(p, p->H, m->u, m->x);
    for (int32_t i = 0; i < p->cones.rows; i++)
        m->x[i] += p->h[i];
    for (int32_t c = 0; c < p->cones.count; c++)
        m->sigma[c] = tail_of(m->x + p->cones.row[c], p->cones.row[c + 1] - p->cones.row[c]);
    int steps = 0;
    project(m);
    double rest = measure(m);
    while (steps < NEWTON_STEPS && rest > REST_LEAST) {
        linearise(m);
        cd_gram_factor(m->system->gram, m->D, m->system->R);
        cd_cone_system_solve(m->system, m->rest, m->du);
        move(m);
        const double before = rest;
        rest = measure(m);
        steps++;
        if (rest < REST_SMALL * penalty && !(rest < before / 2))
            break;
    }
    memcpy(m->z, m->next, sizeof *m->z * (size_t)p->cones.rows);
    return isfinite(rest) ? steps : 0;
}
