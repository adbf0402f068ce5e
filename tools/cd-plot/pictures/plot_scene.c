// SPDX-License-Identifier: MIT
#include "plot_scene.h"

#include "plot_elements.h"
#include "plot_space.h"
#include "plot_stage.h"

#include <math.h>
#include <stdlib.h>

// Does not take part yet, and has a place where it can be shown?
static bool waits(const cd_plot_ask *ask, const cd_model *in, int32_t body)
{
    return cd_plot_ask_has_body(ask, in->body.id[body]) && !cd_body_is_active(in, body) &&
           cd_body_has_position(in, body);
}

// ---- contacts, looked at -------------------------------------------------------------------------------------------

static cd_plot_mark contact_mark(const cd_model *in, int32_t contact)
{
    if (cd_plot_is_deleted(&in->contact, contact))
        return CD_PLOT_MARK_DELETED;
    double gap = in->contact.gap[contact], epsilon = in->head.epsilon ? in->head.epsilon[0] : 0;
    return gap < -epsilon ? CD_PLOT_MARK_GAP_BELOW : gap > epsilon ? CD_PLOT_MARK_GAP_ABOVE : CD_PLOT_MARK_GAP_ZERO;
}

static bool has_intersection(const cd_plot_ask *ask, const cd_model *in, int32_t contact)
{
    return cd_plot_shows(ask, CD_PLOT_INTERSECTIONS) && in->contact.kind[contact] == CD_CONTACT_VOLUME &&
           !cd_plot_is_deleted(&in->contact, contact);
}

static bool has_separator(const cd_plot_ask *ask, const cd_model *in, int32_t contact)
{
    return cd_plot_shows(ask, CD_PLOT_SEPARATORS) && in->contact.facet && in->contact.facet[2 * (size_t)contact] >= 0;
}

// ---- ends of the step ----------------------------------------------------------------------------------------------

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

static cd_plot_pose end_pose(const cd_plot_camera *camera, const cd_model *in, const end_poses *ends, int32_t row)
{
    return cd_plot_pose_make(camera, cd_plot_vector(in, ends->position, row),
                             ends->rotation + (in->dim == 2 ? (size_t)1 : 4) * (size_t)row);
}

// ---- what there is -------------------------------------------------------------------------------------------------

static unsigned contact_marks(const cd_plot_ask *ask, const cd_model *in)
{
    unsigned marks = 0;
    for (int32_t i = 0; i < in->contact.count; i++) {
        if (!cd_plot_has_both(ask, in, in->contact.a, in->contact.b, i))
            continue;
        if (cd_plot_shows(ask, CD_PLOT_CONTACTS))
            marks |= 1u << contact_mark(in, i);
        if (cd_plot_shows(ask, CD_PLOT_NORMALS) && !cd_plot_is_deleted(&in->contact, i))
            marks |= 1u << CD_PLOT_MARK_NORMAL;
        if (has_intersection(ask, in, i))
            marks |= 1u << CD_PLOT_MARK_INTERSECTION;
        if (has_separator(ask, in, i))
            marks |= 1u << CD_PLOT_MARK_SEPARATOR;
    }
    return marks;
}

static cd_plot_key_entry key_of(cd_arena *arena, const cd_plot_ask *ask, cd_plot_mark mark, const cd_plot_tops *top)
{
    cd_plot_key_entry key = cd_plot_mark_key[mark];
    const char *by = ask->options->color;
    if (ask->camera.dim == 3 && mark == CD_PLOT_MARK_BOUNDS)
        key.dash = 0;  // dashes say which edges are behind
    if (mark == CD_PLOT_MARK_VELOCITY)
        key.text = cd_arena_printf(arena, "velocity (longest: %.3g m/s)", top->speed);
    if (mark == CD_PLOT_MARK_FORCE)
        key.text = cd_arena_printf(arena, "force on b (longest: %.3g N)", top->force);
    if (mark == CD_PLOT_MARK_STRAIN_HIGH)
        key.text = cd_arena_printf(arena, "strain %.3g", top->strain);
    if (mark != CD_PLOT_MARK_TINT_LOW && mark != CD_PLOT_MARK_TINT_HIGH)
        return key;
    double value = mark == CD_PLOT_MARK_TINT_LOW ? top->tint.low : top->tint.high;
    bool is_empty = top->tint.low > top->tint.high;
    key.fill = cd_plot_tint_fill(by, is_empty ? 0 : value, top->tint);
    key.text = is_empty                   ? cd_arena_printf(arena, "no body has a %s", by)
               : cd_plot_tint_is_name(by) ? cd_arena_printf(arena, "a colour for each %s, in turn", by)
                                          : cd_plot_tint_text(arena, by, value);
    return key;
}

