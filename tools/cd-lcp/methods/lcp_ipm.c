// lcp_ipm -- an interior point on second-order cones in the space of velocities, for contacts with and without
// friction.
//
// What it factors has the size of the bodies' velocities and the sparsity of the contact graph, whatever the number of
// contacts: redundant ones, masses of any ratio and stacked bodies cost it nothing, where Gauss-Seidel crawls. The
// method itself is in cone/; here are its two ends.
//   - Nothing feasible: the multipliers of an interior point then grow along a combination of rows that no motion can
//     satisfy; it is a proof once cd_lcp_structure_refutes says so. With friction that is asked of the normal rows alone.
//   - Sigma is held at 0 first: where contacts stick this is all, a step costs two solutions, and each programme is
//     convex. Where they slip the residual says so while the products s z fall, and the central path is followed, from
//     nothing, through its turning points and to the last digits (cone_path.h); where its factors are too dear, or with
//     a torque against rolling or spinning, sigma follows the velocities.
//   - With friction the caller's start, where there is one, comes before all that (cd_ipm_try_warm).
//   - Off the path the last digits come slowly, above all where contacts neither carry nor open or hardly stick. Where
//     many hold one body, gaps that differ by 1e-9 decide which of them carry: no step of velocities tells, and the
//     multipliers move far. The method of multipliers (cone_multipliers.h) does both with the same factor, near the
//     answer; a few sweeps from the best point (lcp_pgs.c), with its Newton steps on small problems, where slips drive
//     each other too strongly for it.
//   - Without friction the answer is made anew from the rows that carry (cone_lagrangian.h), as soon as they are found: by
//     the caller's guess of them and a few sweeps, which takes one or two factors where things rest and three where they
//     move; by sweeps, rows that are soft at first and those that then are undecided (cone_undecided.h), with 4 to 12
//     factors, before the interior point's first step; or near an iterate.
//   - Where that fails, paths from other iterates, and three whose contacts give, with Newton's method from their ends, on
//     problems that are drawn to the point (lcp_proximal.h), going far; last the same, not going far, from the best
//     point so far.
// Cost: 15 to 60 factorisations, where contacts slip 15 to 100 unsymmetric ones more. Where they jam, thousands: 150 of
// the first path and 3500 of the others at most, or 250 of the first alone, and behind each of up to 13 ends 1500 times
// options.patience of Newton's method, which a stall may end sooner (lcp_proximal.c); fewer the dearer they are.
// SPDX-License-Identifier: MIT
#include "cone_undecided.h"
#include "lcp_ipm_path.h"
#include "lcp_vector.h"

#include <math.h>

extern const cd_lcp_solver cd_lcp_solver_pgs;

