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

// What the key says of a mark in this kind of picture.
cd_plot_key_entry cd_plot_scene_key(const cd_plot_ask *ask, cd_plot_mark mark);
unsigned cd_plot_scene_marks(const cd_plot_ask *ask, const cd_plot_frame *frame);
// Adds all finite bodies shown, at all poses shown, and the contact points; with `panes`, after that has been done for
// all frames, the half-spaces of space.
void cd_plot_scene_extent(const cd_plot_ask *ask, cd_plot_frame *frame, bool panes, cd_plot_extent *extent);
double cd_plot_scene_top_speed(const cd_plot_ask *ask, const cd_plot_frame *frame);  // [m/s]

// The largest of all frames of a picture: of the longest arrow [m/s], of the darkest element [-] (NaN: none).
typedef struct cd_plot_tops {
    double speed, strain;
} cd_plot_tops;

// Draws into view->rect, clipped; scratch memory comes from the frame's arena.
void cd_plot_scene_draw(cd_canvas *canvas, const cd_plot_ask *ask, cd_plot_frame *frame, const cd_plot_view *view,
                        cd_plot_tops top);

#endif
