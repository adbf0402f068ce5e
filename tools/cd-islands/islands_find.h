// islands_find -- which bodies of a frame depend on one another through the problem, and which part each island goes
// to.
//
// Rows that an entry couples are of one island; so are a friction row and its normal row, and a row and the bodies that
// impulses move of its contact, of its constraint, or its own. Bodies without rows are of no island. Islands go to
// parts by descending cost, each to the part that has the least so far, ties by the least body (Graham 1969, longest
// processing time first: no part is above 4/3 of the best). The cost of an island of n rows is taken as n^1.5, between
// n of methods that work body by body and n^3 of dense ones.
// SPDX-License-Identifier: MIT
#ifndef ISLANDS_FIND_H
#define ISLANDS_FIND_H

#include "cd_records.h"
#include "cd_refs.h"

enum { CD_ISLANDS_NONE = -1, CD_ISLANDS_ALL = -2 };

typedef struct cd_islands {
    int32_t count;  // of islands
    int32_t *part;  // by row of `body`: part of its island; NONE: no row has to do with it; ALL: no impulse moves it
    double *cost;   // by part
} cd_islands;

// in: body, contact, constraint, row, entry; refs has the ids of its rows. CD_ERR_FORMAT where a normal_row is no row,
// CD_ERR_UNSUPPORTED where a row has to do with no body that impulses move. O((rows + entries) log) @owns arena
cd_status cd_islands_find(cd_arena *arena, const cd_model *in, const cd_refs *refs, int32_t parts, cd_islands *islands,
                          cd_diag *diag) CD_MUST_CHECK;

#endif
