// SPDX-License-Identifier: MIT
#include "plot_cast.h"

#include <math.h>

// ---- poses ---------------------------------------------------------------------------------------------------------

cd_plot_pose cd_plot_pose_make(const cd_plot_camera *camera, const double *position, const double *rotation)
{
    cd_plot_pose pose = {.at = cd_plot_see(camera, position)};
    if (camera->dim == 2)
        pose.plane = cd_pose2_make(cd_vec2_at(position), rotation[0]);
    else
        pose.space = cd_pose3_make(cd_plot_clamp3(cd_vec3_at(position)), cd_quat_at(rotation));
    return pose;
}

cd_plot_pose cd_plot_pose_start(const cd_plot_camera *camera, const cd_model *in, int32_t body)
{
    if (camera->dim == 2) {
        cd_pose2 plane = cd_state2_pose(cd_body_start2(in, body));
        return (cd_plot_pose){.at = plane.position, .plane = plane};
    }
    cd_state3 state = cd_body_start3(in, body);
    double position[3], rotation[4];
    cd_vec3_put(state.position, position);
    cd_quat_put(state.rotation, rotation);
    return cd_plot_pose_make(camera, position, rotation);
}

bool cd_plot_pose_is_near(const cd_plot_camera *camera, const cd_plot_pose *a, const cd_plot_pose *b, double distance)
{
    if (camera->dim == 2)
        return cd_length2(cd_sub2(a->plane.position, b->plane.position)) < distance &&
               fabs(a->plane.cosine - b->plane.cosine) + fabs(a->plane.sine - b->plane.sine) < 2e-3;
    double turned = 0;
    for (int k = 0; k < 3; k++)
        turned += cd_length3(cd_sub3(a->space.turn.row[k], b->space.turn.row[k]));
    return cd_length3(cd_sub3(a->space.position, b->space.position)) < distance && turned < 3e-3;
}

cd_plot_body_style cd_plot_motion_style(int32_t motion)
{
    const cd_plot_key_entry *key = &cd_plot_mark_key[motion == CD_MOTION_FIXED        ? CD_PLOT_MARK_FIXED
                                                     : motion == CD_MOTION_PRESCRIBED ? CD_PLOT_MARK_PRESCRIBED
                                                                                      : CD_PLOT_MARK_DYNAMIC];
    return (cd_plot_body_style){key->fill, key->stroke, 1.1, 0};
}

// ---- half-spaces ---------------------------------------------------------------------------------------------------

// [1] How far panes reach beyond the bodies, of the largest extent of their box.
#define PANE_MARGIN 0.08

bool cd_plot_shape_is_halfspace(const cd_plot_shapes *shapes, int32_t shape)
{
    if (cd_plot_leaf_count(shapes, shape) == 0)
        return false;
    int32_t leaf = cd_plot_first_leaf(shapes, shape);
    return cd_leaves_kind(&shapes->leaves, leaf) == CD_SHAPE_HALFSPACE;
}

bool cd_plot_leaf_halfspace(const cd_plot_shapes *shapes, int32_t leaf, const cd_plot_pose *pose,
                            cd_halfspace *halfspace)
{
    if (shapes->leaves.dim == 2) {
        const cd_leaf2 *plane = &shapes->leaves.plane.leaf[leaf];
        if (plane->kind != CD_SHAPE_HALFSPACE)
            return false;
        cd_leaf2 placed = cd_leaf2_place(NULL, plane, pose->plane);  // takes no memory: it has no vertices
        *halfspace = (cd_halfspace){{placed.normal.x, placed.normal.y, 0}, placed.offset};
        return true;
    }
    const cd_leaf3 space = cd_leaves3_at(&shapes->leaves.space, leaf);
    if (space.kind == CD_SHAPE_HALFSPACE)
        *halfspace = cd_solid3_place(NULL, &space, &pose->space).halfspace;
    return space.kind == CD_SHAPE_HALFSPACE;
}

