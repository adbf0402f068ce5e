// SPDX-License-Identifier: MIT
#include "cd_arms.h"

cd_arm_turn cd_arm_turn_make(cd_vec3 turn)
{
    double angle = cd_length3(turn);
    if (!(angle > 0))
        return (cd_arm_turn){{0, 0, 0}, 0, 0, 0};
    return (cd_arm_turn){cd_scale3(1 / angle, turn), angle, sin(angle), sin(angle / 2)};
}

// s + (1 - s) Q' leaves what lies along the axis alone; across it, it is the product with the complex number
// s + (1 - s) (sin t / t - i (1 - cos t) / t), t the angle: never 0 for s = 1/2.
typedef struct factor {
    double real, imaginary;
} factor;

static factor factor_of(const cd_arm_turn *turn, double share)
{
    if (!(turn->angle > 0))
        return (factor){1, 0};
    double half = turn->half, rest = 1 - share;
    return (factor){share + rest * turn->sine / turn->angle, -2 * rest * half * half / turn->angle};
}

static cd_vec3 product(cd_vec3 axis, double real, double imaginary, cd_vec3 x)
{
    cd_vec3 along = cd_scale3(cd_dot3(axis, x), axis), across = cd_sub3(x, along);
    return cd_add3(along, cd_add3(cd_scale3(real, across), cd_scale3(imaginary, cd_cross3(axis, across))));
}

cd_vec3 cd_arm_turned(const cd_arm_turn *turn, double share, cd_vec3 torque)
{
    factor f = factor_of(turn, share);
    return product(turn->axis, f.real, f.imaginary, torque);
}

cd_vec3 cd_arm_unturned(const cd_arm_turn *turn, cd_vec3 torque)
{
    factor f = factor_of(turn, CD_ARM_HALF);
    double square = f.real * f.real + f.imaginary * f.imaginary;
    return product(turn->axis, f.real / square, -f.imaginary / square, torque);
}
