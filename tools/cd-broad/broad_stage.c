// SPDX-License-Identifier: MIT
#include "broad_stage.h"

#include "broad_balls.h"
#include "broad_facets.h"
#include "broad_spheres.h"
#include "cd_bodies.h"
#include "cd_bounds.h"
#include "cd_reach.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>

// The parts that take part, in canonical order. Where the stream's own bounds are used and already are in that order,
// site, min and max are the stream's columns; else they are new, and become the columns of the result.
typedef struct broad_items {
    int32_t count, stored;  // stored: of which the arrays are; the others stand apart (cd_broad_still)
    int32_t *site;          // body row, leaf
    double *min, *max;      // [m] dim an item
    int32_t *body;          // rank; NULL: every item is a body of its own
    uint8_t *class;         // NULL: all dynamic, no groups
    double *ball;           // [m] centre and radius, dim + 1 an item; NULL: boxes alone decide
    cd_broad_still standing;
    int32_t standing_row;     // its body; of no meaning where none stands
    cd_broad_facets *facets;  // NULL: none is asked itself
} broad_items;

static void items_make(cd_arena *arena, int dim, int32_t capacity, broad_items *items)
{
    items->site = CD_ARENA_ARRAY(arena, int32_t, 2 * (size_t)capacity);
    items->min = CD_ARENA_ARRAY(arena, double, (size_t)dim *(size_t)capacity);
    items->max = CD_ARENA_ARRAY(arena, double, (size_t)dim *(size_t)capacity);
}

const char *const cd_broad_overlap_names[] = {"box", "sphere", NULL};
const char *const cd_broad_bounds_names[] = {"all", "moving", "none", NULL};
const char *const cd_broad_vector_names[] = {"portable", "avx2", "avx512", NULL};

// False when it is neither a length above 0 nor "auto", which is NaN.
static bool read_cell(const char *text, double *cell)
{
    char *end;
    *cell = NAN;
    if (!strcmp(text, "auto"))
        return true;
    *cell = strtod(text, &end);
    return end != text && !*end && *cell > 0 && *cell < INFINITY;
}

cd_broad_tuning cd_broad_tuning_of(const cd_broad_options *options, int threads)
{
    int level = CD_VECTOR_AVX512;
    while (level > 0 && strcmp(cd_broad_vector_names[level], options->vector))
        level--;
    double cell;
    read_cell(options->cell, &cell);
    return (cd_broad_tuning){threads, cd_vector_detect((cd_vector_level)level), cell, (int32_t)options->cutoff};
}

static bool is_of_spheres(const cd_broad_options *options) { return !strcmp(options->overlap, "sphere"); }

cd_status cd_broad_check_options(const cd_broad_options *options, cd_diag *diag)
{
    if (is_of_spheres(options) && options->use_bounds)
        return cd_fail(diag, CD_ERR_USAGE, "--overlap: spheres are made of shapes, which --use-bounds does not read");
    double cell;
    if (!read_cell(options->cell, &cell))
        return cd_fail(diag, CD_ERR_USAGE, "--cell: \"%s\" is neither a length above 0 nor auto", options->cell);
    if (!options->group)
        return CD_OK;
    const char *colon = strchr(options->group, ':');
    if (!colon || colon == options->group || !colon[1] || strchr(colon + 1, ':'))
        return cd_fail(diag, CD_ERR_USAGE, "--group: \"%s\" is not two names with a colon between", options->group);
    return CD_OK;
}

// Is the body of the first or the second group of --group A:B?
static bool is_of_group(const cd_model *in, int32_t body, const cd_broad_options *options, int which)
{
    const char *name = in->body.group ? in->body.group[body] : NULL;
    const char *colon = strchr(options->group, ':');
    size_t length = (size_t)(colon - options->group);
    if (!name)
        return false;
    if (which == 1)
        return !strcmp(name, colon + 1);
    return strlen(name) == length && !memcmp(name, options->group, length);
}

static void look_for_groups(cd_broad_stage *stage, const cd_model *in)
{
    stage->has_frames = true;
    for (int which = 0; which < 2 && stage->options->group; which++)
        for (int32_t i = 0; i < in->body.count && !stage->has_group[which]; i++)
            stage->has_group[which] = is_of_group(in, i, stage->options, which);
}

