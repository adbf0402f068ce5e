// lcp_known -- problems that come again: what rests states the same one in step after step, and its rounds too.
//
// A problem is the same where all that its solution depends on is, byte for byte; it then gets the solution that it
// had, which is the one that it would get. The last few problems are kept, those of rounds and of the frame before
// alike. Cost: reading the problem once, and a copy of one that is new, some 1 % of solving it. After CD_KNOWN_VAIN
// problems in a row none of whose right sides had come before, a copy is made only of one whose right side has. Memory:
// a copy of each problem kept; CD_KNOWN_MOST of them at most, and more than one only as long as all together take
// CD_KNOWN_BYTES. One that takes more by itself is given up when another one comes, before that is solved.
// SPDX-License-Identifier: MIT
#ifndef LCP_KNOWN_H
#define LCP_KNOWN_H

#include "mcp.h"

enum { CD_KNOWN_MOST = 8, CD_KNOWN_BYTES = 32 << 20, CD_KNOWN_VAIN = 16 };

typedef struct cd_known cd_known;

// Of all that a problem states, without start values.
uint64_t cd_known_hash(const cd_mcp *mcp);

cd_known *cd_known_make(void);          // @owns caller (cd_known_release)
void cd_known_release(cd_known *kept);  // NULL is taken too

// Has this problem, with these start values (n or NULL), been kept? Then *out is its solution; options and solver must
// be those of all other calls. @owns arena
bool cd_known_recall(cd_known *kept, const cd_mcp *mcp, const double *warm, cd_arena *arena, cd_mcp_solution *out);
// Keeps a solved one that cd_known_recall did not find. The oldest give way.
void cd_known_keep(cd_known *kept, const cd_mcp *mcp, const double *warm, const cd_mcp_solution *solution);

#endif
