// mcp_plain -- an island of contacts alone, as most small ones are, by the shortest way from its rows to its answer.
//
// Its held rows meet velocities and nothing else, impulses go from 0 up, and each body's block is definite: one pass
// over the rows gives N, q and the diagonal in the units of the method, where the general way (mcp_structure.c,
// lcp_solve.c) takes eight. Operations and their order are those of the general way, so the answer is the same to the
// bit. What is not of this form, or does not come out within the tolerance, is left to that way as if nothing had been
// tried.
// Of 48 rows, 900 entries, the passes took two thirds of the time.
// SPDX-License-Identifier: MIT
#ifndef MCP_PLAIN_H
#define MCP_PLAIN_H

#include "mcp_problem.h"

// True: z of the members is set, and *out. False: *out is as it was.
bool cd_mcp_plain_solve(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_solver *solver,
                        const cd_lcp_options *options, cd_mcp_island_result *out);

#endif
