// cd_convex_parts -- a closed polyhedron that is not convex, cut into convex parts.
//
// Source: Chazelle, "Convex partitions of polyhedra: a lower bound and worst-case optimal algorithm", SIAM J. Comput.
// 13(3), 1984: as long as an edge is reflex (its faces make more than 180 degrees inside), what is left is cut in two
// by a plane through it. The plane is that of one of its faces, of all reflex edges that which cuts the fewest faces,
// less the reflex edges that it ends. The cut goes through a box around all: cells are convex from the first on, a cell
// within which no edge is reflex is cut by the planes of the faces in it and is a part, or outside of all. r reflex
// edges give about r parts as a rule, of the order of r^2 at worst.
//
// Corners of the cuts are rounded; the parts' volumes add up to that of the polyhedron to some 1e-14 of it, and parts
// that lie at one cut have the same corners there. Corners within CD_CONVEX_PARTS_FLAT of the size (the diagonal of the
// bounding box) of a plane count as in it, so thinner walls and steps are not seen. Faces that meet within 1e-9 rad of
// one plane are no reflex edge. Time: cells times faces and reflex edges in them.
// SPDX-License-Identifier: MIT
#ifndef CD_CONVEX_PARTS_H
#define CD_CONVEX_PARTS_H

#include "cd_polyhedron.h"

#define CD_CONVEX_PARTS_FLAT 1e-12

typedef struct cd_convex_part {
    cd_polyhedron polyhedron;  // convex, corners of its own
    const int32_t *surface;    // [face_count] the lowest number of a face of the polyhedron that it has a piece of; -1:
                               // none, the face is inside
} cd_convex_part;

typedef struct cd_convex_parts {
    int32_t count;
    cd_convex_part *part;
    int32_t adjacent_count;   // pairs of parts that have a piece of a face in common
    const int32_t *adjacent;  // 2 each, the lower first, ascending
} cd_convex_parts;

// Faces may be polygons that are not convex; pieces that hang together by no edge are parts each. `most`: reflex edges,
// and parts, that are taken (CD_ERR_LIMIT). CD_ERR_FORMAT with a sentence when the polyhedron is not closed, encloses
// nothing, has no volume, or encloses some of it more than once. Deterministic. @owns arena
cd_status cd_convex_parts_make(cd_polyhedron polyhedron, int32_t most, cd_arena *arena, cd_convex_parts *parts,
                               cd_diag *diag) CD_MUST_CHECK;

#endif
