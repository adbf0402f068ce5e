// cd_seam2 -- inner edges of the plane: where a polygon is covered by others that are one body with it.
//
// The parts of a compound, and fixed bodies side by side, are one body. An edge that lies along the inside of the next
// part is none of that body's, and nothing may be held by it: a box that slides over the two would stop dead where they
// meet. A direction d out of a part is inner where the part's farthest points along d, as far as the other polygon of
// the pair lies over them, are in a part beside it, and that part goes on along d. It may be held by all the same where
// that part is behind the other polygon too, seen along d: then nothing is on its way.
//
// No edge needs to be named as a seam, and parts may cover each other's edges in part: what is left over of an edge is
// an edge of the body.
//
// All at one pose, q_0. Cost: O(n + m) for each part beside. In space: cd_seam3.h.
// SPDX-License-Identifier: MIT
#ifndef CD_SEAM2_H
#define CD_SEAM2_H

#include "cd_polygon.h"

typedef struct cd_beside2 {
    int32_t count;           // 0: stands alone
    const cd_polygon *part;  // [count] borrowed; the polygon itself is none of them
} cd_beside2;

typedef struct cd_seams2 {
    cd_polygon polygon[2];  // a, b
    cd_beside2 beside[2];   // of a, of b
    double near;            // [m] >= 0 parts that are nearer touch
    double tolerance;       // [m] >= 0 rounding of gaps
} cd_seams2;

static inline bool cd_seams2_are_none(const cd_seams2 *seams)
{
    return seams->beside[0].count == 0 && seams->beside[1].count == 0;
}

// Is p in the part, or outside of each of its edges by `near` [m] at most? O(n)
bool cd_seam2_is_in(cd_polygon part, cd_vec2 p, double near);
// Is the edge, as a separator of the two, an inner one of its owner, or what it faces one of the other polygon?
bool cd_seams2_is_inner_edge(const cd_seams2 *seams, bool is_of_b, int32_t edge);
// The same of the edge where it is over the vertex of the other polygon alone; or does that vertex lie where the body
// has no corner?
bool cd_seams2_is_inner_row(const cd_seams2 *seams, bool is_of_b, int32_t edge, int32_t vertex);

#endif
