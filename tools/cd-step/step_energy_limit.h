// step_energy_limit -- the most energy that bodies are believed to have at the end of a step: contacts take energy, so
// more than free motion has is an error of the linearisation, or of a solver.
//     nu' M nu <= 1.0001 (|nu_free|_M + 2 v sqrt(sum m))^2 + 2e-4 sum m V^2,  V of cd_length.h
// v [m/s]: how fast points of bodies of prescribed motion go; one can carry a mass along at v and throw it at 2 v.
// The shares are those of the separating model's study: without a limit 4 of 60 runs threw bodies out.
// SPDX-License-Identifier: MIT
#ifndef STEP_ENERGY_LIMIT_H
#define STEP_ENERGY_LIMIT_H

#include "step_gaps.h"
#include "step_islands.h"

// The largest nu' M nu [J], twice the kinetic energy, of all dynamic bodies. gaps: of these bodies; NULL with one
// round, which reads no shapes: a body of prescribed motion then counts as large as head.length, 1 m where there is
// none.
double cd_step_energy_limit(const cd_step_bodies *bodies, const cd_step_gaps *gaps);

// The same of each island, by root: what it has contacts or carried impulses with pushes it, and nothing else.
// Cost: O(bodies + contacts + impulses). @owns arena
double *cd_step_island_energy_limits(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_gaps *gaps,
                                     const cd_step_islands *islands);

#endif
