// SPDX-License-Identifier: MIT
#include "broad_spheres.h"

#include "cd_vector.h"

#include <float.h>

static inline void put_radius(cd_broad_spheres *spheres, int32_t i, double radius, double grow)
{
    for (int k = 0; k < 3; k++) {
        spheres->radius[3 * i + k] = radius;
        spheres->grow[3 * i + k] = grow;
    }
}

// At its start alone, and of the shape of the sphere before: then it is its position that is asked for, no leaf.
static inline bool is_like_last(const cd_broad_spheres *spheres, const cd_bounds_frame *frame, int32_t body)
{
    const cd_body_rows *rows = &frame->in->body;
    return spheres->count > 0 && frame->start_only && rows->position && rows->shape[body] == spheres->shape;
}

static __attribute__((noinline)) bool add_any(cd_broad_spheres *spheres, const cd_bounds_frame *frame, int32_t body,
                                              double grow)
{
    cd_bounds_sphere sphere;
    if (!cd_bounds_sphere_of(frame, body, &sphere))
        return false;
    int32_t i = spheres->count++;
    spheres->shape = frame->in->body.shape[body];
    for (int pose = spheres->poses; pose < sphere.count; pose++)  // the spheres before have fewer
        memcpy(spheres->centre[pose], spheres->centre[0], 3 * (size_t)i * sizeof(double));
    spheres->poses = sphere.count > spheres->poses ? sphere.count : spheres->poses;
    for (int pose = 0; pose < spheres->poses; pose++) {
        cd_vec3 centre = sphere.centre[pose < sphere.count ? pose : 0];
        double *to = spheres->centre[pose] + 3 * i;
        to[0] = centre.x;
        to[1] = centre.y;
        to[2] = centre.z;
    }
    put_radius(spheres, i, sphere.radius, grow);
    return true;
}

bool cd_broad_spheres_add(cd_broad_spheres *spheres, const cd_bounds_frame *frame, int32_t body, double grow)
{
    if (spheres->count == CD_BROAD_SPHERES)
        return false;
    if (!is_like_last(spheres, frame, body))
        return add_any(spheres, frame, body, grow);
    int32_t i = spheres->count++;
    memcpy(spheres->centre[0] + 3 * i, frame->in->body.position + 3 * (size_t)body, 3 * sizeof(double));
    put_radius(spheres, i, spheres->radius[3 * (i - 1)], grow);
    return true;
}

