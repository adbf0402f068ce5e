// Half-planes and half-spaces: solid where normal.x <= offset. They have no end, and so no mass and no outline.
// SPDX-License-Identifier: MIT
#include "cd_shape.h"

#include "cd_sum.h"

// ---- the plane -----------------------------------------------------------------------------------------------------

static cd_status make2(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf2 *leaf, cd_diag *diag)
{
    (void)arena;
    CD_TRY(cd_shape_need(geometry->normal, 2, "normal", "a halfspace", diag));
    CD_TRY(cd_shape_need(geometry->offset, 1, "offset", "a halfspace", diag));
    leaf->normal = cd_vec2_at(geometry->normal);
    leaf->offset = geometry->offset[0];
    leaf->extent = INFINITY;
    return CD_OK;
}

// n . p <= offset of the points p becomes, for w = x + R p, (R n) . w <= offset + (R n) . x.
static void place2(cd_arena *arena, const cd_leaf2 *leaf, cd_pose2 pose, cd_leaf2 *placed)
{
    (void)arena;
    placed->normal = cd_pose2_turn(pose, leaf->normal);
    placed->offset = leaf->offset + cd_dot2(placed->normal, pose.position);
}

static double extent2(const cd_leaf2 *leaf)
{
    (void)leaf;
    return INFINITY;
}

// Bounded on one side when the placed normal lies exactly along an axis (unturned, or turned by quarter turns), else
// the whole plane.
static cd_aabb bounds2(const cd_leaf2 *leaf, cd_pose2 pose, double slack)
{
    (void)slack;
    cd_vec2 normal = cd_pose2_turn(pose, leaf->normal);
    cd_aabb box = cd_aabb_infinite(2);
    if (normal.x != 0 && normal.y != 0)
        return box;
    int axis = normal.y != 0;
    double n = axis ? normal.y : normal.x, position = axis ? pose.position.y : pose.position.x;
    // n w <= offset + n position; the quotient's rounding is one unit.
    double reach = leaf->offset / n;
    if (n > 0)
        box.max[axis] = fabs(n) == 1 ? cd_sum_up(position, reach) : cd_sum_up(position, cd_round_up(reach));
    else
        box.min[axis] = fabs(n) == 1 ? cd_sum_down(position, reach) : cd_sum_down(position, cd_round_down(reach));
    return box;
}

// ---- space ---------------------------------------------------------------------------------------------------------

static cd_status make3(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf3 *leaf, cd_diag *diag)
{
    (void)arena;
    CD_TRY(cd_shape_need(geometry->normal, 3, "normal", "a halfspace", diag));
    CD_TRY(cd_shape_need(geometry->offset, 1, "offset", "a halfspace", diag));
    leaf->halfspace = (cd_halfspace){cd_vec3_at(geometry->normal), geometry->offset[0]};
    leaf->extent = INFINITY;
    return CD_OK;
}

static cd_halfspace moved(cd_halfspace halfspace, const cd_pose3 *pose)
{
    cd_vec3 normal = cd_pose3_turn(pose, halfspace.normal);
    return (cd_halfspace){normal, halfspace.offset + cd_dot3(normal, pose->position)};
}

static void compose(cd_arena *arena, const cd_leaf3 *leaf, int32_t count, const cd_pose3 *pose, cd_leaf3 *composed)
{
    (void)arena;
    for (int32_t i = 0; i < count; i++) {
        composed[i] = leaf[i];
        composed[i].halfspace = moved(leaf[i].halfspace, pose);
    }
}

static void place3(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose, bool has_planes, cd_solid3 *placed)
{
    (void)arena, (void)has_planes;
    placed->halfspace = moved(leaf->halfspace, pose);
}

static double extent3(const cd_leaf3 *leaf)
{
    (void)leaf;
    return INFINITY;
}

static cd_aabb bounds3(const cd_leaf3 *leaf, const cd_pose3 *pose, double slack)
{
    (void)slack;
    cd_vec3 normal = cd_pose3_turn(pose, leaf->halfspace.normal);
    const double n[3] = {normal.x, normal.y, normal.z};
    const double position[3] = {pose->position.x, pose->position.y, pose->position.z};
    cd_aabb box = cd_aabb_infinite(3);
    int axis = -1;
    for (int k = 0; k < 3; k++) {
        if (n[k] == 0)
            continue;
        if (axis >= 0)
            return box;
        axis = k;
    }
    if (axis < 0)
        return box;
    // n w <= offset + n position; the quotient's rounding is one unit.
    double reach = leaf->halfspace.offset / n[axis];
    bool is_exact = fabs(n[axis]) == 1;
    if (n[axis] > 0)
        box.max[axis] = cd_sum_up(position[axis], is_exact ? reach : cd_round_up(reach));
    else
        box.min[axis] = cd_sum_down(position[axis], is_exact ? reach : cd_round_down(reach));
    return box;
}

const cd_shape cd_shape_halfspace = {
    .name = "halfspace",
    .sizes = CD_SHAPE_SIZE(normal) | CD_SHAPE_SIZE(offset),
    .plane = {.make = make2, .place = place2, .extent = extent2, .bounds = bounds2},
    .space = {.make = make3, .compose = compose, .place = place3, .extent = extent3, .bounds = bounds3}};
