// lcp_ipm_path -- the parts of the method `ipm` (lcp_ipm.c) where contacts slip: paths (cone_path.h) from nothing, from
// the caller's start and from other iterates, and Newton's method from the points where they end. And what both share:
// the problem, and the best point so far.
// SPDX-License-Identifier: MIT
#ifndef LCP_IPM_PATH_H
#define LCP_IPM_PATH_H

#include "cone_interior.h"
#include "lcp_structure.h"

typedef struct cd_ipm_problem {
    const cd_lcp_structure *s;
    const cd_cone_root *root;
    const cd_cone_program *program;
    const cd_lcp_options *options;
    bool may_settle;       // cd_cone_lagrangian_takes
    bool measures_slacks;  // the root has a mass; and no normal has two discs, so each row is one of the structure
    double *y;             // scratch: a row of the structure each
    cd_arena *scratch;
} cd_ipm_problem;

int64_t cd_ipm_most_bytes(const cd_lcp_options *options);
// Steps, `steps` of them are enough work: no fewer and no more than these, or what the caller has said.
int64_t cd_ipm_most_steps(const cd_ipm_problem *p, double steps, int64_t least, int64_t most);
// The point y: kept in `result` when it is the best one. True when it is the answer.
bool cd_ipm_offer(const cd_lcp_structure *s, const double *y, double residual, const cd_lcp_options *options,
                  cd_lcp_result *result);
// The point of the multipliers z, of the whole program or a part of it. Returns its residual.
double cd_ipm_offer_multipliers(const cd_ipm_problem *p, const cd_cone_program *part, const double *z,
                                cd_lcp_result *result);

// Whether the path takes such a programme and its factors are not too dear.
bool cd_ipm_may_follow(const cd_ipm_problem *p, const cd_cone_interior *m);
// The path from nothing. False: it would be too large.
bool cd_ipm_follow_first(const cd_ipm_problem *p, cd_cone_interior *m, cd_lcp_result *result);
// From the caller's start, with friction, where it is nearer than 0, which is the best point so far: Newton's method,
// which takes 1 step where the problem comes again and some 6 where one stone moves on a heap at rest, and fails in 3;
// then a path. Of 306 polygons that land one path in 60 was lost, a third where the start was no nearer than 0. Steps
// with sigma held before the path where Newton's method fails: heaps on which a stone rocks 7.2 -> 10 s, but a wall on
// which a block topples, 16 factors so, 30 of LU along a path, a half of the time. True when the answer is found.
bool cd_ipm_try_warm(const cd_ipm_problem *p, cd_cone_interior *m, cd_lcp_result *result);
// Newton's method on problems that are drawn to the best point. Without velocities of its own, a mass that is not 1 is
// left behind: it takes C as it is. False: no problem for it, or the answer is known.
bool cd_ipm_draw(const cd_ipm_problem *p, bool goes_far, cd_lcp_result *result);
// Where the first path was lost or went round: from its end, the best point so far, going far, for a few steps and
// where it is near; then paths from iterates. The one before any step led to an answer in 20 of 23 problems of four
// heaps of 200 hulls, that after one in 17, from nothing with mu of 1e-2, 1e2 and 1e4 13, 17 and 19. Then the first
// path once more, which yields (cd_cone_path_yield): it ends where no other one does; as the second it led to an answer
// in 13. By which amount is a draw: of seven problems of heaps that end by no other path five do with 5e-11, four with
// 1e-10 and three with 1e-8 (1e-9: three too), each with one of the three; the residual is 1e-7 to 1e-10 at first, and
// up to six more paths make it good. Paths from the other iterates end in states of jammed stones that are nearly
// solutions. A first path is given up after 150 steps: of 24 that took more than 100 and led to an answer 18 took no
// more, and 20 took all of 250 and did not. With this, and without long drawing before the others, heaps of 120 to 200
// hulls take up to 9 % less time, one that lands 3 % more.
void cd_ipm_follow_others(const cd_ipm_problem *p, cd_cone_interior *m, cd_lcp_result *result);

#endif