// As cd_add_down and cd_add_up of a sum that is neither 0 nor infinite, without a branch: one step of its bits.
static inline double moved(double face, double by, int64_t step)
{
    double sum = face + by;
    int64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    bits += -(int64_t)(by != 0) & (sum > 0 ? step : -step);
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

// Loops of this length become wide.
enum { LANES = 24 };
_Static_assert(3 * CD_BROAD_SPHERES % LANES == 0, "blocks are whole runs of lanes");

// Of the numbers of one run of lanes.
typedef struct coordinates {
    double middle[LANES];  // [m] of the box
    double rest[LANES];    // [m^2] square of how far the way reaches from there
} coordinates;

// Of all runs.
typedef struct doubts {
    double least[LANES];    // [m] least size of a face that grew; 0: it was 0
    double nothing[LANES];  // 0; NaN: some box is not bounded
} doubts;

// The box before it grows. Arrays of its own, here and below: no store can change what is read. (No struct is copied
// whole: gcc does that with `rep movs`, which at this size took 40 % of the time.)
static inline __attribute__((always_inline)) void
cover_poses(const cd_broad_spheres *s, int32_t from, const double radius[LANES], double min[LANES], double max[LANES])
{
    double centre[LANES];
    memcpy(centre, s->centre[0] + from, sizeof centre);
    for (int k = 0; k < LANES; k++) {
        min[k] = cd_sum_down(centre[k], -radius[k]);
        max[k] = cd_sum_up(centre[k], radius[k]);
    }
    for (int pose = 1; pose < s->poses; pose++) {
        memcpy(centre, s->centre[pose] + from, sizeof centre);
        for (int k = 0; k < LANES; k++) {
            double low = cd_sum_down(centre[k], -radius[k]), high = cd_sum_up(centre[k], radius[k]);
            min[k] = low < min[k] ? low : min[k];
            max[k] = high > max[k] ? high : max[k];
        }
    }
}

// Of the numbers from `from` on; boxes go to to_min and to_max.
CD_VECTOR_CLONES static void bound_coordinates(const cd_broad_spheres *s, int32_t from, double *restrict to_min,
                                               double *restrict to_max, coordinates *restrict c, doubts *restrict d)
{
    double radius[LANES], grow[LANES], min[LANES], max[LANES];
    memcpy(radius, s->radius + from, sizeof radius);
    memcpy(grow, s->grow + from, sizeof grow);
    cover_poses(s, from, radius, min, max);
    for (int k = 0; k < LANES; k++) {
        double low = fabs(min[k] - grow[k]), high = fabs(max[k] + grow[k]), face = low < high ? low : high;
        face = grow[k] != 0 ? face : INFINITY;
        d->least[k] = face < d->least[k] ? face : d->least[k];
        min[k] = moved(min[k], -grow[k], -1);
        max[k] = moved(max[k], grow[k], 1);
    }
    for (int k = 0; k < LANES; k++) {
        double middle = min[k] / 2 + max[k] / 2, upper = max[k] - middle, lower = middle - min[k];
        double half = upper > lower ? upper : lower, beyond = half - (grow[k] + radius[k]);
        beyond = (beyond + fabs(beyond)) / 2;  // 0 where it is negative, without a branch
        double extent = max[k] - min[k];
        d->nothing[k] += extent - extent;
        to_min[k] = min[k];
        to_max[k] = max[k];
        c->middle[k] = middle;
        c->rest[k] = beyond * beyond;
    }
}

// The last sphere once more in the lanes behind it.
static void fill_lanes(cd_broad_spheres *spheres)
{
    for (int32_t k = 3 * spheres->count; k % LANES; k++) {
        for (int pose = 0; pose < spheres->poses; pose++)
            spheres->centre[pose][k] = spheres->centre[pose][k - 3];
        spheres->radius[k] = spheres->radius[k - 3];
        spheres->grow[k] = spheres->grow[k - 3];
    }
}

bool cd_broad_bound_spheres(cd_broad_spheres *spheres, double *min, double *max, double *ball)
{
    coordinates c;
    doubts d;
    for (int k = 0; k < LANES; k++) {
        d.least[k] = INFINITY;
        d.nothing[k] = 0;
    }
    fill_lanes(spheres);
    for (int32_t from = 0; from < 3 * spheres->count; from += LANES) {
        int32_t numbers = 3 * spheres->count - from;
        if (numbers >= LANES) {
            numbers = LANES;
            bound_coordinates(spheres, from, min + from, max + from, &c, &d);
        } else {
            double last_min[LANES], last_max[LANES];
            bound_coordinates(spheres, from, last_min, last_max, &c, &d);
            memcpy(min + from, last_min, (size_t)numbers * sizeof *min);
            memcpy(max + from, last_max, (size_t)numbers * sizeof *max);
        }
        for (int32_t k = 0; 3 * k < numbers && ball; k++) {
            double core = spheres->grow[from + 3 * k] + spheres->radius[from + 3 * k], *to = ball + (from / 3 + k) * 4;
            memcpy(to, c.middle + 3 * k, 3 * sizeof *to);
            to[3] = (core + sqrt(c.rest[3 * k] + c.rest[3 * k + 1] + c.rest[3 * k + 2])) * (1 + 8 * DBL_EPSILON);
        }
    }
    for (int k = 0; k < LANES; k++)
        if (d.least[k] == 0 || isnan(d.nothing[k]))
            return false;
    return true;
}
