// lcp_proximal -- proximal steps from a point, each solved by Newton's method: friction that an interior point comes
// near but does not settle.
//
// A proximal step solves the problem drawn to a centre, by as little as Newton's method still copes with
// (contact_newton.h); its solution is the next centre. Where stones jam, many states are nearly solutions: undamped,
// Newton's method goes round between them, and steps of an interior point end at the boundary. Drawn hard enough the
// problem has one solution, and steps towards it lead past them.
//   - Slips bend: what a long step changes along them spoils all contacts by its square, and the next step mends that.
//     So full steps are tried first, even where the error grows; where it does not fall soon, the step is taken back and
//     its length halved until the error falls.
//   - Forces that hardly move anything (of stones held by many contacts) change by the violation over the damping in
//     each step, always the same way: the centre is moved further along, by more and more as long as that is quick.
//   - Going far, it is moved at once to where a contact opens or begins to slip, and each drawn problem is solved to a
//     tenth of what it is drawn by, which is what its solution leaves. That comes to other ends, not to more: it is for
//     where the first way has failed.
//   - Where Newton's method fails, the damping goes up by much at once: a few easy steps, and it comes down again.
// Huber 2018, On solving contact problems with Coulomb friction; Chamberlain, Powell, Lemarechal & Pedersen 1982 for
// steps that are watched.
// SPDX-License-Identifier: MIT
#ifndef LCP_PROXIMAL_H
#define LCP_PROXIMAL_H

#include "cone_root.h"

typedef struct cd_lcp_proximal_most {
    int64_t steps;  // of Newton's method
    int64_t stall;  // the same, in which the best residual has not come down to half of what it was
    int64_t bytes;  // of the factors
    bool is_near;   // the point may be near the answer: hardly drawn, and given up where that does not lead there
} cd_lcp_proximal_most;

// root: NULL for a matrix without velocities that is not symmetric (contact_rows.h). most: NULL for what
// options->max_iterations, patience and max_dense say.
// goes_far: see above.
// From result->z, whose residual is result->residual: the best point met and its residual are left there, and the
// status is CD_LCP_SOLVED when that is within the tolerance. Steps are added to result->iterations. False: nothing was
// done, for the factors would need too much memory, or a contact has more than CD_CONTACT_NEWTON_ROWS rows.
bool cd_lcp_proximal(const cd_lcp_structure *s, const cd_cone_root *root, const cd_lcp_options *options,
                     const cd_lcp_proximal_most *most, bool goes_far, cd_lcp_result *result, cd_arena *scratch);

#endif
