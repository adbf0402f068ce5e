// peg_frame -- a frame of a stream as the plain arrays of peg_model.h and peg_rows.h, in the plane and in space.
//
// Every active dynamic body gets a velocity block (plane: x, y, spin; space: velocity, spin), in the order of user
// ids. Contacts that were rejected (status outside or deleted), that lie on a face between two parts of a compound,
// that touch a body which takes no part, or that no dynamic body feels are left out.
//
// Gap rates. The columns of G are d psi / d q of the gap psi, as peg_frame2.h and peg_frame3.h derive them. Linearised
// at q_k with velocity nu_k (the start with nu_k = 0 when the frame has no `trial`), the gap at the step's end is
// psi_k + h G' (nu - nu_k); of a contact whose parts overlap at the start only `bound` <= 0 is asked, so
//     rate = (psi_k - asked) / h - G' nu_k + (columns of prescribed bodies)' (their given velocity).
//
// With a margin, a contact with friction whose first two terms come to less than 1e-6 L / h has 0 for them: it bears
// where it is (peg_frame.c says why).
//
// The problem keeps nu as near as it can to a target velocity in the norm of M: to that of the free motion, M nu_free
// = M nu^l + p_ext, or with frame.target `trial` to that of the trial, M nu_k. The latter (a polish round) corrects
// what a linearisation left over and nothing else, so it must not brake: no friction then. In space its impulses act by
// columns of their own, as they turn the bodies (cd_arms.h). Bodies that are held out of a round (trial.state) aim at
// the trial's velocity in either, and contacts that no other dynamic body feels are left out.
//
// In an impact (frame.impact) the trial is where the step ends, and the problem is that of a jump of the velocities
// there: M of the trial, M nu of the trial as momentum, and of the contacts that cd_impact.h says take part
//     rate = e G' nu (newton, in a sweep), else 0, + (columns of prescribed bodies)' (their velocity).
//
// What differs between the plane and space is behind cd_peg_dimension; nothing else asks for the dimension.
// SPDX-License-Identifier: MIT
#ifndef PEG_FRAME_H
#define PEG_FRAME_H

#include "cd_arms.h"
#include "cd_bodies.h"
#include "cd_impact.h"
#include "cd_leaves.h"
#include "peg_friction.h"
#include "peg_rows.h"
#include "peg_seams.h"

// What a run knows of its shapes.
typedef struct cd_peg_shapes {
    cd_leaves leaves;
    cd_peg_seams seams;  // space
} cd_peg_shapes;

// Head tables only: call it once a run. @owns arena
cd_status cd_peg_shapes_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_peg_shapes *shapes,
                             cd_diag *diag) CD_MUST_CHECK;

typedef struct cd_peg_settings {
    double margin;       // [m] gap that contacts keep; of a contact with a bound less is asked (peg_frame.c)
    double length;       // [m] L of cd_length.h
    bool has_curvature;  // plane: the term of peg_frame2.h is added
    bool has_friction;   // tangents are wanted
    double reach;        // [m] space: of corners, peg_frame3.h; NaN: head.reach, else 0.05 head.length
    const cd_peg_mu_rules *mu;
    const cd_interactions *interactions;
} cd_peg_settings;

typedef struct cd_peg_frame {
    int32_t count;
    const cd_peg_contact *contact;
    const cd_peg_gradient *gradient;
    const cd_peg_tangent *tangent;  // NULL: no friction, none of them rubs or rolls
    const int32_t *contact_row;     // row of contact i in the stream's table
    bool is_impact;                 // rates ask for velocities, nothing of them is there to be pushed out
    cd_peg_bodies bodies;
    const int32_t *body_row;  // row of the body of a velocity block
} cd_peg_frame;

// CD_ERR_NUMERIC where a margin is kept and a body is so far from the origin that its position cannot hold it, or has
// so little inertia that it turns by an impulse's rounding.
// @owns arena
cd_status cd_peg_frame_make(cd_arena *arena, const cd_model *in, const cd_peg_shapes *shapes, cd_peg_settings settings,
                            cd_peg_frame *frame, cd_diag *diag) CD_MUST_CHECK;

// [1] of the two bodies of a row of `contact`: a rule's, else that of their materials, else that of both bodies.
double cd_peg_mu_at(const cd_model *in, const cd_interactions *interactions, const cd_peg_mu_rules *rules, int32_t row);

// ---- what a dimension does (peg_frame2.c, peg_frame3.c) ------------------------------------------------------------

