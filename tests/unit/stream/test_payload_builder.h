// A second writer of the binary layout, made by hand from STREAM.md and sharing no code with formats/: payloads good
// and bad.
// SPDX-License-Identifier: MIT
#ifndef TEST_PAYLOAD_BUILDER_H
#define TEST_PAYLOAD_BUILDER_H

#include "cd_memory.h"

#include <stdbool.h>

typedef struct payload_builder {
    cd_buffer directory, data;
    uint32_t columns;
    size_t column_start;
} payload_builder;

enum { B_F64 = 1, B_I32, B_I64, B_BOOL, B_TEXT, B_WORD, B_JSON, B_FEATURE, B_SITE };

static inline void builder_part(payload_builder *b, const void *bytes, size_t size)
{
    static const char zeros[8] = {0};
    cd_buffer_append(&b->data, bytes, size);
    cd_buffer_append(&b->data, zeros, (8 - b->data.size % 8) % 8);
}

// Closes the column whose parts were appended since the last one. Offsets are patched by builder_finish.
static inline void builder_column(payload_builder *b, const char *name, const char *target, int base, int depth,
                                  int width, bool has_mask)
{
    unsigned char entry[64] = {0};
    uint64_t place[2] = {b->data.size - b->column_start, b->column_start};
    memcpy(entry, name, strlen(name));
    memcpy(entry + 24, target, strlen(target));
    entry[40] = (unsigned char)base;
    entry[41] = (unsigned char)depth;
    entry[42] = (unsigned char)(width & 255);
    entry[43] = (unsigned char)(width >> 8);
    entry[44] = has_mask;
    memcpy(entry + 48, place, sizeof place);
    cd_buffer_append(&b->directory, entry, sizeof entry);
    b->columns++;
    b->column_start = b->data.size;
}

static inline void builder_numbers(payload_builder *b, const char *name, int base, int width, const void *bytes,
                                   size_t size)
{
    builder_part(b, bytes, size);
    builder_column(b, name, "", base, 0, width, false);
}

// i32 offset[count + 1] and the texts, one part; a word column's dictionary has the count in front.
static inline void builder_texts(payload_builder *b, const char *const *text, int32_t count, bool is_dictionary)
{
    cd_buffer part = {0};
    if (is_dictionary)
        cd_buffer_append(&part, &count, sizeof count);
    int32_t offset = 0;
    cd_buffer_append(&part, &offset, sizeof offset);
    for (int32_t i = 0; i < count; i++) {
        offset += (int32_t)strlen(text[i]);
        cd_buffer_append(&part, &offset, sizeof offset);
    }
    for (int32_t i = 0; i < count; i++)
        cd_buffer_text(&part, text[i]);
    builder_part(b, part.data, part.size);
    cd_buffer_release(&part);
}

// The payload; the builder is empty afterwards. @owns caller (cd_buffer_release)
static inline cd_buffer builder_finish(payload_builder *b)
{
    cd_buffer out = {0};
    uint32_t head[2] = {b->columns, 0};
    cd_buffer_append(&out, head, sizeof head);
    for (uint32_t i = 0; i < b->columns; i++) {
        uint64_t offset;
        memcpy(&offset, b->directory.data + 64 * (size_t)i + 56, sizeof offset);
        offset += 8 + 64 * (uint64_t)b->columns;
        memcpy(b->directory.data + 64 * (size_t)i + 56, &offset, sizeof offset);
    }
    cd_buffer_append(&out, b->directory.data, b->directory.size);
    cd_buffer_append(&out, b->data.data, b->data.size);
    cd_buffer_release(&b->directory);
    cd_buffer_release(&b->data);
    *b = (payload_builder){0};
    return out;
}

#endif
