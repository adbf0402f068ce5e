// SPDX-License-Identifier: MIT
#include "plot_bins.h"

#include "cd_assert.h"

#include <math.h>

enum { MOST_BINS = 100 };      // of the rule: more are narrower than a picture shows
#define LEAST_SPAN 1e-13       // [1] span to size below which the edges between could not be told apart
#define SLACK 1e-9             // [1] a width that is a round number but for its rounding stays that number
#define LEAST_SPREAD 1e-290    // spans below it would make widths that are no normal doubles
#define LEAST_EXPONENT (-300)  // powers of ten from 10^22 on are rounded; beyond 10^300 they would not be finite
// Exponents of the least double and of one above all values. Edges stay between: few values over many decades have
// bins wider than all doubles.
#define LEAST_PLACE (-323.3)
#define LARGEST_PLACE 308

typedef struct round_width {
    int digit, exponent;  // digit * 10^exponent
} round_width;

static round_width round_up(double raw)
{
    static const int digits[] = {1, 2, 5};
    int exponent = (int)floor(log10(raw));
    for (int k = 0; k < 3; k++)
        if (digits[k] * pow(10, exponent) >= raw * (1 - SLACK))
            return (round_width){digits[k], exponent};
    return (round_width){1, exponent + 1};
}

// k widths. Dividing by a power of ten that is exact rounds once, so that 3 widths of 0.1 are the number 0.3.
static double multiple(round_width w, double k)
{
    bool divides = w.exponent < 0 && w.exponent > LEAST_EXPONENT;
    return divides ? k * w.digit / pow(10, -w.exponent) : k * w.digit * pow(10, w.exponent);
}

static double place(double value, bool logarithmic) { return logarithmic ? log10(value) : value; }
static double value_at(double place, bool logarithmic)
{
    return logarithmic ? pow(10, fmin(fmax(place, LEAST_PLACE), LARGEST_PLACE)) : place;
}

// Value at the fraction `part` of the sorted list, between two of them in proportion.
static double quantile(const double *value, int64_t count, double part, bool logarithmic)
{
    double at = part * (double)(count - 1);
    int64_t low = (int64_t)at, high = low + 1 < count ? low + 1 : low;
    double a = place(value[low], logarithmic), b = place(value[high], logarithmic);
    return a + (at - (double)low) * (b - a);
}

static cd_plot_bins equal_bins(cd_arena *arena, double low, double high, int count, bool logarithmic)
{
    cd_plot_bins bins = {count, CD_ARENA_ARRAY(arena, double, (size_t)count + 1), (high - low) / count};
    for (int i = 0; i <= count; i++)
        bins.edge[i] = value_at(i < count ? low + i * bins.width : high, logarithmic);
    return bins;
}

static cd_plot_bins round_bins(cd_arena *arena, const double *value, int64_t count, double raw, bool logarithmic)
{
    double least = value[0], most = value[count - 1];
    round_width w = round_up(raw);
    double width = multiple(w, 1);
    // the quotients may be off by their rounding: the edges decide
    double first = floor(place(least, logarithmic) / width), last = floor(place(most, logarithmic) / width) + 1;
    while (value_at(multiple(w, first), logarithmic) > least)
        first--;
    while (value_at(multiple(w, first + 1), logarithmic) <= least)
        first++;
    while (value_at(multiple(w, last), logarithmic) <= most)
        last++;
    while (last - first > 1 && value_at(multiple(w, last - 1), logarithmic) > most)
        last--;
    int bin_count = (int)(last - first);
    cd_plot_bins bins = {bin_count, CD_ARENA_ARRAY(arena, double, (size_t)bin_count + 1), width};
    for (int i = 0; i <= bin_count; i++)
        bins.edge[i] = value_at(multiple(w, first + i), logarithmic);
    return bins;
}

cd_plot_bins cd_plot_bins_make(cd_arena *arena, const double *value, int64_t count, int wanted, bool logarithmic)
{
    double least = value[0], most = value[count - 1];
    double low = place(least, logarithmic), high = place(most, logarithmic), span = high - low;
    double size = fmax(fabs(low), fabs(high));
    bool is_tiny = !logarithmic && span < LEAST_SPREAD;
    if (is_tiny || !(span > LEAST_SPAN * size)) {
        double half = size > LEAST_SPREAD && !logarithmic ? 0.05 * size : 0.5;
        return equal_bins(arena, low - half, high + half, wanted > 0 ? wanted : 1, logarithmic);
    }
    if (wanted > 0) {
        cd_plot_bins bins = equal_bins(arena, low, high, wanted, logarithmic);
        bins.edge[0] = least;  // what logarithms rounded off
        bins.edge[wanted] = most;
        return bins;
    }
    double quartiles = quantile(value, count, 0.75, logarithmic) - quantile(value, count, 0.25, logarithmic);
    double raw = quartiles > 0 ? 2 * quartiles / cbrt((double)count) : span / (1 + log2((double)count));
    return round_bins(arena, value, count, fmax(raw, span / MOST_BINS), logarithmic);
}

void cd_plot_bins_add(const cd_plot_bins *bins, const double *value, int64_t count, int64_t *held)
{
    for (int64_t i = 0; i < count; i++) {
        CD_ASSERT(value[i] >= bins->edge[0] && value[i] <= bins->edge[bins->count]);
        int low = 0, high = bins->count;  // edge[low] <= value, and below edge[high] or this is the last
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (bins->edge[middle] <= value[i])
                low = middle;
            else
                high = middle;
        }
        held[low]++;
    }
}
