// SPDX-License-Identifier: MIT
#include "cd_predicates.h"

#include "cd_expansion.h"

#include <stdbool.h>

static cd_twofold exact_product(double a, double b)
{
    double high = a * b;
    return (cd_twofold){high, fma(a, b, -high)};
}

typedef struct expansion {
    double part[16];
    int count;
} expansion;

static void expansion_add_product(expansion *e, double sign, double a, double b)
{
    cd_twofold p = exact_product(a, b);
    e->count = cd_expansion_add(e->part, e->count, sign * p.low);
    e->count = cd_expansion_add(e->part, e->count, sign * p.high);
}

// Each difference of coordinates is high + low exactly, so that
//   (ax - cx)(by - cy) - (ay - cy)(bx - cx)
// is a sum of eight products of two doubles, each again two doubles. Low parts are zero for points of like magnitude
// (Sterbenz), which leaves four numbers to add.
double cd_orient2d_exact(cd_vec2 a, cd_vec2 b, cd_vec2 c)
{
    cd_twofold acx = cd_twofold_exact_sum(a.x, -c.x), acy = cd_twofold_exact_sum(a.y, -c.y);
    cd_twofold bcx = cd_twofold_exact_sum(b.x, -c.x), bcy = cd_twofold_exact_sum(b.y, -c.y);
    expansion e = {.count = 0};
    expansion_add_product(&e, 1, acx.low, bcy.low);
    expansion_add_product(&e, -1, acy.low, bcx.low);
    expansion_add_product(&e, 1, acx.high, bcy.low);
    expansion_add_product(&e, 1, acx.low, bcy.high);
    expansion_add_product(&e, -1, acy.high, bcx.low);
    expansion_add_product(&e, -1, acy.low, bcx.high);
    expansion_add_product(&e, 1, acx.high, bcy.high);
    expansion_add_product(&e, -1, acy.high, bcx.high);
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
        cd_twofold s = cd_twofold_exact_sum(carry, take_e ? e[i++] : f[j++]);
        carry = s.high;
        if (s.low != 0)
            out[kept++] = s.low;
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
        cd_twofold product = exact_product(e[i], factor);
        cd_twofold low = cd_twofold_exact_sum(carry, product.low);
        if (low.low != 0)
            out[kept++] = low.low;
        cd_twofold high = cd_twofold_exact_sum(product.high, low.high);
        if (high.low != 0)
            out[kept++] = high.low;
        carry = high.high;
    }
    if (carry != 0)
        out[kept++] = carry;
    return kept;
}

// out = e (s.high + s.low); room for 4 e_count, e_count <= MINOR_PARTS.
static int scale_by_pair(const double *e, int e_count, cd_twofold s, double *out)
{
    double low[2 * MINOR_PARTS], high[2 * MINOR_PARTS];
    int low_count = scale_expansion(e, e_count, s.low, low);
    int high_count = scale_expansion(e, e_count, s.high, high);
    return sum_expansions(low, low_count, high, high_count, out);
}

// out = p q - r s; room for MINOR_PARTS.
static int minor_expansion(cd_twofold p, cd_twofold q, cd_twofold r, cd_twofold s, double *out)
{
    double p_parts[2], r_parts[2], left[8], right[8];
    int p_count = sum_expansions(&p.low, p.low != 0, &p.high, p.high != 0, p_parts);
    int r_count = sum_expansions(&r.low, r.low != 0, &r.high, r.high != 0, r_parts);
    int left_count = scale_by_pair(p_parts, p_count, q, left);
    int right_count = scale_by_pair(r_parts, r_count, (cd_twofold){-s.high, -s.low}, right);
    return sum_expansions(left, left_count, right, right_count, out);
}

// From the largest part down, exactly as long as no rounding occurs: what is left then is below one unit in the last
// place. (From the smallest up, adjacent parts such as 1 - (1 - 2^-53) - 2^-54 would cancel to 0 after a rounding.)
static double expansion_value(const double *e, int count)
{
    double sum = 0, rest = 0;
    while (count > 0 && rest == 0) {
        cd_twofold s = cd_twofold_exact_sum(sum, e[--count]);
        sum = s.high;
        rest = s.low;
    }
    return sum;
}

// Each difference of coordinates is high + low exactly. Low parts are zero for points of like magnitude (Sterbenz) and
// leave the expansions by themselves then.
double cd_orient3d_exact(cd_vec3 a, cd_vec3 b, cd_vec3 c, cd_vec3 d)
{
    cd_twofold ux = cd_twofold_exact_sum(b.x, -a.x), uy = cd_twofold_exact_sum(b.y, -a.y),
               uz = cd_twofold_exact_sum(b.z, -a.z);
    cd_twofold vx = cd_twofold_exact_sum(c.x, -a.x), vy = cd_twofold_exact_sum(c.y, -a.y),
               vz = cd_twofold_exact_sum(c.z, -a.z);
    cd_twofold wx = cd_twofold_exact_sum(d.x, -a.x), wy = cd_twofold_exact_sum(d.y, -a.y),
               wz = cd_twofold_exact_sum(d.z, -a.z);
    double minor[MINOR_PARTS], x[TERM_PARTS], y[TERM_PARTS], z[TERM_PARTS], xy[2 * TERM_PARTS], all[DETERMINANT_PARTS];
    int x_count = scale_by_pair(minor, minor_expansion(uy, vz, uz, vy, minor), wx, x);
    int y_count = scale_by_pair(minor, minor_expansion(uz, vx, ux, vz, minor), wy, y);
    int z_count = scale_by_pair(minor, minor_expansion(ux, vy, uy, vx, minor), wz, z);
    int xy_count = sum_expansions(x, x_count, y, y_count, xy);
    return expansion_value(all, sum_expansions(xy, xy_count, z, z_count, all));
}
