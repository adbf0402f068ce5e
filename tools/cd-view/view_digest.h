// view_digest -- a fingerprint of what a stream says: the same for both encodings, for shuffled rows, with or without
// provenance and counts.
//
// STREAM.md "Digest" is the normative text. Each row gives its canonical JSON text (defaults filled in, white space of
// unknown members removed); its two 64-bit hashes are added up over the rows of a table, so the order of rows does not
// matter. One line a table
// ("body 300 <sum> <sum>"), tables in order of their names, "fend" behind a frame, "end" at the end: the digest is the
// pair of hashes of this text. It tells streams apart that differ by accident; it is no cryptographic seal.
// SPDX-License-Identifier: MIT
#ifndef CD_VIEW_DIGEST_H
#define CD_VIEW_DIGEST_H

#include "cd_tables.h"

typedef struct cd_hash_pair {
    uint64_t a, b;
} cd_hash_pair;

// FNV-1a and its sister with another base and multiplier, each finished by the mixer of MurmurHash3.
cd_hash_pair cd_hash_text(const char *text, size_t length);

typedef struct cd_digest_line {
    char name[17];
    int64_t rows;
    cd_hash_pair sum;
} cd_digest_line;

// The tables of the head or of one frame, as far as they have been added: sums, no rows.
typedef struct cd_digest {
    cd_digest_line known[CD_REC_COUNT];
    CD_LIST(cd_digest_line) lines;  // of tables of unknown type
    cd_arena arena;                 // of `lines`
    cd_buffer scratch;
} cd_digest;  // all zero is valid and empty

// Appends the lines of the tables (`prog`, fend and end left out) to the text, and is empty again.
void cd_digest_print(cd_digest *digest, cd_buffer *text);
void cd_digest_release(cd_digest *digest);

// All of it for tables that are there as a whole.
void cd_digest_tables(cd_arena *arena, cd_tables *tables, const cd_refs *refs, cd_buffer *text);

// Reads the whole stream and makes the summary text whose hash the digest is. Memory: one chunk, the lines of the
// summary, and of tables whose ids do not count up by one these ids.
cd_status cd_digest_stream(cd_reader *reader, cd_buffer *text, cd_diag *diag) CD_MUST_CHECK;

#endif
