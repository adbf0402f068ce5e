// SPDX-License-Identifier: MIT
#include "cone_product.h"

#include "cd_vector.h"
#include "lcp_lanes.h"

#include <math.h>

#include <string.h>

// Vectors that the gathered columns of a group may fill; wider groups are summed one entry after the other.
enum { VECTORS_MOST = 4, GATHERED_MOST = LANES * VECTORS_MOST };
enum { BODY = 6 };  // columns of one in space, ascending and most often side by side

_Static_assert((int)LANES == (int)CD_GRAM_LANES, "columns of a group fill whole vectors");

// out = row . (x, y, z, w), entry by entry of the vectors, as many as there are. Each vector has a name: arrays of them
// gcc keeps in memory. Through pointers: vectors that are returned have no agreed place.
INLINE void dot(const double *row, int vectors, const vec4 *x, const vec4 *y, const vec4 *z, const vec4 *w, vec4 *out)
{
    vec4 sum = *(const vec4 *)row * *x;
    if (vectors > 1)
        sum += *(const vec4 *)(row + LANES) * *y;
    if (vectors > 2)
        sum += *(const vec4 *)(row + 2 * LANES) * *z;
    if (vectors > 3)
        sum += *(const vec4 *)(row + 3 * LANES) * *w;
    *out = sum;
}

// Of four columns of `width`, from one on. Straight into registers: numbers that are stored one by one are no vector
// to load before they are in the cache.
INLINE void gather_four(const int32_t *col, int32_t from, int32_t width, const double *u, vec4 *out)
{
    *out = (vec4){from < width ? u[col[from]] : 0, from + 1 < width ? u[col[from + 1]] : 0,
                  from + 2 < width ? u[col[from + 2]] : 0, from + 3 < width ? u[col[from + 3]] : 0};
}

INLINE void values_of(int32_t height, const double *row, int32_t width, const int32_t *col, const double *u,
                      double *out, int vectors)
{
    const int32_t stride = LANES * vectors;
    vec4 x, y, z, w;
    int32_t r = 0;
    gather_four(col, 0, vectors > 1 ? LANES : width, u, &x);
    gather_four(col, LANES, vectors > 2 ? 2 * LANES : width, u, &y);
    gather_four(col, 2 * LANES, vectors > 3 ? 3 * LANES : width, u, &z);
    gather_four(col, 3 * LANES, width, u, &w);
    // Four sums are joined at once, each as (0 + 1) + (2 + 3).
    for (; r + LANES <= height; r += LANES, row += LANES * stride) {
        vec4 a, b, c, d;
        dot(row, vectors, &x, &y, &z, &w, &a);
        dot(row + stride, vectors, &x, &y, &z, &w, &b);
        dot(row + 2 * stride, vectors, &x, &y, &z, &w, &c);
        dot(row + 3 * stride, vectors, &x, &y, &z, &w, &d);
        const vec4 ab = LANES_OF(a, b, 0, 4, 2, 6) + LANES_OF(a, b, 1, 5, 3, 7);
        const vec4 cd = LANES_OF(c, d, 0, 4, 2, 6) + LANES_OF(c, d, 1, 5, 3, 7);
        *(vec4 *)(out + r) = LANES_OF(ab, cd, 0, 1, 4, 5) + LANES_OF(ab, cd, 2, 3, 6, 7);
    }
    for (; r < height; r++, row += stride) {
        vec4 sum;
        dot(row, vectors, &x, &y, &z, &w, &sum);
        out[r] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

// Group k: its rows, whose first value is out[0].
INLINE void values_of_group(const cd_gram_groups *g, int32_t k, const double *A, const double *u, double *out)
{
    const int32_t *col = g->col + g->first[k], width = g->first[k + 1] - g->first[k];
    const int32_t stride = cd_gram_stride(width), height = g->height[k];
    const double *row = A + g->place[k];
    switch (stride / LANES) {
    case 1:
        values_of(height, row, width, col, u, out, 1);
        break;
    case 2:
        values_of(height, row, width, col, u, out, 2);
        break;
    case 3:
        values_of(height, row, width, col, u, out, 3);
        break;
    case 4:
        values_of(height, row, width, col, u, out, 4);
        break;
    default:
        for (int32_t r = 0; r < height; r++, row += stride) {
            out[r] = 0;
            for (int32_t i = 0; i < width; i++)
                out[r] += row[i] * u[col[i]];
        }
    }
}

CD_VECTOR_CLONES void cd_cone_values(const cd_gram_groups *g, const double *A, const double *u, double *out)
{
    for (int32_t k = 0; k < g->count; out += g->height[k++])
        values_of_group(g, k, A, u, out);
}

CD_VECTOR_CLONES void cd_cone_values_two(const cd_gram_groups *g, const double *A, const double *const u[2],
                                         double *const out[2])
{
    for (int32_t k = 0, r = 0; k < g->count; r += g->height[k++]) {
        values_of_group(g, k, A, u[0], out[0] + r);
        values_of_group(g, k, A, u[1], out[1] + r);
    }
}

INLINE void add_rows(int32_t height, const double *row, const double *x, double *gathered, int vectors,
                     bool of_magnitudes)
{
    vec4 sum[VECTORS_MOST] = {0};
    for (int32_t r = 0; r < height; r++, row += LANES * vectors) {
        _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++)
        {
            const vec4 term = *(const vec4 *)(row + LANES * v) * x[r];
            sum[v] += of_magnitudes ? (vec4)((int4)term & (int4){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}) : term;
        }
    }
    _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++) * (vec4 *)(gathered + LANES * v) = sum[v];
}

