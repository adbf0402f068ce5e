// broad_incremental -- what the kernels of `incremental` work on: a tree of bounds and a list of timed pairs, and their
// versions in wider vectors. The method itself is explained in broad_incremental.c.
// SPDX-License-Identifier: MIT
#ifndef BROAD_INCREMENTAL_H
#define BROAD_INCREMENTAL_H

#include "broad_method.h"

enum { CD_TIMED_LANES = 16, CD_TIMED_LEVELS = 8 };

// ---- tree ----------------------------------------------------------------------------------------------------------

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

// What becomes of pairs of slots that a join found. False: no more are wanted.
typedef bool cd_timed_sink(void *context, const cd_box_pair *slots, int count);

// Every pair of slots whose bounds meet and of which the earlier one is in a node of level 0 of [begin, end).
typedef void cd_timed_join(const cd_timed_tree *tree, int32_t begin, int32_t end, cd_timed_sink *sink, void *context);
cd_timed_join cd_timed_join_portable, cd_timed_join_avx2, cd_timed_join_avx512;

// ---- list ----------------------------------------------------------------------------------------------------------

// Ticks (frames since the list was made) in which a pair may overlap and surely does, both ends included; none when
// from > to.
enum { CD_TIMED_MAYBE_FROM, CD_TIMED_MAYBE_TO, CD_TIMED_SURE_FROM, CD_TIMED_SURE_TO, CD_TIMED_ENDS };
enum { CD_TIMED_NEVER = 255 };  // as `from`: later than any tick

// 64 pairs on end, 8 bytes each, a column an end. Entries that are no pairs never meet.
enum { CD_TIMED_BLOCK = 64 };
typedef struct cd_timed_block {
    int32_t upper[CD_TIMED_BLOCK];  // the higher box of the pair
    uint8_t tick[CD_TIMED_ENDS][CD_TIMED_BLOCK];
} cd_timed_block;

// A pair that was added after the list was made.
typedef struct cd_timed_extra {
    cd_box_pair pair;
    int32_t before;  // position in the list before which it belongs
    uint8_t tick[CD_TIMED_ENDS];
} cd_timed_extra;

typedef struct cd_timed_list {
    cd_timed_block *block;  // in canonical order; the one that has position `count` is there too
    cd_region memory;       // of the blocks: given back to the system when the list is dropped
    int32_t *first;         // [boxes + 1]: where pairs of a box as the lower one begin
    int32_t count;
    cd_timed_extra *extra;  // in canonical order too
    int32_t extra_count, extra_capacity;
    int32_t extra_most;
} cd_timed_list;

static inline int32_t cd_timed_blocks(int32_t count) { return count / CD_TIMED_BLOCK + 1; }

// Appends those pairs of the list's blocks [begin, end), and the extra ones [extra_begin, extra_end) that belong there,
// that overlap in this tick. Where the ticks do not tell, the boxes are compared.
typedef struct cd_timed_part {
    int32_t begin, end;
    int32_t lower;  // the lower box of the first pair of `begin`; not read where there is none
    int32_t extra_begin, extra_end;
} cd_timed_part;
typedef void cd_timed_emit(const cd_timed_list *list, cd_timed_part part, int tick, const cd_broad_input *input,
                           cd_broad_pairs *pairs);
cd_timed_emit cd_timed_emit_portable, cd_timed_emit_avx2, cd_timed_emit_avx512;

// ---- motion --------------------------------------------------------------------------------------------------------

// Where faces are expected: at + tick rate. 37 bytes a box.
typedef struct cd_timed_motion {
    int dim;
    int32_t count;
    double origin[3];  // [m] faces are relative to it
    double tolerance;  // [m] a box follows its motion while all faces are within this
    double quantum;    // [m] a tick: unit of rates
    float *at[2];      // [m] dim numbers a box: lower faces, upper faces
    int16_t *rate[2];
    uint8_t *born;    // tick from which on the motion of the box holds
    int tick, life;   // now, and the last one of the list
    int32_t drifted;  // boxes corrected that had not leapt: a larger tolerance would have kept them
} cd_timed_motion;

void cd_timed_motion_start(cd_timed_motion *motion, const cd_broad_input *input, const cd_broad_statistics *statistics);
void cd_timed_motion_free(cd_timed_motion *motion);

// Mean of all faces of a sample [m] a tick: how far they are from where they began, and from where they were expected.
typedef struct cd_timed_error {
    double standing, moving;  // [m]
} cd_timed_error;
cd_timed_error cd_timed_motion_measure(const cd_timed_motion *motion, const cd_broad_input *input);

