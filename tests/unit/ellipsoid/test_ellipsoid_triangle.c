// Ellipsoids and triangles. The oracle is that the answer proves itself: the point is of the triangle and on the scaled
// ellipsoid, and the plane that touches the ellipsoid there has the whole triangle on its other side.
// SPDX-License-Identifier: MIT
#include "cd_ellipsoid_triangle.h"
#include "cd_test.h"
#include "test_ellipsoids.h"

static double worst, worst_point;  // [1] of the largest semiaxis

// How much the answer misses [m], and the number of its feature's corners.
static int judge(const cd_ellipsoid *e, const cd_vec3 corner[3], const cd_ellipsoid_triangle *t, double *miss)
{
    cd_half_axes half = cd_ellipsoid_half_axes(e);
    cd_ellipsoid_touch touch = t->touch;
    double height = cd_half_axes_width(&half, touch.normal), reach = touch.mu * height, sum = 0;
    int corners = 0;
    *miss = fabs(touch.gap - (touch.mu - 1) * height);
    cd_vec3 of_weights = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        double w = t->nearest.weight[k];
        CD_CHECK(w >= 0);
        corners += w > 0;
        sum += w;
        of_weights = cd_add3(of_weights, cd_scale3(w, corner[k]));
        *miss = fmax(*miss, reach - cd_dot3(touch.normal, cd_sub3(corner[k], e->centre)));
    }
    CD_CHECK_NEAR(sum, 1, 1e-15);
    CD_CHECK_NEAR(cd_length3(touch.normal), 1, 1e-14);
    *miss = fmax(*miss, fabs(cd_dot3(touch.normal, cd_sub3(of_weights, e->centre)) - reach));
    // nearly flat ellipsoids: a point moves by the radius of curvature times what the normal turns
    double apart = test_apart(touch.point, cd_add3(e->centre, cd_half_axes_support(&half, touch.normal)));
    apart = fmax(apart, test_apart(t->point, of_weights));
    worst_point = fmax(worst_point, apart / test_largest(e->semiaxes));
    return corners;
}

CD_TEST(the_touching_plane_proves_the_answer)
{
    cd_random random = {1};
    int seen[3] = {0}, overlaps = 0;
    for (int i = 0; i < 60000; i++) {
        static const double aspects[3] = {2, 10, 100};
        double aspect = aspects[i % 3], size = sqrt(aspect), miss;
        cd_mat3 turn = test_turn(&random);
        cd_ellipsoid e = {test_point(&random, 3), test_semiaxes(&random, aspect), &turn};
        cd_vec3 middle = test_point(&random, 2 * size), corner[3];
        for (int k = 0; k < 3; k++)
            corner[k] = cd_add3(middle, test_point(&random, test_between(&random, 0.1, 2) * size));
        cd_ellipsoid_triangle t = cd_ellipsoid_triangle_touch(&e, corner);
        seen[judge(&e, corner, &t, &miss) - 1]++;
        overlaps += t.touch.mu < 1;
        worst = fmax(worst, miss / test_largest(e.semiaxes));
        CD_CHECK(!t.is_degenerate);
    }
    CD_CHECK(seen[0] > 5000 && seen[1] > 5000 && seen[2] > 2000 && overlaps > 1500);
    CD_CHECK(worst < 1e-12 && worst_point < 1e-9);
}

