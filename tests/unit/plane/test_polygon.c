// Validity, measures and hull of polygons.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "test_polygon_random.h"

#define CHECK_FAULT(wanted_kind, wanted_vertex, ...)                                     \
    do {                                                                                 \
        const cd_vec2 v[] = {__VA_ARGS__};                                               \
        cd_polygon_fault fault = cd_polygon_check(v, (int32_t)(sizeof v / sizeof v[0])); \
        CD_CHECK(fault.kind == (wanted_kind));                                           \
        CD_CHECK(fault.vertex == (wanted_vertex));                                       \
    } while (0)

CD_TEST(names_every_fault)
{
    CHECK_FAULT(CD_POLYGON_OK, -1, {0, 0}, {1, 0}, {0, 1});
    CHECK_FAULT(CD_POLYGON_OK, -1, {0, 0}, {2, 0}, {3, 1}, {2, 2}, {0, 2});
    CHECK_FAULT(CD_POLYGON_TOO_FEW, -1, {0, 0}, {1, 0});
    CHECK_FAULT(CD_POLYGON_NOT_FINITE, 1, {0, 0}, {1, INFINITY}, {0, 1});
    CHECK_FAULT(CD_POLYGON_NOT_FINITE, 2, {0, 0}, {1, 0}, {NAN, 1});
    CHECK_FAULT(CD_POLYGON_REPEATED_VERTEX, 2, {0, 0}, {1, 0}, {1, 0}, {0, 1});
    CHECK_FAULT(CD_POLYGON_REPEATED_VERTEX, 3, {0, 0}, {1, 0}, {0, 1}, {0, -0.0});
    CHECK_FAULT(CD_POLYGON_ZERO_AREA, -1, {0, 0}, {1, 1}, {3, 3});
    CHECK_FAULT(CD_POLYGON_CLOCKWISE, -1, {0, 0}, {0, 1}, {1, 0});
    CHECK_FAULT(CD_POLYGON_CLOCKWISE, -1, {0, 0}, {0, 1}, {1, 1}, {1, 0.5}, {1, 0});
    CHECK_FAULT(CD_POLYGON_NOT_CONVEX, 2, {0, 0}, {4, 0}, {1, 1}, {0, 4});
    CHECK_FAULT(CD_POLYGON_NOT_CONVEX, 1, {0, 0}, {1, 1}, {4, 0}, {0, 4});
    CHECK_FAULT(CD_POLYGON_NOT_CONVEX, 1, {0, 0}, {1, 1}, {1, 0}, {0, 1});          // crosses itself
    CHECK_FAULT(CD_POLYGON_NOT_CONVEX, 2, {0, 0}, {1, 0}, {3, 0}, {2, 0}, {0, 1});  // goes out and back on one line
    CHECK_FAULT(CD_POLYGON_COLLINEAR, 1, {0, 0}, {1, 0}, {2, 0}, {0, 2});
    CHECK_FAULT(CD_POLYGON_COLLINEAR, 0, {1, 1}, {0, 2}, {0, 0}, {2, 0});
}

CD_TEST(sees_more_than_one_revolution)
{
    cd_vec2 star[5], twice[10];
    for (int i = 0; i < 5; i++)
        star[i] = (cd_vec2){cos(i * 4 * M_PI / 5), sin(i * 4 * M_PI / 5)};
    CD_CHECK(cd_polygon_check(star, 5).kind == CD_POLYGON_SELF_INTERSECTING);
    for (int i = 0; i < 10; i++)
        twice[i] = (cd_vec2){cos(i * 2 * M_PI / 5), sin(i * 2 * M_PI / 5)};
    CD_CHECK(cd_polygon_check(twice, 10).kind != CD_POLYGON_OK);
}

// The turn of one ulp is seen, at every place of the list.
CD_TEST(decides_convexity_exactly)
{
    const cd_vec2 bent_in[] = {{0, 0}, {0.5, 0x1p-60}, {1, 0}, {0, 1}};
    const cd_vec2 bent_out[] = {{0, 0}, {0.5, -0x1p-60}, {1, 0}, {0, 1}};
    for (int shift = 0; shift < 4; shift++) {
        cd_vec2 in[4], out[4];
        for (int i = 0; i < 4; i++) {
            in[i] = bent_in[(i + shift) % 4];
            out[i] = bent_out[(i + shift) % 4];
        }
        cd_polygon_fault fault = cd_polygon_check(in, 4);
        CD_CHECK(fault.kind == CD_POLYGON_NOT_CONVEX);
        CD_CHECK(fault.vertex == (1 - shift + 4) % 4);
        CD_CHECK(cd_polygon_check(out, 4).kind == CD_POLYGON_OK);
    }
}

