// lcp_qp -- the dual active-set method for symmetric positive semidefinite problems, on the structure.
//
// With M = N N' + C the problem 0 <= y _|_ M y + q >= 0 is the dual of: the smallest motion |u|^2 (the energy norm of
// the change of velocity) that satisfies every row, N u >= -q. The method keeps rows A with y_A > 0 and w_A = 0, that
// is the exact answer to the problem of the rows A alone, and adds violated rows one by one:
//   r = S_AA^-1 S_Ai: raising y_i by t lowers y_A by t r and raises w_i by t d, d = S_ii - S_iA r, the squared distance of row i
//   from the rows A. The step ends where w_i = 0 (i joins A) or where some y_j = 0 (j leaves A, row i goes on).
//   Where d = 0 and no y_j falls, e_i - r is a combination of rows that no motion can satisfy: infeasible, if that is verified.
// Every full step raises the energy, so no set A comes back: the method ends after finitely many steps.
// A step costs the rows A times their entries, k^2 for the factor of k active rows (lcp_factor.h), and one product N u
// for the next row. Of few rows M is formed, in tiles (lcp_active.h), and of a matrix alone it is there: then most
// steps look only at the rows that were violated when all of them were looked at last. Memory: rows + entries + k^2.
//
// At the end y_A is solved again with the residual of the structure
// (corrected seminormal equations, Bjorck 1987), so the answer does not carry the drift of the steps.
//
// Source: Goldfarb & Idnani 1983, in the variables of the dual; here the factor is that of S_AA and not of the
// constraint matrix.
// SPDX-License-Identifier: MIT
#include "lcp_active.h"
#include "lcp_few_again.h"
#include "lcp_vector.h"

#include <math.h>

#define TOO_MANY "more rows carry than the active-set method is cheap for"
#define DOUBTLESS 1e-6  // a violation that no rounding explains
#define OPEN_PART 0.5
#define SETTLED 4e-15   // of w_A: a correction gains no more
#define EARLY_MOST 1.5  // of the rows that may carry
#define LEAVE_WITHIN 8  // of the part of the way at which the first row comes to 0
enum {
    CORRECT_EVERY = 24,
    PATIENCE = 64,
    SATISFIED_MANY = 8,
    CORRECTIONS = 2,
    STEPS_A_ROW = 20,
    GUESS_SWEEPS_LEAST = 5,
    GUESS_SWEEPS_EARLY = 2,
    GUESS_SWEEPS_FIRST = 10,
    GUESS_ROWS_A_SWEEP = 16,
    GUESS_SWEEPS_MOST = 64,
    MATRIX_ROWS_A_SWEEP = 12,
    MATRIX_SWEEPS_MOST = 96,
    GUESS_ROWS = 24,
    GUESS_ROWS_ALL = 300,  // up to which all sweeps are made
    SWEEPS_SAME = 2,
    ROUNDS_FEW = 64
};

// The row that is violated most, -1 when none is by more than rounding.
static int32_t worst_row(const cd_active *a, const bool *passed)
{
    double least = 0;
    int32_t row = -1;
    for (int32_t i = 0; i < a->s->n; i++) {
        if (a->w[i] < least && !a->active[i] && !passed[i]) {
            least = a->w[i];
            row = i;
        }
    }
    if (least >= -CD_ACTIVE_VIOLATION)  // the least that counts
        return -1;
    return least < -DOUBTLESS || least < -cd_active_violation(a) ? row : -1;
}

static void move(cd_active *a, int32_t i, double step)
{
    for (int32_t p = 0; p < a->f.count; p++)
        a->y[a->f.list[p]] = cd_larger(0, a->y[a->f.list[p]] - step * a->r[p]);
    a->y[i] += step;
}

