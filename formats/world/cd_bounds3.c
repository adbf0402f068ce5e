// SPDX-License-Identifier: MIT
#include "cd_bounds3.h"

#include "cd_assert.h"
#include "cd_sum.h"

#include <float.h>

// Errors in units of u = 2^-53 = DBL_EPSILON / 2, to first order; the constants below leave room for the rest.
//
// Turning. Entries of the matrix are off by 4 u + 5 u |R_ii| and 2 u + 5 u |R_ij| (cd_quat_matrix), so a row of it
// times p by 5 u |p| + sqrt(4^2 + 2^2 + 2^2) u |p|, and by 3 u |p| for the products and sums: 13 u |p|. [1] of the
// leaf's extent.
#define TURNING_ERROR (8 * DBL_EPSILON)
// Ellipsoid. A row of R A, A the leaf's axes, has an error vector of length at most (9.9 + 3 sqrt(3)) u = 15.1 u, which
// counts times the largest semiaxis; the root of the sum of squares (A_ij s_j)^2 adds 3.5 u: 18.6 u. [1] of the leaf's
// extent.
#define ELLIPSOID_ERROR (10 * DBL_EPSILON)

// The box from `low` to `high` about `origin`, and `slack` beyond on each side.
static cd_aabb box_about(cd_vec3 origin, cd_vec3 low, cd_vec3 high, double slack)
{
    cd_aabb box = {{cd_sum_down(origin.x, low.x), cd_sum_down(origin.y, low.y), cd_sum_down(origin.z, low.z)},
                   {cd_sum_up(origin.x, high.x), cd_sum_up(origin.y, high.y), cd_sum_up(origin.z, high.z)}};
    return cd_aabb_grow(box, slack, 3);
}

static double smaller(double a, double b) { return b < a ? b : a; }
static double larger(double a, double b) { return b > a ? b : a; }

// Points turned by the pose, each with a ball of `radius` around it.
static cd_aabb points_box(const cd_vec3 *point, int32_t count, double radius, const cd_pose3 *pose, double slack)
{
    cd_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < count; i++) {
        cd_vec3 p = cd_pose3_turn(pose, point[i]);
        low = (cd_vec3){smaller(low.x, p.x), smaller(low.y, p.y), smaller(low.z, p.z)};
        high = (cd_vec3){larger(high.x, p.x), larger(high.y, p.y), larger(high.z, p.z)};
    }
    if (radius != 0) {
        low = (cd_vec3){cd_sum_down(low.x, -radius), cd_sum_down(low.y, -radius), cd_sum_down(low.z, -radius)};
        high = (cd_vec3){cd_sum_up(high.x, radius), cd_sum_up(high.y, radius), cd_sum_up(high.z, radius)};
    }
    return box_about(pose->position, low, high, slack);
}

static cd_aabb halfspace_box(const cd_halfspace *halfspace, const cd_pose3 *pose)
{
    cd_vec3 normal = cd_pose3_turn(pose, halfspace->normal);
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
    double reach = halfspace->offset / n[axis];
    bool is_exact = fabs(n[axis]) == 1;
    if (n[axis] > 0)
        box.max[axis] = cd_sum_up(position[axis], is_exact ? reach : cd_round_up(reach));
    else
        box.min[axis] = cd_sum_down(position[axis], is_exact ? reach : cd_round_down(reach));
    return box;
}

// Half the width along an axis, sqrt(sum over j of (a_j s_j)^2), `row` the axis' row of the ellipsoid's axes in the
// world. It is a semiaxis itself, to the bit, where the row is a unit vector: the root of a rounded square is the
// number that was squared.
static double half_width(cd_vec3 row, cd_vec3 semiaxes)
{
    double x = row.x * semiaxes.x, y = row.y * semiaxes.y, z = row.z * semiaxes.z;
    return sqrt(x * x + y * y + z * z);
}

static bool is_identity(const cd_mat3 *m)
{
    return m->row[0].x == 1 && m->row[1].y == 1 && m->row[2].z == 1 && m->row[0].y == 0 && m->row[0].z == 0 &&
           m->row[1].x == 0 && m->row[1].z == 0 && m->row[2].x == 0 && m->row[2].y == 0;
}

