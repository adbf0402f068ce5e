// cd_pinballs -- where the pinballs of a frame are: those that elements carry, and bodies that are balls.
//
// A part of a body is a pinball when it is an element with a `radius`, or a leaf of kind sphere (in the plane a circle)
// of a body that has a material. A split element has children instead of one ball (cd_element.h); their radii are those
// of its reference, to the scale of `radius`.
//
// make (head tables, once a run) -> place (once a frame) -> cd_pinball_of each child of a part.
// SPDX-License-Identifier: MIT
#ifndef CD_PINBALLS_H
#define CD_PINBALLS_H

#include "cd_element.h"
#include "cd_elements.h"

// Of run lifetime.
typedef struct cd_pinballs {
    const cd_elements *elements;
    const cd_leaves *shapes;
    const int32_t *first;  // by row of `element`: the number of its first child; [count + 1]. None: no radius
    const double *radius;  // [m] by number of child
} cd_pinballs;

// CD_ERR_FORMAT "element 5: split: 5 is not one of 0 to 4". elements, of the same tables, and shapes must outlive the
// result. @owns arena
cd_status cd_pinballs_make(cd_arena *arena, const cd_model *in, const cd_elements *elements, const cd_leaves *shapes,
                           cd_pinballs *pinballs, cd_diag *diag) CD_MUST_CHECK;

// The pinballs of a frame: borrowed from both.
typedef struct cd_placed_pinballs {
    const cd_pinballs *pinballs;
    const cd_placed_elements *placed;
} cd_placed_pinballs;

typedef struct cd_pinball {
    cd_vec3 centre;        // [m] world, as the frame has its nodes or its body
    double radius;         // [m]
    int nodes;             // 0: of a body
    const int32_t *node;   // rows of `node`
    const double *weight;  // of each: the centre is the sum of weight * position
} cd_pinball;

// How many pinballs the part has: 0 none, 1, or its children. The part must be one of its body's.
int32_t cd_pinballs_of_part(const cd_placed_pinballs *balls, int32_t body, int32_t part);
// child: 0 .. that - 1.
cd_pinball cd_pinball_of(const cd_placed_pinballs *balls, int32_t body, int32_t part, int32_t child);

// Row of `material` of the part's element or body; -1 none.
int32_t cd_part_material(const cd_placed_elements *placed, int32_t body, int32_t part);

// Is the node moved by forces? If so, those of a body that is not dynamic are not all the same: ask for that too.
static inline bool cd_node_is_moved(const cd_model *in, int32_t node)
{
    return cd_i32_or(in->node.motion, node, CD_MOTION_DYNAMIC) == CD_MOTION_DYNAMIC;
}

#endif
