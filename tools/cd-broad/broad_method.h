// broad_method -- what a broad-phase method is given, what it must give back, and the table of methods.
//
// Input: items, one a part that takes part, in canonical order (body by user id, then part), each with a closed box:
// min <= max, never NaN, faces may be infinite (but no min is +infinity and no max -infinity). Dimension 2 or 3.
// Contract, binding on every method: each pair of items that is wanted (cd_broad_wanted), whose boxes overlap
// (touching counts, compared in double precision) and whose balls overlap where the input has balls is emitted exactly
// once, as (a, b) or (b, a), in any order; nothing else is emitted. The input is not modified; the same input gives the
// same set of pairs whatever the number of threads, the vector level and the frames before. Scratch memory comes from
// the arena, which belongs to the calling thread alone, and is at most what `memory` says. cd_broad_find (broad_find.h)
// puts the pairs in canonical order, so all methods have the same result to the bit.
//
// A new method is one file broad_NAME.c that defines cd_broad_NAME and one line in broad_methods.def; options, help,
// contract test and benchmark walk the table.
// SPDX-License-Identifier: MIT
#ifndef BROAD_METHOD_H
#define BROAD_METHOD_H

#include "broad_buckets.h"
#include "cd_box_pairs.h"
#include "cd_threads.h"
#include "cd_vector.h"

#include <stdbool.h>
#include <stdint.h>

// ---- input ---------------------------------------------------------------------------------------------------------

// Class of an item: whether its body is dynamic, and which side of --group A:B it may take (both without that
// option).
enum { CD_BROAD_DYNAMIC = 1, CD_BROAD_IN_A = 2, CD_BROAD_IN_B = 4, CD_BROAD_UNGROUPED = CD_BROAD_IN_A | CD_BROAD_IN_B };

// Items begin .. end-1 are the parts of one body that stands still. As long as stamp, not 0, is the same, so are their
// numbers and boxes: what was made of them can be kept. begin = end: there are none.
typedef struct cd_broad_still {
    int32_t begin, end;
    uint64_t stamp;
    // Not NULL: they stand apart. The input's arrays have the other items alone, one behind the other, and this writes
    // the boxes [m] of `count` items, begin + part[k] or, part NULL, begin + k; dim numbers each in `min` and in
    // `max`. Balls are not asked of them.
    void (*boxes)(const void *context, const int32_t *part, int32_t count, double *min, double *max);
    const void *context;
    int32_t body;   // rank of their body
    uint8_t class;  // CD_BROAD_* bits
} cd_broad_still;

typedef struct cd_broad_input {
    int dim;
    int32_t count;
    const double *min, *max;  // [m] world; dim numbers an item
    const int32_t *body;      // rank of the item's body, not decreasing; NULL: every item is a body of its own
    const uint8_t *class;     // CD_BROAD_* bits; NULL: all dynamic and ungrouped
    const double *ball;  // [m] dim + 1 numbers an item: centre, finite, and radius >= 0 or infinite; NULL: no balls
    cd_broad_still standing;  // only `auto` looks at it, and methods are never given items that stand apart
} cd_broad_input;

// Items that the arrays have, and where in them item i is, which does not stand apart.
static inline int32_t cd_broad_stored_count(const cd_broad_input *input)
{
    const cd_broad_still *standing = &input->standing;
    return standing->boxes ? input->count - (standing->end - standing->begin) : input->count;
}
static inline int32_t cd_broad_stored(const cd_broad_still *standing, int32_t i)
{
    return standing->boxes && i >= standing->end ? i - (standing->end - standing->begin) : i;
}

static inline bool cd_broad_overlaps(const cd_broad_input *input, int32_t i, int32_t j)
{
    const double *a = input->min + (int64_t)input->dim * i, *A = input->max + (int64_t)input->dim * i;
    const double *b = input->min + (int64_t)input->dim * j, *B = input->max + (int64_t)input->dim * j;
    for (int k = 0; k < input->dim; k++)
        if (a[k] > B[k] || b[k] > A[k])
            return false;
    return true;
}

// Sums in the order of the axes, no fused operations: every vector level must decide alike.
static inline bool cd_broad_balls_overlap(const cd_broad_input *input, int32_t i, int32_t j)
{
    const double *a = input->ball + ((int64_t)input->dim + 1) * i, *b = input->ball + ((int64_t)input->dim + 1) * j;
    double reach = a[input->dim] + b[input->dim], square = 0;
    for (int k = 0; k < input->dim; k++)
        square += (a[k] - b[k]) * (a[k] - b[k]);
    return square <= reach * reach;
}

// Is every pair of items wanted? Then kernels need not ask.
static inline bool cd_broad_wants_all(const cd_broad_input *input) { return !input->body && !input->class; }

// And does every pair of overlapping boxes count?
static inline bool cd_broad_takes_all(const cd_broad_input *input) { return cd_broad_wants_all(input) && !input->ball; }

// One body is dynamic at least and, with --group, one of group A and the other of group B.
static inline bool cd_broad_classes_meet(unsigned one, unsigned other)
{
    bool is_ab = (one & CD_BROAD_IN_A) && (other & CD_BROAD_IN_B);
    bool is_ba = (one & CD_BROAD_IN_B) && (other & CD_BROAD_IN_A);
    return (is_ab || is_ba) && ((one | other) & CD_BROAD_DYNAMIC);
}

// Parts of one body do not meet each other, two bodies that are not dynamic (fixed or prescribed) never need a
// contact, and with --group one body must be of group A and the other of group B.
static inline bool cd_broad_wanted(const cd_broad_input *input, int32_t i, int32_t j)
{
    if (input->body && input->body[i] == input->body[j])
        return false;
    if (!input->class)
        return true;
    return cd_broad_classes_meet(input->class[i], input -> class[j]);
}

