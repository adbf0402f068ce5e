// SPDX-License-Identifier: MIT
#include "plot_scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define CLEAR \
    { \
        1, 1, 1, 0 \
    }
const cd_plot_key_entry cd_plot_mark_key[CD_PLOT_MARKS] = {
    [CD_PLOT_MARK_DYNAMIC] = {CD_PLOT_SWATCH_AREA, "dynamic", CD_PLOT_RGB(0x27567d), CD_PLOT_RGB(0xbfd8ec), 0, -1,
                              false},
    [CD_PLOT_MARK_FIXED] = {CD_PLOT_SWATCH_AREA, "fixed", CD_PLOT_RGB(0x5c5c5c), CD_PLOT_RGB(0xd6d6d6), 0, -1, false},
    [CD_PLOT_MARK_PRESCRIBED] = {CD_PLOT_SWATCH_AREA, "prescribed motion", CD_PLOT_RGB(0x8a6100), CD_PLOT_RGB(0xf6dfab),
                                 0, -1, false},
    [CD_PLOT_MARK_UNRELEASED] =
        {CD_PLOT_SWATCH_BOX, "not yet released", CD_PLOT_RGB(0x9db3c6), {0.93, 0.95, 0.97, 0.6}, 2, -1, false},
    [CD_PLOT_MARK_BOUNDS] = {CD_PLOT_SWATCH_BOX, "bounds", CD_PLOT_RGB(0x009e73), CLEAR, 1, -1, false},
    [CD_PLOT_MARK_PAIR] = {CD_PLOT_SWATCH_LINE, "candidate pair", CD_PLOT_RGB(0xe69f00), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_TRIAL] = {CD_PLOT_SWATCH_BOX, "trial end of step", CD_PLOT_RGB(0xb36a00), CLEAR, 2, -1, false},
    [CD_PLOT_MARK_NEXT] = {CD_PLOT_SWATCH_BOX, "end of step", CD_PLOT_RGB(0x7b2d8b), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_VELOCITY] = {CD_PLOT_SWATCH_ARROW, "velocity", CD_PLOT_RGB(0x6a51a3), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_GAP_BELOW] = {CD_PLOT_SWATCH_DOT, "contact, gap < 0", CD_PLOT_RGB(0xd55e00), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_GAP_ZERO] = {CD_PLOT_SWATCH_DOT, "contact, gap = 0", CD_PLOT_RGB(0x111111), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_GAP_ABOVE] = {CD_PLOT_SWATCH_DOT, "contact, gap > 0", CD_PLOT_RGB(0x0072b2), CLEAR, 0, -1, false},
    [CD_PLOT_MARK_NORMAL] = {CD_PLOT_SWATCH_ARROW, "normal, a to b", CD_PLOT_RGB(0x111111), CLEAR, 0, -1, false},
};

// Ids are drawn by themselves only for this many bodies.
enum { FEW_BODIES = 60 };

static cd_plot_colour colour_of(cd_plot_mark mark) { return cd_plot_mark_key[mark].stroke; }

static bool takes_part(const cd_plot_ask *ask, const cd_model *in, int32_t body)
{
    return cd_plot_ask_has_body(ask, in->body.id[body]) && cd_body_is_active(in, body);
}

// Does not take part yet, and has a place where it can be shown?
static bool waits(const cd_plot_ask *ask, const cd_model *in, int32_t body)
{
    return cd_plot_ask_has_body(ask, in->body.id[body]) && !cd_body_is_active(in, body) && cd_body_has_position(in, body);
}

static int32_t shape_of(const cd_model *in, int32_t body) { return in->body.shape ? in->body.shape[body] : -1; }

static bool has_both(const cd_plot_ask *ask, const cd_model *in, const int32_t *a, const int32_t *b, int32_t row)
{
    return cd_plot_ask_has_body(ask, in->body.id[a[2 * (size_t)row]]) &&
           cd_plot_ask_has_body(ask, in->body.id[b[2 * (size_t)row]]);
}

