// Disjointness, intersection and overlap area against exact integer arithmetic and by what transformations must keep.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "test_polygon_random.h"

#include <stdlib.h>

// ---- the oracle: every corner of the intersection is a corner of one polygon inside the other or a proper crossing of
// two edges, all decided on integers; sorted around their mean, in long double ----------------------------------------

typedef struct spot {
    long double x, y, angle;
} spot;

static int compare_angle(const void *left, const void *right)
{
    const spot *a = left, *b = right;
    return (a->angle > b->angle) - (a->angle < b->angle);
}

static bool is_inside(cd_polygon p, cd_vec2 v)
{
    for (int32_t i = 0; i < p.count; i++)
        if (test_exact_turn(p.vertex[i], p.vertex[cd_polygon_next(p, i)], v) < 0)
            return false;
    return true;
}

static int32_t collect(cd_polygon a, cd_polygon b, spot *out)
{
    int32_t n = 0;
    for (int32_t i = 0; i < a.count; i++)
        if (is_inside(b, a.vertex[i]))
            out[n++] = (spot){a.vertex[i].x, a.vertex[i].y, 0};
    for (int32_t i = 0; i < b.count; i++)
        if (is_inside(a, b.vertex[i]))
            out[n++] = (spot){b.vertex[i].x, b.vertex[i].y, 0};
    for (int32_t i = 0; i < a.count; i++)
        for (int32_t j = 0; j < b.count; j++) {
            cd_vec2 p = a.vertex[i], q = a.vertex[cd_polygon_next(a, i)];
            cd_vec2 s = b.vertex[j], t = b.vertex[cd_polygon_next(b, j)];
            __int128 tp = test_exact_turn(s, t, p), tq = test_exact_turn(s, t, q);
            __int128 ts = test_exact_turn(p, q, s), tt = test_exact_turn(p, q, t);
            if (!((tp > 0 && tq < 0) || (tp < 0 && tq > 0)) || !((ts > 0 && tt < 0) || (ts < 0 && tt > 0)))
                continue;
            long double u = (long double)tp / (long double)(tp - tq);
            out[n++] = (spot){p.x + u * ((long double)q.x - p.x), p.y + u * ((long double)q.y - p.y), 0};
        }
    return n;
}

static long double oracle_area(cd_polygon a, cd_polygon b)
{
    spot s[256];
    int32_t n = collect(a, b, s);
    if (n < 3)
        return 0;
    long double cx = 0, cy = 0, twice = 0;
    for (int32_t i = 0; i < n; i++) {
        cx += s[i].x / n;
        cy += s[i].y / n;
    }
    for (int32_t i = 0; i < n; i++)
        s[i].angle = atan2l(s[i].y - cy, s[i].x - cx);
    qsort(s, (size_t)n, sizeof *s, compare_angle);
    for (int32_t i = 0; i < n; i++) {
        spot p = s[i], q = s[(i + 1) % n];
        twice += (p.x - cx) * (q.y - cy) - (p.y - cy) * (q.x - cx);
    }
    return twice / 2;
}

static bool oracle_disjoint(cd_polygon a, cd_polygon b)
{
    for (int side = 0; side < 2; side++) {
        cd_polygon owner = side ? b : a, other = side ? a : b;
        for (int32_t i = 0; i < owner.count; i++) {
            bool separates = true;
            cd_vec2 p = owner.vertex[i], q = owner.vertex[cd_polygon_next(owner, i)];
            for (int32_t j = 0; j < other.count; j++)
                separates &= test_exact_turn(p, q, other.vertex[j]) <= 0;
            if (separates)
                return true;
        }
    }
    return false;
}

// The bound the header promises.
static double area_bound(cd_polygon a, cd_polygon b)
{
    double d_a = test_diameter(a), d_b = test_diameter(b);
    return (64 + a.count + b.count) * 0x1p-52 * fmin(d_a, d_b) * (d_a + d_b);
}

