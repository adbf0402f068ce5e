// plot_ask -- what the user asked of a picture, and its texts taken apart and checked.
// SPDX-License-Identifier: MIT
#ifndef PLOT_ASK_H
#define PLOT_ASK_H

#include "cd_filter.h"
#include "cd_frame_range.h"
#include "plot_view.h"

#define CD_PLOT_RATE 25.0  // [1/s] usual one of films

// As they stand on the command line; NULL: not given.
typedef struct cd_plot_options {
    const char *format, *size, *frames, *show, *view, *bodies, *metric, *band, *labels, *title, *x_label, *y_label,
        *markers, *color, *histogram;
    bool html, trail, log_x, log_y;
    double scale, opacity;  // opacity NaN: not given
    double rate;            // [1/s] of films
    int64_t outlines;
    int64_t bins;  // of a histogram; 0: by its rule
} cd_plot_options;

// Things a picture of a frame can show.
typedef enum cd_plot_thing {
    CD_PLOT_BODIES,
    CD_PLOT_UNRELEASED,
    CD_PLOT_BOUNDS,
    CD_PLOT_PAIRS,
    CD_PLOT_CONTACTS,
    CD_PLOT_NORMALS,
    CD_PLOT_TRIAL,
    CD_PLOT_NEXT,
    CD_PLOT_VELOCITIES,
    CD_PLOT_IDS,
    CD_PLOT_INTERSECTIONS,
    CD_PLOT_STRAIN,  // of elements, as colour
    CD_PLOT_NODES,
    CD_PLOT_PINBALLS,
    CD_PLOT_SEPARATORS,  // faces and pairs of edges that hold pairs apart
    CD_PLOT_FORCES,
    CD_PLOT_CONSTRAINTS,
    CD_PLOT_THINGS
} cd_plot_thing;
extern const char *const cd_plot_thing_name[CD_PLOT_THINGS];

enum { CD_PLOT_RANGES = 64, CD_PLOT_STREAMS = 64, CD_PLOT_PANELS = 64 };

typedef struct cd_plot_ask {
    const cd_plot_options *options;
    bool svg, png;
    bool in_turn;       // a picture a frame: the name of -o has a number, or is that of a film
    const char *film;   // "gif", "webm"; NULL: numbered pictures
    int width, height;  // [px] 0: made to fit
    double scale;       // pixels of a PNG for each px
    bool has_view, has_direction;
    cd_plot_box view;         // [m] part of the picture
    cd_vec3 direction;        // of space: towards the eye
    cd_plot_camera camera;    // see cd_plot_ask_dim
    double opacity;           // [0..1] of bodies in space; see cd_plot_ask_dim
    const char *space_thing;  // the first thing of space alone that --show names; NULL: none
    bool last_frame;          // --frames last, and the default
    bool chooses_frames;      // --frames was given
    cd_frame_range range[CD_PLOT_RANGES];
    int range_count;
    unsigned show;                  // bits of cd_plot_thing; see cd_plot_ask_panels
    unsigned show_more, show_less;  // what --show adds to and takes from the usual things
    bool show_is_whole;             // --show names all that is shown
    bool ids_wanted;                // "ids" was named: labels however many there are
    const int64_t *body;            // --bodies, ascending; NULL: all
    bool *body_met;                 // of each: some frame had it
    int body_count;
    const char *const *metric, *const *band, *const *label;
    int metric_count, band_count, label_count;
} cd_plot_ask;

// What is shown when --show does not say: everything but unreleased bodies, velocities, nodes, pinballs and forces; in
// more panels than a few, which are small, bodies, their strain, contacts and ids alone; the less the more bodies one
// panel has. In space boxes and pairs would cover contacts, and are left out where there are any.
unsigned cd_plot_usual_things(int panels, int32_t bodies, bool in_space, bool has_contacts);

// CD_ERR_USAGE with "--view: ..." for what cannot be understood. Texts and lists live in ctx->run.
cd_status cd_plot_ask_make(cd_ctx *ctx, const cd_plot_options *options, cd_plot_ask *ask) CD_MUST_CHECK;
// Tells the dimension of the streams drawn: fixes `camera`. CD_ERR_USAGE when options do not go with it.
cd_status cd_plot_ask_dim(cd_plot_ask *ask, int dim, cd_diag *diag) CD_MUST_CHECK;
// Tells how many panels there will be, the most bodies that take part in one of them, and whether there are contacts
// in them: fixes `show`.
void cd_plot_ask_panels(cd_plot_ask *ask, int panels, int32_t bodies, bool has_contacts);
bool cd_plot_ask_has_frame(const cd_plot_ask *ask, int64_t index);  // one of --frames A:B:STEP
bool cd_plot_ask_has_body(const cd_plot_ask *ask, int64_t id);
// Bodies of a frame that is drawn; when all streams are read CD_ERR_USAGE for one of --bodies that no frame had.
void cd_plot_ask_note_bodies(cd_plot_ask *ask, const cd_body_rows *bodies);
cd_status cd_plot_ask_check_bodies(const cd_plot_ask *ask, cd_diag *diag) CD_MUST_CHECK;
static inline bool cd_plot_shows(const cd_plot_ask *ask, cd_plot_thing thing) { return ask->show >> thing & 1; }
// The name of a stream in legends and captions: --label, else the file's name without folder and suffix.
// "f%04d.png" with a number in its place; every such name has one %d or %0Nd. @owns arena
const char *cd_plot_numbered_path(cd_arena *arena, const char *path, int64_t number);
const char *cd_plot_stream_label(cd_ctx *ctx, const cd_plot_ask *ask, int stream);
static inline int cd_plot_stream_count(const cd_ctx *ctx) { return ctx->operand_count > 1 ? ctx->operand_count : 1; }

#endif
