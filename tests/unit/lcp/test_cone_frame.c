// Pairs of one cone on s o z = mu e, in frames: against the algebra of cone_algebra.h and where that
// has no digits left.
// SPDX-License-Identifier: MIT
#include "cone_frame.h"

#include "cd_random.h"
#include "cd_test.h"
#include "cone_algebra.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define MU 1e-3
#define NONE 1e300  // of cd_cone_frame_is_bent: no frame turns

static cd_random source = {11};

static double any(double low, double high) { return cd_random_between(&source, low, high); }

// A frame of so many rows, with s = size w.
static cd_cone_frame any_frame(int32_t n, double size, double *w)
{
    w[1] = n > 1 ? any(-2, 2) : 0;
    w[2] = n > 2 ? any(-2, 2) : 0;
    w[0] = sqrt(1 + w[1] * w[1] + w[2] * w[2]);
    cd_cone_frame f = cd_cone_frame_make(n, size, w);
    CD_CHECK(cd_cone_frame_settle(&f));
    return f;
}

CD_TEST(frames_hold_what_they_are_made_of)
{
    for (int k = 0; k < 300; k++) {
        const int32_t n = 1 + k % 3, row[2] = {0, n};
        const cd_cones one = {1, n, row};
        double w[3], s[3], z[3], scale[3], x[3], y[3], back[3], product[3];
        const double size = any(0.1, 10);
        const cd_cone_frame f = any_frame(n, size, w);
        cd_cone_frame_write(&f, MU, s, z, scale);
        cd_cone_product(&one, s, z, product);
        for (int32_t i = 0; i < n; i++) {
            CD_CHECK_NEAR(s[i], n < 2 ? size : size * w[i], 1e-13 * size);
            CD_CHECK_NEAR(product[i], i == 0 ? MU : 0, 1e-14);
            x[i] = any(-1, 1);
        }
        cd_cone_frame_enter(&f, x, y);
        cd_cone_frame_leave(&f, y, back);
        for (int32_t i = 0; i < n; i++)
            CD_CHECK_NEAR(back[i], x[i], 1e-15);
        // W^-1 is that of the algebra.
        double of_w[3], of_lambda[3], beta;
        cd_cone_scaling scaling = {of_w, &beta, of_lambda};
        CD_CHECK(cd_cone_scale(&one, s, z, &scaling));
        cd_cone_unapply(&one, &scaling, x, product);
        for (int32_t i = 0; i < n; i++)
            y[i] *= scale[i];
        cd_cone_frame_leave(&f, y, back);
        for (int32_t i = 0; i < n; i++)
            CD_CHECK_NEAR(back[i], product[i], 1e-12 * scale[n > 1 ? 1 : 0] + 1e-12);
    }
}

// ds of dw: s_t = w_t, s_0 - |s_t|^2 / s_0 = w_0, by a difference.
CD_TEST(slacks_follow_as_they_should)
{
    const double h = 1e-6;
    for (int k = 0; k < 200; k++) {
        const int32_t n = 2 + k % 2;
        double w[3], s[3], z[3], scale[3], ds[3], dw[3], in[3], out[3];
        const cd_cone_frame f = any_frame(n, 1, w);
        cd_cone_frame_write(&f, MU, s, z, scale);
        double now = 0, then = 0;
        for (int32_t i = 0; i < n; i++) {
            ds[i] = any(-1, 1);
            dw[i] = ds[i];
            now += i > 0 ? s[i] * s[i] : 0;
            then += i > 0 ? (s[i] + h * ds[i]) * (s[i] + h * ds[i]) : 0;
        }
        dw[0] = (h * ds[0] - then / (s[0] + h * ds[0]) + now / s[0]) / h;
        cd_cone_frame_follow(&f, dw, in);
        cd_cone_frame_leave(&f, in, out);
        for (int32_t i = 0; i < n; i++)
            CD_CHECK_NEAR(out[i], ds[i], 1e-4);
    }
}

