// lcp_auto -- the method for the island at hand, by its structure alone; the ladder where that fails.
//
//   friction discs                                   -> pgs
//   known to be positive semidefinite (N N' + C)     -> qp, which also tells what is infeasible
//   symmetric, without velocities                    -> qp: it finds out, at the first row of negative curvature, if it is not semidefinite
//   the same with upper bounds                       -> ppm
//   the rest (slacks of disjunctions)                -> ladder
// SPDX-License-Identifier: MIT
#include "lcp_structure.h"

extern const cd_lcp_solver cd_lcp_solver_ladder, cd_lcp_solver_pgs, cd_lcp_solver_ppm, cd_lcp_solver_qp;

static const cd_lcp_solver *choose(const cd_lcp_structure *s)
{
    if (s->normal)
        return &cd_lcp_solver_pgs;
    if (!cd_lcp_refusal(&cd_lcp_solver_qp, s))
        return &cd_lcp_solver_qp;
    return cd_lcp_refusal(&cd_lcp_solver_ppm, s) ? &cd_lcp_solver_ladder : &cd_lcp_solver_ppm;
}

const cd_lcp_solver cd_lcp_solver_auto = {
    .name = "auto",
    .summary = "by the structure of each island: pgs for discs, qp or ppm for semidefinite ones, else ladder",
    .source = "",
    .cost = "that of the method it takes",
    .guarantee = "that of the method it takes",
    .takes = CD_LCP_TAKES_GENERAL | CD_LCP_TAKES_ROOMS | CD_LCP_TAKES_DISCS,
    .solves = CD_LCP_SOLVES_P | CD_LCP_SOLVES_CONTACTS | CD_LCP_SOLVES_SEMIDEFINITE,
    .is_combined = true,
    .choose = choose,
    .fallback = &cd_lcp_solver_ladder,
};
