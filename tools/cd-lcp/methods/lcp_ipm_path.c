// SPDX-License-Identifier: MIT
#include "lcp_ipm_path.h"

#include "lcp_proximal.h"
#include "lcp_vector.h"

#include <math.h>

enum {
    PATIENCE = 5,
    MORE = 2,
    LEAST = 60,
    MOST = 250,
    FIRST_MOST = 150,     // of the first path, where others may follow,
    FIRST_DRAWN = 30,     // and of Newton's method from its end
    YIELDING_MOST = 500,  // of one that yields,
    YIELDING_ALL = 1000,  // and of all that make good what it gave
    OTHERS_MOST = 3500,   // steps of the paths after the first
    AGAIN_MOST = 6,       // paths from the end of one that yielded
    PART_LEAST = 100,     // rows of the whole
    WARM_STEPS = 12,      // from the caller's start
    WARM_MOST = 120       // the same along a path
};
// Steps along the path, as many as these [multiplications of factors] are enough for, LEAST to MOST: a minute or two.
// Each is one factor by LU, which is LU_WORK times as dear as one of Cholesky.
#define WORK 1.5e11
// The same along paths from other iterates, in all: some seconds, and nothing where LEAST steps would be more.
#define OTHERS_WORK 5e9
#define LU_WORK 4
// A residual from which the first path's end is drawn to, going far: from farther away that leads nowhere, from nearer
// in some 20 steps to an answer, 3 times of 4.
#define FAR_FROM 1e-6
#define START 1            // mean products at the beginning of the first path; the largest |q| is near 1
#define START_AGAIN 1e-10  // the same from the end of a path that yielded,
#define AGAIN_FROM 1e-6    // and its residual, from which another one begins there
#define START_WARM 1e-2    // the same from the caller's start,
#define WARM 1e-2          // and its residual, from which Newton's method is tried
#define PART 1e-7          // mean products, below which contacts that are open are left out,
#define PART_MOST 0.7      // where no more than these remain
#define DEEP 1e-19         // mean products, below which a path has told what it can
#define DIGITS 0.1         // of the tolerance: an answer with digits of its own

int64_t cd_ipm_most_bytes(const cd_lcp_options *options)
{
    return options->max_dense > 0 ? options->max_dense : CD_LCP_MAX_DENSE;
}

int64_t cd_ipm_most_steps(const cd_ipm_problem *p, double steps, int64_t least, int64_t most)
{
    if (p->options->max_iterations > 0)
        return p->options->max_iterations;
    return steps < (double)least ? least : steps > (double)most ? most : (int64_t)steps;
}

bool cd_ipm_offer(const cd_lcp_structure *s, const double *y, double residual, const cd_lcp_options *options,
                  cd_lcp_result *result)
{
    if (residual < result->residual) {
        result->residual = residual;
        memcpy(result->z, y, sizeof *y * (size_t)s->n);
    }
    if (!(result->residual <= options->tolerance))
        return false;
    result->status = CD_LCP_SOLVED;
    result->reason = "";
    return true;
}

double cd_ipm_offer_multipliers(const cd_ipm_problem *p, const cd_cone_program *part, const double *z,
                                cd_lcp_result *result)
{
    cd_cone_impulses(part, z, p->s->n, p->y);
    const double residual = cd_lcp_structure_residual(p->s, p->y, NULL, p->scratch);
    (void)cd_ipm_offer(p->s, p->y, residual, p->options, result);
    return residual;
}

bool cd_ipm_may_follow(const cd_ipm_problem *p, const cd_cone_interior *m)
{
    const double most = p->options->max_work;
    return cd_cone_path_takes(p->program) && (most <= 0 || LU_WORK * cd_cone_interior_work(m) <= most);
}

typedef struct walk {
    const cd_cone_program *program;  // of the path: all of it, or a part
    cd_cone_path *path;
    bool may_rise;  // else it is left where mu rises from its beginning
    double until;   // of mu
} walk;