static cd_plot_mark gap_mark(const cd_model *in, int32_t contact)
{
    double gap = in->contact.gap[contact], epsilon = in->head.epsilon ? in->head.epsilon[0] : 0;
    return gap < -epsilon ? CD_PLOT_MARK_GAP_BELOW : gap > epsilon ? CD_PLOT_MARK_GAP_ABOVE : CD_PLOT_MARK_GAP_ZERO;
}

// A pose at the end of the step: rows of `next` and of `trial` look alike.
typedef struct end_poses {
    int32_t count;
    const int32_t *body;
    const double *position, *rotation;
    cd_plot_mark mark;
    cd_plot_thing thing;
} end_poses;

static int end_tables(const cd_model *in, end_poses tables[2])
{
    tables[0] = (end_poses){in->trial.count,    in->trial.body,     in->trial.position,
                            in->trial.rotation, CD_PLOT_MARK_TRIAL, CD_PLOT_TRIAL};
    tables[1] = (end_poses){in->next.count,    in->next.body,     in->next.position,
                            in->next.rotation, CD_PLOT_MARK_NEXT, CD_PLOT_NEXT};
    return 2;
}

static cd_pose2 start_pose(const cd_model *in, int32_t body) { return cd_state2_pose(cd_body_start2(in, body)); }
static cd_pose2 end_pose(const end_poses *ends, int32_t row)
{
    return cd_pose2_make(cd_vec2_at(ends->position + 2 * (size_t)row), ends->rotation[row]);
}

// ---- what there is
// ------------------------------------------------------------------------------------------------------

unsigned cd_plot_scene_marks(const cd_plot_ask *ask, const cd_plot_frame *frame)
{
    const cd_model *in = &frame->in;
    unsigned marks = 0;
    for (int32_t i = 0; i < in->body.count; i++) {
        bool active = takes_part(ask, in, i);
        if (cd_plot_shows(ask, CD_PLOT_BODIES) && active)
            marks |= 1u << (in->body.motion[i] == CD_MOTION_FIXED        ? CD_PLOT_MARK_FIXED
                            : in->body.motion[i] == CD_MOTION_PRESCRIBED ? CD_PLOT_MARK_PRESCRIBED
                                                                         : CD_PLOT_MARK_DYNAMIC);
        if (cd_plot_shows(ask, CD_PLOT_UNRELEASED) && waits(ask, in, i))
            marks |= 1u << CD_PLOT_MARK_UNRELEASED;
    }
    if (cd_plot_shows(ask, CD_PLOT_BOUNDS) && in->bounds.count > 0)
        marks |= 1u << CD_PLOT_MARK_BOUNDS;
    for (int32_t i = 0; i < in->pair.count && cd_plot_shows(ask, CD_PLOT_PAIRS); i++)
        if (has_both(ask, in, in->pair.a, in->pair.b, i))
            marks |= 1u << CD_PLOT_MARK_PAIR;
    for (int32_t i = 0; i < in->contact.count; i++) {
        if (!has_both(ask, in, in->contact.a, in->contact.b, i))
            continue;
        if (cd_plot_shows(ask, CD_PLOT_CONTACTS))
            marks |= 1u << gap_mark(in, i);
        if (cd_plot_shows(ask, CD_PLOT_NORMALS))
            marks |= 1u << CD_PLOT_MARK_NORMAL;
    }
    end_poses tables[2];
    for (int t = 0, count = end_tables(in, tables); t < count; t++)
        if (cd_plot_shows(ask, tables[t].thing) && tables[t].count > 0)
            marks |= 1u << tables[t].mark;
    if (cd_plot_scene_top_speed(ask, frame) > 0)
        marks |= 1u << CD_PLOT_MARK_VELOCITY;
    return marks;
}

