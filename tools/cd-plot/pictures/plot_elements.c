// SPDX-License-Identifier: MIT
#include "plot_elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- elements of a frame -------------------------------------------------------------------------------------------

static cd_vec3 node_at(const cd_model *in, int32_t node) { return cd_node_vector(in->node.position, in->dim, node); }

// [-] NaN: the element has no reference.
static double strain_of(const cd_plot_frame *frame, int32_t body, int32_t part)
{
    const cd_model *in = &frame->in;
    cd_vec3 reference[CD_ELEMENT_MAX_NODES], x[CD_ELEMENT_MAX_NODES];
    cd_corners corners = cd_element_corners(&frame->placed, body, part);
    int32_t row = cd_element_row(&frame->placed, body, part);
    if (!cd_element_reference(in, row, reference))
        return NAN;
    for (int i = 0; i < corners.count; i++)
        x[i] = node_at(in, corners.node[i]);
    cd_symmetry symmetry = (cd_symmetry)cd_i32_or(in->head.symmetry, 0, CD_SYMMETRY_PLANE);
    return cd_element_distortion((cd_element_kind)in->element.kind[row], reference, x, symmetry);
}

double cd_plot_elements_top_strain(const cd_plot_ask *ask, const cd_plot_frame *frame)
{
    double top = NAN;
    for (int32_t i = 0; i < frame->in.body.count && cd_plot_shows(ask, CD_PLOT_STRAIN); i++)
        if (cd_plot_takes_part(ask, &frame->in, i))
            for (int32_t part = 0; part < cd_elements_of_body(&frame->placed, i); part++)
                top = fmax(top, strain_of(frame, i, part));
    return top;
}

static cd_placed_pinballs balls_of(const cd_plot_frame *frame)
{
    return (cd_placed_pinballs){frame->pinballs, &frame->placed};
}

unsigned cd_plot_elements_marks(const cd_plot_ask *ask, const cd_plot_frame *frame)
{
    unsigned marks = 0;
    cd_placed_pinballs balls = balls_of(frame);
    for (int32_t i = 0; i < frame->in.body.count; i++) {
        if (!cd_plot_takes_part(ask, &frame->in, i) || !cd_plot_has_elements(frame, i))
            continue;
        if (cd_plot_shows(ask, CD_PLOT_NODES))
            marks |= 1u << CD_PLOT_MARK_NODE;
        for (int32_t part = 0; part < cd_elements_of_body(&frame->placed, i) && cd_plot_shows(ask, CD_PLOT_PINBALLS);
             part++)
            if (cd_pinballs_of_part(&balls, i, part) > 0)
                marks |= 1u << CD_PLOT_MARK_PINBALL;
    }
    double top = cd_plot_elements_top_strain(ask, frame);
    marks |= isnan(top) ? 0
             : top == 0 ? 1u << CD_PLOT_MARK_STRAIN_LOW
                        : 1u << CD_PLOT_MARK_STRAIN_LOW | 1u << CD_PLOT_MARK_STRAIN_HIGH;
    return marks;
}

static void add_point(const cd_plot_camera *camera, cd_vec3 x, double radius, cd_plot_extent *extent)
{
    const double p[3] = {x.x, x.y, x.z};
    cd_vec2 seen = cd_plot_see(camera, p);
    extent->box = cd_plot_box_add(extent->box, (cd_vec2){seen.x - radius, seen.y - radius});
    extent->box = cd_plot_box_add(extent->box, (cd_vec2){seen.x + radius, seen.y + radius});
    if (camera->dim == 2)
        return;
    extent->low = (cd_vec3){fmin(extent->low.x, x.x - radius), fmin(extent->low.y, x.y - radius),
                            fmin(extent->low.z, x.z - radius)};
    extent->high = (cd_vec3){fmax(extent->high.x, x.x + radius), fmax(extent->high.y, x.y + radius),
                             fmax(extent->high.z, x.z + radius)};
}

void cd_plot_elements_extent(const cd_plot_ask *ask, const cd_plot_frame *frame, int32_t body, cd_plot_extent *extent)
{
    cd_placed_pinballs balls = balls_of(frame);
    for (int32_t part = 0; part < cd_elements_of_body(&frame->placed, body); part++) {
        cd_corners corners = cd_element_corners(&frame->placed, body, part);
        for (int i = 0; i < corners.count; i++)
            add_point(&ask->camera, node_at(&frame->in, corners.node[i]), 0, extent);
        int32_t count = cd_plot_shows(ask, CD_PLOT_PINBALLS) ? cd_pinballs_of_part(&balls, body, part) : 0;
        for (int32_t child = 0; child < count; child++) {
            cd_pinball ball = cd_pinball_of(&balls, body, part, child);
            add_point(&ask->camera, ball.centre, ball.radius, extent);
        }
    }
}

