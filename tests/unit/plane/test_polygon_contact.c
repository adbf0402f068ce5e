// Area contacts: known cases, the definition evaluated independently, degenerate overlaps, transformations.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "test_polygon_random.h"

CD_TEST(box_standing_in_a_box)
{
    cd_arena arena = {0};
    cd_polygon floor = test_box(-4, -2, 4, 0, &arena), box = test_box(1, -0.25, 3, 1, &arena);
    cd_area_contact c = cd_polygon_area_contact(floor, box, 1e-6, &arena);
    CD_CHECK(c.status == CD_AREA_CONTACT);
    CD_CHECK_NEAR(c.point.x, 2, 1e-15);
    CD_CHECK_NEAR(c.point.y, -0.125, 1e-15);
    // The top (2 m, on the floor) counts 4 upwards, the bottom (on the box) minus 4 downwards; the sides cancel.
    CD_CHECK_NEAR(c.normal.x, 0, 1e-15);
    CD_CHECK_NEAR(c.normal.y, 1, 1e-15);
    CD_CHECK_NEAR(c.size, 2.25, 1e-15);
    CD_CHECK_NEAR(c.area, 0.5, 1e-15);
    CD_CHECK_NEAR(c.gap, -0.25, 1e-15);
    CD_CHECK(c.surface_a == 2 && c.surface_b == 0);
    c = cd_polygon_area_contact(floor, box, 0.5, &arena);  // the extent is below epsilon: taken as it is
    CD_CHECK_NEAR(c.gap, -0.25, 1e-15);
    cd_arena_release(&arena);
}

// A corner in a floor: the chord is on the floor, the two sides of the corner on the box.
CD_TEST(corner_in_a_floor)
{
    cd_arena arena = {0};
    const cd_vec2 diamond[] = {{0, -0.5}, {2, 1.5}, {0, 3.5}, {-2, 1.5}};
    cd_area_contact c = cd_polygon_area_contact(test_box(-4, -2, 4, 0, &arena), (cd_polygon){4, diamond}, 1e-6, &arena);
    CD_CHECK(c.status == CD_AREA_CONTACT);
    CD_CHECK_NEAR(c.point.x, 0, 1e-15);
    CD_CHECK_NEAR(c.point.y, -0.5 / 3, 1e-15);
    CD_CHECK_NEAR(c.normal.y, 1, 1e-15);
    CD_CHECK_NEAR(c.area, 0.25, 1e-15);
    CD_CHECK_NEAR(c.size, (1 + sqrt(2)) / 2, 1e-15);
    CD_CHECK_NEAR(c.gap, -0.5, 1e-15);
    CD_CHECK(c.surface_a == 2);
    cd_arena_release(&arena);
}

// On a common wall the two outward normals cancel: it belongs to neither sum.
CD_TEST(common_wall_does_not_tilt_the_normal)
{
    cd_arena arena = {0};
    cd_area_contact c =
        cd_polygon_area_contact(test_box(0, 0, 3, 1, &arena), test_box(0, 0.75, 2, 2, &arena), 1e-6, &arena);
    cd_vec2 n = cd_unit2((cd_vec2){-0.0625, 8});  // right wall on b; top on a and bottom on b, 2 m each
    CD_CHECK(c.status == CD_AREA_CONTACT);
    CD_CHECK_NEAR(c.normal.x, n.x, 1e-15);
    CD_CHECK_NEAR(c.normal.y, n.y, 1e-15);
    cd_arena_release(&arena);
}

static double boundary_distance(cd_polygon p, cd_vec2 v) { return fabs(cd_polygon_point_distance(p, v).gap); }

// The definition with the origin of each edge found from where its middle lies.
static void check_definition(cd_polygon a, cd_polygon b, cd_arena *arena, int *regular)
{
    const double epsilon = 1e-6;
    cd_area_contact c = cd_polygon_area_contact(a, b, epsilon, arena);
    CD_CHECK((c.status == CD_AREA_NONE) == cd_polygon_disjoint(a, b));
    if (c.status == CD_AREA_NONE)
        return;
    CD_CHECK(c.status != CD_AREA_OUTSIDE);
    CD_CHECK_NEAR(cd_length2(c.normal), 1, 1e-15);
    CD_CHECK(c.gap <= 0);
    CD_CHECK(c.surface_a >= 0 && c.surface_a < a.count && c.surface_b >= 0 && c.surface_b < b.count);
    cd_polygon p = cd_polygon_clip(a, b, arena).polygon;
    CD_CHECK_NEAR(c.area, cd_polygon_overlap_area(a, b, arena), 1e-13);
    CD_CHECK_NEAR(c.size, cd_polygon_perimeter(p) / 2, 1e-13);
    if (c.status != CD_AREA_CONTACT)
        return;
    *regular += 1;
    cd_vec2 sum = {0, 0};
    double low = INFINITY, high = -INFINITY;
    for (int32_t i = 0; i < p.count; i++) {
        cd_vec2 s = p.vertex[i], t = p.vertex[cd_polygon_next(p, i)], middle = cd_lerp2(s, t, 0.5);
        cd_vec2 term = cd_scale2(cd_length2(cd_sub2(t, s)), cd_right2(cd_sub2(t, s)));
        bool is_a = boundary_distance(a, middle) < boundary_distance(b, middle);
        sum = is_a ? cd_add2(sum, term) : cd_sub2(sum, term);
        low = fmin(low, cd_dot2(c.normal, s));
        high = fmax(high, cd_dot2(c.normal, s));
    }
    if (c.area < 1e-6)
        return;  // too thin to tell whose edge a middle lies on
    sum = cd_unit2(sum);
    CD_CHECK_NEAR(sum.x, c.normal.x, 1e-6);
    CD_CHECK_NEAR(sum.y, c.normal.y, 1e-6);
    double extent = high - low, expected = -extent;
    if (extent > epsilon) {
        cd_polygon a2 = test_moved(a, -extent * c.normal.x, -extent * c.normal.y, arena);
        cd_polygon b2 = test_moved(b, extent * c.normal.x, extent * c.normal.y, arena);
        expected = fmin(fmax(cd_polygon_distance(a2, b2).gap, 0) - 2 * extent, 0);
    }
    CD_CHECK_NEAR(c.gap, expected, 1e-12);
    CD_CHECK(cd_polygon_contains(p, c.point));
}

