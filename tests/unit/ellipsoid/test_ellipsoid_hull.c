// Ellipsoids and hulls of corners: the answer bounds itself from below, by the planes normal to it; from above by its
// two points where they are apart, else by many directions. Closed forms of points, edges and faces.
// SPDX-License-Identifier: MIT
#include "cd_ellipsoid_gap.h"
#include "cd_ellipsoid_hull.h"
#include "cd_ellipsoid_point.h"
#include "cd_hull3.h"
#include "cd_test.h"
#include "test_ellipsoids.h"

static const double aspects[4] = {1.5, 4, 20, 100};
static cd_arena arena, scratch;

static cd_convex3 random_hull(cd_random *random, double size)
{
    enum { MOST_POINTS = 24 };
    cd_vec3 *point = CD_ARENA_ARRAY(&arena, cd_vec3, MOST_POINTS);
    const int32_t count = 4 + (int32_t)(cd_random_bits(random) % (MOST_POINTS - 3));
    const cd_vec3 middle = test_point(random, 1.2 * size);
    const double own = test_between(random, 0.1, 1.5) * size;
    for (int32_t i = 0; i < count; i++)
        point[i] = cd_add3(middle, test_point(random, own));
    cd_hull3 hull = cd_hull3_make(point, count, &arena);
    cd_polyhedron polyhedron = cd_hull3_polyhedron(&hull, point, &arena);
    return cd_convex3_make(&arena, &polyhedron, NULL);
}

static double separation(const cd_half_axes *half, cd_vec3 centre, const cd_convex3 *convex, cd_vec3 n)
{
    double least = INFINITY;
    for (int32_t i = 0; i < convex->vertex_count; i++)
        least = fmin(least, cd_dot3(n, cd_sub3(cd_convex3_vertex(convex, i), centre)));
    return least - cd_half_axes_width(half, n);
}

static double outside(const cd_convex3 *convex, cd_vec3 p)
{
    double most = -INFINITY;
    for (int32_t f = 0; f < convex->face_count; f++)
        most = fmax(most, cd_dot3(convex->plane[f].normal, p) - convex->plane[f].offset);
    return most;
}

CD_TEST(polyhedra_have_answers_that_prove_themselves)
{
    enum { PAIRS = 4000, DIRECTIONS = 500 };
    cd_random random = {1};
    int overlaps = 0, features[4] = {0};
    double below = 0, beside = 0, above = 0, point = 0;
    for (int i = 0; i < PAIRS; i++) {
        const double aspect = aspects[i % 4], reach = sqrt(aspect);
        const cd_mat3 turn = test_turn(&random);
        const cd_ellipsoid e = {test_point(&random, 1), test_semiaxes(&random, aspect), &turn};
        const cd_half_axes half = cd_ellipsoid_half_axes(&e);
        const cd_convex3 convex = random_hull(&random, reach);
        const cd_ellipsoid_hull found = cd_ellipsoid_convex(&e, &convex, &scratch);
        below = fmax(below, fabs(found.gap - separation(&half, e.centre, &convex, found.normal)) / reach);
        point = fmax(point,
                     test_apart(cd_sub3(found.point_hull, found.point_ellipsoid), cd_scale3(found.gap, found.normal)) /
                         reach);
        features[found.feature == CD_FEATURE_NONE ? 3 : cd_feature_kind(found.feature)]++;
        if (found.gap > 0) {
            beside = fmax(beside, outside(&convex, found.point_hull) / reach);
            continue;
        }
        overlaps++;
        for (int k = 0; k < DIRECTIONS; k++) {
            cd_vec3 n = cd_unit3(test_point(&random, 1));
            n = k % 2 ? n : cd_unit3(cd_add3(found.normal, cd_scale3(test_between(&random, 0, 0.1), n)));
            above = fmax(above, (separation(&half, e.centre, &convex, n) - found.gap) / reach);
        }
    }
    CD_CHECK(overlaps > PAIRS / 5 && overlaps < PAIRS * 4 / 5);
    CD_CHECK(features[CD_FEATURE_VERTEX] > 100 && features[CD_FEATURE_FACE] > 100 && features[3] > 100);
    CD_CHECK(below < 1e-13 && beside < 1e-12 && above < 1e-13 && point < 1e-14);
    printf("# below %.2g, beside %.2g, above %.2g\n", below, beside, above);
}

