// SPDX-License-Identifier: MIT
#include "cone_interior.h"

#include "cone_product.h"
#include "cone_system.h"
#include "lcp_vector.h"

#include <math.h>

#define TO_BOUNDARY 0.99  // part of the way to the boundary that a step takes
#define SHORT_STEP 0.1    // after a shorter one the next aims at the centre first
#define RECENTRE 0.5
// Where sigma follows, whole stretches of the path may be near the boundary: the centre that is aimed at is further in,
// and after this many short steps in a row sigma is held for one. Of 33 problems of heaps that land, unsolved before,
// eight come to their answer so, given the steps.
#define RECENTRE_FOLLOWING 2
enum { STUCK_MOST = 2 };
#define START_SLACK 0.1  // what the first slacks keep from the boundary; the largest |q| is near 1
// What each contact counts in the first velocities, in structures with friction of more groups than these. Steps to the
// answer with 1 | 1e2 | 1e3 | 1e4: an arch of 951 stones 27 | 22 | 18 | 17, a wall of 1,024 bricks 14 | 12 | 12 | 15;
// 60 polygons that pile up, 150 groups, 15 % more with 1e3 than with 1.
#define START_FAR 1e3
enum { START_GROUPS = 500 };
// Floors of eigenvalues (cd_cone_floor): part of the tolerance; of the other eigenvalue, so that what rounding makes of
// the step of z is not larger than the step; of what the cone's slack is wrong by.
#define FLOOR_TOLERANCE 1e-2
#define FLOOR_RELATIVE 4e-15
#define FLOOR_SHARE 1e-2

struct cd_cone_interior {
    const cd_cone_program *p;
    cd_cone_system system;
    cd_cone_floor floor;
    double *u, *s, *z, *kept_u, *kept_s, *kept_z;
    double *value;           // H u + h
    double *sigma, *change;  // a cone each: sigma, what a step adds to it
    double *off_u, *off_s;   // D u - H'z; s - H u - h - sigma e
    double *du, *ds, *dz;
    double *aim, *right, *b, *second;  // of a step: what W^-1 ds and W dz come to, and scratch
    bool follows;                      // sigma is |w_t|, its slope part of the steps; else it stays as it is
    double last;                       // length of the last step
    int stuck;                         // short steps in a row
};

cd_cone_interior *cd_cone_interior_make(const cd_cone_program *p, double tolerance, cd_gram_kept *kept, cd_arena *arena)
{
    cd_cone_interior *m = CD_ARENA_ZARRAY(arena, cd_cone_interior, 1);
    m->p = p;
    m->system = cd_cone_system_make(p, kept, arena);
    double **const of_rows[] = {&m->s,   &m->z,     &m->value,  &m->off_s,  &m->ds,    &m->dz,
                                &m->aim, &m->right, &m->second, &m->kept_s, &m->kept_z};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        *of_rows[k] = CD_ARENA_ZARRAY(arena, double, p->cones.rows);
    double **const of_columns[] = {&m->u, &m->off_u, &m->du, &m->b, &m->kept_u};
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++)
        *of_columns[k] = CD_ARENA_ZARRAY(arena, double, p->groups.columns);
    m->sigma = CD_ARENA_ZARRAY(arena, double, p->cones.count);
    m->change = CD_ARENA_ZARRAY(arena, double, p->cones.count);
    m->floor = (cd_cone_floor){FLOOR_TOLERANCE * tolerance, FLOOR_RELATIVE, FLOOR_SHARE, m->off_s};
    m->last = 1;
    return m;
}

void cd_cone_interior_use_threads(cd_cone_interior *m, int threads) { cd_gram_use_threads(m->system.gram, threads); }

double cd_cone_interior_work(const cd_cone_interior *m) { return cd_gram_work(m->system.gram); }

int64_t cd_cone_interior_bytes(const cd_cone_interior *m) { return cd_gram_bytes(m->system.gram); }

const double *cd_cone_interior_multipliers(const cd_cone_interior *m) { return m->z; }

cd_cone_multipliers cd_cone_interior_finish(cd_cone_interior *m, cd_arena *arena)
{
    return cd_cone_multipliers_make(&m->system, m->u, m->z, arena);
}

cd_cone_lagrangian cd_cone_interior_lagrangian(cd_cone_interior *m, cd_arena *arena)
{
    cd_cone_lagrangian out = cd_cone_lagrangian_make(&m->system, arena);
    for (int32_t r = 0; r < m->p->cones.rows; r++)
        out.carries[r] = m->z[r] > m->s[r];
    return out;
}

