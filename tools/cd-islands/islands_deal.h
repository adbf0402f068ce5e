// islands_deal -- the rows of a frame, dealt to the parts that have them: one pass over the tables, whatever the number
// of parts.
//
// A row belongs to the part that the bodies belong to that it refers to, directly or through other rows; to every part
// when they are all in every part; to none when they are of several parts or one of them is of none.
// SPDX-License-Identifier: MIT
#ifndef ISLANDS_DEAL_H
#define ISLANDS_DEAL_H

#include "islands_find.h"

// By type of records; NULL: a table that is not dealt.
typedef struct cd_islands_deal {
    int32_t parts;
    int32_t *part[CD_REC_COUNT];   // by row: its part, or CD_ISLANDS_ALL, CD_ISLANDS_NONE
    int32_t *row[CD_REC_COUNT];    // rows of part 0, of part 1, ..., of all: ascending in each
    int32_t *first[CD_REC_COUNT];  // [parts + 2] where they begin in `row`, and where those of all end
    int32_t *place[CD_REC_COUNT];  // scratch of cd_islands_take: by row, of those that the part has
} cd_islands_deal;

// in: body, contact, constraint, row, entry, frame. O(rows + references); @owns arena
void cd_islands_deal_make(cd_arena *arena, const cd_model *in, const cd_islands *islands, int32_t parts,
                          cd_islands_deal *deal);

// The frame record, and the rows of these tables that the part has, in their order, referring to one another.
// O(rows of the part and of all parts); @owns arena
void cd_islands_take(cd_arena *arena, const cd_model *in, const cd_islands_deal *deal, int32_t part, cd_model *out);

#endif
