// SPDX-License-Identifier: MIT
#include "lcp_proximal.h"

#include "contact_newton.h"
#include "lcp_vector.h"

#include <math.h>

enum { NEWTON_STEPS = 40, PATIENCE = 4, WATCHED = 2, HALVINGS = 8, QUICK = 5, EASY = 2 };
#define DAMPING_FIRST 1e-2  // diagonals are near 1
#define DAMPING_NEAR 1e-8   // from a point near the answer
#define DAMPING_LEAST 1e-12
#define DAMPING_FALL 2
#define DAMPING_RISE 16  // where Newton's method fails: up to the first one, or twice
#define PART 1e-2        // of its first error that a proximal problem is solved to,
#define PART_DRAWN 0.1   // and, going far, of what it is drawn by
#define FALL 0.1         // of the error, times its length, that a step must bring
#define PROGRESS 0.8     // of the sum of squares: a step that counts
#define GROWTH_MOST 1e6  // of the sum of squares that is watched
#define GAIN 0.5         // of the best residual: what is no stall
#define ROUNDING 0.25    // of the tolerance
// How far the centre is moved beyond the solution, in changes of the solution; the same, going far.
#define REACH_MOST 1e3
#define REACH_FAR 1e9
#define STAYS 0.5  // of the residual: a change that goes along what moves nothing
#define DAMPING_MOST 1e3
#define REACH_WORSE 2  // of the residual: the centre is moved no further

// Steps, and those in a row that do not halve the residual: as many as [multiplications] WORK and STALL_WORK are enough
// for, some seconds and less than one.
enum { STEPS = 1500, STEPS_LEAST = 100, STALL_STEPS = 1000, STALL_LEAST = 20 };
#define LU_WORK 6  // multiplications of a step in those of a Cholesky factor
#define WORK 4e9
#define STALL_WORK 7.5e8
// Where the residual is below FAR a stall ends sooner, for few are solved then, whatever is spent; not so near the
// tolerance, by a factor, and not where steps are so cheap that there may be STALL_STEPS of them. Of 95 problems of 200
// hulls and 306 polygons that land STALL_WORK alone solved 52.
#define FAR 1e-4
#define NEAR 200
enum { MIDDLE_STALL = 5, NEAR_STALL = 8 };  // that part of a stall, and so many of those parts

typedef struct proximal {
    const cd_lcp_structure *s;
    const cd_lcp_options *options;
    cd_contact_newton m;
    double *start, *start_step;  // of steps that are watched: the point they began at, the first step
    double *last;                // the last proximal problem's solution
    double *y;                   // a row of the structure each
    int64_t steps;               // of Newton, that are left
    int64_t stall;               // of these, without the best residual halved
    bool goes_far;               // to the next contact that changes its state (reach_of)
    bool is_near;                // cd_lcp_proximal_most
    cd_lcp_result *result;
    cd_arena *scratch;
} proximal;

// Returns the residual of the point.
static double offer(proximal *p)
{
    cd_lcp_result *best = p->result;
    cd_contact_scatter(p->m.k, p->m.y, p->s->n, p->y);
    const double residual = cd_lcp_structure_residual(p->s, p->y, NULL, p->scratch);
    if (residual < best->residual) {
        best->residual = residual;
        memcpy(best->z, p->y, sizeof *p->y * (size_t)p->s->n);
    }
    if (best->residual <= p->options->tolerance) {
        best->status = CD_LCP_SOLVED;
        best->reason = "";
    }
    return residual;
}

// y := y - length step, within its bounds. Returns the sum of squares of the errors.
static double move_by(cd_contact_newton *m, double length, const double *step, double *worst)
{
    cd_vector_subtract(m->y, -length, step, m->k->rows);
    cd_contact_newton_project(m);
    cd_contact_newton_values(m);
    return cd_contact_newton_error(m, worst);
}

// From the start, its step halved until the error falls.
static double move_back(proximal *p, double before, double *worst)
{
    double length = 1, sum = 0;
    for (int k = 0; k < HALVINGS; k++, length /= 2) {
        memcpy(p->m.y, p->start, sizeof *p->start * (size_t)p->m.k->rows);
        sum = move_by(&p->m, length, p->start_step, worst);
        const double part = 1 - FALL * length;
        if (sum < part * part * before)
            break;
    }
    return sum;
}

