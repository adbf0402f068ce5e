// Separation, signed distance and witness points against brute force in long double and by transformations.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "test_polygon_random.h"

typedef struct point {
    long double x, y;
} point;

static long double segment_distance(cd_vec2 v, cd_vec2 p, cd_vec2 q)
{
    long double ex = (long double)q.x - p.x, ey = (long double)q.y - p.y;
    long double dx = (long double)v.x - p.x, dy = (long double)v.y - p.y;
    long double t = (dx * ex + dy * ey) / (ex * ex + ey * ey);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypotl(dx - t * ex, dy - t * ey);
}

// The largest over all edges of the least signed distance.
static long double oracle_separation(cd_polygon a, cd_polygon b)
{
    long double best = -INFINITY;
    for (int side = 0; side < 2; side++) {
        cd_polygon owner = side ? b : a, other = side ? a : b;
        for (int32_t i = 0; i < owner.count; i++) {
            cd_vec2 p = owner.vertex[i], q = owner.vertex[cd_polygon_next(owner, i)];
            long double ex = (long double)q.x - p.x, ey = (long double)q.y - p.y, least = INFINITY;
            for (int32_t j = 0; j < other.count; j++) {
                long double dx = (long double)other.vertex[j].x - p.x, dy = (long double)other.vertex[j].y - p.y;
                least = fminl(least, (ey * dx - ex * dy) / hypotl(ex, ey));
            }
            best = fmaxl(best, least);
        }
    }
    return best;
}

static long double oracle_gap(cd_polygon a, cd_polygon b)
{
    long double separation = oracle_separation(a, b), least = INFINITY;
    if (separation <= 0)
        return separation;
    for (int side = 0; side < 2; side++) {
        cd_polygon owner = side ? b : a, other = side ? a : b;
        for (int32_t i = 0; i < owner.count; i++)
            for (int32_t j = 0; j < other.count; j++)
                least = fminl(
                    least, segment_distance(other.vertex[j], owner.vertex[i], owner.vertex[cd_polygon_next(owner, i)]));
    }
    return least;
}

static bool lies_on(cd_polygon p, cd_feature2 feature, cd_vec2 at, double tolerance)
{
    if (feature.index < 0 || feature.index >= p.count)
        return false;
    if (feature.kind == CD_FEATURE2_VERTEX)
        return cd_length2(cd_sub2(p.vertex[feature.index], at)) <= tolerance;
    return feature.kind == CD_FEATURE2_EDGE &&
           segment_distance(at, p.vertex[feature.index], p.vertex[cd_polygon_next(p, feature.index)]) <= tolerance;
}

static void check_pair(cd_polygon a, cd_polygon b)
{
    long double truth = oracle_gap(a, b);
    double bound = 0x1p-49 * (test_diameter(a) + test_diameter(b));
    cd_distance2 d = cd_polygon_distance(a, b), swapped = cd_polygon_distance(b, a);
    CD_CHECK_NEAR(d.gap, (double)truth, bound);
    CD_CHECK_NEAR(cd_length2(d.normal), 1, 1e-15);
    cd_vec2 residual = cd_sub2(cd_sub2(d.point_b, d.point_a), cd_scale2(d.gap, d.normal));
    CD_CHECK_NEAR(cd_length2(residual), 0, 4 * bound);
    CD_CHECK(lies_on(a, d.feature_a, d.point_a, bound) && lies_on(b, d.feature_b, d.point_b, bound));
    swapped = cd_distance2_flip(swapped);
    CD_CHECK(d.gap == swapped.gap && d.normal.x == swapped.normal.x && d.normal.y == swapped.normal.y);
    CD_CHECK(d.point_a.x == swapped.point_a.x && d.point_a.y == swapped.point_a.y);
    CD_CHECK(d.point_b.x == swapped.point_b.x && d.point_b.y == swapped.point_b.y);
    CD_CHECK(d.feature_a.kind == swapped.feature_a.kind && d.feature_a.index == swapped.feature_a.index);
    CD_CHECK(d.feature_b.kind == swapped.feature_b.kind && d.feature_b.index == swapped.feature_b.index);

    cd_separation2 s = cd_polygon_separation(a, b);
    CD_CHECK_NEAR(s.value, (double)oracle_separation(a, b), bound);
    cd_edge_gap gap = s.is_edge_of_b ? cd_polygon_edge_gap(b, s.edge, a) : cd_polygon_edge_gap(a, s.edge, b);
    CD_CHECK(gap.value == s.value && gap.vertex == s.vertex);
    CD_CHECK((s.value >= 0) == cd_polygon_disjoint(a, b));
    CD_CHECK((d.gap >= 0) == cd_polygon_disjoint(a, b));
    CD_CHECK(d.gap >= s.value || s.value > 0);
}

