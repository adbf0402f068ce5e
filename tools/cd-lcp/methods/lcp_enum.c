// lcp_enum -- every complementary basis of a small problem, until one is a solution; none: shown to have no solution.
//
// A problem with a solution has one whose positive variables have independent columns, all from one complementary
// choice C(alpha): column i is that of z_i for i in alpha and that of w_i else. So for each of the 2^n choices:
//   1. M_aa z_a = -q_a in doubles, with an approximate inverse R. |I - R M_aa| < 1/2 shows that M_aa is regular, and bounds how far the computed
//      solution is off (Rump 2010, section 10). A component certainly below 0 rules the choice out.
//   2. Where that does not decide, the equations are solved without rounding (lcp_exact.h).
//   3. Dependent columns with the right-hand side in their span: all largest sets of independent columns among them, without rounding.
// What step 2 may not decide (numbers too long, too many systems) stays undecided: `inaccurate`.
// An answer is returned when its residual is within the tolerance. `infeasible` when every choice was ruled out; for a
// problem that is itself the rounded image of another one (options->is_rounded) that is no proof, and the status is
// `inaccurate`. Cost: 2^n times 2 n^3; beyond 16 rows it is refused. Source: Murty 1988, section 1.4 (complementary
// cones).
// SPDX-License-Identifier: MIT
#include "lcp_enum.h"

#include "lcp_dense.h"
#include "lcp_exact.h"

#include <float.h>
#include <math.h>

typedef struct search {
    const cd_lcp *lcp;
    const cd_lcp_options *options;
    cd_lcp_result *result;
    int64_t exact_count, exact_most;
    bool is_open;  // some choice was not decided
    double *z;     // scratch, n
    cd_arena *arena;
} search;

// Keeps the best point; true when it solves the problem.
static bool offer(search *e, const double *z)
{
    double residual = cd_lcp_natural_residual(e->lcp, z, NULL);
    if (residual < e->result->residual) {
        e->result->residual = residual;
        memcpy(e->result->z, z, sizeof *z * (size_t)e->lcp->n);
    }
    return residual <= e->options->tolerance;
}

typedef struct bounds {
    const double *M;  // the whole matrix
    const int32_t *list;
    int32_t n, count;
    double *inverse;  // count x count
} bounds;

// Bound of max |x - exact solution| for A x = b, A = M_aa; infinity when the inverse is not good enough to tell.
static double error_bound(const bounds *B, const double *q, const double *x)
{
    const double unit = 1.1 * (B->count + 3) * DBL_EPSILON;
    double norm = 0, worst = 0;
    for (int32_t i = 0; i < B->count; i++) {
        double sum = 0;
        for (int32_t j = 0; j < B->count; j++) {
            double product = i == j ? -1 : 0, size = 1;
            for (int32_t k = 0; k < B->count; k++) {
                const double term = B->inverse[i * B->count + k] * B->M[B->list[k] * B->n + B->list[j]];
                product += term;
                size += fabs(term);
            }
            sum += fabs(product) + unit * size;
        }
        norm = fmax(norm, sum);
    }
    double residual[CD_EXACT_ROWS];
    for (int32_t k = 0; k < B->count; k++) {
        double sum = q[B->list[k]], size = fabs(sum);
        for (int32_t j = 0; j < B->count; j++) {
            const double term = B->M[B->list[k] * B->n + B->list[j]] * x[j];
            sum += term;
            size += fabs(term);
        }
        residual[k] = fabs(sum) + unit * size;
    }
    for (int32_t i = 0; i < B->count; i++) {
        double sum = 0;
        for (int32_t k = 0; k < B->count; k++)
            sum += fabs(B->inverse[i * B->count + k]) * residual[k];
        worst = fmax(worst, sum);
    }
    return norm < 0.5 ? 1.01 * worst / (1 - norm) : INFINITY;
}

typedef enum verdict { RULED_OUT, SOLVES, UNDECIDED } verdict;

