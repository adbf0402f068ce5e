// SPDX-License-Identifier: MIT
#include "plot_ask.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// [px] Width and height of a picture, and pixels of a PNG: 100 million are 400 MB while it is drawn.
enum { LEAST_SIZE = 120, MOST_SIZE = 16384, MOST_PIXELS = 100000000 };

const char *const cd_plot_thing_name[CD_PLOT_THINGS] = {[CD_PLOT_BODIES] = "bodies",
                                                        [CD_PLOT_UNRELEASED] = "unreleased",
                                                        [CD_PLOT_BOUNDS] = "bounds",
                                                        [CD_PLOT_PAIRS] = "pairs",
                                                        [CD_PLOT_CONTACTS] = "contacts",
                                                        [CD_PLOT_NORMALS] = "normals",
                                                        [CD_PLOT_TRIAL] = "trial",
                                                        [CD_PLOT_NEXT] = "next",
                                                        [CD_PLOT_VELOCITIES] = "velocities",
                                                        [CD_PLOT_IDS] = "ids",
                                                        [CD_PLOT_INTERSECTIONS] = "intersections",
                                                        [CD_PLOT_STRAIN] = "strain",
                                                        [CD_PLOT_NODES] = "nodes",
                                                        [CD_PLOT_PINBALLS] = "pinballs",
                                                        [CD_PLOT_SEPARATORS] = "facets",
                                                        [CD_PLOT_FORCES] = "forces",
                                                        [CD_PLOT_CONSTRAINTS] = "constraints"};

// Things of space alone.
#define SPACE_THINGS (1u << CD_PLOT_INTERSECTIONS | 1u << CD_PLOT_SEPARATORS)

// Where things of all bodies still can be told apart: panels; bodies with what their step leads to; with boxes, pairs
// and normals; with contacts.
enum { FEW_PANELS = 4, FEW_BODIES = 30, MANY_BODIES = 100, MOST_BODIES = 3000 };

unsigned cd_plot_usual_things(int panels, int32_t bodies, bool in_space, bool has_contacts)
{
    unsigned things = 1u << CD_PLOT_BODIES | 1u << CD_PLOT_STRAIN | 1u << CD_PLOT_CONTACTS | 1u << CD_PLOT_IDS;
    if (panels <= FEW_PANELS)
        things |= 1u << CD_PLOT_BOUNDS | 1u << CD_PLOT_PAIRS | 1u << CD_PLOT_NORMALS | 1u << CD_PLOT_TRIAL |
                  1u << CD_PLOT_NEXT | SPACE_THINGS;
    if (bodies > FEW_BODIES)
        things &= ~(1u << CD_PLOT_TRIAL | 1u << CD_PLOT_NEXT);
    if (bodies > MANY_BODIES)
        things &= ~(1u << CD_PLOT_BOUNDS | 1u << CD_PLOT_PAIRS | 1u << CD_PLOT_NORMALS);
    if (bodies > MOST_BODIES)
        things &= 1u << CD_PLOT_BODIES | 1u << CD_PLOT_STRAIN;
    if (in_space && bodies > FEW_BODIES)
        things &= ~SPACE_THINGS;
    if (in_space &&
        bodies > MANY_BODIES)  // most are within the heap, and would be seen through all that is before them
        things &= ~(1u << CD_PLOT_CONTACTS);
    if (in_space && has_contacts)
        things &= ~(1u << CD_PLOT_BOUNDS | 1u << CD_PLOT_PAIRS);
    return things;
}

// ---- lists and numbers ---------------------------------------------------------------------------------------------

// "a,b,c" as texts; an empty item is an error.
static cd_status split(cd_ctx *ctx, const char *option, const char *text, const char *const **item, int *count)
{
    int room = 1;
    for (const char *c = text; *c; c++)
        room += *c == ',';
    const char **list = CD_ARENA_ARRAY(&ctx->run, const char *, room);
    *count = 0;
    for (const char *c = text;; c++) {
        const char *end = strchr(c, ',');
        size_t length = end ? (size_t)(end - c) : strlen(c);
        if (length == 0)
            return cd_fail(&ctx->diag, CD_ERR_USAGE, "%s: \"%.80s\": an item of the list is empty", option, text);
        list[(*count)++] = cd_arena_text(&ctx->run, c, length);
        c += length;
        if (!*c)
            break;
    }
    *item = list;
    return CD_OK;
}

static bool read_integer(const char **text, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    bool good = end != *text && errno == 0 && **text != ' ' && **text != '+';
    *text = end;
    return good;
}

