// narrow_placed -- the parts of bodies placed at the poses of a step, one worker's.
//
// begin -> pair ... -> release. What was placed last is kept and found again, up to some MiB, and then forgotten at
// once: pairs come sorted by bodies, so that most parts are asked for again soon or never. To place a part anew takes
// less than to keep all of them (hulls of 16 vertices in 1e5 pairs of their own: 2.6 KB a body, of which the kernel's
// clearing of fresh pages took three fifths of the whole filter's time), and each worker places its own.
// SPDX-License-Identifier: MIT
#ifndef NARROW_PLACED_H
#define NARROW_PLACED_H

#include "narrow_beside.h"

enum { CD_NARROW_POSES = 3, CD_NARROW_BODY_SLOTS = 1024, CD_NARROW_PART_SLOTS = 2048 };

typedef struct cd_narrow_placed_body {
    int32_t row;                     // of `body`; -1: an empty slot
    cd_vec3 middle;                  // [m] of the body's cell (cd_cell.h), which the poses are about
    cd_pose3 pose[CD_NARROW_POSES];  // start, predicted, current
    int same[CD_NARROW_POSES];       // the first pose that this one is equal to
} cd_narrow_placed_body;

typedef struct cd_narrow_placed_part {
    int32_t part;
    cd_pair3_part placed;
} cd_narrow_placed_part;

typedef struct cd_narrow_placer {
    const cd_narrow_frame_state *frame;
    cd_arena arena;
    int64_t bytes;       // placed since all was forgotten
    int32_t body_slots;  // in use: as many as there are bodies, if not more
    cd_narrow_placed_body body[CD_NARROW_BODY_SLOTS];
    int32_t part_row[CD_NARROW_PART_SLOTS];  // of each slot of `part`; -1: an empty one. By themselves: cleared often
    cd_narrow_placed_part part[CD_NARROW_PART_SLOTS];
} cd_narrow_placer;  // half a MiB

void cd_narrow_placer_begin(cd_narrow_placer *placer, const cd_narrow_frame_state *frame);
// The poses of a body, row placed->row, and the cell they are about.
void cd_narrow_find_poses(const cd_narrow_frame_state *frame, cd_narrow_placed_body *placed);
// A body at its poses; valid until the next call.
const cd_narrow_placed_body *cd_narrow_placer_body(cd_narrow_placer *placer, int32_t row);
// What a pair of the frame is asked with, but `known`, `intersect` and what stands beside; as the next function.
cd_vec3 cd_narrow_placer_input(cd_narrow_placer *placer, int32_t pair, cd_arena *arena, cd_arena *scratch,
                               cd_pair3_input *input);
// Both parts of a pair, placed about the point of the world that is given back [m]; valid until the next call.
cd_vec3 cd_narrow_placer_pair(cd_narrow_placer *placer, const cd_narrow_site_pair *pair, cd_pair3_part *a,
                              cd_pair3_part *b);
// Puts the polyhedra beside a part of the pair, placed about its `middle`; valid until the next pair. @owns arena
void cd_narrow_placer_beside(cd_narrow_placer *placer, const cd_narrow_sites *sites, cd_vec3 middle, cd_arena *arena,
                             cd_pair3_part *put);
void cd_narrow_placer_release(cd_narrow_placer *placer);

#endif
