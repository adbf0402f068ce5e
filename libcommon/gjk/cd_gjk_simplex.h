// cd_gjk_simplex -- the point of a segment, triangle or tetrahedron nearest to the origin.
//
// Only convex combinations come out, whatever rounding did to the decisions: a wrong one costs progress, and that the
// caller notices. All differences are taken from the newest point (the last one), the products that decide are
//     triangle, e1 = a - c, e2 = b - c, p = -c, n = e1 x e2:   weights  n.(p x e2), n.(e1 x p)  of  n.n
//     tetrahedron, e1 .. e3 from d, p = -d:                     weights  p.(e2 x e3), ...        of  e1.(e2 x e3)
// so that their errors are relative to the simplex' size and not to its distance.
// SPDX-License-Identifier: MIT
#ifndef CD_GJK_SIMPLEX_H
#define CD_GJK_SIMPLEX_H

#include "cd_gjk.h"

#include <float.h>

typedef struct cd_gjk_near {
    cd_vec3 v;      // the nearest point, as good in direction as can be had
    double square;  // |v|^2
    int count;      // corners of the feature it lies inside of; 4: the origin is inside the tetrahedron
    int pick[4];    // which ones
    double weight[4];
} cd_gjk_near;

static inline __attribute__((always_inline)) cd_gjk_near cd_gjk_near_point(const cd_gjk_point *s, int a)
{
    return (cd_gjk_near){s[a].w, cd_dot3(s[a].w, s[a].w), 1, {a}, {1}};
}

// v = a + t e, t = -a.e / e.e. Where most of a cancels, what is left along e is rounding as large as v's own error:
// it is taken off once more (twice is enough), so that v stays orthogonal to the segment.
static inline __attribute__((always_inline)) cd_gjk_near cd_gjk_near_segment(const cd_gjk_point *s, int a, int b)
{
    cd_vec3 start = s[a].w, e = cd_sub3(s[b].w, start);
    double t = -cd_dot3(start, e), length_sq = cd_dot3(e, e);
    if (t >= length_sq)
        return cd_gjk_near_point(s, b);
    if (t <= 0)
        return cd_gjk_near_point(s, a);
    double inverse = 1 / length_sq, fraction = t * inverse;
    cd_vec3 v = cd_add3(start, cd_scale3(fraction, e));
    double square = cd_dot3(v, v);
    if (square < 0x1p-16 * cd_dot3(start, start)) {
        v = cd_sub3(v, cd_scale3(cd_dot3(v, e) * inverse, e));
        square = cd_dot3(v, v);
    }
    return (cd_gjk_near){v, square, 2, {a, b}, {1 - fraction, fraction}};
}

static inline void cd_gjk_keep_nearer(cd_gjk_near *best, cd_gjk_near other)
{
    if (other.square < best->square)
        *best = other;
}

// [1] sine of the angle between the edges below which the triangle is taken for its edges: its normal has a relative
// error of DBL_EPSILON over the sine, and what such a triangle adds to its edges is thinner than any rounding.
#define CD_GJK_FLAT 1e-12

