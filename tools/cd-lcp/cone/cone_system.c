// SPDX-License-Identifier: MIT
#include "cone_system.h"

#include "cone_product.h"
#include "lcp_vector.h"

#include <math.h>

// GMRES ends at this part of its first residual: the slope of sigma is good for no more while directions still turn.
#define SLIP_PART 1e-2
// Below this speed (the largest |q| is near 1) the direction of slip is rounding.
#define SLIP_LEAST 1e-14

cd_cone_system cd_cone_system_make(const cd_cone_program *p, cd_gram_kept *kept, cd_arena *arena)
{
    const int32_t rows = p->cones.rows, columns = p->groups.columns;
    cd_cone_system m = {.p = p, .gram = cd_gram_recall(kept, &p->groups, arena)};
    m.scaling = (cd_cone_scaling){CD_ARENA_ARRAY(arena, double, rows), CD_ARENA_ARRAY(arena, double, p->cones.count),
                                  CD_ARENA_ARRAY(arena, double, rows)};
    m.R = CD_ARENA_ARRAY(arena, double, p->groups.place[p->groups.count]);
    m.slip = CD_ARENA_ZARRAY(arena, double, rows);
    m.push = CD_ARENA_ZARRAY(arena, double, rows);
    m.row = CD_ARENA_ARRAY(arena, double, rows);
    m.column = CD_ARENA_ARRAY(arena, double, columns);
    m.sum = CD_ARENA_ARRAY(arena, double, columns);
    for (int k = 0; k <= CD_CONE_KRYLOV; k++)
        m.krylov[k] = CD_ARENA_ARRAY(arena, double, columns);
    return m;
}

void cd_cone_system_even(cd_cone_system *m, double weight)
{
    const int64_t count = m->p->groups.place[m->p->groups.count];
    const double root = sqrt(weight);
    for (int64_t k = 0; k < count; k++)
        m->R[k] = root * m->p->H[k];
    cd_gram_factor(m->gram, m->p->D, m->R);
}

void cd_cone_system_factor(cd_cone_system *m)
{
    const cd_cone_program *p = m->p;
    double T[9];
    for (int32_t c = 0; c < p->cones.count; c++) {
        cd_cone_inverse(&p->cones, &m->scaling, c, T);
        cd_cone_turn_rows(p->cones.row[c + 1] - p->cones.row[c], p->stride[c], T, p->H + p->place[c],
                          m->R + p->place[c]);
    }
    cd_gram_factor(m->gram, p->D, m->R);
    memset(m->push, 0, sizeof *m->push * (size_t)p->cones.rows);
    for (int32_t c = 0; c < p->cones.count; c++)
        m->push[p->cones.row[c]] = 1;
    cd_cone_unapply(&p->cones, &m->scaling, m->push, m->push);
    cd_cone_unapply(&p->cones, &m->scaling, m->push, m->push);
}

void cd_cone_system_solve_once(cd_cone_system *m, const double *b, double *u)
{
    memcpy(u, b, sizeof *u * (size_t)m->p->groups.columns);
    cd_gram_solve(m->gram, m->p->D, u);
}

void cd_cone_system_solve(cd_cone_system *m, const double *b, double *u)
{
    const int32_t n = m->p->groups.columns;
    double *rest = m->column;
    cd_cone_system_solve_once(m, b, u);
    cd_cone_values(&m->p->groups, m->R, u, m->row);
    cd_cone_transposed(&m->p->groups, m->R, m->row, rest);
    for (int32_t i = 0; i < n; i++)
        rest[i] = b[i] - m->p->D[i] * u[i] - rest[i];
    cd_cone_add_held(&m->p->groups, -1, u, rest);
    cd_gram_solve(m->gram, m->p->D, rest);
    for (int32_t i = 0; i < n; i++)
        u[i] += rest[i];
}

void cd_cone_system_slopes(cd_cone_system *m, const double *value)
{
    const cd_cones *k = &m->p->cones;
    for (int32_t c = 0; c < k->count; c++) {
        const int32_t at = k->row[c], n = k->row[c + 1] - at;
        double size = 0;
        for (int32_t i = 1; i < n; i++)
            size += value[at + i] * value[at + i];
        size = sqrt(size);
        for (int32_t i = 1; i < n; i++)
            m->slip[at + i] = size > SLIP_LEAST ? value[at + i] / size : 0;
    }
}

