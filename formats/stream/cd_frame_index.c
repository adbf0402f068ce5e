// SPDX-License-Identifier: MIT
#include "cd_frame_index.h"

#include "cd_columns.h"
#include "cd_crc32.h"

#include <sys/stat.h>
#include <unistd.h>

// The payload is one row with one column, a list of n items of four i64: index, place, sequence, CRC-32 of row number,
// index, place and sequence. So everything but n is at a known place, and the block's size follows from n.
enum {
    ITEM_NUMBERS = 4,
    ITEM_BYTES = 32,
    LISTS_BYTES = 8,  // i32 0, i32 n
    BEFORE_ITEMS = CD_PAYLOAD_HEAD_SIZE + CD_COLUMN_ENTRY_SIZE + LISTS_BYTES,
    TAIL_BYTES = 512,  // [bytes] read at the end of a file to find the block `end`, which has some 200
};

static const char index_type[] = "frame_index", column_name[] = "frames";

bool cd_frame_index_is(const cd_block_header *header)
{
    return !header->flags && header->row_count == 1 && !strcmp(header->type, index_type);
}

static uint32_t check_of(int64_t row, const cd_frame_place *place)
{
    int64_t sealed[ITEM_NUMBERS] = {row, place->index, place->place, place->sequence};
    return cd_crc32(0, sealed, sizeof sealed);
}

static void make_payload_head(int32_t count, unsigned char head[BEFORE_ITEMS])
{
    memset(head, 0, BEFORE_ITEMS);
    const uint32_t columns = 1;
    const uint64_t size[2] = {LISTS_BYTES + (uint64_t)count * ITEM_BYTES, CD_PAYLOAD_HEAD_SIZE + CD_COLUMN_ENTRY_SIZE};
    unsigned char *entry = head + CD_PAYLOAD_HEAD_SIZE;
    memcpy(head, &columns, sizeof columns);
    memcpy(entry, column_name, sizeof column_name);
    entry[40] = CD_COLUMN_I64;
    entry[41] = 1;
    entry[42] = ITEM_NUMBERS;
    memcpy(entry + 48, size, sizeof size);
    memcpy(entry + CD_COLUMN_ENTRY_SIZE + 4, &count, sizeof count);
}

void cd_frame_index_write(const cd_frame_place *place, int32_t count, uint32_t sequence, cd_buffer *out)
{
    unsigned char head[BEFORE_ITEMS];
    make_payload_head(count, head);
    size_t start = cd_block_open(out);
    cd_buffer_append(out, head, sizeof head);
    for (int32_t i = 0; i < count; i++) {
        int64_t item[ITEM_NUMBERS] = {place[i].index, place[i].place, place[i].sequence, check_of(i, &place[i])};
        cd_buffer_append(out, item, sizeof item);
    }
    cd_block_close((cd_block_label){index_type, 0, sequence, 1}, out, start);
}

// ---- reading -------------------------------------------------------------------------------------------------------

static bool read_at(cd_frame_index *index, int64_t place, void *into, size_t size)
{
    if (place < 0 || pread(index->fd, into, size, place) != (ssize_t)size)
        return false;
    index->bytes_read += (int64_t)size;
    return true;
}

static bool read_header(cd_frame_index *index, int64_t place, const cd_limits *limits, cd_block_header *header)
{
    unsigned char bytes[CD_BLOCK_HEADER_SIZE];
    return read_at(index, place, bytes, sizeof bytes) && cd_block_header_read(bytes, limits, header, NULL) == CD_OK;
}

// The number of frames that the block `end` announces, 0 when these bytes, up to the end of the file, are no such
// block.
static int64_t frames_of_end(const unsigned char *bytes, size_t size, const cd_limits *limits, uint32_t *sequence)
{
    cd_block_header header;
    if (cd_block_header_read(bytes, limits, &header, NULL) != CD_OK || strcmp(header.type, "end") != 0 ||
        header.row_count != 1 || header.stored_size != size - CD_BLOCK_HEADER_SIZE)
        return 0;
    const unsigned char *stored = bytes + CD_BLOCK_HEADER_SIZE;
    if (cd_crc32(0, stored, (size_t)header.stored_size) != header.payload_crc)
        return 0;
    cd_arena arena = {0};
    void *aligned = cd_arena_alloc(&arena, (size_t)header.stored_size);
    memcpy(aligned, stored, (size_t)header.stored_size);
    const void *raw;
    cd_end_rows end;
    memset(&end, 0, sizeof end);
    cd_row_form form = {&cd_records[CD_REC_end], 2, NULL};
    bool is_good =
        cd_block_unpack(&arena, &header, aligned, &raw, NULL) == CD_OK &&
        cd_columns_decode(&arena, form, (cd_payload){raw, (size_t)header.raw_size, 1}, (cd_rows *)&end, NULL) == CD_OK;
    int64_t frames = is_good && end.frames ? end.frames[0] : 0;
    *sequence = header.sequence;
    cd_arena_release(&arena);
    return frames;
}

