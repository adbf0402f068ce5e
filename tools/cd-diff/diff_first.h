// diff_first -- the first frame, table and record in which two streams differ, and what differs with it in the frame.
// SPDX-License-Identifier: MIT
#ifndef CD_DIFF_FIRST_H
#define CD_DIFF_FIRST_H

#include "diff_run.h"
#include "diff_stage.h"

// A difference, kept.
typedef struct cd_diff_kept {
    const cd_field *field;  // NULL: a row, or members that are not known
    const char *key, *member, *text[2];
    double value[2];
} cd_diff_kept;

// What differs in one table of the frame.
typedef struct cd_diff_link {
    const char *table;
    cd_record_type type;
    int32_t rows[2];
    int64_t differ, only[2];  // rows
    int64_t about;            // of these, rows about the bodies of the first record
    cd_diff_kept one;         // the first of them; key NULL: there is none
    int32_t last[2];          // the row counted last
} cd_diff_link;

typedef struct cd_diff_first {
    bool is_found;
    const char *frame;    // "head", "3 substep 1 round 2"
    cd_diff_place place;  // of a frame
    bool is_head;
    int only;                 // 0 or 1: the frame is in this stream alone; else -1
    const char *stage;        // program that makes the table; NULL: of no stage
    const char *programs[2];  // that the streams went through
    // the first record
    int32_t row[2];      // -1: that side has none
    const char *key[2];  // NULL: likewise
    CD_LIST(cd_diff_kept) members;
    cd_diff_bodies bodies;
    CD_LIST(cd_diff_link) links;  // tables from the first that differs on, in order; the first record is in links[0]
} cd_diff_first;

void cd_diff_print_first(cd_arena *scratch, const cd_diff_first *first, cd_buffer *out);
// One object, one line; members as cd-diff(1) lists them.
void cd_diff_print_first_json(const cd_diff_first *first, cd_buffer *out);

#endif
