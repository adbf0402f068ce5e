// lcp_stage -- the two ways into the solver: a frame of the stream, and Matrix Market files.
// SPDX-License-Identifier: MIT
#ifndef LCP_STAGE_H
#define LCP_STAGE_H

#include "cd_records.h"
#include "cd_refs.h"
#include "lcp_warm.h"
#include "mcp.h"

// What lasts for the run.
typedef struct cd_lcp_stage {
    const cd_lcp_solver *solver;
    cd_lcp_options options;
    cd_warm *warm;  // start values from the frame before; NULL: none
    cd_arena *run;  // memory of what is kept from frame to frame
} cd_lcp_stage;

// Tables row and entry of `in` (frame, contact and body too when warm is given) to solution and value of `out`; columns
// in `arena`. Bounds that are absent: 0 and infinity, velocity rows are free. An unsolved problem is no failure here:
// its status says so and cd-step decides. Friction discs of wrong form are CD_ERR_FORMAT, and CD_ERR_UNSUPPORTED where
// the solver does not take them.
cd_status cd_lcp_frame(const cd_lcp_stage *stage, const cd_model *in, const cd_refs *refs, cd_arena *arena,
                       cd_model *out, cd_diag *diag) CD_MUST_CHECK;

typedef struct cd_lcp_files {
    const char *matrix, *rhs, *lower, *upper;  // paths; lower and upper may be NULL: 0 and infinity
} cd_lcp_files;

// Solves the problem of the files and appends z as a Matrix Market array. CD_ERR_NUMERIC, with status and residual in
// the sentence and nothing appended, when it is not solved.
cd_status cd_lcp_solve_files(const cd_lcp_files *files, const cd_lcp_solver *solver, const cd_lcp_options *options,
                             cd_arena *arena, cd_buffer *out, cd_diag *diag) CD_MUST_CHECK;

#endif
