// Ids of bodies.
// SPDX-License-Identifier: MIT
#include "plot_stage.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// Ids are drawn by themselves only for this many bodies.
enum { FEW_BODIES = 60 };

static bool overlaps(cd_plot_rect a, cd_plot_rect b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

// What labels should leave free: contact points and the arrows at them, as small squares along each.
typedef CD_LIST(cd_plot_rect) rect_list;

static rect_list contact_places(const cd_plot_stage *s)
{
    rect_list list = {0};
    const cd_contact_rows *contact = &s->in->contact;
    for (int32_t i = 0; i < contact->count && i < 4 * FEW_BODIES && cd_plot_shows(s->ask, CD_PLOT_CONTACTS); i++) {
        cd_vec2 point = cd_plot_see(&s->view->camera, cd_plot_vector(s->in, contact->point, i));
        cd_vec2 normal = cd_plot_see(&s->view->camera, cd_plot_vector(s->in, contact->normal, i));
        if (!cd_plot_box_holds(s->view->wide, point))
            continue;
        cd_vec2 p = cd_plot_to_px(s->view, point);
        for (int k = 0; k <= (cd_plot_shows(s->ask, CD_PLOT_NORMALS) ? 4 : 0); k++) {
            double along = 6.5 * k * s->mark, x = p.x + along * normal.x, y = p.y - along * normal.y;
            cd_plot_rect square = {x - 2, y - 2, 4, 4};
            cd_list_push(s->scratch, &list, square);
        }
    }
    return list;
}

static bool is_free(cd_plot_rect rect, const rect_list *list)
{
    for (int32_t t = 0; t < list->count; t++)
        if (overlaps(rect, list->item[t]))
            return false;
    return true;
}

static bool body_shows(const cd_plot_stage *s, int32_t body, const cd_plot_pose *pose, cd_vec2 point)
{
    if (!cd_plot_body_covers(s->scratch, &s->view->camera, s->shapes, cd_plot_shape_of(s->in, body), pose, point))
        return false;
    int32_t top = cd_plot_cast_top(&s->cast, point);
    return top < 0 || top == body;
}

// A label of width x size px at the body's place or, on the body, beside it: clear of other labels and, where there is
// such a place, of contacts. False: there is none.
static bool place_label(const cd_plot_stage *s, int32_t body, double width, double size, const rect_list *labels,
                        const rect_list *contacts, cd_plot_rect *rect)
{
    static const double beside[][2] = {{0, 0},    {0, -1.2}, {0, 1.2}, {-1, 0}, {1, 0},
                                       {0, -2.4}, {0, 2.4},  {-2, 0},  {2, 0}};
    cd_plot_pose pose = cd_plot_pose_start(&s->view->camera, s->in, body);
    cd_plot_rect view = s->view->rect;
    for (int strict = 1; strict >= 0; strict--)
        for (size_t k = 0; k < sizeof beside / sizeof beside[0]; k++) {
            cd_vec2 move = {beside[k][0] * (width + 6), beside[k][1] * size};  // [px] down
            cd_vec2 at = {pose.at.x + move.x / s->view->scale, pose.at.y - move.y / s->view->scale};
            cd_vec2 p = cd_plot_to_px(s->view, at);
            *rect = (cd_plot_rect){p.x - 0.5 * width - 1, p.y - 0.5 * size, width + 2, size};
            bool inside = rect->x > view.x && rect->x + rect->width < view.x + view.width && rect->y > view.y &&
                          rect->y + size < view.y + view.height;
            // In the plane nothing hides a body's own place.
            bool is_own = k == 0 && s->in->dim == 2;
            if (inside && is_free(*rect, labels) && (!strict || is_free(*rect, contacts)) &&
                (is_own || body_shows(s, body, &pose, at)))
                return true;
        }
    return false;
}

void cd_plot_labels_draw(const cd_plot_stage *s)
{
    int active = 0;
    for (int32_t i = 0; i < s->in->body.count; i++)
        active += cd_plot_takes_part(s->ask, s->in, i);
    if (!cd_plot_shows(s->ask, CD_PLOT_IDS) || (!s->ask->ids_wanted && active > FEW_BODIES))
        return;
    rect_list labels = {0}, contacts = contact_places(s);
    double size = fmax(11 * s->unit, 8.5);
    for (int32_t k = 0; k < s->in->body.count; k++) {
        int32_t i = s->order.row[k];
        if (!cd_plot_takes_part(s->ask, s->in, i) || !cd_body_has_position(s->in, i) ||
            !cd_plot_box_holds(s->view->box, cd_plot_pose_start(&s->view->camera, s->in, i).at) ||
            cd_plot_shape_is_halfspace(s->shapes, cd_plot_shape_of(s->in, i)))
            continue;
        char text[24];
        snprintf(text, sizeof text, "%" PRId64, s->in->body.id[i]);
        cd_plot_rect rect;
        double width = cd_plot_text_width(s->canvas, size, text);
        if (!place_label(s, i, width, size, &labels, &contacts, &rect))
            continue;
        cd_list_push(s->scratch, &labels, rect);
        cd_plot_text_halo(s->canvas, (cd_vec2){rect.x + 0.5 * rect.width, rect.y + 0.5 * size}, size, text);
    }
}