int cd_plot_scene_key(cd_arena *arena, const cd_plot_ask *ask, unsigned marks, const cd_plot_tops *top,
                      cd_plot_key_entry key[CD_PLOT_MARKS])
{
    int count = 0;
    bool is_flat = !(top->tint.low < top->tint.high);  // one colour
    for (int mark = 0; mark < CD_PLOT_MARKS; mark++)
        if ((marks >> mark & 1) && !(mark == CD_PLOT_MARK_TINT_HIGH && is_flat))
            key[count++] = key_of(arena, ask, (cd_plot_mark)mark, top);
    return count;
}

int32_t cd_plot_scene_bodies(const cd_plot_ask *ask, const cd_plot_frame *frame)
{
    int32_t count = 0;
    for (int32_t i = 0; i < frame->in.body.count; i++)
        count += cd_plot_takes_part(ask, &frame->in, i);
    return count;
}

// Those that are coloured by what --color names need no key of their motion.
static unsigned tint_marks(const cd_plot_ask *ask, unsigned marks)
{
    const char *by = ask->options->color;
    if (!strcmp(by, "motion") || !(marks & (1u << CD_PLOT_MARK_DYNAMIC | 1u << CD_PLOT_MARK_PRESCRIBED)))
        return marks;
    marks &= ~(1u << CD_PLOT_MARK_DYNAMIC | 1u << CD_PLOT_MARK_PRESCRIBED);
    return marks | 1u << CD_PLOT_MARK_TINT_LOW | (cd_plot_tint_is_name(by) ? 0 : 1u << CD_PLOT_MARK_TINT_HIGH);
}

