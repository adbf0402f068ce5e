// narrow_frame -- what the stage's parts share while they work on one frame: the pairs in canonical order, and what
// was found.
//
// cd_narrow_frame reads the pairs -> cd_narrow_plane or cd_narrow_space places bodies and finds contacts ->
// cd_narrow_write. Where a pair of space has at most one contact, cd_narrow_space_rows does both at once.
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
    const cd_leaves *shapes;
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
    cd_contact *contact;
    const int32_t *pair;
    int32_t rejected;  // of status outside, kept or not
} cd_narrow_found;

int32_t cd_narrow_leaf_count(const cd_narrow_frame_state *frame, int32_t body);
// Puts "bodies 1 and 2: " before what a pair failed with.
cd_status cd_narrow_fail_at(const cd_narrow_frame_state *frame, cd_status status, const cd_narrow_site_pair *pair);

cd_status cd_narrow_plane(const cd_narrow_frame_state *frame, cd_narrow_found *found) CD_MUST_CHECK;
cd_status cd_narrow_space(const cd_narrow_frame_state *frame, cd_narrow_found *found) CD_MUST_CHECK;
void cd_narrow_write(const cd_narrow_frame_state *frame, const cd_narrow_found *found, cd_contact_rows *out);
// Of a mode that finds one contact a pair at most (cd_narrow_finds_one): straight into rows, so that a contact need not
// go through memory twice. rejected: of status outside, kept or not.
cd_status cd_narrow_space_rows(const cd_narrow_frame_state *frame, cd_contact_rows *out,
                               int32_t *rejected) CD_MUST_CHECK;

// ---- rows (narrow_write.c) -----------------------------------------------------------------------------------------

// Columns that only some kinds of contacts have: sets of bits.
typedef enum cd_narrow_extra {
    CD_NARROW_HAS_AREA = 1,
    CD_NARROW_HAS_SURFACES = 2,
    CD_NARROW_HAS_FEATURES = 4,
    CD_NARROW_HAS_JUDGEMENT = 8,
    CD_NARROW_HAS_SEPARATORS = 16,
    CD_NARROW_HAS_SIDES = 32,
    CD_NARROW_HAS_BOUNDS = 64,
} cd_narrow_extra;

static inline uint32_t cd_narrow_extras_of(const cd_contact *contact)
{
    return (isnan(contact->area) ? 0u : CD_NARROW_HAS_AREA) |
           (contact->surface_a == CD_ABSENT ? 0u : CD_NARROW_HAS_SURFACES) |
           (contact->feature_a == CD_FEATURE_NONE ? 0u : CD_NARROW_HAS_FEATURES) |
           (isnan(contact->applicability) ? 0u : CD_NARROW_HAS_JUDGEMENT) |
           (contact->separator.code[0] == CD_FEATURE_NONE ? 0u : CD_NARROW_HAS_SEPARATORS) |
           (contact->separator.side == CD_ABSENT ? 0u : CD_NARROW_HAS_SIDES) |
           (isnan(contact->bound) ? 0u : CD_NARROW_HAS_BOUNDS);
}
// Columns with room for rows->count rows, those of `extras` among them. Nothing is filled in: who comes first to a page
// pays for it, and that should be the workers.
void cd_narrow_make_columns(const cd_narrow_frame_state *frame, uint32_t extras, cd_contact_rows *rows);
// Fills in row i: the contact found by pair number `pair`.
void cd_narrow_put(const cd_narrow_frame_state *frame, cd_contact_rows *rows, int64_t i, int32_t pair,
                   const cd_contact *contact);

#endif