// s moves to sqrt(mu) W exp(x), z to sqrt(mu) W^-1 exp(-x).
CD_TEST(moves_are_exponentials)
{
    for (int k = 0; k < 200; k++) {
        const int32_t n = 1 + k % 3, row[2] = {0, n};
        const cd_cones one = {1, n, row};
        double w[3], s[3], z[3], scale[3], x[3], e[2][3], of_w[3], of_lambda[3], beta;
        cd_cone_frame f = any_frame(n, any(0.5, 2), w);
        cd_cone_scaling scaling = {of_w, &beta, of_lambda};
        cd_cone_frame_write(&f, MU, s, z, scale);
        CD_CHECK(cd_cone_scale(&one, s, z, &scaling));
        for (int32_t i = 0; i < 3; i++)
            x[i] = i < n ? any(-0.5, 0.5) : 0;
        const double tail = sqrt(x[1] * x[1] + x[2] * x[2]);
        for (int side = 0; side < 2; side++) {
            const double sign = side == 0 ? 1 : -1, root = sqrt(MU) * exp(sign * x[0]);
            e[side][0] = root * cosh(tail);
            for (int32_t i = 1; i < n; i++)
                e[side][i] = sign * root * sinh(tail) * x[i] / tail;
        }
        cd_cone_apply(&one, &scaling, e[0], e[0]);
        cd_cone_unapply(&one, &scaling, e[1], e[1]);
        cd_cone_frame_move(&f, 1, x, 0);
        CD_CHECK(cd_cone_frame_settle(&f));
        cd_cone_frame_write(&f, MU, s, z, scale);
        for (int32_t i = 0; i < n; i++) {
            CD_CHECK_NEAR(s[i], e[0][i], 1e-5 * e[0][0]);
            CD_CHECK_NEAR(z[i], e[1][i], 1e-5 * e[1][0]);
        }
    }
}

// A contact that slips at 1 with an impulse of 1, mu = 1e-24: b has all its digits, turned and moved.
CD_TEST(slips_keep_their_digits)
{
    cd_cone_frame f = {.height = 3, .turns = true, .a = 2, .b = 1e-24, .d = {0.6, 0.8}};
    CD_CHECK(cd_cone_frame_settle(&f) && cd_cone_frame_is_bent(&f, 4) && !cd_cone_frame_is_bent(&f, NONE));
    CD_CHECK_NEAR(f.near / 1e-48, 1, 1e-12);
    // Of dw = (1e-24, d) the change along (1, -d) is that of dw_0 alone.
    double out[3] = {0};
    cd_cone_frame_follow(&f, (const double[3]){1e-24, 0.6, 0.8}, out);
    CD_CHECK_NEAR(out[1] / (CD_CONE_HALF * 0.5e-24), 1, 1e-12);
    cd_cone_frame_move(&f, 1, (const double[3]){-0.05, 0.05, 0}, 0.1);
    CD_CHECK_NEAR(f.a, 2, 1e-15);
    CD_CHECK_NEAR(f.b / 1e-24, exp(-0.1), 1e-7);
    CD_CHECK_NEAR(f.d[0], 0.6 * cos(0.1) - 0.8 * sin(0.1), 1e-6);
    CD_CHECK_NEAR(f.d[0] * f.d[0] + f.d[1] * f.d[1], 1, 1e-15);
}

// Frames of a programme, of which each may turn; heights as they come, above all of three rows.
enum { CONES = 67 };
typedef struct heap {
    cd_cones k;
    int32_t row[CONES + 1];
    cd_cone_frame f[CONES];
    double x[3 * CONES], off[3 * CONES], turn[CONES];
} heap;

static void fill_heap(heap *h, int trial)
{
    h->row[0] = 0;
    for (int32_t c = 0; c < CONES; c++) {
        double w[3];
        const int32_t n = trial % 3 == 0 || any(0, 1) < 0.9 ? 3 : 1 + (int32_t)(c % 2);
        h->f[c] = any_frame(n, exp(any(-20, 3)), w);
        h->f[c].b *= exp(any(-30, 0));
        CD_CHECK(cd_cone_frame_settle(&h->f[c]));
        h->f[c].turns = n > 2 && any(0, 1) < 0.5;
        h->row[c + 1] = h->row[c] + n;
        for (int32_t i = h->row[c]; i < h->row[c + 1]; i++) {
            h->x[i] = c % 7 == 0 ? 0 : any(-2, 2) * exp(any(-9, 1));
            h->off[i] = any(-1, 1);
        }
        if (h->f[c].turns)
            h->x[h->row[c] + 2] = 0;
        h->turn[c] = h->f[c].turns ? any(-1, 1) : 0;
    }
    h->k = (cd_cones){CONES, h->row[CONES], h->row};
}

