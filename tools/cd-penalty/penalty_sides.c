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

// The state of the frame with the velocities of the step that led to it.
static cd_state3 state_of(const cd_model *in, int32_t body)
{
    cd_state3 state;
    if (in->dim == 2) {
        cd_state2 start = cd_body_start2(in, body);
        state = (cd_state3){.position = cd_vec3_of_plane(start.position),
                            .rotation = {1, 0, 0, 0},
                            .velocity = cd_vec3_of_plane(start.velocity),
                            .spin = {0, 0, start.spin}};
    } else {
        state = cd_body_start3(in, body);
    }
    if (cd_body_motion(in, body) == CD_MOTION_FIXED)
        state.velocity = state.spin = (cd_vec3){0, 0, 0};
    if (cd_body_motion(in, body) != CD_MOTION_PRESCRIBED)
        return state;
    const double *velocity = in->body.last_velocity ? in->body.last_velocity + (size_t)in->dim * (size_t)body : NULL;
    const double *spin = in->body.last_spin ? in->body.last_spin + (size_t)(in->dim == 2 ? 1 : 3) * (size_t)body : NULL;
    if (velocity && !isnan(velocity[0]))
        state.velocity = (cd_vec3){velocity[0], velocity[1], in->dim == 3 ? velocity[2] : 0};
    if (spin && !isnan(spin[0]))
        state.spin = in->dim == 3 ? (cd_vec3){spin[0], spin[1], spin[2]} : (cd_vec3){0, 0, spin[0]};
    return state;
}

// The spin of the step itself. A dynamic body's is that of its momentum at the step's end, which its free motion, J
// dw/dt = -w x J w, takes back to the middle.
static cd_vec3 spin_of_step(const cd_model *in, int32_t body, const cd_state3 *state, double passed)
{
    if (in->dim == 2 || !cd_body_is_moved(in, body) || cd_head_gyration(in) == CD_GYRATION_EXPLICIT)
        return state->spin;
    const double *inertia = in->body.inertia + 6 * (size_t)body;
    cd_vec3 momentum = cd_angular_momentum3(inertia, state->rotation, state->spin);
    cd_vec3 rate = cd_spin_of_momentum3(inertia, state->rotation, cd_cross3(state->spin, momentum));
    return cd_add3(state->spin, cd_scale3(passed / 2, rate));
}

static cd_penalty_way way_of(const cd_model *in, int32_t body, const cd_state3 *state, double passed)
{
    return (cd_penalty_way){state->velocity, spin_of_step(in, body, state, passed),
                            cd_sub3(state->position, cd_scale3(passed / 2, state->velocity)), passed};
}

cd_penalty_side cd_penalty_side_of_body(const cd_model *in, int32_t body, cd_vec3 point, double passed)
{
    cd_penalty_side side = {.is_moved = cd_body_is_moved(in, body)};
    cd_state3 state = state_of(in, body);
    cd_vec3 arm = cd_sub3(point, state.position);
    side.velocity = cd_add3(state.velocity, cd_cross3(state.spin, arm));
    side.spin = state.spin;
    side.way = way_of(in, body, &state, passed);
    if (!side.is_moved)
        return side;
    // Symmetric, so its columns are its rows.
    side.mobility.row[0] = moved_by(in, body, state.rotation, arm, (cd_vec3){1, 0, 0});
    side.mobility.row[1] = moved_by(in, body, state.rotation, arm, (cd_vec3){0, 1, 0});
    if (in->dim == 3)
        side.mobility.row[2] = moved_by(in, body, state.rotation, arm, (cd_vec3){0, 0, 1});
    return side;
}

double cd_penalty_turns_by(const cd_model *in, int32_t body)
{
    if (!cd_body_is_moved(in, body))
        return 0;
    if (in->dim == 2)
        return 1 / in->body.inertia[body];
    const double *inertia = in->body.inertia + 6 * (size_t)body;
    cd_quat whole = {1, 0, 0, 0};  // a trace is the same in any frame
    return (cd_spin_of_momentum3(inertia, whole, (cd_vec3){1, 0, 0}).x +
            cd_spin_of_momentum3(inertia, whole, (cd_vec3){0, 1, 0}).y +
            cd_spin_of_momentum3(inertia, whole, (cd_vec3){0, 0, 1}).z) /
           3;
}

static cd_vec3 speed_at(const cd_penalty_way *way, cd_vec3 point)
{
    return cd_add3(way->velocity, cd_cross3(way->spin, cd_sub3(point, way->middle)));
}

// The spin with which both go round together: of those between the two the least. Of a body that rolls on one at rest
// 0.
static cd_vec3 shared_spin(cd_vec3 a, cd_vec3 b)
{
    cd_vec3 apart = cd_sub3(b, a);
    double sq = cd_dot3(apart, apart), along = -cd_dot3(a, apart);
    return !(along > 0) ? a : along >= sq ? b : cd_add3(a, cd_scale3(along / sq, apart));
}

cd_vec3 cd_penalty_slip(const cd_penalty_side *a, const cd_penalty_side *b, cd_vec3 point)
{
    double passed = fmax(a->way.passed, b->way.passed);
    cd_vec3 middle = cd_sub3(point, cd_scale3(passed / 4, cd_add3(a->velocity, b->velocity)));
    cd_vec3 slip = cd_sub3(speed_at(&b->way, middle), speed_at(&a->way, middle));
    // Turned by an angle about an axis points go straight by 2 tan(angle / 2) of their distance from it half way, and
    // so did the centres; beyond a quarter turn there is no way to speak of.
    cd_vec3 spin = shared_spin(a->way.spin, b->way.spin);
    double half = cd_length3(spin) * passed / 2;
    double straight = half > 0 && half < M_PI / 4 ? tan(half) / half : 1;
    return cd_add3(slip, cd_cross3(cd_scale3(straight - 1, spin), cd_sub3(a->way.middle, b->way.middle)));
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
    side->way.velocity = side->velocity;
    side->mobility = (cd_mat3){{{mobility, 0, 0}, {0, mobility, 0}, {0, 0, in->dim == 3 ? mobility : 0}}};
    return CD_OK;
}
