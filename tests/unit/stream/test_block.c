// Block framing: headers, checksums, packing; every flipped bit and every cut is noticed.
// SPDX-License-Identifier: MIT
#include "cd_test.h"

#include "cd_codec.h"
#include "cd_random.h"

#include <stdlib.h>
#include <time.h>
#include <zlib.h>

static const cd_limits limits = {.line = 1 << 20, .block = 1 << 26, .rows = 1000};

// ---- checksum ------------------------------------------------------------------------------------------------------

// The definition, bit by bit: reflected polynomial 0xedb88320.
static uint32_t crc_by_bits(const unsigned char *bytes, size_t size)
{
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (0xedb88320u & -(crc & 1));
    }
    return ~crc;
}

static unsigned char *random_bytes(size_t size, uint64_t seed)
{
    unsigned char *bytes = malloc(size ? size : 1);
    cd_random random = {seed};
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)cd_random_bits(&random);
    return bytes;
}

CD_TEST(crc_is_the_definition)
{
    CD_CHECK(cd_crc32(0, "123456789", 9) == 0xcbf43926u);  // the check value of CRC-32/ISO-HDLC
    CD_CHECK(cd_crc32(0, "", 0) == 0);
    unsigned char *bytes = random_bytes(1200, 3);
    for (size_t size = 0; size <= 1000; size++)
        CD_CHECK(cd_crc32(0, bytes + size % 7, size) == crc_by_bits(bytes + size % 7, size));
    free(bytes);
}

CD_TEST(crc_is_zlibs_for_each_size_alignment_and_chain)
{
    unsigned char *bytes = random_bytes(5000, 4);
    for (size_t size = 0; size <= 1000; size++)
        for (size_t at = 0; at < 17; at++)
            CD_CHECK(cd_crc32(0, bytes + at, size) == crc32_z(0, bytes + at, size));
    uint32_t whole = cd_crc32(0, bytes, 5000);
    CD_CHECK(whole == crc32_z(0, bytes, 5000));
    for (size_t cut = 0; cut <= 5000; cut += 13)
        CD_CHECK(cd_crc32(cd_crc32(0, bytes, cut), bytes + cut, 5000 - cut) == whole);
    unsigned char *large = random_bytes((1u << 20) + 3, 5);
    CD_CHECK(cd_crc32(7, large, (1u << 20) + 3) == crc32_z(7, large, (1u << 20) + 3));
    free(large);
    free(bytes);
}

// The constants of the folding, from the polynomial: stored(x^n mod P) has the coefficient of x^d in bit 32 - d.
static uint64_t stored_power(int n)
{
    uint32_t remainder = 1;
    for (int i = 0; i < n; i++)
        remainder = remainder << 1 ^ (remainder >> 31 ? 0x04c11db7u : 0);
    uint64_t stored = 0;
    for (int d = 0; d < 32; d++)
        stored |= (uint64_t)(remainder >> d & 1) << (32 - d);
    return stored;
}

CD_TEST(folding_constants_follow_from_the_polynomial)
{
    CD_CHECK(stored_power(2048 + 32) == 0x11542778a && stored_power(2048 - 32) == 0x1322d1430);
    CD_CHECK(stored_power(512 + 32) == 0x154442bd4 && stored_power(512 - 32) == 0x1c6e41596);
    CD_CHECK(stored_power(128 + 32) == 0x1751997d0 && stored_power(128 - 32) == 0x0ccaa009e);
}

// ---- headers -------------------------------------------------------------------------------------------------------

static cd_block_header some_header(void)
{
    return (cd_block_header){.type = "body",
                             .flags = CD_BLOCK_CRITICAL,
                             .sequence = 0x01020304,
                             .row_count = 5,
                             .stored_size = 96,
                             .raw_size = 96,
                             .payload_crc = 0xa1b2c3d4};
}

