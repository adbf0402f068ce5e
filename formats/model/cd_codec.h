// cd_codec -- the two encodings of a run of rows ("chunk"): both are driven by cd_records[] alone.
//
// Decoding checks everything the table of fields states: required members, types, ranges, vocabularies, NaN (always
// refused), infinities (only in BOUND fields), references (CD_ERR_FORMAT when dangling), list shapes. It never
// allocates more than a small multiple of the bytes it was given. Encoding is canonical: fixed key and column order,
// absent values left out. Errors are one sentence "field: reason", to which the reader adds file and line or block.
// SPDX-License-Identifier: MIT
#ifndef CD_CODEC_H
#define CD_CODEC_H

#include "cd_records.h"
#include "cd_refs.h"

typedef enum cd_encoding { CD_ENCODING_JSON, CD_ENCODING_BINARY } cd_encoding;

// Stated caps against hostile input; --max-* raises them. Depth is fixed at CD_MAX_DEPTH.
typedef struct cd_limits {
    int64_t line;   // [bytes] of one JSON line
    int64_t block;  // [bytes] of one binary block, stored or unpacked
    int64_t rows;   // rows of one table in a frame
} cd_limits;
enum { CD_MAX_DEPTH = 64 };

// What decoded rows are.
typedef struct cd_row_form {
    const cd_record *record;
    int dim;              // components of a vector, 2 or 3; 0 for the head record itself
    const cd_refs *refs;  // the rows before these, which they may refer to; may be NULL
} cd_row_form;

// ---- JSON-lines (cd_json_read.c, cd_json_write.c) ------------------------------------------------------------------

// Borrowed lines: line i is text[i], length[i], no newline.
typedef struct cd_lines {
    const char *const *text;
    const size_t *length;  // [bytes]
    int32_t count;
} cd_lines;

// The record type word of a line ("type" is normally the first member; the general parse is the slow way).
// *type points into `line` or into `arena`.
cd_status cd_json_type(cd_arena *arena, const char *line, size_t length, const char **type, size_t *type_length,
                       cd_diag *diag) CD_MUST_CHECK;

// Decodes lines of one record type into rows; columns in `arena`. On failure *bad_line says which of them.
cd_status cd_json_decode(cd_arena *arena, cd_row_form form, cd_lines lines, cd_rows *rows, int32_t *bad_line,
                         cd_diag *diag) CD_MUST_CHECK;

// Appends rows first..first+count-1, a line each, keys in the order of the table of fields, "type" first.
void cd_json_encode(const cd_record *record, int dim, const cd_refs *refs, const cd_rows *rows, int32_t first,
                    int32_t count, cd_buffer *out);

// An unknown table of the binary stream as lines {"type":name, columns...} and back: see cd_columns_unknown_*.

// Shortest decimal text that reads back as the same double (cd_number.c). text has room for CD_NUMBER_MAX bytes; no
// NUL. Infinities and NaN are not numbers of JSON: the caller handles them. Integral values below 1e15 have no exponent
// and no ".0".
enum { CD_NUMBER_MAX = 32 };
int cd_number_print(double value, char text[CD_NUMBER_MAX]);
int cd_integer_print(int64_t value, char text[CD_NUMBER_MAX]);
// Appends text as a JSON string with quotes and escapes.
void cd_json_string(cd_buffer *out, const char *text);

// ---- binary payloads (cd_columns.c) --------------------------------------------------------------------------------

// A block's unpacked bytes, borrowed: the column directory and the columns. The layout stands in STREAM.md.
typedef struct cd_payload {
    const void *bytes;
    size_t size;        // [bytes]
    int32_t row_count;  // as the block's header announces
} cd_payload;

// The payload starts 8-byte aligned and outlives `rows`, whose unmasked number columns and list tables point into it.
cd_status cd_columns_decode(cd_arena *arena, cd_row_form form, cd_payload payload, cd_rows *rows,
                            cd_diag *diag) CD_MUST_CHECK;
