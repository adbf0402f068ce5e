// penalty_stage -- one frame of cd-penalty: table `contact` in, table `force` out.
// SPDX-License-Identifier: MIT
#ifndef PENALTY_STAGE_H
#define PENALTY_STAGE_H

#include "cd_interactions.h"
#include "cd_pinballs.h"
#include "cd_solids.h"

typedef struct cd_penalty_options {
    double stiffness;      // [N/m] NaN: by moduli
    double beta;           // [1] NaN: 1
    double damping;        // [N s/m] NaN: none, or by ratio
    double damping_ratio;  // [1] of critical damping; NaN: none
    const char *friction;  // of cd_penalty_friction_words
    double shear;          // [N/m] of the tangential spring; NaN: by ratio
    double shear_ratio;    // [1] of the stiffness along the normal; NaN: CD_PENALTY_SHEAR_RATIO
    double tangential;     // [N s/m] NaN: with a spring the same part of critical damping as along the normal, else
                           // sqrt(p m_eff)
    bool is_gated;
    const char *axial;     // of cd_penalty_axial_words
    const char *unstable;  // of cd_penalty_unstable_words
} cd_penalty_options;

#define CD_PENALTY_DEFAULTS                                                                                      \
    {                                                                                                            \
        .stiffness = NAN, .beta = NAN, .damping = NAN, .damping_ratio = NAN, .friction = "spring", .shear = NAN, \
        .shear_ratio = NAN, .tangential = NAN, .axial = "total", .unstable = "warn"                              \
    }

// [1] Tangential over normal stiffness: with 2/7 a solid ball on the ground swings as fast across the normal as along
// it (L. E. Silbert et al., Phys. Rev. E 64 (2001) 051302).
#define CD_PENALTY_SHEAR_RATIO (2.0 / 7.0)

extern const char *const cd_penalty_friction_words[];  // friction below Coulomb's limit: spring, viscous; NULL
extern const char *const cd_penalty_axial_words[];     // of rings p is of the whole ring, or of a radian of it; NULL
extern const char *const cd_penalty_unstable_words[];  // what becomes of a step that is too large: warn, stop; NULL

// What lasts for the run.
typedef struct cd_penalty_stage {
    const cd_penalty_options *options;
    cd_leaves shapes;
    cd_elements elements;
    cd_pinballs pinballs;
    cd_solids solids;
    const cd_refs *refs;  // of the input
    int threads;
    cd_interactions interactions;
    bool has_springs;  // friction
    bool has_warned;   // of a step above the stable one
} cd_penalty_stage;

// What a frame came to.
typedef struct cd_penalty_totals {
    int32_t contacts;    // with a force
    double penetration;  // [m] the largest
    double energy;       // [J] stored in contacts, tangential springs too
    double loss;         // [W]
    double stable_step;  // [s] infinite: nothing bounds it
    const char *bound;   // who bounds it: "body 5"; NULL
} cd_penalty_totals;

// CD_ERR_USAGE for options that contradict each other.
cd_status cd_penalty_stage_open(const cd_penalty_options *options, cd_penalty_stage *stage,
                                cd_diag *diag) CD_MUST_CHECK;

// Head tables only: call it once a run. CD_ERR_FORMAT as of what it makes of them. @owns run
cd_status cd_penalty_stage_head(cd_penalty_stage *stage, cd_arena *run, const cd_model *in,
                                cd_diag *diag) CD_MUST_CHECK;

// A row of `force` for each contact that has one, in the order of `contact`, with its spring where it has friction and
// friction has springs, and a row of `nodal_force` for each node
// on which such contacts act, in the order of `node`. CD_ERR_UNSUPPORTED for a contact whose gap is no signed distance,
// CD_ERR_FORMAT as cd_bodies_check and cd_penalty_stiffness. Memory from the arena.
cd_status cd_penalty_frame(cd_arena *arena, const cd_penalty_stage *stage, const cd_model *in, cd_model *out,
                           cd_penalty_totals *totals, cd_diag *diag) CD_MUST_CHECK;

#endif
