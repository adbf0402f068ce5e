// cd_clock -- how long something takes.
// SPDX-License-Identifier: MIT
#ifndef CD_CLOCK_H
#define CD_CLOCK_H

#include <time.h>

// [s] of CLOCK_MONOTONIC or CLOCK_PROCESS_CPUTIME_ID, from some beginning.
static inline double cd_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
