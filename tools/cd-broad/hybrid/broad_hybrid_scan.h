// The scan of `hybrid`, once a vector level: the including file defines
//   SCAN                                           the name of the function at its level
//   scan_one(outer, o, inner, from, axes, pairs)   emits (o, i) for those i of `inner` from `from` on that begin before
//                                                  o ends and overlap it along axes 1 .. axes-1
// SPDX-License-Identifier: MIT
#ifndef BROAD_HYBRID_SCAN_H
#define BROAD_HYBRID_SCAN_H

static inline __attribute__((always_inline)) void scan(const cd_hybrid_list *outer, const cd_hybrid_list *inner,
                                                       int axes, cd_broad_pairs *pairs)
{
    const int32_t *inner_begin = inner->begin[0];
    int32_t from = 0;
    for (int32_t o = 0; o < outer->count && !pairs->is_full; o++) {
        while (inner_begin[from] <= outer->begin[0][o])
            from++;
        if (inner_begin[from] < outer->end[0][o])
            scan_one(outer, o, inner, from, axes, pairs);
    }
}

// A constant number of axes unrolls the loops over them.
void SCAN(const cd_hybrid_list *outer, const cd_hybrid_list *inner, int axes, cd_broad_pairs *pairs)
{
    if (axes == 1)
        scan(outer, inner, 1, pairs);
    else if (axes == 2)
        scan(outer, inner, 2, pairs);
    else
        scan(outer, inner, 3, pairs);
}

#endif
