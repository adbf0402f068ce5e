// peg_friction -- Coulomb friction of the contacts that carry an impulse, and friction against rolling and spinning, as
// rows of the problem.
//
// Let D be the columns of the slip velocity at a contact along unit tangents, D' nu the slip of b against a.
//   pyramid  (Stewart & Trinkle 1996) an even number of directions d_1..d_k, each with its opposite; impulses b >= 0
//            along them and a slip bound s:
//                0 <= s e + D' nu   _|_  b >= 0       k rows of role friction
//                0 <= mu p - e' b   _|_  s >= 0       one row of role slip
//            a plain complementarity problem. The pyramid is inscribed in the cone: between two directions its
//            friction is less by cos(pi / k), 8 % for k = 8.
//   disc     rows of role friction without bounds of their own, one a tangent, that name the row of the normal impulse
//            p and mu: the solver keeps |z| <= mu z_p, with slip against z.
// Rolling and spinning (discs alone): torques that oppose the spin of b against a, about axes in the contact plane (in
// the plane: the one axis) and about the normal,
//                |torque impulse| <= length * p
// length [m] that of the materials (cd_interactions.h): a disc more of the same normal impulse, with the moment on b
// and its opposite on a.
//
// U-constraints and I-constraints have friction, on each primary; X-constraints have none: they repeat contacts that
// are members of others.
//
// The first tangent is along the slip that the free motion would have at the contact: a direction of the pyramid then
// is the one in which a body rests on a slope or slides, whatever the yaw of the scene. Where the free motion hardly
// slips (1e-6 of its relative speed) any direction serves, and the tangents are those of a basis that turns with the
// normal continuously but for one direction that no scene favours.
//
// What bodies of prescribed motion add to the slip is their velocity half way through the step: peg_carried.h.
//
// mu of two bodies is that of a rule that names their groups, else that of their materials (cd_interactions.h), else
// the geometric mean of both.
// SPDX-License-Identifier: MIT
#ifndef PEG_FRICTION_H
#define PEG_FRICTION_H

#include "cd_memory.h"
#include "peg_axes.h"

#include <stdbool.h>

// [1] of the relative speed, and of V (cd_length.h): slip below it gives the tangents no direction. Of bodies at rest
// the relative speed is rounding itself.
#define CD_PEG_SLIP_TOLERANCE 1e-6
#define CD_PEG_SLIP_LEAST 1e-9

enum { CD_PEG_TURNS_MAX = 3 };

typedef struct cd_peg_tangent {
    double mu;                                          // 0: no friction
    double rolling, spinning;                           // [m] 0: none
    double column[2][2][CD_PEG_AXES_MAX];               // [tangent][side]: d slip / d nu
    double rate[2];                                     // [m/s] of each tangent: what prescribed bodies add to the slip
    double turn[CD_PEG_TURNS_MAX][2][CD_PEG_AXES_MAX];  // [axis][side]: d (spin of b against a) / d nu, spinning last
    double turn_rate[CD_PEG_TURNS_MAX];                 // [rad/s] about each axis: what prescribed bodies add
} cd_peg_tangent;

// Only then are `turn` and `turn_rate` set.
static inline bool cd_peg_has_turns(const cd_peg_tangent *tangent)
{
    return tangent->rolling > 0 || tangent->spinning > 0;
}

typedef enum cd_peg_friction_kind {
    CD_PEG_FRICTION_OFF,
    CD_PEG_FRICTION_PYRAMID,
    CD_PEG_FRICTION_DISC
} cd_peg_friction_kind;
extern const char *const cd_peg_friction_names[];  // "auto", then by cd_peg_friction_kind, NULL-ended: --friction

typedef struct cd_peg_friction {
    cd_peg_friction_kind kind;
    int tangents;                   // 1 in the plane, 2 in space
    int sides;                      // directions of the pyramid, even; the plane has 2
    bool has_rolling;               // rolling or spinning of some contact, of discs
    const cd_peg_tangent *tangent;  // by contact
} cd_peg_friction;

// Rules "A:B=VALUE,...": pairs of a body of group A and one of group B, in either order. The first that fits counts.
typedef struct cd_peg_mu_rule {
    const char *group[2];
    double mu;  // [1] >= 0
} cd_peg_mu_rule;
typedef struct cd_peg_mu_rules {
    int32_t count;
    const cd_peg_mu_rule *rule;
} cd_peg_mu_rules;

// CD_ERR_USAGE with a sentence otherwise. text NULL: no rules. @owns arena
cd_status cd_peg_mu_rules_parse(cd_arena *arena, const char *text, cd_peg_mu_rules *rules, cd_diag *diag) CD_MUST_CHECK;
// Of the bodies of a frame, which restates all: CD_ERR_USAGE "--mu: no body is of group x" for a rule that can hold
// nowhere. group NULL, or one of it: of none.
cd_status cd_peg_mu_rules_check(const cd_peg_mu_rules *rules, const char *const *group, int32_t bodies,
                                cd_diag *diag) CD_MUST_CHECK;
// Groups may be NULL. [1] >= 0
double cd_peg_mu_of(const cd_peg_mu_rules *rules, const char *group_a, const char *group_b, double otherwise);

#endif