CD_TEST(says_what_is_wrong)
{
    const cd_vec2 flat[] = {{0, 0}, {1, 0}, {2, 0}, {0, 2}}, clockwise[] = {{0, 0}, {0, 1}, {1, 0}};
    cd_diag diag = {""};
    CD_CHECK(cd_polygon_validate(flat, 4, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "vertex 1 lies on the line through its neighbours; leave it out");
    CD_CHECK(cd_polygon_validate(clockwise, 3, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "the polygon is listed clockwise; list the vertices counter-clockwise");
}

// Consecutive Fibonacci numbers span an area of 1/2 at a length of 2e9: nothing of it is left in rounded products.
CD_TEST(measures_the_thinnest_triangle)
{
    const cd_vec2 v[] = {{0, 0}, {1134903170, 701408733}, {1836311903, 1134903170}};
    cd_vec2 d = cd_sub2(v[2], v[1]);
    double polar = 0.5 / 36 * (cd_dot2(v[1], v[1]) + cd_dot2(v[2], v[2]) + cd_dot2(d, d));
    CD_CHECK(cd_polygon_check(v, 3).kind == CD_POLYGON_OK);
    for (int32_t shift = 0; shift < 3; shift++) {
        const cd_vec2 turned[] = {v[shift], v[(shift + 1) % 3], v[(shift + 2) % 3]};
        cd_polygon_moments m = cd_polygon_measure((cd_polygon){3, turned});
        CD_CHECK(m.area == 0.5 && cd_polygon_area((cd_polygon){3, turned}) == 0.5);
        CD_CHECK_NEAR(m.polar, polar, 1e-14 * polar);
    }
}

CD_TEST(measures_known_shapes)
{
    cd_arena arena = {0};
    cd_polygon box = test_box(-1, -2, 3, 1, &arena);
    cd_polygon_moments m = cd_polygon_measure(box);
    CD_CHECK(m.area == 12);
    CD_CHECK_NEAR(m.centroid.x, 1, 1e-15);
    CD_CHECK_NEAR(m.centroid.y, -0.5, 1e-15);
    CD_CHECK_NEAR(m.polar, 12.0 * (16 + 9) / 12, 1e-14);
    CD_CHECK(cd_polygon_area(box) == 12);
    CD_CHECK(cd_polygon_perimeter(box) == 14);
    CD_CHECK(cd_polygon_shortest_edge(box) == 3);
    cd_aabb bounds = cd_polygon_bounds(box);
    CD_CHECK(bounds.min[0] == -1 && bounds.min[1] == -2 && bounds.max[0] == 3 && bounds.max[1] == 1);
    CD_CHECK(bounds.min[2] == 0 && bounds.max[2] == 0);
    double radius = cd_polygon_radius(box, (cd_vec2){0, 0});
    CD_CHECK(radius >= sqrtl(13.0L) && radius <= sqrt(13) * (1 + 1e-15));
    const cd_vec2 v[] = {{0, 0}, {3, 0}, {0, 6}};
    m = cd_polygon_measure((cd_polygon){3, v});
    CD_CHECK_NEAR(m.centroid.x, 1, 1e-15);
    CD_CHECK_NEAR(m.centroid.y, 2, 1e-15);
    CD_CHECK_NEAR(m.polar, 9.0 * (9 + 36 + 45) / 36, 1e-13);  // A (sum of squared edges) / 36
    CD_CHECK(cd_polygon_contains((cd_polygon){3, v}, (cd_vec2){1.5, 3}));
    CD_CHECK(!cd_polygon_contains((cd_polygon){3, v}, (cd_vec2){1.5, nextafter(3, 4)}));
    cd_arena_release(&arena);
}

// Green's theorem with long doubles, in the plain form that needs the origin near.
static void measure_by_green(cd_polygon p, long double *area, long double *cx, long double *cy, long double *polar)
{
    long double a = 0, x = 0, y = 0, q = 0;
    for (int32_t i = 0; i < p.count; i++) {
        cd_vec2 s = p.vertex[i], t = p.vertex[cd_polygon_next(p, i)];
        long double sx = s.x, sy = s.y, tx = t.x, ty = t.y, w = sx * ty - sy * tx;
        a += w / 2;
        x += w * (sx + tx) / 6;
        y += w * (sy + ty) / 6;
        q += w * (sx * sx + sx * tx + tx * tx + sy * sy + sy * ty + ty * ty) / 12;
    }
    *area = a;
    *cx = x / a;
    *cy = y / a;
    *polar = q - (x * x + y * y) / a;
}

CD_TEST(measures_random_polygons_at_any_distance)
{
    cd_arena arena = {0};
    cd_random random = {3};
    for (int k = 0; k < 2000; k++) {
        cd_arena_reset(&arena);
        // Multiples of 2^-20 within a metre: moving by 2^20 m is exact.
        cd_polygon grid = test_grid_polygon(&random, 4 + k % 12, -(1 << 19), -(1 << 19), 1 << 20, &arena);
        cd_polygon near = test_scaled(grid, 0x1p-20, &arena), far = test_moved(near, 0x1p20, -0x1p20, &arena);
        long double area, cx, cy, polar;
        measure_by_green(near, &area, &cx, &cy, &polar);
        cd_polygon_moments m = cd_polygon_measure(near), f = cd_polygon_measure(far);
        CD_CHECK_NEAR(m.area, (double)area, 1e-14 * (double)area);
        CD_CHECK_NEAR(m.centroid.x, (double)cx, 1e-13);
        CD_CHECK_NEAR(m.centroid.y, (double)cy, 1e-13);
        CD_CHECK_NEAR(m.polar, (double)polar, 1e-12 * (double)polar);
        CD_CHECK(f.area == m.area);
        CD_CHECK(f.polar == m.polar);
        CD_CHECK_NEAR(f.centroid.x - 0x1p20, m.centroid.x, 0x1p-32);
    }
    cd_arena_release(&arena);
}

CD_TEST(places_by_a_pose)
{
    cd_arena arena = {0};
    cd_vec2 v[4];
    cd_polygon placed = cd_polygon_place(test_box(-1, -1, 1, 1, &arena), cd_pose2_make((cd_vec2){10, 0}, M_PI / 4), v);
    CD_CHECK(placed.count == 4 && placed.vertex == v);
    CD_CHECK_NEAR(v[0].x, 10, 1e-14);
    CD_CHECK_NEAR(v[0].y, -sqrt(2), 1e-14);
    CD_CHECK_NEAR(v[1].x, 10 + sqrt(2), 1e-14);
    CD_CHECK_NEAR(cd_polygon_area(placed), 4, 1e-14);
    cd_arena_release(&arena);
}

// A point is a corner exactly when it is the far end of a directed line through another point that has no point to its
// right, and none beyond it on the line.
static bool is_corner_by_brute_force(const cd_vec2 *p, int32_t count, int32_t i)
{
    for (int32_t j = 0; j < count; j++) {
        if (p[j].x == p[i].x && p[j].y == p[i].y)
            continue;
        bool is_edge = true;
        for (int32_t k = 0; k < count && is_edge; k++) {
            __int128 turn = test_exact_turn(p[j], p[i], p[k]);
            double beyond = cd_dot2(cd_sub2(p[k], p[i]), cd_sub2(p[i], p[j]));
            is_edge = turn > 0 || (turn == 0 && beyond <= 0);
        }
        if (is_edge)
            return true;
    }
    return false;
}

CD_TEST(hull_has_exactly_the_corners)
{
    cd_arena arena = {0};
    cd_random random = {4};
    for (int k = 0; k < 3000; k++) {
        cd_arena_reset(&arena);
        int32_t count = 3 + k % 20, size = 2 + k % 9;
        cd_vec2 p[24];
        int32_t index[24];
        for (int32_t i = 0; i < count; i++)
            p[i] = (cd_vec2){test_below(&random, size), test_below(&random, size)};
        cd_polygon hull = cd_hull2(p, count, &arena, index);
        int32_t corners = 0;
        for (int32_t i = 0; i < count; i++) {
            bool is_first = true;
            for (int32_t j = 0; j < i; j++)
                is_first &= p[j].x != p[i].x || p[j].y != p[i].y;
            if (!is_first || !is_corner_by_brute_force(p, count, i))
                continue;
            corners++;
            bool found = false;
            for (int32_t j = 0; j < hull.count; j++)
                found |= index[j] == i && hull.vertex[j].x == p[i].x && hull.vertex[j].y == p[i].y;
            CD_CHECK(found);
        }
        CD_CHECK(hull.count == corners || (hull.count == 1 && corners == 0));
        if (hull.count >= 3)
            CD_CHECK(cd_polygon_check(hull.vertex, hull.count).kind == CD_POLYGON_OK);
    }
    cd_arena_release(&arena);
}

CD_TEST(hull_of_degenerate_sets)
{
    cd_arena arena = {0};
    const cd_vec2 line[] = {{2, 2}, {0, 0}, {1, 1}, {3, 3}, {0, 0}}, same[] = {{1, 1}, {1, 1}};
    int32_t index[5];
    cd_polygon hull = cd_hull2(line, 5, &arena, index);
    CD_CHECK(hull.count == 2 && index[0] == 1 && index[1] == 3);
    CD_CHECK(cd_hull2(same, 2, &arena, index).count == 1 && index[0] == 0);
    CD_CHECK(cd_hull2(same, 0, &arena, NULL).count == 0);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(names_every_fault);
    CD_RUN(sees_more_than_one_revolution);
    CD_RUN(decides_convexity_exactly);
    CD_RUN(says_what_is_wrong);
    CD_RUN(measures_known_shapes);
    CD_RUN(measures_the_thinnest_triangle);
    CD_RUN(measures_random_polygons_at_any_distance);
    CD_RUN(places_by_a_pose);
    CD_RUN(hull_has_exactly_the_corners);
    CD_RUN(hull_of_degenerate_sets);
    return cd_test_done();
}
