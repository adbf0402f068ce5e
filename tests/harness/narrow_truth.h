// narrow_truth -- the right answers about a pair of convex polyhedra, by other ways than those of the kernels and in
// twice their digits: for narrow_make.
//
// Distance: Wolfe's algorithm for the point of least norm (Math. Programming 11, 1976) in the difference of the
// vertices, every support point by looking at all vertices, in 113-bit numbers, with a proof: the least height of the
// difference along the point found. Depth: every face normal of either body and the cross product of every two edges,
// without a choice of which matter; what cannot be least is left out by the difference's corners met so far. Volume:
// every face clipped by every plane of the other body, summed by the divergence theorem, in 113-bit numbers.
// SPDX-License-Identifier: MIT
#ifndef NARROW_TRUTH_H
#define NARROW_TRUTH_H

#include "narrow_set.h"

// Sets inner, gap and volume of a pair whose bodies are set. False: the distance did not prove itself.
bool narrow_truth_find(narrow_pair *pair);

#endif
