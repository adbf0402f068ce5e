// cd_contact -- one contact of two parts, in the plane and in space.
//
// World frame. The normal is a unit vector from a to b, a negative gap is penetration, and point_b - point_a = gap *
// normal where a routine does not say otherwise. In the plane z is 0 everywhere.
// SPDX-License-Identifier: MIT
#ifndef CD_CONTACT_H
#define CD_CONTACT_H

#include "cd_absent.h"
#include "cd_contact_words.h"
#include "cd_feature_code.h"
#include "cd_memory.h"
#include "cd_perram.h"
#include "cd_vec3.h"

#include <stdbool.h>

// What keeps the pair apart: a face (in the plane an edge) of one body, or an edge of a and one of b.
typedef struct cd_separator {
    int32_t code[2];  // cd_feature codes: {face, NONE}, {edge of a, edge of b}; {NONE, NONE}: none, or a halfspace
    int32_t side;     // CD_SIDE_A, CD_SIDE_B: who owns the face or is the halfspace; CD_ABSENT
} cd_separator;

// How separators are chosen (cd_separate2.h, cd_separate3.h).
typedef struct cd_separator_choice {
    double slack;      // [m] how far the predicted one may be behind at the start
    double tolerance;  // [m] >= 0 of the separation at the start
    double tie;        // [m] >= 0 of equally good ones
    bool at_start;     // the one best at q_0, without asking q_pred
    bool with_turned;  // of ellipsoids the points too that come to be the closest as they turn (cd_pair3.c)
    bool closest;      // of ellipsoids at a trial the closest points alone, as in an impact
    double near;       // [m] >= 0 at a trial: parts no farther apart are held by the separator best there too
    bool is_polish;    // what is found is to correct a trial, to second order: see pair3_separating.c
} cd_separator_choice;

typedef struct cd_contact {
    int32_t kind, status;             // cd_contact_kind, cd_contact_status
    cd_vec3 point, point_a, point_b;  // [m]
    cd_vec3 normal;                   // unit, from a to b
    double gap;                       // [m]
    double area;                      // [m^2], in the plane [m]; NaN: none
    int32_t feature_a, feature_b;     // cd_feature codes; CD_FEATURE_NONE
    int32_t surface_a, surface_b;     // surface ids, in the plane edges; CD_ABSENT
    double applicability, feasible;   // [1], [rad]; NaN: not judged
    cd_separator separator;           // of a separating contact
    double bound;                     // [m] of a separating contact (cd_contact_bound); NaN: none
    double potential, lambda;         // [1] of two ellipsoids (cd_perram.h); NaN: none
} cd_contact;

typedef CD_LIST(cd_contact) cd_contacts;

// A candidate of kind 0 at the origin that has none of what a contact may have: where every contact starts from.
static inline cd_contact cd_contact_none(void)
{
    return (cd_contact){
        .status = CD_STATUS_CANDIDATE,
        .area = NAN,
        .feature_a = CD_FEATURE_NONE,
        .feature_b = CD_FEATURE_NONE,
        .surface_a = CD_ABSENT,
        .surface_b = CD_ABSENT,
        .applicability = NAN,
        .feasible = NAN,
        .separator = {{CD_FEATURE_NONE, CD_FEATURE_NONE}, CD_ABSENT},
        .bound = NAN,
        .potential = NAN,
        .lambda = NAN,
    };
}

// A contact of a separator, without its points. normal: unit, from a to b; gap, bound [m].
static inline cd_contact cd_contact_separating(cd_vec3 normal, double gap, double bound)
{
    cd_contact contact = cd_contact_none();
    contact.kind = CD_CONTACT_SEPARATING;
    contact.normal = normal;
    contact.gap = gap;
    contact.bound = bound;
    return contact;
}

// The vertex and its foot on the separator's plane; `point` is the vertex, which both bodies' velocities are taken at.
static inline void cd_contact_put_vertex(cd_contact *contact, cd_vec3 vertex, bool is_of_a)
{
    cd_vec3 across = cd_scale3(contact->gap, contact->normal);
    contact->point = vertex;
    contact->point_a = is_of_a ? vertex : cd_sub3(vertex, across);
    contact->point_b = is_of_a ? cd_add3(vertex, across) : vertex;
}

// The same contact with a and b exchanged. Twice is the same to the bit.
static inline cd_contact cd_contact_flip(cd_contact c)
{
    cd_contact flipped = c;
    flipped.point_a = c.point_b;
    flipped.point_b = c.point_a;
    flipped.normal = cd_negate3(c.normal);
    flipped.feature_a = c.feature_b;
    flipped.feature_b = c.feature_a;
    flipped.surface_a = c.surface_b;
    flipped.surface_b = c.surface_a;
    flipped.lambda = 1 - c.lambda;  // exact: a multiple of 2^-53
    if (c.separator.code[1] != CD_FEATURE_NONE) {
        flipped.separator.code[0] = c.separator.code[1];
        flipped.separator.code[1] = c.separator.code[0];
    }
    if (c.separator.side != CD_ABSENT)
        flipped.separator.side = c.separator.side == CD_SIDE_A ? CD_SIDE_B : CD_SIDE_A;
    return flipped;
}

// Touching within epsilon [m] of a signed distance [m], else penetrating or candidate.
static inline cd_contact_status cd_contact_status_of(double gap, double epsilon)
{
    return gap < -epsilon ? CD_STATUS_PENETRATING : gap <= epsilon ? CD_STATUS_TOUCHING : CD_STATUS_CANDIDATE;
}

// [1] of the tolerance: parts that start nearer than this count as touching. Smaller: parts that a solved
// step left touching are asked for a margin again, on all sides. Larger: parts that are apart get a bound without need.
#define CD_CONTACT_NEARLY_TOUCHING 1e3

// The bound of a separating contact [m]: the gap that can be asked of it. Below 0 where the parts overlap at the step's
// start by more than the tolerance. Where they touch there, or nearly so (CD_CONTACT_NEARLY_TOUCHING), the gap itself,
// >= 0: asked to keep more than they have, parts that others hold on both sides could not all obey. Else NaN: none.
// overlap [m]: < 0 of parts that overlap at the start, else 0. start [m]: their gap at the start along the separator.
static inline double cd_contact_bound(double overlap, double start, double tolerance)
{
    bool is_touching = start >= -tolerance && start < CD_CONTACT_NEARLY_TOUCHING * tolerance;
    return overlap < 0 ? overlap : !is_touching ? NAN : start > 0 ? start : 0;
}
// The same of parts whose gap does not depend on a separator.
static inline double cd_contact_bound_of_gap(double start, double tolerance)
{
    return cd_contact_bound(start < -tolerance ? start : 0, start, tolerance);
}

// Of the Perram-Wertham gap, kind analytic: `point` is where the two touch once they are scaled, point_a and point_b
// its feet on the planes that support them. epsilon [m]
static inline cd_contact cd_contact_of_perram(const cd_perram *perram, double epsilon)
{
    const cd_vec3 n = perram->normal, p = perram->point;
    cd_contact contact = cd_contact_none();
    contact.kind = CD_CONTACT_ANALYTIC;
    contact.status = (int32_t)cd_contact_status_of(perram->gap, epsilon);
    contact.point = p;
    contact.point_a = cd_add3(p, cd_scale3(cd_dot3(n, cd_sub3(perram->point_a, p)), n));
    contact.point_b = cd_add3(p, cd_scale3(cd_dot3(n, cd_sub3(perram->point_b, p)), n));
    contact.normal = n;
    contact.gap = perram->gap;
    contact.potential = perram->potential;
    contact.lambda = perram->lambda;
    return contact;
}

#endif
