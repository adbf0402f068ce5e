// cd_selection -- what of a stream is kept: frames, record types, bodies. The rest of the stream stays legal: no
// reference dangles.
//
// parse (once) -> cd_frame_range_has (per frame record) -> apply (on the tables of a frame). Rules:
//   frames   by the `index` of the frame record; head tables and the end always stay
//   bodies   a row goes when one of the things it refers to goes; rows that refer to no body stay. Head tables stay.
//   types    rows of other types stay only where a row that stays refers to them; head, prog, frame, fend and end
//            always stay, other head tables when they are listed or a table that stays can refer to them
// References are row numbers in memory; they are renumbered. User ids never change. O(rows).
// SPDX-License-Identifier: MIT
#ifndef CD_SELECTION_H
#define CD_SELECTION_H

#include "cd_frame_range.h"
#include "cd_tables.h"

typedef struct cd_id_range {
    int64_t first, last;
} cd_id_range;

typedef struct cd_selection {
    bool has_frames;
    cd_frame_range frames;
    // types
    bool has_types;
    uint64_t types;                 // listed known ones
    CD_LIST(const char *) foreign;  // listed others
    // bodies
    bool has_bodies;
    CD_LIST(cd_id_range) bodies;  // sorted, disjoint
} cd_selection;

// Texts of the options, NULL where not given. CD_ERR_USAGE "--frames: ...". @owns arena
cd_status cd_selection_parse(cd_arena *arena, const char *types, const char *frames, const char *bodies,
                             cd_selection *selection, cd_diag *diag) CD_MUST_CHECK;

bool cd_selection_wants_body(const cd_selection *selection, int64_t id);
bool cd_selection_lists_foreign(const cd_selection *selection, const char *name);

// Types of which something may stay: the listed ones and all that they can refer to, and the structure of the stream.
uint64_t cd_selection_kept_types(const cd_selection *selection);
// Must rows be looked at? Without, whole chunks are kept or left out.
bool cd_selection_needs_rows(const cd_selection *selection);

// Applies `types` and `bodies` to the tables of a frame (frame record included). New columns @owns arena.
void cd_selection_apply(cd_arena *arena, const cd_selection *selection, cd_tables *tables);

// The bodies of these ids, nothing else. @owns arena
cd_selection cd_selection_of_bodies(cd_arena *arena, const int64_t *id, int32_t count);
// Takes from a head the shapes that no body of `frame` has and no compound of such a shape is made of. Columns that
// change, of both, are new ones. @owns arena
void cd_selection_drop_shapes(cd_arena *arena, cd_model *head, cd_model *frame);

#endif
