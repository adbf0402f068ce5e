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

// Column `place` goes, the columns behind it move up: rows from `place` on are Hessenberg, and the rotation of rows p
// and p + 1 takes away the entry below the diagonal.
void cd_factor_drop(cd_factor *f, int32_t place)
{
    const size_t stride = (size_t)f->capacity;
    f->count--;
    for (int32_t p = 0; p < place; p++)
        memmove(f->r + p * stride + place, f->r + p * stride + place + 1, sizeof *f->r * (size_t)(f->count - place));
    memmove(f->list + place, f->list + place + 1, sizeof *f->list * (size_t)(f->count - place));
    // `carried` is the row that comes down from the rotation before, its entries from column p on (of the new
    // numbering).
    double *carried = f->scratch;
    memcpy(carried + place, f->r + place * stride + place + 1, sizeof *carried * (size_t)(f->count - place));
    for (int32_t p = place; p < f->count; p++) {
        double *row = f->r + p * stride + p;  // new row p, from its diagonal
        // old row p + 1, from its diagonal, which is column p now
        const double *below = f->r + (p + 1) * stride + p + 1;
        double a = carried[p], b = below[0], length = sqrt(a * a + b * b), c = a / length, s = b / length;
        cd_vector_rotate(row, carried + p, below, c, s, f->count - p);
        row[0] = length;
    }
}
