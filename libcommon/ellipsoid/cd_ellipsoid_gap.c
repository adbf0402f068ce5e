// SPDX-License-Identifier: MIT
#include "cd_ellipsoid_gap.h"

#include <stddef.h>

// Two ellipsoids in their order (cd_half_axes_are_swapped).
typedef struct pair_of {
    cd_half_axes a, b;
    cd_vec3 between;  // R
} pair_of;

// f at a unit vector, and what it is made of.
typedef struct place {
    cd_vec3 n, ball_a, ball_b;  // A'n / h_A(n), B'n / h_B(n)
    double height_a, height_b;
    double value;
} place;

static place place_at(const pair_of *p, cd_vec3 n)
{
    cd_vec3 a = cd_half_axes_heights(&p->a, n), b = cd_half_axes_heights(&p->b, n);
    double height_a = cd_length3(a), height_b = cd_length3(b);
    return (place){n,
                   cd_scale3(1 / height_a, a),
                   cd_scale3(1 / height_b, b),
                   height_a,
                   height_b,
                   cd_dot3(p->between, n) - (height_a + height_b)};
}

// ---- one climb -----------------------------------------------------------------------------------------------------

// Gradient and minus the Hessian of f in the plane of the unit vectors e0, e1 that is normal to n.
typedef struct slope {
    double g[2], k00, k01, k11;
} slope;

// (e_i.P e_j)/h - (e_i.P n)(e_j.P n)/h^3 as products of what A'e_i has across A'n: nothing cancels.
static void add_curvature(const cd_half_axes *half, const cd_vec3 e[2], cd_vec3 ball, double height, slope *s)
{
    cd_vec3 across[2];
    for (int i = 0; i < 2; i++) {
        cd_vec3 side = cd_half_axes_heights(half, e[i]);
        double along = cd_dot3(side, ball);
        across[i] = cd_sub3(side, cd_scale3(along, ball));
        s->g[i] -= along;
    }
    s->k00 += cd_dot3(across[0], across[0]) / height;
    s->k01 += cd_dot3(across[0], across[1]) / height;
    s->k11 += cd_dot3(across[1], across[1]) / height;
}

static slope slope_at(const pair_of *p, const place *at, const cd_vec3 e[2])
{
    slope s = {{cd_dot3(p->between, e[0]), cd_dot3(p->between, e[1])}, at->value, 0, at->value};
    add_curvature(&p->a, e, at->ball_a, at->height_a, &s);
    add_curvature(&p->b, e, at->ball_b, at->height_b, &s);
    return s;
}

// [rad] a step may turn n by. Larger: it may leap over the maximum it was climbing to.
#define MOST_TURN 0.5

// Where f is not concave: along the eigenvectors, gradient over size of curvature, so that it leads upward.
static void upward_step(const slope *s, double step[2])
{
    double mean = (s->k00 + s->k11) / 2, half = (s->k00 - s->k11) / 2, radius = hypot(half, s->k01);
    double angle = radius > 0 ? atan2(s->k01, half) / 2 : 0, cosine = cos(angle), sine = sin(angle);
    double along[2] = {s->g[0] * cosine + s->g[1] * sine, s->g[1] * cosine - s->g[0] * sine};
    double size[2] = {fabs(mean + radius), fabs(mean - radius)};
    for (int i = 0; i < 2; i++)
        along[i] = along[i] == 0 ? 0 : along[i] / fmax(size[i], fabs(along[i]) / MOST_TURN);
    step[0] = along[0] * cosine - along[1] * sine;
    step[1] = along[0] * sine + along[1] * cosine;
}

static void newton_step(const slope *s, double step[2])
{
    double determinant = s->k00 * s->k11 - s->k01 * s->k01;
    step[0] = (s->k11 * s->g[0] - s->k01 * s->g[1]) / determinant;
    step[1] = (s->k00 * s->g[1] - s->k01 * s->g[0]) / determinant;
    bool is_concave = s->k00 > 0 && determinant > 0;
    if (!is_concave || !(step[0] * step[0] + step[1] * step[1] <= MOST_TURN * MOST_TURN))
        upward_step(s, step);
}

// [rad] steps so small are taken without asking f, which cannot tell any more.
#define BLIND_STEP 1e-5
// [rad] a Newton step so small has led to the maximum.
#define LAST_STEP 1e-9
// [rad] and one so small to within parts of 1e-8 of its value.
#define ROUGH_STEP 1e-3

