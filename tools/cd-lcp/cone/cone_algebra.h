// cone_algebra -- second-order cones of one to three rows: what an interior point needs of them.
//
// Vectors of a product of cones lie in one array; row[c] .. row[c+1] - 1 are those of cone c, x_0 first. For one row
// the formulas are those of x >= 0. "Inside" is the interior: x_0 > |(x_1, x_2)|. Nesterov-Todd scaling of s and z
// inside: the symmetric W with W z = W^-1 s = lambda. It is kept per cone as a vector w with w_0^2 - w_1^2 - w_2^2 = 1
// and a factor beta: W x = beta (w.x, w_1 x_0 + x_1 + w_1 (w_1.x_1) / (w_0 + 1)). Source: Vandenberghe, The CVXOPT
// linear and quadratic cone program solvers, 2010; Nesterov & Todd 1997.
// SPDX-License-Identifier: MIT
#ifndef CONE_ALGEBRA_H
#define CONE_ALGEBRA_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cd_cones {
    int32_t count, rows;
    const int32_t *row;  // count + 1
} cd_cones;

typedef struct cd_cone_scaling {
    double *w;       // a row each
    double *beta;    // a cone each
    double *lambda;  // a row each
} cd_cone_scaling;

// False when s or z is not inside, or so close to the boundary that rounding cannot tell.
bool cd_cone_scale(const cd_cones *k, const double *s, const double *z, cd_cone_scaling *out);

void cd_cone_apply(const cd_cones *k, const cd_cone_scaling *f, const double *x, double *out);  // W x; may be in place
void cd_cone_unapply(const cd_cones *k, const cd_cone_scaling *f, const double *x, double *out);  // W^-1 x

// T (height x height) = W^-1 of cone c.
void cd_cone_inverse(const cd_cones *k, const cd_cone_scaling *f, int32_t c, double *T);

// out = x o y = (x.y, x_0 y_1 + y_0 x_1).
void cd_cone_product(const cd_cones *k, const double *x, const double *y, double *out);
// out: x o out = y, x inside.
void cd_cone_divide(const cd_cones *k, const double *x, const double *y, double *out);

// The largest a <= most with x + a d inside or on the boundary; x inside.
double cd_cone_step(const cd_cones *k, const double *x, const double *d, double most);

// lambda o lambda of a pair of s and z that is done: what an interior point aims at, the same for all of both cones'
// eigenvalues but where the smaller of the two would fall below what may be told apart from 0.
//
// Eigenvalues of s and z belong together along the common direction of their tails, which is that of z_1 - s_1;
// complementary means that one of each pair is 0. The target of a pair is `aim`, but at least `least` times the larger
// one.
typedef struct cd_cone_floor {
    double least,
        relative;       // the smaller one of a pair is held at the larger of `least` and `relative` times the other
    double share;       // of |off| of its cone, in the same way: a slack is not brought below what it is wrong by
    const double *off;  // a row each
} cd_cone_floor;

// out += the targets. Returns the mean of the products of the pairs that are not at their floor, 0 when all are.
double cd_cone_aim(const cd_cones *k, const double *s, const double *z, double aim, const cd_cone_floor *floor,
                   double *out);

// Pairs of eigenvalues of s and z, along z_1 - s_1, that are within a factor of ten: which one goes to 0 is open.
int32_t cd_cone_undecided(const cd_cones *k, const double *s, const double *z);

// s and z inside with s o z = mu e and z - s = x, mu > 0, each to the digits of its own largest entry: where |x|^2 is
// some 1e15 mu and more, the smaller one of two or three rows may come to lie on its boundary.
void cd_cone_split(const cd_cones *k, double mu, const double *x, double *s, double *z);

// x += (inside + a) e where a, the largest |x_1| - x_0, is above -1e-8 |x|: so x is inside.
void cd_cone_shift(const cd_cones *k, double inside, double *x);

#endif
