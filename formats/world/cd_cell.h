// cd_cell -- the origin that two bodies are looked at from: far from that of the world a vertex is rounded by more than
// gaps may be wrong, while the difference of two near positions is exact.
//
// Space is cut into cubes; a pair is placed about the middle of the cube that one of its bodies starts the step in.
// Edges are powers of 2 above 2^11 L: taking a middle off a position near it is exact, vertices are rounded by 2^-42 L
// at most, and in the cube about the world's origin, where most scenes are, nothing changes.
// SPDX-License-Identifier: MIT
#ifndef CD_CELL_H
#define CD_CELL_H

#include "cd_vec3.h"

#include <math.h>

// Lengths beyond 2^900 count as that: edges, and positions over them, must stay among the normal doubles.
enum { CD_CELL_EXPONENT_MOST = 900 };

// [m] length: L of cd_length.h.
static inline double cd_cell_edge(double length)
{
    int exponent;
    frexp(length, &exponent);
    if (exponent > CD_CELL_EXPONENT_MOST || exponent < -CD_CELL_EXPONENT_MOST)
        exponent = exponent > 0 ? CD_CELL_EXPONENT_MOST : -CD_CELL_EXPONENT_MOST;
    return ldexp(1, exponent + 11);
}

// [m] Positions beyond 2^52 cells are middles themselves, and their number of cells may be beyond doubles.
static inline double cd_cell_middle_of(double edge, double x)
{
    return fabs(x) < 0x1p52 * edge ? edge * rint(x / edge) : x;
}

// [m] The middle of the cell.
static inline cd_vec3 cd_cell_middle(double edge, cd_vec3 position)
{
    return (cd_vec3){cd_cell_middle_of(edge, position.x), cd_cell_middle_of(edge, position.y),
                     cd_cell_middle_of(edge, position.z)};
}

static inline bool cd_cell_is_same(cd_vec3 a, cd_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

// Whose cell a pair takes: that of the smaller body, a large one may be far from where they meet.
static inline cd_vec3 cd_cell_of_pair(double extent_a, cd_vec3 middle_a, double extent_b, cd_vec3 middle_b)
{
    return extent_b < extent_a ? middle_b : middle_a;
}

#endif
