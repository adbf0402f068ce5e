// cd_box_pairs -- lists of pairs of boxes: sorted in canonical order, and found by sort-and-sweep.
//
// cd_box_sweep: boxes are sorted by their lower face along the axis on which they lie most spread, then each is
// compared with those that begin before it ends. O(n log n + k), k the pairs that overlap along that axis: about
// n^1.5 for n boxes of like size filling a square. Boxes are closed (touching counts), may be infinite (these begin
// before all others and meet all of them), must not be empty nor NaN. Source: D. Baraff, Dynamic Simulation of
// Non-Penetrating Rigid Bodies, thesis, Cornell 1992, section 2.2.
// SPDX-License-Identifier: MIT
#ifndef CD_BOX_PAIRS_H
#define CD_BOX_PAIRS_H

#include "cd_aabb.h"
#include "cd_memory.h"

typedef struct cd_box_pair {
    int32_t a, b;  // indices of boxes
} cd_box_pair;

typedef CD_LIST(cd_box_pair) cd_box_pairs;

// Whether boxes i and j, which overlap, are to be listed; symmetric in i and j.
typedef bool cd_box_wanted(const void *context, int32_t i, int32_t j);

// Appends every wanted pair of overlapping boxes once, as (i, j) or (j, i), in an order of its own. Memory from the
// arena.
void cd_box_sweep(const cd_aabb *box, int32_t count, int dim, cd_box_wanted *wanted, const void *context,
                  cd_arena *arena, cd_box_pairs *pairs);

// Puts a < b in each pair and sorts by (a, b). O(count). A pair that is there twice is a broken invariant and traps.
void cd_box_pairs_sort(cd_box_pairs *pairs, cd_arena *scratch);

// Sorts 64-bit keys in place: radix sort, O(count) for each byte in which they differ; scratch memory is given back.
void cd_sort_keys(uint64_t *key, int32_t count, cd_arena *scratch);

#endif