static bool read_double(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value) && text[0] != ' ';
}

// ---- options -------------------------------------------------------------------------------------------------------

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

// The place of the one %d or %0Nd in a name; NULL: it has none, or another %.
static const char *number_place(const char *path, int *width, size_t *length)
{
    const char *place = path ? strchr(path, '%') : NULL;
    if (!place || strchr(place + 1, '%'))
        return NULL;
    const char *c = place + 1;
    *width = 0;
    if (*c == '0' && c[1] >= '1' && c[1] <= '9')
        *width = *++c - '0', c++;
    *length = (size_t)(c + 1 - place);
    return *c == 'd' ? place : NULL;
}

const char *cd_plot_numbered_path(cd_arena *arena, const char *path, int64_t number)
{
    int width;
    size_t length;
    const char *place = number_place(path, &width, &length);
    return cd_arena_printf(arena, "%.*s%0*" PRId64 "%s", (int)(place - path), path, width, number, place + length);
}

// Pictures one after another?
static cd_status ask_turns(cd_ctx *ctx, cd_plot_ask *ask)
{
    const cd_plot_options *o = ask->options;
    const char *path = ctx->output_path;
    int width;
    size_t length;
    bool to_stdout = !path || !strcmp(path, "-");
    ask->film = to_stdout || o->format     ? NULL
                : ends_with(path, ".gif")  ? "gif"
                : ends_with(path, ".webm") ? "webm"
                                           : NULL;
    ask->in_turn = !to_stdout && (ask->film || number_place(path, &width, &length));
    if (ask->in_turn && (o->html || o->metric || o->trail || o->histogram))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "-o: %.200s: numbered pictures and films are of frames", path);
    if (ask->in_turn && ask->svg && ask->png)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "-o: %.200s: numbered pictures have one format", path);
    if (o->rate != CD_PLOT_RATE && !ask->film)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--rate: only of films, -o NAME.gif or NAME.webm");
    return CD_OK;
}

static cd_status ask_format(cd_ctx *ctx, cd_plot_ask *ask)
{
    const char *format = ask->options->format, *path = ctx->output_path;
    bool to_stdout = !path || !strcmp(path, "-");
    if (ctx->output_is_json || ctx->output_is_binary)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "%s: a picture is not a stream: use --format",
                       ctx->output_is_json ? "-j" : "-b");
    if (ask->options->html) {
        if (format)
            return cd_fail(&ctx->diag, CD_ERR_USAGE, "--format: a page is neither svg nor png");
    } else if (format) {
        const char *const *item;
        int count;
        CD_TRY(split(ctx, "--format", format, &item, &count));
        for (int i = 0; i < count; i++) {
            ask->svg |= !strcmp(item[i], "svg");
            ask->png |= !strcmp(item[i], "png");
            if (strcmp(item[i], "svg") != 0 && strcmp(item[i], "png") != 0)
                return cd_fail(&ctx->diag, CD_ERR_USAGE, "--format: \"%.80s\" is not svg or png", item[i]);
        }
    } else if (to_stdout || ends_with(path, ".svg")) {
        ask->svg = true;
    } else if (ends_with(path, ".png") || ends_with(path, ".gif") || ends_with(path, ".webm")) {
        ask->png = true;
    } else {
        return cd_fail(&ctx->diag, CD_ERR_USAGE,
                       "-o: %.200s: the name does not end in .svg, .png, .gif or .webm: say which with --format", path);
    }
    if (ask->svg && ask->png && to_stdout)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--format: two pictures need names: use -o NAME");
    if (ask->png && to_stdout && isatty(STDOUT_FILENO))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "a PNG is not written to a terminal: use -o FILE");
    return CD_OK;
}

static cd_status ask_size(cd_ctx *ctx, cd_plot_ask *ask)
{
    const char *text = ask->options->size;
    if (!text)
        return CD_OK;
    const char *c = text;
    int64_t width, height;
    bool good = read_integer(&c, &width) && *c++ == 'x' && read_integer(&c, &height) && !*c;
    if (!good)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--size: \"%.80s\" is not of the form 800x600", text);
    if (width < LEAST_SIZE || height < LEAST_SIZE || width > MOST_SIZE || height > MOST_SIZE)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--size: \"%.80s\": sides are %d to %d", text, LEAST_SIZE, MOST_SIZE);
    if (ask->png && (double)width * (double)height * ask->scale * ask->scale > MOST_PIXELS)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--size: \"%.80s\": a PNG has at most %d pixels", text, MOST_PIXELS);
    ask->width = (int)width;
    ask->height = (int)height;
    return CD_OK;
}