// What one pass over the boxes tells. Axis 2 of a plane problem: all 0.
typedef struct cd_broad_statistics {
    double low[3], high[3];                // [m] of all finite faces; low <= high, both 0 when there is none
    double extent_mean[3], extent_max[3];  // [m] of the boxes that are finite along the axis; 0 when there is none
    int32_t unbounded;                     // boxes with an infinite face
} cd_broad_statistics;

// A face as a finite number: an infinite one moves to the outermost finite face of all boxes. Overlaps stay what they
// were: a finite face of another box is never beyond the outermost one.
static inline double cd_broad_finite(const cd_broad_statistics *statistics, int axis, double face)
{
    return face < statistics->low[axis]    ? statistics->low[axis]
           : face > statistics->high[axis] ? statistics->high[axis]
                                           : face;
}

typedef struct cd_broad_tuning {
    int threads;             // >= 1
    cd_vector_level vector;  // widest to use
    double cell;             // [m] edge of the cells of methods that have cells; NaN: chosen by the method
    int32_t cutoff;          // `hybrid`: boxes below which it compares all with all; 0: its default
} cd_broad_tuning;

// ---- output --------------------------------------------------------------------------------------------------------

// Pairs as a worker of a method found them. Memory has run lifetime and is used again in the next frame.
typedef struct cd_broad_pairs {
    const cd_broad_input *input;  // whose pairs they are
    cd_box_pair *item;
    int64_t count, capacity;
    int64_t limit;    // most that a table may hold
    int64_t settled;  // of `count`: cd_broad_keep_wanted has looked at them
    bool is_full;     // there are more: pairs are lost and cd_broad_find will fail, so stop soon
    size_t bytes;     // of `item`; room for more than `capacity`
    // Of methods that hand pairs on: where to, and how many are there. NULL: all stay in `item`.
    cd_broad_buckets *buckets;
    int64_t handed;
} cd_broad_pairs;

void cd_broad_grow_(cd_broad_pairs *pairs, int64_t extra);  // for the function below

// Room for `extra` pairs more at the returned place; the caller writes some of them and adds that number to `count`.
// The call may move `item` and lower `count` (unwanted pairs are dropped before the limit is taken for passed): keep
// neither over it.
static inline cd_box_pair *cd_broad_room(cd_broad_pairs *pairs, int64_t extra)
{
    if (pairs->capacity - pairs->count < extra)
        cd_broad_grow_(pairs, extra);
    return pairs->item + pairs->count;
}

// Drops the pairs from number `from` on that are not wanted or whose balls are apart: for kernels that emit overlaps by
// the vector. Call it while they are in cache. Where pairs were dropped meanwhile and `from` is above `count`, nothing
// is left to do.
void cd_broad_keep_wanted(const cd_broad_input *input, cd_broad_pairs *pairs, int64_t from);

// The same for kernels that compared the balls themselves. Returns the number of pairs now, from which on to go on.
int64_t cd_broad_keep_members(const cd_broad_input *input, cd_broad_pairs *pairs, int64_t from);

void cd_broad_hand_on_(cd_broad_pairs *pairs);  // for the function below

// All pairs so far are wanted ones, nobody will ask for them again, and they may leave `item` for their place in
// canonical order while they are in cache. Keep no number of a pair over it.
static inline void cd_broad_hand_on(cd_broad_pairs *pairs)
{
    enum { LEAST = 8192 };  // with the most that a call adds as a rule, half of a second-level cache
    if (pairs->buckets && pairs->count >= LEAST)
        cd_broad_hand_on_(pairs);
}

// Forgets all pairs.
void cd_broad_drop_pairs(cd_broad_pairs *pairs);

// Appends a pair whose boxes overlap if it is wanted and the balls overlap too.
static inline void cd_broad_emit(const cd_broad_input *input, cd_broad_pairs *pairs, int32_t i, int32_t j)
{
    if (cd_broad_wanted(input, i, j) && (!input->ball || cd_broad_balls_overlap(input, i, j))) {
        *cd_broad_room(pairs, 1) = (cd_box_pair){i, j};
        pairs->count++;
    }
}

// ---- methods -------------------------------------------------------------------------------------------------------

// One call of a method.
typedef struct cd_broad_run {
    const cd_broad_input *input;
    const cd_broad_statistics *statistics;
    cd_broad_tuning tuning;
    cd_arena *arena;        // scratch; rewound after the call
    cd_broad_pairs *pairs;  // [tuning.threads], empty: worker w appends to pairs[w]
    void **state;           // the method's own memory between frames, NULL at first; it may change speed, never pairs
} cd_broad_run;

// Did this worker run out of room? Ask at least once for every item or cell, so that hopeless work ends; the others run
// into the same limit, or a method lets them look.
static inline bool cd_broad_is_full(const cd_broad_run *run, int worker) { return run->pairs[worker].is_full; }

typedef struct cd_broad_method {
    const char *name;
    const char *summary;  // one line for --help: what it does
    const char *cost;     // O(...), k the number of pairs
    const char *memory;   // beyond input and pairs, bytes a box
    const char *source;   // where the method is from
    void (*find)(const cd_broad_run *run);
    void (*forget)(void *state);  // frees *run->state; NULL: the method keeps none
    // [m] The least edge of cells with which the method finds all pairs; NULL: it takes any, or enlarges them.
    double (*least_cell)(const cd_broad_input *input, cd_arena *scratch);
    bool hands_on;  // calls cd_broad_hand_on
} cd_broad_method;

extern const cd_broad_method *const cd_broad_methods[];         // NULL-ended
extern const char *const cd_broad_method_names[];               // the same names and "auto", NULL-ended
const cd_broad_method *cd_broad_method_find(const char *name);  // NULL when there is none of that name

#endif
