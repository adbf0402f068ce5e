// cone_lagrangian -- contacts without friction by the augmented Lagrangian, from multipliers 0 on: an answer that does
// not depend on where the rows that carry were looked for.
//
// A change of the multipliers is z := max(0, z - rho (H u + h)) with the one u that makes
//     u'D u / 2 + |max(0, z - rho (H u + h))|^2 / (2 rho)
// least. Newton's method finds the rows with z > 0 from any guess of them; u and z are then made from these rows and
// from the multipliers before, in one order. So two searches that end with the same rows end with the same bytes, and a
// guess that is right costs one factor for all changes: rho is so large that two or three are enough. Of multipliers
// that are not unique these are close to the shortest. Rows that come out so near the boundary that another search
// might put them on the other side are told.
//
// Far from its answer such a search goes astray where rows depend on one another: a set of them that hardly contradicts
// itself has multipliers of rho times that, of either sign. What a search begins with comes from sweeps of successive
// over-relaxation; with a small rho contacts are then soft and share their load, and the rows come together in a few
// factors. Of those that the large rho then has on the other side cone_undecided.h decides. From nowhere 4 to 12
// factors in all, where an interior point takes 20 to 45 and more work with each; from a guess two or three.
//
// Rounding: as in cone_multipliers.h, slacks are not summed from u but follow it. Source: Rockafellar 1976;
// Hintermueller, Ito & Kunisch 2002 (Newton's method as a search for the active set).
// SPDX-License-Identifier: MIT
#ifndef CONE_LAGRANGIAN_H
#define CONE_LAGRANGIAN_H

#include "cone_system.h"

typedef struct cd_cone_lagrangian {
    cd_cone_system *system;                                    // its factor is overwritten
    bool *carries;                                             // a row each: the guess, then the rows with z > 0
    bool *factored;                                            // the rows that the factor is of
    bool *changed;                                             // groups whose values the next factor finds changed
    double penalty, factored_penalty;                          // rho, and that of the factor, 0: there is none
    int factors;                                               // so far
    double *u, *z, *slack;                                     // the point; H u + h as it followed u
    double *last_u, *last_z, *last_slack;                      // what the last change added to it
    double *at_u, *at_slack;                                   // where the search is
    double *next_u, *next, *next_slack, *du, *change, *noise;  // scratch
} cd_cone_lagrangian;

// Whether a programme is of that kind: single rows, and mass in every column.
bool cd_cone_lagrangian_takes(const cd_cone_program *p);
// u = 0, z = 0; `carries` is the caller's to fill. @owns arena
cd_cone_lagrangian cd_cone_lagrangian_make(cd_cone_system *system, cd_arena *arena);
// Rows that carry after some sweeps from z, a row each and >= 0: `carries`.
void cd_cone_lagrangian_sweep(cd_cone_lagrangian *m, const double *z, int sweeps);
// Rows that are close to those of the answer, out of any: `carries`. The point stays as it is. is_patient: in small
// steps, for rows that are far from them.
void cd_cone_lagrangian_approach(cd_cone_lagrangian *m, bool is_patient);
// The same out of a guess z, a row each and >= 0: after some sweeps, and one soft factor where these put many rows on
// the other side.
void cd_cone_lagrangian_mend(cd_cone_lagrangian *m, const double *z);
// One change of the multipliers, with at most so many factors, and as long as each finds at most so many rows on the
// other side. False: its rows were not found, z is as it was.
bool cd_cone_lagrangian_step(cd_cone_lagrangian *m, int most, int32_t most_others);
// The last change over and over, until the first row that carries has nothing left. False: none falls.
bool cd_cone_lagrangian_go_on(cd_cone_lagrangian *m);
// After the first change: whether no row is so near the boundary that rounding might put it on the other side. The
// later changes begin with the rows of the one before, and so are the same from all guesses.
bool cd_cone_lagrangian_is_certain(cd_cone_lagrangian *m);

// ---- for cone_undecided.h ------------------------------------------------------------------------------------------

// K = D + rho H_A'H_A of the rows that carry, unless the factor is of them.
void cd_cone_lagrangian_factor(cd_cone_lagrangian *m);
// next = z - rho (H u + h) at the u where its rows that carry balance it, from the point of the change before. After
// cd_cone_lagrangian_factor; refined so many times less one.
void cd_cone_lagrangian_balance(cd_cone_lagrangian *m, int passes);

#endif
