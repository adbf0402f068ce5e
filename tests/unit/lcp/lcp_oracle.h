// lcp_oracle -- slow independent references for the complementarity tests: enumeration of all complementary bases with
// a Gaussian elimination of its own, a residual of its own, problem generators, and the reader of tests/cases/lcp.
// SPDX-License-Identifier: MIT
#ifndef LCP_ORACLE_H
#define LCP_ORACLE_H

#include "cd_random.h"
#include "mcp.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ORACLE_ROWS = 8, ORACLE_ANSWERS = 512 };

// Solves a (n x n, row-major, destroyed) x = b by Gauss-Jordan with full pivoting. False when nearly singular.
static inline bool oracle_solve(int n, double *a, double *b, double *x)
{
    int column[64];
    for (int k = 0; k < n; k++)
        column[k] = k;
    for (int k = 0; k < n; k++) {
        int pi = k, pj = k;
        for (int i = k; i < n; i++) {
            for (int j = k; j < n; j++) {
                if (fabs(a[i * n + j]) > fabs(a[pi * n + pj])) {
                    pi = i;
                    pj = j;
                }
            }
        }
        if (fabs(a[pi * n + pj]) < 1e-10)
            return false;
        for (int j = 0; j < n; j++) {
            double t = a[k * n + j];
            a[k * n + j] = a[pi * n + j];
            a[pi * n + j] = t;
        }
        double t = b[k];
        b[k] = b[pi];
        b[pi] = t;
        for (int i = 0; i < n; i++) {
            t = a[i * n + k];
            a[i * n + k] = a[i * n + pj];
            a[i * n + pj] = t;
        }
        int c = column[k];
        column[k] = column[pj];
        column[pj] = c;
        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            double f = a[i * n + k] / a[k * n + k];
            for (int j = k; j < n; j++)
                a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (int k = 0; k < n; k++)
        x[column[k]] = b[k] / a[k * n + k];
    return true;
}

typedef struct oracle_answers {
    int count;
    double z[ORACLE_ANSWERS][ORACLE_ROWS];
} oracle_answers;

// All solutions that are vertices of w = M z + q, lower <= z <= upper: each variable at its lower bound, its upper
// bound, or with w = 0. slack: how far signs may be off.
static inline void oracle_enumerate(int n, const double *M, const double *q, const double *lower, const double *upper,
                                    double slack, oracle_answers *out)
{
    int patterns = 1, pick[ORACLE_ROWS];
    out->count = 0;
    for (int i = 0; i < n; i++)
        patterns *= 3;
    for (int p = 0; p < patterns; p++) {
        bool possible = true;
        double a[ORACLE_ROWS * ORACLE_ROWS] = {0}, b[ORACLE_ROWS], z[ORACLE_ROWS];
        for (int i = 0, rest = p; i < n; i++, rest /= 3) {
            pick[i] = rest % 3;
            double bound = pick[i] == 1 ? lower[i] : upper[i];
            if (pick[i] == 0) {
                for (int j = 0; j < n; j++)
                    a[i * n + j] = M[i * n + j];
                b[i] = -q[i];
            } else {
                possible = possible && isfinite(bound);
                a[i * n + i] = 1;
                b[i] = bound;
            }
        }
        if (!possible || !oracle_solve(n, a, b, z))
            continue;
        for (int i = 0; i < n && possible; i++) {
            double w = q[i];
            for (int j = 0; j < n; j++)
                w += M[i * n + j] * z[j];
            possible = z[i] >= lower[i] - slack && z[i] <= upper[i] + slack &&
                       (pick[i] != 1 || lower[i] == upper[i] || w >= -slack) &&
                       (pick[i] != 2 || lower[i] == upper[i] || w <= slack);
        }
        if (possible && out->count < ORACLE_ANSWERS)
            memcpy(out->z[out->count++], z, sizeof z);
    }
}

static inline void oracle_enumerate_lcp(int n, const double *M, const double *q, double slack, oracle_answers *out)
{
    double lower[ORACLE_ROWS] = {0}, upper[ORACLE_ROWS];
    for (int i = 0; i < n; i++)
        upper[i] = INFINITY;
    oracle_enumerate(n, M, q, lower, upper, slack, out);
}

// Least max-norm distance of z to one of the answers; infinity when there are none.
static inline double oracle_distance(const oracle_answers *answers, int n, const double *z)
{
    double best = INFINITY;
    for (int k = 0; k < answers->count; k++) {
        double worst = 0;
        for (int i = 0; i < n; i++)
            worst = fmax(worst, fabs(answers->z[k][i] - z[i]));
        best = fmin(best, worst);
    }
    return best;
}

// max_i |min(z_i, w_i)|, unscaled.
static inline double oracle_residual(int n, const double *M, const double *q, const double *z)
{
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double w = q[i];
        for (int j = 0; j < n; j++)
            w += M[(size_t)i * (size_t)n + (size_t)j] * z[j];
        worst = fmax(worst, fabs(fmin(z[i], w)));
    }
    return worst;
}

