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

// Appends the lines of the tables (`prog`, fend and end left out) to the text. refs: ids of everything they refer to.
// Fills defaults into the tables.
void cd_digest_tables(cd_arena *arena, cd_tables *tables, const cd_refs *refs, cd_buffer *text);

// Reads the whole stream and makes the summary text whose hash the digest is.
cd_status cd_digest_stream(cd_reader *reader, cd_buffer *text, cd_diag *diag) CD_MUST_CHECK;

#endif
