// SPDX-License-Identifier: MIT
#include "lcp_rows.h"

#include "cd_dense.h"
#include "mcp_matrix.h"

#include <math.h>

enum { MOST = 6 };  // freedoms of a body

static double entry(const cd_mcp_matrix *m, int32_t i, int32_t j)
{
    for (int32_t k = m->first[i]; k < m->first[i + 1]; k++) {
        if (m->col[k] == j)
            return m->value[k];
    }
    return 0;
}

// The bodies: what of the free variables hangs together.
static bool find_bodies(const cd_mcp *m, const cd_mcp_matrix *a, lcp_rows *out, int32_t *body_of, cd_arena *arena)
{
    bool *is_free = CD_ARENA_ARRAY(arena, bool, m->n);
    for (int32_t i = 0; i < m->n; i++)
        is_free[i] = m->lower[i] == -INFINITY;
    out->body_count = cd_mcp_components(a, is_free, body_of, arena);
    out->body = CD_ARENA_ZARRAY(arena, lcp_body, out->body_count);
    for (int32_t i = 0; i < m->n; i++) {
        if (!is_free[i])
            continue;
        lcp_body *b = &out->body[body_of[i]];
        b->variable = b->variable ? b->variable : CD_ARENA_ARRAY(arena, int32_t, MOST);
        if (b->count == MOST)
            return false;
        b->variable[b->count++] = i;
    }
    for (int32_t k = 0; k < out->body_count; k++) {
        lcp_body *b = &out->body[k];
        b->root = CD_ARENA_ARRAY(arena, double, MOST *MOST);
        b->force = CD_ARENA_ARRAY(arena, double, MOST);
        b->white = CD_ARENA_ARRAY(arena, double, MOST);
        out->sign = entry(a, b->variable[0], b->variable[0]) < 0 ? -1 : 1;
        for (int32_t f = 0; f < b->count; f++) {
            b->force[f] = m->rhs[b->variable[f]];
            for (int32_t g = 0; g < b->count; g++)
                b->root[f * b->count + g] = out->sign * entry(a, b->variable[f], b->variable[g]);
        }
        if (!cd_cholesky_factor(b->count, b->root))
            return false;
    }
    return true;
}

// What row i has of a body, as its column has it; false when it is not so.
static bool take_piece(const cd_mcp_matrix *a, const lcp_rows *r, int32_t i, const lcp_body *b, double *h, bool *is_any)
{
    *is_any = false;
    for (int32_t f = 0; f < b->count; f++) {
        h[f] = entry(a, i, b->variable[f]);
        *is_any = *is_any || h[f] != 0;
        if (fabs(entry(a, b->variable[f], i) + r->sign * h[f]) > 1e-14 * fabs(h[f]))
            return false;
    }
    return true;
}

bool lcp_rows_prepare(const cd_mcp *m, lcp_rows *out, cd_arena *arena)
{
    const cd_mcp_matrix a = cd_mcp_matrix_build(m, arena);
    int32_t *body_of = CD_ARENA_ARRAY(arena, int32_t, m->n), *held = CD_ARENA_ARRAY(arena, int32_t, m->n);
    *out = (lcp_rows){0};
    if (!find_bodies(m, &a, out, body_of, arena))
        return false;
    out->rhs = CD_ARENA_ARRAY(arena, double, m->n);
    for (int32_t i = 0; i < m->n; i++) {
        if (body_of[i] >= 0)
            continue;
        for (int32_t k = a.first[i]; k < a.first[i + 1]; k++) {
            if (body_of[a.col[k]] < 0)
                return false;
        }
        held[out->n] = i;
        out->rhs[out->n++] = m->rhs[i];
    }
    out->piece = CD_ARENA_ARRAY(arena, lcp_piece, a.first[m->n] + 1);
    for (int32_t k = 0; k < out->body_count; k++) {
        lcp_body *b = &out->body[k];
        b->first_piece = out->piece_count;
        for (int32_t row = 0; row < out->n; row++) {
            double *h = CD_ARENA_ARRAY(arena, double, MOST);
            bool is_any;
            if (!take_piece(&a, out, held[row], b, h, &is_any))
                return false;
            if (is_any)
                out->piece[out->piece_count++] = (lcp_piece){row, k, h, CD_ARENA_ARRAY(arena, double, MOST)};
        }
        b->end_piece = out->piece_count;
    }
    return true;
}

static double dot(const double *x, const double *y, int32_t count)
{
    double sum = 0;
    for (int32_t k = 0; k < count; k++)
        sum += x[k] * y[k];
    return sum;
}

void lcp_rows_form(const lcp_rows *r, double softness, int32_t stride, double *W, double *q)
{
    memset(W, 0, sizeof *W * (size_t)r->n * (size_t)stride);
    memcpy(q, r->rhs, sizeof *q * (size_t)r->n);
    for (int32_t k = 0; k < r->body_count; k++) {
        const lcp_body *b = &r->body[k];
        memcpy(b->white, b->force, sizeof *b->white * (size_t)b->count);
        cd_cholesky_forward(b->count, b->root, b->white);
        for (int32_t p = b->first_piece; p < b->end_piece; p++) {
            const lcp_piece *own = &r->piece[p];
            memcpy(own->white, own->h, sizeof *own->h * (size_t)b->count);
            cd_cholesky_forward(b->count, b->root, own->white);
            q[own->row] -= r->sign * dot(own->white, b->white, b->count);
            double *row = W + (size_t)own->row * (size_t)stride;
            for (int32_t o = b->first_piece; o <= p; o++) {
                const lcp_piece *other = &r->piece[o];
                row[other->row] += dot(own->white, other->white, b->count);
            }
        }
    }
    for (int32_t i = 0; i < r->n; i++) {
        for (int32_t j = 0; j < i; j++)
            W[(size_t)j * (size_t)stride + (size_t)i] = W[(size_t)i * (size_t)stride + (size_t)j];
        W[(size_t)i * (size_t)stride + (size_t)i] *= 1 + softness;
    }
}

void lcp_rows_back(const lcp_rows *r, const double *z, double *values)
{
    for (int32_t k = 0; k < r->body_count; k++) {
        const lcp_body *b = &r->body[k];
        double x[MOST];
        for (int32_t f = 0; f < b->count; f++)
            x[f] = -r->sign * b->white[f];
        for (int32_t p = b->first_piece; p < b->end_piece; p++) {
            for (int32_t f = 0; f < b->count; f++)
                x[f] += r->piece[p].white[f] * z[r->piece[p].row];
        }
        for (int32_t f = b->count - 1; f >= 0; f--) {
            for (int32_t g = f + 1; g < b->count; g++)
                x[f] -= b->root[g * b->count + f] * x[g];
            x[f] /= b->root[f * b->count + f];
            values[b->variable[f]] = x[f];
        }
    }
}
