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
    }
}

void cd_narrow_forget_surfaces(struct cd_narrow_surfaces *surfaces)
{
    cd_arena_release(&surfaces->arena);
    surfaces->of_shape = NULL;
}

// ---- groups --------------------------------------------------------------------------------------------------------

// A pair of a surface as its group sees it: the part that touches, and the triangle.
typedef struct touching {
    int32_t pair;
    int row, part;         // that touches
    int of, facet;         // row of the surface's body, and the triangle's part
    const cd_leaf3 *leaf;  // of the triangle
} touching;

typedef struct touch_job {
    const cd_narrow_frame_state *frame;
    const cd_pair3 *const *entry;
    cd_pair3_intersect *intersect;
    cd_surface_rules rules;
    const int32_t *order;  // pairs of surfaces, those of a part and a surface one behind the other
    int32_t count;
    int threads;
    cd_arena *found;  // of each worker
    const cd_contact **contact;
} touch_job;

static const cd_leaf3 *leaf_of(const cd_narrow_frame_state *frame, int32_t row, int32_t part)
{
    return &frame->shapes->space.leaf[frame->shapes->first[frame->in->body.shape[row]] + part];
}

static bool may_touch(cd_shape_kind kind)
{
    return kind == CD_SHAPE_SPHERE || kind == CD_SHAPE_ELLIPSOID || kind == CD_SHAPE_POLYHEDRON;
}

static touching touching_of(const cd_narrow_frame_state *frame, int32_t number)
{
    const cd_narrow_site_pair *p = &frame->pair[number];
    const cd_leaf3 *a = leaf_of(frame, p->row_a, p->part_a);
    return a->kind == CD_SHAPE_FACETS
               ? (touching){number, p->row_b, p->part_b, p->row_a, p->part_a, a}
               : (touching){number, p->row_a, p->part_a, p->row_b, p->part_b, leaf_of(frame, p->row_b, p->part_b)};
}

static bool is_of_surface(const cd_narrow_frame_state *frame, int32_t number)
{
    const cd_narrow_site_pair *p = &frame->pair[number];
    if (cd_narrow_is_of_pinballs(frame->pinballs, p))  // elements have no leaves
        return false;
    cd_shape_kind a = leaf_of(frame, p->row_a, p->part_a)->kind, b = leaf_of(frame, p->row_b, p->part_b)->kind;
    return (a == CD_SHAPE_FACETS && may_touch(b)) || (b == CD_SHAPE_FACETS && may_touch(a));
}

static bool is_same_group(const touching *a, const touching *b)
{
    return a->row == b->row && a->part == b->part && a->of == b->of && a->leaf->facet.vertex == b->leaf->facet.vertex;
}

bool cd_narrow_wants_surfaces(const cd_narrow_frame_state *frame)
{
    if (frame->in->dim != 3 || !frame->mode->joins_surfaces || smoothing_of(frame->options) == CD_SURFACE_OFF)
        return false;
    for (int32_t i = 0; i < frame->pair_count; i++)
        if (is_of_surface(frame, i))
            return true;
    return false;
}

// Numbers of pairs by the part that touches; those of one part stay in their order, which is that of surfaces.
static int32_t *sort_pairs(const cd_narrow_frame_state *frame, const cd_contact **contact, int32_t *count)
{
    int32_t bodies = frame->in->body.count, *base = CD_ARENA_ARRAY(frame->arena, int32_t, bodies + 1), parts = 0;
    for (int32_t row = 0; row <= bodies; row++) {
        base[row] = parts;
        parts += row < bodies ? cd_narrow_leaf_count(frame, row) : 0;
    }
    int32_t *next = CD_ARENA_ZARRAY(frame->arena, int32_t, parts + 1);
    *count = 0;
    for (int32_t i = 0; i < frame->pair_count; i++) {
        bool is_of = is_of_surface(frame, i);
        contact[i] = is_of ? &cd_narrow_no_touch : NULL;
        if (!is_of)
            continue;
        touching t = touching_of(frame, i);
        next[base[t.row] + t.part + 1]++;
        ++*count;
    }
    for (int32_t k = 0; k < parts; k++)
        next[k + 1] += next[k];
    int32_t *order = CD_ARENA_ARRAY(frame->arena, int32_t, *count);
    for (int32_t i = 0; i < frame->pair_count; i++)
        if (contact[i]) {
            touching t = touching_of(frame, i);
            order[next[base[t.row] + t.part]++] = i;
        }
    return order;
}

