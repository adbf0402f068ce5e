// lcp_guess -- what contacts carry, as the problem of the same round of the step before had it: where a search for
// those that do begins.
//
// No result depends on it (cd_lcp_options.guess), so it need not be exact: rows are known again by a 64-bit hash of
// bodies, parts, features and face of their contact, or, where the face is another one, of all but that. Frames with
// friction have none, nor have small ones, whose methods take none. Cost: O(rows) a frame. Memory: 24 bytes a row and
// round, run lifetime.
// SPDX-License-Identifier: MIT
#ifndef LCP_GUESS_H
#define LCP_GUESS_H

#include "cd_records.h"
#include "cd_refs.h"

enum { CD_GUESS_ROUNDS = 12, CD_GUESS_ROWS = 300, CD_GUESS_KEYS = 2 };

typedef struct cd_guess_key {
    uint64_t of[CD_GUESS_KEYS];  // with the face, and without; 0: no contact
} cd_guess_key;

typedef struct cd_guess_round {
    int32_t count, capacity;
    cd_guess_key *key;  // of each row of its last problem
    double *z;
} cd_guess_round;

typedef struct cd_guess {
    cd_guess_round round[CD_GUESS_ROUNDS];  // the last one also keeps all that follow
    cd_guess_round *now;                    // of the frame at work
    cd_guess_key *key;                      // of its rows, NULL: it has no guess and none is kept
    int32_t count;
} cd_guess;  // all zero: no frame yet

// A guess for the rows of `in` (its tables row, contact and frame), the z that they had, NAN where unknown; NULL:
// none. @owns arena
double *cd_guess_start(cd_guess *guess, const cd_model *in, const cd_refs *refs, cd_arena *arena);
// Remembers the solution of the frame that cd_guess_start was called for. @owns run
void cd_guess_keep(cd_guess *guess, const double *z, cd_arena *run);

#endif
