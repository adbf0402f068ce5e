// SPDX-License-Identifier: MIT
#include "cd_closed2.h"

#include "cd_assert.h"

#include <float.h>

static const cd_feature2 no_feature = {CD_FEATURE2_NONE, -1};

// ---- distances -----------------------------------------------------------------------------------------------------

cd_distance2 cd_circle_circle_distance(cd_circle a, cd_circle b)
{
    cd_vec2 d = cd_sub2(b.centre, a.centre);
    double length = hypot(d.x, d.y);
    cd_vec2 normal = length > 0 ? cd_scale2(1 / length, d) : (cd_vec2){1, 0};
    return (cd_distance2){.gap = length - (a.radius + b.radius),
                          .normal = normal,
                          .point_a = cd_add2(a.centre, cd_scale2(a.radius, normal)),
                          .point_b = cd_sub2(b.centre, cd_scale2(b.radius, normal)),
                          .feature_a = no_feature,
                          .feature_b = no_feature};
}

cd_distance2 cd_circle_halfplane_distance(cd_circle a, cd_halfplane b)
{
    double height = cd_dot2(b.normal, a.centre) - b.offset;
    return (cd_distance2){.gap = height - a.radius,
                          .normal = cd_negate2(b.normal),
                          .point_a = cd_sub2(a.centre, cd_scale2(a.radius, b.normal)),
                          .point_b = cd_sub2(a.centre, cd_scale2(height, b.normal)),
                          .feature_a = no_feature,
                          .feature_b = no_feature};
}

cd_distance2 cd_polygon_circle_distance(cd_polygon a, cd_circle b)
{
    cd_distance2 d = cd_polygon_point_distance(a, b.centre);
    d.gap -= b.radius;
    d.point_b = cd_sub2(b.centre, cd_scale2(b.radius, d.normal));
    return d;
}

// [1] times |coordinates| + |offset|: heights over the line closer than this are equal as far as rounding tells (two
// products, two sums, and as much again in the placed coordinates). Smaller: an edge on the ground touches with one
// end. Larger: an edge that leans touches with its middle.
#define EQUAL_HEIGHT (4 * DBL_EPSILON)

cd_distance2 cd_polygon_halfplane_distance(cd_polygon a, cd_halfplane b)
{
    CD_ASSERT(a.count >= 3);
    int32_t lowest = 0;
    double least = INFINITY;
    for (int32_t i = 0; i < a.count; i++) {
        double height = cd_dot2(b.normal, a.vertex[i]) - b.offset;
        if (height < least) {
            least = height;
            lowest = i;
        }
    }
    cd_vec2 p = a.vertex[lowest];
    cd_feature2 feature = {CD_FEATURE2_VERTEX, lowest};
    int32_t neighbour[2] = {cd_polygon_previous(a, lowest), cd_polygon_next(a, lowest)};
    double tolerance = EQUAL_HEIGHT * (fabs(p.x) + fabs(p.y) + fabs(b.offset));
    for (int k = 0; k < 2; k++) {
        cd_vec2 q = a.vertex[neighbour[k]];
        if (cd_dot2(b.normal, q) - b.offset - least <= tolerance) {
            feature = (cd_feature2){CD_FEATURE2_EDGE, k == 0 ? neighbour[0] : lowest};
            p = cd_lerp2(p, q, 0.5);
            break;
        }
    }
    return (cd_distance2){.gap = least,
                          .normal = cd_negate2(b.normal),
                          .point_a = p,
                          .point_b = cd_sub2(p, cd_scale2(least, b.normal)),
                          .feature_a = feature,
                          .feature_b = no_feature};
}

// ---- areas ---------------------------------------------------------------------------------------------------------

// x - sin x for x >= 0 without cancellation: the series below 1 (the term x^19/19! left out is below 1e-16 of x^3/6).
static double minus_sine(double x)
{
    if (x > 1)
        return x - sin(x);
    double term = x * x * x / 6, sum = term;
    for (int k = 4; k <= 16; k += 2) {
        term *= -x * x / (k * (k + 1));
        sum += term;
    }
    return sum;
}

// The area cut from a disc by a chord, with `sagitta` [m] the height of the cut part, 0 .. 2 radius. The half angle
// t of the chord has cos t = 1 - sagitta / radius, so sin^2(t / 2) = sagitta / (2 radius); the area is
// radius^2 (2 t - sin 2 t) / 2.
static double segment_area(double radius, double sagitta)
{
    if (sagitta <= 0)
        return 0;
    double ratio = sagitta / (2 * radius);
    if (ratio >= 1)
        return M_PI * radius * radius;
    return radius * radius / 2 * minus_sine(4 * asin(sqrt(ratio)));
}

