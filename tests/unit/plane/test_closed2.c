// Closed forms of circles and half-planes against polygons with many corners, long doubles and each other.
// SPDX-License-Identifier: MIT
#include "cd_closed2.h"
#include "cd_test.h"
#include "test_polygon_random.h"

static cd_vec2 random_point(cd_random *random, double limit)
{
    return (cd_vec2){cd_random_between(random, -limit, limit), cd_random_between(random, -limit, limit)};
}

static void check_witness(cd_distance2 d)
{
    cd_vec2 residual = cd_sub2(cd_sub2(d.point_b, d.point_a), cd_scale2(d.gap, d.normal));
    CD_CHECK_NEAR(cd_length2(residual), 0, 1e-14);
    CD_CHECK_NEAR(cd_length2(d.normal), 1, 1e-15);
}

CD_TEST(circles)
{
    cd_distance2 d = cd_circle_circle_distance((cd_circle){{1, 1}, 1}, (cd_circle){{4, 5}, 2});
    CD_CHECK(d.gap == 2 && d.feature_a.kind == CD_FEATURE2_NONE && d.feature_a.index == -1);
    CD_CHECK_NEAR(d.normal.x, 0.6, 2e-16);
    check_witness(d);
    d = cd_circle_circle_distance((cd_circle){{1, 1}, 1}, (cd_circle){{1, 1}, 2});
    CD_CHECK(d.gap == -3 && d.normal.x == 1);
    check_witness(d);
    d = cd_circle_halfplane_distance((cd_circle){{3, 0.5}, 1}, (cd_halfplane){{0, 1}, 0});
    CD_CHECK(d.gap == -0.5 && d.normal.y == -1 && d.point_a.y == -0.5 && d.point_b.y == 0 && d.point_b.x == 3);
    check_witness(d);
}

CD_TEST(polygon_and_circle)
{
    cd_arena arena = {0};
    cd_polygon box = test_box(0, 0, 4, 2, &arena);
    cd_distance2 d = cd_polygon_circle_distance(box, (cd_circle){{7, 6}, 1});
    CD_CHECK(d.gap == 4 && d.feature_a.kind == CD_FEATURE2_VERTEX && d.feature_a.index == 2);
    check_witness(d);
    d = cd_polygon_circle_distance(box, (cd_circle){{3, 3}, 1.5});
    CD_CHECK(d.gap == -0.5 && d.feature_a.kind == CD_FEATURE2_EDGE && d.feature_a.index == 2 && d.normal.y == 1);
    check_witness(d);
    d = cd_polygon_circle_distance(box, (cd_circle){{1, 1.75}, 0.5});  // centre inside: out over the nearest edge
    CD_CHECK(d.gap == -0.75 && d.normal.y == 1 && d.point_a.x == 1 && d.point_a.y == 2 && d.point_b.y == 1.25);
    check_witness(d);
    d = cd_polygon_circle_distance(box, (cd_circle){{4, 2}, 0.5});  // centre on a corner
    CD_CHECK(d.gap == -0.5);
    check_witness(d);
    // A regular polygon of 4096 corners about the circle differs from it by r (1 - cos(pi / 4096)) = 3e-7 r.
    cd_random random = {50};
    for (int k = 0; k < 300; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_ellipse_polygon(&random, 3 + k % 9, (cd_vec2){0, 0}, 1, &arena);
        cd_circle c = {random_point(&random, 1.5), cd_random_between(&random, 0.1, 1)};
        cd_vec2 v[4096];
        for (int i = 0; i < 4096; i++)
            v[i] = cd_add2(c.centre, cd_scale2(c.radius, (cd_vec2){cos(i * M_PI / 2048), sin(i * M_PI / 2048)}));
        d = cd_polygon_circle_distance(a, c);
        CD_CHECK_NEAR(d.gap, cd_polygon_distance(a, (cd_polygon){4096, v}).gap, 1e-6);
        double area = cd_polygon_overlap_area(a, (cd_polygon){4096, v}, &arena);
        CD_CHECK_NEAR(cd_polygon_circle_area(a, c), area, 2e-6);
        CD_CHECK(d.gap < 0 || cd_polygon_circle_area(a, c) == 0);
        check_witness(d);
    }
    cd_arena_release(&arena);
}

