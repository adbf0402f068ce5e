// SPDX-License-Identifier: MIT
#include "cd_columns.h"

#include "cd_assert.h"
#include "cd_rows.h"

#include <inttypes.h>

const char *const cd_column_base_name[CD_COLUMN_BASE_END] = {"",     "f64",  "i32",  "i64",     "bool",
                                                             "text", "word", "json", "feature", "site"};
static const uint8_t base_size[CD_COLUMN_BASE_END] = {0, 8, 4, 8, 1, 0, 1, 0, 4, 4};

cd_column_base cd_column_stored_base(const cd_field *field)
{
    switch (field->kind) {
    case CD_KIND_NUMBER:
        return CD_COLUMN_F64;
    case CD_KIND_INTEGER:
    case CD_KIND_REFERENCE:
        return CD_COLUMN_I32;
    case CD_KIND_ID:
        return CD_COLUMN_I64;
    case CD_KIND_BOOL:
        return CD_COLUMN_BOOL;
    case CD_KIND_TEXT:
        return CD_COLUMN_TEXT;
    case CD_KIND_WORD:
        return CD_COLUMN_WORD;
    case CD_KIND_JSON:
        return CD_COLUMN_JSON;
    case CD_KIND_FEATURE:
        return CD_COLUMN_FEATURE;
    case CD_KIND_SITE:
        return CD_COLUMN_SITE;
    }
    CD_ASSERT(!"no such kind");
    return CD_COLUMN_BASE_END;
}

const char *cd_column_target_name(const cd_field *field)
{
    return field->target == CD_REC_UNKNOWN ? "" : cd_records[field->target].name;
}

// The unread bytes of one column. Parts start 8-byte aligned and end in zeros up to the next multiple of 8.
typedef struct part_reader {
    const unsigned char *at;
    size_t left;
} part_reader;

// The next `bytes` bytes, NULL when they are not there or are not padded with zeros.
static const void *take(part_reader *reader, uint64_t bytes)
{
    if (bytes > reader->left || cd_padded(bytes) > reader->left)
        return NULL;
    const unsigned char *part = reader->at;
    for (size_t i = bytes; i < cd_padded(bytes); i++)
        if (part[i])
            return NULL;
    reader->at += cd_padded(bytes);
    reader->left -= cd_padded(bytes);
    return part;
}

static cd_status short_part(const cd_column *column, const char *part, cd_diag *diag)
{
    return cd_fail(diag, CD_ERR_FORMAT, "%s: %s: past the column's bytes, or not padded with zeros", column->name,
                   part);
}

// count + 1 offsets from 0, nondecreasing. Blocks of a fixed length without a branch: what gcc vectorises at -O2.
static bool are_offsets(const int32_t *offset, size_t count)
{
    enum { BLOCK = 16 };
    int32_t bad = offset[0];
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            bad |= offset[i + k + 1] < offset[i + k];
    for (; i < count; i++)
        bad |= offset[i + 1] < offset[i];
    return bad == 0;
}

static bool is_ascii_without_nul(const unsigned char *byte, size_t count)
{
    enum { BLOCK = 64 };
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK) {
        unsigned char bad = 0;
        for (size_t k = 0; k < BLOCK; k++)
            bad |= (unsigned char)((byte[i + k] == 0) | (byte[i + k] >> 7));
        if (bad)
            return false;
    }
    for (; i < count; i++)
        if ((unsigned char)(byte[i] - 1) >= 0x7f)
            return false;
    return true;
}

// ---- texts ---------------------------------------------------------------------------------------------------------

// Well-formed sequences of Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above U+10FFFF; and no NUL.
static bool is_text(const unsigned char *byte, size_t length)
{
    for (size_t i = 0; i < length;) {
        unsigned char first = byte[i];
        if (first < 0x80) {
            if (!first)
                return false;
            i++;
            continue;
        }
        size_t more = first >= 0xc2 && first <= 0xdf   ? 1
                      : first >= 0xe0 && first <= 0xef ? 2
                      : first >= 0xf0 && first <= 0xf4 ? 3
                                                       : 0;
        if (!more || length - i <= more)
            return false;
        unsigned char least = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        unsigned char most = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        if (byte[i + 1] < least || byte[i + 1] > most)
            return false;
        for (size_t k = 2; k <= more; k++)
            if ((byte[i + k] & 0xc0) != 0x80)
                return false;
        i += more + 1;
    }
    return true;
}

