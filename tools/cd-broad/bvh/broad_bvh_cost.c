// What a partition of the boxes into classes costs, told from the kinds of boxes that a sample shows: the number of
// comparisons of a block with 16 that the walk will make, were the boxes spread evenly.
//
// A block of class c has the extent b_c = s_c + x_c along an axis: s_c is that of a cell of the curve that holds 12
// boxes, and x_c the expected extent of the largest of 12. A box or block of extent e meets it with the probability
// (b_c + e) / R along an axis, R the range. A block of c walks down to each class that stands behind its own,
// TEST_A_CLASS tests; it is compared with the blocks it meets and then with the boxes of them that meet it.
// SPDX-License-Identifier: MIT
#include "broad_bvh.h"

#include <math.h>

enum {
    BOXES_A_BLOCK = 12,
    TESTS_A_CLASS = 8,  // of blocks above those that hold boxes; measured with 1 to 10 classes, 1e5 boxes
};

typedef struct outline {
    double boxes, mean[3], block[3];
    double size;  // log of the product of the mean extents: the order of the classes
} outline;

// The expected largest extent of 12 boxes of a class: kinds from the largest down, each times the probability that it
// is there and no larger one is.
static double largest_of_block(const cd_bvh_kind_share *kind, const int *descending, int kinds, int class, int axis,
                               double boxes)
{
    double larger = 0, sum = 0, none_before = 1;
    for (int i = 0; i < kinds && larger < boxes; i++) {
        const cd_bvh_kind_share *one = &kind[descending[i]];
        if (one->class != class)
            continue;
        larger += one->boxes;
        double none = pow(fmax(0, 1 - larger / boxes), BOXES_A_BLOCK);
        sum += one->extent[axis] * (none_before - none);
        none_before = none;
    }
    return sum;
}

static double chance(const double *a, const double *b, const double *range)
{
    double product = 1;
    for (int axis = 0; axis < 3; axis++)
        product *= a[axis] + b[axis] < range[axis] ? (a[axis] + b[axis]) / range[axis] : 1;
    return product;
}

static outline outline_of(const cd_bvh_kind_share *kind, int descending[3][CD_BVH_MOST_KINDS], int kinds, int class,
                          const double mean[3], const double range[3])
{
    outline o = {.boxes = 0};
    for (int i = 0; i < kinds; i++)
        for (int axis = 0; axis < 3 && kind[i].class == class; axis++) {
            o.boxes += axis == 0 ? kind[i].boxes : 0;
            o.mean[axis] += kind[i].boxes * kind[i].extent[axis];
        }
    double cells = BOXES_A_BLOCK / o.boxes, weight[3], axes = 0;
    for (int axis = 0; axis < 3; axis++) {
        o.mean[axis] /= o.boxes;
        o.size += log(o.mean[axis] + 1e-9 * range[axis] + 1e-300);
        weight[axis] = o.mean[axis] + mean[axis];
        if (weight[axis] > 0 && range[axis] > 0) {
            cells *= range[axis] / weight[axis];
            axes++;
        }
    }
    double scale = axes > 0 ? pow(cells, 1 / axes) : 0;
    for (int axis = 0; axis < 3; axis++)
        o.block[axis] = fmin(scale * weight[axis], range[axis]) +
                        largest_of_block(kind, descending[axis], kinds, class, axis, o.boxes);
    return o;
}

double cd_bvh_cost(const cd_bvh_kind_share *kind, int kinds, int classes, const double range[3])
{
    int descending[3][CD_BVH_MOST_KINDS];
    double mean[3] = {0, 0, 0}, boxes = 0, cost = 0;
    for (int i = 0; i < kinds; i++) {
        boxes += kind[i].boxes;
        for (int axis = 0; axis < 3; axis++) {
            mean[axis] += kind[i].boxes * kind[i].extent[axis];
            int place = i;
            for (; place > 0 && kind[descending[axis][place - 1]].extent[axis] < kind[i].extent[axis]; place--)
                descending[axis][place] = descending[axis][place - 1];
            descending[axis][place] = i;
        }
    }
    for (int axis = 0; axis < 3; axis++)
        mean[axis] /= boxes;
    outline o[CD_BVH_MOST_CLASSES];
    for (int c = 0; c < classes; c++)
        o[c] = outline_of(kind, descending, kinds, c, mean, range);
    for (int c = 0; c < classes; c++) {
        double tests = 0;
        for (int d = 0; d < classes; d++)
            if (d == c || o[d].size > o[c].size)
                tests += TESTS_A_CLASS +
                         (d == c ? 0.5 : 1) * o[d].boxes / BOXES_A_BLOCK * chance(o[c].block, o[d].block, range);
        for (int i = 0; i < kinds; i++)
            if (kind[i].class == c || o[kind[i].class].size > o[c].size)
                tests += (kind[i].class == c ? 0.5 : 1) * kind[i].boxes * chance(o[c].block, kind[i].extent, range);
        cost += o[c].boxes / BOXES_A_BLOCK * tests;
    }
    return cost;
}
