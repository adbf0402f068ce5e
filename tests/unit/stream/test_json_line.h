// test_json_line -- one line of JSON read as a row and written again, or refused with a sentence.
// SPDX-License-Identifier: MIT
#ifndef TEST_JSON_LINE_H
#define TEST_JSON_LINE_H

#include "cd_codec.h"
#include "cd_test.h"

typedef struct outcome {
    cd_status status;
    int32_t bad_line;
    cd_diag diag;
    cd_buffer out;  // the line as it is written again
} outcome;

static inline outcome decode_bytes(cd_record_type type, int dim, const char *line, size_t length)
{
    outcome result = {.bad_line = -1};
    cd_arena arena = {0};
    cd_refs refs = {0};
    int64_t id[] = {1, 2};
    for (int i = 0; i < CD_REC_COUNT; i++)
        if (cd_record_has_id(&cd_records[i]))
            CD_CHECK(cd_refs_add_ids(&refs, (cd_record_type)i, id, 2, NULL) == CD_OK);
    cd_rows *rows = cd_arena_zalloc(&arena, cd_records[type].size);
    // A copy of exactly this many bytes: a read behind the end is seen by the sanitizer.
    char *copy = cd_alloc(length);
    memcpy(copy, line, length);
    const char *text = copy;
    result.status = cd_json_decode(&arena, (cd_row_form){&cd_records[type], dim, &refs}, (cd_lines){&text, &length, 1},
                                   rows, &result.bad_line, &result.diag);
    if (result.status == CD_OK) {
        cd_json_encode(&cd_records[type], dim, &refs, rows, 0, 1, &result.out);
        result.out.data[result.out.size - 1] = '\0';
    }
    cd_free(copy);
    cd_refs_release(&refs);
    cd_arena_release(&arena);
    return result;
}

static inline void check_refused(cd_record_type type, int dim, const char *line, const char *sentence)
{
    outcome result = decode_bytes(type, dim, line, strlen(line));
    CD_CHECK(result.status == CD_ERR_FORMAT);
    CD_CHECK(result.bad_line == 0);
    CD_CHECK_TEXT(result.diag.text, sentence);
    cd_buffer_release(&result.out);
}

static inline void check_written(cd_record_type type, int dim, const char *line, const char *wanted)
{
    outcome result = decode_bytes(type, dim, line, strlen(line));
    CD_CHECK_TEXT(result.diag.text, "");
    CD_CHECK_TEXT(result.out.data, wanted);
    cd_buffer_release(&result.out);
}

#endif
