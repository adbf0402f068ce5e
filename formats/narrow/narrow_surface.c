// SPDX-License-Identifier: MIT
#include "narrow_surface.h"

#include "cd_leaf_build.h"
#include "cd_threads.h"
#include "narrow_pinball.h"
#include "narrow_placed.h"

const char *const cd_narrow_smoothing_names[] = {"off", "exact", "smooth", "facet", NULL};
const char *const cd_narrow_side_names[] = {"both", "front", NULL};
const cd_contact cd_narrow_no_touch;

// ---- surfaces of the run -------------------------------------------------------------------------------------------

static cd_surface_smoothing smoothing_of(const cd_narrow_options *options)
{
    int i = 0;
    while (strcmp(cd_narrow_smoothing_names[i], options->smooth_edges) != 0)
        i++;
    return (cd_surface_smoothing)i;
}

void cd_narrow_make_surfaces(struct cd_narrow_surfaces *surfaces, const cd_model *in, double weld)
{
    const cd_shape_rows *rows = &in->shape;
    if (surfaces->of_shape)
        return;
    surfaces->of_shape = CD_ARENA_ZARRAY(&surfaces->arena, cd_surface, rows->count + 1);
    cd_leaf_build build = {.arena = &surfaces->arena, .in = in};
    for (int32_t s = 0; s < rows->count; s++) {
        if (rows->kind[s] != CD_SHAPE_FACETS)
            continue;
        cd_shape_geometry g = cd_leaf_geometry(&build, s);
        cd_surface made = cd_surface_make(&surfaces->arena, (const cd_vec3 *)g.vertex, g.vertex_count, g.triangle,
                                          g.triangle_count, weld);
        surfaces->of_shape[s] = made;
        surfaces->faults.crowded += made.faults.crowded;
        surfaces->faults.t_junctions += made.faults.t_junctions;
        surfaces->faults.is_lost |= made.faults.is_lost;
    }
}

void cd_narrow_forget_surfaces(struct cd_narrow_surfaces *surfaces)
{
    cd_arena_release(&surfaces->arena);
    for (int k = 0; k < surfaces->found_count; k++)
        cd_arena_release(&surfaces->found[k]);
    cd_free(surfaces->found);
    *surfaces = (struct cd_narrow_surfaces){0};
}

// ---- groups --------------------------------------------------------------------------------------------------------

// A pair of a surface as its group sees it.
typedef struct touching {
    int32_t pair, triangle;
    int32_t of;        // row of the surface's body
    int32_t instance;  // number of the leaf of the surface's first triangle
} touching;

typedef struct touch_job {
    const cd_narrow_frame_state *frame;
    const cd_pair3 *const *entry;
    cd_pair3_intersect *intersect;
    cd_surface_rules rules;
    int32_t count;
    const touching *touch;  // those of a part with a surface one behind the other
    int threads;
    const cd_contact **contact;
} touch_job;

static bool may_touch(cd_shape_kind kind)
{
    return kind == CD_SHAPE_SPHERE || kind == CD_SHAPE_ELLIPSOID || kind == CD_SHAPE_POLYHEDRON;
}

// Sides of a pair: the part that touches, and the triangle.
typedef struct sides {
    int32_t row, part, of, facet;
} sides;

static sides sides_of(const cd_narrow_frame_state *frame, const touching *touch)
{
    const cd_narrow_site_pair *p = &frame->pair[touch->pair];
    return p->row_a == touch->of ? (sides){p->row_b, p->part_b, p->row_a, p->part_a}
                                 : (sides){p->row_a, p->part_a, p->row_b, p->part_b};
}

static bool is_touching(cd_shape_kind a, cd_shape_kind b)
{
    return (a == CD_SHAPE_FACETS && may_touch(b)) || (b == CD_SHAPE_FACETS && may_touch(a));
}

