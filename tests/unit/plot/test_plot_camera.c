// Cameras of cd-plot: the plane as it is, named views along the axes of the world, any direction with z up.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_test.h"
#include "plot_cast.h"

CD_TEST(the_plane_is_seen_as_it_is)
{
    cd_random random = {1};
    cd_plot_camera camera = cd_plot_camera_plane();
    for (int i = 0; i < 1000; i++) {
        double p[3] = {cd_random_between(&random, -1, 1) * pow(10, i % 300), cd_random_between(&random, -1, 1), 7};
        cd_vec2 seen = cd_plot_see(&camera, p);
        CD_CHECK(seen.x == p[0] && seen.y == p[1]);
        double angle = cd_random_between(&random, -9, 9);
        cd_plot_pose pose = cd_plot_pose_make(&camera, p, &angle);
        cd_pose2 expected = cd_pose2_make((cd_vec2){p[0], p[1]}, angle);
        CD_CHECK(pose.at.x == p[0] && pose.at.y == p[1] && pose.plane.cosine == expected.cosine &&
                 pose.plane.sine == expected.sine);
    }
    CD_CHECK_TEXT(camera.name[0], "x [m]");
    CD_CHECK_TEXT(camera.name[1], "y [m]");
}

CD_TEST(cameras_turn_and_keep_up_upright)
{
    cd_random random = {2};
    for (int i = 0; i < 2000; i++) {
        cd_vec3 direction = cd_scale3(pow(10, i % 40 - 20),
                                      (cd_vec3){cd_random_between(&random, -1, 1), cd_random_between(&random, -1, 1),
                                                cd_random_between(&random, -1, 1)});
        if (i % 10 == 0)
            direction = (cd_vec3){0, 0, direction.z};
        cd_plot_camera camera = cd_plot_camera_from(direction);
        const cd_vec3 *row = camera.turn.row;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                CD_CHECK_NEAR(cd_dot3(row[a], row[b]), a == b, 1e-14);
        CD_CHECK_NEAR(cd_dot3(cd_cross3(row[0], row[1]), row[2]), 1, 1e-14);
        CD_CHECK_NEAR(cd_dot3(cd_unit3(direction), row[2]), 1, 1e-14);
        CD_CHECK(row[0].z == 0 && row[1].z >= 0);
    }
}

CD_TEST(named_views_show_axes_of_the_world)
{
    static const struct {
        const char *name, *across, *up;
    } view[] = {
        {"front", "x [m]", "z [m]"}, {"side", "y [m]", "z [m]"}, {"top", "x [m]", "y [m]"}, {"iso", NULL, NULL}};
    const double p[3] = {0.1, 0.7, -1.3};
    for (int i = 0; i < 4; i++) {
        cd_vec3 direction;
        CD_CHECK(cd_plot_camera_named(view[i].name, &direction));
        cd_plot_camera camera = cd_plot_camera_from(direction);
        if (!view[i].across) {
            CD_CHECK(!camera.name[0] && !camera.name[1]);
            continue;
        }
        CD_CHECK_TEXT(camera.name[0], view[i].across);
        CD_CHECK_TEXT(camera.name[1], view[i].up);
        cd_vec2 seen = cd_plot_see(&camera, p);
        CD_CHECK(seen.x == p[view[i].across[0] - 'x'] && seen.y == p[view[i].up[0] - 'x']);
    }
    CD_CHECK(!cd_plot_camera_from((cd_vec3){0, 1, 0}).name[0]);  // from the back x runs to the left
    cd_vec3 direction;
    CD_CHECK(!cd_plot_camera_named("back", &direction) && !cd_plot_camera_named("", &direction));
}

int main(void)
{
    CD_RUN(the_plane_is_seen_as_it_is);
    CD_RUN(cameras_turn_and_keep_up_upright);
    CD_RUN(named_views_show_axes_of_the_world);
    return cd_test_done();
}
