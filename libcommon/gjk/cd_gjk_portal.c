// Whether the origin lies inside a convex body or in its boundary, when it is known to lie in it to within rounding.
//
// The ray from the body's centre through the origin leaves the body through a portal, a triangle of support points that
// the ray passes: the origin is inside when it lies behind a portal's plane, and not when a support plane has it on or
// above. (What GJK's simplex cannot tell: a segment or triangle through the origin may lie in the boundary or run
// through the body.) Source: Snethen, "XenoCollide: Complex Collision Made Simple", Game Programming Gems 7 (2008),
// with a tolerance, and in numbers of twice the digits: portals of needles are so thin that a normal in doubles would
// call touching bodies overlapping.
// SPDX-License-Identifier: MIT
#include "cd_gjk.h"
#include "cd_twofold.h"

typedef struct search {
    const cd_gjk_side *a, *b;
    cd_vector_level level;
    double tolerance;  // [m]
    cd_twofold3 centre;
    cd_twofold3 p1, p2, p3;
} search;

static cd_vec3 farthest(const cd_gjk_side *side, cd_vec3 d, cd_vector_level level)
{
    return side->x ? cd_gjk_corner(side, cd_gjk_support_at(side, d, level)) : cd_gjk_curved_support(side, d);
}

static cd_twofold3 support(const search *s, cd_vec3 d)
{
    return cd_twofold_difference3(farthest(s->a, d, s->level), farthest(s->b, cd_negate3(d), s->level));
}

static double height(cd_twofold3 p, cd_vec3 d) { return cd_dot3(cd_twofold_rounded3(p), d); }

static cd_vec3 unit_cross(cd_twofold3 a, cd_twofold3 b)
{
    return cd_unit3(cd_twofold_rounded3(cd_twofold_cross3(a, b)));
}

static double triple(cd_twofold3 a, cd_twofold3 b, cd_twofold3 c)
{
    return cd_twofold_dot3(cd_twofold_cross3(a, b), c).high;
}

// The unit normal of the plane through three points.
static cd_vec3 plane_normal(cd_twofold3 p, cd_twofold3 q, cd_twofold3 r)
{
    return unit_cross(cd_twofold_subtract3(q, p), cd_twofold_subtract3(r, p));
}

typedef enum verdict { OPEN, INSIDE, NOT_INSIDE } verdict;

// Three support points such that the ray from the centre through the origin passes their triangle's cone.
static verdict find_portal(search *s)
{
    cd_vec3 c = cd_twofold_rounded3(s->centre), d = cd_unit3(cd_negate3(c));
    s->p1 = support(s, d);
    if (height(s->p1, d) <= s->tolerance)
        return NOT_INSIDE;
    d = unit_cross(s->centre, s->p1);
    if (cd_length3(cd_cross3(cd_unit3(c), cd_twofold_rounded3(s->p1))) <= s->tolerance)
        return INSIDE;  // the ray ends in that point, beyond the origin
    s->p2 = support(s, d);
    if (height(s->p2, d) <= s->tolerance)
        return NOT_INSIDE;
    d = plane_normal(s->centre, s->p1, s->p2);
    if (height(s->centre, d) > 0) {
        cd_twofold3 swap = s->p1;
        s->p1 = s->p2;
        s->p2 = swap;
        d = cd_negate3(d);
    }
    for (int i = 0; i < CD_GJK_MOST_ITERATIONS; i++) {
        s->p3 = support(s, d);
        if (height(s->p3, d) <= s->tolerance)
            return NOT_INSIDE;
        if (triple(s->p1, s->p3, s->centre) < 0)
            s->p2 = s->p3;
        else if (triple(s->p3, s->p2, s->centre) < 0)
            s->p1 = s->p3;
        else
            return OPEN;
        d = plane_normal(s->centre, s->p1, s->p2);
    }
    return NOT_INSIDE;
}

static bool holds_origin(search *s)
{
    verdict v = find_portal(s);
    for (int i = 0; v == OPEN && i < CD_GJK_MOST_ITERATIONS; i++) {
        cd_vec3 n = plane_normal(s->p1, s->p2, s->p3);
        if (height(s->p1, n) > s->tolerance)
            return true;
        cd_twofold3 p = support(s, n);
        if (height(p, n) <= s->tolerance || height(cd_twofold_subtract3(p, s->p3), n) <= s->tolerance / 16)
            return false;
        // The new point splits the portal into three; the ray passes the one between the planes through it and the
        // centre.
        cd_twofold3 across = cd_twofold_cross3(p, s->centre);
        if (cd_twofold_dot3(s->p1, across).high > 0) {
            if (cd_twofold_dot3(s->p2, across).high > 0)
                s->p1 = p;
            else
                s->p3 = p;
        } else {
            if (cd_twofold_dot3(s->p3, across).high > 0)
                s->p2 = p;
            else
                s->p1 = p;
        }
    }
    return v == INSIDE;
}

bool cd_gjk_holds_origin(const cd_gjk *g, cd_vec3 centre, cd_vector_level level)
{
    if (g->a.x && g->a.count < 4 && g->b.x && g->b.count < 4)
        return false;  // the difference of two flat bodies may be flat
    // The directions are no mirror images when the bodies are exchanged: they are searched in one order.
    bool is_mirrored = cd_gjk_order(&g->a, &g->b) > 0;
    cd_twofold zero = {0, 0};
    search s = {.a = is_mirrored ? &g->b : &g->a,
                .b = is_mirrored ? &g->a : &g->b,
                .level = level,
                .tolerance = CD_GJK_TOUCHING * g->scale,
                .centre = {zero, zero, zero}};
    cd_vec3 c = is_mirrored ? cd_negate3(centre) : centre;
    s.centre.x.high = c.x;
    s.centre.y.high = c.y;
    s.centre.z.high = c.z;
    return cd_length3(centre) <= s.tolerance || holds_origin(&s);
}
