// SPDX-License-Identifier: MIT
#include "box_workload.h"

#include <math.h>
#include <stddef.h>

static const double ln2 = 0.69314718055994530942;

// ---- elementary functions, the same on every machine ---------------------------------------------------------------

// x > 0. x = m 2^e with m in [sqrt(1/2), sqrt(2)), and ln m = 2 atanh((m-1)/(m+1)); the first term left out
// is below 1e-18.
static double natural_log(double x)
{
    static const double odd[] = {1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13,
                                 1.0 / 11, 1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1};
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678118654752440) {
        m *= 2;
        exponent--;
    }
    double s = (m - 1) / (m + 1), sum = 0;
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        sum = sum * (s * s) + odd[i];
    return 2 * s * sum + exponent * ln2;
}

// x = k ln 2 + r with |r| <= ln(2)/2, and the series of exp r; the first term left out is below 1e-17.
static double exponential(double x)
{
    static const double inverse[] = {1.0 / 14, 1.0 / 13, 1.0 / 12, 1.0 / 11, 1.0 / 10, 1.0 / 9, 1.0 / 8,
                                     1.0 / 7,  1.0 / 6,  1.0 / 5,  1.0 / 4,  1.0 / 3,  0.5,     1};
    double k = floor(x / ln2 + 0.5), r = x - k * ln2, sum = 1;
    for (size_t i = 0; i < sizeof inverse / sizeof inverse[0]; i++)
        sum = 1 + sum * (r * inverse[i]);
    return ldexp(sum, (int)k);
}

static double root(double x, int degree) { return degree == 2 ? sqrt(x) : exponential(natural_log(x) / degree); }

static double power(double x, int exponent)
{
    double product = 1;
    for (int k = 0; k < exponent; k++)
        product *= x;
    return product;
}

// Standard normal: the polar method (Marsaglia & Bray, SIAM Review 6, 1964), of whose two numbers one is used.
static double normal(cd_random *random)
{
    for (;;) {
        double u = cd_random_between(random, -1, 1), v = cd_random_between(random, -1, 1), q = u * u + v * v;
        if (q > 0 && q < 1)
            return u * sqrt(-2 * natural_log(q) / q);
    }
}

// A random stream of its own for each number: streams begin at scattered places of a cycle of 2^64 and are a few
// numbers long, so that two of 10^7 share numbers with a probability below 10^-3. Negative numbers are the centres of
// clusters.
static cd_random random_of(const cd_box_workload *w, int64_t number)
{
    cd_random place = {w->seed};
    place.state = cd_random_bits(&place) + (uint64_t)number;
    return (cd_random){cd_random_bits(&place)};
}

// ---- kinds ---------------------------------------------------------------------------------------------------------

static void throw_uniform(const cd_box_workload *w, cd_random *random, cd_box *box)
{
    for (int k = 0; k < w->dim; k++)
        box->centre[k] = cd_random_unit(random);
}

static void fill_half(const cd_box_workload *w, double half, cd_box *box)
{
    for (int k = 0; k < w->dim; k++)
        box->half[k] = half;
}

static void uniform(const cd_box_workload *w, int64_t number, cd_random *random, cd_box *box)
{
    (void)number;
    throw_uniform(w, random, box);
    fill_half(w, w->edge / 2, box);
}

// The logarithm of the edge is uniform.
static void polydisperse(const cd_box_workload *w, int64_t number, cd_random *random, cd_box *box)
{
    (void)number;
    throw_uniform(w, random, box);
    fill_half(w, w->edge * exponential(-w->log_ratio * cd_random_unit(random)) / 2, box);
}

static void clustered(const cd_box_workload *w, int64_t number, cd_random *random, cd_box *box)
{
    (void)number;
    double cluster = floor(cd_random_unit(random) * w->clusters);
    cd_random place = random_of(w, -1 - (int64_t)cluster);
    for (int k = 0; k < w->dim; k++)
        box->centre[k] = cd_random_unit(&place) + w->spread * normal(random);
    fill_half(w, w->edge / 2, box);
}

