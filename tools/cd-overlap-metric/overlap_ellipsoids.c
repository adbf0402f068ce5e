// The volume that two ellipsoids have in common, by quadrature over directions from a point inside.
//
// 1. By an affine map a is the unit ball about the origin and b an ellipsoid with axes along the coordinates, centre r,
//    squared semiaxes m: f_a = |x|^2 <= 1, f_b = sum (x_k - r_k)^2 / m_k <= 1.
// 2. Do they overlap (Perram & Wertham 1985)? The largest over 0 <= t <= 1 of the least over x of (1 - t) f_a + t f_b
//    is F; they do when F < 1, and the x of the optimum has f_a = f_b = F: it lies inside both.
// 3. From there Newton's method finds the analytic centre p, the least of -log(1 - f_a) - log(1 - f_b). In coordinates
//    in which that function's Hessian at p is the unit matrix, the intersection holds the unit ball about p and lies
//    within a ball of radius 4.9 (Nesterov & Nemirovskii 1994, a barrier of parameter 2), however thin it was: the
//    quadrature never meets a sliver.
// 4. V = det * integral over directions w of min(rho_a, rho_b)^3 / 3, where 1/rho is (b + sqrt(b^2 + a c)) / c for the
//    body's quadratic c - 2 b rho - a rho^2 along w. About an axis, for each longitude: the latitudes at which the
//    two are equal are found, and between them Gauss and Legendre's rule; over longitudes, the trapezoidal rule, both
//    of exponential convergence as long as the number of those latitudes is the same for all longitudes. The axis is
//    chosen so.
// SPDX-License-Identifier: MIT
#include "overlap_volume.h"

#include <float.h>

enum {
    FIRST_LONGITUDES = 16,
    MOST_LONGITUDES = 512,
    SAMPLES = 16,  // latitudes at which a crossing is looked for
    MOST_PIECES = 8,
    NEWTON_STEPS = 100,
};
static const double barely = 8 * DBL_EPSILON;                // [1] of F
static const double outer_goal = 1e-13, inner_goal = 1e-13;  // [1] of the volume

// ---- the pair in its own coordinates -------------------------------------------------------------------------------

// Eigenvalues and eigenvectors (columns of q) of a symmetric matrix, by Jacobi's rotations.
static void eigen(double s[3][3], double q[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            q[i][j] = i == j;
    for (int sweep = 0; sweep < 12; sweep++) {
        for (int i = 0; i < 2; i++) {
            for (int j = i + 1; j < 3; j++) {
                if (s[i][j] == 0)
                    continue;
                double theta = (s[j][j] - s[i][i]) / (2 * s[i][j]);
                double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), sine = t * c;
                for (int k = 0; k < 3; k++) {
                    double x = s[k][i], y = s[k][j];
                    s[k][i] = c * x - sine * y;
                    s[k][j] = sine * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = s[i][k], y = s[j][k], u = q[k][i], v = q[k][j];
                    s[i][k] = c * x - sine * y;
                    s[j][k] = sine * x + c * y;
                    q[k][i] = c * u - sine * v;
                    q[k][j] = sine * u + c * v;
                }
                s[i][j] = s[j][i] = 0;
            }
        }
    }
}

typedef struct ball_and_ellipsoid {
    double r[3], m[3];  // the centre, the squared semiaxes of b
    double scale;       // [m^3] of a unit of volume
} ball_and_ellipsoid;

