// Two spheres: the true signed distance in closed form. (Against other convex kinds a sphere is a point with a margin.)
// SPDX-License-Identifier: MIT
#include "cd_pair3.h"

// Concentric spheres: the normal is (1, 0, 0), as any would do.
static cd_gap3 sphere_sphere(const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    (void)scratch;
    cd_ball p = a->sphere, q = b->sphere;
    cd_vec3 between = cd_sub3(q.centre, p.centre);
    double apart = cd_length3(between);
    cd_vec3 normal = apart > 0 ? cd_scale3(1 / apart, between) : (cd_vec3){1, 0, 0};
    return (cd_gap3){.gap = apart - (p.radius + q.radius),
                     .normal = normal,
                     .point_a = cd_add3(p.centre, cd_scale3(p.radius, normal)),
                     .point_b = cd_sub3(q.centre, cd_scale3(q.radius, normal)),
                     .feature_a = CD_FEATURE_NONE,
                     .feature_b = CD_FEATURE_NONE};
}
const cd_pair3 cd_pair3_sphere_sphere = {.name = "sphere-sphere", .is_closed_form = true, .gap = sphere_sphere};
