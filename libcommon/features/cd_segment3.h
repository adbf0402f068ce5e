// cd_segment3 -- the nearest points of two lines in space and of two segments.
//
// Of lines p + s e and q + t g, e and g unit vectors, w = q - p, the difference of the nearest points is normal to e
// and g, so
//     s = (w.e - (e.g) w.g) / sine^2,  t = ((e.g) w.e - w.g) / sine^2,
// with sine^2 as |e x g|^2: 1 - (e.g)^2 would lose the digits of small angles. Exchanging the lines exchanges s and t
// and changes no other bit but signs of the cross product.
// SPDX-License-Identifier: MIT
#ifndef CD_SEGMENT3_H
#define CD_SEGMENT3_H

#include "cd_vec3.h"

#include <stdbool.h>

typedef struct cd_segment3 {
    cd_vec3 start, direction;  // [m], unit
    double length;             // [m]
} cd_segment3;

typedef struct cd_line_points3 {
    cd_vec3 cross;   // of the directions
    double sine_sq;  // [1] of the angle between the lines
    double s, t;     // [m] from the start along the direction; infinite or NaN of parallel lines
} cd_line_points3;

static inline cd_line_points3 cd_line_points3_make(const cd_segment3 *a, const cd_segment3 *b)
{
    cd_vec3 cross = cd_cross3(a->direction, b->direction), w = cd_sub3(b->start, a->start);
    double sine_sq = cd_dot3(cross, cross), cosine = cd_dot3(a->direction, b->direction);
    double we = cd_dot3(w, a->direction), wg = cd_dot3(w, b->direction);
    return (cd_line_points3){cross, sine_sq, (we - cosine * wg) / sine_sq, (cosine * we - wg) / sine_sq};
}

// False of parallel lines.
static inline bool cd_line_points3_are_on_segments(const cd_line_points3 *l, const cd_segment3 *a, const cd_segment3 *b)
{
    return l->sine_sq > 0 && l->s >= 0 && l->s <= a->length && l->t >= 0 && l->t <= b->length;
}

static inline cd_vec3 cd_segment3_at(const cd_segment3 *segment, double along)
{
    return cd_add3(segment->start, cd_scale3(along, segment->direction));
}

// [m] the square of the distance of a point; *along: where on the segment it is nearest.
static inline double cd_segment3_distance_sq(const cd_segment3 *segment, cd_vec3 p, double *along)
{
    cd_vec3 d = cd_sub3(p, segment->start);
    double nearest = cd_dot3(segment->direction, d);
    *along = nearest < 0 ? 0 : nearest > segment->length ? segment->length : nearest;
    cd_vec3 off = cd_sub3(d, cd_scale3(*along, segment->direction));
    return cd_dot3(off, off);
}

typedef struct cd_segment_points3 {
    double s, t;      // [m] from the start of each, in [0, length]
    double distance;  // [m]
} cd_segment_points3;

// Where the lines' nearest points are not on both segments, an end of one of them is nearest to the other. Exchanging
// the segments changes no bit of the distance.
static inline cd_segment_points3 cd_segment3_nearest(const cd_segment3 *a, const cd_segment3 *b,
                                                     const cd_line_points3 *l)
{
    if (cd_line_points3_are_on_segments(l, a, b)) {
        double between = cd_dot3(l->cross, cd_sub3(b->start, a->start));
        return (cd_segment_points3){l->s, l->t, fabs(between) / sqrt(l->sine_sq)};
    }
    cd_segment_points3 best = {0, 0, INFINITY};
    for (int end = 0; end < 2; end++) {
        double on_a = end ? a->length : 0, on_b = end ? b->length : 0, s, t;
        double of_a = cd_segment3_distance_sq(b, cd_segment3_at(a, on_a), &t);
        if (of_a < best.distance)
            best = (cd_segment_points3){on_a, t, of_a};
        double of_b = cd_segment3_distance_sq(a, cd_segment3_at(b, on_b), &s);
        if (of_b < best.distance)
            best = (cd_segment_points3){s, on_b, of_b};
    }
    best.distance = sqrt(best.distance);
    return best;
}

#endif
