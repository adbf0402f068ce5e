// Solids painted: faces, edges and outlines of polyhedra, shaded ellipsoids, triangles.
// SPDX-License-Identifier: MIT
#include "plot_cast.h"

#include <math.h>

#define DOT_RADIUS 1.2     // [px] what is smaller is drawn as a dot of this size, so that it can be seen
#define SMALL 5.0          // [px] a polyhedron below this size is its outline
#define ROUND_RADIUS 2.5   // [px] an ellipsoid below this size has one shade
#define TURN_RADIUS 9.0    // [px] from here on an ellipsoid's main sections show how it is turned
#define ARC_RADIUS 4000.0  // [px] larger ones are polygons, which can be clipped
enum { CORNERS = 256, SECTION_CORNERS = 64 };

// Towards the light, in the picture: from the upper left, before the scene.
static const cd_vec3 to_light = {-0.42, 0.62, 0.66};

// ---- colours -------------------------------------------------------------------------------------------------------

static cd_plot_colour mix(cd_plot_colour a, cd_plot_colour b, double share)
{
    return (cd_plot_colour){a.red + share * (b.red - a.red), a.green + share * (b.green - a.green),
                            a.blue + share * (b.blue - a.blue), a.alpha};
}

// `light` is the cosine between normal and light. The fill is what is lit by half; darker towards the stroke's colour,
// lighter towards white, so that a shade keeps its hue.
static cd_plot_colour lit(cd_plot_body_style style, double light)
{
    const double middle = 0.5;
    if (light >= middle)
        return mix(style.fill, cd_plot_rgb(0xffffff), 0.6 * (light - middle) / (1 - middle));
    return mix(style.fill, style.stroke, 0.5 * fmin(1, (middle - light) / (1 + middle) * 1.6));
}

cd_plot_colour cd_plot_shade(cd_plot_body_style style, cd_vec3 normal) { return lit(style, cd_dot3(normal, to_light)); }

// ---- paths ---------------------------------------------------------------------------------------------------------

bool cd_plot_flat_path(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_vec3 *corner,
                       int32_t count)
{
    cd_vec2 *flat = CD_ARENA_ARRAY(scratch, cd_vec2, count);
    for (int32_t i = 0; i < count; i++)
        flat[i] = (cd_vec2){corner[i].x, corner[i].y};
    cd_polygon shown = cd_plot_clip_polygon(scratch, view->wide, flat, count);
    if (shown.count < 3)
        return false;
    for (int32_t i = 0; i < shown.count; i++) {
        cd_vec2 p = cd_plot_to_px(view, shown.vertex[i]);
        cd_canvas_line(canvas, p);
    }
    cd_canvas_close(canvas);
    return true;
}

void cd_plot_segment_path(cd_canvas *canvas, const cd_plot_view *view, cd_vec3 a, cd_vec3 b)
{
    cd_vec2 p = {a.x, a.y}, q = {b.x, b.y};
    if (!cd_plot_clip_segment(view->wide, &p, &q))
        return;
    p = cd_plot_to_px(view, p);
    q = cd_plot_to_px(view, q);
    cd_canvas_move(canvas, p);
    cd_canvas_line(canvas, q);
}

void cd_plot_cross_draw(cd_canvas *canvas, const cd_plot_view *view, cd_vec2 place, cd_plot_body_style style)
{
    if (!cd_plot_box_holds(view->wide, place))
        return;
    cd_vec2 p = cd_plot_to_px(view, place);
    for (int i = -1; i <= 1; i += 2) {
        cd_canvas_move(canvas, (cd_vec2){p.x - 4, p.y - 4 * i});
        cd_canvas_line(canvas, (cd_vec2){p.x + 4, p.y + 4 * i});
    }
    cd_plot_stroke(canvas, style.stroke, style.width);
}

static void fill(cd_canvas *canvas, cd_plot_colour colour)
{
    cd_canvas_source(canvas, colour);
    cd_canvas_fill(canvas);
}

