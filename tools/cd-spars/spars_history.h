// spars_history -- the contacts that were kept in the step before, for --new-only.
//
// A contact is the same when it has the same bodies (by id), parts, features and surfaces. A frame that is sent again
// (another round of the same index and substep) is compared with what its first round was compared with: what a
// rejected trial kept counts for nothing.
//
// open, each frame -> find_new -> keep. Memory is its own: it outlives the frames.
// SPDX-License-Identifier: MIT
#ifndef SPARS_HISTORY_H
#define SPARS_HISTORY_H

#include "spars_order.h"

typedef struct cd_spars_trace {
    int64_t id[2];  // of the bodies
    int32_t part[2];
    cd_spars_marks marks;
} cd_spars_trace;

typedef struct cd_spars_traces {
    cd_spars_trace *item;  // in canonical order
    int32_t count, capacity;
} cd_spars_traces;

typedef struct cd_spars_history {
    cd_spars_traces before, last;  // of the step before, of the frame before
    int64_t index;                 // of the frame before
    int32_t substep;
    bool has_last;
} cd_spars_history;  // all zero is valid and empty

// A frame begins.
void cd_spars_history_open(cd_spars_history *history, int64_t index, int32_t substep);
// is_new, by row: whether the step before had no such contact. order: rows in canonical order. O(order_count + before).
void cd_spars_history_find_new(const cd_spars_history *history, const cd_model *in, const int32_t *order,
                               int32_t order_count, bool *is_new);
// What the frame kept, in canonical order.
void cd_spars_history_keep(cd_spars_history *history, const cd_model *in, const int32_t *row, int32_t count);
void cd_spars_history_release(cd_spars_history *history);

#endif
