// lcp_watch -- a line of progress while a problem is solved: twice a second, from the first half second on.
// SPDX-License-Identifier: MIT
#ifndef LCP_WATCH_H
#define LCP_WATCH_H

#include "cd_filter.h"
#include "lcp_files.h"
#include "lcp_stage.h"

// cd_lcp_frame of ctx's frame; the options' tally is set here.
cd_status cd_lcp_watch_frame(cd_ctx *ctx, const cd_lcp_stage *stage) CD_MUST_CHECK;

// cd_lcp_solve_files, its answer written to -o or standard output.
cd_status cd_lcp_watch_files(cd_ctx *ctx, const cd_lcp_files *files, const cd_lcp_stage *stage) CD_MUST_CHECK;

#endif