// ---- polyhedra -----------------------------------------------------------------------------------------------------

static bool is_outer(const cd_convex3 *c, int32_t face) { return !c->surface || c->surface[face] != -1; }
static bool is_seen(const cd_convex3 *c, int32_t face) { return c->plane[face].normal.z > 0 && is_outer(c, face); }

// The projection of a convex polyhedron is the hull of its corners.
static bool outline_path(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_convex3 *c)
{
    cd_vec2 *point = CD_ARENA_ARRAY(scratch, cd_vec2, c->vertex_count);
    for (int32_t i = 0; i < c->vertex_count; i++)
        point[i] = (cd_vec2){c->x[i], c->y[i]};
    cd_polygon hull = cd_hull2(point, c->vertex_count, scratch, NULL);
    cd_vec3 *corner = CD_ARENA_ARRAY(scratch, cd_vec3, hull.count);
    for (int32_t i = 0; i < hull.count; i++)
        corner[i] = (cd_vec3){hull.vertex[i].x, hull.vertex[i].y, 0};
    return cd_plot_flat_path(canvas, scratch, view, corner, hull.count);
}

static bool has_outer_face(const cd_convex3 *c)
{
    for (int32_t f = 0; f < c->face_count; f++)
        if (is_seen(c, f))
            return true;
    return false;
}

// Edges of one kind: between two faces that are seen, be it of two parts of a body's surface (the lines of a mesh);
// else the outline.
static void edges_path(cd_canvas *canvas, const cd_plot_view *view, const cd_plot_part *part, bool outline)
{
    const cd_convex3 *c = &part->convex;
    for (int32_t e = 0; e < part->edges->count; e++) {
        const cd_edge3 *edge = &part->edges->edge[e];
        int32_t f = edge->face[0], g = edge->face[1];
        bool sees_f = f >= 0 && is_seen(c, f), sees_g = g >= 0 && is_seen(c, g);
        if (!sees_f && !sees_g)
            continue;
        int32_t other = sees_f ? g : f;
        bool is_inner = other >= 0 && !is_outer(c, other), has_mate = is_inner && part->mate;
        bool hides_mate = has_mate && cd_dot3(part->mate[e], part->eye) < 0;
        bool is_crease = (sees_f && sees_g) || (is_inner && !hides_mate);
        if (is_crease != outline)
            cd_plot_segment_path(canvas, view, cd_convex3_vertex(c, edge->vertex[0]),
                                 cd_convex3_vertex(c, edge->vertex[1]));
    }
}

static void polyhedron_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_plot_part *part,
                            cd_plot_body_style style, double size)
{
    const cd_convex3 *c = &part->convex;
    if (size < SMALL) {
        if (has_outer_face(c) && outline_path(canvas, scratch, view, c)) {
            cd_canvas_source(canvas, style.fill);
            cd_canvas_fill_keep(canvas);
            cd_plot_stroke(canvas, style.stroke, 0.5 * style.width);
        }
        return;
    }
    for (int32_t f = 0; f < c->face_count && style.fill.alpha > 0; f++) {
        if (!is_seen(c, f))
            continue;
        cd_arena_mark mark = cd_arena_get_mark(scratch);
        int32_t first = c->face_first[f], count = c->face_first[f + 1] - first;
        cd_vec3 *corner = CD_ARENA_ARRAY(scratch, cd_vec3, count);
        for (int32_t k = 0; k < count; k++)
            corner[k] = cd_convex3_vertex(c, c->face_vertex[first + k]);
        if (cd_plot_flat_path(canvas, scratch, view, corner, count))
            fill(canvas, cd_plot_shade(style, c->plane[f].normal));
        cd_arena_rewind(scratch, mark);
    }
    // Lines of what is seen through others would add up to a net of their own.
    double fine = size < 4 * SMALL ? 0.35 : 0.5, clear = style.fill.alpha > 0 ? 0.6 + 0.4 * style.fill.alpha : 1;
    edges_path(canvas, view, part, false);
    cd_plot_stroke(canvas, cd_plot_fade(style.stroke, 0.75 * clear), fine * style.width);
    edges_path(canvas, view, part, true);
    cd_plot_dash(canvas, style.dash);
    cd_plot_stroke(canvas, cd_plot_fade(style.stroke, clear), (size < 4 * SMALL ? 0.6 : 1) * style.width);
}

