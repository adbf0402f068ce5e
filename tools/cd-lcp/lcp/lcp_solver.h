// lcp_solver -- the linear complementarity problem, its solution statuses, and the table of methods.
//
//     w = M z + q,   z >= 0,   w >= 0,   z_i w_i = 0
//
// M comes as a dense matrix or as a structure (lcp_structure.h: Jacobian rows, no matrix formed; upper bounds and
// friction discs). cd_lcp_solve() and cd_lcp_solve_structure() are the entries: they equilibrate (powers of two, hence
// exact), call one method of the table, map the answer back and measure the residual themselves, so that `solved` is
// always verified and never a method's claim.
//
// Contract of a method (binding on every line of lcp_solvers.def):
//   - `takes` says what it can be given; it is never called with anything else (cd_lcp_refusal). A method has a dense entry, a
//     structured one or both; the caller prefers the structured one, and a dense problem is handed to a structured entry as `direct`;
//   - gets the equilibrated problem: rows and columns of |M| have maxima near 1 (structures: diagonals) and max |q_i| lies in
//     [1/2, 1) (or q = 0);
//   - returns z with n entries, all finite and >= 0 (within its rooms and discs), whatever the status; memory comes from the arena alone;
//   - `infeasible` needs a proof: a combination of rows (cd_lcp_structure_refutes, lcp_lemke.h) or an exhausted enumeration;
//   - same input, same bytes: random numbers come from options.seed only; nothing is kept between calls;
//   - max_iterations bounds each attempt (a run of Lemke, a run of Newton), 0 stands for the method's own bound.
//
// Residual (both here and in mcp.h): the natural map in equilibrated coordinates z' = z / c, w' = r w,
//     max_i (|min(z'_i, w'_i)| + eps sum_j |M'_ij z'_j|) / max_i |r_i q_i|,
// that is complementarity and feasibility together, relative to the largest term that does not depend on z. The second
// term, eps = 2^-52, is the rounding of w itself. It does not change (but for powers of two) when the problem is
// multiplied by a number or units of rows and columns change. It is not divided by |z|, and the rounding counts: else
// an unsolvable problem would pass with a huge z.
// SPDX-License-Identifier: MIT
#ifndef LCP_SOLVER_H
#define LCP_SOLVER_H

#include "cd_memory.h"
#include "lcp_power.h"

#include <stdbool.h>
#include <stdint.h>

// The words of the stream's `solution.status`, in this order. Everything but `solved` is a failure; the z that goes
// with it is the best one met and good for inspection only.
#define CD_LCP_STATUS_LIST(X)                                                                                       \
    X(SOLVED, "solved")         /* residual <= tolerance, measured on the problem as it was given */                \
    X(INACCURATE, "inaccurate") /* a method ended with a z whose residual is above the tolerance */                 \
    X(LIMIT, "limit")           /* iterations used up, or larger than max_dense or max_work allow */                \
    X(RAY, "ray")               /* Lemke's path ended in a secondary ray: no answer found, one may exist */         \
    X(INFEASIBLE, "infeasible") /* shown to have no solution: crossed bounds, or v >= 0, M'v <= 0, q.v < 0 found */ \
    X(SINGULAR, "singular")     /* the block of the free variables has no inverse */

typedef enum cd_lcp_status {
#define X(name, word) CD_LCP_##name,
    CD_LCP_STATUS_LIST(X)
#undef X
        CD_LCP_STATUS_COUNT
} cd_lcp_status;

const char *cd_lcp_status_name(cd_lcp_status status);

// Accepted residual. Rounding leaves 1e-15 (well conditioned) to 1e-12 (1500 rows, mass ratios of 1e6); in a simulation
// 1e-10 of a velocity of 10 m/s during 10 ms is 1e-11 m, a tenth of the margin that the separating model keeps.
#define CD_LCP_TOLERANCE 1e-10

