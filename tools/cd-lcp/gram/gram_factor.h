// gram_factor -- sparse Cholesky factors of K = D + C + R'R with D diagonal and >= 0, for one pattern of R and many
// values; C, symmetric with nothing on its diagonal, is held.
//
// R comes as groups of rows that touch the same columns (the rows of one contact): K is never formed, a group goes
// straight into the front that eliminates its first column (gram_order.h). Columns that every group touches together
// are taken as one block: for contacts, the velocities of a body. A pivot that rounding has eaten is raised to 2^-52 of
// its diagonal of K; what is solved then is an approximation, and the caller refines it. Memory: the factor, and twice
// the largest fronts; cd_gram_bytes tells before anything of it is allocated. Deterministic; the same bytes on every
// machine.
// SPDX-License-Identifier: MIT
#ifndef GRAM_FACTOR_H
#define GRAM_FACTOR_H

#include "cd_memory.h"

#include <stdbool.h>

enum { CD_GRAM_LANES = 4 };

// Entries from one row of a group to the next: whole vectors; those behind its width are 0.
static inline int32_t cd_gram_stride(int32_t width)
{
    return (width + CD_GRAM_LANES - 1) / CD_GRAM_LANES * CD_GRAM_LANES;
}

typedef struct cd_gram_groups {
    int32_t columns, count;
    const int32_t *first, *col;  // columns of group g: col[first[g]] .. col[first[g+1] - 1], none twice
    const int32_t *height;       // rows of group g
    const int64_t *place;        // of its values: height x stride, row by row
    // C below its diagonal: row i has the columns held_col[held_first[i]] .. held_col[held_first[i+1] - 1], all below
    // i; some group has both. NULL: C = 0.
    const int32_t *held_first, *held_col;
    const double *held;
} cd_gram_groups;

typedef struct cd_gram cd_gram;

// The groups' arrays must live as long as the factor. @owns arena
cd_gram *cd_gram_analyse(const cd_gram_groups *groups, cd_arena *arena);
double cd_gram_work(const cd_gram *gram);    // [multiplications] of a factor, but for what makes K
int64_t cd_gram_bytes(const cd_gram *gram);  // that the first cd_gram_factor will allocate

// Before the first factor: workers that it and what solves with it may use; 1 without it. The bytes of all results are
// the same for any number of them. Each one more takes memory of its own: a front, and what waits for its parents in a
// subtree.
void cd_gram_use_threads(cd_gram *gram, int threads);

void cd_gram_factor(cd_gram *gram, const double *D, const double *values);
// Before the first factor, for those that follow with cd_gram_factor_changed: what the fronts hand on is kept, unless
// that is much memory.
void cd_gram_keep(cd_gram *gram);
// As cd_gram_factor, with the same bytes, where since the last factor D is what it was and only groups g with
// changed[g] have other values: fronts that none of them reaches stay as they are, if they were kept.
void cd_gram_factor_changed(cd_gram *gram, const double *D, const double *values, const bool *changed);
// x := K^-1 x; D as it was given to cd_gram_factor.
void cd_gram_solve(cd_gram *gram, const double *D, double *x);

#endif