bool cd_narrow_wants_surfaces(const cd_narrow_frame_state *frame)
{
    if (frame->in->dim != 3 || !frame->mode->joins_surfaces || smoothing_of(frame->options) == CD_SURFACE_OFF)
        return false;
    for (int32_t i = 0; i < frame->pair_count; i++) {
        const cd_narrow_site_pair *p = &frame->pair[i];
        if (cd_narrow_is_of_pinballs(frame->pinballs, p))  // elements have no leaves
            continue;
        if (is_touching(cd_narrow_kind_of(frame, p->row_a, p->part_a), cd_narrow_kind_of(frame, p->row_b, p->part_b)))
            return true;
    }
    return false;
}

// Where the parts of a body begin, among the leaves and among the parts of all bodies that can touch a surface: those
// of bodies that are surfaces do not count, they may be very many.
typedef struct body_base {
    int32_t leaf, part;
} body_base;

static body_base *number_parts(const cd_narrow_frame_state *frame)
{
    int32_t bodies = frame->in->body.count, parts = 0;
    body_base *base = CD_ARENA_ARRAY(frame->arena, body_base, bodies + 1);
    for (int32_t row = 0; row < bodies; row++) {
        int32_t count = cd_narrow_leaf_count(frame, row);
        base[row] = (body_base){count > 0 ? frame->shapes->first[frame->in->body.shape[row]] : 0, parts};
        parts += count > 0 && frame->in->shape.kind[frame->in->body.shape[row]] == CD_SHAPE_FACETS ? 0 : count;
    }
    base[bodies].part = parts;
    return base;
}

// By the part that touches; those of one part stay in the order of pairs, which is that of surfaces and triangles.
static touching *sort_pairs(const cd_narrow_frame_state *frame, const cd_contact **contact, int32_t *count)
{
    const cd_leaves3 *leaves = &frame->shapes->space;
    const body_base *base = number_parts(frame);
    int32_t parts = base[frame->in->body.count].part;
    int32_t *next = CD_ARENA_ZARRAY(frame->arena, int32_t, parts + 1);
    *count = 0;
    for (int32_t i = 0; i < frame->pair_count; i++) {
        const cd_narrow_site_pair *p = &frame->pair[i];
        body_base of_a = base[p->row_a], of_b = base[p->row_b];
        contact[i] = NULL;
        if (cd_narrow_is_of_pinballs(frame->pinballs, p))
            continue;
        cd_shape_kind a = cd_leaves3_kind(leaves, of_a.leaf + p->part_a),
                      b = cd_leaves3_kind(leaves, of_b.leaf + p->part_b);
        contact[i] = is_touching(a, b) ? &cd_narrow_no_touch : NULL;
        if (!contact[i])
            continue;
        next[a == CD_SHAPE_FACETS ? of_b.part + p->part_b + 1 : of_a.part + p->part_a + 1]++;
        ++*count;
    }
    for (int32_t k = 0; k < parts; k++)
        next[k + 1] += next[k];
    touching *touch = CD_ARENA_ARRAY(frame->arena, touching, *count);
    for (int32_t i = 0; i < frame->pair_count; i++) {
        const cd_narrow_site_pair *p = &frame->pair[i];
        if (!contact[i])
            continue;
        body_base of_a = base[p->row_a], of_b = base[p->row_b];
        int32_t leaf_a = of_a.leaf + p->part_a, leaf_b = of_b.leaf + p->part_b;
        bool is_surface_a = cd_leaves3_kind(leaves, leaf_a) == CD_SHAPE_FACETS;
        int32_t number = is_surface_a ? leaf_a : leaf_b;
        int32_t triangle = cd_leaves3_at(leaves, number).facet.triangle;
        int32_t part = is_surface_a ? of_b.part + p->part_b : of_a.part + p->part_a;
        touch[next[part]++] = (touching){i, triangle, is_surface_a ? p->row_a : p->row_b, number - triangle};
    }
    return touch;
}

static bool is_same_group(const cd_narrow_frame_state *frame, const touching *p, const touching *q)
{
    if (p->of != q->of || p->instance != q->instance)
        return false;
    const cd_narrow_site_pair *a = &frame->pair[p->pair], *b = &frame->pair[q->pair];
    bool is_surface_a = a->row_a == p->of;
    return is_surface_a ? a->row_b == b->row_b && a->part_b == b->part_b
                        : a->row_a == b->row_a && a->part_a == b->part_a;
}

