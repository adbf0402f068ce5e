// Boxes of moving leaves in the plane hold them at every time, and are tight.
// SPDX-License-Identifier: MIT
#include "cd_bounds2.h"
#include "cd_random.h"
#include "cd_test.h"

#include "test_polygon_random.h"

static cd_leaf2 random_leaf(cd_random *random, cd_arena *arena)
{
    cd_leaf2 leaf = {.cosine = 1};
    cd_vec2 offset = {cd_random_between(random, -0.5, 0.5), cd_random_between(random, -0.5, 0.5)};
    switch (test_below(random, 3)) {
    case 0:
        leaf.kind = CD_SHAPE_POLYGON;
        leaf.polygon = test_ellipse_polygon(random, 3 + test_below(random, 7), offset, 0.5, arena);
        leaf.extent = cd_polygon_radius(leaf.polygon, (cd_vec2){0, 0});
        break;
    case 1:
        leaf.kind = CD_SHAPE_SPHERE;
        leaf.centre = test_below(random, 2) ? offset : (cd_vec2){0, 0};
        leaf.radius = cd_random_between(random, 0.1, 1);
        leaf.extent = cd_length2(leaf.centre) + leaf.radius;
        break;
    default:
        leaf.kind = CD_SHAPE_ELLIPSOID;
        leaf.centre = offset;
        leaf.semiaxes = (cd_vec2){cd_random_between(random, 0.1, 1), cd_random_between(random, 0.1, 1)};
        leaf.cosine = 0.6;
        leaf.sine = 0.8;
        leaf.extent = cd_length2(offset) + 1;
        break;
    }
    return leaf;
}

// A point of the leaf's boundary, number k of 12, in the body's frame.
static void boundary_point(const cd_leaf2 *leaf, int k, long double p[2])
{
    long double c = cosl(0.5235987755982988731L * k), s = sinl(0.5235987755982988731L * k);
    if (leaf->kind == CD_SHAPE_POLYGON) {
        p[0] = leaf->polygon.vertex[k % leaf->polygon.count].x;
        p[1] = leaf->polygon.vertex[k % leaf->polygon.count].y;
    } else if (leaf->kind == CD_SHAPE_SPHERE) {
        p[0] = leaf->centre.x + leaf->radius * c;
        p[1] = leaf->centre.y + leaf->radius * s;
    } else {
        long double x = leaf->semiaxes.x * c, y = leaf->semiaxes.y * s;
        p[0] = leaf->centre.x + leaf->cosine * x - leaf->sine * y;
        p[1] = leaf->centre.y + leaf->sine * x + leaf->cosine * y;
    }
}

static bool holds(const cd_aabb *box, long double x, long double y)
{
    return x >= box->min[0] && x <= box->max[0] && y >= box->min[1] && y <= box->max[1];
}

CD_TEST(boxes_hold_their_leaf_at_every_time_of_the_motion)
{
    cd_arena arena = {0};
    cd_random random = {3};
    int tight = 0;
    for (int round = 0; round < 4000; round++) {
        cd_leaf2 leaf = random_leaf(&random, &arena);
        double far = round % 4 ? 1 : 1e5, angle = cd_random_between(&random, -4, 4) * (round % 3 != 0);
        cd_state2 start = {.angle = angle};
        start.position.x = far * cd_random_between(&random, -1, 1);
        start.position.y = far * cd_random_between(&random, -1, 1);
        cd_state2 end = start;
        end.position.x += cd_random_between(&random, -1, 1);
        end.position.y += cd_random_between(&random, -1, 1);
        end.angle += cd_random_between(&random, -5, 5) * (round % 2);
        cd_state2 both[2] = {start, end};
        cd_aabb still = cd_bounds2_motion(&leaf, both, 1), moving = cd_bounds2_motion(&leaf, both, 2);
        double reached = 0;
        for (int k = 0; k < 12; k++) {
            long double p[2];
            boundary_point(&leaf, k, p);
            for (int i = 0; i <= 8; i++) {
                long double t = i / 8.0L, a = start.angle + t * ((long double)end.angle - start.angle);
                long double x = start.position.x + t * ((long double)end.position.x - start.position.x);
                long double y = start.position.y + t * ((long double)end.position.y - start.position.y);
                x += cosl(a) * p[0] - sinl(a) * p[1];
                y += sinl(a) * p[0] + cosl(a) * p[1];
                CD_CHECK(holds(&moving, x, y));
                if (i == 0) {
                    CD_CHECK(holds(&still, x, y));
                    reached += leaf.kind == CD_SHAPE_POLYGON && fabs((double)(x - still.max[0])) < 1e-15 + 4e-16 * far;
                }
            }
        }
        tight += reached > 0;
        cd_arena_reset(&arena);
    }
    CD_CHECK(tight > 1200);  // each polygon touches its box
    cd_arena_release(&arena);
}

CD_TEST(an_unturned_box_has_the_very_bounds)
{
    cd_arena arena = {0};
    cd_leaf2 leaf = {.kind = CD_SHAPE_POLYGON, .polygon = test_box(-0.5, -0.25, 0.5, 0.25, &arena), .extent = 0.56};
    cd_aabb box = cd_bounds2_leaf(&leaf, cd_pose2_make((cd_vec2){3, -1}, 0));
    CD_CHECK(box.min[0] == 2.5 && box.max[0] == 3.5 && box.min[1] == -1.25 && box.max[1] == -0.75);
    cd_arena_release(&arena);
}

CD_TEST(halfspaces_are_bounded_only_along_an_axis)
{
    cd_leaf2 leaf = {.kind = CD_SHAPE_HALFSPACE, .normal = {0, 1}, .offset = 2, .extent = INFINITY};
    cd_aabb box = cd_bounds2_leaf(&leaf, cd_pose2_make((cd_vec2){3, -1}, 0));
    CD_CHECK(isinf(box.min[0]) && isinf(box.max[0]) && isinf(box.min[1]) && box.max[1] == 1);
    leaf.normal = (cd_vec2){-1, 0};
    box = cd_bounds2_leaf(&leaf, cd_pose2_make((cd_vec2){3, -1}, 0));
    CD_CHECK(box.min[0] == 1 && isinf(box.max[0]) && isinf(box.min[1]) && isinf(box.max[1]));
    box = cd_bounds2_leaf(&leaf, cd_pose2_make((cd_vec2){3, -1}, 0.1));
    CD_CHECK(isinf(box.min[0]) && isinf(box.max[0]) && isinf(box.min[1]) && isinf(box.max[1]));
    cd_state2 turning[2] = {{{0, 0}, 0, {0, 0}, 0}, {{0, 0}, 6, {0, 0}, 0}};
    box = cd_bounds2_motion(&leaf, turning, 2);
    CD_CHECK(isinf(box.min[0]));
}

int main(void)
{
    CD_RUN(boxes_hold_their_leaf_at_every_time_of_the_motion);
    CD_RUN(an_unturned_box_has_the_very_bounds);
    CD_RUN(halfspaces_are_bounded_only_along_an_axis);
    return cd_test_done();
}