cd_status cd_broad_check_groups(const cd_broad_stage *stage, const cd_prog_rows *prog, cd_diag *diag)
{
    const char *group = stage->options->group;
    bool is_part = false;
    for (int32_t i = 0; i < prog->count; i++)
        is_part |= !strcmp(prog->tool[i], "cd-shard");
    if (!group || !stage->has_frames || is_part || (stage->has_group[0] && stage->has_group[1]))
        return CD_OK;
    size_t first = strcspn(group, ":");
    const char *name = stage->has_group[0] ? group + first + 1 : group;
    return cd_fail(diag, CD_ERR_USAGE, "--group: no body of any frame is of group %.*s",
                   stage->has_group[0] ? 60 : (int)first, name);
}

static uint8_t class_of(const cd_model *in, int32_t body, const cd_broad_options *options)
{
    unsigned class = cd_body_motion(in, body) == CD_MOTION_DYNAMIC ? CD_BROAD_DYNAMIC : 0;
    if (!options->group)
        return (uint8_t)(class | CD_BROAD_UNGROUPED);
    if (is_of_group(in, body, options, 0))
        class |= CD_BROAD_IN_A;
    if (is_of_group(in, body, options, 1))
        class |= CD_BROAD_IN_B;
    return (uint8_t) class;
}

// Bodies and classes of the items, where pairs depend on them.
static void mark_items(cd_arena *arena, const cd_model *in, cd_body_order order, const cd_broad_options *options,
                       broad_items *items)
{
    bool is_one_each = true, is_plain = !options->group;
    for (int32_t i = 1; i < items->stored && is_one_each; i++)
        is_one_each = items->site[2 * i] != items->site[2 * i - 2];
    for (int32_t i = 0; in->body.motion && i < in->body.count && is_plain; i++)
        is_plain = cd_i32_or(in->body.motion, i, CD_MOTION_DYNAMIC) == CD_MOTION_DYNAMIC ||
                   (items->standing.boxes && i == items->standing_row);
    if (!is_one_each) {
        items->body = CD_ARENA_ARRAY(arena, int32_t, items->stored);
        for (int32_t i = 0; i < items->stored; i++)
            items->body[i] = order.rank[items->site[2 * i]];
    }
    if (!is_plain) {
        items->class = CD_ARENA_ARRAY(arena, uint8_t, items->stored);
        for (int32_t i = 0; i < items->stored; i++) {
            bool is_same = i > 0 && items->site[2 * i] == items->site[2 * i - 2];
            items->class[i] = is_same ? items->class[i - 1] : class_of(in, items->site[2 * i], options);
        }
    }
    if (items->standing.boxes) {
        items->standing.body = order.rank[items->standing_row];
        items->standing.class = class_of(in, items->standing_row, options);
    }
}

// ---- boxes from shapes, elements and states ------------------------------------------------------------------------

typedef struct bounds_job {
    cd_bounds_frame frame;
    const cd_placed_elements *elements;
    double margin;  // [m]
    cd_reach reach;
    broad_items *items;
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
    const broad_items *items = job->items;
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
    const broad_items *items = job->items;
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
static void find_standing(const broad_bodies *bodies, broad_items *items)
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

static void put_sites_of_items(cd_arena *arena, const broad_bodies *bodies, broad_items *items)
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

static cd_broad_kept kept_of(const cd_model *in, const broad_items *items, double grow)
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
static bool keep_standing(cd_broad_stage *stage, const cd_model *in, const bounds_job *job, broad_items *items)
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
        bool has_balls = is_of_spheres(stage->options);
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

void cd_broad_stage_release(cd_broad_stage *stage)
{
    cd_region_release(&stage->kept.min);
    cd_region_release(&stage->kept.max);
    cd_region_release(&stage->kept.ball);
    cd_broad_engine_free(stage->engine);
}

static void find_facets(cd_arena *arena, const bounds_job *job, broad_items *items)
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
static bool stands_apart(const cd_broad_options *options, const cd_model *in, const broad_items *items)
{
    return items->standing.begin < items->standing.end && in->dim == 3 && !strcmp(options->method, "auto") &&
           strcmp(options->bounds, "all") != 0 &&
           in->shape.kind[in->body.shape[items->standing_row]] == CD_SHAPE_FACETS;
}

static cd_status items_from_bodies(cd_arena *arena, cd_broad_stage *stage, const cd_model *in, cd_body_order order,
                                   broad_items *items, cd_diag *diag)
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
        if (is_of_spheres(options))
            items->ball = CD_ARENA_ARRAY(arena, double, ((size_t)in->dim + 1) * (size_t)items->stored);
    }
    *apart = (apart_boxes){job, items->standing_row};
    job.is_kept = job.is_kept && !items->standing.boxes;
    cd_threads_run(job.threads, bound_share, &job);
    if (items->ball && in->dim == 3)
        find_facets(arena, &job, items);
    return CD_OK;
}

