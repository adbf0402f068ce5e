// why_story -- what --why tells, before it is text or JSON: sections of facts and tables, differences, and a verdict.
//
// Builders append to what was opened last: section -> fact ..., table -> row -> cell ... Each thing has a key, its
// member in JSON (cd-view(1) lists them), and words for people. Numbers stay numbers: both printers get the same story,
// so what a person reads and what a script reads cannot differ. Memory: one arena, whose owner is the caller.
// SPDX-License-Identifier: MIT
#ifndef WHY_STORY_H
#define WHY_STORY_H

#include "cd_memory.h"

#include <math.h>
#include <stdbool.h>

typedef enum cd_why_kind { CD_WHY_NOTHING, CD_WHY_TEXT, CD_WHY_NUMBERS, CD_WHY_YES_NO } cd_why_kind;

typedef struct cd_why_value {
    cd_why_kind kind;
    const char *text;
    double number[3];
    int count;       // of numbers
    bool is_vector;  // written as a list, also when it has one number
    bool yes;
} cd_why_value;

typedef struct cd_why_fact {
    const char *key, *label;  // label NULL: for JSON alone
    cd_why_value value;
    const char *unit;  // "m"; NULL: none
    const char *note;  // for people, behind the value; NULL: none
} cd_why_fact;

typedef struct cd_why_column {
    const char *key, *title;  // title NULL: for JSON alone
} cd_why_column;

enum { CD_WHY_COLUMNS = 16 };
typedef struct cd_why_row {
    cd_why_value cell[CD_WHY_COLUMNS];
    int count;
} cd_why_row;

typedef struct cd_why_table {
    const char *key, *title;  // key NULL: for people alone; title NULL: the section's own
    int columns;
    cd_why_column column[CD_WHY_COLUMNS];
    CD_LIST(cd_why_row) row;
    int32_t shown;  // rows that people see; the rest is counted
} cd_why_table;

typedef struct cd_why_section {
    const char *key, *title;
    CD_LIST(cd_why_fact) fact;
    CD_LIST(cd_why_table *) table;
} cd_why_section;

// Where the stream and what the bodies give are not the same.
typedef struct cd_why_difference {
    const char *stage;   // tool whose table it is in: "cd-narrow"
    const char *record;  // "contact"
    const char *fault;   // "lost", "doubled", "normal" ...: cd-view(1) lists them
    const char *sentence;
} cd_why_difference;

typedef struct cd_why_story {
    cd_arena *arena;
    const char *title;  // first line for people
    CD_LIST(cd_why_section *) section;
    CD_LIST(cd_why_difference) difference;
    const char *verdict, *sentence;
} cd_why_story;

cd_why_section *cd_why_open(cd_why_story *story, const char *key, const char *title);

static inline cd_why_value cd_why_text(const char *text)
{
    return (cd_why_value){.kind = text ? CD_WHY_TEXT : CD_WHY_NOTHING, .text = text};
}
static inline cd_why_value cd_why_number(double number)  // NaN: nothing
{
    return (cd_why_value){.kind = isnan(number) ? CD_WHY_NOTHING : CD_WHY_NUMBERS, .number = {number}, .count = 1};
}
// data NULL or NaN: nothing
cd_why_value cd_why_vector(const double *data, int count);
static inline cd_why_value cd_why_yes(bool yes) { return (cd_why_value){.kind = CD_WHY_YES_NO, .yes = yes}; }
static inline cd_why_value cd_why_nothing(void) { return (cd_why_value){.kind = CD_WHY_NOTHING}; }

// To the section that was opened last.
void cd_why_say(cd_why_story *story, const char *key, const char *label, cd_why_value value, const char *unit,
                const char *note);
cd_why_table *cd_why_tabulate(cd_why_story *story, const char *key, const char *title, int columns,
                              const cd_why_column *column);
// cells: one a column.
void cd_why_add(cd_why_story *story, cd_why_table *table, const cd_why_value *cells);

void cd_why_differ(cd_why_story *story, const char *stage, const char *record, const char *fault, const char *format,
                   ...) CD_PRINTF(5, 6);
void cd_why_conclude(cd_why_story *story, const char *verdict, const char *format, ...) CD_PRINTF(3, 4);

// digits: of a number for people.
void cd_why_print_text(const cd_why_story *story, int digits, cd_buffer *out);
void cd_why_print_json(const cd_why_story *story, cd_buffer *out);  // one object, one line

#endif
