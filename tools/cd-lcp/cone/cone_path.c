// SPDX-License-Identifier: MIT
#include "cone_path.h"

#include "cone_frame.h"
#include "cone_product.h"
#include "gram_lu.h"
#include "lcp_lanes.h"
#include "lcp_vector.h"

#include <math.h>

// Sizes of steps are lengths in the logarithms of the cone that changes most (cd_cone_direction_size).
#define NEAR 1.8    // a step to the path that is no larger is the last one before the next along it
#define FAR 6       // a larger one is not worth taking
#define BETTER 0.9  // of the last one's size: a step to the path that gains
#define WANTED 0.6  // the size that steps along it are made for
enum { MENDS_MOST = 2, RETREATS_MOST = 8 };
enum { RETREATS_BEFORE = 2 };  // in a row, before the kept point is given a path of its own
enum { TURNS = 3 };            // from falling to rising: the last of them is not taken
#define LEFT_FOR 0.3           // of mu, where another path begins in its stead
#define REACH_FIRST 1.5        // the size of steps along the path, and its bounds
#define REACH_AGAIN 1          // the least of the first one on another path
#define REACH_LEAST 0.02
#define REACH_MOST 6
#define REACH_RISE 1.6  // from step to step
#define REACH_FALL 0.4
#define RETREAT 0.3      // where a step along it could not be mended
#define ALONG_MOST 6     // of log(mu) in one step
#define BENT 0.8         // of the path's bend that a step takes: steps this long come nearer than with all of it
#define BEND_MOST 0.3    // of the tangent, that the path's bend adds to it
#define SWERVE 0.6       // the same, that the step to the path changes it by
#define JUMP_MOST 2      // of log(mu) in one step to the path
#define REFINE_AT 1e-14  // before, what K loses to large entries, 1e-5 of the step, is far below what is left to mend
#define OPEN 1000        // of mu, the square of the least of s in its cone: what is above is open, and stays so
// From SOFT_AT on contacts give by SOFT times what their impulses change by: some 1e-3, no more than 1e-14 is wrong by
// that in the end; where stones jam up to 1 and more. With 1e-10 paths of such ended just above a tolerance of 3e-11,
// one after the other; with 1e-12 steps are a little more; with 1e-8 what a step of z bends is more than s is by then,
// and steps go astray.
#define SOFT_AT 1e-12
#define SOFT 1e-11
// A path that yields gives more by this each time it is left, up to YIELDS_MOST. Of three
// problems of heaps of 200 hulls without an answer by any other path two end with 5e-11 throughout; growing from there
// by 1.2, 1.3, 1.4, 1.6 the same two, by 1.5 all three, at residuals of 7e-10, 2e-10 and 2e-11, by 1.8 at 5e-7, 7e-10
// and 6e-12: as impulses of jams change by 1 and more, the end is off by as much as contacts give.
#define YIELDS_MORE 1.5
#define YIELDS_MOST 1e-7
#define YIELDS_FOR 0.6  // of mu, where it is left

// A direction that is looked for.
typedef struct side {
    double *miss_u, *miss_s;  // what it is to take away, miss_s through J, in the frames
    double *scaled;           // W^-1 ds in the frames, in the end
    double *curve_z;          // scratch
    double rise;              // of log(mu)
    cd_cone_direction *d;
} side;

typedef struct point {
    double *u, *w;  // w = H u + h, less soft times the z at which contacts began to give; it follows u step by step
    cd_cone_frame *frame;  // of each cone s and z
    double mu;
} point;

