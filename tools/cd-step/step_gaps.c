// SPDX-License-Identifier: MIT
#include "step_gaps.h"

#include "cd_bounds2.h"
#include "cd_bounds3.h"
#include "cd_box_pairs.h"
#include "cd_threads.h"

// [1] of the characteristic length: an overlap of the start that is deeper is one, and may grow by this rounding;
// others are to be gone at the end.
static const double bound_rounding = 1e-12;
// [1] of the parts' extents: less is touching. Gaps are known to 4e-15 of the scale (cd_distance3.h), and
// cd_intersect3.h takes what holds no ball of 2^-49 of the radii for no overlap.
static const double touching = 0x1p-50;

// A placed leaf, by dim.
typedef union placed {
    cd_leaf2 plane;
    cd_solid3 space;
} placed;

typedef struct part {
    int32_t body, leaf;
    bool is_dynamic;
} part;

typedef struct parts {
    int32_t count;
    part *item;
    cd_aabb *box;  // over the step
} parts;

cd_status cd_step_gaps_check(const cd_step_gaps *gaps, cd_diag *diag)
{
    int32_t count;
    return cd_leaves_count(gaps->bodies->in, gaps->shapes, &count, diag);
}

// ---- pairs that could meet -----------------------------------------------------------------------------------------

static cd_aabb box_over_step(const cd_step_gaps *gaps, int32_t body, int32_t leaf)
{
    cd_step_state start = cd_step_state_at(gaps->bodies, body, 0), end = cd_step_state_at(gaps->bodies, body, 1);
    if (gaps->bodies->dim == 2)
        return cd_bounds2_motion(&gaps->shapes->plane.leaf[leaf], (cd_state2[]){start.plane, end.plane}, 2);
    cd_motions3 motions = cd_motions3_make((cd_state3[]){start.space, end.space}, 2, gaps->bodies->step);
    return cd_bounds3_motion(&gaps->shapes->space.leaf[leaf], &motions);
}

static parts parts_of(const cd_step_gaps *gaps)
{
    const cd_model *in = gaps->bodies->in;
    const int32_t *first = gaps->shapes->first;
    cd_body_order order = cd_body_order_make(gaps->arena, &in->body);
    int32_t count = 0;
    for (int32_t i = 0; i < in->body.count; i++)
        if (cd_body_is_active(in, i))
            count += first[in->body.shape[i] + 1] - first[in->body.shape[i]];
    parts p = {.item = CD_ARENA_ARRAY(gaps->arena, part, count), .box = CD_ARENA_ARRAY(gaps->arena, cd_aabb, count)};
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        int32_t body = order.row[rank];
        if (!cd_body_is_active(in, body))
            continue;
        int32_t shape = in->body.shape[body];
        for (int32_t leaf = first[shape]; leaf < first[shape + 1]; leaf++, p.count++) {
            p.item[p.count] = (part){body, leaf, cd_step_is_dynamic(in, body)};
            p.box[p.count] = box_over_step(gaps, body, leaf);
        }
    }
    return p;
}

static bool is_wanted(const void *context, int32_t i, int32_t j)
{
    const part *item = context;
    return item[i].body != item[j].body && (item[i].is_dynamic || item[j].is_dynamic);
}

// ---- gaps at a pose ------------------------------------------------------------------------------------------------

// The gaps of pairs at a share of the step; NULL placed where no pair asks for the part.
typedef struct gap_job {
    const cd_step_gaps *gaps;
    const cd_box_pair *pair;
    const placed *at;
    double *gap;  // of each pair; infinite without a routine
    int32_t count;
    int threads;
    double length;
} gap_job;

static double known_gap_of(const gap_job *job, const placed *a, const placed *b, cd_arena *scratch)
{
    if (job->gaps->bodies->dim == 2) {
        const cd_pair2 *routine = cd_pair2_for(a->plane.kind, b->plane.kind);
        return routine ? cd_pair2_gap(routine, &a->plane, &b->plane).gap : INFINITY;
    }
    const cd_pair3 *routine = cd_pair3_for(a->space.kind, b->space.kind);
    if (!routine)
        return INFINITY;
    cd_gap3 gap = cd_pair3_gap(routine, &a->space, &b->space, scratch);
    return gap.is_unknown ? NAN : gap.gap;
}

