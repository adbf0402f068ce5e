// lcp_files -- problems in files instead of a stream: read, solved, verified, written.
// SPDX-License-Identifier: MIT
#ifndef LCP_FILES_H
#define LCP_FILES_H

#include "mcp.h"

// Paths, NULL where not given; "-" is standard input.
//   matrix, rhs (lower, upper)             a complementarity problem, Matrix Market
//   matrix, rhs, mu                        contacts with friction, reduced form (coulomb.h)
//   mass, jacobian, rhs, mu (force)        the same, global form
//   problem                                either, as FCLIB (HDF5) or Siconos (text) has it
typedef struct cd_lcp_files {
    const char *matrix, *rhs, *lower, *upper, *mu, *mass, *jacobian, *force, *problem;
    const char *print;  // one of cd_lcp_prints
    bool as_json;
} cd_lcp_files;

extern const char *const cd_lcp_prints[];  // "r", "u", "v", NULL-ended

// Whether any path is given.
bool cd_lcp_files_any(const cd_lcp_files *files);

// CD_ERR_USAGE where the paths are none of the sets above.
cd_status cd_lcp_files_check(const cd_lcp_files *files, cd_diag *diag) CD_MUST_CHECK;

// Solves the problem of the files and appends the answer to `out`: as a Matrix Market array z, or r, u or v; or as one
// line of JSON. CD_ERR_NUMERIC with status and residual in the sentence when it is not solved; nothing is appended
// then, but the JSON line, with the best point.
cd_status cd_lcp_solve_files(const cd_lcp_files *files, const cd_lcp_solver *solver, const cd_lcp_options *options,
                             cd_arena *arena, cd_buffer *out, cd_diag *diag) CD_MUST_CHECK;

#endif