// ---- ellipsoids ----------------------------------------------------------------------------------------------------

// The outline { Q b : |b| <= 1 }: an ellipse whose half axes are the eigenvectors of Q Q'.
typedef struct ellipse {
    double major, minor, angle;  // [m] [m] [rad] of the major axis
} ellipse;

static ellipse outline_of(const cd_plot_part *part)
{
    double xx = 0, xy = 0, yy = 0;
    for (int k = 0; k < 3; k++) {
        xx += part->axis[k].x * part->axis[k].x;
        xy += part->axis[k].x * part->axis[k].y;
        yy += part->axis[k].y * part->axis[k].y;
    }
    double middle = 0.5 * (xx + yy), half = hypot(0.5 * (xx - yy), xy);
    if (half <= 1e-12 * middle)
        return (ellipse){sqrt(middle), sqrt(middle), 0};
    return (ellipse){sqrt(middle + half), sqrt(fmax(middle - half, 0)), 0.5 * atan2(xy, 0.5 * (xx - yy))};
}

// The halves of the three main sections that look at the eye: a point p = sum c_k a_k has the normal sum c_k a_k /
// |a_k|^2.
static void sections_path(cd_canvas *canvas, const cd_plot_view *view, const cd_plot_part *part)
{
    for (int k = 0; k < 3; k++) {
        cd_vec3 u = part->axis[k], v = part->axis[(k + 1) % 3], before = {0};
        double uz = u.z / cd_dot3(u, u), vz = v.z / cd_dot3(v, v);
        for (int i = 0; i <= SECTION_CORNERS; i++) {
            double angle = 2 * M_PI * i / SECTION_CORNERS, c = cos(angle), s = sin(angle);
            cd_vec3 point = cd_add3(part->centre, cd_add3(cd_scale3(c, u), cd_scale3(s, v)));
            double middle = angle - M_PI / SECTION_CORNERS;
            if (i > 0 && cos(middle) * uz + sin(middle) * vz > 0)
                cd_plot_segment_path(canvas, view, before, point);
            before = point;
        }
    }
}

static void ellipse_polygon(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_plot_part *part,
                            ellipse e, cd_plot_body_style style)
{
    cd_vec3 *corner = CD_ARENA_ARRAY(scratch, cd_vec3, CORNERS);
    for (int i = 0; i < CORNERS; i++) {
        double t = 2 * M_PI * i / CORNERS, u = e.major * cos(t), v = e.minor * sin(t);
        corner[i] = (cd_vec3){part->centre.x + u * cos(e.angle) - v * sin(e.angle),
                              part->centre.y + u * sin(e.angle) + v * cos(e.angle), 0};
    }
    if (!cd_plot_flat_path(canvas, scratch, view, corner, CORNERS))
        return;
    cd_canvas_source(canvas, style.fill);
    cd_canvas_fill_keep(canvas);
    cd_plot_dash(canvas, style.dash);
    cd_plot_stroke(canvas, style.stroke, style.width);
}

// In coordinates in which the outline is the unit circle: bright where the light falls, as on a sphere.
static void shade_ball(cd_canvas *canvas, ellipse e, cd_plot_body_style style)
{
    double x = to_light.x * cos(e.angle) + to_light.y * sin(e.angle),
           y = -(to_light.y * cos(e.angle) - to_light.x * sin(e.angle));
    enum { STOPS = 4 };
    const cd_canvas_stop stop[STOPS] = {
        {0, lit(style, 0.98)}, {0.45, lit(style, 0.72)}, {0.75, lit(style, 0.4)}, {1, lit(style, -0.1)}};
    cd_canvas_source_radial(canvas, (cd_vec2){0.62 * x, 0.62 * y}, 1.05, stop, STOPS);
}