// A depth that is not known counts as the characteristic length: nothing that it is compared with is deeper.
static double gap_of(const gap_job *job, const placed *a, const placed *b, cd_arena *scratch)
{
    double gap = known_gap_of(job, a, b, scratch);
    return isnan(gap) ? -job->length : gap;
}

static void measure_share(void *context, int worker)
{
    const gap_job *job = context;
    cd_arena scratch = {0};
    cd_share share = cd_threads_share(job->count, job->threads, worker);
    for (int64_t i = share.begin; i < share.end; i++) {
        job->gap[i] = gap_of(job, &job->at[job->pair[i].a], &job->at[job->pair[i].b], &scratch);
        cd_arena_reset(&scratch);
    }
    cd_arena_release(&scratch);
}

static placed place(const cd_step_gaps *gaps, const part *p, double share)
{
    const cd_leaves *leaves = gaps->shapes;
    cd_step_state state = cd_step_state_at(gaps->bodies, p->body, share);
    if (gaps->bodies->dim == 2)
        return (placed){.plane =
                            cd_leaf2_place(gaps->arena, &leaves->plane.leaf[p->leaf], cd_state2_pose(state.plane))};
    cd_pose3 pose = cd_state3_pose(state.space);
    return (placed){.space = cd_solid3_place_vertices(gaps->arena, &leaves->space.leaf[p->leaf], &pose)};
}

static void measure(const cd_step_gaps *gaps, const parts *p, const cd_box_pair *pair, int32_t count, double share,
                    double *gap)
{
    enum { PAIRS_PER_THREAD = 50 };  // some 5 us each, against 30 us for a thread
    bool *is_asked = CD_ARENA_ZARRAY(gaps->arena, bool, p->count);
    placed *at = CD_ARENA_ARRAY(gaps->arena, placed, p->count);
    for (int32_t i = 0; i < count; i++)
        is_asked[pair[i].a] = is_asked[pair[i].b] = true;
    for (int32_t i = 0; i < p->count; i++)
        if (is_asked[i])
            at[i] = place(gaps, &p->item[i], share);
    int threads = cd_threads_for(gaps->threads, count, PAIRS_PER_THREAD);
    gap_job job = {gaps, pair, at, gap, count, threads, cd_f64_or(gaps->bodies->in->head.length, 0, 1)};
    cd_threads_run(threads, measure_share, &job);
}

// ---- all pairs -----------------------------------------------------------------------------------------------------

static double touching_of(const cd_step_gaps *gaps, const parts *p, const cd_box_pair *pair)
{
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        double extent = cd_leaves_extent(gaps->shapes, p->item[side ? pair->b : pair->a].leaf);
        sum += isfinite(extent) ? extent : 0;
    }
    return touching * sum;
}

// Pairs with gap < 0 compared with their gap at the start; the others with 0.
static double least_over_bound(const cd_step_gaps *gaps, const parts *p, const cd_box_pairs *pairs, double share)
{
    double *gap = CD_ARENA_ARRAY(gaps->arena, double, pairs->count), least = INFINITY;
    measure(gaps, p, pairs->item, pairs->count, share, gap);
    for (int32_t i = 0; i < pairs->count; i++)
        if (gap[i] < 0 && gap[i] >= -touching_of(gaps, p, &pairs->item[i]))
            gap[i] = 0;
    cd_box_pair *deep = CD_ARENA_ARRAY(gaps->arena, cd_box_pair, pairs->count);
    double *deep_gap = CD_ARENA_ARRAY(gaps->arena, double, pairs->count);
    int32_t count = 0;
    for (int32_t i = 0; i < pairs->count; i++) {
        if (gap[i] >= 0) {
            least = fmin(least, gap[i]);
            continue;
        }
        deep_gap[count] = gap[i];
        deep[count++] = pairs->item[i];
    }
    if (count == 0)
        return least;
    double *bound = CD_ARENA_ARRAY(gaps->arena, double, count);
    measure(gaps, p, deep, count, 0, bound);
    const double rounding = bound_rounding * cd_f64_or(gaps->bodies->in->head.length, 0, 1);
    for (int32_t i = 0; i < count; i++)
        least = fmin(least, bound[i] < -rounding ? deep_gap[i] - bound[i] + rounding : deep_gap[i]);
    return least;
}

