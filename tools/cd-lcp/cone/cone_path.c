// SPDX-License-Identifier: MIT
#include "cone_path.h"

#include "cone_product.h"
#include "gram_lu.h"
#include "lcp_vector.h"

#include <math.h>

// Sizes of steps are lengths in the logarithms of the cone that changes most (square_of).
#define NEAR 0.8    // a step to the path that is no larger is the last one before the next along it
#define FAR 3       // a larger one is not worth taking
#define BETTER 0.9  // of the last one's size: a step to the path that gains
// Where mu is below CLOSE points are drawn nearer: what the last step to the path leaves, its square, would otherwise
// be above sqrt(mu), what mu itself leaves.
#define CLOSE 1e-12
#define NEAR_CLOSE 0.2
#define WANTED 0.4  // the size that steps along it are made for
enum { MENDS_MOST = 2, RETREATS_MOST = 8 };
#define REACH_FIRST 1.5  // the size of steps along the path, and its bounds
#define REACH_LEAST 0.02
#define REACH_MOST 6
#define REACH_RISE 1.6  // from step to step
#define REACH_FALL 0.4
#define RETREAT 0.3    // where a step along it could not be mended
#define ALONG_MOST 4   // of log(mu) in one step
#define BEND_MOST 0.5  // of the tangent, that the path's bend adds to it
#define JUMP_MOST 2    // of log(mu) in one step to the path
#define ANGLE 4        // what a turn of 1 rad counts as a size, where it counts for less than as a change of s and z

typedef struct direction {
    double *du, *dw;  // dw = H du
    double *x;        // s moves to sqrt(mu) W exp(x), a row each; of a cone that turns x_0, x along its tail, 0
    double *turn;     // a cone each, of s and z together
    double rise;      // of log(mu)
} direction;

typedef struct point {
    double *u, *w, *s, *z;  // w = H u + h, which follows u step by step
    double mu;
} point;

struct cd_cone_path {
    cd_cone_system *system;
    cd_gram_lu *lu;
    double *S;                  // the right side's rows of K = 1 + R'S
    point now, kept;            // kept: on the path, where the last step along it began
    double *told_u, *told_z;    // on the linear equations, and by a step of Newton's method on the others
    bool *turns;                // a cone each: what it slips turns easily
    double *off_u, *off_s;      // of now
    double *first_u, *first_s;  // the same where the path began, at first_mu: those of the path fall with mu
    double first_mu;
    double *slope;  // of s_0 - |s_t|^2 / s_0 = w_0, solved for ds_0: by dw_0 in the first row, by dw_t in the others
    double *miss_u, *miss_s;        // what a direction is to take away, off_s with the slopes of its first rows
    direction mend, along, bend;    // to the path; along it for each unit of log(mu), and the change of that
    direction onward, bent, going;  // along and bend from kept; what a step takes of both
    double *ds, *dz, *scaled, *hat, *curve_s, *curve_z, *rest;  // scratch, a row each
    bool is_plane;                                              // no cone of three rows
    double reach, size, bent_size;                              // of steps along the path; of `onward` and `bent`
    double mend_before;                                         // the size of the last step to the path
    int sign;                                                   // of the next step along it
    int mends, retreats;                                        // in a row
};

static int32_t rows_of(const cd_cone_path *m) { return m->system->p->cones.rows; }

static int32_t columns_of(const cd_cone_path *m) { return m->system->p->groups.columns; }

bool cd_cone_path_takes(const cd_cone_program *p)
{
    if (p->groups.held_first || p->cones.rows == p->cones.count)
        return false;
    for (int32_t i = 0; i < p->groups.columns; i++) {
        if (p->D[i] != 1)
            return false;
    }
    return true;
}

int64_t cd_cone_path_bytes(const cd_cone_system *system) { return cd_gram_lu_bytes(system->gram); }

