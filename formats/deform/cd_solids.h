// cd_solids -- the elastic part of the bodies of elements: what their elements do on the nodes, and how fast they
// vibrate.
//
// An element is elastic when it has a `reference` and its body is dynamic. It must be a triangle or a tetrahedron and
// have a material with both moduli: St. Venant and Kirchhoff's law (cd_element.h). Elements without a reference carry
// pinballs and no stress.
//
// make (head tables, once a run) -> place (once a frame) -> forces, frequency. Threads change nothing in the results.
// SPDX-License-Identifier: MIT
#ifndef CD_SOLIDS_H
#define CD_SOLIDS_H

#include "cd_element.h"
#include "cd_elements.h"

// Of run lifetime; by row of `element`.
typedef struct cd_solids {
    const cd_elements *elements;
    cd_symmetry symmetry;
    const double *lambda, *mu;  // [Pa] NaN: no reference
    const cd_vec3 *reference;   // [m] by number in the lists of element.nodes
    const double *share;        // [kg] of a node, if all its mass came from densities; by that number too
} cd_solids;

// What makes an element with a reference no elastic one is told by cd_solids_place, of dynamic bodies alone. elements,
// of the same tables, must outlive the result. @owns arena
void cd_solids_make(cd_arena *arena, const cd_model *in, const cd_elements *elements, cd_solids *solids);

// Of a frame: borrowed.
typedef struct cd_placed_solids {
    const cd_solids *solids;
    const cd_placed_elements *placed;
    int32_t count;       // of elastic elements
    const int32_t *row;  // of `element`, by ids of bodies
    int threads;
} cd_placed_solids;

// CD_ERR_UNSUPPORTED "element 5: kind: quad4 has a reference, but no stiffness here"; CD_ERR_FORMAT "element 5:
// material: an elastic element needs bulk and shear moduli". @owns arena
cd_status cd_solids_place(cd_arena *arena, const cd_solids *solids, const cd_placed_elements *placed, int threads,
                          cd_placed_solids *out, cd_diag *diag) CD_MUST_CHECK;

// Adds to force[row of `node`] [N] what all elements do on it; returns their strain energy [J]. Scratch: the arena,
// given back. Cost: O(elements), 0.3 us each.
double cd_solids_force(cd_arena *scratch, const cd_placed_solids *solids, cd_vec3 *force);

// [1/s^2] At least the square of the largest frequency about the present state; 0 where there are no elements. Nodes
// that no force moves are held. *element: row of the one that has it. CD_ERR_FORMAT "node 5: mass: required of a
// dynamic node". Scratch: the arena, given back. Cost: O(elements), 1 us each.
cd_status cd_solids_frequency_sq(cd_arena *scratch, const cd_placed_solids *solids, double *frequency_sq,
                                 int32_t *element, cd_diag *diag) CD_MUST_CHECK;

#endif
