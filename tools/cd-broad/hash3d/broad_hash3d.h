// broad_hash3d -- the comparison of `hash3d`: boxes of one bucket, gathered in columns.
// SPDX-License-Identifier: MIT
#ifndef BROAD_HASH3D_H
#define BROAD_HASH3D_H

#include "broad_method.h"

enum { CD_HASH_TILE = 64 };

// Boxes of a bucket side by side. Lanes from `count` on may be read and must not matter.
typedef struct cd_hash_tile {
    double min[3][CD_HASH_TILE], max[3][CD_HASH_TILE];  // [m]
    int32_t row[CD_HASH_TILE], item[CD_HASH_TILE];
    int32_t begins[CD_HASH_TILE];  // bit k: the box's lower corner is in this cell along axis k
    int32_t count;
} cd_hash_tile;

// Writes the pairs of box i of `one` with boxes from, from + 1, ... of `other` that overlap it where on each axis one
// of the two begins in this cell; returns how many. pair[CD_HASH_TILE + 8]: what is behind those written is undefined.
typedef int32_t cd_hash_meet(const cd_hash_tile *one, int32_t i, const cd_hash_tile *other, int32_t from,
                             cd_box_pair *pair);
cd_hash_meet cd_hash_meet_avx512;  // on x86-64 only

#endif