static direction make_direction(const cd_cones *k, int32_t columns, cd_arena *arena)
{
    return (direction){.du = CD_ARENA_ZARRAY(arena, double, columns),
                       .dw = CD_ARENA_ZARRAY(arena, double, k->rows),
                       .x = CD_ARENA_ZARRAY(arena, double, k->rows),
                       .turn = CD_ARENA_ZARRAY(arena, double, k->count)};
}

static point make_point(int32_t rows, int32_t columns, cd_arena *arena)
{
    return (point){.u = CD_ARENA_ARRAY(arena, double, columns),
                   .w = CD_ARENA_ARRAY(arena, double, rows),
                   .s = CD_ARENA_ARRAY(arena, double, rows),
                   .z = CD_ARENA_ARRAY(arena, double, rows)};
}

static void copy_point(const cd_cone_path *m, const point *from, point *to)
{
    memcpy(to->u, from->u, sizeof *to->u * (size_t)columns_of(m));
    memcpy(to->w, from->w, sizeof *to->w * (size_t)rows_of(m));
    memcpy(to->s, from->s, sizeof *to->s * (size_t)rows_of(m));
    memcpy(to->z, from->z, sizeof *to->z * (size_t)rows_of(m));
    to->mu = from->mu;
}

cd_cone_path *cd_cone_path_make(cd_cone_system *system, const double *u, const double *s, const double *z,
                                cd_arena *arena)
{
    const cd_cone_program *p = system->p;
    const int32_t rows = p->cones.rows, columns = p->groups.columns;
    cd_cone_path *m = CD_ARENA_ZARRAY(arena, cd_cone_path, 1);
    m->system = system;
    m->lu = cd_gram_lu_make(system->gram, arena);
    m->S = CD_ARENA_ZARRAY(arena, double, p->groups.place[p->groups.count]);
    m->turns = CD_ARENA_ZARRAY(arena, bool, p->cones.count);
    double **const of_rows[] = {&m->off_s, &m->first_s, &m->slope, &m->miss_s,  &m->told_z, &m->ds,
                                &m->dz,    &m->scaled,  &m->hat,   &m->curve_s, &m->curve_z};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        *of_rows[k] = CD_ARENA_ZARRAY(arena, double, rows);
    double **const of_columns[] = {&m->off_u, &m->first_u, &m->miss_u, &m->told_u, &m->rest};
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++)
        *of_columns[k] = CD_ARENA_ZARRAY(arena, double, columns);
    direction *const directions[] = {&m->mend, &m->along, &m->bend, &m->onward, &m->bent, &m->going};
    for (size_t k = 0; k < sizeof directions / sizeof *directions; k++)
        *directions[k] = make_direction(&p->cones, columns, arena);
    m->now = make_point(rows, columns, arena);
    m->kept = make_point(rows, columns, arena);
    m->now.mu = cd_vector_dot(s, z, rows) / p->cones.count;
    memcpy(m->now.u, u, sizeof *u * (size_t)columns);
    memcpy(m->now.s, s, sizeof *s * (size_t)rows);
    memcpy(m->now.z, z, sizeof *z * (size_t)rows);
    cd_cone_values(&p->groups, p->H, u, m->now.w);
    cd_vector_subtract(m->now.w, -1, p->h, rows);
    memcpy(m->told_u, u, sizeof *u * (size_t)columns);
    memcpy(m->told_z, z, sizeof *z * (size_t)rows);
    m->reach = REACH_FIRST;
    m->is_plane = true;
    for (int32_t c = 0; c < p->cones.count; c++)
        m->is_plane = m->is_plane && p->cones.row[c + 1] - p->cones.row[c] < 3;
    return m;
}

const double *cd_cone_path_multipliers(const cd_cone_path *m) { return m->told_z; }

double cd_cone_path_mu(const cd_cone_path *m) { return m->now.mu; }

bool cd_cone_path_is_plane(const cd_cone_path *m) { return m->is_plane; }

cd_cone_multipliers cd_cone_path_finish(cd_cone_path *m, cd_arena *arena)
{
    return cd_cone_multipliers_make(m->system, m->told_u, m->told_z, arena);
}

// ---- where the point is ---------------------------------------------------------------------------------------------

