// narrow_frame -- what the stage's parts share while they work on one frame: the pairs in canonical order, and rows.
//
// cd_narrow_frame reads the pairs -> cd_narrow_plane or cd_narrow_space says how bodies are placed and a pair's
// contacts found -> cd_narrow_run (narrow_run.h) finds those of all pairs and fills in the rows.
// SPDX-License-Identifier: MIT
#ifndef NARROW_FRAME_H
#define NARROW_FRAME_H

#include "cd_bodies.h"
#include "cd_cell.h"
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
    const cd_narrow_mode *mode;
    double step;     // [s] 0: nothing moves
    double epsilon;  // [m]
    cd_separator_choice choice;
    cd_reach reach;
    double cell;  // [m] edge, cd_cell.h
    const int32_t *trial_row;
    int32_t pair_count;
    cd_narrow_site_pair *pair;
    struct cd_narrow_surfaces *surfaces;  // NULL: no pair has contacts of one
    struct cd_narrow_memory *memory;      // NULL: nothing is known
    struct cd_narrow_lambdas *lambdas;    // narrow_ellipsoids.h; NULL: each frame by itself
    // Of a mode that takes them; else NULL.
    const struct cd_pinballs *pinballs_of_run;
    const struct cd_narrow_pinballs *pinballs;
} cd_narrow_frame_state;

// The first half of cd_narrow_frame: all that the frame's parts share, its pairs read, and nothing that lasts from
// frame to frame. Errors as of cd_narrow_frame. @owns arena
cd_status cd_narrow_open(cd_arena *arena, const cd_narrow_stage *stage, const cd_model *in,
                         cd_narrow_frame_state *frame, cd_diag *diag) CD_MUST_CHECK;
struct cd_narrow_beside;
// What pair number `pair` of a frame of the plane is asked with, but `known`; for who explains one pair. Gives back the
// point of the world [m] that the parts are placed about. @owns arena
cd_vec3 cd_narrow_plane_input(const cd_narrow_frame_state *frame, const struct cd_narrow_beside *beside, int32_t pair,
                              cd_arena *arena, cd_pair2_input *input);

// The leaf of a part of a body, row of `body`, that has a shape.
static inline int32_t cd_narrow_leaf_number(const cd_narrow_frame_state *frame, int32_t row, int32_t part)
{
    return frame->shapes->first[frame->in->body.shape[row]] + part;
}
static inline cd_leaf3 cd_narrow_leaf3_of(const cd_narrow_frame_state *frame, int32_t row, int32_t part)
{
    return cd_leaves3_at(&frame->shapes->space, cd_narrow_leaf_number(frame, row, part));
}
static inline cd_shape_kind cd_narrow_kind_of(const cd_narrow_frame_state *frame, int32_t row, int32_t part)
{
    return cd_leaves_kind(frame->shapes, cd_narrow_leaf_number(frame, row, part));
}
// Has it corners and flat sides?
static inline bool cd_narrow_is_polytope(cd_shape_kind kind)
{
    return kind == CD_SHAPE_POLYGON || kind == CD_SHAPE_POLYHEDRON || kind == CD_SHAPE_FACETS;
}

// Parts of the body's shape; 0 where it has none.
int32_t cd_narrow_leaf_count(const cd_narrow_frame_state *frame, int32_t body);
// CD_ERR_UNSUPPORTED "bodies 1 and 2: --contacts features: sphere against box is not supported".
cd_status cd_narrow_refuse(const cd_narrow_frame_state *frame, const cd_narrow_site_pair *pair, cd_shape_kind kind_a,
                           cd_shape_kind kind_b) CD_MUST_CHECK;

// Of a mode without a question for the dimension: CD_ERR_UNSUPPORTED "--contacts NAME: has no routine for the plane".
cd_status cd_narrow_refuse_dimension(const cd_narrow_frame_state *frame) CD_MUST_CHECK;

// Fill in the rows; rejected: contacts of status outside, kept or not. CD_ERR_UNSUPPORTED as above.
cd_status cd_narrow_plane(const cd_narrow_frame_state *frame, cd_contact_rows *out, int32_t *rejected) CD_MUST_CHECK;
cd_status cd_narrow_space(const cd_narrow_frame_state *frame, cd_contact_rows *out, int32_t *rejected) CD_MUST_CHECK;

// ---- rows (narrow_write.c) -----------------------------------------------------------------------------------------

static inline uint32_t cd_narrow_columns_of(const cd_contact *contact)  // cd_narrow_column
{
    return (isnan(contact->area) ? 0u : CD_NARROW_HAS_AREA) |
           (contact->surface_a == CD_ABSENT ? 0u : CD_NARROW_HAS_SURFACES) |
           (contact->feature_a == CD_FEATURE_NONE ? 0u : CD_NARROW_HAS_FEATURES) |
           (isnan(contact->applicability) ? 0u : CD_NARROW_HAS_JUDGEMENT) |
           (contact->separator.code[0] == CD_FEATURE_NONE ? 0u : CD_NARROW_HAS_SEPARATORS) |
           (contact->separator.side == CD_ABSENT ? 0u : CD_NARROW_HAS_SIDES) |
           (isnan(contact->bound) ? 0u : CD_NARROW_HAS_BOUNDS) |
           (isnan(contact->lambda) ? 0u : CD_NARROW_HAS_POTENTIAL);
}

// Contacts that were found about the point, from number `first` on, are moved to where they are in the world.
static inline void cd_narrow_move_contacts(cd_contacts *contacts, int32_t first, cd_vec3 middle)
{
    if (cd_cell_is_same(middle, (cd_vec3){0, 0, 0}))
        return;
    for (int32_t i = first; i < contacts->count; i++) {
        cd_contact *contact = &contacts->item[i];
        contact->point = cd_add3(contact->point, middle);
        contact->point_a = cd_add3(contact->point_a, middle);
        contact->point_b = cd_add3(contact->point_b, middle);
    }
}

// Contacts in the order of their pairs, and the pair each came from.
typedef struct cd_narrow_found {
    int32_t count;
    const cd_contact *contact;
    const int32_t *pair;
} cd_narrow_found;

// A row a contact, in frame->arena.
void cd_narrow_write(const cd_narrow_frame_state *frame, const cd_narrow_found *found, cd_contact_rows *out);
// Columns with room for rows->count rows, those of `columns` among them. Nothing is filled in: who comes first to a
// page pays for it, and that should be the workers.
void cd_narrow_make_columns(const cd_narrow_frame_state *frame, uint32_t columns, cd_contact_rows *rows);
// Those of the set that are not in `columns` are absent.
void cd_narrow_drop_columns(uint32_t columns, cd_contact_rows *rows);
// Fills in row i: the contact found by pair number `pair`.
void cd_narrow_put(const cd_narrow_frame_state *frame, cd_contact_rows *rows, int64_t i, int32_t pair,
                   const cd_contact *contact);

#endif
