// farthest3 -- how far a polyhedron reaches along a direction: what looks over separators ask most.
//
// For functions with CD_VECTOR_CLONES: it is inlined into each clone, since called from them it would be compiled for
// none of their vectors. Cost: O(vertices).
// SPDX-License-Identifier: MIT
#ifndef FARTHEST3_H
#define FARTHEST3_H

#include "cd_convex3.h"

#include <math.h>

static inline double farthest3_larger(double a, double b) { return a > b ? a : b; }

enum { FARTHEST3_HALF = CD_CONVEX3_LANES / 2 };

static inline __attribute__((always_inline)) void farthest3_raise(double most[FARTHEST3_HALF], const double *x,
                                                                  const double *y, const double *z, cd_vec3 n,
                                                                  cd_vec3 origin)
{
    for (int k = 0; k < FARTHEST3_HALF; k++) {
        double h = (x[k] - origin.x) * n.x + (y[k] - origin.y) * n.y + (z[k] - origin.z) * n.z;
        most[k] = h > most[k] ? h : most[k];
    }
}

// [m] The largest n.(p - origin) over the vertices p, n any vector [1]; -inf of none. x, y, z: [m] borrowed, `padded`
// places, a multiple of CD_CONVEX3_LANES, the padding repeats a vertex. Halves of the lanes are one vector of AVX2
// each, which stays in a register; all of them in one loop went through memory. The lanes are folded in pairs: one
// after another each would wait for the one before.
static inline __attribute__((always_inline)) double farthest3(const double *x, const double *y, const double *z,
                                                              int32_t padded, cd_vec3 n, cd_vec3 origin)
{
    double low[FARTHEST3_HALF], high[FARTHEST3_HALF];
    for (int k = 0; k < FARTHEST3_HALF; k++)
        low[k] = high[k] = -INFINITY;
    for (int32_t i = 0; i < padded; i += CD_CONVEX3_LANES) {
        farthest3_raise(low, x + i, y + i, z + i, n, origin);
        farthest3_raise(high, x + i + FARTHEST3_HALF, y + i + FARTHEST3_HALF, z + i + FARTHEST3_HALF, n, origin);
    }
    for (int k = 0; k < FARTHEST3_HALF; k++)
        low[k] = farthest3_larger(low[k], high[k]);
    return farthest3_larger(farthest3_larger(low[0], low[1]), farthest3_larger(low[2], low[3]));
}

#endif
