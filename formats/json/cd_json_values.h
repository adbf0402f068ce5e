// cd_json_values -- one parsed JSON value into one item of a column: what records.def states about type, width,
// range, vocabulary and reference is checked here, and nowhere else on the JSON side.
// SPDX-License-Identifier: MIT
#ifndef CD_JSON_VALUES_H
#define CD_JSON_VALUES_H

#include "cd_codec.h"

#include <cjson/cJSON.h>

typedef struct cd_json_context {
    cd_arena *arena;  // texts are copied here
    const cd_record *record;
    int dim;
    const cd_refs *refs;  // tables before this run of rows; may be NULL
    const cd_refs *own;   // ids of the earlier rows of this run, for references into the own table; or NULL
    cd_diag *diag;
} cd_json_context;

// Decodes one item (cd_field_width numbers, or one text) of `field` to `out`. Of the list types it is one item of
// the list, of FACES one vertex number. JSON fields have no item here: they are kept as source text by the caller.
cd_status cd_json_item(const cd_json_context *context, const cd_field *field, const cJSON *item,
                       void *out) CD_MUST_CHECK;

// "a number", "an array" ... for sentences.
const char *cd_json_kind(const cJSON *item);

#endif
