// peg_model -- the contact models: which sets of contacts must hold together. The table is peg_models.def, one line a
// model.
//
// A model turns contacts into constraints:
//   U  one contact, its gap >= 0                                                   (17)
//   I  several contacts of one vertex, the largest of their gaps >= 0              (19)-(21)
//   X  the same across a vertex and an edge, or two vertices                       (25), (33), (36), (38)
// The first members of a constraint are its primaries, which carry impulses; the others only enter the maximum. One
// primary is (24); with several, (20)-(23). X-constraints carry impulses too: as printed, (47) only defines a slack and
// asks nothing of it; imposing max >= 0 needs the row (47b), 0 <= E_X2 c_X + rate_X + G_nX' nu _|_ p_X >= 0.
//
// Source: Williams, Lu & Trinkle 2016, J. Comput. Nonlinear Dynam. 12(2) 021001. Cost: O(n log n) for n contacts.
// SPDX-License-Identifier: MIT
#ifndef PEG_MODEL_H
#define PEG_MODEL_H

#include "cd_contact_limits.h"
#include "cd_memory.h"
#include "peg_contact.h"

typedef enum cd_peg_kind { CD_PEG_U, CD_PEG_I, CD_PEG_X } cd_peg_kind;  // the order of the stream's vocabulary

typedef struct cd_peg_constraint {
    cd_peg_kind kind;
    int32_t first, count;  // members: member[first .. first + count - 1], the primaries first
    int32_t primaries;     // 1 .. count
} cd_peg_constraint;

// U-constraints, then I, then X, each in the order of bodies, parts, features: independent of the order of
// contacts.
typedef struct cd_peg_constraints {
    int32_t count;
    const cd_peg_constraint *constraint;
    const int32_t *member;  // indices of contacts
    int32_t of_kind[3];     // how many of U, I, X
} cd_peg_constraints;

// Which contact of an I or X is its first primary; of the applicable ones, in the order of features:
//   swap     the first, unless it lies deeper than `swap_depth` and the member with the largest gap, applicable or not,
//            does not: the rule of the authors' program
//   first    the first
//   largest  the one with the largest gap: of convex parts the face that the vertex is really over
//   nearest  the one with the least |gap|
typedef enum cd_peg_primary { CD_PEG_SWAP, CD_PEG_FIRST, CD_PEG_LARGEST, CD_PEG_NEAREST } cd_peg_primary;
extern const char *const cd_peg_primary_names[];  // by cd_peg_primary, NULL-ended: choices of --primary

typedef struct cd_peg_rules {
    cd_contact_limits limits;
    cd_peg_primary primary;
    double swap_depth;  // [m]
    bool has_many;      // every applicable member is a primary, (20)-(23); else one, (24)
} cd_peg_rules;

typedef enum cd_peg_crossing { CD_PEG_NO_CROSSING, CD_PEG_CORRECTED, CD_PEG_PRINTED } cd_peg_crossing;

typedef struct cd_peg_model cd_peg_model;
typedef cd_peg_constraints cd_peg_group(const cd_peg_model *model, const cd_peg_contact *contact, int32_t count,
                                        const cd_peg_rules *rules, cd_arena *arena);
struct cd_peg_model {
    const char *name, *summary;
    bool is_filtered;          // plane: the threshold of applicability applies when none is asked for
    bool joins_vertices;       // contacts of one vertex become one I-constraint
    cd_peg_crossing crossing;  // X-constraints; in the plane both rules are the same
    cd_peg_group *plane, *space;
};

extern const cd_peg_model *const cd_peg_models[];  // ends with NULL
extern const char *const cd_peg_model_names[];     // "auto", then the same order, ends with NULL: choices of --model
const cd_peg_model *cd_peg_find_model(const char *name);  // NULL when there is none
void cd_peg_help(cd_buffer *out);                         // the table as text, for --help

// dim 2 or 3.
static inline cd_peg_group *cd_peg_group_of(const cd_peg_model *model, int dim)
{
    return dim == 2 ? model->plane : model->space;
}
static inline cd_contact_limits cd_peg_usual_limits(const cd_peg_model *model, int dim)
{
    return cd_contact_limits_usual(dim, model->is_filtered, model->crossing == CD_PEG_PRINTED);
}

// The rules of the models in the plane and in space (a model's `plane`, `space`).
cd_peg_group cd_peg_group_plane, cd_peg_group_space;

// SM traps: contacts i of I- and X-constraints with gap_i < -tolerance although the largest gap of one of their
// constraints is >= -tolerance: the standard model would push the vertex out of a face that it need not be outside
// of. A contact counts once. tolerance [m]
int32_t cd_peg_count_traps(const cd_peg_constraints *constraints, const cd_peg_contact *contact, int32_t count,
                           double tolerance, cd_arena *scratch);

#endif
