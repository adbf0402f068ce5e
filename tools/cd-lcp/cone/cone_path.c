// SPDX-License-Identifier: MIT
#include "cone_path.h"

#include "cone_product.h"
#include "gram_lu.h"
#include "lcp_vector.h"

#include <math.h>

// Mehrotra's steps, as long as they are longer than LONG: to so much of the way to the boundary, at a centre of at
// least so much of the mean product. Steps that go further end far from the path.
#define LONG 0.6
#define TO_BOUNDARY 0.9
#define CENTRE_LEAST 0.2
// Sizes of steps are lengths in the scaling of the cone that changes most, in units of sqrt(mu).
#define NEAR 0.8    // a step to the path that is no larger is the last one before the next along it
#define FAR 3       // a larger one is not worth taking
#define BETTER 0.9  // of the last one's size: a step to the path that gains
#define WANTED 0.4  // the size that steps along it are made for
enum { MENDS_MOST = 2, JOINING_MOST = 24, RETREATS_MOST = 8 };
// Before the path is reached: after so many steps mu is that much larger, further inside the cones.
enum { JOINING_PATIENCE = 5 };
#define JOINING_RISE 10
#define REACH_FIRST 0.7  // the size of steps along the path, and its bounds
#define REACH_LEAST 0.02
#define REACH_MOST 3
#define REACH_RISE 1.6  // from step to step
#define REACH_FALL 0.4
#define RETREAT 0.3     // where a step along it could not be mended
#define ALONG_PART 0.7  // of the way to the boundary that a step along the path takes
#define ALONG_MOST 3    // of log(mu) in one step
#define BEND_MOST 0.5   // of the tangent, that the path's bend adds to it
#define JUMP_MOST 2     // of log(mu) in one step to the path

typedef struct direction {
    double *du, *ds, *dz;
    double *scaled_s, *scaled_z;  // W^-1 ds, W dz
    double rise;                  // of log(mu)
} direction;

typedef struct point {
    double *u, *s, *z;
    double mu;
} point;

struct cd_cone_path {
    cd_cone_system *system;
    cd_gram_lu *lu;
    double *S;                  // the right side's rows of K = 1 + R'S
    point now, kept;            // kept: on the path, where the last step along it began
    double *off_u, *off_s;      // of now
    double *first_u, *first_s;  // the same where the path began, at first_mu: those of the path fall with mu
    double first_mu;
    double *slope;  // of s_0 - |s_t|^2 / s_0 = w_0, solved for ds_0: by dw_0 in the first row, by dw_t in the others
    double *miss_u, *miss_s;        // what a direction is to take away, off_s with the slopes of its first rows
    direction mend, along, bend;    // to the path; along it for each unit of log(mu), and the change of that
    direction onward, bent, going;  // along and bend from kept; what a step takes of both
    double *aim, *rest, *b;
    double reach, size, bent_size;  // of steps along the path; of `onward` and `bent`
    double mend_before;             // the size of the last step to the path
    int sign;                       // of the next step along it
    int mends, retreats;            // in a row
    enum { FALLING, JOINING, FOLLOWING } stage;
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
    for (int32_t c = 0; c < p->cones.count; c++) {
        if (p->cones.row[c + 1] - p->cones.row[c] > 2)
            return false;
    }
    return true;
}

int64_t cd_cone_path_bytes(const cd_cone_system *system) { return cd_gram_lu_bytes(system->gram); }

static direction make_direction(int32_t rows, int32_t columns, cd_arena *arena)
{
    return (direction){.du = CD_ARENA_ZARRAY(arena, double, columns),
                       .ds = CD_ARENA_ZARRAY(arena, double, rows),
                       .dz = CD_ARENA_ZARRAY(arena, double, rows),
                       .scaled_s = CD_ARENA_ZARRAY(arena, double, rows),
                       .scaled_z = CD_ARENA_ZARRAY(arena, double, rows)};
}

static point make_point(int32_t rows, int32_t columns, cd_arena *arena)
{
    return (point){.u = CD_ARENA_ARRAY(arena, double, columns),
                   .s = CD_ARENA_ARRAY(arena, double, rows),
                   .z = CD_ARENA_ARRAY(arena, double, rows)};
}