static void check_pair(cd_polygon a, cd_polygon b, cd_arena *arena, double *worst)
{
    long double truth = oracle_area(a, b);
    double area = cd_polygon_overlap_area(a, b, arena), bound = area_bound(a, b);
    bool disjoint = oracle_disjoint(a, b);
    CD_CHECK(cd_polygon_disjoint(a, b) == disjoint);
    CD_CHECK(disjoint ? area == 0 : area >= 0);
    CD_CHECK_NEAR(area, disjoint ? 0 : (double)truth, bound);
    CD_CHECK(area == cd_polygon_overlap_area(b, a, arena));
    *worst = fmax(*worst, fabs(area - (double)truth) / bound);

    cd_clip2 clip = cd_polygon_clip(a, b, arena);
    CD_CHECK((clip.polygon.count == 0) == disjoint);
    if (clip.polygon.count == 0)
        return;
    CD_CHECK(clip.polygon.count >= 3 && clip.polygon.count <= a.count + b.count);
    // Its vertices are rounded to world frame on top.
    double size = cd_polygon_radius(a, (cd_vec2){0, 0}), rounding = size * 0x1p-52 * test_diameter(clip.polygon);
    CD_CHECK_NEAR(cd_polygon_area(clip.polygon), (double)truth, bound + 4 * rounding);
}

CD_TEST(area_matches_exact_arithmetic_on_coarse_grids)
{
    cd_arena arena = {0};
    cd_random random = {5};
    double worst = 0;
    int overlaps = 0, touching = 0;
    for (int k = 0; k < 40000; k++) {
        cd_arena_reset(&arena);
        int32_t size = 3 + k % 8, reach = size + 2;
        cd_polygon a = test_grid_polygon(&random, 3 + k % 6, 0, 0, size, &arena);
        cd_polygon b = test_grid_polygon(&random, 3 + k % 7, test_below(&random, 2 * reach) - reach,
                                         test_below(&random, 2 * reach) - reach, size, &arena);
        check_pair(a, b, &arena, &worst);
        bool disjoint = cd_polygon_disjoint(a, b);
        spot s[256];
        overlaps += !disjoint;
        touching += disjoint && collect(a, b, s) > 0;
    }
    CD_CHECK(overlaps > 5000);
    CD_CHECK(touching > 1000);
    CD_CHECK(worst > 0 && worst < 0.2);  // the bound is safe, and the comparison is not with itself
    cd_arena_release(&arena);
}

CD_TEST(area_matches_exact_arithmetic_on_fine_grids)
{
    cd_arena arena = {0};
    cd_random random = {6};
    double worst = 0;
    for (int k = 0; k < 20000; k++) {
        cd_arena_reset(&arena);
        int32_t size = 1 << 20, small = k % 2 ? size : 1 << 10;
        int32_t x = test_below(&random, size + small) - small, y = test_below(&random, size + small) - small;
        cd_polygon a = test_grid_polygon(&random, 3 + k % 18, 0, 0, size, &arena);
        cd_polygon b = test_grid_polygon(&random, 3 + k % 11, x, y, small, &arena);
        check_pair(a, b, &arena, &worst);
    }
    CD_CHECK(worst < 0.2);
    cd_arena_release(&arena);
}

// Nearly parallel long edges: slivers of area, where crossings are ill-conditioned.
CD_TEST(area_of_slivers)
{
    cd_arena arena = {0};
    cd_random random = {7};
    double worst = 0;
    for (int k = 0; k < 20000; k++) {
        cd_arena_reset(&arena);
        double length = 0x1p40;  // and a few units high: an angle of 1e-12 rad
        cd_vec2 va[3] = {{0, 0},
                         {length, test_below(&random, 5)},
                         {floor(cd_random_between(&random, 0, length)), -1 - test_below(&random, 3)}};
        cd_vec2 vb[3] = {{length + test_below(&random, 9) - 4, test_below(&random, 5)},
                         {test_below(&random, 9) - 4, test_below(&random, 5) - 2},
                         {floor(cd_random_between(&random, 0, length)), -3 + test_below(&random, 5)}};
        cd_polygon a = cd_hull2(va, 3, &arena, NULL), b = cd_hull2(vb, 3, &arena, NULL);
        if (a.count == 3 && b.count == 3)
            check_pair(a, b, &arena, &worst);
    }
    cd_arena_release(&arena);
}

