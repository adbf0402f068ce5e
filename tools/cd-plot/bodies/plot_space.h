// plot_space -- what pictures of space alone have: boxes of wire, intersections of volume contacts, separators,
// and the order of points by depth.
// SPDX-License-Identifier: MIT
#ifndef PLOT_SPACE_H
#define PLOT_SPACE_H

#include "plot_cast.h"

// The box low .. high [m, world]; the three edges behind it are faint. Infinite boxes are left out.
void cd_plot_wire_box(cd_canvas *canvas, const cd_plot_view *view, cd_vec3 low, cd_vec3 high, cd_plot_colour colour,
                      double width);

// A part of a body at a pose: leaf number and where.
typedef struct cd_plot_site {
    int32_t leaf;
    cd_plot_pose pose;
} cd_plot_site;

// The common part of two polyhedra; nothing for other kinds.
void cd_plot_intersection_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view,
                               const cd_plot_shapes *shapes, const cd_plot_site *a, const cd_plot_site *b,
                               cd_plot_body_style style);
// A face or an edge of a polyhedron, by the stream's feature; nothing for features it does not have.
void cd_plot_feature_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_plot_shapes *shapes,
                          const cd_plot_site *site, int32_t feature, cd_plot_body_style style);

// Rows 0 .. count - 1 of points of the stream (`dim` numbers each), in space the farthest from the eye first, ties by
// row; in the plane as they are. @owns arena
int32_t *cd_plot_depth_order(cd_arena *arena, const cd_plot_camera *camera, const double *point, int32_t count);

#endif