// The lens is two segments. With depth = r_a + r_b - d > 0 the sagitta in a is
//   r_a - (d^2 + r_a^2 - r_b^2) / (2 d) = (r_b^2 - (d - r_a)^2) / (2 d) = depth (2 r_b - depth) / (2 d).
double cd_circle_circle_area(cd_circle a, cd_circle b)
{
    cd_vec2 offset = cd_sub2(b.centre, a.centre);
    double d = hypot(offset.x, offset.y), depth = a.radius + b.radius - d;
    double lesser = a.radius < b.radius ? a.radius : b.radius;
    if (depth <= 0)
        return 0;
    if (depth >= 2 * lesser)
        return M_PI * lesser * lesser;
    double area = segment_area(a.radius, depth * (2 * b.radius - depth) / (2 * d)) +
                  segment_area(b.radius, depth * (2 * a.radius - depth) / (2 * d));
    return area < M_PI * lesser * lesser ? area : M_PI * lesser * lesser;
}

double cd_circle_halfplane_area(cd_circle a, cd_halfplane b)
{
    return segment_area(a.radius, -cd_circle_halfplane_distance(a, b).gap);
}

// The area between the disc of radius r about 0 and the triangle (0, p, q), signed as the triangle: where the edge runs
// inside the disc a triangle, elsewhere a sector. With u the edge's fraction, |p + u e| = r at
//   u = (-p.e -+ sqrt(r^2 e.e - (p x e)^2)) / e.e.
static double sector(cd_vec2 p, cd_vec2 q, double r) { return r * r / 2 * atan2(cd_cross2(p, q), cd_dot2(p, q)); }

static double edge_in_disc(cd_vec2 p, cd_vec2 q, double r)
{
    cd_vec2 e = cd_sub2(q, p);
    double square = cd_dot2(e, e), cross = cd_cross2(p, e), root = r * r * square - cross * cross;
    if (root <= 0)
        return sector(p, q, r);
    double half = sqrt(root) / square, middle = -cd_dot2(p, e) / square;
    double enter = middle - half > 0 ? middle - half : 0, leave = middle + half < 1 ? middle + half : 1;
    if (enter >= leave)
        return sector(p, q, r);
    cd_vec2 first = cd_lerp2(p, q, enter), last = cd_lerp2(p, q, leave);
    double area = cd_cross2(first, last) / 2;
    if (enter > 0)
        area += sector(p, first, r);
    if (leave < 1)
        area += sector(last, q, r);
    return area;
}

double cd_polygon_circle_area(cd_polygon a, cd_circle b)
{
    if (cd_polygon_circle_distance(a, b).gap >= 0)
        return 0;
    double area = 0;
    cd_vec2 p = cd_sub2(a.vertex[a.count - 1], b.centre);
    for (int32_t i = 0; i < a.count; i++) {
        cd_vec2 q = cd_sub2(a.vertex[i], b.centre);
        area += edge_in_disc(p, q, b.radius);
        p = q;
    }
    double disc = M_PI * b.radius * b.radius;
    return area > 0 ? area < disc ? area : disc : 0;
}

// Positions and heights relative to vertex 0: only the height of vertex 0 itself suffers from a far origin.
double cd_polygon_halfplane_area(cd_polygon a, cd_halfplane b, cd_arena *scratch)
{
    CD_ASSERT(a.count >= 3);
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_vec2 *kept = CD_ARENA_ARRAY(scratch, cd_vec2, 2 * (size_t)a.count);
    double base = cd_dot2(b.normal, a.vertex[0]) - b.offset;
    int32_t count = 0;
    for (int32_t i = 0; i < a.count; i++) {
        cd_vec2 p = cd_sub2(a.vertex[i], a.vertex[0]), q = cd_sub2(a.vertex[cd_polygon_next(a, i)], a.vertex[0]);
        double height = base + cd_dot2(b.normal, p), next = base + cd_dot2(b.normal, q);
        if (height <= 0)
            kept[count++] = p;
        if ((height < 0 && next > 0) || (height > 0 && next < 0))
            kept[count++] = cd_lerp2(p, q, height / (height - next));
    }
    double area = count >= 3 ? cd_polygon_area((cd_polygon){count, kept}) : 0;
    cd_arena_rewind(scratch, mark);
    return area > 0 ? area : 0;
}