// Steps along a path, at most so many; near the answer each has some 20 times less to go, and one or two more give it
// digits of its own. Returns how many were made.
static int64_t follow(const cd_ipm_problem *p, const walk *w, int64_t most, cd_lcp_result *result)
{
    cd_cone_path *path = w->path;
    // Residuals are between the mean product and its root, and not worth their measuring above this one.
    const double far = p->options->tolerance * sqrt(p->options->tolerance);
    double best = INFINITY;
    int64_t steps = 0;
    int more = 0;                    // since the answer is known
    for (int since = 0;; steps++) {  // since: a residual below all others
        const double residual = cd_cone_path_mu(path) > far
                                    ? INFINITY
                                    : cd_ipm_offer_multipliers(p, w->program, cd_cone_path_multipliers(path), result);
        since = residual < best || cd_cone_path_mu(path) > DEEP ? 0 : since + 1;
        best = cd_smaller(best, residual);
        more += result->status == CD_LCP_SOLVED;
        if (best <= DIGITS * p->options->tolerance || more > MORE || steps >= most || since > PATIENCE ||
            cd_cone_path_mu(path) < w->until || (steps == 1 && !w->may_rise && cd_cone_path_rises(path)) ||
            !cd_cone_path_step(path))
            break;
    }
    if (cd_cone_path_mu(path) > far)
        (void)cd_ipm_offer_multipliers(p, w->program, cd_cone_path_multipliers(path), result);
    result->iterations += steps;
    return steps;
}

// The same once most contacts are open: without them, for they take as much work as those that carry. Nothing is done
// where they are few.
static int64_t follow_part(const cd_ipm_problem *p, const walk *w, int64_t most, cd_lcp_result *result)
{
    const cd_cones *k = &p->program->cones;
    bool *keep = CD_ARENA_ARRAY(p->scratch, bool, k->count);
    if (k->rows < PART_LEAST || cd_cone_path_undecided(w->path, keep) > PART_MOST * k->count)
        return 0;
    const cd_cone_program part = cd_cone_program_part(p->program, keep, p->scratch);
    cd_cone_system system = cd_cone_system_make(&part, NULL, p->scratch);
    cd_gram_use_threads(system.gram, p->options->threads);
    const walk of_part = {&part, cd_cone_path_part(w->path, keep, &system, p->scratch), true, 0};
    return follow(p, &of_part, most, result);
}

// The iterate after so many steps becomes the kept one. False: there are not so many.
static bool keep_iterate(cd_cone_interior *m, int64_t steps)
{
    cd_cone_interior_start(m);
    for (int64_t k = 0; k < steps; k++) {
        if (!cd_cone_interior_step(m))
            return false;
    }
    cd_cone_interior_keep(m);
    return true;
}

// A path, in at most `most` steps. Where a contact that was left out closes after all, the whole goes on from where it
// was. Returns how many were made, -1: there is none, it would be too large.
static int64_t follow_path(const cd_ipm_problem *p, cd_cone_path *path, bool may_rise, int64_t most,
                           cd_lcp_result *result)
{
    if (!path)
        return -1;
    const walk w = {p->program, path, may_rise, PART}, on = {p->program, path, true, 0};
    int64_t steps = follow(p, &w, most, result);
    const bool is_far_along = cd_cone_path_mu(path) < PART;
    if (result->status == CD_LCP_LIMIT && is_far_along)
        steps += follow_part(p, &on, most - steps, result);
    if (result->status == CD_LCP_LIMIT && is_far_along)
        steps += follow(p, &on, most - steps, result);
    return steps;
}

// The same from the kept iterate on.
static int64_t follow_from_kept(const cd_ipm_problem *p, cd_cone_interior *m, int64_t most, cd_lcp_result *result)
{
    cd_arena_mark mark = cd_arena_get_mark(p->scratch);
    cd_cone_path *path = cd_cone_interior_path(m, cd_ipm_most_bytes(p->options), p->scratch);
    const int64_t steps = follow_path(p, path, false, most < MOST ? most : MOST, result);
    cd_arena_rewind(p->scratch, mark);
    return steps;
}

