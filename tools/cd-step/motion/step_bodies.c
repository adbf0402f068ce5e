// SPDX-License-Identifier: MIT
#include "step_bodies.h"

#include "step_integrator.h"

#include <inttypes.h>

bool cd_step_is_prescribed(const cd_model *in, int32_t body)
{
    return cd_body_is_active(in, body) && cd_body_motion(in, body) == CD_MOTION_PRESCRIBED;
}

double cd_step_speed(const cd_step_velocity *nu, int dim, double arm)
{
    double sum = 0, turn = 0;
    for (int k = 0; k < dim; k++)
        sum += nu->at[k] * nu->at[k];
    for (int k = dim; k < CD_STEP_AXES; k++)
        turn += nu->at[k] * nu->at[k];
    return sqrt(sum) + (turn > 0 ? arm * sqrt(turn) : 0);
}

cd_step_velocity cd_step_start_velocity(const cd_step_bodies *bodies, int32_t body)
{
    if (bodies->dim == 2) {
        cd_state2 start = cd_body_start2(bodies->in, body);
        return cd_step_velocity2(start.velocity, start.spin);
    }
    cd_state3 start = cd_body_start3(bodies->in, body);
    return cd_step_velocity3(start.velocity, start.spin);
}

cd_status cd_step_bodies_make(cd_arena *arena, const cd_model *in, const cd_step_integrator *integrator,
                              cd_step_bodies *bodies, cd_diag *diag)
{
    double step;
    CD_TRY(cd_frame_step(in, &step, diag));
    CD_TRY(cd_bodies_check(in, false, diag));
    return cd_step_bodies_begin(arena, in, integrator, bodies, diag);
}

cd_status cd_step_bodies_begin(cd_arena *arena, const cd_model *in, const cd_step_integrator *integrator,
                               cd_step_bodies *bodies, cd_diag *diag)
{
    *bodies = (cd_step_bodies){.in = in, .integrator = integrator, .dim = in->dim, .axes = in->dim == 2 ? 3 : 6};
    CD_TRY(cd_frame_step(in, &bodies->step, diag));
    int32_t count = in->body.count;
    bodies->nu = CD_ARENA_ARRAY(arena, cd_step_velocity, count);
    cd_step_velocity *free = CD_ARENA_ARRAY(arena, cd_step_velocity, count);
    cd_quat *middle = CD_ARENA_ARRAY(arena, cd_quat, count);
    for (int32_t i = 0; i < count; i++) {
        if (bodies->dim == 3)
            middle[i] = cd_body_start3(in, i).rotation;
        bodies->nu[i] = free[i] = cd_body_is_moved(in, i) ? integrator->free_velocity(bodies, i, &middle[i])
                                                          : cd_step_start_velocity(bodies, i);
    }
    bodies->free = free;
    bodies->impulse = CD_ARENA_ZARRAY(arena, cd_vec3, in->contact.count);
    bodies->middle = middle;
    bodies->by_id = cd_body_order_make(arena, &in->body).row;
    return CD_OK;
}

// The pose of bodies->end with the velocities nu.
static cd_step_state impact_state(const cd_step_bodies *bodies, int32_t body)
{
    cd_step_state state = bodies->end[body];
    const cd_step_velocity *nu = &bodies->nu[body];
    if (bodies->dim == 2) {
        state.plane.velocity = (cd_vec2){nu->at[0], nu->at[1]};
        state.plane.spin = nu->at[2];
        return state;
    }
    state.space.velocity = cd_step_linear(nu);
    state.space.spin = cd_step_angular(nu);
    return state;
}

cd_step_state cd_step_state_at(const cd_step_bodies *bodies, int32_t body, double share)
{
    const cd_model *in = bodies->in;
    if (bodies->end)
        return impact_state(bodies, body);
    if (cd_body_is_moved(in, body) || cd_step_is_prescribed(in, body))
        return bodies->integrator->state_at(bodies, body, share);
    return bodies->dim == 2 ? (cd_step_state){.plane = cd_body_start2(in, body)}
                            : (cd_step_state){.space = cd_body_start3(in, body)};
}

static cd_step_state end_state(const cd_step_bodies *bodies, int32_t body, bool is_final)
{
    return is_final && !bodies->end && cd_body_is_moved(bodies->in, body) ? bodies->integrator->end_state(bodies, body)
                                                                          : cd_step_state_at(bodies, body, 1);
}

