// plot_axis -- scales of a picture's axes: where a value lies along the axis, and round numbers to mark it with.
//
// A linear axis has ticks at multiples of 1, 2 or 5 times a power of ten; a logarithmic one at whole decades, and at 2
// and 5 times them when it spans two decades at most. A logarithmic axis with a floor carries one place below its
// lowest decade for values that have no logarithm; the tick there is called "0".
// SPDX-License-Identifier: MIT
#ifndef PLOT_AXIS_H
#define PLOT_AXIS_H

#include <stdbool.h>

enum { CD_PLOT_TICKS = 48, CD_PLOT_TICK_TEXT = 56 };

typedef struct cd_plot_tick {
    double value;
    char text[CD_PLOT_TICK_TEXT];  // in the markup of cd_plot_text: "0.25", "10^{−6}"
} cd_plot_tick;

typedef struct cd_plot_axis {
    bool is_log, has_floor;
    double low, high;    // ends: values of a linear axis, decimal logarithms of the others
    double floor, base;  // logarithms: where values <= 0 are drawn, and of the lowest decade above
    int tick_count;
    cd_plot_tick tick[CD_PLOT_TICKS];
} cd_plot_axis;

// Coordinates beyond this are drawn as if they were here, so that differences and products with pixels stay finite.
#define CD_PLOT_HUGE 1e300
double cd_plot_clamp(double value);

// An axis that shows low..high, about `want` ticks. `pad`: fraction of the span added at each end. An empty or inverted
// range becomes one around its middle that its numbers can tell apart.
cd_plot_axis cd_plot_axis_linear(double low, double high, double pad, int want);
// 0 < low <= high; has_floor: values <= 0 will be placed too.
cd_plot_axis cd_plot_axis_log(double low, double high, bool has_floor, int want);
// 0 at the low end, 1 at the high end; outside of that range for values beyond.
double cd_plot_axis_place(const cd_plot_axis *axis, double value);

#endif