// 2 GiB: 7300 rows, on which a dense method works for minutes.
#define CD_LCP_MAX_DENSE INT64_C(0x80000000)
#define CD_LCP_TOO_LARGE "a dense matrix would need more memory than --max-dense"
#define CD_LCP_CONTRADICTION "rows contradict each other: a combination of them cannot be made non-negative"

// Seed of the random covering vectors: fixed, so that a frame's result depends on that frame alone.
#define CD_LCP_SEED 20161

typedef struct cd_lcp_solver cd_lcp_solver;
typedef struct cd_lcp_structure cd_lcp_structure;

typedef struct cd_lcp {
    int32_t n;
    const double *M;       // n x n, row-major, row stride n
    const double *q;       // n
    const double *weight;  // n, or NULL for ones: c_i / r_i of the equilibration, which carries a ray of the scaled
                           // problem over to one of the original (see lcp_lemke.h); callers of cd_lcp_solve pass NULL
} cd_lcp;

// How far a problem has got, for who watches from another thread; no result depends on it.
typedef struct cd_lcp_tally {
    _Atomic int64_t islands, islands_done, rows, rows_done;
} cd_lcp_tally;

typedef struct cd_lcp_options {
    double tolerance;        // accepted residual, >= 0
    int64_t max_iterations;  // pivots or steps of each attempt; 0: the method's own bound
    uint64_t seed;           // of random covering vectors
    int threads;             // for the islands of cd_mcp_solve, or within a method; 0 and 1: the calling one. No
                             // influence on results
    bool is_rounded;         // the rounded image of another problem: to exhaust its bases proves nothing of that one
    // [bytes] that a dense matrix and the copies of it that a method needs may take for one island, and the factor of
    // an active set; 0 stands for CD_LCP_MAX_DENSE. Above it the status is `limit`, nothing is allocated.
    int64_t max_dense;
    // [multiplications] that one sparse factor of ipm may take, or what qp may take for the factor of the rows that
    // carry; above it the status is `limit`; 0: any.
    double max_work;
    // What ipm may spend on contacts that jam, in what it may in a step of a run, where the next step sees to what is
    // left; 0: 1.
    double patience;
    // n start values or NULL. `newton`, `pgs` and `mprgp` start there, `ladder` and `qp` try its active set first;
    // `auto` gives it to the methods that it takes. `ipm` begins with it where there is friction. `lemke`, `enum` and
    // `ppm` ignore it. Where solutions are not unique it changes which one is found.
    const double *warm;
    // n values or NULL: about what z is, NAN where unknown. Above all which are positive may save time; it changes no
    // result.
    const double *guess;
    struct cd_gram_kept *patterns;  // analyses that are kept from problem to problem (gram_kept.h); NULL: none
    struct cd_mcp_known *known;     // islands that are kept from problem to problem (mcp_known.h); NULL: none
    struct cd_mcp_parts *parts;     // parts of a problem that are kept for the next (mcp_parts.h); NULL: none
    cd_lcp_tally *tally;            // or NULL
} cd_lcp_options;

// What the methods may be given beyond pure problems with a symmetric positive semidefinite matrix.
enum {
    CD_LCP_TAKES_GENERAL = 1,  // any matrix
    CD_LCP_TAKES_ROOMS = 2,    // upper bounds of z as they are; dense methods are given them as further rows (mcp.h)
    CD_LCP_TAKES_DISCS = 4,    // friction discs
};

// Problems with a solution that a method is sure to solve. The contract tests hold it to them.
enum {
    CD_LCP_SOLVES_P = 1,             // P-matrices, and free variables beside them
    CD_LCP_SOLVES_CONTACTS = 2,      // frictionless contacts of bodies: symmetric positive semidefinite. With upper
                                     // bounds too: a dense method then has further rows, and M is not symmetric
    CD_LCP_SOLVES_SEMIDEFINITE = 4,  // all symmetric positive semidefinite ones; shows where nothing is feasible
};

