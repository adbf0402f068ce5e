// SPDX-License-Identifier: MIT
#include "plot_camera.h"

#include <stddef.h>
#include <string.h>

cd_plot_camera cd_plot_camera_plane(void)
{
    return (cd_plot_camera){.dim = 2, .turn = cd_mat3_identity(), .name = {"x [m]", "y [m]"}};
}

// The world's axis that a picture axis is, to the bit.
static const char *axis_name(cd_vec3 v)
{
    return v.x == 1 && v.y == 0 && v.z == 0   ? "x [m]"
           : v.x == 0 && v.y == 1 && v.z == 0 ? "y [m]"
           : v.x == 0 && v.y == 0 && v.z == 1 ? "z [m]"
                                              : NULL;
}

cd_plot_camera cd_plot_camera_from(cd_vec3 direction)
{
    double largest = fmax(fabs(direction.x), fmax(fabs(direction.y), fabs(direction.z)));
    cd_vec3 toward = cd_unit3(cd_scale3(1 / largest, direction));
    // Within 1e-9 rad of the vertical rounding alone would choose what is right and left.
    bool vertical = hypot(toward.x, toward.y) < 1e-9;
    cd_vec3 right = vertical ? (cd_vec3){1, 0, 0} : cd_unit3((cd_vec3){-toward.y, toward.x, 0});
    if (vertical)
        toward = (cd_vec3){0, 0, toward.z > 0 ? 1 : -1};
    // + 0: no negative zeros, which would be other bytes in a picture.
    right = cd_add3(right, (cd_vec3){0, 0, 0});
    cd_vec3 up = cd_add3(cd_cross3(toward, right), (cd_vec3){0, 0, 0});
    cd_plot_camera camera = {.dim = 3, .turn = {{right, up, toward}}, .name = {axis_name(right), axis_name(up)}};
    if (!camera.name[0] || !camera.name[1])
        camera.name[0] = camera.name[1] = NULL;
    return camera;
}

bool cd_plot_camera_named(const char *name, cd_vec3 *direction)
{
    static const struct {
        const char *name;
        cd_vec3 direction;
    } view[] = {{"iso", {0.5, -0.85, 0.5}}, {"front", {0, -1, 0}}, {"side", {1, 0, 0}}, {"top", {0, 0, 1}}};
    for (size_t i = 0; i < sizeof view / sizeof view[0]; i++)
        if (!strcmp(name, view[i].name)) {
            *direction = view[i].direction;
            return true;
        }
    return false;
}
