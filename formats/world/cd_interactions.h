// cd_interactions -- what holds between two bodies, by their materials: rows of the head table `interaction`.
// SPDX-License-Identifier: MIT
#ifndef CD_INTERACTIONS_H
#define CD_INTERACTIONS_H

#include "cd_records.h"

typedef struct cd_interaction_key {
    int32_t low, high;  // rows of `material`, low <= high
    int32_t row;        // of `interaction`
} cd_interaction_key;

typedef struct cd_interactions {
    int32_t count;
    const cd_interaction_key *key;  // ascending
    bool has_restitution;           // of some pair above 0
    bool has_rolling;               // rolling or spinning of some pair above 0
} cd_interactions;

// What two bodies have.
typedef struct cd_contact_law {
    double mu;                 // [1] >= 0; NaN: that of the bodies
    double restitution;        // [0..1] 0 where nothing is said
    int32_t restitution_law;   // CD_RESTITUTION_...
    double rolling, spinning;  // [m] >= 0: of torques about axes along and across the contact plane
} cd_contact_law;

// Once a run, or once a frame: O(n log n). CD_ERR_FORMAT when a pair of materials is there twice, a restitution is
// above 1 or the plane has spinning. @owns arena
cd_status cd_interactions_make(cd_arena *arena, const cd_model *in, cd_interactions *interactions,
                               cd_diag *diag) CD_MUST_CHECK;

// Of two rows of `body`, in either order. O(log n)
cd_contact_law cd_contact_law_of(const cd_interactions *interactions, const cd_model *in, int32_t a, int32_t b);

// [1] The coefficient of friction of two rows of `body`: that of the law, else the geometric mean of theirs.
double cd_contact_mu(const cd_interactions *interactions, const cd_model *in, int32_t a, int32_t b);

#endif