CD_TEST(header_has_the_documented_bytes)
{
    cd_block_header header = some_header(), read;
    unsigned char bytes[CD_BLOCK_HEADER_SIZE];
    cd_block_header_write(&header, bytes);
    static const unsigned char wanted[60] = {'C', 'D', 'B',       'K',       1,           0,    0,    0,   4,
                                             3,   2,   1,         5,         0,           0,    0,    'b', 'o',
                                             'd', 'y', [32] = 96, [40] = 96, [48] = 0xd4, 0xc3, 0xb2, 0xa1};
    CD_CHECK(!memcmp(bytes, wanted, 60));
    uint32_t crc = crc_by_bits(bytes, 60);
    for (int i = 0; i < 4; i++)
        CD_CHECK(bytes[60 + i] == (unsigned char)(crc >> 8 * i));
    CD_CHECK(cd_block_header_read(bytes, &limits, &read, NULL) == CD_OK);
    CD_CHECK_TEXT(read.type, "body");
    CD_CHECK(read.flags == header.flags && read.sequence == header.sequence && read.row_count == 5 &&
             read.stored_size == 96 && read.raw_size == 96 && read.payload_crc == header.payload_crc);
    CD_CHECK(!memcmp(cd_magic,
                     "\x89"
                     "CDS\r\n\x1a\n",
                     CD_MAGIC_SIZE));
    strcpy(header.type, "sixteen-letter-s");
    cd_block_header_write(&header, bytes);
    CD_CHECK(cd_block_header_read(bytes, &limits, &read, NULL) == CD_OK);
    CD_CHECK_TEXT(read.type, "sixteen-letter-s");
}

// Puts `value` at `at`, mends the header's checksum and reads.
static void expect_header_bytes(size_t at, const void *value, size_t size, cd_status wanted)
{
    cd_block_header header = some_header(), read;
    unsigned char bytes[CD_BLOCK_HEADER_SIZE];
    cd_diag diag = {""};
    cd_block_header_write(&header, bytes);
    memcpy(bytes + at, value, size);
    uint32_t crc = crc_by_bits(bytes, 60);
    memcpy(bytes + 60, &crc, sizeof crc);
    cd_status status = cd_block_header_read(bytes, &limits, &read, &diag);
    CD_CHECK(status == wanted);
    if (status != wanted)
        printf("# byte %zu: status %d, %s\n", at, status, diag.text);
    CD_CHECK((status == CD_OK) == !diag.text[0]);
}

static void expect_header(size_t at, uint64_t value, size_t size, cd_status wanted)
{
    expect_header_bytes(at, &value, size, wanted);
}

CD_TEST(headers_that_lie_are_refused)
{
    expect_header(0, 0x4b424443, 4, CD_OK);
    expect_header(0, 0x4b424444, 4, CD_ERR_FORMAT);
    expect_header(4, 16, 4, CD_ERR_UNSUPPORTED);
    expect_header(4, 0x80000000u, 4, CD_ERR_UNSUPPORTED);
    expect_header(4, CD_BLOCK_ZLIB, 4, CD_ERR_FORMAT);  // packed, and not smaller
    expect_header(12, 1000, 4, CD_OK);
    expect_header(12, 1001, 4, CD_ERR_LIMIT);
    expect_header(12, UINT32_MAX, 4, CD_ERR_LIMIT);
    expect_header(16, 0, 1, CD_ERR_FORMAT);
    expect_header(16, 'B', 1, CD_ERR_FORMAT);
    expect_header(16, '1', 1, CD_ERR_FORMAT);
    expect_header(17, 'O', 1, CD_ERR_FORMAT);
    expect_header(18, 0, 1, CD_ERR_FORMAT);  // a NUL inside
    expect_header(31, 'x', 1, CD_ERR_FORMAT);
    expect_header(32, 88, 8, CD_ERR_FORMAT);
    expect_header(32, UINT64_MAX, 8, CD_ERR_LIMIT);
    expect_header(40, 104, 8, CD_ERR_FORMAT);
    expect_header(40, (1 << 26) + 8, 8, CD_ERR_LIMIT);
    expect_header(52, 1, 4, CD_ERR_FORMAT);
    expect_header(56, 1, 4, CD_ERR_FORMAT);
    for (uint64_t size = 0; size < 16; size++) {
        expect_header(40, size, 8, CD_ERR_FORMAT);
        const uint64_t both[] = {size, size};
        expect_header_bytes(32, both, sizeof both, size == 8 ? CD_OK : CD_ERR_FORMAT);
    }
}