CD_TEST(points_segments_and_triangles_are_hulls)
{
    enum { PAIRS = 20000 };
    cd_random random = {2};
    double worst = 0, weights = 0;
    int overlaps = 0;
    for (int i = 0; i < PAIRS; i++) {
        const double aspect = aspects[i % 4], reach = sqrt(aspect);
        const cd_mat3 turn = test_turn(&random);
        const cd_ellipsoid e = {test_point(&random, 1), test_semiaxes(&random, aspect), &turn};
        const cd_half_axes half = cd_ellipsoid_half_axes(&e);
        const cd_vec3 middle = test_point(&random, 0.8 * reach);
        cd_vec3 corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = cd_add3(middle, test_point(&random, reach));
        for (int count = 1; count <= 3; count++) {
            const cd_ellipsoid_hull hull = cd_ellipsoid_corners(&e, corner, count);
            double least = INFINITY;
            for (int k = 0; k < count; k++)
                least = fmin(least, cd_dot3(hull.normal, cd_sub3(corner[k], e.centre)));
            worst = fmax(worst, fabs(least - cd_half_axes_width(&half, hull.normal) - hull.gap) / reach);
            overlaps += hull.gap < 0;
            if (count == 1) {
                CD_CHECK_NEAR(hull.gap, cd_ellipsoid_point(&e, corner[0]).gap, 1e-13 * reach);
                continue;
            }
            // apart, no point of it is nearer
            for (int j = 0; j < 20 && hull.gap > 0; j++) {
                const double s = test_between(&random, 0, 1), t = test_between(&random, 0, count == 3 ? 1 - s : 0);
                cd_vec3 p = cd_lerp3(corner[0], corner[1], s);
                p = count == 3 ? cd_add3(p, cd_scale3(t, cd_sub3(corner[2], corner[0]))) : p;
                weights = fmax(weights, (hull.gap - cd_ellipsoid_point(&e, p).gap) / reach);
            }
            const cd_ellipsoid_hull smaller = cd_ellipsoid_corners(&e, corner, count - 1);
            CD_CHECK(smaller.gap >= hull.gap - 1e-13 * reach);
        }
    }
    CD_CHECK(worst < 1e-13 && weights < 1e-13 && overlaps > PAIRS / 4);
    printf("# corners: %.2g, %.2g\n", worst, weights);
}

CD_TEST(closed_forms)
{
    const cd_mat3 still = cd_mat3_identity();
    const cd_ellipsoid e = {{0, 0, 0}, {1, 2, 3}, &still};
    const cd_vec3 floor[3] = {{-9, -9, -4}, {9, -9, -4}, {0, 9, -4}},
                  through[3] = {{-9, -9, -1}, {9, -9, -1}, {0, 9, -1}};
    cd_ellipsoid_hull hull = cd_ellipsoid_corners(&e, floor, 3);
    CD_CHECK(hull.gap == 1 && hull.normal.z == -1 && hull.feature == cd_feature(CD_FEATURE_FACE, 0));
    // a large triangle through the body: out along its own normal, the nearer side
    hull = cd_ellipsoid_corners(&e, through, 3);
    CD_CHECK(hull.gap == -2 && hull.normal.z == -1 && !hull.is_degenerate && hull.point_ellipsoid.z == -3);
    const cd_vec3 middle[3] = {{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}};
    hull = cd_ellipsoid_corners(&e, middle, 3);
    CD_CHECK(hull.gap == -3 && hull.is_degenerate);
    // a line along z beside and in the ellipse of semiaxes 1 and 2
    const cd_vec3 line[2] = {{3, 0, -9}, {3, 0, 9}}, inside[2] = {{0.25, 0, -9}, {0.25, 0, 9}};
    hull = cd_ellipsoid_corners(&e, line, 2);
    CD_CHECK(hull.gap == 2 && hull.normal.x == 1 && hull.feature == cd_feature(CD_FEATURE_EDGE, 0));
    hull = cd_ellipsoid_corners(&e, inside, 2);
    CD_CHECK(hull.gap == -0.75 && hull.normal.x == 1 && !hull.is_degenerate);
    const cd_vec3 same[3] = {{4, 0, 0}, {4, 0, 0}, {4, 0, 0}};
    hull = cd_ellipsoid_corners(&e, same, 3);
    CD_CHECK(hull.gap == 3 && hull.feature == cd_feature(CD_FEATURE_VERTEX, 0));
}

int main(void)
{
    CD_RUN(polyhedra_have_answers_that_prove_themselves);
    CD_RUN(points_segments_and_triangles_are_hulls);
    CD_RUN(closed_forms);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
    return cd_test_done();
}
