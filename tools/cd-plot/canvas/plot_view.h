// plot_view -- a part of the plane shown in a part of a picture: the map between them, and clipping, so that nothing
// far outside reaches the drawing library, whose coordinates are fixed-point numbers of 24 bits.
//
// World: metres, y up. Picture: px, y down. Scale is equal in both directions. All functions are pure; clipping a
// convex polygon of n vertices is O(n).
// SPDX-License-Identifier: MIT
#ifndef PLOT_VIEW_H
#define PLOT_VIEW_H

#include "cd_polygon.h"
#include "plot_camera.h"

#include <stdbool.h>

typedef struct cd_plot_box {
    cd_vec2 min, max;  // [m]
} cd_plot_box;

typedef struct cd_plot_rect {
    double x, y, width, height;  // [px]
} cd_plot_rect;

typedef struct cd_plot_view {
    cd_plot_box box;        // [m] shown
    cd_plot_rect rect;      // [px] where
    double scale;           // [px/m]
    cd_plot_box wide;       // [m] the box and a rim of 24 px: what is clipped to it has its cut edges out of sight
    cd_plot_camera camera;  // what makes picture coordinates of the world's
    cd_vec3 hall_low, hall_high;  // [m] world; space alone: the box of all finite bodies of the picture
} cd_plot_view;

// What there is to be seen: its box in the picture and, of space, the box of finite bodies in the world.
typedef struct cd_plot_extent {
    cd_plot_box box;    // [m]
    cd_vec3 low, high;  // [m] low > high: empty
} cd_plot_extent;
cd_plot_extent cd_plot_extent_empty(void);
// The box of finite bodies; where there are none a cube of 1 m about the origin.
void cd_plot_extent_hall(const cd_plot_extent *extent, cd_vec3 *low, cd_vec3 *high);

cd_plot_box cd_plot_box_empty(void);
cd_plot_box cd_plot_box_add(cd_plot_box box, cd_vec2 point);
bool cd_plot_box_is_empty(cd_plot_box box);
bool cd_plot_box_holds(cd_plot_box box, cd_vec2 point);
// A box to show: an empty one becomes the unit square about the origin, one without extent gets some, `margin` (of the
// larger extent) is added, and width and height are brought within a factor of `most_ratio` of each other.
cd_plot_box cd_plot_box_fit(cd_plot_box box, double margin, double most_ratio);

// rect must have the proportions of box up to rounding. The camera is that of the plane, the hall empty.
cd_plot_view cd_plot_view_make(cd_plot_box box, cd_plot_rect rect);
static inline cd_vec2 cd_plot_to_px(const cd_plot_view *view, cd_vec2 p)
{
    return (cd_vec2){view->rect.x + (p.x - view->box.min.x) * view->scale,
                     view->rect.y + view->rect.height - (p.y - view->box.min.y) * view->scale};
}
static inline cd_vec2 cd_plot_clamp2(cd_vec2 p) { return (cd_vec2){cd_plot_clamp(p.x), cd_plot_clamp(p.y)}; }

// The part of a convex polygon in the box; count 0: nothing. @owns arena
cd_polygon cd_plot_clip_polygon(cd_arena *arena, cd_plot_box box, const cd_vec2 *vertex, int count);
// The part of the box where normal.x <= offset. @owns arena
cd_polygon cd_plot_clip_halfspace(cd_arena *arena, cd_plot_box box, cd_vec2 normal, double offset);
// The part of a segment in the box; false: nothing.
bool cd_plot_clip_segment(cd_plot_box box, cd_vec2 *a, cd_vec2 *b);

// How n panels of proportions ratio = height / width are arranged in a room of width x height px; `gap_x`, `gap_y`
// between them. columns_wanted > 0 fixes the number of columns.
typedef struct cd_plot_grid {
    int columns, rows;
    double width, height;  // [px] of a panel
} cd_plot_grid;
cd_plot_grid cd_plot_grid_fit(int panels, double ratio, double width, double height, double gap_x, double gap_y,
                              int columns_wanted);

#endif
