// SPDX-License-Identifier: MIT
#include "broad_spheres.h"

#include "cd_vector.h"

#include <float.h>

bool cd_broad_spheres_add(cd_broad_spheres *spheres, const cd_bounds_frame *frame, int32_t body, double grow)
{
    cd_bounds_sphere sphere;
    if (spheres->count == CD_BROAD_SPHERES || !cd_bounds_sphere_of(frame, body, &sphere))
        return false;
    int32_t i = spheres->count++;
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
    for (int k = 0; k < 3; k++) {
        spheres->radius[3 * i + k] = sphere.radius;
        spheres->grow[3 * i + k] = grow;
    }
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

typedef struct coordinates {
    double min[LANES], max[LANES];  // [m]
    double middle[LANES];           // [m] of the box
    double rest[LANES];             // [m^2] square of how far the way reaches from there
    double least[LANES];            // [m] least size of a face that grew; 0: it was 0
    double nothing[LANES];          // 0; NaN: some box is not bounded
} coordinates;

// Of the numbers from `from` on; least and nothing add to what they were.
CD_VECTOR_CLONES static void bound_coordinates(const cd_broad_spheres *s, int32_t from, coordinates *result)
{
    coordinates c = *result;  // of its own, and so are the next: no store can change what is read
    double radius[LANES], grow[LANES], centre[LANES];
    memcpy(radius, s->radius + from, sizeof radius);
    memcpy(grow, s->grow + from, sizeof grow);
    memcpy(centre, s->centre[0] + from, sizeof centre);
    for (int k = 0; k < LANES; k++) {
        c.min[k] = cd_sum_down(centre[k], -radius[k]);
        c.max[k] = cd_sum_up(centre[k], radius[k]);
    }
    for (int pose = 1; pose < s->poses; pose++) {
        memcpy(centre, s->centre[pose] + from, sizeof centre);
        for (int k = 0; k < LANES; k++) {
            double low = cd_sum_down(centre[k], -radius[k]), high = cd_sum_up(centre[k], radius[k]);
            c.min[k] = low < c.min[k] ? low : c.min[k];
            c.max[k] = high > c.max[k] ? high : c.max[k];
        }
    }
    for (int k = 0; k < LANES; k++) {
        double low = fabs(c.min[k] - grow[k]), high = fabs(c.max[k] + grow[k]), face = low < high ? low : high;
        face = grow[k] != 0 ? face : INFINITY;
        c.least[k] = face < c.least[k] ? face : c.least[k];
        c.min[k] = moved(c.min[k], -grow[k], -1);
        c.max[k] = moved(c.max[k], grow[k], 1);
    }
    for (int k = 0; k < LANES; k++) {
        double middle = c.min[k] / 2 + c.max[k] / 2, upper = c.max[k] - middle, lower = middle - c.min[k];
        double half = upper > lower ? upper : lower, beyond = half - (grow[k] + radius[k]);
        beyond = (beyond + fabs(beyond)) / 2;  // 0 where it is negative, without a branch
        double extent = c.max[k] - c.min[k];
        c.nothing[k] += extent - extent;
        c.middle[k] = middle;
        c.rest[k] = beyond * beyond;
    }
    *result = c;
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
    for (int k = 0; k < LANES; k++) {
        c.least[k] = INFINITY;
        c.nothing[k] = 0;
    }
    fill_lanes(spheres);
    for (int32_t from = 0; from < 3 * spheres->count; from += LANES) {
        int32_t numbers = 3 * spheres->count - from < LANES ? 3 * spheres->count - from : LANES;
        bound_coordinates(spheres, from, &c);
        memcpy(min + from, c.min, (size_t)numbers * sizeof *min);
        memcpy(max + from, c.max, (size_t)numbers * sizeof *max);
        for (int32_t k = 0; 3 * k < numbers && ball; k++) {
            double core = spheres->grow[from + 3 * k] + spheres->radius[from + 3 * k], *to = ball + (from / 3 + k) * 4;
            memcpy(to, c.middle + 3 * k, 3 * sizeof *to);
            to[3] = (core + sqrt(c.rest[3 * k] + c.rest[3 * k + 1] + c.rest[3 * k + 2])) * (1 + 8 * DBL_EPSILON);
        }
    }
    for (int k = 0; k < LANES; k++)
        if (c.least[k] == 0 || isnan(c.nothing[k]))
            return false;
    return true;
}
