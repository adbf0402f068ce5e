// overlap_layer -- what the plane and space do differently: placing the parts of a body and measuring two of them. The
// stage (overlap_stage.h) knows neither.
//
// Sizes are areas [m^2] in the plane and volumes [m^3] in space.
// SPDX-License-Identifier: MIT
#ifndef OVERLAP_LAYER_H
#define OVERLAP_LAYER_H

#include "cd_aabb.h"
#include "cd_leaves.h"
#include "certify_cores.h"

// Of two parts. Exactly 0 where they touch or are apart.
typedef struct cd_overlap_size {
    bool is_measured;  // false: there is no routine, size and error are not set
    double size;       // >= 0
    double error;      // >= 0 bound (ellipsoid against ellipsoid: estimate) of the error of `size`
} cd_overlap_size;

typedef struct cd_overlap_layer {
    size_t part_bytes;  // of a placed part
    // Places the leaves of a body, at row next_row of `next` or (-1) where it is: parts and boxes in their order.
    void (*place)(cd_arena *arena, const cd_leaves *shapes, const cd_model *in, int32_t body, int32_t next_row,
                  void *part, cd_aabb *box);
    // Scratch memory is given back; for several threads, each with its own.
    cd_overlap_size (*size)(const void *a, const void *b, cd_arena *scratch);
    // [m] the signed distance; NaN: there is no routine.
    double (*gap)(const void *a, const void *b, cd_arena *scratch);
    // How they lie to each other, with a witness. Scratch is given back. @owns arena
    certify_result (*certify)(const void *a, const void *b, cd_arena *arena, cd_arena *scratch);
} cd_overlap_layer;

extern const cd_overlap_layer cd_overlap_plane, cd_overlap_space;

#endif
