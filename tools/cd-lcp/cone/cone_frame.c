// SPDX-License-Identifier: MIT
#include "cone_frame.h"

#include "lcp_vector.h"

#include <math.h>

cd_cone_frame cd_cone_frame_make(int32_t height, double size, const double *w)
{
    if (height < 2)
        return (cd_cone_frame){.height = height, .a = size, .b = 1, .d = {1, 0}};
    const double tail = height < 3 ? fabs(w[1]) : sqrt(w[1] * w[1] + w[2] * w[2]),
                 high = height < 3 && w[1] < 0 ? 1 / (w[0] + tail) : w[0] + tail;
    const bool has_axis = height > 2 && tail > 0;
    return (cd_cone_frame){.height = height,
                           .a = size * high,
                           .b = size / high,
                           .d = {has_axis ? w[1] / tail : 1, has_axis ? w[2] / tail : 0}};
}

bool cd_cone_frame_settle(cd_cone_frame *f)
{
    const double a = f->a, b = f->b;
    if (!(a > 0) || !(b > 0) || !isfinite(a) || !isfinite(b))
        return false;
    const double high = 2 * a / (a + b), low = 2 * b / (a + b), part = (a - b) / (a + b);
    f->lean = 1 / (1 + part * part);
    f->far = high * high;
    f->near = low * low;
    return true;
}

// 2 |s_t| |z_t| > size^2 mu.
bool cd_cone_frame_is_bent(const cd_cone_frame *f, double size)
{
    return f->height > 2 && (f->a - f->b) * (f->a - f->b) > 2 * size * size * (f->a * f->b);
}

void cd_cone_frame_write(const cd_cone_frame *f, double mu, double *s, double *z, double *scale)
{
    const double a = f->a, b = f->b, root = sqrt(mu);
    scale[0] = root / a;
    if (f->height < 2) {
        s[0] = a;
        z[0] = mu / a;
        return;
    }
    s[0] = (a + b) / 2;
    z[0] = (mu / a + mu / b) / 2;
    scale[1] = root / b;
    for (int32_t i = 1; i < f->height; i++) {
        s[i] = (a - b) / 2 * f->d[i - 1];
        z[i] = (mu / a - mu / b) / 2 * f->d[i - 1];
    }
    if (f->height > 2)
        scale[2] = root / sqrt(a * b);
}

// |x| below 12, to 1e-6 and to four derivatives at 0, by nothing but products and one quotient; exp(x) exp(-x) = 1.
double cd_cone_power(double x)
{
    const double t = cd_larger(-3, cd_smaller(3, x / 4)), even = 1 + t * t / 12, part = (even + t / 2) / (even - t / 2);
    return part * part * (part * part);
}

static void turn_axis(cd_cone_frame *f, double cosine, double sine)
{
    const double x = f->d[0], y = f->d[1];
    f->d[0] = cosine * x - sine * y;
    f->d[1] = cosine * y + sine * x;
}

static void turn_by(cd_cone_frame *f, double angle)
{
    const double t = cd_larger(-1, cd_smaller(1, angle / 2 + angle * angle * angle / 24)), inverse = 1 / (1 + t * t);
    turn_axis(f, (1 - t * t) * inverse, 2 * t * inverse);
}

// Three rows, with an axis of its own: exp(length x) has x's, and W brings it to another one. a b changes by
// exp(2 length x_0).
static void move_freely(cd_cone_frame *f, double length, const double *x)
{
    const double a = f->a, b = f->b, size = sqrt(x[1] * x[1] + x[2] * x[2]),
                 high = cd_cone_power(length * (x[0] + size)), low = cd_cone_power(length * (x[0] - size)),
                 part = size > 0 ? (high - low) / 2 / size : 0, mean = (high + low) / 2;
    double y[3];
    cd_cone_frame_split(f, (const double[3]){mean, part * x[1], part * x[2]}, y);
    const double along = (a * y[0] - b * y[1]) / 2, across = sqrt(a * b) * y[2],
                 tail = sqrt(along * along + across * across);
    f->a = (a * y[0] + b * y[1]) / 2 + tail;
    f->b = a * b * high * low / f->a;
    if (tail > 0)
        turn_axis(f, along / tail, across / tail);
}

void cd_cone_frame_move(cd_cone_frame *f, double length, const double *x, double angle)
{
    if (f->height > 2 && !f->turns) {
        move_freely(f, length, x);
        return;
    }
    const double along = f->height < 2 ? 0 : x[1];
    f->a *= cd_cone_power(length * (x[0] + along));
    if (f->height > 1)
        f->b *= cd_cone_power(length * (x[0] - along));
    if (f->turns)
        turn_by(f, length * angle);
}

void cd_cone_frame_split(const cd_cone_frame *f, const double *x, double out[3])
{
    const bool is_across = f->height > 2 && !f->turns;
    const double along = f->height < 2 ? 0 : is_across ? f->d[0] * x[1] + f->d[1] * x[2] : x[1];
    out[0] = x[0] + along;
    out[1] = x[0] - along;
    out[2] = is_across ? f->d[0] * x[2] - f->d[1] * x[1] : 0;
}

// With p, q, t of x the product x o x has p^2 + t^2, q^2 + t^2, (p + q) t.
void cd_cone_frame_bow(const cd_cone_frame *f, const double x[3], const double diagonal[3], double *out)
{
    const double half = f->height < 2 ? 1 : CD_CONE_HALF;
    out[0] = half * diagonal[0] * (x[0] * x[0] + x[2] * x[2]);
    if (f->height > 1)
        out[1] = half * diagonal[1] * (x[1] * x[1] + x[2] * x[2]);
    if (f->height > 2)
        out[2] = diagonal[2] * (x[0] + x[1]) * x[2];
}
