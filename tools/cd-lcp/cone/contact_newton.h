// contact_newton -- Newton steps on the natural map of contacts with friction, in the space of velocities.
//
// The problem is that of a proximal step: w = H u + hold y + q + damping (y - centre), u = G'y, whose solution tends to
// one of the problem itself as the centre is moved there (Rockafellar 1976). With a = y - w every contact is in one of
// these states, and its equations are linear in the step:
//   normal impulse: open (a_n <= 0): y_n = 0, and so are its tangents; closed: w_n = 0
//   disc, radius r = mu y_n: sticking (|a_t| < r): w_t = 0;
//   slipping, d = a_t / |a_t|: y_t = mu y_n d + (r / |a_t|) (1 - d d') a_t of the new point
// These give the impulses of a contact out of its own velocities, y = b - A H u; what is left is 1 + G'A H in the space
// of velocities, not symmetric where contacts slip (gram_lu.h). One refinement on the equations of the impulses takes
// out what damping, 1e-12 and less, makes of rounding there. Source: Alart & Curnier 1991.
// SPDX-License-Identifier: MIT
#ifndef CONTACT_NEWTON_H
#define CONTACT_NEWTON_H

#include "contact_rows.h"
#include "gram_lu.h"

enum { CD_CONTACT_NEWTON_ROWS = 9 };  // of one contact, at most: a normal and the tangents of four discs

typedef struct cd_contact_newton {
    const cd_contact_rows *k;
    cd_gram_lu *lu;
    double *y, *w, *centre;                              // the point, its values, and the centre: a row each
    double damping;                                      // > 0
    double *u;                                           // G'y
    double *step;                                        // of y, what the last cd_contact_newton_step found
    double *AH, *A, *slope, *right, *off, *change, *du;  // scratch
    int32_t *block;                                      // of each contact its matrix in A and slope
} cd_contact_newton;

// gram: the analysis of k's groups. @owns arena
cd_contact_newton cd_contact_newton_make(const cd_contact_rows *k, const cd_gram *gram, cd_arena *arena);

void cd_contact_newton_values(cd_contact_newton *m);   // u and w of y
void cd_contact_newton_project(cd_contact_newton *m);  // y within its bounds
// How far y is from where y - w is projected to: the sum of squares; *worst: the largest of a row.
double cd_contact_newton_error(const cd_contact_newton *m, double *worst);
// False when the step is not finite.
bool cd_contact_newton_step(cd_contact_newton *m);

#endif
