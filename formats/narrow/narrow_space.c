// One frame of space: the entry of each pair's kinds, and a worker's way of finding the contacts of a pair.
// SPDX-License-Identifier: MIT
#include "cd_threads.h"
#include "narrow_ellipsoids.h"
#include "narrow_far.h"
#include "narrow_known.h"
#include "narrow_pinball.h"
#include "narrow_placed.h"
#include "narrow_run.h"
#include "narrow_surface.h"

typedef struct space_job {
    const cd_narrow_frame_state *frame;
    const cd_pair3 *const *entry;  // of each pair
    cd_pair3_intersect *intersect;
    cd_narrow_beside beside;
    cd_narrow_touches touches;
} space_job;

typedef struct space_worker {
    const space_job *job;
    cd_arena scratch;  // of one pair
    cd_narrow_placer placer;
    cd_narrow_ellipsoids ellipsoids;
} space_worker;

static cd_status find_entries(const cd_narrow_frame_state *frame, const cd_pair3 **entry)
{
    for (int32_t i = 0; i < frame->pair_count; i++) {
        const cd_narrow_site_pair *pair = &frame->pair[i];
        if (cd_narrow_is_of_pinballs(frame->pinballs, pair))
            continue;
        cd_shape_kind kind_a = cd_narrow_kind_of(frame, pair->row_a, pair->part_a);
        cd_shape_kind kind_b = cd_narrow_kind_of(frame, pair->row_b, pair->part_b);
        entry[i] = cd_pair3_for(kind_a, kind_b);
        if (!entry[i])
            return cd_narrow_refuse(frame, pair, kind_a, kind_b);
    }
    return CD_OK;
}

static void *begin(const void *job)
{
    space_worker *worker = cd_alloc(sizeof *worker);
    worker->job = job;
    worker->scratch = (cd_arena){0};
    worker->ellipsoids = (cd_narrow_ellipsoids){0};
    cd_narrow_placer_begin(&worker->placer, worker->job->frame);
    return worker;
}

static void put_beside(space_worker *worker, const cd_narrow_site_pair *pair, int side, cd_vec3 middle,
                       cd_pair3_part *put)
{
    const space_job *job = worker->job;
    cd_narrow_sites sites = cd_narrow_beside_of(job->frame, &job->beside, pair, side, &worker->scratch);
    if (sites.count > 0)
        cd_narrow_placer_beside(&worker->placer, &sites, middle, &worker->scratch, put);
}

static void find(void *context, int32_t number, cd_arena *arena, cd_contacts *contacts)
{
    space_worker *worker = context;
    const cd_narrow_frame_state *frame = worker->job->frame;
    const cd_narrow_site_pair *pair = &frame->pair[number];
    if (cd_narrow_is_of_pinballs(frame->pinballs, pair)) {
        cd_narrow_find_pinballs(frame->pinballs, pair, &worker->scratch, arena, contacts);
        cd_arena_reset(&worker->scratch);
        return;
    }
    const cd_contact *touch = worker->job->touches.contact ? worker->job->touches.contact[number] : NULL;
    if (touch) {
        if (touch != &cd_narrow_no_touch)
            cd_list_push(arena, contacts, *touch);
        return;
    }
    if (frame->mode->needs & CD_NARROW_NEEDS_POSES &&
        cd_narrow_is_far(&worker->placer, pair, cd_reach_pair(&frame->reach, pair->row_a, pair->row_b)))
        return;
    const bool is_potential = frame->mode->space == cd_pair3_potential;
    const cd_perram *perram =
        is_potential ? cd_narrow_ellipsoids_of(&worker->ellipsoids, &worker->placer, worker->job->entry, number) : NULL;
    cd_pair3_input input;
    cd_vec3 middle = cd_narrow_placer_input(&worker->placer, number, arena, &worker->scratch, &input);
    input.intersect = worker->job->intersect;
    input.wants_true_gap = frame->options->true_gap;
    input.perram = perram;
    cd_narrow_known_pair *known = cd_narrow_known_of(frame->memory, number, input.reach, &input.choice);
    input.known = known ? &known->of.space : NULL;
    put_beside(worker, pair, 0, middle, &input.a);
    put_beside(worker, pair, 1, middle, &input.b);
    int32_t before = contacts->count;
    frame->mode->space(worker->job->entry[number], &input, contacts);
    cd_narrow_move_contacts(contacts, before, middle);
    cd_arena_reset(&worker->scratch);
}

static void end(void *context)
{
    space_worker *worker = context;
    cd_narrow_placer_release(&worker->placer);
    cd_arena_release(&worker->scratch);
    cd_free(worker);
}

cd_status cd_narrow_space(const cd_narrow_frame_state *frame, cd_contact_rows *out, int32_t *rejected)
{
    enum { PAIRS_PER_THREAD = 200 };  // some 1 us each at least, against 30 us for a thread
    if (!frame->mode->space)
        return cd_narrow_refuse_dimension(frame);
    const cd_pair3 **entry = CD_ARENA_ZARRAY(frame->arena, const cd_pair3 *, frame->pair_count);
    CD_TRY(find_entries(frame, entry));
    cd_pair3_intersect *intersect = cd_narrow_find_intersection(frame->options->intersection);
    space_job job = {frame, entry, intersect, cd_narrow_beside_make(frame), cd_narrow_touch(frame, entry, intersect)};
    int threads = cd_threads_for(frame->threads, frame->pair_count, PAIRS_PER_THREAD);
    cd_narrow_run(frame, &(cd_narrow_finder){&job, begin, find, end, threads}, out, rejected);
    return CD_OK;
}
