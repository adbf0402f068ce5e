// SPDX-License-Identifier: MIT
#include "penalty_sides.h"

#include <inttypes.h>

// What a unit impulse along e, at the arm from the centre of mass, does to the velocity there: e / m + (J^-1 (r x e)) x
// r.
static cd_vec3 moved_by(const cd_model *in, int32_t body, cd_quat rotation, cd_vec3 arm, cd_vec3 e)
{
    cd_vec3 moment = cd_cross3(arm, e);
    cd_vec3 spin = in->dim == 2 ? (cd_vec3){0, 0, moment.z / in->body.inertia[body]}
                                : cd_spin_of_momentum3(in->body.inertia + 6 * (size_t)body, rotation, moment);
    return cd_add3(cd_scale3(1 / in->body.mass[body], e), cd_cross3(spin, arm));
}

cd_penalty_side cd_penalty_side_of_body(const cd_model *in, int32_t body, cd_vec3 point)
{
    cd_penalty_side side = {.is_moved = cd_body_is_moved(in, body)};
    cd_vec3 arm, velocity, spin;
    cd_quat rotation = {1, 0, 0, 0};
    if (in->dim == 2) {
        cd_state2 start = cd_body_start2(in, body);
        arm = cd_sub3(point, cd_vec3_of_plane(start.position));
        velocity = cd_vec3_of_plane(start.velocity);
        spin = (cd_vec3){0, 0, start.spin};
    } else {
        cd_state3 start = cd_body_start3(in, body);
        arm = cd_sub3(point, start.position);
        velocity = start.velocity;
        spin = start.spin;
        rotation = start.rotation;
    }
    if (cd_body_motion(in, body) != CD_MOTION_FIXED) {
        side.velocity = cd_add3(velocity, cd_cross3(spin, arm));
        side.spin = spin;
    }
    if (!side.is_moved)
        return side;
    // Symmetric, so its columns are its rows.
    side.mobility.row[0] = moved_by(in, body, rotation, arm, (cd_vec3){1, 0, 0});
    side.mobility.row[1] = moved_by(in, body, rotation, arm, (cd_vec3){0, 1, 0});
    if (in->dim == 3)
        side.mobility.row[2] = moved_by(in, body, rotation, arm, (cd_vec3){0, 0, 1});
    return side;
}

cd_status cd_penalty_side_of_pinball(const cd_model *in, int32_t body, const cd_pinball *ball, cd_penalty_side *side,
                                     cd_diag *diag)
{
    double mobility = 0;
    *side = (cd_penalty_side){.is_moved = false};
    if (cd_body_motion(in, body) == CD_MOTION_FIXED)
        return CD_OK;
    for (int i = 0; i < ball->nodes; i++) {
        int32_t node = ball->node[i];
        double mass = cd_f64_or(in->node.mass, node, NAN);
        if (cd_i32_or(in->node.motion, node, CD_MOTION_DYNAMIC) != CD_MOTION_FIXED && in->node.velocity)
            side->velocity =
                cd_add3(side->velocity, cd_scale3(ball->weight[i], cd_node_vector(in->node.velocity, in->dim, node)));
        if (!cd_node_is_moved(in, node) || !cd_body_is_moved(in, body))
            continue;
        if (isnan(mass))
            return cd_fail(diag, CD_ERR_FORMAT, "node %" PRId64 ": mass: required of a dynamic node",
                           in->node.id[node]);
        mobility += ball->weight[i] * ball->weight[i] / mass;
        side->is_moved = true;
    }
    side->mobility = (cd_mat3){{{mobility, 0, 0}, {0, mobility, 0}, {0, 0, in->dim == 3 ? mobility : 0}}};
    return CD_OK;
}
