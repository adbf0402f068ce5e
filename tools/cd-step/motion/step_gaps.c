// SPDX-License-Identifier: MIT
#include "step_gaps.h"
#include "step_separators.h"

#include "cd_cell.h"
#include "cd_threads.h"

// [1] of the characteristic length: an overlap of the start that is deeper is one, and may grow by this rounding;
// others are to be gone at the end.
static const double bound_rounding = 1e-12;
// [1] of the parts' extents and places: gaps are known to so much (4e-15 of the scale, cd_distance3.h), and places are
// rounded by as much.
static const double gap_rounding = 0x1p-50;

// ---- gaps at a pose ------------------------------------------------------------------------------------------------

// What is asked of a pair: its gap, or cd_step_apart_least of it.
typedef enum gap_question { GAP, LEAST } gap_question;

// The gaps of pairs at a share of the step, LEAST at its end; NULL placed where no pair asks for the part.
typedef struct gap_job {
    const cd_step_gaps *gaps;
    const cd_step_meeting *meeting;
    const cd_box_pair *pair;
    const cd_step_placed *at;
    double share;
    gap_question question;
    cd_step_separators separators;  // LEAST: at the step's end
    double *gap;                    // of each pair; infinite without a routine
    int32_t count;
    int threads;
    double length;
} gap_job;

// A depth that is not known counts as the characteristic length: nothing that it is compared with is deeper.
static double gap_of(const gap_job *job, cd_box_pair pair, cd_arena *scratch)
{
    const cd_step_part *part[2] = {&job->meeting->part[pair.a], &job->meeting->part[pair.b]};
    cd_vec3 middle = cd_step_middle_of_pair(job->gaps, job->meeting, &pair);
    cd_step_placed at[2] = {job->at[pair.a], job->at[pair.b]};
    for (int side = 0; side < 2; side++)
        if (!cd_cell_is_same(job->meeting->way[part[side]->body].middle, middle))
            at[side] = cd_step_place(job->gaps, job->meeting, part[side], job->share, middle, scratch);
    const int dim = job->gaps->bodies->dim;
    double gap;
    if (job->question == LEAST) {
        cd_vec3 along;
        bool has_one = dim == 3 && cd_step_separator_at_end(job->gaps, job->meeting, &job->separators, pair, &along);
        gap = cd_step_apart_least(dim, &at[0], &at[1], has_one ? &along : NULL, scratch);
    } else {
        gap = cd_step_apart_of(dim, &at[0], &at[1], scratch).gap;
    }
    return isnan(gap) ? -job->length : gap;
}

static void measure_share(void *context, int worker)
{
    const gap_job *job = context;
    cd_arena scratch = {0};
    cd_share share = cd_threads_share(job->count, job->threads, worker);
    for (int64_t i = share.begin; i < share.end; i++) {
        job->gap[i] = gap_of(job, job->pair[i], &scratch);
        cd_arena_reset(&scratch);
    }
    cd_arena_release(&scratch);
}

static void measure(const cd_step_gaps *gaps, const cd_step_meeting *p, cd_box_pairs pairs, double share,
                    gap_question question, double *gap)
{
    const cd_box_pair *pair = pairs.item;
    const int32_t count = pairs.count;
    enum { PAIRS_PER_THREAD = 50 };  // some 5 us each, against 30 us for a thread
    bool *is_asked = CD_ARENA_ZARRAY(gaps->arena, bool, p->count);
    cd_step_placed *at = CD_ARENA_ARRAY(gaps->arena, cd_step_placed, p->count);
    for (int32_t i = 0; i < count; i++)
        is_asked[pair[i].a] = is_asked[pair[i].b] = true;
    for (int32_t i = 0; i < p->count; i++)
        if (is_asked[i])
            at[i] = cd_step_place(gaps, p, &p->part[i], share, p->way[p->part[i].body].middle, gaps->arena);
    int threads = cd_threads_for(gaps->threads, count, PAIRS_PER_THREAD);
    gap_job job = {.gaps = gaps,
                   .meeting = p,
                   .pair = pair,
                   .at = at,
                   .share = share,
                   .question = question,
                   .gap = gap,
                   .count = count,
                   .threads = threads,
                   .length = gaps->length};
    if (question == LEAST)
        job.separators = cd_step_separators_make(gaps, p);
    cd_threads_run(threads, measure_share, &job);
}

// ---- all pairs -----------------------------------------------------------------------------------------------------

static double place_of(const cd_step_gaps *gaps, int32_t body)
{
    const cd_model *in = gaps->bodies->in;
    const double *at = in->body.position + (size_t)in->dim * (size_t)body;
    double most = 0;
    for (int k = 0; k < in->dim; k++)
        most = fmax(most, fabs(at[k]));
    return most;
}

static double rounding_of(const cd_step_gaps *gaps, const cd_step_meeting *p, const cd_box_pair *pair)
{
    double sum = 0;
    for (int side = 0; side < 2; side++) {
        const cd_step_part *part = &p->part[side ? pair->b : pair->a];
        double extent = cd_leaves_extent(gaps->shapes, part->leaf);
        sum += isfinite(extent) ? extent + place_of(gaps, part->body) : 0;
    }
    return gap_rounding * sum;
}

// The gap over its bound of a pair that is not clearly apart at the end. before: its gap at the start; rounding: of
// gaps.
static double over_bound(const cd_step_gaps *gaps, double gap, double before, double rounding, bool is_strict)
{
    const double least = bound_rounding * gaps->length;
    if (before < -least)
        return gap - before + (gap < 0 ? least : 0);
    bool may_touch = !is_strict && before < rounding;
    return may_touch && gap >= -rounding ? fmax(gap, 0) : gap - rounding;
}

