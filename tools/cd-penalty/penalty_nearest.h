// penalty_nearest -- which of many springs is nearest to a contact, of those that no nearer contact has: a tree of
// boxes, halved along their longest side, each with how far off the farthest of its contacts is.
// SPDX-License-Identifier: MIT
#ifndef PENALTY_NEAREST_H
#define PENALTY_NEAREST_H

#include "cd_memory.h"
#include "cd_vec3.h"

typedef struct cd_penalty_candidate {
    cd_vec3 point, normal;  // [m]; unit
    int32_t number;         // of equally near ones the least is taken
    int32_t owner;          // -1: it has none
    double distance_sq;     // [m^2] of the owner; infinite without
} cd_penalty_candidate;

typedef struct cd_penalty_box {
    cd_vec3 low, high;
    double farthest_sq;  // of the owners
} cd_penalty_box;

typedef struct cd_penalty_nearest {
    cd_penalty_candidate *item;
    int32_t count;
    cd_penalty_box *box;  // of a heap: the halves of k are 2 k + 1 and 2 k + 2
} cd_penalty_nearest;

// Puts the items in another order, without owners. O(n log^2 n). @borrows item @owns arena
cd_penalty_nearest cd_penalty_nearest_make(cd_arena *arena, cd_penalty_candidate *item, int32_t count);

// The place of the nearest item whose normal has a cosine of `alike` or more with this one and whose owner, where it
// has one, is farther off than the point; -1: none. *distance_sq [m^2]: of the point.
int32_t cd_penalty_nearest_find(const cd_penalty_nearest *tree, cd_vec3 point, cd_vec3 normal, double alike,
                                double *distance_sq);

// The item gets this owner, no farther off than the one before. O(log n)
void cd_penalty_nearest_own(cd_penalty_nearest *tree, int32_t place, int32_t owner, double distance_sq);

#endif
