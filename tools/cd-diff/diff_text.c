// SPDX-License-Identifier: MIT
#include "diff_text.h"

void cd_diff_print_tamed(const char *text, cd_buffer *out)
{
    for (const char *c = text; *c; c++)
        cd_buffer_append(out, (unsigned char)*c < 0x20 || *c == 0x7f ? "?" : c, 1);
}

const char *cd_diff_unit(cd_arena *arena, const cd_field *field)
{
    const char *doc = field ? field->doc : "", *end = strchr(doc, ']');
    return doc[0] == '[' && end ? cd_arena_text(arena, doc + 1, (size_t)(end - doc) - 1) : "";
}

const char *cd_diff_member_title(cd_arena *arena, const char *member, const cd_field *field)
{
    const char *unit = cd_diff_unit(arena, field);
    return *unit ? cd_arena_printf(arena, "%s [%s]", member, unit) : member;
}