static bool is_asked(const cd_step_meeting *p, const cd_box_pair *pair, const int32_t *state)
{
    const cd_step_part *a = &p->part[pair->a], *b = &p->part[pair->b];
    if (!state)
        return true;
    bool has_open = (a->is_dynamic && state[a->body] == CD_ABSENT) || (b->is_dynamic && state[b->body] == CD_ABSENT);
    return has_open && state[a->body] != CD_STATE_FAILED && state[b->body] != CD_STATE_FAILED;
}

// [m] Of the ball with the volume of an ellipsoid of space; infinite of all else.
static double ball_radius(const cd_step_gaps *gaps, int32_t leaf)
{
    if (gaps->shapes->dim == 2 || cd_leaves_kind(gaps->shapes, leaf) != CD_SHAPE_ELLIPSOID)
        return INFINITY;
    const cd_leaf3 own = cd_leaves3_at(&gaps->shapes->space, leaf);
    const cd_vec3 half = own.ellipsoid->semiaxes;
    return cbrt(half.x * half.y * half.z);
}

static double depth_of(const cd_step_gaps *gaps, const cd_step_meeting *p, const cd_box_pair *pair, double left)
{
    if (left >= 0)
        return 0;
    return -left / fmin(ball_radius(gaps, p->part[pair->a].leaf), ball_radius(gaps, p->part[pair->b].leaf));
}

static void take(const cd_step_meeting *p, const cd_box_pair *pair, double left, double *of_body, cd_step_end_gaps *end)
{
    const int32_t body[2] = {p->part[pair->a].body, p->part[pair->b].body};
    for (int side = 0; side < 2; side++)
        of_body[body[side]] = fmin(of_body[body[side]], left);
    if (!(left < end->least))
        return;
    end->least = left;
    bool is_ordered = pair->a < pair->b;  // parts are
    end->body[0] = body[!is_ordered];
    end->body[1] = body[is_ordered];
}

static void take_all(const cd_step_gaps *gaps, const cd_step_meeting *p, cd_box_pairs pairs, bool is_strict,
                     double *of_body, cd_step_end_gaps *end)
{
    double *gap = CD_ARENA_ARRAY(gaps->arena, double, pairs.count);
    measure(gaps, p, pairs, 1, LEAST, gap);
    // Most are clearly apart; how far does not matter.
    cd_box_pairs near = {.item = CD_ARENA_ARRAY(gaps->arena, cd_box_pair, pairs.count)};
    for (int32_t i = 0; i < pairs.count; i++) {
        if (gap[i] >= rounding_of(gaps, p, &pairs.item[i]))
            take(p, &pairs.item[i], gap[i], of_body, end);
        else
            near.item[near.count++] = pairs.item[i];
    }
    if (near.count == 0)
        return;
    double *before = CD_ARENA_ARRAY(gaps->arena, double, near.count);
    measure(gaps, p, near, 1, GAP, gap);
    measure(gaps, p, near, 0, GAP, before);
    for (int32_t i = 0; i < near.count; i++) {
        double rounding = rounding_of(gaps, p, &near.item[i]);
        double left = gap[i] >= rounding ? gap[i] : over_bound(gaps, gap[i], before[i], rounding, is_strict);
        take(p, &near.item[i], left, of_body, end);
        end->depth = fmax(end->depth, depth_of(gaps, p, &near.item[i], left));
    }
}

cd_step_end_gaps cd_step_gaps_at_end(const cd_step_gaps *gaps, const cd_step_meeting *meeting, const int32_t *state,
                                     bool is_strict)
{
    int32_t bodies = gaps->bodies->in->body.count;
    double *of_body = CD_ARENA_ARRAY(gaps->arena, double, bodies);
    for (int32_t i = 0; i < bodies; i++)
        of_body[i] = INFINITY;
    cd_step_end_gaps end = {INFINITY, {-1, -1}, of_body, 0};
    cd_arena_mark mark = cd_arena_get_mark(gaps->arena);
    cd_box_pairs asked = {.item = CD_ARENA_ARRAY(gaps->arena, cd_box_pair, meeting->pairs.count)};
    for (int32_t i = 0; i < meeting->pairs.count; i++)
        if (is_asked(meeting, &meeting->pairs.item[i], state))
            asked.item[asked.count++] = meeting->pairs.item[i];
    take_all(gaps, meeting, asked, is_strict, of_body, &end);
    cd_arena_rewind(gaps->arena, mark);
    return end;
}

cd_step_overlaps cd_step_overlaps_at_start(const cd_step_gaps *gaps)
{
    cd_arena_mark mark = cd_arena_get_mark(gaps->arena);
    cd_step_meeting meeting = cd_step_meet(gaps);
    const cd_box_pairs *pairs = &meeting.pairs;
    double *gap = CD_ARENA_ARRAY(gaps->arena, double, pairs->count);
    measure(gaps, &meeting, *pairs, 0, GAP, gap);
    cd_step_overlaps overlaps = {0};
    for (int32_t i = 0; i < pairs->count; i++) {
        if (gap[i] >= -bound_rounding * gaps->length)
            continue;
        overlaps.count++;
        overlaps.deepest = fmax(overlaps.deepest, -gap[i]);
    }
    cd_arena_rewind(gaps->arena, mark);
    return overlaps;
}
