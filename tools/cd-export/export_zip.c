// SPDX-License-Identifier: MIT
#include "export_zip.h"

#include "cd_assert.h"
#include "cd_codec.h"

#include <zlib.h>

enum { LOCAL = 0x04034b50, CENTRAL = 0x02014b50, END = 0x06054b50 };
enum { NEEDS_VERSION = 20, UTF8_NAMES = 0x800, DEFLATED = 8, FIRST_DAY = 0x21 };
#define MOST_BYTES UINT64_C(0xfffffffe)
enum { MOST_ENTRIES = 65534 };

static void put(cd_buffer *out, uint64_t value, int bytes)
{
    for (int k = 0; k < bytes; k++) {
        const unsigned char byte = (unsigned char)(value >> (8 * k));
        cd_buffer_append(out, &byte, 1);
    }
}

typedef struct entry {
    uint32_t crc;
    uint64_t raw, stored;  // [bytes]
    bool is_deflated;
} entry;

// What the local header and the directory have in common.
static void put_facts(cd_buffer *out, const entry *made, const char *name)
{
    put(out, NEEDS_VERSION, 2);
    put(out, UTF8_NAMES, 2);
    put(out, made->is_deflated ? DEFLATED : 0, 2);
    put(out, 0, 2);
    put(out, FIRST_DAY, 2);
    put(out, made->crc, 4);
    put(out, made->stored, 4);
    put(out, made->raw, 4);
    put(out, strlen(name), 2);
    put(out, 0, 2);
}

static void deflate_all(const cd_export_piece *piece, int count, int level, cd_buffer *out)
{
    z_stream stream = {0};
    int result = deflateInit2(&stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    CD_ASSERT(result == Z_OK);
    for (int i = 0; i < count; i++) {
        stream.next_in = (Bytef *)(uintptr_t)piece[i].bytes;
        stream.avail_in = (uInt)piece[i].size;
        do {
            cd_buffer_reserve(out, 1 << 16);
            stream.next_out = (Bytef *)out->data + out->size;
            stream.avail_out = 1 << 16;
            result = deflate(&stream, i + 1 == count ? Z_FINISH : Z_NO_FLUSH);
            CD_ASSERT(result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR);
            out->size += (1 << 16) - stream.avail_out;
        } while (stream.avail_out == 0);
    }
    deflateEnd(&stream);
}

cd_status cd_export_zip_add(cd_export_zip *zip, const char *name, const cd_export_piece *piece, int count,
                            cd_diag *diag)
{
    entry made = {.is_deflated = false};
    for (int i = 0; i < count; i++) {
        made.raw += piece[i].size;
        made.crc = cd_crc32(made.crc, piece[i].bytes, piece[i].size);
    }
    if (made.raw > MOST_BYTES || zip->place + made.raw > MOST_BYTES || zip->count >= MOST_ENTRIES)
        return cd_fail(diag, CD_ERR_LIMIT, "%s: the archive would be larger than 4 GiB: choose --frames", name);
    cd_buffer packed = {0};
    if (zip->level > 0 && made.raw > 0)
        deflate_all(piece, count, zip->level, &packed);
    made.is_deflated = packed.size > 0 && packed.size < made.raw;
    made.stored = made.is_deflated ? packed.size : made.raw;

    // the directory's entry
    put(&zip->central, CENTRAL, 4);
    put(&zip->central, NEEDS_VERSION, 2);
    put_facts(&zip->central, &made, name);
    put(&zip->central, 0, 4);  // comment, disk
    put(&zip->central, 0, 6);  // attributes
    put(&zip->central, zip->place, 4);
    cd_buffer_text(&zip->central, name);

    // the entry itself
    cd_buffer *out = &zip->sink->out;
    size_t before = out->size;
    put(out, LOCAL, 4);
    put_facts(out, &made, name);
    cd_buffer_text(out, name);
    for (int i = 0; i < count && !made.is_deflated; i++)
        cd_buffer_append(out, piece[i].bytes, piece[i].size);
    if (made.is_deflated)
        cd_buffer_append(out, packed.data, packed.size);
    zip->place += out->size - before;
    zip->count++;
    cd_buffer_release(&packed);
    return cd_export_flush(zip->sink, false, diag);
}

cd_status cd_export_zip_finish(cd_export_zip *zip, cd_diag *diag)
{
    cd_buffer *out = &zip->sink->out;
    cd_buffer_append(out, zip->central.data, zip->central.size);
    put(out, END, 4);
    put(out, 0, 4);
    put(out, (uint64_t)zip->count, 2);
    put(out, (uint64_t)zip->count, 2);
    put(out, zip->central.size, 4);
    put(out, zip->place, 4);
    put(out, 0, 2);
    return cd_export_flush(zip->sink, true, diag);
}

void cd_export_zip_release(cd_export_zip *zip) { cd_buffer_release(&zip->central); }