// Takes row i into A, with as many rows leaving as must. False: it cannot be satisfied, a->r and A hold the
// combination.
static bool take_up(cd_active *a, int32_t i, int64_t *steps)
{
    double w = a->w[i];
    for (;;) {
        cd_active_direction(a, i);
        double largest = 0, step = a->distance > 0 ? -w / a->distance : INFINITY;
        int32_t blocking = -1;
        for (int32_t p = 0; p < a->f.count; p++)
            largest = cd_larger(largest, fabs(a->r[p]));
        for (int32_t p = 0; p < a->f.count; p++) {
            if (a->r[p] > CD_ACTIVE_FALL * largest && a->y[a->f.list[p]] < step * a->r[p]) {
                step = a->y[a->f.list[p]] / a->r[p];
                blocking = p;
            }
        }
        ++*steps;
        if (!(step < INFINITY))
            return false;
        move(a, i, step);
        w += step * a->distance;
        if (blocking < 0) {
            cd_active_join(a, i);
            return true;
        }
        a->y[a->f.list[blocking]] = 0;
        cd_active_leave(a, &blocking, 1);
    }
}

// A guess at the rows that will be in A: those that a few sweeps of successive over-relaxation from 0 leave positive.
// The larger the pile, the further a push has to travel: with 16 sweeps 1090 rows took 15.7 ms, with 60 they took 8.7;
// 180 rows are best off with 10, 48 to 63 with 5. Arches want less relaxation than piles: with 1.4 the guess for 31,
// 49, 55 or 101 stones has rows too many, which leave one by one, and 155 to 505 rows take 2.2 to 2.7 times as long as
// with 1.25; piles, walls and columns are alike at both.
// On the matrix, where a sweep costs little, a third more of them: piles of 180 rows save 0 to 27 %, of 432 rows 16, a
// wall of 1,084 rows 18; an arch of 240 takes 7 % longer.
#define GUESS_RELAXATION 1.25
static int guess_sweeps(int32_t n, int32_t rows_a_sweep, int32_t most)
{
    const int32_t sweeps = n / rows_a_sweep;
    return sweeps < GUESS_SWEEPS_LEAST ? GUESS_SWEEPS_LEAST : sweeps > most ? most : sweeps;
}

// What a sweep multiplies a row's w with; 0 where nothing acts on it.
static double *steps_of(const cd_lcp_structure *s, cd_arena *arena)
{
    double *step = CD_ARENA_ZARRAY(arena, double, cd_tiles_padded(s->n));
    for (int32_t i = 0; i < s->n; i++)
        step[i] = s->diagonal[i] > 0 ? GUESS_RELAXATION / s->diagonal[i] : 0;
    return step;
}

// Whether other rows than before have y > 0.
static bool sweep(const cd_lcp_structure *s, const double *step, double *y, double *u)
{
    bool has_changed = false;
    for (int32_t i = 0; i < s->n; i++) {
        double w = s->q[i];
        for (int32_t k = s->left.first[i]; k < s->left.first[i + 1]; k++)
            w += s->left.value[k] * u[s->left.col[k]];
        for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1]; k++)
            w += s->direct.value[k] * y[s->direct.col[k]];
        const double next = cd_larger(0, y[i] - w * step[i]), change = next - y[i];
        has_changed = has_changed || (next > 0) != (y[i] > 0);
        y[i] = next;
        for (int32_t k = s->left.first[i]; k < s->left.first[i + 1] && change != 0; k++)
            u[s->left.col[k]] += s->left.value[k] * change;
    }
    return has_changed;
}

// The same on the matrix: w is kept, and only rows that change cost anything.
static void sweep_matrix(const cd_active *a, const double *step, double *y, double *w)
{
    const cd_lcp_structure *s = a->s;
    memcpy(w, s->q, sizeof *w * (size_t)s->n);
    int same = 0;  // sweeps that changed none of the rows
    for (int pass = guess_sweeps(s->n, MATRIX_ROWS_A_SWEEP, MATRIX_SWEEPS_MOST); pass > 0 && same < SWEEPS_SAME;
         pass--) {
        if (a->tiles.row)
            same = cd_tiles_relax(&a->tiles, step, y, w) ? 0 : same + 1;
        for (int32_t i = 0; i < s->n && !a->tiles.row; i++) {
            const double next = cd_larger(0, y[i] - w[i] * step[i]), change = next - y[i];
            y[i] = next;
            for (int32_t k = s->direct.first[i]; k < s->direct.first[i + 1] && change != 0; k++)
                w[s->direct.col[k]] += s->direct.value[k] * change;
        }
    }
}

