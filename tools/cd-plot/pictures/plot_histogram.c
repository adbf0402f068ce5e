// SPDX-License-Identifier: MIT
#include "plot_histogram.h"

#include "plot_bins.h"
#include "plot_chart.h"
#include "plot_panels.h"
#include "plot_series.h"
#include "plot_tint.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- what is counted -----------------------------------------------------------------------------------------------

typedef enum quantity_of { OF_BODIES, OF_CONTACTS, OF_METRIC } quantity_of;

typedef struct quantity {
    const char *word, *unit;  // unit NULL: as its tool says
    quantity_of of;
} quantity;

static const quantity quantities[] = {{"speed", "m/s", OF_BODIES}, {"spin", "rad/s", OF_BODIES},
                                      {"mass", "kg", OF_BODIES},   {"force", "N", OF_CONTACTS},
                                      {"gap", "m", OF_CONTACTS},   {"overlap", "m", OF_CONTACTS}};
enum { QUANTITIES = sizeof quantities / sizeof quantities[0] };

static quantity find_quantity(const char *word)
{
    for (int i = 0; i < QUANTITIES; i++)
        if (!strcmp(word, quantities[i].word))
            return quantities[i];
    return (quantity){word, NULL, OF_METRIC};
}

typedef struct value_list {
    double *value;
    int64_t count, capacity;
    int64_t start;  // of the values of the frame read last
} value_list;

static void add_value(value_list *list, double value)
{
    if (list->count == list->capacity) {
        list->capacity = list->capacity ? 2 * list->capacity : 256;
        list->value = cd_realloc(list->value, (size_t)list->capacity * sizeof(double));
    }
    list->value[list->count++] = cd_plot_clamp(value);
}

// Values of one stream.
typedef struct sample {
    const char *label;
    value_list of_frames, of_pairs;  // metrics alone have values of pairs
    const value_list *shown;         // one of them, ascending, above 0 where the axis is logarithmic
    int64_t all;                     // with those that are not above 0
    int64_t *held;                   // by bin
} sample;

typedef struct histogram {
    cd_ctx *ctx;
    cd_plot_ask *ask;
    quantity what;
    sample *sample;  // a stream each
    int count;
    cd_plot_bins bins;
    cd_plot_chart chart;
    // of the stream that is read
    sample *reading;
    int64_t frames;
    double time;             // [s] of the frame before
    bool before_is_passing;  // it stands until a later frame replaces it: --frames last
    const char *tool;        // who wrote the metric
    cd_plot_metric_names *names;
} histogram;

// ---- reading -------------------------------------------------------------------------------------------------------

static bool is_chosen(const histogram *h, const cd_frame_rows *frame)
{
    return !h->ask->chooses_frames || cd_plot_ask_has_frame(h->ask, frame->index[0]);
}

static bool wants_frame(void *self, const cd_frame_rows *frame)
{
    const histogram *h = self;
    return h->ask->last_frame || is_chosen(h, frame);
}

// A repeated frame (trials, rounds) has the time of the frame before it, and counts instead of it.
static void begin_frame(histogram *h, const cd_frame_rows *frame)
{
    bool replaces = h->before_is_passing || (h->frames > 0 && frame->time[0] == h->time);
    value_list *lists[] = {&h->reading->of_frames, &h->reading->of_pairs};
    for (int i = 0; i < 2; i++) {
        if (replaces)
            lists[i]->count = lists[i]->start;
        lists[i]->start = lists[i]->count;
    }
    h->time = frame->time[0];
    h->before_is_passing = !is_chosen(h, frame);
    h->frames++;
}

static void take_bodies(histogram *h, cd_plot_frame *frame)
{
    const double *value = cd_plot_tint_values(h->what.word, h->ask, frame);
    for (int32_t i = 0; i < frame->in.body.count; i++)
        if (!isnan(value[i]))
            add_value(&h->reading->of_frames, value[i]);
}