CD_TEST(contained_and_identical)
{
    cd_arena arena = {0};
    cd_random random = {8};
    for (int k = 0; k < 1000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_ellipse_polygon(&random, 3 + k % 20, (cd_vec2){0.3, -0.2}, 1, &arena);
        cd_polygon outer = test_box(-3, -3, 3, 3, &arena), again = test_renumbered(a, k % a.count, &arena);
        double area = cd_polygon_area(a);
        CD_CHECK_NEAR(cd_polygon_overlap_area(a, outer, &arena), area, 1e-14);
        CD_CHECK_NEAR(cd_polygon_overlap_area(a, again, &arena), area, 1e-14);
        cd_clip2 clip = cd_polygon_clip(a, again, &arena), inner = cd_polygon_clip(outer, a, &arena);
        CD_CHECK(clip.polygon.count == a.count);
        for (int32_t i = 0; i < clip.polygon.count; i++) {
            CD_CHECK(clip.origin[i].a >= 0);
            CD_CHECK(clip.origin[i].b == (clip.origin[i].a - k % a.count + a.count) % a.count);
        }
        CD_CHECK(inner.polygon.count == a.count);
        for (int32_t i = 0; i < inner.polygon.count; i++)
            CD_CHECK(inner.origin[i].a == -1 && inner.origin[i].b >= 0);
    }
    cd_arena_release(&arena);
}

CD_TEST(touching_has_no_area)
{
    cd_arena arena = {0};
    cd_polygon a = test_box(0, 0, 1, 1, &arena);
    cd_polygon edge = test_box(1, 0.25, 2, 0.5, &arena), corner = test_box(1, 1, 2, 2, &arena);
    cd_polygon deep = test_box(nextafter(1, 0), 0, 2, 1, &arena), apart = test_box(nextafter(1, 2), 0, 2, 1, &arena);
    const cd_vec2 tip[3] = {{1, 0.5}, {3, 0}, {3, 1}};
    CD_CHECK(cd_polygon_overlap_area(a, edge, &arena) == 0);
    CD_CHECK(cd_polygon_overlap_area(a, corner, &arena) == 0);
    CD_CHECK(cd_polygon_overlap_area(a, (cd_polygon){3, tip}, &arena) == 0);
    CD_CHECK(cd_polygon_disjoint(a, edge) && cd_polygon_disjoint(a, corner) && cd_polygon_disjoint(a, apart));
    CD_CHECK(!cd_polygon_disjoint(a, deep));  // one unit in the last place
    CD_CHECK_NEAR(cd_polygon_overlap_area(a, deep, &arena), 0, 1e-15);
    cd_arena_release(&arena);
}

CD_TEST(separated_pairs_give_exactly_zero)
{
    cd_arena arena = {0};
    cd_random random = {9};
    for (int k = 0; k < 20000; k++) {
        cd_arena_reset(&arena);
        // On both sides of a random line through a far point, some of them touching it.
        double angle = cd_random_between(&random, 0, 7), far = k % 3 ? 0 : 1e6;
        cd_vec2 n = {cos(angle), sin(angle)}, centre = {far, 3 * far};
        double gap = k % 5 ? cd_random_between(&random, 1e-9, 1e-3) * (1 + far * 1e-3) : 1;
        cd_polygon a = test_ellipse_polygon(&random, 3 + k % 9, centre, 0.5, &arena), b;
        double top = -INFINITY, bottom = INFINITY;
        for (int32_t i = 0; i < a.count; i++)
            top = fmax(top, cd_dot2(n, cd_sub2(a.vertex[i], centre)));
        b = test_ellipse_polygon(&random, 3 + k % 8, centre, 0.4, &arena);
        for (int32_t i = 0; i < b.count; i++)
            bottom = fmin(bottom, cd_dot2(n, cd_sub2(b.vertex[i], centre)));
        b = test_moved(b, (top - bottom + gap) * n.x, (top - bottom + gap) * n.y, &arena);
        CD_CHECK(cd_polygon_overlap_area(a, b, &arena) == 0);
        CD_CHECK(cd_polygon_clip(a, b, &arena).polygon.count == 0);
    }
    cd_arena_release(&arena);
}

