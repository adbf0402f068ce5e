// certify_cores -- two convex bodies as the exact routines see them: the corners of both cores, and how far the margins
// around them reach together.
//
// The hull of corners a_i against the hull of corners b_j is the point 0 against the hull of the differences
// d = a_i - b_j. A direction n with n.d < 0 for all d is the normal of a plane that has a below and b above. In the
// plane z is 0 everywhere.
// SPDX-License-Identifier: MIT
#ifndef CERTIFY_CORES_H
#define CERTIFY_CORES_H

#include "cd_exact.h"
#include "cd_records.h"

// Corners by coordinate [m], finite; borrowed.
typedef struct certify_core {
    int32_t count;
    const double *x, *y, *z;
} certify_core;

static inline cd_vec3 certify_corner(const certify_core *core, int32_t i)
{
    return (cd_vec3){core->x[i], core->y[i], core->z[i]};
}

typedef struct certify_cores {
    int dim;
    certify_core a, b;
    cd_exact margin;       // [m] >= 0, of both together: all points this near to a core belong to the body
    const cd_exact3 *map;  // rows of a matrix: distances are those of differences that it was applied to; NULL: none
} certify_cores;

// A difference of two corners.
typedef struct certify_pair {
    int32_t a, b;
} certify_pair;

// What is known of two parts, and what proves it (cd-overlap-metric(1), "Certificates"). Lists live in the arena of who
// asked.
typedef struct certify_result {
    int32_t label;  // CD_LABEL_..., CD_ABSENT: open
    int32_t normal_count;
    const cd_vec3 *normal;  // their sum is the normal, from a to b, not a unit; none where the corners say it
    int32_t corner_count;
    const certify_pair *corner;
    bool has_point;
    cd_vec3 point;  // [m] strictly inside both
} certify_result;

// By the sign of what lies between the two.
static inline int32_t certify_label(int gap_sign)
{
    return gap_sign < 0 ? CD_LABEL_OVERLAPPING : gap_sign > 0 ? CD_LABEL_APART : CD_LABEL_TOUCHING;
}

// ---- directions ----------------------------------------------------------------------------------------------------

// A vector, and the same in doubles: times a power of two, the largest number 0.5 .. 1, each wrong by less than 2^-52.
typedef struct certify_vector {
    cd_exact3 exact;
    cd_vec3 rounded;
} certify_vector;

certify_vector certify_vector_of(cd_exact3 exact);
certify_vector certify_difference(cd_arena *arena, const certify_cores *cores, certify_pair pair);
// The sign of a.b; of most from `rounded`. Scratch is used up.
int certify_dot_sign(cd_arena *scratch, const certify_vector *a, const certify_vector *b);

// The corners farthest along `sign` * direction, all of them, by number.
typedef struct certify_farthest {
    int32_t count;
    const int32_t *corner;
} certify_farthest;
certify_farthest certify_find_farthest(cd_arena *arena, const certify_core *core, const certify_vector *direction,
                                       int sign);

// ---- decisions -----------------------------------------------------------------------------------------------------

// Both decide every pair of cores. `start`: differences to begin with, which change the time it takes. `scratch` is
// used up. Without margins: whether 0 is outside, on the boundary or inside the hull of the differences, by planes that
// cut down the cone of all directions that could separate.
certify_result certify_by_cone(cd_arena *arena, cd_arena *scratch, const certify_cores *cores,
                               const certify_pair *start, int32_t start_count);
// With margins: the distance of the cores, by the difference nearest to 0, against the margins' sum.
certify_result certify_by_distance(cd_arena *arena, cd_arena *scratch, const certify_cores *cores,
                                   const certify_pair *start, int32_t start_count);

#endif
