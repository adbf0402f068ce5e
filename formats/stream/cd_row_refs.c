// SPDX-License-Identifier: MIT
#include "cd_row_refs.h"

static bool visit_field(const cd_field *field, const cd_rows *rows, int32_t row, cd_visit_row *visit, void *context)
{
    if (field->target == CD_REC_UNKNOWN)
        return true;
    if (field->depth == 1) {
        const cd_list *list = cd_field_list(field, rows);
        for (int32_t k = list->offset ? list->offset[row] : 0; list->offset && k < list->offset[row + 1]; k++)
            if (!visit(context, field->target, list->i32[k]))
                return false;
        return true;
    }
    const int32_t *column = *cd_field_column(field, rows);
    int32_t value = column ? column[field->type == CD_TYPE_SITE ? 2 * row : row] : -1;
    return value < 0 || visit(context, field->target, value);
}

bool cd_row_visit_refs(cd_record_type type, const cd_rows *rows, int32_t row, cd_visit_row *visit, void *context)
{
    for (int32_t f = 0; f < cd_records[type].field_count; f++)
        if (!visit_field(&cd_records[type].field[f], rows, row, visit, context))
            return false;
    return true;
}

void cd_rows_renumber(cd_record_type type, cd_rows *rows, int32_t *const place[CD_REC_COUNT])
{
    for (int32_t f = 0; f < cd_records[type].field_count; f++) {
        const cd_field *field = &cd_records[type].field[f];
        const int32_t *of = field->target == CD_REC_UNKNOWN ? NULL : place[field->target];
        if (!of)
            continue;
        if (field->depth == 1) {
            cd_list *list = cd_field_list(field, rows);
            for (int32_t k = 0; list->offset && k < list->offset[rows->count]; k++)
                list->i32[k] = of[list->i32[k]];
            continue;
        }
        int32_t *column = *cd_field_column(field, rows), stride = field->type == CD_TYPE_SITE ? 2 : 1;
        for (int32_t i = 0; column && i < rows->count; i++)
            if (column[stride * i] >= 0)
                column[stride * i] = of[column[stride * i]];
    }
}