static void copy_point(const cd_cone_path *m, const point *from, point *to)
{
    memcpy(to->u, from->u, sizeof *to->u * (size_t)columns_of(m));
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
    double **const of_rows[] = {&m->off_s, &m->first_s, &m->slope, &m->miss_s, &m->aim, &m->rest};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        *of_rows[k] = CD_ARENA_ZARRAY(arena, double, rows);
    double **const of_columns[] = {&m->off_u, &m->first_u, &m->miss_u, &m->b};
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++)
        *of_columns[k] = CD_ARENA_ZARRAY(arena, double, columns);
    direction *const directions[] = {&m->mend, &m->along, &m->bend, &m->onward, &m->bent, &m->going};
    for (size_t k = 0; k < sizeof directions / sizeof *directions; k++)
        *directions[k] = make_direction(rows, columns, arena);
    m->now = make_point(rows, columns, arena);
    m->kept = make_point(rows, columns, arena);
    memcpy(m->now.u, u, sizeof *u * (size_t)columns);
    memcpy(m->now.s, s, sizeof *s * (size_t)rows);
    memcpy(m->now.z, z, sizeof *z * (size_t)rows);
    m->reach = REACH_FIRST;
    m->stage = FALLING;
    return m;
}

const double *cd_cone_path_multipliers(const cd_cone_path *m) { return m->now.z; }

cd_cone_multipliers cd_cone_path_finish(cd_cone_path *m, cd_arena *arena)
{
    return cd_cone_multipliers_make(m->system, m->now.u, m->now.z, arena);
}

// What the point is off by, and the slopes there.
static void measure(cd_cone_path *m)
{
    const cd_cone_program *p = m->system->p;
    const point *x = &m->now;
    cd_cone_transposed(&p->groups, p->H, x->z, m->off_u);
    for (int32_t i = 0; i < p->groups.columns; i++)
        m->off_u[i] = x->u[i] - m->off_u[i];
    cd_cone_values(&p->groups, p->H, x->u, m->off_s);
    for (int32_t r = 0; r < p->cones.rows; r++)
        m->off_s[r] = x->s[r] - m->off_s[r] - p->h[r];
    for (int32_t c = 0; c < p->cones.count; c++) {
        const int32_t at = p->cones.row[c];
        const double part = p->cones.row[c + 1] - at < 2 ? 0 : x->s[at + 1] / x->s[at];
        m->off_s[at] -= part * part * x->s[at];
        m->slope[at] = 1 / (1 + part * part);
        if (p->cones.row[c + 1] - at > 1)
            m->slope[at + 1] = 2 * part * m->slope[at];
    }
}

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
        if (k->row[c + 1] - at > 1)
            m->miss_s[at] += m->slope[at + 1] * m->miss_s[at + 1];
    }
}

// K = 1 + R'S with R = W^-1 H and S = W^-1 (ds by dw) H. False where s or z is not inside.
static bool factor(cd_cone_path *m)
{
    const cd_cone_program *p = m->system->p;
    const cd_cones *k = &p->cones;
    double T[9];
    if (!cd_cone_scale(k, m->now.s, m->now.z, &m->system->scaling))
        return false;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        cd_cone_inverse(k, &m->system->scaling, c, T);
        cd_cone_turn_rows(n, p->stride[c], T, p->H + p->place[c], m->system->R + p->place[c]);
        for (int32_t i = 0; i < n; i++) {
            if (n > 1)
                T[n * i + 1] += T[n * i] * m->slope[at + 1];
            T[n * i] *= m->slope[at];
        }
        cd_cone_turn_rows(n, p->stride[c], T, p->H + p->place[c], m->S + p->place[c]);
    }
    cd_gram_lu_factor(m->lu, m->system->R, m->S);
    return true;
}

// The direction with lambda o (W^-1 ds + W dz) = aim that takes away what is set.
static void find(cd_cone_path *m, direction *d)
{
    const cd_cone_program *p = m->system->p;
    const cd_cones *k = &p->cones;
    const cd_cone_scaling *W = &m->system->scaling;
    cd_cone_divide(k, W->lambda, m->aim, m->aim);
    cd_cone_unapply(k, W, m->miss_s, m->rest);
    for (int32_t r = 0; r < k->rows; r++)
        m->rest[r] += m->aim[r];
    cd_cone_transposed(&p->groups, m->system->R, m->rest, d->du);
    cd_vector_subtract(d->du, 1, m->miss_u, p->groups.columns);
    cd_gram_lu_solve(m->lu, d->du);
    cd_cone_values(&p->groups, p->H, d->du, d->ds);
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c];
        d->ds[at] *= m->slope[at];
        if (k->row[c + 1] - at > 1)
            d->ds[at] += m->slope[at + 1] * d->ds[at + 1];
    }
    cd_vector_subtract(d->ds, 1, m->miss_s, k->rows);
    cd_cone_unapply(k, W, d->ds, d->scaled_s);
    for (int32_t r = 0; r < k->rows; r++)
        d->scaled_z[r] = m->aim[r] - d->scaled_s[r];
    cd_cone_unapply(k, W, d->scaled_z, d->dz);
    d->rise = 0;
}

