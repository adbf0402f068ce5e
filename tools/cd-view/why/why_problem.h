// why_problem -- the rows and entries that the stream has of a pair beside those that its contacts give, and what its
// unknowns must keep to.
// SPDX-License-Identifier: MIT
#ifndef WHY_PROBLEM_H
#define WHY_PROBLEM_H

#include "why_pair.h"

// is_own: by row, what is looked at: rows of the pair's contacts, velocity rows of the two bodies.
const bool *cd_why_own_rows(const cd_why_pair *pair);

// made: the problem that the frame's contacts give. Notes the first difference of rhs, of bounds, of friction and of
// the entries of each row. False, and nothing is noted, where the rows are not of the same roles and contacts in the
// same order: other contacts make another problem.
bool cd_why_compare_problem(const cd_why_pair *pair, const cd_model *made, const bool *is_own);

// Of a problem that was solved: friction within its disc, mu times the normal impulse. value: by row, the row of the
// table of unknowns; -1: none.
void cd_why_check_discs(const cd_why_pair *pair, const bool *is_own, const int32_t *value);

#endif
