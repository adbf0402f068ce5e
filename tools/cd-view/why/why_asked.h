// why_asked -- the two parts of a pair that are told in full, placed as cd-narrow places them.
//
// cd_why_ask -> what is asked of them -> cd_why_release.
// SPDX-License-Identifier: MIT
#ifndef WHY_ASKED_H
#define WHY_ASKED_H

#include "narrow_placed.h"
#include "why_pair.h"

typedef struct cd_why_asked {
    cd_why_pair *pair;
    const cd_why_leaves *leaves;
    double reach;                           // [m] of the pair
    bool is_of_features, is_of_separators;  // two polytopes, and the mode asks for these
    bool has_trial;                         // the current poses are others than those of the start
    cd_pair2_input plane;
    cd_pair3_input space;
    cd_narrow_placer *placer;  // keeps the parts of space
} cd_why_asked;

// False where the bodies give no pair of parts that is a candidate.
bool cd_why_ask(cd_why_pair *pair, cd_why_asked *asked);
void cd_why_release(cd_why_asked *asked);

#endif
