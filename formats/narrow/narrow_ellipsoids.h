// narrow_ellipsoids -- potentials of Perram and Wertham of the pairs of ellipsoids among a frame's, for potential
// contacts: several side by side in vectors, and with --warm from the lambda that a pair had in the frame before.
//
// A worker that is asked for a pair solves those that follow with it, in batches of CD_PERRAM_LANES. One pair has the
// same bits as many (cd_perram.h), so nothing depends on shares and threads.
// SPDX-License-Identifier: MIT
#ifndef NARROW_ELLIPSOIDS_H
#define NARROW_ELLIPSOIDS_H

#include "narrow_placed.h"

// A worker's batch. All zeros at first.
typedef struct cd_narrow_ellipsoids {
    int32_t begin, end;  // pairs of the frame that it covers
    int32_t count;
    int32_t number[CD_PERRAM_LANES];  // of them those of ellipsoids
    cd_perram found[CD_PERRAM_LANES];
} cd_narrow_ellipsoids;

// Of pair `number` at the poses that are reported, about the pair's own middle; NULL: it is not of two ellipsoids.
// Placed parts are no longer valid. Valid until the next call.
const cd_perram *cd_narrow_ellipsoids_of(cd_narrow_ellipsoids *batch, cd_narrow_placer *placer,
                                         const cd_pair3 *const *entry, int32_t number);

// ---- from frame to frame -------------------------------------------------------------------------------------------

typedef struct cd_narrow_lambda {
    int64_t id_a, id_b;
    int32_t part_a, part_b;
    double start, found;  // of the frame before and of this one; 0: none
} cd_narrow_lambda;

// Lasts for the run. All zeros at first.
struct cd_narrow_lambdas {
    cd_arena arena[2];  // of the frame before and of this one, in turn
    int turn;
    int32_t count;
    cd_narrow_lambda *pair;  // of the frame's pairs, in their order
};

// Makes room for the frame's pairs, and takes over what those had that are the same by ids and parts.
void cd_narrow_lambdas_begin(struct cd_narrow_lambdas *lambdas, const cd_narrow_frame_state *frame);
void cd_narrow_lambdas_forget(struct cd_narrow_lambdas *lambdas);

#endif