// ---- colours -------------------------------------------------------------------------------------------------------

// From light to dark, so that it reads without colour: the scheme OrRd of C. Brewer.
cd_plot_colour cd_plot_strain_colour(double part)
{
    static const cd_plot_colour stop[3] = {CD_PLOT_RGB(0xfff7ec), CD_PLOT_RGB(0xfc8d59), CD_PLOT_RGB(0x7f0000)};
    double at = 2 * fmin(1, fmax(0, part));
    const cd_plot_colour *a = at < 1 ? &stop[0] : &stop[1], *b = a + 1;
    double share = at < 1 ? at : at - 1;
    return (cd_plot_colour){a->red + share * (b->red - a->red), a->green + share * (b->green - a->green),
                            a->blue + share * (b->blue - a->blue), 1};
}

static cd_plot_body_style style_of(const cd_plot_stage *s, int32_t body, int32_t part, cd_plot_body_style style)
{
    double strain = isnan(s->top_strain) ? NAN : strain_of(s->frame, body, part);
    if (isnan(strain))
        return style;
    cd_plot_colour colour = cd_plot_strain_colour(s->top_strain > 0 ? strain / s->top_strain : 0);
    style.fill = cd_plot_fade(colour, style.fill.alpha);
    style.stroke = cd_plot_mark_colour(CD_PLOT_MARK_STRAIN_LOW);  // shades go towards it: a grey one keeps the hue
    return style;
}

// ---- the plane -----------------------------------------------------------------------------------------------------

static void draw_flat(const cd_plot_stage *s, int32_t body, int32_t part, cd_plot_body_style style)
{
    cd_corners corners = cd_element_corners(&s->frame->placed, body, part);
    cd_vec3 x[CD_ELEMENT_MAX_NODES];
    for (int i = 0; i < corners.count; i++)
        x[i] = node_at(s->in, corners.node[i]);
    if (!cd_plot_flat_path(s->canvas, s->scratch, s->view, x, corners.count))
        return;
    cd_canvas_source(s->canvas, style.fill);
    cd_canvas_fill_keep(s->canvas);
    cd_plot_stroke(s->canvas, cd_plot_fade(style.stroke, 0.8), 0.5 * style.width);
}

// ---- space ---------------------------------------------------------------------------------------------------------

// A face by its nodes in ascending order, to find those that two elements share.
typedef struct face {
    int32_t key[4], node[4];  // key[3] -1: a triangle
    int32_t part;
} face;

static int compare_faces(const void *a, const void *b)
{
    const face *left = a, *right = b;
    for (int k = 0; k < 4; k++)
        if (left->key[k] != right->key[k])
            return left->key[k] < right->key[k] ? -1 : 1;
    return (left->part > right->part) - (left->part < right->part);
}

static face face_of(const int32_t *node, const int *corner, int count, int32_t part)
{
    face f = {.node = {-1, -1, -1, -1}, .part = part};
    for (int i = 0; i < count; i++)
        f.node[i] = node[corner[i]];
    memcpy(f.key, f.node, sizeof f.key);
    for (int i = 0; i < count; i++)
        for (int k = 0; k + 1 < count; k++)
            if (f.key[k] > f.key[k + 1]) {
                int32_t kept = f.key[k];
                f.key[k] = f.key[k + 1];
                f.key[k + 1] = kept;
            }
    return f;
}