static inline __attribute__((always_inline)) cd_gjk_near cd_gjk_near_triangle(const cd_gjk_point *s, int a, int b,
                                                                              int c)
{
    cd_vec3 p = cd_negate3(s[c].w), e1 = cd_sub3(s[a].w, s[c].w), e2 = cd_sub3(s[b].w, s[c].w);
    cd_vec3 n = cd_cross3(e1, e2);
    double area_sq = cd_dot3(n, n), flat = CD_GJK_FLAT * CD_GJK_FLAT * cd_dot3(e1, e1) * cd_dot3(e2, e2);
    double at_a = cd_dot3(n, cd_cross3(p, e2)), at_b = cd_dot3(n, cd_cross3(e1, p)), at_c = area_sq - at_a - at_b;
    bool is_flat = area_sq <= flat;
    if (!is_flat && at_a > 0 && at_b > 0 && at_c > 0) {
        double inverse = 1 / area_sq, height = -cd_dot3(p, n);
        double weight_a = at_a * inverse, weight_b = at_b * inverse;
        return (cd_gjk_near){cd_scale3(height * inverse, n),
                             height * height * inverse,
                             3,
                             {a, b, c},
                             {weight_a, weight_b, at_c * inverse}};
    }
    // The nearest point lies on an edge that the origin's foot is beyond.
    cd_gjk_near best = {.square = INFINITY};
    if (is_flat || at_a <= 0)
        cd_gjk_keep_nearer(&best, cd_gjk_near_segment(s, b, c));
    if (is_flat || at_b <= 0)
        cd_gjk_keep_nearer(&best, cd_gjk_near_segment(s, a, c));
    if (is_flat || at_c <= 0)
        cd_gjk_keep_nearer(&best, cd_gjk_near_segment(s, a, b));
    return best;
}

// `scale` bounds the coordinates (to a factor of 2): they carry DBL_EPSILON of it each. With L the longest edge from d,
// a product of three edges is wrong by less than 3 L^2 (sqrt(3) DBL_EPSILON scale + 3 DBL_EPSILON L), one of two edges
// and p by as much with one L replaced by |p|. Inside means: all four weights are positive beyond that. A face that the
// origin is not surely behind is looked at; the one opposite of d, from which d was found, only when `is_all`.
static inline cd_gjk_near cd_gjk_near_tetrahedron(const cd_gjk_point *s, double scale, bool is_all)
{
    cd_vec3 p = cd_negate3(s[3].w), e1 = cd_sub3(s[0].w, s[3].w), e2 = cd_sub3(s[1].w, s[3].w),
            e3 = cd_sub3(s[2].w, s[3].w);
    cd_vec3 n1 = cd_cross3(e2, e3), n2 = cd_cross3(e3, e1), n3 = cd_cross3(e1, e2);
    double volume = cd_dot3(e1, n1), at1 = cd_dot3(p, n1), at2 = cd_dot3(p, n2), at3 = cd_dot3(p, n3);
    double longest = cd_gjk_larger(cd_gjk_larger(cd_dot3(e1, e1), cd_dot3(e2, e2)), cd_dot3(e3, e3)),
           reach = cd_dot3(p, p);
    double bound = 16 * DBL_EPSILON * scale * cd_gjk_larger(longest, reach);
    if (volume < 0) {
        volume = -volume;
        at1 = -at1;
        at2 = -at2;
        at3 = -at3;
    }
    double at4 = volume - at1 - at2 - at3;
    bool is_solid = volume > bound;
    bool is_behind1 = is_solid && at1 > bound, is_behind2 = is_solid && at2 > bound,
         is_behind3 = is_solid && at3 > bound;
    bool is_behind4 = is_solid && at4 > bound;
    if (is_behind1 && is_behind2 && is_behind3 && is_behind4) {
        double inverse = 1 / volume;
        return (cd_gjk_near){
            {0, 0, 0}, 0, 4, {0, 1, 2, 3}, {at1 * inverse, at2 * inverse, at3 * inverse, at4 * inverse}};
    }
    cd_gjk_near best = {.square = INFINITY};
    if (!is_behind1)
        cd_gjk_keep_nearer(&best, cd_gjk_near_triangle(s, 1, 2, 3));
    if (!is_behind2)
        cd_gjk_keep_nearer(&best, cd_gjk_near_triangle(s, 0, 2, 3));
    if (!is_behind3)
        cd_gjk_keep_nearer(&best, cd_gjk_near_triangle(s, 0, 1, 3));
    if (!is_behind4 && (is_all || best.count == 0))
        cd_gjk_keep_nearer(&best, cd_gjk_near_triangle(s, 0, 1, 2));
    return best;
}

#endif
