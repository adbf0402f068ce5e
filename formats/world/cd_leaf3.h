// cd_leaf3 -- the leaves of shapes in space: convex parts, and facets of surfaces.
//
// A box becomes a polyhedron of 8 vertices and 6 faces, as the box of the plane becomes a polygon: its features have
// numbers then, and one convex routine serves both. Vertex k of a box has the signs (-+-+-+-+, --++--++, ----++++)
// along x, y, z, so bit 0, 1, 2 of k say +x, +y, +z; its faces are -x, +x, -y, +y, -z, +z. A facet of `facets` is a
// leaf of its own: the triangle and everything within half the thickness of it.
// SPDX-License-Identifier: MIT
#ifndef CD_LEAF3_H
#define CD_LEAF3_H

#include "cd_polyhedron.h"
#include "cd_records.h"
#include "cd_refs.h"

typedef struct cd_facet {
    cd_vec3 vertex[3];      // [m]
    double half_thickness;  // [m] >= 0
    int32_t triangle;       // number in its shape
} cd_facet;

typedef struct cd_ball {
    cd_vec3 centre;  // [m]
    double radius;   // [m]
} cd_ball;

// Points centre + axes diag(semiaxes) b, |b| <= 1.
typedef struct cd_ellipsoid {
    cd_vec3 centre;       // [m]
    cd_vec3 semiaxes;     // [m]
    const cd_mat3 *axes;  // rotation: column j is the direction of semiaxis j
} cd_ellipsoid;

typedef struct cd_halfspace {
    cd_vec3 normal;  // outward unit normal: solid where normal.x <= offset
    double offset;   // [m]
} cd_halfspace;

// A leaf in the body's frame (or, placed, in the world's). kind is CD_SHAPE_POLYHEDRON, _SPHERE, _ELLIPSOID, _HALFSPACE
// or _FACETS and says which member is there.
typedef struct cd_leaf3 {
    int32_t kind;
    int32_t shape;  // row of the leaf's own shape
    double extent;  // largest distance of the leaf from the body's origin [m], rounded up; infinite for a halfspace
    union {
        cd_polyhedron polyhedron;
        cd_ball sphere;
        cd_ellipsoid ellipsoid;
        cd_halfspace halfspace;
        cd_facet facet;
    };
} cd_leaf3;

// Leaves of all shapes; leaves of shape row s are leaf[first[s]] .. leaf[first[s+1]-1]; part numbers count from
// first[s].
typedef struct cd_leaves3 {
    const int32_t *first;
    const cd_leaf3 *leaf;
} cd_leaves3;

// Expands compounds (nested ones in depth-first order, with the limits of cd_leaves2_make) and validates geometry:
// finite vertices, vertex numbers in range and distinct in a face or triangle, sizes above 0. Whether polyhedra are
// convex and closed is not looked at. CD_ERR_FORMAT "shape 3: faces: ..."; CD_ERR_UNSUPPORTED for shapes of the plane.
// Head tables only: call it once a run.
// @owns arena, but faces and vertices of polyhedra are those of in->shape.
cd_status cd_leaves3_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_leaves3 *leaves,
                          cd_diag *diag) CD_MUST_CHECK;

// The leaf moved by a pose; vertices of polyhedra and axes of ellipsoids are new, in `arena`. The extent is that of
// `leaf`.
cd_leaf3 cd_leaf3_place(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose);

#endif