CD_TEST(transformations_keep_the_area)
{
    cd_arena arena = {0};
    cd_random random = {10};
    for (int k = 0; k < 5000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_ellipse_polygon(&random, 3 + k % 12, (cd_vec2){0, 0}, 1, &arena);
        cd_vec2 centre = {cd_random_between(&random, -1, 1), cd_random_between(&random, -1, 1)};
        cd_polygon b = test_ellipse_polygon(&random, 3 + k % 7, centre, 1, &arena);
        double area = cd_polygon_overlap_area(a, b, &arena), bound = area_bound(a, b);
        double turned = cd_polygon_overlap_area(test_quarter_turned(a, &arena), test_quarter_turned(b, &arena), &arena);
        CD_CHECK(turned == area);
        double scaled = cd_polygon_overlap_area(test_scaled(a, 0x1p40, &arena), test_scaled(b, 0x1p40, &arena), &arena);
        CD_CHECK(scaled == area * 0x1p80);
        scaled = cd_polygon_overlap_area(test_scaled(a, 0x1p-40, &arena), test_scaled(b, 0x1p-40, &arena), &arena);
        CD_CHECK(scaled == area * 0x1p-80);
        double other = cd_polygon_overlap_area(test_renumbered(a, 1, &arena), test_renumbered(b, 2, &arena), &arena);
        CD_CHECK_NEAR(other, area, bound);
        // Moving rounds the vertices: by 2^-34 m at 1e6 m, times the perimeter.
        cd_polygon far_a = test_moved(a, 1e6, -1e6, &arena), far_b = test_moved(b, 1e6, -1e6, &arena);
        double moved = cd_polygon_overlap_area(far_a, far_b, &arena);
        CD_CHECK_NEAR(moved, area, 8 * 0x1p-33);
    }
    cd_arena_release(&arena);
}

// On vertices that are exact there, the distance from the origin changes no bit.
CD_TEST(area_far_from_the_origin)
{
    cd_arena arena = {0};
    cd_random random = {11};
    for (int k = 0; k < 5000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_scaled(test_grid_polygon(&random, 8, 0, 0, 1 << 20, &arena), 0x1p-20, &arena);
        cd_polygon b = test_scaled(test_grid_polygon(&random, 8, 1 << 18, 1 << 19, 1 << 20, &arena), 0x1p-20, &arena);
        cd_polygon c = test_moved(a, 0x1p20, 0x1p20, &arena), d = test_moved(b, 0x1p20, 0x1p20, &arena);
        CD_CHECK(cd_polygon_overlap_area(a, b, &arena) == cd_polygon_overlap_area(c, d, &arena));
    }
    cd_arena_release(&arena);
}

static double distance_from_line(cd_polygon p, int32_t edge, cd_vec2 v)
{
    cd_vec2 s = p.vertex[edge], e = cd_sub2(p.vertex[cd_polygon_next(p, edge)], s);
    return fabs(cd_cross2(e, cd_sub2(v, s))) / cd_length2(e);
}

