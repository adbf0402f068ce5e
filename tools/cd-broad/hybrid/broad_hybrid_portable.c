// SPDX-License-Identifier: MIT
#include "broad_hybrid.h"

#define SCAN cd_hybrid_scan_portable

static inline __attribute__((always_inline)) void scan_one(const cd_hybrid_list *outer, int32_t o,
                                                           const cd_hybrid_list *inner, int32_t from, int axes,
                                                           cd_broad_pairs *pairs)
{
    int32_t begin[3], end[3];
    for (int axis = 0; axis < axes; axis++) {
        begin[axis] = outer->begin[axis][o];
        end[axis] = outer->end[axis][o];
    }
    for (int32_t k = from; inner->begin[0][k] < end[0]; k++) {
        bool hit = true;
        for (int axis = 1; axis < axes; axis++)
            hit &= (inner->begin[axis][k] < end[axis]) & (begin[axis] < inner->end[axis][k]);
        if (hit) {
            *cd_broad_room(pairs, 1) = (cd_box_pair){outer->item[o], inner->item[k]};
            pairs->count++;
        }
    }
}

#include "broad_hybrid_scan.h"