// ---- boxes from the stream -----------------------------------------------------------------------------------------

static cd_status fail_bounds(const cd_model *in, int32_t row, const char *reason, cd_diag *diag)
{
    const int32_t *site = in->bounds.a + 2 * (size_t)row;
    return cd_fail(diag, CD_ERR_FORMAT, "bounds of body %" PRId64 " part %d: %s", in->body.id[site[0]], (int)site[1],
                   reason);
}

// A pass without branches, which the compiler makes wide; what is wrong is looked for only where something is.
CD_VECTOR_CLONES static bool bounds_are_good(const double *min, const double *max, size_t numbers)
{
    int64_t bad = 0;
    for (size_t i = 0; i < numbers; i++)
        bad |= !((min[i] <= max[i]) & (min[i] < INFINITY) & (max[i] > -INFINITY));
    return !bad;
}

static cd_status check_bounds(const cd_model *in, cd_diag *diag)
{
    const cd_bounds_rows *rows = &in->bounds;
    size_t dim = (size_t)in->dim, numbers = (size_t)rows->count * dim;
    bool are_good = bounds_are_good(rows->min, rows->max, numbers);
    for (size_t i = 0; i < numbers && !are_good; i++) {
        double low = rows->min[i], high = rows->max[i];
        if (low <= high && low < INFINITY && high > -INFINITY)
            continue;
        return fail_bounds(in, (int32_t)(i / dim),
                           isnan(low) || isnan(high) ? "not a number"
                           : low > high              ? "min is above max"
                                                     : "lies at infinity",
                           diag);
    }
    for (int32_t i = 0; i < rows->count; i++)
        if (rows->a[2 * (size_t)i + 1] < 0)
            return fail_bounds(in, i, "the part is negative", diag);
    return CD_OK;
}

// Canonical order of the rows: their bodies by rank, and parts ascending.
static int32_t *rows_in_order(cd_arena *arena, const cd_model *in, cd_body_order order)
{
    int32_t count = in->bounds.count;
    const int32_t *site = in->bounds.a;
    int32_t *row_at = CD_ARENA_ARRAY(arena, int32_t, count);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    uint64_t *key = CD_ARENA_ARRAY(arena, uint64_t, count);
    int32_t *body_first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)in->body.count + 1);
    for (int32_t i = 0; i < count; i++) {
        key[i] = (uint64_t)(uint32_t)site[2 * i + 1] << 32 | (uint32_t)i;
        body_first[order.rank[site[2 * i]] + 1]++;
    }
    for (int32_t k = 0; k < in->body.count; k++)
        body_first[k + 1] += body_first[k];
    cd_sort_keys(key, count, arena);
    for (int32_t i = 0; i < count; i++) {
        int32_t row = (int32_t)(key[i] & UINT32_MAX);
        row_at[body_first[order.rank[site[2 * row]]]++] = row;
    }
    cd_arena_rewind(arena, mark);
    return row_at;
}