#define CD_LCP_OPTIONS_DEFAULT ((cd_lcp_options){.tolerance = CD_LCP_TOLERANCE, .seed = CD_LCP_SEED})

typedef struct cd_lcp_result {
    cd_lcp_status status;
    const char *solver;  // what produced z: a method's name or the rung of the ladder; static text
    const char *reason;  // one phrase when not solved, else ""; static text
    double residual;     // of z
    int64_t iterations;  // pivots and Newton steps, all attempts together
    double *z;           // n, >= 0; @owns arena
} cd_lcp_result;

struct cd_lcp_solver {
    const char *name, *summary;
    const char *source;          // author, year
    const char *cost;            // for n rows
    const char *guarantee;       // what it is proved to do, and for what
    unsigned takes;              // CD_LCP_TAKES_..
    unsigned solves;             // CD_LCP_SOLVES_..
    int32_t most_rows;           // of an island; 0: any number
    bool is_combined;            // made of other methods of the table
    const char *const *answers;  // what cd_lcp_result.solver may be, the usual one first, NULL-ended; NULL: the name
    cd_lcp_result (*solve)(const cd_lcp *lcp, const cd_lcp_options *options, cd_arena *arena);  // or NULL
    // or NULL
    cd_lcp_result (*solve_structure)(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena);
    const cd_lcp_solver *(*choose)(const cd_lcp_structure *s);  // NULL, or instead of both: the method for this problem
    // With `choose`: where the chosen one fails, for what this one takes; not after one that is itself made of several.
    const cd_lcp_solver *fallback;
};

extern const cd_lcp_solver *const cd_lcp_solvers[];         // ends with NULL
extern const char *const cd_lcp_solver_names[];             // the same order, ends with NULL: choices of --solver
void cd_lcp_help(cd_buffer *out);                           // the methods, as --help lists them
const cd_lcp_solver *cd_lcp_find_solver(const char *name);  // NULL when there is none

cd_lcp_result cd_lcp_solve(const cd_lcp_solver *solver, const cd_lcp *lcp, const cd_lcp_options *options,
                           cd_arena *arena);
cd_lcp_result cd_lcp_solve_structure(const cd_lcp_solver *solver, const cd_lcp_structure *s,
                                     const cd_lcp_options *options, cd_arena *arena);

// Whether n dense rows stay below options->max_dense: the matrix, its scaled copy, a regularised one and the two of
// Newton's method.
bool cd_lcp_dense_fits(int64_t n, const cd_lcp_options *options);

// Why this solver cannot be given this problem, one phrase; NULL when it can.
const char *cd_lcp_refusal(const cd_lcp_solver *solver, const cd_lcp_structure *s);

// ---- for methods and tests -----------------------------------------------------------------------------------------

// max_i (|min(z_i, w_i)| + eps sum_j |M_ij z_j|): the residual of an already equilibrated problem, not divided. w (n)
// may be NULL, else it receives M z + q. NaN anywhere gives infinity.
double cd_lcp_natural_residual(const cd_lcp *lcp, const double *z, double *w);

// Powers of two r, c such that rows and columns of |r_i A_ij c_j| have maxima near 1 (Ruiz 2001, four sweeps; the
// result of a symmetric |A| is symmetric: r = c). Rows and columns of zeros keep 1. A: rows x columns, row-major.
void cd_lcp_equilibrate(int32_t rows, int32_t columns, const double *A, double *r, double *c, cd_arena *scratch);

// A vector v >= 0 with M'v <= 0 and q.v < 0 shows that nothing is feasible (Farkas). What rounding leaves of the two
// conditions:
#define CD_LCP_FARKAS_PART \
    1e-7  // M'v may exceed 0 by this part of -q.v: solutions, if any, would exceed the data 10^7 times
#define CD_LCP_FARKAS_DROP 1e-12  // -q.v as part of |q|.v: above rounding

#endif