typedef struct candidate {
    double y;
    int32_t row;
} candidate;

static inline bool is_before(const candidate *a, const candidate *b)
{
    return a->y != b->y ? a->y > b->y : a->row < b->row;
}

// By falling y: Shell's sort, which of a few dozen takes a fraction of what qsort does.
static void sort(candidate *list, int32_t count)
{
    int32_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) {
        for (int32_t i = gap; i < count; i++) {
            const candidate own = list[i];
            int32_t at = i;
            for (; at >= gap && is_before(&own, &list[at - gap]); at -= gap)
                list[at] = list[at - gap];
            list[at] = own;
        }
    }
}

// The candidates among the rows begin .. end - 1, by falling y; their number.
static int32_t list_few(const double *guess, int32_t begin, int32_t end, candidate *list)
{
    int32_t count = 0;
    for (int32_t i = begin; i < end; i++) {
        const candidate own = {guess[i], i};
        int32_t at = count;
        if (!(own.y > 0))
            continue;
        for (; at > 0 && is_before(&own, &list[at - 1]); at--)
            list[at] = list[at - 1];
        list[at] = own;
        count++;
    }
    return count;
}

// The rows with y > 0, by falling y; where there are tiles these by their falling largest y, and rows within a tile.
// Their number.
static int32_t list_candidates(const cd_active *a, const double *guess, int32_t *row)
{
    const int32_t n = a->s->n, width = a->tiles.row ? CD_TILE : 1;
    candidate *tile = CD_ARENA_ARRAY(a->arena, candidate, n / width + 1), own[CD_TILE];
    int32_t tiles = 0, count = 0;
    for (int32_t begin = 0; begin < n; begin += width) {
        double most = 0;
        for (int32_t i = begin; i < n && i < begin + width; i++)
            most = cd_larger(guess[i], most);
        if (most > 0)
            tile[tiles++] = (candidate){most, begin};
    }
    sort(tile, tiles);
    for (int32_t t = 0; t < tiles; t++) {
        const int32_t begin = tile[t].row, end = begin + width < n ? begin + width : n;
        const int32_t found = list_few(guess, begin, end, own);
        for (int32_t k = 0; k < found; k++)
            row[count++] = own[k].row;
    }
    return count;
}

// How far each y_A may go to what A alone gives it, `target`, until it is 0, as part of its way; 1: all of it. Returns
// the least.
static double find_parts(const cd_active *a, const double *target, double *part)
{
    double least = 1;
    for (int32_t p = 0; p < a->f.count; p++) {
        const double own = a->y[a->f.list[p]];
        part[p] = target[p] < 0 ? own / (own - target[p]) : 1;
        least = cd_smaller(least, part[p]);
    }
    return least;
}

// y_A of the rows A alone, from any y_A >= 0: it goes there until the first rows are at 0, these leave, and so on (the
// inner loop of Lawson & Hanson 1974); with the first one those that would follow within as much again. That A gives a
// row a negative y says little of it where bodies are held by hardly more rows than they need: a few rows too many turn
// the signs of a third. Of 534 problems of 27 hulls, 62 thousand rows of guesses, 13,541 left when all negative ones
// did, and 15,362 were taken up one by one after that; now 1,690 and 2,131.
// A round solves by the whole factor, so a guess whose rows leave one a round would cost k^3: after ROUNDS_FEW all
// negative ones leave. Either way a round that is not the last takes a row from A: it ends after at most k of them, and
// where none leaves y_A is what A gives it.
static void balance(cd_active *a)
{
    const cd_arena_mark mark = cd_arena_get_mark(a->arena);
    int32_t *wrong = CD_ARENA_ARRAY(a->arena, int32_t, a->f.count), count;
    double *part = CD_ARENA_ARRAY(a->arena, double, a->f.count);
    int rounds = 0;
    do {
        count = 0;
        for (int32_t p = 0; p < a->f.count; p++)
            a->v[p] = -a->s->q[a->f.list[p]];
        cd_factor_forward(&a->f, 0, a->v);
        cd_factor_backward(&a->f, a->v);
        const double least = find_parts(a, a->v, part), within = rounds++ < ROUNDS_FEW ? LEAVE_WITHIN * least : 1;
        for (int32_t p = 0; p < a->f.count; p++) {
            double *y = &a->y[a->f.list[p]];
            const bool leaves = part[p] < 1 && part[p] <= within;
            if (leaves)
                wrong[count++] = p;
            *y = leaves ? 0 : least < 1 ? *y + least * (a->v[p] - *y) : a->v[p];
        }
        cd_active_leave(a, wrong, count);
    } while (count > 0);
    cd_arena_rewind(a->arena, mark);
}