// change = g' H u.
static void change_of_slips(cd_cone_system *m, const double *u, double *change)
{
    const cd_cones *k = &m->p->cones;
    cd_cone_values(&m->p->groups, m->p->H, u, m->row);
    for (int32_t c = 0; c < k->count; c++) {
        change[c] = 0;
        for (int32_t i = k->row[c] + 1; i < k->row[c + 1]; i++)
            change[c] += m->slip[i] * m->row[i];
    }
}

// out = H' push change.
static void push_slips(cd_cone_system *m, const double *change, double *out)
{
    const cd_cones *k = &m->p->cones;
    for (int32_t c = 0; c < k->count; c++) {
        for (int32_t i = k->row[c]; i < k->row[c + 1]; i++)
            m->row[i] = m->push[i] * change[c];
    }
    cd_cone_transposed(&m->p->groups, m->p->H, m->row, out);
}

// out = K^-1 H' push g' H u.
static void couple(cd_cone_system *m, const double *u, double *change, double *out)
{
    change_of_slips(m, u, change);
    push_slips(m, change, out);
    cd_gram_solve(m->gram, m->p->D, out);
}

// The small least-squares problem of GMRES, turned to a triangle as it grows.
typedef struct hessenberg {
    double a[CD_CONE_KRYLOV + 1][CD_CONE_KRYLOV], cosine[CD_CONE_KRYLOV], sine[CD_CONE_KRYLOV],
        rest[CD_CONE_KRYLOV + 1];
} hessenberg;

static void turn_column(hessenberg *h, int32_t j)
{
    for (int32_t k = 0; k < j; k++) {
        const double a = h->a[k][j], b = h->a[k + 1][j];
        h->a[k][j] = h->cosine[k] * a + h->sine[k] * b;
        h->a[k + 1][j] = h->cosine[k] * b - h->sine[k] * a;
    }
    const double length = hypot(h->a[j][j], h->a[j + 1][j]);
    h->cosine[j] = length > 0 ? h->a[j][j] / length : 1;
    h->sine[j] = length > 0 ? h->a[j + 1][j] / length : 0;
    h->a[j][j] = length;
    h->rest[j + 1] = -h->sine[j] * h->rest[j];
    h->rest[j] *= h->cosine[j];
}

static double normalise(double *x, int32_t n)
{
    const double length = sqrt(cd_vector_dot(x, x, n));
    for (int32_t i = 0; i < n && length > 0; i++)
        x[i] /= length;
    return length;
}

void cd_cone_system_lead(cd_cone_system *m, const double *off, double *b, double *change)
{
    const int32_t n = m->p->groups.columns;
    double *u = m->krylov[CD_CONE_KRYLOV];
    push_slips(m, off, b);
    cd_cone_system_solve_once(m, b, u);
    for (int32_t i = 0; i < n; i++)
        b[i] = -u[i];
    cd_cone_system_slips(m, b, change);
}

void cd_cone_system_slips(cd_cone_system *m, const double *u, double *change)
{
    const int32_t n = m->p->groups.columns;
    hessenberg h = {0};
    double *x = m->sum;
    memcpy(x, u, sizeof *x * (size_t)n);
    // From u itself: what it leaves is -K^-1 (second part) u.
    couple(m, u, change, m->krylov[0]);
    const double first = normalise(m->krylov[0], n);
    h.rest[0] = -first;
    int32_t count = 0;
    while (count < CD_CONE_KRYLOV && fabs(h.rest[count]) > SLIP_PART * first) {
        double *next = m->krylov[count + 1];
        couple(m, m->krylov[count], change, next);
        cd_vector_subtract(next, -1, m->krylov[count], n);
        for (int32_t k = 0; k <= count; k++) {
            h.a[k][count] = cd_vector_dot(next, m->krylov[k], n);
            cd_vector_subtract(next, h.a[k][count], m->krylov[k], n);
        }
        h.a[count + 1][count] = normalise(next, n);
        turn_column(&h, count++);
    }
    for (int32_t k = count - 1; k >= 0; k--) {
        double y = h.rest[k];
        for (int32_t j = k + 1; j < count; j++)
            y -= h.a[k][j] * h.rest[j];
        h.rest[k] = h.a[k][k] > 0 ? y / h.a[k][k] : 0;
        cd_vector_subtract(x, -h.rest[k], m->krylov[k], n);
    }
    change_of_slips(m, x, change);
}
