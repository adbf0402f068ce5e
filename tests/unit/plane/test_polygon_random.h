// test_polygon_random -- random convex polygons for the geometry tests, and exact arithmetic to judge by.
// SPDX-License-Identifier: MIT
#ifndef TEST_POLYGON_RANDOM_H
#define TEST_POLYGON_RANDOM_H

#include "cd_polygon.h"
#include "cd_random.h"

static inline int32_t test_below(cd_random *random, int32_t limit)
{
    return (int32_t)(cd_random_bits(random) % (uint64_t)limit);
}

// Vertices on an ellipse of random axis ratio 0.1 .. 1, turned: exactly `count` corners.
static inline cd_polygon test_ellipse_polygon(cd_random *random, int32_t count, cd_vec2 centre, double size,
                                              cd_arena *arena)
{
    cd_vec2 *v = CD_ARENA_ARRAY(arena, cd_vec2, count);
    double ratio = cd_random_between(random, 0.1, 1), turn = cd_random_between(random, 0, 7);
    for (int32_t i = 0; i < count; i++) {
        double angle = 6.283185307179586 * (i + 0.8 * cd_random_unit(random)) / count;
        double x = size * cos(angle), y = size * ratio * sin(angle);
        v[i] = (cd_vec2){centre.x + x * cos(turn) - y * sin(turn), centre.y + x * sin(turn) + y * cos(turn)};
    }
    return (cd_polygon){count, v};
}

// The hull of random points of an integer grid: many parallel edges, shared lines and touching pairs.
static inline cd_polygon test_grid_polygon(cd_random *random, int32_t points, int32_t x, int32_t y, int32_t size,
                                           cd_arena *arena)
{
    cd_vec2 *v = CD_ARENA_ARRAY(arena, cd_vec2, points);
    for (;;) {
        for (int32_t i = 0; i < points; i++)
            v[i] = (cd_vec2){x + test_below(random, size + 1), y + test_below(random, size + 1)};
        cd_polygon hull = cd_hull2(v, points, arena, NULL);
        if (hull.count >= 3)
            return hull;
    }
}

static inline cd_polygon test_moved(cd_polygon p, double x, double y, cd_arena *arena)
{
    cd_vec2 *v = CD_ARENA_ARRAY(arena, cd_vec2, p.count);
    for (int32_t i = 0; i < p.count; i++)
        v[i] = (cd_vec2){p.vertex[i].x + x, p.vertex[i].y + y};
    return (cd_polygon){p.count, v};
}

static inline cd_polygon test_scaled(cd_polygon p, double scale, cd_arena *arena)
{
    cd_vec2 *v = CD_ARENA_ARRAY(arena, cd_vec2, p.count);
    for (int32_t i = 0; i < p.count; i++)
        v[i] = cd_scale2(scale, p.vertex[i]);
    return (cd_polygon){p.count, v};
}

// By +90 degrees about the origin, exactly.
static inline cd_vec2 test_quarter(cd_vec2 p) { return (cd_vec2){-p.y, p.x}; }
static inline cd_polygon test_quarter_turned(cd_polygon p, cd_arena *arena)
{
    cd_vec2 *v = CD_ARENA_ARRAY(arena, cd_vec2, p.count);
    for (int32_t i = 0; i < p.count; i++)
        v[i] = test_quarter(p.vertex[i]);
    return (cd_polygon){p.count, v};
}

// Starting from another vertex.
static inline cd_polygon test_renumbered(cd_polygon p, int32_t shift, cd_arena *arena)
{
    cd_vec2 *v = CD_ARENA_ARRAY(arena, cd_vec2, p.count);
    for (int32_t i = 0; i < p.count; i++)
        v[i] = p.vertex[(i + shift) % p.count];
    return (cd_polygon){p.count, v};
}

static inline cd_polygon test_box(double x0, double y0, double x1, double y1, cd_arena *arena)
{
    cd_vec2 *v = CD_ARENA_ARRAY(arena, cd_vec2, 4);
    v[0] = (cd_vec2){x0, y0};
    v[1] = (cd_vec2){x1, y0};
    v[2] = (cd_vec2){x1, y1};
    v[3] = (cd_vec2){x0, y1};
    return (cd_polygon){4, v};
}

static inline double test_diameter(cd_polygon p)
{
    double largest = 0;
    for (int32_t i = 0; i < p.count; i++)
        for (int32_t j = 0; j < i; j++)
            largest = fmax(largest, cd_length2(cd_sub2(p.vertex[i], p.vertex[j])));
    return largest;
}

// (a - c) x (b - c) for grid points, exact.
static inline __int128 test_exact_turn(cd_vec2 a, cd_vec2 b, cd_vec2 c)
{
    __int128 ax = (int64_t)a.x, ay = (int64_t)a.y, bx = (int64_t)b.x, by = (int64_t)b.y, cx = (int64_t)c.x,
             cy = (int64_t)c.y;
    return (ax - cx) * (by - cy) - (ay - cy) * (bx - cx);
}

#endif
