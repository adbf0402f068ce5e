// SPDX-License-Identifier: MIT
#include "broad_balls.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

void cd_broad_ball_of_box(int dim, const double *min, const double *max, double core, double *ball)
{
    double square = 0;
    bool is_bounded = true;
    for (int k = 0; k < dim; k++) {
        double centre = min[k] / 2 + max[k] / 2;
        double upper = max[k] - centre, lower = centre - min[k], half = upper > lower ? upper : lower;
        double rest = half > core ? half - core : 0;
        ball[k] = centre;
        square += rest * rest;
        is_bounded &= half < INFINITY;  // false for NaN
    }
    // Halves are measured from the rounded centre, so each is off by a unit in its own last place. The factor covers
    // these, the sums, and what a comparison of two balls rounds.
    ball[dim] = (core + sqrt(square)) * (1 + 8 * DBL_EPSILON);
    for (int k = 0; k < dim && !is_bounded; k++)
        ball[k] = 0;
    if (!is_bounded)
        ball[dim] = INFINITY;
}
