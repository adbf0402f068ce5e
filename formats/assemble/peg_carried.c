// SPDX-License-Identifier: MIT
#include "peg_carried.h"

#include "cd_quat.h"

// [rad] of h omega: beyond it no chord is made longer, for that of half a turn and more has no midpoint.
static const double widest_turn = 1;

// [m/s] Of a body that turns along by so much [1]: how it goes, as seen from the centre, when no trial says it.
static cd_vec3 way_of_start(const cd_peg_carried *carried, double along)
{
    const cd_quat turn = cd_quat_from_vector(cd_scale3(along * carried->step, carried->spin));
    const cd_vec3 turned = cd_quat_turn(turn, carried->velocity);
    const cd_vec3 lies = cd_cross3(carried->spin, carried->start), slip = cd_sub3(carried->velocity, lies);
    const double lies_along = along * fmax(1 - cd_dot3(slip, slip) / cd_dot3(lies, lies), 0);
    if (!(lies_along > 0))
        return turned;
    const cd_vec3 chord = cd_scale3(1 / carried->step, cd_sub3(cd_quat_turn(turn, carried->start), carried->start));
    return cd_add3(turned, cd_scale3(lies_along, cd_sub3(chord, turned)));
}

cd_vec3 cd_peg_carried_drift(const cd_peg_carried *carried)
{
    const cd_vec3 spin = carried->spin, apart = cd_sub3(carried->carried_spin, spin);
    const double square = cd_dot3(spin, spin), half = fmin(carried->step * sqrt(square), widest_turn) / 2;
    if (!(half > 0))
        return (cd_vec3){0, 0, 0};
    const double along = fmax(1 - cd_dot3(apart, apart) / square, 0);
    const cd_vec3 velocity = carried->has_trial ? carried->velocity : way_of_start(carried, along);
    const cd_vec3 middle = cd_add3(carried->start, cd_scale3(carried->step / 2, velocity));
    const double longer = 1 + along * (tan(half) / half - 1);
    return cd_cross3(spin, cd_sub3(cd_scale3(longer, middle), carried->now));
}

cd_vec3 cd_peg_rolled_drift(const cd_peg_rolled *rolled)
{
    const cd_vec3 n = rolled->normal;
    cd_vec3 turning[2], speed[2];
    for (int s = 0; s < 2; s++) {
        turning[s] = cd_cross3(rolled->spin[s], rolled->arm[s]);
        speed[s] = cd_add3(rolled->velocity[s], turning[s]);
    }
    const cd_vec3 apart = cd_sub3(speed[1], speed[0]);
    const double square = cd_dot3(turning[0], turning[0]) + cd_dot3(turning[1], turning[1]);
    const double rolls = square > 0 ? 1 - cd_dot3(apart, apart) / square : 0;
    if (!(rolls > 0))
        return (cd_vec3){0, 0, 0};
    const double of_b = rolled->is_held[0] ? 0 : rolled->is_held[1] ? 1 : 0.5;
    const cd_vec3 point = rolled->has_way ? rolled->way : cd_add3(speed[0], cd_scale3(of_b, apart));
    cd_vec3 drift = {0, 0, 0};
    for (int s = 0; s < 2; s++) {
        cd_vec3 way = cd_sub3(point, rolled->velocity[s]);
        if (rolled->is_round && !rolled->has_way)
            way = cd_scale3(cd_dot3(n, way), n);
        drift = cd_add3(drift, cd_scale3(s ? 1 : -1, cd_cross3(rolled->spin[s], way)));
    }
    drift = cd_sub3(drift, cd_scale3(cd_dot3(n, drift), n));
    return cd_scale3(rolls * rolled->step / 2, drift);
}