double cd_plot_scene_top_speed(const cd_plot_ask *ask, const cd_plot_frame *frame)
{
    const cd_model *in = &frame->in;
    double top = 0;
    for (int32_t i = 0; i < in->body.count && cd_plot_shows(ask, CD_PLOT_VELOCITIES); i++)
        if (takes_part(ask, in, i))
            top = fmax(top, hypot(in->body.velocity[2 * (size_t)i], in->body.velocity[2 * (size_t)i + 1]));
    return cd_plot_clamp(top);
}

cd_plot_box cd_plot_scene_box(const cd_plot_ask *ask, cd_plot_frame *frame, cd_plot_box box)
{
    const cd_model *in = &frame->in;
    for (int32_t i = 0; i < in->body.count; i++)
        if (takes_part(ask, in, i) || (cd_plot_shows(ask, CD_PLOT_UNRELEASED) && waits(ask, in, i)))
            box = cd_plot_body_box(&frame->arena, frame->leaves, shape_of(in, i), start_pose(in, i), box);
    end_poses tables[2];
    for (int t = 0, count = end_tables(in, tables); t < count; t++)
        for (int32_t i = 0; i < tables[t].count && cd_plot_shows(ask, tables[t].thing); i++)
            if (takes_part(ask, in, tables[t].body[i]))
                box = cd_plot_body_box(&frame->arena, frame->leaves, shape_of(in, tables[t].body[i]),
                                       end_pose(&tables[t], i), box);
    for (int32_t i = 0; i < in->contact.count && cd_plot_shows(ask, CD_PLOT_CONTACTS); i++)
        if (has_both(ask, in, in->contact.a, in->contact.b, i))
            box = cd_plot_box_add(box, cd_vec2_at(in->contact.point + 2 * (size_t)i));
    return box;
}

// ---- drawing
// ------------------------------------------------------------------------------------------------------------

typedef struct scene {
    cairo_t *cairo;
    const cd_plot_ask *ask;
    cd_plot_frame *frame;
    const cd_model *in;
    const cd_plot_view *view;
    cd_arena *scratch;
    cd_body_order order;
    double unit;  // [1] size of markers and arrows: 1 in a panel of 500 px
    double mark;  // [1] the same for contacts, where bodies are small
} scene;

static bool is_halfspace(const scene *s, int32_t shape)
{
    return shape >= 0 && s->frame->leaves->first[shape + 1] > s->frame->leaves->first[shape] &&
           s->frame->leaves->leaf[s->frame->leaves->first[shape]].kind == CD_SHAPE_HALFSPACE;
}

static void draw_body(const scene *s, int32_t body, cd_plot_body_style style)
{
    style.width *= fmax(s->unit, 0.7);
    cd_plot_body_draw(s->cairo, s->scratch, s->view, s->frame->leaves, shape_of(s->in, body), start_pose(s->in, body),
                      style);
}

static void draw_bodies(const scene *s)
{
    static const int32_t motions[] = {CD_MOTION_FIXED, CD_MOTION_PRESCRIBED, CD_MOTION_DYNAMIC};
    for (int layer = 0; layer < 4 && cd_plot_shows(s->ask, CD_PLOT_BODIES); layer++)
        for (int32_t k = 0; k < s->in->body.count; k++) {
            int32_t i = s->order.row[k], motion = s->in->body.motion[i];
            bool flat = is_halfspace(s, shape_of(s->in, i));
            if (takes_part(s->ask, s->in, i) && (layer == 0 ? flat : !flat && motion == motions[layer - 1]))
                draw_body(s, i, cd_plot_motion_style(motion));
        }
    const cd_plot_key_entry *ghost = &cd_plot_mark_key[CD_PLOT_MARK_UNRELEASED];
    for (int32_t k = 0; k < s->in->body.count && cd_plot_shows(s->ask, CD_PLOT_UNRELEASED); k++) {
        int32_t i = s->order.row[k];
        if (waits(s->ask, s->in, i))
            draw_body(s, i, (cd_plot_body_style){ghost->fill, ghost->stroke, 1, ghost->dash});
    }
}

