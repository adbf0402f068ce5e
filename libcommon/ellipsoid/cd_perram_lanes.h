// cd_perram_lanes -- the solver of cd_perram.h with a pair in each lane of a vector, as wide as the file is compiled
// for. Every operation is one of each lane by itself, so all widths give the same bits.
// SPDX-License-Identifier: MIT
#ifndef CD_PERRAM_LANES_H
#define CD_PERRAM_LANES_H

#include "cd_perram.h"

#if defined(__AVX512F__)
#include <immintrin.h>
enum { WIDTH = 8 };
#elif defined(__AVX2__)
#include <immintrin.h>
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif

typedef double lanes __attribute__((vector_size(WIDTH * sizeof(double))));
typedef int64_t mask __attribute__((vector_size(WIDTH * sizeof(double))));  // of a lane all bits or none

typedef struct lanes3 {
    lanes x, y, z;
} lanes3;

static inline lanes all_of(double x)
{
    lanes v;
    for (int k = 0; k < WIDTH; k++)
        v[k] = x;
    return v;
}
static inline lanes load(const double *p)
{
    lanes v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}
static inline void store(double *p, lanes v) { __builtin_memcpy(p, &v, sizeof v); }
static inline lanes choose(mask m, lanes yes, lanes no) { return (lanes)((m & (mask)yes) | (~m & (mask)no)); }
static inline lanes most(lanes a, lanes b) { return choose(a > b, a, b); }
static inline lanes least(lanes a, lanes b) { return choose(a < b, a, b); }
static inline lanes size_of(lanes a) { return (lanes)((mask)a & INT64_MAX); }
static inline lanes root(lanes a)
{
#if defined(__AVX512F__)
    return (lanes)_mm512_sqrt_pd((__m512d)a);
#elif defined(__AVX2__)
    return (lanes)_mm256_sqrt_pd((__m256d)a);
#else
    lanes v;
    for (int k = 0; k < WIDTH; k++)
        v[k] = sqrt(a[k]);
    return v;
#endif
}
static inline bool is_any(mask m)
{
    int64_t any = 0;
    for (int k = 0; k < WIDTH; k++)
        any |= m[k];
    return any != 0;
}