// A cone alone is one that has no three beside it.
CD_TEST(four_frames_at_once_have_the_bytes_of_each_alone)
{
    static heap h;
    static double out[3][3 * CONES], one[3][3 * CONES], turn[CONES], other;
    for (int trial = 0; trial < 200; trial++) {
        fill_heap(&h, trial);
        const size_t size = sizeof(double) * (size_t)h.k.rows;
        const cd_cone_way way = {MU, any(-1, 1), any(0, 1), trial % 2 ? 1e-10 : 0, h.x, h.turn, h.off};
        cd_cone_frames_follow(&h.k, h.f, h.x, out[0]);
        cd_cone_frames_leave(&h.k, h.f, h.x, out[1]);
        for (int32_t c = 0; c < CONES; c++) {
            cd_cone_frame_follow(&h.f[c], h.x + h.row[c], one[0] + h.row[c]);
            cd_cone_frame_leave(&h.f[c], h.x + h.row[c], one[1] + h.row[c]);
        }
        CD_CHECK(memcmp(out[0], one[0], size) == 0 && memcmp(out[1], one[1], size) == 0);
        cd_cone_frames_bend(&h.k, h.f, &way, out[0], out[1]);
        cd_cone_frames_read(&h.k, h.f, MU, h.x, out[2], turn);
        for (int32_t c = 0; c < CONES; c++) {
            const int32_t at = h.row[c], row[2] = {0, h.row[c + 1] - at};
            const cd_cones k = {1, row[1], row};
            const cd_cone_way own = {MU, way.rise, way.part, way.soft, h.x + at, h.turn + c, h.off + at};
            cd_cone_frames_bend(&k, &h.f[c], &own, one[0] + at, one[1] + at);
            cd_cone_frames_read(&k, &h.f[c], MU, h.x + at, one[2] + at, &other);
            CD_CHECK(memcmp(&other, &turn[c], sizeof other) == 0);
        }
        for (int v = 0; v < 3; v++)
            CD_CHECK(memcmp(out[v], one[v], size) == 0);
        static cd_cone_frame moved[CONES];
        memcpy(moved, h.f, sizeof moved);
        cd_cone_frames_move(&h.k, moved, 0.7, h.x, h.turn);
        CD_CHECK(cd_cone_frames_write(&h.k, moved, MU, out[0], out[1], out[2]));
        for (int32_t c = 0; c < CONES; c++) {
            const int32_t at = h.row[c];
            cd_cone_frame_move(&h.f[c], 0.7, h.x + at, h.turn[c]);
            CD_CHECK(cd_cone_frame_settle(&h.f[c]));
            cd_cone_frame_write(&h.f[c], MU, one[0] + at, one[1] + at, one[2] + at);
            CD_CHECK(memcmp(&h.f[c].a, &moved[c].a, sizeof h.f[c] - offsetof(cd_cone_frame, a)) == 0);
        }
        for (int v = 0; v < 3; v++)
            CD_CHECK(memcmp(out[v], one[v], size) == 0);
        moved[trial % CONES].b = trial % 2 ? 0 : NAN;
        CD_CHECK(!cd_cone_frames_write(&h.k, moved, MU, out[0], out[1], out[2]));
    }
}

// s and z both a part of what they were, their scaling W the same.
CD_TEST(frames_are_scaled)
{
    for (int32_t n = 1; n <= 3; n++) {
        cd_cone_frame f = {.height = n, .a = 3, .b = n < 2 ? 1 : 0.5, .d = {n < 3 ? 1 : 0.6, n < 3 ? 0 : 0.8}};
        double s[2][3], z[2][3], scale[2][3];
        CD_CHECK(cd_cone_frame_settle(&f));
        cd_cone_frame_write(&f, MU, s[0], z[0], scale[0]);
        cd_cone_frame_scale(&f, 0.25);
        CD_CHECK(cd_cone_frame_settle(&f));
        cd_cone_frame_write(&f, MU / 16, s[1], z[1], scale[1]);
        for (int32_t i = 0; i < n; i++) {
            CD_CHECK_NEAR(s[1][i], s[0][i] / 4, 1e-15);
            CD_CHECK_NEAR(z[1][i], z[0][i] / 4, 1e-15);
            CD_CHECK_NEAR(scale[1][i], scale[0][i], 1e-15);
        }
    }
}