static inline double oracle_size(int n, const double *x)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

// ---- random matrices -----------------------------------------------------------------------------------------------

// A A' / k with k columns: positive semidefinite of rank min(n, k).
static inline void oracle_random_psd(cd_random *random, int n, int k, double *M)
{
    double *A = malloc(sizeof *A * (size_t)n * (size_t)k);
    for (int i = 0; i < n * k; i++)
        A[i] = cd_random_between(random, -1, 1);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int s = 0; s < k; s++)
                sum += A[i * k + s] * A[j * k + s];
            M[i * n + j] = sum / k;
        }
    }
    free(A);
}

// Positive definite plus skew: a nonsymmetric P-matrix.
static inline void oracle_random_p(cd_random *random, int n, double *M)
{
    oracle_random_psd(random, n, n + 2, M);
    for (int i = 0; i < n; i++) {
        M[i * n + i] += 0.1;
        for (int j = 0; j < i; j++) {
            double skew = cd_random_between(random, -1, 1);
            M[i * n + j] += skew;
            M[j * n + i] -= skew;
        }
    }
}

// ---- a heap of discs as the saddle problem (48) --------------------------------------------------------------------

typedef struct oracle_heap {
    int32_t bodies, contacts;
    cd_mcp mcp;  // 3 velocity rows a body, then one impulse row a contact
    int32_t *row, *col;
    double *value, *rhs, *lower, *upper;
} oracle_heap;

static inline void heap_entry(oracle_heap *h, int32_t row, int32_t col, double value)
{
    h->row[h->mcp.entry_count] = row;
    h->col[h->mcp.entry_count] = col;
    h->value[h->mcp.entry_count++] = value;
}

// Bodies in `height` layers of `width`, each resting on its three neighbours below at slightly random normals with
// random lever arms, mass 0.25 kg times up to `spread`, under gravity for h = 10 ms. Columns of G are (n, r x n).
static inline oracle_heap oracle_heap_make(int width, int height, double spread, uint64_t seed)
{
    cd_random random = {seed};
    int32_t bodies = width * height, most = 3 * bodies, n = 3 * bodies + most;
    oracle_heap h = {.bodies = bodies};
    h.row = calloc((size_t)(3 * bodies + 12 * most), sizeof *h.row);
    h.col = calloc((size_t)(3 * bodies + 12 * most), sizeof *h.col);
    h.value = calloc((size_t)(3 * bodies + 12 * most), sizeof *h.value);
    h.rhs = calloc((size_t)n, sizeof *h.rhs);
    h.lower = calloc((size_t)n, sizeof *h.lower);
    h.upper = calloc((size_t)n, sizeof *h.upper);
    const double step = 0.01, gravity = 9.8;
    for (int32_t b = 0; b < bodies; b++) {
        double mass = 0.25 * pow(spread, cd_random_unit(&random)), inertia = 0.012 * mass;
        const double diagonal[3] = {mass, mass, inertia};
        const double velocity[3] = {cd_random_between(&random, -1, 1), cd_random_between(&random, -2, 0), 0};
        for (int k = 0; k < 3; k++) {
            int32_t row = 3 * b + k;
            heap_entry(&h, row, row, -diagonal[k]);
            h.rhs[row] = diagonal[k] * (velocity[k] - (k == 1 ? gravity * step : 0));
            h.lower[row] = -INFINITY;
            h.upper[row] = INFINITY;
        }
    }
    for (int32_t b = 0; b < bodies; b++) {
        int32_t x = b % width, y = b / width;
        for (int32_t side = -1; side <= 1; side++) {
            int32_t below = y > 0 ? b - width + side : -1;
            if (x + side < 0 || x + side >= width)
                continue;
            int32_t row = 3 * bodies + h.contacts++;
            double angle = 1.5707963267948966 - 0.7 * side + cd_random_between(&random, -0.2, 0.2);
            double normal[2] = {cos(angle), sin(angle)}, lever = cd_random_between(&random, -0.05, 0.05);
            const double column[3] = {normal[0], normal[1], lever};
            for (int k = 0; k < 3; k++) {
                heap_entry(&h, 3 * b + k, row, column[k]);
                heap_entry(&h, row, 3 * b + k, column[k]);
                if (below >= 0) {
                    heap_entry(&h, 3 * below + k, row, -column[k]);
                    heap_entry(&h, row, 3 * below + k, -column[k]);
                }
            }
            h.rhs[row] = cd_random_unit(&random) < 0.3 ? 0 : cd_random_between(&random, -1e-3, 5e-3) / step;
            h.upper[row] = INFINITY;
        }
    }
    h.mcp.n = 3 * bodies + h.contacts;
    h.mcp.row = h.row;
    h.mcp.col = h.col;
    h.mcp.value = h.value;
    h.mcp.rhs = h.rhs;
    h.mcp.lower = h.lower;
    h.mcp.upper = h.upper;
    return h;
}

