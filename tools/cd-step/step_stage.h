// step_stage -- one frame of cd-step: what was solved in, tables `next` and `verdict` and metrics out.
// SPDX-License-Identifier: MIT
#ifndef STEP_STAGE_H
#define STEP_STAGE_H

#include "cd_filter.h"
#include "cd_interactions.h"
#include "cd_leaves.h"
#include "cd_solids.h"
#include "step_bounce.h"
#include "step_integrator.h"
#include "step_rest.h"
#include "step_verdict.h"

typedef struct cd_step_options {
    double step;              // [s] of the next frame; NaN: as it was
    const char *on_unsolved;  // of cd_step_policies
    const char *integrator;   // of cd_step_integrator_names
    double rest;              // [1] of step_rest.h; 0: nothing rests
    int64_t bounces;          // pairs of a whole step that are followed to where they meet (step_bounce.h)
    int64_t rounds;           // 0: CD_STEP_ROUNDS, or 1 where no round can follow or none would help
    bool advance, energy;
} cd_step_options;

enum { CD_STEP_ROUNDS = 8 };  // overlaps left by the first end within two or three; fast turns need six

// Steps of the run whose motion was scaled back.
typedef struct cd_step_scaled {
    int64_t count, first, last;  // frames
    double least;                // [1] of the motion
} cd_step_scaled;

// What lasts for the run.
typedef struct cd_step_stage {
    const cd_step_options *options;
    cd_step_policy policy;
    int rounds;            // at most, of an attempt; 1: accepted as it was solved
    cd_leaves shapes;      // prepared; with more rounds than one
    cd_elements elements;  // of an integrator that takes forces alone
    cd_solids solids;      // the same
    cd_interactions interactions;
    bool has_warned;     // of energy
    bool has_looked;     // at the start of the first frame
    double free_growth;  // [1] what free motion alone has made of a body's turning energy, over the steps accepted
    cd_step_scaled scaled;
} cd_step_stage;

// CD_ERR_USAGE for options that contradict each other. options must outlive the stage.
cd_status cd_step_stage_open(const cd_step_options *options, cd_step_stage *stage, cd_diag *diag) CD_MUST_CHECK;

// Head tables only: call it once a run. CD_ERR_FORMAT as cd_interactions_make; CD_ERR_USAGE when they have a
// restitution and there are no rounds for it. @owns run
cd_status cd_step_stage_head(cd_step_stage *stage, cd_arena *run, const cd_model *in, cd_diag *diag) CD_MUST_CHECK;

// Reads ctx->in, writes ctx->out.
cd_status cd_step_stage_frame(cd_ctx *ctx, cd_step_stage *stage) CD_MUST_CHECK;

// After the last frame: what is told once a run of all its steps.
cd_status cd_step_stage_finish(cd_ctx *ctx, const cd_step_stage *stage) CD_MUST_CHECK;

#endif