// Where a path begins that is from no iterate: the multipliers, NULL: 0, the slacks that they make, mean products.
typedef struct beginning {
    const double *z;
    double mu;
    double yields;  // what cd_cone_path_yield is told; 0: it does not
} beginning;

// The same from there on. From 0 paths lead to an answer in some 40 steps from mu 1e-2 to 1e3, or are lost: of 1,167
// problems of 120 to 216 hulls that land from 1 in 39 in the mean, one in fifty of each pile in more than 66 to 139,
// and 17 not in 250. All iterations of these and of their ends, from the best of the first three iterates with sigma
// held -> from 0: 85,700 -> 81,600, three piles of 200 hulls alone 58,600 -> 54,000, but 27 hulls and 300 polygons 4
// and 7 % more; from the multipliers of such iterates a fifth is lost.
static int64_t follow_from(const cd_ipm_problem *p, cd_cone_interior *m, const beginning *from, int64_t most,
                           cd_lcp_result *result)
{
    cd_arena_mark mark = cd_arena_get_mark(p->scratch);
    cd_cone_path *path = cd_cone_interior_path_from(m, from->z, from->mu, cd_ipm_most_bytes(p->options), p->scratch);
    if (path && from->yields > 0)
        cd_cone_path_yield(path, from->yields);
    const int64_t own = from->yields > 0 ? YIELDING_MOST : MOST,
                  steps = follow_path(p, path, true, most < own ? most : own, result);
    cd_arena_rewind(p->scratch, mark);
    return steps;
}

// The multipliers of impulses y; NULL: rows of the programme are none of the structure's. @owns scratch
static double *multipliers_of(const cd_ipm_problem *p, const double *y)
{
    double *z = CD_ARENA_ARRAY(p->scratch, double, p->program->cones.rows);
    for (int32_t r = 0; r < p->program->cones.rows; r++) {
        if (p->program->source[r] < 0)
            return NULL;
        z[r] = y[p->program->source[r]] / p->program->unit[r];
    }
    return z;
}

// The first path once more, as one that yields by that. Where it ends near an answer, what it gave is made good by
// another one from there, which yields too: of three problems one ends so in 52 steps and one in 50, from mu 1e-10;
// from 1e-9, 1e-8, 1e-7 one of these two is lost. Returns the steps that were made.
static int64_t follow_yielding(const cd_ipm_problem *p, cd_cone_interior *m, double yields, int64_t most,
                               cd_lcp_result *result)
{
    int64_t steps = follow_from(p, m, &(beginning){NULL, START, yields}, most, result);
    most = most < YIELDING_ALL ? most : YIELDING_ALL;
    for (int k = 0; k < AGAIN_MOST && steps >= 0 && steps < most; k++) {
        if (result->status != CD_LCP_LIMIT || !(result->residual < AGAIN_FROM))
            break;
        const double before = result->residual, *z = multipliers_of(p, result->z);
        if (!z)
            break;
        steps += follow_from(p, m, &(beginning){z, START_AGAIN, yields}, most - steps, result);
        if (!(result->residual < before))
            break;
    }
    return steps;
}

// Steps that paths after the first may take, 0 where there are to be none.
static int64_t others_most(const cd_ipm_problem *p, const cd_cone_interior *m)
{
    const double work = cd_cone_interior_work(m) + 1;
    const int64_t most = cd_ipm_most_steps(p, OTHERS_WORK / work, 0, OTHERS_MOST);
    return most < LEAST || p->options->max_iterations > 0 || !cd_ipm_may_follow(p, m) ? 0 : most;
}

bool cd_ipm_follow_first(const cd_ipm_problem *p, cd_cone_interior *m, cd_lcp_result *result)
{
    const double work = cd_cone_interior_work(m) + 1;
    const int64_t most = others_most(p, m) > 0 ? FIRST_MOST : MOST;
    return follow_from(p, m, &(beginning){NULL, START, 0}, cd_ipm_most_steps(p, WORK / work, LEAST, most), result) >= 0;
}