unsigned cd_plot_scene_marks(const cd_plot_ask *ask, const cd_plot_frame *frame)
{
    const cd_model *in = &frame->in;
    unsigned marks = contact_marks(ask, in);
    for (int32_t i = 0; i < in->body.count; i++) {
        bool active = cd_plot_takes_part(ask, in, i);
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
        if (cd_plot_has_both(ask, in, in->pair.a, in->pair.b, i))
            marks |= 1u << CD_PLOT_MARK_PAIR;
    end_poses tables[2];
    for (int t = 0, count = end_tables(in, tables); t < count; t++)
        if (cd_plot_shows(ask, tables[t].thing) && tables[t].count > 0)
            marks |= 1u << tables[t].mark;
    if (cd_plot_scene_top_speed(ask, frame) > 0)
        marks |= 1u << CD_PLOT_MARK_VELOCITY;
    if (cd_plot_scene_top_force(ask, frame) > 0)
        marks |= 1u << CD_PLOT_MARK_FORCE;
    if (cd_plot_shows(ask, CD_PLOT_BODIES))
        marks |= cd_plot_elements_marks(ask, frame);
    return tint_marks(ask, marks);
}

double cd_plot_scene_top_speed(const cd_plot_ask *ask, const cd_plot_frame *frame)
{
    const cd_model *in = &frame->in;
    double top = 0;
    for (int32_t i = 0; i < in->body.count && cd_plot_shows(ask, CD_PLOT_VELOCITIES); i++)
        if (cd_plot_takes_part(ask, in, i)) {
            const double *v = cd_plot_vector(in, in->body.velocity, i);
            top = fmax(top, hypot(hypot(v[0], v[1]), in->dim == 2 ? 0 : v[2]));
        }
    return cd_plot_clamp(top);
}

// The contact of a row of `force` when it is shown, else -1.
static int32_t forced_contact(const cd_plot_ask *ask, const cd_model *in, int32_t row)
{
    int32_t contact = in->force.contact[row];
    return cd_plot_has_both(ask, in, in->contact.a, in->contact.b, contact) ? contact : -1;
}

double cd_plot_scene_top_force(const cd_plot_ask *ask, const cd_plot_frame *frame)
{
    const cd_model *in = &frame->in;
    double top = 0;
    for (int32_t i = 0; i < in->force.count && cd_plot_shows(ask, CD_PLOT_FORCES); i++)
        if (forced_contact(ask, in, i) >= 0) {
            const double *f = cd_plot_vector(in, in->force.vector, i);
            top = fmax(top, hypot(hypot(f[0], f[1]), in->dim == 2 ? 0 : f[2]));
        }
    return cd_plot_clamp(top);
}

cd_plot_tops cd_plot_tops_empty(void) { return (cd_plot_tops){0, 0, NAN, {INFINITY, -INFINITY}}; }

void cd_plot_tops_add(const cd_plot_ask *ask, cd_plot_frame *frame, cd_plot_tops *tops)
{
    tops->speed = fmax(tops->speed, cd_plot_scene_top_speed(ask, frame));
    tops->force = fmax(tops->force, cd_plot_scene_top_force(ask, frame));
    tops->strain = fmax(tops->strain, cd_plot_elements_top_strain(ask, frame));
    frame->tint = strcmp(ask->options->color, "motion") != 0 ? cd_plot_tint_make(ask, frame, &tops->tint) : NULL;
}

// Boxes of space, which are larger than what they bound by more than the rim of a picture, and may be all there is.
static void add_bounds(const cd_plot_ask *ask, const cd_model *in, cd_plot_extent *extent)
{
    for (int32_t i = 0; i < in->bounds.count && cd_plot_shows(ask, CD_PLOT_BOUNDS) && in->dim == 3; i++) {
        const double *limit[2] = {cd_plot_vector(in, in->bounds.min, i), cd_plot_vector(in, in->bounds.max, i)};
        bool counts = cd_plot_ask_has_body(ask, in->body.id[in->bounds.a[2 * (size_t)i]]);
        for (int axis = 0; axis < 3; axis++)
            counts = counts && isfinite(limit[0][axis]) && isfinite(limit[1][axis]);
        for (int k = 0; k < 8 && counts; k++) {
            const double corner[3] = {limit[k & 1][0], limit[k >> 1 & 1][1], limit[k >> 2][2]};
            extent->box = cd_plot_box_add(extent->box, cd_plot_see(&ask->camera, corner));
        }
    }
}

void cd_plot_scene_extent(const cd_plot_ask *ask, cd_plot_frame *frame, bool panes, cd_plot_extent *extent)
{
    const cd_model *in = &frame->in;
    const cd_plot_camera *camera = &ask->camera;
    for (int32_t i = 0; i < in->body.count; i++)
        if (cd_plot_takes_part(ask, in, i) || (cd_plot_shows(ask, CD_PLOT_UNRELEASED) && waits(ask, in, i))) {
            if (cd_plot_has_elements(frame, i)) {
                cd_plot_elements_extent(ask, frame, i, extent);
                continue;
            }
            cd_plot_pose pose = cd_plot_pose_start(camera, in, i);
            cd_plot_extent_add(extent, &frame->arena, camera, frame->shapes, cd_plot_shape_of(in, i), &pose, panes);
        }
    end_poses tables[2];
    for (int t = 0, count = end_tables(in, tables); t < count; t++)
        for (int32_t i = 0; i < tables[t].count && cd_plot_shows(ask, tables[t].thing); i++)
            if (cd_plot_takes_part(ask, in, tables[t].body[i])) {
                cd_plot_pose pose = end_pose(camera, in, &tables[t], i);
                cd_plot_extent_add(extent, &frame->arena, camera, frame->shapes,
                                   cd_plot_shape_of(in, tables[t].body[i]), &pose, panes);
            }
    if (!panes)
        add_bounds(ask, in, extent);
    for (int32_t i = 0; i < in->contact.count && cd_plot_shows(ask, CD_PLOT_CONTACTS) && !panes; i++)
        if (cd_plot_has_both(ask, in, in->contact.a, in->contact.b, i))
            extent->box = cd_plot_box_add(extent->box, cd_plot_see(camera, cd_plot_vector(in, in->contact.point, i)));
}

// ---- bodies --------------------------------------------------------------------------------------------------------

static void add_body(cd_plot_stage *s, int32_t body, cd_plot_body_style style)
{
    style.width *= fmax(s->unit, 0.7);
    if (s->frame->tint && s->in->body.motion[body] != CD_MOTION_FIXED) {
        bool is_told = !isnan(s->frame->tint[body]);
        style.fill =
            is_told ? cd_plot_tint_fill(s->ask->options->color, s->frame->tint[body], s->tint) : cd_plot_rgb(0xffffff);
        style.stroke = cd_plot_mark_colour(CD_PLOT_MARK_TINT_LOW);
    }
    style.fill = cd_plot_fade(style.fill, s->in->dim == 2 ? 1 : s->ask->opacity);
    if (cd_plot_has_elements(s->frame, body)) {
        cd_plot_elements_add(s, body, style);
        return;
    }
    cd_plot_pose pose = cd_plot_pose_start(&s->view->camera, s->in, body);
    cd_plot_cast_add(&s->cast, cd_plot_shape_of(s->in, body), &pose, style, body);
}

static void draw_bodies(cd_plot_stage *s)
{
    static const int32_t motions[] = {CD_MOTION_FIXED, CD_MOTION_PRESCRIBED, CD_MOTION_DYNAMIC};
    for (int layer = 0; layer < 4 && cd_plot_shows(s->ask, CD_PLOT_BODIES); layer++)
        for (int32_t k = 0; k < s->in->body.count; k++) {
            int32_t i = s->order.row[k], motion = s->in->body.motion[i];
            bool flat = cd_plot_shape_is_halfspace(s->shapes, cd_plot_shape_of(s->in, i));
            if (cd_plot_takes_part(s->ask, s->in, i) && (layer == 0 ? flat : !flat && motion == motions[layer - 1]))
                add_body(s, i, cd_plot_motion_style(motion));
        }
    const cd_plot_key_entry *ghost = &cd_plot_mark_key[CD_PLOT_MARK_UNRELEASED];
    for (int32_t k = 0; k < s->in->body.count && cd_plot_shows(s->ask, CD_PLOT_UNRELEASED); k++) {
        int32_t i = s->order.row[k];
        if (waits(s->ask, s->in, i))
            add_body(s, i, (cd_plot_body_style){ghost->fill, ghost->stroke, 1, ghost->dash});
    }
    cd_plot_cast_draw(&s->cast);
    if (cd_plot_shows(s->ask, CD_PLOT_BODIES))
        cd_plot_elements_marks_draw(s);
}

static void line(const cd_plot_stage *s, cd_vec2 a, cd_vec2 b)
{
    cd_plot_segment_path(s->canvas, s->view, (cd_vec3){a.x, a.y, 0}, (cd_vec3){b.x, b.y, 0});
}

static void draw_bounds(const cd_plot_stage *s)
{
    const cd_bounds_rows *bounds = &s->in->bounds;
    const double width = 0.9 * fmax(s->unit, 0.7);
    for (int32_t i = 0; i < bounds->count && cd_plot_shows(s->ask, CD_PLOT_BOUNDS); i++) {
        if (!cd_plot_ask_has_body(s->ask, s->in->body.id[bounds->a[2 * (size_t)i]]))
            continue;
        const double *min = cd_plot_vector(s->in, bounds->min, i), *max = cd_plot_vector(s->in, bounds->max, i);
        if (s->in->dim == 3) {
            cd_plot_wire_box(s->canvas, s->view, cd_vec3_at(min), cd_vec3_at(max),
                             cd_plot_mark_colour(CD_PLOT_MARK_BOUNDS), width);
            continue;
        }
        cd_vec2 low = cd_vec2_at(min), high = cd_vec2_at(max);
        const cd_vec2 corner[5] = {low, {high.x, low.y}, high, {low.x, high.y}, low};
        for (int k = 0; k < 4; k++) {
            line(s, corner[k], corner[k + 1]);
            cd_plot_dash(s->canvas, cd_plot_mark_key[CD_PLOT_MARK_BOUNDS].dash);
            cd_plot_stroke(s->canvas, cd_plot_mark_colour(CD_PLOT_MARK_BOUNDS), width);
        }
    }
}

// ---- pairs ---------------------------------------------------------------------------------------------------------

// Row of `bounds` of each leaf, or element, of each body: part p of body row i stands at first[i] + p.
typedef struct box_index {
    int64_t *first;
    int32_t *row;
} box_index;

static box_index index_bounds(const cd_plot_stage *s)
{
    const cd_model *in = s->in;
    box_index index = {.first = CD_ARENA_ARRAY(s->scratch, int64_t, (size_t)in->body.count + 1)};
    index.first[0] = 0;
    for (int32_t i = 0; i < in->body.count; i++)
        index.first[i + 1] = index.first[i] + cd_plot_leaf_count(s->shapes, cd_plot_shape_of(in, i)) +
                             cd_elements_of_body(&s->frame->placed, i);
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

// A point of the stream in the world; z is 0 in the plane.
static cd_vec3 world_point(const cd_model *in, const double *column, int32_t row)
{
    const double *p = cd_plot_vector(in, column, row);
    return (cd_vec3){p[0], p[1], in->dim == 2 ? 0 : p[2]};
}

typedef struct site_place {
    cd_vec3 centre;  // [m] world
    bool is_plane;   // a half-space, which has no middle
    cd_halfspace plane;
} site_place;

// The middle of a site's finite box; without one that of its body, NaN where that has none.
static site_place place_of(const cd_plot_stage *s, const box_index *index, const int32_t *site)
{
    int32_t body = site[0], part = site[1], shape = cd_plot_shape_of(s->in, body);
    site_place place = {.centre = {NAN, NAN, NAN}};
    if (cd_body_has_position(s->in, body))
        place.centre = world_point(s->in, s->in->body.position, body);
    if (part < 0 || part >= index->first[body + 1] - index->first[body])
        return place;
    if (shape >= 0) {
        cd_plot_pose pose = cd_plot_pose_start(&s->view->camera, s->in, body);
        place.is_plane =
            cd_plot_leaf_halfspace(s->shapes, cd_plot_first_leaf(s->shapes, shape) + part, &pose, &place.plane);
    }
    int32_t row = index->row[index->first[body] + part];
    if (!place.is_plane && row >= 0)
        place.centre =
            cd_lerp3(world_point(s->in, s->in->bounds.min, row), world_point(s->in, s->in->bounds.max, row), 0.5);
    return place;
}

static cd_vec3 foot(const cd_halfspace *plane, cd_vec3 point)
{
    return cd_sub3(point, cd_scale3(cd_dot3(plane->normal, point) - plane->offset, plane->normal));
}

static cd_vec2 see_world(const cd_plot_stage *s, cd_vec3 point)
{
    const double p[3] = {point.x, point.y, point.z};
    return cd_plot_see(&s->view->camera, p);
}

static void draw_pairs(const cd_plot_stage *s)
{
    if (!cd_plot_shows(s->ask, CD_PLOT_PAIRS) || s->in->pair.count == 0)
        return;
    cd_arena_mark mark = cd_arena_get_mark(s->scratch);
    box_index index = index_bounds(s);
    for (int32_t i = 0; i < s->in->pair.count; i++) {
        const int32_t *site_a = s->in->pair.a + 2 * (size_t)i, *site_b = s->in->pair.b + 2 * (size_t)i;
        if (!cd_plot_has_both(s->ask, s->in, s->in->pair.a, s->in->pair.b, i))
            continue;
        site_place a = place_of(s, &index, site_a), b = place_of(s, &index, site_b);
        if ((a.is_plane && b.is_plane) || isnan(a.centre.x) || isnan(b.centre.x))
            continue;
        line(s, see_world(s, a.is_plane ? foot(&a.plane, b.centre) : a.centre),
             see_world(s, b.is_plane ? foot(&b.plane, a.centre) : b.centre));
        cd_plot_stroke(s->canvas, cd_plot_fade(cd_plot_mark_colour(CD_PLOT_MARK_PAIR), 0.85), 1.2 * fmax(s->unit, 0.7));
    }
    cd_arena_rewind(s->scratch, mark);
}

// ---- states and contacts -------------------------------------------------------------------------------------------

static void draw_ends(const cd_plot_stage *s)
{
    end_poses tables[2];
    for (int t = 0, count = end_tables(s->in, tables); t < count; t++) {
        const cd_plot_key_entry *key = &cd_plot_mark_key[tables[t].mark];
        const cd_plot_body_style style = {key->fill, key->stroke, fmax(s->unit, 0.7), key->dash};
        cd_arena_mark mark = cd_arena_get_mark(s->scratch);
        cd_plot_cast cast = cd_plot_cast_begin(s->canvas, s->scratch, s->view, s->shapes);
        for (int32_t i = 0; i < tables[t].count && cd_plot_shows(s->ask, tables[t].thing); i++) {
            int32_t body = tables[t].body[i];
            if (!cd_plot_takes_part(s->ask, s->in, body) || s->in->body.motion[body] == CD_MOTION_FIXED)
                continue;
            cd_plot_pose pose = end_pose(&s->view->camera, s->in, &tables[t], i);
            cd_plot_cast_add(&cast, cd_plot_shape_of(s->in, body), &pose, style, body);
        }
        cd_plot_cast_draw(&cast);
        cd_arena_rewind(s->scratch, mark);
    }
}

static void draw_velocities(const cd_plot_stage *s, double top_speed)
{
    const double longest = 0.14 * fmin(s->view->rect.width, s->view->rect.height);  // [px]
    for (int32_t k = 0; k < s->in->body.count && top_speed > 0; k++) {
        int32_t i = s->order.row[k];
        if (!cd_plot_takes_part(s->ask, s->in, i) || !cd_body_has_position(s->in, i))
            continue;
        cd_vec2 position = cd_plot_see(&s->view->camera, cd_plot_vector(s->in, s->in->body.position, i));
        cd_vec2 velocity = cd_plot_see(&s->view->camera, cd_plot_vector(s->in, s->in->body.velocity, i));
        if (!cd_plot_box_holds(s->view->wide, position))
            continue;
        cd_vec2 from = cd_plot_to_px(s->view, position), v = cd_scale2(longest / top_speed, cd_plot_clamp2(velocity));
        cd_plot_arrow(s->canvas, from, (cd_vec2){from.x + v.x, from.y - v.y}, 1.4 * s->unit, 7 * s->unit,
                      cd_plot_mark_colour(CD_PLOT_MARK_VELOCITY));
    }
}

// At the contact's point, as it acts on b.
static void draw_forces(const cd_plot_stage *s, double top_force)
{
    const double few = 30;  // of more bodies, and so smaller ones, long arrows would cover all
    double shorter = fmin(1, sqrt(few / fmax(1, cd_plot_scene_bodies(s->ask, s->frame))));
    double longest = fmax(0.05, 0.2 * shorter) * fmin(s->view->rect.width, s->view->rect.height);  // [px]
    for (int32_t i = 0; i < s->in->force.count && top_force > 0; i++) {
        int32_t contact = forced_contact(s->ask, s->in, i);
        if (contact < 0)
            continue;
        cd_vec2 point = cd_plot_see(&s->view->camera, cd_plot_vector(s->in, s->in->contact.point, contact));
        cd_vec2 force = cd_plot_see(&s->view->camera, cd_plot_vector(s->in, s->in->force.vector, i));
        cd_vec2 from = cd_plot_to_px(s->view, point), v = cd_scale2(longest / top_force, cd_plot_clamp2(force));
        if (!cd_plot_box_holds(s->view->wide, point) || cd_length2(v) < 1)  // [px]
            continue;
        cd_plot_arrow(s->canvas, from, (cd_vec2){from.x + v.x, from.y - v.y}, 1.4 * s->unit,
                      fmin(7 * s->unit, 0.5 * cd_length2(v)), cd_plot_mark_colour(CD_PLOT_MARK_FORCE));
    }
}

// Contacts are taken at the trial where the frame has one.
static bool site_of(const cd_plot_stage *s, const int32_t *trial_row, const int32_t *site, cd_plot_site *out)
{
    int32_t body = site[0], shape = cd_plot_shape_of(s->in, body), trial = trial_row[body];
    if (site[1] < 0 || site[1] >= cd_plot_leaf_count(s->shapes, shape) || !cd_body_has_position(s->in, body))
        return false;
    end_poses tables[2];
    end_tables(s->in, tables);
    *out = (cd_plot_site){cd_plot_first_leaf(s->shapes, shape) + site[1],
                          trial >= 0 ? end_pose(&s->view->camera, s->in, &tables[0], trial)
                                     : cd_plot_pose_start(&s->view->camera, s->in, body)};
    return true;
}

// Intersections, of space.
static void draw_intersections(const cd_plot_stage *s, const int32_t *order)
{
    if (!cd_plot_shows(s->ask, CD_PLOT_INTERSECTIONS))
        return;
    const cd_plot_key_entry *key = &cd_plot_mark_key[CD_PLOT_MARK_INTERSECTION];
    const cd_plot_body_style style = {cd_plot_fade(key->fill, 0.85), key->stroke, 0.6 * fmax(s->unit, 0.7), 0};
    const cd_contact_rows *contact = &s->in->contact;
    const int32_t *trial_row = cd_body_trial_rows(s->scratch, s->in);
    for (int32_t k = 0; k < contact->count; k++) {
        int32_t i = order[k];
        cd_plot_site a, b;
        if (has_intersection(s->ask, s->in, i) && cd_plot_has_both(s->ask, s->in, contact->a, contact->b, i) &&
            site_of(s, trial_row, contact->a + 2 * (size_t)i, &a) &&
            site_of(s, trial_row, contact->b + 2 * (size_t)i, &b))
            cd_plot_intersection_draw(s->canvas, s->scratch, s->view, s->shapes, &a, &b, style);
    }
}

// A face or edge that holds a pair apart.
typedef struct separator {
    const int32_t *site;    // body row and part
    int32_t feature, turn;  // a feature code; the least turn is drawn first
} separator;

static int by_feature(const void *left, const void *right)
{
    const separator *a = left, *b = right;
    int32_t x[] = {a->site[0], a->site[1], a->feature, a->turn}, y[] = {b->site[0], b->site[1], b->feature, b->turn};
    for (int i = 0; i < 4; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int by_turn(const void *left, const void *right)
{
    const separator *a = left, *b = right;
    return a->turn < b->turn ? -1 : a->turn > b->turn;
}

static int32_t list_separators(const cd_plot_stage *s, const int32_t *order, separator *list)
{
    const cd_contact_rows *contact = &s->in->contact;
    int32_t count = 0;
    for (int32_t k = 0; k < contact->count; k++) {
        size_t i = (size_t)order[k];
        const int32_t *a = contact->a + 2 * i, *b = contact->b + 2 * i, *facet = contact->facet + 2 * i;
        if (!has_separator(s->ask, s->in, order[k]) ||
            !cd_plot_has_both(s->ask, s->in, contact->a, contact->b, order[k]))
            continue;
        bool is_of_b = contact->side && contact->side[i] == CD_SIDE_B, is_pair = facet[1] >= 0;  // of edges
        list[count++] = (separator){is_of_b && !is_pair ? b : a, facet[0], 2 * k};
        if (is_pair)
            list[count++] = (separator){b, facet[1], 2 * k + 1};
    }
    return count;
}

// Separators, of space. A face may part its body from many, and stand in several contacts with each: drawn more than
// once it would hide what lies on it.
static void draw_separators(const cd_plot_stage *s, const int32_t *order)
{
    if (!cd_plot_shows(s->ask, CD_PLOT_SEPARATORS) || !s->in->contact.facet)
        return;
    const cd_plot_key_entry *key = &cd_plot_mark_key[CD_PLOT_MARK_SEPARATOR];
    const cd_plot_body_style style = {cd_plot_fade(key->fill, 0.5), key->stroke, 0.9 * fmax(s->unit, 0.7), 0};
    separator *list = CD_ARENA_ARRAY(s->scratch, separator, 2 * (size_t)s->in->contact.count);
    int32_t listed = list_separators(s, order, list), count = 0;
    qsort(list, (size_t)listed, sizeof *list, by_feature);
    for (int32_t k = 0; k < listed; k++) {
        separator last = list[count ? count - 1 : 0];
        last.turn = list[k].turn;
        if (!count || by_feature(&last, &list[k]))
            list[count++] = list[k];
    }
    qsort(list, (size_t)count, sizeof *list, by_turn);
    const int32_t *trial_row = cd_body_trial_rows(s->scratch, s->in);
    for (int32_t k = 0; k < count; k++) {
        cd_plot_site site;
        if (site_of(s, trial_row, list[k].site, &site))
            cd_plot_feature_draw(s->canvas, s->scratch, s->view, s->shapes, &site, list[k].feature, style);
    }
}

static void draw_contact_lines(const cd_plot_stage *s, int32_t i)
{
    const cd_contact_rows *contact = &s->in->contact;
    cd_vec2 point = cd_plot_see(&s->view->camera, cd_plot_vector(s->in, contact->point, i)),
            n = cd_plot_see(&s->view->camera, cd_plot_vector(s->in, contact->normal, i));
    if (!cd_plot_box_holds(s->view->wide, point))
        return;
    cd_vec2 p = cd_plot_to_px(s->view, point);
    if (cd_plot_shows(s->ask, CD_PLOT_CONTACTS) && contact->point_a && contact->point_b) {
        const double *a = cd_plot_vector(s->in, contact->point_a, i), *b = cd_plot_vector(s->in, contact->point_b, i);
        if (!isnan(a[0]) && !isnan(b[0])) {
            line(s, cd_plot_see(&s->view->camera, a), cd_plot_see(&s->view->camera, b));
            cd_plot_stroke(s->canvas, cd_plot_mark_colour(contact_mark(s->in, i)), 1.2 * s->mark);
        }
    }
    if (cd_plot_shows(s->ask, CD_PLOT_NORMALS))
        cd_plot_arrow(s->canvas, p, (cd_vec2){p.x + 26 * s->mark * n.x, p.y - 26 * s->mark * n.y}, 1.3 * s->mark,
                      7 * s->mark, cd_plot_mark_colour(CD_PLOT_MARK_NORMAL));
}

// Deleted contacts are small dots below the others.
static void draw_contact_dots(const cd_plot_stage *s, const int32_t *order, bool deleted)
{
    const cd_contact_rows *contact = &s->in->contact;
    for (int32_t k = 0; k < contact->count && cd_plot_shows(s->ask, CD_PLOT_CONTACTS); k++) {
        int32_t i = order[k];
        cd_vec2 point = cd_plot_see(&s->view->camera, cd_plot_vector(s->in, contact->point, i));
        if (cd_plot_is_deleted(contact, i) != deleted || !cd_plot_has_both(s->ask, s->in, contact->a, contact->b, i) ||
            !cd_plot_box_holds(s->view->wide, point))
            continue;
        cd_vec2 p = cd_plot_to_px(s->view, point);
        cd_plot_marker(s->canvas, 0, p, (deleted ? 2.6 : 3.4) * s->mark, cd_plot_mark_colour(contact_mark(s->in, i)));
    }
}

static void draw_contacts(const cd_plot_stage *s)
{
    const cd_contact_rows *contact = &s->in->contact;
    if (contact->count == 0)
        return;
    const int32_t *order = cd_plot_depth_order(s->scratch, &s->view->camera, contact->point, contact->count);
    draw_intersections(s, order);
    draw_separators(s, order);
    draw_contact_dots(s, order, true);
    for (int32_t k = 0; k < contact->count; k++)
        if (cd_plot_has_both(s->ask, s->in, contact->a, contact->b, order[k]) && !cd_plot_is_deleted(contact, order[k]))
            draw_contact_lines(s, order[k]);
    draw_contact_dots(s, order, false);
}

void cd_plot_scene_draw(cd_canvas *canvas, const cd_plot_ask *ask, cd_plot_frame *frame, const cd_plot_view *view,
                        cd_plot_tops top)
{
    cd_arena_mark mark = cd_arena_get_mark(&frame->arena);
    cd_plot_stage s = {.canvas = canvas,
                       .ask = ask,
                       .frame = frame,
                       .in = &frame->in,
                       .top_strain = top.strain,
                       .tint = top.tint,
                       .shapes = frame->shapes,
                       .view = view,
                       .scratch = &frame->arena,
                       .order = cd_body_order_make(&frame->arena, &frame->in.body),
                       .cast = cd_plot_cast_begin(canvas, &frame->arena, view, frame->shapes)};
    s.unit = fmin(1.15, fmax(0.55, fmin(view->rect.width, 1.4 * view->rect.height) / 500));
    // Marks of contacts are to stay smaller than bodies of the usual size.
    double usual_size = frame->in.head.length ? frame->in.head.length[0] * view->scale : INFINITY;
    // In space they lie above one another: smaller still.
    s.mark = fmin(s.unit, fmax(view->camera.dim == 2 ? 0.55 : 0.45, usual_size / 75));
    cd_canvas_save(canvas);
    cd_canvas_rectangle(canvas, view->rect);
    cd_canvas_clip(canvas);
    draw_bodies(&s);
    draw_bounds(&s);
    draw_pairs(&s);
    draw_ends(&s);
    draw_velocities(&s, top.speed);
    draw_contacts(&s);
    draw_forces(&s, top.force);
    cd_plot_labels_draw(&s);
    cd_canvas_restore(canvas);
    cd_arena_rewind(&frame->arena, mark);
}