// The scaling of s and z; then s = sqrt(mu) W e and z = sqrt(mu) W^-1 e, so that s o z = mu e and all that the point is
// off by is left to the linear equations and sigma. False where s or z is not inside.
static bool settle(cd_cone_path *m)
{
    const cd_cones *k = &m->system->p->cones;
    const double root = sqrt(m->now.mu);
    if (!cd_cone_scale(k, m->now.s, m->now.z, &m->system->scaling))
        return false;
    memset(m->hat, 0, sizeof *m->hat * (size_t)k->rows);
    for (int32_t c = 0; c < k->count; c++)
        m->hat[k->row[c]] = root;
    cd_cone_apply(k, &m->system->scaling, m->hat, m->now.s);
    cd_cone_unapply(k, &m->system->scaling, m->hat, m->now.z);
    return true;
}

static double tail_of(const double *x, int32_t n)
{
    return n < 2 ? 0 : n < 3 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

// What the point is off by, the slopes there, and which cones turn: where 1 rad is a larger change of s and z than
// ANGLE.
static void measure(cd_cone_path *m)
{
    const cd_cone_program *p = m->system->p;
    const point *x = &m->now;
    cd_cone_transposed(&p->groups, p->H, x->z, m->off_u);
    for (int32_t i = 0; i < p->groups.columns; i++)
        m->off_u[i] = x->u[i] - m->off_u[i];
    for (int32_t r = 0; r < p->cones.rows; r++)
        m->off_s[r] = x->s[r] - x->w[r];
    for (int32_t c = 0; c < p->cones.count; c++) {
        const int32_t at = p->cones.row[c], n = p->cones.row[c + 1] - at;
        const double *s = x->s + at, part = tail_of(s, n) / s[0];
        m->off_s[at] -= part * part * s[0];
        m->slope[at] = 1 / (1 + part * part);
        for (int32_t i = 1; i < n; i++)
            m->slope[at + i] = 2 * (s[i] / s[0]) * m->slope[at];
        m->turns[c] = n > 2 && 2 * tail_of(s, n) * tail_of(x->z + at, n) > ANGLE * ANGLE * x->mu;
    }
}

// K = 1 + R'S with R = W^-1 H and S = W^-1 (ds by dw) H.
static void factor(cd_cone_path *m)
{
    const cd_cone_program *p = m->system->p;
    const cd_cones *k = &p->cones;
    double T[9];
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        cd_cone_inverse(k, &m->system->scaling, c, T);
        cd_cone_turn_rows(n, p->stride[c], T, p->H + p->place[c], m->system->R + p->place[c]);
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 1; j < n; j++)
                T[n * i + j] += T[n * i] * m->slope[at + j];
            T[n * i] *= m->slope[at];
        }
        cd_cone_turn_rows(n, p->stride[c], T, p->H + p->place[c], m->S + p->place[c]);
    }
    cd_gram_lu_factor(m->lu, m->system->R, m->S);
}

// ---- directions -----------------------------------------------------------------------------------------------------

// A direction is to take away `now` times what the point is off by and `first` times what the path's beginning was.
static void set_miss(cd_cone_path *m, double now, double first)
{
    const cd_cones *k = &m->system->p->cones;
    for (int32_t i = 0; i < columns_of(m); i++)
        m->miss_u[i] = now * m->off_u[i] + first * m->first_u[i];
    for (int32_t r = 0; r < k->rows; r++)
        m->miss_s[r] = now * m->off_s[r] + first * m->first_s[r];
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c];
        m->miss_s[at] *= m->slope[at];
        for (int32_t i = at + 1; i < k->row[c + 1]; i++)
            m->miss_s[at] += m->slope[i] * m->miss_s[i];
    }
}

