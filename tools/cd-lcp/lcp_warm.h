// lcp_warm -- start values from the frame before, for cd-lcp --warm.
//
// It is the frame of the step before that counts: of rounds (STREAM.md, "The loop") those of target `free` alone start
// from what was kept, and are kept. A polish round corrects what such a round has left over; its impulses are others.
//
// Rows have other numbers in every frame, so a row is known again by what it stands for: its role; the body and
// component of a velocity row; bodies, parts and features of the contact of every other row; and, for rows alike in all
// of these, which of them it is. Nothing else is carried over: a row not met before starts unknown. Tangents of a disc
// have another direction in every frame, that of the slip (peg_friction.h): its force, and its torque against rolling,
// are carried as vectors of space, and what is along each tangent of now is its start. A frame may be handed in twice
// (--repeat): the values stay those of the frame before it. A problem that comes again at once, solved before, has the
// start that it had, and leaves no trace: so has its answer the same bytes, whether it is recalled (lcp_known.h),
// whether the filter answers such frames itself (cd_ctx.is_pure; blocks alone), or whether it is solved each time.
// Cost: O(entries + rows log rows) a frame. Memory: two frames' keys, run lifetime.
// SPDX-License-Identifier: MIT
#ifndef LCP_WARM_H
#define LCP_WARM_H

#include "cd_records.h"
#include "cd_refs.h"
#include "mcp.h"

typedef struct cd_warm_key {
    int64_t body_a, body_b;  // user ids; velocity rows have only the first
    int32_t part_a, part_b, feature_a, feature_b, role, axis;
    int32_t occurrence;  // 0, 1.. among rows alike
    int32_t row;         // of the frame; no part of the key
    double along[3];     // world, unit: the tangent or axis of a row of a disc, as b has it; 0: unknown. No part either
} cd_warm_key;

typedef struct cd_warm_frame {
    int64_t tag[3];  // frame index, substep, round
    int32_t count, capacity;
    cd_warm_key *key;  // ascending
    double *z;         // of each key
    double *start;     // a row each
    uint64_t hash;     // of the problem
    bool is_solved;
} cd_warm_frame;

typedef struct cd_warm {
    cd_warm_frame before, now;
    uint64_t hash;  // of the problem that is to be started
} cd_warm;          // all zero: no frame yet

// The start that the frame before had, where the problem is the same and was solved; else NULL, as in a polish round,
// and cd_warm_start makes one. @owns arena
double *cd_warm_again(cd_warm *warm, const cd_mcp *problem, const cd_frame_rows *frame, cd_arena *arena);
// Start values of the rows of `in` (its tables row, entry, contact and frame), normal_row: of each row that of its
// normal impulse, -1 none, NULL: of no row; NaN where unknown; NULL in a polish round,
// which is not to be kept. @owns arena
double *cd_warm_start(cd_warm *warm, const cd_model *in, const int32_t *normal_row, const cd_refs *refs,
                      cd_arena *arena, cd_arena *run);
// Remembers the solution of the frame that cd_warm_start was called for.
void cd_warm_keep(cd_warm *warm, const double *z, bool is_solved);

#endif
