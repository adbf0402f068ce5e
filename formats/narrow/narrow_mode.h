// narrow_mode -- the ways of finding contacts: the table narrow_modes.def, which --contacts, --help and the stage walk.
// SPDX-License-Identifier: MIT
#ifndef NARROW_MODE_H
#define NARROW_MODE_H

#include "cd_pair2.h"
#include "cd_pair3.h"

// What a mode asks of parts of space beside their vertices at the current pose. (The plane always has all.)
typedef enum cd_narrow_need {
    CD_NARROW_NEEDS_POSES = 1,    // the start and predicted poses too
    CD_NARROW_NEEDS_PLANES = 2,   // planes of polyhedra
    CD_NARROW_NEEDS_SHELLS = 4,   // shells of polyhedra (cd_shell3.h)
    CD_NARROW_NEEDS_BESIDE = 8,   // what stands beside, of parts of one body (narrow_beside.h), in the plane too
    CD_NARROW_NEEDS_DRIFT = 16,   // for the predicted poses the drifted ones (cd_bodies.h), in the plane too
    CD_NARROW_NEEDS_SHEETS = 64,  // shells of facets (cd_sheet3.h)
    CD_NARROW_NEEDS_MEMORY = 32,  // what the rounds of a step need not find twice (narrow_known.h)
} cd_narrow_need;

// Columns that only some contacts have: sets of bits.
typedef enum cd_narrow_column {
    CD_NARROW_HAS_AREA = 1,
    CD_NARROW_HAS_SURFACES = 2,
    CD_NARROW_HAS_FEATURES = 4,
    CD_NARROW_HAS_JUDGEMENT = 8,
    CD_NARROW_HAS_SEPARATORS = 16,
    CD_NARROW_HAS_SIDES = 32,
    CD_NARROW_HAS_BOUNDS = 64,
    CD_NARROW_HAS_POTENTIAL = 128,  // and lambda
} cd_narrow_column;

// The contacts of a group: of a part of body a with all parts of body b that it is paired with.
typedef struct cd_narrow_group {
    int32_t first_pair, pair_count;  // of the frame's pairs
    int32_t count;                   // of contacts
    cd_contact *contact;             // in the order of their pairs
    int32_t *pair;                   // that each came from
} cd_narrow_group;

typedef struct cd_narrow_mode {
    const char *name, *summary;
    uint32_t needs;            // cd_narrow_need
    bool pushes_overlaps;      // what models make of it pushes overlaps of the start out at once
    bool takes_pinballs;       // pairs of pinballs are not asked the questions below (narrow_pinball.h)
    bool is_single;            // one contact a pair at most
    bool joins_surfaces;       // contacts with surfaces are those of all triangles together (narrow_surface.h)
    bool is_of_overlaps;       // only parts that overlap have contacts
    bool has_rejected;         // may find contacts of status outside, which are counted
    uint32_t columns;          // of a single mode: all that its contacts may have (cd_narrow_column)
    cd_pair2_question *plane;  // NULL: bodies of the plane are refused
    cd_pair3_question *space;  // the same of space
    // Makes the contacts of a group fewer: the first group->count are kept. Called once for each group that has
    // contacts. NULL: all are kept, and those of a single mode of space go straight into rows.
    void (*merge)(cd_narrow_group *group);
} cd_narrow_mode;

// The questions of a mode that has a file of its own, narrow_NAME.c; others are asked those of cd_pair2.h and
// cd_pair3.h.
#define X(identifier, ...)                            \
    cd_pair2_question cd_narrow_##identifier##_plane; \
    cd_pair3_question cd_narrow_##identifier##_space;
#include "narrow_modes.def"
#undef X

extern const cd_narrow_mode cd_narrow_modes[];    // ended by name NULL
extern const char *const cd_narrow_mode_names[];  // "auto", then the same order, NULL-ended: choices of --contacts

// The ways of finding contacts and the pairs of kinds, for --help.
void cd_narrow_print_tables(cd_buffer *out);

const cd_narrow_mode *cd_narrow_find_mode(const char *name);  // NULL: there is none of this name

extern const char *const cd_narrow_intersection_names[];            // NULL-ended
cd_pair3_intersect *cd_narrow_find_intersection(const char *name);  // one of these

#endif