static void line(const scene *s, cd_vec2 a, cd_vec2 b)
{
    if (!cd_plot_clip_segment(s->view->wide, &a, &b))
        return;
    cd_vec2 p = cd_plot_to_px(s->view, a), q = cd_plot_to_px(s->view, b);
    cairo_move_to(s->cairo, p.x, p.y);
    cairo_line_to(s->cairo, q.x, q.y);
}

static void draw_bounds(const scene *s)
{
    const cd_bounds_rows *bounds = &s->in->bounds;
    for (int32_t i = 0; i < bounds->count && cd_plot_shows(s->ask, CD_PLOT_BOUNDS); i++) {
        if (!cd_plot_ask_has_body(s->ask, s->in->body.id[bounds->a[2 * (size_t)i]]))
            continue;
        cd_vec2 low = cd_vec2_at(bounds->min + 2 * (size_t)i), high = cd_vec2_at(bounds->max + 2 * (size_t)i);
        const cd_vec2 corner[5] = {low, {high.x, low.y}, high, {low.x, high.y}, low};
        for (int k = 0; k < 4; k++) {
            line(s, corner[k], corner[k + 1]);
            cd_plot_dash(s->cairo, cd_plot_mark_key[CD_PLOT_MARK_BOUNDS].dash);
            cd_plot_stroke(s->cairo, colour_of(CD_PLOT_MARK_BOUNDS), 0.9 * fmax(s->unit, 0.7));
        }
    }
}

// ---- pairs
// ----------------------------------------------------------------------------------------------------------------

// Row of `bounds` of each leaf of each body: the leaf of body row i with part p stands at first[i] + p.
typedef struct box_index {
    int64_t *first;
    int32_t *row;
} box_index;

static box_index index_bounds(const scene *s)
{
    const cd_model *in = s->in;
    box_index index = {.first = CD_ARENA_ARRAY(s->scratch, int64_t, (size_t)in->body.count + 1)};
    index.first[0] = 0;
    for (int32_t i = 0; i < in->body.count; i++) {
        int32_t shape = shape_of(in, i);
        index.first[i + 1] =
            index.first[i] + (shape >= 0 ? s->frame->leaves->first[shape + 1] - s->frame->leaves->first[shape] : 0);
    }
    index.row = CD_ARENA_ARRAY(s->scratch, int32_t, index.first[in->body.count]);
    for (int64_t i = 0; i < index.first[in->body.count]; i++)
        index.row[i] = -1;
    for (int32_t i = 0; i < in->bounds.count; i++) {
        const int32_t *site = in->bounds.a + 2 * (size_t)i;
        if (site[1] >= 0 && site[1] < index.first[site[0] + 1] - index.first[site[0]])
            index.row[index.first[site[0]] + site[1]] = i;
    }
    return index;
}

// The middle of a site's finite box; without one that of its body. *plane: set for a half-plane, which has no middle.
static cd_vec2 site_centre(const scene *s, const box_index *index, const int32_t *site, const cd_leaf2 **plane)
{
    int32_t body = site[0], part = site[1], shape = shape_of(s->in, body);
    cd_pose2 pose = start_pose(s->in, body);
    if (shape < 0 || part < 0 || part >= index->first[body + 1] - index->first[body])
        return pose.position;
    const cd_leaf2 *leaf = &s->frame->leaves->leaf[s->frame->leaves->first[shape] + part];
    if (leaf->kind == CD_SHAPE_HALFSPACE) {
        cd_leaf2 *placed = cd_arena_alloc(s->scratch, sizeof *placed);
        *placed = cd_leaf2_place(s->scratch, leaf, pose);
        *plane = placed;
        return pose.position;
    }
    int32_t row = index->row[index->first[body] + part];
    if (row < 0)
        return pose.position;
    return cd_lerp2(cd_vec2_at(s->in->bounds.min + 2 * (size_t)row), cd_vec2_at(s->in->bounds.max + 2 * (size_t)row),
                    0.5);
}