// ---- a group -------------------------------------------------------------------------------------------------------

typedef struct touch_worker {
    const touch_job *job;
    cd_arena scratch, *found;
    cd_narrow_placer placer;
    CD_LIST(int32_t) triangle;  // of the group, in a memory of its own
    cd_arena lists;
} touch_worker;

enum { START, PREDICTED, CURRENT };

// The body at one of the poses of the step, as the surface sees it there.
static cd_surface_ball ball_at(const cd_leaf3 *leaf, const cd_narrow_placed_body *own, const cd_narrow_placed_body *of,
                               int pose)
{
    const cd_pose3 *at = &own->pose[own->same[pose]], *under = &of->pose[of->same[pose]];
    bool is_sphere = leaf->kind == CD_SHAPE_SPHERE;
    cd_vec3 local = is_sphere ? leaf->sphere.centre : leaf->ellipsoid->centre;
    cd_vec3 apart = cd_add3(cd_sub3(at->position, under->position), cd_sub3(own->middle, of->middle));
    cd_vec3 centre = cd_mat3_apply_back(&under->turn, cd_add3(apart, cd_pose3_turn(at, local)));
    if (is_sphere)
        return cd_surface_sphere(centre, leaf->sphere.radius);
    cd_mat3 back = cd_mat3_transpose(&under->turn), turned = cd_mat3_product(&at->turn, leaf->ellipsoid->axes);
    cd_mat3 axes = cd_mat3_product(&back, &turned);
    return cd_surface_ellipsoid(&(cd_ellipsoid){centre, leaf->ellipsoid->semiaxes, &axes});
}

static cd_contact *put(touch_worker *w, int32_t pair, const cd_contact *contact)
{
    cd_contact *kept = CD_ARENA_ARRAY(w->found, cd_contact, 1);
    *kept = *contact;
    w->job->contact[pair] = kept;
    return kept;
}

static void put_touch(touch_worker *w, const touching *touch, const cd_narrow_placed_body *own,
                      const cd_narrow_placed_body *of, const cd_surface_contact *found)
{
    sides s = sides_of(w->job->frame, touch);
    const cd_leaf3 leaf = cd_narrow_leaf3_of(w->job->frame, s.row, s.part);
    const cd_pose3 *at = &own->pose[own->same[CURRENT]], *under = &of->pose[of->same[CURRENT]];
    cd_vec3 local = leaf.kind == CD_SHAPE_SPHERE ? leaf.sphere.centre : leaf.ellipsoid->centre;
    cd_vec3 centre = cd_pose3_apply(at, local);
    cd_gap3 gap = {.gap = found->gap,
                   .normal = cd_pose3_turn(under, found->normal),
                   .point_a = cd_add3(centre, cd_pose3_turn(under, found->on_surface)),
                   .point_b = cd_add3(centre, cd_pose3_turn(under, found->on_body)),
                   .feature_a = found->feature,
                   .feature_b = cd_feature(CD_FEATURE_FACE, 0)};
    if (w->job->frame->pair[touch->pair].row_a == s.row)
        gap = cd_gap3_flip(gap);
    cd_contact contact;
    cd_contact_of_gap3(CD_CONTACT_ANALYTIC, &gap, w->job->frame->epsilon, &contact);
    if (found->is_degenerate)
        contact.status = CD_STATUS_DEGENERATE;
    contact.point = cd_add3(contact.point, own->middle);
    contact.point_a = cd_add3(contact.point_a, own->middle);
    contact.point_b = cd_add3(contact.point_b, own->middle);
    put(w, touch->pair, &contact);
}

static cd_surface_mesh mesh_of(const cd_narrow_frame_state *frame, const touching *touch)
{
    const cd_leaf3 facet = cd_leaves3_at(&frame->shapes->space, touch->instance);
    return (cd_surface_mesh){&frame->surfaces->of_shape[facet.shape], facet.facet.vertex, facet.facet.half_thickness};
}

