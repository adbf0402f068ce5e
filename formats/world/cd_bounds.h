// cd_bounds -- the boxes of a body's leaves over a step, behind one door for the plane and for space (cd_bounds2.h and
// cd_bounds3.h say what a box holds).
// SPDX-License-Identifier: MIT
#ifndef CD_BOUNDS_H
#define CD_BOUNDS_H

#include "cd_aabb.h"
#include "cd_bounds3.h"
#include "cd_leaves.h"

// The bodies of a frame, and which of their poses boxes cover.
typedef struct cd_bounds_frame {
    const cd_model *in;
    const cd_leaves *leaves;   // of all shapes
    const int32_t *trial_row;  // of cd_body_trial_rows
    bool start_only;           // neither predicted nor trial poses
} cd_bounds_frame;

// Writes the boxes [m] of all leaves of a body that has a shape and a position, dim numbers a leaf in `min` and in
// `max`. They cover the start, the predicted pose (when the frame has a step), the trial (when there is one) and the
// motions from the start to these; with start_only the start alone; and they are grown by `grow` [m] >= 0, rounded
// outward. No box is empty or NaN: a motion beyond the range of doubles covers all of an axis.
void cd_bounds_of_body(const cd_bounds_frame *frame, int32_t body, double grow, double *min, double *max);

// The same of parts part[k] of a body of space or, part NULL, of its first `count` ones.
void cd_bounds_of_parts(const cd_bounds_frame *frame, int32_t body, const int32_t *part, int32_t count, double grow,
                        double *min, double *max);

// The same of a ball [m] about the body's position, whatever its shape: how it turns is of no account.
void cd_bounds_of_ball(const cd_bounds_frame *frame, int32_t body, double radius, double grow, double *min,
                       double *max);

// A body of space that is one sphere about its position, and its centres at the poses that boxes cover.
typedef struct cd_bounds_sphere {
    double radius;                    // [m]
    int count;                        // of centres, 1 .. CD_BOUNDS_POSES
    cd_vec3 centre[CD_BOUNDS_POSES];  // [m] world
} cd_bounds_sphere;
// False: the body is something else. It has a shape.
bool cd_bounds_sphere_of(const cd_bounds_frame *frame, int32_t body, cd_bounds_sphere *sphere);

// Writes the box, grown by `grow` [m] >= 0; -infinity and infinity along an axis where it is empty, NaN or at infinity.
void cd_bounds_put(cd_aabb box, double grow, int dim, double *min, double *max);

#endif