CD_TEST(random_pairs_follow_the_definition)
{
    cd_arena arena = {0};
    cd_random random = {30};
    int regular = 0;
    for (int k = 0; k < 20000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_ellipse_polygon(&random, 3 + k % 9, (cd_vec2){0, 0}, 1, &arena);
        cd_vec2 centre = {cd_random_between(&random, -2, 2), cd_random_between(&random, -2, 2)};
        cd_polygon b = test_ellipse_polygon(&random, 3 + k % 11, centre, 1, &arena);
        check_definition(a, b, &arena, &regular);
    }
    CD_CHECK(regular > 5000);
    cd_arena_release(&arena);
}

static void check_degenerate(cd_polygon a, cd_polygon b, cd_arena *arena)
{
    cd_area_contact c = cd_polygon_area_contact(a, b, 1e-6, arena);
    cd_distance2 depth = cd_polygon_distance(a, b);
    CD_CHECK(c.status == CD_AREA_DEGENERATE);
    CD_CHECK_NEAR(c.normal.x, depth.normal.x, 1e-12);
    CD_CHECK_NEAR(c.normal.y, depth.normal.y, 1e-12);
    CD_CHECK_NEAR(c.gap, depth.gap, 1e-12);
    CD_CHECK(isfinite(c.point.x) && isfinite(c.point.y));
    CD_CHECK(c.surface_a >= 0 && c.surface_b >= 0);
}

CD_TEST(degenerate_overlaps_fall_back_to_the_depth)
{
    cd_arena arena = {0};
    cd_polygon box = test_box(0, 0, 3, 2, &arena);
    check_degenerate(box, box, &arena);
    check_degenerate(box, test_renumbered(box, 1, &arena), &arena);
    check_degenerate(box, test_box(0.5, 0.5, 1, 1.5, &arena), &arena);  // inside
    check_degenerate(test_box(0.5, 0.5, 1, 1.5, &arena), box, &arena);
    check_degenerate(box, test_box(0, 0.5, 1, 1.5, &arena), &arena);        // inside, sharing a part of a side
    check_degenerate(box, test_box(1, -1, 2, 3, &arena), &arena);           // crossing bars: opposite edges cancel
    check_degenerate(box, test_box(3 - 0x1p-50, 0, 4, 2, &arena), &arena);  // thinner than rounding
    cd_area_contact none = cd_polygon_area_contact(box, test_box(3, 0, 4, 2, &arena), 1e-6, &arena);
    CD_CHECK(none.status == CD_AREA_NONE && none.surface_a == -1);
    cd_arena_release(&arena);
}

static bool is_same(cd_vec2 a, cd_vec2 b) { return a.x == b.x && a.y == b.y; }

CD_TEST(transformations_keep_the_contact)
{
    cd_arena arena = {0};
    cd_random random = {31};
    for (int k = 0; k < 5000; k++) {
        cd_arena_reset(&arena);
        // Vertices on a grid of 2^-20 m: far away they are the same polygons.
        cd_polygon a = test_scaled(test_grid_polygon(&random, 4 + k % 9, 0, 0, 1 << 20, &arena), 0x1p-20, &arena);
        cd_polygon b = test_grid_polygon(&random, 4 + k % 5, 1 << 18, 1 << 19, 1 << 20, &arena);
        b = test_scaled(b, 0x1p-20, &arena);
        cd_area_contact c = cd_polygon_area_contact(a, b, 1e-6, &arena);
        cd_area_contact s = cd_polygon_area_contact(b, a, 1e-6, &arena);
        CD_CHECK(s.status == c.status);
        if (c.status == CD_AREA_NONE)
            continue;
        CD_CHECK(is_same(s.point, c.point) && is_same(s.normal, cd_negate2(c.normal)) && s.gap == c.gap);
        CD_CHECK(s.surface_a == c.surface_b && s.surface_b == c.surface_a && s.size == c.size);
        cd_area_contact t =
            cd_polygon_area_contact(test_quarter_turned(a, &arena), test_quarter_turned(b, &arena), 1e-6, &arena);
        CD_CHECK(is_same(t.normal, test_quarter(c.normal)) && is_same(t.point, test_quarter(c.point)));
        CD_CHECK(t.gap == c.gap && t.area == c.area);
        cd_area_contact f = cd_polygon_area_contact(test_moved(a, 0x1p20, -0x1p20, &arena),
                                                    test_moved(b, 0x1p20, -0x1p20, &arena), 1e-6, &arena);
        CD_CHECK(is_same(f.normal, c.normal) && f.gap == c.gap && f.area == c.area && f.size == c.size);
        CD_CHECK_NEAR(f.point.x - 0x1p20, c.point.x, 0x1p-32);
        CD_CHECK(f.surface_a == c.surface_a && f.surface_b == c.surface_b);
    }
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(box_standing_in_a_box);
    CD_RUN(corner_in_a_floor);
    CD_RUN(common_wall_does_not_tilt_the_normal);
    CD_RUN(random_pairs_follow_the_definition);
    CD_RUN(degenerate_overlaps_fall_back_to_the_depth);
    CD_RUN(transformations_keep_the_contact);
    return cd_test_done();
}
