// plot_cast -- the bodies of a picture: one interface to shapes in the plane and in space.
//
// begin -> add ... -> draw. In the plane a body is drawn as it is added, above those before it. In space bodies are
// gathered and drawn in painter's order of their parts, half-spaces as patches of their boundary: below everything
// where one looks at it from outside, and as a thin pane above everything where one looks through it.
// SPDX-License-Identifier: MIT
#ifndef PLOT_CAST_H
#define PLOT_CAST_H

#include "cd_bodies.h"
#include "plot_marks.h"
#include "plot_part.h"

// Where a body is; `at` is its place in the picture.
typedef struct cd_plot_pose {
    cd_vec2 at;  // [m]
    union {
        cd_pose2 plane;
        cd_pose3 space;  // world
    };
} cd_plot_pose;
cd_plot_pose cd_plot_pose_make(const cd_plot_camera *camera, const double *position, const double *rotation);
cd_plot_pose cd_plot_pose_start(const cd_plot_camera *camera, const cd_model *in, int32_t body);
// Less than `distance` [m] and about 1e-3 rad apart?
bool cd_plot_pose_is_near(const cd_plot_camera *camera, const cd_plot_pose *a, const cd_plot_pose *b, double distance);

typedef struct cd_plot_body_style {
    cd_plot_colour fill, stroke;
    double width;  // [px]
    int dash;
} cd_plot_body_style;
cd_plot_body_style cd_plot_motion_style(int32_t motion);

// ---- drawing -------------------------------------------------------------------------------------------------------

typedef struct cd_plot_cast_owner {
    int32_t tag;
    cd_plot_body_style style;
} cd_plot_cast_owner;

typedef struct cd_plot_pane {
    cd_halfspace halfspace;  // world
    cd_plot_body_style style;
} cd_plot_pane;

typedef struct cd_plot_cast {
    cd_canvas *canvas;
    cd_arena *scratch;
    const cd_plot_view *view;
    const cd_plot_shapes *shapes;
    CD_LIST(cd_plot_part) parts;  // of space, until they are drawn; an owner for each
    CD_LIST(cd_plot_cast_owner) owners;
    CD_LIST(cd_plot_pane) panes;
    int32_t *order;  // [parts.count] once drawn
    // Of the plane: rectangles that stand for bodies of a few px, one path of one colour until it is filled.
    bool has_specks;
    cd_plot_colour speck;
} cd_plot_cast;

cd_plot_cast cd_plot_cast_begin(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view,
                                const cd_plot_shapes *shapes);
// A body of shape row `shape` (-1: a cross). `tag` is the caller's.
void cd_plot_cast_add(cd_plot_cast *cast, int32_t shape, const cd_plot_pose *pose, cd_plot_body_style style,
                      int32_t tag);
// In space alone, world [m]: a triangle seen from the side where its corners go round counter-clockwise, and a ball.
void cd_plot_cast_add_triangle(cd_plot_cast *cast, const cd_vec3 corner[3], cd_plot_body_style style, int32_t tag);
void cd_plot_cast_add_ball(cd_plot_cast *cast, cd_vec3 centre, double radius, cd_plot_body_style style, int32_t tag);
void cd_plot_cast_draw(cd_plot_cast *cast);
// The tag of what is on top at a point of the picture, -1: nothing. Space alone, once drawn. O(parts)
int32_t cd_plot_cast_top(const cd_plot_cast *cast, cd_vec2 point);

// ---- shapes --------------------------------------------------------------------------------------------------------

bool cd_plot_shape_is_halfspace(const cd_plot_shapes *shapes, int32_t shape);
// The leaf in the world, when it is a half-space (z is 0 in the plane).
bool cd_plot_leaf_halfspace(const cd_plot_shapes *shapes, int32_t leaf, const cd_plot_pose *pose,
                            cd_halfspace *halfspace);
bool cd_plot_body_covers(cd_arena *scratch, const cd_plot_camera *camera, const cd_plot_shapes *shapes, int32_t shape,
                         const cd_plot_pose *pose, cd_vec2 point);
// Adds a body to what a picture must show. Half-spaces count in space alone, and there after all finite bodies: with
// `panes` set only they are added.
void cd_plot_extent_add(cd_plot_extent *extent, cd_arena *scratch, const cd_plot_camera *camera,
                        const cd_plot_shapes *shapes, int32_t shape, const cd_plot_pose *pose, bool panes);

// ---- of the plane: plot_leaf.c -------------------------------------------------------------------------------------

// Whether a polygon or a circle in the world covers a point; false of all other kinds.
bool cd_plot_leaf_covers(const cd_leaf2 *leaf, cd_vec2 point);
// Fills and outlines a body at a pose (half-planes hatched).
void cd_plot_plane_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_leaves2 *leaves,
                        int32_t shape, cd_pose2 pose, cd_plot_body_style style);
cd_plot_box cd_plot_plane_box(cd_arena *scratch, const cd_leaves2 *leaves, int32_t shape, cd_pose2 pose,
                              cd_plot_box box);

// ---- of space: plot_part_paint.c -----------------------------------------------------------------------------------

// Faces that look at the eye, shaded by how they lie to a light from the upper left, their edges thin and the outline
// whole; inner faces (surface -1) are left out. Without fill: edges alone.
void cd_plot_part_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_plot_part *part,
                       cd_plot_body_style style);
// The same colours for other flat things: `normal` is unit, in the picture.
cd_plot_colour cd_plot_shade(cd_plot_body_style style, cd_vec3 normal);
// A polygon of the picture (corners' z is not used), clipped to the view: adds it to the path, false when nothing is.
bool cd_plot_flat_path(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_vec3 *corner,
                       int32_t count);
void cd_plot_segment_path(cd_canvas *canvas, const cd_plot_view *view, cd_vec3 a, cd_vec3 b);
// A cross where a body without shape is.
void cd_plot_cross_draw(cd_canvas *canvas, const cd_plot_view *view, cd_vec2 place, cd_plot_body_style style);

#endif