// BOX in the plane; NAME or X,Y,Z in space, with or without a BOX after it.
static cd_status ask_view(cd_ctx *ctx, cd_plot_ask *ask)
{
    const char *text = ask->options->view;
    if (!text)
        return CD_OK;
    const char *const *item;
    int count;
    CD_TRY(split(ctx, "--view", text, &item, &count));
    bool named = cd_plot_camera_named(item[0], &ask->direction);
    int of_direction = named ? 1 : count == 3 || count == 7 ? 3 : 0;
    double v[7];
    bool good = count == of_direction || count == of_direction + 4;
    for (int i = named; i < count && good; i++)
        good = read_double(item[i], &v[i]);
    if (!good)
        return cd_fail(&ctx->diag, CD_ERR_USAGE,
                       "--view: \"%.80s\" is not of the form XMIN,YMIN,XMAX,YMAX, nor X,Y,Z or front, side, top, iso "
                       "with or without these",
                       text);
    ask->has_direction = of_direction > 0;
    if (of_direction == 3) {
        ask->direction = (cd_vec3){v[0], v[1], v[2]};
        if (v[0] == 0 && v[1] == 0 && v[2] == 0)
            return cd_fail(&ctx->diag, CD_ERR_USAGE, "--view: \"%.80s\": 0,0,0 is no direction", text);
    }
    if (count == of_direction)
        return CD_OK;
    const double *box = v + of_direction;
    if (!(box[0] < box[2] && box[1] < box[3]))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--view: \"%.80s\": the maximum is not above the minimum", text);
    ask->has_view = true;
    ask->view =
        (cd_plot_box){{cd_plot_clamp(box[0]), cd_plot_clamp(box[1])}, {cd_plot_clamp(box[2]), cd_plot_clamp(box[3])}};
    return CD_OK;
}

static cd_status ask_frames(cd_ctx *ctx, cd_plot_ask *ask)
{
    const char *text = ask->options->frames;
    ask->last_frame = !text;
    ask->chooses_frames = text != NULL;
    if (!text)
        return CD_OK;
    const char *const *item;
    int count;
    CD_TRY(split(ctx, "--frames", text, &item, &count));
    for (int i = 0; i < count; i++) {
        cd_frame_range range;
        CD_TRY(cd_frame_range_parse(item[i], &range, &ctx->diag));
        if (range.only_last) {
            ask->last_frame = true;
            continue;
        }
        if (ask->range_count == CD_PLOT_RANGES)
            return cd_fail(&ctx->diag, CD_ERR_USAGE, "--frames: more than %d ranges", CD_PLOT_RANGES);
        ask->range[ask->range_count++] = range;
    }
    return CD_OK;
}

static cd_status ask_show(cd_ctx *ctx, cd_plot_ask *ask)
{
    const char *text = ask->options->show;
    if (!text)
        return CD_OK;
    const char *const *item;
    int count;
    CD_TRY(split(ctx, "--show", text, &item, &count));
    ask->show_is_whole = item[0][0] != '+' && item[0][0] != '-';
    for (int i = 0; i < count; i++) {
        const char *name = item[i] + (item[i][0] == '+' || item[i][0] == '-');
        int thing = 0;
        while (thing < CD_PLOT_THINGS && strcmp(name, cd_plot_thing_name[thing]) != 0)
            thing++;
        bool is_all = !strcmp(name, "all");
        if (thing == CD_PLOT_THINGS && !is_all)
            return cd_fail(
                &ctx->diag, CD_ERR_USAGE,
                "--show: \"%.80s\" is not one of bodies, unreleased, bounds, pairs, contacts, normals, trial, next, "
                "velocities, ids, intersections, strain, nodes, pinballs, facets, forces, constraints, all",
                name);
        if (thing == CD_PLOT_CONSTRAINTS && !ask->options->html)
            return cd_fail(&ctx->diag, CD_ERR_USAGE, "--show: %s: only with --html", name);
        unsigned bits = is_all ? (1u << CD_PLOT_THINGS) - 1 : 1u << thing;
        bool adds = item[i][0] != '-';
        if (adds && !is_all && (bits & SPACE_THINGS) && !ask->space_thing)
            ask->space_thing = cd_plot_thing_name[thing];
        ask->show_more = adds ? ask->show_more | bits : ask->show_more & ~bits;
        ask->show_less = adds ? ask->show_less & ~bits : ask->show_less | bits;
        if (bits >> CD_PLOT_IDS & 1)
            ask->ids_wanted = adds;
    }
    return CD_OK;
}

