// mcp_known -- islands that come again: what rests states the same problem in step after step, whatever moves
// elsewhere.
//
// An island is the same where all that its solution depends on is, byte for byte: its part of the equilibrated problem
// and its start values. It then gets the solution that it had, which is the one that it would get. What depends on
// more, the size by which the residual of the whole is divided, is asked again: cd_mcp_island_result.share.
// The islands of the last CD_ISLANDS_PROBLEMS problems are kept, those of rounds and of the frame before alike, as far
// as all together take CD_ISLANDS_BYTES (twice that while a problem is solved). Those of fewer than CD_ISLANDS_LEAST
// variables are solved sooner than known again. Cost: to write down, hash and compare an island takes about as long as
// to measure its residual. Where the whole problem comes again lcp_known.h does without building it.
// SPDX-License-Identifier: MIT
#ifndef MCP_KNOWN_H
#define MCP_KNOWN_H

#include "mcp_problem.h"

enum { CD_ISLANDS_PROBLEMS = 8, CD_ISLANDS_BYTES = 32 << 20, CD_ISLANDS_LEAST = 12 };

typedef struct cd_mcp_known cd_mcp_known;

cd_mcp_known *cd_mcp_known_make(void);           // @owns caller (cd_mcp_known_release)
void cd_mcp_known_release(cd_mcp_known *store);  // NULL is taken too

// The islands of a problem that is about to be solved: island k has the rows row[first[k]] .. row[first[k + 1] - 1].
typedef struct cd_mcp_islands {
    const int32_t *first, *row;
    int32_t count;
} cd_mcp_islands;

// A hash of bytes, the same in one run.
uint64_t cd_mcp_hash_of(const void *data, size_t bytes);

// Of which islands is the solution known? is_known of each; then its result is set, and z of its members in p. The
// options but `warm` and the solver must be those of all other calls.
void cd_mcp_known_recall(cd_mcp_known *store, const cd_mcp_problem *p, const cd_mcp_islands *islands,
                         const cd_lcp_options *options, bool *is_known, cd_mcp_island_result *result);
// Keeps all of them, solved now; p and islands as they were.
void cd_mcp_known_keep(cd_mcp_known *store, const cd_mcp_problem *p, const cd_mcp_islands *islands,
                       const cd_mcp_island_result *result);

#endif
