// cone_frame -- s and z of one cone with s o z = mu e, in the frame of the axis that they share.
//
//     s = a (1, d) / 2 + b (1, -d) / 2,   z = mu / a (1, d) / 2 + mu / b (1, -d) / 2,   |d| = 1
// Vectors of the frame are along (1, d), along (1, -d) and across, each of length 1. W, the scaling of s and z, is
// diagonal there, (a, b, sqrt(a b)) / sqrt(mu), and so is s_t = w_t, s_0 - |s_t|^2 / s_0 = w_0, solved for ds by dw,
// but for what both first ones share.
//
// Rounding: where a contact slips b falls with mu, and b / a is soon below the rounding of s_0 - |s_t|. In the rows
// themselves steps along (1, d) are lost by then in the noise of those along (1, -d), (a / b) 2^-52 of them: at
// mu = 1e-16, with impulses and slips near 1. Here each has digits of its own.
// SPDX-License-Identifier: MIT
#ifndef CONE_FRAME_H
#define CONE_FRAME_H

#include "cd_memory.h"
#include "cone_algebra.h"

#define CD_CONE_HALF 0.7071067811865476  // of a square

// Two vectors of four numbers: loops over frames transpose those of four frames.
typedef struct cd_cone_frame {
    double a, b;             // of one row s itself, and 1
    double d[2];             // of two rows 1, 0, whichever of a and b is larger
    double lean, far, near;  // 1 / (1 + r^2), (1 + r)^2, (1 - r)^2 with r = |s_t| / s_0
    int32_t height;          // rows, 1 to 3
    int32_t turns;           // 1: changes across turn s and z, by angles, for the caller to say; else 0
} cd_cone_frame;

// height rows; s = size w with w_0^2 - w_1^2 - w_2^2 = 1, of one row s = size.
cd_cone_frame cd_cone_frame_make(int32_t height, double size, const double *w);
// To be called once a and b have changed. False: one of them is no number above 0.
bool cd_cone_frame_settle(cd_cone_frame *f);
bool cd_cone_frame_is_bent(const cd_cone_frame *f, double size);  // whether 1 rad is a larger change than that
// s, z and the diagonal of W^-1.
void cd_cone_frame_write(const cd_cone_frame *f, double mu, double *s, double *z, double *scale);

// Changes of s and z in logarithms, x: s moves to sqrt(mu) W exp(x). Of a frame that turns x_0, x along d, 0.
void cd_cone_frame_move(cd_cone_frame *f, double length, const double *x, double angle);

// s := part s. With mu := part^2 mu this is z := part z too.
void cd_cone_frame_scale(cd_cone_frame *f, double part);

// Contacts that give by soft: N = (1 + soft V J V)^-1, V = W^-1, whose diagonal is `scale`, J of
// cd_cone_frame_follow: two by two, and across.
enum { CD_CONE_GIVE = 5 };
void cd_cone_frame_find_give(const cd_cone_frame *f, double soft, const double *scale, double *N);
// x := N x, with entries so far apart.
void cd_cone_frame_give(const cd_cone_frame *f, const double *N, int32_t apart, double *x);

double cd_cone_power(double x);  // exp(x), near enough: the same on every machine

// The part along d of a vector's tail.
static inline double cd_cone_frame_along(const cd_cone_frame *f, const double *x)
{
    if (f->height < 3)
        return f->height < 2 ? 0 : x[1];
    return f->d[0] * x[1] + f->d[1] * x[2];
}

// A vector of the rows in the frame.
static inline void cd_cone_frame_enter(const cd_cone_frame *f, const double *x, double *out)
{
    const int32_t n = f->height;
    const double along = cd_cone_frame_along(f, x), across = n < 3 ? 0 : f->d[0] * x[2] - f->d[1] * x[1];
    out[0] = n < 2 ? x[0] : CD_CONE_HALF * (x[0] + along);
    if (n > 1)
        out[1] = CD_CONE_HALF * (x[0] - along);
    if (n > 2)
        out[2] = across;
}

// The way back.
static inline void cd_cone_frame_leave(const cd_cone_frame *f, const double *x, double *out)
{
    const int32_t n = f->height;
    const double first = n < 2 ? x[0] : CD_CONE_HALF * (x[0] + x[1]), along = n < 2 ? 0 : CD_CONE_HALF * (x[0] - x[1]),
                 across = n < 3 ? 0 : x[2];
    out[0] = first;
    if (n > 1)
        out[1] = n < 3 ? along : f->d[0] * along - f->d[1] * across;
    if (n > 2)
        out[2] = f->d[1] * along + f->d[0] * across;
}

