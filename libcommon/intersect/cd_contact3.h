// cd_contact3 -- the contact of two overlapping convex polyhedra: point, normal, area, surfaces and gap of their
// intersection.
//
// Source: Koziara, Solfec documentation, "Contact points". The normal is summed over whole planar faces of the
// intersection: parts of a body's planar face that came as several triangles are put together first. Exchanging a and b
// turns the normal around, exchanges the surfaces and changes no other bit.
// SPDX-License-Identifier: MIT
#ifndef CD_CONTACT3_H
#define CD_CONTACT3_H

#include "cd_intersect3.h"

typedef enum cd_contact3_status {
    CD_CONTACT3_NONE = 0,    // nothing in common; only `overlap` is set
    CD_CONTACT3_TOUCHING,    // no volume in common, or a body that is none; only `overlap` is set
    CD_CONTACT3_CONTACT,     // all fields as described
    CD_CONTACT3_DEGENERATE,  // the surface gives no normal: one body inside the other, outer faces that cancel or are
                             // missing. The normal is that of the face along which the bodies are parted soonest, the
                             // gap minus that way
    CD_CONTACT3_OUTSIDE,     // the point lies outside a or b by more than epsilon: ill-conditioned, to be dropped
} cd_contact3_status;

typedef struct cd_contact3 {
    cd_contact3_status status;
    cd_intersect3_status overlap;
    cd_vec3 point;   // [m] world: the centroid of the intersection's surface
    cd_vec3 normal;  // unit, from a to b: sum of A^2 N over faces on a minus the same over faces on b (A area, N
                     // outward normal); only faces on outer surfaces count, and one on both bodies counts on both
    double area;     // [m^2] half the surface
    double volume;   // [m^3]
    double gap;      // [m] <= 0, minus the extent of the intersection along the normal. (Where bodies are parted sooner
                     // than twice the extent, a distance query of the two moved apart tells; see the specification.)
    int32_t face_a, face_b;        // the outer face of a, of b, whose plane is nearest to the point; -1: no outer face
    int32_t surface_a, surface_b;  // their surface ids, -1: none
} cd_contact3;

// Of an intersection of a and b, by either method. epsilon [m] >= 0: points closer than it are one. Scratch memory from
// the arena, given back.
cd_contact3 cd_contact3_make(const cd_intersect3 *intersection, const cd_convex3 *a, const cd_convex3 *b,
                             double epsilon, cd_arena *scratch);
// By clipping. Scratch memory from the arena, given back.
cd_contact3 cd_contact3_volume(const cd_convex3 *a, const cd_convex3 *b, double epsilon, cd_arena *scratch);
// By the dual hull. Scratch memory from the arena, given back.
cd_contact3 cd_contact3_dual(const cd_convex3 *a, const cd_convex3 *b, double epsilon, cd_arena *scratch);

#endif
