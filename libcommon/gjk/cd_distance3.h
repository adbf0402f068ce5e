// cd_distance3 -- distance of two convex bodies of space by the algorithm of Gilbert, Johnson and Keerthi: witness
// points, separating direction, the features they lie on, and the simplex to start from next time.
//
// A body is a core with a support function and a margin around it: polyhedron, point (with a margin: a sphere),
// segment, triangle (with half its thickness as margin: a facet), ellipsoid. Bodies with margins are answered exactly
// from their cores. Lengths in m, both bodies in one frame, anywhere in it.
//
// Error. "Scale" is the distance of the two centres or the larger body's diameter, whichever is more. Between cores
// without curvature the distance is wrong by less than 1e-14 of the scale (random hulls of 4 to 128 vertices: median
// below 1e-17, worst 3e-16), and the witness points are that far apart to the same error. An answer is believed when it
// proves itself: |v| of the point v found is an upper bound, the least v.w / |v| over the bodies' difference a lower
// one, and the two must agree to 4e-15 of the scale. What fails is computed again in double-double numbers (some 10 us;
// needles, some touching pairs). Ellipsoids converge linearly and are good to 1e-12. Exchanging a and b exchanges the
// sides of the result and changes no other bit; scaling by a power of two scales it.
//
// Cost: O(vertices) an iteration; 5 to 8 iterations in the mean from the centres, 1 from the last frame's simplex when
// little moved; no memory. Random separated hulls of 8, 16, 32, 128 vertices on one core of an EPYC: 3.2, 2.6, 2.0, 0.9
// million pairs/s with AVX-512; 9 million from the last simplex for 8 vertices. Sources: Gilbert, Johnson & Keerthi,
// IEEE J. Robotics Automation 4 (1988); van den Bergen, Collision Detection in Interactive 3D Environments (2003) 4.3
// (the bound that ends it).
// SPDX-License-Identifier: MIT
#ifndef CD_DISTANCE3_H
#define CD_DISTANCE3_H

#include "cd_convex3.h"
#include "cd_vector.h"

// ---- bodies --------------------------------------------------------------------------------------------------------

typedef enum cd_support3_kind {
    CD_SUPPORT3_CONVEX,
    CD_SUPPORT3_POINT,
    CD_SUPPORT3_SEGMENT,
    CD_SUPPORT3_TRIANGLE,
    CD_SUPPORT3_ELLIPSOID,
} cd_support3_kind;

typedef struct cd_support3 {
    cd_support3_kind kind;
    double margin;             // [m] >= 0 all points this near to the core belong to the body
    const cd_convex3 *convex;  // CD_SUPPORT3_CONVEX; borrowed
    cd_vec3 point[3];          // the corners of a point, segment, triangle; the centre of an ellipsoid
    cd_vec3 axis[3];           // an ellipsoid's half axes as vectors, of lengths > 0 and orthogonal
} cd_support3;

static inline cd_support3 cd_support3_convex(const cd_convex3 *convex)
{
    return (cd_support3){.kind = CD_SUPPORT3_CONVEX, .convex = convex};
}
static inline cd_support3 cd_support3_sphere(cd_vec3 centre, double radius)
{
    return (cd_support3){.kind = CD_SUPPORT3_POINT, .margin = radius, .point = {centre}};
}
static inline cd_support3 cd_support3_segment(cd_vec3 start, cd_vec3 end, double margin)
{
    return (cd_support3){.kind = CD_SUPPORT3_SEGMENT, .margin = margin, .point = {start, end}};
}
static inline cd_support3 cd_support3_triangle(cd_vec3 p, cd_vec3 q, cd_vec3 r, double margin)
{
    return (cd_support3){.kind = CD_SUPPORT3_TRIANGLE, .margin = margin, .point = {p, q, r}};
}
// Axis k of the body's frame, turned by the pose, has the length semiaxes[k].
cd_support3 cd_support3_ellipsoid(const cd_pose3 *pose, cd_vec3 semiaxes);

// ---- distance ------------------------------------------------------------------------------------------------------