void cd_plot_ask_panels(cd_plot_ask *ask, int panels, int32_t bodies, bool has_contacts)
{
    bool in_space = ask->camera.dim == 3;
    unsigned usual = ask->show_is_whole ? 0 : cd_plot_usual_things(panels, bodies, in_space, has_contacts);
    if (strcmp(ask->options->color, "motion") != 0)
        usual &= ~(1u << CD_PLOT_STRAIN);
    ask->show = (usual | ask->show_more) & ~ask->show_less;
    if (!in_space)
        ask->show &= ~SPACE_THINGS;
}

cd_status cd_plot_ask_dim(cd_plot_ask *ask, int dim, cd_diag *diag)
{
    const char *view = ask->options->view;
    if (dim == 2) {
        ask->camera = cd_plot_camera_plane();
        ask->opacity = 1;
        if (ask->has_direction)
            return cd_fail(diag, CD_ERR_USAGE, "--view: \"%.80s\": the stream is of the plane, which takes a box alone",
                           view);
        if (!isnan(ask->options->opacity))
            return cd_fail(diag, CD_ERR_USAGE, "--opacity: only for streams in space");
        if (ask->space_thing)
            return cd_fail(diag, CD_ERR_USAGE, "--show: %s: only of streams in space", ask->space_thing);
        return CD_OK;
    }
    if (ask->has_view && !ask->has_direction)
        return cd_fail(diag, CD_ERR_USAGE,
                       "--view: \"%.80s\": the stream is in space: a direction must come first, as in front,%.80s",
                       view, view);
    cd_vec3 direction = ask->direction;
    if (!ask->has_direction)
        cd_plot_camera_named("iso", &direction);
    ask->camera = cd_plot_camera_from(direction);
    ask->opacity = ask->options->opacity;
    return CD_OK;
}