static cd_vec2 foot(const cd_leaf2 *plane, cd_vec2 point)
{
    return cd_sub2(point, cd_scale2(cd_dot2(plane->normal, point) - plane->offset, plane->normal));
}

static void draw_pairs(const scene *s)
{
    if (!cd_plot_shows(s->ask, CD_PLOT_PAIRS) || s->in->pair.count == 0)
        return;
    cd_arena_mark mark = cd_arena_get_mark(s->scratch);
    box_index index = index_bounds(s);
    for (int32_t i = 0; i < s->in->pair.count; i++) {
        const int32_t *site_a = s->in->pair.a + 2 * (size_t)i, *site_b = s->in->pair.b + 2 * (size_t)i;
        if (!has_both(s->ask, s->in, s->in->pair.a, s->in->pair.b, i) || !cd_body_has_position(s->in, site_a[0]) ||
            !cd_body_has_position(s->in, site_b[0]))
            continue;
        const cd_leaf2 *plane_a = NULL, *plane_b = NULL;
        cd_vec2 a = site_centre(s, &index, site_a, &plane_a);
        cd_vec2 b = site_centre(s, &index, site_b, &plane_b);
        if (plane_a && plane_b)
            continue;
        line(s, plane_a ? foot(plane_a, b) : a, plane_b ? foot(plane_b, a) : b);
        cd_plot_stroke(s->cairo, cd_plot_fade(colour_of(CD_PLOT_MARK_PAIR), 0.85), 1.2 * fmax(s->unit, 0.7));
    }
    cd_arena_rewind(s->scratch, mark);
}

// ---- states and contacts
// ---------------------------------------------------------------------------------------------------

static void draw_ends(const scene *s)
{
    end_poses tables[2];
    for (int t = 0, count = end_tables(s->in, tables); t < count; t++) {
        const cd_plot_key_entry *key = &cd_plot_mark_key[tables[t].mark];
        const cd_plot_body_style style = {key->fill, key->stroke, fmax(s->unit, 0.7), key->dash};
        for (int32_t i = 0; i < tables[t].count && cd_plot_shows(s->ask, tables[t].thing); i++)
            if (takes_part(s->ask, s->in, tables[t].body[i]) &&
                s->in->body.motion[tables[t].body[i]] != CD_MOTION_FIXED)
                cd_plot_body_draw(s->cairo, s->scratch, s->view, s->frame->leaves, shape_of(s->in, tables[t].body[i]),
                                  end_pose(&tables[t], i), style);
    }
}

static void draw_velocities(const scene *s, double top_speed)
{
    const double longest = 0.14 * fmin(s->view->rect.width, s->view->rect.height);  // [px]
    for (int32_t k = 0; k < s->in->body.count && top_speed > 0; k++) {
        int32_t i = s->order.row[k];
        cd_state2 state = cd_body_start2(s->in, i);
        if (!takes_part(s->ask, s->in, i) || !cd_plot_box_holds(s->view->wide, state.position))
            continue;
        cd_vec2 from = cd_plot_to_px(s->view, state.position),
                v = cd_scale2(longest / top_speed, cd_plot_clamp2(state.velocity));
        cd_plot_arrow(s->cairo, from, (cd_vec2){from.x + v.x, from.y - v.y}, 1.4 * s->unit, 7 * s->unit,
                      colour_of(CD_PLOT_MARK_VELOCITY));
    }
}

