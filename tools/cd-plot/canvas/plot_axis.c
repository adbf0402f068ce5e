// SPDX-License-Identifier: MIT
#include "plot_axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MINUS "\xe2\x88\x92"  // U+2212
#define TIMES "\xc3\x97"      // U+00D7

// [1] Least span of an axis relative to the size of its numbers: 16 digits less two that tick labels need to differ.
#define LEAST_SPAN 1e-13

// Powers of ten below this one are not normal doubles: they have no ticks.
enum { LEAST_DECADE = -307 };

// Numbers from here on are written with a power of ten, unless ticks differ only behind the third digit: then that
// would not shorten them.
#define PLAIN_LIMIT 1e5
#define LONG_LIMIT 1e9
enum { PLAIN_DECIMALS = 4, LONG_DIGITS = 3 };

double cd_plot_clamp(double value)
{
    return value > CD_PLOT_HUGE ? CD_PLOT_HUGE : value < -CD_PLOT_HUGE ? -CD_PLOT_HUGE : value;
}

double cd_plot_axis_place(const cd_plot_axis *axis, double value)
{
    double along = value;
    if (axis->is_log)
        along = value > 0 ? log10(value) : axis->floor;
    return (along - axis->low) / (axis->high - axis->low);
}

static void add_tick(cd_plot_axis *axis, double value, const char *text)
{
    if (axis->tick_count == CD_PLOT_TICKS)
        return;
    cd_plot_tick *tick = &axis->tick[axis->tick_count++];
    tick->value = value;
    snprintf(tick->text, sizeof tick->text, "%s", text);
}

// value as text when neighbouring ticks differ by a multiple of 10^exponent.
static void number_text(double value, int exponent, bool is_plain, char text[CD_PLOT_TICK_TEXT])
{
    double size = fabs(value);
    const char *sign = value < 0 ? MINUS : "";
    if (size == 0)
        snprintf(text, CD_PLOT_TICK_TEXT, "0");
    else if (is_plain)
        snprintf(text, CD_PLOT_TICK_TEXT, "%s%.*f", sign, exponent < 0 ? -exponent : 0, size);
    else {
        // The mantissa may round up to 10: printf's own rounding decides the power of ten.
        char digits[40];
        int power = (int)floor(log10(size)), places = power - exponent;
        snprintf(digits, sizeof digits, "%.*e", places < 0 ? 0 : places > 16 ? 16 : places, size);
        char *e = strchr(digits, 'e');
        int shown = 0;
        sscanf(e + 1, "%d", &shown);
        *e = 0;
        snprintf(text, CD_PLOT_TICK_TEXT, "%s%.20s" TIMES "10^{%s%d}", sign, digits, shown < 0 ? MINUS : "",
                 shown < 0 ? -shown : shown);
    }
}

// The least of 1, 2, 5 times a power of ten that is not far below `raw`: up to a quarter more ticks than wanted are
// better than half.
static double round_step(double raw, int *exponent, int *digit)
{
    static const int digits[] = {1, 2, 5, 10};
    *exponent = (int)floor(log10(raw));
    double unit = pow(10, *exponent);
    int k = 0;
    while (k < 3 && digits[k] * unit < 0.8 * raw)
        k++;
    *digit = digits[k];
    if (*digit == 10) {
        *digit = 1;
        *exponent += 1;
    }
    return *digit * pow(10, *exponent);
}

cd_plot_axis cd_plot_axis_linear(double low, double high, double pad, int want)
{
    cd_plot_axis axis = {0};
    low = cd_plot_clamp(low);
    high = cd_plot_clamp(high);
    if (low > high) {
        double swap = low;
        low = high;
        high = swap;
    }
    double size = fmax(fabs(low), fabs(high)), span = high - low;
    if (!(span > LEAST_SPAN * size) || span < 1e-290) {
        double middle = low + 0.5 * span;
        span = size > 1e-289 ? 0.2 * size : 2;
        low = middle - 0.5 * span;
        high = middle + 0.5 * span;
    }
    axis.low = low - pad * span;
    axis.high = high + pad * span;
    int exponent, digit;
    double step = round_step((axis.high - axis.low) / (want > 1 ? want : 1), &exponent, &digit);
    double first = ceil(axis.low / step - 1e-9), last = floor(axis.high / step + 1e-9);
    double largest = fmax(fabs(axis.low), fabs(axis.high));
    bool is_long = largest < LONG_LIMIT && largest > pow(10, exponent + LONG_DIGITS);
    bool is_plain = exponent >= -PLAIN_DECIMALS && (largest < PLAIN_LIMIT || is_long);
    for (double k = first; k <= last && axis.tick_count < CD_PLOT_TICKS; k++) {
        // A division by an exact power of ten is rounded once, so that 3 steps of 0.1 are the number 0.3.
        double value = exponent < 0 && exponent > -300 ? k * digit / pow(10, -exponent) : k * step;
        char text[CD_PLOT_TICK_TEXT];
        number_text(value, exponent, is_plain, text);
        add_tick(&axis, value, text);
    }
    return axis;
}

static void add_decade_tick(cd_plot_axis *axis, int digit, int decade)
{
    char text[CD_PLOT_TICK_TEXT], factor[16] = "";
    if (digit > 1)
        snprintf(factor, sizeof factor, "%d" TIMES, digit);
    snprintf(text, sizeof text, "%s10^{%s%d}", factor, decade < 0 ? MINUS : "", decade < 0 ? -decade : decade);
    add_tick(axis, digit * pow(10, decade), text);
}

cd_plot_axis cd_plot_axis_log(double low, double high, bool has_floor, int want)
{
    cd_plot_axis axis = {.is_log = true, .has_floor = has_floor};
    int first = (int)floor(log10(cd_plot_clamp(low)) + 1e-9), last = (int)ceil(log10(cd_plot_clamp(high)) - 1e-9);
    if (last <= first)
        last = first + 1;
    static const int steps[] = {1, 2, 3, 5, 10, 20, 50, 100, 200};
    int step = 0;
    while (step < 8 && (last - first) / steps[step] > want)
        step++;
    axis.base = first;
    axis.low = first - 0.02 * (last - first);
    axis.high = last + 0.02 * (last - first);
    if (has_floor) {
        axis.floor = first - fmax(0.09 * (last - first), 0.09);
        axis.low = axis.floor - 0.02 * (last - first);
        add_tick(&axis, 0, "0");
    }
    for (int decade = first > LEAST_DECADE ? first : LEAST_DECADE; decade <= last; decade++) {
        if (decade % steps[step] == 0)
            add_decade_tick(&axis, 1, decade);
        for (int digit = 2; digit <= 5 && last - first <= 2 && decade < last; digit += 3)
            add_decade_tick(&axis, digit, decade);
    }
    return axis;
}