// The rectangle of the boundary that lies under the hall, its edges along the world's axes where the normal is one.
static void pane_corners(cd_vec3 low, cd_vec3 high, const cd_halfspace *halfspace, cd_vec3 corner[4])
{
    cd_vec3 n = halfspace->normal, size = cd_sub3(high, low), middle = cd_lerp3(low, high, 0.5);
    double margin = PANE_MARGIN * fmax(size.x, fmax(size.y, size.z));
    cd_vec3 half = {0.5 * size.x + margin, 0.5 * size.y + margin, 0.5 * size.z + margin};
    cd_vec3 axis = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z) ? (cd_vec3){1, 0, 0}
                   : fabs(n.y) <= fabs(n.z)                         ? (cd_vec3){0, 1, 0}
                                                                    : (cd_vec3){0, 0, 1};
    cd_vec3 t[2] = {cd_unit3(cd_sub3(axis, cd_scale3(cd_dot3(axis, n), n)))};
    t[1] = cd_cross3(n, t[0]);
    double offset = fmax(fmin(halfspace->offset, CD_PLOT_FAR), -CD_PLOT_FAR);
    cd_vec3 foot = cd_sub3(middle, cd_scale3(cd_dot3(n, middle) - offset, n));
    double reach[2];
    for (int k = 0; k < 2; k++)
        reach[k] = fabs(t[k].x) * half.x + fabs(t[k].y) * half.y + fabs(t[k].z) * half.z;
    static const int sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    for (int k = 0; k < 4; k++)
        corner[k] =
            cd_add3(foot, cd_add3(cd_scale3(sign[k][0] * reach[0], t[0]), cd_scale3(sign[k][1] * reach[1], t[1])));
}

// The part of a polygon outside of a half-space (Sutherland & Hodgman): solid ground hides what is under it.
static int32_t cut_away(cd_arena *arena, const cd_halfspace *halfspace, cd_vec3 **corner, int32_t count)
{
    cd_vec3 *out = CD_ARENA_ARRAY(arena, cd_vec3, 2 * (size_t)count);
    int32_t kept = 0;
    for (int32_t i = 0; i < count; i++) {
        cd_vec3 p = (*corner)[i], q = (*corner)[i + 1 < count ? i + 1 : 0];
        double dp = cd_dot3(halfspace->normal, p) - halfspace->offset,
               dq = cd_dot3(halfspace->normal, q) - halfspace->offset;
        if (dp >= 0)
            out[kept++] = p;
        if ((dp < 0 && dq > 0) || (dp > 0 && dq < 0))
            out[kept++] = cd_lerp3(p, q, dp / (dp - dq));
    }
    *corner = out;
    return kept;
}

// In front: the half that is solid; one looks through it.
static void draw_panes(const cd_plot_cast *cast, bool in_front)
{
    enum { MOST_CUTS = 64 };
    const cd_plot_view *view = cast->view;
    for (int32_t i = 0; i < cast->panes.count; i++) {
        const cd_plot_pane *pane = &cast->panes.item[i];
        cd_vec3 normal = cd_plot_see3(&view->camera, pane->halfspace.normal);
        if ((normal.z < -1e-9) != in_front)
            continue;
        cd_arena_mark mark = cd_arena_get_mark(cast->scratch);
        cd_vec3 *corner = CD_ARENA_ARRAY(cast->scratch, cd_vec3, 4);
        pane_corners(view->hall_low, view->hall_high, &pane->halfspace, corner);
        int32_t count = 4;
        for (int32_t k = 0; k < cast->panes.count && k < MOST_CUTS && count >= 3; k++)
            if (k != i)
                count = cut_away(cast->scratch, &cast->panes.item[k].halfspace, &corner, count);
        for (int32_t k = 0; k < count; k++)
            corner[k] = cd_plot_see3(&view->camera, corner[k]);
        cd_plot_body_style style = pane->style;
        if (count >= 3 && cd_plot_flat_path(cast->canvas, cast->scratch, view, corner, count)) {
            cd_canvas_source(cast->canvas, cd_plot_fade(cd_plot_shade(style, normal), in_front ? 0.12 : 0.6));
            cd_canvas_fill_keep(cast->canvas);
            cd_plot_dash(cast->canvas, in_front ? 1 : style.dash);
            cd_plot_stroke(cast->canvas, cd_plot_fade(style.stroke, in_front ? 0.5 : 0.8), 0.8 * style.width);
        }
        cd_arena_rewind(cast->scratch, mark);
    }
}

// ---- drawing -------------------------------------------------------------------------------------------------------

cd_plot_cast cd_plot_cast_begin(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view,
                                const cd_plot_shapes *shapes)
{
    return (cd_plot_cast){.canvas = canvas, .scratch = scratch, .view = view, .shapes = shapes};
}

static void add_part(cd_plot_cast *cast, const cd_plot_part *part, cd_plot_body_style style, int32_t tag)
{
    cd_list_push(cast->scratch, &cast->parts, *part);
    cd_list_push(cast->scratch, &cast->owners, ((cd_plot_cast_owner){tag, style}));
}

