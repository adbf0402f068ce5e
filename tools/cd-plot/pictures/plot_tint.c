// SPDX-License-Identifier: MIT
#include "plot_tint.h"

#include "plot_elements.h"

#include <math.h>
#include <stdlib.h>

const char *const cd_plot_tint_names[] = {"motion", "speed", "spin",   "force", "gap", "overlap",
                                          "mass",   "id",    "island", "group", NULL};

static bool is(const char *by, const char *name) { return !strcmp(by, name); }

bool cd_plot_tint_is_name(const char *by) { return is(by, "id") || is(by, "island") || is(by, "group"); }

// ---- numbers -------------------------------------------------------------------------------------------------------

static void add_forces(const cd_model *in, double *value)
{
    for (int32_t i = 0; i < in->force.count; i++) {
        int32_t contact = in->force.contact[i];
        double force = cd_plot_length(cd_plot_vector(in, in->force.vector, i), in->dim);
        value[in->contact.a[2 * (size_t)contact]] += force;
        value[in->contact.b[2 * (size_t)contact]] += force;
    }
}

static void add_gaps(const cd_model *in, bool overlaps, double *value)
{
    for (int32_t i = 0; i < in->contact.count; i++)
        for (int side = 0; side < 2; side++) {
            double *of = &value[(side ? in->contact.b : in->contact.a)[2 * (size_t)i]], gap = in->contact.gap[i];
            *of = overlaps ? fmax(*of, -gap) : fmin(isnan(*of) ? INFINITY : *of, gap);
        }
}

// ---- names ---------------------------------------------------------------------------------------------------------

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// The least id of the bodies that contacts join, but for those that are held: an island.
static void find_islands(const cd_model *in, cd_arena *arena, double *value)
{
    int32_t *parent = CD_ARENA_ARRAY(arena, int32_t, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        parent[i] = i;
    for (int32_t i = 0; i < in->contact.count; i++) {
        int32_t a = in->contact.a[2 * (size_t)i], b = in->contact.b[2 * (size_t)i];
        if (in->body.motion[a] != CD_MOTION_DYNAMIC || in->body.motion[b] != CD_MOTION_DYNAMIC)
            continue;
        a = root_of(parent, a);
        b = root_of(parent, b);
        if (in->body.id[a] < in->body.id[b])
            parent[b] = a;
        else
            parent[a] = b;
    }
    for (int32_t i = 0; i < in->body.count; i++)
        value[i] = (double)in->body.id[root_of(parent, i)];
}

// Equal texts have equal numbers, whatever the order of bodies.
static void number_groups(const cd_model *in, double *value)
{
    for (int32_t i = 0; i < in->body.count; i++) {
        uint32_t hash = 2166136261u;
        for (const char *c = in->body.group && in->body.group[i] ? in->body.group[i] : ""; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 16777619u;
        value[i] = hash % 7919;
    }
}

// ---- both ----------------------------------------------------------------------------------------------------------

static void find_values(const char *by, const cd_model *in, cd_arena *arena, double *value)
{
    int32_t count = in->body.count;
    bool of_contacts = is(by, "gap");
    for (int32_t i = 0; i < count; i++)
        value[i] = of_contacts ? NAN : 0;
    for (int32_t i = 0; i < count && is(by, "speed"); i++)
        value[i] = cd_plot_length(cd_plot_vector(in, in->body.velocity, i), in->dim);
    for (int32_t i = 0; i < count && is(by, "spin"); i++)
        value[i] = cd_plot_length(in->body.spin + (in->dim == 2 ? 1 : 3) * (size_t)i, in->dim == 2 ? 1 : 3);
    for (int32_t i = 0; i < count && is(by, "mass"); i++)
        value[i] = in->body.mass[i];
    for (int32_t i = 0; i < count && is(by, "id"); i++)
        value[i] = (double)in->body.id[i];
    if (is(by, "force"))
        add_forces(in, value);
    if (of_contacts || is(by, "overlap"))
        add_gaps(in, !of_contacts, value);
    if (is(by, "island"))
        find_islands(in, arena, value);
    if (is(by, "group"))
        number_groups(in, value);
}

const double *cd_plot_tint_values(const char *by, const cd_plot_ask *ask, cd_plot_frame *frame)
{
    const cd_model *in = &frame->in;
    double *value = CD_ARENA_ARRAY(&frame->arena, double, in->body.count);
    find_values(by, in, &frame->arena, value);
    for (int32_t i = 0; i < in->body.count; i++)
        if (in->body.motion[i] == CD_MOTION_FIXED || !isfinite(value[i]) || !cd_plot_takes_part(ask, in, i))
            value[i] = NAN;
    return value;
}

const double *cd_plot_tint_make(const cd_plot_ask *ask, cd_plot_frame *frame, cd_plot_range *range)
{
    const double *value = cd_plot_tint_values(ask->options->color, ask, frame);
    for (int32_t i = 0; i < frame->in.body.count; i++) {
        if (isnan(value[i]))
            continue;
        range->low = fmin(range->low, value[i]);
        range->high = fmax(range->high, value[i]);
    }
    return value;
}

cd_plot_colour cd_plot_tint_fill(const char *by, double value, cd_plot_range range)
{
    if (cd_plot_tint_is_name(by)) {  // lighter than lines of the same palette: outlines and marks stay visible on it
        cd_plot_colour colour = cd_plot_series_colour((int)fmod(fabs(value), 1e6));
        return (cd_plot_colour){0.45 + 0.55 * colour.red, 0.45 + 0.55 * colour.green, 0.45 + 0.55 * colour.blue, 1};
    }
    double part = range.high > range.low ? (value - range.low) / (range.high - range.low) : 0;
    return cd_plot_strain_colour(is(by, "gap") ? 1 - part : part);
}

const char *cd_plot_tint_text(cd_arena *arena, const char *by, double value)
{
    const char *unit = is(by, "speed")   ? "m/s"
                       : is(by, "spin")  ? "rad/s"
                       : is(by, "force") ? "N"
                       : is(by, "mass")  ? "kg"
                                         : "m";
    return cd_arena_printf(arena, "%s %.3g %s", is(by, "gap") ? "least gap" : by, value, unit);
}
