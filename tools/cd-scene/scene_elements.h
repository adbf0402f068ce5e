// scene_elements -- blocks cut into finite elements, for the generators: compounds of convex parts that share faces.
//
// A block is a lattice of cells; a cell is one hexahedron, or six tetrahedra around its diagonal from the corner of
// least coordinates to that of greatest, one for each order of the axes (Kuhn's subdivision, in which the diagonals of
// neighbours' sides fit). Faces that two elements share have surface -1 and make the two `adjacent`; those on the
// outside have the number of the block's side: 0 to 5 for -x, +x, -y, +y, -z, +z of the lattice.
// SPDX-License-Identifier: MIT
#ifndef SCENE_ELEMENTS_H
#define SCENE_ELEMENTS_H

#include "scene_solids.h"

enum { CD_HEXAHEDRA, CD_TETRAHEDRA };
extern const char *const cd_element_words[];  // NULL-ended, by kind

typedef struct cd_element_block {
    int64_t cells[3];
    int32_t kind;
    double size[3];  // [m] of a block of equal boxes about its middle, when `place` is NULL; elements that differ in
                     // place alone share a shape
    // Else: where the lattice point with coordinates 0..1 is [m], in the block's own coordinates. Corners of a
    // hexahedron's face must come to lie in a plane, and the map must keep the hand.
    cd_vec3 (*place)(const void *context, cd_vec3 lattice);
    const void *context;
} cd_element_block;

// The block as a compound, a row of the scene's shapes.
cd_status cd_add_element_block(cd_scene *scene, const cd_yaml_node *node, const cd_element_block *block, int32_t *row,
                               cd_diag *diag) CD_MUST_CHECK;

#define CD_ELEMENT_KIND_KEY(params)                                                                        \
    {                                                                                                      \
        .name = "kind", .type = CD_YAML_WORD, .offset = offsetof(params, kind), .words = cd_element_words, \
        .help = "hexahedra, or six tetrahedra a cell"                                                      \
    }

#endif
