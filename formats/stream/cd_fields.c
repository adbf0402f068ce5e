// SPDX-License-Identifier: MIT
#include "cd_fields.h"

#include "cd_codec.h"
#include "cd_records.h"

#include <math.h>

// How a field's value looks in JSON.
static const char *form(const cd_field *field)
{
    switch (field->type) {
    case CD_TYPE_I32:
    case CD_TYPE_I64:
        return "integer";
    case CD_TYPE_F64:
        return "number";
    case CD_TYPE_BOOL:
        return "true or false";
    case CD_TYPE_ENUM:
        return "word";
    case CD_TYPE_STR:
        return "text";
    case CD_TYPE_JSON:
        return "any value";
    case CD_TYPE_REF:
        return "id";
    case CD_TYPE_SITE:
        return "[body id, part]";
    case CD_TYPE_I32X2:
        return "[integer, integer]";
    case CD_TYPE_FEATX2:
        return "[feature, feature]";
    case CD_TYPE_VEC:
        return "vector";
    case CD_TYPE_ROT:
        return "rotation";
    case CD_TYPE_SPIN:
        return "spin";
    case CD_TYPE_INERTIA:
        return "inertia";
    case CD_TYPE_F64S:
        return "numbers";
    case CD_TYPE_I32S:
        return "integers";
    case CD_TYPE_REFS:
        return "ids";
    case CD_TYPE_STRS:
        return "texts";
    case CD_TYPE_VECS:
        return "vectors";
    case CD_TYPE_ROTS:
        return "rotations";
    case CD_TYPE_TUP2:
        return "[integer, integer] list";
    case CD_TYPE_TUP3:
        return "[integer, integer, integer] list";
    case CD_TYPE_FACES:
        return "lists of integers";
    }
    return "";
}

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
    static const char *const range[] = {"", "; > 0", "; >= 0", "; unit length within 1e-9", "; may be infinite"};
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
            cd_buffer_printf(out, "  %-16s %-20s ", field->name, form(field));
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
            cd_buffer_printf(out, ".It Va %s\n%s, ", field->name, form(field));
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