static inline lanes3 add(lanes3 a, lanes3 b) { return (lanes3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline lanes3 times(lanes s, lanes3 a) { return (lanes3){s * a.x, s * a.y, s * a.z}; }
static inline lanes dot(lanes3 a, lanes3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline lanes3 cross(lanes3 a, lanes3 b)
{
    return (lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline lanes3 load3(const double (*p)[CD_PERRAM_LANES], int first)
{
    return (lanes3){load(p[0] + first), load(p[1] + first), load(p[2] + first)};
}
static inline void store3(double (*p)[CD_PERRAM_LANES], int first, lanes3 v)
{
    store(p[0] + first, v.x);
    store(p[1] + first, v.y);
    store(p[2] + first, v.z);
}
static inline lanes largest(lanes3 v) { return most(size_of(v.x), most(size_of(v.y), size_of(v.z))); }

// 1 over the power of two that is at most x, x > 0 and not near the ends of the doubles' range: what it scales stays
// the same number but for its exponent.
static inline lanes to_unit(lanes x)
{
    const int64_t exponent = INT64_C(0x7ff0000000000000);
    return 1.0 / (lanes)((mask)x & exponent);
}

// ---- the equation --------------------------------------------------------------------------------------------------

// Of y(t) = V0 + t V1 + t^2 V2 what is asked of it: V, and A'V and B'V.
typedef struct quadratic {
    lanes3 v[3], of_a[3], of_b[3];
} quadratic;

static inline lanes3 heights(const lanes3 axis[3], lanes3 n)
{
    return (lanes3){dot(axis[0], n), dot(axis[1], n), dot(axis[2], n)};
}

// adj(P + t Q) = sum of c c' over the cross products c of two half axes, with t for each that is of Q.
static inline quadratic quadratic_of(const lanes3 a[3], const lanes3 b[3], lanes3 r)
{
    quadratic q;
    for (int i = 0; i < 3; i++) {
        const lanes3 of_p = cross(a[i], a[(i + 1) % 3]), of_q = cross(b[i], b[(i + 1) % 3]);
        const lanes3 p = times(dot(of_p, r), of_p), s = times(dot(of_q, r), of_q);
        q.v[0] = i == 0 ? p : add(q.v[0], p);
        q.v[2] = i == 0 ? s : add(q.v[2], s);
        for (int j = 0; j < 3; j++) {
            const lanes3 of_both = cross(a[i], b[j]), m = times(dot(of_both, r), of_both);
            q.v[1] = i == 0 && j == 0 ? m : add(q.v[1], m);
        }
    }
    for (int k = 0; k < 3; k++) {
        q.of_a[k] = heights(a, q.v[k]);
        q.of_b[k] = heights(b, q.v[k]);
    }
    return q;
}

static inline lanes3 at(const lanes3 v[3], lanes t) { return add(v[0], times(t, add(v[1], times(t, v[2])))); }

// The square of |v(t)|, and its first and second derivative over it.
typedef struct square {
    lanes value, first, second;
} square;

static inline square square_at(const lanes3 v[3], lanes t)
{
    const lanes3 here = at(v, t), slope = add(v[1], times(2.0 * t, v[2])), bend = times(all_of(2), v[2]);
    const lanes value = dot(here, here), inverse = 1.0 / value;
    return (square){value, 2.0 * dot(here, slope) * inverse, 2.0 * (dot(slope, slope) + dot(here, bend)) * inverse};
}

// Where t = |A'y| / |B'y| =: m(t) by Halley's method on m(t) - t. The bracket holds the root, where m - t falls from
// above 0 to below it. [1] of t: a step so small leaves an error of its cube.
#define LAST_STEP 1e-6

static inline lanes solve(const quadratic *q, lanes t, lanes low, lanes high, lanes *iterations)
{
    enum { MOST_ITERATIONS = 100 };  // halving the bracket's logarithm as often ends at rounding
    mask is_open = t == t;
    *iterations = all_of(0);
    for (int k = 0; k < MOST_ITERATIONS && is_any(is_open); k++) {
        const square a = square_at(q->of_a, t), b = square_at(q->of_b, t);
        const lanes m = root(a.value / b.value), rate = 0.5 * (a.first - b.first);
        const lanes bend = 0.5 * (a.second - a.first * a.first - b.second + b.first * b.first);
        const lanes f = m - t, slope = m * rate - 1.0, curve = m * (rate * rate + bend);
        const lanes step = -f * slope / (slope * slope - 0.5 * f * curve);
        const mask is_low = f > 0.0, is_last = size_of(step) < LAST_STEP * t;
        low = choose(is_open & is_low, t, low);
        high = choose(is_open & ~is_low, t, high);
        lanes next = t + step;
        // the last step before the bracket: rounding puts it outside where t is right already
        const mask is_good = is_last | ((next > low) & (next < high));
        next = choose(is_good, next, root(low * high));
        *iterations += choose(is_open, all_of(1), all_of(0));
        t = choose(is_open, next, t);
        is_open &= ~is_last;
    }
    return t;
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

static inline lanes3 support(const lanes3 axis[3], lanes3 n, lanes *height)
{
    const lanes3 h = heights(axis, n);
    *height = root(dot(h, h));
    const lanes3 on_ball = times(1.0 / *height, h);
    return add(add(times(on_ball.x, axis[0]), times(on_ball.y, axis[1])), times(on_ball.z, axis[2]));
}

static inline void solve_lanes(cd_perram_block *block, int first)
{
    // lengths of about 1, and their bounds of t
    lanes3 a[3], b[3], r = load3(block->between, first);
    lanes size = all_of(0), low_a = all_of(INFINITY), high_a = all_of(0), low_b = low_a, high_b = high_a;
    for (int i = 0; i < 3; i++) {
        a[i] = load3(block->a[i], first);
        b[i] = load3(block->b[i], first);
        size = most(size, most(largest(a[i]), largest(b[i])));
    }
    const lanes unit = to_unit(size), own = to_unit(largest(r));
    const lanes3 direction = times(own, r);
    for (int i = 0; i < 3; i++) {
        a[i] = times(unit, a[i]);
        b[i] = times(unit, b[i]);
        const lanes square_a = dot(a[i], a[i]), square_b = dot(b[i], b[i]);
        low_a = least(low_a, square_a);
        high_a = most(high_a, square_a);
        low_b = least(low_b, square_b);
        high_b = most(high_b, square_b);
    }
    const lanes low = 0.999 * root(low_a / high_b), high = 1.001 * root(high_a / low_b);

    // start, and the root
    const lanes3 along_a = heights(a, direction), along_b = heights(b, direction);
    const lanes given = load(block->start + first), given_t = given / (1.0 - given);
    const mask is_given = (given_t > low) & (given_t < high);
    lanes iterations;
    const quadratic q = quadratic_of(a, b, direction);
    const lanes t = solve(&q, choose(is_given, given_t, root(dot(along_a, along_a) / dot(along_b, along_b))), low, high,
                          &iterations);

    // what follows from it
    lanes3 y = at(q.v, t);
    y = times(to_unit(largest(y)), y);
    const lanes3 n = times(1.0 / root(dot(y, y)), y);
    lanes height_a, height_b;
    const lanes3 on_a = support(a, n, &height_a), on_b = support(b, n, &height_b);
    const lanes height = (height_a + height_b) / unit, apart = dot(n, direction) / own;
    store(block->lambda + first, t / (1.0 + t));
    store(block->mu + first, apart / height);
    store(block->gap + first, apart - height);
    store(block->iterations + first, iterations);
    store3(block->normal, first, n);
    store3(block->point_a, first, times(1.0 / unit, on_a));
    store3(block->point_b, first, times(-1.0 / unit, on_b));
}

static inline void solve_block(cd_perram_block *block)
{
    for (int first = 0; first < block->count; first += WIDTH)
        solve_lanes(block, first);
}

#endif