static void fill_specks(cd_plot_cast *cast)
{
    if (!cast->has_specks)
        return;
    cd_canvas_source(cast->canvas, cast->speck);
    cd_canvas_fill(cast->canvas);
    cast->has_specks = false;
}

// Between fill and outline, by what part of a small body the outline would cover.
static cd_plot_colour speck_colour(cd_plot_body_style style)
{
    const double part = 0.35;
    cd_plot_colour a = style.fill, b = style.stroke;
    return (cd_plot_colour){a.red + part * (b.red - a.red), a.green + part * (b.green - a.green),
                            a.blue + part * (b.blue - a.blue), a.alpha};
}

// A filled body of the plane that is too small for its form to be seen becomes a rectangle, at a quarter of a px: of
// 90,000 polygons an SVG has a tenth of the bytes then. False: it is not so small.
static bool add_speck(cd_plot_cast *cast, int32_t shape, const cd_plot_pose *pose, cd_plot_body_style style)
{
    const double most = 4, grid = 4;  // [px], [1/px]
    const cd_leaves2 *leaves = &cast->shapes->leaves.plane;
    if (style.fill.alpha == 0 || cd_plot_shape_is_halfspace(cast->shapes, shape))
        return false;
    cd_plot_box box = cd_plot_plane_box(cast->scratch, leaves, shape, pose->plane, cd_plot_box_empty());
    double width = (box.max.x - box.min.x) * cast->view->scale, height = (box.max.y - box.min.y) * cast->view->scale;
    if (!(width <= most && height <= most) || !cd_plot_box_holds(cast->view->wide, pose->at))
        return false;
    cd_vec2 corner = cd_plot_to_px(cast->view, (cd_vec2){box.min.x, box.max.y});
    cd_plot_colour colour = speck_colour(style);
    if (cast->has_specks && memcmp(&colour, &cast->speck, sizeof colour) != 0)
        fill_specks(cast);
    if (!cast->has_specks)
        cd_canvas_new_path(cast->canvas);
    cast->has_specks = true;
    cast->speck = colour;
    cd_canvas_rectangle(cast->canvas,
                        (cd_plot_rect){floor(corner.x * grid + 0.5) / grid, floor(corner.y * grid + 0.5) / grid,
                                       ceil(width * grid) / grid, ceil(height * grid) / grid});
    return true;
}

void cd_plot_cast_add(cd_plot_cast *cast, int32_t shape, const cd_plot_pose *pose, cd_plot_body_style style,
                      int32_t tag)
{
    if (shape < 0) {
        fill_specks(cast);
        cd_plot_cross_draw(cast->canvas, cast->view, pose->at, style);
        return;
    }
    if (cast->shapes->leaves.dim == 2) {
        if (add_speck(cast, shape, pose, style))
            return;
        fill_specks(cast);
        cd_plot_plane_draw(cast->canvas, cast->scratch, cast->view, &cast->shapes->leaves.plane, shape, pose->plane,
                           style);
        return;
    }
    cd_pose3 seen = cd_plot_see_pose(&cast->view->camera, &pose->space);
    int32_t first = cd_plot_first_leaf(cast->shapes, shape), count = cd_plot_leaf_count(cast->shapes, shape);
    for (int32_t i = first; i < first + count; i++) {
        cd_plot_pane pane = {.style = style};
        cd_plot_part part;
        if (cd_plot_leaf_halfspace(cast->shapes, i, pose, &pane.halfspace)) {
            cd_list_push(cast->scratch, &cast->panes, pane);
        } else if (cd_plot_part_place(cast->scratch, cast->shapes, i, &seen, &part)) {
            add_part(cast, &part, style, tag);
        }
    }
}

void cd_plot_cast_add_triangle(cd_plot_cast *cast, const cd_vec3 corner[3], cd_plot_body_style style, int32_t tag)
{
    cd_plot_part part;
    cd_vec3 seen[3];
    for (int k = 0; k < 3; k++)
        seen[k] = cd_plot_see3(&cast->view->camera, corner[k]);
    double area = (seen[1].x - seen[0].x) * (seen[2].y - seen[0].y) - (seen[1].y - seen[0].y) * (seen[2].x - seen[0].x);
    if (area > 0 && cd_plot_part_triangle(seen, &part))
        add_part(cast, &part, style, tag);
}

void cd_plot_cast_add_ball(cd_plot_cast *cast, cd_vec3 centre, double radius, cd_plot_body_style style, int32_t tag)
{
    cd_plot_part part;
    if (cd_plot_part_ball(cd_plot_see3(&cast->view->camera, centre), radius, &part))
        add_part(cast, &part, style, tag);
}

