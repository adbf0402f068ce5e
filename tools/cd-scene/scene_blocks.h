// scene_blocks -- blocks cut into convex parts, for the generators: compounds whose parts share faces.
//
// A block is a lattice of cells; a cell is one hexahedron, or six tetrahedra around its diagonal from the corner of
// least coordinates to that of greatest, one for each order of the axes (Kuhn's subdivision, in which the diagonals of
// neighbours' borders fit). Faces that two parts share have surface -1 and make the two `adjacent`; those on the
// outside have the number of the block's border: 0 to 5 for -x, +x, -y, +y, -z, +z of the lattice.
// SPDX-License-Identifier: MIT
#ifndef SCENE_BLOCKS_H
#define SCENE_BLOCKS_H

#include "scene_space.h"

enum { CD_HEXAHEDRA, CD_TETRAHEDRA };
extern const char *const cd_cell_words[];  // NULL-ended, by kind

typedef struct cd_cut_block {
    int64_t cells[3];
    int32_t kind;
    double size[3];  // [m] of a block of equal boxes about its middle, when `place` is NULL; parts that differ in
                     // place alone share a shape
    // Else: where the lattice point with coordinates 0..1 is [m], in the block's own coordinates. Corners of a
    // hexahedron's face must come to lie in a plane, and the map must keep the hand.
    cd_vec3 (*place)(const void *context, cd_vec3 lattice);
    const void *context;
} cd_cut_block;

// The block as a compound, a row of the scene's shapes.
cd_status cd_add_cut_block(cd_scene *scene, const cd_yaml_node *node, const cd_cut_block *block, int32_t *row,
                           cd_diag *diag) CD_MUST_CHECK;

#define CD_CUT_KIND_KEY(params)                                                                         \
    {                                                                                                   \
        .name = "kind", .type = CD_YAML_WORD, .offset = offsetof(params, kind), .words = cd_cell_words, \
        .help = "hexahedra, or six tetrahedra a cell"                                                   \
    }

#endif
