// broad_sweep_list -- the lists of held boxes that `sweep-list` compares a box with.
// SPDX-License-Identifier: MIT
#ifndef BROAD_SWEEP_LIST_H
#define BROAD_SWEEP_LIST_H

#include "broad_method.h"

enum { CD_LIST_SLOTS = 8 };

// Held boxes. 368 bytes.
typedef struct cd_list_block {
    double low[2][CD_LIST_SLOTS], high[2][CD_LIST_SLOTS];  // [m] across the sweep
    double end[CD_LIST_SLOTS], end_least;                  // [m] along it; not above the least of them
    int32_t item[CD_LIST_SLOTS];
    int32_t count, next;
} cd_list_block;

// A box that begins.
typedef struct cd_list_box {
    double low[2], high[2], end;  // [m]
    int32_t item;
} cd_list_box;

// Writes the pairs of the box with the boxes of a block that it overlaps across the sweep; returns how many.
// pair[CD_LIST_SLOTS]: what is behind those written is undefined.
typedef int32_t cd_list_meet(const cd_list_block *block, const cd_list_box *box, cd_box_pair *pair);
cd_list_meet cd_list_meet_avx512;  // on x86-64 only

#endif