// aim = centre e - lambda o lambda, or centre e alone.
static void aim_at(cd_cone_path *m, double centre, bool is_along)
{
    const cd_cones *k = &m->system->p->cones;
    const double *lambda = m->system->scaling.lambda;
    memset(m->aim, 0, sizeof *m->aim * (size_t)k->rows);
    if (!is_along)
        cd_cone_product(k, lambda, lambda, m->aim);
    for (int32_t r = 0; r < k->rows; r++)
        m->aim[r] = -m->aim[r];
    for (int32_t c = 0; c < k->count; c++)
        m->aim[k->row[c]] += centre;
}

// The longest step, at most `most`, that ends inside or on the boundary.
static double longest(const cd_cone_path *m, const direction *d, double most)
{
    const cd_cones *k = &m->system->p->cones;
    return cd_smaller(cd_cone_step(k, m->now.s, d->ds, most), cd_cone_step(k, m->now.z, d->dz, most));
}

static void move(cd_cone_path *m, double length, const direction *d)
{
    cd_vector_subtract(m->now.u, -length, d->du, columns_of(m));
    cd_vector_subtract(m->now.s, -length, d->ds, rows_of(m));
    cd_vector_subtract(m->now.z, -length, d->dz, rows_of(m));
    m->now.mu *= exp(length * d->rise);
}

// A step of Mehrotra's. False: it would be a short one, and is not taken.
static bool fall(cd_cone_path *m)
{
    const cd_cones *k = &m->system->p->cones;
    m->now.mu = cd_vector_dot(m->now.s, m->now.z, k->rows) / k->count;
    set_miss(m, 1, 0);
    aim_at(m, 0, false);
    find(m, &m->mend);
    const double left = 1 - longest(m, &m->mend, 1), centre = cd_larger(CENTRE_LEAST, left * left * left);
    cd_cone_product(k, m->mend.scaled_s, m->mend.scaled_z, m->rest);
    aim_at(m, centre * m->now.mu, false);
    cd_vector_subtract(m->aim, 1, m->rest, k->rows);
    find(m, &m->mend);
    const double length = cd_smaller(1, TO_BOUNDARY * longest(m, &m->mend, 1));
    if (!(length >= LONG))
        return false;
    move(m, length, &m->mend);
    return true;
}

// The square of the direction's length in the scaling of cone c.
static double square_of(const cd_cone_path *m, const direction *a, const direction *b, int32_t c)
{
    const int32_t *row = m->system->p->cones.row;
    double sum = 0;
    for (int32_t r = row[c]; r < row[c + 1]; r++)
        sum += a->scaled_s[r] * b->scaled_s[r] + a->scaled_z[r] * b->scaled_z[r];
    return sum / m->now.mu;
}

static double size_of(const cd_cone_path *m, const direction *d)
{
    double largest = 0;
    for (int32_t c = 0; c < m->system->p->cones.count; c++)
        largest = cd_larger(largest, square_of(m, d, d, c));
    return sqrt(largest);
}

// Takes from the step to the path what goes along it: mu moves with it. Each cone counts by the fourth power of what it
// changes along the path, so that near a turn the few that turn decide.
static void lean(cd_cone_path *m)
{
    const direction *t = &m->along;
    direction *d = &m->mend;
    double common = 0, own = 0, weights = 0;
    for (int32_t c = 0; c < m->system->p->cones.count; c++) {
        const double square = square_of(m, t, t, c), weight = square * square;
        weights += weight;
        own += weight * square;
        common += weight * square_of(m, d, t, c);
    }
    const double part = own + weights > 0 ? common / (own + weights) : 0;
    cd_vector_subtract(d->du, part, t->du, columns_of(m));
    double *const of_d[] = {d->ds, d->dz, d->scaled_s, d->scaled_z}, *const of_t[] = {t->ds, t->dz, t->scaled_s,
                                                                                      t->scaled_z};
    for (int k = 0; k < 4; k++)
        cd_vector_subtract(of_d[k], part, of_t[k], rows_of(m));
    d->rise = -part;
}

// The second derivative of the path by log(mu): of s o z = mu e, of what the point is off by, and of |s_t|^2 / s_0.
static void find_bend(cd_cone_path *m)
{
    const cd_cones *k = &m->system->p->cones;
    const direction *t = &m->along;
    const double part = m->now.mu / m->first_mu;
    cd_cone_product(k, t->scaled_s, t->scaled_z, m->rest);
    aim_at(m, m->now.mu, true);
    cd_vector_subtract(m->aim, 2, m->rest, k->rows);
    set_miss(m, 0, -part);
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c];
        if (k->row[c + 1] - at < 2)
            continue;
        const double turn = t->ds[at + 1] - m->now.s[at + 1] / m->now.s[at] * t->ds[at];
        m->miss_s[at] -= m->slope[at] * 2 * turn * turn / m->now.s[at];
    }
    find(m, &m->bend);
}

