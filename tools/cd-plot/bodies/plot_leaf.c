// Outlines of bodies of the plane.
// SPDX-License-Identifier: MIT
#include "plot_cast.h"

#include "cd_assert.h"

#include <math.h>

// [px] Circles up to this radius are arcs of the drawing library; larger ones are polygons, which can be clipped.
#define ARC_RADIUS 4000.0
// [px] A circle beyond this radius is its tangent where the picture is: 2000 px away from the point of contact they
// differ by 0.2 px.
#define FLAT_RADIUS 1e7
// A chord of the largest polygon is FLAT_RADIUS (1 - cos(pi / CIRCLE_CORNERS)) = 0.7 px off its circle.
enum { CIRCLE_CORNERS = 8192, ELLIPSE_CORNERS = 256 };
#define DOT_RADIUS 1.2  // [px] what is smaller is drawn as a dot of this size, so that it can be seen

static void polygon_path(cd_canvas *canvas, const cd_plot_view *view, cd_polygon polygon)
{
    for (int32_t i = 0; i < polygon.count; i++) {
        cd_vec2 p = cd_plot_to_px(view, polygon.vertex[i]);
        cd_canvas_line(canvas, p);
    }
    cd_canvas_close(canvas);
}

static bool clipped_path(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_vec2 *vertex,
                         int count)
{
    cd_polygon shown = cd_plot_clip_polygon(scratch, view->wide, vertex, count);
    if (shown.count < 3)
        return false;
    polygon_path(canvas, view, shown);
    return true;
}

static bool dot_path(cd_canvas *canvas, const cd_plot_view *view, cd_vec2 centre)
{
    if (!cd_plot_box_holds(view->wide, centre))
        return false;
    cd_vec2 p = cd_plot_to_px(view, centre);
    cd_canvas_circle(canvas, p, DOT_RADIUS);
    return true;
}

// Semi-axes along the directions (c, s) and (-s, c).
static bool ellipse_path(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_leaf2 *leaf,
                         cd_vec2 semiaxes, int corners)
{
    cd_vec2 *vertex = CD_ARENA_ARRAY(scratch, cd_vec2, corners);
    for (int i = 0; i < corners; i++) {
        double angle = 2 * M_PI * i / corners, u = semiaxes.x * cos(angle), v = semiaxes.y * sin(angle);
        vertex[i] = (cd_vec2){leaf->centre.x + leaf->cosine * u - leaf->sine * v,
                              leaf->centre.y + leaf->sine * u + leaf->cosine * v};
    }
    return clipped_path(canvas, scratch, view, vertex, corners);
}

static bool circle_path(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_leaf2 *leaf)
{
    double radius = leaf->radius * view->scale;
    cd_vec2 middle = cd_lerp2(view->box.min, view->box.max, 0.5), away = cd_sub2(middle, cd_plot_clamp2(leaf->centre));
    double half_x = 0.5 * (view->wide.max.x - view->wide.min.x), half_y = 0.5 * (view->wide.max.y - view->wide.min.y);
    if (radius <= ARC_RADIUS) {
        if (fabs(away.x) > half_x + leaf->radius || fabs(away.y) > half_y + leaf->radius)
            return false;
        cd_vec2 p = cd_plot_to_px(view, leaf->centre);
        cd_canvas_circle(canvas, p, radius);
        return true;
    }
    if (radius <= FLAT_RADIUS)
        return ellipse_path(canvas, scratch, view, leaf, (cd_vec2){leaf->radius, leaf->radius}, CIRCLE_CORNERS);
    double distance = hypot(away.x, away.y);
    cd_vec2 normal = distance > 0 ? cd_scale2(1 / distance, away) : (cd_vec2){1, 0};
    // n.x <= n.centre + radius, taken relative to the view, where numbers are small.
    cd_polygon shown =
        cd_plot_clip_halfspace(scratch, (cd_plot_box){cd_sub2(view->wide.min, middle), cd_sub2(view->wide.max, middle)},
                               normal, leaf->radius - distance);
    cd_vec2 *vertex = CD_ARENA_ARRAY(scratch, cd_vec2, shown.count);
    for (int i = 0; i < shown.count; i++)
        vertex[i] = cd_add2(middle, shown.vertex[i]);
    return clipped_path(canvas, scratch, view, vertex, shown.count);
}

// Adds the outline of a leaf in the world to the path; false: nothing of it is in view. Half-planes are left to the
// caller.
static bool leaf_path(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_leaf2 *leaf)
{
    switch (leaf->kind) {
    case CD_SHAPE_POLYGON: {
        cd_plot_box box = cd_plot_box_empty();
        for (int i = 0; i < leaf->polygon.count; i++)
            box = cd_plot_box_add(box, leaf->polygon.vertex[i]);
        if (fmax(box.max.x - box.min.x, box.max.y - box.min.y) * view->scale < 2 * DOT_RADIUS)
            return dot_path(canvas, view, cd_lerp2(box.min, box.max, 0.5));
        return clipped_path(canvas, scratch, view, leaf->polygon.vertex, leaf->polygon.count);
    }
    case CD_SHAPE_SPHERE:
        if (leaf->radius * view->scale < DOT_RADIUS)
            return dot_path(canvas, view, leaf->centre);
        return circle_path(canvas, scratch, view, leaf);
    case CD_SHAPE_ELLIPSOID:
        if (fmax(leaf->semiaxes.x, leaf->semiaxes.y) * view->scale < DOT_RADIUS)
            return dot_path(canvas, view, leaf->centre);
        return ellipse_path(canvas, scratch, view, leaf, leaf->semiaxes, ELLIPSE_CORNERS);
    default:
        CD_ASSERT(leaf->kind == CD_SHAPE_HALFSPACE);  // other kinds are there by their outlines
        return false;
    }
}