CD_TEST(polygon_and_halfplane)
{
    cd_arena arena = {0};
    cd_random random = {51};
    cd_distance2 d = cd_polygon_halfplane_distance(test_box(1, -0.25, 3, 1, &arena), (cd_halfplane){{0, 1}, 0});
    CD_CHECK(d.gap == -0.25 && d.normal.y == -1 && d.point_a.x == 2 && d.point_b.y == 0);
    CD_CHECK(d.feature_a.kind == CD_FEATURE2_EDGE && d.feature_a.index == 0);
    for (int k = 0; k < 5000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_ellipse_polygon(&random, 3 + k % 9, (cd_vec2){0, 0}, 1, &arena);
        double angle = cd_random_between(&random, 0, 7), far = k % 2 ? 1e6 : 0;
        cd_vec2 n = {cos(angle), sin(angle)}, t = {-n.y, n.x};
        cd_halfplane h = {n, cd_random_between(&random, -1, 1)}, rest = {cd_negate2(n), -h.offset};
        // The same half-plane near a, as a box.
        cd_vec2 c = cd_scale2(h.offset, n);
        cd_vec2 v[4] = {cd_add2(c, cd_scale2(9, t)), cd_sub2(cd_add2(c, cd_scale2(9, t)), cd_scale2(9, n)),
                        cd_sub2(cd_sub2(c, cd_scale2(9, t)), cd_scale2(9, n)), cd_sub2(c, cd_scale2(9, t))};
        double area = cd_polygon_halfplane_area(a, h, &arena);
        CD_CHECK_NEAR(area, cd_polygon_overlap_area(a, (cd_polygon){4, v}, &arena), 1e-13);
        CD_CHECK_NEAR(area + cd_polygon_halfplane_area(a, rest, &arena), cd_polygon_area(a), 1e-14);
        d = cd_polygon_halfplane_distance(a, h);
        check_witness(d);
        cd_polygon out = test_moved(a, -d.gap * n.x, -d.gap * n.y, &arena);  // by the gap: just touching
        CD_CHECK_NEAR(cd_polygon_halfplane_distance(out, h).gap, 0, 1e-14);
        CD_CHECK(d.gap < 0 || area == 0);
        cd_halfplane moved = {n, h.offset + far * (n.x + 2 * n.y)};
        CD_CHECK_NEAR(cd_polygon_halfplane_area(test_moved(a, far, 2 * far, &arena), moved, &arena), area,
                      far > 0 ? 1e-8 : 0);
    }
    cd_arena_release(&arena);
}

CD_TEST(edge_parallel_to_the_halfplane)
{
    cd_arena arena = {0};
    cd_random random = {53};
    cd_polygon box = test_box(-0.25, 0, 0.25, 1, &arena);
    for (int k = 0; k < 2000; k++) {
        double angle = cd_random_between(&random, -4, 4), far = k % 2 ? 1e5 : 0;
        cd_pose2 pose = cd_pose2_make((cd_vec2){far, -2 * far}, angle);
        cd_halfplane h = {cd_pose2_turn(pose, (cd_vec2){0, 1}), 0};
        h.offset = cd_dot2(h.normal, pose.position) + 0.125;
        cd_vec2 v[4], foot = cd_pose2_apply(pose, (cd_vec2){0, 0});
        cd_distance2 d = cd_polygon_halfplane_distance(cd_polygon_place(box, pose, v), h);
        CD_CHECK(d.feature_a.kind == CD_FEATURE2_EDGE && d.feature_a.index == 0);
        CD_CHECK_NEAR(d.gap, -0.125, 1e-15 + 1e-15 * far);
        CD_CHECK_NEAR(cd_length2(cd_sub2(d.point_a, foot)), 0, 1e-15 + 1e-15 * far);
    }
    cd_arena_release(&arena);
}

