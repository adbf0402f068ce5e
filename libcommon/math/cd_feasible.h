// cd_feasible -- where a point is seen over a face, and two edges over each other: the angle that contacts of features
// report, and that limits of feasibility are held against (cd_contact_limits.h).
//
// Source: Williams, Lu & Trinkle, J. Comput. Nonlinear Dynam. 12 (2017) 021001, section 4.
// SPDX-License-Identifier: MIT
#ifndef CD_FEASIBLE_H
#define CD_FEASIBLE_H

#include <math.h>
#include <stdbool.h>

// [rad] pi/2: the nearest points lie on the features themselves. asin reaches it from outside but on the border.
#define CD_FEASIBLE_INSIDE (M_PI / 2)

// [rad] in [-pi/2, pi/2]. psi [m]: the gap of the features' plane or lines; distance [m]: of the features themselves,
// whose rounding may leave |psi / distance| above 1.
static inline double cd_feasible_angle(bool is_inside, double psi, double distance)
{
    if (is_inside)
        return CD_FEASIBLE_INSIDE;
    double sine = distance > 0 ? psi / distance : 1;
    return asin(sine > 1 ? 1 : sine < -1 ? -1 : sine);
}

#endif
