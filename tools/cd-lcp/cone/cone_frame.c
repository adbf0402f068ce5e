// SPDX-License-Identifier: MIT
#include "cone_frame.h"

#include "cd_vector.h"
#include "lcp_lanes.h"
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

void cd_cone_frame_scale(cd_cone_frame *f, double part)
{
    f->a *= part;
    if (f->height > 1)
        f->b *= part;
}

// x_0 + x_d, x_0 - x_d and x across.
static void split(const cd_cone_frame *f, const double *x, double out[3])
{
    const bool is_across = f->height > 2 && !f->turns;
    const double along = f->height < 2 ? 0 : is_across ? f->d[0] * x[1] + f->d[1] * x[2] : x[1];
    out[0] = x[0] + along;
    out[1] = x[0] - along;
    out[2] = is_across ? f->d[0] * x[2] - f->d[1] * x[1] : 0;
}

// Three rows, with an axis of its own: exp(length x) has x's, and W brings it to another one. a b changes by
// exp(2 length x_0).
static void move_freely(cd_cone_frame *f, double length, const double *x)
{
    const double a = f->a, b = f->b, size = sqrt(x[1] * x[1] + x[2] * x[2]),
                 high = cd_cone_power(length * (x[0] + size)), low = cd_cone_power(length * (x[0] - size)),
                 part = size > 0 ? (high - low) / 2 / size : 0, mean = (high + low) / 2;
    double y[3];
    split(f, (const double[3]){mean, part * x[1], part * x[2]}, y);
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

// out = W' (x o x), x as it was split, W' diagonal: in the frame. With p, q, t of x the product x o x has p^2 + t^2,
// q^2 + t^2, (p + q) t.
static void bow(const cd_cone_frame *f, const double x[3], const double diagonal[3], double *out)
{
    const double half = f->height < 2 ? 1 : CD_CONE_HALF;
    out[0] = half * diagonal[0] * (x[0] * x[0] + x[2] * x[2]);
    if (f->height > 1)
        out[1] = half * diagonal[1] * (x[1] * x[1] + x[2] * x[2]);
    if (f->height > 2)
        out[2] = diagonal[2] * (x[0] + x[1]) * x[2];
}

// J has (1 + far) lean / 2 and the like in the frame.
void cd_cone_frame_find_give(const cd_cone_frame *f, double soft, const double *scale, double *N)
{
    const double *v = scale, lean = f->lean / 2;
    if (f->height < 2) {
        N[0] = 1 / (1 + soft * v[0] * v[0]);
        return;
    }
    const double a = 1 + soft * v[0] * v[0] * lean * (1 + f->far), b = soft * v[0] * v[1] * lean * (1 - f->far),
                 e = soft * v[0] * v[1] * lean * (1 - f->near), d = 1 + soft * v[1] * v[1] * lean * (1 + f->near),
                 inverse = 1 / (a * d - b * e);
    N[0] = d * inverse;
    N[1] = -b * inverse;
    N[2] = -e * inverse;
    N[3] = a * inverse;
    N[4] = f->height > 2 ? 1 / (1 + soft * v[2] * v[2]) : 1;
}

void cd_cone_frame_give(const cd_cone_frame *f, const double *N, int32_t apart, double *x)
{
    const int32_t n = f->height;
    const double first = x[0];
    x[0] *= N[0];
    if (n < 2)
        return;
    x[0] += N[1] * x[apart];
    x[apart] = N[2] * first + N[3] * x[apart];
    if (n > 2)
        x[2 * apart] *= N[4];
}

// Of one cone, as cd_cone_frames_read.
static void read_one(const cd_cone_frame *f, double root, const double *scaled, double *out, double *turn)
{
    double x[3];
    for (int32_t i = 0; i < f->height; i++)
        x[i] = scaled[i] / root;
    *turn = 0;
    if (!f->turns) {
        cd_cone_frame_leave(f, x, out);
        return;
    }
    *turn = 2 * sqrt(f->a * f->b) * x[2] / (f->a - f->b);
    out[0] = CD_CONE_HALF * (x[0] + x[1]);
    out[1] = CD_CONE_HALF * (x[0] - x[1]);
    out[2] = 0;
}

// Of the cone whose rows begin with `at`, as cd_cone_frames_bend.
static void bend_one(const cd_cone_frame *f, const cd_cone_way *w, int32_t at, double turn, double *curve_z,
                     double *miss)
{
    const double a = f->a, b = f->b, mu = w->mu, mean = sqrt(a * b);
    double x[3], y[3], curve[3], off[3];
    split(f, w->x + at, x);
    for (int32_t i = 0; i < 3; i++)
        y[i] = (i < 2 ? w->rise : 0) - x[i];
    bow(f, x, (const double[3]){a, b, mean}, curve);
    bow(f, y, (const double[3]){mu / a, mu / b, mu / mean}, off);
    if (f->turns) {
        off[0] -= CD_CONE_HALF * turn * turn * (mu / a - mu / b) / 2;
        off[1] += CD_CONE_HALF * turn * turn * (mu / a - mu / b) / 2;
        off[2] += turn * (mu / a * y[0] - mu / b * y[1]);
    }
    cd_cone_frame_leave(f, off, curve_z + at);
    for (int32_t i = 0; i < f->height; i++)
        off[i] = w->part * w->first_s[at + i] + w->soft * curve_z[at + i];
    if (f->height > 1) {
        const double change = a * b / (a + b) * (x[0] - x[1]), aside = mean * x[2];
        off[0] += 4 * (change * change + aside * aside) / (a + b);
    }
    if (f->turns) {
        const double along = -turn * turn * (a - b) / 2, across = turn * (a * x[0] - b * x[1]);
        off[1] -= f->d[0] * along - f->d[1] * across;
        off[2] -= f->d[1] * along + f->d[0] * across;
    }
    cd_cone_frame_follow(f, off, miss + at);
    for (int32_t i = 0; i < f->height; i++)
        miss[at + i] = curve[i] - miss[at + i];
}

// ---- four frames of three rows -------------------------------------------------------------------------------------

// Where two ways differ by cone both are taken, and each lane keeps its own.
#define EITHER(mask, a, b) ((vec4)(((int4)(a) & (mask)) | ((int4)(b) & ~(mask))))
#define ALL(x) ((vec4){(x), (x), (x), (x)})

typedef struct four {
    vec4 a, b, d[2], lean, far, near, height_and_turns;
    int4 turns;
} four;

enum { FRAME = sizeof(cd_cone_frame) / sizeof(double) };
_Static_assert(FRAME == 2 * (int)LANES && offsetof(cd_cone_frame, lean) == LANES * sizeof(double),
               "the numbers of a frame are two vectors");
// What `turns` is of the number that it shares with the height. Both are small, so that as a double it is none that
// loading or storing would change.
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define TURNS (INT64_C(1) << 32)
#else
#define TURNS INT64_C(1)
#endif

INLINE void read_four(const cd_cone_frame *f, four *out)
{
    vec4 x[LANES], y[LANES];
    transpose((const double *)f, FRAME, x);
    transpose((const double *)f + LANES, FRAME, y);
    *out = (four){.a = x[0],
                  .b = x[1],
                  .d = {x[2], x[3]},
                  .lean = y[0],
                  .far = y[1],
                  .near = y[2],
                  .height_and_turns = y[3],
                  .turns = ((int4)y[3] & (int4){TURNS, TURNS, TURNS, TURNS}) != 0};
}

// The numbers of four frames from `to` on: a, b, d, or what follows.
INLINE void write_four_of(const vec4 x[LANES], double *to)
{
    vec4 y[LANES];
    transpose((const double *)x, LANES, y);
    for (int i = 0; i < LANES; i++)
        *(vec4 *)(to + FRAME * i) = y[i];
}

// Row by row, of the rows of four cones one after the other.
INLINE void read_rows(const double *x, vec4 out[3])
{
    const vec4 p = *(const vec4 *)x, q = *(const vec4 *)(x + LANES), r = *(const vec4 *)(x + 2 * LANES);
    out[0] = LANES_OF(LANES_OF(p, q, 0, 3, 6, 6), r, 0, 1, 2, 5);
    out[1] = LANES_OF(LANES_OF(p, q, 1, 4, 7, 7), r, 0, 1, 2, 6);
    out[2] = LANES_OF(LANES_OF(p, q, 2, 5, 5, 5), r, 0, 1, 4, 7);
}

INLINE void write_rows(const vec4 x[3], double *out)
{
    *(vec4 *)out = LANES_OF(LANES_OF(x[0], x[1], 0, 4, 1, 1), x[2], 0, 1, 4, 2);
    *(vec4 *)(out + LANES) = LANES_OF(LANES_OF(x[1], x[2], 1, 5, 2, 2), x[0], 0, 1, 6, 2);
    *(vec4 *)(out + 2 * LANES) = LANES_OF(LANES_OF(x[2], x[0], 2, 7, 3, 3), x[1], 0, 1, 7, 2);
}

INLINE void root_of(const vec4 *x, vec4 *out)
{
    *out = (vec4){sqrt((*x)[0]), sqrt((*x)[1]), sqrt((*x)[2]), sqrt((*x)[3])};
}

INLINE void follow_four(const four *f, const vec4 x[3], vec4 out[3])
{
    const vec4 along = f->d[0] * x[1] + f->d[1] * x[2], across = f->d[0] * x[2] - f->d[1] * x[1];
    out[0] = CD_CONE_HALF * f->lean * (x[0] + f->far * along);
    out[1] = CD_CONE_HALF * f->lean * (x[0] - f->near * along);
    out[2] = across;
}

INLINE void leave_four(const four *f, const vec4 x[3], vec4 out[3])
{
    const vec4 along = CD_CONE_HALF * (x[0] - x[1]), across = x[2];
    out[0] = CD_CONE_HALF * (x[0] + x[1]);
    out[1] = f->d[0] * along - f->d[1] * across;
    out[2] = f->d[1] * along + f->d[0] * across;
}

INLINE void bow_four(const vec4 x[3], const vec4 diagonal[3], vec4 *out)
{
    out[0] = CD_CONE_HALF * diagonal[0] * (x[0] * x[0] + x[2] * x[2]);
    out[1] = CD_CONE_HALF * diagonal[1] * (x[1] * x[1] + x[2] * x[2]);
    out[2] = diagonal[2] * (x[0] + x[1]) * x[2];
}

INLINE void power_four(const vec4 *x, vec4 *out)
{
    vec4 t = *x / 4;
    t = EITHER(t < 3, t, ALL(3));
    t = EITHER(-3 > t, ALL(-3), t);
    const vec4 even = 1 + t * t / 12, part = (even + t / 2) / (even - t / 2);
    *out = part * part * (part * part);
}

// By the size of what is in rows 1 and 2, or by row 1 alone where a frame turns, as one cone does it.
CD_VECTOR_CLONES static void move_four(cd_cone_frame *frames, double length, const double *rows, const double *turn)
{
    four f;
    vec4 x[3], size, high, low, tail, mean;
    read_four(frames, &f);
    read_rows(rows, x);
    size = x[1] * x[1] + x[2] * x[2];
    root_of(&size, &size);
    const vec4 shift = EITHER(f.turns, x[1], size), up = length * (x[0] + shift), down = length * (x[0] - shift);
    power_four(&up, &high);
    power_four(&down, &low);
    const vec4 part = EITHER(size > 0, (high - low) / 2 / size, ALL(0)), middle = (high + low) / 2,
               lean = f.d[0] * (part * x[1]) + f.d[1] * (part * x[2]), first = middle + lean, other = middle - lean,
               aside = f.d[0] * (part * x[2]) - f.d[1] * (part * x[1]);
    mean = f.a * f.b;
    root_of(&mean, &mean);
    const vec4 along = (f.a * first - f.b * other) / 2, across = mean * aside;
    tail = along * along + across * across;
    root_of(&tail, &tail);
    const vec4 a = (f.a * first + f.b * other) / 2 + tail, b = f.a * f.b * high * low / a;
    const vec4 angle = length * *(const vec4 *)turn;
    vec4 t = angle / 2 + angle * angle * angle / 24;
    t = EITHER(t < 1, t, ALL(1));
    t = EITHER(-1 > t, ALL(-1), t);
    const vec4 inverse = 1 / (1 + t * t), cosine = EITHER(f.turns, (1 - t * t) * inverse, along / tail),
               sine = EITHER(f.turns, 2 * t * inverse, across / tail);
    const int4 is_turned = f.turns | (tail > 0);
    const vec4 d0 = EITHER(is_turned, cosine * f.d[0] - sine * f.d[1], f.d[0]),
               d1 = EITHER(is_turned, cosine * f.d[1] + sine * f.d[0], f.d[1]), to_a = EITHER(f.turns, f.a * high, a),
               to_b = EITHER(f.turns, f.b * low, b);
    write_four_of((const vec4[]){to_a, to_b, d0, d1}, (double *)frames);
}

CD_VECTOR_CLONES static void write_four(cd_cone_frame *frames, double mu, double *s, double *z, double *scale)
{
    four f;
    vec4 mean, out[3];
    read_four(frames, &f);
    const vec4 a = f.a, b = f.b, high = 2 * a / (a + b), low = 2 * b / (a + b), part = (a - b) / (a + b),
               lean = 1 / (1 + part * part), far = high * high, near = low * low;
    write_four_of((const vec4[]){lean, far, near, f.height_and_turns}, (double *)frames + LANES);
    out[0] = (a + b) / 2;
    out[1] = (a - b) / 2 * f.d[0];
    out[2] = (a - b) / 2 * f.d[1];
    write_rows(out, s);
    out[0] = (mu / a + mu / b) / 2;
    out[1] = (mu / a - mu / b) / 2 * f.d[0];
    out[2] = (mu / a - mu / b) / 2 * f.d[1];
    write_rows(out, z);
    mean = a * b;
    root_of(&mean, &mean);
    const double root = sqrt(mu);
    out[0] = root / a;
    out[1] = root / b;
    out[2] = root / mean;
    write_rows(out, scale);
}

CD_VECTOR_CLONES static void read_direction_four(const cd_cone_frame *frames, double root, const double *scaled,
                                                 double *to, double *turn)
{
    four f;
    vec4 x[3], mean, out[3];
    read_four(frames, &f);
    read_rows(scaled, x);
    for (int i = 0; i < 3; i++)
        x[i] /= root;
    mean = f.a * f.b;
    root_of(&mean, &mean);
    leave_four(&f, x, out);
    *(vec4 *)turn = EITHER(f.turns, 2 * mean * x[2] / (f.a - f.b), ALL(0));
    out[1] = EITHER(f.turns, CD_CONE_HALF * (x[0] - x[1]), out[1]);
    out[2] = EITHER(f.turns, ALL(0), out[2]);
    write_rows(out, to);
}

CD_VECTOR_CLONES static void bend_four(const cd_cone_frame *frames, const cd_cone_way *w, const double *rows,
                                       const double *first_s, const double *turns, double *curve_z, double *miss)
{
    const vec4 turn = *(const vec4 *)turns;
    four f;
    vec4 in[3], x[3], y[3], curve[3], off[3], first[3], mean, change_z[3];
    read_four(frames, &f);
    read_rows(rows, in);
    read_rows(first_s, first);
    const vec4 a = f.a, b = f.b, lean = EITHER(f.turns, in[1], f.d[0] * in[1] + f.d[1] * in[2]), of_a = w->mu / a,
               of_b = w->mu / b;
    mean = a * b;
    root_of(&mean, &mean);
    x[0] = in[0] + lean;
    x[1] = in[0] - lean;
    x[2] = EITHER(f.turns, ALL(0), f.d[0] * in[2] - f.d[1] * in[1]);
    for (int i = 0; i < 3; i++)
        y[i] = (i < 2 ? w->rise : 0) - x[i];
    bow_four(x, (const vec4[3]){a, b, mean}, curve);
    bow_four(y, (const vec4[3]){of_a, of_b, w->mu / mean}, off);
    const vec4 round = CD_CONE_HALF * turn * turn * (of_a - of_b) / 2;
    off[0] = EITHER(f.turns, off[0] - round, off[0]);
    off[1] = EITHER(f.turns, off[1] + round, off[1]);
    off[2] = EITHER(f.turns, off[2] + turn * (of_a * y[0] - of_b * y[1]), off[2]);
    leave_four(&f, off, change_z);
    write_rows(change_z, curve_z);
    for (int i = 0; i < 3; i++)
        off[i] = w->part * first[i] + w->soft * change_z[i];
    const vec4 change = a * b / (a + b) * (x[0] - x[1]), aside = mean * x[2];
    off[0] += 4 * (change * change + aside * aside) / (a + b);
    const vec4 along = -turn * turn * (a - b) / 2, across = turn * (a * x[0] - b * x[1]);
    off[1] = EITHER(f.turns, off[1] - (f.d[0] * along - f.d[1] * across), off[1]);
    off[2] = EITHER(f.turns, off[2] - (f.d[1] * along + f.d[0] * across), off[2]);
    follow_four(&f, off, x);
    for (int i = 0; i < 3; i++)
        x[i] = curve[i] - x[i];
    write_rows(x, miss);
}

CD_VECTOR_CLONES static void follow_rows_of_four(const cd_cone_frame *frames, const double *x, double *out)
{
    four f;
    vec4 in[3], to[3];
    read_four(frames, &f);
    read_rows(x, in);
    follow_four(&f, in, to);
    write_rows(to, out);
}

CD_VECTOR_CLONES static void leave_rows_of_four(const cd_cone_frame *frames, const double *x, double *out)
{
    four f;
    vec4 in[3], to[3];
    read_four(frames, &f);
    read_rows(x, in);
    leave_four(&f, in, to);
    write_rows(to, out);
}

// ---- all of them ---------------------------------------------------------------------------------------------------

// What follows is compiled once and calls either way: a loop for wide registers that calls a function for narrow ones
// leaves their upper halves dirty, which cost 60 ns a cone, and problems of the plane have narrow ones alone (306
// polygons: 5.0 s of 81 frames in the place of 3.2).
//
// Whether cones c to c + 3 have three rows each.
INLINE bool are_four(const cd_cones *k, int32_t c)
{
    return c + LANES <= k->count && k->row[c + LANES] - k->row[c] == 3 * LANES;
}

void cd_cone_frames_follow(const cd_cones *k, const cd_cone_frame *f, const double *x, double *out)
{
    for (int32_t c = 0; c < k->count;) {
        const int32_t at = k->row[c];
        if (!are_four(k, c)) {
            cd_cone_frame_follow(&f[c++], x + at, out + at);
            continue;
        }
        follow_rows_of_four(f + c, x + at, out + at);
        c += LANES;
    }
}

void cd_cone_frames_leave(const cd_cones *k, const cd_cone_frame *f, const double *x, double *out)
{
    for (int32_t c = 0; c < k->count;) {
        const int32_t at = k->row[c];
        if (!are_four(k, c)) {
            cd_cone_frame_leave(&f[c++], x + at, out + at);
            continue;
        }
        leave_rows_of_four(f + c, x + at, out + at);
        c += LANES;
    }
}

void cd_cone_frames_move(const cd_cones *k, cd_cone_frame *f, double length, const double *x, const double *turn)
{
    for (int32_t c = 0; c < k->count;) {
        if (!are_four(k, c)) {
            cd_cone_frame_move(&f[c], length, x + k->row[c], turn[c]);
            c++;
            continue;
        }
        move_four(f + c, length, x + k->row[c], turn + c);
        c += LANES;
    }
}

bool cd_cone_frames_write(const cd_cones *k, cd_cone_frame *f, double mu, double *s, double *z, double *scale)
{
    for (int32_t c = 0; c < k->count; c++) {
        if (!(f[c].a > 0) || !(f[c].b > 0) || !isfinite(f[c].a) || !isfinite(f[c].b))
            return false;
    }
    for (int32_t c = 0; c < k->count;) {
        const int32_t at = k->row[c];
        if (!are_four(k, c)) {
            (void)cd_cone_frame_settle(&f[c]);
            cd_cone_frame_write(&f[c++], mu, s + at, z + at, scale + at);
            continue;
        }
        write_four(f + c, mu, s + at, z + at, scale + at);
        c += LANES;
    }
    return true;
}

void cd_cone_frames_read(const cd_cones *k, const cd_cone_frame *f, double mu, const double *scaled, double *x,
                         double *turn)
{
    const double root = sqrt(mu);
    for (int32_t c = 0; c < k->count;) {
        const int32_t at = k->row[c];
        if (!are_four(k, c)) {
            read_one(&f[c], root, scaled + at, x + at, turn + c);
            c++;
            continue;
        }
        read_direction_four(f + c, root, scaled + at, x + at, turn + c);
        c += LANES;
    }
}

void cd_cone_frames_bend(const cd_cones *k, const cd_cone_frame *f, const cd_cone_way *way, double *curve_z,
                         double *miss)
{
    for (int32_t c = 0; c < k->count;) {
        const int32_t at = k->row[c];
        if (!are_four(k, c)) {
            bend_one(&f[c], way, at, way->turn[c], curve_z, miss);
            c++;
            continue;
        }
        bend_four(f + c, way, way->x + at, way->first_s + at, way->turn + c, curve_z + at, miss + at);
        c += LANES;
    }
}

// ---- directions ----------------------------------------------------------------------------------------------------

cd_cone_direction cd_cone_direction_make(const cd_cones *k, int32_t columns, cd_arena *arena)
{
    return (cd_cone_direction){.k = k,
                               .columns = columns,
                               .du = CD_ARENA_ZARRAY(arena, double, columns),
                               .dw = CD_ARENA_ZARRAY(arena, double, k->rows),
                               .x = CD_ARENA_ZARRAY(arena, double, k->rows),
                               .turn = CD_ARENA_ZARRAY(arena, double, k->count)};
}

void cd_cone_direction_clear(cd_cone_direction *d)
{
    memset(d->du, 0, sizeof *d->du * (size_t)d->columns);
    memset(d->dw, 0, sizeof *d->dw * (size_t)d->k->rows);
    memset(d->x, 0, sizeof *d->x * (size_t)d->k->rows);
    memset(d->turn, 0, sizeof *d->turn * (size_t)d->k->count);
    d->rise = 0;
}

void cd_cone_direction_subtract(cd_cone_direction *d, double part, const cd_cone_direction *t)
{
    cd_vector_subtract(d->du, part, t->du, d->columns);
    cd_vector_subtract(d->dw, part, t->dw, d->k->rows);
    cd_vector_subtract(d->x, part, t->x, d->k->rows);
    cd_vector_subtract(d->turn, part, t->turn, d->k->count);
    d->rise -= part * t->rise;
}

void cd_cone_direction_add(const cd_cone_direction *a, const cd_cone_direction *b, cd_cone_direction *out)
{
    for (int32_t i = 0; i < out->columns; i++)
        out->du[i] = a->du[i] + b->du[i];
    for (int32_t r = 0; r < out->k->rows; r++) {
        out->dw[r] = a->dw[r] + b->dw[r];
        out->x[r] = a->x[r] + b->x[r];
    }
    for (int32_t c = 0; c < out->k->count; c++)
        out->turn[c] = a->turn[c] + b->turn[c];
    out->rise = a->rise + b->rise;
}

double cd_cone_direction_size(const cd_cone_direction *d)
{
    double largest = 0;
    for (int32_t c = 0; c < d->k->count; c++)
        largest = cd_larger(largest, cd_cone_direction_product(d, d, c));
    return sqrt(largest);
}
