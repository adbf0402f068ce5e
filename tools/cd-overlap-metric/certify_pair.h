// certify_pair -- two placed parts of any kinds: apart, touching or overlapping, decided exactly for the doubles that
// the parts were placed as, with a witness.
//
// apart: no point in common. overlapping: no plane separates them (their difference has 0 inside), which of two bodies
// with an inside is a common point of both insides. touching: neither, thus common points, and a plane between the
// insides. Nearly all pairs are decided in doubles with a proved bound of their rounding; the rest by exact routines
// (certify_cores.h), some 10 to 100 us a pair.
// SPDX-License-Identifier: MIT
#ifndef CERTIFY_PAIR_H
#define CERTIFY_PAIR_H

#include "cd_leaf2.h"
#include "cd_leaf3.h"
#include "certify_cores.h"

typedef enum certify_form { CERTIFY_CORE, CERTIFY_HALFSPACE, CERTIFY_ELLIPSOID } certify_form;

// A placed part. `form` says which members are there.
typedef struct certify_part {
    certify_form form;
    certify_core core;   // CORE: corners; a sphere has one, a facet three
    double margin;       // CORE [m]
    cd_vec3 normal;      // HALFSPACE: solid where normal.x <= offset, for these doubles
    double offset;       // HALFSPACE [m]
    cd_vec3 centre;      // ELLIPSOID [m]: points centre + sum of axis[k] semiaxis[k] b_k, |b| <= 1
    cd_vec3 axis[3];     // ELLIPSOID
    double semiaxis[3];  // ELLIPSOID [m]; in the plane the third is 1, along z
    const void *placed;  // the cd_leaf2 or cd_solid3: where to look first
} certify_part;

// Borrow what is placed; corners that do not lie by coordinate there are copied. @owns arena
certify_part certify_part2(cd_arena *arena, const cd_leaf2 *leaf);
certify_part certify_part3(cd_arena *arena, const cd_solid3 *solid);

// Scratch is given back. @owns arena
certify_result certify_pair2(cd_arena *arena, cd_arena *scratch, const certify_part *a, const certify_part *b);
certify_result certify_pair3(cd_arena *arena, cd_arena *scratch, const certify_part *a, const certify_part *b);

// ---- shared by the files -------------------------------------------------------------------------------------------

// Closed forms: one of the two is a halfspace. No witness but the numbers of the two.
certify_result certify_halfspace(cd_arena *scratch, const certify_part *a, const certify_part *b);
// One is an ellipsoid, the other that or a core.
certify_result certify_ellipsoid(cd_arena *arena, cd_arena *scratch, int dim, const certify_part *a,
                                 const certify_part *b);
// The sign of height - (sqrt(p) + sqrt(q)); p, q >= 0.
int certify_root_order(cd_arena *scratch, cd_exact height, cd_exact p, cd_exact q);

#endif
