// diff_pairs -- the contacts of two streams, matched by pair of parts (or of bodies) whatever their kind, and how far
// they are from one another.
//
// A contact that names the side of larger id first is turned around: a and b exchanged, the normal reversed. Left out
// are contacts that take no part (outside, deleted), and of features those that are not applicable or not feasible by
// the usual limits (cd_contact_limits.h): their gaps are no distances of bodies. Cost: O(n log n) of the contacts of a
// frame, and O(m^2) of the m contacts of one pair.
// SPDX-License-Identifier: MIT
#ifndef CD_DIFF_PAIRS_H
#define CD_DIFF_PAIRS_H

#include "diff_streams.h"

#include "cd_vec3.h"

typedef struct cd_diff_site {
    int64_t body;  // user id
    int32_t part;  // -1: matched by bodies
} cd_diff_site;

typedef struct cd_diff_contact {
    cd_diff_site a, b;  // a before b
    bool is_exchanged;  // the stream has b first
    int32_t row, kind, feature[2];
    cd_vec3 point, normal;  // [m] and unit, world; the normal from a to b; z is 0 in the plane
    double gap;             // [m]
    double feasible;        // [rad] of features, else CD_FEASIBLE_INSIDE
} cd_diff_contact;

// What one stream says of a pair. `count` 0: it has no contact there, and only `has_candidate` counts.
typedef struct cd_diff_claim {
    int32_t count;      // contacts
    int32_t exchanged;  // of them, those with the larger id first
    int32_t doubled;    // of them, those that repeat another: same features, point and normal
    bool has_pairs;     // the frame has a table of candidates
    bool has_candidate;
    // Of the deepest contact, and of the one that is deepest where gaps have the other sign: of least and greatest gap,
    // of features both of least |gap| of the most feasible ones.
    struct cd_diff_extreme {
        double gap;  // [m]
        cd_vec3 normal;
        int32_t kind, feature[2];
    } extreme[2];
} cd_diff_claim;

typedef struct cd_diff_pair {
    cd_diff_place frame;
    cd_diff_site a, b;
    cd_diff_claim side[2];
    double point;  // [m] distance of the contact points; NaN where one stream has none
} cd_diff_pair;

typedef struct cd_diff_pairs {
    cd_diff_pair *item;  // in the order of their sites
    int32_t count;
} cd_diff_pairs;

typedef struct cd_diff_pair_rules {
    bool by_body;
    double gap;      // [m] contacts within it of the least gap are looked at for the nearest normal
    double epsilon;  // [m] points closer than it are one
} cd_diff_pair_rules;

// Pairs of a frame that both streams have. @owns arena
cd_diff_pairs cd_diff_pairs_of(cd_arena *arena, const cd_diff_section *section, const cd_diff_pair_rules *rules);

// [m] Largest distance of a point of the smaller set from the hull of the larger one, of sets of one size the larger of
// both ways: 0 where one lies in the patch that the other spans. To the hull belongs what is within |gap| of its
// points along their normals: some programs put the point on a, some on b, some between. No set is empty. Scratch: the
// arena, given back.
double cd_diff_points_distance(cd_arena *arena, const cd_diff_contact *left, int32_t left_count,
                               const cd_diff_contact *right, int32_t right_count);

#endif
