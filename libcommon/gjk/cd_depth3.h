// cd_depth3 -- penetration depth and direction of two convex bodies of space, and their signed distance.
//
// The depth is the length of the shortest translation that parts the bodies: the distance of the origin from the
// boundary of their difference a - b. That is a polyhedron whose faces have the normals of a's faces, of b's faces,
// and of those pairs of edges whose arcs cross on the sphere of normals (Gregorius, "The Separating Axis Test between
// Convex Polyhedra", GDC 2013); all of them that can be the best are tried, so the answer is the global one. Which
// arcs cross is decided with a wide tolerance, because what a direction is worth is then measured over all vertices:
// a face too many costs time and no exactness. Error: below 4e-15 of the scale of cd_distance3.h (needles of aspect
// 1e6 among 3,000 pairs).
//
// Of bodies that meet, faces and arcs are left out whose best direction, by the ball inside the other body, separates
// less than a face that was tried, and edges farther from the other body's bounds than that face's depth.
//
// Cost: O(fa + fb + ea eb) for e edges, f faces, and n vertices for each face tried; what is left of ea eb depends on
// the depth. Shallow and deep overlaps: boxes 1.5 and 1.8 us a pair, hulls of 32 vertices 3.8 and 7.5 us, of 128
// vertices 13 and 36 us. Scratch memory is given back. Exchanging a and b exchanges the sides of the result and
// changes no other bit (identical bodies aside). Placed bodies need no planes.
// SPDX-License-Identifier: MIT
#ifndef CD_DEPTH3_H
#define CD_DEPTH3_H

#include "cd_distance3.h"
#include "cd_edges3.h"

typedef enum cd_depth3_kind {
    CD_DEPTH3_FACE_A,  // the normal is that of a face of a
    CD_DEPTH3_FACE_B,
    CD_DEPTH3_EDGES,  // normal to an edge of a and one of b
    CD_DEPTH3_NONE,   // bodies without faces on one line: any normal to it
} cd_depth3_kind;

typedef struct cd_depth3 {
    double depth;              // [m] >= 0; 0 when they touch or are apart
    double separation;         // [m] minus the depth; apart: of the slab along the normal, at most the distance
    cd_vec3 normal;            // unit, from a to b: b moved by depth * normal touches a
    cd_vec3 point_a, point_b;  // [m] where they then touch, on a, and on b as it is; point_a - point_b = depth * normal
    cd_depth3_kind kind;
    // that touch then: the face and what it meets (vertex, edge or face), the two edges
    cd_feature3 feature_a, feature_b;
} cd_depth3;

// Of any cores but ellipsoids; margins add to the depth. `edges` of a polyhedron may be NULL: they are then
// made.
cd_depth3 cd_support3_depth(cd_support3 a, const cd_edges3 *edges_a, cd_support3 b, const cd_edges3 *edges_b,
                            cd_arena *scratch);

typedef struct cd_signed_distance3 {
    double gap;                // [m] the distance, or minus the penetration depth
    cd_vec3 normal;            // unit, from a to b
    cd_vec3 point_a, point_b;  // [m] point_b - point_a = gap * normal
    cd_feature3 feature_a, feature_b;
    bool is_depth;  // the cores overlap: found by cd_support3_depth
    cd_distance3_status status;
    int32_t iterations;
    cd_simplex3 simplex;  // to start from next time
} cd_signed_distance3;

// Touching and overlapping cores go through the search for the depth: its sign is right where the distance can only say
// 0. Overlapping ellipsoids have the gap 0.
// No copies of bodies and result are made: what was just written by numbers is not read by vectors at once (a
// tenth of the distance of hulls of 16 vertices).
void cd_support3_signed_distance_of(const cd_support3 *a, const cd_edges3 *edges_a, const cd_support3 *b,
                                    const cd_edges3 *edges_b, const cd_simplex3 *start, cd_arena *scratch,
                                    cd_signed_distance3 *result);

#endif
