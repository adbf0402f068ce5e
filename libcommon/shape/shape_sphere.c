// Circles of the plane and spheres of space.
// SPDX-License-Identifier: MIT
#include "cd_shape.h"

#include "cd_sum.h"

// ---- the plane -----------------------------------------------------------------------------------------------------

static cd_status make2(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf2 *leaf, cd_diag *diag)
{
    (void)arena;
    CD_TRY(cd_shape_need_size(geometry->radius, 1, "radius", "a sphere", diag));
    leaf->radius = leaf->extent = geometry->radius[0];
    return CD_OK;
}

static void place2(cd_arena *arena, const cd_leaf2 *leaf, cd_pose2 pose, cd_leaf2 *placed)
{
    (void)arena;
    placed->centre = cd_pose2_apply(pose, leaf->centre);
}

static double extent2(const cd_leaf2 *leaf)
{
    return cd_add_up(cd_round_up(hypot(leaf->centre.x, leaf->centre.y)), leaf->radius);
}

static cd_aabb bounds2(const cd_leaf2 *leaf, cd_pose2 pose, double slack)
{
    double r = leaf->radius;
    if (leaf->centre.x == 0 && leaf->centre.y == 0)
        return cd_shape_box2(pose.position, (cd_vec2){-r, -r}, (cd_vec2){r, r}, 0);
    cd_vec2 centre = cd_pose2_turn(pose, leaf->centre);
    cd_vec2 low = {cd_add_down(centre.x, -r), cd_add_down(centre.y, -r)};
    return cd_shape_box2(pose.position, low, (cd_vec2){cd_add_up(centre.x, r), cd_add_up(centre.y, r)}, slack);
}

static double margin2(const cd_leaf2 *leaf) { return leaf->radius; }

static double reach2(const cd_leaf2 *placed, cd_vec2 origin, cd_vec2 direction)
{
    return cd_dot2(direction, cd_sub2(placed->centre, origin)) + placed->radius;
}

// ---- space ---------------------------------------------------------------------------------------------------------

static cd_status make3(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf3 *leaf, cd_diag *diag)
{
    (void)arena;
    CD_TRY(cd_shape_need_size(geometry->radius, 1, "radius", "a sphere", diag));
    leaf->sphere = (cd_ball){{0, 0, 0}, geometry->radius[0]};
    leaf->extent = leaf->sphere.radius;
    return CD_OK;
}

static void compose(cd_arena *arena, const cd_leaf3 *leaf, int32_t count, const cd_pose3 *pose, cd_leaf3 *composed)
{
    (void)arena;
    for (int32_t i = 0; i < count; i++) {
        composed[i] = leaf[i];
        composed[i].sphere.centre = cd_pose3_apply(pose, leaf[i].sphere.centre);
    }
}

static void place3(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose, bool has_planes, cd_solid3 *placed)
{
    (void)arena, (void)has_planes;
    placed->sphere = (cd_ball){cd_pose3_apply(pose, leaf->sphere.centre), leaf->sphere.radius};
}

static double radius_of(const cd_leaf3 *leaf) { return leaf->sphere.radius; }

static double extent3(const cd_leaf3 *leaf)
{
    return cd_add_up(cd_points_radius3(&leaf->sphere.centre, 1), leaf->sphere.radius);
}

static cd_aabb bounds3(const cd_leaf3 *leaf, const cd_pose3 *pose, double slack)
{
    const cd_vec3 c = leaf->sphere.centre;
    const double r = leaf->sphere.radius;
    if (c.x == 0 && c.y == 0 && c.z == 0)
        return cd_shape_box3(pose->position, (cd_vec3){-r, -r, -r}, (cd_vec3){r, r, r}, 0);
    return cd_shape_points_box3(&c, 1, r, pose, slack);
}

static void support(const cd_solid3 *solid, cd_support3 *s)
{
    *s = cd_support3_sphere(solid->sphere.centre, solid->sphere.radius);
}

// ---- mass ----------------------------------------------------------------------------------------------------------

static void moments(const cd_shape_geometry *geometry, int dim, cd_arena *scratch, cd_shape_moments *m)
{
    (void)scratch;
    double r = geometry->radius[0];
    cd_shape_round_moments((double[]){r, r, r}, dim, m);
}

const cd_shape cd_shape_sphere = {
    .name = "sphere",
    .sizes = CD_SHAPE_SIZE(radius),
    .plane = {.make = make2, .place = place2, .extent = extent2, .bounds = bounds2, .margin = margin2, .reach = reach2},
    .space = {.make = make3,
              .compose = compose,
              .place = place3,
              .extent = extent3,
              .bounds = bounds3,
              .margin = radius_of,
              .support = support},
    .moments = moments};
