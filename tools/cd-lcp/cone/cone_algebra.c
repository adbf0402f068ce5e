// SPDX-License-Identifier: MIT
#include "cone_algebra.h"

#include "lcp_vector.h"

#include <math.h>

static double tail(const double *x, int32_t n)
{
    return n < 2 ? 0 : n < 3 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

// x_0^2 - |x_1|^2.
static double norm_sq(const double *x, int32_t n)
{
    const double t = tail(x, n);
    return (x[0] - t) * (x[0] + t);
}

static double dot_tail(const double *x, const double *y, int32_t n)
{
    double sum = 0;
    for (int32_t i = 1; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

bool cd_cone_scale(const cd_cones *k, const double *s, const double *z, cd_cone_scaling *out)
{
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        if (n == 1) {
            out->w[at] = 1;
            out->beta[c] = sqrt(s[at] / z[at]);
            if (!(s[at] > 0) || !(z[at] > 0) || !isfinite(out->beta[c]) || !(out->beta[c] > 0))
                return false;
            continue;
        }
        const double ss = norm_sq(s + at, n), zz = norm_sq(z + at, n);
        if (!(ss > 0) || !(zz > 0) || !(s[at] > 0) || !(z[at] > 0))
            return false;
        const double a = sqrt(ss), b = sqrt(zz);
        double *w = out->w + at;
        const double g = sqrt((1 + (s[at] * z[at] + dot_tail(s + at, z + at, n)) / (a * b)) / 2);
        w[0] = 1;
        for (int32_t i = 1; i < n; i++)
            w[i] = (s[at + i] / a - z[at + i] / b) / (2 * g);
        w[0] = sqrt(1 + dot_tail(w, w, n));
        out->beta[c] = sqrt(a / b);
        if (!isfinite(out->beta[c]) || !isfinite(w[0]))
            return false;
    }
    cd_cone_apply(k, out, z, out->lambda);
    return true;
}

static void scale_by(const cd_cones *k, const cd_cone_scaling *f, double sign, const double *x, double *out)
{
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        const double *w = f->w + at, beta = sign > 0 ? f->beta[c] : 1 / f->beta[c];
        if (n == 1) {
            out[at] = beta * x[at];
            continue;
        }
        const double x0 = x[at], wx = sign * dot_tail(w, x + at, n), share = wx / (w[0] + 1) + x0;
        for (int32_t i = 1; i < n; i++)
            out[at + i] = beta * (x[at + i] + sign * w[i] * share);
        out[at] = beta * (w[0] * x0 + wx);
    }
}

void cd_cone_apply(const cd_cones *k, const cd_cone_scaling *f, const double *x, double *out)
{
    scale_by(k, f, 1, x, out);
}

void cd_cone_unapply(const cd_cones *k, const cd_cone_scaling *f, const double *x, double *out)
{
    scale_by(k, f, -1, x, out);
}

void cd_cone_inverse(const cd_cones *k, const cd_cone_scaling *f, int32_t c, double *T)
{
    const int32_t n = k->row[c + 1] - k->row[c];
    const double *w = f->w + k->row[c], inverse = 1 / f->beta[c];
    T[0] = inverse * w[0];
    for (int32_t i = 1; i < n; i++) {
        T[i] = T[n * i] = -inverse * w[i];
        for (int32_t j = 1; j < n; j++)
            T[n * i + j] = inverse * (w[i] * (w[j] / (w[0] + 1)) + (i == j ? 1 : 0));
    }
}

void cd_cone_product(const cd_cones *k, const double *x, const double *y, double *out)
{
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        const double x0 = x[at], y0 = y[at], dot = x0 * y0 + dot_tail(x + at, y + at, n);
        for (int32_t i = 1; i < n; i++)
            out[at + i] = x0 * y[at + i] + y0 * x[at + i];
        out[at] = dot;
    }
}

void cd_cone_divide(const cd_cones *k, const double *x, const double *y, double *out)
{
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        const double d = norm_sq(x + at, n), x0 = x[at], y0 = y[at], xy = dot_tail(x + at, y + at, n);
        for (int32_t i = 1; i < n; i++)
            out[at + i] = (xy / x0 - y0) / d * x[at + i] + y[at + i] / x0;
        out[at] = (x0 * y0 - xy) / d;
    }
}

double cd_cone_step(const cd_cones *k, const double *x, const double *d, double most)
{
    double worst = 1 / most;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        if (n == 1) {
            worst = cd_larger(worst, -d[at] / x[at]);
            continue;
        }
        const double inverse = 1 / sqrt(norm_sq(x + at, n)), x0 = x[at] * inverse;
        const double y0 = x0 * d[at] - dot_tail(x + at, d + at, n) * inverse, share = (d[at] + y0) / (x0 + 1) * inverse;
        double sum = 0;
        for (int32_t i = 1; i < n; i++) {
            const double rest = d[at + i] - share * x[at + i];
            sum += rest * rest;
        }
        const double fall = (sqrt(sum) - y0) * inverse;
        worst = fall > worst ? fall : worst;
    }
    return 1 / worst;
}