// Whether the problem drawn to the centre is solved: to PART of its first error, and, going far, well below what it is
// drawn by. A centre that was moved far begins with a large error, of which PART may be a thousand times what is
// wanted.
static bool is_near(const proximal *p, double first, double worst)
{
    const double rounding = ROUNDING * p->options->tolerance;
    double most = 0;
    for (int32_t r = 0; r < p->m.k->rows; r++)
        most = cd_larger(most, fabs(p->m.y[r] - p->m.centre[r]));
    const double drawn = p->goes_far ? PART_DRAWN * p->m.damping * most : INFINITY;
    return worst <= cd_larger(rounding, cd_smaller(PART * first, drawn));
}

// Solves the problem drawn to the centre. True when it has.
static bool solve(proximal *p)
{
    cd_contact_newton *m = &p->m;
    const size_t bytes = sizeof *m->y * (size_t)m->k->rows;
    double worst, least = INFINITY;
    memcpy(m->y, m->centre, bytes);
    cd_contact_newton_values(m);
    double before = cd_contact_newton_error(m, &worst);
    const double first = worst;
    memcpy(p->start, m->y, bytes);
    for (int step = 0, since = 0, watched = 0; step < NEWTON_STEPS && !is_near(p, first, worst) && since < PATIENCE;
         step++) {
        if (!cd_contact_newton_step(m))
            return false;
        p->steps--;
        if (watched == 0)
            memcpy(p->start_step, m->step, bytes);
        double sum = move_by(m, 1, m->step, &worst);
        if (!(sum < PROGRESS * before)) {
            if (++watched <= WATCHED && sum < GROWTH_MOST * before)
                continue;
            if (p->is_near)
                return false;
            sum = move_back(p, before, &worst);
        }
        watched = 0;
        since = sum < PROGRESS * least ? 0 : since + 1;
        least = since == 0 ? sum : least;
        before = sum;
        memcpy(p->start, m->y, bytes);
    }
    return is_near(p, first, worst);
}

// How far y and what bounds it, both with their changes, may go on until |y + t dy| = bound + t dbound; INFINITY: for
// ever, or it is beyond now. n: 1 or 2 entries.
static double until_bound(int32_t n, const double *y, const double *last, double bound, double change)
{
    double yy = 0, yd = 0, dd = 0;
    for (int32_t i = 0; i < n; i++) {
        const double d = y[i] - last[i];
        yy += y[i] * y[i];
        yd += y[i] * d;
        dd += d * d;
    }
    // a t^2 + 2 b t + c = 0 with c < 0: its first root above 0, in the form that does not cancel where b >= 0.
    const double a = dd - change * change, b = yd - bound * change, c = yy - bound * bound, square = b * b - a * c;
    if (!(c < 0) || !(square >= 0))
        return INFINITY;
    const double sum = b + sqrt(square);
    return sum > 0 ? -c / sum : INFINITY;
}

// How far the change from the last solution to the present one may go on, in changes, until a contact opens or begins
// to slip, by no more than one change. Many contacts that hold one body ask for gap rates that differ by less than the
// tolerance of the steps before, and more than that of this one: which of them carry is decided by impulses that move
// nothing, and these go all the way.
static double reach_of(const proximal *p)
{
    const cd_contact_rows *k = p->m.k;
    const double *y = p->m.y, *last = p->last;
    double more = 0, reach = REACH_FAR;
    for (int32_t r = 0; r < k->rows; r++)
        more = cd_larger(more, fabs(y[r] - last[r]));
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t normal = k->first[c];
        const double change = y[normal] - last[normal];
        if (change < 0)
            reach = cd_smaller(reach, (y[normal] + more) / -change);
        for (int32_t r = normal + 1, n = 0; r < k->first[c + 1]; r += n) {
            n = k->partner[r] < 0 ? 1 : 2;
            reach = cd_smaller(reach, until_bound(n, y + r, last + r, k->mu[r] * y[normal] + more, k->mu[r] * change));
        }
    }
    return reach;
}

// The next centre: the solution, and beyond it by `reach` times what it has changed by.
static void move_centre(proximal *p, double reach)
{
    for (int32_t r = 0; r < p->m.k->rows; r++) {
        p->m.centre[r] = p->m.y[r] + reach * (p->m.y[r] - p->last[r]);
        p->last[r] = p->m.y[r];
    }
}

// How far beyond a solution the centre is moved that was found in so many steps; reach, before: how far it was moved
// last, and the residual then.
static double next_reach(const proximal *p, double reach, int64_t taken, double before, double now)
{
    if (!(now < REACH_WORSE * before))
        return 0;
    if (taken > QUICK)
        return reach / 2;
    if (p->goes_far && now > STAYS * before)
        return reach_of(p);
    return reach > 0 ? cd_smaller(REACH_MOST, 2 * reach) : 1;
}