// What follows from du: dw, ds, and W^-1 ds in `scaled`.
static void find_slacks(cd_cone_path *m, direction *d)
{
    const cd_cones *k = &m->system->p->cones;
    cd_cone_values(&m->system->p->groups, m->system->p->H, d->du, d->dw);
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c];
        m->ds[at] = d->dw[at] * m->slope[at];
        for (int32_t i = at + 1; i < k->row[c + 1]; i++) {
            m->ds[i] = d->dw[i];
            m->ds[at] += m->slope[i] * d->dw[i];
        }
    }
    cd_vector_subtract(m->ds, 1, m->miss_s, k->rows);
    cd_cone_unapply(k, &m->system->scaling, m->ds, m->scaled);
}

// dz of W^-1 ds + W dz = sqrt(mu) rise e.
static void find_multipliers(cd_cone_path *m, double rise)
{
    const cd_cones *k = &m->system->p->cones;
    for (int32_t r = 0; r < k->rows; r++)
        m->hat[r] = -m->scaled[r];
    for (int32_t c = 0; c < k->count; c++)
        m->hat[k->row[c]] += sqrt(m->now.mu) * rise;
    cd_cone_unapply(k, &m->system->scaling, m->hat, m->dz);
}

// The direction with W^-1 ds + W dz = sqrt(mu) rise e that takes away what is set; refined: u - H'z comes out to
// rounding, whatever K has lost to large entries.
static void find(cd_cone_path *m, double rise, bool is_refined, direction *d)
{
    const cd_cone_program *p = m->system->p;
    const cd_cones *k = &p->cones;
    const double root = sqrt(m->now.mu);
    cd_cone_unapply(k, &m->system->scaling, m->miss_s, m->scaled);
    for (int32_t c = 0; c < k->count; c++)
        m->scaled[k->row[c]] += root * rise;
    cd_cone_transposed(&p->groups, m->system->R, m->scaled, d->du);
    cd_vector_subtract(d->du, 1, m->miss_u, p->groups.columns);
    cd_gram_lu_solve(m->lu, d->du);
    find_slacks(m, d);
    d->rise = rise;
    if (is_refined) {
        find_multipliers(m, rise);
        cd_cone_transposed(&p->groups, p->H, m->dz, m->rest);
        for (int32_t i = 0; i < p->groups.columns; i++)
            m->rest[i] -= d->du[i] + m->miss_u[i];
        cd_gram_lu_solve(m->lu, m->rest);
        cd_vector_subtract(d->du, -1, m->rest, p->groups.columns);
        find_slacks(m, d);
    }
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c];
        for (int32_t i = at; i < k->row[c + 1]; i++)
            d->x[i] = m->scaled[i] / root;
        d->turn[c] = 0;
        if (!m->turns[c])
            continue;
        const double *s = m->now.s + at, size = tail_of(s, 3), a = s[1] / size, b = s[2] / size;
        d->turn[c] = (a * m->scaled[at + 2] - b * m->scaled[at + 1]) * m->system->scaling.beta[c] / size;
        d->x[at + 1] = a * d->x[at + 1] + b * d->x[at + 2];
        d->x[at + 2] = 0;
    }
}

// The whole step of `mend`, which is the last that was found, straight: it keeps what is linear.
static void tell(cd_cone_path *m)
{
    find_multipliers(m, 0);
    for (int32_t r = 0; r < rows_of(m); r++)
        m->told_z[r] = m->now.z[r] + m->dz[r];
    for (int32_t i = 0; i < columns_of(m); i++)
        m->told_u[i] = m->now.u[i] + m->mend.du[i];
}

// The product of two directions in the logarithms of s and z of cone c.
static double product_of(const cd_cone_path *m, const direction *a, const direction *b, int32_t c)
{
    const int32_t *row = m->system->p->cones.row, at = row[c];
    double sum = a->rise * b->rise - a->rise * b->x[at] - b->rise * a->x[at] + ANGLE * ANGLE * a->turn[c] * b->turn[c];
    for (int32_t r = at; r < row[c + 1]; r++)
        sum += 2 * a->x[r] * b->x[r];
    return sum;
}

static double size_of(const cd_cone_path *m, const direction *d)
{
    double largest = 0;
    for (int32_t c = 0; c < m->system->p->cones.count; c++)
        largest = cd_larger(largest, product_of(m, d, d, c));
    return sqrt(largest);
}

