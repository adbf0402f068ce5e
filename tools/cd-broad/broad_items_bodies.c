// SPDX-License-Identifier: MIT
#include "broad_items.h"

#include "broad_balls.h"
#include "broad_spheres.h"
#include "cd_bounds.h"
#include "cd_reach.h"

#include <float.h>

bool cd_broad_is_of_spheres(const cd_broad_options *options) { return !strcmp(options->overlap, "sphere"); }

// ---- boxes from shapes, elements and states ------------------------------------------------------------------------

typedef struct bounds_job {
    cd_bounds_frame frame;
    const cd_placed_elements *elements;
    double margin;  // [m]
    cd_reach reach;
    cd_broad_items *items;
    int threads;
    bool is_kept;  // the boxes of what stands are there
} bounds_job;

static void bound_body(const bounds_job *job, int32_t body, double *min, double *max)
{
    double grow = cd_reach_share(&job->reach, body) + job->margin;
    if (cd_elements_of_body(job->elements, body) > 0)
        cd_elements_bounds(job->elements, body, job->frame.start_only, grow, min, max);
    else
        cd_bounds_of_body(&job->frame, body, grow, min, max);
}

// [m] of a part that is a sphere; 0 of others.
static double round_radius(const cd_leaves *leaves, int32_t leaf)
{
    if (cd_leaves_kind(leaves, leaf) != CD_SHAPE_SPHERE)
        return 0;
    return leaves->dim == 2 ? leaves->plane.leaf[leaf].radius : cd_leaves3_at(&leaves->space, leaf).sphere.radius;
}

// The balls of a body's parts, which begin at item `first`.
static void ball_body(const bounds_job *job, int32_t body, int64_t first)
{
    int dim = job->frame.in->dim;
    const double *min = job->items->min + dim * first, *max = job->items->max + dim * first;
    double grow = cd_reach_share(&job->reach, body) + job->margin, *ball = job->items->ball + (dim + 1) * first;
    int32_t count = cd_elements_of_body(job->elements, body);
    for (int32_t i = 0; i < count; i++)
        cd_broad_ball_of_box(dim, min + dim * i, max + dim * i, grow + cd_element_ball(job->elements, body, i),
                             ball + (dim + 1) * i);
    if (count > 0)
        return;
    const cd_leaves *leaves = job->frame.leaves;
    int32_t shape = job->frame.in->body.shape[body], leaf = leaves->first[shape], end = leaves->first[shape + 1];
    double low[3], high[3], turned[4];
    bool has_path = false;
    for (; leaf < end; leaf++, min += dim, max += dim, ball += dim + 1) {
        double radius = round_radius(leaves, leaf);
        cd_broad_ball_of_box(dim, min, max, grow + radius, ball);
        if (radius > 0)
            continue;
        if (!has_path)
            cd_bounds_of_ball(&job->frame, body, 0, 0, low, high);
        has_path = true;
        cd_broad_ball_of_box(dim, low, high, 0, turned);
        turned[dim] += (cd_leaves_extent(leaves, leaf) + grow) * (1 + 8 * DBL_EPSILON);
        if (turned[dim] < ball[dim])
            memcpy(ball, turned, ((size_t)dim + 1) * sizeof *ball);
    }
}

static void bound_and_ball(const bounds_job *job, int64_t item)
{
    int64_t dim = job->frame.in->dim;
    int32_t body = job->items->site[2 * item];
    bound_body(job, body, job->items->min + dim * item, job->items->max + dim * item);
    if (job->items->ball)
        ball_body(job, body, item);
}

// Bodies that are one sphere each, from the item `begin` on. Returns the item behind them.
static int64_t bound_spheres(const bounds_job *job, int64_t begin, int64_t end)
{
    const cd_broad_items *items = job->items;
    cd_broad_spheres spheres;
    spheres.count = spheres.poses = 0;
    int64_t i = begin;
    for (; i < end; i++) {
        int32_t body = items->site[2 * i];
        if (cd_elements_of_body(job->elements, body) > 0 ||
            !cd_broad_spheres_add(&spheres, &job->frame, body, cd_reach_share(&job->reach, body) + job->margin))
            break;
    }
    double *ball = items->ball ? items->ball + 4 * begin : NULL;
    if (i > begin && !cd_broad_bound_spheres(&spheres, items->min + 3 * begin, items->max + 3 * begin, ball))
        for (int64_t k = begin; k < i; k++)
            bound_and_ball(job, k);
    return i;
}

// The boxes of the bodies whose first part is in the worker's share of the items.
static void bound_share(void *context, int worker)
{
    const bounds_job *job = context;
    const cd_broad_items *items = job->items;
    cd_share share = cd_threads_share(items->stored, job->threads, worker);
    bool is_space = job->frame.in->dim == 3;
    for (int64_t i = share.begin; i < share.end;) {
        int64_t next = is_space ? bound_spheres(job, i, share.end) : i;
        if (next == i && job->is_kept && i >= items->standing.begin && i < items->standing.end)
            next = items->standing.end;
        else if (next == i && items->site[2 * i + 1] == 0)
            bound_and_ball(job, i);
        i = next > i ? next : i + 1;
    }
}