// [J] Twice the energy of turning: of the step's own spin, or of the one that the next step starts with.
static double turning_sq(const cd_step_bodies *bodies, int32_t body, cd_vec3 spin)
{
    const double *inertia = cd_step_inertia(bodies->in, body);
    cd_quat middle = bodies->middle[body];
    cd_vec3 momentum = cd_angular_momentum3(inertia, middle, spin);
    double own = cd_dot3(spin, momentum);
    if (bodies->end)
        return own;
    cd_quat start = cd_body_start3(bodies->in, body).rotation;
    cd_quat end = cd_quat_product(cd_quat_from_vector(cd_scale3(bodies->step, spin)), start);
    cd_vec3 next = cd_end_spin3(inertia, middle, end, spin, cd_head_gyration(bodies->in));
    return fmax(own, cd_dot3(next, cd_angular_momentum3(inertia, end, next)));
}

double cd_step_norm_sq_of(const cd_step_bodies *bodies, int32_t body, const cd_step_velocity *nu)
{
    const cd_model *in = bodies->in;
    const double *v = nu->at;
    if (bodies->dim == 2)
        return in->body.mass[body] * (v[0] * v[0] + v[1] * v[1]) + in->body.inertia[body] * v[2] * v[2];
    cd_vec3 linear = cd_step_linear(nu), spin = cd_step_angular(nu);
    double turning = turning_sq(bodies, body, spin);
    return in->body.mass[body] * cd_dot3(linear, linear) + turning;
}

double cd_step_norm_sq(const cd_step_bodies *bodies, const cd_step_velocity *nu)
{
    double sum = 0;
    for (int32_t rank = 0; rank < bodies->in->body.count; rank++) {
        int32_t i = bodies->by_id[rank];
        if (cd_body_is_moved(bodies->in, i))
            sum += cd_step_norm_sq_of(bodies, i, &nu[i]);
    }
    return sum;
}

void cd_step_turn(const cd_step_bodies *bodies, int32_t body, cd_vec3 moment)
{
    double *nu = bodies->nu[body].at;
    if (bodies->dim == 2) {
        nu[2] += moment.z / bodies->in->body.inertia[body];
        return;
    }
    cd_vec3 turn = cd_spin_of_momentum3(cd_step_inertia(bodies->in, body), bodies->middle[body], moment);
    nu[3] += turn.x;
    nu[4] += turn.y;
    nu[5] += turn.z;
}

// ---- energy --------------------------------------------------------------------------------------------------------

static double energy2(const cd_model *in, int32_t body, cd_state2 s)
{
    return in->body.mass[body] * (0.5 * cd_dot2(s.velocity, s.velocity) - cd_dot2(cd_gravity2(in), s.position)) +
           0.5 * in->body.inertia[body] * s.spin * s.spin;
}

static double energy3(const cd_model *in, int32_t body, cd_state3 s)
{
    cd_vec3 momentum = cd_angular_momentum3(cd_step_inertia(in, body), s.rotation, s.spin);
    return in->body.mass[body] * (0.5 * cd_dot3(s.velocity, s.velocity) - cd_dot3(cd_gravity3(in), s.position)) +
           0.5 * cd_dot3(s.spin, momentum);
}

cd_step_energy cd_step_energy_of(const cd_step_bodies *bodies)
{
    const cd_model *in = bodies->in;
    cd_step_energy energy = {0, 0};
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t i = bodies->by_id[rank];
        if (!cd_body_is_moved(in, i))
            continue;
        bool is_plane = bodies->dim == 2;
        energy.start += is_plane ? energy2(in, i, cd_body_start2(in, i)) : energy3(in, i, cd_body_start3(in, i));
        cd_step_state end = end_state(bodies, i, true);
        energy.end += is_plane ? energy2(in, i, end.plane) : energy3(in, i, end.space);
    }
    return energy;
}

