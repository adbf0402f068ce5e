// SPDX-License-Identifier: MIT
#include "cd_columns.h"

#include <inttypes.h>
#include <zlib.h>

const unsigned char cd_magic[CD_MAGIC_SIZE] = {0x89, 'C', 'D', 'S', 0x0d, 0x0a, 0x1a, 0x0a};

static const uint32_t BLOCK_WORD = 0x4b424443;  // "CDBK"

enum {
    AT_WORD = 0,
    AT_FLAGS = 4,
    AT_SEQUENCE = 8,
    AT_ROWS = 12,
    AT_TYPE = 16,
    AT_STORED = 32,
    AT_RAW = 40,
    AT_CRC = 48,
    AT_RESERVED = 52,
    AT_HEADER_CRC = 60,
    TYPE_SIZE = 16,
    FLAGS_KNOWN = CD_BLOCK_CRITICAL | CD_BLOCK_PRIVATE | CD_BLOCK_SAFE_TO_COPY | CD_BLOCK_ZLIB,
    SHUFFLE_SIZE = 8,            // [bytes] item size of the byte shuffle: most numbers are doubles
    PAYLOAD_LEAST = 8,           // [bytes] a directory without columns
    INFLATE_FIRST = 256 * 1024,  // [bytes] first output buffer of inflate
    DEFLATE_RATIO_MOST = 1032,   // a deflated byte yields at most this many: two bits for 258 (zlib's technical notes)
};

