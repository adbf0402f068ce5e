// Whether the origin lies inside a convex body or in its boundary, when it is known to lie in it to within rounding.
//
// The ray from the body's centre through the origin leaves the body through a portal, a triangle of support points that
// the ray passes: the origin is inside when it lies behind a portal's plane, and not when a support plane has it on or
// above. (What GJK's simplex cannot tell: a segment or triangle through the origin may lie in the boundary or run
// through the body.) Source: Snethen, "XenoCollide: Complex Collision Made Simple", Game Programming Gems 7 (2008),
// with a tolerance.
// SPDX-License-Identifier: MIT
#include "cd_gjk.h"

typedef struct search {
    const cd_gjk *g;
    cd_vector_level level;
    double tolerance;  // [m]
    cd_vec3 centre;
    cd_vec3 p1, p2, p3;
} search;

static cd_vec3 support(const search *s, cd_vec3 d)
{
    return cd_sub3(cd_gjk_corner(&s->g->a, cd_gjk_support_at(&s->g->a, d, s->level)),
                   cd_gjk_corner(&s->g->b, cd_gjk_support_at(&s->g->b, cd_negate3(d), s->level)));
}

static double triple(cd_vec3 a, cd_vec3 b, cd_vec3 c) { return cd_dot3(cd_cross3(a, b), c); }

typedef enum verdict { OPEN, INSIDE, NOT_INSIDE } verdict;

// Three support points such that the ray from the centre through the origin passes their triangle's cone.
static verdict find_portal(search *s)
{
    cd_vec3 c = s->centre, d = cd_unit3(cd_negate3(c));
    s->p1 = support(s, d);
    if (cd_dot3(s->p1, d) <= s->tolerance)
        return NOT_INSIDE;
    d = cd_unit3(cd_cross3(c, s->p1));
    if (cd_length3(cd_cross3(cd_unit3(c), s->p1)) <= s->tolerance)
        return INSIDE;  // the ray ends in that point, beyond the origin
    s->p2 = support(s, d);
    if (cd_dot3(s->p2, d) <= s->tolerance)
        return NOT_INSIDE;
    d = cd_unit3(cd_cross3(cd_sub3(s->p1, c), cd_sub3(s->p2, c)));
    if (cd_dot3(d, c) > 0) {
        cd_vec3 swap = s->p1;
        s->p1 = s->p2;
        s->p2 = swap;
        d = cd_negate3(d);
    }
    for (int i = 0; i < CD_GJK_MOST_ITERATIONS; i++) {
        s->p3 = support(s, d);
        if (cd_dot3(s->p3, d) <= s->tolerance)
            return NOT_INSIDE;
        if (triple(s->p1, s->p3, c) < 0)
            s->p2 = s->p3;
        else if (triple(s->p3, s->p2, c) < 0)
            s->p1 = s->p3;
        else
            return OPEN;
        d = cd_unit3(cd_cross3(cd_sub3(s->p1, c), cd_sub3(s->p2, c)));
    }
    return NOT_INSIDE;
}

bool cd_gjk_holds_origin(const cd_gjk *g, cd_vec3 centre, cd_vector_level level)
{
    search s = {.g = g, .level = level, .tolerance = CD_GJK_TOUCHING * g->scale, .centre = centre};
    if (!g->a.x || !g->b.x || (g->a.count < 4 && g->b.count < 4))
        return false;  // ellipsoids end their search inside or apart; the difference of two flat bodies may be flat
    if (cd_length3(centre) <= s.tolerance)
        return true;
    verdict v = find_portal(&s);
    for (int i = 0; v == OPEN && i < CD_GJK_MOST_ITERATIONS; i++) {
        cd_vec3 n = cd_unit3(cd_cross3(cd_sub3(s.p2, s.p1), cd_sub3(s.p3, s.p1)));
        if (cd_dot3(n, s.p1) > s.tolerance)
            return true;
        cd_vec3 p = support(&s, n);
        if (cd_dot3(p, n) <= s.tolerance || cd_dot3(cd_sub3(p, s.p3), n) <= s.tolerance / 16)
            return false;
        // The new point splits the portal into three; the ray passes the one between the planes through it and the
        // centre.
        cd_vec3 side = cd_cross3(p, s.centre);
        if (cd_dot3(s.p1, side) > 0) {
            if (cd_dot3(s.p2, side) > 0)
                s.p1 = p;
            else
                s.p3 = p;
        } else {
            if (cd_dot3(s.p3, side) > 0)
                s.p2 = p;
            else
                s.p1 = p;
        }
    }
    return v == INSIDE;
}