static void draw_contacts(const scene *s)
{
    const cd_contact_rows *contact = &s->in->contact;
    for (int32_t i = 0; i < contact->count; i++) {
        cd_vec2 point = cd_vec2_at(contact->point + 2 * (size_t)i), n = cd_vec2_at(contact->normal + 2 * (size_t)i);
        if (!has_both(s->ask, s->in, contact->a, contact->b, i) || !cd_plot_box_holds(s->view->wide, point))
            continue;
        cd_vec2 p = cd_plot_to_px(s->view, point);
        cd_plot_colour colour = colour_of(gap_mark(s->in, i));
        if (cd_plot_shows(s->ask, CD_PLOT_CONTACTS) && contact->point_a && contact->point_b &&
            !isnan(contact->point_a[2 * (size_t)i]) && !isnan(contact->point_b[2 * (size_t)i])) {
            line(s, cd_vec2_at(contact->point_a + 2 * (size_t)i), cd_vec2_at(contact->point_b + 2 * (size_t)i));
            cd_plot_stroke(s->cairo, colour, 1.2 * s->mark);
        }
        if (cd_plot_shows(s->ask, CD_PLOT_NORMALS))
            cd_plot_arrow(s->cairo, p, (cd_vec2){p.x + 26 * s->mark * n.x, p.y - 26 * s->mark * n.y}, 1.3 * s->mark,
                          7 * s->mark, colour_of(CD_PLOT_MARK_NORMAL));
    }
    for (int32_t i = 0; i < contact->count && cd_plot_shows(s->ask, CD_PLOT_CONTACTS); i++) {
        cd_vec2 point = cd_vec2_at(contact->point + 2 * (size_t)i);
        if (!has_both(s->ask, s->in, contact->a, contact->b, i) || !cd_plot_box_holds(s->view->wide, point))
            continue;
        cd_vec2 p = cd_plot_to_px(s->view, point);
        cd_plot_marker(s->cairo, 0, p.x, p.y, 3.4 * s->mark, colour_of(gap_mark(s->in, i)));
    }
}

// ---- ids
// --------------------------------------------------------------------------------------------------------------------