CD_TEST(matches_brute_force)
{
    cd_arena arena = {0};
    cd_random random = {20};
    int apart = 0, overlapping = 0;
    for (int k = 0; k < 40000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_ellipse_polygon(&random, 3 + k % 9, (cd_vec2){0, 0}, 1, &arena);
        cd_vec2 centre = {cd_random_between(&random, -2, 2), cd_random_between(&random, -2, 2)};
        cd_polygon b = test_ellipse_polygon(&random, 3 + k % 11, centre, k % 3 ? 1 : 0.01, &arena);
        check_pair(a, b);
        *(cd_polygon_distance(a, b).gap > 0 ? &apart : &overlapping) += 1;
    }
    CD_CHECK(apart > 5000 && overlapping > 5000);
    cd_arena_release(&arena);
}

// Grid polygons touch, share edges and have parallel edges all the time; the sign must be the integers' one.
CD_TEST(sign_is_exact_on_grids)
{
    cd_arena arena = {0};
    cd_random random = {21};
    int touching = 0;
    for (int k = 0; k < 40000; k++) {
        cd_arena_reset(&arena);
        int32_t size = 3 + k % 6;
        cd_polygon a = test_grid_polygon(&random, 3 + k % 6, 0, 0, size, &arena);
        int32_t shift = test_below(&random, 2 * size) - size + 1;
        cd_polygon b = test_grid_polygon(&random, 3 + k % 7, shift, size - 1, size, &arena);
        bool separates = false, touches = false;
        for (int side = 0; side < 2; side++) {
            cd_polygon owner = side ? b : a, other = side ? a : b;
            for (int32_t i = 0; i < owner.count; i++) {
                cd_vec2 p = owner.vertex[i], q = owner.vertex[cd_polygon_next(owner, i)];
                int least = 1;
                for (int32_t j = 0; j < other.count; j++) {
                    __int128 turn = test_exact_turn(p, q, other.vertex[j]);
                    int outside = turn < 0 ? 1 : turn > 0 ? -1 : 0;
                    least = outside < least ? outside : least;
                }
                separates |= least > 0;
                touches |= least == 0;
            }
        }
        double value = cd_polygon_separation(a, b).value;
        CD_CHECK(separates ? value > 0 : touches ? value == 0 : value < 0);
        touching += !separates && touches;
        check_pair(a, b);
        check_pair(test_scaled(a, 1.0 / 3, &arena), test_scaled(b, 1.0 / 3, &arena));
    }
    CD_CHECK(touching > 1000);
    cd_arena_release(&arena);
}

CD_TEST(parallel_edges_meet_in_the_middle)
{
    cd_arena arena = {0};
    cd_polygon floor = test_box(-10, -1, 10, 0, &arena);
    for (int k = -3; k <= 3; k++) {
        double y = k * 0.125;
        cd_polygon box = test_box(2, y, 3, y + 1, &arena);
        cd_distance2 d = cd_polygon_distance(floor, box);
        CD_CHECK(d.gap == y);
        CD_CHECK(d.normal.x == 0 && d.normal.y == 1);
        CD_CHECK_NEAR(d.point_a.x, 2.5, 1e-14);
        CD_CHECK(d.point_a.y == 0 && d.point_b.x == 2.5 && d.point_b.y == y);
        CD_CHECK(d.feature_a.kind == CD_FEATURE2_EDGE && d.feature_a.index == 2);
        CD_CHECK(d.feature_b.kind == CD_FEATURE2_EDGE && d.feature_b.index == 0);
    }
    // Half over the edge of a table: the common part is 1.5 .. 2.
    cd_distance2 d = cd_polygon_distance(test_box(0, -1, 2, 0, &arena), test_box(1.5, 0.25, 3, 1, &arena));
    CD_CHECK(d.gap == 0.25 && d.point_a.x == 1.75 && d.point_b.x == 1.75);
    // Corner to corner: no common part.
    d = cd_polygon_distance(test_box(0, 0, 1, 1, &arena), test_box(4, 5, 6, 6, &arena));
    CD_CHECK(d.gap == 5 && d.feature_a.kind == CD_FEATURE2_VERTEX && d.feature_a.index == 2);
    CD_CHECK(d.feature_b.kind == CD_FEATURE2_VERTEX && d.feature_b.index == 0);
    CD_CHECK_NEAR(d.normal.x, 0.6, 2e-16);
    cd_arena_release(&arena);
}

