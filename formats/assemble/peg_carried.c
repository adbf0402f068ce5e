// SPDX-License-Identifier: MIT
#include "peg_carried.h"

#include "cd_quat.h"

// [rad] of h omega: beyond it no chord is made longer, for that of half a turn and more has no midpoint.
static const double widest_turn = 1;

cd_vec3 cd_peg_carried_drift(const cd_peg_carried *carried)
{
    const cd_vec3 spin = carried->spin, apart = cd_sub3(carried->carried_spin, spin);
    const double square = cd_dot3(spin, spin), half = fmin(carried->step * sqrt(square), widest_turn) / 2;
    if (!(half > 0))
        return (cd_vec3){0, 0, 0};
    const double along = fmax(1 - cd_dot3(apart, apart) / square, 0);
    const cd_vec3 turn = cd_scale3(along * carried->step, spin);
    const cd_vec3 velocity =
        carried->has_trial ? carried->velocity : cd_quat_turn(cd_quat_from_vector(turn), carried->velocity);
    const cd_vec3 middle = cd_add3(carried->start, cd_scale3(carried->step / 2, velocity));
    const double longer = 1 + along * (tan(half) / half - 1);
    return cd_cross3(spin, cd_sub3(cd_scale3(longer, middle), carried->now));
}