// Are the rows in canonical order, and do all of their bodies take part?
static bool bounds_are_ordered(const cd_model *in, cd_body_order order)
{
    const int32_t *site = in->bounds.a;
    bool may_wait = in->body.release != NULL;
    for (int32_t i = 0; i < in->bounds.count; i++, site += 2) {
        if (may_wait && !cd_body_is_active(in, site[0]))
            return false;
        if (i > 0 && (order.rank[site[-2]] > order.rank[site[0]] || (site[-2] == site[0] && site[-1] >= site[1])))
            return false;
    }
    return true;
}

static cd_status items_from_bounds(cd_arena *arena, const cd_model *in, cd_body_order order, broad_items *items,
                                   cd_diag *diag)
{
    const cd_bounds_rows *rows = &in->bounds;
    for (int32_t i = 0; rows->count == 0 && i < in->body.count; i++)
        if (cd_body_is_active(in, i))
            return cd_fail(diag, CD_ERR_FORMAT, "bounds: --use-bounds: the frame has none");
    CD_TRY(check_bounds(in, diag));
    if (bounds_are_ordered(in, order)) {
        *items = (broad_items){
            .count = rows->count, .stored = rows->count, .site = rows->a, .min = rows->min, .max = rows->max};
        return CD_OK;
    }
    size_t dim = (size_t)in->dim;
    items_make(arena, in->dim, rows->count, items);
    const int32_t *row_at = rows_in_order(arena, in, order);
    for (int32_t k = 0; k < rows->count; k++) {
        size_t row = (size_t)row_at[k], i = (size_t)items->count;
        const int32_t *site = rows->a + 2 * row;
        if (k > 0 && !memcmp(site, rows->a + 2 * (size_t)row_at[k - 1], 2 * sizeof *site))
            return fail_bounds(in, (int32_t)row, "there twice", diag);
        if (!cd_body_is_active(in, site[0]))
            continue;
        memcpy(items->site + 2 * i, site, 2 * sizeof *site);
        memcpy(items->min + dim * i, rows->min + dim * row, dim * sizeof(double));
        memcpy(items->max + dim * i, rows->max + dim * row, dim * sizeof(double));
        items->count++;
    }
    items->stored = items->count;
    return CD_OK;
}

// ---- tables --------------------------------------------------------------------------------------------------------

// What the rows of `pair` are made of.
typedef struct pair_source {
    const int32_t *site;  // of the items; NULL: item i is the only part of the body in row i
    cd_broad_still standing;
    int32_t standing_row;  // where it stands apart
    cd_broad_result result;
} pair_source;

// Then sites need no look-up, which at a million boxes is a cache miss a pair.
static bool items_are_rows(const broad_items *items)
{
    int32_t wrong = items->standing.boxes != NULL;
    for (int32_t i = 0; i < items->stored; i++)
        wrong |= (items->site[2 * i] ^ i) | items->site[2 * i + 1];
    return !wrong;
}

// The item whose list holds pair number k.
static int32_t item_of_pair(const cd_broad_result *result, int32_t items, int32_t k)
{
    int32_t low = 0, high = items;
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (result->first[middle] <= k)
            low = middle;
        else
            high = middle;
    }
    return low;
}

typedef struct site {
    int32_t row, part;
} site;

static inline site site_of(const pair_source *source, int32_t i)
{
    const cd_broad_still *standing = &source->standing;
    if (standing->boxes && i >= standing->begin && i < standing->end)
        return (site){source->standing_row, i - standing->begin};
    return source->site ? ((const site *)source->site)[cd_broad_stored(standing, i)] : (site){i, 0};
}

static void put_sites(const pair_source *source, const int32_t *item, int32_t count, int32_t *column)
{
    site *to = (site *)column;
    if (source->standing.boxes)
        for (int32_t k = 0; k < count; k++)
            to[k] = site_of(source, item[k]);
    else if (source->site)
        for (int32_t k = 0; k < count; k++)
            to[k] = ((const site *)source->site)[item[k]];
    else
        for (int32_t k = 0; k < count; k++)
            to[k] = (site){item[k], 0};
}

// The site of item i for each of its pairs among first .. first+count-1. A list is short as a rule, so AHEAD sites are
// written without a branch for its length; what is too many the next item overwrites. `to` has room for AHEAD more.
enum { AHEAD = 8 };