// Until a step turns by no more than `last` [rad].
static place climb(const pair_of *p, cd_vec3 start, double last, int32_t *iterations)
{
    enum { MOST_ITERATIONS = 200, MOST_HALVINGS = 40 };
    place here = place_at(p, start);
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        const cd_vec3 n = here.n;
        bool is_x = fabs(n.x) < 0.6;  // one of three components of a unit vector is
        const cd_vec3 e0 = cd_unit3(cd_cross3(n, is_x ? (cd_vec3){1, 0, 0} : (cd_vec3){0, 1, 0}));
        const cd_vec3 e[2] = {e0, cd_cross3(n, e0)};
        const slope s = slope_at(p, &here, e);
        double step[2];
        newton_step(&s, step);
        cd_vec3 move = cd_add3(cd_scale3(step[0], e[0]), cd_scale3(step[1], e[1]));
        const double turn = cd_length3(move);
        ++*iterations;
        place next = place_at(p, cd_unit3(cd_add3(n, move)));
        for (int j = 0; j < MOST_HALVINGS && turn > BLIND_STEP && !(next.value > here.value); j++) {
            move = cd_scale3(0.5, move);
            next = place_at(p, cd_unit3(cd_add3(n, move)));
        }
        if (turn > BLIND_STEP && !(next.value > here.value))
            return here;
        here = next;
        if (!(turn > last))
            break;
    }
    return here;
}

// ---- several starts ------------------------------------------------------------------------------------------------

// Where climbs from them end, roughly; the best.
static void try_start(const pair_of *p, cd_vec3 u, place *best, int32_t *iterations)
{
    cd_vec3 n = cd_unit3(u);
    if (!(cd_dot3(n, n) > 0.5))
        return;  // of parallel axes there is no direction across
    for (int k = 0; k < 2; k++) {
        place found = climb(p, k == 0 ? n : cd_negate3(n), ROUGH_STEP, iterations);
        if (found.value > best->value)
            *best = found;
    }
}

// [m] the least radius of curvature.
static double sharpest(const cd_half_axes *half)
{
    double least = INFINITY, most = 0;
    for (int i = 0; i < 3; i++) {
        const double square = cd_dot3(half->axis[i], half->axis[i]);
        least = fmin(least, square);
        most = fmax(most, square);
    }
    return least / sqrt(most);
}

// Along a great circle f + f'' is minus the radii of curvature of both, r at least; so from a maximum of value -d on f
// is at most -r + (r - d) cos(angle): where d < r there is no other that is as good.
static bool is_only_maximum(const pair_of *p, const place *at)
{
    return -at->value < 0.999 * (sharpest(&p->a) + sharpest(&p->b));
}

static place climb_from_many(const pair_of *p, const cd_vec3 *known, int32_t *iterations)
{
    place best = {.value = -INFINITY};
    if (known) {
        best = climb(p, *known, LAST_STEP, iterations);
        if (is_only_maximum(p, &best))
            return best;
        try_start(p, cd_negate3(*known), &best, iterations);
    }
    for (int i = 0; i < 3; i++) {
        try_start(p, p->a.axis[i], &best, iterations);
        try_start(p, p->b.axis[i], &best, iterations);
        for (int j = 0; j < 3; j++)
            try_start(p, cd_cross3(p->a.axis[i], p->b.axis[j]), &best, iterations);
    }
    return climb(p, best.n, LAST_STEP, iterations);
}

cd_ellipsoid_gap cd_ellipsoid_gap_of(const cd_ellipsoid *a, const cd_ellipsoid *b, const cd_perram *known)
{
    pair_of p = {cd_ellipsoid_half_axes(a), cd_ellipsoid_half_axes(b), cd_sub3(b->centre, a->centre)};
    const bool is_swapped = cd_half_axes_are_swapped(&p.a, &p.b, p.between);
    if (is_swapped)
        p = (pair_of){p.b, p.a, cd_negate3(p.between)};
    cd_perram found = known ? *known : cd_perram_of(a, b, 0);
    cd_vec3 start = is_swapped ? cd_negate3(found.normal) : found.normal;
    cd_ellipsoid_gap gap = {.iterations = 0};
    place at = found.gap >= 0 ? climb(&p, start, LAST_STEP, &gap.iterations)
                              : climb_from_many(&p, found.is_concentric ? NULL : &start, &gap.iterations);
    cd_vec3 on_a = cd_half_axes_apply(&p.a, at.ball_a), on_b = cd_half_axes_apply(&p.b, at.ball_b);
    gap.gap = at.value;
    gap.normal = is_swapped ? cd_negate3(at.n) : at.n;
    gap.point_a = is_swapped ? cd_sub3(a->centre, on_b) : cd_add3(a->centre, on_a);
    gap.point_b = is_swapped ? cd_add3(b->centre, on_a) : cd_sub3(b->centre, on_b);
    return gap;
}
