// lcp_stage -- the way of a frame of the stream into the solver and back; files have theirs in lcp_files.h.
// SPDX-License-Identifier: MIT
#ifndef LCP_STAGE_H
#define LCP_STAGE_H

#include "cd_records.h"
#include "cd_refs.h"
#include "gram_kept.h"
#include "lcp_known.h"
#include "lcp_guess.h"
#include "lcp_warm.h"
#include "mcp.h"
#include "mcp_parts.h"

// From frame to frame; but for `warm` no result depends on it.
typedef struct cd_lcp_kept {
    cd_warm warm;
    cd_guess guess;
    cd_gram_kept *patterns;
    cd_known *problems;     // NULL: each is solved anew
    cd_mcp_known *islands;  // the same
    cd_mcp_parts *parts;    // the same
} cd_lcp_kept;

// recalls: what comes again has the solution that it had; false where solving is to be timed (--repeat).
// @owns run, and caller (cd_lcp_kept_release) what that does not have
cd_lcp_kept *cd_lcp_kept_make(bool recalls, cd_arena *run);
void cd_lcp_kept_release(cd_lcp_kept *kept);  // NULL is taken too

// What lasts for the run.
typedef struct cd_lcp_stage {
    const cd_lcp_solver *solver;
    cd_lcp_options options;
    bool is_warm;       // starts from the values of the frame before
    cd_lcp_kept *kept;  // NULL: files, which are no frames
    cd_arena *run;      // memory of what is kept from frame to frame
} cd_lcp_stage;

// Tables row and entry of `in` to solution and value of `out`, columns in `arena`; frame, contact and body tell which
// rows were in the problem before. Bounds that are absent: 0 and infinity, velocity rows are free. An unsolved problem
// is no failure here: its status says so and cd-step decides. Friction discs of wrong form are CD_ERR_FORMAT, and
// CD_ERR_UNSUPPORTED where the solver does not take them.
cd_status cd_lcp_frame(const cd_lcp_stage *stage, const cd_model *in, const cd_refs *refs, cd_arena *arena,
                       cd_model *out, cd_diag *diag) CD_MUST_CHECK;

// Fields of each table that cd_lcp_frame does not look at (cd_ctx.unread): of contacts and bodies rows ask who they
// are, with is_warm more of the row.
void cd_lcp_unread(bool is_warm, uint64_t unread[CD_REC_COUNT]);

#endif