static inline void oracle_heap_release(oracle_heap *h)
{
    void *all[] = {h->row, h->col, h->value, h->rhs, h->lower, h->upper};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
}

// ---- tests/cases/lcp/problems.txt ----------------------------------------------------------------------------------

enum { CASE_ROWS = 224 };
typedef struct lcp_case {
    char name[64], expect[16];
    int free, n;
    double M[CASE_ROWS * CASE_ROWS], q[CASE_ROWS], z[CASE_ROWS];
    bool has_z;
} lcp_case;

static inline bool read_numbers(FILE *file, int count, double *out)
{
    for (int i = 0; i < count; i++) {
        if (fscanf(file, "%lf", &out[i]) != 1)
            return false;
    }
    return true;
}

// entries COUNT, then lines ROW COLUMN VALUE from 0: the rest is 0.
static inline bool read_entries(FILE *file, int n, double *M)
{
    int count, row, col;
    double value;
    if (fscanf(file, "%d", &count) != 1)
        return false;
    memset(M, 0, sizeof *M * (size_t)n * (size_t)n);
    for (int k = 0; k < count; k++) {
        if (fscanf(file, "%d %d %lf", &row, &col, &value) != 3 || row < 0 || row >= n || col < 0 || col >= n)
            return false;
        M[row * n + col] = value;
    }
    return true;
}

// The next case; 1 read, 0 end of file, -1 malformed.
static inline int lcp_case_read(FILE *file, lcp_case *c)
{
    char word[64];
    c->has_z = false;
    c->name[0] = '\0';
    while (fscanf(file, "%63s", word) == 1) {
        bool good = true;
        if (word[0] == '#' || strcmp(word, "source") == 0)
            good = fscanf(file, "%*[^\n]") == 0;
        else if (strcmp(word, "problem") == 0)
            good = fscanf(file, "%63s", c->name) == 1;
        else if (strcmp(word, "expect") == 0)
            good = fscanf(file, "%15s", c->expect) == 1;
        else if (strcmp(word, "free") == 0)
            good = fscanf(file, "%d", &c->free) == 1;
        else if (strcmp(word, "n") == 0)
            good = fscanf(file, "%d", &c->n) == 1 && c->n > 0 && c->n <= CASE_ROWS;
        else if (strcmp(word, "M") == 0)
            good = read_numbers(file, c->n * c->n, c->M);
        else if (strcmp(word, "entries") == 0)
            good = read_entries(file, c->n, c->M);
        else if (strcmp(word, "q") == 0)
            good = read_numbers(file, c->n, c->q);
        else if (strcmp(word, "z") == 0)
            good = c->has_z = read_numbers(file, c->n, c->z);
        else
            return strcmp(word, "end") == 0 && c->name[0] ? 1 : -1;
        if (!good)
            return -1;
    }
    return c->name[0] ? -1 : 0;
}

#endif
