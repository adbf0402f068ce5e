// One frame of space: the parts that occur in pairs placed at the poses of the step, and the contacts of all pairs,
// over threads.
// SPDX-License-Identifier: MIT
#include "narrow_frame.h"

#include "cd_threads.h"

#include <inttypes.h>

const char *const cd_narrow_intersection_names[] = {"auto", "clip", "dual", NULL};

// ---- poses -----------------------------------------------------------------------------------------------------

enum { START, PREDICTED, CURRENT, POSES };

typedef struct placed_body {
    cd_pose3 pose[POSES];
    int same[POSES];               // the first pose that this one is equal to
    const cd_narrow_part3 **part;  // NULL until a pair asks for it
} placed_body;

static bool is_same_pose(const cd_state3 *a, const cd_state3 *b)
{
    return a->position.x == b->position.x && a->position.y == b->position.y && a->position.z == b->position.z &&
           cd_quat_is_same(a->rotation, b->rotation);
}

static placed_body *body_of(const cd_narrow_frame_state *frame, int32_t body)
{
    placed_body *placed = CD_ARENA_ARRAY(frame->arena, placed_body, 1);
    cd_state3 state[POSES];
    state[START] = cd_body_start3(frame->in, body);
    state[PREDICTED] = frame->step > 0 ? cd_body_predicted3(frame->in, body, frame->step) : state[START];
    state[CURRENT] = cd_body_trial3(frame->in, frame->trial_row, body);
    for (int k = 0; k < POSES; k++) {
        placed->pose[k] = cd_state3_pose(state[k]);
        placed->same[k] = k;
        for (int j = k - 1; j >= 0; j--)
            if (is_same_pose(&state[j], &state[k]))
                placed->same[k] = j;
    }
    // Only potential contacts ask for more than the pose that is reported.
    if (frame->mode != CD_NARROW_AUTO)
        placed->same[START] = placed->same[PREDICTED] = placed->same[CURRENT] = CURRENT;
    placed->part = CD_ARENA_ZARRAY(frame->arena, const cd_narrow_part3 *, cd_narrow_leaf_count(frame, body));
    return placed;
}

// A part at the poses of the step; made once a frame.
static const cd_narrow_part3 *part_of(const cd_narrow_frame_state *frame, placed_body **bodies, int32_t row,
                                      int32_t part)
{
    if (!bodies[row])
        bodies[row] = body_of(frame, row);
    placed_body *body = bodies[row];
    if (body->part[part])
        return body->part[part];
    const cd_leaves *leaves = &frame->shapes->leaves;
    int32_t leaf = leaves->first[frame->in->body.shape[row]] + part;
    const cd_solid3 *at[POSES];
    for (int k = 0; k < POSES; k++) {
        if (body->same[k] != k)
            continue;
        cd_solid3 *solid = CD_ARENA_ARRAY(frame->arena, cd_solid3, 1);
        *solid = cd_solid3_place(frame->arena, &leaves->space, &frame->shapes->solids, leaf, &body->pose[k]);
        at[k] = solid;
    }
    cd_narrow_part3 *made = CD_ARENA_ARRAY(frame->arena, cd_narrow_part3, 1);
    *made = (cd_narrow_part3){at[body->same[START]], at[body->same[PREDICTED]], at[body->same[CURRENT]]};
    body->part[part] = made;
    return made;
}

// ---- contacts --------------------------------------------------------------------------------------------------

typedef struct pair_work {
    const cd_narrow_part3 *a, *b;
    const cd_gap3_pair *routine;
} pair_work;

// One worker's contacts, in the order of its share of the pairs.
typedef struct share_found {
    cd_arena arena;
    CD_LIST(cd_narrow_contact3) contacts;
    CD_LIST(int32_t) owner;
    int32_t rejected;
} share_found;

typedef struct space_job {
    const cd_narrow_frame_state *frame;
    const pair_work *work;
    cd_narrow_intersection intersection;
    int threads;
    share_found *share;
} space_job;

static cd_narrow_intersection intersection_of(const cd_narrow_options *options)
{
    int i = 0;
    while (strcmp(cd_narrow_intersection_names[i], options->intersection) != 0)
        i++;
    return (cd_narrow_intersection)i;
}