// A table of `count` texts: i32 offset[count + 1], then the bytes; one part.
static cd_status take_texts(part_reader *reader, const cd_column *column, size_t before, size_t count,
                            const int32_t **offset, const char **text, cd_diag *diag)
{
    size_t head = before + (count + 1) * sizeof(int32_t);
    if (count > reader->left / sizeof(int32_t) || head > reader->left)
        return short_part(column, "text table", diag);
    *offset = (const int32_t *)(reader->at + before);
    if (!are_offsets(*offset, count))
        return cd_fail(diag, CD_ERR_FORMAT, "%s: text offsets do not rise from 0", column->name);
    size_t length = (size_t)(*offset)[count];
    const char *part = take(reader, head + length);
    if (!part)
        return short_part(column, "text", diag);
    *text = part + head;
    const unsigned char *byte = (const unsigned char *)*text;
    bool is_ascii = is_ascii_without_nul(byte, length);
    for (size_t i = 0; !is_ascii && i < count; i++)
        if (!is_text(byte + (*offset)[i], (size_t)((*offset)[i + 1] - (*offset)[i])))
            return cd_fail(diag, CD_ERR_FORMAT, "%s: text %zu is not UTF-8 without NUL", column->name, i);
    return CD_OK;
}

static cd_status take_dictionary(part_reader *reader, cd_column *column, cd_diag *diag)
{
    uint32_t count;
    if (reader->left < sizeof count)
        return short_part(column, "dictionary", diag);
    memcpy(&count, reader->at, sizeof count);
    if (count > CD_WORDS_MOST)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: %" PRIu32 " words; a dictionary has at most %d", column->name, count,
                       CD_WORDS_MOST);
    column->word_count = (int32_t)count;
    return take_texts(reader, column, sizeof count, count, &column->word_offset, &column->word, diag);
}

// ---- one column ----------------------------------------------------------------------------------------------------

// Without a branch: most columns with a mask have one number of four or eight bytes a row.
static bool absent_words_are_zero(const unsigned char *number, size_t size, const uint8_t *mask, int32_t row_count)
{
    uint64_t used = 0;
    for (int32_t i = 0; i < row_count && size == sizeof(uint64_t); i++) {
        uint64_t word;
        memcpy(&word, number + (size_t)i * sizeof word, sizeof word);
        used |= word & ((uint64_t)mask[i] - 1);
    }
    for (int32_t i = 0; i < row_count && size == sizeof(uint32_t); i++) {
        uint32_t word;
        memcpy(&word, number + (size_t)i * sizeof word, sizeof word);
        used |= word & ((uint32_t)mask[i] - 1);
    }
    return !used;
}

// Masked rows hold zeros: a column has one encoding, and nothing hides behind a mask.
static bool absent_rows_are_zero(const cd_column *column, int32_t row_count)
{
    size_t size = column->number ? (size_t)column->width * base_size[column->base] : 0;
    const unsigned char *number = column->number;
    if (size == sizeof(uint32_t) || size == sizeof(uint64_t))
        return absent_words_are_zero(number, size, column->mask, row_count);
    for (int32_t i = 0; i < row_count; i++) {
        if (column->mask[i])
            continue;
        unsigned char used = 0;
        for (size_t k = 0; k < size; k++)
            used |= number[(size_t)i * size + k];
        for (int k = 0; column->text_offset && k < column->width; k++) {
            const int32_t *offset = column->text_offset + (size_t)i * (size_t)column->width + (size_t)k;
            used |= offset[1] != offset[0];
        }
        if (used)
            return false;
    }
    return true;
}

// The largest of the bytes; 0 of none.
static unsigned largest_byte(const unsigned char *byte, size_t count)
{
    enum { BLOCK = 64 };
    unsigned char largest = 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            largest = byte[i + k] > largest ? byte[i + k] : largest;
    for (; i < count; i++)
        largest = byte[i] > largest ? byte[i] : largest;
    return largest;
}

static cd_status take_lists(part_reader *reader, cd_column *column, int32_t row_count, cd_diag *diag)
{
    column->items = (size_t)row_count;
    if (column->depth >= 1) {
        column->offset = take(reader, ((uint64_t)row_count + 1) * sizeof(int32_t));
        if (!column->offset)
            return short_part(column, "list table", diag);
        if (!are_offsets(column->offset, (size_t)row_count))
            return cd_fail(diag, CD_ERR_FORMAT, "%s: list offsets do not rise from 0", column->name);
        column->items = (size_t)column->offset[row_count];
    }
    if (column->depth == 2) {
        size_t lists = column->items;
        column->inner = take(reader, ((uint64_t)lists + 1) * sizeof(int32_t));
        if (!column->inner)
            return short_part(column, "inner list table", diag);
        if (!are_offsets(column->inner, lists))
            return cd_fail(diag, CD_ERR_FORMAT, "%s: inner list offsets do not rise from 0", column->name);
        column->items = (size_t)column->inner[lists];
    }
    return CD_OK;
}