// d -= part t.
static void subtract(const cd_cone_path *m, direction *d, double part, const direction *t)
{
    cd_vector_subtract(d->du, part, t->du, columns_of(m));
    cd_vector_subtract(d->dw, part, t->dw, rows_of(m));
    cd_vector_subtract(d->x, part, t->x, rows_of(m));
    cd_vector_subtract(d->turn, part, t->turn, m->system->p->cones.count);
    d->rise -= part * t->rise;
}

// Takes from d what goes along the path, so that mu moves with it. Each cone counts by the fourth power of what it
// changes along the path: near a turn the few that turn decide.
static void lean(cd_cone_path *m, direction *d)
{
    const direction *t = &m->along;
    double common = 0, own = 0;
    for (int32_t c = 0; c < m->system->p->cones.count; c++) {
        const double square = product_of(m, t, t, c), weight = square * square;
        own += weight * square;
        common += weight * product_of(m, d, t, c);
    }
    subtract(m, d, own > 0 ? common / own : 0, t);
}

// d = sqrt(mu) scale x and curve = sqrt(mu) scale (x o x): the first derivative of sqrt(mu) scale exp(x), and of the
// second what x has no part in. scale: cd_cone_apply or cd_cone_unapply.
static void differentiate(const cd_cone_path *m,
                          void (*scale)(const cd_cones *, const cd_cone_scaling *, const double *, double *),
                          const double *x, double *d, double *curve)
{
    const cd_cones *k = &m->system->p->cones;
    const double root = sqrt(m->now.mu);
    cd_cone_product(k, x, x, curve);
    for (int32_t r = 0; r < k->rows; r++) {
        d[r] = root * x[r];
        curve[r] *= root;
    }
    scale(k, &m->system->scaling, d, d);
    scale(k, &m->system->scaling, curve, curve);
}

// What turning adds to the second derivative of a tail x_t that changes by d_t besides: 2 turn J d_t - turn^2 x_t.
static void spin(double turn, const double *x, const double *d, double out[3])
{
    out[1] = -2 * turn * d[2] - turn * turn * x[1];
    out[2] = 2 * turn * d[1] - turn * turn * x[2];
}

// The first and second derivatives of s and z along the tangent, in frames that turn: ds, curve_s, dz, curve_z.
static void find_curves(cd_cone_path *m, const direction *t)
{
    const cd_cones *k = &m->system->p->cones;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c];
        for (int32_t i = at; i < k->row[c + 1]; i++)
            m->hat[i] = t->x[i];
        if (m->turns[c]) {
            const double *s = m->now.s + at, part = t->x[at + 1] / tail_of(s, 3);
            m->hat[at + 1] = part * s[1];
            m->hat[at + 2] = part * s[2];
        }
    }
    differentiate(m, cd_cone_apply, m->hat, m->ds, m->curve_s);
    for (int32_t r = 0; r < k->rows; r++)
        m->hat[r] = -m->hat[r];
    for (int32_t c = 0; c < k->count; c++)
        m->hat[k->row[c]] += t->rise;
    differentiate(m, cd_cone_unapply, m->hat, m->dz, m->curve_z);
}

// d: the second derivative, in logarithms, of a way with the first one t: what s and z bend by themselves, what the
// path is off by, and |s_t|^2 / s_0.
static void find_bend(cd_cone_path *m, const direction *t, direction *d)
{
    const cd_cone_program *p = m->system->p;
    const cd_cones *k = &p->cones;
    const double part = t->rise * t->rise * m->now.mu / m->first_mu;
    find_curves(m, t);
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        const double *s = m->now.s + at, *ds = m->ds + at, *first = m->first_s + at;
        double turned[3] = {0}, square = 0, sum = 0;
        if (m->turns[c]) {
            spin(t->turn[c], m->now.z + at, m->dz + at, turned);
            m->curve_z[at + 1] += turned[1];
            m->curve_z[at + 2] += turned[2];
            spin(t->turn[c], s, ds, turned);
        }
        for (int32_t i = 1; i < n; i++) {
            const double change = ds[i] - s[i] / s[0] * ds[0];
            square += change * change;
            sum += m->slope[at + i] * (part * first[i] - turned[i]);
            m->miss_s[at + i] = m->curve_s[at + i] + turned[i] - part * first[i];
        }
        m->miss_s[at] = m->curve_s[at] - m->slope[at] * (part * first[0] + 2 * square / s[0]) - sum;
    }
    cd_cone_transposed(&p->groups, p->H, m->curve_z, m->miss_u);
    for (int32_t i = 0; i < p->groups.columns; i++)
        m->miss_u[i] = -part * m->first_u[i] - m->miss_u[i];
    find(m, 0, false, d);
}