static int64_t stall_of(const proximal *p)
{
    const double residual = p->result->residual;
    if (residual >= FAR || p->stall >= STALL_STEPS)
        return p->stall;
    const int64_t middle = p->stall / MIDDLE_STALL > STALL_LEAST ? p->stall / MIDDLE_STALL : STALL_LEAST;
    return residual < NEAR * p->options->tolerance ? NEAR_STALL * middle : middle;
}

static void run(proximal *p)
{
    const size_t bytes = sizeof *p->last * (size_t)p->m.k->rows;
    double residual = INFINITY, reach = 0, mark = p->result->residual;
    int64_t since = 0;
    int solved = 0;  // in a row
    p->m.damping = p->is_near ? DAMPING_NEAR : DAMPING_FIRST;
    memcpy(p->last, p->m.centre, bytes);
    while (p->steps > 0 && p->result->status != CD_LCP_SOLVED && p->m.damping < DAMPING_MOST && since <= stall_of(p)) {
        const int64_t left = p->steps;
        const bool is_solved = solve(p);
        const int64_t taken = left - p->steps;
        const double now = offer(p);
        since = p->result->residual < GAIN * mark ? 0 : since + taken;
        mark = since == 0 ? p->result->residual : mark;
        if (is_solved ? taken == 0 : p->is_near)
            return;  // what is wrong is none of its rows, or rounding; or it is not near
        if (is_solved) {
            reach = next_reach(p, reach, taken, residual, now);
            residual = now;
            move_centre(p, reach);
            if (++solved > 1 || taken <= EASY)
                p->m.damping /= taken <= 1 ? DAMPING_FALL * DAMPING_FALL : DAMPING_FALL;
            p->m.damping = cd_larger(DAMPING_LEAST, p->m.damping);
            continue;
        }
        solved = 0;
        if (reach > 0) {
            reach = 0;
            memcpy(p->m.centre, p->last, bytes);
        } else {
            p->m.damping =
                cd_smaller(DAMPING_RISE * p->m.damping, cd_larger(DAMPING_FIRST, DAMPING_FALL * p->m.damping));
        }
    }
}

static int64_t between(int64_t least, double x, int64_t most)
{
    return x < (double)least ? least : x > (double)most ? most : (int64_t)x;
}

// Where a step is cheap, up to some 200 contacts in space, it halves the residual once in 500 steps and gets there;
// 1,100 contacts of 200 hulls have after 25 of them what they get.
static cd_lcp_proximal_most budget(const cd_gram *gram, const cd_lcp_options *options)
{
    const int64_t given = options->max_iterations;
    const double patience = options->patience > 0 ? options->patience : 1,
                 part = 1 / (LU_WORK * cd_gram_work(gram) + 1);
    const int64_t steps = (int64_t)(patience * between(STEPS_LEAST, WORK * part, STEPS)),
                  stall = (int64_t)(patience * between(STALL_LEAST, STALL_WORK * part, STALL_STEPS));
    return (cd_lcp_proximal_most){.steps = given > 0 ? given : steps,
                                  .stall = given > 0 ? given : stall,
                                  .bytes = options->max_dense > 0 ? options->max_dense : CD_LCP_MAX_DENSE};
}

bool cd_lcp_proximal(const cd_lcp_structure *s, const cd_cone_root *root, const cd_lcp_options *options,
                     const cd_lcp_proximal_most *given, bool goes_far, cd_lcp_result *result, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    const cd_contact_rows k = cd_contact_rows_make(s, root, scratch);
    cd_gram *gram = cd_gram_analyse(&k.groups, scratch);
    const cd_lcp_proximal_most most = given ? *given : budget(gram, options);
    const bool fits = k.tallest <= CD_CONTACT_NEWTON_ROWS && cd_gram_lu_bytes(gram) <= most.bytes;
    if (fits) {
        proximal p = {.s = s,
                      .options = options,
                      .m = cd_contact_newton_make(&k, gram, scratch),
                      .start = CD_ARENA_ARRAY(scratch, double, k.rows),
                      .start_step = CD_ARENA_ARRAY(scratch, double, k.rows),
                      .last = CD_ARENA_ARRAY(scratch, double, k.rows),
                      .y = CD_ARENA_ARRAY(scratch, double, s->n),
                      .steps = most.steps,
                      .stall = most.stall,
                      .goes_far = goes_far,
                      .is_near = most.is_near,
                      .result = result,
                      .scratch = scratch};
        cd_contact_gather(&k, result->z, p.m.centre);
        run(&p);
        result->iterations += most.steps - p.steps;
    }
    cd_arena_rewind(scratch, mark);
    return fits;
}
