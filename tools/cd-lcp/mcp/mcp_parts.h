// mcp_parts -- parts of a problem that come again as they stood, whatever moves elsewhere: known by their rows as they
// are given, before anything is made of them.
//
// A part is what entries and discs join, fixed rows included: one or more islands. One problem is kept, the last of
// which more than half had changed. Rows of the next are laid beside its rows, in order: those of a part that stand
// there with the same numbers, entries, bounds and start values, and that no other row refers to, have the solution
// that they had, to the byte. What they share with the rest are largest values alone (cd_mcp_spread, the size of the
// residual): a part for which these would have made a difference is solved again. The rest is a problem by itself.
// Cost: to read the entries once and those kept once; a fourth of what building the problem takes. (A wall of 1,000
// bricks beside a ball that falls, 825,000 entries.) After CD_PARTS_VAIN problems in a row that had less than half of
// their right sides in common with the one before none is kept until one has. mcp_known.h knows islands again where
// rows changed their order.
// SPDX-License-Identifier: MIT
#ifndef MCP_PARTS_H
#define MCP_PARTS_H

#include "mcp_known.h"

// Problems of fewer entries are solved sooner; larger ones than that many bytes are not kept.
enum { CD_PARTS_ENTRIES = 4096, CD_PARTS_BYTES = 128 << 20, CD_PARTS_VAIN = 8 };

typedef struct cd_mcp_parts cd_mcp_parts;

cd_mcp_parts *cd_mcp_parts_make(void);           // @owns caller (cd_mcp_parts_release)
void cd_mcp_parts_release(cd_mcp_parts *store);  // NULL is taken too

// An island that is known: its lowest row, and what was found.
typedef struct cd_mcp_met {
    int32_t row;
    cd_mcp_island_result result;
} cd_mcp_met;

typedef struct cd_mcp_match {
    const cd_mcp_parts *store;
    const cd_mcp *mcp;
    const double *warm;
    int32_t *first;        // n + 1: entries of the rows of mcp
    int32_t *from;         // n: the row of the kept problem, -1: not known
    bool *holds;           // of each kept part
    cd_mcp_spread beside;  // what the known parts have in common with the rest
    double size, worst;    // the largest of their rows: cd_mcp_problem.own_size, residual
} cd_mcp_match;

// The rest of a problem: those rows that are not known, ascending.
typedef struct cd_mcp_rest {
    cd_mcp mcp;
    int32_t *row;          // of each row of mcp: that of the whole
    double *warm, *guess;  // of mcp, or NULL
} cd_mcp_rest;

// false: less than half of it is known. options as in all other calls but for warm and guess; @owns arena
bool cd_mcp_parts_match(const cd_mcp_parts *store, const cd_mcp *mcp, const cd_lcp_options *options, cd_arena *arena,
                        cd_mcp_match *out);
// What is not known, as a problem of its own.
cd_mcp_rest cd_mcp_parts_rest(const cd_mcp_match *match, const double *guess, cd_arena *arena);
// Parts that the rest (built beside them) would have changed are no longer known. false: there are none.
bool cd_mcp_parts_drop(cd_mcp_match *match, const cd_mcp_problem *rest, const cd_lcp_options *options);
// z, w and status of the known rows, and their islands, the lowest rows ascending. Returns how many. @owns arena
int32_t cd_mcp_parts_recall(const cd_mcp_match *match, double *z, double *w, cd_lcp_status *status, cd_mcp_met **out,
                            cd_arena *arena);

// A problem that was solved as a whole: p was built beside nothing, with `spread` of all rows.
typedef struct cd_mcp_whole {
    const cd_mcp *mcp;
    const double *warm;
    const cd_mcp_problem *p;
    cd_mcp_islands islands;
    const int32_t *component;  // the island of each row, -1: none
    const cd_mcp_island_result *result;
    const double *error;  // of each row
    const cd_mcp_solution *solution;
} cd_mcp_whole;

// Is a problem, which was not known, to be kept when it is solved? Not one that is too small or too large, and where
// all moves nothing comes again. What was kept before goes.
bool cd_mcp_parts_wants(cd_mcp_parts *store, const cd_mcp *mcp);
// One that is wanted. scratch is left as it was.
void cd_mcp_parts_keep(cd_mcp_parts *store, const cd_mcp_whole *whole, cd_arena *scratch);

#endif