typedef struct search {
    parts parts;
    cd_box_pairs pairs;  // that could meet
} search;

static search search_pairs(const cd_step_gaps *gaps)
{
    search found = {.parts = parts_of(gaps)};
    cd_box_sweep(found.parts.box, found.parts.count, gaps->bodies->dim, is_wanted, found.parts.item, gaps->arena,
                 &found.pairs);
    return found;
}

double cd_step_gap_at_end(const cd_step_gaps *gaps)
{
    cd_arena_mark mark = cd_arena_get_mark(gaps->arena);
    search found = search_pairs(gaps);
    double least = least_over_bound(gaps, &found.parts, &found.pairs, 1);
    cd_arena_rewind(gaps->arena, mark);
    return least;
}

// ---- on the way ----------------------------------------------------------------------------------------------------

static double inner_radius(const cd_leaves *leaves, int32_t number)
{
    if (leaves->dim == 2) {
        const cd_leaf2 *leaf = &leaves->plane.leaf[number];
        double (*radius)(const cd_leaf2 *) = cd_shape_table[leaf->kind]->plane.inner_radius;
        return radius ? radius(leaf) : INFINITY;
    }
    const cd_leaf3 *leaf = &leaves->space.leaf[number];
    double (*radius)(const cd_leaf3 *) = cd_shape_table[leaf->kind]->space.inner_radius;
    return radius ? radius(leaf) : INFINITY;
}

// [m] at most what a point of part p moves by relative to its body's centre, and the centre's own way.
static double turn_of(const cd_step_gaps *gaps, const part *p)
{
    const cd_step_bodies *b = gaps->bodies;
    double turn = 0;
    for (int k = b->dim; k < b->axes; k++)
        turn += b->nu[p->body].at[k] * b->nu[p->body].at[k];
    return turn > 0 ? b->step * sqrt(turn) * cd_leaves_extent(gaps->shapes, p->leaf) : 0;
}

static double way_between(const cd_step_gaps *gaps, const part *p, const part *q)
{
    const cd_step_bodies *b = gaps->bodies;
    double way = 0;
    for (int k = 0; k < b->dim; k++) {
        double d = b->nu[p->body].at[k] - b->nu[q->body].at[k];
        way += d * d;
    }
    return b->step * sqrt(way) + turn_of(gaps, p) + turn_of(gaps, q);
}

enum { POSES_LEAST = 4, POSES_MOST = 128 };  // parts that the step is cut into, a power of two

static int cuts_of(const cd_step_gaps *gaps, const part *p, const part *q)
{
    int cuts = POSES_LEAST;
    double thickness = inner_radius(gaps->shapes, p->leaf) + inner_radius(gaps->shapes, q->leaf);
    double way = way_between(gaps, p, q);
    while (cuts < POSES_MOST && way > thickness * cuts)
        cuts *= 2;
    return cuts;
}

double cd_step_gap_on_the_way(const cd_step_gaps *gaps)
{
    cd_arena_mark mark = cd_arena_get_mark(gaps->arena);
    search found = search_pairs(gaps);
    int *cuts = CD_ARENA_ARRAY(gaps->arena, int, found.pairs.count);
    for (int32_t i = 0; i < found.pairs.count; i++)
        cuts[i] = cuts_of(gaps, &found.parts.item[found.pairs.item[i].a], &found.parts.item[found.pairs.item[i].b]);
    double least = INFINITY;
    for (int k = 1; k < POSES_MOST; k++) {
        cd_arena_mark pose = cd_arena_get_mark(gaps->arena);
        cd_box_pairs here = {.item = CD_ARENA_ARRAY(gaps->arena, cd_box_pair, found.pairs.count)};
        for (int32_t i = 0; i < found.pairs.count; i++)
            if (k * cuts[i] % POSES_MOST == 0)
                here.item[here.count++] = found.pairs.item[i];
        if (here.count > 0)
            least = fmin(least, least_over_bound(gaps, &found.parts, &here, (double)k / POSES_MOST));
        cd_arena_rewind(gaps->arena, pose);
    }
    cd_arena_rewind(gaps->arena, mark);
    return least;
}