typedef enum cd_distance3_status {
    CD_DISTANCE3_SEPARATED,
    CD_DISTANCE3_TOUCHING,     // 0 to within rounding, and no overlap deeper than 1e-12 of the scale could be proven
    CD_DISTANCE3_OVERLAPPING,  // proven, by a tetrahedron of the difference around the origin, beyond rounding
    CD_DISTANCE3_STALLED,      // the bounds stayed apart: the distance is an upper bound, at most `error` too large
} cd_distance3_status;

// Points of the bodies' difference a - b, as the corners they are made of: where the search ended. Corners are vertex
// numbers (of a point, segment, triangle: 0, 1, 2; an ellipsoid has none, -1).
typedef struct cd_simplex3 {
    int32_t count;  // 0: none
    int32_t a[4], b[4];
} cd_simplex3;

typedef struct cd_distance3 {
    double distance;  // [m] >= 0; 0 when they overlap
    double gap;       // [m] distance; while only the margins overlap, minus the depth of that; 0 when the cores do
    double error;     // [m] what is proven about `distance` of the cores: upper less lower bound
    cd_vec3 normal;   // unit, from a to b; not telling much when overlapping
    // [m] on (margins overlapping or cores overlapping: in) the bodies, `distance` apart. Of parallel edges or faces
    // one pair of nearest points, where the search ended: not the middle of what they have in common.
    cd_vec3 point_a, point_b;
    cd_distance3_status status;
    int32_t iterations;   // pairs of support points looked for
    cd_simplex3 simplex;  // of the cores: 4 corners when they overlap
    double weight[4];     // >= 0, sum 1: of the simplex' corners in the cores' nearest points
} cd_distance3;

// `start` (NULL: from the centres) is an earlier simplex of the same two bodies, whatever they moved since; it changes
// the time taken, and the answer by no more than the error above.
cd_distance3 cd_distance3_compute(cd_support3 a, cd_support3 b, const cd_simplex3 *start);
// The same without copies of the bodies.
cd_distance3 cd_distance3_of(const cd_support3 *a, const cd_support3 *b, const cd_simplex3 *start);
// With vectors no wider than `most`, for tests: the results are the same to the bit.
cd_distance3 cd_distance3_compute_at(cd_support3 a, cd_support3 b, const cd_simplex3 *start, cd_vector_level most);

// The vertex of a polyhedron farthest along `direction`, the one of least number where several are, and its coordinates
// are taken relative to `origin` so that distance from the frame's origin costs no digits.
int32_t cd_convex3_support(const cd_convex3 *convex, cd_vec3 origin, cd_vec3 direction, cd_vector_level most);

// ---- features ------------------------------------------------------------------------------------------------------

typedef enum cd_feature3_kind {
    CD_FEATURE3_NONE = -1,  // a curved body, or corners that share no face
    CD_FEATURE3_VERTEX = 0,
    CD_FEATURE3_EDGE = 1,
    CD_FEATURE3_FACE = 2,
} cd_feature3_kind;

typedef struct cd_feature3 {
    cd_feature3_kind kind;
    int32_t index;      // of the vertex or face; of the edge, or -1: cd_edges3_find(vertex[0], vertex[1])
    int32_t vertex[2];  // an edge's vertices, the lower number first; else -1
} cd_feature3;

// The smallest feature of the polyhedron that has all these vertices: a vertex, an edge, a face (the lowest number).
// From the edges where they are given: O(degree of a vertex); edges NULL, or no two of the vertices at one edge: O(face
// corners).
cd_feature3 cd_convex3_feature(const cd_convex3 *convex, const cd_edges3 *edges, const int32_t *vertex, int32_t count);
// What the witness point of a (of b) lies on: from the corners of positive weight. The edges are that body's, or NULL.
cd_feature3 cd_distance3_feature_a(const cd_distance3 *d, const cd_convex3 *a, const cd_edges3 *edges);
cd_feature3 cd_distance3_feature_b(const cd_distance3 *d, const cd_convex3 *b, const cd_edges3 *edges);

#endif
