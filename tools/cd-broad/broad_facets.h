// broad_facets -- for `--overlap sphere`: facets of a body that stands are asked themselves, not the balls around them.
//
// A ball over a mesh overlaps the boxes and balls of some seven triangles where it comes near one or two. Asked of the
// pairs that were found, whatever the method (cd_broad_engine_ask).
// SPDX-License-Identifier: MIT
#ifndef BROAD_FACETS_H
#define BROAD_FACETS_H

#include "broad_method.h"
#include "cd_bodies.h"
#include "cd_leaves.h"
#include "cd_reach.h"

// Of a frame of space.
typedef struct cd_broad_facets {
    const cd_model *in;
    const cd_leaves *leaves;
    const int32_t *trial_row;
    const cd_reach *reach;
    double margin;        // [m]
    const int32_t *site;  // of the items: body row, leaf
    const double *ball;   // [m] of the items
    cd_broad_still standing;
    int32_t standing_row;  // where it stands apart
    int32_t *pose_of;      // by row of `body`: of `pose`; -1: its parts are no facets that stand
    cd_pose3 *pose;
} cd_broad_facets;

// Fills in pose_of and pose; false: no body has facets and stands (is fixed, without a trial). @owns arena
bool cd_broad_facets_make(cd_arena *arena, cd_broad_facets *facets);

// Does the ball of the one come within what both were grown by of the other, a facet that stands, with its thickness?
// True where neither is one. O(1)
bool cd_broad_facet_is_near(const void *facets, int32_t i, int32_t j);

#endif
