// cd_convex3_place -- what the files that make and place a cd_convex3 share; its face to others is cd_convex3.h.
// SPDX-License-Identifier: MIT
#ifndef CD_CONVEX3_PLACE_H
#define CD_CONVEX3_PLACE_H

#include "cd_convex3.h"

// fmax is a call; of finite numbers this is the same.
static inline double cd_convex3_larger(double a, double b) { return a > b ? a : b; }

typedef struct cd_convex3_columns {
    double *x, *y, *z;  // [m]
} cd_convex3_columns;

// One after the other, and `more` bytes behind them (cd_convex3_behind) for what is read with them: who comes to a body
// that is not in the cache reads one stretch. The arena aligns to 32 bytes; vectors of 64 want more.
static inline cd_convex3_columns cd_convex3_new_columns(cd_arena *arena, int32_t count, size_t more)
{
    size_t padded = (size_t)cd_convex3_padded(count);
    char *memory = cd_arena_alloc(arena, 3 * padded * sizeof(double) + more + 32);
    double *x = (double *)(memory + (64 - (uintptr_t)memory % 64) % 64);
    return (cd_convex3_columns){x, x + padded, x + 2 * padded};
}

static inline void *cd_convex3_behind(cd_convex3_columns to, int32_t count) { return to.z + cd_convex3_padded(count); }

// ---- measures ------------------------------------------------------------------------------------------------------

// One by one: the order of the sum is the vertices', whatever vectors there are.
static inline cd_vec3 cd_convex3_mean(const cd_convex3 *c)
{
    cd_vec3 sum = {0, 0, 0};
    for (int32_t i = 0; i < c->vertex_count; i++)
        sum = cd_add3(sum, cd_convex3_vertex(c, i));
    return cd_scale3(1.0 / c->vertex_count, sum);
}

// The radius from the largest squared distance, rounded up.
static inline double cd_convex3_radius(double farthest_sq)
{
    double radius = sqrt(farthest_sq) * (1 + 4e-16);
    uint64_t bits;
    memcpy(&bits, &radius, sizeof bits);
    bits += radius < INFINITY;  // nextafter, which is a call
    memcpy(&radius, &bits, sizeof bits);
    return radius;
}

// Bounds, centre and radius from padded columns.
void cd_convex3_measure(cd_convex3 *c);

// ---- planes --------------------------------------------------------------------------------------------------------

static inline double cd_convex3_face_offset(const cd_convex3 *c, int32_t face, double x, double y, double z)
{
    double offset = -INFINITY;
    for (int32_t k = c->face_first[face]; k < c->face_first[face + 1]; k++) {
        int32_t i = c->face_vertex[k];
        offset = cd_convex3_larger(offset, x * c->x[i] + y * c->y[i] + z * c->z[i]);
    }
    return offset;
}

// Planes of `from` turned, with offsets from the corners of `c`, which is placed. Numbers by themselves: a normal that
// is stored and read again as a whole waits for its parts.
static inline void cd_convex3_turn_planes(const cd_convex3 *from, const cd_pose3 *pose, const cd_convex3 *c,
                                          cd_plane *plane)
{
    const cd_vec3 *row = pose->turn.row;
    for (int32_t f = 0; f < c->face_count; f++) {
        cd_vec3 n = from->plane[f].normal;
        double x = cd_dot3(row[0], n), y = cd_dot3(row[1], n), z = cd_dot3(row[2], n);
        double offset = cd_convex3_face_offset(c, f, x, y, z);
        plane[f].normal.x = x;
        plane[f].normal.y = y;
        plane[f].normal.z = z;
        plane[f].offset = offset;
    }
}

enum { CD_CONVEX3_PLANES = 8 };  // room for placed planes is a multiple of it

// ---- placing -------------------------------------------------------------------------------------------------------

// Columns, bounds, centre and radius of `c`, whose columns are `to`, from those of `from`; and planes, where there is
// room for them (else NULL). To the bit the same at all levels.
void cd_convex3_move(const cd_convex3 *from, const cd_pose3 *pose, cd_convex3_columns to, cd_plane *plane,
                     cd_convex3 *c);
void cd_convex3_move_avx512(const cd_convex3 *from, const cd_pose3 *pose, cd_convex3_columns to, cd_plane *plane,
                            cd_convex3 *c);

#endif
