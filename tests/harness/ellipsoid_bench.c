// The potential of Perram and Wertham: cd_perram in batches at every vector level, cold and from the frame before, one
// pair at a time, and beside it the usual way, Brent's minimiser on -S(lambda) with a Cholesky solve each evaluation.
// Pairs as DEM meets them: 0.1 to 1 of both largest semiaxes apart, askew. Process CPU time, the least of several
// rounds in which all take turns; a table on stdout. usage: ellipsoid_bench [PAIRS [ROUNDS]]
// SPDX-License-Identifier: MIT
#include "cd_memory.h"
#include "cd_perram.h"
#include "cd_quat.h"
#include "cd_random.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct pairs {
    int count;
    cd_ellipsoid *a, *b;
    double *start;      // lambda of the pair before b was moved
    double *p, *q, *r;  // the matrices P and Q (xx xy xz yy yz zz), and R
    double *lambda;     // that was found
    cd_vec3 *point;
    double evaluations;  // of the last run
} pairs;

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

static cd_ellipsoid random_ellipsoid(cd_random *random, double aspect)
{
    cd_mat3 *turn = cd_alloc(sizeof *turn);
    cd_quat q;
    do {
        double w = cd_random_between(random, -1, 1), x = cd_random_between(random, -1, 1);
        double y = cd_random_between(random, -1, 1);
        q = (cd_quat){w, x, y, cd_random_between(random, -1, 1)};
    } while (!(cd_quat_length_sq(q) <= 1 && cd_quat_length_sq(q) > 0.01));
    *turn = cd_quat_matrix(q);
    double s[3];
    for (int k = 0; k < 3; k++)
        s[k] = exp(-log(aspect) * cd_random_unit(random));
    return (cd_ellipsoid){{0, 0, 0}, {s[0], s[1], s[2]}, turn};
}

static void matrix_of(const cd_ellipsoid *e, double m[6])
{
    const cd_half_axes half = cd_ellipsoid_half_axes(e);
    for (int k = 0; k < 6; k++)
        m[k] = 0;
    for (int i = 0; i < 3; i++) {
        const cd_vec3 h = half.axis[i];
        const double own[6] = {h.x * h.x, h.x * h.y, h.x * h.z, h.y * h.y, h.y * h.z, h.z * h.z};
        for (int k = 0; k < 6; k++)
            m[k] += own[k];
    }
}

static pairs make_pairs(int count, double aspect)
{
    cd_random random = {7};
    const size_t n = (size_t)count;
    pairs s = {.count = count,
               .a = cd_alloc(n * sizeof *s.a),
               .b = cd_alloc(n * sizeof *s.b),
               .start = cd_alloc(n * sizeof(double)),
               .p = cd_alloc(6 * n * sizeof(double)),
               .q = cd_alloc(6 * n * sizeof(double)),
               .r = cd_alloc(3 * n * sizeof(double)),
               .lambda = cd_alloc(n * sizeof(double)),
               .point = cd_alloc(n * sizeof *s.point)};
    for (int i = 0; i < count; i++) {
        s.a[i] = random_ellipsoid(&random, aspect);
        s.b[i] = random_ellipsoid(&random, aspect);
        const cd_vec3 n_of = cd_unit3((cd_vec3){cd_random_between(&random, -1, 1), cd_random_between(&random, -1, 1),
                                                cd_random_between(&random, -1, 1)});
        s.b[i].centre = cd_scale3(cd_random_between(&random, 0.2, 2.2), n_of);
        s.start[i] = cd_perram_of(&s.a[i], &s.b[i], 0).lambda;
        s.b[i].centre = cd_add3(s.b[i].centre, (cd_vec3){1e-3, 0, 0});
        matrix_of(&s.a[i], s.p + 6 * i);
        matrix_of(&s.b[i], s.q + 6 * i);
        cd_vec3_put(s.b[i].centre, s.r + 3 * i);
    }
    return s;
}

// ---- the usual way -------------------------------------------------------------------------------------------------

// r.G^-1 r and x = G^-1 r by G = L D L'.
static double solve(const double *g, const double *r, double x[3])
{
    const double l1 = g[1] / g[0], l2 = g[2] / g[0], d1 = g[3] - l1 * g[1], t = g[4] - l1 * g[2], l3 = t / d1;
    const double d2 = g[5] - l2 * g[2] - l3 * t, a = r[0], b = r[1] - l1 * a, c = r[2] - l2 * a - l3 * b;
    x[2] = c / d2;
    x[1] = b / d1 - l3 * x[2];
    x[0] = a / g[0] - l1 * x[1] - l2 * x[2];
    return a * a / g[0] + b * b / d1 + c * c / d2;
}

static double minus_potential(pairs *s, int i, double lambda, double x[3])
{
    double g[6];
    for (int k = 0; k < 6; k++)
        g[k] = (1 - lambda) * s->p[6 * i + k] + lambda * s->q[6 * i + k];
    s->evaluations++;
    return -lambda * (1 - lambda) * solve(g, s->r + 3 * i, x);
}