// ---- half-planes ---------------------------------------------------------------------------------------------------

#define HATCH 9.0  // [px] between the strokes

static void hatch(cd_canvas *canvas, cd_plot_rect rect)
{
    double reach = rect.width + rect.height;
    for (double d = 0; d < reach; d += HATCH) {
        cd_canvas_move(canvas, (cd_vec2){rect.x + d, rect.y});
        cd_canvas_line(canvas, (cd_vec2){rect.x + d - rect.height, rect.y + rect.height});
    }
}

static void halfspace_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_leaf2 *leaf,
                           cd_plot_body_style style)
{
    cd_polygon shown = cd_plot_clip_halfspace(scratch, view->wide, leaf->normal, leaf->offset);
    if (shown.count < 3)
        return;
    cd_canvas_save(canvas);
    polygon_path(canvas, view, shown);
    if (style.fill.alpha > 0) {
        cd_canvas_source(canvas, style.fill);
        cd_canvas_fill_keep(canvas);
    }
    cd_canvas_clip(canvas);
    if (style.fill.alpha > 0) {
        hatch(canvas, view->rect);
        cd_plot_stroke(canvas, cd_plot_fade(style.stroke, 0.45), 0.7);
    }
    cd_canvas_restore(canvas);
    // Its boundary alone: edges along the rim lie out of sight.
    polygon_path(canvas, view, shown);
    cd_plot_dash(canvas, style.dash);
    cd_plot_stroke(canvas, style.stroke, style.width);
}

// ---- bodies --------------------------------------------------------------------------------------------------------

// [px] A circle of at least this radius has a stroke from its centre that shows how it is turned.
#define TURN_RADIUS 7.0

static void draw_turn(cd_canvas *canvas, const cd_plot_view *view, const cd_leaf2 *leaf, cd_pose2 pose,
                      cd_plot_body_style style)
{
    double radius = leaf->radius * view->scale;
    if (leaf->kind != CD_SHAPE_SPHERE || radius < TURN_RADIUS || radius > ARC_RADIUS ||
        !cd_plot_box_holds(view->wide, leaf->centre))
        return;
    cd_vec2 p = cd_plot_to_px(view, leaf->centre);
    cd_canvas_move(canvas, p);
    cd_canvas_line(canvas, (cd_vec2){p.x + radius * pose.cosine, p.y - radius * pose.sine});
    cd_plot_stroke(canvas, cd_plot_fade(style.stroke, 0.6), 0.8 * style.width);
}

void cd_plot_plane_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_leaves2 *leaves,
                        int32_t shape, cd_pose2 pose, cd_plot_body_style style)
{
    for (int32_t i = leaves->first[shape]; i < leaves->first[shape + 1]; i++) {
        cd_arena_mark mark = cd_arena_get_mark(scratch);
        cd_leaf2 leaf = cd_leaf2_place(scratch, &leaves->leaf[i], pose);
        cd_canvas_new_path(canvas);
        if (leaf.kind == CD_SHAPE_HALFSPACE) {
            halfspace_draw(canvas, scratch, view, &leaf, style);
        } else if (leaf_path(canvas, scratch, view, &leaf)) {
            if (style.fill.alpha > 0) {
                cd_canvas_source(canvas, style.fill);
                cd_canvas_fill_keep(canvas);
            }
            cd_plot_dash(canvas, style.dash);
            cd_plot_stroke(canvas, style.stroke, style.width);
            draw_turn(canvas, view, &leaf, pose, style);
        }
        cd_arena_rewind(scratch, mark);
    }
}

static cd_plot_box leaf_box(const cd_leaf2 *leaf, cd_plot_box box)
{
    cd_vec2 half = {leaf->radius, leaf->radius};
    if (leaf->kind == CD_SHAPE_ELLIPSOID)
        half = (cd_vec2){hypot(leaf->semiaxes.x * leaf->cosine, leaf->semiaxes.y * leaf->sine),
                         hypot(leaf->semiaxes.x * leaf->sine, leaf->semiaxes.y * leaf->cosine)};
    if (leaf->kind == CD_SHAPE_POLYGON) {
        for (int32_t k = 0; k < leaf->polygon.count; k++)
            box = cd_plot_box_add(box, leaf->polygon.vertex[k]);
    } else if (leaf->kind != CD_SHAPE_HALFSPACE) {
        box = cd_plot_box_add(cd_plot_box_add(box, cd_sub2(leaf->centre, half)), cd_add2(leaf->centre, half));
    }
    return box;
}

bool cd_plot_leaf_covers(const cd_leaf2 *leaf, cd_vec2 point)
{
    if (leaf->kind == CD_SHAPE_POLYGON)
        return cd_polygon_contains(leaf->polygon, point);
    return leaf->kind == CD_SHAPE_SPHERE && cd_length2(cd_sub2(point, leaf->centre)) <= leaf->radius;
}

cd_plot_box cd_plot_plane_box(cd_arena *scratch, const cd_leaves2 *leaves, int32_t shape, cd_pose2 pose,
                              cd_plot_box box)
{
    for (int32_t i = leaves->first[shape]; i < leaves->first[shape + 1]; i++) {
        cd_arena_mark mark = cd_arena_get_mark(scratch);
        cd_leaf2 leaf = cd_leaf2_place(scratch, &leaves->leaf[i], pose);
        box = leaf_box(&leaf, box);
        cd_arena_rewind(scratch, mark);
    }
    return box;
}
