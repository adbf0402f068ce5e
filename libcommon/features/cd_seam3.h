// cd_seam3 -- inner separators of space: cd_seam2.h, which see, of polyhedra. Besides faces pairs of edges may be
// inner.
//
// All at one pose, q_0. Cost: O(n + m) for each part beside and each vertex that is over a face.
// SPDX-License-Identifier: MIT
#ifndef CD_SEAM3_H
#define CD_SEAM3_H

#include "cd_shell3.h"

typedef struct cd_beside3 {
    int32_t count;                 // 0: stands alone
    const cd_shell3 *const *part;  // [count] borrowed; the polyhedron itself is none of them
} cd_beside3;

typedef struct cd_seams3 {
    const cd_shell3 *shell[2];  // a, b
    cd_beside3 beside[2];       // of a, of b
    double near;                // [m] >= 0 parts that are nearer touch
    double tolerance;           // [m] >= 0 rounding of gaps
} cd_seams3;

static inline bool cd_seams3_are_none(const cd_seams3 *seams)
{
    return seams->beside[0].count == 0 && seams->beside[1].count == 0;
}

// Is p in the part, or outside of each of its faces by `near` [m] at most? The part has planes. O(n)
bool cd_seam3_is_in(const cd_convex3 *part, cd_vec3 p, double near);
// Is the direction from a to b (unit) the normal of an inner separator?
bool cd_seams3_is_inner(const cd_seams3 *seams, cd_vec3 normal);
// The same of a face where it is over the vertex of the other polyhedron alone; or does that vertex lie where the body
// has no corner?
bool cd_seams3_is_inner_row(const cd_seams3 *seams, bool is_of_b, int32_t face, int32_t vertex);
// Does a face of side 0 (a) or 1 (b) go on past its edge, at the edge's point p, in a part beside, straight or in a
// hollow? Then the body has no edge there; but where p stands out of that part towards d (unit, to the other side).
bool cd_seams3_is_no_edge(const cd_seams3 *seams, int side, int32_t edge, cd_vec3 p, cd_vec3 d);

#endif
