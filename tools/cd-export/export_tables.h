// export_tables -- what the formats of tables share: one table for each type that is asked for, gathered frame by
// frame.
// SPDX-License-Identifier: MIT
#ifndef EXPORT_TABLES_H
#define EXPORT_TABLES_H

#include "export_format.h"
#include "export_table.h"

// All but the marks of the stream's ends, which have no values.
#define CD_EXPORT_TABLE_TYPES (CD_ALL_RECORDS & ~(CD_BIT(fend) | CD_BIT(end)))

typedef struct cd_export_tables {
    cd_export_table *table;  // by record type, in the order of records.def
    int count;
} cd_export_tables;

// In `begin`: head tables have their rows. @owns run
void cd_export_tables_begin(cd_export *e, cd_export_tables *tables);
// In `frame`: adds the frame's rows.
void cd_export_tables_add(cd_export *e, cd_export_tables *tables);
// In `finish`: says what was left out.
void cd_export_tables_warn(const cd_export *e, const cd_export_tables *tables);
void cd_export_tables_release(cd_export_tables *tables);

#endif
