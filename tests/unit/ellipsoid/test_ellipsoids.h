// Random ellipsoids for the tests of the room.
// SPDX-License-Identifier: MIT
#ifndef TEST_ELLIPSOIDS_H
#define TEST_ELLIPSOIDS_H

#include "cd_ellipsoid.h"
#include "cd_quat.h"
#include "cd_random.h"

static inline double test_between(cd_random *random, double low, double high)
{
    return cd_random_between(random, low, high);
}

static inline cd_vec3 test_point(cd_random *random, double spread)
{
    double x = test_between(random, -spread, spread), y = test_between(random, -spread, spread);
    return (cd_vec3){x, y, test_between(random, -spread, spread)};
}

static inline cd_mat3 test_turn(cd_random *random)
{
    cd_quat q;
    do {
        double w = test_between(random, -1, 1), x = test_between(random, -1, 1), y = test_between(random, -1, 1);
        q = (cd_quat){w, x, y, test_between(random, -1, 1)};
    } while (!(cd_quat_length_sq(q) <= 1 && cd_quat_length_sq(q) > 0.01));
    return cd_quat_matrix(q);
}

// Semiaxes between 1/sqrt(aspect) and sqrt(aspect), their logarithms uniform.
static inline cd_vec3 test_semiaxes(cd_random *random, double aspect)
{
    double most = log(aspect) / 2, x = exp(test_between(random, -most, most)),
           y = exp(test_between(random, -most, most));
    return (cd_vec3){x, y, exp(test_between(random, -most, most))};
}

static inline double test_largest(cd_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }
static inline double test_least(cd_vec3 v) { return fmin(fabs(v.x), fmin(fabs(v.y), fabs(v.z))); }
static inline double test_apart(cd_vec3 p, cd_vec3 q) { return cd_length3(cd_sub3(p, q)); }

#endif
