// SPDX-License-Identifier: MIT
#include "lcp_factor.h"

#include "lcp_vector.h"

#include <math.h>

cd_factor cd_factor_start(int32_t capacity, int32_t most, cd_arena *arena)
{
    capacity = capacity < most - 7 ? (capacity + 7) / 4 * 4 : most;
    return (cd_factor){.capacity = capacity,
                       .most = most,
                       .r = CD_ARENA_ARRAY(arena, double, (size_t)capacity *(size_t)capacity),
                       .list = CD_ARENA_ARRAY(arena, int32_t, capacity),
                       .kept = CD_ARENA_ARRAY(arena, int32_t, capacity),
                       .scratch = CD_ARENA_ARRAY(arena, double, capacity),
                       .arena = arena};
}

static void grow(cd_factor *f)
{
    cd_factor wider = cd_factor_start(f->capacity < f->most / 2 ? 2 * f->capacity : f->most, f->most, f->arena);
    for (int32_t p = 0; p < f->count; p++)
        memcpy(wider.r + (size_t)p * (size_t)wider.capacity + p, f->r + (size_t)p * (size_t)f->capacity + p,
               sizeof *f->r * (size_t)(f->count - p));
    memcpy(wider.list, f->list, sizeof *f->list * (size_t)f->count);
    wider.count = f->count;
    *f = wider;
}

void cd_factor_reserve(cd_factor *f, int32_t more)
{
    while (f->capacity < f->most && f->capacity - f->count < more)
        grow(f);
}

double cd_factor_forward(const cd_factor *f, double diagonal, double *v)
{
    cd_vector_forward(f->r, (size_t)f->capacity, f->count, v);
    return diagonal - cd_vector_dot(v, v, f->count);
}

void cd_factor_backward(const cd_factor *f, double *v) { cd_vector_backward(f->r, (size_t)f->capacity, f->count, v); }

void cd_factor_append(cd_factor *f, int32_t row, const double *v, double distance_sq)
{
    if (f->count == f->capacity)
        grow(f);
    for (int32_t p = 0; p < f->count; p++)
        f->r[(size_t)p * (size_t)f->capacity + f->count] = v[p];
    f->r[(size_t)f->count * (size_t)f->capacity + f->count] = sqrt(distance_sq);
    f->list[f->count++] = row;
}

void cd_factor_append_some(cd_factor *f, const int32_t *row, const int32_t *which, int32_t count, const double *v,
                           double (*own)[CD_FACTOR_SOME])
{
    cd_factor_reserve(f, count);
    const size_t stride = (size_t)f->capacity;
    double *to = f->r + f->count;
    for (int32_t p = 0; p < f->count; p++, to += stride, v += CD_FACTOR_SOME) {
        if (count == CD_FACTOR_SOME) {
            memcpy(to, v, sizeof *to * CD_FACTOR_SOME);
            continue;
        }
        for (int32_t k = 0; k < count; k++)
            to[k] = v[which[k]];
    }
    for (int32_t k = 0; k < count; k++) {
        for (int32_t l = 0; l <= k; l++)
            to[(size_t)l * stride + (size_t)k] = own[k][l];
        f->list[f->count++] = row[which[k]];
    }
}

// The columns place[0..count) go, in each row from its diagonal on; what it keeps moves up. kept: scratch.
static void close_gaps(const cd_factor *f, const int32_t *place, int32_t count, int32_t *kept)
{
    const int32_t begin = place[0];
    int32_t most = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t end = k + 1 < count ? place[k + 1] : f->count;
        for (int32_t column = place[k] + 1; column < end; column++)
            kept[most++] = column;
    }
    int32_t from = 0;  // the first one of `kept` right of the diagonal or on it
    for (int32_t p = 0; p < f->count; p++) {
        double *row = f->r + (size_t)p * (size_t)f->capacity;
        while (from < most && kept[from] < p)
            from++;
        for (int32_t k = from; k < most; k++)
            row[begin + k] = row[kept[k]];
    }
}

// Columns go, those behind them move up. The last one first: rows from its place on are Hessenberg then, and the
// rotation of rows p and p + 1 takes away the entry below the diagonal. Where `before` of the columns left of it go as
// well, the diagonal of row p stands at p - before already.
void cd_factor_drop(cd_factor *f, const int32_t *place, int32_t count)
{
    if (count == 0)
        return;
    const size_t stride = (size_t)f->capacity;
    const int32_t left = f->count - count;
    close_gaps(f, place, count, f->kept);
    for (int32_t before = count - 1; before >= 0; before--) {
        // `carried` is the row that comes down from the rotation before, its entries from its column on.
        double *carried = f->scratch;
        int32_t column = place[before] - before;
        const double *top = f->r + (size_t)place[before] * stride;
        memcpy(carried + column, top + column, sizeof *carried * (size_t)(left - column));
        for (; column < left; column++) {
            double *row = f->r + (size_t)(column + before) * stride + column;
            const double *below = row + stride;
            double a = carried[column], b = below[0], length = sqrt(a * a + b * b), c = a / length, s = b / length;
            cd_vector_rotate(row, carried + column, below, c, s, left - column);
            row[0] = length;
        }
    }
    for (int32_t k = place[0]; k < left; k++)
        f->list[k] = f->list[f->kept[k - place[0]]];
    f->count = left;
}