struct cd_cone_path {
    cd_cone_system *system;
    cd_gram_lu *lu;
    double *S;                            // the right side's rows of K = 1 + R'S
    point now, kept;                      // kept: on the path, where the last step along it began
    double *s, *z, *scale;                // of now, a row each; W^-1 in the frames
    double *told_z;                       // on the linear equations, and by a step of Newton's method on the others
    double *off_u, *off_s;                // of now
    double *first_u, *first_s;            // the same where the path began, at first_mu: those of the path fall with mu
    double first_mu;                      // 0: it begins at the present point
    bool begins_anew;                     // there, in the stead of one that was followed
    double soft, *soft_z;                 // how far a contact gives for a change of its impulse from soft_z; 0: not yet
    double yields;                        // what contacts give by where it is left for the first time; 0: not
    double *give;                         // of each cone (1 + soft W^-1 J W^-1)^-1 in its frame: two by two, and across
    side side[2];                         // of the directions that are found together
    cd_cone_direction mend, along, bend;  // to the path; along it for each unit of log(mu), and the change of that
    cd_cone_direction both, swerve;       // mend and along; what the second changes by the first
    cd_cone_direction onward, bent, going;  // along and bend from kept; what a step takes of both
    double *dz, *rest;                      // scratch, a row each, of rest a column,
    double *hat;                            // and rows in the frames
    double reach, size, bent_size;          // of steps along the path; of `onward` and `bent`
    double mend_before;                     // the size of the last step to the path
    int sign, turns;                        // of the next step along it; from falling to rising
    int mends, retreats;                    // in a row
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

static point make_point(const cd_cones *k, int32_t columns, cd_arena *arena)
{
    return (point){.u = CD_ARENA_ARRAY(arena, double, columns),
                   .w = CD_ARENA_ARRAY(arena, double, k->rows),
                   .frame = CD_ARENA_ZARRAY(arena, cd_cone_frame, k->count)};
}

static void copy_point(const cd_cone_path *m, const point *from, point *to)
{
    memcpy(to->u, from->u, sizeof *to->u * (size_t)columns_of(m));
    memcpy(to->w, from->w, sizeof *to->w * (size_t)rows_of(m));
    memcpy(to->frame, from->frame, sizeof *to->frame * (size_t)m->system->p->cones.count);
    to->mu = from->mu;
}

// s = sqrt(mu) W e and z = sqrt(mu) W^-1 e of their scaling: s o z = mu e, and all that the point is off by is left to
// the linear equations and sigma. Where they are not inside, frames stay 0 and are not settled.
static void make_frames(cd_cone_path *m, const double *s, const double *z)
{
    const cd_cones *k = &m->system->p->cones;
    const cd_cone_scaling *f = &m->system->scaling;
    if (!cd_cone_scale(k, s, z, &m->system->scaling))
        return;
    for (int32_t c = 0; c < k->count; c++)
        m->now.frame[c] = cd_cone_frame_make(k->row[c + 1] - k->row[c], sqrt(m->now.mu) * f->beta[c], f->w + k->row[c]);
}

static void make_scratch(cd_cone_path *m, cd_arena *arena)
{
    const cd_cone_program *p = m->system->p;
    side *const one = &m->side[0], *const two = &m->side[1];
    double **const of_rows[] = {&m->off_s,    &m->first_s,  &m->s,         &m->z,         &m->scale,
                                &m->told_z,   &m->dz,       &m->hat,       &one->miss_s,  &two->miss_s,
                                &one->scaled, &two->scaled, &one->curve_z, &two->curve_z, &m->soft_z};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        *of_rows[k] = CD_ARENA_ZARRAY(arena, double, p->cones.rows);
    double **const of_columns[] = {&m->off_u, &m->first_u, &one->miss_u, &two->miss_u, &m->rest};
    for (size_t k = 0; k < sizeof of_columns / sizeof *of_columns; k++)
        *of_columns[k] = CD_ARENA_ZARRAY(arena, double, p->groups.columns);
    cd_cone_direction *const directions[] = {&m->mend,   &m->along,  &m->bend, &m->both,
                                             &m->swerve, &m->onward, &m->bent, &m->going};
    for (size_t k = 0; k < sizeof directions / sizeof *directions; k++)
        *directions[k] = cd_cone_direction_make(&p->cones, p->groups.columns, arena);
}

static cd_cone_path *make(cd_cone_system *system, cd_arena *arena)
{
    const cd_cone_program *p = system->p;
    cd_cone_path *m = CD_ARENA_ZARRAY(arena, cd_cone_path, 1);
    m->system = system;
    m->lu = cd_gram_lu_make(system->gram, arena);
    m->S = CD_ARENA_ZARRAY(arena, double, p->groups.place[p->groups.count]);
    m->give = CD_ARENA_ZARRAY(arena, double, CD_CONE_GIVE *(size_t)p->cones.count);
    make_scratch(m, arena);
    m->now = make_point(&p->cones, p->groups.columns, arena);
    m->kept = make_point(&p->cones, p->groups.columns, arena);
    m->reach = REACH_FIRST;
    return m;
}

cd_cone_path *cd_cone_path_make(cd_cone_system *system, const double *u, const double *s, const double *z,
                                cd_arena *arena)
{
    const cd_cone_program *p = system->p;
    const int32_t rows = p->cones.rows;
    cd_cone_path *m = make(system, arena);
    m->now.mu = cd_vector_dot(s, z, rows) / p->cones.count;
    make_frames(m, s, z);
    memcpy(m->now.u, u, sizeof *u * (size_t)p->groups.columns);
    cd_cone_values(&p->groups, p->H, u, m->now.w);
    cd_vector_subtract(m->now.w, -1, p->h, rows);
    memcpy(m->told_z, z, sizeof *z * (size_t)rows);
    return m;
}

int32_t cd_cone_path_undecided(const cd_cone_path *m, bool *may_close)
{
    int32_t count = 0;
    for (int32_t c = 0; c < m->system->p->cones.count; c++) {
        const cd_cone_frame *f = &m->now.frame[c];
        const double least = f->height < 2 ? f->a : cd_smaller(f->a, f->b);
        may_close[c] = !(least * least > OPEN * m->now.mu);
        count += may_close[c];
    }
    return count;
}

cd_cone_path *cd_cone_path_part(const cd_cone_path *m, const bool *keep, cd_cone_system *part, cd_arena *arena)
{
    const cd_cones *k = &m->system->p->cones, *of = &part->p->cones;
    cd_cone_path *out = make(part, arena);
    memcpy(out->now.u, m->now.u, sizeof *m->now.u * (size_t)columns_of(m));
    out->now.mu = m->now.mu;
    for (int32_t c = 0, to = 0; c < k->count; c++) {
        if (!keep[c])
            continue;
        const size_t bytes = sizeof *m->now.w * (size_t)(k->row[c + 1] - k->row[c]);
        memcpy(out->now.w + of->row[to], m->now.w + k->row[c], bytes);
        memcpy(out->told_z + of->row[to], m->told_z + k->row[c], bytes);
        memcpy(out->soft_z + of->row[to], m->soft_z + k->row[c], bytes);
        out->now.frame[to++] = m->now.frame[c];
    }
    out->soft = m->soft;
    out->yields = m->yields;
    out->reach = cd_larger(m->reach, REACH_AGAIN);
    return out;
}

const double *cd_cone_path_multipliers(const cd_cone_path *m) { return m->told_z; }

void cd_cone_path_yield(cd_cone_path *m, double first) { m->yields = first; }

double cd_cone_path_mu(const cd_cone_path *m) { return m->now.mu; }

bool cd_cone_path_rises(const cd_cone_path *m) { return m->sign > 0; }

// ---- where the point is ---------------------------------------------------------------------------------------------

// s, z and their scaling. False where the point is lost.
static bool settle(cd_cone_path *m)
{
    return cd_cone_frames_write(&m->system->p->cones, m->now.frame, m->now.mu, m->s, m->z, m->scale);
}

// Contacts give from here on: w = H u + h + soft (z - z of now). The point is where it was, or is off by what they gave
// before.
static void soften(cd_cone_path *m, double soft)
{
    cd_vector_subtract(m->now.w, -m->soft, m->soft_z, rows_of(m));
    m->soft = soft;
    memcpy(m->soft_z, m->z, sizeof *m->z * (size_t)rows_of(m));
    cd_vector_subtract(m->now.w, soft, m->soft_z, rows_of(m));
}

// What the point is off by, and which cones turn. s_0 - |s_t|^2 / s_0 = 2 a b / (a + b), without a difference.
static void measure(cd_cone_path *m)
{
    const cd_cone_program *p = m->system->p;
    const point *x = &m->now;
    cd_cone_transposed(&p->groups, p->H, m->z, m->off_u);
    for (int32_t i = 0; i < p->groups.columns; i++)
        m->off_u[i] = x->u[i] - m->off_u[i];
    for (int32_t r = 0; r < p->cones.rows; r++)
        m->off_s[r] = m->s[r] - x->w[r] - m->soft * m->z[r];
    for (int32_t c = 0; c < p->cones.count; c++) {
        const int32_t at = p->cones.row[c];
        cd_cone_frame *f = &x->frame[c];
        f->turns = cd_cone_frame_is_bent(f, CD_CONE_ANGLE);
        if (f->height > 1)
            m->off_s[at] = 2 * f->a * f->b / (f->a + f->b) - x->w[at] - m->soft * m->z[at];
    }
}

// x := N x
static void give(const cd_cone_path *m, double *x)
{
    const cd_cones *k = &m->system->p->cones;
    for (int32_t c = 0; c < k->count && m->soft > 0; c++)
        cd_cone_frame_give(&m->now.frame[c], m->give + CD_CONE_GIVE * (size_t)c, 1, x + k->row[c]);
}

// K = 1 + R'S with R = W^-1 H and S = N W^-1 J H, in the frames.
static void factor(cd_cone_path *m)
{
    const cd_cone_program *p = m->system->p;
    const cd_cones *k = &p->cones;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        double T[9], S[9];
        double *N = m->give + CD_CONE_GIVE * (size_t)c;
        if (m->soft > 0)
            cd_cone_frame_find_give(&m->now.frame[c], m->soft, m->scale + at, N);
        for (int32_t j = 0; j < n; j++) {
            const double unit[3] = {j == 0, j == 1, j == 2};
            double x[3], y[3];
            cd_cone_frame_enter(&m->now.frame[c], unit, x);
            cd_cone_frame_follow(&m->now.frame[c], unit, y);
            for (int32_t i = 0; i < n; i++) {
                T[n * i + j] = m->scale[at + i] * x[i];
                S[n * i + j] = m->scale[at + i] * y[i];
            }
            if (m->soft > 0)
                cd_cone_frame_give(&m->now.frame[c], N, n, S + j);
        }
        cd_cone_turn_rows(n, p->stride[c], T, p->H + p->place[c], m->system->R + p->place[c]);
        cd_cone_turn_rows(n, p->stride[c], S, p->H + p->place[c], m->S + p->place[c]);
    }
    cd_gram_lu_factor(m->lu, m->system->R, m->S);
}