// Eigenvalues of s and z of a cone of n rows along `direction`, which is set: two pairs, or one.
static int32_t pairs_of(const double *s, const double *z, int32_t n, double s_value[2], double z_value[2],
                        double *direction)
{
    double size = 0, s_tail = 0, z_tail = 0;
    s_value[0] = s[0];
    z_value[0] = z[0];
    if (n == 1)
        return 1;
    for (int32_t i = 1; i < n; i++) {
        direction[i - 1] = z[i] - s[i];
        size += direction[i - 1] * direction[i - 1];
    }
    size = sqrt(size);
    for (int32_t i = 1; i < n; i++) {
        direction[i - 1] = size > 0 ? direction[i - 1] / size : i == 1;
        s_tail += direction[i - 1] * s[i];
        z_tail += direction[i - 1] * z[i];
    }
    s_value[0] = s[0] + s_tail;
    s_value[1] = s[0] - s_tail;
    z_value[0] = z[0] + z_tail;
    z_value[1] = z[0] - z_tail;
    return 2;
}

double cd_cone_aim(const cd_cones *k, const double *s, const double *z, double aim, const cd_cone_floor *floor,
                   double *out)
{
    enum { SETTLED = 2 };  // a product within this factor of its floor is there
    double sum = 0, count = 0;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        double s_value[2], z_value[2], direction[2] = {0, 0}, target[2] = {0, 0}, off = 0;
        const int32_t pairs = pairs_of(s + at, z + at, n, s_value, z_value, direction);
        for (int32_t i = 0; i < n; i++)
            off = cd_larger(off, fabs(floor->off[at + i]));
        for (int32_t p = 0; p < pairs; p++) {
            const double product = s_value[p] * z_value[p], larger = cd_larger(s_value[p], z_value[p]);
            const double held =
                cd_larger(cd_larger(floor->least, floor->share * off), floor->relative * larger) * larger;
            target[p] = cd_larger(aim, held);
            if (product > SETTLED * held) {
                sum += product / pairs;
                count += 1.0 / pairs;
            }
        }
        out[at] += pairs == 1 ? target[0] : (target[0] + target[1]) / 2;
        for (int32_t i = 1; i < n; i++)
            out[at + i] += (target[0] - target[1]) / 2 * direction[i - 1];
    }
    return count > 0 ? sum / count : 0;
}

int32_t cd_cone_undecided(const cd_cones *k, const double *s, const double *z)
{
    const double ratio = 10;
    int32_t count = 0;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        double s_value[2], z_value[2], direction[2];
        const int32_t pairs = pairs_of(s + at, z + at, n, s_value, z_value, direction);
        for (int32_t p = 0; p < pairs; p++)
            count += s_value[p] < ratio * z_value[p] && z_value[p] < ratio * s_value[p];
    }
    return count;
}

// Eigenvalues a of z and b of s with a b = mu and a - b = x, the smaller one without a difference.
static void split(double mu, double x, double *b, double *a)
{
    const double larger = (fabs(x) + sqrt(x * x + 4 * mu)) / 2, smaller = mu / larger;
    *a = x > 0 ? larger : smaller;
    *b = x > 0 ? smaller : larger;
}

void cd_cone_split(const cd_cones *k, double mu, const double *x, double *s, double *z)
{
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        if (n < 2) {
            split(mu, x[at], s + at, z + at);
            continue;
        }
        const double tail = n < 3 ? fabs(x[at + 1]) : sqrt(x[at + 1] * x[at + 1] + x[at + 2] * x[at + 2]);
        double high[2], low[2];
        split(mu, x[at] + tail, high, high + 1);
        split(mu, x[at] - tail, low, low + 1);
        s[at] = (high[0] + low[0]) / 2;
        z[at] = (high[1] + low[1]) / 2;
        for (int32_t r = at + 1; r < at + n; r++) {
            const double along = tail > 0 ? x[r] / tail : 0;
            s[r] = along * (high[0] - low[0]) / 2;
            z[r] = along * (high[1] - low[1]) / 2;
        }
    }
}

void cd_cone_shift(const cd_cones *k, double inside, double *x)
{
    double worst = -INFINITY, size = 1;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        const double t = tail(x + at, n);
        worst = cd_larger(worst, t - x[at]);
        size = cd_larger(size, cd_larger(t, fabs(x[at])));
    }
    for (int32_t c = 0; c < k->count && worst >= -1e-8 * size; c++)
        x[k->row[c]] += inside + worst;
}
