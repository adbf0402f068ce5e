// box_workload -- sets of boxes whose number of overlaps is known beforehand, for tests and benchmarks of the broad
// phase.
//
// A box is a function of the workload and of its number alone, so any part of a set can be made again without the rest,
// and a set may be larger than memory. Only +, -, *, / and sqrt are used on the way, which are rounded the same
// everywhere: the same seed gives the same boxes on every machine (the elementary functions of a C library are not so
// kind).
//
// Sizes follow from `neighbours`, the mean number of boxes that a box meets. Two boxes with edges s and t, thrown
// uniformly into the unit cube, overlap with probability prod_k (s_k + t_k), borders aside; so count times the mean of
// that product over both boxes is set to `neighbours` and solved for the scale of the edges. E.g. uniform: count (2
// s)^dim.
// SPDX-License-Identifier: MIT
#ifndef BOX_WORKLOAD_H
#define BOX_WORKLOAD_H

#include "cd_random.h"

typedef enum cd_box_kind {
    CD_BOXES_UNIFORM,
    CD_BOXES_POLYDISPERSE,
    CD_BOXES_CLUSTERED,
    CD_BOXES_SLABS,
    CD_BOXES_SLABS_X,
    CD_BOXES_MESH,
    CD_BOXES_TOUCHING,
    CD_BOXES_MOVING,
    CD_BOXES_GIANT,
    CD_BOXES_COLUMN,
    CD_BOXES_EQUAL,
    CD_BOXES_WIDE,
    CD_BOX_KINDS
} cd_box_kind;
extern const char *const cd_box_kind_names[CD_BOX_KINDS + 1];  // NULL-ended

typedef struct cd_box_workload {
    cd_box_kind kind;
    int dim;        // 2 or 3
    int64_t count;  // of boxes; mesh and touching round it to a whole number of cells along each axis
    uint64_t seed;
    double neighbours;  // > 0, see above
    double aspect;      // slabs: the long edge over the others
    double ratio;       // polydisperse, wide: the largest edge over the smallest, > 1
    double clusters;    // clustered: how many
    double spread;      // [m] clustered: standard deviation of the places about their centre
    double speed;       // moving: the largest move a frame along each axis, in edges
    // cd_box_workload_prepare works these out:
    double edge;  // [m] of a box; the short one of a slab, the largest one of polydisperse and wide
    double log_ratio;
    int64_t columns;  // mesh, touching: cells along an axis; equal: different places along an axis
} cd_box_workload;

// What the kinds start from: everything but kind, dim, count and seed; ratio 0 stands for that of the kind.
#define CD_BOX_WORKLOAD_DEFAULTS .neighbours = 10, .aspect = 100, .clusters = 100, .spread = 0.02, .speed = 0.05

// Rounds count (to 1 at least) and fills the members above.
void cd_box_workload_prepare(cd_box_workload *workload);

typedef struct cd_box {
    double centre[3], half[3];  // [m] the first `dim` of them
    double move[3];             // [m] moving: what it moves in a frame, as long as it meets no wall; else 0
} cd_box;

// Box `number` in 0..count-1 of frame `frame` >= 0; only the kind moving differs from frame to frame.
cd_box cd_box_workload_at(const cd_box_workload *workload, int64_t frame, int64_t number);

#endif
