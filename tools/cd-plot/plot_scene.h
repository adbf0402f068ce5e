// plot_scene -- one frame of the plane drawn into a view: bodies, what the stages added to them, and what the colours
// mean.
//
// Order of drawing, from below: half-planes, fixed, prescribed, dynamic and unreleased bodies, bounds, pairs, trial and
// next outlines, velocities, contacts with normals, ids. Bodies follow their ids, so that a picture does not depend on
// the order of rows. SPDX-License-Identifier: MIT
#ifndef PLOT_SCENE_H
#define PLOT_SCENE_H

#include "plot_frame.h"
#include "plot_paint.h"

// Kinds of things that a key explains; a set of them is a mask of bits.
typedef enum cd_plot_mark {
    CD_PLOT_MARK_DYNAMIC,
    CD_PLOT_MARK_FIXED,
    CD_PLOT_MARK_PRESCRIBED,
    CD_PLOT_MARK_UNRELEASED,
    CD_PLOT_MARK_BOUNDS,
    CD_PLOT_MARK_PAIR,
    CD_PLOT_MARK_TRIAL,
    CD_PLOT_MARK_NEXT,
    CD_PLOT_MARK_VELOCITY,
    CD_PLOT_MARK_GAP_BELOW,
    CD_PLOT_MARK_GAP_ZERO,
    CD_PLOT_MARK_GAP_ABOVE,
    CD_PLOT_MARK_NORMAL,
    CD_PLOT_MARKS
} cd_plot_mark;
extern const cd_plot_key_entry cd_plot_mark_key[CD_PLOT_MARKS];

unsigned cd_plot_scene_marks(const cd_plot_ask *ask, const cd_plot_frame *frame);
// The box of all finite bodies shown, at all poses shown, and of the contact points.
cd_plot_box cd_plot_scene_box(const cd_plot_ask *ask, cd_plot_frame *frame, cd_plot_box box);
double cd_plot_scene_top_speed(const cd_plot_ask *ask, const cd_plot_frame *frame);  // [m/s]

// Draws into view->rect, clipped; scratch memory comes from the frame's arena. top_speed [m/s] has the longest arrow.
void cd_plot_scene_draw(cairo_t *cairo, const cd_plot_ask *ask, cd_plot_frame *frame, const cd_plot_view *view,
                        double top_speed);

// Adds the outline of a leaf in the world to the path; false: nothing of it is in view. Half-planes are left to the
// caller.
bool cd_plot_leaf_path(cairo_t *cairo, cd_arena *scratch, const cd_plot_view *view, const cd_leaf2 *leaf);
// Fills and outlines a body at a pose (half-planes hatched).
typedef struct cd_plot_body_style {
    cd_plot_colour fill, stroke;
    double width;  // [px]
    int dash;
} cd_plot_body_style;
void cd_plot_body_draw(cairo_t *cairo, cd_arena *scratch, const cd_plot_view *view, const cd_leaves2 *leaves,
                       int32_t shape, cd_pose2 pose, cd_plot_body_style style);
cd_plot_body_style cd_plot_motion_style(int32_t motion);
cd_plot_box cd_plot_body_box(cd_arena *scratch, const cd_leaves2 *leaves, int32_t shape, cd_pose2 pose,
                             cd_plot_box box);

#endif
