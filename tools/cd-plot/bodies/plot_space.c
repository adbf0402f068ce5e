// SPDX-License-Identifier: MIT
#include "plot_space.h"

#include "cd_intersect3.h"

#include <math.h>
#include <stdlib.h>

// ---- boxes ---------------------------------------------------------------------------------------------------------

void cd_plot_wire_box(cd_canvas *canvas, const cd_plot_view *view, cd_vec3 low, cd_vec3 high, cd_plot_colour colour,
                      double width)
{
    if (!isfinite(low.x + low.y + low.z + high.x + high.y + high.z))
        return;
    const double limit[2][3] = {{low.x, low.y, low.z}, {high.x, high.y, high.z}};
    cd_vec3 corner[8];
    int farthest = 0;
    for (int k = 0; k < 8; k++) {
        const double place[3] = {limit[k & 1][0], limit[k >> 1 & 1][1], limit[k >> 2][2]};
        corner[k] = cd_plot_see_deep(&view->camera, place);
        farthest = corner[k].z < corner[farthest].z ? k : farthest;
    }
    for (int hidden = 1; hidden >= 0; hidden--) {
        for (int k = 0; k < 8; k++)
            for (int bit = 1; bit < 8; bit <<= 1)
                if (!(k & bit) && (k == farthest || (k | bit) == farthest) == (hidden == 1))
                    cd_plot_segment_path(canvas, view, corner[k], corner[k | bit]);
        if (hidden)
            cd_plot_dash(canvas, 2);
        cd_plot_stroke(canvas, cd_plot_fade(colour, hidden ? 0.45 : 1), (hidden ? 0.7 : 1) * width);
    }
}

// ---- intersections -------------------------------------------------------------------------------------------------

static bool place_polyhedron(cd_arena *scratch, const cd_plot_view *view, const cd_plot_shapes *shapes,
                             const cd_plot_site *site, cd_plot_part *part)
{
    if (cd_leaves3_kind(&shapes->leaves.space, site->leaf) != CD_SHAPE_POLYHEDRON)
        return false;
    cd_pose3 seen = cd_plot_see_pose(&view->camera, &site->pose.space);
    return cd_plot_part_place(scratch, shapes, site->leaf, &seen, part);
}

static void paint_path(cd_canvas *canvas, cd_plot_body_style style, cd_plot_colour fill)
{
    cd_canvas_source(canvas, fill);
    cd_canvas_fill_keep(canvas);
    cd_plot_stroke(canvas, style.stroke, style.width);
}

static void face_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_vec3 *corner,
                      int32_t count, cd_vec3 normal, cd_plot_body_style style)
{
    if (!cd_plot_flat_path(canvas, scratch, view, corner, count))
        return;
    paint_path(canvas, style, cd_plot_shade(style, normal));
}

#define SMALL 9.0  // [px] the faces of an intersection below this size are one path of one shade

static bool is_small(const cd_plot_view *view, const cd_intersect3 *common)
{
    cd_plot_box box = cd_plot_box_empty();
    for (int32_t k = 0; k < common->corner_count; k++)
        box = cd_plot_box_add(box, (cd_vec2){common->corner[k].x, common->corner[k].y});
    return common->corner_count > 0 && fmax(box.max.x - box.min.x, box.max.y - box.min.y) * view->scale < SMALL;
}

void cd_plot_intersection_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view,
                               const cd_plot_shapes *shapes, const cd_plot_site *a, const cd_plot_site *b,
                               cd_plot_body_style style)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_plot_part part_a, part_b;
    if (place_polyhedron(scratch, view, shapes, a, &part_a) && place_polyhedron(scratch, view, shapes, b, &part_b)) {
        cd_intersect3 common = cd_intersect3_clip(&part_a.convex, &part_b.convex, scratch);
        bool small = is_small(view, &common), any = false;
        for (int32_t f = 0; f < common.face_count; f++) {
            const cd_intersect3_face *face = &common.face[f];
            if (face->normal.z <= 0)
                continue;
            cd_vec3 *corner = CD_ARENA_ARRAY(scratch, cd_vec3, face->count);
            for (int32_t k = 0; k < face->count; k++)
                corner[k] = cd_add3(common.origin, common.corner[face->first + k]);
            if (small)
                any |= cd_plot_flat_path(canvas, scratch, view, corner, face->count);
            else
                face_draw(canvas, scratch, view, corner, face->count, face->normal, style);
        }
        if (any)
            paint_path(canvas, style, style.fill);
    }
    cd_arena_rewind(scratch, mark);
}

void cd_plot_feature_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_plot_shapes *shapes,
                          const cd_plot_site *site, int32_t feature, cd_plot_body_style style)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_plot_part part;
    if (feature >= 0 && place_polyhedron(scratch, view, shapes, site, &part)) {
        int kind = cd_feature_kind(feature);
        int32_t index = cd_feature_index(feature);
        const cd_convex3 *c = &part.convex;
        if (kind == CD_FEATURE_FACE && index < c->face_count) {
            int32_t first = c->face_first[index], count = c->face_first[index + 1] - first;
            cd_vec3 *corner = CD_ARENA_ARRAY(scratch, cd_vec3, count), normal = c->plane[index].normal;
            for (int32_t k = 0; k < count; k++)
                corner[k] = cd_convex3_vertex(c, c->face_vertex[first + k]);
            face_draw(canvas, scratch, view, corner, count, normal.z < 0 ? cd_negate3(normal) : normal, style);
        } else if (kind == CD_FEATURE_EDGE && index < part.edges->count) {
            const int32_t *vertex = part.edges->edge[index].vertex;
            cd_plot_segment_path(canvas, view, cd_convex3_vertex(c, vertex[0]), cd_convex3_vertex(c, vertex[1]));
            cd_plot_stroke(canvas, style.stroke, 2.5 * style.width);
        }
    }
    cd_arena_rewind(scratch, mark);
}

// ---- depth ---------------------------------------------------------------------------------------------------------

typedef struct deep_row {
    double depth;
    int32_t row;
} deep_row;

static int compare_depths(const void *left, const void *right)
{
    const deep_row *a = left, *b = right;
    return a->depth != b->depth ? (a->depth > b->depth) - (a->depth < b->depth) : (a->row > b->row) - (a->row < b->row);
}

int32_t *cd_plot_depth_order(cd_arena *arena, const cd_plot_camera *camera, const double *point, int32_t count)
{
    int32_t *order = CD_ARENA_ARRAY(arena, int32_t, count);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    deep_row *row = CD_ARENA_ARRAY(arena, deep_row, count);
    for (int32_t i = 0; i < count; i++)
        row[i] = (deep_row){cd_plot_see_deep(camera, point + (size_t)camera->dim * (size_t)i).z, i};
    qsort(row, (size_t)count, sizeof *row, compare_depths);
    for (int32_t i = 0; i < count; i++)
        order[i] = row[i].row;
    cd_arena_rewind(arena, mark);
    return order;
}
