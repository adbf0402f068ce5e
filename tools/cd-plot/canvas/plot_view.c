// SPDX-License-Identifier: MIT
#include "plot_view.h"

#include <math.h>

// [1] Least width or height of a view relative to the size of its coordinates: ticks of such a view still differ in 15
// digits.
#define LEAST_SIDE 1e-11
#define RIM 24  // [px] wider than half of any line

cd_plot_box cd_plot_box_empty(void) { return (cd_plot_box){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}}; }

cd_plot_box cd_plot_box_add(cd_plot_box box, cd_vec2 point)
{
    cd_vec2 p = cd_plot_clamp2(point);
    return (cd_plot_box){{fmin(box.min.x, p.x), fmin(box.min.y, p.y)}, {fmax(box.max.x, p.x), fmax(box.max.y, p.y)}};
}

bool cd_plot_box_is_empty(cd_plot_box box) { return box.min.x > box.max.x || box.min.y > box.max.y; }

bool cd_plot_box_holds(cd_plot_box box, cd_vec2 point)
{
    return point.x >= box.min.x && point.x <= box.max.x && point.y >= box.min.y && point.y <= box.max.y;
}

static void widen(double *low, double *high, double least)
{
    double lack = least - (*high - *low);
    if (lack > 0) {
        *low -= 0.5 * lack;
        *high += 0.5 * lack;
    }
}

cd_plot_box cd_plot_box_fit(cd_plot_box box, double margin, double most_ratio)
{
    if (cd_plot_box_is_empty(box))
        box = (cd_plot_box){{-0.5, -0.5}, {0.5, 0.5}};
    double size = fmax(fmax(fabs(box.min.x), fabs(box.max.x)), fmax(fabs(box.min.y), fabs(box.max.y)));
    double larger = fmax(box.max.x - box.min.x, box.max.y - box.min.y);
    if (larger <= LEAST_SIDE * size || larger < 1e-290)  // a point: some room around it
        larger = size > 1e-6 ? fmax(0.1 * size, LEAST_SIDE * size) : 1e-6;
    widen(&box.min.x, &box.max.x, larger / most_ratio);
    widen(&box.min.y, &box.max.y, larger / most_ratio);
    cd_vec2 rim = {margin * larger, margin * larger};
    return (cd_plot_box){cd_sub2(box.min, rim), cd_add2(box.max, rim)};
}

cd_plot_view cd_plot_view_make(cd_plot_box box, cd_plot_rect rect)
{
    cd_plot_view view = {
        .box = box, .rect = rect, .scale = rect.width / (box.max.x - box.min.x), .camera = cd_plot_camera_plane()};
    cd_vec2 rim = {RIM / view.scale, RIM / view.scale};
    view.wide = (cd_plot_box){cd_sub2(box.min, rim), cd_add2(box.max, rim)};
    return view;
}

cd_plot_extent cd_plot_extent_empty(void)
{
    return (cd_plot_extent){cd_plot_box_empty(), {INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

void cd_plot_extent_hall(const cd_plot_extent *extent, cd_vec3 *low, cd_vec3 *high)
{
    bool is_empty = extent->low.x > extent->high.x;
    *low = is_empty ? (cd_vec3){-0.5, -0.5, -0.5} : extent->low;
    *high = is_empty ? (cd_vec3){0.5, 0.5, 0.5} : extent->high;
}

// The part of a polygon with normal.x <= offset (Sutherland & Hodgman).
static cd_polygon cut(cd_arena *arena, cd_polygon polygon, cd_vec2 normal, double offset)
{
    cd_vec2 *out = CD_ARENA_ARRAY(arena, cd_vec2, 2 * (size_t)polygon.count);
    int kept = 0;
    for (int i = 0; i < polygon.count; i++) {
        cd_vec2 p = polygon.vertex[i], q = polygon.vertex[cd_polygon_next(polygon, i)];
        double dp = cd_dot2(normal, p) - offset, dq = cd_dot2(normal, q) - offset;
        if (dp <= 0)
            out[kept++] = p;
        if ((dp < 0 && dq > 0) || (dp > 0 && dq < 0))
            out[kept++] = cd_lerp2(p, q, dp / (dp - dq));
    }
    return (cd_polygon){kept, out};
}

cd_polygon cd_plot_clip_polygon(cd_arena *arena, cd_plot_box box, const cd_vec2 *vertex, int count)
{
    cd_vec2 *finite = CD_ARENA_ARRAY(arena, cd_vec2, count);
    bool is_inside = true;
    for (int i = 0; i < count; i++) {
        finite[i] = cd_plot_clamp2(vertex[i]);
        is_inside = is_inside && cd_plot_box_holds(box, finite[i]);
    }
    cd_polygon polygon = {count, finite};
    if (is_inside)
        return polygon;
    polygon = cut(arena, polygon, (cd_vec2){-1, 0}, -box.min.x);
    polygon = cut(arena, polygon, (cd_vec2){1, 0}, box.max.x);
    polygon = cut(arena, polygon, (cd_vec2){0, -1}, -box.min.y);
    return cut(arena, polygon, (cd_vec2){0, 1}, box.max.y);
}

cd_polygon cd_plot_clip_halfspace(cd_arena *arena, cd_plot_box box, cd_vec2 normal, double offset)
{
    cd_vec2 *corner = CD_ARENA_ARRAY(arena, cd_vec2, 4);
    corner[0] = box.min;
    corner[1] = (cd_vec2){box.max.x, box.min.y};
    corner[2] = box.max;
    corner[3] = (cd_vec2){box.min.x, box.max.y};
    return cut(arena, (cd_polygon){4, corner}, normal, cd_plot_clamp(offset));
}

bool cd_plot_clip_segment(cd_plot_box box, cd_vec2 *a, cd_vec2 *b)
{
    // Liang & Barsky: the parameters at which the line enters and leaves each slab.
    cd_vec2 p = cd_plot_clamp2(*a), q = cd_plot_clamp2(*b), d = cd_sub2(q, p);
    const double along[2] = {d.x, d.y}, start[2] = {p.x, p.y};
    const double low[2] = {box.min.x, box.min.y}, high[2] = {box.max.x, box.max.y};
    double enter = 0, leave = 1;
    for (int k = 0; k < 2; k++) {
        if (along[k] == 0) {
            if (start[k] < low[k] || start[k] > high[k])
                return false;
            continue;
        }
        double t0 = (low[k] - start[k]) / along[k], t1 = (high[k] - start[k]) / along[k];
        enter = fmax(enter, fmin(t0, t1));
        leave = fmin(leave, fmax(t0, t1));
    }
    if (enter > leave)
        return false;
    *a = enter > 0 ? cd_lerp2(p, q, enter) : p;
    *b = leave < 1 ? cd_lerp2(p, q, leave) : q;
    return true;
}

// ---- panels --------------------------------------------------------------------------------------------------------

cd_plot_grid cd_plot_grid_fit(int panels, double ratio, double width, double height, double gap_x, double gap_y,
                              int columns_wanted)
{
    cd_plot_grid best = {0};
    for (int columns = 1; columns <= panels; columns++) {
        if (columns_wanted > 0 && columns != columns_wanted)
            continue;
        int rows = (panels + columns - 1) / columns;
        double w = (width - (columns - 1) * gap_x) / columns, h = (height - (rows - 1) * gap_y) / rows;
        w = fmin(w, h / ratio);
        if (best.columns == 0 || w > best.width)
            best = (cd_plot_grid){columns, rows, w, w * ratio};
    }
    return best;
}