static void put_lower_sites(const pair_source *source, int32_t first, int32_t count, site *to)
{
    const int32_t *list_first = source->result.first;
    int32_t i = item_of_pair(&source->result, source->result.items, first);
    int64_t end = (int64_t)first + count;
    for (int64_t k = first; k < end; i++) {
        int64_t list_end = list_first[i + 1] < end ? list_first[i + 1] : end;
        site own = site_of(source, i);
        for (int32_t ahead = 0; ahead < AHEAD; ahead++)
            to[k - first + ahead] = own;
        for (k += AHEAD; k < list_end; k++)
            to[k - first] = own;
        k = list_end;
    }
}

static void make_pairs(const void *context, cd_arena *arena, int32_t first, int32_t count, cd_rows *rows)
{
    const pair_source *source = context;
    cd_pair_rows *pair = (cd_pair_rows *)rows;
    pair->a = CD_ARENA_ARRAY(arena, int32_t, 2 * ((size_t)count + AHEAD));
    pair->b = CD_ARENA_ARRAY(arena, int32_t, 2 * (size_t)count);
    put_lower_sites(source, first, count, (site *)pair->a);
    put_sites(source, source->result.other + first, count, pair->b);
}

// The rows of the table that --bounds asks for: of all items, or of those of bodies that are not fixed.
static cd_bounds_rows written_bounds(cd_arena *arena, const cd_model *in, const broad_items *items,
                                     const cd_broad_options *options)
{
    cd_bounds_rows rows = {.count = items->count, .a = items->site, .min = items->min, .max = items->max};
    if (!strcmp(options->bounds, "all"))
        return rows;
    rows.count = 0;
    if (!strcmp(options->bounds, "none"))
        return rows;
    size_t dim = (size_t)in->dim;
    broad_items moving;
    items_make(arena, in->dim, items->count - (items->standing.end - items->standing.begin), &moving);
    moving.count = 0;
    for (int32_t i = 0; i < items->stored; i++) {
        i = !items->standing.boxes && i == items->standing.begin ? items->standing.end : i;
        if (i >= items->stored || cd_body_motion(in, items->site[2 * (size_t)i]) == CD_MOTION_FIXED)
            continue;
        size_t to = (size_t)moving.count++, from = (size_t)i;
        memcpy(moving.site + 2 * to, items->site + 2 * from, 2 * sizeof *moving.site);
        memcpy(moving.min + dim * to, items->min + dim * from, dim * sizeof(double));
        memcpy(moving.max + dim * to, items->max + dim * from, dim * sizeof(double));
    }
    return (cd_bounds_rows){.count = moving.count, .a = moving.site, .min = moving.min, .max = moving.max};
}

cd_status cd_broad_frame(cd_arena *arena, cd_broad_stage *stage, const cd_model *in, cd_bounds_rows *bounds,
                         cd_parts *pair, cd_broad_ran *ran, cd_diag *diag)
{
    const cd_broad_options *options = stage->options;
    broad_items items = {0};
    look_for_groups(stage, in);
    cd_body_order order = cd_body_order_make(arena, &in->body);
    if (options->use_bounds)
        CD_TRY(items_from_bounds(arena, in, order, &items, diag));
    else
        CD_TRY(items_from_bodies(arena, stage, in, order, &items, diag));
    mark_items(arena, in, order, options, &items);
    cd_broad_input input = {in->dim,    items.count, items.min,  items.max,
                            items.body, items.class, items.ball, items.standing};
    cd_broad_engine_ask(stage->engine, (cd_broad_near){items.facets ? cd_broad_facet_is_near : NULL, items.facets});
    pair_source *source = cd_arena_alloc(arena, sizeof *source);
    const cd_broad_method *method = cd_broad_method_find(options->method);
    CD_TRY(cd_broad_find(stage->engine, method, &input, arena, &source->result, ran, diag));
    source->site = items_are_rows(&items) ? NULL : items.site;
    source->standing = items.standing;
    source->standing_row = items.standing_row;
    *pair = (cd_parts){source->result.count, source, make_pairs};
    if (!options->use_bounds)
        *bounds = written_bounds(arena, in, &items, options);
    return CD_OK;
}