static void put_u32(unsigned char *bytes, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

static void put_u64(unsigned char *bytes, uint64_t value)
{
    put_u32(bytes, (uint32_t)value);
    put_u32(bytes + 4, (uint32_t)(value >> 32));
}

static uint32_t get_u32(const unsigned char *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static uint64_t get_u64(const unsigned char *bytes) { return get_u32(bytes) | (uint64_t)get_u32(bytes + 4) << 32; }

// ---- header --------------------------------------------------------------------------------------------------------

void cd_block_header_write(const cd_block_header *header, unsigned char bytes[CD_BLOCK_HEADER_SIZE])
{
    memset(bytes, 0, CD_BLOCK_HEADER_SIZE);
    put_u32(bytes + AT_WORD, BLOCK_WORD);
    put_u32(bytes + AT_FLAGS, header->flags);
    put_u32(bytes + AT_SEQUENCE, header->sequence);
    put_u32(bytes + AT_ROWS, header->row_count);
    memcpy(bytes + AT_TYPE, header->type, strnlen(header->type, TYPE_SIZE));
    put_u64(bytes + AT_STORED, header->stored_size);
    put_u64(bytes + AT_RAW, header->raw_size);
    put_u32(bytes + AT_CRC, header->payload_crc);
    put_u32(bytes + AT_HEADER_CRC, cd_crc32(0, bytes, AT_HEADER_CRC));
}

// 1..16 characters [a-z0-9_-], the first a letter, padded with NUL.
static bool is_type_name(const unsigned char *bytes)
{
    size_t length = strnlen((const char *)bytes, TYPE_SIZE);
    for (size_t i = 0; i < TYPE_SIZE; i++) {
        unsigned char c = bytes[i];
        bool is_letter = c >= 'a' && c <= 'z', is_other = (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (i < length ? !is_letter && (i == 0 || !is_other) : c != 0)
            return false;
    }
    return length > 0;
}

bool cd_block_type_is_valid(const char *name)
{
    unsigned char bytes[TYPE_SIZE] = {0};
    size_t length = strlen(name);
    memcpy(bytes, name, length < TYPE_SIZE ? length : TYPE_SIZE);
    return length <= TYPE_SIZE && is_type_name(bytes);
}

static cd_status check_sizes(const cd_block_header *header, const cd_limits *limits, cd_diag *diag)
{
    uint64_t larger = header->stored_size > header->raw_size ? header->stored_size : header->raw_size;
    if (larger > (uint64_t)limits->block)
        return cd_fail(diag, CD_ERR_LIMIT, "%s: a block of %" PRIu64 " bytes; the limit is %" PRId64, header->type,
                       larger, limits->block);
    if (header->row_count > INT32_MAX - 1 || header->row_count > (uint64_t)limits->rows)
        return cd_fail(diag, CD_ERR_LIMIT, "%s: a block of %" PRIu32 " rows; the limit is %" PRId64, header->type,
                       header->row_count, limits->rows);
    if (header->raw_size < PAYLOAD_LEAST || header->raw_size % 8)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: raw_size %" PRIu64 " is no multiple of 8 from 8 on", header->type,
                       header->raw_size);
    bool is_packed = header->flags & CD_BLOCK_ZLIB;
    if (is_packed ? header->stored_size == 0 || header->stored_size >= header->raw_size
                  : header->stored_size != header->raw_size)
        return cd_fail(diag, CD_ERR_FORMAT,
                       "%s: stored_size %" PRIu64 " does not go with raw_size %" PRIu64 " of a %s block", header->type,
                       header->stored_size, header->raw_size, is_packed ? "packed" : "raw");
    return CD_OK;
}

cd_status cd_block_header_read(const unsigned char bytes[CD_BLOCK_HEADER_SIZE], const cd_limits *limits,
                               cd_block_header *header, cd_diag *diag)
{
    if (get_u32(bytes + AT_HEADER_CRC) != cd_crc32(0, bytes, AT_HEADER_CRC))
        return cd_fail(diag, CD_ERR_FORMAT, "a block header's checksum is wrong");
    if (get_u32(bytes + AT_WORD) != BLOCK_WORD)
        return cd_fail(diag, CD_ERR_FORMAT, "no block starts here");
    if (!is_type_name(bytes + AT_TYPE))
        return cd_fail(diag, CD_ERR_FORMAT, "a block's type is not 1 to 16 of a-z, 0-9, '_' and '-'");
    *header = (cd_block_header){0};
    memcpy(header->type, bytes + AT_TYPE, TYPE_SIZE);
    header->flags = get_u32(bytes + AT_FLAGS);
    header->sequence = get_u32(bytes + AT_SEQUENCE);
    header->row_count = get_u32(bytes + AT_ROWS);
    header->stored_size = get_u64(bytes + AT_STORED);
    header->raw_size = get_u64(bytes + AT_RAW);
    header->payload_crc = get_u32(bytes + AT_CRC);
    if (get_u32(bytes + AT_RESERVED) || get_u32(bytes + AT_RESERVED + 4))
        return cd_fail(diag, CD_ERR_FORMAT, "%s: reserved bytes of the block header are not zero", header->type);
    if (header->flags & ~(uint32_t)FLAGS_KNOWN)
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "%s: block flags 0x%" PRIx32 " are not known to this program",
                       header->type, header->flags & ~(uint32_t)FLAGS_KNOWN);
    return check_sizes(header, limits, diag);
}

// ---- packing -------------------------------------------------------------------------------------------------------

// shuffled[b * n + i] = bytes[8 i + b]: the bytes of one significance stand together, which deflate packs better. In
// tiles, so that the eight streams of output stay in the cache.
static void shuffle(const unsigned char *bytes, size_t size, unsigned char *shuffled)
{
    enum { TILE = 64 };
    size_t count = size / SHUFFLE_SIZE;
    for (size_t first = 0; first < count; first += TILE) {
        size_t last = count - first < TILE ? count : first + TILE;
        for (size_t b = 0; b < SHUFFLE_SIZE; b++)
            for (size_t i = first; i < last; i++)
                shuffled[b * count + i] = bytes[i * SHUFFLE_SIZE + b];
    }
}

static void unshuffle(const unsigned char *shuffled, size_t size, unsigned char *bytes)
{
    enum { TILE = 64 };
    size_t count = size / SHUFFLE_SIZE;
    for (size_t first = 0; first < count; first += TILE) {
        size_t last = count - first < TILE ? count : first + TILE;
        for (size_t b = 0; b < SHUFFLE_SIZE; b++)
            for (size_t i = first; i < last; i++)
                bytes[i * SHUFFLE_SIZE + b] = shuffled[b * count + i];
    }
}

static unsigned int piece(size_t size) { return size > (1u << 30) ? 1u << 30 : (unsigned int)size; }

// Inflates all of `stored` to exactly raw_size bytes; the buffer doubles as bytes arrive and never outgrows raw_size.
static cd_status inflate_all(z_stream *z, const cd_block_header *header, const void *stored, cd_buffer *out,
                             cd_diag *diag)
{
    size_t in_left = (size_t)header->stored_size, raw_size = (size_t)header->raw_size;
    z->next_in = (unsigned char *)(uintptr_t)stored;
    for (int code = Z_OK; code != Z_STREAM_END;) {
        if (out->size == out->capacity && out->size < raw_size) {
            size_t wanted = out->capacity ? 2 * out->capacity : INFLATE_FIRST;
            out->capacity = wanted < raw_size ? wanted : raw_size;
            out->data = cd_realloc(out->data, out->capacity);
        }
        unsigned int in = piece(in_left), room = piece(out->capacity - out->size);
        z->avail_in = in;
        z->avail_out = room;
        z->next_out = (unsigned char *)out->data + out->size;
        code = inflate(z, Z_NO_FLUSH);
        in_left -= in - z->avail_in;
        out->size += room - z->avail_out;
        if (code == Z_MEM_ERROR)
            return cd_fail(diag, CD_ERR_MEMORY, "%s: no memory to unpack the block", header->type);
        bool is_stuck = z->avail_in == in && z->avail_out == room && code != Z_STREAM_END;
        if (is_stuck && out->size == raw_size && in_left)
            return cd_fail(diag, CD_ERR_FORMAT, "%s: the block unpacks to more than its %zu bytes", header->type,
                           raw_size);
        if ((code != Z_OK && code != Z_STREAM_END) || is_stuck)
            return cd_fail(diag, CD_ERR_FORMAT, "%s: the block does not unpack: %s", header->type,
                           z->msg ? z->msg : "deflated bytes are missing");
    }
    if (in_left || out->size != raw_size)
        return cd_fail(diag, CD_ERR_FORMAT,
                       "%s: the block unpacks to %zu bytes with %zu left over; wanted %zu and none", header->type,
                       out->size, in_left, raw_size);
    return CD_OK;
}

cd_status cd_block_unpack(cd_arena *arena, const cd_block_header *header, const void *stored, const void **raw,
                          cd_diag *diag)
{
    *raw = stored;
    if (!(header->flags & CD_BLOCK_ZLIB))
        return CD_OK;
    if (header->raw_size / DEFLATE_RATIO_MOST > header->stored_size)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: %" PRIu64 " bytes cannot unpack to %" PRIu64, header->type,
                       header->stored_size, header->raw_size);
    z_stream z = {0};
    if (inflateInit(&z) != Z_OK)
        return cd_fail(diag, CD_ERR_MEMORY, "%s: no memory to unpack the block", header->type);
    cd_buffer shuffled = {0};
    cd_status status = inflate_all(&z, header, stored, &shuffled, diag);
    inflateEnd(&z);
    if (status == CD_OK) {
        unsigned char *bytes = cd_arena_alloc(arena, shuffled.size);
        unshuffle((const unsigned char *)shuffled.data, shuffled.size, bytes);
        *raw = bytes;
    }
    cd_buffer_release(&shuffled);
    return status;
}