static cd_status take_numbers(part_reader *reader, cd_column *column, cd_diag *diag)
{
    // items < 2^31, width < 2^16, size <= 8: the product stays below 2^50
    size_t count = column->items * (size_t)column->width;
    if (column->base == CD_COLUMN_TEXT || column->base == CD_COLUMN_JSON)
        return take_texts(reader, column, 0, count, &column->text_offset, &column->text, diag);
    if (column->base == CD_COLUMN_WORD)
        CD_TRY(take_dictionary(reader, column, diag));
    column->number = take(reader, (uint64_t)count * base_size[column->base]);
    if (!column->number)
        return short_part(column, "numbers", diag);
    if (column->base == CD_COLUMN_BOOL && largest_byte(column->number, count) > 1)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: a truth value is neither 0 nor 1", column->name);
    if (column->base == CD_COLUMN_WORD && count && largest_byte(column->number, count) >= (unsigned)column->word_count)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: a word code above the dictionary's %d words", column->name,
                       column->word_count);
    return CD_OK;
}

static cd_status open_parts(part_reader reader, bool has_mask, int32_t row_count, cd_column *column, cd_diag *diag)
{
    if (has_mask) {
        column->mask = take(&reader, (uint64_t)row_count);
        if (!column->mask)
            return short_part(column, "mask", diag);
        if (largest_byte(column->mask, (size_t)row_count) > 1)
            return cd_fail(diag, CD_ERR_FORMAT, "%s: a mask byte is neither 0 nor 1", column->name);
    }
    CD_TRY(take_lists(&reader, column, row_count, diag));
    CD_TRY(take_numbers(&reader, column, diag));
    if (reader.left)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: %zu bytes too many", column->name, reader.left);
    if (column->mask && !absent_rows_are_zero(column, row_count))
        return cd_fail(diag, CD_ERR_FORMAT, "%s: an absent row is not zero", column->name);
    return CD_OK;
}

// ---- the directory -------------------------------------------------------------------------------------------------

