// peg_frame2 -- a frame of a stream in the plane as the plain arrays of peg_model.h and peg_rows.h.
//
// Every active dynamic body gets a velocity block (x, y, spin), in the order of user ids. Contacts that were rejected
// (status outside or deleted), that touch a body which takes no part, or that no dynamic body feels are left out.
//
// Gap rates. With the normal n from a to b and the point p of the contact, d psi / d q is [-n; -(p - x_a) x n] for a
// and [n; (p - x_b) x n] for b. For a vertex against an edge that is exact to first order when p is the VERTEX for
// both bodies: turning the edge's body moves its line as seen from the vertex. (For other kinds p is each body's own
// point.) Linearised at q_k with velocity nu_k (the start with nu_k = 0 when the frame has no `trial`), the gap at the
// step's end is psi_k + h G' (nu - nu_k), so
//     Psi = (psi_k - margin) / h - G' nu_k + (columns of prescribed bodies)' (their given velocity) + curvature.
//
// Curvature (not in the paper). The linearisation leaves h^2 / 2 psi'' of overlap, above all where bodies turn while
// they touch. For a vertex p of body v over an edge with outward normal eta of body e, bodies moving with the
// velocities that they have at the start,
//     psi  = eta . (p - x_e) - const,   eta' = w_e z x eta,   eta'' = -w_e^2 eta,   p'' = -w_v^2 (p - x_v),
//     psi'' = -w_v^2 eta . (p - x_v) + 2 eta' . (p' - x_e') - w_e^2 eta . (p - x_e),
// and h / 2 psi'' is added to Psi where it is negative. Not where it is positive: an impact changes the velocities
// that enter here, and then it must not let bodies come closer than the linearisation does. A trial has its gaps at
// the step's end already: no curvature there.
// SPDX-License-Identifier: MIT
#ifndef PEG_FRAME2_H
#define PEG_FRAME2_H

#include "cd_leaves.h"
#include "peg_rows.h"

typedef struct cd_peg_frame {
    int32_t count;
    const cd_peg_contact *contact;
    const cd_peg_gradient *gradient;
    const int32_t *contact_row;  // row of contact i in the stream's table
    cd_peg_bodies bodies;
    const int32_t *body_row;  // row of the body of a velocity block
} cd_peg_frame;

typedef struct cd_peg_gaps {
    double margin;       // [m] gap that contacts keep
    bool has_curvature;  // the term above is added
} cd_peg_gaps;

// `leaves` are those of the run's shapes. @owns arena
cd_status cd_peg_frame2_make(cd_arena *arena, const cd_model *in, const cd_leaves *leaves, cd_peg_gaps gaps,
                             cd_peg_frame *frame, cd_diag *diag) CD_MUST_CHECK;

#endif