// The u of least u'Du + weight |H u + h|^2; s = H u + h and z = -weight s, moved inside. What one contact needs reaches
// those that are some sqrt(weight) contacts away.
void cd_cone_interior_start(cd_cone_interior *m)
{
    const cd_cone_program *p = m->p;
    const bool is_far = p->cones.rows > p->cones.count && p->groups.count > START_GROUPS;
    const double weight = is_far ? START_FAR : 1;
    cd_cone_system_even(&m->system, weight);
    cd_cone_transposed(&p->groups, p->H, p->h, m->b);
    for (int32_t i = 0; i < p->groups.columns; i++)
        m->b[i] *= -weight;
    cd_cone_system_solve(&m->system, m->b, m->u);
    cd_cone_values(&p->groups, p->H, m->u, m->s);
    for (int32_t i = 0; i < p->cones.rows; i++) {
        m->s[i] += p->h[i];
        m->z[i] = -weight * m->s[i];
    }
    cd_cone_shift(&p->cones, START_SLACK, m->s);
    cd_cone_shift(&p->cones, 1, m->z);
    m->last = 1;
    m->follows = false;
    memset(m->sigma, 0, sizeof *m->sigma * (size_t)p->cones.count);
    memset(m->change, 0, sizeof *m->change * (size_t)p->cones.count);
}

// What the iterate is wrong by, with sigma of its own velocities where it follows them.
static void measure(cd_cone_interior *m)
{
    const cd_cone_program *p = m->p;
    cd_cone_transposed(&p->groups, p->H, m->z, m->off_u);
    for (int32_t i = 0; i < p->groups.columns; i++)
        m->off_u[i] = p->D[i] * m->u[i] - m->off_u[i];
    cd_cone_add_held(&p->groups, 1, m->u, m->off_u);
    cd_cone_values(&p->groups, p->H, m->u, m->value);
    for (int32_t i = 0; i < p->cones.rows; i++) {
        m->value[i] += p->h[i];
        m->off_s[i] = m->s[i] - m->value[i];
    }
    for (int32_t c = 0; c < p->cones.count; c++) {
        const int32_t at = p->cones.row[c], n = p->cones.row[c + 1] - at;
        if (m->follows)
            m->sigma[c] = n < 2   ? 0
                          : n < 3 ? fabs(m->value[at + 1])
                                  : sqrt(m->value[at + 1] * m->value[at + 1] + m->value[at + 2] * m->value[at + 2]);
        m->off_s[at] -= m->sigma[c];
    }
    cd_cone_system_slopes(&m->system, m->value);
}

void cd_cone_interior_keep(cd_cone_interior *m)
{
    memcpy(m->kept_u, m->u, sizeof *m->u * (size_t)m->p->groups.columns);
    memcpy(m->kept_s, m->s, sizeof *m->s * (size_t)m->p->cones.rows);
    memcpy(m->kept_z, m->z, sizeof *m->z * (size_t)m->p->cones.rows);
}

void cd_cone_interior_release(cd_cone_interior *m)
{
    memcpy(m->u, m->kept_u, sizeof *m->u * (size_t)m->p->groups.columns);
    memcpy(m->s, m->kept_s, sizeof *m->s * (size_t)m->p->cones.rows);
    memcpy(m->z, m->kept_z, sizeof *m->z * (size_t)m->p->cones.rows);
    m->follows = true;
    m->last = 1;
}

cd_cone_path *cd_cone_interior_path(cd_cone_interior *m, int64_t most, cd_arena *arena)
{
    if (!cd_cone_path_takes(m->p) || cd_cone_path_bytes(&m->system) > most)
        return NULL;
    return cd_cone_path_make(&m->system, m->kept_u, m->kept_s, m->kept_z, arena);
}

cd_cone_path *cd_cone_interior_path_from(cd_cone_interior *m, const double *z, double mu, int64_t most, cd_arena *arena)
{
    const cd_cone_program *p = m->p;
    const cd_cones *k = &p->cones;
    double *u = m->b, *x = m->value;
    if (!cd_cone_path_takes(p) || cd_cone_path_bytes(&m->system) > most)
        return NULL;
    memset(u, 0, sizeof *u * (size_t)p->groups.columns);
    if (z)
        cd_cone_transposed(&p->groups, p->H, z, u);
    cd_cone_values(&p->groups, p->H, u, x);
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c];
        double square = 0;
        for (int32_t r = at; r < k->row[c + 1]; r++) {
            const double w = x[r] + p->h[r];
            square += r > at ? w * w : 0;
            x[r] = (z ? z[r] : 0) - w;
        }
        x[at] -= sqrt(square);
    }
    cd_cone_split(k, mu, x, m->aim, m->right);
    cd_cone_transposed(&p->groups, p->H, m->right, u);
    return cd_cone_path_make(&m->system, u, m->aim, m->right, arena);
}

bool cd_cone_interior_kept_is_feasible(cd_cone_interior *m)
{
    const cd_cone_program *p = m->p;
    cd_cone_values(&p->groups, p->H, m->kept_u, m->value);
    for (int32_t c = 0; c < p->cones.count; c++) {
        const int32_t at = p->cones.row[c];
        if (!(m->value[at] + p->h[at] >= 0))
            return false;
    }
    return true;
}

double cd_cone_interior_gap(const cd_cone_interior *m) { return cd_vector_dot(m->s, m->z, m->p->cones.rows); }

