// SPDX-License-Identifier: MIT
#include "cd_triangle.h"

static cd_triangle_nearest at_corner(const cd_vec3 corner[3], int k)
{
    cd_triangle_nearest nearest = {.point = corner[k], .feature = cd_feature(CD_FEATURE_VERTEX, k)};
    nearest.weight[k] = 1;
    return nearest;
}

static cd_triangle_nearest at_edge(const cd_vec3 corner[3], int k, double t)
{
    int next = (k + 1) % 3;
    cd_vec3 p = cd_lerp3(corner[k], corner[next], t), along = cd_unit3(cd_sub3(corner[next], corner[k]));
    p = cd_sub3(p, cd_scale3(cd_dot3(p, along), along));  // what t was rounded by, of a long edge
    cd_triangle_nearest nearest = {.point = p, .feature = cd_feature(CD_FEATURE_EDGE, k)};
    nearest.weight[k] = 1 - t;
    nearest.weight[next] = t;
    return nearest;
}

// The nearest of its three edges: of a triangle without area, where regions of the plane say nothing.
static cd_triangle_nearest of_edges(const cd_vec3 corner[3])
{
    cd_triangle_nearest best = at_corner(corner, 0);
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        cd_vec3 p = corner[k], along = cd_sub3(corner[(k + 1) % 3], p);
        double square = cd_dot3(along, along), t = square > 0 ? -cd_dot3(p, along) / square : 0;
        cd_triangle_nearest found = t <= 0   ? at_corner(corner, k)
                                    : t >= 1 ? at_corner(corner, (k + 1) % 3)
                                             : at_edge(corner, k, t);
        double distance = cd_dot3(found.point, found.point);
        if (distance < least) {
            least = distance;
            best = found;
        }
    }
    return best;
}

cd_triangle_nearest cd_triangle_nearest_to_origin(const cd_vec3 corner[3])
{
    const cd_vec3 a = corner[0], b = corner[1], c = corner[2], ab = cd_sub3(b, a), ac = cd_sub3(c, a);
    const double d1 = -cd_dot3(ab, a), d2 = -cd_dot3(ac, a), d3 = -cd_dot3(ab, b), d4 = -cd_dot3(ac, b);
    const double d5 = -cd_dot3(ab, c), d6 = -cd_dot3(ac, c);
    if (d1 <= 0 && d2 <= 0)
        return at_corner(corner, 0);
    if (d3 >= 0 && d4 <= d3)
        return at_corner(corner, 1);
    if (d6 >= 0 && d5 <= d6)
        return at_corner(corner, 2);
    const double of_c = d1 * d4 - d3 * d2, of_b = d5 * d2 - d1 * d6, of_a = d3 * d6 - d5 * d4;
    const double sum = of_a + of_b + of_c;
    if (!(sum > 0))
        return of_edges(corner);
    if (of_c <= 0 && d1 >= 0 && d3 <= 0)
        return at_edge(corner, 0, d1 / (d1 - d3));
    if (of_a <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0)
        return at_edge(corner, 1, (d4 - d3) / (d4 - d3 + (d5 - d6)));
    if (of_b <= 0 && d2 >= 0 && d6 <= 0)
        return at_edge(corner, 2, d6 / (d6 - d2));
    cd_triangle_nearest nearest = {.weight = {of_a / sum, of_b / sum, of_c / sum},
                                   .feature = cd_feature(CD_FEATURE_FACE, 0)};
    // the foot on the plane: from barycentric coordinates it has the error of the corners' distances
    cd_vec3 n = cd_unit3(cd_cross3(ab, ac));
    nearest.point = cd_scale3(cd_dot3(n, a), n);
    return nearest;
}