// Each edge of the intersection lies on the edges it names, and runs their way.
CD_TEST(edges_know_their_origin)
{
    cd_arena arena = {0};
    cd_random random = {12};
    for (int k = 0; k < 5000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a, b;
        if (k % 2) {
            a = test_ellipse_polygon(&random, 3 + k % 12, (cd_vec2){0, 0}, 1, &arena);
            b = test_ellipse_polygon(&random, 3 + k % 7, (cd_vec2){cd_random_unit(&random), 0.3}, 1, &arena);
        } else {
            a = test_grid_polygon(&random, 6, 0, 0, 6, &arena);
            b = test_grid_polygon(&random, 6, 1, 1, 6, &arena);
        }
        cd_clip2 clip = cd_polygon_clip(a, b, &arena);
        for (int32_t i = 0; i < clip.polygon.count; i++) {
            cd_vec2 p = clip.polygon.vertex[i], q = clip.polygon.vertex[cd_polygon_next(clip.polygon, i)];
            cd_clip_origin origin = clip.origin[i];
            CD_CHECK(origin.a >= 0 || origin.b >= 0);
            CD_CHECK(origin.a < a.count && origin.b < b.count);
            for (int side = 0; side < 2; side++) {
                cd_polygon owner = side ? b : a;
                int32_t edge = side ? origin.b : origin.a;
                if (edge < 0)
                    continue;
                CD_CHECK_NEAR(distance_from_line(owner, edge, p), 0, 1e-14);
                CD_CHECK_NEAR(distance_from_line(owner, edge, q), 0, 1e-14);
                cd_vec2 e = cd_sub2(owner.vertex[cd_polygon_next(owner, edge)], owner.vertex[edge]);
                CD_CHECK(cd_length2(cd_sub2(q, p)) < 1e-12 || cd_dot2(cd_sub2(q, p), e) > 0);
            }
        }
    }
    cd_arena_release(&arena);
}

// Two boxes side by side in height: the common side walls belong to both.
CD_TEST(common_edges_belong_to_both)
{
    cd_arena arena = {0};
    cd_polygon a = test_box(0, 0, 2, 1, &arena), b = test_box(0, 0.75, 2, 2, &arena);
    cd_clip2 clip = cd_polygon_clip(a, b, &arena);
    CD_CHECK(clip.polygon.count == 4);
    int both = 0, only_a = 0, only_b = 0;
    for (int32_t i = 0; i < clip.polygon.count; i++) {
        both += clip.origin[i].a >= 0 && clip.origin[i].b >= 0;
        only_a += clip.origin[i].a == 2 && clip.origin[i].b == -1;
        only_b += clip.origin[i].a == -1 && clip.origin[i].b == 0;
    }
    CD_CHECK(both == 2 && only_a == 1 && only_b == 1);
    CD_CHECK(cd_polygon_overlap_area(a, b, &arena) == 0.5);
    cd_arena_release(&arena);
}

CD_TEST(large_polygons)
{
    cd_arena arena = {0};
    cd_random random = {13};
    cd_polygon a = test_ellipse_polygon(&random, 2000, (cd_vec2){0, 0}, 1, &arena);
    cd_vec2 *v = CD_ARENA_ARRAY(&arena, cd_vec2, 4000);
    for (int i = 0; i < 4000; i++)
        v[i] = (cd_vec2){0.5 + cos(i * M_PI / 2000), sin(i * M_PI / 2000)};
    cd_polygon b = {4000, v};
    double area = cd_polygon_overlap_area(a, b, &arena), part = 0;
    // Additivity: b cut into two by its diagonal through vertices 0 and 2000.
    cd_polygon upper = {2001, v};
    cd_vec2 *w = CD_ARENA_ARRAY(&arena, cd_vec2, 2001);
    memcpy(w, v + 2000, 2000 * sizeof *w);
    w[2000] = v[0];
    cd_polygon lower = {2001, w};
    part = cd_polygon_overlap_area(a, upper, &arena) + cd_polygon_overlap_area(a, lower, &arena);
    CD_CHECK_NEAR(part, area, 1e-12);
    CD_CHECK(area > 0 && area < cd_polygon_area(a));
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(area_matches_exact_arithmetic_on_coarse_grids);
    CD_RUN(area_matches_exact_arithmetic_on_fine_grids);
    CD_RUN(area_of_slivers);
    CD_RUN(contained_and_identical);
    CD_RUN(touching_has_no_area);
    CD_RUN(separated_pairs_give_exactly_zero);
    CD_RUN(transformations_keep_the_area);
    CD_RUN(area_far_from_the_origin);
    CD_RUN(edges_know_their_origin);
    CD_RUN(common_edges_belong_to_both);
    CD_RUN(large_polygons);
    return cd_test_done();
}