static void slabs(const cd_box_workload *w, int64_t number, cd_random *random, cd_box *box)
{
    (void)number;
    int along = w->kind == CD_BOXES_SLABS_X ? 0 : (int)(cd_random_unit(random) * w->dim);
    throw_uniform(w, random, box);
    fill_half(w, w->edge / 2, box);
    box->half[along] *= w->aspect;
}

// Cells of a cube of `columns` along each axis, the last axis fastest.
static void lattice(const cd_box_workload *w, int64_t number, cd_random *random, cd_box *box)
{
    (void)random;
    for (int k = w->dim - 1; k >= 0; k--, number /= w->columns)
        box->centre[k] = ((double)(number % w->columns) + 0.5) * w->edge;
    fill_half(w, w->kind == CD_BOXES_MESH ? 0.505 * w->edge : 0.5 * w->edge, box);
}

static void moving(const cd_box_workload *w, int64_t number, cd_random *random, cd_box *box)
{
    uniform(w, number, random, box);
    for (int k = 0; k < w->dim; k++)
        box->move[k] = cd_random_between(random, -1, 1) * w->speed * w->edge;
}

// One box as large as the cube in the middle of the order, the others uniform.
static void giant(const cd_box_workload *w, int64_t number, cd_random *random, cd_box *box)
{
    uniform(w, number, random, box);
    if (number != w->count / 2)
        return;
    for (int k = 0; k < w->dim; k++)
        box->centre[k] = 0.5;
    fill_half(w, 0.5, box);
}

// Places differ along the last axis; along the others by less than an edge, so boxes overlap there.
static void column(const cd_box_workload *w, int64_t number, cd_random *random, cd_box *box)
{
    uniform(w, number, random, box);
    for (int k = 0; k < w->dim - 1; k++)
        box->centre[k] = 0.5 + w->edge * (box->centre[k] - 0.5);
}

// Few places, each taken by several boxes that are the same; places do not meet.
static void equal(const cd_box_workload *w, int64_t number, cd_random *random, cd_box *box)
{
    (void)number;
    for (int k = 0; k < w->dim; k++)
        box->centre[k] = (floor(cd_random_unit(random) * (double)w->columns) + 0.5) * 2 * w->edge;
    fill_half(w, w->edge / 2, box);
}

typedef void place_function(const cd_box_workload *w, int64_t number, cd_random *random, cd_box *box);
#define KIND(enumerator, name, function) [enumerator] = name,
#define KINDS                                                 \
    KIND(CD_BOXES_UNIFORM, "uniform", uniform)                \
    KIND(CD_BOXES_POLYDISPERSE, "polydisperse", polydisperse) \
    KIND(CD_BOXES_CLUSTERED, "clustered", clustered)          \
    KIND(CD_BOXES_SLABS, "slabs", slabs)                      \
    KIND(CD_BOXES_SLABS_X, "slabs-x", slabs)                  \
    KIND(CD_BOXES_MESH, "mesh", lattice)                      \
    KIND(CD_BOXES_TOUCHING, "touching", lattice)              \
    KIND(CD_BOXES_MOVING, "moving", moving)                   \
    KIND(CD_BOXES_GIANT, "giant", giant)                      \
    KIND(CD_BOXES_COLUMN, "column", column)                   \
    KIND(CD_BOXES_EQUAL, "equal", equal)                      \
    KIND(CD_BOXES_WIDE, "wide", polydisperse)
const char *const cd_box_kind_names[CD_BOX_KINDS + 1] = {KINDS};
#undef KIND
#define KIND(enumerator, name, function) [enumerator] = function,
static place_function *const place[CD_BOX_KINDS] = {KINDS};
#undef KIND

// ---- scales --------------------------------------------------------------------------------------------------------