// ---- a group -------------------------------------------------------------------------------------------------------

typedef struct touch_worker {
    const touch_job *job;
    cd_arena scratch, found;
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
    cd_contact *kept = CD_ARENA_ARRAY(&w->found, cd_contact, 1);
    *kept = *contact;
    w->job->contact[pair] = kept;
    return kept;
}

static void put_touch(touch_worker *w, const touching *t, const cd_narrow_placed_body *own,
                      const cd_narrow_placed_body *of, const cd_surface_contact *found)
{
    const cd_leaf3 *leaf = leaf_of(w->job->frame, t->row, t->part);
    const cd_pose3 *at = &own->pose[own->same[CURRENT]], *under = &of->pose[of->same[CURRENT]];
    cd_vec3 local = leaf->kind == CD_SHAPE_SPHERE ? leaf->sphere.centre : leaf->ellipsoid->centre;
    cd_vec3 centre = cd_pose3_apply(at, local);
    cd_gap3 gap = {.gap = found->gap,
                   .normal = cd_pose3_turn(under, found->normal),
                   .point_a = cd_add3(centre, cd_pose3_turn(under, found->on_surface)),
                   .point_b = cd_add3(centre, cd_pose3_turn(under, found->on_body)),
                   .feature_a = found->feature,
                   .feature_b = cd_feature(CD_FEATURE_FACE, 0)};
    if (w->job->frame->pair[t->pair].row_a == t->row)
        gap = cd_gap3_flip(gap);
    cd_contact contact;
    cd_contact_of_gap3(CD_CONTACT_ANALYTIC, &gap, w->job->frame->epsilon, &contact);
    if (found->is_degenerate)
        contact.status = CD_STATUS_DEGENERATE;
    contact.point = cd_add3(contact.point, own->middle);
    contact.point_a = cd_add3(contact.point_a, own->middle);
    contact.point_b = cd_add3(contact.point_b, own->middle);
    put(w, t->pair, &contact);
}

static cd_surface_mesh mesh_of(const cd_narrow_frame_state *frame, const cd_leaf3 *facet)
{
    return (cd_surface_mesh){&frame->surfaces->of_shape[facet->shape], facet->facet.vertex,
                             facet->facet.half_thickness};
}

static void touch_ball(touch_worker *w, const int32_t *order, int32_t count)
{
    const cd_narrow_frame_state *frame = w->job->frame;
    touching first = touching_of(frame, order[0]);
    const cd_leaf3 *leaf = leaf_of(frame, first.row, first.part);
    cd_surface_mesh mesh = mesh_of(frame, first.leaf);
    cd_surface_rules rules = w->job->rules;
    rules.limit = frame->mode->is_of_overlaps ? 0 : cd_reach_pair(&frame->reach, first.row, first.of);

    // the body at the poses of the step, and the triangles
    cd_narrow_placed_body own = *cd_narrow_placer_body(&w->placer, first.row);
    cd_narrow_placed_body of = *cd_narrow_placer_body(&w->placer, first.of);
    cd_surface_ball ball = ball_at(leaf, &own, &of, CURRENT), also[2];
    int also_count = 0;
    for (int pose = START; pose <= PREDICTED; pose++)
        if (own.same[pose] != own.same[CURRENT] || of.same[pose] != of.same[CURRENT])
            also[also_count++] = ball_at(leaf, &own, &of, pose);
    w->triangle.count = 0;
    for (int32_t i = 0; i < count; i++)
        cd_list_push(&w->lists, &w->triangle, touching_of(frame, order[i]).leaf->facet.triangle);

    // what of them is the surface's
    cd_surface_contact *found = CD_ARENA_ARRAY(&w->scratch, cd_surface_contact, count);
    cd_surface_asked asked = {w->triangle.item, count, also, also_count};
    int32_t touches = cd_surface_touch_ball(&mesh, &ball, &rules, &asked, &w->scratch, found);
    for (int32_t i = 0, k = 0; k < touches; k++) {
        while (w->triangle.item[i] != found[k].triangle)
            i++;
        touching t = touching_of(frame, order[i]);
        if (!(frame->mode->is_of_overlaps && found[k].gap >= 0))
            put_touch(w, &t, &own, &of, &found[k]);
    }
}

