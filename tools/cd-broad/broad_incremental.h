// broad_incremental -- what the kernels of `incremental` work on: a tree of bounds and a list of timed pairs, and their
// versions in wider vectors. The method itself is explained in broad_incremental.c.
// SPDX-License-Identifier: MIT
#ifndef BROAD_INCREMENTAL_H
#define BROAD_INCREMENTAL_H

#include "broad_method.h"

enum { CD_TIMED_LANES = 16, CD_TIMED_LEVELS = 8 };

// ---- tree ------------------------------------------------------------------------------------------------------

// Closed bounds of what a box occupies from now to the end of the list, relative to an origin; axis 2 of a plane
// problem is 0.
typedef struct cd_timed_bounds {
    float min[3], max[3];  // [m]
} cd_timed_bounds;

// Bounds of 16 boxes, or of 16 nodes of the level below; unused lanes are empty (min > max).
typedef struct cd_timed_node {
    float min[3][CD_TIMED_LANES], max[3][CD_TIMED_LANES];
} cd_timed_node;

// An implicit tree: lane l of node k of a level bounds node 16 k + l of the level below.
typedef struct cd_timed_tree {
    int levels;
    int32_t nodes[CD_TIMED_LEVELS];  // of a level; level 0 holds the boxes, the last has one node
    cd_timed_node *level[CD_TIMED_LEVELS];
    int32_t *item;  // of slot 16 k + l: the box in lane l of node k
} cd_timed_tree;

// Writes the slots whose bounds meet `bounds` to `slot`, which has room for all; returns how many.
typedef int32_t cd_timed_query(const cd_timed_tree *tree, const cd_timed_bounds *bounds, int32_t *slot);
cd_timed_query cd_timed_query_portable, cd_timed_query_avx2, cd_timed_query_avx512;

// Emits every pair of boxes whose bounds meet and of which the one in the earlier slot is in a node of level 0 of
// [begin, end), unless it is not wanted.
typedef void cd_timed_join(const cd_timed_tree *tree, int32_t begin, int32_t end, const cd_broad_input *input,
                           cd_broad_pairs *pairs);
cd_timed_join cd_timed_join_portable, cd_timed_join_avx2, cd_timed_join_avx512;

// ---- list ------------------------------------------------------------------------------------------------------

// Ticks (frames since the list was made) in which a pair may overlap and surely does, both ends included; none when
// from > to.
enum { CD_TIMED_MAYBE_FROM, CD_TIMED_MAYBE_TO, CD_TIMED_SURE_FROM, CD_TIMED_SURE_TO, CD_TIMED_ENDS };
enum { CD_TIMED_NEVER = 255 };  // as `from`: later than any tick

// A pair that was added after the list was made.
typedef struct cd_timed_extra {
    cd_box_pair pair;
    int32_t before;               // position in the list before which it belongs
    uint8_t tick[CD_TIMED_ENDS];
} cd_timed_extra;

typedef struct cd_timed_list {
    cd_box_pair *pair;             // a < b, in canonical order
    uint8_t *tick[CD_TIMED_ENDS];  // a column an end; 64 entries of each are readable behind the last pair
    int64_t count, capacity;
    cd_timed_extra *extra;         // in canonical order too
    int32_t extra_count, extra_capacity;
} cd_timed_list;

// Appends those pairs of the list's part [begin, end), and the extra ones [extra_begin, extra_end) that belong there,
// that overlap in this tick. Where the ticks do not tell, the boxes are compared.
typedef struct cd_timed_part {
    int64_t begin, end;
    int32_t extra_begin, extra_end;
} cd_timed_part;
typedef void cd_timed_emit(const cd_timed_list *list, cd_timed_part part, int tick, const cd_broad_input *input,
                           cd_broad_pairs *pairs);
cd_timed_emit cd_timed_emit_portable, cd_timed_emit_avx2, cd_timed_emit_avx512;

// ---- motion ----------------------------------------------------------------------------------------------------

// Where faces are expected: at + tick rate. 37 bytes a box.
typedef struct cd_timed_motion {
    int dim;
    int32_t count;
    double origin[3];    // [m] faces are relative to it
    double tolerance;    // [m] a box follows its motion while all faces are within this
    double quantum;      // [m] a tick: unit of rates
    float *at[2];        // [m] dim numbers a box: lower faces, upper faces
    int16_t *rate[2];
    uint8_t *born;       // tick from which on the motion of the box holds
    int tick, life;      // now, and the last one of the list
    int32_t drifted;     // boxes corrected that had not leapt: a larger tolerance would have kept them
} cd_timed_motion;

void cd_timed_motion_start(cd_timed_motion *motion, const cd_broad_input *input, const cd_broad_statistics *statistics);
void cd_timed_motion_free(cd_timed_motion *motion);

// Mean of all faces of a sample [m] a tick: how far they are from where they began, and from where they were expected.
typedef struct cd_timed_error {
    double standing, moving;
} cd_timed_error;
cd_timed_error cd_timed_motion_measure(const cd_timed_motion *motion, const cd_broad_input *input);

// Begins anew at tick 0 with the faces as they are now; rates are learnt from what was expected, or 0.
typedef struct cd_timed_plan {
    double tolerance, quantum;
    int life;
    bool is_standing;
} cd_timed_plan;
void cd_timed_motion_rebase(cd_timed_motion *motion, const cd_broad_input *input, const cd_broad_statistics *statistics,
                            cd_timed_plan plan);

// The boxes that do not follow their motion in this tick, ascending; `box` has room for all.
int32_t cd_timed_motion_strayed(const cd_timed_motion *motion, const cd_broad_input *input, int32_t *box);
// A new motion from this tick on. False: numbers are too large for it.
bool cd_timed_motion_correct(cd_timed_motion *motion, const cd_broad_input *input, int32_t box);

cd_timed_bounds cd_timed_motion_bounds(const cd_timed_motion *motion, int32_t box);

// The motion of a box in one place, 36 bytes: for many pairs of boxes anywhere in memory.
typedef struct cd_timed_row {
    float at[2][3];
    int16_t rate[2][3];
} cd_timed_row;
cd_timed_row cd_timed_motion_row(const cd_timed_motion *motion, int32_t box);

// The ticks of up to 64 pairs from this one to the end of life. rows: of all boxes, or NULL.
enum { CD_TIMED_BATCH = 64 };
void cd_timed_motion_ticks(const cd_timed_motion *motion, const cd_timed_row *rows, const cd_box_pair *pair, int count,
                           uint8_t tick[CD_TIMED_ENDS][CD_TIMED_BATCH]);

// ---- tracking --------------------------------------------------------------------------------------------------

// A list with what keeps it right.
typedef struct cd_timed_tracker {
    cd_timed_motion motion;
    cd_timed_tree tree;
    cd_timed_list list;
    int32_t *first;  // [count + 1] of the list: where pairs of a box as the lower one begin
    int32_t strayed;  // in all
    cd_broad_pairs *raw;  // [raw_lists] pairs of the last list before they were timed: memory that is used again
    int raw_lists;
} cd_timed_tracker;

// Makes the list for the motion as it is. False: there would be more than `most` pairs.
bool cd_timed_tracker_make(cd_timed_tracker *tracker, const cd_broad_run *run, int64_t most);
// Corrects the motion of boxes that strayed and the pairs they are in. False: make the list anew.
bool cd_timed_tracker_correct(cd_timed_tracker *tracker, const cd_broad_run *run, const int32_t *box, int32_t count);
void cd_timed_tracker_emit(const cd_timed_tracker *tracker, const cd_broad_run *run);
void cd_timed_tracker_free(cd_timed_tracker *tracker);

#endif