static void take_contacts(histogram *h, const cd_model *in)
{
    const cd_contact_rows *contact = &in->contact;
    bool is_force = !strcmp(h->what.word, "force"), is_gap = !strcmp(h->what.word, "gap");
    int32_t count = is_force ? in->force.count : contact->count;
    for (int32_t i = 0; i < count; i++) {
        int32_t row = is_force ? in->force.contact[i] : i;
        if (!cd_plot_has_both(h->ask, in, contact->a, contact->b, row) || cd_plot_is_deleted(contact, row))
            continue;
        if (is_force)
            add_value(&h->reading->of_frames, cd_plot_length(cd_plot_vector(in, in->force.vector, i), in->dim));
        else if (is_gap)
            add_value(&h->reading->of_frames, contact->gap[row]);
        else if (contact->gap[row] < 0)
            add_value(&h->reading->of_frames, -contact->gap[row]);
    }
}

static cd_status take_metrics(histogram *h, const cd_model *in)
{
    const cd_metric_rows *metric = &in->metric;
    for (int32_t i = 0; i < metric->count; i++) {
        cd_plot_metric_note(h->names, metric->tool[i], metric->name[i]);
        if (!cd_plot_metric_matches(h->what.word, metric->tool[i], metric->name[i]))
            continue;
        CD_TRY(cd_plot_metric_of_one(h->ctx, metric, i, "--histogram", &h->tool));
        bool has_a = metric->a && metric->a[i] >= 0, has_b = metric->b && metric->b[i] >= 0;
        if ((has_a && !cd_plot_ask_has_body(h->ask, in->body.id[metric->a[i]])) ||
            (has_b && !cd_plot_ask_has_body(h->ask, in->body.id[metric->b[i]])))
            continue;
        add_value(has_a || has_b ? &h->reading->of_pairs : &h->reading->of_frames, metric->value[i]);
    }
    return CD_OK;
}

static cd_status take_frame(void *self, cd_ctx *ctx, cd_plot_frame *frame, bool *taken)
{
    (void)ctx, (void)taken;
    histogram *h = self;
    cd_plot_ask_note_bodies(h->ask, &frame->in.body);
    begin_frame(h, &frame->in.frame);
    if (h->what.of == OF_METRIC)
        return take_metrics(h, &frame->in);
    if (h->what.of == OF_BODIES)
        take_bodies(h, frame);
    else
        take_contacts(h, &frame->in);
    return CD_OK;
}

static cd_status read_streams(histogram *h)
{
    static const uint64_t tables[] = {[OF_BODIES] = CD_BIT(body),
                                      [OF_CONTACTS] = CD_BIT(body) | CD_BIT(contact) | CD_BIT(force),
                                      [OF_METRIC] = CD_BIT(body) | CD_BIT(metric)};
    for (; h->count < cd_plot_stream_count(h->ctx);) {
        h->reading = &h->sample[h->count];
        h->reading->label = cd_plot_stream_label(h->ctx, h->ask, h->count);
        h->frames = 0;
        h->before_is_passing = false;
        h->tool = NULL;
        const cd_plot_reading reading = {
            .tables = tables[h->what.of], .wants = wants_frame, .each = take_frame, .self = h};
        h->count++;
        CD_TRY(cd_plot_read(h->ctx, h->count - 1, &reading));
        if (h->frames == 0)
            return cd_plot_no_frames(h->ctx, h->ask, h->count - 1);
    }
    return cd_plot_ask_check_bodies(h->ask, &h->ctx->diag);
}

// ---- counting ------------------------------------------------------------------------------------------------------

