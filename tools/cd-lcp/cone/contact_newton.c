// SPDX-License-Identifier: MIT
#include "contact_newton.h"

#include "cone_product.h"
#include "lcp_vector.h"

#include <math.h>

enum { ROWS_MOST = CD_CONTACT_NEWTON_ROWS };

cd_contact_newton cd_contact_newton_make(const cd_contact_rows *k, const cd_gram *gram, cd_arena *arena)
{
    cd_contact_newton m = {.k = k, .lu = cd_gram_lu_make(gram, arena)};
    double **const of_rows[] = {&m.y, &m.w, &m.centre, &m.step, &m.right, &m.off, &m.change};
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++)
        *of_rows[i] = CD_ARENA_ZARRAY(arena, double, k->rows);
    m.u = CD_ARENA_ZARRAY(arena, double, k->groups.columns);
    m.du = CD_ARENA_ZARRAY(arena, double, k->groups.columns);
    m.AH = CD_ARENA_ZARRAY(arena, double, k->groups.place[k->groups.count]);
    m.block = CD_ARENA_ARRAY(arena, int32_t, (size_t)k->count + 1);
    m.block[0] = 0;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t height = k->first[c + 1] - k->first[c];
        m.block[c + 1] = m.block[c] + height * height;
    }
    m.A = CD_ARENA_ARRAY(arena, double, m.block[k->count]);
    m.slope = CD_ARENA_ARRAY(arena, double, m.block[k->count]);
    return m;
}

void cd_contact_newton_values(cd_contact_newton *m)
{
    const cd_contact_rows *k = m->k;
    cd_cone_transposed(&k->groups, k->G, m->y, m->u);
    cd_cone_values(&k->groups, k->H, m->u, m->w);
    for (int32_t r = 0; r < k->rows; r++)
        m->w[r] += k->q[r] + k->hold[r] * m->y[r] + m->damping * (m->y[r] - m->centre[r]);
}

// |x_t| of the disc that starts at row r, or is row r alone.
static double length_of(const cd_contact_rows *k, const double *x, int32_t r)
{
    return k->partner[r] < 0 ? fabs(x[r]) : sqrt(x[r] * x[r] + x[r + 1] * x[r + 1]);
}

static int32_t after(const cd_contact_rows *k, int32_t r) { return r + (k->partner[r] < 0 ? 1 : 2); }

void cd_contact_newton_project(cd_contact_newton *m)
{
    const cd_contact_rows *k = m->k;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t normal = k->first[c];
        m->y[normal] = cd_larger(0, m->y[normal]);
        for (int32_t r = normal + 1; r < k->first[c + 1]; r = after(k, r)) {
            const double length = length_of(k, m->y, r), radius = k->mu[r] * m->y[normal];
            const double fit = length > radius ? radius / length : 1;
            for (int32_t i = r; i < after(k, r); i++)
                m->y[i] *= fit;
        }
    }
}

double cd_contact_newton_error(const cd_contact_newton *m, double *worst)
{
    const cd_contact_rows *k = m->k;
    double sum = 0;
    *worst = 0;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t normal = k->first[c];
        const double off = m->y[normal] - cd_larger(0, m->y[normal] - m->w[normal]);
        sum += off * off;
        *worst = cd_larger(*worst, fabs(off));
        for (int32_t r = normal + 1; r < k->first[c + 1]; r = after(k, r)) {
            const double a[2] = {m->y[r] - m->w[r], k->partner[r] < 0 ? 0 : m->y[r + 1] - m->w[r + 1]};
            const double length = sqrt(a[0] * a[0] + a[1] * a[1]), radius = k->mu[r] * m->y[normal];
            const double fit = length > radius ? radius / length : 1;
            for (int32_t i = r; i < after(k, r); i++) {
                const double rest = m->y[i] - fit * a[i - r];
                sum += rest * rest;
                *worst = cd_larger(*worst, fabs(rest));
            }
        }
    }
    return sum;
}

// The equations of one contact, E dy + F dw = g with dw = H du + e dy, du = G'dy: E, F row by row. g goes beside them.
typedef struct equations {
    int32_t height;
    double E[ROWS_MOST * ROWS_MOST], F[ROWS_MOST * ROWS_MOST];
} equations;

static void write_disc(const cd_contact_newton *m, int32_t normal, int32_t r, equations *q, double *g)
{
    const cd_contact_rows *k = m->k;
    const int32_t n = q->height, at = r - normal, count = after(k, r) - r;
    const double a[2] = {m->y[r] - m->w[r], count < 2 ? 0 : m->y[r + 1] - m->w[r + 1]};
    const double length = sqrt(a[0] * a[0] + a[1] * a[1]), radius = k->mu[r] * m->y[normal];
    if (length < radius) {
        for (int32_t i = 0; i < count; i++) {
            q->F[(at + i) * n + at + i] = 1;
            g[at + i] = -m->w[r + i];
        }
        return;
    }
    const double d[2] = {length > 0 ? a[0] / length : 1, length > 0 ? a[1] / length : 0},
                 turn = count < 2 || !(length > 0) ? 0 : cd_smaller(1, radius / length);
    for (int32_t i = 0; i < count; i++) {
        g[at + i] = radius * d[i] - m->y[r + i];
        q->E[(at + i) * n] = -k->mu[r] * d[i];
        for (int32_t j = 0; j < count; j++) {
            const double across = turn * ((i == j ? 1 : 0) - d[i] * d[j]);
            q->E[(at + i) * n + at + j] = (i == j ? 1 : 0) - across;
            q->F[(at + i) * n + at + j] = across;
        }
    }
}

