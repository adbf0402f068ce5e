// broad_plane -- what the sweep-plane methods share: faces sorted along an axis, and ranks in place of coordinates.
//
// A face has a number: item i's lower face is i, its upper face count + i. Sorted means by coordinate, and at equal
// coordinates by number: all lower faces before all upper ones, so that boxes which only touch are held at the same
// time. The rank of a face is its place in that order. Then for closed boxes low_i <= high_j in doubles exactly when
// rank(low_i) < rank(high_j): comparisons of ranks are exact, all ranks along an axis differ, and clustered faces lie
// as evenly as any.
// SPDX-License-Identifier: MIT
#ifndef BROAD_PLANE_H
#define BROAD_PLANE_H

#include "broad_method.h"
#include "broad_xytree.h"

// The axis along which the boxes lie sparsest (most mean extents fit into the range): a plane across it cuts fewest.
int cd_broad_sparsest_axis(const cd_broad_statistics *statistics, int dim);

// Stable radix sort of words by their upper 32 bits: returns the array, of the two, that holds the result. count >= 1.
uint64_t *cd_broad_sort_by_upper_half(uint64_t *from, uint64_t *to, int64_t count);

// Numbers of the lower faces (faces = count) or of all (faces = 2 count) in sorted order, in the arena. O(faces);
// beyond the result 16 bytes a face of scratch memory, given back.
uint32_t *cd_broad_sort_faces(const cd_broad_input *input, int axis, int64_t faces, cd_arena *arena);

// A plane moves along one axis; the boxes that it cuts are rectangles on the other two (a plane problem: intervals;
// the second axis is 0 for all).
typedef struct cd_broad_plane {
    int32_t count;
    uint32_t *event;       // 2 count face numbers in the order of the sweep: lower faces begin a box, upper ones end it
    cd_rectangle *section; // [count] ranks along the axes across the sweep, below 2^bits
    int bits;
    int32_t held_most;     // boxes that the plane cuts at once, at most
    double width_mean[2];  // of the rectangles, in ranks
} cd_broad_plane;

// Asks for the section of an event to come: sections lie in the order of items.
static inline void cd_broad_plane_prefetch(const cd_broad_plane *plane, int64_t event)
{
    enum { AHEAD = 16 };
    if (event + AHEAD < 2 * (int64_t)plane->count) {
        uint32_t face = plane->event[event + AHEAD], count = (uint32_t)plane->count;
        __builtin_prefetch(&plane->section[face < count ? face : face - count]);
    }
}

// 24 bytes a box in the arena, and 40 more while it works. Axis 1 is the one with the smaller mean width in ranks.
cd_broad_plane cd_broad_plane_of(const cd_broad_run *run);

#endif
