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
    int64_t shown;                        // lines at most
} cd_diff_rules;

// A list "metric,solution.iterations,my-type" of --ignore; NULL: nothing. CD_ERR_USAGE. prog, fend and end are never
// compared.
cd_status cd_diff_parse_ignored(cd_arena *arena, const char *text, cd_diff_rules *rules, cd_diag *diag) CD_MUST_CHECK;

// Is the member (NULL: the whole type) left out?
bool cd_diff_ignores(const cd_diff_rules *rules, const char *type, const char *member);

// The differences found: a line each, "frame TAB table TAB key TAB member TAB left TAB right".
typedef struct cd_diff_report {
    cd_diff_rules rules;
    cd_buffer lines;  // the first rules.shown of them
    int64_t count;    // of all
} cd_diff_report;

// Reports what differs. `frame` is the first column. Fills defaults into the tables.
void cd_diff_tables(cd_arena *arena, const char *frame, cd_diff_side left, cd_diff_side right, cd_diff_report *report);
// One line by hand.
void cd_diff_line(cd_diff_report *report, const char *frame, const char *table, const char *key, const char *member,
                  const char *left, const char *right);

#endif