// The inverse of the factored rows, column by column.
static void invert(const cd_lu *lu, int32_t count, double *inverse)
{
    double column[CD_EXACT_ROWS], unit[CD_EXACT_ROWS] = {0};
    for (int32_t j = 0; j < count; j++) {
        unit[j] = 1;
        cd_lu_solve(lu, unit, column);
        unit[j] = 0;
        for (int32_t i = 0; i < count; i++)
            inverse[i * count + j] = column[i];
    }
}

// Is some z or w of the basis below 0, whatever x really is within `error` of each of its numbers?
static bool is_ruled_out(const cd_lcp *lcp, const bounds *B, const bool *in, const double *x, double error)
{
    const double unit = 1.1 * (B->count + 3) * DBL_EPSILON;
    for (int32_t i = 0; i < B->count; i++) {
        if (x[i] + error < 0)
            return true;
    }
    for (int32_t i = 0; i < lcp->n && error < INFINITY; i++) {
        double w = lcp->q[i], size = fabs(w), spread = 0;
        for (int32_t j = 0; j < B->count; j++) {
            const double term = lcp->M[i * lcp->n + B->list[j]] * x[j];
            w += term;
            size += fabs(term);
            spread += fabs(lcp->M[i * lcp->n + B->list[j]]);
        }
        if (!in[i] && w + unit * size + 1.01 * spread * error < 0)
            return true;
    }
    return false;
}

// Step 1.
static verdict try_rounded(search *e, const int32_t *list, int32_t count, const bool *in)
{
    const int32_t n = e->lcp->n, stride = cd_dense_stride(count);
    cd_arena_mark mark = cd_arena_get_mark(e->arena);
    double *a = CD_ARENA_ZARRAY(e->arena, double, (size_t)count *(size_t)stride), x[CD_EXACT_ROWS], b[CD_EXACT_ROWS];
    bounds B = {e->lcp->M, list, n, count, CD_ARENA_ARRAY(e->arena, double, count *count)};
    for (int32_t i = 0; i < count; i++) {
        for (int32_t j = 0; j < count; j++)
            a[i * stride + j] = e->lcp->M[list[i] * n + list[j]];
    }
    cd_lu lu;
    verdict answer = UNDECIDED;
    if (cd_lu_factor(&lu, count, a, e->arena)) {
        invert(&lu, count, B.inverse);
        for (int32_t i = 0; i < count; i++)
            b[i] = -e->lcp->q[list[i]];
        cd_lu_solve(&lu, b, x);
        memset(e->z, 0, sizeof *e->z * (size_t)n);
        for (int32_t i = 0; i < count; i++)
            e->z[list[i]] = fmax(0, x[i]);
        if (is_ruled_out(e->lcp, &B, in, x, error_bound(&B, e->lcp->q, x)))
            answer = RULED_OUT;
        else if (offer(e, e->z))
            answer = SOLVES;
    }
    cd_arena_rewind(e->arena, mark);
    return answer;
}

// The equations w - M z = q in the columns of `pick` (z_i where in[i], else w_i), without rounding.
static cd_exact_answer solve_exactly(search *e, const bool *in, const bool *pick, double *z)
{
    const int32_t n = e->lcp->n;
    double a[CD_EXACT_ROWS * CD_EXACT_ROWS] = {0}, x[CD_EXACT_ROWS];
    int32_t column[CD_EXACT_ROWS], count = 0;
    for (int32_t j = 0; j < n; j++) {
        if (pick[j])
            column[count++] = j;
    }
    for (int32_t i = 0; i < n; i++) {
        for (int32_t k = 0; k < count; k++)
            a[i * count + k] = in[column[k]] ? -e->lcp->M[i * n + column[k]] : i == column[k];
    }
    e->exact_count++;
    cd_exact_answer answer = cd_exact_solve(n, count, a, e->lcp->q, x, e->arena);
    memset(z, 0, sizeof *z * (size_t)n);
    for (int32_t k = 0; k < count && answer == CD_EXACT_NON_NEGATIVE; k++) {
        if (in[column[k]])
            z[column[k]] = x[k];
    }
    return answer;
}

