// cone_bracket -- where a slope that rises is 0, between a place where it is below 0 and one where it is above: false
// position, with the slope halved at the end that stays. (Illinois, Dowell & Jarratt 1971, halves it only where that
// end stays again.)
// SPDX-License-Identifier: MIT
#ifndef CONE_BRACKET_H
#define CONE_BRACKET_H

#include "lcp_vector.h"

// [1] Ends as parts of the way, and the slopes there; those of an end that stays are halved.
typedef struct cd_cone_bracket {
    double low, high, low_slope, high_slope;
} cd_cone_bracket;

// The place to look at next: at least a tenth of the way from both ends.
static inline double cd_cone_bracket_next(const cd_cone_bracket *b)
{
    const double secant = b->low_slope / (b->low_slope - b->high_slope), part = cd_larger(0.1, cd_smaller(0.9, secant));
    return b->low + part * (b->high - b->low);
}

// Takes what was found there as an end.
static inline void cd_cone_bracket_take(cd_cone_bracket *b, double at, double slope)
{
    if (slope > 0) {
        b->high = at;
        b->high_slope = slope;
        b->low_slope /= 2;
    } else {
        b->low = at;
        b->low_slope = slope;
        b->high_slope /= 2;
    }
}

#endif