enum {
    STEPS = 40,
    HELD_LEAST = 2,
    FINISH_SWEEPS = 90,
    SWEPT_ROWS = 300,  // above them sweeps gain nothing where proximal steps end
    PATIENCE = 8,
    FOLLOW_MOST = 120,
    FOLLOW_PATIENCE = 5,  // one in so many of the steps may gain nothing
    FINISH_PATIENCE = 6,
    FINISH_CHANGES = 16,
    ROW_CHANGES = 24,
    ROW_FACTORS = 32,
    ROW_OTHERS = 4,  // rows for each that is on the other side of where it was looked for
    GUESS_OTHERS = 32,
    DECIDE_OTHERS = 24,  // rows for each that becomes undecided at once,
    DECIDE_LEAST = 16,   // and at least so many do
    GUESS_SWEEPS = 60,
    SWEEPS = 100,      // from nowhere
    FINISH_STEPS = 8,  // of Newton's method that a change may take,
    EARLY_STEPS = 3    // of one that is made early
};
// Steps that follow slips: as many as these [multiplications of factors] are enough for, STEPS to FOLLOW_MOST.
#define FOLLOW_WORK 1.5e8
#define FINISH 3e-8        // a residual from which the method of multipliers is tried,
#define FINISH_SLIPS 1e-8  // where contacts slip, which the steps bring down faster
#define FINISH_AGAIN 0.1   // and once more at this part of it
#define ROWS 1e-5          // without friction: a residual from which the rows that carry are tried,
#define ROWS_AGAIN 0.01    // and once more at this part of it
// Four points of two faces whose gaps are not those of planes, but by 1e-12 m: three of them carry, and which one does
// not shows when its multiplier has fallen to 0, while the residual stays what it is. That would take up to 50 changes,
// all alike: they are made at once. In units of the tolerance; what stays larger is no such thing.
#define ROWS_STAY 1000
#define STAYS 0.9         // of the residual
#define FINISH_LAST 1e-4  // from which it is tried where the steps end
// With friction, sigma held, it is tried from far away once nearly all contacts have made up their minds: it finds
// sigma too, and spares the steps that would follow the slips.
#define EARLY 1e-4
#define EARLY_AGAIN 0.01
enum { DECIDED = 256 };  // rows for each pair of values that is undecided
#define GAIN 0.5
#define STEADY 0.9  // of the best residual: a step that brought it down
// rho of the changes: firmer ones bring out what rows that nearly depend on each other are wrong by.
#define FIRM 1e6
#define FIRM_EARLY 1e5
#define FIRMER 10
#define SOFTER 0.01
#define FIRM_MOST 1e12
// With sigma held: the square of the residual, in mean products s z, up to which an iterate is worth keeping, and from
// which on what is wrong is sigma.
#define KEEP 0.5
#define SLIDES 4
#define FINISH_MOST 1e-3  // a residual from which sweeps are of use; the largest |q| is near 1
#define DIGITS 0.1        // of the tolerance: what sweeps aim at
#define CONTRADICTS 1e-6  // a residual below which normal rows are not asked whether they contradict each other
#define OPEN 1e-4         // an impulse below this part of its gap rate, both in the units of the scaled problem
#define TOO_LARGE "the factor would need more memory than --max-dense"

// A row that acts on nothing while w = q < 0: v, all zeros, gets its 1.
static bool find_lost_row(const cd_lcp_structure *s, double *v, cd_arena *scratch)
{
    for (int32_t i = 0; i < s->n; i++) {
        if (cd_lcp_is_tangent(s, i) || s->diagonal[i] > 0 || s->q[i] >= 0)
            continue;
        v[i] = 1;
        if (cd_lcp_structure_refutes(s, v, scratch))
            return true;
        v[i] = 0;
    }
    return false;
}

// The answer with nothing on contacts that are clearly open, where the interior point leaves what its floor is.
static void clear_open(const cd_lcp_structure *s, const cd_lcp_options *options, cd_lcp_result *result,
                       cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *y = CD_ARENA_ARRAY(scratch, double, s->n), *w = CD_ARENA_ARRAY(scratch, double, s->n);
    cd_lcp_structure_values(s, result->z, NULL, w, scratch);
    for (int32_t i = 0; i < s->n; i++) {
        const int32_t normal = cd_lcp_head(s, i);
        y[i] = result->z[normal] < OPEN * w[normal] ? 0 : result->z[i];
    }
    const double residual = cd_lcp_structure_residual(s, y, NULL, scratch);
    if (residual <= cd_larger(result->residual, DIGITS * options->tolerance)) {
        result->residual = residual;
        memcpy(result->z, y, sizeof *y * (size_t)s->n);
    }
    cd_arena_rewind(scratch, mark);
}

// With a mass of many entries (cone_root.h) velocities are good to its condition only: slacks are taken from the matrix
// itself, and the next change mends what they were wrong by.
static void measure_slacks(const cd_ipm_problem *p, cd_cone_multipliers *x)
{
    const cd_cone_program *program = p->program;
    cd_arena_mark mark = cd_arena_get_mark(p->scratch);
    double *w = CD_ARENA_ARRAY(p->scratch, double, p->s->n),
           *value = CD_ARENA_ARRAY(p->scratch, double, program->cones.rows);
    cd_lcp_structure_values(p->s, p->y, NULL, w, p->scratch);
    for (int32_t r = 0; r < program->cones.rows; r++)
        value[r] = program->unit[r] * w[program->source[r]];
    cd_cone_multipliers_mend(x, value);
    cd_arena_rewind(p->scratch, mark);
}