// The place of `end` and the number of frames.
static bool find_end(cd_frame_index *index, int64_t file_size, const cd_limits *limits, int64_t *frames)
{
    unsigned char tail[TAIL_BYTES];
    size_t size = file_size < TAIL_BYTES ? (size_t)file_size : TAIL_BYTES;
    if (!read_at(index, file_size - (int64_t)size, tail, size))
        return false;
    for (size_t at = 0; at + CD_BLOCK_HEADER_SIZE < size; at++) {
        if (memcmp(tail + at, "CDBK", 4) != 0)
            continue;
        *frames = frames_of_end(tail + at, size - at, limits, &index->sequence);
        if (*frames <= 0)
            continue;
        index->sequence--;
        index->end_at = file_size - (int64_t)(size - at);
        return *frames <= CD_FRAME_INDEX_MOST;
    }
    return false;
}

bool cd_frame_index_find(int fd, const cd_limits *limits, cd_frame_index *index)
{
    *index = (cd_frame_index){.fd = fd};
    struct stat info;
    int64_t frames = 0;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || !find_end(index, info.st_size, limits, &frames))
        return false;
    index->frames = (int32_t)frames;
    int64_t size = BEFORE_ITEMS + frames * ITEM_BYTES;
    index->start = index->end_at - CD_BLOCK_HEADER_SIZE - size;
    index->rows_at = index->end_at - frames * ITEM_BYTES;
    cd_block_header header;
    unsigned char wanted[BEFORE_ITEMS], found[BEFORE_ITEMS];
    make_payload_head(index->frames, wanted);
    return read_header(index, index->start, limits, &header) && cd_frame_index_is(&header) &&
           header.sequence == index->sequence && header.stored_size == (uint64_t)size &&
           read_at(index, index->start + CD_BLOCK_HEADER_SIZE, found, sizeof found) &&
           !memcmp(found, wanted, sizeof wanted);
}

bool cd_frame_index_row(cd_frame_index *index, int32_t row, cd_frame_place *place)
{
    int64_t item[ITEM_NUMBERS];
    if (!read_at(index, index->rows_at + (int64_t)row * ITEM_BYTES, item, sizeof item))
        return false;
    *place = (cd_frame_place){item[0], item[1], item[2]};
    return item[3] == check_of(row, place) && place->place >= CD_MAGIC_SIZE && place->place < index->start;
}

// Frames are mostly numbered one by one: the second look is where the row would then be, the third right before it.
bool cd_frame_index_seek(cd_frame_index *index, int32_t from, int64_t wanted, int32_t *row)
{
    int32_t low = from, high = index->frames, probe = from;  // rows below `low` are before it, from `high` on not
    for (int look = 0; low < high; look++) {
        cd_frame_place place;
        if (!cd_frame_index_row(index, probe, &place))
            return false;
        bool is_before = place.index < wanted;
        if (is_before)
            low = probe + 1;
        else
            high = probe;
        bool can_guess = look == 0 && is_before && (uint64_t)wanted - (uint64_t)place.index < (uint64_t)(high - probe);
        if (can_guess)
            probe += (int32_t)(wanted - place.index);
        else
            probe = look == 1 && high > low ? high - 1 : low + (high - low) / 2;
    }
    *row = low;
    return true;
}

bool cd_frame_index_holds(cd_frame_index *index, const cd_frame_place *place)
{
    const cd_limits any = {.line = INT64_MAX, .block = INT64_MAX, .rows = INT64_MAX};
    cd_block_header header;
    return read_header(index, place->place, &any, &header) && header.sequence == place->sequence &&
           !strcmp(header.type, "frame");
}

bool cd_frame_index_wanted(cd_frame_index *index, const cd_frame_range *range, int32_t row, int32_t *first,
                           int32_t *behind, cd_frame_place *start)
{
    *first = *behind = index->frames;
    if (range->only_last)
        row = row < index->frames ? index->frames - 1 : row;
    while (row < index->frames) {
        int64_t wanted;
        if (!cd_frame_index_row(index, row, start))
            return false;
        if (cd_frame_range_has(range, start->index)) {
            *first = row;
            int64_t last = range->step == 1 ? range->last : start->index;
            return range->only_last || last == INT64_MAX || cd_frame_index_seek(index, row + 1, last + 1, behind);
        }
        if (!cd_frame_range_next(range, start->index, &wanted))
            break;
        if (!cd_frame_index_seek(index, row + 1, wanted, &row))
            return false;
    }
    return true;
}