// Begins anew at tick 0 with the faces as they are now; rates are learnt from what was expected, or 0.
typedef struct cd_timed_plan {
    double tolerance, quantum;  // [m], [m] a tick
    int life;
    bool is_standing;
} cd_timed_plan;
void cd_timed_motion_rebase(cd_timed_motion *motion, const cd_broad_input *input, const cd_broad_statistics *statistics,
                            cd_timed_plan plan);

// The boxes that do not follow their motion in this tick, ascending; more than `most`: the first ones.
typedef struct cd_timed_strays {
    int32_t *box;  // in the arena
    int32_t count;
} cd_timed_strays;
cd_timed_strays cd_timed_motion_strayed(const cd_timed_motion *motion, const cd_broad_input *input, int32_t most,
                                        cd_arena *arena);
// A new motion from this tick on. False: numbers are too large for it.
bool cd_timed_motion_correct(cd_timed_motion *motion, const cd_broad_input *input, int32_t box);

cd_timed_bounds cd_timed_motion_bounds(const cd_timed_motion *motion, int32_t box);

// The motion of a box in one place.
typedef struct cd_timed_row {
    float at[2][3];
    int16_t rate[2][3];
} cd_timed_row;
cd_timed_row cd_timed_motion_row(const cd_timed_motion *motion, int32_t box);

// Pairs with the motions of their boxes, [one or the other][side][axis]. At first all zero: whole columns are read.
enum { CD_TIMED_BATCH = 64 };
typedef struct cd_timed_batch {
    int count;
    cd_box_pair pair[CD_TIMED_BATCH];
    float at[2][2][3][CD_TIMED_BATCH];
    int16_t rate[2][2][3][CD_TIMED_BATCH];
} cd_timed_batch;

static inline void cd_timed_batch_add_(cd_timed_batch *batch, int which, const cd_timed_row *row)
{
    for (int side = 0; side < 2; side++) {
#pragma GCC unroll 3
        for (int axis = 0; axis < 3; axis++) {
            batch->at[which][side][axis][batch->count] = row->at[side][axis];
            batch->rate[which][side][axis][batch->count] = row->rate[side][axis];
        }
    }
}

static inline void cd_timed_batch_add(cd_timed_batch *batch, cd_box_pair pair, const cd_timed_row *a,
                                      const cd_timed_row *b)
{
    batch->pair[batch->count] = pair;
    cd_timed_batch_add_(batch, 0, a);
    cd_timed_batch_add_(batch, 1, b);
    batch->count++;
}

// From this tick to the end of life: pairs among which are all that may overlap in some tick (bit k: pair k).
uint64_t cd_timed_motion_meet(const cd_timed_motion *motion, const cd_timed_batch *batch);
// The ticks of all; of a pair that never overlaps, CD_TIMED_MAYBE_FROM and CD_TIMED_SURE_FROM are CD_TIMED_NEVER.
void cd_timed_motion_ticks(const cd_timed_motion *motion, const cd_timed_batch *batch,
                           uint8_t tick[CD_TIMED_ENDS][CD_TIMED_BATCH]);

// ---- tracking ------------------------------------------------------------------------------------------------------

// A list with what keeps it right.
typedef struct cd_timed_tracker {
    cd_timed_motion motion;
    cd_timed_tree tree;
    cd_timed_list list;
    int32_t strayed;  // in all
} cd_timed_tracker;

// Makes the list for the motion as it is. False, and nothing is kept: it would take more than 8 `most` bytes. An extra
// pair takes 16, so corrections end when the list and they take so many.
bool cd_timed_tracker_make(cd_timed_tracker *tracker, const cd_broad_run *run, int64_t most);
// Corrects the motion of boxes that strayed and the pairs they are in. False: make the list anew.
bool cd_timed_tracker_correct(cd_timed_tracker *tracker, const cd_broad_run *run, const int32_t *box, int32_t count);
void cd_timed_tracker_emit(const cd_timed_tracker *tracker, const cd_broad_run *run);
void cd_timed_tracker_drop(cd_timed_tracker *tracker);  // gives the list and its tree back
void cd_timed_tracker_free(cd_timed_tracker *tracker);

// ---- for tests -----------------------------------------------------------------------------------------------------

// What the method did in all frames so far: tests see by it that lists are made, kept and left where they should be.
typedef struct cd_broad_incremental_counts {
    int made;               // lists
    int served;             // frames that had their pairs from a list, those that made one among them
    int corrected;          // boxes that got a new motion
    int outlived, overrun;  // lists that reached their age, and that ended early
    int refused;            // lists that would have been too long
} cd_broad_incremental_counts;
cd_broad_incremental_counts cd_broad_incremental_count(const void *state);  // *run->state of a run; not NULL

#endif