// ---- directions -----------------------------------------------------------------------------------------------------

// A direction is to take away `now` times what the point is off by and `first` times what the path's beginning was.
static void set_miss(const cd_cone_path *m, double now, double first, side *q)
{
    for (int32_t i = 0; i < columns_of(m); i++)
        q->miss_u[i] = now * m->off_u[i] + first * m->first_u[i];
    for (int32_t r = 0; r < rows_of(m); r++)
        m->hat[r] = now * m->off_s[r] + first * m->first_s[r];
    cd_cone_frames_follow(&m->system->p->cones, m->now.frame, m->hat, q->miss_s);
}

// x += push e.
static void add_unit(const cd_cone_path *m, double push, double *x)
{
    const cd_cones *k = &m->system->p->cones;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        x[at] += n < 2 ? push : CD_CONE_HALF * push;
        if (n > 1)
            x[at + 1] += CD_CONE_HALF * push;
    }
}

// W^-1 ds of dw.
static void find_slacks(const cd_cone_path *m, side *q)
{
    const double push = sqrt(m->now.mu) * q->rise;
    cd_cone_frames_follow(&m->system->p->cones, m->now.frame, q->d->dw, q->scaled);
    for (int32_t r = 0; r < rows_of(m); r++)
        q->scaled[r] = m->scale[r] * (q->scaled[r] - q->miss_s[r]);
    if (!(m->soft > 0))
        return;
    add_unit(m, -push, q->scaled);
    give(m, q->scaled);
    add_unit(m, push, q->scaled);
}

