// The point of a triangle that is nearest to the origin. The oracle is that the answer proves itself: p is of the
// triangle, and the plane through p across p has the whole triangle on its other side: (corner - p).p >= 0.
// SPDX-License-Identifier: MIT
#include "cd_triangle.h"
#include "cd_test.h"
#include "test_solids.h"

static double largest_of(const cd_vec3 corner[3])
{
    return fmax(cd_length3(corner[0]), fmax(cd_length3(corner[1]), cd_length3(corner[2])));
}

// How much the answer misses, of the largest corner; *count: corners of its feature.
static double miss_of(const cd_vec3 corner[3], const cd_triangle_nearest *nearest, int *count)
{
    double size = largest_of(corner), sum = 0, least = 0, distance = cd_length3(nearest->point);
    cd_vec3 of_weights = {0, 0, 0};
    *count = 0;
    for (int k = 0; k < 3; k++) {
        double w = nearest->weight[k];
        CD_CHECK(w >= 0);
        *count += w > 0;
        sum += w;
        of_weights = cd_add3(of_weights, cd_scale3(w, corner[k]));
        if (distance > 0)
            least = fmin(least, cd_dot3(cd_sub3(corner[k], nearest->point), nearest->point) / distance);
    }
    CD_CHECK_NEAR(sum, 1, 1e-15);
    static const int corners_of[3] = {[CD_FEATURE_VERTEX] = 1, [CD_FEATURE_EDGE] = 2, [CD_FEATURE_FACE] = 3};
    CD_CHECK(*count == corners_of[cd_feature_kind(nearest->feature)]);
    return fmax(-least, cd_length3(cd_sub3(of_weights, nearest->point))) / size;
}

// Flattened up to a hundred times, as the triangles are that flat ellipsoids meet.
CD_TEST(the_plane_across_it_proves_the_answer)
{
    cd_random random = {1};
    int seen[3] = {0};
    double worst = 0;
    for (int i = 0; i < 60000; i++) {
        static const double flatness[3] = {1, 10, 100};
        const cd_vec3 middle = cd_scale3(test_between(&random, 0, 2), test_direction(&random));
        cd_vec3 corner[3];
        for (int k = 0; k < 3; k++) {
            corner[k] = cd_add3(middle, cd_scale3(test_between(&random, 0.1, 2), test_direction(&random)));
            corner[k].z /= flatness[i % 3];
        }
        cd_triangle_nearest nearest = cd_triangle_nearest_to_origin(corner);
        int count;
        worst = fmax(worst, miss_of(corner, &nearest, &count));
        seen[count - 1]++;
        cd_triangle_nearest back = cd_triangle_nearest_to_origin((cd_vec3[]){corner[1], corner[0], corner[2]});
        CD_CHECK(cd_length3(cd_sub3(back.point, nearest.point)) <= 1e-12 * largest_of(corner));
    }
    CD_CHECK(seen[0] > 5000 && seen[1] > 5000 && seen[2] > 2000);
    CD_CHECK(worst < 1e-12);
}

CD_TEST(corners_edges_and_faces_by_hand)
{
    const cd_vec3 far[3] = {{-10, -1, 2}, {10, -1, 2}, {0, -0.125, 2}};
    cd_triangle_nearest nearest = cd_triangle_nearest_to_origin(far);
    CD_CHECK(nearest.feature == cd_feature(CD_FEATURE_VERTEX, 2) && nearest.weight[2] == 1);
    // obtuse at the third corner: outside of two edges, and nearest to the inside of one
    const cd_vec3 obtuse[3] = {{-13, -2, 0}, {7, -2, 0}, {-3, -1, 0}};
    nearest = cd_triangle_nearest_to_origin(obtuse);
    CD_CHECK(nearest.feature == cd_feature(CD_FEATURE_EDGE, 1));
    CD_CHECK_NEAR(cd_length3(nearest.point), 13 / sqrt(101), 1e-14);
    // the foot of a face keeps the plane's own distance
    const cd_vec3 floor[3] = {{-20, -20, -2.5}, {20, -20, -2.5}, {0, 20, -2.5}};
    nearest = cd_triangle_nearest_to_origin(floor);
    CD_CHECK(nearest.feature == cd_feature(CD_FEATURE_FACE, 0) && nearest.point.z == -2.5);
}

CD_TEST(a_triangle_without_area_is_its_edges)
{
    const cd_vec3 needle[3] = {{-1, 3, 0}, {1, 3, 0}, {3, 3, 0}}, point[3] = {{0, 0, 2}, {0, 0, 2}, {0, 0, 2}};
    cd_triangle_nearest nearest = cd_triangle_nearest_to_origin(needle);
    CD_CHECK(cd_feature_kind(nearest.feature) == CD_FEATURE_EDGE);
    CD_CHECK(cd_length3(cd_sub3(nearest.point, (cd_vec3){0, 3, 0})) < 1e-15);
    nearest = cd_triangle_nearest_to_origin(point);
    CD_CHECK(nearest.feature == cd_feature(CD_FEATURE_VERTEX, 0) && nearest.point.z == 2);
}

int main(void)
{
    CD_RUN(the_plane_across_it_proves_the_answer);
    CD_RUN(corners_edges_and_faces_by_hand);
    CD_RUN(a_triangle_without_area_is_its_edges);
    return cd_test_done();
}
