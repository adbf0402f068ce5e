// cd_solid3 -- the leaves of space prepared once a run for the kernels of libcommon/geom, and placed in the world.
//
// A leaf (cd_leaf3.h) says what a part is; a solid is what routines that measure it work on: of a polyhedron its
// columns of vertices, planes and numbered edges. Every stage that compares parts in space goes through here.
// SPDX-License-Identifier: MIT
#ifndef CD_SOLID3_H
#define CD_SOLID3_H

#include "cd_convex3.h"
#include "cd_edges3.h"
#include "cd_leaf3.h"

// What polyhedra are prepared to once a run, by number of leaf; the entries of other leaves are zero.
typedef struct cd_solids3 {
    const cd_convex3 *convex;  // in the body's frame
    const cd_edges3 *edges;
} cd_solids3;

// CD_ERR_FORMAT "shape 3: faces: ..." when a polyhedron is not closed and convex: no kernel could rely on it then.
// Of several the first in the order of rows is told. Head tables only; threads change nothing in the result. Of a hull
// of 16 vertices 2 us. @owns arena
cd_status cd_solids3_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, const cd_leaves3 *leaves,
                          int threads, cd_solids3 *solids, cd_diag *diag) CD_MUST_CHECK;

// A leaf placed in the world.
typedef struct cd_solid3 {
    cd_leaf3 leaf;           // of a polyhedron only the kind
    cd_convex3 convex;       // of a polyhedron
    const cd_edges3 *edges;  // of a polyhedron: the numbers of its edges
} cd_solid3;

// Leaf number `leaf` moved by a pose. O(vertices + faces). @owns arena
cd_solid3 cd_solid3_place(cd_arena *arena, const cd_leaves3 *leaves, const cd_solids3 *solids, int32_t leaf,
                          const cd_pose3 *pose);
// The same, of a polyhedron without planes (cd_convex3_place_into): all that cd_gap3.h asks for. O(vertices);
// `solids` is borrowed. @owns arena
cd_solid3 cd_solid3_place_vertices(cd_arena *arena, const cd_leaves3 *leaves, const cd_solids3 *solids, int32_t leaf,
                                   const cd_pose3 *pose);
// Either into memory of the caller's, of which only what is said above is written. @owns arena
void cd_solid3_place_into(cd_arena *arena, const cd_leaves3 *leaves, const cd_solids3 *solids, int32_t leaf,
                          const cd_pose3 *pose, bool has_planes, cd_solid3 *placed);

#endif
