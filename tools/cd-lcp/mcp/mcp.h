// mcp -- the mixed complementarity problem of the stream, brought to small dense LCPs and back.
//
//     w = M z + rhs,   lower <= z <= upper,
//     z = lower => w >= 0,   z = upper => w <= 0,   strictly between => w = 0   (both when lower = upper: any w)
//
// Steps of cd_mcp_solve():
//   1. rows and columns are equilibrated by powers of two (exact), repeated entries added up; contacts without friction
//      stay as they are, for step 3 goes back to the units of the problem anyway;
//   2. fixed variables (lower = upper) become constants; the rest falls apart into islands (connected components of the
//      pattern of M + M'), each solved by itself: n^3 of the whole becomes the sum over islands;
//   3. an island whose free blocks are definite and whose Jacobians appear twice, as for bodies, becomes N N' + C and goes to a
//      method that takes the structure (lcp_structure.h), without any n x n matrix; so do islands with friction discs.
//      Small ones of contacts alone are made ready in one pass (mcp_plain.h), to the same bits. Otherwise:
//   4. within an island the free variables (no bounds) go by a Schur complement. Their block is split into its own connected
//      components, for velocity rows one body each (2D: 1 x 1 three times or 3 x 3; 3D: up to 6 x 6), each factored by LU;
//      a component may have any size, its cost is cubic in it;
//   5. z = lower + y or z = upper - y (upper bound only); a boxed variable adds a row: 0 <= y _|_ w + t >= 0,
//      0 <= t _|_ (upper - lower) - y >= 0;
//   6. the chosen method solves the dense LCP; back substitution with one step of refinement gives the free variables;
//   7. the residual is measured on the problem as it was given, and only it decides about `solved`.
// Islands are solved by options->threads workers, each with an arena of its own; one with half of all rows may use as
// many itself. Results do not depend on how many.
// Memory: rows + entries, and for methods without the structure dense arrays of the largest island, (held + boxed)^2
// doubles about three times.
//
// Residual: with z' = z / c, w' = r w of the scales of cd_mcp_norm_scales (mcp_matrix.h; powers of two) and M' = r M c,
//     max_i (|z'_i - clip(z'_i - w'_i, lower', upper')| + eps sum_j |M'_ij z'_j|)
// (tangents of a disc: z' less the projection of z' - w' on the disc of the present normal impulse; both share one
// scale) over the largest of |r_i (rhs + M z_0)_i|, |r_i rhs_i| and |z_0 / c|, z_0 = the point of the bounds nearest 0:
// terms that no solution influences. For a pure LCP this is the residual of lcp_solver.h (where the reasons stand). For
// velocity rows w' and z' are mass^-1/2 w and mass^1/2 v, and gap rows and impulses follow: the residual does not
// depend on the units. Between masses m and M of one problem the largest momentum counts, so the lighter body's
// velocity is held to (M/m)^1/2 tolerance; that is what rounding allows when impulses of M pass through m.
//
// Equations: (48) of Williams, Lu & Trinkle 2016, whose velocities nu are eliminated in step 4.
// SPDX-License-Identifier: MIT
#ifndef MCP_H
#define MCP_H

#include "lcp_solver.h"

typedef struct cd_mcp {
    int32_t n, entry_count;
    const int32_t *row, *col;           // of each entry, in [0, n)
    const double *value;                // of each entry; entries of the same place add up
    const double *rhs, *lower, *upper;  // n each; bounds may be infinite
    // Friction discs, or both NULL: row i with normal_row[i] >= 0 is a tangent of the disc |z| <= mu[i] z_normal,
    // whatever its bounds say. Two consecutive rows of one normal row, one kind and one mu are the two tangents of a
    // disc, a single one is an interval; a normal row may have discs of several kinds. The normal row must not be a
    // tangent and must have the lower bound 0 and a positive upper bound (cd_mcp_disc_fault).
    const int32_t *normal_row;
    const double *mu;
    const int32_t *kind;  // any number; NULL: all are of one kind
} cd_mcp;

// Whether rows i and i - 1 are tangents of one disc.
static inline bool cd_mcp_is_second_tangent(const cd_mcp *mcp, int32_t i)
{
    return i > 0 && mcp->normal_row[i] >= 0 && mcp->normal_row[i - 1] == mcp->normal_row[i] &&
           (!mcp->kind || mcp->kind[i - 1] == mcp->kind[i]);
}

// The first tangent that breaks these rules (*reason: how, static text); -1 when none does.
int32_t cd_mcp_disc_fault(const cd_mcp *mcp, const char **reason);

typedef struct cd_mcp_solution {
    cd_lcp_status status;  // of the worst island (order of CD_LCP_STATUS_LIST), verified
    const char *solver;    // of the island with the most iterations; "direct" when elimination alone did it
    const char *reason;    // one phrase when not solved, else ""; static text
    double residual;
    int64_t iterations;         // of all islands
    int32_t island_count;       // those with at least one complementary row
    int32_t largest_island;     // rows of its dense LCP
    cd_lcp_status *row_status;  // n, of each row's island: its method's, where the whole is not solved
    bool is_partly_known;       // more than half of it stood in the problem before (mcp_parts.h)
    double *z, *w;  // n each, z within its bounds (crossed bounds: the lower one); w = M z + rhs; @owns arena
} cd_mcp_solution;

// options->warm: n values of z or NULL; a value that is not finite counts as unknown (taken as 0, clipped).
void cd_mcp_solve(const cd_mcp *mcp, const cd_lcp_solver *solver, const cd_lcp_options *options, cd_arena *arena,
                  cd_mcp_solution *out);

#endif