static void write_equations(const cd_contact_newton *m, int32_t c, equations *q, double *g)
{
    const cd_contact_rows *k = m->k;
    const int32_t normal = k->first[c], n = k->first[c + 1] - normal;
    q->height = n;
    memset(q->E, 0, sizeof *q->E * (size_t)(n * n));
    memset(q->F, 0, sizeof *q->F * (size_t)(n * n));
    if (m->y[normal] - m->w[normal] <= 0) {
        for (int32_t i = 0; i < n; i++) {
            q->E[i * n + i] = 1;
            g[i] = -m->y[normal + i];
        }
        return;
    }
    q->F[0] = 1;
    g[0] = -m->w[normal];
    for (int32_t r = normal + 1; r < normal + n; r = after(k, r))
        write_disc(m, normal, r, q, g);
}

// B := B^-1 by elimination with exchange of rows; B n x n.
static void invert(int32_t n, double *B)
{
    double X[ROWS_MOST * ROWS_MOST] = {0};
    for (int32_t i = 0; i < n; i++)
        X[i * n + i] = 1;
    for (int32_t p = 0; p < n; p++) {
        int32_t best = p;
        for (int32_t i = p + 1; i < n; i++)
            best = fabs(B[i * n + p]) > fabs(B[best * n + p]) ? i : best;
        for (int32_t j = 0; j < n && best != p; j++) {
            const double b = B[p * n + j], x = X[p * n + j];
            B[p * n + j] = B[best * n + j];
            X[p * n + j] = X[best * n + j];
            B[best * n + j] = b;
            X[best * n + j] = x;
        }
        const double inverse = 1 / B[p * n + p];
        for (int32_t j = 0; j < n; j++) {
            B[p * n + j] *= inverse;
            X[p * n + j] *= inverse;
        }
        for (int32_t i = 0; i < n; i++) {
            const double f = B[i * n + p];
            for (int32_t j = 0; j < n && i != p && f != 0; j++) {
                B[i * n + j] -= f * B[p * n + j];
                X[i * n + j] -= f * X[p * n + j];
            }
        }
    }
    memcpy(B, X, sizeof *X * (size_t)(n * n));
}

// Of contact c: slope = (E + F e)^-1, A = slope F, and AH.
static void eliminate(cd_contact_newton *m, int32_t c, const equations *q)
{
    const cd_contact_rows *k = m->k;
    const int32_t n = q->height, stride = k->stride[c];
    double *B = m->slope + m->block[c], *A = m->A + m->block[c];
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            B[i * n + j] = q->E[i * n + j] + q->F[i * n + j] * (k->hold[k->first[c] + j] + m->damping);
    }
    invert(n, B);
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++) {
            A[i * n + j] = 0;
            for (int32_t l = 0; l < n; l++)
                A[i * n + j] += B[i * n + l] * q->F[l * n + j];
        }
    }
    const double *H = k->H + k->place[c];
    double *out = m->AH + k->place[c];
    if (n <= 3) {
        cd_cone_turn_rows(n, stride, A, H, out);
        return;
    }
    memset(out, 0, sizeof *out * (size_t)(n * stride));
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j < n; j++)
            cd_vector_subtract(out + i * stride, -A[i * n + j], H + j * stride, stride);
    }
}

// out = M x, M of each contact.
static void multiply(const cd_contact_newton *m, const double *M, const double *x, double *out)
{
    const cd_contact_rows *k = m->k;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->first[c], n = k->first[c + 1] - at;
        const double *row = M + m->block[c];
        for (int32_t i = 0; i < n; i++, row += n) {
            double sum = 0;
            for (int32_t j = 0; j < n; j++)
                sum += row[j] * x[at + j];
            out[at + i] = sum;
        }
    }
}

// dy += what the equations E dy + F (H du + e dy) = right, du = G'dy, ask for.
static void add_solution(cd_contact_newton *m, const double *right, double *dy)
{
    const cd_contact_rows *k = m->k;
    multiply(m, m->slope, right, m->change);
    cd_cone_transposed(&k->groups, k->G, m->change, m->du);
    cd_gram_lu_solve(m->lu, m->du);
    for (int32_t r = 0; r < k->rows; r++)
        dy[r] += m->change[r];
    cd_cone_values(&k->groups, m->AH, m->du, m->change);
    cd_vector_subtract(dy, 1, m->change, k->rows);
}

bool cd_contact_newton_step(cd_contact_newton *m)
{
    const cd_contact_rows *k = m->k;
    equations q;
    for (int32_t c = 0; c < k->count; c++) {
        write_equations(m, c, &q, m->right + k->first[c]);
        eliminate(m, c, &q);
    }
    cd_gram_lu_factor(m->lu, k->G, m->AH);
    memset(m->step, 0, sizeof *m->step * (size_t)k->rows);
    add_solution(m, m->right, m->step);
    // What the equations of the impulses still are off by.
    cd_cone_transposed(&k->groups, k->G, m->step, m->du);
    cd_cone_values(&k->groups, k->H, m->du, m->off);
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->first[c], n = k->first[c + 1] - at;
        double g[ROWS_MOST];
        write_equations(m, c, &q, g);
        for (int32_t i = 0; i < n; i++) {
            for (int32_t j = 0; j < n; j++)
                g[i] -= q.E[i * n + j] * m->step[at + j] +
                        q.F[i * n + j] * (m->off[at + j] + (k->hold[at + j] + m->damping) * m->step[at + j]);
        }
        memcpy(m->right + at, g, sizeof *g * (size_t)n);
    }
    add_solution(m, m->right, m->step);
    return isfinite(cd_vector_dot(m->step, m->step, k->rows));
}
