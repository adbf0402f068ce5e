// narrow_known -- what the rounds of a step need not find twice.
//
// The separator of a pair hangs on the start and drifted poses of a step alone (cd_separate2.h, cd_separate3.h), and
// these are the same in all its rounds: what one round found stands ready for the next. It is taken only where both
// poses of all bodies are the same to the bit and the pair is asked for with the same numbers, so that no bit of the
// contacts depends on it. Measured: it is a half to two thirds of the time of a round.
//
// cd_narrow_recall once a frame -> cd_narrow_known_of of each pair, by any worker -> cd_narrow_forget.
// SPDX-License-Identifier: MIT
#ifndef NARROW_KNOWN_H
#define NARROW_KNOWN_H

#include "narrow_frame.h"

typedef struct cd_narrow_known_pair {
    double reach;  // [m]
    cd_separator_choice choice;
    union {
        cd_separate2_known plane;
        cd_separate3_known space;
    } of;
} cd_narrow_known_pair;

// Of the frame before; lasts for the run. All zeros at first.
struct cd_narrow_memory {
    cd_arena arena[2];  // of the frame before and of this one, in turn
    int turn;
    double *pose;    // of the bodies: start and drifted, 6 numbers each in the plane, 14 in space
    int32_t *shape;  // of the bodies
    int32_t body_count, pair_count;
    const cd_narrow_site_pair *pair;  // of polytopes alone: others have no separator
    cd_narrow_known_pair *known;      // of each of these
    const int32_t *place;             // of each pair of the frame: its number among these; -1: none
};

// Takes over what is known of the frame's pairs; nothing where the bodies are not the same.
void cd_narrow_recall(struct cd_narrow_memory *memory, const cd_narrow_frame_state *frame);
// The place of a pair that is asked for with these numbers; NULL where it has none. One worker a pair.
cd_narrow_known_pair *cd_narrow_known_of(struct cd_narrow_memory *memory, int32_t pair, double reach,
                                         const cd_separator_choice *choice);
void cd_narrow_forget(struct cd_narrow_memory *memory);

#endif