// ---- whole blocks --------------------------------------------------------------------------------------------------

// A node table of 40 rows on a grid: compressible.
static cd_buffer some_block(int level)
{
    enum { ROWS = 40 };
    int64_t id[ROWS];
    double position[2 * ROWS];
    for (int i = 0; i < ROWS; i++) {
        id[i] = 1 + i;
        position[2 * i] = 0.25 * (i % 8);
        position[2 * i + 1] = 0.5 * (i / 8);
    }
    cd_node_rows node = {.count = ROWS, .id = id, .position = position};
    cd_buffer payload = {0}, block = {0};
    cd_columns_encode(&cd_records[CD_REC_node], 2, (cd_rows *)&node, 0, ROWS, &payload);
    cd_block_write((cd_block_label){"node", 0, 3, ROWS}, payload.data, payload.size, level, &block);
    cd_buffer_release(&payload);
    return block;
}

// What a reader does with a block.
static cd_status read_block(cd_arena *arena, const unsigned char *bytes, size_t size, cd_node_rows *node, cd_diag *diag)
{
    cd_block_header header;
    if (size < CD_BLOCK_HEADER_SIZE)
        return CD_ERR_TRUNCATED;
    CD_TRY(cd_block_header_read(bytes, &limits, &header, diag));
    if (size - CD_BLOCK_HEADER_SIZE < header.stored_size)
        return CD_ERR_TRUNCATED;
    void *stored = cd_arena_alloc(arena, (size_t)header.stored_size);
    memcpy(stored, bytes + CD_BLOCK_HEADER_SIZE, (size_t)header.stored_size);
    if (cd_crc32(0, stored, (size_t)header.stored_size) != header.payload_crc)
        return CD_ERR_FORMAT;
    const void *raw;
    CD_TRY(cd_block_unpack(arena, &header, stored, &raw, diag));
    return cd_columns_decode(arena, (cd_row_form){&cd_records[CD_REC_node], 2, NULL},
                             (cd_payload){raw, (size_t)header.raw_size, (int32_t)header.row_count}, (cd_rows *)node,
                             diag);
}

CD_TEST(blocks_come_back_at_every_level)
{
    size_t raw_size = 0;
    for (int level = 0; level <= 9; level++) {
        cd_buffer block = some_block(level), same = some_block(level);
        cd_arena arena = {0};
        cd_node_rows node;
        cd_diag diag = {""};
        CD_CHECK(block.size == same.size && !memcmp(block.data, same.data, block.size));
        CD_CHECK(read_block(&arena, (const unsigned char *)block.data, block.size, &node, &diag) == CD_OK);
        CD_CHECK_TEXT(diag.text, "");
        CD_CHECK(node.count == 40 && node.id[39] == 40 && node.position[78] == 1.75 && node.position[79] == 2);
        raw_size = level ? raw_size : block.size;
        CD_CHECK(level == 0 ? block.size % 8 == 0 : block.size < raw_size / 2);
        cd_arena_release(&arena);
        cd_buffer_release(&block);
        cd_buffer_release(&same);
    }
}

CD_TEST(noise_is_stored_raw)
{
    unsigned char *noise = random_bytes(4096, 9);
    cd_buffer block = {0};
    cd_block_header header;
    cd_block_write((cd_block_label){"noise", CD_BLOCK_PRIVATE, 0, 0}, noise, 4096, 9, &block);
    CD_CHECK(cd_block_header_read((const unsigned char *)block.data, &limits, &header, NULL) == CD_OK);
    CD_CHECK(header.flags == CD_BLOCK_PRIVATE && header.stored_size == 4096 && block.size == 4096 + 64);
    CD_CHECK(!memcmp(block.data + 64, noise, 4096));
    cd_buffer_release(&block);
    free(noise);
}