CD_TEST(a_ball_is_met_at_the_nearest_point)
{
    cd_mat3 turn = cd_quat_matrix((cd_quat){1, 2, 3, 4});
    cd_ellipsoid e = {{1, 2, 3}, {0.5, 0.5, 0.5}, &turn};
    const cd_vec3 corner[3] = {{-9, 1, 3}, {11, 1, 3}, {1, 2, 3}}, far[3] = {{-9, 1, 5}, {11, 1, 5}, {1, 1.875, 5}};
    cd_ellipsoid_triangle t = cd_ellipsoid_triangle_touch(&e, far);
    CD_CHECK(t.nearest.feature == cd_feature(CD_FEATURE_VERTEX, 2));
    CD_CHECK_NEAR(t.touch.gap, sqrt(4.015625) - 0.5, 1e-15);
    CD_CHECK_NEAR(t.touch.mu, sqrt(4.015625) / 0.5, 1e-14);
    // obtuse at the third corner: outside of two edges, and nearest to the inside of one
    const cd_vec3 obtuse[3] = {{-12, -1, 0}, {8, -1, 0}, {-2, 0, 0}};
    e.centre = (cd_vec3){1, 1, 0};
    t = cd_ellipsoid_triangle_touch(&e, obtuse);
    CD_CHECK(t.nearest.feature == cd_feature(CD_FEATURE_EDGE, 1));
    CD_CHECK_NEAR(t.touch.gap, 13 / sqrt(101) - 0.5, 1e-14);
    e.centre = (cd_vec3){1, 2, 3};
    // the centre on a corner: flagged, and out along the triangle's normal
    t = cd_ellipsoid_triangle_touch(&e, corner);
    CD_CHECK(t.is_degenerate && t.touch.gap == -0.5 && fabs(t.touch.normal.z) == 1);
}

CD_TEST(a_face_is_a_plane)
{
    // support sqrt((4 + 9)/2) over the floor z = 0
    cd_mat3 turn = cd_quat_matrix((cd_quat){0.9238795325112867, 0.3826834323650898, 0, 0});
    cd_ellipsoid e = {{0, 0, 2.5}, {1, 2, 3}, &turn};
    const cd_vec3 corner[3] = {{-20, -20, 0}, {20, -20, 0}, {0, 20, 0}};
    cd_ellipsoid_triangle t = cd_ellipsoid_triangle_touch(&e, corner);
    CD_CHECK(t.nearest.feature == cd_feature(CD_FEATURE_FACE, 0) && t.touch.normal.z == -1 && !t.is_degenerate);
    CD_CHECK_NEAR(t.touch.gap, 2.5 - sqrt(6.5), 1e-15);
    CD_CHECK(test_apart(t.touch.point, (cd_vec3){0, 2.5 / sqrt(6.5), 2.5 - sqrt(6.5)}) < 1e-14);
    e.centre.z = 0;
    t = cd_ellipsoid_triangle_touch(&e, corner);
    CD_CHECK(t.is_degenerate && t.touch.mu == 0 && fabs(t.touch.gap + sqrt(6.5)) < 1e-15);
}

CD_TEST(a_triangle_without_area_is_its_edges)
{
    cd_mat3 turn = cd_mat3_identity();
    cd_ellipsoid e = {{0, 0, 0}, {1, 2, 1}, &turn};
    const cd_vec3 needle[3] = {{-1, 3, 0}, {1, 3, 0}, {3, 3, 0}}, point[3] = {{0, 0, 2}, {0, 0, 2}, {0, 0, 2}};
    cd_ellipsoid_triangle t = cd_ellipsoid_triangle_touch(&e, needle);
    CD_CHECK(t.touch.mu == 1.5 && t.touch.gap == 1 && test_apart(t.point, (cd_vec3){0, 3, 0}) < 1e-15);
    t = cd_ellipsoid_triangle_touch(&e, point);
    CD_CHECK(t.touch.mu == 2 && t.touch.gap == 1 && t.nearest.feature == cd_feature(CD_FEATURE_VERTEX, 0));
}

int main(void)
{
    CD_RUN(the_touching_plane_proves_the_answer);
    CD_RUN(a_ball_is_met_at_the_nearest_point);
    CD_RUN(a_face_is_a_plane);
    CD_RUN(a_triangle_without_area_is_its_edges);
    printf("# worst error %.2g of the largest semiaxis, of points %.2g\n", worst, worst_point);
    return cd_test_done();
}