// Whether Newton's method takes the problem: it knows no mass but 1, and C in its place where there are no velocities.
static bool may_draw(const cd_ipm_problem *p) { return !p->root->mass.first || p->s->m == 0; }

// most: NULL for what the options say.
static bool draw(const cd_ipm_problem *p, const cd_lcp_proximal_most *most, bool goes_far, cd_lcp_result *result)
{
    const cd_cone_root *root = p->root->mass.first ? NULL : p->root;
    return cd_lcp_proximal(p->s, root, p->options, most, goes_far, result, p->scratch);
}

bool cd_ipm_draw(const cd_ipm_problem *p, bool goes_far, cd_lcp_result *result)
{
    return result->status == CD_LCP_LIMIT && p->s->normal && may_draw(p) && draw(p, NULL, goes_far, result);
}

bool cd_ipm_try_warm(const cd_ipm_problem *p, cd_cone_interior *m, cd_lcp_result *result)
{
    if (!p->options->warm || !cd_ipm_may_follow(p, m) || !may_draw(p))
        return false;
    const double residual = cd_lcp_structure_residual(p->s, p->options->warm, NULL, p->scratch);
    if (!(residual < result->residual))
        return false;
    const int64_t given = p->options->max_iterations, most = given > 0 && given < WARM_STEPS ? given : WARM_STEPS;
    const cd_lcp_proximal_most few = {
        .steps = most, .stall = most, .bytes = cd_ipm_most_bytes(p->options), .is_near = true};
    (void)cd_ipm_offer(p->s, p->options->warm, residual, p->options, result);
    if (residual < WARM)
        (void)draw(p, &few, false, result);
    if (result->status == CD_LCP_SOLVED)
        return true;
    const double *z = multipliers_of(p, p->options->warm);
    if (!z)
        return false;
    (void)follow_from(p, m, &(beginning){z, START_WARM, 0}, given > 0 ? given : WARM_MOST, result);
    return result->status == CD_LCP_SOLVED;
}

void cd_ipm_follow_others(const cd_ipm_problem *p, cd_cone_interior *m, cd_lcp_result *result)
{
    // From which iterate; or from where the first path began, as one that yields.
    static const struct {
        int iterate;
        double yields;
    } start[] = {{.iterate = 0},   {.iterate = 8}, {.yields = 5e-11}, {.yields = 1e-10},
                 {.yields = 1e-8}, {.iterate = 2}, {.iterate = 4},    {.iterate = 6},
                 {.iterate = 1},   {.iterate = 3}, {.iterate = 5},    {.iterate = 7}};
    const int starts = sizeof start / sizeof *start;
    int64_t steps = 0, left = others_most(p, m);
    const cd_lcp_proximal_most few = {
        .steps = FIRST_DRAWN, .stall = FIRST_DRAWN, .bytes = cd_ipm_most_bytes(p->options)};
    if (left > 0 && result->residual < FAR_FROM && may_draw(p))
        (void)draw(p, &few, true, result);
    cd_lcp_result other = *result;
    other.z = CD_ARENA_ZARRAY(p->scratch, double, p->s->n);
    for (int k = 0; k < starts && left > 0 && steps >= 0 && result->status == CD_LCP_LIMIT; k++) {
        const double yields = start[k].yields;
        if (!(yields > 0) && !keep_iterate(m, start[k].iterate))
            continue;
        other.iterations = result->iterations;
        other.residual = INFINITY;
        steps = yields > 0 ? follow_yielding(p, m, yields, left, &other) : follow_from_kept(p, m, left, &other);
        left -= steps;
        (void)cd_ipm_draw(p, true, &other);
        result->iterations = other.iterations;
        (void)cd_ipm_offer(p->s, other.z, other.residual, p->options, result);
    }
}