// Copies a NUL-padded name of letters, digits, '_', '-', '.', the first a letter. `size` bytes, no NUL when all are
// used.
static bool copy_name(const unsigned char *bytes, size_t size, char *name)
{
    static const unsigned char zeros[CD_COLUMN_NAME + CD_COLUMN_TARGET];
    size_t length = strnlen((const char *)bytes, size);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = bytes[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool is_other = (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        if (!is_letter && (i == 0 || !is_other))
            return false;
    }
    if (memcmp(bytes + length, zeros, size - length) != 0)
        return false;
    memcpy(name, bytes, length);
    name[length] = '\0';
    return true;
}

// What the entry says of itself, before its data is looked at.
static cd_status read_entry(const unsigned char *entry, cd_column *column, bool *has_mask, cd_diag *diag)
{
    *column = (cd_column){0};
    if (!copy_name(entry, CD_COLUMN_NAME, column->name) || !column->name[0])
        return cd_fail(diag, CD_ERR_FORMAT, "a column's name is not one of letters, digits, '_', '-' and '.'");
    if (!copy_name(entry + 24, CD_COLUMN_TARGET, column->target))
        return cd_fail(diag, CD_ERR_FORMAT, "%s: its target is no table name", column->name);
    unsigned base = entry[40], depth = entry[41], width = entry[42] | (unsigned)entry[43] << 8, mask = entry[44];
    if (base == 0 || base >= CD_COLUMN_BASE_END)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: base type %u", column->name, base);
    column->base = (cd_column_base)base;
    column->depth = (int)depth;
    column->width = (int)width;
    *has_mask = mask != 0;
    if (depth > 2 || width == 0 || mask > 1 || entry[45] || entry[46] || entry[47])
        return cd_fail(diag, CD_ERR_FORMAT, "%s: its directory entry has depth %u, width %u, mask %u", column->name,
                       depth, width, mask);
    if (mask && depth)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: a list column has no mask", column->name);
    if (base == CD_COLUMN_JSON && (depth || width != 1))
        return cd_fail(diag, CD_ERR_FORMAT, "%s: a json column has depth 0 and width 1", column->name);
    if (base == CD_COLUMN_SITE && (width != 2 || !column->target[0]))
        return cd_fail(diag, CD_ERR_FORMAT, "%s: a site has width 2 and a target", column->name);
    if (column->target[0] && base != CD_COLUMN_SITE && base != CD_COLUMN_I32)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: only i32 and site columns have a target", column->name);
    if (!strcmp(column->name, "type"))
        return cd_fail(diag, CD_ERR_FORMAT, "type: no column may have this name");
    if (!strcmp(column->name, "json") && base != CD_COLUMN_JSON)
        return cd_fail(diag, CD_ERR_FORMAT, "json: wanted base json");
    return CD_OK;
}

cd_status cd_columns_open(cd_arena *arena, cd_payload payload, cd_column **columns, int32_t *count, cd_diag *diag)
{
    const unsigned char *bytes = payload.bytes;
    size_t size = payload.size;
    int32_t row_count = payload.row_count;
    uint32_t head[2];
    if (row_count < 0 || size < sizeof head)
        return cd_fail(diag, CD_ERR_FORMAT, "a payload of %zu bytes has no directory", size);
    memcpy(head, bytes, sizeof head);
    // Every column takes at least a byte a row; without columns nothing would bound what few bytes announce.
    if (head[0] == 0 && row_count > CD_BARE_ROWS_MOST)
        return cd_fail(diag, CD_ERR_LIMIT, "%" PRId32 " rows without columns; a block has at most %d", row_count,
                       CD_BARE_ROWS_MOST);
    if (head[0] > CD_COLUMNS_MOST)
        return cd_fail(diag, CD_ERR_FORMAT, "%" PRIu32 " columns; a block has at most %d", head[0], CD_COLUMNS_MOST);
    size_t place = CD_PAYLOAD_HEAD_SIZE + (size_t)head[0] * CD_COLUMN_ENTRY_SIZE;
    if (head[1])
        return cd_fail(diag, CD_ERR_FORMAT, "the reserved word of the directory is not zero");
    if (place > size)
        return cd_fail(diag, CD_ERR_FORMAT, "the directory of %" PRIu32 " columns does not fit in %zu bytes", head[0],
                       size);
    *count = (int32_t)head[0];
    *columns = CD_ARENA_ARRAY(arena, cd_column, *count);
    for (int32_t i = 0; i < *count; i++) {
        const unsigned char *entry = bytes + CD_PAYLOAD_HEAD_SIZE + (size_t)i * CD_COLUMN_ENTRY_SIZE;
        cd_column *column = &(*columns)[i];
        bool has_mask = false;
        CD_TRY(read_entry(entry, column, &has_mask, diag));
        for (int32_t k = 0; k < i; k++)
            if (cd_column_has_name(&(*columns)[k], column->name))
                return cd_fail(diag, CD_ERR_FORMAT, "%s: two columns of this name", column->name);
        uint64_t length, offset;
        memcpy(&length, entry + 48, sizeof length);
        memcpy(&offset, entry + 56, sizeof offset);
        if (offset != place || length > size - place || length % 8)
            return cd_fail(diag, CD_ERR_FORMAT,
                           "%s: %" PRIu64 " bytes at %" PRIu64 "; wanted a multiple of 8 at %zu, before %zu",
                           column->name, length, offset, place, size);
        CD_TRY(open_parts((part_reader){bytes + place, (size_t)length}, has_mask, row_count, column, diag));
        place += (size_t)length;
    }
    if (place != size)
        return cd_fail(diag, CD_ERR_FORMAT, "%zu bytes behind the last column", size - place);
    return CD_OK;
}

const char **cd_column_texts(cd_arena *arena, const cd_column *column)
{
    size_t count = column->items * (size_t)column->width;
    const char **texts = CD_ARENA_ARRAY(arena, const char *, count);
    char *copy = cd_arena_alloc(arena, (size_t)column->text_offset[count] + count);
    for (size_t i = 0; i < count; i++) {
        size_t first = (size_t)column->text_offset[i], length = (size_t)column->text_offset[i + 1] - first;
        texts[i] = column->mask && !column->mask[i] ? NULL : copy;
        memcpy(copy, column->text + first, length);
        copy[length] = '\0';
        copy += length + 1;
    }
    return texts;
}
