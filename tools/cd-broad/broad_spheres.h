// broad_spheres -- boxes and balls of bodies that are one sphere each, many at a time.
//
// The same bits as cd_bounds_of_ball and cd_broad_ball_of_box give one by one, at a fifth of their time: with a million
// spheres those were a third of all that a frame takes.
// SPDX-License-Identifier: MIT
#ifndef BROAD_SPHERES_H
#define BROAD_SPHERES_H

#include "cd_bounds.h"

enum { CD_BROAD_SPHERES = 128 };

// Spheres in space; with count and poses 0 it is empty.
typedef struct cd_broad_spheres {
    int32_t count;  // up to CD_BROAD_SPHERES; what is behind them is scratch
    int poses;      // most of one of them
    int32_t shape;  // of the last one's body
    // Three numbers a sphere in all; of poses beyond a sphere's own its first one.
    double centre[CD_BOUNDS_POSES][3 * CD_BROAD_SPHERES];             // [m] world
    double radius[3 * CD_BROAD_SPHERES], grow[3 * CD_BROAD_SPHERES];  // [m] > 0, >= 0; each three times
} cd_broad_spheres;

// Adds the body if it is one sphere about its position. False: it is not, or the block is full.
bool cd_broad_spheres_add(cd_broad_spheres *spheres, const cd_bounds_frame *frame, int32_t body, double grow);

// Writes the boxes, 3 numbers a sphere in `min` and in `max`, and the balls, 4 a sphere; ball may be NULL. False: a
// number is beyond what it works with, a face that is 0 before it grows or one at infinity, and nothing written is
// good.
bool cd_broad_bound_spheres(cd_broad_spheres *spheres, double *min, double *max, double *ball);

#endif
