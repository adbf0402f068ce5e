// step_bodies -- the bodies of a frame while they are moved: the velocities of the step and the poses along it, in the
// plane and in space behind one door.
//
//   dynamic body        nu: at first that of contact-free motion, nu_free; then as solved
//   prescribed          nu: its given velocity
//   fixed, unreleased   keeps its state
// then the integrator moves them by nu (step_integrator.h).
// SPDX-License-Identifier: MIT
#ifndef STEP_BODIES_H
#define STEP_BODIES_H

#include "cd_bodies.h"

enum { CD_STEP_AXES = 6 };

// Plane: x, y, spin; space: x, y, z, spin about x, y, z. World frame, [m/s] and [rad/s]; axes beyond are 0.
typedef struct cd_step_velocity {
    double at[CD_STEP_AXES];
} cd_step_velocity;

static inline cd_step_velocity cd_step_velocity2(cd_vec2 velocity, double spin)
{
    return (cd_step_velocity){{velocity.x, velocity.y, spin}};
}
static inline cd_step_velocity cd_step_velocity3(cd_vec3 velocity, cd_vec3 spin)
{
    return (cd_step_velocity){{velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z}};
}
static inline cd_vec3 cd_step_linear(const cd_step_velocity *nu)  // of space
{
    return (cd_vec3){nu->at[0], nu->at[1], nu->at[2]};
}
static inline cd_vec3 cd_step_angular(const cd_step_velocity *nu)  // of space
{
    return (cd_vec3){nu->at[3], nu->at[4], nu->at[5]};
}
// The same of either; the plane is that of x and y.
static inline cd_vec3 cd_step_linear_of(int dim, const cd_step_velocity *nu)
{
    return dim == 2 ? (cd_vec3){nu->at[0], nu->at[1], 0} : cd_step_linear(nu);
}
static inline cd_vec3 cd_step_angular_of(int dim, const cd_step_velocity *nu)
{
    return dim == 2 ? (cd_vec3){0, 0, nu->at[2]} : cd_step_angular(nu);
}

typedef union cd_step_state {  // by dim
    cd_state2 plane;
    cd_state3 space;
} cd_step_state;

static inline cd_vec3 cd_step_position_of(int dim, const cd_step_state *state)
{
    return dim == 2 ? cd_vec3_of_plane(state->plane.position) : state->space.position;
}

typedef struct cd_step_integrator cd_step_integrator;

typedef struct cd_step_bodies {
    const cd_model *in;
    const cd_step_integrator *integrator;
    int dim, axes;                 // 3 or 6 axes
    double step;                   // [s]
    cd_step_velocity *nu;          // by row of `body`: that of the step
    const cd_step_velocity *free;  // without contact
    cd_vec3 *impulse;              // by row of `contact`, [N s] on b: those that made nu of free (step_impulses.h)
    const int32_t *by_id;          // rows of `body` in the order of user ids: that of all sums
    const cd_quat *middle;         // space: the rotation at which the step's mass matrix is taken
    const cd_step_state *end;      // in an impact: where the bodies are, only nu is theirs still; else NULL
} cd_step_bodies;

// nu = nu_free. CD_ERR_FORMAT when the frame has no step, or a dynamic body no mass. @owns arena
cd_status cd_step_bodies_make(cd_arena *arena, const cd_model *in, const cd_step_integrator *integrator,
                              cd_step_bodies *bodies, cd_diag *diag) CD_MUST_CHECK;

// The same of bodies that were checked, bodies of elements held fixed among them.
cd_status cd_step_bodies_begin(cd_arena *arena, const cd_model *in, const cd_step_integrator *integrator,
                               cd_step_bodies *bodies, cd_diag *diag) CD_MUST_CHECK;

cd_step_velocity cd_step_start_velocity(const cd_step_bodies *bodies, int32_t body);

bool cd_step_is_prescribed(const cd_model *in, int32_t body);  // takes part and goes as a drive says, or its velocities

// [m/s] The most of a point at an arm [m, may be infinite] from the centre.
double cd_step_speed(const cd_step_velocity *nu, int dim, double arm);

// [kg m^2] of a body of space, in its own frame: six numbers (cd_motion3.h).
static inline const double *cd_step_inertia(const cd_model *in, int32_t body)
{
    return in->body.inertia + 6 * (size_t)body;
}

// Where the body is after the share (0..1) of the step, moved by its velocity; its velocities are nu.
cd_step_state cd_step_state_at(const cd_step_bodies *bodies, int32_t body, double share);

// nu' M nu of a dynamic body [J]: twice its kinetic energy; in space with the inertia at `middle`, or where that is
// more with the spin that the next step starts with: a needle that turns far from its middle pose would gain unseen.
double cd_step_norm_sq_of(const cd_step_bodies *bodies, int32_t body, const cd_step_velocity *nu);
// nu of a dynamic body changed by an angular impulse [N m s] about its centre of mass, in the plane moment.z.
void cd_step_turn(const cd_step_bodies *bodies, int32_t body, cd_vec3 moment);

// The sum of it over all dynamic bodies [J].
double cd_step_norm_sq(const cd_step_bodies *bodies, const cd_step_velocity *nu);

// Kinetic and potential energy [J] of all dynamic bodies, -m g.x, at the step's start and at its end (with the spins
// that the next step starts with).
typedef struct cd_step_energy {
    double start, end;  // [J]
} cd_step_energy;
cd_step_energy cd_step_energy_of(const cd_step_bodies *bodies);

// The body whose turning energy grows most by its free motion alone: a fault of the explicit gyroscopic rule, which
// always gains (cd_motion3.h); midpoint, which keeps the momentum, cannot run away.
typedef struct cd_step_growth {
    int32_t body;            // row; -1: none, as in the plane and with midpoint
    double factor;           // [1] energy / allowed; 0 without a body
    double energy, allowed;  // [J] at the end of free motion; at the start, with the most that its torque can add
} cd_step_growth;
cd_step_growth cd_step_free_growth(const cd_step_bodies *bodies);

// A row a body that has a position, in the order of user ids, at the end of the step. is_final: velocities are those
// with which the next step starts; else the step's own, for a trial. is_wanted: by body row; NULL: all.
// CD_ERR_NUMERIC when a state is not finite. @owns arena
cd_status cd_step_write_next(cd_arena *arena, const cd_step_bodies *bodies, bool is_final, const bool *is_wanted,
                             cd_next_rows *next, cd_diag *diag) CD_MUST_CHECK;

#endif