// Turned boxes lying on a turned floor are parallel up to rounding: the middle is found at any angle and place.
CD_TEST(parallel_edges_of_placed_bodies)
{
    cd_arena arena = {0};
    cd_random random = {22};
    cd_polygon floor = test_box(-5, -1, 5, 0, &arena), box = test_box(-0.25, -0.5, 0.25, 0.5, &arena);
    for (int k = 0; k < 5000; k++) {
        double far = k % 3 == 0 ? 1e6 : k % 3 == 1 ? 100 : 0, angle = cd_random_between(&random, -4, 4);
        double along = cd_random_between(&random, -4, 4), gap = k % 2 ? 0.01 : -0.01;
        cd_pose2 pose = cd_pose2_make((cd_vec2){far, -far / 3}, angle), lying = pose;
        lying.position = cd_pose2_apply(pose, (cd_vec2){along, 0.5 + gap});
        cd_vec2 va[4], vb[4];
        cd_distance2 d = cd_polygon_distance(cd_polygon_place(floor, pose, va), cd_polygon_place(box, lying, vb));
        cd_vec2 middle = cd_pose2_apply(pose, (cd_vec2){along, 0});
        double tolerance = 1e-14 + 2e-15 * far;
        CD_CHECK(d.feature_a.kind == CD_FEATURE2_EDGE && d.feature_a.index == 2);
        CD_CHECK(d.feature_b.kind == CD_FEATURE2_EDGE && d.feature_b.index == 0);
        CD_CHECK_NEAR(d.gap, gap, tolerance);
        CD_CHECK_NEAR(cd_length2(cd_sub2(d.point_a, middle)), 0, 100 * tolerance);
    }
    cd_arena_release(&arena);
}

CD_TEST(depth_parts_the_polygons)
{
    cd_arena arena = {0};
    cd_random random = {23};
    for (int k = 0; k < 10000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_ellipse_polygon(&random, 3 + k % 9, (cd_vec2){0, 0}, 1, &arena);
        cd_polygon b = test_ellipse_polygon(&random, 3 + k % 5, (cd_vec2){0.3, 0.1}, 1, &arena);
        cd_distance2 d = cd_polygon_distance(a, b);
        if (d.gap >= 0)
            continue;
        cd_vec2 more = cd_scale2(-d.gap + 1e-12, d.normal), less = cd_scale2(-d.gap - 1e-12, d.normal);
        CD_CHECK(cd_polygon_disjoint(a, test_moved(b, more.x, more.y, &arena)));
        CD_CHECK(!cd_polygon_disjoint(a, test_moved(b, less.x, less.y, &arena)));
        for (int i = 0; i < 16; i++) {  // and no shorter translation in another direction does
            double angle = i * M_PI / 8;
            cd_polygon other = test_moved(b, -0.999 * d.gap * cos(angle), -0.999 * d.gap * sin(angle), &arena);
            CD_CHECK(!cd_polygon_disjoint(a, other));
        }
    }
    cd_arena_release(&arena);
}