// Steps 2 and 3 with the columns pick[0..next) decided: tries them all, then leaves one out after the other.
static verdict try_exact(search *e, const bool *in, bool *pick, int32_t next)
{
    const int32_t n = e->lcp->n;
    if (e->exact_count >= e->exact_most)
        return UNDECIDED;
    cd_exact_answer answer = solve_exactly(e, in, pick, e->z);
    if (answer == CD_EXACT_NEGATIVE || answer == CD_EXACT_NONE)
        return RULED_OUT;
    if (answer == CD_EXACT_NON_NEGATIVE)
        return offer(e, e->z) ? SOLVES : UNDECIDED;  // a solution that doubles cannot express
    if (answer == CD_EXACT_TOO_LONG)
        return UNDECIDED;
    verdict all = RULED_OUT;
    for (int32_t j = next; j < n && all != SOLVES; j++) {
        pick[j] = false;
        verdict one = try_exact(e, in, pick, j + 1);
        pick[j] = true;
        all = one == RULED_OUT ? all : one;
    }
    return all;
}

cd_lcp_result cd_lcp_enumerate(const cd_lcp *lcp, const cd_lcp_options *options, int64_t exact_most, cd_arena *arena)
{
    const int32_t n = lcp->n;
    cd_lcp_result result = {.status = CD_LCP_INACCURATE,
                            .solver = "enum",
                            .reason = "enumeration takes 16 rows at most",
                            .residual = INFINITY,
                            .z = CD_ARENA_ZARRAY(arena, double, n)};
    if (n > CD_EXACT_ROWS)
        return result;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    search e = {.lcp = lcp,
                .options = options,
                .result = &result,
                .exact_most = exact_most,
                .z = CD_ARENA_ZARRAY(arena, double, n),
                .arena = arena};
    // Every complementary basis: in doubles, and exactly where these do not decide.
    verdict found = UNDECIDED;
    const int64_t limit = options->max_iterations > 0 ? options->max_iterations : INT64_MAX;
    for (int64_t choice = 0; choice < (int64_t)1 << n && found != SOLVES && choice < limit; choice++) {
        bool in[CD_EXACT_ROWS], pick[CD_EXACT_ROWS];
        int32_t list[CD_EXACT_ROWS], count = 0;
        for (int32_t i = 0; i < n; i++) {
            in[i] = choice >> i & 1;
            pick[i] = true;
            if (in[i])
                list[count++] = i;
        }
        found = try_rounded(&e, list, count, in);
        if (found == UNDECIDED)
            found = try_exact(&e, in, pick, 0);
        e.is_open = e.is_open || found == UNDECIDED;
        result.iterations += found != SOLVES;
    }
    // What it means that none was found.
    const bool is_exhausted = found != SOLVES && result.iterations == (int64_t)1 << n;
    result.status = found == SOLVES                    ? CD_LCP_SOLVED
                    : !is_exhausted                    ? CD_LCP_LIMIT
                    : e.is_open || options->is_rounded ? CD_LCP_INACCURATE
                                                       : CD_LCP_INFEASIBLE;
    result.reason = found == SOLVES ? ""
                    : !is_exhausted ? "enumeration used up its choices"
                    : e.is_open     ? "enumeration could not decide every complementary basis"
                                    : "no complementary basis gives a solution";
    cd_arena_rewind(arena, mark);
    return result;
}

static cd_lcp_result solve(const cd_lcp *lcp, const cd_lcp_options *options, cd_arena *arena)
{
    return cd_lcp_enumerate(lcp, options, CD_LCP_ENUM_EXACT_MOST, arena);
}

const cd_lcp_solver cd_lcp_solver_enum = {
    .name = "enum",
    .summary = "every complementary basis, decided exactly; up to 16 rows",
    .source = "Murty 1988",
    .cost = "2^n times 2 n^3",
    .guarantee = "finds a solution, shows that there is none, or says that it could not decide",
    .takes = CD_LCP_TAKES_GENERAL,
    .solves = CD_LCP_SOLVES_P | CD_LCP_SOLVES_CONTACTS,
    .most_rows = CD_EXACT_ROWS,
    .solve = solve,
};
