// SPDX-License-Identifier: MIT
#include "cd_ellipsoid_point.h"

enum { MOST_ITERATIONS = 100 };  // Newton's method falls onto the root from one side: some 5, up to 10

// In own axes, all coordinates of the point made >= 0: the terms c_i / (d_i + s), c_i = a_i y_i, d_i = a_i^2 - a_min^2.
typedef struct terms {
    double c[3], d[3];
    int least;  // the shortest axis
} terms;

static double square_sum(const terms *t, double s, double *slope)
{
    double sum = 0;
    *slope = 0;
    for (int i = 0; i < 3; i++) {
        if (t->c[i] == 0)
            continue;
        double q = t->c[i] / (t->d[i] + s);
        sum += q * q;
        *slope -= 2 * q * q / (t->d[i] + s);
    }
    return sum;
}

// From a start where the sum is at least 1, along a branch where it is convex: s > 0, or 0 > s > -middle, where it may
// stay above 1. False: it does.
static bool find_root(const terms *t, double middle, double *s)
{
    bool is_rising = *s < 0;  // on the branch left of the pole the root lies below its start
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        double slope, excess = square_sum(t, *s, &slope) - 1;
        if (is_rising && !(slope > 0))
            return false;
        double step = -excess / slope, next = *s + step;
        if (!(excess > 0) || next == *s)
            return true;
        if (!(next > -middle))
            return false;
        *s = next;
    }
    return true;
}

static cd_vec3 normal_at(const terms *t, const double y[3], double s)
{
    double n[3];
    for (int i = 0; i < 3; i++)
        n[i] = y[i] == 0 ? 0 : y[i] / (t->d[i] + s);
    return cd_unit3((cd_vec3){n[0], n[1], n[2]});
}

// Of a point in the plane of the two longer axes whose nearest place is not: on both sides of it.
static bool find_above_disc(const terms *t, const double a[3], const double y[3], cd_vec3 *normal)
{
    double rest = 1, n[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        if (i == t->least || t->c[i] == 0)
            continue;
        if (!(t->d[i] > 0))
            return false;
        double q = t->c[i] / t->d[i];
        rest -= q * q;
        n[i] = y[i] / t->d[i];
    }
    if (!(rest > 0))
        return false;
    n[t->least] = sqrt(rest) / a[t->least];
    *normal = cd_unit3((cd_vec3){n[0], n[1], n[2]});
    return true;
}

static cd_vec3 with_signs(cd_vec3 n, cd_vec3 of)
{
    return (cd_vec3){of.x < 0 ? -n.x : n.x, of.y < 0 ? -n.y : n.y, of.z < 0 ? -n.z : n.z};
}

int cd_ellipsoid_feet(cd_vec3 semiaxes, cd_vec3 point, cd_vec3 normal[CD_ELLIPSOID_FEET], bool *is_degenerate)
{
    const double a[3] = {semiaxes.x, semiaxes.y, semiaxes.z}, y[3] = {fabs(point.x), fabs(point.y), fabs(point.z)};
    terms t;
    t.least = a[1] < a[0] ? 1 : 0;
    t.least = a[2] < a[t.least] ? 2 : t.least;
    for (int i = 0; i < 3; i++) {
        t.c[i] = a[i] * y[i];
        t.d[i] = (a[i] - a[t.least]) * (a[i] + a[t.least]);
    }
    *is_degenerate = false;
    if (y[t.least] == 0 && find_above_disc(&t, a, y, &normal[0])) {
        normal[0] = with_signs(normal[0], point);
        normal[1] = normal[0];
        double *turned = t.least == 0 ? &normal[1].x : t.least == 1 ? &normal[1].y : &normal[1].z;
        *turned = -*turned;
        *is_degenerate = true;
        return 2;
    }
    double s = 0;
    for (int i = 0; i < 3; i++)
        s = fmax(s, t.c[i] - t.d[i]);
    find_root(&t, 0, &s);
    normal[0] = with_signs(normal_at(&t, y, s), point);
    // the other side of the shortest axis, left of its pole
    s = -t.c[t.least];
    double middle = INFINITY;
    for (int i = 0; i < 3; i++)
        middle = i != t.least ? fmin(middle, t.d[i]) : middle;
    if (!(s < 0) || !(s > -middle) || !find_root(&t, middle, &s))
        return 1;
    normal[1] = with_signs(normal_at(&t, y, s), point);
    return 2;
}

cd_ellipsoid_foot cd_ellipsoid_point(const cd_ellipsoid *e, cd_vec3 point)
{
    cd_vec3 own = cd_mat3_apply_back(e->axes, cd_sub3(point, e->centre)), normal[CD_ELLIPSOID_FEET], a = e->semiaxes;
    cd_ellipsoid_foot found;
    cd_ellipsoid_feet(a, own, normal, &found.is_degenerate);
    cd_vec3 heights = {a.x * normal[0].x, a.y * normal[0].y, a.z * normal[0].z};
    double height = cd_length3(heights);
    found.gap = cd_dot3(normal[0], own) - height;
    found.normal = cd_mat3_apply(e->axes, normal[0]);
    found.foot = cd_ellipsoid_from_ball(e, cd_scale3(1 / height, heights));
    return found;
}
