// peg_frame2 -- gap rates in the plane, for peg_frame.h.
//
// With the normal n from a to b and the point p of the contact, d psi / d q is [-n; -(p - x_a) x n] for a and [n; (p -
// x_b) x n] for b. For a vertex against an edge that is exact to first order when p is the VERTEX for both bodies:
// turning the edge's body moves its line as seen from the vertex. Likewise of a separating edge and a vertex, where p
// is the contact's `point`. (For other kinds p is each body's own point.)
//
// Curvature (not in the paper). The linearisation leaves h^2 / 2 psi'' of overlap, above all where bodies turn while
// they touch. For a vertex p of body v over an edge with outward normal eta of body e, bodies moving with the
// velocities that they have at the start,
//     psi  = eta . (p - x_e) - const,   eta' = w_e z x eta,   eta'' = -w_e^2 eta,   p'' = -w_v^2 (p - x_v),
//     psi'' = -w_v^2 eta . (p - x_v) + 2 eta' . (p' - x_e') - w_e^2 eta . (p - x_e),
// and h / 2 psi'' is added to the rate where it is negative. Not where it is positive: an impact changes the velocities
// that enter here, and then it must not let bodies come closer than the linearisation does. A trial has its gaps at
// the step's end already: no curvature there.
// SPDX-License-Identifier: MIT
#ifndef PEG_FRAME2_H
#define PEG_FRAME2_H

#include "peg_frame.h"

extern const cd_peg_dimension cd_peg_plane;

#endif