// All faces of a body, from outside counter-clockwise.
static int32_t faces_of(const cd_plot_stage *s, int32_t body, face **out)
{
    static const int tet[4][4] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    static const int hex[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
    int32_t parts = cd_elements_of_body(&s->frame->placed, body), count = 0;
    face *list = CD_ARENA_ARRAY(s->scratch, face, 6 * (size_t)parts);
    for (int32_t part = 0; part < parts; part++) {
        cd_corners corners = cd_element_corners(&s->frame->placed, body, part);
        bool is_tet = corners.count == 4;
        for (int f = 0; f < (is_tet ? 4 : 6); f++)
            list[count++] = face_of(corners.node, is_tet ? tet[f] : hex[f], is_tet ? 3 : 4, part);
    }
    qsort(list, (size_t)count, sizeof *list, compare_faces);
    *out = list;
    return count;
}

static bool is_shared(const face *list, int32_t count, int32_t i)
{
    return (i > 0 && !memcmp(list[i].key, list[i - 1].key, sizeof list[i].key)) ||
           (i + 1 < count && !memcmp(list[i].key, list[i + 1].key, sizeof list[i].key));
}

static void add_faces(cd_plot_stage *s, int32_t body, cd_plot_body_style style)
{
    face *list;
    int32_t count = faces_of(s, body, &list);
    for (int32_t i = 0; i < count; i++) {
        if (is_shared(list, count, i))
            continue;
        cd_plot_body_style own = style_of(s, body, list[i].part, style);
        cd_vec3 x[4];
        int corners = list[i].node[3] < 0 ? 3 : 4;
        for (int k = 0; k < corners; k++)
            x[k] = node_at(s->in, list[i].node[k]);
        for (int t = 2; t < corners; t++) {
            const cd_vec3 triangle[3] = {x[0], x[t - 1], x[t]};
            cd_plot_cast_add_triangle(&s->cast, triangle, own, body);
        }
    }
}

static void add_balls(cd_plot_stage *s, int32_t body, int32_t part, cd_plot_body_style style)
{
    cd_placed_pinballs balls = balls_of(s->frame);
    int32_t count = cd_pinballs_of_part(&balls, body, part);
    for (int32_t child = 0; child < count; child++) {
        cd_pinball ball = cd_pinball_of(&balls, body, part, child);
        cd_plot_cast_add_ball(&s->cast, ball.centre, ball.radius, style, body);
    }
}

// ---- both ----------------------------------------------------------------------------------------------------------

void cd_plot_elements_add(cd_plot_stage *s, int32_t body, cd_plot_body_style style)
{
    bool in_space = s->in->dim == 3, has_balls = in_space && cd_plot_shows(s->ask, CD_PLOT_PINBALLS);
    int32_t parts = cd_elements_of_body(&s->frame->placed, body);
    for (int32_t part = 0; part < parts && (!in_space || has_balls); part++) {
        cd_plot_body_style own = style_of(s, body, part, style);
        if (in_space)
            add_balls(s, body, part, own);
        else
            draw_flat(s, body, part, own);
    }
    if (in_space && !has_balls)
        add_faces(s, body, style);
}

static void draw_circles(const cd_plot_stage *s, int32_t body, int32_t part)
{
    cd_placed_pinballs balls = balls_of(s->frame);
    int32_t count = cd_pinballs_of_part(&balls, body, part);
    for (int32_t child = 0; child < count; child++) {
        cd_pinball ball = cd_pinball_of(&balls, body, part, child);
        cd_vec2 centre = {ball.centre.x, ball.centre.y};
        cd_plot_box wide = s->view->wide;
        if (centre.x < wide.min.x - ball.radius || centre.x > wide.max.x + ball.radius ||
            centre.y < wide.min.y - ball.radius || centre.y > wide.max.y + ball.radius)
            continue;
        cd_canvas_circle(s->canvas, cd_plot_to_px(s->view, centre), ball.radius * s->view->scale);
        cd_plot_stroke(s->canvas, cd_plot_fade(cd_plot_mark_colour(CD_PLOT_MARK_PINBALL), 0.8), 0.7 * s->unit);
    }
}

void cd_plot_elements_marks_draw(const cd_plot_stage *s)
{
    bool shows_nodes = cd_plot_shows(s->ask, CD_PLOT_NODES);
    bool shows_circles = cd_plot_shows(s->ask, CD_PLOT_PINBALLS) && s->in->dim == 2;
    for (int32_t i = 0; i < s->in->body.count && (shows_nodes || shows_circles); i++) {
        if (!cd_plot_takes_part(s->ask, s->in, i))
            continue;
        for (int32_t part = 0; part < cd_elements_of_body(&s->frame->placed, i); part++) {
            cd_corners corners = cd_element_corners(&s->frame->placed, i, part);
            if (shows_circles)
                draw_circles(s, i, part);
            for (int k = 0; k < corners.count && shows_nodes; k++) {
                cd_vec2 at =
                    cd_plot_see(&s->view->camera, cd_plot_vector(s->in, s->in->node.position, corners.node[k]));
                if (cd_plot_box_holds(s->view->wide, at))
                    cd_plot_marker(s->canvas, 0, cd_plot_to_px(s->view, at), 1.5 * s->unit,
                                   cd_plot_mark_colour(CD_PLOT_MARK_NODE));
            }
        }
    }
}