static int compare_ids(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

static cd_status ask_bodies(cd_ctx *ctx, cd_plot_ask *ask)
{
    if (!ask->options->bodies)
        return CD_OK;
    const char *const *item;
    CD_TRY(split(ctx, "--bodies", ask->options->bodies, &item, &ask->body_count));
    int64_t *id = CD_ARENA_ARRAY(&ctx->run, int64_t, ask->body_count);
    for (int i = 0; i < ask->body_count; i++) {
        const char *c = item[i];
        if (!read_integer(&c, &id[i]) || *c)
            return cd_fail(&ctx->diag, CD_ERR_USAGE, "--bodies: \"%.80s\" is not the id of a body", item[i]);
    }
    qsort(id, (size_t)ask->body_count, sizeof *id, compare_ids);
    int kept = 0;
    for (int i = 0; i < ask->body_count; i++)
        if (kept == 0 || id[kept - 1] != id[i])
            id[kept++] = id[i];
    ask->body = id;
    ask->body_count = kept;
    ask->body_met = CD_ARENA_ZARRAY(&ctx->run, bool, ask->body_count);
    return CD_OK;
}

static const int64_t *find_body(const cd_plot_ask *ask, int64_t id)
{
    return bsearch(&id, ask->body, (size_t)ask->body_count, sizeof id, compare_ids);
}

void cd_plot_ask_note_bodies(cd_plot_ask *ask, const cd_body_rows *bodies)
{
    for (int32_t i = 0; i < bodies->count && ask->body; i++) {
        const int64_t *found = find_body(ask, bodies->id[i]);
        if (found)
            ask->body_met[found - ask->body] = true;
    }
}

cd_status cd_plot_ask_check_bodies(const cd_plot_ask *ask, cd_diag *diag)
{
    for (int i = 0; i < ask->body_count; i++)
        if (!ask->body_met[i])
            return cd_fail(diag, CD_ERR_USAGE, "--bodies: no frame that is drawn has a body %" PRId64, ask->body[i]);
    return CD_OK;
}

// Kinds of pictures; without a word of the others, frames.
enum { OF_FRAMES = 1, OF_TRAILS = 2, OF_METRICS = 4, OF_HISTOGRAMS = 8, OF_PAGES = 16, OF_PICTURES = 15 };

// Options that belong to some kinds of pictures are refused with others: they would be without effect.
static cd_status check_kind(cd_ctx *ctx, const cd_plot_options *o)
{
    const struct {
        const char *option;
        bool given;
        int kinds;
    } rule[] = {
        {"--trail", o->trail, OF_FRAMES | OF_TRAILS},
        {"--frames", o->frames != NULL, OF_FRAMES | OF_TRAILS | OF_HISTOGRAMS | OF_PAGES},
        {"--show", o->show != NULL, OF_FRAMES | OF_PAGES},
        {"--view", o->view != NULL, OF_FRAMES | OF_TRAILS},
        {"--bodies", o->bodies != NULL, OF_FRAMES | OF_TRAILS | OF_HISTOGRAMS},
        {"--color", strcmp(o->color, "motion") != 0, OF_FRAMES | OF_PAGES},
        {"--opacity", !isnan(o->opacity), OF_FRAMES},
        {"--band", o->band != NULL, OF_METRICS},
        {"--log-x", o->log_x, OF_HISTOGRAMS},
        {"--log-y", o->log_y, OF_METRICS | OF_HISTOGRAMS},
        {"--bins", o->bins > 0, OF_HISTOGRAMS},
        {"--markers", strcmp(o->markers, "auto") != 0, OF_METRICS},
        {"--x-label", o->x_label != NULL, OF_METRICS | OF_HISTOGRAMS},
        {"--y-label", o->y_label != NULL, OF_METRICS | OF_HISTOGRAMS},
        {"--metric", o->metric != NULL, OF_FRAMES | OF_TRAILS | OF_METRICS},
        {"--histogram", o->histogram != NULL, OF_HISTOGRAMS},
        {"--size", o->size != NULL, OF_PICTURES},
        {"--scale", o->scale != 1, OF_PICTURES},
    };
    int kind = o->html        ? OF_PAGES
               : o->metric    ? OF_METRICS
               : o->trail     ? OF_TRAILS
               : o->histogram ? OF_HISTOGRAMS
                              : OF_FRAMES;
    for (size_t i = 0; i < sizeof rule / sizeof rule[0]; i++)
        if (rule[i].given && !(rule[i].kinds & kind))
            return cd_fail(&ctx->diag, CD_ERR_USAGE, "%s: does not go with %s", rule[i].option,
                           kind == OF_PAGES             ? "--html"
                           : kind == OF_METRICS         ? "--metric"
                           : kind == OF_TRAILS          ? "--trail"
                           : kind == OF_HISTOGRAMS      ? "--histogram"
                           : rule[i].kinds & OF_METRICS ? "pictures of frames, only with --metric"
                                                        : "pictures of frames, only with --histogram");
    if (o->html && ctx->operand_count > 1)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--html: a page holds one stream");
    return CD_OK;
}

cd_status cd_plot_ask_make(cd_ctx *ctx, const cd_plot_options *options, cd_plot_ask *ask)
{
    *ask = (cd_plot_ask){.options = options, .scale = options->scale};
    CD_TRY(check_kind(ctx, options));
    CD_TRY(ask_format(ctx, ask));
    CD_TRY(ask_turns(ctx, ask));
    CD_TRY(ask_size(ctx, ask));
    CD_TRY(ask_view(ctx, ask));
    CD_TRY(ask_frames(ctx, ask));
    CD_TRY(ask_show(ctx, ask));
    CD_TRY(ask_bodies(ctx, ask));
    if (options->metric)
        CD_TRY(split(ctx, "--metric", options->metric, &ask->metric, &ask->metric_count));
    if (options->band) {
        CD_TRY(split(ctx, "--band", options->band, &ask->band, &ask->band_count));
        if (ask->band_count != 2)
            return cd_fail(&ctx->diag, CD_ERR_USAGE, "--band: \"%.80s\" is not two metrics LOW,HIGH", options->band);
    }
    if (options->labels) {
        CD_TRY(split(ctx, "--label", options->labels, &ask->label, &ask->label_count));
        if (ask->label_count != cd_plot_stream_count(ctx))
            return cd_fail(&ctx->diag, CD_ERR_USAGE, "--label: %d labels for %d streams", ask->label_count,
                           cd_plot_stream_count(ctx));
    }
    return CD_OK;
}

bool cd_plot_ask_has_frame(const cd_plot_ask *ask, int64_t index)
{
    for (int i = 0; i < ask->range_count; i++)
        if (cd_frame_range_has(&ask->range[i], index))
            return true;
    return false;
}

bool cd_plot_ask_has_body(const cd_plot_ask *ask, int64_t id) { return !ask->body || find_body(ask, id); }

const char *cd_plot_stream_label(cd_ctx *ctx, const cd_plot_ask *ask, int stream)
{
    if (ask->label)
        return ask->label[stream];
    const char *path = stream < ctx->operand_count ? ctx->operand[stream] : "-";
    if (!strcmp(path, "-"))
        return "stdin";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *dot = strrchr(name, '.');
    return cd_arena_text(&ctx->run, name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}
