// diff_stage -- which program makes a table, and which bodies a row is about.
// SPDX-License-Identifier: MIT
#ifndef CD_DIFF_STAGE_H
#define CD_DIFF_STAGE_H

#include "diff_streams.h"

// Did the stream go through the program?
bool cd_diff_has_tool(const cd_prog_rows *prog, const char *tool);
// The program of the stream that makes the table, else the one that usually does. NULL: of no stage.
const char *cd_diff_stage_tool(const cd_prog_rows *prog, cd_record_type type);

// "cd-broad | cd-narrow --contacts depth | ...": the programs that a stream went through. @owns arena
const char *cd_diff_programs(cd_arena *arena, const cd_prog_rows *prog);

// Bodies by user id, each once, ascending.
enum { CD_DIFF_BODIES_MOST = 16 };
typedef struct cd_diff_bodies {
    int64_t id[CD_DIFF_BODIES_MOST];
    int32_t count;
    bool is_cut;  // there are more
} cd_diff_bodies;

// Adds the bodies that a row refers to, through contacts, constraints and rows too; of `body` itself its own.
void cd_diff_add_bodies(cd_diff_bodies *bodies, const cd_diff_side *side, cd_record_type type, int32_t row);
// Is a row with these bodies about those of the first? Of two or more: it names no other body; of one: it names it.
bool cd_diff_is_about(const cd_diff_bodies *row, const cd_diff_bodies *first);

#endif
