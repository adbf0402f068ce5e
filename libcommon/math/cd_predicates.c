// SPDX-License-Identifier: MIT
#include "cd_predicates.h"

#include <stdbool.h>

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

// ---- space ---------------------------------------------------------------------------------------------------------
//
// Expansions as plain arrays with a count, smallest component first, zeros left out; an empty one is 0. The sums below
// keep them strongly nonoverlapping, which is what the next sum needs (Shewchuk, theorem 13 and section 2.5).

enum { MINOR_PARTS = 16, TERM_PARTS = 64, DETERMINANT_PARTS = 192 };

// out = e + f, merged by magnitude (FAST-EXPANSION-SUM); out must be neither.
static int sum_expansions(const double *e, int e_count, const double *f, int f_count, double *out)
{
    int i = 0, j = 0, kept = 0;
    double carry = 0;
    while (i < e_count || j < f_count) {
        bool take_e = j >= f_count || (i < e_count && fabs(e[i]) < fabs(f[j]));
        pair_sum s = exact_sum(carry, take_e ? e[i++] : f[j++]);
        carry = s.head;
        if (s.tail != 0)
            out[kept++] = s.tail;
    }
    if (carry != 0)
        out[kept++] = carry;
    return kept;
}

// out = factor * e (SCALE-EXPANSION); room for 2 e_count.
static int scale_expansion(const double *e, int e_count, double factor, double *out)
{
    int kept = 0;
    double carry = 0;
    for (int i = 0; i < e_count && factor != 0; i++) {
        pair_sum product = exact_product(e[i], factor);
        pair_sum low = exact_sum(carry, product.tail);
        if (low.tail != 0)
            out[kept++] = low.tail;
        pair_sum high = exact_sum(product.head, low.head);
        if (high.tail != 0)
            out[kept++] = high.tail;
        carry = high.head;
    }
    if (carry != 0)
        out[kept++] = carry;
    return kept;
}

// out = e (s.head + s.tail); room for 4 e_count, e_count <= MINOR_PARTS.
static int scale_by_pair(const double *e, int e_count, pair_sum s, double *out)
{
    double low[2 * MINOR_PARTS], high[2 * MINOR_PARTS];
    int low_count = scale_expansion(e, e_count, s.tail, low);
    int high_count = scale_expansion(e, e_count, s.head, high);
    return sum_expansions(low, low_count, high, high_count, out);
}

// out = p q - r s; room for MINOR_PARTS.
static int minor_expansion(pair_sum p, pair_sum q, pair_sum r, pair_sum s, double *out)
{
    double p_parts[2], r_parts[2], left[8], right[8];
    int p_count = sum_expansions(&p.tail, p.tail != 0, &p.head, p.head != 0, p_parts);
    int r_count = sum_expansions(&r.tail, r.tail != 0, &r.head, r.head != 0, r_parts);
    int left_count = scale_by_pair(p_parts, p_count, q, left);
    int right_count = scale_by_pair(r_parts, r_count, (pair_sum){-s.head, -s.tail}, right);
    return sum_expansions(left, left_count, right, right_count, out);
}

// From the largest part down, exactly as long as no rounding occurs: what is left then is below one unit in the last
// place. (From the smallest up, adjacent parts such as 1 - (1 - 2^-53) - 2^-54 would cancel to 0 after a rounding.)
static double expansion_value(const double *e, int count)
{
    double sum = 0, rest = 0;
    while (count > 0 && rest == 0) {
        pair_sum s = exact_sum(sum, e[--count]);
        sum = s.head;
        rest = s.tail;
    }
    return sum;
}

// Each difference of coordinates is head + tail exactly. Tails are zero for points of like magnitude (Sterbenz) and
// leave the expansions by themselves then.
double cd_orient3d_exact(cd_vec3 a, cd_vec3 b, cd_vec3 c, cd_vec3 d)
{
    pair_sum ux = exact_sum(b.x, -a.x), uy = exact_sum(b.y, -a.y), uz = exact_sum(b.z, -a.z);
    pair_sum vx = exact_sum(c.x, -a.x), vy = exact_sum(c.y, -a.y), vz = exact_sum(c.z, -a.z);
    pair_sum wx = exact_sum(d.x, -a.x), wy = exact_sum(d.y, -a.y), wz = exact_sum(d.z, -a.z);
    double minor[MINOR_PARTS], x[TERM_PARTS], y[TERM_PARTS], z[TERM_PARTS], xy[2 * TERM_PARTS], all[DETERMINANT_PARTS];
    int x_count = scale_by_pair(minor, minor_expansion(uy, vz, uz, vy, minor), wx, x);
    int y_count = scale_by_pair(minor, minor_expansion(uz, vx, ux, vz, minor), wy, y);
    int z_count = scale_by_pair(minor, minor_expansion(ux, vy, uy, vx, minor), wz, z);
    int xy_count = sum_expansions(x, x_count, y, y_count, xy);
    return expansion_value(all, sum_expansions(xy, xy_count, z, z_count, all));
}
