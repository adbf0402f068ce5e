// spars_kept -- the points of the kept contacts of each body, and whether one of them is nearer than mindist.
//
// A body with few contacts has a list. One with many has a grid of cells 2 mindist wide, hashed: what is within mindist
// of a point lies in one or two cells along each axis. New contacts that are kept and share a body are at least
// mindist apart, so a cell holds a bounded number of them; those that are not new may crowd, and cost what they crowd.
// SPDX-License-Identifier: MIT
#ifndef SPARS_KEPT_H
#define SPARS_KEPT_H

#include "spars_select.h"

typedef struct cd_spars_kept {
    const cd_spars_input *input;
    double mindist;        // [m] > 0
    double cell;           // [m]
    const int32_t *first;  // by body: its places in `point` and `next`
    int32_t *count;        // by body: points so far
    double *point;         // [m] dim a place
    int32_t *next;         // by place: the place before it in the same bucket, -1
    int32_t *head;         // by place: the last place of a bucket, -1; the first 2^k of a body's places are its buckets
} cd_spars_kept;

// first: by body, of its contacts' sides; it and `input` must outlive the result. @owns arena
cd_spars_kept cd_spars_kept_make(cd_arena *arena, const cd_spars_input *input, const int32_t *first, double mindist);

bool cd_spars_kept_has_near(const cd_spars_kept *kept, int32_t row);
void cd_spars_kept_add(cd_spars_kept *kept, int32_t row);

// |p - q| < mindist, for sizes of every magnitude: the rule to the bit. True only if every coordinate differs by less
// than mindist as real numbers: the rounding of a difference of at least mindist, and of a ratio of at least 1, is not
// below it.
static inline bool cd_spars_is_near(int dim, const double *p, const double *q, double mindist)
{
    double sum = 0;
    for (int k = 0; k < dim; k++) {
        double ratio = (p[k] - q[k]) / mindist;
        sum += ratio * ratio;
    }
    return sum < 1;
}

#endif