static bool overlaps(cd_plot_rect a, cd_plot_rect b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

// What labels should leave free: contact points and the arrows at them, as small squares along each.
typedef CD_LIST(cd_plot_rect) rect_list;

static rect_list contact_places(const scene *s)
{
    rect_list list = {0};
    const cd_contact_rows *contact = &s->in->contact;
    for (int32_t i = 0; i < contact->count && i < 4 * FEW_BODIES && cd_plot_shows(s->ask, CD_PLOT_CONTACTS); i++) {
        cd_vec2 point = cd_vec2_at(contact->point + 2 * (size_t)i);
        if (!cd_plot_box_holds(s->view->wide, point))
            continue;
        cd_vec2 p = cd_plot_to_px(s->view, point);
        for (int k = 0; k <= (cd_plot_shows(s->ask, CD_PLOT_NORMALS) ? 4 : 0); k++) {
            double along = 6.5 * k * s->mark, x = p.x + along * contact->normal[2 * (size_t)i],
                   y = p.y - along * contact->normal[2 * (size_t)i + 1];
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

static bool body_covers(const scene *s, int32_t body, cd_vec2 point)
{
    int32_t shape = shape_of(s->in, body);
    bool covers = false;
    cd_arena_mark mark = cd_arena_get_mark(s->scratch);
    for (int32_t i = 0; shape >= 0 && i < s->frame->leaves->first[shape + 1] - s->frame->leaves->first[shape]; i++) {
        const cd_leaf2 *leaf = &s->frame->leaves->leaf[s->frame->leaves->first[shape] + i];
        cd_leaf2 placed = cd_leaf2_place(s->scratch, leaf, start_pose(s->in, body));
        covers |= placed.kind == CD_SHAPE_POLYGON && cd_polygon_contains(placed.polygon, point);
        covers |= placed.kind == CD_SHAPE_SPHERE && cd_length2(cd_sub2(point, placed.centre)) <= placed.radius;
    }
    cd_arena_rewind(s->scratch, mark);
    return covers;
}

// A label of width x size px at the body's place or, on the body, beside it: clear of other labels and, where there is
// such a place, of contacts. False: there is none.
static bool place_label(const scene *s, int32_t body, double width, double size, const rect_list *labels,
                        const rect_list *contacts, cd_plot_rect *rect)
{
    static const double beside[][2] = {{0, 0}, {0, -1.2}, {0, 1.2}, {-1, 0}, {1, 0}, {0, -2.4}, {0, 2.4}, {-2, 0}, {2, 0}};
    cd_vec2 place = cd_body_start2(s->in, body).position;
    cd_plot_rect view = s->view->rect;
    for (int strict = 1; strict >= 0; strict--)
        for (size_t k = 0; k < sizeof beside / sizeof beside[0]; k++) {
            cd_vec2 move = {beside[k][0] * (width + 6), beside[k][1] * size};  // [px] down
            cd_vec2 at = {place.x + move.x / s->view->scale, place.y - move.y / s->view->scale};
            cd_vec2 p = cd_plot_to_px(s->view, at);
            *rect = (cd_plot_rect){p.x - 0.5 * width - 1, p.y - 0.5 * size, width + 2, size};
            bool inside = rect->x > view.x && rect->x + rect->width < view.x + view.width && rect->y > view.y &&
                          rect->y + size < view.y + view.height;
            if (inside && is_free(*rect, labels) && (!strict || is_free(*rect, contacts)) &&
                (k == 0 || body_covers(s, body, at)))
                return true;
        }
    return false;
}

// Bodies whose place is out of view and half-planes, whose place means nothing, have no label.
static void draw_ids(const scene *s)
{
    int active = 0;
    for (int32_t i = 0; i < s->in->body.count; i++)
        active += takes_part(s->ask, s->in, i);
    if (!cd_plot_shows(s->ask, CD_PLOT_IDS) || (!s->ask->ids_wanted && active > FEW_BODIES))
        return;
    rect_list labels = {0}, contacts = contact_places(s);
    double size = fmax(11 * s->unit, 8.5);
    for (int32_t k = 0; k < s->in->body.count; k++) {
        int32_t i = s->order.row[k];
        cd_vec2 place = cd_body_start2(s->in, i).position;
        if (!takes_part(s->ask, s->in, i) || !cd_plot_box_holds(s->view->box, place) ||
            is_halfspace(s, shape_of(s->in, i)))
            continue;
        char text[24];
        snprintf(text, sizeof text, "%" PRId64, s->in->body.id[i]);
        cd_plot_rect rect;
        double width = cd_plot_text_width(s->cairo, size, text);
        if (!place_label(s, i, width, size, &labels, &contacts, &rect))
            continue;
        cd_list_push(s->scratch, &labels, rect);
        cd_plot_text_halo(s->cairo, rect.x + 0.5 * rect.width, rect.y + 0.5 * size, size, text);
    }
}

void cd_plot_scene_draw(cairo_t *cairo, const cd_plot_ask *ask, cd_plot_frame *frame, const cd_plot_view *view,
                        double top_speed)
{
    cd_arena_mark mark = cd_arena_get_mark(&frame->arena);
    scene s = {cairo, ask, frame, &frame->in, view, &frame->arena, cd_body_order_make(&frame->arena, &frame->in.body),
               1, 1};
    s.unit = fmin(1.15, fmax(0.55, fmin(view->rect.width, 1.4 * view->rect.height) / 500));
    // Marks of contacts are to stay smaller than bodies of the usual size.
    double usual_size = frame->in.head.length ? frame->in.head.length[0] * view->scale : INFINITY;
    s.mark = fmin(s.unit, fmax(0.55, usual_size / 75));
    cairo_save(cairo);
    cairo_rectangle(cairo, view->rect.x, view->rect.y, view->rect.width, view->rect.height);
    cairo_clip(cairo);
    draw_bodies(&s);
    draw_bounds(&s);
    draw_pairs(&s);
    draw_ends(&s);
    draw_velocities(&s, top_speed);
    draw_contacts(&s);
    draw_ids(&s);
    cairo_restore(cairo);
    cd_arena_rewind(&frame->arena, mark);
}
