// cd_polyhedron_mass -- volume, centre of mass and inertia of a uniform polyhedron.
//
// Sums over tetrahedra from a point to the triangles of every face (fans from the face's first corner), by the
// divergence theorem: closed form, for convex and other closed polyhedra alike. Source: Mirtich, "Fast and accurate
// computation of polyhedral mass properties", J. Graphics Tools 1(2), 1996, in the tetrahedral form of Tonon, J. Math.
// Stat. 1(1), 2005. The point is the centre of mass itself, so a polyhedron far from the origin loses nothing. O(face
// corners), without state.
// SPDX-License-Identifier: MIT
#ifndef CD_POLYHEDRON_MASS_H
#define CD_POLYHEDRON_MASS_H

#include "cd_polyhedron.h"

typedef struct cd_mass3 {
    double volume;      // [m^3] negative when faces are listed clockwise as seen from outside
    cd_vec3 centre;     // [m] of mass; the mean of the vertices when there is no volume
    double inertia[6];  // [m^5] at density 1 about `centre`: xx, yy, zz, xy, xz, yz; xy = -(integral of x y)
} cd_mass3;

// Of a legal, closed polyhedron (cd_polyhedron_check_convex). For convex ones with F triangles, however thin: relative
// errors of volume and moments (F + 1100) 2^-53, of the tensor's entries as parts of its trace; of the centre that part
// of the diameter and the rounding of its coordinates. No volume (flat, or not finite): everything but the centre is 0
// or NaN.
cd_mass3 cd_polyhedron_mass(cd_polyhedron polyhedron);

#endif
