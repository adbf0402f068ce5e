// broad_hybrid -- the scans that end the recursion of `hybrid`, with versions in wider vectors.
// SPDX-License-Identifier: MIT
#ifndef BROAD_HYBRID_H
#define BROAD_HYBRID_H

#include "broad_method.h"

enum { CD_HYBRID_LANES = 16 };  // a list is followed by so many entries whose begin[0] is INT32_MAX

// Boxes of one scan as ranks (broad_hybrid.c), ascending by begin[0]. Box k overlaps box j along an axis when
// begin[k] < end[j] and begin[j] < end[k].
typedef struct cd_hybrid_list {
    int32_t count;
    const int32_t *begin[3], *end[3];
    const int32_t *item;  // in the input
} cd_hybrid_list;

// Emits (o, i) for all o of `outer` and i of `inner` with o.begin[0] < i.begin[0] < o.end[0] that overlap along axes
// 1 .. axes-1.
typedef void cd_hybrid_scan(const cd_hybrid_list *outer, const cd_hybrid_list *inner, int axes, cd_broad_pairs *pairs);
cd_hybrid_scan cd_hybrid_scan_portable;
cd_hybrid_scan cd_hybrid_scan_avx2, cd_hybrid_scan_avx512;  // on x86-64 only

#endif
