// SPDX-License-Identifier: MIT
#include "cd_predicates.h"

// head + tail is exact; tail is the rounding error of head.
typedef struct pair_sum {
    double head, tail;
} pair_sum;

static pair_sum exact_sum(double a, double b)
{
    double head = a + b;
    double b_part = head - a;
    double a_part = head - b_part;
    return (pair_sum){head, (a - a_part) + (b - b_part)};
}

static pair_sum exact_product(double a, double b)
{
    double head = a * b;
    return (pair_sum){head, fma(a, b, -head)};
}

// A sum of doubles of increasing magnitude whose bits do not overlap: it represents its value exactly, and the last
// non-zero component has the value's sign.
typedef struct expansion {
    double part[16];
    int count;
} expansion;

// Adds one number and drops the zeros that arise (Shewchuk's GROW-EXPANSION with zero elimination). Under
// round-to-even the components stay nonadjacent, so summing them from the smallest keeps the sign.
static void expansion_add(expansion *e, double value)
{
    if (value == 0)
        return;
    int kept = 0;
    double carry = value;
    for (int i = 0; i < e->count; i++) {
        pair_sum s = exact_sum(carry, e->part[i]);
        carry = s.head;
        if (s.tail != 0)
            e->part[kept++] = s.tail;
    }
    if (carry != 0)
        e->part[kept++] = carry;
    e->count = kept;
}

static void expansion_add_product(expansion *e, double sign, double a, double b)
{
    pair_sum p = exact_product(a, b);
    expansion_add(e, sign * p.tail);
    expansion_add(e, sign * p.head);
}

// Each difference of coordinates is head + tail exactly, so that
//   (ax - cx)(by - cy) - (ay - cy)(bx - cx)
// is a sum of eight products of two doubles, each again two doubles. Tails are zero for points of like magnitude
// (Sterbenz), which leaves four numbers to add.
double cd_orient2d_exact(cd_vec2 a, cd_vec2 b, cd_vec2 c)
{
    pair_sum acx = exact_sum(a.x, -c.x), acy = exact_sum(a.y, -c.y);
    pair_sum bcx = exact_sum(b.x, -c.x), bcy = exact_sum(b.y, -c.y);
    expansion e = {.count = 0};
    expansion_add_product(&e, 1, acx.tail, bcy.tail);
    expansion_add_product(&e, -1, acy.tail, bcx.tail);
    expansion_add_product(&e, 1, acx.head, bcy.tail);
    expansion_add_product(&e, 1, acx.tail, bcy.head);
    expansion_add_product(&e, -1, acy.head, bcx.tail);
    expansion_add_product(&e, -1, acy.tail, bcx.head);
    expansion_add_product(&e, 1, acx.head, bcy.head);
    expansion_add_product(&e, -1, acy.head, bcx.head);
    double sum = 0;
    for (int i = 0; i < e.count; i++)
        sum += e.part[i];
    return sum;
}