static void touch_ball(touch_worker *w, const touching *touch, int32_t count)
{
    const cd_narrow_frame_state *frame = w->job->frame;
    sides first = sides_of(frame, touch);
    const cd_leaf3 leaf = cd_narrow_leaf3_of(frame, first.row, first.part);
    cd_surface_mesh mesh = mesh_of(frame, touch);
    cd_surface_rules rules = w->job->rules;
    rules.limit = frame->mode->is_of_overlaps ? 0 : cd_reach_pair(&frame->reach, first.row, first.of);

    // the body at the poses of the step, and the triangles
    cd_narrow_placed_body own = *cd_narrow_placer_body(&w->placer, first.row);
    cd_narrow_placed_body of = *cd_narrow_placer_body(&w->placer, first.of);
    cd_surface_ball ball = ball_at(&leaf, &own, &of, CURRENT), also[2];
    int also_count = 0;
    for (int pose = START; pose <= PREDICTED; pose++)
        if (own.same[pose] != own.same[CURRENT] || of.same[pose] != of.same[CURRENT])
            also[also_count++] = ball_at(&leaf, &own, &of, pose);
    w->triangle.count = 0;
    for (int32_t i = 0; i < count; i++)
        cd_list_push(&w->lists, &w->triangle, touch[i].triangle);

    // what of them is the surface's
    cd_surface_contact *found = CD_ARENA_ARRAY(&w->scratch, cd_surface_contact, count);
    cd_surface_asked asked = {w->triangle.item, count, also, also_count};
    int32_t touches = cd_surface_touch_ball(&mesh, &ball, &rules, &asked, &w->scratch, found);
    for (int32_t i = 0, k = 0; k < touches; k++) {
        while (w->triangle.item[i] != found[k].triangle)
            i++;
        if (!(frame->mode->is_of_overlaps && found[k].gap >= 0))
            put_touch(w, &touch[i], &own, &of, &found[k]);
    }
}

// Polyhedra: the contacts of the mode with each triangle; those that are not the surface's go.
static void touch_polyhedron(touch_worker *w, const touching *touch, int32_t count)
{
    const cd_narrow_frame_state *frame = w->job->frame;
    sides first = sides_of(frame, touch);
    const cd_narrow_placed_body *of = cd_narrow_placer_body(&w->placer, first.of);
    const cd_pose3 under = of->pose[of->same[CURRENT]];
    const cd_vec3 of_middle = of->middle;
    cd_surface_mesh mesh = mesh_of(frame, touch);
    cd_surface_found *found = CD_ARENA_ARRAY(&w->scratch, cd_surface_found, count);
    cd_contact *contact = CD_ARENA_ARRAY(&w->scratch, cd_contact, count);
    int32_t *pair = CD_ARENA_ARRAY(&w->scratch, int32_t, count), near = 0;
    for (int32_t i = 0; i < count; i++) {
        cd_contacts contacts = {0};
        cd_pair3_input input;
        cd_arena call = {0};
        int32_t number = touch[i].pair;
        bool is_surface_a = frame->pair[number].row_a == first.of;
        cd_vec3 middle = cd_narrow_placer_input(&w->placer, number, &w->scratch, &call, &input);
        input.intersect = w->job->intersect;
        frame->mode->space(w->job->entry[number], &input, &contacts);
        if (contacts.count > 0) {
            cd_gap3 gap = cd_pair3_gap(w->job->entry[number], input.a.current, input.b.current, &call);
            gap = is_surface_a ? gap : cd_gap3_flip(gap);
            cd_vec3 skin = cd_sub3(gap.point_a, cd_scale3(mesh.half_thickness, gap.normal));
            cd_vec3 place = cd_sub3(cd_add3(skin, cd_sub3(middle, of_middle)), under.position);
            found[near] = (cd_surface_found){.triangle = touch[i].triangle,
                                             .foot = cd_mat3_apply_back(&under.turn, place),
                                             .normal = cd_mat3_apply_back(&under.turn, gap.normal),
                                             .gap = gap.gap};
            cd_narrow_move_contacts(&contacts, 0, middle);
            contact[near] = contacts.item[0];
            pair[near++] = number;
        }
        cd_arena_release(&call);
    }
    double scale = cd_leaves_extent(frame->shapes, cd_narrow_leaf_number(frame, first.row, first.part));
    cd_surface_choose(&mesh, &w->job->rules, scale, found, near, &w->scratch);
    for (int32_t i = 0; i < near; i++) {
        bool is_surface_a = frame->pair[pair[i]].row_a == first.of;
        if (!found[i].is_kept)
            continue;
        cd_contact *kept = put(w, pair[i], &contact[i]);
        if (kept->feature_a != CD_FEATURE_NONE)
            *(is_surface_a ? &kept->feature_a : &kept->feature_b) = found[i].feature;
    }
}

