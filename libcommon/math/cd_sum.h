// cd_sum -- sums rounded in a direction, exact where the sum is: a + b itself when it is a double, else the next one
// below or above the rounded sum on the side of the exact one. Knuth's two-sum gives the error of a rounded sum without
// error (The Art of Computer Programming 2, 4.2.2). Infinite and NaN sums are returned as they are.
// SPDX-License-Identifier: MIT
#ifndef CD_SUM_H
#define CD_SUM_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// nextafter, which is a call of the library: for normal numbers one step of their bits.
static inline double cd_next_(double x, bool is_up)
{
    if (!isnormal(x))
        return nextafter(x, is_up ? INFINITY : -INFINITY);
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits += (x > 0) == is_up ? 1 : -1;
    memcpy(&x, &bits, sizeof bits);
    return x;
}
// The next double below / above.
static inline double cd_round_down(double x) { return cd_next_(x, false); }
static inline double cd_round_up(double x) { return cd_next_(x, true); }

static inline double cd_sum_error(double a, double b, double sum)
{
    double part = sum - a;
    return (a - (sum - part)) + (b - part);
}
// One step of the bits where the error asks for it, without a branch: in every second sum it does, and loops become
// wide. step: -1 or 1. A sum of 0 and one below the normal numbers have no error, and that of an infinite one is NaN.
static inline double cd_sum_stepped_(double sum, bool is_off, int64_t step)
{
    int64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    bits += -(int64_t)is_off & (sum > 0 ? step : -step);
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}
static inline double cd_sum_down(double a, double b)
{
    double sum = a + b;
    return cd_sum_stepped_(sum, cd_sum_error(a, b, sum) < 0, -1);
}
static inline double cd_sum_up(double a, double b)
{
    double sum = a + b;
    return cd_sum_stepped_(sum, cd_sum_error(a, b, sum) > 0, 1);
}

#endif
