// cd_intersect3 -- the volumetric intersection of two convex polyhedra: measures, planar faces with
// their origin, corners.
//
// Two methods give the same polyhedron within rounding:
//   clip   the edges of each body are clipped by the planes of the other, the faces are put together from what remains
//          and from the lines between crossings, and the measures are summed over them (divergence theorem). Where faces
//          nearly coincide, where the borders of faces do not fit, and wherever the sum of the area vectors does not
//          close, a closed polyhedron is cut plane by plane instead. The default.
//   dual   the planes as points about an inner point (polarity), the convex hull of the points with exact predicates,
//          its triangles taken back as corners: Solfec's method (Muller & Preparata 1978) with an inner point by linear
//          programming.
//
// Cost for n and m faces: O(n + m) to leave out planes that do not meet the box common to both bodies' bounds, then for
// the k and l that remain O(k l) (clip) and O((k + l)^2) (dual).
//
// The body is what its planes bound; plane f passes through the first corner of face f. Tolerance: an overlap in which
// no ball of radius 2^-49 (r_a + r_b) fits is no overlap but touching (r the bodies' radii), and two planes that run
// within that of each other over the whole intersection are one. Errors: volume 2^-46 (r_a + r_b) times the area, or
// 1e-11 of it. A face that lies on both bodies is listed once and names a face of each.
//
// The pair is computed in an order that depends on its geometry alone: exchanging a and b exchanges the sides of the
// result and changes no bit of it (bodies with identical vertices aside). Scaling by a power of two scales the results
// exactly, the results do not depend on the vector level, and where all coordinates are multiples of one power of two,
// small enough to shift without rounding, neither do they on the place.
// SPDX-License-Identifier: MIT
#ifndef CD_INTERSECT3_H
#define CD_INTERSECT3_H

#include "cd_convex3.h"
#include "cd_vector.h"

typedef enum cd_intersect3_status {
    CD_INTERSECT3_EMPTY = 0,  // nothing in common
    CD_INTERSECT3_TOUCHING,   // common points, no volume beyond the tolerance
    CD_INTERSECT3_OVERLAPPING,
    CD_INTERSECT3_A_IN_B,  // the intersection is a (so too where both are the same)
    CD_INTERSECT3_B_IN_A,
    CD_INTERSECT3_DEGENERATE,  // a body is flat or a number not finite: nothing can be said
} cd_intersect3_status;

typedef enum cd_intersect3_path {
    CD_INTERSECT3_FACES,  // faces put together from clipped edges
    CD_INTERSECT3_SOLID,  // a closed polyhedron cut by planes
    CD_INTERSECT3_DUAL,   // the hull of the polar points
} cd_intersect3_path;

typedef struct cd_intersect3_face {
    int32_t a, b;  // the faces of a and of b it lies on, -1: on none of that body; both where the bodies share a plane
    int32_t first, count;  // its corners, counter-clockwise from outside
    double area;           // [m^2]
    cd_vec3 normal;        // unit, outward: that of the plane it lies on; area * normal is the area vector
    cd_vec3 centroid;      // [m] relative to `origin`
} cd_intersect3_face;

// Empty, touching and degenerate: all measures 0, no faces.
typedef struct cd_intersect3 {
    cd_intersect3_status status;
    cd_intersect3_path path;  // what computed it
    double volume;            // [m^3] > 0 where they overlap
    double area;              // [m^2] of the whole surface
    double closure;           // [1] |sum of area vectors| / area
    cd_vec3 centroid;         // [m] of the volume, world
    cd_vec3 origin;  // [m] world: a point near the intersection that corners are relative to, for their precision
    int32_t face_count, corner_count;
    cd_intersect3_face *face;  // in arena
    cd_vec3 *corner;           // [m] relative to `origin`; in arena
} cd_intersect3;

static inline bool cd_intersect3_has_volume(cd_intersect3_status status)
{
    return status >= CD_INTERSECT3_OVERLAPPING && status <= CD_INTERSECT3_B_IN_A;
}

// Both bodies in the world frame. Faces, corners and scratch memory lie in the arena: a caller that goes through many
// pairs marks and rewinds it around each. @owns arena
cd_intersect3 cd_intersect3_clip(const cd_convex3 *a, const cd_convex3 *b, cd_arena *arena);
cd_intersect3 cd_intersect3_dual(const cd_convex3 *a, const cd_convex3 *b, cd_arena *arena);

// For tests and measurements: clip with at most this vector level.
cd_intersect3 cd_intersect3_clip_level(const cd_convex3 *a, const cd_convex3 *b, cd_vector_level most, cd_arena *arena);

#endif