typedef struct cd_peg_build {
    cd_arena *arena;
    const cd_model *in;
    const cd_peg_shapes *shapes;
    cd_peg_settings settings;
    double step;                       // [s]
    double reach;                      // [m]
    const cd_state3 *start;            // space: of body rows that take part, q_0; 0 velocities of those that are fixed
    const cd_pose3 *pose, *predicted;  // space: of body rows that take part, q_k and, where pairs of edges are, q_pred
    const cd_arm_turn *turn;           // space: of body rows with a trial, h omega of it
    const int32_t *rank;               // of body rows
    const int32_t *trial_row;          // of body rows, -1: at its start
    const double *free;       // [bodies x axes] velocities of body rows without contact; fixed and inactive ones: 0
    int32_t *block;           // of body rows, -1: no velocity rows
    const double *shortfall;  // [m] of body rows, NULL: none; see peg_frame.c
    const double *bend;       // [m] of contacts, NULL: none; see peg_bends.h
    const bool *is_used;      // of contacts: they take part, between bodies that do and of which one moves
    const double *mu;         // [1] of contacts that are used, else 0; NULL: no friction in this round
    const double *far;        // [m] of body rows: the largest coordinate; 0 of those that are fixed
    int32_t phase;            // CD_IMPACT_...
    cd_impact impact;
    cd_diag *diag;
} cd_peg_build;

typedef struct cd_peg_dimension {
    int axes, tangents;
    void (*prepare)(cd_peg_build *build);  // once a frame, before the others
    // Velocity of a body at the start, at the trial: `axes` numbers.
    void (*start)(const cd_peg_build *build, int32_t body, double *velocity);
    void (*trial)(const cd_peg_build *build, int32_t body, double *velocity);
    // Of a dynamic body: nu_free and M (axes x axes).
    void (*free)(const cd_peg_build *build, int32_t body, double *velocity, double *mass);
    // Fills the features and the point of a contact, and the columns of its gradient.
    cd_status (*contact)(const cd_peg_build *build, int32_t row, cd_peg_contact *contact, cd_peg_gradient *gradient,
                         double *point);
    // [m/s] added to the rate: what the linearisation leaves out.
    double (*curvature)(const cd_peg_build *build, int32_t row, const cd_peg_contact *contact, const double *point);
    // [m/s^2] second derivative of the gap of a separating contact while its bodies go on with the velocities of the
    // start; 0 where it is not known.
    double (*second)(const cd_peg_build *build, int32_t row);
    // The same of the row of closest points, its mean over the step.
    double (*second_of_closest)(const cd_peg_build *build, int32_t row);
    // [m/s] how such points go, along both parts, in the same motion; false: not known. NULL: not wanted.
    bool (*way_of_closest)(const cd_peg_build *build, int32_t row, cd_vec3 *way);
    // Columns of d (slip) / d nu along each of `tangents` unit vectors at `point`, and of the spin of b against a:
    // about the axes in the contact plane, then, in space, about the normal.
    void (*tangent)(const cd_peg_build *build, int32_t row, const double *point, cd_peg_tangent *tangent);
} cd_peg_dimension;

cd_status cd_peg_contact_fault(const cd_peg_build *build, int32_t row, const char *problem) CD_MUST_CHECK;
// Rows of the bodies of a contact: side 0 is a.
static inline int32_t cd_peg_body_of(const cd_peg_build *build, int32_t row, int side)
{
    return side ? build->in->contact.b[2 * row] : build->in->contact.a[2 * row];
}
// Whether the round makes up for what its trial is wrong by.
static inline bool cd_peg_is_polish(const cd_model *in)
{
    return cd_i32_or(in->frame.target, 0, CD_TARGET_FREE) == CD_TARGET_TRIAL;
}
// Whether it is a first one that keeps a margin, where velocities of the start tell what the motion will bend by.
static inline bool cd_peg_is_first(const cd_peg_build *build)
{
    return !cd_peg_is_polish(build->in) && build->in->trial.count == 0 && build->settings.margin > 0;
}
// Of a row of `contact`: may it be that of the closest points of two parts?
static inline bool cd_peg_is_closest(const cd_peg_build *build, int32_t row)
{
    const int32_t kind = build->in->contact.kind[row];
    return kind == CD_CONTACT_DEPTH || kind == CD_CONTACT_ANALYTIC;
}
// Of a row of `contact`: whether it has friction in this round.
static inline bool cd_peg_rubs(const cd_peg_build *build, int32_t row) { return build->mu && build->mu[row] > 0; }
// Whether impulses act by columns of their own, as in space: cd_arms.h.
bool cd_peg_has_own_impulses(const cd_peg_build *build);
// Leaf number of a side's part; -1 when there is none.
int32_t cd_peg_leaf_of(const cd_peg_build *build, int32_t row, int side);

#endif