int32_t cd_cone_interior_undecided(const cd_cone_interior *m) { return cd_cone_undecided(&m->p->cones, m->s, m->z); }

static void solve_velocities(cd_cone_interior *m, bool is_last)
{
    const cd_cone_program *p = m->p;
    cd_cone_unapply(&p->cones, &m->system.scaling, m->off_s, m->right);
    for (int32_t i = 0; i < p->cones.rows; i++)
        m->right[i] += m->aim[i];
    cd_cone_transposed(&p->groups, m->system.R, m->right, m->b);
    for (int32_t i = 0; i < p->groups.columns; i++)
        m->b[i] -= m->off_u[i];
    if (is_last)
        cd_cone_system_solve(&m->system, m->b, m->du);
    else
        cd_cone_system_solve_once(&m->system, m->b, m->du);
}

// The step with lambda o (W^-1 ds + W dz) = aim. How sigma changes comes first; the step with that change given keeps
// the equations of u and s to rounding, whatever GMRES left. Only the last solution of a step is refined.
static void find_step(cd_cone_interior *m, bool is_last)
{
    const cd_cone_program *p = m->p;
    const cd_cones *k = &p->cones;
    cd_cone_divide(k, m->system.scaling.lambda, m->aim, m->aim);
    solve_velocities(m, is_last && !m->follows);
    if (m->follows) {
        cd_cone_system_slips(&m->system, m->du, m->change);
        for (int32_t c = 0; c < k->count; c++)
            m->off_s[k->row[c]] -= m->change[c];
        solve_velocities(m, is_last);
    }
    cd_cone_values(&p->groups, p->H, m->du, m->ds);
    for (int32_t i = 0; i < k->rows; i++)
        m->ds[i] -= m->off_s[i];
    for (int32_t c = 0; c < k->count; c++)
        m->off_s[k->row[c]] += m->change[c];
    cd_cone_unapply(k, &m->system.scaling, m->ds, m->dz);
    for (int32_t i = 0; i < k->rows; i++)
        m->dz[i] = m->aim[i] - m->dz[i];
    cd_cone_unapply(k, &m->system.scaling, m->dz, m->dz);
}

static double longest(const cd_cone_interior *m)
{
    return cd_smaller(cd_cone_step(&m->p->cones, m->s, m->ds, 1), cd_cone_step(&m->p->cones, m->z, m->dz, 1));
}

// aim = -lambda o lambda.
static void aim_at_zero(cd_cone_interior *m)
{
    cd_cone_product(&m->p->cones, m->system.scaling.lambda, m->system.scaling.lambda, m->aim);
    for (int32_t i = 0; i < m->p->cones.rows; i++)
        m->aim[i] = -m->aim[i];
}

// A step; sigma as it was measured is held in it, or follows.
static bool step(cd_cone_interior *m, double recentre)
{
    const cd_cones *k = &m->p->cones;
    const bool is_stuck = m->last < SHORT_STEP;
    if (!cd_cone_scale(k, m->s, m->z, &m->system.scaling))
        return false;
    cd_cone_system_factor(&m->system);
    // Predictor.
    aim_at_zero(m);
    const double mean = cd_cone_aim(k, m->s, m->z, 0, &m->floor, m->aim);
    find_step(m, false);
    const double rest = 1 - longest(m);
    // Corrector.
    cd_cone_unapply(k, &m->system.scaling, m->ds, m->second);
    cd_cone_apply(k, &m->system.scaling, m->dz, m->right);
    cd_cone_product(k, m->second, m->right, m->second);
    aim_at_zero(m);
    for (int32_t i = 0; i < k->rows && !is_stuck; i++)
        m->aim[i] -= m->second[i];
    const double centre = is_stuck ? cd_larger(recentre, rest * rest * rest) : rest * rest * rest;
    cd_cone_aim(k, m->s, m->z, centre * mean, &m->floor, m->aim);
    find_step(m, true);
    const double length = cd_smaller(1, TO_BOUNDARY * longest(m));
    const double size = cd_vector_dot(m->du, m->du, m->p->groups.columns);
    if (!isfinite(length) || !isfinite(size))
        return false;
    cd_vector_subtract(m->u, -length, m->du, m->p->groups.columns);
    cd_vector_subtract(m->s, -length, m->ds, k->rows);
    cd_vector_subtract(m->z, -length, m->dz, k->rows);
    m->last = length;
    return true;
}

bool cd_cone_interior_step(cd_cone_interior *m)
{
    const bool follows = m->follows;
    m->stuck = m->last < SHORT_STEP ? m->stuck + 1 : 0;
    measure(m);
    if (follows && m->stuck >= STUCK_MOST) {
        m->follows = false;
        memset(m->change, 0, sizeof *m->change * (size_t)m->p->cones.count);
    }
    const bool is_done = step(m, follows ? RECENTRE_FOLLOWING : RECENTRE);
    m->follows = follows;
    return is_done;
}