// Writes the packed payload behind out->size, which stays; returns its size, 0 when it is not smaller than the raw one.
static size_t pack(const void *payload, size_t size, int level, cd_buffer *out)
{
    unsigned char *shuffled = cd_alloc(size);
    shuffle(payload, size, shuffled);
    uLongf packed = compressBound((uLong)size);
    cd_buffer_reserve(out, packed);
    int code = compress2((unsigned char *)out->data + out->size, &packed, shuffled, (uLong)size, level);
    cd_free(shuffled);
    return code == Z_OK && packed < size ? packed : 0;
}

static void put_header(cd_block_label label, bool is_packed, size_t raw_size, cd_buffer *out, size_t start)
{
    uint32_t flags = label.flags & ~(uint32_t)CD_BLOCK_ZLIB;
    cd_block_header header = {.flags = is_packed ? flags | CD_BLOCK_ZLIB : flags,
                              .sequence = label.sequence,
                              .row_count = label.row_count,
                              .stored_size = out->size - start - CD_BLOCK_HEADER_SIZE,
                              .raw_size = raw_size};
    memcpy(header.type, label.type, strnlen(label.type, TYPE_SIZE));
    header.payload_crc = cd_crc32(0, out->data + start + CD_BLOCK_HEADER_SIZE, (size_t)header.stored_size);
    cd_block_header_write(&header, (unsigned char *)out->data + start);
}

void cd_block_write(cd_block_label label, const void *payload, size_t size, int level, cd_buffer *out)
{
    size_t start = cd_block_open(out);
    size_t packed = level > 0 ? pack(payload, size, level, out) : 0;
    out->size += packed;
    if (!packed)
        cd_buffer_append(out, payload, size);
    put_header(label, packed > 0, size, out, start);
}

size_t cd_block_open(cd_buffer *out)
{
    size_t start = out->size;
    cd_buffer_reserve(out, CD_BLOCK_HEADER_SIZE);
    out->size += CD_BLOCK_HEADER_SIZE;
    return start;
}

void cd_block_close(cd_block_label label, cd_buffer *out, size_t start)
{
    put_header(label, false, out->size - start - CD_BLOCK_HEADER_SIZE, out, start);
}