// Changes of the multipliers, as long as they gain; one that gains little is followed by a firmer one. Early ones end
// with the first that is not quick. True when the answer is found.
static bool change_multipliers(const cd_ipm_problem *p, cd_cone_multipliers *x, bool is_early, cd_lcp_result *result)
{
    double best = INFINITY, firm = is_early ? FIRM_EARLY : FIRM;
    const int patience = is_early ? 1 : FINISH_PATIENCE;
    bool is_again = false;  // with the same rho: costs little and tells little
    for (int change = 0, since = 0; change < FINISH_CHANGES && since < patience; change++) {
        if (!cd_cone_multipliers_step(x, firm, is_early ? EARLY_STEPS : FINISH_STEPS)) {
            if (change == 0 || is_early)
                break;
            firm *= SOFTER;
            since++;
            continue;
        }
        const double residual = cd_ipm_offer_multipliers(p, p->program, x->z, result);
        if (result->status == CD_LCP_SOLVED)
            break;
        if (p->measures_slacks)
            measure_slacks(p, x);
        const bool is_quick = residual < GAIN * best;
        since = is_quick ? 0 : is_again && !is_early ? since : since + 1;
        best = cd_smaller(best, residual);
        is_again = is_quick;
        firm = is_quick ? firm : cd_smaller(FIRM_MOST, FIRMER * firm);
    }
    result->iterations += x->factors;
    return result->status == CD_LCP_SOLVED;
}

// The same from the iterate on.
static bool finish(const cd_ipm_problem *p, cd_cone_interior *m, bool is_early, cd_lcp_result *result)
{
    cd_arena_mark mark = cd_arena_get_mark(p->scratch);
    cd_cone_multipliers x = cd_cone_interior_finish(m, p->scratch);
    const bool is_found = change_multipliers(p, &x, is_early, result);
    cd_arena_rewind(p->scratch, mark);
    return is_found;
}

// The rows that carry, near those that `carries` guesses.
static bool decide(const cd_ipm_problem *p, cd_cone_lagrangian *x)
{
    const int32_t at_once = p->program->cones.rows / DECIDE_OTHERS;
    return cd_cone_undecided_decide(x, at_once > DECIDE_LEAST ? at_once : DECIDE_LEAST, p->scratch);
}

// One change of the multipliers, the first one or another. Another one takes no factor where no row is on the other
// side; where some are, they are decided together, and the change takes one factor more, unless the answer is within
// the tolerance as it is.
static bool change_rows(const cd_ipm_problem *p, cd_cone_lagrangian *x, bool is_first, bool is_within, int32_t others)
{
    if (!is_first && cd_cone_lagrangian_step(x, 0, others))
        return true;
    if (is_within)
        return false;
    if (!is_first)
        (void)decide(p, x);
    return cd_cone_lagrangian_step(x, ROW_FACTORS, others);
}

// Changes of the multipliers from 0 on, near rows that are guessed to carry. True when the answer is found: it is the
// same from all guesses that lead to it. One that is not the iterate's own leaves no trace where it does not.
static bool settle_rows(const cd_ipm_problem *p, cd_cone_lagrangian *x, bool is_own, cd_lcp_result *result)
{
    const cd_lcp_options *options = p->options;
    double best = INFINITY, residual = INFINITY;
    int64_t changes = 0;
    const int32_t others = x->system->p->cones.rows / (is_own ? ROW_OTHERS : GUESS_OTHERS);
    while (changes < ROW_CHANGES && change_rows(p, x, changes == 0, residual <= options->tolerance, others)) {
        if (changes == 0 && !is_own && !cd_cone_lagrangian_is_certain(x))
            return false;
        cd_cone_impulses(p->program, x->z, p->s->n, p->y);
        residual = cd_lcp_structure_residual(p->s, p->y, NULL, p->scratch);
        changes++;
        const bool is_slow = !(residual < GAIN * best);
        if (residual <= DIGITS * options->tolerance || (is_slow && residual <= options->tolerance) ||
            (is_slow && !(residual < ROWS_STAY * options->tolerance)))
            break;
        if (residual > STAYS * best && !cd_cone_lagrangian_go_on(x))
            break;
        best = cd_smaller(best, residual);
    }
    if (!(residual <= options->tolerance))
        return false;
    result->residual = INFINITY;
    result->iterations = changes;
    return cd_ipm_offer(p->s, p->y, residual, options, result);
}

