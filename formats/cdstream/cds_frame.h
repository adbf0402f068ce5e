// cds_frame -- what is behind the calls of cdstream.h: the stage, the open frame, and the first mistake.
// SPDX-License-Identifier: MIT
#ifndef CDS_FRAME_H
#define CDS_FRAME_H

#include "cd_filter.h"
#include "cd_reach.h"
#include "cdstream.h"

typedef struct cds_list_value {
    const cd_field *field;
    cd_rows *rows;
    int32_t row, count;
    const void *items;
} cds_list_value;

struct cds_frame {
    cd_ctx *ctx;
    const cds_stage *stage;
    void *user;
    cd_status fault;          // of the first mistake; CD_OK: none. Its sentence is in ctx->diag
    bool in_frame;            // there is an open frame
    bool has_leaves;          // `leaves` are made
    cd_leaves leaves;         // of the run
    bool has_reach;           // `reach` is made
    cd_reach reach;           // of the frame
    const int32_t *trial_of;  // of the frame: cd_body_trial_rows; NULL: not asked for yet
    CD_LIST(cds_contact) contact;
    CD_LIST(cds_list_value) list;
    char check[512];  // the sentence of a stage that returned CDS_CHECK; empty: none did
};

// Keeps the first mistake of the stage: CD_ERR_USAGE, or what `status` says.
cd_status stage_mistake(cds_frame *f, cd_status status, const char *format, ...) CD_PRINTF(3, 4);
// The same of what a callee put into ctx->diag.
cd_status stage_keep(cds_frame *f, cd_status status);

// The record of a table by name, the field of a record by name; NULL and a mistake when there is none. `call` is the
// caller's name.
const cd_record *stage_record(cds_frame *f, const char *call, const char *table);
const cd_field *stage_field(cds_frame *f, const char *call, const cd_record *record, const char *field);
// Is it a row of the table? Else a mistake.
bool stage_has_row(cds_frame *f, const char *call, const char *table, int32_t row, int32_t rows);

// The leaves of all shapes, made when they are asked for first; NULL: they are wrong, which is kept as a mistake.
const cd_leaves *stage_leaves(cds_frame *f);

// Puts what the stage gave one by one into the tables: contacts in order, lists, ids.
void stage_finish_tables(cds_frame *f);

#endif