void cd_plot_cast_draw(cd_plot_cast *cast)
{
    fill_specks(cast);
    draw_panes(cast, false);
    cast->order = cd_plot_parts_sort(cast->scratch, cast->parts.item, cast->parts.count);
    for (int32_t k = 0; k < cast->parts.count; k++)
        cd_plot_part_draw(cast->canvas, cast->scratch, cast->view, &cast->parts.item[cast->order[k]],
                          cast->owners.item[cast->order[k]].style);
    draw_panes(cast, true);
}

int32_t cd_plot_cast_top(const cd_plot_cast *cast, cd_vec2 point)
{
    for (int32_t k = cast->parts.count - 1; k >= 0; k--)
        if (cd_plot_part_covers(&cast->parts.item[cast->order[k]], point))
            return cast->owners.item[cast->order[k]].tag;
    return -1;
}

// ---- extents -------------------------------------------------------------------------------------------------------

bool cd_plot_body_covers(cd_arena *scratch, const cd_plot_camera *camera, const cd_plot_shapes *shapes, int32_t shape,
                         const cd_plot_pose *pose, cd_vec2 point)
{
    bool covers = false;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    int32_t first = cd_plot_first_leaf(shapes, shape), count = cd_plot_leaf_count(shapes, shape);
    for (int32_t i = first; i < first + count; i++) {
        if (camera->dim == 2) {
            cd_leaf2 placed = cd_leaf2_place(scratch, &shapes->leaves.plane.leaf[i], pose->plane);
            covers |= cd_plot_leaf_covers(&placed, point);
        } else {
            cd_pose3 seen = cd_plot_see_pose(camera, &pose->space);
            cd_plot_part part;
            covers |= cd_plot_part_place(scratch, shapes, i, &seen, &part) && cd_plot_part_covers(&part, point);
        }
    }
    cd_arena_rewind(scratch, mark);
    return covers;
}

static void add_world(cd_plot_extent *extent, const cd_plot_part *part)
{
    extent->low =
        (cd_vec3){fmin(extent->low.x, part->low.x), fmin(extent->low.y, part->low.y), fmin(extent->low.z, part->low.z)};
    extent->high = (cd_vec3){fmax(extent->high.x, part->high.x), fmax(extent->high.y, part->high.y),
                             fmax(extent->high.z, part->high.z)};
}

static void add_pane(cd_plot_extent *extent, const cd_plot_camera *camera, const cd_halfspace *halfspace)
{
    cd_vec3 corner[4], low, high;
    cd_plot_extent_hall(extent, &low, &high);
    pane_corners(low, high, halfspace, corner);
    for (int k = 0; k < 4; k++) {
        cd_vec3 seen = cd_plot_see3(camera, corner[k]);
        extent->box = cd_plot_box_add(extent->box, (cd_vec2){seen.x, seen.y});
    }
}

void cd_plot_extent_add(cd_plot_extent *extent, cd_arena *scratch, const cd_plot_camera *camera,
                        const cd_plot_shapes *shapes, int32_t shape, const cd_plot_pose *pose, bool panes)
{
    if (shape < 0 || camera->dim == 2) {
        if (panes)
            return;
        extent->box = shape < 0 ? cd_plot_box_add(extent->box, pose->at)
                                : cd_plot_plane_box(scratch, &shapes->leaves.plane, shape, pose->plane, extent->box);
        return;
    }
    cd_pose3 seen = cd_plot_see_pose(camera, &pose->space);
    int32_t first = cd_plot_first_leaf(shapes, shape), count = cd_plot_leaf_count(shapes, shape);
    for (int32_t i = first; i < first + count; i++) {
        cd_arena_mark mark = cd_arena_get_mark(scratch);
        cd_plot_part part;
        cd_halfspace halfspace;
        if (cd_plot_leaf_halfspace(shapes, i, pose, &halfspace)) {
            if (panes)
                add_pane(extent, camera, &halfspace);
        } else if (!panes && cd_plot_part_place(scratch, shapes, i, &seen, &part)) {
            extent->box = cd_plot_box_add(extent->box, (cd_vec2){part.low.x, part.low.y});
            extent->box = cd_plot_box_add(extent->box, (cd_vec2){part.high.x, part.high.y});
            if (cd_plot_part_place(scratch, shapes, i, &pose->space, &part))
                add_world(extent, &part);
        }
        cd_arena_rewind(scratch, mark);
    }
}
