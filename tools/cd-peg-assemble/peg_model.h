// peg_model -- the contact models: which sets of contacts must hold together. The table is peg_models.def, one line a
// model.
//
// A model turns contacts into constraints:
//   U  one contact, its gap >= 0                                                   (17)
//   I  several contacts of one vertex, the largest of their gaps >= 0              (19)-(21)
//   X  the same across the two vertices of a vertex-vertex configuration           (25), (33)
// The first member of a constraint is its primary, which carries the impulse; the others only enter the maximum. That
// is (24), one primary per constraint. X-constraints carry an impulse too: as printed, (47) only defines a slack and
// asks nothing of it; imposing max >= 0 needs the row (47b), 0 <= E_X2 c_X + Psi_X + G_nX' nu _|_ p_X >= 0.
//
// Source: Williams, Lu & Trinkle 2016, J. Comput. Nonlinear Dynam. 12(2) 021001; the choice of primaries is that of
// the authors' own program. Cost: O(n log n) for n contacts.
// SPDX-License-Identifier: MIT
#ifndef PEG_MODEL_H
#define PEG_MODEL_H

#include "cd_memory.h"
#include "peg_contact.h"

typedef enum cd_peg_kind { CD_PEG_U, CD_PEG_I, CD_PEG_X } cd_peg_kind;  // the order of the stream's vocabulary

typedef struct cd_peg_constraint {
    cd_peg_kind kind;
    int32_t first, count;  // members: member[first .. first + count - 1], the primary first
} cd_peg_constraint;

// U-constraints, then I, then X, each in the order of bodies, parts, features: independent of the order of
// contacts.
typedef struct cd_peg_constraints {
    int32_t count;
    const cd_peg_constraint *constraint;
    const int32_t *member;  // indices of contacts
    int32_t of_kind[3];     // how many of U, I, X
} cd_peg_constraints;

typedef struct cd_peg_model cd_peg_model;
struct cd_peg_model {
    const char *name, *summary;
    bool is_filtered;     // applicability and feasibility thresholds apply when none are asked for
    bool joins_vertices;  // contacts of one vertex become one I-constraint
    bool crosses;         // X-constraints between the vertices of a vertex-vertex configuration
    cd_peg_constraints (*group)(const cd_peg_model *model, const cd_peg_contact *contact, int32_t count,
                                const cd_peg_limits *limits, cd_arena *arena);
};

extern const cd_peg_model *const cd_peg_models[];  // ends with NULL
extern const char *const cd_peg_model_names[];     // the same order, ends with NULL: choices of --model
const cd_peg_model *cd_peg_find_model(const char *name);  // NULL when there is none
void cd_peg_help(cd_buffer *out);                         // the table as text, for --help

// The rule of the models in the plane (a method's `group`).
cd_peg_constraints cd_peg_group_vertices(const cd_peg_model *model, const cd_peg_contact *contact, int32_t count,
                                         const cd_peg_limits *limits, cd_arena *arena);

// SM traps: contacts i of I- and X-constraints with gap_i < -tolerance although the largest gap of one of their
// constraints is >= -tolerance: the standard model would push the vertex out of a facet that it need not be outside
// of. A contact counts once. tolerance [m]
int32_t cd_peg_count_traps(const cd_peg_constraints *constraints, const cd_peg_contact *contact, int32_t count,
                           double tolerance, cd_arena *scratch);

#endif