CD_TEST(transformations_keep_the_distance)
{
    cd_arena arena = {0};
    cd_random random = {24};
    for (int k = 0; k < 5000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_ellipse_polygon(&random, 3 + k % 9, (cd_vec2){0, 0}, 1, &arena);
        cd_vec2 centre = {cd_random_between(&random, -2, 2), cd_random_between(&random, -2, 2)};
        cd_polygon b = test_ellipse_polygon(&random, 3 + k % 4, centre, 1, &arena);
        cd_distance2 d = cd_polygon_distance(a, b);
        cd_distance2 turned = cd_polygon_distance(test_quarter_turned(a, &arena), test_quarter_turned(b, &arena));
        cd_distance2 large = cd_polygon_distance(test_scaled(a, 0x1p30, &arena), test_scaled(b, 0x1p30, &arena));
        cd_vec2 n = test_quarter(d.normal), p = test_quarter(d.point_a);
        CD_CHECK(turned.gap == d.gap && turned.normal.x == n.x && turned.normal.y == n.y);
        CD_CHECK(turned.point_a.x == p.x && turned.point_a.y == p.y);
        CD_CHECK(large.gap == d.gap * 0x1p30 && large.point_b.x == d.point_b.x * 0x1p30);
        CD_CHECK(large.normal.x == d.normal.x && large.feature_a.index == d.feature_a.index);
        cd_distance2 moved = cd_polygon_distance(test_moved(a, 1e6, 1e6, &arena), test_moved(b, 1e6, 1e6, &arena));
        CD_CHECK_NEAR(moved.gap, d.gap, 4 * 0x1p-33);
    }
    cd_arena_release(&arena);
}

CD_TEST(tiny_gaps_keep_their_digits)
{
    cd_arena arena = {0};
    const cd_vec2 tip[3] = {{0.3, 0x1p-70}, {0.8, 1}, {-0.2, 1}}, deep[3] = {{0.3, -0x1p-70}, {0.8, 1}, {-0.2, 1}};
    cd_polygon floor = test_box(-1, -1, 1, 0, &arena);
    cd_distance2 d = cd_polygon_distance(floor, (cd_polygon){3, tip});
    CD_CHECK_NEAR(d.gap, 0x1p-70, 0x1p-120);
    CD_CHECK_NEAR(d.normal.y, 1, 1e-15);
    d = cd_polygon_distance(floor, (cd_polygon){3, deep});
    CD_CHECK_NEAR(d.gap, -0x1p-70, 0x1p-120);
    cd_arena_release(&arena);
}

CD_TEST(point_distance_matches_brute_force)
{
    cd_arena arena = {0};
    cd_random random = {25};
    for (int k = 0; k < 20000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_ellipse_polygon(&random, 3 + k % 9, (cd_vec2){0, 0}, 1, &arena);
        cd_vec2 v = {cd_random_between(&random, -1.5, 1.5), cd_random_between(&random, -1.5, 1.5)};
        if (k % 4 == 0)
            v = a.vertex[k / 4 % a.count];
        if (k % 4 == 1)
            v = cd_lerp2(a.vertex[0], a.vertex[1], cd_random_unit(&random));
        long double least = INFINITY;
        for (int32_t i = 0; i < a.count; i++)
            least = fminl(least, segment_distance(v, a.vertex[i], a.vertex[cd_polygon_next(a, i)]));
        cd_distance2 d = cd_polygon_point_distance(a, v);
        CD_CHECK_NEAR(fabs(d.gap), (double)least, 1e-15);
        CD_CHECK((d.gap <= 0) == cd_polygon_contains(a, v));
        CD_CHECK(lies_on(a, d.feature_a, d.point_a, 1e-14));
        cd_vec2 residual = cd_sub2(cd_sub2(v, d.point_a), cd_scale2(d.gap, d.normal));
        CD_CHECK_NEAR(cd_length2(residual), 0, 1e-14);
        CD_CHECK_NEAR(cd_length2(d.normal), 1, 1e-15);
    }
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(matches_brute_force);
    CD_RUN(sign_is_exact_on_grids);
    CD_RUN(parallel_edges_meet_in_the_middle);
    CD_RUN(parallel_edges_of_placed_bodies);
    CD_RUN(depth_parts_the_polygons);
    CD_RUN(transformations_keep_the_distance);
    CD_RUN(tiny_gaps_keep_their_digits);
    CD_RUN(point_distance_matches_brute_force);
    return cd_test_done();
}