// Along the path from the kept point, which is the present one: sign onward + length / 2 bent.
static void go_on(cd_cone_path *m)
{
    direction *d = &m->going;
    double length = cd_smaller(ALONG_MOST, m->reach / m->size);
    const double half =
        length / 2 * m->bent_size > BEND_MOST * m->size ? BEND_MOST * m->size / m->bent_size : length / 2;
    d->rise = m->sign;
    for (int32_t i = 0; i < columns_of(m); i++)
        d->du[i] = m->sign * m->onward.du[i] + half * m->bent.du[i];
    for (int32_t r = 0; r < rows_of(m); r++) {
        d->ds[r] = m->sign * m->onward.ds[r] + half * m->bent.ds[r];
        d->dz[r] = m->sign * m->onward.dz[r] + half * m->bent.dz[r];
    }
    length = cd_smaller(length, ALONG_PART * longest(m, d, ALONG_MOST / ALONG_PART));
    move(m, length, d);
}

// From the kept point once more, by less.
static bool retreat(cd_cone_path *m)
{
    if (m->stage != FOLLOWING || ++m->retreats > RETREATS_MOST)
        return false;
    copy_point(m, &m->kept, &m->now);
    m->reach *= RETREAT;
    m->mends = 0;
    go_on(m);
    return true;
}

// The point is on the path: it is kept, and the next step goes along.
static void follow(cd_cone_path *m)
{
    const direction t = m->along, b = m->bend;
    m->stage = FOLLOWING;
    m->sign = cd_gram_lu_sign(m->lu) > 0 ? -1 : 1;
    m->size = size_of(m, &t);
    m->bent_size = size_of(m, &b);
    m->mends = m->retreats = 0;
    copy_point(m, &m->now, &m->kept);
    m->along = m->onward;
    m->onward = t;
    m->bend = m->bent;
    m->bent = b;
    go_on(m);
}

// How long steps along the path are, by what the last one has to be mended by.
static void adapt(cd_cone_path *m, double mend)
{
    const double factor = cbrt(WANTED / cd_larger(mend, 1e-3 * WANTED));
    m->reach *= cd_larger(REACH_FALL, cd_smaller(REACH_RISE, factor));
    m->reach = cd_larger(REACH_LEAST, cd_smaller(REACH_MOST, m->reach));
}

bool cd_cone_path_step(cd_cone_path *m)
{
    measure(m);
    if (!factor(m))
        return retreat(m);
    if (m->stage == FALLING && fall(m))
        return true;
    if (m->stage != FOLLOWING) {
        m->stage = JOINING;
        m->now.mu *= m->mends > 0 && m->mends % JOINING_PATIENCE == 0 ? JOINING_RISE : 1;
        m->first_mu = m->now.mu;
        memcpy(m->first_u, m->off_u, sizeof *m->off_u * (size_t)columns_of(m));
        memcpy(m->first_s, m->off_s, sizeof *m->off_s * (size_t)rows_of(m));
    }
    const double part = m->now.mu / m->first_mu;
    set_miss(m, 1, -part);
    aim_at(m, m->now.mu, false);
    find(m, &m->mend);
    set_miss(m, 0, -part);
    aim_at(m, m->now.mu, true);
    find(m, &m->along);
    if (m->stage == FOLLOWING || m->mends > 0)
        lean(m);
    const double size = size_of(m, &m->mend);
    if (!isfinite(size))
        return retreat(m);
    if (m->stage == FOLLOWING && m->mends == 0)
        adapt(m, size);
    const bool is_near = size <= NEAR, may_mend = m->stage == JOINING
                                                      ? m->mends <= JOINING_MOST
                                                      : m->mends < MENDS_MOST && size < FAR &&
                                                            (m->mends == 0 || size < BETTER * m->mend_before);
    if (!is_near && !may_mend)
        return retreat(m);
    if (is_near)
        find_bend(m);
    m->mend.rise = cd_larger(-JUMP_MOST, cd_smaller(JUMP_MOST, m->mend.rise));
    move(m, cd_smaller(1, TO_BOUNDARY * longest(m, &m->mend, 1)), &m->mend);
    m->mends++;
    m->mend_before = size;
    if (is_near)
        follow(m);
    return true;
}