// The rows that carry, from where some sweeps from z lead.
static void approach_from(const cd_ipm_problem *p, cd_cone_lagrangian *x, const double *z, int sweeps)
{
    const size_t bytes = sizeof *x->carries * (size_t)p->program->cones.rows;
    bool is_decided = false, *swept = CD_ARENA_ARRAY(p->scratch, bool, p->program->cones.rows);
    cd_cone_lagrangian_sweep(x, z, sweeps);
    memcpy(swept, x->carries, bytes);
    for (int is_patient = 0; is_patient < 2 && !is_decided; is_patient++) {
        memcpy(x->carries, swept, bytes);
        cd_cone_lagrangian_approach(x, is_patient);
        is_decided = cd_cone_undecided_decide(x, p->program->cones.rows, p->scratch);
    }
}

// Near the caller's guess, of which rows that it does not know have nothing; where it has many wrong, from its z with
// more sweeps. Nothing is rewound: it may have made the memory of the factor.
static bool try_guess(const cd_ipm_problem *p, cd_cone_interior *m, cd_lcp_result *result)
{
    if (!p->options->guess || !p->may_settle)
        return false;
    cd_cone_lagrangian x = cd_cone_interior_lagrangian(m, p->scratch);
    double *z = CD_ARENA_ARRAY(p->scratch, double, p->program->cones.rows);
    for (int32_t r = 0; r < p->program->cones.rows; r++) {
        const double guess = p->options->guess[p->program->source[r]];
        z[r] = isnan(guess) ? 0 : cd_larger(0, guess) / p->program->unit[r];
    }
    cd_cone_lagrangian_mend(&x, z);
    if (!decide(p, &x))
        approach_from(p, &x, z, GUESS_SWEEPS);
    return settle_rows(p, &x, false, result);
}

// From nowhere. True when the answer is found. Nothing is rewound: it has made the memory of the factor.
static bool approach(const cd_ipm_problem *p, cd_cone_interior *m, cd_lcp_result *result)
{
    if (!p->may_settle)
        return false;
    cd_cone_lagrangian x = cd_cone_interior_lagrangian(m, p->scratch);
    approach_from(p, &x, CD_ARENA_ZARRAY(p->scratch, double, p->program->cones.rows), SWEEPS);
    return settle_rows(p, &x, true, result);
}

// The rows that carry at the iterate; with an answer those of the answer.
static bool try_rows(const cd_ipm_problem *p, cd_cone_interior *m, cd_lcp_result *result)
{
    cd_arena_mark mark = cd_arena_get_mark(p->scratch);
    cd_cone_lagrangian x = cd_cone_interior_lagrangian(m, p->scratch);
    for (int32_t r = 0; r < p->program->cones.rows && result->status == CD_LCP_SOLVED; r++)
        x.carries[r] = result->z[p->program->source[r]] > 0;
    const bool is_found = settle_rows(p, &x, true, result);
    cd_arena_rewind(p->scratch, mark);
    return is_found;
}

// With sigma held the residual, which is that of Coulomb's law, stays while the products s z fall: contacts slip. Then
// sigma follows the velocities, from the kept iterate, which was near neither. True when it is to follow. With
// HELD_LEAST 2 and SLIDES 4, not 4 and 16, 20 problems of a heap at rest on which a stone moves take 794 iterations for
// 1,018, six heaps that land 3 to 19 % fewer, and arches, walls and towers the same; cubes side by side 791 for 331.
static bool may_slide(const cd_ipm_problem *p, cd_cone_interior *m, int64_t steps, double residual, double products)
{
    const double off = residual * residual * p->program->cones.count / products;
    if (steps <= HELD_LEAST || off <= KEEP)
        cd_cone_interior_keep(m);
    return steps > HELD_LEAST && off > SLIDES;
}