// Polyhedra: the contacts of the mode with each triangle; those that are not the surface's go.
static void touch_polyhedron(touch_worker *w, const int32_t *order, int32_t count)
{
    const cd_narrow_frame_state *frame = w->job->frame;
    touching first = touching_of(frame, order[0]);
    const cd_narrow_placed_body *of = cd_narrow_placer_body(&w->placer, first.of);
    const cd_pose3 under = of->pose[of->same[CURRENT]];
    const cd_vec3 of_middle = of->middle;
    cd_surface_mesh mesh = mesh_of(frame, first.leaf);
    cd_surface_found *found = CD_ARENA_ARRAY(&w->scratch, cd_surface_found, count);
    cd_contact *contact = CD_ARENA_ARRAY(&w->scratch, cd_contact, count);
    int32_t *pair = CD_ARENA_ARRAY(&w->scratch, int32_t, count), near = 0;
    for (int32_t i = 0; i < count; i++) {
        cd_contacts contacts = {0};
        cd_pair3_input input;
        cd_arena call = {0};
        touching t = touching_of(frame, order[i]);
        bool is_surface_a = frame->pair[t.pair].row_a == t.of;
        cd_vec3 middle = cd_narrow_placer_input(&w->placer, t.pair, &w->scratch, &call, &input);
        input.intersect = w->job->intersect;
        frame->mode->space(w->job->entry[t.pair], &input, &contacts);
        if (contacts.count > 0) {
            cd_gap3 gap = cd_pair3_gap(w->job->entry[t.pair], input.a.current, input.b.current, &call);
            gap = is_surface_a ? gap : cd_gap3_flip(gap);
            cd_vec3 skin = cd_sub3(gap.point_a, cd_scale3(mesh.half_thickness, gap.normal));
            cd_vec3 place = cd_sub3(cd_add3(skin, cd_sub3(middle, of_middle)), under.position);
            found[near] = (cd_surface_found){.triangle = t.leaf->facet.triangle,
                                             .foot = cd_mat3_apply_back(&under.turn, place),
                                             .normal = cd_mat3_apply_back(&under.turn, gap.normal),
                                             .gap = gap.gap};
            cd_narrow_move_contacts(&contacts, 0, middle);
            contact[near] = contacts.item[0];
            pair[near++] = t.pair;
        }
        cd_arena_release(&call);
    }
    double scale = leaf_of(frame, first.row, first.part)->extent;
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
    for (; i > 0 && i < job->count; i++) {
        touching before = touching_of(job->frame, job->order[i - 1]), own = touching_of(job->frame, job->order[i]);
        if (!is_same_group(&before, &own))
            break;
    }
    return (int32_t)i;
}

static void touch_share(void *context, int worker)
{
    const touch_job *job = context;
    cd_share share = cd_threads_share(job->count, job->threads, worker);
    int32_t i = group_start(job, share.begin), end = group_start(job, share.end);
    touch_worker *w = cd_alloc(sizeof *w);
    *w = (touch_worker){.job = job};
    cd_narrow_placer_begin(&w->placer, job->frame);
    while (i < end) {
        touching first = touching_of(job->frame, job->order[i]);
        int32_t next = i + 1;
        for (; next < end; next++) {
            touching t = touching_of(job->frame, job->order[next]);
            if (!is_same_group(&first, &t))
                break;
        }
        bool is_flat = leaf_of(job->frame, first.row, first.part)->kind == CD_SHAPE_POLYHEDRON;
        (is_flat ? touch_polyhedron : touch_ball)(w, job->order + i, next - i);
        cd_arena_reset(&w->scratch);
        i = next;
    }
    cd_narrow_placer_release(&w->placer);
    cd_arena_release(&w->scratch);
    cd_arena_release(&w->lists);
    job->found[worker] = w->found;
    cd_free(w);
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
    job.order = sort_pairs(frame, job.contact, &job.count);
    job.threads = cd_threads_for(frame->threads, job.count, PAIRS_PER_THREAD);
    job.found = CD_ARENA_ZARRAY(frame->arena, cd_arena, job.threads);
    cd_threads_run(job.threads, touch_share, &job);
    for (int k = 0; k < job.threads; k++)
        cd_arena_adopt(frame->arena, &job.found[k]);
    return (cd_narrow_touches){job.contact};
}