// dz of W^-1 ds + W dz = sqrt(mu) rise e.
static void find_multipliers(cd_cone_path *m, const side *q)
{
    for (int32_t r = 0; r < rows_of(m); r++)
        m->hat[r] = -q->scaled[r];
    add_unit(m, sqrt(m->now.mu) * q->rise, m->hat);
    for (int32_t r = 0; r < rows_of(m); r++)
        m->hat[r] *= m->scale[r];
    cd_cone_frames_leave(&m->system->p->cones, m->now.frame, m->hat, m->dz);
}

// Right side for du.
static void begin_side(const cd_cone_path *m, double rise, cd_cone_direction *d, side *q)
{
    const double root = sqrt(m->now.mu);
    q->d = d;
    d->rise = q->rise = rise;
    for (int32_t r = 0; r < rows_of(m); r++)
        q->scaled[r] = m->scale[r] * q->miss_s[r];
    add_unit(m, root * rise, q->scaled);
    give(m, q->scaled);
}

static void end_side(const cd_cone_path *m, const side *q)
{
    cd_cone_frames_read(&m->system->p->cones, m->now.frame, m->now.mu, q->scaled, q->d->x, q->d->turn);
}

// The directions with W^-1 ds + W dz = sqrt(mu) rise e that take away what is set: of one side, or of both, which read
// the factor together.
static void find(cd_cone_path *m, int sides)
{
    const cd_cone_program *p = m->system->p;
    side *const one = &m->side[0], *const two = &m->side[1];
    if (sides < 2) {
        cd_cone_transposed(&p->groups, m->system->R, one->scaled, one->d->du);
        cd_vector_subtract(one->d->du, 1, one->miss_u, p->groups.columns);
        cd_gram_lu_solve(m->lu, one->d->du);
        cd_cone_values(&p->groups, p->H, one->d->du, one->d->dw);
        find_slacks(m, one);
        return;
    }
    cd_cone_transposed_two(&p->groups, m->system->R, (const double *const[]){one->scaled, two->scaled},
                           (double *const[]){one->d->du, two->d->du});
    cd_vector_subtract(one->d->du, 1, one->miss_u, p->groups.columns);
    cd_vector_subtract(two->d->du, 1, two->miss_u, p->groups.columns);
    cd_gram_lu_solve_two(m->lu, one->d->du, two->d->du);
    cd_cone_values_two(&p->groups, p->H, (const double *const[]){one->d->du, two->d->du},
                       (double *const[]){one->d->dw, two->d->dw});
    find_slacks(m, one);
    find_slacks(m, two);
}