static void ellipsoid_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_plot_part *part,
                           cd_plot_body_style style)
{
    ellipse e = outline_of(part);
    double major = e.major * view->scale, minor = fmax(e.minor * view->scale, 0.01);
    if (major > ARC_RADIUS) {
        ellipse_polygon(canvas, scratch, view, part, e, style);
        return;
    }
    cd_vec2 p = cd_plot_to_px(view, (cd_vec2){part->centre.x, part->centre.y});
    cd_canvas_save(canvas);
    cd_canvas_translate(canvas, p);
    cd_canvas_rotate(canvas, -e.angle);
    cd_canvas_scale(canvas, (cd_vec2){major, minor});
    cd_canvas_circle(canvas, (cd_vec2){0, 0}, 1);
    if (style.fill.alpha > 0) {
        if (major >= ROUND_RADIUS)
            shade_ball(canvas, e, style);
        else
            cd_canvas_source(canvas, style.fill);
        cd_canvas_fill_keep(canvas);
    }
    cd_canvas_restore(canvas);
    cd_plot_dash(canvas, style.dash);
    cd_plot_stroke(canvas, style.stroke, (major < 2 * SMALL ? 0.6 : 1) * style.width);
    if (major >= TURN_RADIUS && style.fill.alpha > 0) {
        sections_path(canvas, view, part);
        cd_plot_stroke(canvas, cd_plot_fade(style.stroke, 0.45), 0.5 * style.width);
    }
}

// ---- triangles of surfaces -----------------------------------------------------------------------------------------

static void sheet_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_plot_part *part,
                       cd_plot_body_style style, double size)
{
    if (!cd_plot_flat_path(canvas, scratch, view, part->corner, 3))
        return;
    if (style.fill.alpha > 0) {
        cd_vec3 n =
            cd_unit3(cd_cross3(cd_sub3(part->corner[1], part->corner[0]), cd_sub3(part->corner[2], part->corner[0])));
        cd_canvas_source(canvas, cd_plot_shade(style, n.z < 0 ? cd_negate3(n) : n));
        cd_canvas_fill_keep(canvas);
    }
    cd_plot_dash(canvas, style.dash);
    cd_plot_stroke(canvas, cd_plot_fade(style.stroke, 0.8), (size < 4 * SMALL ? 0.35 : 0.6) * style.width);
}

void cd_plot_part_draw(cd_canvas *canvas, cd_arena *scratch, const cd_plot_view *view, const cd_plot_part *part,
                       cd_plot_body_style style)
{
    cd_plot_box wide = view->wide;
    if (part->high.x < wide.min.x || part->low.x > wide.max.x || part->high.y < wide.min.y || part->low.y > wide.max.y)
        return;
    double size = fmax(part->high.x - part->low.x, part->high.y - part->low.y) * view->scale;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_canvas_new_path(canvas);
    if (size < 2 * DOT_RADIUS && !(part->kind == CD_SHAPE_POLYHEDRON && !has_outer_face(&part->convex))) {
        cd_vec3 middle = cd_lerp3(part->low, part->high, 0.5);
        cd_vec2 p = cd_plot_to_px(view, (cd_vec2){middle.x, middle.y});
        cd_canvas_circle(canvas, p, DOT_RADIUS);
        fill(canvas, mix(style.stroke, style.fill, style.fill.alpha > 0 ? 0.5 : 0));
    } else if (part->kind == CD_SHAPE_POLYHEDRON) {
        polyhedron_draw(canvas, scratch, view, part, style, size);
    } else if (part->kind == CD_SHAPE_ELLIPSOID) {
        ellipsoid_draw(canvas, scratch, view, part, style);
    } else {
        sheet_draw(canvas, scratch, view, part, style, size);
    }
    cd_arena_rewind(scratch, mark);
}