// A warm start: the rows of `guess` that are independent join A, and those that are wrong leave. Any A with its y_A >=
// 0 is a valid start; what it is worth is up to the guess. Of rows that depend on one another those join that carry
// most: against the order of rows this takes a sixth off the time of piles of 180 to 900 rows. Rows of one tile, mostly
// contacts of the same two bodies, join together: they meet the same rows of the factor, and what none of four meets
// costs nothing.
static void adopt(cd_active *a, const double *guess)
{
    int32_t *row = CD_ARENA_ARRAY(a->arena, int32_t, a->s->n);
    cd_active_join_all(a, row, list_candidates(a, guess, row));
    for (int32_t p = 0; p < a->f.count; p++)
        a->y[a->f.list[p]] = guess[a->f.list[p]];
    balance(a);
}

// The best answer met so far within the tolerance: one row more may be worse. Where rows nearly contradict each other
// (nine bricks whose faces are a microradian off: 1e-10 of violation stands against multipliers of 1e5), what a step
// gains it may lose to rounding.
typedef struct best_answer {
    double residual, tolerance;
    double *y;  // NULL: none met
    int steps;  // since it was met
} best_answer;

static void keep_best(best_answer *best, const cd_active *a)
{
    const size_t bytes = sizeof *a->y * (size_t)a->s->n;
    const double residual = cd_lcp_structure_residual(a->s, a->y, NULL, a->arena);
    best->steps++;
    if (best->y && !(residual < best->residual))
        return;
    best->y = best->y ? best->y : CD_ARENA_ARRAY(a->arena, double, a->s->n);
    memcpy(best->y, a->y, bytes);
    best->residual = residual;
    best->steps = 0;
}

// Within the tolerance, and not better for long; or, on velocities, but a few times what counts as satisfied: rows
// violated by that are found anew after each step, and of an arch of 248 rows they were two thirds of all steps. A
// matrix alone may be that of rows of a larger problem, which has to work again for what they are off
// (cone_undecided.h).
static bool has_tried_long(const cd_active *a, const best_answer *best)
{
    return best->y && best->residual <= best->tolerance &&
           (best->steps > PATIENCE || (a->s->m > 0 && best->residual <= SATISFIED_MANY * cd_active_violation(a)));
}

// -1 as well when an answer within the tolerance has not become better for long. One that a single row already shows to
// be hardly better than the best is not corrected and measured: of an arch of 63 rows that was two thirds of the time.
static int32_t next_row(cd_active *a, const bool *passed, int *since, best_answer *best)
{
    if (*since >= CORRECT_EVERY) {
        cd_active_correct(a);
        *since = 0;
    }
    int32_t i = worst_row(a, passed);
    if (i >= 0 && best->y && -a->w[i] > best->residual / 2) {
        best->steps++;
        return has_tried_long(a, best) ? -1 : i;
    }
    if (*since > 0 && (i < 0 || a->w[i] >= -best->tolerance)) {
        cd_active_correct(a);
        for (int k = 1; k < CORRECTIONS && cd_active_left_over(a) > SETTLED; k++)
            cd_active_correct(a);
        *since = 0;
        i = worst_row(a, passed);
    }
    if (best->y || (i >= 0 && a->w[i] >= -best->tolerance))
        keep_best(best, a);
    return has_tried_long(a, best) ? -1 : i;
}

