// cd_feature3 -- potential contacts of two convex polyhedra: a vertex of one against a face of the other, an edge of
// one against an edge of the other. (The plane: cd_feature2.h.)
//
// Vertex v against face f with outward unit normal eta:
//   psi            eta . (v - plane of f)             [m] the gap function; > 0 on the outer side of the face's plane
//   overhang       how far v lies beyond the face's edges, measured along the plane [m]; <= 0: inside the face's
//                  Voronoi region, the prism over (and under) it
//   distance       from v to the face                 [m] >= 0; |psi| inside the region
//   applicability  (28)-(30): min over the edges at v, of directions e away from it, of eta . e
// Edge i of a against edge j of b with the normal n of the winning branch of (31), from a to b:
//   psi            n . (q - p) of points p, q of the edges' lines [m]
//   distance       of the two segments [m]
//   applicability  (31)
// of both:
//   feasible       [rad] +pi/2 where the nearest points lie on the features themselves (inside the Voronoi region; on
//                  both segments), else asin(psi / distance)
// Applicability and feasibility are reported, not thresholded. Edges parallel to 1e-6 have no contact, and neither have
// edges between coplanar faces, which are none of the body's.
//
// What is potential: features within reach of each other at the start, the predicted or the current pose. A vertex near
// an edge or a corner of the other body has so a contact with each face there, and edges that meet near a vertex one
// with each edge; each pair of features is there once. Three more rules serve overlaps deeper than the reach, which
// would otherwise have no contact that could undo them:
//   1. bodies that overlap so at the start or current pose have the separator of least depth: the two edges, or the
//      face with its deepest vertex and every vertex that is inside;
//   2. a vertex inside the other body at the predicted pose has, of the faces on whose outer side it started, the
//      nearest one: the face it is about to come in through;
//   3. bodies that overlap so at the predicted pose have their separator (cd_separate3.h), where that is a pair of
//      edges: no vertex need be inside.
//
// Source: Williams, Lu & Trinkle, J. Comput. Nonlinear Dynam. 12 (2017) 021001, (26)-(31) and section 4. Cost: the
// distance of the two at each pose (0.3 us), one product a vertex to rule out what is not near the other body, and some
// 20 ns a pair of features that may be. Exchanging a and b exchanges the sides of the result and changes no other bit.
// SPDX-License-Identifier: MIT
#ifndef CD_FEATURE3_H
#define CD_FEATURE3_H

#include "cd_separate3.h"

typedef enum cd_feature_pair3_kind {
    CD_VERTEX_A_FACE_B,
    CD_EDGE_EDGE,
    CD_FACE_A_VERTEX_B,
} cd_feature_pair3_kind;

typedef struct cd_feature_pair3 {
    cd_feature_pair3_kind kind;
    int32_t index_a, index_b;  // of the vertex, edge or face
} cd_feature_pair3;

typedef struct cd_feature_gap3 {
    cd_feature_pair3 pair;
    cd_vec3 normal;  // unit, from a to b
    // [m] the vertex and its foot on the face's plane; the nearest points of the edges' lines
    cd_vec3 point_a, point_b;
    double psi, distance;  // [m] point_b - point_a = psi * normal
    double applicability;  // [1] in [-1, 1]
    double feasible;       // [rad]
} cd_feature_gap3;

// The values of one pair of features at a pose; edges must not be parallel.
cd_feature_gap3 cd_feature_gap3_at(cd_feature_pair3 pair, cd_separate3_pose pose);

typedef struct cd_feature3_input {
    cd_separate3_pose start, predicted, current;  // equal pointers where a body does not move
    double reach;                                 // [m] closed: equal counts as within
    double slack, tolerance;                      // [m] of rule 3, as in cd_separate3_input
} cd_feature3_input;

typedef struct cd_feature_gaps3 {
    int32_t count;
    const cd_feature_gap3 *gap;  // by feature of a (vertices, edges, faces), then of b
} cd_feature_gaps3;

// The potential contacts, with their values at the current pose. @owns arena
cd_feature_gaps3 cd_feature3_potential(const cd_feature3_input *input, cd_arena *arena);

#endif
