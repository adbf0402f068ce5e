// peer_find -- the peers for C (tests/oracle/oracle_broad.c).
// SPDX-License-Identifier: MIT
#ifndef PEER_FIND_H
#define PEER_FIND_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The overlapping pairs of boxes that the peer of this name finds, in its order: 2 numbers a pair; @owns caller (free).
// min, max: dim numbers a box, dim 2 or 3. -1: there is no such peer in this program.
int64_t peer_find(const char *name, int dim, int32_t count, const double *min, const double *max, int32_t **pairs);

#ifdef __cplusplus
}
#endif
#endif