// u - H'z comes out to rounding, whatever K has lost to large entries.
static void refine(cd_cone_path *m, side *q)
{
    const cd_cone_program *p = m->system->p;
    find_multipliers(m, q);
    cd_cone_transposed(&p->groups, p->H, m->dz, m->rest);
    for (int32_t i = 0; i < p->groups.columns; i++)
        m->rest[i] -= q->d->du[i] + q->miss_u[i];
    cd_gram_lu_solve(m->lu, m->rest);
    cd_vector_subtract(q->d->du, -1, m->rest, p->groups.columns);
    cd_cone_values(&p->groups, p->H, q->d->du, q->d->dw);
    find_slacks(m, q);
}

// The whole step of a side, straight: it keeps what is linear.
static void tell(cd_cone_path *m, const side *q)
{
    find_multipliers(m, q);
    for (int32_t r = 0; r < rows_of(m); r++)
        m->told_z[r] = m->z[r] + m->dz[r];
}

// Takes from d what goes along the path, so that mu moves with it. Each cone counts by the fourth power of what it
// changes along the path: near a turn the few that turn decide.
static void level(cd_cone_path *m, cd_cone_direction *d)
{
    const cd_cone_direction *t = &m->along;
    double common = 0, own = 0;
    for (int32_t c = 0; c < m->system->p->cones.count; c++) {
        const double square = cd_cone_direction_product(t, t, c), weight = square * square;
        own += weight * square;
        common += weight * cd_cone_direction_product(d, t, c);
    }
    cd_cone_direction_subtract(d, own > 0 ? common / own : 0, t);
}

// d is to be the second derivative, in logarithms, of a way with the first one t; H'curve_z is still to be taken.
static void begin_bend(const cd_cone_path *m, const cd_cone_direction *t, cd_cone_direction *d, side *q)
{
    const double part = t->rise * t->rise * m->now.mu / m->first_mu;
    const cd_cone_way way = {m->now.mu, t->rise, part, m->soft, t->x, t->turn, m->first_s};
    cd_cone_frames_bend(&m->system->p->cones, m->now.frame, &way, q->curve_z, q->miss_s);
    for (int32_t i = 0; i < columns_of(m); i++)
        q->miss_u[i] = -part * m->first_u[i];
    begin_side(m, 0, d, q);
}

