// peg_stage -- one frame of cd-peg-assemble: bodies and contacts in, constraints and the problem's rows out.
// SPDX-License-Identifier: MIT
#ifndef PEG_STAGE_H
#define PEG_STAGE_H

#include "peg_frame.h"

// What the user asked for. NaN: not asked, see cd_peg_usual_limits and cd_peg_stage_frame.
typedef struct cd_peg_options {
    const char *model, *stabilize, *curvature, *primaries, *primary, *friction, *mu;
    int64_t sides;
    double theta, phi, delta;  // [rad], [rad], [m]
    double gap_margin, reach;  // [m]
    bool condition;
} cd_peg_options;

extern const char *const cd_peg_primaries_names[];  // {"one", "applicable", NULL}

typedef struct cd_peg_stage {
    const cd_peg_options *options;
    cd_peg_primary primary;
    cd_peg_mu_rules mu;
    bool has_groups;  // the groups of `mu` were found among the bodies of the first frame that has some
    // Made when the head is complete.
    cd_peg_shapes shapes;
    cd_interactions interactions;
    bool has_warned;  // of friction that is left out
} cd_peg_stage;

enum { CD_PEG_METRICS_MOST = 8 };
typedef struct cd_peg_metrics {
    int32_t count;
    const char *name[CD_PEG_METRICS_MOST];
    double value[CD_PEG_METRICS_MOST];
    bool leaves_out_friction;  // a contact of bodies that have mu, rolling or spinning, and --friction off
} cd_peg_metrics;

// CD_ERR_USAGE for options that make no sense. options must outlive the stage. @owns run
cd_status cd_peg_stage_open(cd_arena *run, const cd_peg_options *options, cd_peg_stage *stage,
                            cd_diag *diag) CD_MUST_CHECK;
// What a model takes of the contacts of features: the usual limits, and those that the options put in their place.
cd_contact_limits cd_peg_limits_of(const cd_peg_options *options, const cd_peg_model *model, int dim);
// @owns arena
cd_status cd_peg_stage_frame(const cd_peg_stage *stage, cd_arena *arena, const cd_model *in, cd_model *out,
                             cd_peg_metrics *metrics, cd_diag *diag) CD_MUST_CHECK;

#endif
