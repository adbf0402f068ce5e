// One frame of space: the contacts of all pairs, over threads.
// SPDX-License-Identifier: MIT
#include "cd_threads.h"
#include "narrow_placed.h"

#include <inttypes.h>

const char *const cd_narrow_intersection_names[] = {"auto", "clip", "dual", NULL};

// One worker's contacts in the order of its share of the pairs. Where a pair has at most one they lie in the common
// array from the share's first pair on, in memory that is never touched where no contact comes to it, else in the
// worker's own.
typedef struct share_found {
    cd_arena arena;
    cd_narrow_contacts3 contacts;
    CD_LIST(int32_t) owner;  // the pair each came from
    int32_t rejected;
} share_found;

typedef struct space_job {
    const cd_narrow_frame_state *frame;
    const cd_gap3_pair *const *routine;  // of each pair
    cd_narrow_intersection intersection;
    int threads;
    cd_narrow_contact3 *contact;  // room for one a pair; NULL: there may be more
    int32_t *owner;               // the same
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
        bool has_features = kind_a == CD_SHAPE_POLYHEDRON && kind_b == CD_SHAPE_POLYHEDRON;
        if (!routine[i] || (frame->mode == CD_NARROW_FEATURES && !has_features))
            return cd_narrow_fail_at(
                frame,
                cd_fail(frame->diag, CD_ERR_UNSUPPORTED, "--contacts %s: %s against %s is not supported",
                        cd_narrow_mode_names[frame->mode], cd_words_SHAPE[kind_a], cd_words_SHAPE[kind_b]),
                pair);
    }
    return CD_OK;
}

// Of the pair looked at last: contacts of status outside are counted, and go unless they are asked for.
static void drop_rejected(const cd_narrow_frame_state *frame, share_found *found)
{
    int32_t kept = found->owner.count;
    for (int32_t i = kept; i < found->contacts.count; i++) {
        bool is_outside = found->contacts.item[i].status == CD_STATUS_OUTSIDE;
        found->rejected += is_outside;
        if (is_outside && !frame->options->keep_rejected)
            continue;
        if (kept != i)
            found->contacts.item[kept] = found->contacts.item[i];
        kept++;
    }
    found->contacts.count = kept;
}

static void find_share(void *context, int worker)
{
    const space_job *job = context;
    const cd_narrow_frame_state *frame = job->frame;
    cd_share share = cd_threads_share(frame->pair_count, job->threads, worker);
    share_found found = {.rejected = 0};
    if (job->contact) {
        found.contacts.item = job->contact + share.begin;
        found.owner.item = job->owner + share.begin;
        found.contacts.capacity = found.owner.capacity = (int32_t)(share.end - share.begin);
    }
    cd_arena scratch = {0};
    cd_narrow_placer *placer = cd_alloc(sizeof *placer);
    cd_narrow_placer_begin(placer, frame);
    for (int64_t i = share.begin; i < share.end; i++) {
        const cd_narrow_site_pair *pair = &frame->pair[i];
        cd_narrow_input3 input = {.reach = cd_reach_pair(&frame->reach, pair->row_a, pair->row_b),
                                  .epsilon = frame->epsilon,
                                  .intersection = job->intersection,
                                  .choice = frame->choice,
                                  .arena = &found.arena,
                                  .scratch = &scratch};
        cd_narrow_placer_pair(placer, pair, &input.a, &input.b);
        cd_narrow_find3(job->routine[i], frame->mode, &input, &found.contacts);
        cd_arena_reset(&scratch);
        drop_rejected(frame, &found);
        while (found.owner.count < found.contacts.count)
            cd_list_push(&found.arena, &found.owner, (int32_t)i);
    }
    cd_narrow_placer_release(placer);
    cd_free(placer);
    cd_arena_release(&scratch);
    job->share[worker] = found;
}

// Moves the shares together.
static void join(const space_job *job, cd_narrow_found *found)
{
    cd_arena *arena = job->frame->arena;
    int32_t total = 0;
    for (int k = 0; k < job->threads; k++)
        total += job->share[k].contacts.count;
    cd_narrow_contact3 *contact = job->contact ? job->contact : CD_ARENA_ARRAY(arena, cd_narrow_contact3, total);
    int32_t *owner = job->contact ? job->owner : CD_ARENA_ARRAY(arena, int32_t, total);
    *found = (cd_narrow_found){.contact = contact, .pair = owner};
    for (int k = 0; k < job->threads; k++) {
        share_found *share = &job->share[k];
        size_t count = (size_t)share->contacts.count;
        if (count > 0 && share->contacts.item != contact + found->count) {
            memmove(contact + found->count, share->contacts.item, count * sizeof *contact);
            memmove(owner + found->count, share->owner.item, count * sizeof *owner);
        }
        found->count += share->contacts.count;
        found->rejected += share->rejected;
        cd_arena_release(&share->arena);
    }
}

cd_status cd_narrow_space(const cd_narrow_frame_state *frame, cd_narrow_found *found)
{
    enum { PAIRS_PER_THREAD = 200 };  // some 1 us each at least, against 30 us for a thread
    cd_arena *arena = frame->arena;
    const cd_gap3_pair **routine = CD_ARENA_ARRAY(arena, const cd_gap3_pair *, frame->pair_count);
    CD_TRY(find_routines(frame, routine));
    int threads = cd_threads_for(frame->threads, frame->pair_count, PAIRS_PER_THREAD);
    space_job job = {.frame = frame,
                     .routine = routine,
                     .intersection = intersection_of(frame->options),
                     .threads = threads,
                     .share = CD_ARENA_ZARRAY(arena, share_found, threads)};
    if (cd_narrow_finds_one(frame->mode)) {
        job.contact = CD_ARENA_ARRAY(arena, cd_narrow_contact3, frame->pair_count);
        job.owner = CD_ARENA_ARRAY(arena, int32_t, frame->pair_count);
    }
    cd_threads_run(threads, find_share, &job);
    join(&job, found);
    return CD_OK;
}
