// One frame of space: the contacts of all pairs, over threads.
// SPDX-License-Identifier: MIT
#include "cd_threads.h"
#include "narrow_placed.h"

#include <inttypes.h>

const char *const cd_narrow_intersection_names[] = {"auto", "clip", "dual", NULL};

// One worker's contacts lie from its first pair's place on, in the order of its share of the pairs: there is at most one
// a pair. Memory that no contact came to is never touched.
typedef struct share_found {
    int32_t first, count;
    int32_t rejected;
} share_found;

typedef struct space_job {
    const cd_narrow_frame_state *frame;
    const cd_gap3_pair *const *routine;  // of each pair
    cd_narrow_intersection intersection;
    int threads;
    cd_narrow_contact3 *contact;  // room for one a pair
    int32_t *owner;               // the pair it came from
    share_found *share;
} space_job;

static cd_narrow_intersection intersection_of(const cd_narrow_options *options)
{
    int i = 0;
    while (strcmp(cd_narrow_intersection_names[i], options->intersection) != 0)
        i++;
    return (cd_narrow_intersection)i;
}

static int32_t kind_of(const cd_narrow_frame_state *frame, int32_t row, int32_t part)
{
    const cd_leaves *leaves = &frame->shapes->leaves;
    return leaves->space.leaf[leaves->first[frame->in->body.shape[row]] + part].kind;
}

static cd_status find_routines(const cd_narrow_frame_state *frame, const cd_gap3_pair **routine)
{
    for (int32_t i = 0; i < frame->pair_count; i++) {
        const cd_narrow_site_pair *pair = &frame->pair[i];
        int32_t kind_a = kind_of(frame, pair->row_a, pair->part_a), kind_b = kind_of(frame, pair->row_b, pair->part_b);
        routine[i] = cd_gap3_pair_for(kind_a, kind_b);
        if (!routine[i])
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
    cd_share share = cd_threads_share(frame->pair_count, job->threads, worker);
    share_found found = {.first = (int32_t)share.begin};
    cd_arena scratch = {0};
    cd_narrow_placer *placer = cd_alloc(sizeof *placer);
    cd_narrow_placer_begin(placer, frame);
    for (int64_t i = share.begin; i < share.end; i++) {
        const cd_narrow_site_pair *pair = &frame->pair[i];
        cd_narrow_input3 input = {.reach = cd_reach_pair(&frame->reach, pair->row_a, pair->row_b),
                                  .epsilon = frame->epsilon,
                                  .intersection = job->intersection,
                                  .scratch = &scratch};
        cd_narrow_placer_pair(placer, pair, &input.a, &input.b);
        cd_narrow_contact3 *contact = &job->contact[found.first + found.count];
        bool is_found = cd_narrow_find3(job->routine[i], frame->mode, &input, contact);
        cd_arena_reset(&scratch);
        bool is_outside = is_found && contact->status == CD_STATUS_OUTSIDE;
        found.rejected += is_outside;
        if (is_found && (!is_outside || frame->options->keep_rejected))
            job->owner[found.first + found.count++] = (int32_t)i;
    }
    cd_narrow_placer_release(placer);
    cd_free(placer);
    cd_arena_release(&scratch);
    job->share[worker] = found;
}

// Moves the shares together.
static void join(const space_job *job, cd_narrow_found *found)
{
    *found = (cd_narrow_found){.contact = job->contact, .pair = job->owner};
    for (int k = 0; k < job->threads; k++) {
        const share_found *share = &job->share[k];
        if (share->first != found->count) {
            size_t count = (size_t)share->count;
            memmove(job->contact + found->count, job->contact + share->first, count * sizeof *job->contact);
            memmove(job->owner + found->count, job->owner + share->first, count * sizeof *job->owner);
        }
        found->count += share->count;
        found->rejected += share->rejected;
    }
}

cd_status cd_narrow_space(const cd_narrow_frame_state *frame, cd_narrow_found *found)
{
    enum { PAIRS_PER_THREAD = 200 };  // some 1 us each at least, against 30 us for a thread
    if (frame->mode == CD_NARROW_FEATURES)
        return cd_fail(frame->diag, CD_ERR_UNSUPPORTED, "--contacts features: not supported in space");
    cd_arena *arena = frame->arena;
    const cd_gap3_pair **routine = CD_ARENA_ARRAY(arena, const cd_gap3_pair *, frame->pair_count);
    CD_TRY(find_routines(frame, routine));
    int threads = cd_threads_for(frame->threads, frame->pair_count, PAIRS_PER_THREAD);
    space_job job = {.frame = frame,
                     .routine = routine,
                     .intersection = intersection_of(frame->options),
                     .threads = threads,
                     .contact = CD_ARENA_ARRAY(arena, cd_narrow_contact3, frame->pair_count),
                     .owner = CD_ARENA_ARRAY(arena, int32_t, frame->pair_count),
                     .share = CD_ARENA_ZARRAY(arena, share_found, threads)};
    cd_threads_run(threads, find_share, &job);
    join(&job, found);
    return CD_OK;
}
