// SPDX-License-Identifier: MIT
#include "export_tables.h"

#include <inttypes.h>

void cd_export_tables_begin(cd_export *e, cd_export_tables *tables)
{
    tables->table = CD_ARENA_ZARRAY(&e->ctx->run, cd_export_table, CD_REC_COUNT);
    tables->count = 0;
    for (int type = 0; type < CD_REC_COUNT; type++) {
        if (!(e->types >> type & 1))
            continue;
        cd_export_table *table = &tables->table[tables->count++];
        cd_export_table_make(&e->ctx->run, (cd_record_type)type, e->in.dim, table);
        if (cd_records[type].is_head)
            cd_export_table_add(table, cd_model_rows(&e->in, (cd_record_type)type), e->refs, NULL);
    }
}

void cd_export_tables_add(cd_export *e, cd_export_tables *tables)
{
    for (int i = 0; i < tables->count; i++) {
        cd_export_table *table = &tables->table[i];
        if (!table->record->is_head)
            cd_export_table_add(table, cd_model_rows(&e->in, table->record->type), e->refs, &e->in.frame);
    }
}

void cd_export_tables_warn(const cd_export *e, const cd_export_tables *tables)
{
    for (int i = 0; i < tables->count; i++)
        if (tables->table[i].foreign_members)
            cd_warn(e->ctx, "%s: %" PRId64 " rows have members that are no fields of it: these are left out",
                    tables->table[i].record->name, tables->table[i].foreign_members);
}

void cd_export_tables_release(cd_export_tables *tables)
{
    for (int i = 0; i < tables->count; i++)
        cd_export_table_release(&tables->table[i]);
}