// s and z of mu and x, both sides of cd_cone_split, in the digits of the larger one; inside as far as doubles can say.
static void check_split(int32_t n, double mu, const double *x)
{
    const int32_t row[2] = {0, n};
    const cd_cones one = {1, n, row};
    double s[3], z[3], product[3];
    cd_cone_split(&one, mu, x, s, z);
    cd_cone_product(&one, s, z, product);
    const double tail = n < 2   ? 0
                        : n < 3 ? fabs(x[1])
                                : hypot(x[1], x[2]),
                 size = fabs(x[0]) + tail + sqrt(mu), most = 4e-15 * size;
    const double *const both[2] = {s, z};
    for (int32_t i = 0; i < n; i++) {
        CD_CHECK_NEAR(z[i] - s[i], x[i], most);
        CD_CHECK_NEAR(product[i], i == 0 ? mu : 0, 4 * most * size);
    }
    for (int k = 0; k < 2; k++) {
        const double t = n < 2 ? 0 : n < 3 ? fabs(both[k][1]) : hypot(both[k][1], both[k][2]);
        const double at = both[k][0] - t;
        CD_CHECK(both[k][0] > 0);
        CD_CHECK(at >= -most);
        // The smaller eigenvalue is at least mu over the larger one of the other side.
        if (tail == 0 || mu > 10 * most * size)
            CD_CHECK(at > 0);
        if (tail == 0)
            CD_CHECK_NEAR(s[0] * z[0], mu, 4e-16 * mu);
    }
}

CD_TEST(pairs_are_split_to_any_mu)
{
    for (int k = 0; k < 6000; k++) {
        const double mu = pow(10, any(-24, 3)), size = pow(10, any(-12, 12));
        double x[3] = {any(-1, 1) * size, any(-1, 1) * size, any(-1, 1) * size};
        if (k % 4 == 1)
            x[1] = x[2] = 0;
        if (k % 4 == 2)  // on the boundary of either side
            x[0] = (k % 8 < 4 ? 1 : -1) * hypot(x[1], k % 3 < 2 ? 0 : x[2]);
        if (k % 16 == 3)
            x[0] = 0;
        if (k % 60 == 59)
            memset(x, 0, sizeof x);
        check_split(1 + k % 3, mu, x);
    }
}

CD_TEST(pairs_of_many_cones_are_split_each_by_itself)
{
    const int32_t row[] = {0, 1, 3, 6}, first[] = {0, 1, 3};
    const cd_cones all = {3, 6, row};
    double x[6], s[6], z[6];
    for (int i = 0; i < 6; i++)
        x[i] = any(-1, 1);
    cd_cone_split(&all, MU, x, s, z);
    for (int32_t c = 0; c < 3; c++) {
        const int32_t alone[2] = {0, c + 1};
        const cd_cones one = {1, c + 1, alone};
        double of_s[3], of_z[3];
        cd_cone_split(&one, MU, x + first[c], of_s, of_z);
        CD_CHECK(memcmp(of_s, s + first[c], sizeof *of_s * (size_t)(c + 1)) == 0);
        CD_CHECK(memcmp(of_z, z + first[c], sizeof *of_z * (size_t)(c + 1)) == 0);
    }
}

int main(void)
{
    CD_RUN(four_frames_at_once_have_the_bytes_of_each_alone);
    CD_RUN(frames_hold_what_they_are_made_of);
    CD_RUN(slacks_follow_as_they_should);
    CD_RUN(moves_are_exponentials);
    CD_RUN(slips_keep_their_digits);
    CD_RUN(frames_are_scaled);
    CD_RUN(pairs_are_split_to_any_mu);
    CD_RUN(pairs_of_many_cones_are_split_each_by_itself);
    return cd_test_done();
}
