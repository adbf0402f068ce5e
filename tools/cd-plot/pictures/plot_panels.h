// plot_panels -- pictures of bodies: frames beside each other in one view, and trails of bodies over time.
//
// Where the picture's axes are axes of the world the panels have scales; an oblique view of space has the directions of
// the world's axes and a bar of known length instead.
// SPDX-License-Identifier: MIT
#ifndef PLOT_PANELS_H
#define PLOT_PANELS_H

#include "plot_scene.h"

// Panels of equal size around one view, with axes, captions, a title and a key, all measured before the picture has a
// size.
typedef struct cd_plot_panels {
    int width, height;  // [px] of the picture
    cd_plot_box box;    // [m] shown in each panel
    cd_plot_camera camera;
    cd_vec3 hall_low, hall_high;  // [m] of cd_plot_view
    cd_plot_grid grid;
    int count;
    cd_plot_rect first;   // [px] of the first panel
    double gap_x, gap_y;  // [px] between panels
    // [px] beside the panels: room for the name and labels of the y axis, for half a label of the x axis
    double left, right;
    cd_plot_axis x, y;
    const cd_plot_key_entry *key;
    int key_count;
    double key_height;
    const char *title;
} cd_plot_panels;

// What panels are laid out for.
typedef struct cd_plot_contents {
    cd_plot_extent extent;         // what there is to be seen; --view overrules it
    int count;                     // panels, > 0
    int columns;                   // > 0 fixes their number
    const cd_plot_key_entry *key;  // borrowed as long as the panels are used
    int key_count;
} cd_plot_contents;
// Each panel has a caption above it. CD_ERR_USAGE when --size has no room.
cd_status cd_plot_panels_make(const cd_plot_ask *ask, const cd_plot_contents *contents, cd_plot_panels *panels,
                              cd_diag *diag) CD_MUST_CHECK;
cd_plot_view cd_plot_panel_view(const cd_plot_panels *panels, int index);
// Title, key, axes and their names; captions[i] (NULL: none) above panel i. Drawn after the panels' content.
void cd_plot_panels_draw(cd_canvas *canvas, const cd_plot_panels *panels, const char *const *captions);

// Of a frame: its time, and what tells it from others of that time. @owns ctx->run
const char *cd_plot_caption(cd_ctx *ctx, const cd_plot_ask *ask, const cd_plot_frame *frame);
// Where --opacity was not given: by whether these marks are to be seen within bodies.
void cd_plot_ask_opacity(cd_plot_ask *ask, unsigned marks);

cd_status cd_plot_sequence(cd_ctx *ctx, cd_plot_ask *ask) CD_MUST_CHECK;  // numbered pictures, films
cd_status cd_plot_frames_picture(cd_ctx *ctx, cd_plot_ask *ask) CD_MUST_CHECK;
cd_status cd_plot_trail_picture(cd_ctx *ctx, cd_plot_ask *ask) CD_MUST_CHECK;

// Draws in each format asked for and writes it out; `png` and `scale` of the picture are set here, from `ask`.
cd_status cd_plot_write(cd_ctx *ctx, const cd_plot_ask *ask, cd_canvas_picture picture) CD_MUST_CHECK;

#endif
