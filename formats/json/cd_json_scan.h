// cd_json_scan -- a strict look at one JSON line before cJSON parses it.
//
// cJSON takes more than RFC 8259 allows ("01", "1.", raw control bytes, invalid UTF-8, a NUL that ends a string early)
// and cuts numbers longer than its buffer. The scan refuses all of that, so that what cJSON makes of a scanned line is
// what the line says. It also notes where each member of the record stands: unknown members are kept as their own
// source text. A number beyond doubles is refused here, so that it is in members and lines that are only passed on too.
// Cost: one pass over the bytes; recursion is bounded by CD_MAX_DEPTH.
// SPDX-License-Identifier: MIT
#ifndef CD_JSON_SCAN_H
#define CD_JSON_SCAN_H

#include "cd_memory.h"
#include "cd_status.h"

// One member of the record's object, as pointers into the line. The key is between its quotes, escapes not resolved.
typedef struct cd_json_member {
    const char *key, *value;
    int32_t key_length;
    size_t value_length;
} cd_json_member;

typedef CD_LIST(cd_json_member) cd_json_members;

// CD_ERR_FORMAT unless the line is one JSON object, with nothing but spaces around it, valid UTF-8, no lone surrogates,
// no NUL (raw or escaped), nested at most CD_MAX_DEPTH deep, numbers at most 63 characters long and none that rounds to
// an infinite double. `members` is emptied first.
cd_status cd_json_scan(cd_arena *arena, const char *line, size_t length, cd_json_members *members,
                       cd_diag *diag) CD_MUST_CHECK;

// Length of the part of text[0..length-1] to show in a sentence: at most `most` bytes, whole UTF-8 characters.
int cd_json_shown(const char *text, size_t length, size_t most);

#endif