// (|w|_J + h |torque|_J^-1)^2 / 2 with J at the start's rotation, of which the rule makes the free spin:
// |w + h J^-1 torque|_J is no more.
static double allowed_turning_energy(const cd_step_bodies *bodies, int32_t body)
{
    const cd_model *in = bodies->in;
    cd_state3 start = cd_body_start3(in, body);
    const double *inertia = cd_step_inertia(in, body);
    cd_vec3 torque = cd_body_applied3(in, body).torque;
    cd_vec3 momentum = cd_angular_momentum3(inertia, start.rotation, start.spin);
    cd_vec3 turn = cd_spin_of_momentum3(inertia, start.rotation, torque);
    double reached = sqrt(cd_dot3(start.spin, momentum)) + bodies->step * sqrt(cd_dot3(torque, turn));
    return reached * reached / 2;
}

cd_step_growth cd_step_free_growth(const cd_step_bodies *bodies)
{
    const cd_model *in = bodies->in;
    cd_step_growth most = {.body = -1};
    if (in->dim == 2 || cd_head_gyration(in) != CD_GYRATION_EXPLICIT)
        return most;
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t i = bodies->by_id[rank];
        if (!cd_body_is_moved(in, i))
            continue;
        cd_vec3 spin = cd_step_angular(&bodies->free[i]);
        double energy = cd_dot3(spin, cd_angular_momentum3(cd_step_inertia(in, i), bodies->middle[i], spin)) / 2;
        double allowed = allowed_turning_energy(bodies, i), factor = allowed > 0 ? energy / allowed : 0;
        if (!(factor <= most.factor))  // one that is not finite too
            most = (cd_step_growth){i, factor, energy, allowed};
    }
    return most;
}

// ---- the table -----------------------------------------------------------------------------------------------------

static bool is_finite(const double *x, int count)
{
    double sum = 0;
    for (int k = 0; k < count; k++)
        sum += x[k] * 0;  // NaN unless all are finite
    return sum == 0;
}

static bool has_row(const cd_model *in, const bool *is_wanted, int32_t body)
{
    return cd_body_has_position(in, body) && (!is_wanted || is_wanted[body]);
}

cd_status cd_step_write_next(cd_arena *arena, const cd_step_bodies *bodies, bool is_final, const bool *is_wanted,
                             cd_next_rows *next, cd_diag *diag)
{
    const cd_model *in = bodies->in;
    const int dim = bodies->dim, turns = dim == 2 ? 1 : 4, spins = dim == 2 ? 1 : 3;
    next->count = 0;
    for (int32_t i = 0; i < in->body.count; i++)
        next->count += has_row(in, is_wanted, i);
    int32_t *body = CD_COLUMN(arena, dim, next, next, body);
    double *position = CD_COLUMN(arena, dim, next, next, position);
    double *rotation = CD_COLUMN(arena, dim, next, next, rotation);
    double *velocity = CD_COLUMN(arena, dim, next, next, velocity), *spin = CD_COLUMN(arena, dim, next, next, spin);
    // By id.
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t i = bodies->by_id[rank];
        if (!has_row(in, is_wanted, i))
            continue;
        cd_step_state end = end_state(bodies, i, is_final);
        if (dim == 2) {
            cd_state2 s = end.plane;
            memcpy(position, (double[]){s.position.x, s.position.y}, 2 * sizeof(double));
            memcpy(velocity, (double[]){s.velocity.x, s.velocity.y}, 2 * sizeof(double));
            *rotation = s.angle;
            *spin = s.spin;
        } else {
            cd_state3 s = end.space;
            memcpy(position, (double[]){s.position.x, s.position.y, s.position.z}, 3 * sizeof(double));
            memcpy(velocity, (double[]){s.velocity.x, s.velocity.y, s.velocity.z}, 3 * sizeof(double));
            memcpy(rotation, (double[]){s.rotation.w, s.rotation.x, s.rotation.y, s.rotation.z}, 4 * sizeof(double));
            memcpy(spin, (double[]){s.spin.x, s.spin.y, s.spin.z}, 3 * sizeof(double));
        }
        if (!is_finite(position, dim) || !is_finite(rotation, turns) || !is_finite(velocity, dim) ||
            !is_finite(spin, spins))
            return cd_fail(diag, CD_ERR_NUMERIC, "body %" PRId64 ": its state at the end of the step is not finite",
                           in->body.id[i]);
        *body++ = i;
        position += dim;
        velocity += dim;
        rotation += turns;
        spin += spins;
    }
    return CD_OK;
}