// Steps until the answer is found, is shown not to exist (without friction), or comes no nearer. True when it was made
// from the rows that carry.
static bool run(const cd_ipm_problem *p, cd_cone_interior *m, cd_lcp_result *result)
{
    bool may_release = p->s->normal != NULL;
    int64_t most = p->options->max_iterations > 0 ? p->options->max_iterations : STEPS, patience = PATIENCE;
    double best = INFINITY, gap = INFINITY, finish_at = FINISH, early_at = may_release ? EARLY : 0,
           rows_at = p->may_settle ? ROWS : 0;
    // Without friction the multipliers may grow for long before they show that nothing is feasible.
    const double steady = p->s->normal ? STEADY : 1;
    const double work = cd_cone_interior_work(m) + 1;
    int since = 0;  // a step that brought the residual or the products s z down
    for (int64_t steps = 0;; steps++) {
        const double residual = cd_ipm_offer_multipliers(p, p->program, cd_cone_interior_multipliers(m), result);
        const double products = cd_cone_interior_gap(m);
        since = residual < steady * best || products < GAIN * gap ? 0 : since + 1;
        best = cd_smaller(best, residual);
        gap = cd_smaller(gap, products);
        if (result->status == CD_LCP_SOLVED)
            return false;
        if (!p->s->normal && cd_lcp_structure_refutes(p->s, p->y, p->scratch)) {
            result->status = CD_LCP_INFEASIBLE;
            result->reason = CD_LCP_CONTRADICTION;
            return false;
        }
        if (residual < rows_at) {
            if (try_rows(p, m, result))
                return true;
            rows_at = residual * ROWS_AGAIN;
        }
        if (residual < early_at && cd_cone_interior_undecided(m) <= p->program->cones.rows / DECIDED) {
            // Slacks that are mended go on where further steps would lose digits to the mass.
            if (finish(p, m, !p->measures_slacks, result))
                return false;
            early_at = residual * EARLY_AGAIN;
        }
        if (may_release && may_slide(p, m, steps, residual, products)) {
            if (cd_ipm_may_follow(p, m) && cd_ipm_follow_first(p, m, result))
                return false;
            cd_cone_interior_release(m);
            may_release = false;
            most = cd_ipm_most_steps(p, FOLLOW_WORK / work, STEPS, FOLLOW_MOST);
            patience = most > PATIENCE * FOLLOW_PATIENCE ? most / FOLLOW_PATIENCE : PATIENCE;
            early_at = 0;
            finish_at = FINISH_SLIPS;
            best = gap = INFINITY;
        }
        if (residual < finish_at) {
            if (finish(p, m, false, result))
                return false;
            finish_at = residual * FINISH_AGAIN;
        }
        if (since > patience || steps >= most || !cd_cone_interior_step(m))
            break;
        result->iterations++;
    }
    if (best < FINISH_LAST)
        (void)finish(p, m, false, result);
    return false;
}

// Sweeps from the best point: they see each contact by itself.
static void sweep(const cd_lcp_structure *s, const cd_lcp_options *options, int sweeps, cd_lcp_result *result,
                  cd_arena *scratch)
{
    cd_lcp_options inner = *options;
    inner.tolerance *= DIGITS;
    inner.warm = result->z;
    inner.max_iterations = sweeps;
    cd_lcp_result swept = cd_lcp_solver_pgs.solve_structure(s, &inner, scratch);
    result->iterations += swept.iterations;
    (void)cd_ipm_offer(s, swept.z, cd_lcp_structure_residual(s, swept.z, NULL, scratch), options, result);
}

static cd_lcp_result solve(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena);

// Friction cannot help where the normal rows contradict each other: a proof without it stays one.
static bool is_infeasible(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *scratch)
{
    cd_lcp_options inner = *options;
    inner.warm = inner.guess = NULL;
    cd_lcp_structure normals = cd_lcp_structure_frictionless(s, scratch);
    return solve(&normals, &inner, scratch).status == CD_LCP_INFEASIBLE;
}