// ---- steps ----------------------------------------------------------------------------------------------------------

// exp(x), |x| below 12, to 1e-6 and to four derivatives at 0, by nothing but products and one quotient: the same on
// every machine; exp(x) exp(-x) = 1.
static double power(double x)
{
    const double t = cd_larger(-3, cd_smaller(3, x / 4)), even = 1 + t * t / 12, part = (even + t / 2) / (even - t / 2);
    return part * part * (part * part);
}

// x's tail by so much about the axis.
static void turn_by(double angle, double *x)
{
    const double t = cd_larger(-1, cd_smaller(1, angle / 2 + angle * angle * angle / 24)), inverse = 1 / (1 + t * t),
                 cosine = (1 - t * t) * inverse, sine = 2 * t * inverse, a = x[1], b = x[2];
    x[1] = cosine * a - sine * b;
    x[2] = cosine * b + sine * a;
}

// s := sqrt(mu) W exp(a x), z := sqrt(mu) W^-1 exp(a (rise e - x)), turned; the scaling is that of s and z.
static void move(cd_cone_path *m, double length, const direction *d)
{
    const cd_cones *k = &m->system->p->cones;
    const double root = sqrt(m->now.mu), ratio = power(length * d->rise);
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        const double *x = d->x + at, *s = m->now.s + at, size = tail_of(x, n),
                     tail = m->turns[c] ? tail_of(s, n) : size, *way = m->turns[c] ? s : x,
                     along = m->turns[c] ? x[1] : size, high = power(length * (x[0] + along)),
                     low = power(length * (x[0] - along));
        m->ds[at] = root * (high + low) / 2;
        m->dz[at] = root * ratio * (1 / high + 1 / low) / 2;
        for (int32_t i = 1; i < n; i++) {
            const double part = tail > 0 ? way[i] / tail : 0;
            m->ds[at + i] = root * part * (high - low) / 2;
            m->dz[at + i] = root * ratio * part * (1 / high - 1 / low) / 2;
        }
    }
    cd_cone_apply(k, &m->system->scaling, m->ds, m->now.s);
    cd_cone_unapply(k, &m->system->scaling, m->dz, m->now.z);
    for (int32_t c = 0; c < k->count; c++) {
        if (m->turns[c]) {
            turn_by(length * d->turn[c], m->now.s + k->row[c]);
            turn_by(length * d->turn[c], m->now.z + k->row[c]);
        }
    }
    cd_vector_subtract(m->now.u, -length, d->du, columns_of(m));
    cd_vector_subtract(m->now.w, -length, d->dw, rows_of(m));
    m->now.mu *= ratio;
}

// Along the path from the kept point, which is the present one: sign onward + length / 2 bent.
static void go_on(cd_cone_path *m)
{
    direction *d = &m->going;
    const double length = cd_smaller(ALONG_MOST, m->reach / m->size);
    const double half =
        length / 2 * m->bent_size > BEND_MOST * m->size ? BEND_MOST * m->size / m->bent_size : length / 2;
    memset(d->du, 0, sizeof *d->du * (size_t)columns_of(m));
    memset(d->dw, 0, sizeof *d->dw * (size_t)rows_of(m));
    memset(d->x, 0, sizeof *d->x * (size_t)rows_of(m));
    memset(d->turn, 0, sizeof *d->turn * (size_t)m->system->p->cones.count);
    d->rise = 0;
    subtract(m, d, -m->sign, &m->onward);
    subtract(m, d, -half, &m->bent);
    move(m, length, d);
}

