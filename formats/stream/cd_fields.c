// SPDX-License-Identifier: MIT
#include "cd_fields.h"

#include "cd_codec.h"
#include "cd_records.h"

#include <math.h>

static void append_default(const cd_field *field, cd_buffer *out)
{
    if (field->required) {
        cd_buffer_text(out, "required");
        return;
    }
    cd_buffer_text(out, "optional");
    if (isnan(field->default_value))
        return;
    if (field->type == CD_TYPE_ENUM) {
        cd_buffer_printf(out, ", default %s", field->vocab->word[(int)field->default_value]);
    } else if (field->type == CD_TYPE_ROT) {
        cd_buffer_text(out, ", default no rotation");
    } else {
        char number[CD_NUMBER_MAX];
        cd_buffer_text(out, ", default ");
        cd_buffer_append(out, number, (size_t)cd_number_print(field->default_value, number));
    }
}

// "words a, b, c" and what the range demands.
static void append_limits(const cd_field *field, cd_buffer *out)
{
    static const char *const range[] = {
        [CD_RANGE_ANY] = "",
        [CD_RANGE_POS] = "; > 0",
        [CD_RANGE_NONNEG] = "; >= 0",
        [CD_RANGE_UNIT] = "; unit length within 1e-9",
        [CD_RANGE_BOUND] = "; may be infinite",
        [CD_RANGE_MOMENTS] = "; moments > 0",
    };
    cd_buffer_text(out, range[field->range]);
    if (field->vocab) {
        cd_buffer_text(out, "; one of ");
        for (int32_t i = 0; i < field->vocab->count; i++)
            cd_buffer_printf(out, "%s%s", i ? ", " : "", field->vocab->word[i]);
    }
    if (field->target != CD_REC_UNKNOWN && field->type != CD_TYPE_SITE)
        cd_buffer_printf(out, "; refers to %s", cd_records[field->target].name);
}

void cd_fields_text(cd_buffer *out)
{
    for (int r = 0; r < CD_REC_COUNT; r++) {
        const cd_record *record = &cd_records[r];
        cd_buffer_printf(out, "%s%s (%s): %s\n", r ? "\n" : "", record->name, record->is_head ? "head" : "per frame",
                         record->doc);
        for (int32_t f = 0; f < record->field_count; f++) {
            const cd_field *field = &record->field[f];
            cd_buffer_printf(out, "  %-16s %-20s ", field->name, field->form);
            append_default(field, out);
            append_limits(field, out);
            cd_buffer_printf(out, ". %s\n", field->doc);
        }
    }
}

// mdoc takes a leading dot or quote for a request, and a backslash for an escape.
static void append_mdoc(cd_buffer *out, const char *text)
{
    for (const char *c = text; *c; c++)
        cd_buffer_text(out, *c == '\\' ? "\\e" : (char[2]){*c, '\0'});
}

void cd_fields_mdoc(cd_buffer *out)
{
    for (int r = 0; r < CD_REC_COUNT; r++) {
        const cd_record *record = &cd_records[r];
        cd_buffer_printf(out, ".Ss %s\n%s: ", record->name, record->is_head ? "In the head" : "Per frame");
        append_mdoc(out, record->doc);
        cd_buffer_text(out, ".\n.Bl -tag -compact -width applicability\n");
        for (int32_t f = 0; f < record->field_count; f++) {
            const cd_field *field = &record->field[f];
            cd_buffer_printf(out, ".It Va %s\n%s, ", field->name, field->form);
            append_default(field, out);
            append_limits(field, out);
            cd_buffer_text(out, ".\n");
            if (field->doc[0] == '[' || field->doc[0] == '.' || field->doc[0] == '\'')
                cd_buffer_text(out, "\\&");
            append_mdoc(out, field->doc);
            cd_buffer_text(out, ".\n");
        }
        cd_buffer_text(out, ".El\n");
    }
}