static bool is_origin(cd_vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; }

static cd_aabb ellipsoid_box(const cd_leaf3 *leaf, const cd_pose3 *pose, double slack)
{
    const cd_ellipsoid *ellipsoid = &leaf->ellipsoid;
    cd_mat3 axes = cd_mat3_product(&pose->turn, ellipsoid->axes);
    cd_vec3 s = ellipsoid->semiaxes, c = cd_pose3_turn(pose, ellipsoid->centre);
    cd_vec3 half = {half_width(axes.row[0], s), half_width(axes.row[1], s), half_width(axes.row[2], s)};
    cd_vec3 low = {cd_sum_down(c.x, -half.x), cd_sum_down(c.y, -half.y), cd_sum_down(c.z, -half.z)};
    cd_vec3 high = {cd_sum_up(c.x, half.x), cd_sum_up(c.y, half.y), cd_sum_up(c.z, half.z)};
    return box_about(pose->position, low, high, slack + (is_identity(&axes) ? 0 : ELLIPSOID_ERROR * leaf->extent));
}

cd_aabb cd_bounds3_leaf(const cd_leaf3 *leaf, const cd_pose3 *pose)
{
    double slack = is_identity(&pose->turn) ? 0 : TURNING_ERROR * leaf->extent;
    switch (leaf->kind) {
    case CD_SHAPE_POLYHEDRON:
        return points_box(leaf->polyhedron.vertex, leaf->polyhedron.vertex_count, 0, pose, slack);
    case CD_SHAPE_FACETS:
        return points_box(leaf->facet.vertex, 3, leaf->facet.half_thickness, pose, slack);
    case CD_SHAPE_HALFSPACE:
        return halfspace_box(&leaf->halfspace, pose);
    case CD_SHAPE_ELLIPSOID:
        return ellipsoid_box(leaf, pose, is_origin(leaf->ellipsoid.centre) ? 0 : slack);
    default:
        return points_box(&leaf->sphere.centre, 1, leaf->sphere.radius, pose,
                          is_origin(leaf->sphere.centre) ? 0 : slack);
    }
}

cd_motions3 cd_motions3_make(const cd_state3 *state, int count, double step)
{
    CD_ASSERT(count >= 1 && count <= CD_BOUNDS_POSES);
    cd_motions3 motions = {.count = count};
    for (int k = 0; k < count; k++) {
        motions.pose[k] = cd_state3_pose(state[k]);
        if (k == 0)
            continue;
        double angle = cd_quat_angle_between(state[0].rotation, state[k].rotation);
        double spun = step * cd_length3(state[k].spin);
        // NaN (a spin beyond the range of doubles) counts as any number of turns.
        motions.turn = larger(motions.turn, spun <= angle ? angle : isnan(spun) ? INFINITY : spun);
    }
    return motions;
}

// [m] The r of the header: the distance from the body's origin of what turning moves. The balls around a sphere's
// centre and around the corners of a facet look the same from everywhere.
static double arm_of(const cd_leaf3 *leaf)
{
    double radius = leaf->kind == CD_SHAPE_SPHERE   ? leaf->sphere.radius
                    : leaf->kind == CD_SHAPE_FACETS ? leaf->facet.half_thickness
                                                    : 0;
    return leaf->extent > radius ? cd_add_up(leaf->extent, -radius) : 0;
}

// Rounding of D, a few u, changes the bulge by r D / 4 times that: far below what the boxes of turned poses hold to
// spare.
cd_aabb cd_bounds3_motion(const cd_leaf3 *leaf, const cd_motions3 *motions)
{
    cd_aabb box = cd_bounds3_leaf(leaf, &motions->pose[0]);
    for (int k = 1; k < motions->count; k++)
        box = cd_aabb_merge(box, cd_bounds3_leaf(leaf, &motions->pose[k]), 3);
    double arm = arm_of(leaf);
    if (motions->turn == 0 || arm == 0)
        return box;
    if (isinf(arm))
        return cd_aabb_infinite(3);
    double bulge = arm * motions->turn * motions->turn / 8;
    return cd_aabb_grow(box, cd_round_up(smaller(2 * arm, bulge)), 3);
}
