// cd_parcel -- chunks of a stream kept for later: a frame that is written only once something behind it has been read.
//
// add ... -> pass. Bytes and rows live in the caller's arena, so a parcel ends with it; {0} is empty. Cost: one copy of
// the stored bytes. Used by cd-loop (a frame waits for its verdict) and cd-view (the last frame, salvage).
// SPDX-License-Identifier: MIT
#ifndef CD_PARCEL_H
#define CD_PARCEL_H

#include "cd_reader.h"
#include "cd_writer.h"

typedef struct cd_parcel_item {
    cd_chunk chunk;       // its bytes lie in the arena
    const cd_rows *rows;  // decoded rows, or NULL
} cd_parcel_item;

typedef struct cd_parcel {
    CD_LIST(cd_parcel_item) list;
} cd_parcel;

// Adds a copy of the chunk; `rows` (may be NULL) are borrowed. frame is an item, fend and end are never added.
void cd_parcel_add(cd_arena *arena, cd_parcel *parcel, const cd_chunk *chunk, const cd_rows *rows);
// Hands every item on, in order. Items without rows must not need transcoding, except tables of unknown type, whose
// references are looked up in the ids that `reader` knows at this moment: pass a frame before the next `frame` is read.
cd_status cd_parcel_pass(const cd_parcel *parcel, cd_writer *writer, cd_reader *reader, cd_diag *diag) CD_MUST_CHECK;

// Room for the rows of any table, zeroed; @owns arena.
cd_rows *cd_rows_new(cd_arena *arena, cd_record_type type);

#endif
