// lcp_near -- a large problem by its rows that are near: those of contacts that are open by far at the velocities
// without impulses are left out, and taken in where the answer closes them.
//
// A step looks ahead as far as its fastest body may come, so most contacts stay open: in one of 343 hulls that land
// 5,800 rows are given, 1,240 carry, and all but one of these are among the 3,100 rows whose gap closes, or grows by
// less than 0.4 of what the fastest one closes by. Which rows are near depends on q alone: no guess changes a result.
// With friction a contact's rows go together, by its normal; one of 200 hulls that land has up to 4,000 contacts, 300
// to 600 of which carry. An answer of the near rows that leaves no other one closing is that of the problem; near rows
// of a semidefinite one that contradict each other do so among all: velocities that satisfied all would satisfy them.
// Where left and right differ a row that was left out may make good what they lack, and the whole is solved. Cost: that
// of the method with near rows; for each time that rows are taken in again that of an answer from nearly the same rows.
// Where few are left out, or it does not end soon, nothing is done.
// SPDX-License-Identifier: MIT
#ifndef LCP_NEAR_H
#define LCP_NEAR_H

#include "lcp_structure.h"

// By the method on the structure as it is.
typedef cd_lcp_result cd_lcp_whole(const cd_lcp_solver *solver, const cd_lcp_structure *s,
                                   const cd_lcp_options *options, cd_arena *arena);

// s: equilibrated; options->tolerance as methods are given it, not divided. False: `solve` has to take the whole; *out
// has the steps that were made.
bool cd_lcp_solve_near(const cd_lcp_solver *solver, const cd_lcp_structure *s, const cd_lcp_options *options,
                       cd_lcp_whole *solve, cd_arena *arena, cd_lcp_result *out);

#endif
