// Ellipses of the plane and ellipsoids of space, about their centre, along the axes of the body's frame until a
// compound turns them.
// SPDX-License-Identifier: MIT
#include "cd_shape.h"

#include "cd_sum.h"

#include <float.h>

// ---- the plane -----------------------------------------------------------------------------------------------------

// [1] of a half-width of an ellipse: two products, two squares, a sum and a root.
#define ELLIPSE_ERROR (4 * DBL_EPSILON)

static cd_status make2(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf2 *leaf, cd_diag *diag)
{
    (void)arena;
    CD_TRY(cd_shape_need_size(geometry->semiaxes, 2, "semiaxes", "an ellipsoid", diag));
    leaf->semiaxes = cd_vec2_at(geometry->semiaxes);
    leaf->extent = fmax(leaf->semiaxes.x, leaf->semiaxes.y);
    return CD_OK;
}

static void place2(cd_arena *arena, const cd_leaf2 *leaf, cd_pose2 pose, cd_leaf2 *placed)
{
    (void)arena;
    placed->cosine = pose.cosine * leaf->cosine - pose.sine * leaf->sine;
    placed->sine = pose.sine * leaf->cosine + pose.cosine * leaf->sine;
    placed->centre = cd_pose2_apply(pose, leaf->centre);
}

static double extent2(const cd_leaf2 *leaf)
{
    double size = fmax(leaf->semiaxes.x, leaf->semiaxes.y);
    return cd_add_up(cd_round_up(hypot(leaf->centre.x, leaf->centre.y)), size);
}

static cd_aabb bounds2(const cd_leaf2 *leaf, cd_pose2 pose, double slack)
{
    double c = pose.cosine * leaf->cosine - pose.sine * leaf->sine;
    double s = pose.sine * leaf->cosine + pose.cosine * leaf->sine;
    double x = leaf->semiaxes.x, y = leaf->semiaxes.y;
    cd_vec2 half = {sqrt(x * c * x * c + y * s * y * s), sqrt(x * s * x * s + y * c * y * c)};
    cd_vec2 centre = cd_pose2_turn(pose, leaf->centre);
    cd_vec2 low = {cd_add_down(centre.x, -half.x), cd_add_down(centre.y, -half.y)};
    cd_vec2 high = {cd_add_up(centre.x, half.x), cd_add_up(centre.y, half.y)};
    return cd_shape_box2(pose.position, low, high, slack + ELLIPSE_ERROR * leaf->extent);
}

static double reach2(const cd_leaf2 *placed, cd_vec2 origin, cd_vec2 direction)
{
    cd_vec2 own = {placed->cosine * direction.x + placed->sine * direction.y,
                   placed->cosine * direction.y - placed->sine * direction.x};
    cd_vec2 half = {placed->semiaxes.x * own.x, placed->semiaxes.y * own.y};
    return cd_dot2(direction, cd_sub2(placed->centre, origin)) + cd_length2(half);
}

// ---- space ---------------------------------------------------------------------------------------------------------

// A row of R A, A the leaf's axes, has an error vector of length at most (9.9 + 3 sqrt(3)) u = 15.1 u, u = DBL_EPSILON
// / 2, which counts times the largest semiaxis; the root of the sum of squares (A_ij s_j)^2 adds 3.5 u: 18.6 u. [1] of
// the leaf's extent.
#define ELLIPSOID_ERROR (10 * DBL_EPSILON)

static double inner2(const cd_leaf2 *leaf) { return fmin(leaf->semiaxes.x, leaf->semiaxes.y); }

static const cd_mat3 unturned_axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static cd_status make3(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf3 *leaf, cd_diag *diag)
{
    CD_TRY(cd_shape_need_size(geometry->semiaxes, 3, "semiaxes", "an ellipsoid", diag));
    cd_ellipsoid *ellipsoid = cd_arena_alloc(arena, sizeof *ellipsoid);
    *ellipsoid = (cd_ellipsoid){{0, 0, 0}, cd_vec3_at(geometry->semiaxes), &unturned_axes};
    leaf->ellipsoid = ellipsoid;
    leaf->extent = fmax(geometry->semiaxes[0], fmax(geometry->semiaxes[1], geometry->semiaxes[2]));
    return CD_OK;
}

static cd_ellipsoid moved(cd_arena *arena, const cd_ellipsoid *ellipsoid, const cd_pose3 *pose)
{
    cd_mat3 *axes = cd_arena_alloc(arena, sizeof *axes);
    *axes = cd_mat3_product(&pose->turn, ellipsoid->axes);
    return (cd_ellipsoid){cd_pose3_apply(pose, ellipsoid->centre), ellipsoid->semiaxes, axes};
}