static int32_t parts_of(const cd_placed_elements *elements, const cd_leaves *leaves, int32_t body)
{
    int32_t count = cd_elements_of_body(elements, body);
    if (count > 0)
        return count;
    int32_t shape = elements->in->body.shape[body];
    return leaves->first[shape + 1] - leaves->first[shape];
}

// ---- boxes that are kept -------------------------------------------------------------------------------------------

// Fewer parts are soon done anew.
enum { STANDING_LEAST = 4096 };

// The bodies that take part, in canonical order.
typedef struct broad_bodies {
    const cd_model *in;
    const cd_leaves *leaves;
    const cd_placed_elements *elements;
    cd_body_order order;
    const int32_t *trial_row;
} broad_bodies;

static bool may_stand(const broad_bodies *bodies, int32_t body)
{
    const cd_model *in = bodies->in;
    return cd_body_motion(in, body) == CD_MOTION_FIXED && in->body.shape && in->body.shape[body] >= 0 &&
           cd_body_has_position(in, body) && bodies->trial_row[body] < 0;
}

// Has any body or shape so many parts?
static bool are_parts_many(const broad_bodies *bodies)
{
    const cd_leaves *leaves = bodies->leaves;
    int32_t most = 0;
    for (int32_t s = 0; s < bodies->in->shape.count; s++)
        most = leaves->first[s + 1] - leaves->first[s] > most ? leaves->first[s + 1] - leaves->first[s] : most;
    return bodies->elements->place || most >= STANDING_LEAST;
}

// Finds the fixed body with the most parts, if those are many.
static void find_standing(const broad_bodies *bodies, cd_broad_items *items)
{
    int32_t begin = 0;
    items->standing = (cd_broad_still){0};
    if (!are_parts_many(bodies))
        return;
    for (int32_t k = 0; k < bodies->in->body.count; k++) {
        int32_t body = bodies->order.row[k];
        if (!cd_body_is_active(bodies->in, body))
            continue;
        int32_t count = parts_of(bodies->elements, bodies->leaves, body);
        if (count >= STANDING_LEAST && count > items->standing.end - items->standing.begin && may_stand(bodies, body)) {
            items->standing = (cd_broad_still){.begin = begin, .end = begin + count};
            items->standing_row = body;
        }
        begin += count;
    }
}

static void put_sites_of_items(cd_arena *arena, const broad_bodies *bodies, cd_broad_items *items)
{
    const cd_broad_still *standing = &items->standing;
    bool are_active = cd_bodies_are_active(bodies->in);
    items->stored = items->count - (standing->boxes ? standing->end - standing->begin : 0);
    items->site = CD_ARENA_ARRAY(arena, int32_t, 2 * (size_t)items->stored);
    int32_t *site = items->site;
    for (int32_t k = 0; k < bodies->in->body.count; k++) {
        int32_t body = bodies->order.row[k];
        if ((!are_active && !cd_body_is_active(bodies->in, body)) || (standing->boxes && body == items->standing_row))
            continue;
        int32_t own = parts_of(bodies->elements, bodies->leaves, body);
        for (int32_t part = 0; part < own; part++, site += 2) {
            site[0] = body;
            site[1] = part;
        }
    }
}

static cd_broad_kept kept_of(const cd_model *in, const cd_broad_items *items, double grow)
{
    cd_broad_kept kept = {.begin = items->standing.begin, .end = items->standing.end, .grow = grow};
    int32_t body = items->standing_row;
    int turns = in->dim == 2 ? 1 : 4;
    kept.is_apart = items->standing.boxes != NULL;
    kept.shape = in->body.shape[body];
    memcpy(kept.pose, in->body.position + (size_t)in->dim * (size_t)body, (size_t)in->dim * sizeof(double));
    for (int k = 0; k < turns; k++)
        kept.pose[3 + k] = in->body.rotation ? in->body.rotation[turns * body + k] : 0;
    return kept;
}

static bool are_same(const cd_broad_kept *a, const cd_broad_kept *b)
{
    return a->is_apart == b->is_apart && a->begin == b->begin && a->end == b->end && a->shape == b->shape &&
           a->grow == b->grow && !memcmp(a->pose, b->pose, sizeof a->pose);
}

