// cd-plot -- pictures of streams: frames, trails of bodies, metrics over time, histograms. Reads: any stream. Writes:
// SVG, PNG.
// SPDX-License-Identifier: MIT
#include "plot_ask.h"
#include "plot_histogram.h"
#include "plot_page.h"
#include "plot_panels.h"
#include "plot_series.h"
#include "plot_tint.h"

#include <math.h>

static const char *const markers[] = {"auto", "on", "off", NULL};
static cd_plot_options opt = {
    .color = "motion", .markers = "auto", .scale = 1, .rate = CD_PLOT_RATE, .opacity = NAN, .outlines = 12};

static const cd_option option_table[] = {
    CD_OPT_TEXT(0, "format", &opt.format, "LIST", "svg, png or svg,png (default: by the suffix of -o, else svg)"),
    CD_OPT_TEXT(0, "size", &opt.size, "WxH", "size of the picture [px] (default: made to fit)"),
    CD_OPT_DOUBLE(0, "scale", &opt.scale, "FACTOR", 0.1, 8, "pixels of a PNG for each px of the size"),
    CD_OPT_TEXT(0, "title", &opt.title, "TEXT", "above the picture; ^{2} is raised, here and in the other texts"),
    CD_OPT_TEXT(0, "label", &opt.labels, "LIST", "names of the streams (default: of their files)"),
    CD_OPT_FLAG(0, "html", &opt.html,
                "instead of a picture a page: frames to play, to turn and to look into, without a network"),
    CD_OPT_HEADING("Frames:"),
    CD_OPT_TEXT(0, "frames", &opt.frames, "LIST",
                "frames by index: \"last\" (default), N, A:B, A:B:STEP, a panel each"),
    CD_OPT_TEXT(0, "show", &opt.show, "LIST",
                "what is drawn; with + or - in front: added to or taken from the default"),
    CD_OPT_TEXT(0, "view", &opt.view, "VIEW",
                "xmin,ymin,xmax,ymax [m] (default: all); in space front, side, top, iso or x,y,z, and [,box]"),
    CD_OPT_DOUBLE(0, "opacity", &opt.opacity, "PART", 0, 1,
                  "of bodies in space (default: 1; where contacts are shown, less)"),
    CD_OPT_CHOICE(0, "color", &opt.color, cd_plot_tint_names, "what the colour of bodies tells"),
    CD_OPT_TEXT(0, "bodies", &opt.bodies, "LIST", "only these bodies, by id, and what belongs to them"),
    CD_OPT_DOUBLE(0, "rate", &opt.rate, "RATE", 0.1, 100, "[1/s] frames a second of a film, -o NAME.gif or NAME.webm"),
    CD_OPT_HEADING("Trails:"),
    CD_OPT_FLAG(0, "trail", &opt.trail, "outlines and paths of moving bodies over all frames, a colour a stream"),
    CD_OPT_INT(0, "outlines", &opt.outlines, "N", 1, 1000, "outlines of each body, spread evenly over the frames"),
    CD_OPT_HEADING("Metrics over time:"),
    CD_OPT_TEXT(0, "metric", &opt.metric, "LIST", "line plot of metrics: NAME or TOOL:NAME"),
    CD_OPT_TEXT(0, "band", &opt.band, "LOW,HIGH", "shade between two metrics of each stream (quartiles)"),
    CD_OPT_CHOICE(0, "markers", &opt.markers, markers, "marks at the points; auto: when they are few"),
    CD_OPT_HEADING("Histograms:"),
    CD_OPT_TEXT(0, "histogram", &opt.histogram, "WHAT",
                "of bodies speed, spin, mass; of contacts force, gap, overlap; or a metric"),
    CD_OPT_INT(0, "bins", &opt.bins, "N", 0, 1000, "equal bins from the least to the largest value; 0: as they need"),
    CD_OPT_FLAG(0, "log-x", &opt.log_x, "logarithmic x axis and bins; values that are not above 0 are left out"),
    CD_OPT_HEADING("Axes of metrics and histograms:"),
    CD_OPT_FLAG(0, "log-y", &opt.log_y, "logarithmic y axis; metrics that are 0 stand at a line of their own"),
    CD_OPT_TEXT(0, "x-label", &opt.x_label, "TEXT", "name of the x axis (default: time [s], or what is counted)"),
    CD_OPT_TEXT(0, "y-label", &opt.y_label, "TEXT", "name of the y axis (default: the metric, or the counts)"),
    CD_OPT_END};

static void list_things(cd_buffer *out)
{
    cd_buffer_text(out, "--show:");
    for (int i = 0; i < CD_PLOT_THINGS; i++)
        cd_buffer_printf(out, " %s%s", cd_plot_thing_name[i], i + 1 < CD_PLOT_THINGS ? "," : ", or all\n");
}

static cd_status run(cd_ctx *ctx)
{
    cd_plot_ask *ask = cd_arena_alloc(&ctx->run, sizeof *ask);
    CD_TRY(cd_plot_ask_make(ctx, &opt, ask));
    return opt.html        ? cd_plot_page(ctx, ask)
           : opt.metric    ? cd_plot_lines_picture(ctx, ask)
           : opt.trail     ? cd_plot_trail_picture(ctx, ask)
           : opt.histogram ? cd_plot_histogram_picture(ctx, ask)
           : ask->in_turn  ? cd_plot_sequence(ctx, ask)
                           : cd_plot_frames_picture(ctx, ask);
}

int main(int argc, char **argv)
{
    return cd_filter_main(
        argc, argv,
        &(cd_filter){.name = "cd-plot",
                     .summary = "Draw streams: frames, trails of bodies, metrics over time, histograms; or a page.",
                     .synopsis = "[FILE...]",
                     .help = list_things,
                     .example =
                         "cd-plot --frames 0:300:60 -o pile.svg pile.cdb\n"
                         "cd-plot --html -o pile.html pile.cdb\n"
                         "cd-plot --histogram speed -o speeds.svg pile.cdb\n"
                         "cd-plot --metric overlap --log-y --label standard,peg -o overlap.png standard.cdb peg.cdb",
                     .options = option_table,
                     .max_operands = CD_PLOT_STREAMS,
                     .run = run});
}
