// broad_faces -- faces of the boxes along an axis: which axis to sweep along, and the faces in sorted order.
//
// A face has a number: item i's lower face is i, its upper face count + i. Sorted means by coordinate as doubles, and
// at equal coordinates by number: all lower faces before all upper ones, so that boxes which only touch are held at the
// same time by a sweep, and the lower faces that come before an upper face are those that are not above it.
// SPDX-License-Identifier: MIT
#ifndef BROAD_FACES_H
#define BROAD_FACES_H

#include "broad_method.h"

// The axis along which the boxes lie sparsest (most mean extents fit into the range): a plane across it cuts fewest.
int cd_broad_sparsest_axis(const cd_broad_statistics *statistics, int dim);

// Stable radix sort of words by their upper 32 bits: returns the array, of the two, that holds the result. count >= 1.
// Three passes, where cd_sort_keys, which needs no order of the lower halves to begin with, takes up to eight.
uint64_t *cd_broad_sort_by_upper_half(uint64_t *from, uint64_t *to, int64_t count);

// Numbers of the lower faces (faces = count) or of all (faces = 2 count) in sorted order, in the run's arena.
// O(faces); beyond the result 16 bytes a face of scratch memory, given back.
uint32_t *cd_broad_sort_faces(const cd_broad_run *run, int axis, int64_t faces);

#endif