CD_TEST(every_flipped_bit_is_noticed)
{
    for (int level = 0; level <= 1; level++) {
        cd_buffer block = some_block(level);
        for (size_t bit = 0; bit < 8 * block.size; bit++) {
            cd_arena arena = {0};
            cd_node_rows node;
            block.data[bit / 8] ^= (char)(1 << bit % 8);
            CD_CHECK(read_block(&arena, (const unsigned char *)block.data, block.size, &node, NULL) == CD_ERR_FORMAT);
            block.data[bit / 8] ^= (char)(1 << bit % 8);
            cd_arena_release(&arena);
        }
        cd_buffer_release(&block);
    }
}

CD_TEST(every_cut_is_noticed)
{
    for (int level = 0; level <= 1; level++) {
        cd_buffer block = some_block(level);
        for (size_t size = 0; size < block.size; size++) {
            // exactly as long, so that a sanitizer sees each byte read beyond
            unsigned char *copy = malloc(size ? size : 1);
            memcpy(copy, block.data, size);
            cd_arena arena = {0};
            cd_node_rows node;
            CD_CHECK(read_block(&arena, copy, size, &node, NULL) == CD_ERR_TRUNCATED);
            cd_arena_release(&arena);
            free(copy);
        }
        cd_buffer_release(&block);
    }
}

// ---- packing -------------------------------------------------------------------------------------------------------

// STREAM.md's packing by hand: out[b * n + i] = bytes[8 i + b], then zlib's own compress2.
static unsigned char *packed_by_hand(const unsigned char *raw, size_t size, size_t *packed_size)
{
    unsigned char *shuffled = malloc(size);
    for (size_t i = 0; i < size; i++)
        shuffled[i % 8 * (size / 8) + i / 8] = raw[i];
    uLongf room = compressBound(size);
    unsigned char *packed = malloc(room);
    CD_CHECK(compress2(packed, &room, shuffled, size, 6) == Z_OK);
    *packed_size = room;
    free(shuffled);
    return packed;
}

static cd_status unpack(const unsigned char *stored, size_t stored_size, size_t raw_size, const unsigned char *wanted)
{
    cd_arena arena = {0};
    cd_block_header header = {.type = "x", .flags = CD_BLOCK_ZLIB, .stored_size = stored_size, .raw_size = raw_size};
    const void *raw;
    cd_diag diag = {""};
    unsigned char *copy = malloc(stored_size ? stored_size : 1);
    memcpy(copy, stored, stored_size);
    cd_status status = cd_block_unpack(&arena, &header, copy, &raw, &diag);
    CD_CHECK((status == CD_OK) == !diag.text[0]);
    if (status == CD_OK)
        CD_CHECK(!memcmp(raw, wanted, raw_size));
    free(copy);
    cd_arena_release(&arena);
    return status;
}

CD_TEST(packing_is_the_documented_one)
{
    // about tiles and output buffers
    static const size_t sizes[] = {8, 16, 504, 512, 520, 4096, 262144, 262152, 3000000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t size = sizes[k], packed_size;
        unsigned char *raw = random_bytes(size, k);
        for (size_t i = 0; i < size; i++)
            raw[i] = (unsigned char)(i % 8 < 5 ? 0 : raw[i] & 3);
        unsigned char *packed = packed_by_hand(raw, size, &packed_size);
        CD_CHECK(unpack(packed, packed_size, size, raw) == CD_OK);
        // Announced sizes that do not fit what is there.
        CD_CHECK(unpack(packed, packed_size, size + 8, raw) == CD_ERR_FORMAT);
        CD_CHECK(size == 8 || unpack(packed, packed_size, size - 8, raw) == CD_ERR_FORMAT);
        CD_CHECK(unpack(packed, packed_size - 1, size, raw) == CD_ERR_FORMAT);
        CD_CHECK(unpack(packed, 1, 8, raw) == CD_ERR_FORMAT);
        unsigned char *longer = malloc(packed_size + 1);
        memcpy(longer, packed, packed_size);
        longer[packed_size] = 0;
        CD_CHECK(unpack(longer, packed_size + 1, size, raw) == CD_ERR_FORMAT);
        free(longer);
        free(packed);
        cd_buffer block = {0};
        cd_block_header header;
        cd_block_write((cd_block_label){"x", 0, 0, 0}, raw, size, 1, &block);
        CD_CHECK(cd_block_header_read((const unsigned char *)block.data, &limits, &header, NULL) == CD_OK);
        if (header.flags & CD_BLOCK_ZLIB)
            CD_CHECK(unpack((const unsigned char *)block.data + 64, (size_t)header.stored_size, size, raw) == CD_OK);
        CD_CHECK(size < 512 || (header.flags & CD_BLOCK_ZLIB));
        cd_buffer_release(&block);
        free(raw);
    }
}