static void compose(cd_arena *arena, const cd_leaf3 *leaf, int32_t count, const cd_pose3 *pose, cd_leaf3 *composed)
{
    for (int32_t i = 0; i < count; i++) {
        composed[i] = leaf[i];
        cd_ellipsoid *ellipsoid = cd_arena_alloc(arena, sizeof *ellipsoid);
        *ellipsoid = moved(arena, leaf[i].ellipsoid, pose);
        composed[i].ellipsoid = ellipsoid;
    }
}

static void place3(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose, bool has_planes, cd_solid3 *placed)
{
    (void)has_planes;
    placed->ellipsoid = moved(arena, leaf->ellipsoid, pose);
}

static double extent3(const cd_leaf3 *leaf)
{
    cd_vec3 s = leaf->ellipsoid->semiaxes;
    return cd_add_up(cd_points_radius3(&leaf->ellipsoid->centre, 1), fmax(s.x, fmax(s.y, s.z)));
}

// Half the width along an axis, sqrt(sum over j of (a_j s_j)^2), `row` the axis' row of the ellipsoid's axes in the
// world. It is a semiaxis itself, to the bit, where the row is a unit vector: the root of a rounded square is the
// number that was squared.
static double half_width(cd_vec3 row, cd_vec3 semiaxes)
{
    double x = row.x * semiaxes.x, y = row.y * semiaxes.y, z = row.z * semiaxes.z;
    return sqrt(x * x + y * y + z * z);
}

static cd_aabb bounds3(const cd_leaf3 *leaf, const cd_pose3 *pose, double slack)
{
    const cd_ellipsoid *ellipsoid = leaf->ellipsoid;
    bool is_centred = ellipsoid->centre.x == 0 && ellipsoid->centre.y == 0 && ellipsoid->centre.z == 0;
    cd_mat3 axes = cd_mat3_product(&pose->turn, ellipsoid->axes);
    cd_vec3 s = ellipsoid->semiaxes, c = cd_pose3_turn(pose, ellipsoid->centre);
    cd_vec3 half = {half_width(axes.row[0], s), half_width(axes.row[1], s), half_width(axes.row[2], s)};
    cd_vec3 low = {cd_sum_down(c.x, -half.x), cd_sum_down(c.y, -half.y), cd_sum_down(c.z, -half.z)};
    cd_vec3 high = {cd_sum_up(c.x, half.x), cd_sum_up(c.y, half.y), cd_sum_up(c.z, half.z)};
    return cd_shape_box3(pose->position, low, high,
                         (is_centred ? 0 : slack) + (cd_mat3_is_identity(&axes) ? 0 : ELLIPSOID_ERROR * leaf->extent));
}

static double inner3(const cd_leaf3 *leaf)
{
    cd_vec3 s = leaf->ellipsoid->semiaxes;
    return fmin(s.x, fmin(s.y, s.z));
}

static void support(const cd_solid3 *solid, cd_support3 *s)
{
    cd_pose3 pose = {solid->ellipsoid.centre, *solid->ellipsoid.axes};
    *s = cd_support3_ellipsoid(&pose, solid->ellipsoid.semiaxes);
}

// ---- mass ----------------------------------------------------------------------------------------------------------

void cd_shape_round_moments(const double semiaxes[3], int dim, cd_shape_moments *m)
{
    const double *s = semiaxes;
    double least = INFINITY, most = 0;
    for (int i = 0; i < dim; i++) {
        least = fmin(least, s[i]);
        most = fmax(most, s[i]);
    }
    m->diameter = 2 * most;
    m->feature = 2 * least;
    if (dim == 2) {
        m->measure = M_PI * s[0] * s[1];
        m->inertia[0] = m->measure * (s[0] * s[0] + s[1] * s[1]) / 4;
        return;
    }
    m->measure = 4 * M_PI / 3 * s[0] * s[1] * s[2];
    for (int i = 0; i < 3; i++) {
        double p = s[(i + 1) % 3], q = s[(i + 2) % 3];
        m->inertia[i] = m->measure * (p * p + q * q) / 5;
    }
}

static void moments(const cd_shape_geometry *geometry, int dim, cd_arena *scratch, cd_shape_moments *m)
{
    (void)scratch;
    cd_shape_round_moments(geometry->semiaxes, dim, m);
}

const cd_shape cd_shape_ellipsoid = {
    .name = "ellipsoid",
    .sizes = CD_SHAPE_SIZE(semiaxes),
    .plane = {.make = make2, .place = place2, .extent = extent2, .bounds = bounds2, .inner = inner2, .reach = reach2},
    .space = {.make = make3,
              .compose = compose,
              .place = place3,
              .extent = extent3,
              .bounds = bounds3,
              .inner = inner3,
              .support = support},
    .moments = moments};
