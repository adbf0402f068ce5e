// Closed boxes and outward rounding.
// SPDX-License-Identifier: MIT
#include "cd_aabb.h"
#include "cd_random.h"
#include "cd_test.h"

static cd_aabb box2(double x0, double y0, double x1, double y1) { return (cd_aabb){{x0, y0, 0}, {x1, y1, 0}}; }

CD_TEST(touching_boxes_overlap)
{
    cd_aabb a = box2(0, 0, 1, 1), b = box2(1, 1, 2, 2), c = box2(nextafter(1, 2), 0, 2, 1);
    CD_CHECK(cd_aabb_overlaps(&a, &b, 2) && cd_aabb_overlaps(&b, &a, 2));
    CD_CHECK(!cd_aabb_overlaps(&a, &c, 2) && !cd_aabb_overlaps(&c, &a, 2));
    cd_aabb high = a;
    high.min[2] = high.max[2] = 5;
    CD_CHECK(cd_aabb_overlaps(&a, &high, 2) && !cd_aabb_overlaps(&a, &high, 3));
}

CD_TEST(empty_and_infinite)
{
    for (int dim = 2; dim <= 3; dim++) {
        cd_aabb none = cd_aabb_empty(dim), all = cd_aabb_infinite(dim), a = {{-1, -2, 0}, {3, 4, 0}};
        CD_CHECK(!cd_aabb_overlaps(&none, &a, dim) && !cd_aabb_overlaps(&none, &none, dim));
        CD_CHECK(cd_aabb_overlaps(&a, &all, dim));
        cd_aabb merged = cd_aabb_merge(none, a, dim);
        CD_CHECK(memcmp(&merged, &a, sizeof a) == 0);
        none = cd_aabb_grow(none, 1, dim);
        CD_CHECK(none.min[0] > none.max[0] && none.min[dim - 1] > none.max[dim - 1]);
        merged = cd_aabb_merge(a, none, dim);
        CD_CHECK(memcmp(&merged, &a, sizeof a) == 0);
        all = cd_aabb_grow(all, 1, dim);
        CD_CHECK(all.min[0] == -INFINITY && all.max[1] == INFINITY);
    }
    CD_CHECK(cd_aabb_empty(2).min[2] == 0 && cd_aabb_infinite(2).max[2] == 0);
}

CD_TEST(sums_are_rounded_outward)
{
    cd_random random = {60};
    for (int k = 0; k < 100000; k++) {
        double x = cd_random_between(&random, -1e6, 1e6), y = cd_random_between(&random, 0, 1e-3);
        cd_aabb a = cd_aabb_grow(box2(x, x, x, x), y, 2);
        CD_CHECK((long double)a.min[0] <= (long double)x - y && (long double)a.max[1] >= (long double)x + y);
        CD_CHECK(a.max[0] - x <= y + 0x1p-32);
    }
    cd_aabb a = box2(1, 2, 3, 4), same = cd_aabb_grow(a, 0, 2);
    CD_CHECK(memcmp(&a, &same, sizeof a) == 0);
    CD_CHECK(cd_add_up(0x1p-1074, 1) > 1 && cd_add_down(1, -0x1p-1074) < 1);
}

int main(void)
{
    CD_RUN(touching_boxes_overlap);
    CD_RUN(empty_and_infinite);
    CD_RUN(sums_are_rounded_outward);
    return cd_test_done();
}