// Moves the arrays of the items to memory that lasts, where a body of many parts stands still and not apart. True: its
// boxes are known already.
static bool keep_standing(cd_broad_stage *stage, const cd_model *in, const bounds_job *job, cd_broad_items *items)
{
    cd_broad_kept *kept = &stage->kept;
    size_t count = (size_t)items->count, dim = (size_t)in->dim;
    if (items->standing.begin == items->standing.end)
        return false;
    double grow = cd_reach_share(&job->reach, items->standing_row) + job->margin;
    cd_broad_kept now = kept_of(in, items, grow);
    if (!now.is_apart) {
        size_t used = kept->is_apart ? 0 : (size_t)kept->end * sizeof(double);
        cd_region_reserve(&kept->min, dim * used, dim * count * sizeof(double));
        cd_region_reserve(&kept->max, dim * used, dim * count * sizeof(double));
        bool has_balls = cd_broad_is_of_spheres(stage->options);
        if (has_balls)
            cd_region_reserve(&kept->ball, (dim + 1) * used, (dim + 1) * count * sizeof(double));
        items->min = kept->min.data;
        items->max = kept->max.data;
        items->ball = has_balls ? kept->ball.data : NULL;
    }
    bool is_kept = kept->stamp > 0 && are_same(kept, &now);
    now.min = kept->min;
    now.max = kept->max;
    now.ball = kept->ball;
    now.stamp = kept->stamp + !is_kept;
    *kept = now;
    items->standing.stamp = now.stamp;
    return is_kept;
}

static void find_facets(cd_arena *arena, const bounds_job *job, cd_broad_items *items)
{
    cd_reach *reach = CD_ARENA_ARRAY(arena, cd_reach, 1);
    cd_broad_facets *facets = CD_ARENA_ARRAY(arena, cd_broad_facets, 1);
    *reach = job->reach;
    *facets = (cd_broad_facets){.in = job->frame.in,
                                .leaves = job->frame.leaves,
                                .trial_row = job->frame.trial_row,
                                .reach = reach,
                                .margin = job->margin,
                                .site = items->site,
                                .standing = items->standing,
                                .standing_row = items->standing_row,
                                .ball = items->ball};
    items->facets = cd_broad_facets_make(arena, facets) ? facets : NULL;
}

// The boxes of a body that stands apart.
typedef struct apart_boxes {
    bounds_job job;
    int32_t row;
} apart_boxes;

static void boxes_apart(const void *context, const int32_t *part, int32_t count, double *min, double *max)
{
    const apart_boxes *own = context;
    double grow = cd_reach_share(&own->job.reach, own->row) + own->job.margin;
    cd_bounds_of_parts(&own->job.frame, own->row, part, count, grow, min, max);
}

// A surface that stands stands apart when nobody asks for its boxes but the tree that `auto` makes of it: its facets
// are asked themselves, not their balls.
static bool stands_apart(const cd_broad_options *options, const cd_model *in, const cd_broad_items *items)
{
    return items->standing.begin < items->standing.end && in->dim == 3 && !strcmp(options->method, "auto") &&
           strcmp(options->bounds, "all") != 0 &&
           in->shape.kind[in->body.shape[items->standing_row]] == CD_SHAPE_FACETS;
}

cd_status cd_broad_items_from_bodies(cd_arena *arena, cd_broad_stage *stage, const cd_model *in, cd_body_order order,
                                     cd_broad_items *items, cd_diag *diag)
{
    enum { ITEMS_PER_THREAD = 5000 };
    const cd_leaves *leaves = &stage->parts.leaves;
    const cd_broad_options *options = stage->options;
    cd_placed_elements *elements = CD_ARENA_ARRAY(arena, cd_placed_elements, 1);
    CD_TRY(cd_elements_place(arena, in, &stage->parts.elements, stage->parts.refs, elements, diag));
    CD_TRY(cd_parts_count(elements, leaves, &items->count, diag));
    broad_bodies bodies = {in, leaves, elements, order, cd_body_trial_rows(arena, in)};
    apart_boxes *apart = CD_ARENA_ARRAY(arena, apart_boxes, 1);
    find_standing(&bodies, items);
    if (stands_apart(options, in, items)) {
        items->standing.boxes = boxes_apart;
        items->standing.context = apart;
    }
    put_sites_of_items(arena, &bodies, items);
    int threads = cd_broad_engine_threads(stage->engine);
    bounds_job job = {.frame = {in, leaves, bodies.trial_row, options->no_sweep},
                      .elements = elements,
                      .margin = options->margin,
                      .reach = cd_reach_make_shares(arena, in, leaves, options->reach),
                      .items = items,
                      .threads = cd_threads_for(threads, items->stored, ITEMS_PER_THREAD)};
    cd_reach_take_elements(&job.reach, elements);
    job.is_kept = keep_standing(stage, in, &job, items);
    if (!items->min) {
        items->min = CD_ARENA_ARRAY(arena, double, (size_t)in->dim *(size_t)items->stored);
        items->max = CD_ARENA_ARRAY(arena, double, (size_t)in->dim *(size_t)items->stored);
        if (cd_broad_is_of_spheres(options))
            items->ball = CD_ARENA_ARRAY(arena, double, ((size_t)in->dim + 1) * (size_t)items->stored);
    }
    *apart = (apart_boxes){job, items->standing_row};
    job.is_kept = job.is_kept && !items->standing.boxes;
    cd_threads_run(job.threads, bound_share, &job);
    if (items->ball && in->dim == 3)
        find_facets(arena, &job, items);
    return CD_OK;
}
