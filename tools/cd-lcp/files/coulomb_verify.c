// SPDX-License-Identifier: MIT
#include "coulomb_verify.h"

#include <float.h>
#include <math.h>

typedef struct sums {
    long double *value, *size;  // of each row: the sum, and that of the magnitudes
} sums;

static sums start_sums(const double *x, int32_t n, double sign, cd_arena *arena)
{
    sums s = {CD_ARENA_ARRAY(arena, long double, n), CD_ARENA_ZARRAY(arena, long double, n)};
    for (int32_t i = 0; i < n; i++)
        s.value[i] = sign * (long double)x[i];
    return s;
}

// s += sign A x, or sign A' x.
static void add_product(sums *s, const cd_mm_matrix *a, bool transposed, const double *x, double sign)
{
    for (int32_t k = 0; k < a->entry_count; k++) {
        const int32_t to = transposed ? a->col[k] : a->row[k], from = transposed ? a->row[k] : a->col[k];
        const long double term = (long double)a->value[k] * x[from];
        s->value[to] += sign * term;
        s->size[to] += fabsl(term);
    }
}

static double *diagonal(const cd_mm_matrix *a, cd_arena *arena)
{
    double *d = CD_ARENA_ZARRAY(arena, double, a->rows);
    for (int32_t k = 0; k < a->entry_count; k++) {
        if (a->row[k] == a->col[k])
            d[a->row[k]] += a->value[k];
    }
    return d;
}

// t of each contact. mass: the diagonal of M, NULL in the reduced form. Squares and quotients of any doubles are in the
// range of long double: one that overflows would leave nothing of the residual.
static long double *contact_scales(const cd_coulomb *p, const double *mass, cd_arena *arena)
{
    long double *t = CD_ARENA_ZARRAY(arena, long double, p->contacts), largest = 0;
    const cd_mm_matrix *a = mass ? &p->jacobian : &p->matrix;
    for (int32_t k = 0; k < a->entry_count; k++) {
        if (mass)
            t[a->row[k] / p->dimension] += (long double)a->value[k] * a->value[k] / mass[a->col[k]] / p->dimension;
        else if (a->row[k] == a->col[k])
            t[a->row[k] / p->dimension] += (long double)a->value[k] / p->dimension;
    }
    for (int32_t k = 0; k < p->contacts; k++)
        largest = fmaxl(largest, t[k]);
    for (int32_t k = 0; k < p->contacts; k++) {
        if (!(t[k] > 0))
            t[k] = largest > 0 ? largest : 1;
    }
    return t;
}

static long double problem_scale(const cd_coulomb *p, const long double *t, const double *mass)
{
    long double scale = 0;
    for (int32_t k = 0; k < p->contacts; k++) {
        long double square = 0;
        for (int32_t i = 0; i < p->dimension; i++)
            square += (long double)p->rhs[k * p->dimension + i] * p->rhs[k * p->dimension + i];
        scale = fmaxl(scale, sqrtl(square / t[k]));
    }
    for (int32_t i = 0; i < cd_coulomb_velocities(p); i++)
        scale = fmaxl(scale, fabsl(p->force[i]) / sqrtl(mass[i]));
    return scale > 0 ? scale : 1;
}

// x := x less its projection on |x_T| <= slope x_N; x has n entries, the normal first. Returns its length.
static long double off_cone(int n, long double slope, const long double *from, long double *x)
{
    long double square = 0, sum = 0;
    for (int i = 1; i < n; i++)
        square += x[i] * x[i];
    const long double side = sqrtl(square), normal = x[0];
    long double kept = 1, height = normal;  // x_T of the projection as part of x_T, and its x_N
    if (side > slope * normal || normal < 0) {
        const bool is_polar = slope * side <= -normal;
        height = is_polar ? 0 : (normal + slope * side) / (1 + slope * slope);
        kept = is_polar || side == 0 ? 0 : slope * height / side;
    }
    for (int i = 0; i < n; i++) {
        const long double difference = from[i] - (i == 0 ? height : kept * x[i]);
        sum += difference * difference;
    }
    return sqrtl(sum);
}

// The error of one contact in energy^1/2.
static long double contact_error(int n, double mu, long double t, const double *r, const long double *u)
{
    const long double D = mu > 1 ? mu : 1, step = 1 / t;
    long double slip = 0, from[3] = {0}, x[3] = {0};
    for (int i = 1; i < n; i++)
        slip += u[i] * u[i];
    slip = sqrtl(slip);
    const long double target = r[0] - step * u[0], normal = fabsl(r[0] - (target > 0 ? target : 0));
    for (int i = 0; i < n; i++) {
        from[i] = i == 0 ? D * r[0] : r[i];
        x[i] = from[i] - step * (i == 0 ? (u[0] + mu * slip) / D : u[i]);
    }
    const long double cone = off_cone(n, mu / D, from, x);
    return (normal > cone ? normal : cone) * sqrtl(t);
}

double cd_coulomb_residual(const cd_coulomb *p, const double *r, const double *v, double *u, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    const int32_t n = cd_coulomb_rows(p), velocities = cd_coulomb_velocities(p), d = p->dimension;
    long double worst = 0;
    bool is_finite = true;
    // The velocities at the contacts.
    sums slip = start_sums(p->rhs, n, 1, scratch);
    add_product(&slip, p->is_reduced ? &p->matrix : &p->jacobian, false, p->is_reduced ? r : v, 1);
    const double *mass = p->is_reduced ? NULL : diagonal(&p->matrix, scratch);
    const long double *t = contact_scales(p, mass, scratch);
    for (int32_t k = 0; k < p->contacts; k++) {
        long double rounding = 0;
        for (int32_t i = k * d; i < (k + 1) * d; i++)
            rounding = fmaxl(rounding, slip.size[i]);
        worst = fmaxl(worst, contact_error(d, p->mu[k], t[k], r + (size_t)k * d, slip.value + (size_t)k * d) +
                                 DBL_EPSILON * rounding / sqrtl(t[k]));
    }
    for (int32_t i = 0; i < n; i++) {
        is_finite = is_finite && isfinite(r[i]) && isfinite(slip.value[i]);
        if (u)
            u[i] = (double)slip.value[i];
    }
    // The balance of momentum.
    if (!p->is_reduced) {
        sums balance = start_sums(p->force, velocities, -1, scratch);
        add_product(&balance, &p->matrix, false, v, 1);
        add_product(&balance, &p->jacobian, true, r, -1);
        for (int32_t i = 0; i < velocities; i++) {
            const long double error = fabsl(balance.value[i]) + DBL_EPSILON * balance.size[i];
            worst = fmaxl(worst, error / sqrtl(mass[i]));
            is_finite = is_finite && isfinite(v[i]) && isfinite((double)error);
        }
    }
    const double residual = (double)(worst / problem_scale(p, t, mass));
    cd_arena_rewind(scratch, mark);
    return is_finite && isfinite(residual) ? residual : INFINITY;
}
