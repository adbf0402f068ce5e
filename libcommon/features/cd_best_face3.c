// Faces alone: without the pairs of edges.
// SPDX-License-Identifier: MIT
#include "cd_separate3.h"

typedef struct best_face {
    cd_vec3 normal;
    double separation;  // [m]
} best_face;

static void look_at_faces(best_face *best, cd_separate3_pose pose, bool is_of_b)
{
    const cd_shell3 *shell = is_of_b ? pose.b : pose.a;
    cd_vec3 apart = cd_sub3(pose.b->convex->centre, pose.a->convex->centre);
    double inner = pose.a->inner_radius + pose.b->inner_radius;
    for (int32_t f = 0; f < shell->convex->face_count; f++) {
        const cd_separator3 face = {is_of_b ? CD_SEPARATOR3_FACE_B : CD_SEPARATOR3_FACE_A, is_of_b ? -1 : f,
                                    is_of_b ? f : -1, 1};
        cd_vec3 n = cd_separator3_normal(&face, pose);
        if (cd_dot3(n, apart) - inner <= best->separation)
            continue;
        double separation = cd_separator3_separation(&face, pose);
        if (separation > best->separation)
            *best = (best_face){n, separation};
    }
}

cd_vec3 cd_best_face_normal3(cd_separate3_pose pose)
{
    best_face best = {{0, 0, 1}, -INFINITY};
    look_at_faces(&best, pose, false);
    look_at_faces(&best, pose, true);
    return best.normal;
}
