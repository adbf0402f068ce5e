// SPDX-License-Identifier: MIT
#include "certify_cores.h"

#include <float.h>

certify_vector certify_vector_of(cd_exact3 exact)
{
    int power;
    return (certify_vector){exact, cd_exact3_scaled(exact, &power)};
}

certify_vector certify_difference(cd_arena *arena, const certify_cores *cores, certify_pair pair)
{
    cd_exact3 d = cd_exact3_difference(arena, certify_corner(&cores->a, pair.a), certify_corner(&cores->b, pair.b));
    const cd_exact3 *row = cores->map;
    if (row)
        d = (cd_exact3){cd_exact3_dot(arena, row[0], d), cd_exact3_dot(arena, row[1], d),
                        cd_exact3_dot(arena, row[2], d)};
    return certify_vector_of(d);
}

// Numbers up to 1, each wrong by 2^-53 and less (ldexp of small ones: 2^-1074): three products wrong by 2^-52 each, and
// three roundings of them and of two sums of numbers up to 3.
#define DOT_ERROR 0x1p-49

int certify_dot_sign(cd_arena *scratch, const certify_vector *a, const certify_vector *b)
{
    double rounded = cd_dot3(a->rounded, b->rounded);
    if (fabs(rounded) > DOT_ERROR)
        return rounded > 0 ? 1 : -1;
    return cd_exact_sign(cd_exact3_dot(scratch, a->exact, b->exact));
}

// What rounding makes of `rounded`.x, of all corners: the direction is wrong by 2^-53 in each number, the products and
// sums by three roundings; numbers below the normal ones by less than DBL_MIN.
static double height_error(const certify_core *core)
{
    double size = 0;
    for (int32_t i = 0; i < core->count; i++) {
        double sum = fabs(core->x[i]) + fabs(core->y[i]) + fabs(core->z[i]);
        size = sum > size ? sum : size;
    }
    return 0x1p-50 * size + DBL_MIN;
}

certify_farthest certify_find_farthest(cd_arena *arena, const certify_core *core, const certify_vector *direction,
                                       int sign)
{
    cd_vec3 d = cd_scale3(sign, direction->rounded);
    double *height = CD_ARENA_ARRAY(arena, double, core->count), highest = -INFINITY;
    for (int32_t i = 0; i < core->count; i++) {
        height[i] = d.x * core->x[i] + d.y * core->y[i] + d.z * core->z[i];
        highest = height[i] > highest ? height[i] : highest;
    }
    double least = highest - 2 * height_error(core);
    int32_t *corner = CD_ARENA_ARRAY(arena, int32_t, core->count), count = 0;
    for (int32_t i = 0; i < core->count; i++)
        if (!(height[i] < least))  // of corners beyond the doubles every one
            corner[count++] = i;
    if (count == 1)
        return (certify_farthest){1, corner};
    // the highest of these, exactly
    cd_exact best = {0};
    int32_t kept = 0;
    for (int32_t k = 0; k < count; k++) {
        cd_exact3 x = cd_exact3_of(arena, certify_corner(core, corner[k]));
        cd_exact h = cd_exact3_dot(arena, direction->exact, x);
        h = sign < 0 ? cd_exact_negate(h) : h;
        int order = kept == 0 ? 1 : cd_exact_compare(h, best);
        if (order > 0) {
            best = h;
            kept = 0;
        }
        if (order >= 0)
            corner[kept++] = corner[k];
    }
    return (certify_farthest){kept, corner};
}
