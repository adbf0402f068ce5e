// cd_samples -- functions of time given by samples: what is put on a body, and where it is driven to.
//
// Numbers are linear between samples; rotations of space turn from one sample to the next at constant spin, the
// shortest way. Before the first sample and after the last the value is that sample's. Cost: O(log samples) a value,
// and for a mean O(1) more for each sample in its interval.
// SPDX-License-Identifier: MIT
#ifndef CD_SAMPLES_H
#define CD_SAMPLES_H

#include "cd_quat.h"

#include <stddef.h>
#include <stdint.h>

enum { CD_SAMPLES_WIDTH = 4 };  // the most numbers a sample has

// Borrowed: `time` [s] ascends strictly; sample i has the numbers value[width * i] ..
typedef struct cd_samples {
    int32_t count;  // at least 1
    int width;      // 1 .. CD_SAMPLES_WIDTH
    const double *time, *value;
} cd_samples;

// Writes `width` numbers.
void cd_samples_at(const cd_samples *samples, double time, double *value);
// The mean over from .. to (from <= to), by the exact integral of the piecewise linear function; from == to: the value
// there. Where all samples are equal it is that number to the bit, if no sample lies inside the interval.
void cd_samples_mean(const cd_samples *samples, double from, double to, double *value);
// Samples of unit quaternions (width 4). The result is a unit quaternion.
cd_quat cd_samples_rotation(const cd_samples *samples, double time);

#endif
