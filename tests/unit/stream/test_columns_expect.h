// What the tests of payloads share: a table of references, and payloads that must be accepted or refused with a
// sentence.
// SPDX-License-Identifier: MIT
#ifndef TEST_COLUMNS_EXPECT_H
#define TEST_COLUMNS_EXPECT_H

#include "cd_test.h"

#include "test_columns_random.h"
#include "test_payload_builder.h"

enum { REF_ROWS = 5 };

static inline const cd_record *record_of(const char *name) { return &cd_records[cd_record_find(name, strlen(name))]; }

// Decodes as `record` and compares the sentence; "" means it must be accepted. Releases the payload.
static inline void expect(const char *record, int dim, int32_t rows, cd_buffer payload, const char *sentence)
{
    cd_arena arena = {0};
    cd_refs refs = {0};
    cd_model model = {0};
    cd_diag diag = {""};
    fill_refs(&refs, REF_ROWS);
    const cd_record *type = record_of(record);
    cd_status status =
        cd_columns_decode(&arena, (cd_row_form){type, dim, &refs}, (cd_payload){payload.data, payload.size, rows},
                          cd_model_rows(&model, type->type), &diag);
    CD_CHECK((status == CD_OK) == !sentence[0]);
    CD_CHECK_TEXT(diag.text, sentence);
    cd_refs_release(&refs);
    cd_arena_release(&arena);
    cd_buffer_release(&payload);
}

static const int64_t three_ids[] = {1, 2, 3};

// A node table of three rows with the given positions.
static inline cd_buffer nodes_at(const double position[6])
{
    payload_builder b = {0};
    builder_numbers(&b, "id", B_I64, 1, three_ids, sizeof three_ids);
    builder_numbers(&b, "position", B_F64, 2, position, 6 * sizeof *position);
    return builder_finish(&b);
}

#endif
