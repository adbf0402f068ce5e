// plot_scene -- one frame drawn into a view: bodies, what the stages added to them, and what the colours mean.
//
// Order of drawing, from below: half-spaces, fixed, prescribed, dynamic and unreleased bodies (in space by depth),
// bounds, pairs, trial and next outlines, velocities, intersections, separators, contacts with normals, ids.
// Bodies follow their ids, so that a picture does not depend on the order of rows.
// SPDX-License-Identifier: MIT
#ifndef PLOT_SCENE_H
#define PLOT_SCENE_H

#include "plot_frame.h"
#include "plot_marks.h"
#include "plot_tint.h"

int32_t cd_plot_scene_bodies(const cd_plot_ask *ask, const cd_plot_frame *frame);  // how many take part
unsigned cd_plot_scene_marks(const cd_plot_ask *ask, const cd_plot_frame *frame);
// Adds all finite bodies shown, at all poses shown, and the contact points; with `panes`, after that has been done for
// all frames, the half-spaces of space.
void cd_plot_scene_extent(const cd_plot_ask *ask, cd_plot_frame *frame, bool panes, cd_plot_extent *extent);
double cd_plot_scene_top_speed(const cd_plot_ask *ask, const cd_plot_frame *frame);  // [m/s]

double cd_plot_scene_top_force(const cd_plot_ask *ask, const cd_plot_frame *frame);  // [N]

// Of all frames of a picture: of the longest arrows [m/s], [N], of the darkest element [-] (NaN: none), and what the
// colours of bodies tell.
typedef struct cd_plot_tops {
    double speed, force, strain;
    cd_plot_range tint;
} cd_plot_tops;
cd_plot_tops cd_plot_tops_empty(void);
// Gives a frame its tint, and joins it to the others.
void cd_plot_tops_add(const cd_plot_ask *ask, cd_plot_frame *frame, cd_plot_tops *tops);

// Fills `key` with what explains these marks; its texts live in `arena`. How many there are.
int cd_plot_scene_key(cd_arena *arena, const cd_plot_ask *ask, unsigned marks, const cd_plot_tops *top,
                      cd_plot_key_entry key[CD_PLOT_MARKS]);

// Draws into view->rect, clipped; scratch memory comes from the frame's arena.
void cd_plot_scene_draw(cd_canvas *canvas, const cd_plot_ask *ask, cd_plot_frame *frame, const cd_plot_view *view,
                        cd_plot_tops top);

#endif