// ---- all groups ----------------------------------------------------------------------------------------------------

// The first group that starts at place i or later.
static int32_t group_start(const touch_job *job, int64_t i)
{
    while (i > 0 && i < job->count && is_same_group(job->frame, &job->touch[i - 1], &job->touch[i]))
        i++;
    return (int32_t)i;
}

static void touch_share(void *context, int worker)
{
    const touch_job *job = context;
    cd_share share = cd_threads_share(job->count, job->threads, worker);
    int32_t i = group_start(job, share.begin), end = group_start(job, share.end);
    touch_worker *w = cd_alloc(sizeof *w);
    *w = (touch_worker){.job = job, .found = &job->frame->surfaces->found[worker]};
    cd_narrow_placer_begin(&w->placer, job->frame);
    while (i < end) {
        int32_t next = i + 1;
        while (next < end && is_same_group(job->frame, &job->touch[next - 1], &job->touch[next]))
            next++;
        sides first = sides_of(job->frame, &job->touch[i]);
        bool is_flat = cd_narrow_kind_of(job->frame, first.row, first.part) == CD_SHAPE_POLYHEDRON;
        (is_flat ? touch_polyhedron : touch_ball)(w, job->touch + i, next - i);
        cd_arena_reset(&w->scratch);
        i = next;
    }
    cd_narrow_placer_release(&w->placer);
    cd_arena_release(&w->scratch);
    cd_arena_release(&w->lists);
    cd_free(w);
}

static void make_memory(struct cd_narrow_surfaces *surfaces, int workers)
{
    if (workers > surfaces->found_count) {
        surfaces->found = cd_realloc(surfaces->found, (size_t)workers * sizeof *surfaces->found);
        for (int k = surfaces->found_count; k < workers; k++)
            surfaces->found[k] = (cd_arena){0};
        surfaces->found_count = workers;
    }
    for (int k = 0; k < surfaces->found_count; k++)
        cd_arena_reset(&surfaces->found[k]);
}

cd_narrow_touches cd_narrow_touch(const cd_narrow_frame_state *frame, const cd_pair3 *const *entry,
                                  cd_pair3_intersect *intersect)
{
    enum { PAIRS_PER_THREAD = 500 };  // some 0.1 us each at least, against 30 us for a thread
    if (!frame->surfaces)
        return (cd_narrow_touches){NULL};
    const cd_narrow_options *options = frame->options;
    touch_job job = {.frame = frame,
                     .entry = entry,
                     .intersect = intersect,
                     .rules = {.smoothing = smoothing_of(options),
                               .is_front_only = !strcmp(options->side, "front"),
                               .crease = options->crease},
                     .contact = CD_ARENA_ARRAY(frame->arena, const cd_contact *, frame->pair_count)};
    job.touch = sort_pairs(frame, job.contact, &job.count);
    job.threads = cd_threads_for(frame->threads, job.count, PAIRS_PER_THREAD);
    make_memory(frame->surfaces, job.threads);
    cd_threads_run(job.threads, touch_share, &job);
    return (cd_narrow_touches){job.contact};
}