// Appends the payload (8-byte aligned start assumed) of rows first..first+count-1.
void cd_columns_encode(const cd_record *record, int dim, const cd_rows *rows, int32_t first, int32_t count,
                       cd_buffer *out);
// The record `frame` so, all but its number and time: of frames that come again the same bytes.
void cd_frame_encode_timeless(const cd_frame_rows *frame, cd_buffer *out);

// Tables whose record type is not known: a binary block prints as JSON lines member by member ({"type":name,...};
// references as user ids where the target's ids are known), and JSON lines of an unknown type become a block of one
// column "json" with the text of each line's members. Both directions keep every value.
cd_status cd_columns_unknown_to_json(cd_arena *arena, const char *name, const cd_refs *refs, cd_payload payload,
                                     cd_buffer *out, cd_diag *diag) CD_MUST_CHECK;
cd_status cd_columns_unknown_from_json(const char *name, cd_lines lines, cd_buffer *out, cd_diag *diag) CD_MUST_CHECK;

// ---- binary framing (cd_block.c) -----------------------------------------------------------------------------------

enum { CD_MAGIC_SIZE = 8, CD_BLOCK_HEADER_SIZE = 64 };
extern const unsigned char cd_magic[CD_MAGIC_SIZE];  // first bytes of a binary stream

enum {
    CD_BLOCK_CRITICAL = 1,      // a reader that does not know the type must stop (exit 6)
    CD_BLOCK_PRIVATE = 2,       // a type outside STREAM.md
    CD_BLOCK_SAFE_TO_COPY = 4,  // may be passed on by a tool that changed other tables of the frame
    CD_BLOCK_ZLIB = 8,          // payload is byte-shuffled by 8 as a whole and deflated
};

typedef struct cd_block_header {
    char type[17];      // record type, NUL-terminated here
    uint32_t flags;     // CD_BLOCK_*
    uint32_t sequence;  // 0, 1, 2, ... in a stream
    uint32_t row_count;
    uint64_t stored_size;  // [bytes] of the payload as stored
    uint64_t raw_size;     // [bytes] unpacked
    uint32_t payload_crc;  // CRC-32 of the stored payload
} cd_block_header;

// Adds the header's own CRC.
void cd_block_header_write(const cd_block_header *header, unsigned char bytes[CD_BLOCK_HEADER_SIZE]);
// CRC first, before any field is believed; then magic word, reserved zeros, type characters, sizes against `limits`.
cd_status cd_block_header_read(const unsigned char bytes[CD_BLOCK_HEADER_SIZE], const cd_limits *limits,
                               cd_block_header *header, cd_diag *diag) CD_MUST_CHECK;
uint32_t cd_crc32(uint32_t crc, const void *bytes, size_t size);  // zlib's CRC-32; vector code by runtime dispatch

// Unpacks a stored payload whose CRC the caller has compared (raw: returns the same pointer). Output is bounded by
// header->raw_size, and grows only as bytes inflate.
cd_status cd_block_unpack(cd_arena *arena, const cd_block_header *header, const void *stored, const void **raw,
                          cd_diag *diag) CD_MUST_CHECK;
// What the writer of a block says of it; sizes and checksums follow from the payload.
typedef struct cd_block_label {
    const char *type;   // record type, 1 to 16 characters
    uint32_t flags;     // CD_BLOCK_*; whether ZLIB is set follows from the payload too
    uint32_t sequence;  // 0, 1, 2, ... in a stream
    uint32_t row_count;
} cd_block_label;

// Appends header + payload to `out`. level 0: raw; 1..9: shuffle + zlib when that is smaller.
void cd_block_write(cd_block_label label, const void *payload, size_t size, int level, cd_buffer *out);
// A raw block written in place: open, append the payload to `out`, close with what open returned.
size_t cd_block_open(cd_buffer *out);
void cd_block_close(cd_block_label label, cd_buffer *out, size_t start);

#endif
