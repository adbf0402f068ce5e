// filter_statistics -- clocks of the phases of a run and the line of --stats.
// SPDX-License-Identifier: MIT
#ifndef FILTER_STATISTICS_H
#define FILTER_STATISTICS_H

#include "cd_filter.h"

// All zero before the run.
typedef struct filter_times {
    double read, work, write;  // [s] CPU time of the process in each phase
    double work_wall;          // [s] elapsed
    double mark;               // [s] CPU time up to which all is charged
} filter_times;

// Adds the CPU time since the last call to a phase (one of the members of `times`); nothing without --stats.
void filter_charge(const cd_ctx *ctx, filter_times *times, double *phase);

// The JSON line of --stats on stderr. frames: how often the loop ran; 0 for a tool without it, whose frames are those
// that its writer wrote.
void filter_print_statistics(cd_ctx *ctx, const filter_times *times, int64_t frames);

#endif