// A few bytes that claim to unpack to as much as the limits allow cost no such memory: deflate cannot do it.
CD_TEST(impossible_ratios_are_refused)
{
    const unsigned char stored[16] = {0x78, 0x9c};
    CD_CHECK(unpack(stored, sizeof stored, (size_t)1 << 40, NULL) == CD_ERR_FORMAT);
    CD_CHECK(unpack(stored, sizeof stored, 16 * 1032 + 1032, NULL) == CD_ERR_FORMAT);
}

CD_TEST(fuzzed_packed_payloads_are_refused_or_whole)
{
    size_t size = 6400, packed_size;
    unsigned char *raw = random_bytes(size, 11);
    for (size_t i = 0; i < size; i++)
        raw[i] &= i % 8 < 6 ? 0 : 15;
    unsigned char *packed = packed_by_hand(raw, size, &packed_size);
    cd_random random = {12};
    int refused = 0;
    for (int i = 0; i < 20000; i++) {
        size_t at = cd_random_bits(&random) % packed_size;
        unsigned char old = packed[at];
        packed[at] ^= (unsigned char)(1 + cd_random_bits(&random) % 255);
        refused += unpack(packed, packed_size, size, raw) != CD_OK;
        packed[at] = old;
    }
    CD_CHECK(refused > 19000);  // zlib's own Adler-32; the few that pass are changed bits that mean the same
    CD_CHECK(unpack(packed, packed_size, size, raw) == CD_OK);
    free(packed);
    free(raw);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// No check of a speed, which depends on the machine; the figures are printed.
CD_TEST(crc_speed_is_reported)
{
    size_t size = (size_t)1 << 24;
    unsigned char *bytes = random_bytes(size, 13);
    double best[2] = {INFINITY, INFINITY};
    for (int round = 0; round < 5; round++) {
        double start = seconds();
        uint32_t ours = cd_crc32(0, bytes, size);
        double middle = seconds();
        uint32_t zlibs = (uint32_t)crc32_z(0, bytes, size);
        best[0] = fmin(best[0], middle - start);
        best[1] = fmin(best[1], seconds() - middle);
        CD_CHECK(ours == zlibs);
    }
    printf("# CRC-32 of %zu bytes: %.1f GB/s, zlib %.1f GB/s\n", size, (double)size / best[0] * 1e-9,
           (double)size / best[1] * 1e-9);
    free(bytes);
}

int main(void)
{
    CD_RUN(crc_is_the_definition);
    CD_RUN(crc_is_zlibs_for_each_size_alignment_and_chain);
    CD_RUN(folding_constants_follow_from_the_polynomial);
    CD_RUN(header_has_the_documented_bytes);
    CD_RUN(headers_that_lie_are_refused);
    CD_RUN(blocks_come_back_at_every_level);
    CD_RUN(noise_is_stored_raw);
    CD_RUN(every_flipped_bit_is_noticed);
    CD_RUN(every_cut_is_noticed);
    CD_RUN(packing_is_the_documented_one);
    CD_RUN(impossible_ratios_are_refused);
    CD_RUN(fuzzed_packed_payloads_are_refused_or_whole);
    CD_RUN(crc_speed_is_reported);
    return cd_test_done();
}