// Edges s = edge exp(-L u), u uniform: the mean of s^p is (1 - ratio^-p) / (p L) edge^p, and with e_p these means
// E (s+t)^3 = 2 e_3 + 6 e_2 e_1, in the plane E (s+t)^2 = 2 e_2 + 2 e_1^2.
static double polydisperse_edge(const cd_box_workload *w)
{
    double mean[4];
    for (int p = 1; p <= 3; p++)
        mean[p] = (1 - 1 / power(w->ratio, p)) / (p * w->log_ratio);
    double product = w->dim == 2 ? 2 * mean[2] + 2 * mean[1] * mean[1] : 2 * mean[3] + 6 * mean[2] * mean[1];
    return root(w->neighbours / ((double)w->count * product), w->dim);
}

// In edges: two slabs along one axis meet over 2 A 2^(dim-1), two along different axes over (A+1)^2 2^(dim-2).
static double slab_edge(const cd_box_workload *w)
{
    double along = 2 * w->aspect * power(2, w->dim - 1);
    double across = (w->aspect + 1) * (w->aspect + 1) * power(2, w->dim - 2);
    double same = w->kind == CD_BOXES_SLABS_X ? 1 : 1.0 / w->dim;
    return root(w->neighbours / ((double)w->count * (same * along + (1 - same) * across)), w->dim);
}

// The difference of two places of a cluster is normal with variance 2 spread^2: its density at 0 is
// (4 pi spread^2)^(-dim/2), and boxes small against the spread meet with (2 s)^dim times that.
static double cluster_edge(const cd_box_workload *w)
{
    return w->spread * sqrt(M_PI) * root(w->neighbours * w->clusters / (double)w->count, w->dim);
}

static int64_t whole_root(double x, int degree)
{
    double whole = floor(root(x, degree) + 0.5);
    return whole < 1 ? 1 : (int64_t)whole;
}

void cd_box_workload_prepare(cd_box_workload *w)
{
    double count = (double)w->count;
    w->columns = whole_root(count, w->dim);
    w->ratio = w->ratio > 0 ? w->ratio : w->kind == CD_BOXES_WIDE ? 1e6 : 1e3;
    w->log_ratio = natural_log(w->ratio);
    w->edge = 0.5 * root(w->neighbours / count, w->dim);
    switch (w->kind) {
    case CD_BOXES_POLYDISPERSE:
    case CD_BOXES_WIDE:
        w->edge = polydisperse_edge(w);
        break;
    case CD_BOXES_CLUSTERED:
        w->edge = cluster_edge(w);
        break;
    case CD_BOXES_SLABS:
    case CD_BOXES_SLABS_X:
        w->edge = slab_edge(w);
        break;
    case CD_BOXES_MESH:
        w->edge = 1 / (double)w->columns;
        break;
    case CD_BOXES_TOUCHING:
        w->edge = 1;
        break;  // faces at whole numbers, exactly
    case CD_BOXES_COLUMN:
        w->edge = 0.5 * w->neighbours / count;
        break;  // they meet along one axis
    case CD_BOXES_EQUAL:
        w->columns = whole_root(count / w->neighbours, w->dim);
        w->edge = 0.5 / (double)w->columns;
        break;
    case CD_BOXES_UNIFORM:
    case CD_BOXES_MOVING:
    case CD_BOXES_GIANT:
    case CD_BOX_KINDS:
        break;
    }
    if (w->kind == CD_BOXES_MESH || w->kind == CD_BOXES_TOUCHING)
        w->count = w->columns * w->columns * (w->dim == 3 ? w->columns : 1);
}

// Straight on, thrown back by the walls of the cube: x, folded into 0..1.
static double between_walls(double x)
{
    double there_and_back = x - 2 * floor(x / 2);
    return there_and_back > 1 ? 2 - there_and_back : there_and_back;
}

cd_box cd_box_workload_at(const cd_box_workload *w, int64_t frame, int64_t number)
{
    cd_box box = {{0}, {0}, {0}};
    cd_random random = random_of(w, number);
    place[w->kind](w, number, &random, &box);
    for (int k = 0; k < w->dim && w->kind == CD_BOXES_MOVING; k++)
        box.centre[k] = between_walls(box.centre[k] + (double)frame * box.move[k]);
    return box;
}
