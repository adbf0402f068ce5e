// cd_motion3 -- states of a rigid body in space and how a step moves them. The one place that says what "predicted"
// means in 3-D: every stage that needs q_pred calls this, so that all see the same bits.
//
// Over a step h a velocity (v, omega) moves a body by q_1 = q_0 + h (v, omega): x_1 = x_0 + h v and
// R_1 = exp(h omega) R_0, a rotation about a fixed axis. (Equation (10) of Williams, Lu & Trinkle 2016 is its
// first-order form; their program uses the exponential.)
//
// Without contact and torque the angular momentum L = J(R) omega in the world frame stays what it is, J(R) = R J R'; an
// applied torque tau, constant in the world over the step, makes it L + h tau. Two rules:
//
// midpoint (default). omega is that of the pose half way: R_m = exp(h omega / 2) R_0, omega = J(R_m)^-1 L. The
//     mass matrix of the step has J(R_m), so that contacts change L = J(R_m) omega; at the step's end the spin is
//     J(R_1)^-1 L. L is kept to rounding; the rule is symmetric in time. L is here that of the step's end, L + h tau
//     where a torque acts. In the body frame at the start, W = R_0' omega and M = R_0' L, the equation is
//     J W = exp(-h W / 2) M, because a rotation about W leaves W alone. It always has a solution (the right-hand side
//     maps a ball into itself). Newton's method from the start's spin found it for all of 200,000 random bodies, down
//     to needles and plates with inertias of 1 : 1000, that turn by less than half a turn in the step.
//     So far the energy of turning would swing by O(h^2) where no two principal moments are equal, and bodies that
//     bounce with restitution 1 would take a part of each swing with them. So R_m leans, by a about L:
//     R_m = exp(a L / |L|) exp(h omega / 2) R_0, with the a of O(h^2) for which L . J(R_1)^-1 L is L . J(R_0)^-1 L. What
//     stands about L lies alike from either end of the step: the rule stays symmetric. Of 2,000 random bodies
//     that turn by up to 2 rad all keep their energy to rounding, of those that turn by 3 rad 1,990; of 20,000 plates
//     and needles of 1 : 1000 that turn by up to 0.5 rad 19,986.
// explicit. lambda_ext of (3) holds tau - omega x J omega at the start:
//     omega_1 = omega - h J(R_0)^-1 (omega x J(R_0) omega - tau);
//     mass matrix with J(R_0), the spin at the end is omega_1. First order; a tumbling body gains energy.
//
// Inertia is about the centre of mass, in the body frame: [xx, yy, zz, xy, xz, yz] kg m^2, positive definite.
// SPDX-License-Identifier: MIT
#ifndef CD_MOTION3_H
#define CD_MOTION3_H

#include "cd_quat.h"

typedef struct cd_state3 {
    cd_vec3 position;  // [m] world, centre of mass
    cd_quat rotation;  // unit
    cd_vec3 velocity;  // [m/s] world
    cd_vec3 spin;      // [rad/s] world
} cd_state3;

static inline cd_pose3 cd_state3_pose(cd_state3 state) { return cd_pose3_make(state.position, state.rotation); }

// ---- inertia -------------------------------------------------------------------------------------------------------

bool cd_inertia3_is_definite(const double inertia[6]);                 // false for NaN too
cd_vec3 cd_inertia3_apply(const double inertia[6], cd_vec3 spin);      // J w, all in the body frame
cd_vec3 cd_inertia3_solve(const double inertia[6], cd_vec3 momentum);  // J^-1 m
cd_mat3 cd_inertia3_world(const double inertia[6], cd_quat rotation);  // R J R', to the bit symmetric
// J(R) omega and J(R)^-1 L in the world frame.
cd_vec3 cd_angular_momentum3(const double inertia[6], cd_quat rotation, cd_vec3 spin);
cd_vec3 cd_spin_of_momentum3(const double inertia[6], cd_quat rotation, cd_vec3 momentum);

// ---- motion --------------------------------------------------------------------------------------------------------

// q + h nu. The rotation is normalised; with spin 0 it stays what it was to the bit.
cd_state3 cd_state3_advance(cd_state3 start, cd_vec3 velocity, cd_vec3 spin, double step);

typedef enum cd_gyration { CD_GYRATION_MIDPOINT, CD_GYRATION_EXPLICIT } cd_gyration;

// Velocities of a step without contact, and what the equations of the step need beside them: mass matrix
// diag(m, m, m, inertia), right-hand side mass matrix times (velocity, spin).
typedef struct cd_free3 {
    cd_vec3 velocity, spin;  // nu_free
    cd_quat middle;          // the rotation at which the mass matrix is taken: R_m, or R_0 in the explicit rule
} cd_free3;

// What acts on a body over the whole step beside contacts.
typedef struct cd_applied3 {
    cd_vec3 acceleration;  // [m/s^2] world: gravity and its applied force over its mass
    cd_vec3 torque;        // [N m] world, about the centre of mass
} cd_applied3;

// inertia NULL: unknown, the spin stays (as it does for a sphere without torque).
cd_free3 cd_state3_free_velocity(cd_state3 start, const double *inertia, cd_applied3 applied, double step,
                                 cd_gyration gyration);
// q_pred = q + h nu_free, with nu_free as its velocities: the spin is omega, not yet that of the step's end.
cd_state3 cd_state3_free(cd_state3 start, const double *inertia, cd_applied3 applied, double step,
                         cd_gyration gyration);

// The spin with which a body ends a step of solved spin `spin`, mass matrix at `middle` and rotation `end` at the end:
// J(R_1)^-1 J(R_m) omega; in the explicit rule omega itself.
cd_vec3 cd_end_spin3(const double *inertia, cd_quat middle, cd_quat end, cd_vec3 spin, cd_gyration gyration);

#endif