static int compare_values(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static cd_status no_values(const histogram *h, int64_t all)
{
    cd_ctx *ctx = h->ctx;
    if (all > 0)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--log-x: no value of %.80s is above 0", h->what.word);
    if (h->what.of == OF_METRIC)
        return cd_plot_metric_unknown(ctx, h->names, "--histogram", h->what.word);
    return cd_fail(&ctx->diag, CD_ERR_USAGE, "--histogram: %s: the frames have none: no %s", h->what.word,
                   h->what.of == OF_BODIES            ? "body that moves takes part"
                   : !strcmp(h->what.word, "force")   ? "force of a contact"
                   : !strcmp(h->what.word, "overlap") ? "contact with a gap below 0"
                                                      : "contact");
}

// Values in ascending order; those that have no logarithm are dropped where one is needed.
static void sort_sample(sample *s, value_list *list, bool logarithmic)
{
    s->all = list->count;
    int64_t kept = 0;
    for (int64_t i = 0; i < list->count; i++)
        if (!logarithmic || list->value[i] > 0)
            list->value[kept++] = list->value[i];
    list->count = kept;
    if (kept > 0)
        qsort(list->value, (size_t)kept, sizeof(double), compare_values);
    s->shown = list;
}

static cd_status fill_bins(histogram *h)
{
    bool logarithmic = h->ask->options->log_x, has_pairs = false;
    for (int i = 0; i < h->count; i++)
        has_pairs = has_pairs || h->sample[i].of_pairs.count > 0;
    value_list pooled = {0};
    int64_t all = 0;
    for (int i = 0; i < h->count; i++) {
        sample *s = &h->sample[i];
        sort_sample(s, has_pairs ? &s->of_pairs : &s->of_frames, logarithmic);
        all += s->all;
        for (int64_t k = 0; k < s->shown->count; k++)
            add_value(&pooled, s->shown->value[k]);
    }
    cd_status status = CD_OK;
    if (pooled.count == 0) {
        status = no_values(h, all);
    } else {
        qsort(pooled.value, (size_t)pooled.count, sizeof(double), compare_values);
        h->bins = cd_plot_bins_make(&h->ctx->run, pooled.value, pooled.count, (int)h->ask->options->bins, logarithmic);
    }
    cd_free(pooled.value);
    for (int i = 0; i < h->count && status == CD_OK; i++) {
        sample *s = &h->sample[i];
        s->held = CD_ARENA_ZARRAY(&h->ctx->run, int64_t, h->bins.count);
        cd_plot_bins_add(&h->bins, s->shown->value, s->shown->count, s->held);
        if (s->shown->count == 0)
            cd_warn(h->ctx, "%s: has no value of %s to show", s->label, h->what.word);
    }
    return status;
}

// What is counted, as the y axis and the key call it.
static const char *counted(const histogram *h)
{
    return h->what.of == OF_BODIES                        ? "bodies"
           : h->what.of == OF_CONTACTS                    ? "contacts"
           : h->sample[0].shown == &h->sample[0].of_pairs ? "pairs"
                                                          : "frames";
}

// ---- picture -------------------------------------------------------------------------------------------------------

static void make_axes(histogram *h)
{
    const cd_plot_options *o = h->ask->options;
    cd_plot_chart *chart = &h->chart;
    double first = h->bins.edge[0], last = h->bins.edge[h->bins.count], most = 1;
    for (int i = 0; i < h->count; i++)
        for (int k = 0; k < h->bins.count; k++)
            most = fmax(most, (double)h->sample[i].held[k]);
    chart->x = o->log_x ? cd_plot_axis_log(first, last, false, cd_plot_chart_x_ticks(chart))
                        : cd_plot_axis_linear(first, last, 0.01, cd_plot_chart_x_ticks(chart));
    int ticks = cd_plot_chart_y_ticks(chart);
    if (o->log_y) {
        chart->y = cd_plot_axis_log(1, most, false, ticks);
        chart->y.low = -0.3;            // half a count: a bin that holds one stands above one that holds none,
        chart->y.floor = chart->y.low;  // which lies on the axis
    } else {
        chart->y = cd_plot_axis_linear(0, most, 0.04, (int)fmin(ticks, most));
        chart->y.low = 0;
    }
}

static void make_names(histogram *h)
{
    const cd_plot_options *o = h->ask->options;
    cd_arena *arena = &h->ctx->run;
    const char *unit = h->what.unit;
    h->chart.x_name = o->x_label ? o->x_label
                      : unit     ? cd_arena_printf(arena, "%s [%s]", h->what.word, unit)
                                 : h->what.word;
    const char *of = o->log_x ? h->bins.width == 1 ? " decade" : " decades" : unit ? " " : "";
    const char *width = cd_arena_printf(arena, "%.4g%s%s", h->bins.width, of, o->log_x || !unit ? "" : unit);
    h->chart.y_name = o->y_label ? o->y_label : cd_arena_printf(arena, "%s in each bin of %s", counted(h), width);
}

static void make_key(histogram *h)
{
    cd_arena *arena = &h->ctx->run;
    cd_plot_key_entry *key = CD_ARENA_ZARRAY(arena, cd_plot_key_entry, h->count);
    for (int i = 0; i < h->count; i++) {
        const sample *s = &h->sample[i];
        int64_t shown = s->shown->count;
        const char *text = shown == s->all ? cd_arena_printf(arena, "%" PRId64 " %s", shown, counted(h))
                                           : cd_arena_printf(arena, "%" PRId64 " of %" PRId64 " %s, those above 0",
                                                             shown, s->all, counted(h));
        cd_plot_colour colour = cd_plot_series_colour(i);
        key[i] = (cd_plot_key_entry){
            .swatch = CD_PLOT_SWATCH_AREA,
            .text = h->count > 1 || h->ask->label ? cd_arena_printf(arena, "%s: %s", s->label, text) : text,
            .stroke = colour,
            .fill = cd_plot_fade(colour, 0.25),
            .dash = i / 7 % CD_PLOT_DASHES,
            .marker = -1};
    }
    h->chart.key = key;
    h->chart.key_count = h->count;
}

// From the axis up and along the tops of all bins, and down to the axis.
static void draw_sample(const histogram *h, cd_canvas *canvas, int number)
{
    const cd_plot_bins *bins = &h->bins;
    cd_canvas_line(canvas, cd_plot_chart_place(&h->chart, bins->edge[0], 0));
    for (int k = 0; k < bins->count; k++) {
        double held = (double)h->sample[number].held[k];
        cd_canvas_line(canvas, cd_plot_chart_place(&h->chart, bins->edge[k], held));
        cd_canvas_line(canvas, cd_plot_chart_place(&h->chart, bins->edge[k + 1], held));
    }
    cd_canvas_line(canvas, cd_plot_chart_place(&h->chart, bins->edge[bins->count], 0));
    cd_canvas_source(canvas, h->chart.key[number].fill);
    cd_canvas_fill_keep(canvas);
    cd_plot_dash(canvas, h->chart.key[number].dash);
    cd_plot_stroke(canvas, h->chart.key[number].stroke, 1.4);
}

static void draw(cd_canvas *canvas, void *argument)
{
    const histogram *h = argument;
    cd_plot_chart_draw_axes(canvas, &h->chart);
    for (int i = 0; i < h->count; i++)
        if (h->sample[i].shown->count > 0)
            draw_sample(h, canvas, i);
    cd_plot_chart_draw_texts(canvas, &h->chart);
}

static cd_status make_picture(histogram *h)
{
    h->chart = cd_plot_chart_start(h->ask);
    make_axes(h);
    make_names(h);
    make_key(h);
    CD_TRY(cd_plot_chart_lay_out(&h->chart, &h->ctx->diag));
    return cd_plot_write(
        h->ctx, h->ask,
        (cd_canvas_picture){.width = h->chart.width, .height = h->chart.height, .draw = draw, .argument = h});
}

cd_status cd_plot_histogram_picture(cd_ctx *ctx, cd_plot_ask *ask)
{
    histogram h = {.ctx = ctx,
                   .ask = ask,
                   .what = find_quantity(ask->options->histogram),
                   .sample = CD_ARENA_ZARRAY(&ctx->run, sample, cd_plot_stream_count(ctx)),
                   .names = CD_ARENA_ZARRAY(&ctx->run, cd_plot_metric_names, 1)};
    cd_status status = read_streams(&h);
    if (status == CD_OK)
        status = fill_bins(&h);
    if (status == CD_OK)
        status = make_picture(&h);
    for (int i = 0; i < h.count; i++) {
        cd_free(h.sample[i].of_frames.value);
        cd_free(h.sample[i].of_pairs.value);
    }
    return status;
}