// J of the head: out = ds in the frame of dw in the rows. ds_t = dw_t, ds_0 = (dw_0 + 2 r dw_d) / (1 + r^2); their sum
// and difference have 1 + 2 r / (1 + r^2) and 2 r / (1 + r^2) - 1 as factors, which are squares.
static inline void cd_cone_frame_follow(const cd_cone_frame *f, const double *x, double *out)
{
    const int32_t n = f->height;
    const double along = cd_cone_frame_along(f, x), across = n < 3 ? 0 : f->d[0] * x[2] - f->d[1] * x[1];
    out[0] = n < 2 ? x[0] : CD_CONE_HALF * f->lean * (x[0] + f->far * along);
    if (n > 1)
        out[1] = CD_CONE_HALF * f->lean * (x[0] - f->near * along);
    if (n > 2)
        out[2] = across;
}

// ---- all frames of a programme -------------------------------------------------------------------------------------
// The same functions for all cones, with the same bytes: cones of three rows are taken four at a time.

void cd_cone_frames_follow(const cd_cones *k, const cd_cone_frame *f, const double *x, double *out);
void cd_cone_frames_leave(const cd_cones *k, const cd_cone_frame *f, const double *x, double *out);
void cd_cone_frames_move(const cd_cones *k, cd_cone_frame *f, double length, const double *x, const double *turn);
// Settles and writes. False: one of them is not settled.
bool cd_cone_frames_write(const cd_cones *k, cd_cone_frame *f, double mu, double *s, double *z, double *scale);

// What W^-1 ds of a direction, `scaled` in the frames, is in logarithms: x, a row each, of frames that turn x_0, x
// along d, 0; and their angles, a cone each.
void cd_cone_frames_read(const cd_cones *k, const cd_cone_frame *f, double mu, const double *scaled, double *x,
                         double *turn);

// A way with this first derivative, on which mu changes by exp(rise). What the path is off by besides is part first_s;
// contacts give by soft.
typedef struct cd_cone_way {
    double mu, rise, part, soft;
    const double *x, *turn, *first_s;
} cd_cone_way;

// curve_z: what z bends by itself. miss, in the frames: from what s does, what the path is off by, and |s_t|^2 / s_0,
// whose second derivative has 2 |s_t' - s_0' s_t / s_0|^2 / s_0. Turning adds 2 turn J x_t' - turn^2 x_t to that of a
// tail x_t.
void cd_cone_frames_bend(const cd_cones *k, const cd_cone_frame *f, const cd_cone_way *way, double *curve_z,
                         double *miss);

// ---- directions ----------------------------------------------------------------------------------------------------
// Of velocities u, of w = H u and of all frames. Those that meet have the same cones and columns.

#define CD_CONE_ANGLE 4  // what a turn of 1 rad counts as a size, where it counts for less than as a change of s and z

typedef struct cd_cone_direction {
    const cd_cones *k;
    int32_t columns;
    double *du, *dw;  // dw = H du
    double *x;        // s moves to sqrt(mu) W exp(x), a row each; of a cone that turns x_0, x along its tail, 0
    double *turn;     // a cone each, of s and z together
    double rise;      // of log(mu)
} cd_cone_direction;

// 0. @owns arena
cd_cone_direction cd_cone_direction_make(const cd_cones *k, int32_t columns, cd_arena *arena);
void cd_cone_direction_clear(cd_cone_direction *d);
void cd_cone_direction_subtract(cd_cone_direction *d, double part, const cd_cone_direction *t);  // d -= part t
// out := a + b
void cd_cone_direction_add(const cd_cone_direction *a, const cd_cone_direction *b, cd_cone_direction *out);
// A length in the logarithms of the cone that changes most.
double cd_cone_direction_size(const cd_cone_direction *d);

// The product of two directions in the logarithms of s and z of cone c.
static inline double cd_cone_direction_product(const cd_cone_direction *a, const cd_cone_direction *b, int32_t c)
{
    const int32_t *row = a->k->row, at = row[c];
    double sum = a->rise * b->rise - a->rise * b->x[at] - b->rise * a->x[at] +
                 CD_CONE_ANGLE * CD_CONE_ANGLE * a->turn[c] * b->turn[c];
    for (int32_t r = at; r < row[c + 1]; r++)
        sum += 2 * a->x[r] * b->x[r];
    return sum;
}

#endif