static double lens_by_formula(double d, double r1, double r2)
{
    long double a = acosl(((long double)d * d + (long double)r1 * r1 - (long double)r2 * r2) / (2.0L * d * r1));
    long double b = acosl(((long double)d * d + (long double)r2 * r2 - (long double)r1 * r1) / (2.0L * d * r2));
    return (double)((long double)r1 * r1 * (a - sinl(a) * cosl(a)) + (long double)r2 * r2 * (b - sinl(b) * cosl(b)));
}

CD_TEST(lens_area)
{
    cd_random random = {52};
    for (int k = 0; k < 20000; k++) {
        double r1 = cd_random_between(&random, 0.1, 2), r2 = cd_random_between(&random, 0.1, 2);
        double d = cd_random_between(&random, fabs(r1 - r2) + 1e-3, r1 + r2 - 1e-6);
        cd_circle a = {{0, 0}, r1}, b = {{0, d}, r2};
        double expected = lens_by_formula(d, r1, r2);
        CD_CHECK_NEAR(cd_circle_circle_area(a, b), expected, 1e-9 * expected);
    }
    // Shallow: for equal circles of radius r and depth p the lens tends to (4/3) p sqrt(r p).
    cd_circle a = {{0, 0}, 1}, b = {{2 - 0x1p-40, 0}, 1};
    double p = 0x1p-40, tends_to = 4.0 / 3 * p * sqrt(p);
    CD_CHECK_NEAR(cd_circle_circle_area(a, b), tends_to, 1e-10 * tends_to);
    CD_CHECK(cd_circle_circle_area(a, (cd_circle){{2, 0}, 1}) == 0);
    CD_CHECK(cd_circle_circle_area(a, (cd_circle){{0.25, 0}, 0.5}) == M_PI / 4);  // inside
    CD_CHECK_NEAR(cd_circle_halfplane_area(a, (cd_halfplane){{0, 1}, 0}), M_PI / 2, 1e-15);
    CD_CHECK_NEAR(cd_circle_halfplane_area(a, (cd_halfplane){{0, 1}, 0.5}), M_PI - (M_PI / 3 - sqrt(3) / 4), 1e-15);
    CD_CHECK(cd_circle_halfplane_area(a, (cd_halfplane){{0, 1}, -1}) == 0);
    CD_CHECK(cd_circle_halfplane_area(a, (cd_halfplane){{0, 1}, 1}) == M_PI);
}

CD_TEST(circle_in_polygon_area)
{
    cd_arena arena = {0};
    cd_circle c = {{0, 0}, 1};
    CD_CHECK_NEAR(cd_polygon_circle_area(test_box(-2, -2, 2, 2, &arena), c), M_PI, 1e-15);       // disc inside
    CD_CHECK_NEAR(cd_polygon_circle_area(test_box(-0.5, -0.5, 0.5, 0.5, &arena), c), 1, 1e-15);  // polygon inside
    CD_CHECK_NEAR(cd_polygon_circle_area(test_box(0, 0, 2, 2, &arena), c), M_PI / 4, 1e-15);     // corner on the centre
    CD_CHECK_NEAR(cd_polygon_circle_area(test_box(-2, 0, 2, 2, &arena), c), M_PI / 2, 1e-15);    // edge through it
    CD_CHECK_NEAR(cd_polygon_circle_area(test_box(-2, 0.5, 2, 2, &arena), c),
                  cd_circle_halfplane_area(c, (cd_halfplane){{0, -1}, -0.5}), 1e-15);
    CD_CHECK(cd_polygon_circle_area(test_box(1, -1, 2, 1, &arena), c) == 0);  // touching
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(circles);
    CD_RUN(polygon_and_circle);
    CD_RUN(polygon_and_halfplane);
    CD_RUN(edge_parallel_to_the_halfplane);
    CD_RUN(lens_area);
    CD_RUN(circle_in_polygon_area);
    return cd_test_done();
}
