// narrow_run -- goes over the pairs of a frame in groups, over threads, and makes rows of what is found.
//
// A group is a part of body a with all parts of body b that it is paired with; pairs come sorted, so a group is a run
// of them. Steps: find the contacts of each pair, drop those of status outside that nobody asked for, let the mode
// merge those of the group (cd_narrow_mode), number them. Threads get whole groups, each worker a run of them: what a
// group gives does not depend on the number of threads.
//
// Where a mode finds one contact a pair and merges none, each goes straight into its row, so that it need not go
// through memory twice.
// SPDX-License-Identifier: MIT
#ifndef NARROW_RUN_H
#define NARROW_RUN_H

#include "narrow_frame.h"

// How the contacts of a pair are found. Batches of pairs, and what one frame leaves for the next, would be further
// members here: a worker's own state is made and given back by who knows the dimension.
typedef struct cd_narrow_finder {
    const void *job;
    void *(*begin)(const void *job);  // a worker's own state
    // Appends the contacts of pair number `pair`; their memory from `arena`.
    void (*find)(void *worker, int32_t pair, cd_arena *arena, cd_contacts *contacts);
    void (*end)(void *worker);
    int threads;
} cd_narrow_finder;

// Contacts in the order of their pairs. rejected: those of status outside, kept or not. Of the frame it reads arena,
// in->dim, threads, mode, options->keep_rejected and pairs.
void cd_narrow_run(const cd_narrow_frame_state *frame, const cd_narrow_finder *finder, cd_contact_rows *out,
                   int32_t *rejected);

#endif
