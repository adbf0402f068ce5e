// The table of fields as text, made from records.def: what cd-stream(5) lists.
// SPDX-License-Identifier: MIT
#include "view_run.h"

#include <math.h>
#include <stdio.h>

static const char *type_name(cd_field_type type)
{
    static const char *const names[] = {
        [CD_TYPE_I32] = "integer", [CD_TYPE_I64] = "integer", [CD_TYPE_F64] = "number", [CD_TYPE_BOOL] = "boolean", [CD_TYPE_ENUM] = "word",
        [CD_TYPE_STR] = "text", [CD_TYPE_JSON] = "any value", [CD_TYPE_REF] = "reference", [CD_TYPE_SITE] = "[body,part]",
        [CD_TYPE_I32X2] = "[integer,integer]", [CD_TYPE_FEATX2] = "[feature,feature]", [CD_TYPE_VEC] = "vector", [CD_TYPE_ROT] = "rotation",
        [CD_TYPE_SPIN] = "spin", [CD_TYPE_INERTIA] = "inertia", [CD_TYPE_F64S] = "numbers", [CD_TYPE_I32S] = "integers",
        [CD_TYPE_REFS] = "references", [CD_TYPE_STRS] = "texts", [CD_TYPE_VECS] = "vectors", [CD_TYPE_ROTS] = "rotations",
        [CD_TYPE_TUP2] = "integer pairs", [CD_TYPE_TUP3] = "integer triples", [CD_TYPE_FACES] = "lists of integers"};
    return names[type];
}

static void print_words(cd_buffer *out, const cd_vocab *vocab)
{
    for (int32_t i = 0; i < vocab->count; i++)
        cd_buffer_printf(out, "%s%s", i ? "|" : "", vocab->word[i]);
}

static void print_need(cd_buffer *out, const cd_field *field)
{
    char text[32];
    if (field->required)
        snprintf(text, sizeof text, "required");
    else if (isnan(field->default_value))
        text[0] = '\0';
    else if (field->type == CD_TYPE_ENUM)
        snprintf(text, sizeof text, "= %s", field->vocab->word[(int)field->default_value]);
    else
        snprintf(text, sizeof text, "= %g", field->default_value);
    cd_buffer_printf(out, "%-12s", text);
}

static void print_field(cd_buffer *out, const cd_field *field)
{
    static const char *const ranges[] = {
        [CD_RANGE_ANY] = "", [CD_RANGE_POS] = "; > 0", [CD_RANGE_NONNEG] = "; >= 0", [CD_RANGE_UNIT] = "", [CD_RANGE_BOUND] = "; may be infinite"};
    cd_buffer_printf(out, "    %-15s ", field->name);
    print_need(out, field);
    cd_buffer_printf(out, " %s", type_name(field->type));
    if (field->target != CD_REC_UNKNOWN && field->type != CD_TYPE_SITE)
        cd_buffer_printf(out, " to %s", cd_records[field->target].name);
    cd_buffer_text(out, "; ");
    if (field->vocab) {
        print_words(out, field->vocab);
        cd_buffer_text(out, "; ");
    }
    cd_buffer_printf(out, "%s%s\n", field->doc, field->type == CD_TYPE_ROT && field->range == CD_RANGE_UNIT ? "" : ranges[field->range]);
}

cd_status cd_view_run_fields(cd_ctx *ctx)
{
    cd_buffer out = {0};
    for (int type = 0; type < CD_REC_COUNT; type++) {
        const cd_record *record = &cd_records[type];
        cd_buffer_printf(&out, "%s%s (%s): %s\n", type ? "\n" : "", record->name, record->is_head ? "once" : "per frame", record->doc);
        for (int32_t f = 0; f < record->field_count; f++)
            print_field(&out, &record->field[f]);
    }
    cd_status status = cd_write_text(ctx, out.data, out.size);
    cd_buffer_release(&out);
    return status;
}