// Brent, Algorithms for Minimization without Derivatives (1973), ch. 5, localmin: to the square root of rounding.
static double brent(pairs *s, int i, double y[3])
{
    const double golden = 0.3819660112501051, tolerance = sqrt(DBL_EPSILON);
    double low = 0, high = 1, x = golden, w = x, v = x, d = 0, e = 0;
    double fx = minus_potential(s, i, x, y), fw = fx, fv = fx;
    for (;;) {
        const double middle = (low + high) / 2, tol = tolerance * fabs(x) + 1e-10;
        if (fabs(x - middle) <= 2 * tol - (high - low) / 2)
            break;
        double p = 0, q = 0, r = 0;
        if (fabs(e) > tol) {
            r = (x - w) * (fx - fv);
            q = (x - v) * (fx - fw);
            p = (x - v) * q - (x - w) * r;
            q = 2 * (q - r);
            p = q > 0 ? -p : p;
            q = fabs(q);
            r = e;
            e = d;
        }
        if (fabs(p) < fabs(q * r / 2) && p > q * (low - x) && p < q * (high - x)) {
            d = p / q;
            if (x + d - low < 2 * tol || high - x - d < 2 * tol)
                d = x < middle ? tol : -tol;
        } else {
            e = (x < middle ? high : low) - x;
            d = golden * e;
        }
        const double u = x + (fabs(d) >= tol ? d : d > 0 ? tol : -tol), fu = minus_potential(s, i, u, y);
        if (fu <= fx) {
            *(u < x ? &high : &low) = x;
            v = w, fv = fw, w = x, fw = fx, x = u, fx = fu;
        } else {
            *(u < x ? &low : &high) = u;
            if (fu <= fw || w == x)
                v = w, fv = fw, w = u, fw = fu;
            else if (fu <= fv || v == x || v == w)
                v = u, fv = fu;
        }
    }
    minus_potential(s, i, x, y);
    return x;
}

static void run_brent(pairs *s)
{
    for (int i = 0; i < s->count; i++) {
        double y[3];
        const double lambda = brent(s, i, y), *p = s->p + 6 * i;
        s->lambda[i] = lambda;
        s->point[i] = cd_scale3(1 - lambda, (cd_vec3){p[0] * y[0] + p[1] * y[1] + p[2] * y[2],
                                                      p[1] * y[0] + p[3] * y[1] + p[4] * y[2],
                                                      p[2] * y[0] + p[4] * y[1] + p[5] * y[2]});
    }
}

// ---- ours ----------------------------------------------------------------------------------------------------------

static void run_batches(pairs *s, cd_vector_level level, bool is_warm)
{
    for (int first = 0; first < s->count; first += CD_PERRAM_LANES) {
        cd_perram_block block;
        block.count = 0;
        for (int i = first; i < s->count && block.count < CD_PERRAM_LANES; i++)
            cd_perram_add(&block, &s->a[i], &s->b[i], is_warm ? s->start[i] : 0);
        cd_perram_solve(&block, level);
        for (int k = 0; k < block.count; k++) {
            const cd_perram found = cd_perram_get(&block, k, s->a[first + k].centre, s->b[first + k].centre);
            s->lambda[first + k] = found.lambda;
            s->point[first + k] = found.point;
            s->evaluations += found.iterations;
        }
    }
}

static void run_single(pairs *s)
{
    for (int i = 0; i < s->count; i++) {
        const cd_perram found = cd_perram_of(&s->a[i], &s->b[i], 0);
        s->lambda[i] = found.lambda;
        s->point[i] = found.point;
        s->evaluations += found.iterations;
    }
}

// ---- the table -----------------------------------------------------------------------------------------------------

enum { BRENT, SINGLE, PORTABLE, AVX2, AVX512, WARM, WAYS };
static const char *const names[WAYS] = {"Brent, Cholesky", "cd_perram_of",     "batches, portable",
                                        "batches, AVX2",   "batches, AVX-512", "batches, AVX-512, warm"};

static void run(pairs *s, int way)
{
    s->evaluations = 0;
    if (way == BRENT)
        run_brent(s);
    else if (way == SINGLE)
        run_single(s);
    else
        run_batches(s, way == WARM ? CD_VECTOR_AVX512 : (cd_vector_level)(way - PORTABLE), way == WARM);
}

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 20000, rounds = argc > 2 ? atoi(argv[2]) : 7;
    static const double aspects[2] = {3.3, 100};
    printf("Perram-Wertham potential of two ellipsoids, half axes in to contact point out, one thread\n");
    for (int k = 0; k < 2; k++) {
        pairs s = make_pairs(count, aspects[k]);
        double best[WAYS], error[WAYS] = {0}, evaluations[WAYS];
        cd_vec3 *want = cd_alloc((size_t)count * sizeof *want);
        run(&s, SINGLE);
        for (int i = 0; i < count; i++)
            want[i] = s.point[i];
        for (int way = 0; way < WAYS; way++)
            best[way] = INFINITY;
        for (int round = 0; round < rounds; round++)
            for (int way = 0; way < WAYS; way++) {
                const double begin = seconds();
                run(&s, way);
                best[way] = fmin(best[way], seconds() - begin);
                evaluations[way] = s.evaluations / count;
                for (int i = 0; i < count; i++)
                    error[way] = fmax(error[way], cd_length3(cd_sub3(s.point[i], want[i])));
            }
        printf("semiaxes 1 to 1/%g\n  %-24s %12s %8s %12s %14s\n", aspects[k], "", "M pairs/s", "/ Brent", "iterations",
               "point differs");
        for (int way = 0; way < WAYS; way++)
            printf("  %-24s %12.2f %8.2f %12.2f %14.1e\n", names[way], 1e-6 * count / best[way],
                   best[BRENT] / best[way], evaluations[way], error[way]);
    }
    return 0;
}
