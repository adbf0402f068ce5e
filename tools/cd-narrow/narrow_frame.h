// narrow_frame -- what the stage's parts share while they work on one frame: the pairs in canonical order, and what
// was found.
//
// cd_narrow_frame reads the pairs -> cd_narrow_plane or cd_narrow_space places bodies and finds contacts ->
// cd_narrow_write.
// SPDX-License-Identifier: MIT
#ifndef NARROW_FRAME_H
#define NARROW_FRAME_H

#include "cd_reach.h"
#include "narrow_stage.h"

// A pair in canonical order.
typedef struct cd_narrow_site_pair {
    int32_t rank_a, part_a, rank_b, part_b;
    int32_t row_a, row_b;  // of `body`
} cd_narrow_site_pair;

typedef struct cd_narrow_frame_state {
    cd_arena *arena;
    const cd_model *in;
    const cd_shapes *shapes;
    const cd_narrow_options *options;
    int threads;
    cd_diag *diag;
    cd_narrow_mode mode;
    double step;     // [s] 0: nothing moves
    double epsilon;  // [m]
    cd_narrow_choice choice;
    cd_reach reach;
    const int32_t *trial_row;
    int32_t pair_count;
    cd_narrow_site_pair *pair;
} cd_narrow_frame_state;

// Contacts in the order of their pairs, and the pair each came from. Memory from the frame's arena.
typedef struct cd_narrow_found {
    int32_t count;
    cd_narrow_contact3 *contact;
    const int32_t *pair;
    int32_t rejected;  // of status outside, kept or not
} cd_narrow_found;

int32_t cd_narrow_leaf_count(const cd_narrow_frame_state *frame, int32_t body);
// Puts "bodies 1 and 2: " before what a pair failed with.
cd_status cd_narrow_fail_at(const cd_narrow_frame_state *frame, cd_status status, const cd_narrow_site_pair *pair);

cd_status cd_narrow_plane(const cd_narrow_frame_state *frame, cd_narrow_found *found) CD_MUST_CHECK;
cd_status cd_narrow_space(const cd_narrow_frame_state *frame, cd_narrow_found *found) CD_MUST_CHECK;
void cd_narrow_write(const cd_narrow_frame_state *frame, const cd_narrow_found *found, cd_contact_rows *out);

#endif