// Rows that may carry: to take them up one by one costs about 2 k^3.
static int32_t most_active(const cd_lcp_options *options)
{
    return options->max_work > 0 ? (int32_t)cd_smaller(cbrt(options->max_work / 2), INT32_MAX) : INT32_MAX;
}

static int32_t count_positive(const double *y, int32_t n)
{
    int32_t count = 0;
    for (int32_t i = 0; i < n && y; i++)
        count += y[i] > 0;
    return count;
}

// Rows that were violated when all of them were looked at last: to look at these alone costs little after each step.
typedef struct open_rows {
    int32_t *row, count;
    double worst;  // the least w then
} open_rows;

static void list_open(const cd_active *a, const bool *passed, open_rows *open)
{
    open->count = 0;
    for (int32_t i = 0; i < a->s->n && a->tiles.row; i++) {
        if (a->w[i] < -DOUBTLESS && !a->active[i] && !passed[i])
            open->row[open->count++] = i;
    }
}

// The one of them that is violated most still, -1 when none is; satisfied ones leave the list.
static int32_t next_open(cd_active *a, open_rows *open)
{
    int32_t row = -1, kept = 0;
    for (int32_t k = 0; k < open->count; k++) {
        const int32_t i = open->row[k];
        if (a->active[i] || !(cd_active_value(a, i) < -DOUBTLESS))
            continue;
        open->row[kept++] = i;
        if (row < 0 || a->w[i] < a->w[row])
            row = i;
    }
    open->count = kept;
    return row >= 0 && a->w[row] < OPEN_PART * open->worst ? row : -1;
}

// Adds rows until none is violated; the drift of many steps is taken out now and then, and always before the end.
static void add_rows(cd_active *a, bool *passed, int64_t limit, int32_t most, bool is_warm, best_answer *best,
                     cd_lcp_result *result)
{
    int since = is_warm ? 1 : 0;  // steps since y_A was corrected
    open_rows open = {.row = CD_ARENA_ARRAY(a->arena, int32_t, a->s->n)};
    for (;; since++) {
        int32_t i = since < CORRECT_EVERY ? next_open(a, &open) : -1;
        if (i < 0) {
            cd_active_evaluate(a);
            i = next_row(a, passed, &since, best);
            if (i < 0)
                return;
            list_open(a, passed, &open);
            open.worst = a->w[i];
        }
        if (result->iterations >= limit || cd_factor_is_full(&a->f) || a->f.count >= most) {
            result->status = CD_LCP_LIMIT;
            result->reason = cd_factor_is_full(&a->f) ? CD_ACTIVE_TOO_LARGE
                             : a->f.count >= most     ? TOO_MANY
                                                      : "the active-set method used up its steps";
            return;
        }
        if (!take_up(a, i, &result->iterations)) {
            if (cd_active_refutes(a, i)) {
                result->status = CD_LCP_INFEASIBLE;
                result->reason = CD_LCP_CONTRADICTION;
                return;
            }
            a->y[i] = 0;  // within rounding of a contradiction: the residual decides
            passed[i] = true;
            since = CORRECT_EVERY;
        }
    }
}

// All sweeps, unless the first ones show that more rows carry than are cheap: after two some 19 of 20 of those that do.
// Large islands end where rows stay: 1,120 rows of which 100 carry, the second round of a step, took all 64.
static void sweep_most(const cd_lcp_structure *s, const double *step, int32_t most_rows, double *y, double *u)
{
    const int passes = guess_sweeps(s->n, GUESS_ROWS_A_SWEEP, GUESS_SWEEPS_MOST);
    int same = 0;  // sweeps that changed none of the rows
    for (int pass = 0; pass < passes && same < SWEEPS_SAME; pass++) {
        if ((pass == GUESS_SWEEPS_EARLY && count_positive(y, s->n) > EARLY_MOST * most_rows) ||
            (pass == GUESS_SWEEPS_FIRST && count_positive(y, s->n) > most_rows))
            return;
        same = sweep(s, step, y, u) || s->n <= GUESS_ROWS_ALL ? 0 : same + 1;
    }
}