// Group k, the multiplier of whose first row is x[0].
INLINE void add_group(const cd_gram_groups *g, int32_t k, const double *A, const double *x, double *out,
                      bool of_magnitudes)
{
    double gathered[GATHERED_MOST];
    const int32_t *col = g->col + g->first[k], width = g->first[k + 1] - g->first[k];
    const int32_t stride = cd_gram_stride(width), height = g->height[k];
    const double *row = A + g->place[k];
    switch (stride / LANES) {
    case 1:
        add_rows(height, row, x, gathered, 1, of_magnitudes);
        break;
    case 2:
        add_rows(height, row, x, gathered, 2, of_magnitudes);
        break;
    case 3:
        add_rows(height, row, x, gathered, 3, of_magnitudes);
        break;
    case 4:
        add_rows(height, row, x, gathered, 4, of_magnitudes);
        break;
    default:
        for (int32_t r = 0; r < height; r++, row += stride) {
            for (int32_t i = 0; i < width; i++)
                out[col[i]] += of_magnitudes && row[i] * x[r] < 0 ? -row[i] * x[r] : row[i] * x[r];
        }
        return;
    }
    for (int32_t i = 0; i < width;) {
        double *to = out + col[i];
        if (i + BODY > width || col[i + BODY - 1] != col[i] + BODY - 1) {
            *to += gathered[i++];
            continue;
        }
        *(vec4 *)to += *(const vec4 *)(gathered + i);
        to[4] += gathered[i + 4];
        to[5] += gathered[i + 5];
        i += BODY;
    }
}

INLINE void add_all(const cd_gram_groups *g, const double *A, const double *x, double *out, bool of_magnitudes)
{
    memset(out, 0, sizeof *out * (size_t)g->columns);
    for (int32_t k = 0; k < g->count; x += g->height[k++])
        add_group(g, k, A, x, out, of_magnitudes);
}

CD_VECTOR_CLONES void cd_cone_transposed(const cd_gram_groups *g, const double *A, const double *x, double *out)
{
    add_all(g, A, x, out, false);
}

CD_VECTOR_CLONES void cd_cone_transposed_two(const cd_gram_groups *g, const double *A, const double *const x[2],
                                             double *const out[2])
{
    memset(out[0], 0, sizeof *out[0] * (size_t)g->columns);
    memset(out[1], 0, sizeof *out[1] * (size_t)g->columns);
    for (int32_t k = 0, r = 0; k < g->count; r += g->height[k++]) {
        add_group(g, k, A, x[0] + r, out[0], false);
        add_group(g, k, A, x[1] + r, out[1], false);
    }
}

CD_VECTOR_CLONES void cd_cone_magnitudes(const cd_gram_groups *g, const double *A, const double *x, double *out)
{
    add_all(g, A, x, out, true);
}

INLINE void turn(int32_t height, int32_t stride, const double *T, const double *A, double *out)
{
    for (int32_t k = 0; k < stride; k += LANES) {
        _Pragma("GCC unroll 3") for (int32_t i = 0; i < height; i++)
        {
            vec4 sum = T[height * i] * *(const vec4 *)(A + k);
            _Pragma("GCC unroll 3") for (int32_t j = 1; j < height; j++) sum +=
                T[height * i + j] * *(const vec4 *)(A + j * stride + k);
            *(vec4 *)(out + i * stride + k) = sum;
        }
    }
}

CD_VECTOR_CLONES void cd_cone_turn_rows(int32_t height, int32_t stride, const double *T, const double *A, double *out)
{
    switch (height) {
    case 1:
        turn(1, stride, T, A, out);
        break;
    case 2:
        turn(2, stride, T, A, out);
        break;
    default:
        turn(3, stride, T, A, out);
    }
}

void cd_cone_add_held(const cd_gram_groups *g, double sign, const double *u, double *out)
{
    for (int32_t i = 0; i < g->columns && g->held_first; i++) {
        double sum = 0;
        for (int32_t k = g->held_first[i]; k < g->held_first[i + 1]; k++) {
            sum += g->held[k] * u[g->held_col[k]];
            out[g->held_col[k]] += sign * g->held[k] * u[i];
        }
        out[i] += sign * sum;
    }
}

void cd_cone_add_held_magnitudes(const cd_gram_groups *g, const double *u, double *out)
{
    for (int32_t i = 0; i < g->columns && g->held_first; i++) {
        for (int32_t k = g->held_first[i]; k < g->held_first[i + 1]; k++) {
            out[i] += fabs(g->held[k] * u[g->held_col[k]]);
            out[g->held_col[k]] += fabs(g->held[k] * u[i]);
        }
    }
}
