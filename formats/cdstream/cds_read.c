// What a stage reads: tables and fields by name, and what the head says.
// SPDX-License-Identifier: MIT
#include "cd_bodies.h"
#include "cd_contact_model.h"
#include "cd_length.h"
#include "cds_frame.h"

const cd_record *stage_record(cds_frame *f, const char *call, const char *table)
{
    cd_record_type type = cd_record_find(table, strlen(table));
    if (type != CD_REC_UNKNOWN)
        return &cd_records[type];
    stage_mistake(f, CD_ERR_USAGE, "%s: %.40s: there is no such table; see cd-view --fields", call, table);
    return NULL;
}

const cd_field *stage_field(cds_frame *f, const char *call, const cd_record *record, const char *field)
{
    for (int32_t k = 0; k < record->field_count; k++)
        if (!strcmp(record->field[k].name, field))
            return &record->field[k];
    stage_mistake(f, CD_ERR_USAGE, "%s: %s: there is no field %.40s; see cd-view --fields", call, record->name, field);
    return NULL;
}

bool stage_has_row(cds_frame *f, const char *call, const char *table, int32_t row, int32_t rows)
{
    if (row >= 0 && row < rows)
        return true;
    stage_mistake(f, CD_ERR_USAGE, "%s: %s: there is no row %d; there are %d", call, table, row, rows);
    return false;
}

// The table as it was read, NULL and a mistake when the stage does not take it.
static const cd_rows *table_read(cds_frame *f, const char *call, const char *table, const cd_record **record)
{
    *record = stage_record(f, call, table);
    if (!*record)
        return NULL;
    if (f->ctx->needs >> (*record)->type & 1)
        return cd_model_rows(&f->ctx->in, (*record)->type);
    stage_mistake(f, CD_ERR_USAGE, "%s: %s: the stage does not name it among the tables that it takes", call, table);
    return NULL;
}

int32_t cds_rows(cds_frame *f, const char *table)
{
    const cd_record *record;
    const cd_rows *rows = table_read(f, "cds_rows", table, &record);
    return rows ? rows->count : 0;
}

static void point_at(cds_column *column, const cd_field *field, const void *data)
{
    switch (field->base) {
    case CD_BASE_F64:
        column->type = CDS_DOUBLES;
        column->d = data;
        return;
    case CD_BASE_I32:
        column->type = CDS_INTS;
        column->i = data;
        return;
    case CD_BASE_I64:
        column->type = CDS_LONGS;
        column->l = data;
        return;
    case CD_BASE_U8:
        column->type = CDS_BOOLS;
        column->b = data;
        return;
    case CD_BASE_TEXT:
        column->type = CDS_TEXTS;
        column->t = data;
        return;
    }
}

cds_column cds_get(cds_frame *f, const char *table, const char *name)
{
    cds_column column = {.type = CDS_DOUBLES};
    const cd_record *record;
    const cd_rows *rows = table_read(f, "cds_get", table, &record);
    const cd_field *field = rows ? stage_field(f, "cds_get", record, name) : NULL;
    if (!field)
        return column;
    const void *data = NULL;
    if (field->depth == 0) {
        data = *cd_field_column(field, rows);
    } else if (field->depth == 1) {
        cd_list *list = cd_field_list(field, rows);
        column.offset = list->offset;
        data = list->offset ? list->data : NULL;
    } else {
        cd_list2 *list = cd_field_list2(field, rows);
        column.offset = list->offset;
        column.inner = list->inner;
        data = list->offset ? list->data : NULL;
    }
    point_at(&column, field, data);
    column.rows = rows->count;
    // A list of no items may have no memory, and there is a list all the same.
    column.width = data || column.offset ? cd_field_width(field, f->ctx->in.dim) : 0;
    column.words = field->vocab ? field->vocab->word : NULL;
    return column;
}

const char *cds_word(const cds_column *column, int32_t row)
{
    if (!column->words || !column->i || row < 0 || row >= column->rows || column->i[row] == CD_ABSENT)
        return NULL;
    return column->words[column->i[row]];
}

int64_t cds_id(cds_frame *f, const char *table, int32_t row)
{
    const cd_record *record;
    const cd_rows *rows = table_read(f, "cds_id", table, &record);
    if (!rows || !stage_has_row(f, "cds_id", table, row, rows->count))
        return CDS_ABSENT_LONG;
    if (!cd_record_has_id(record)) {
        stage_mistake(f, CD_ERR_USAGE, "cds_id: %s: its rows have no ids", table);
        return CDS_ABSENT_LONG;
    }
    return ((const int64_t *)*cd_field_column(&record->field[0], rows))[row];
}

cds_run cds_get_run(cds_frame *f)
{
    const cd_model *in = &f->ctx->in;
    cds_run run = {.dim = in->dim, .threads = f->ctx->threads};
    run.model = in->head.model && in->head.model[0] ? in->head.model[0] : CD_CONTACT_MODEL_DEFAULT;
    for (int k = 0; in->head.gravity && k < in->dim; k++)
        run.gravity[k] = in->head.gravity[k];
    run.epsilon = cd_f64_or(in->head.epsilon, 0, NAN);
    run.length = cd_f64_or(in->head.length, 0, NAN);
    if (!f->in_frame)
        return run;
    run.index = in->frame.index[0];
    run.time = in->frame.time[0];
    run.step = cd_frame_step_or_zero(in);
    const cd_leaves *leaves = isnan(run.length) || isnan(run.epsilon) ? stage_leaves(f) : NULL;
    if (leaves) {
        run.length = cd_length_of(&f->ctx->arena, in, leaves);
        run.epsilon = cd_epsilon_of(&f->ctx->arena, in, leaves);
    }
    return run;
}
