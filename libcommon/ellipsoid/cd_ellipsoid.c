// SPDX-License-Identifier: MIT
#include "cd_ellipsoid.h"

static int compare_vectors(cd_vec3 p, cd_vec3 q)
{
    return p.x != q.x ? (p.x < q.x ? -1 : 1) : p.y != q.y ? (p.y < q.y ? -1 : 1) : (p.z > q.z) - (p.z < q.z);
}

bool cd_half_axes_are_swapped(const cd_half_axes *a, const cd_half_axes *b, cd_vec3 between)
{
    for (int i = 0; i < 3; i++) {
        int order = compare_vectors(a->axis[i], b->axis[i]);
        if (order != 0)
            return order > 0;
    }
    return compare_vectors(between, (cd_vec3){0, 0, 0}) < 0;
}