static void solve_program(const cd_lcp_structure *s, const cd_cone_root *root, const cd_lcp_options *options,
                          cd_lcp_result *result, cd_arena *scratch)
{
    cd_cone_program program = cd_cone_program_make(s, root, scratch);
    cd_cone_interior *m = cd_cone_interior_make(&program, options->tolerance, options->patterns, scratch);
    cd_cone_interior_use_threads(m, options->threads);
    if (cd_cone_interior_bytes(m) > cd_ipm_most_bytes(options)) {
        result->reason = TOO_LARGE;
        return;
    }
    if (options->max_work > 0 && cd_cone_interior_work(m) > options->max_work) {
        result->reason = "the factor would take too long";
        return;
    }
    const cd_ipm_problem p = {.s = s,
                              .root = root,
                              .program = &program,
                              .options = options,
                              .may_settle = cd_cone_lagrangian_takes(&program),
                              .measures_slacks = root->mass.first && program.groups.columns == s->m + root->columns,
                              .y = CD_ARENA_ARRAY(scratch, double, s->n),
                              .scratch = scratch};
    if (try_guess(&p, m, result) || approach(&p, m, result))
        return;
    const bool is_warm = cd_ipm_try_warm(&p, m, result);
    if (!is_warm)
        cd_cone_interior_start(m);
    const bool is_settled = !is_warm && run(&p, m, result);
    if (result->status == CD_LCP_SOLVED && !is_settled && p.may_settle)
        (void)try_rows(&p, m, result);
    if (result->status == CD_LCP_LIMIT && s->normal)
        cd_ipm_follow_others(&p, m, result);
    const bool is_drawn = cd_ipm_draw(&p, false, result);
    if (result->status == CD_LCP_LIMIT && result->residual < FINISH_MOST && (!is_drawn || s->n <= SWEPT_ROWS))
        sweep(s, options, FINISH_SWEEPS, result, scratch);
    if (result->status == CD_LCP_SOLVED)
        clear_open(s, options, result, scratch);
    if (result->status == CD_LCP_LIMIT && s->normal && !(result->residual < CONTRADICTS) &&
        !cd_cone_interior_kept_is_feasible(m) && is_infeasible(s, options, scratch)) {
        result->status = CD_LCP_INFEASIBLE;
        result->reason = CD_LCP_CONTRADICTION;
    }
}

static cd_lcp_result solve(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena)
{
    cd_lcp_result result = {.status = CD_LCP_LIMIT,
                            .solver = "ipm",
                            .reason = "the interior point used up its steps",
                            .residual = INFINITY,
                            .z = CD_ARENA_ZARRAY(arena, double, s->n)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    double *v = CD_ARENA_ZARRAY(arena, double, s->n);
    cd_cone_root root;
    if (cd_ipm_offer(s, result.z, cd_lcp_structure_residual(s, result.z, NULL, arena), options, &result)) {
        // Nothing needs an impulse.
    } else if (find_lost_row(s, v, arena)) {
        result.status = CD_LCP_INFEASIBLE;
        result.reason = CD_LCP_CONTRADICTION;
    } else {
        const cd_cone_root_status made = cd_cone_root_make(s, cd_ipm_most_bytes(options), &root, arena);
        result.reason = made == CD_CONE_TOO_LARGE ? TOO_LARGE : result.reason;
        if (made == CD_CONE_INDEFINITE) {
            result.status = CD_LCP_INACCURATE;
            result.reason = "the matrix is not positive semidefinite";
        }
        if (made == CD_CONE_ROOT)
            solve_program(s, &root, options, &result, arena);
    }
    cd_arena_rewind(arena, mark);
    return result;
}

const cd_lcp_solver cd_lcp_solver_ipm = {
    .name = "ipm",
    .summary = "interior point on second-order cones in the space of velocities, for friction discs too",
    .source = "Mehrotra 1992; Nesterov & Todd 1997; De Saxce & Feng 1998",
    .cost = "15 to 60 sparse Cholesky factors of the size of the velocities; 15 to 100 of LU where contacts slip, "
            "thousands where they jam",
    .guarantee = "without friction, symmetric positive semidefinite and solvable: converges",
    .takes = CD_LCP_TAKES_DISCS,
    .solves = CD_LCP_SOLVES_CONTACTS,
    .solve_structure = solve,
};
