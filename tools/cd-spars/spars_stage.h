// spars_stage -- one frame of cd-spars: table `contact` in, what is left of it out.
// SPDX-License-Identifier: MIT
#ifndef SPARS_STAGE_H
#define SPARS_STAGE_H

#include "cd_leaves.h"
#include "spars_history.h"
#include "spars_select.h"

typedef struct cd_spars_options {
    cd_spars_rule rule;  // mindist NaN: the epsilon of cd_length.h
    bool keep_deleted;   // mark them instead of leaving them out
    bool new_only;
} cd_spars_options;

typedef struct cd_spars_counts {
    int32_t verdict[CD_SPARS_VERDICT_COUNT];  // contacts, by cd_spars_verdict
    int32_t freed;                            // bodies that had contacts and have none left
} cd_spars_counts;

// What lasts for the run.
typedef struct cd_spars_stage {
    const cd_spars_options *options;
    cd_adjacency adjacency;
    cd_leaves shapes;           // where mindist is NaN and the head states no epsilon
    cd_spars_history *history;  // used with new_only
} cd_spars_stage;

// Rows of `out` are those of in->contact that stay, with ids as they were, in the order of these ids. Rows of status
// outside or deleted take no part: the former pass, the latter pass with keep_deleted only. Nothing depends on the
// order of rows. CD_ERR_FORMAT when a contact names a part that its body has not. Memory from the arena; `out` may
// share columns with in->contact.
cd_status cd_spars_frame(cd_arena *arena, const cd_spars_stage *stage, const cd_model *in, cd_contact_rows *out,
                         cd_spars_counts *counts, cd_diag *diag) CD_MUST_CHECK;

#endif
