// cd_leaves -- the leaves of all shapes behind one door, in the plane and in space: rows of the table `shape` to what a
// run works with.
//
// make, or make_prepared (stages that measure parts of space against each other) -> cd_leaf2_place, cd_solid3_place at
// each pose. What a leaf is, and what each kind makes of itself, is libcommon's (cd_shape.h); here are rows, ids and
// compounds.
// SPDX-License-Identifier: MIT
#ifndef CD_LEAVES_H
#define CD_LEAVES_H

#include "cd_records.h"
#include "cd_refs.h"
#include "cd_shape.h"

// Leaves of shape row s are numbers first[s] .. first[s + 1] - 1 of plane.leaf or of space; part numbers count from
// first[s].
typedef struct cd_leaves {
    int dim;
    const int32_t *first;
    cd_leaves2 plane;  // dim 2
    cd_leaves3 space;  // dim 3
    // For cd_length_of [m]: those of shape row s are diameter[diameter_first[s]] .. diameter[diameter_first[s + 1] -
    // 1], one of each part of a compound, of a surface one; NaN: it has none. NULL where the head states a length:
    // nobody asks then.
    const int32_t *diameter_first;
    const double *diameter;
    double largest;  // [m] the largest extent of a leaf that has one: half-spaces have none; 0: all are such
} cd_leaves;

// Expands compounds (nested ones in depth-first order) and validates geometry as each kind does: finite sizes, convex
// counter-clockwise polygons, vertex numbers in range; whether polyhedra are convex and closed is not looked at.
// CD_ERR_FORMAT "shape 3: vertices: ..."; CD_ERR_UNSUPPORTED for kinds of the other dimension; CD_ERR_LIMIT when a few
// short records unfold into too many leaves. Faces, triangles and vertices of shapes of space are those of in->shape.
// Head tables only: call it once a run. @owns arena
cd_status cd_leaves_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_leaves *leaves,
                         cd_diag *diag) CD_MUST_CHECK;

// The same, and what kernels of space ask for once a run: each polyhedron among the leaves prepared (cd_prepared3).
// CD_ERR_FORMAT "shape 3: faces: ..." when one is not closed and convex: no kernel could rely on it then. Of several
// the first in the order of rows is told. Threads change nothing in the result. Of a hull of 16 vertices 2 us. @owns
// arena
cd_status cd_leaves_make_prepared(cd_arena *arena, const cd_model *in, const cd_refs *refs, int threads,
                                  cd_leaves *leaves, cd_diag *diag) CD_MUST_CHECK;

// Leaves of all bodies that take part. CD_ERR_FORMAT when one of them has no shape or no position (CD_ERR_UNSUPPORTED
// when its parts are elements: cd_bodies.h), CD_ERR_LIMIT when they are too many to be numbered.
cd_status cd_leaves_count(const cd_model *in, const cd_leaves *leaves, int32_t *count, cd_diag *diag) CD_MUST_CHECK;

static inline double cd_leaves_extent(const cd_leaves *leaves, int32_t leaf)  // [m] of cd_leaf2, cd_leaf3
{
    return leaves->dim == 2 ? leaves->plane.leaf[leaf].extent : cd_leaves3_extent(&leaves->space, leaf);
}

static inline cd_shape_kind cd_leaves_kind(const cd_leaves *leaves, int32_t leaf)
{
    return leaves->dim == 2 ? leaves->plane.leaf[leaf].kind : cd_leaves3_kind(&leaves->space, leaf);
}

#endif