static cd_status plan(const cd_narrow_frame_state *frame, pair_work *work)
{
    placed_body **bodies = CD_ARENA_ZARRAY(frame->arena, placed_body *, frame->in->body.count);
    for (int32_t i = 0; i < frame->pair_count; i++) {
        const cd_narrow_site_pair *pair = &frame->pair[i];
        pair_work *w = &work[i];
        w->a = part_of(frame, bodies, pair->row_a, pair->part_a);
        w->b = part_of(frame, bodies, pair->row_b, pair->part_b);
        int32_t kind_a = w->a->current->leaf.kind, kind_b = w->b->current->leaf.kind;
        w->routine = cd_gap3_pair_for(kind_a, kind_b);
        if (!w->routine)
            return cd_narrow_fail_at(
                frame,
                cd_fail(frame->diag, CD_ERR_UNSUPPORTED, "--contacts %s: %s against %s is not supported",
                        cd_narrow_mode_names[frame->mode], cd_words_SHAPE[kind_a], cd_words_SHAPE[kind_b]),
                pair);
    }
    return CD_OK;
}

static void find_share(void *context, int worker)
{
    const space_job *job = context;
    const cd_narrow_frame_state *frame = job->frame;
    share_found *found = &job->share[worker];
    cd_arena scratch = {0};
    cd_share share = cd_threads_share(frame->pair_count, job->threads, worker);
    for (int64_t i = share.begin; i < share.end; i++) {
        const cd_narrow_site_pair *pair = &frame->pair[i];
        const pair_work *w = &job->work[i];
        cd_narrow_input3 input = {.a = *w->a,
                                  .b = *w->b,
                                  .reach = cd_reach_pair(&frame->reach, pair->row_a, pair->row_b),
                                  .epsilon = frame->epsilon,
                                  .intersection = job->intersection,
                                  .scratch = &scratch};
        cd_narrow_contact3 contact;
        bool is_found = cd_narrow_find3(w->routine, frame->mode, &input, &contact);
        cd_arena_reset(&scratch);
        if (!is_found)
            continue;
        bool is_outside = contact.status == CD_STATUS_OUTSIDE;
        found->rejected += is_outside;
        if (is_outside && !frame->options->keep_rejected)
            continue;
        cd_list_push(&found->arena, &found->contacts, contact);
        cd_list_push(&found->arena, &found->owner, (int32_t)i);
    }
    cd_arena_release(&scratch);
}

static void join(const space_job *job, cd_narrow_found *found)
{
    cd_arena *arena = job->frame->arena;
    for (int k = 0; k < job->threads; k++) {
        found->count += job->share[k].contacts.count;
        found->rejected += job->share[k].rejected;
    }
    int32_t *pair = CD_ARENA_ARRAY(arena, int32_t, found->count), filled = 0;
    found->contact = CD_ARENA_ARRAY(arena, cd_narrow_contact3, found->count);
    found->pair = pair;
    for (int k = 0; k < job->threads; k++) {
        const share_found *share = &job->share[k];
        for (int32_t i = 0; i < share->contacts.count; i++, filled++) {
            found->contact[filled] = share->contacts.item[i];
            pair[filled] = share->owner.item[i];
        }
    }
}

cd_status cd_narrow_space(const cd_narrow_frame_state *frame, cd_narrow_found *found)
{
    enum { PAIRS_PER_THREAD = 200 };  // some 1 us each at least, against 30 us for a thread
    if (frame->mode == CD_NARROW_FEATURES)
        return cd_fail(frame->diag, CD_ERR_UNSUPPORTED, "--contacts features: not supported in space");
    pair_work *work = CD_ARENA_ARRAY(frame->arena, pair_work, frame->pair_count);
    CD_TRY(plan(frame, work));
    int threads = cd_threads_for(frame->threads, frame->pair_count, PAIRS_PER_THREAD);
    space_job job = {frame, work, intersection_of(frame->options), threads,
                     CD_ARENA_ZARRAY(frame->arena, share_found, threads)};
    cd_threads_run(threads, find_share, &job);
    join(&job, found);
    for (int k = 0; k < threads; k++)
        cd_arena_release(&job.share[k].arena);
    return CD_OK;
}