// The second derivatives that have begun.
static void find_bends(cd_cone_path *m, int sides)
{
    const cd_cone_program *p = m->system->p;
    side *const one = &m->side[0], *const two = &m->side[1];
    if (sides < 2)
        cd_cone_transposed(&p->groups, p->H, one->curve_z, m->rest);
    else
        cd_cone_transposed_two(&p->groups, p->H, (const double *const[]){one->curve_z, two->curve_z},
                               (double *const[]){m->rest, two->d->du});
    cd_vector_subtract(one->miss_u, 1, m->rest, p->groups.columns);
    if (sides > 1)
        cd_vector_subtract(two->miss_u, 1, two->d->du, p->groups.columns);
    find(m, sides);
    for (int k = 0; k < sides; k++)
        end_side(m, &m->side[k]);
}

// `going` is how the step to the path bends. Where one along it follows: how that one bends, and how much of it is
// another one at the path, twice: second derivatives are quadratic, so those of the sum less those of both. Of a point
// on the path no step leads there.
static void find_curvature(cd_cone_path *m, bool is_near, bool is_on_path)
{
    if (is_on_path) {
        begin_bend(m, &m->along, &m->bend, &m->side[0]);
        find_bends(m, 1);
        cd_cone_direction_clear(&m->going);
        cd_cone_direction_clear(&m->swerve);
        return;
    }
    begin_bend(m, &m->mend, &m->going, &m->side[0]);
    if (is_near)
        begin_bend(m, &m->along, &m->bend, &m->side[1]);
    find_bends(m, is_near ? 2 : 1);
    if (!is_near)
        return;
    cd_cone_direction_add(&m->mend, &m->along, &m->both);
    begin_bend(m, &m->both, &m->swerve, &m->side[0]);
    find_bends(m, 1);
    cd_cone_direction_subtract(&m->swerve, 1, &m->going);
    cd_cone_direction_subtract(&m->swerve, 1, &m->bend);
}

// ---- steps ----------------------------------------------------------------------------------------------------------

// s := sqrt(mu) W exp(length x), turned, and z := mu' s^-1, which is sqrt(mu) W^-1 exp(length (rise e - x)).
static void move(cd_cone_path *m, double length, const cd_cone_direction *t)
{
    cd_cone_frames_move(&m->system->p->cones, m->now.frame, length, t->x, t->turn);
    cd_vector_subtract(m->now.u, -length, t->du, columns_of(m));
    cd_vector_subtract(m->now.w, -length, t->dw, rows_of(m));
    m->now.mu *= cd_cone_power(length * t->rise);
}

// Along the path from the kept point, which is the present one: sign onward + length / 2 bent.
static void go_on(cd_cone_path *m)
{
    cd_cone_direction *d = &m->going;
    const double length = cd_smaller(ALONG_MOST, m->reach / m->size);
    const double half = cd_smaller(BENT * length / 2, BEND_MOST * m->size / m->bent_size);
    cd_cone_direction_clear(d);
    cd_cone_direction_subtract(d, -m->sign, &m->onward);
    cd_cone_direction_subtract(d, -half, &m->bent);
    move(m, length, d);
}

// The step to the path bends as what it mends does, for what turns is a circle: straight, a turn by a is off by a^2 / 2
// of the impulse that turns, in other contacts much more than sqrt(mu).
static void bend_mend(cd_cone_path *m, double size)
{
    const double bent = cd_cone_direction_size(&m->going);
    cd_cone_direction_subtract(&m->mend, bent > size ? -size / bent / 2 : -0.5, &m->going);
}

// The tangent was that of the point before the step to the path.
static void swerve(cd_cone_path *m)
{
    level(m, &m->swerve);
    const double most = 2 * SWERVE * cd_cone_direction_size(&m->along), size = cd_cone_direction_size(&m->swerve);
    cd_cone_direction_subtract(&m->along, -(size > most ? most / size : 1) / 2, &m->swerve);
}

// Another path, from the present point on: any s and z inside are on one.
static void begin_anew(cd_cone_path *m)
{
    m->first_mu = 0;
    m->begins_anew = true;
    m->reach = cd_larger(m->reach, REACH_AGAIN);
}