// The step to the path bends as what it mends does, for what turns is a circle: straight, a turn by a is off by a^2 / 2
// of the impulse that turns, in other contacts much more than sqrt(mu).
static void bend_mend(cd_cone_path *m, double size)
{
    find_bend(m, &m->mend, &m->going);
    const double bent = size_of(m, &m->going);
    subtract(m, &m->mend, bent > size ? -size / bent / 2 : -0.5, &m->going);
}

// From the kept point once more, by less.
static bool retreat(cd_cone_path *m)
{
    if (++m->retreats > RETREATS_MOST || m->size == 0)
        return false;
    copy_point(m, &m->kept, &m->now);
    m->reach *= RETREAT;
    m->mends = 0;
    if (!settle(m))
        return false;
    go_on(m);
    return true;
}

// The point is on the path: it is kept, and the next step goes along.
static bool follow(cd_cone_path *m, double size, double bent_size)
{
    if (!settle(m))
        return retreat(m);
    const direction t = m->along, b = m->bend;
    m->sign = cd_gram_lu_sign(m->lu) > 0 ? -1 : 1;
    m->size = size;
    m->bent_size = bent_size;
    m->mends = m->retreats = 0;
    copy_point(m, &m->now, &m->kept);
    m->along = m->onward;
    m->onward = t;
    m->bend = m->bent;
    m->bent = b;
    go_on(m);
    return true;
}

// How long steps along the path are, by what the last one has to be mended by.
static void adapt(cd_cone_path *m, double mend)
{
    const double factor = cbrt(WANTED / cd_larger(mend, 1e-3 * WANTED));
    m->reach *= cd_larger(REACH_FALL, cd_smaller(REACH_RISE, factor));
    m->reach = cd_larger(REACH_LEAST, cd_smaller(REACH_MOST, m->reach));
}

// The steps to the path and along it from the present point.
static void look(cd_cone_path *m)
{
    measure(m);
    factor(m);
    if (m->first_mu == 0) {
        m->first_mu = m->now.mu;
        memcpy(m->first_u, m->off_u, sizeof *m->off_u * (size_t)columns_of(m));
        memcpy(m->first_s, m->off_s, sizeof *m->off_s * (size_t)rows_of(m));
    }
    const double part = m->now.mu / m->first_mu;
    set_miss(m, 1, -part);
    find(m, 0, true, &m->mend);
    tell(m);
    set_miss(m, 0, -part);
    find(m, 1, false, &m->along);
    lean(m, &m->mend);
}

bool cd_cone_path_step(cd_cone_path *m)
{
    if (!settle(m))
        return retreat(m);
    look(m);
    const double size = size_of(m, &m->mend);
    if (!isfinite(size))
        return retreat(m);
    const bool is_first = m->size == 0;
    if (m->mends == 0 && !is_first)
        adapt(m, size);
    const double near = m->now.mu < CLOSE && m->mends < MENDS_MOST ? NEAR_CLOSE : NEAR;
    const bool is_near = size <= near, may_mend = m->mends < MENDS_MOST && size < FAR &&
                                                  (m->mends == 0 || size < NEAR || size < BETTER * m->mend_before);
    if (!is_near && !may_mend)
        return retreat(m);
    double along = 0, bend = 0;
    if (is_near) {
        find_bend(m, &m->along, &m->bend);
        lean(m, &m->bend);
        along = size_of(m, &m->along);
        bend = size_of(m, &m->bend);
    }
    if (!m->is_plane)
        bend_mend(m, size);
    m->mend.rise = cd_larger(-JUMP_MOST, cd_smaller(JUMP_MOST, m->mend.rise));
    move(m, 1, &m->mend);
    m->mends++;
    m->mend_before = size;
    return !is_near || follow(m, along, bend);
}