static ball_and_ellipsoid normal_form(const cd_ellipsoid *a, const cd_ellipsoid *b)
{
    const double s[3] = {a->semiaxes.x, a->semiaxes.y, a->semiaxes.z};
    const double l[3] = {b->semiaxes.x, b->semiaxes.y, b->semiaxes.z};
    cd_mat3 back = cd_mat3_transpose(a->axes), turn = cd_mat3_product(&back, b->axes);
    double map[3][3], square[3][3], q[3][3], centre[3];
    cd_vec3_put(cd_mat3_apply_back(a->axes, cd_sub3(b->centre, a->centre)), centre);
    for (int i = 0; i < 3; i++) {
        double row[3];
        cd_vec3_put(turn.row[i], row);
        for (int j = 0; j < 3; j++)
            map[i][j] = row[j] * l[j] / s[i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            square[i][j] = map[i][0] * map[j][0] + map[i][1] * map[j][1] + map[i][2] * map[j][2];
    eigen(square, q);
    ball_and_ellipsoid pair = {.scale = s[0] * s[1] * s[2]};
    for (int k = 0; k < 3; k++) {
        pair.m[k] = fmax(square[k][k], DBL_MIN);
        for (int i = 0; i < 3; i++)
            pair.r[k] += q[i][k] * centre[i] / s[i];
    }
    return pair;
}

// The point x of step 2 for a t; returns f_b - f_a, which falls as t grows.
static double weighted_point(const ball_and_ellipsoid *pair, double t, double x[3], double *f)
{
    double fa = 0, fb = 0;
    for (int k = 0; k < 3; k++) {
        double whole = (1 - t) * pair->m[k] + t, r = pair->r[k];
        double apart = (1 - t) * r / whole;  // (r - x) / m
        x[k] = t * r / whole;
        fa += x[k] * x[k];
        fb += apart * apart * pair->m[k];
    }
    *f = fmax(fa, fb);
    return fb - fa;
}

// Returns F.
static double perram_wertham(const ball_and_ellipsoid *pair, double x[3])
{
    double low = 0, high = 1, f;
    for (int step = 0; step < 60 && low < high; step++) {
        double t = (low + high) / 2;
        if (weighted_point(pair, t, x, &f) > 0)
            low = t;
        else
            high = t;
    }
    weighted_point(pair, (low + high) / 2, x, &f);
    return f;
}

// ---- the centre, and coordinates in which the intersection is round ------------------------------------------------

// c - 2 b.w rho - w.a w rho^2 >= 0 along the direction w from p.
typedef struct quadratic {
    double a[3][3], b[3], c;
} quadratic;

// Of both bodies about p, in the coordinates of step 1.
static void quadratics(const ball_and_ellipsoid *pair, const double p[3], quadratic q[2])
{
    for (int side = 0; side < 2; side++) {
        q[side] = (quadratic){.c = 1};
        for (int k = 0; k < 3; k++) {
            double weight = side ? 1 / pair->m[k] : 1, from = side ? p[k] - pair->r[k] : p[k];
            q[side].a[k][k] = weight;
            q[side].b[k] = weight * from;
            q[side].c -= weight * from * from;
        }
    }
}

// The barrier's gradient g and the Cholesky factor l of its Hessian.
static void barrier(const quadratic q[2], double g[3], double l[3][3])
{
    double hessian[3][3] = {{0}};
    for (int i = 0; i < 3; i++) {
        g[i] = 2 * q[0].b[i] / q[0].c + 2 * q[1].b[i] / q[1].c;
        for (int j = 0; j < 3; j++)
            for (int side = 0; side < 2; side++)
                hessian[i][j] +=
                    2 * q[side].a[i][j] / q[side].c + 4 * (q[side].b[i] / q[side].c) * (q[side].b[j] / q[side].c);
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double sum = hessian[i][j];
            for (int k = 0; k < j; k++)
                sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(fmax(sum, DBL_MIN)) : sum / l[j][j];
        }
}

// Solves l y = g, then (transposed) l' x = y.
static void solve_lower(double l[3][3], const double g[3], double y[3])
{
    for (int i = 0; i < 3; i++) {
        y[i] = g[i];
        for (int k = 0; k < i; k++)
            y[i] -= l[i][k] * y[k];
        y[i] /= l[i][i];
    }
}
static void solve_upper(double l[3][3], const double y[3], double x[3])
{
    for (int i = 2; i >= 0; i--) {
        x[i] = y[i];
        for (int k = i + 1; k < 3; k++)
            x[i] -= l[k][i] * x[k];
        x[i] /= l[i][i];
    }
}

// Moves p, strictly inside both, near the analytic centre and returns the quadratics in the round coordinates, with
// the volume of their unit. Newton's steps are damped by 1/(1 + decrement), which keeps them inside.
static double make_round(const ball_and_ellipsoid *pair, double p[3], quadratic round[2])
{
    quadratic q[2];
    double g[3], l[3][3], y[3], step[3];
    for (int count = 0; count < NEWTON_STEPS; count++) {
        quadratics(pair, p, q);
        barrier(q, g, l);
        solve_lower(l, g, y);
        solve_upper(l, y, step);
        double decrement = sqrt(y[0] * y[0] + y[1] * y[1] + y[2] * y[2]);
        if (!(decrement > 0.05))
            break;
        for (int k = 0; k < 3; k++)
            p[k] -= step[k] / (1 + decrement);
    }
    quadratics(pair, p, q);
    barrier(q, g, l);
    for (int side = 0; side < 2; side++) {
        double column[3][3], row[3], first[3][3];
        // l^-1 a l'^-1: a is symmetric, so l^-1 a first, then the same of its transposed.
        for (int j = 0; j < 3; j++)
            solve_lower(l, q[side].a[j], column[j]);  // column[j] = l^-1 (column j of a)
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                row[j] = column[j][i];
            solve_lower(l, row, first[i]);
        }
        memcpy(round[side].a, first, sizeof first);
        solve_lower(l, q[side].b, round[side].b);
        round[side].c = q[side].c;
    }
    return 1 / (l[0][0] * l[1][1] * l[2][2]);
}

// ---- quadrature ----------------------------------------------------------------------------------------------------

typedef struct directions {
    quadratic q[2];
    double axis[3][3];  // orthonormal; the poles are +-axis[0]
} directions;

// A quadratic in the half-plane of a meridian, along the direction (cos, sin) of a latitude.
typedef struct flat_quadratic {
    double a00, a01, a11, b0, b1, c;
} flat_quadratic;

typedef struct meridian {
    flat_quadratic q[2];
    int count;                 // of crossings
    double edge[SAMPLES + 2];  // 0, crossings, pi
    int first;                 // which body is left first from 0 on: 0 or 1
} meridian;

static double product(const quadratic *q, const double u[3], const double v[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += u[i] * (q->a[i][0] * v[0] + q->a[i][1] * v[1] + q->a[i][2] * v[2]);
    return sum;
}

static flat_quadratic flatten(const quadratic *q, const double pole[3], const double equator[3])
{
    flat_quadratic flat = {product(q, pole, pole), product(q, pole, equator), product(q, equator, equator), 0, 0, q->c};
    for (int i = 0; i < 3; i++) {
        flat.b0 += q->b[i] * pole[i];
        flat.b1 += q->b[i] * equator[i];
    }
    return flat;
}

static double inverse_distance(const flat_quadratic *q, double cosine, double sine)
{
    double a = (q->a00 * cosine + 2 * q->a01 * sine) * cosine + q->a11 * sine * sine;
    double b = q->b0 * cosine + q->b1 * sine, root = sqrt(b * b + a * q->c);
    return b > 0 ? (b + root) / q->c : a / (root - b);
}

// > 0 where a is left first.
static double which(const meridian *line, double latitude)
{
    double cosine = cos(latitude), sine = sin(latitude);
    return inverse_distance(&line->q[0], cosine, sine) - inverse_distance(&line->q[1], cosine, sine);
}

// The latitude between low and high at which both are left at once: regula falsi, the kept end's value halved
// (Illinois).
static double crossing(const meridian *line, double low, double at_low, double high, double at_high)
{
    int side = 0;
    for (int step = 0; step < 60 && high - low > 4e-16; step++) {
        double t = low + (high - low) * (at_low / (at_low - at_high));
        if (!(t > low && t < high))
            t = (low + high) / 2;
        double at = which(line, t);
        if (at == 0)
            return t;
        if ((at > 0) == (at_low > 0)) {
            low = t;
            at_low = at;
            at_high = side == 1 ? at_high / 2 : at_high;
            side = 1;
        } else {
            high = t;
            at_high = at;
            at_low = side == -1 ? at_low / 2 : at_low;
            side = -1;
        }
    }
    return (low + high) / 2;
}

// The crossings are looked for between SAMPLES + 1 latitudes.
static meridian meridian_at(const directions *d, double longitude)
{
    meridian line = {.count = 0};
    double equator[3];
    for (int k = 0; k < 3; k++)
        equator[k] = cos(longitude) * d->axis[1][k] + sin(longitude) * d->axis[2][k];
    for (int side = 0; side < 2; side++)
        line.q[side] = flatten(&d->q[side], d->axis[0], equator);
    double before = which(&line, 0), first = before;
    for (int k = 1; k <= SAMPLES; k++) {
        double latitude = M_PI * k / SAMPLES, at = which(&line, latitude);
        if ((at > 0) != (before > 0))
            line.edge[++line.count] = crossing(&line, M_PI * (k - 1) / SAMPLES, before, latitude, at);
        before = at;
    }
    line.first = first > 0 ? 0 : 1;
    line.edge[line.count + 1] = M_PI;
    return line;
}

// The integral of rho^3/3 sin(latitude) over a meridian, each stretch cut into `pieces`.
static double meridian_sum(const meridian *line, int pieces)
{
    double sum = 0;
    for (int k = 0; k <= line->count; k++) {
        const flat_quadratic *q = &line->q[(line->first + k) & 1];
        double length = (line->edge[k + 1] - line->edge[k]) / pieces;
        for (int piece = 0; piece < pieces; piece++) {
            double middle = line->edge[k] + (piece + 0.5) * length, part = 0;
            for (int node = 0; node < 2 * CD_GAUSS_HALF; node++) {
                double x = node & 1 ? cd_gauss_node[node / 2] : -cd_gauss_node[node / 2];
                double latitude = middle + x * length / 2, sine = sin(latitude);
                double inverse = inverse_distance(q, cos(latitude), sine);
                part += cd_gauss_weight[node / 2] * sine / (inverse * inverse * inverse);
            }
            sum += part * length / 6;
        }
    }
    return sum;
}

static void set_axis(directions *d, const double pole[3])
{
    cd_vec3 n = cd_unit3(cd_vec3_at(pole));
    cd_vec3 least = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z) ? (cd_vec3){1, 0, 0}
                    : fabs(n.y) <= fabs(n.z)                         ? (cd_vec3){0, 1, 0}
                                                                     : (cd_vec3){0, 0, 1};
    cd_vec3 u = cd_unit3(cd_cross3(n, least));
    cd_vec3_put(n, d->axis[0]);
    cd_vec3_put(u, d->axis[1]);
    cd_vec3_put(cd_cross3(n, u), d->axis[2]);
}

// Sets the first axis about which all meridians cross equally often: the direction in which a is left soonest, then the
// principal axes of what tells the quadratics apart. Returns the crossings of all the first meridians together.
static int choose_axis(directions *d)
{
    double apart[3][3], q[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            apart[i][j] = d->q[0].a[i][j] / d->q[0].c - d->q[1].a[i][j] / d->q[1].c;
    eigen(apart, q);
    int crossings = 0;
    for (int candidate = 0; candidate < 5; candidate++) {
        double pole[3];
        for (int k = 0; k < 3; k++)
            pole[k] = candidate == 0 || candidate == 4 ? d->q[0].b[k] : q[k][candidate - 1];
        if (!(pole[0] * pole[0] + pole[1] * pole[1] + pole[2] * pole[2] > 0))
            pole[0] = 1;
        set_axis(d, pole);
        int least = SAMPLES, most = crossings = 0;
        for (int k = 0; k < FIRST_LONGITUDES; k++) {
            int count = meridian_at(d, 2 * M_PI * k / FIRST_LONGITUDES).count;
            least = count < least ? count : least;
            most = count > most ? count : most;
            crossings += count;
        }
        if (least == most)
            break;
    }
    return crossings;
}

// In units of the round coordinates.
static cd_volume integrate(const directions *d)
{
    double sum = 0, inner = INFINITY;
    int pieces = 1;
    for (; pieces <= MOST_PIECES; pieces *= 2) {
        double finer = 0;
        for (int k = 0; k < FIRST_LONGITUDES; k++) {
            meridian line = meridian_at(d, 2 * M_PI * k / FIRST_LONGITUDES);
            finer += meridian_sum(&line, pieces);
        }
        inner = pieces == 1 ? INFINITY : fabs(finer - sum);
        sum = finer;
        if (inner <= inner_goal * finer)
            break;
    }
    pieces = pieces > MOST_PIECES ? MOST_PIECES : pieces;
    inner /= sum;
    double value = sum * 2 * M_PI / FIRST_LONGITUDES, outer = INFINITY, before = INFINITY;
    for (int count = FIRST_LONGITUDES; count < MOST_LONGITUDES && !(outer <= outer_goal * value); count *= 2) {
        for (int k = 0; k < count; k++) {
            meridian line = meridian_at(d, 2 * M_PI * (k + 0.5) / count);
            sum += meridian_sum(&line, pieces);
        }
        double finer = sum * M_PI / count;
        before = outer;
        outer = fabs(finer - value);
        value = finer;
    }
    if (!(outer <= outer_goal * value))  // kinks: the differences fall slowly, and by turns
        outer = 8 * fmax(outer, before / 4);
    return (cd_volume){value, outer + inner * value};
}

// Rounding: squared semiaxes are wrong by 2^-50 of the largest, and what 1 - F has lost of its digits the depth has.
cd_volume cd_volume_ellipsoid_ellipsoid(const cd_ellipsoid *a, const cd_ellipsoid *b)
{
    ball_and_ellipsoid pair = normal_form(a, b);
    double p[3], f = perram_wertham(&pair, p);
    if (!(f < 1 - barely))  // touching, as far as rounding tells
        return (cd_volume){0, f < 1 + barely ? 4 * M_PI * barely * pair.scale : 0};
    directions d;
    double unit = make_round(&pair, p, d.q) * pair.scale;
    double largest = fmax(1, fmax(pair.m[0], fmax(pair.m[1], pair.m[2])));
    double least = fmin(1, fmin(pair.m[0], fmin(pair.m[1], pair.m[2])));
    double rounded = 64 * (DBL_EPSILON / 2) * (largest / least + 1 / (1 - f));
    bool is_one_inside = choose_axis(&d) == 0;
    cd_volume found = integrate(&d);
    found = (cd_volume){found.value * unit, (found.error + rounded * found.value) * unit};
    if (!is_one_inside)
        return found;
    double of_b = b->semiaxes.x * b->semiaxes.y * b->semiaxes.z;
    double whole = 4 * M_PI / 3 * fmin(of_b, pair.scale);
    return (cd_volume){whole, fabs(whole - found.value) + rounded * whole};
}
