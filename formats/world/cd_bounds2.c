// SPDX-License-Identifier: MIT
#include "cd_bounds2.h"

#include "cd_sum.h"

#include <float.h>

// [1] of the leaf's extent: R p has two products, a sum, and a cosine and sine within one unit in the last place, 4
// halves of an epsilon of |cos x| + |sin y| <= |p| each.
#define TURNING_ERROR (2 * DBL_EPSILON)
// [1] of a half-width of an ellipse: two products, two squares, a sum and a root.
#define ELLIPSE_ERROR (4 * DBL_EPSILON)

// The box with lower corner `low` and upper corner `high` about `origin`, and `slack` beyond on each side.
static cd_aabb box_about(cd_vec2 origin, cd_vec2 low, cd_vec2 high, double slack)
{
    cd_aabb box = {{cd_sum_down(origin.x, low.x), cd_sum_down(origin.y, low.y), 0},
                   {cd_sum_up(origin.x, high.x), cd_sum_up(origin.y, high.y), 0}};
    return cd_aabb_grow(box, slack, 2);
}

static cd_aabb polygon_box(cd_polygon polygon, cd_pose2 pose, double slack)
{
    cd_vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int32_t i = 0; i < polygon.count; i++) {
        cd_vec2 p = cd_pose2_turn(pose, polygon.vertex[i]);
        low = (cd_vec2){p.x < low.x ? p.x : low.x, p.y < low.y ? p.y : low.y};
        high = (cd_vec2){p.x > high.x ? p.x : high.x, p.y > high.y ? p.y : high.y};
    }
    return box_about(pose.position, low, high, slack);
}

static cd_aabb halfspace_box(const cd_leaf2 *leaf, cd_pose2 pose)
{
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

cd_aabb cd_bounds2_leaf(const cd_leaf2 *leaf, cd_pose2 pose)
{
    bool is_turned = pose.cosine != 1 || pose.sine != 0;
    double slack = is_turned ? TURNING_ERROR * leaf->extent : 0;
    cd_vec2 centre = cd_pose2_turn(pose, leaf->centre);
    switch (leaf->kind) {
    case CD_SHAPE_POLYGON:
        return polygon_box(leaf->polygon, pose, slack);
    case CD_SHAPE_HALFSPACE:
        return halfspace_box(leaf, pose);
    case CD_SHAPE_SPHERE: {
        double r = leaf->radius;
        if (leaf->centre.x == 0 && leaf->centre.y == 0)
            return box_about(pose.position, (cd_vec2){-r, -r}, (cd_vec2){r, r}, 0);
        cd_vec2 low = {cd_add_down(centre.x, -r), cd_add_down(centre.y, -r)};
        return box_about(pose.position, low, (cd_vec2){cd_add_up(centre.x, r), cd_add_up(centre.y, r)}, slack);
    }
    default: {
        double c = pose.cosine * leaf->cosine - pose.sine * leaf->sine;
        double s = pose.sine * leaf->cosine + pose.cosine * leaf->sine;
        double x = leaf->semiaxes.x, y = leaf->semiaxes.y;
        cd_vec2 half = {sqrt(x * c * x * c + y * s * y * s), sqrt(x * s * x * s + y * c * y * c)};
        cd_vec2 low = {cd_add_down(centre.x, -half.x), cd_add_down(centre.y, -half.y)};
        cd_vec2 high = {cd_add_up(centre.x, half.x), cd_add_up(centre.y, half.y)};
        return box_about(pose.position, low, high, slack + ELLIPSE_ERROR * leaf->extent);
    }
    }
}

cd_aabb cd_bounds2_motion(const cd_leaf2 *leaf, const cd_state2 *state, int count)
{
    cd_aabb box = cd_bounds2_leaf(leaf, cd_state2_pose(state[0]));
    double bulge = 0;
    for (int k = 1; k < count; k++) {
        box = cd_aabb_merge(box, cd_bounds2_leaf(leaf, cd_state2_pose(state[k])), 2);
        double turn = state[k].angle - state[0].angle;
        if (turn == 0)
            continue;
        if (isinf(leaf->extent))
            return cd_aabb_infinite(2);
        double arc = leaf->extent * turn * turn / 8;
        arc = arc < 2 * leaf->extent ? arc : 2 * leaf->extent;
        bulge = arc > bulge ? arc : bulge;
    }
    return cd_aabb_grow(box, cd_round_up(bulge) * (bulge > 0), 2);
}