// From the kept point once more, by less. Where that does not help it is the kept point that is too far from its path:
// a step to the path of up to NEAR leaves something.
static bool retreat(cd_cone_path *m)
{
    if (++m->retreats > RETREATS_MOST || m->size == 0)
        return false;
    copy_point(m, &m->kept, &m->now);
    m->reach *= RETREAT;
    m->mends = 0;
    if (!settle(m))
        return false;
    if (m->retreats == RETREATS_BEFORE)
        begin_anew(m);
    else
        go_on(m);
    return true;
}

// A path that turns so often has many turns more, or goes round for ever: a step to it may have led to a closed one. It
// is left at the kept point, where mu fell, for another one, on which mu is less: W and with it the Jacobian are as
// they were there, so mu goes on falling. Where that is far below what gaps contradict each other by, closed paths are
// alike at each mu, and the next one is closed as well: then contacts that give from here on open it.
static bool leave(cd_cone_path *m)
{
    const double left_for = m->yields > 0 ? YIELDS_FOR : LEFT_FOR;
    copy_point(m, &m->kept, &m->now);
    if (m->yields > 0) {
        if (!settle(m))
            return false;
        soften(m, m->soft < m->yields ? m->yields : cd_smaller(YIELDS_MOST, YIELDS_MORE * m->soft));
        memcpy(m->kept.w, m->now.w, sizeof *m->now.w * (size_t)rows_of(m));
    }
    for (int32_t c = 0; c < m->system->p->cones.count; c++)
        cd_cone_frame_scale(&m->now.frame[c], sqrt(left_for));
    m->now.mu *= left_for;
    m->mends = 0;
    begin_anew(m);
    return settle(m);
}

// The point is on the path: it is kept, and the next step goes along.
static bool follow(cd_cone_path *m, double size, double bent_size)
{
    if (!settle(m))
        return retreat(m);
    const cd_cone_direction t = m->along, b = m->bend;
    const int sign = cd_gram_lu_sign(m->lu) > 0 ? -1 : 1;
    if (m->sign < 0 && sign > 0 && ++m->turns % TURNS == 0)
        return leave(m);
    if (m->soft == 0 && m->now.mu < SOFT_AT)
        soften(m, SOFT);
    m->sign = sign;
    m->size = size;
    m->bent_size = bent_size;
    m->mends = 0;
    m->retreats = m->begins_anew ? m->retreats : 0;
    m->begins_anew = false;
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
    set_miss(m, 1, -part, &m->side[0]);
    set_miss(m, 0, -part, &m->side[1]);
    begin_side(m, 0, &m->mend, &m->side[0]);
    begin_side(m, 1, &m->along, &m->side[1]);
    find(m, 2);
    if (m->now.mu < REFINE_AT)
        refine(m, &m->side[0]);
    tell(m, &m->side[0]);
    end_side(m, &m->side[0]);
    end_side(m, &m->side[1]);
    level(m, &m->mend);
}

bool cd_cone_path_step(cd_cone_path *m)
{
    if (!settle(m))
        return retreat(m);
    look(m);
    const double size = cd_cone_direction_size(&m->mend);
    if (!isfinite(size))
        return retreat(m);
    const bool is_first = m->size == 0;
    if (m->mends == 0 && !is_first)
        adapt(m, size);
    const bool is_near = size <= NEAR, may_mend = m->mends < MENDS_MOST && size < FAR &&
                                                  (m->mends == 0 || size < NEAR || size < BETTER * m->mend_before);
    if (!is_near && !may_mend)
        return retreat(m);
    double along = 0, bend = 0;
    find_curvature(m, is_near, size == 0);
    if (is_near) {
        swerve(m);
        level(m, &m->bend);
        along = cd_cone_direction_size(&m->along);
        bend = cd_cone_direction_size(&m->bend);
    }
    bend_mend(m, size);
    m->mend.rise = cd_larger(-JUMP_MOST, cd_smaller(JUMP_MOST, m->mend.rise));
    move(m, 1, &m->mend);
    m->mends++;
    m->mend_before = size;
    return !is_near || follow(m, along, bend);
}
