// plot_camera -- how a picture sees the world: the projection between the scene and what paints it.
//
// Picture coordinates are metres: x to the right, y up, z (of space alone) towards the eye. The plane is seen as it is;
// space is seen along parallel lines (orthographic), so that lengths across the line of sight have one scale
// everywhere, and a separating plane of two bodies says which one is in front. All functions are pure.
// SPDX-License-Identifier: MIT
#ifndef PLOT_CAMERA_H
#define PLOT_CAMERA_H

#include "cd_quat.h"
#include "cd_vec2.h"
#include "plot_axis.h"

typedef struct cd_plot_camera {
    int dim;              // of what is seen
    cd_mat3 turn;         // dim 3: picture = turn world; rows are unit: to the right, up, towards the eye
    const char *name[2];  // "x [m]", "y [m]": picture axes that are axes of the world, else NULL
} cd_plot_camera;

// [m] In space, coordinates beyond this are drawn as if they were here: products of three of them stay finite.
#define CD_PLOT_FAR 1e100

cd_plot_camera cd_plot_camera_plane(void);
// From where one looks, as a direction from the scene to the eye, of any length > 0. The world's z is up; along z
// itself y is. Directions along -y, +x and +z (front, side, top) leave two of the world's axes as they are.
cd_plot_camera cd_plot_camera_from(cd_vec3 direction);
// "front", "side", "top", "iso" as directions; false: no such name.
bool cd_plot_camera_named(const char *name, cd_vec3 *direction);

static inline cd_vec3 cd_plot_clamp3(cd_vec3 p)
{
    return (cd_vec3){fmin(fmax(p.x, -CD_PLOT_FAR), CD_PLOT_FAR), fmin(fmax(p.y, -CD_PLOT_FAR), CD_PLOT_FAR),
                     fmin(fmax(p.z, -CD_PLOT_FAR), CD_PLOT_FAR)};
}
// A direction of space; a vector of the stream (dim numbers), without and with its depth (0 in the plane).
static inline cd_vec3 cd_plot_see3(const cd_plot_camera *camera, cd_vec3 v) { return cd_mat3_apply(&camera->turn, v); }
static inline cd_vec3 cd_plot_see_deep(const cd_plot_camera *camera, const double *v)
{
    return camera->dim == 2 ? (cd_vec3){v[0], v[1], 0} : cd_plot_see3(camera, cd_plot_clamp3(cd_vec3_at(v)));
}
static inline cd_vec2 cd_plot_see(const cd_plot_camera *camera, const double *v)
{
    cd_vec3 seen = cd_plot_see_deep(camera, v);
    return (cd_vec2){seen.x, seen.y};
}
static inline cd_pose3 cd_plot_see_pose(const cd_plot_camera *camera, const cd_pose3 *pose)
{
    return (cd_pose3){cd_plot_see3(camera, cd_plot_clamp3(pose->position)),
                      cd_mat3_product(&camera->turn, &pose->turn)};
}

#endif
