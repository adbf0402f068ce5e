// cd_tables -- the tables of the head or of one frame, all of them, read into memory: for tools that look at a stream
// as a whole (digest, check, selection, comparison) and not chunk by chunk.
//
// {0} -> take every chunk ... -> use -> forget (with a reset of the arena). Rows of known types are decoded without
// defaults; tables of unknown type are kept as one normal JSON object a row. Cost: one copy of everything.
// SPDX-License-Identifier: MIT
#ifndef CD_TABLES_H
#define CD_TABLES_H

#include "cd_reader.h"

typedef struct cd_foreign_table {
    char name[17];
    CD_LIST(const char *) row;  // normal JSON objects of the members, without "type"
} cd_foreign_table;

typedef struct cd_tables {
    cd_model model;
    CD_LIST(cd_foreign_table) foreign;  // in order of arrival
} cd_tables;

// Decodes the chunk read last and adds its rows; fend and end are ignored.
cd_status cd_tables_take(cd_arena *arena, cd_reader *reader, const cd_chunk *chunk, cd_tables *tables,
                         cd_diag *diag) CD_MUST_CHECK;

// JSON text without white space outside of strings; members, numbers and strings stay as they are spelled. NUL-ended;
// @owns arena
char *cd_json_compact(cd_arena *arena, const char *text, size_t length);
// The same for an object, without its own member "type".
char *cd_json_compact_members(cd_arena *arena, const char *text, size_t length);

#endif
