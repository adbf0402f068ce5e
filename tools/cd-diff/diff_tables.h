// diff_tables -- what differs between two sets of tables (heads, or frames of one index), row by row and member by
// member.
//
// Rows are matched by what they are about, not by where they stand: bodies, shapes, materials, nodes, elements by user
// id; trial and next by body; bounds by site; pair, contact by sites and features; constraint by its contacts; row by
// role and body or contact; entry and value by rows; force by contact; metric by tool, name and bodies; frame, head,
// solution, verdict by being the only one. Equal keys are matched in order. References are compared by the key of what
// they refer to, so one contact more does not make all that follow differ; the running numbers (id of contact,
// constraint, row; normal_row) count only where all rows of their table have a partner. Numbers x, y are equal when |x
// - y| <= abs + rel max(|x|, |y|); with both 0 when their bits are. Cost: tables that are equal cost one pass over
// their text, others O(n log n).
// SPDX-License-Identifier: MIT
#ifndef CD_DIFF_TABLES_H
#define CD_DIFF_TABLES_H

#include "diff_streams.h"

typedef struct cd_diff_rules {
    double absolute, relative;            // as in cd_diff_options
    uint64_t ignored;                     // types
    CD_LIST(const char *) ignored_names;  // "TYPE.MEMBER", and types that are not known
} cd_diff_rules;

// A list "metric,solution.iterations,my-type" of --ignore; NULL: nothing. CD_ERR_USAGE. prog, fend and end are never
// compared.
cd_status cd_diff_parse_ignored(cd_arena *arena, const char *text, cd_diff_rules *rules, cd_diag *diag) CD_MUST_CHECK;

// Is the member (NULL: the whole type) left out?
bool cd_diff_ignores(const cd_diff_rules *rules, const char *type, const char *member);

// One number, word or text that differs, or a row that one side lacks.
typedef struct cd_diff_difference {
    cd_record_type type;    // CD_REC_UNKNOWN: a table of someone else
    const char *table;      // its name
    const char *key;        // what the row is about
    const char *member;     // "velocity[1]"; CD_DIFF_ROW: a row that one side lacks
    const cd_field *field;  // NULL: a row, or members that are not known
    const char *text[2];    // left and right; "present", "absent" of a row
    double value[2];        // of doubles; NaN where there is none
    int32_t row[2];         // in the table of each side; -1: absent there, or of an unknown table
} cd_diff_difference;
#define CD_DIFF_ROW "(row)"

// Who wants to know. Texts are valid during the call.
typedef struct cd_diff_sink {
    void *context;
    void (*take)(void *context, const cd_diff_difference *difference);
    // Each table that is compared and has rows on either side, before its differences. NULL: nobody asks.
    void (*open_table)(void *context, cd_record_type type, const char *table, int32_t left_count, int32_t right_count);
} cd_diff_sink;

// Tells what differs: tables in the order of records.def, then unknown ones; in each the left side's rows in their
// order, then those of the right side alone. Defaults are put where values are absent. Scratch: the arena.
void cd_diff_tables(cd_arena *arena, cd_diff_side left, cd_diff_side right, const cd_diff_rules *rules,
                    const cd_diff_sink *sink);

#endif
