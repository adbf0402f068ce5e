// broad_balls -- balls around parts over a step, for `--overlap sphere`.
//
// A part moves within its box of half extents h about c, which was grown on every side. A sphere of radius r, grown by
// g, has its centre within c +- (h - r - g), so it stays within the ball about c of radius r + g + |h - r - g|: at rest
// its own, but for rounding outward. Any other part, r = 0, lies in the ball g + |h - g| around its box; and in that
// around the path of its body's position, of its largest distance from there. The smaller one is taken. Two parts that
// come within the sum of what they were grown by have balls that overlap.
// SPDX-License-Identifier: MIT
#ifndef BROAD_BALLS_H
#define BROAD_BALLS_H

// Writes the ball around what lies within `core` [m] >= 0 of a point of the box made smaller by `core`: centre, then
// radius, rounded outward [m]. A box without end has the ball about 0 of infinite radius.
void cd_broad_ball_of_box(int dim, const double *min, const double *max, double core, double *ball);

#endif
