// cd_element -- finite elements of deforming bodies: volumes, pinballs, elastic forces. Plain numbers, no records.
//
// Nodes x are cd_vec3 in the order of the stream (STREAM.md, conventions): counter-clockwise in the plane (z = 0), with
// positive volume in space. Lengths [m]. In the plane all extensive things are those of unit thickness: volume [m^2],
// energy [J/m], force [N/m], mass [kg/m]; with CD_SYMMETRY_AXIAL they are of the whole ring about x = 0: [m^3], [J],
// [N], [kg], and no x is negative. `reference` is where the nodes are free of strain; its volume must be positive.
//
// Pinballs: T. Belytschko, M. O. Neal, Contact-impact by the pinball algorithm, IJNME 31 (1991); split ones:
// T. Belytschko, I. S. Yeh, The splitting pinball method, CMAME 105 (1993). Elasticity: T. Belytschko, W. K. Liu,
// B. Moran, Nonlinear Finite Elements for Continua and Structures, 4.9 and 5.4.
// SPDX-License-Identifier: MIT
#ifndef CD_ELEMENT_H
#define CD_ELEMENT_H

#include "cd_element_kind.h"
#include "cd_vec3.h"

#include <stdint.h>

int cd_element_dim(cd_element_kind kind);         // 2 or 3
int cd_element_node_count(cd_element_kind kind);  // 3, 4, 4, 8

// ---- volumes -------------------------------------------------------------------------------------------------------

// Signed: negative where the nodes go round the wrong way. Quadrilaterals and hexahedra are those of their bilinear and
// trilinear shape functions, exactly. A ring: Pappus, for each element 2 pi integral of x dA.
double cd_element_volume(cd_element_kind kind, const cd_vec3 *x, cd_symmetry symmetry);

// The integral of each node's shape function over the element: `share` of a node times the density is its part of the
// element's mass, lumped by sums of rows (of triangles and tetrahedra an equal part, but of rings). They add up to the
// volume; none is negative where the element is convex.
void cd_element_shares(cd_element_kind kind, const cd_vec3 *x, cd_symmetry symmetry, double share[8]);

// ---- pinballs ------------------------------------------------------------------------------------------------------
// An element's pinball stands where all shape functions are alike. With `split` s it is cut in 2^(dim s) children: the
// element is halved s times along each of its own coordinates (simplices as J. Bey, Tetrahedral grid refinement,
// Computing 55 (1995)), and each cell has a ball of its volume. Child k has the digits of k to the base 2^dim, the
// coarsest cut first.

enum { CD_PINBALL_MAX_SPLIT = 4 };  // 16^dim children: 4096 in space

// Radius of the ball (of a ring: the circle that sweeps it) of the element's volume: (3 V / 4 pi)^(1/3) in space,
// sqrt(A / pi) in the plane and, by Pappus, of rings.
double cd_pinball_radius(cd_element_kind kind, const cd_vec3 *reference);

int32_t cd_pinball_count(cd_element_kind kind, int32_t split);  // split 0: 1

// Shape functions at the child's centre: it is at sum of weights[i] x[i], and a force there goes to node i times
// weights[i]. They are positive and add up to 1. child in 0 .. cd_pinball_count - 1.
void cd_pinball_weights(cd_element_kind kind, int32_t split, int32_t child, double weights[8]);

// Radius of the ball of the child's volume; of split 0 cd_pinball_radius.
double cd_pinball_child_radius(cd_element_kind kind, const cd_vec3 *reference, int32_t split, int32_t child);

// ---- elasticity: triangles and tetrahedra of constant strain --------------------------------------------------------

// Total Lagrangian, St. Venant-Kirchhoff: W = lambda/2 (tr E)^2 + mu E:E per reference volume, E Green's strain.
// lambda = bulk - 2/3 shear, mu = shear [Pa]; the plane is in plane strain. Rings take all strains where their shape
// functions are alike, the hoop strain too. force[i] is what the element does on node i, -dE/dx exactly; returns the
// strain energy, >= 0 where both moduli are. Kinds TRI3 and TET4 alone; x may have any volume.
double cd_element_force(cd_element_kind kind, const cd_vec3 *reference, const cd_vec3 *x, double lambda, double mu,
                        cd_symmetry symmetry, cd_vec3 force[4]);

// [1/s^2] At least the square of the largest frequency of the element about the state x, whose nodes have the masses
// `mass` > 0; at most 1.06 times it where the element is free of strain. Where the masses are shares which add up, over
// the elements, to those of the nodes, the largest of all elements bounds that of the mesh (B. M. Irons, G. Treharne
// 1971): central differences are stable below 2 / omega. Kinds TRI3 and TET4.
double cd_element_frequency_sq(cd_element_kind kind, const cd_vec3 *reference, const cd_vec3 *x, double lambda,
                               double mu, cd_symmetry symmetry, const double *mass);

// [-] How much the element is distorted at its pinball's centre, any kind: sqrt(2/3 E':E'), E' the deviator of Green's
// strain. In uniaxial strain e of an incompressible solid it is e.
double cd_element_distortion(cd_element_kind kind, const cd_vec3 *reference, const cd_vec3 *x, cd_symmetry symmetry);

#endif
