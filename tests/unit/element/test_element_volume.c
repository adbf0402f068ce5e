// Volumes, shares and pinballs of finite elements against closed forms and points at random.
// SPDX-License-Identifier: MIT
#include "cd_element.h"
#include "cd_random.h"
#include "cd_test.h"

#define PI 3.14159265358979323846

static const cd_vec3 unit_cube[8] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                     {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};

// A convex element near a regular one, some way from the origin, all x positive.
static void random_element(cd_random *random, cd_element_kind kind, cd_vec3 *x)
{
    static const cd_vec3 tetrahedron[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const cd_vec3 triangle[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const cd_vec3 *form = kind == CD_ELEMENT_TRI3 ? triangle : kind == CD_ELEMENT_TET4 ? tetrahedron : unit_cube;
    double size = exp(cd_random_between(random, -3, 3));
    for (int i = 0; i < cd_element_node_count(kind); i++) {
        double *p = &x[i].x;
        const double *f = &form[i].x;
        for (int k = 0; k < 3; k++)
            p[k] = k < cd_element_dim(kind) ? size * (1 + f[k] + cd_random_between(random, -0.15, 0.15)) : 0;
    }
}

CD_TEST(volumes_have_closed_forms)
{
    cd_vec3 triangle[3] = {{0, 0, 0}, {3, 0, 0}, {0, 4, 0}};  // as a ring: a cone
    CD_CHECK_NEAR(cd_element_volume(CD_ELEMENT_TRI3, triangle, CD_SYMMETRY_PLANE), 6, 1e-15);
    CD_CHECK_NEAR(cd_element_volume(CD_ELEMENT_TRI3, triangle, CD_SYMMETRY_AXIAL), PI * 9 * 4 / 3, 1e-13);
    cd_vec3 turned[3] = {triangle[1], triangle[0], triangle[2]};
    CD_CHECK_NEAR(cd_element_volume(CD_ELEMENT_TRI3, turned, CD_SYMMETRY_PLANE), -6, 1e-15);
    cd_vec3 quad[4] = {{2, 1, 0}, {3, 1, 0}, {3, 4, 0}, {2, 4, 0}};  // a pipe
    CD_CHECK_NEAR(cd_element_volume(CD_ELEMENT_QUAD4, quad, CD_SYMMETRY_PLANE), 3, 1e-15);
    CD_CHECK_NEAR(cd_element_volume(CD_ELEMENT_QUAD4, quad, CD_SYMMETRY_AXIAL), PI * (9 - 4) * 3, 1e-13);
    cd_vec3 frustum[4] = {{0, 0, 0}, {2, 0, 0}, {1, 3, 0}, {0, 3, 0}};
    CD_CHECK_NEAR(cd_element_volume(CD_ELEMENT_QUAD4, frustum, CD_SYMMETRY_AXIAL), PI * 3 / 3 * (4 + 2 + 1), 1e-13);
    cd_vec3 tetrahedron[4] = {{1, 1, 1}, {3, 1, 1}, {1, 4, 1}, {1, 1, 5}};
    CD_CHECK_NEAR(cd_element_volume(CD_ELEMENT_TET4, tetrahedron, CD_SYMMETRY_PLANE), 4, 1e-15);
    CD_CHECK_NEAR(cd_element_volume(CD_ELEMENT_HEX8, unit_cube, CD_SYMMETRY_PLANE), 1, 1e-15);
    cd_vec3 roof[8];  // bilinear on top: its volume is the mean height
    for (int i = 0; i < 8; i++)
        roof[i] = unit_cube[i];
    for (int i = 4; i < 8; i++)
        roof[i].z = 1 + 0.3 * (i - 4) * (i - 4);
    CD_CHECK_NEAR(cd_element_volume(CD_ELEMENT_HEX8, roof, CD_SYMMETRY_PLANE), 1 + 0.3 * (0 + 1 + 4 + 9) / 4, 1e-15);
}

CD_TEST(shares_add_up_to_the_volume)
{
    cd_random random = {1};
    for (int k = 0; k < 400; k++) {
        cd_element_kind kind = (cd_element_kind)(k % CD_ELEMENT_KINDS);
        cd_symmetry symmetry = k % 8 < 4 ? CD_SYMMETRY_PLANE : CD_SYMMETRY_AXIAL;
        cd_vec3 x[8];
        double share[8], sum = 0, volume;
        random_element(&random, kind, x);
        volume = cd_element_volume(kind, x, symmetry);
        cd_element_shares(kind, x, symmetry, share);
        for (int i = 0; i < cd_element_node_count(kind); i++) {
            CD_CHECK(share[i] > 0);
            sum += share[i];
        }
        CD_CHECK_NEAR(sum / volume, 1, 1e-13);  // two formulas that share nothing
    }
    // the mean of x over a cone's volume of height along x: shares are the weights of its corners
    cd_vec3 cone[3] = {{0, 0, 0}, {3, 0, 0}, {0, 4, 0}};
    double share[8];
    cd_element_shares(CD_ELEMENT_TRI3, cone, CD_SYMMETRY_AXIAL, share);
    CD_CHECK_NEAR(share[2] * 4 / (PI * 9 * 4 / 3), 1, 1e-14);  // centroid of a cone: a quarter of its height
    double cube[8];
    cd_element_shares(CD_ELEMENT_HEX8, unit_cube, CD_SYMMETRY_PLANE, cube);
    for (int i = 0; i < 8; i++)
        CD_CHECK_NEAR(cube[i], 1.0 / 8, 1e-15);
}

CD_TEST(a_pinball_has_its_elements_volume)
{
    cd_vec3 triangle[3] = {{7, 0, 0}, {10, 0, 0}, {7, 4, 0}};
    CD_CHECK_NEAR(cd_pinball_radius(CD_ELEMENT_TRI3, triangle), sqrt(6 / PI), 1e-15);
    // Pappus: the ring of the circle about the centroid has the volume of the ring of the triangle
    double r = cd_pinball_radius(CD_ELEMENT_TRI3, triangle);
    CD_CHECK_NEAR(2 * PI * 8 * PI * r * r, cd_element_volume(CD_ELEMENT_TRI3, triangle, CD_SYMMETRY_AXIAL), 1e-11);
    CD_CHECK_NEAR(cd_pinball_radius(CD_ELEMENT_HEX8, unit_cube), cbrt(3 / (4 * PI)), 1e-15);
}

CD_TEST(children_share_the_elements_volume)
{
    cd_random random = {3};
    for (int k = 0; k < 80; k++) {
        cd_element_kind kind = (cd_element_kind)(k % CD_ELEMENT_KINDS);
        int32_t split = k / 4 % 4;
        int dim = cd_element_dim(kind), nodes = cd_element_node_count(kind);
        cd_vec3 x[8];
        random_element(&random, kind, x);
        double sum = 0;
        CD_CHECK(cd_pinball_count(kind, split) == 1 << (dim * split));
        for (int32_t child = 0; child < cd_pinball_count(kind, split); child++) {
            double w[8], total = 0;
            sum += pow(cd_pinball_child_radius(kind, x, split, child), dim);
            cd_pinball_weights(kind, split, child, w);
            for (int i = 0; i < nodes; i++) {
                CD_CHECK(w[i] > 0);
                total += w[i];
            }
            CD_CHECK_NEAR(total, 1, 1e-14);
        }
        CD_CHECK_NEAR(sum / pow(cd_pinball_radius(kind, x), dim), 1, 1e-12);
    }
}

CD_TEST(children_stand_in_the_middle_of_their_cells)
{
    double w[8];
    static const double corner_child[4] = {5, 1, 1, 1}, inner_child[4] = {3, 2, 1, 2};  // eighths, by hand
    cd_pinball_weights(CD_ELEMENT_TET4, 1, 0, w);
    for (int i = 0; i < 4; i++)
        CD_CHECK_NEAR(w[i], corner_child[i] / 8, 1e-15);
    cd_pinball_weights(CD_ELEMENT_TET4, 1, 4, w);
    for (int i = 0; i < 4; i++)
        CD_CHECK_NEAR(w[i], inner_child[i] / 8, 1e-15);
    cd_pinball_weights(CD_ELEMENT_TRI3, 1, 3, w);
    for (int i = 0; i < 3; i++)
        CD_CHECK_NEAR(w[i], 1.0 / 3, 1e-15);
    cd_pinball_weights(CD_ELEMENT_QUAD4, 1, 1, w);  // of the unit square at (3/4, 1/4)
    CD_CHECK_NEAR(w[1] + w[2], 0.75, 1e-15);
    CD_CHECK_NEAR(w[2] + w[3], 0.25, 1e-15);
    cd_pinball_weights(CD_ELEMENT_HEX8, 1, 6, w);  // of the unit cube at (1/4, 3/4, 3/4)
    CD_CHECK_NEAR(w[1] + w[2] + w[5] + w[6], 0.25, 1e-15);
    CD_CHECK_NEAR(w[2] + w[3] + w[6] + w[7], 0.75, 1e-15);
    CD_CHECK_NEAR(w[4] + w[5] + w[6] + w[7], 0.75, 1e-15);
}

// The children of a child are about its own centre, and carry its digits in front of theirs.
CD_TEST(children_nest)
{
    for (int kind = 0; kind < CD_ELEMENT_KINDS; kind++)
        for (int32_t split = 0; split < 3; split++) {
            int fold = 1 << cd_element_dim((cd_element_kind)kind);
            for (int32_t child = 0; child < cd_pinball_count((cd_element_kind)kind, split); child++) {
                double w[8], mean[8] = {0};
                cd_pinball_weights((cd_element_kind)kind, split, child, w);
                for (int digit = 0; digit < fold; digit++) {
                    double finer[8];
                    cd_pinball_weights((cd_element_kind)kind, split + 1, child * fold + digit, finer);
                    for (int i = 0; i < cd_element_node_count((cd_element_kind)kind); i++)
                        mean[i] += finer[i] / fold;
                }
                for (int i = 0; i < cd_element_node_count((cd_element_kind)kind); i++)
                    CD_CHECK_NEAR(mean[i], w[i], 1e-15);
            }
        }
}

int main(void)
{
    CD_RUN(volumes_have_closed_forms);
    CD_RUN(shares_add_up_to_the_volume);
    CD_RUN(a_pinball_has_its_elements_volume);
    CD_RUN(children_share_the_elements_volume);
    CD_RUN(children_stand_in_the_middle_of_their_cells);
    CD_RUN(children_nest);
    return cd_test_done();
}
