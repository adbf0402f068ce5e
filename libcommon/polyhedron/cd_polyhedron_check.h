// cd_polyhedron_check -- is a polyhedron given by its faces closed and convex?
// SPDX-License-Identifier: MIT
#ifndef CD_POLYHEDRON_CHECK_H
#define CD_POLYHEDRON_CHECK_H

#include "cd_convex3.h"

// Parts of a polyhedron's size (the diagonal of its bounding box) by which vertices may lie off the planes of their
// faces, or outside of others: room for files in single precision and numbers of six digits, below anything that a
// contact could notice.
#define CD_POLYHEDRON_FLATNESS 1e-6

// cd_polyhedron_validate, and further:
// - every vertex belongs to a face; every edge to two faces, which go along it in opposite directions; all hangs
//   together and has no holes (vertices - edges + faces = 2);
// - faces are planar and convex, listed counter-clockwise as seen from outside, and no vertex is outside of any: all
//   within `tolerance` [m] of the planes, which are those of Newell's normal through the mean of the corners. The
//   tolerance must be well above the rounding of the coordinates.
// CD_ERR_FORMAT with a sentence that names face and vertex, as "faces: vertex 9 is 0.1 m outside of face 3: not
// convex". Time grows with vertices * faces / 32, 0.14 s for 40,000 vertices. Scratch memory of the arena, given back.
cd_status cd_polyhedron_check_convex(cd_polyhedron polyhedron, double tolerance, cd_arena *arena,
                                     cd_diag *diag) CD_MUST_CHECK;
// The same verdict and sentence for a legal polyhedron (cd_polyhedron_validate) of which cd_edges3_make and
// cd_convex3_make_with have made `edges`, `convex` and `is_plain`: of an ordinary one by a few comparisons more, 0.3 us
// for a hull of 16 vertices instead of 4.
cd_status cd_polyhedron_check_prepared(cd_polyhedron polyhedron, const cd_convex3 *convex, const cd_edges3 *edges,
                                       bool is_plain, double tolerance, cd_arena *arena, cd_diag *diag) CD_MUST_CHECK;
// CD_POLYHEDRON_FLATNESS of the diagonal of the bounding box.
double cd_polyhedron_tolerance(cd_polyhedron polyhedron);

#endif
