// cd_row_refs -- which rows a row refers to, for whatever picks rows out of tables: a table refers to rows of earlier
// types (or, as parts of a compound, to earlier rows), so one pass over the types in their order sees each row behind
// all that it refers to.
// SPDX-License-Identifier: MIT
#ifndef CD_ROW_REFS_H
#define CD_ROW_REFS_H

#include "cd_records.h"

// Is given the target of a reference; false ends the visit.
typedef bool cd_visit_row(void *context, cd_record_type target, int32_t row);
// Visits what row number `row` refers to, field by field, absent references left out. False: a visit was ended.
bool cd_row_visit_refs(cd_record_type type, const cd_rows *rows, int32_t row, cd_visit_row *visit, void *context);

// References become place[target][row]; those to a target whose `place` is NULL stay. Columns are changed in place.
void cd_rows_renumber(cd_record_type type, cd_rows *rows, int32_t *const place[CD_REC_COUNT]);

#endif