static cd_lcp_result solve(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena)
{
    const int32_t n = s->n;
    cd_lcp_result result = {
        .status = CD_LCP_SOLVED, .solver = "qp", .reason = "", .z = CD_ARENA_ZARRAY(arena, double, cd_tiles_padded(n))};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_active a = cd_active_start(s, options, result.z, arena);
    bool *passed = CD_ARENA_ZARRAY(arena, bool, n);
    const int64_t limit = options->max_iterations > 0 ? options->max_iterations : 100 + STEPS_A_ROW * (int64_t)n;
    const double *guess = options->warm;
    const int32_t most_rows = most_active(options);
    if (!guess && n >= GUESS_ROWS) {
        double *y = CD_ARENA_ZARRAY(arena, double, cd_tiles_padded(n)), *step = steps_of(s, arena);
        if (s->m == 0 || a.tiles.row)
            sweep_matrix(&a, step, y, CD_ARENA_ZARRAY(arena, double, cd_tiles_padded(n)));
        else
            sweep_most(s, step, most_rows, y, CD_ARENA_ZARRAY(arena, double, s->m));
        guess = y;
    }
    if (count_positive(guess, n) > most_rows) {
        result.status = CD_LCP_LIMIT;
        result.reason = TOO_MANY;
        cd_arena_rewind(arena, mark);
        return result;
    }
    if (guess)
        adopt(&a, guess);
    best_answer best = {.tolerance = options->tolerance};
    add_rows(&a, passed, limit, most_rows, guess, &best, &result);
    if (best.y && result.status != CD_LCP_INFEASIBLE)
        memcpy(result.z, best.y, sizeof *result.z * (size_t)n);
    cd_arena_rewind(arena, mark);
    return result;
}

// ---- again and again -----------------------------------------------------------------------------------------------

struct cd_lcp_few_again {
    cd_active a;
    bool *passed;
    double tolerance;
    int32_t most;  // rows that may carry
};

enum { CHANGES_MOST = 200 };  // rows of an answer that come or go; with more it is not near the last one

cd_lcp_few_again *cd_lcp_few_again_make(const cd_lcp_structure *s, const cd_lcp_options *options, const double *y,
                                        cd_arena *arena)
{
    const int32_t most = most_active(options);
    if (count_positive(y, s->n) > most)
        return NULL;
    cd_lcp_few_again *m = CD_ARENA_ZARRAY(arena, cd_lcp_few_again, 1);
    m->a = cd_active_start(s, options, CD_ARENA_ZARRAY(arena, double, cd_tiles_padded(s->n)), arena);
    m->passed = CD_ARENA_ARRAY(arena, bool, s->n);
    m->tolerance = options->tolerance;
    m->most = most;
    adopt(&m->a, y);
    return m;
}

bool cd_lcp_few_again_next(cd_lcp_few_again *m, double *y)
{
    const size_t n = (size_t)m->a.s->n;
    cd_lcp_result result = {.status = CD_LCP_SOLVED};
    best_answer best = {.tolerance = m->tolerance};
    memset(m->passed, 0, sizeof *m->passed * n);
    balance(&m->a);
    add_rows(&m->a, m->passed, CHANGES_MOST, m->most, true, &best, &result);
    if (result.status != CD_LCP_SOLVED)
        return false;
    memcpy(y, best.y ? best.y : m->a.y, sizeof *y * n);
    return true;
}

const cd_lcp_solver cd_lcp_solver_qp = {
    .name = "qp",
    .summary = "dual active-set method on the structure",
    .source = "Goldfarb & Idnani 1983",
    .cost = "entries + k^2 a step, k active rows, usually k to 2k steps",
    .guarantee = "symmetric positive semidefinite: solves, or shows that nothing is feasible",
    .solves = CD_LCP_SOLVES_CONTACTS | CD_LCP_SOLVES_SEMIDEFINITE,
    .solve_structure = solve,
};
