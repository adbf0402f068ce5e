// One frame of space: the contacts of all pairs, over threads.
// SPDX-License-Identifier: MIT
#include "cd_assert.h"
#include "cd_threads.h"
#include "narrow_placed.h"

#include <inttypes.h>

const char *const cd_narrow_intersection_names[] = {"auto", "clip", "dual", NULL};

typedef struct space_job {
    const cd_narrow_frame_state *frame;
    const cd_gap3_pair *const *routine;  // of each pair
    cd_narrow_intersection intersection;
    int threads;
    struct share_found *found;  // by each worker
    struct share_rows *put;     // the same, where a pair has at most one contact
    cd_contact_rows *rows;      // then: room for one a pair
} space_job;

// What one worker looks at pairs with.
typedef struct finder {
    const space_job *job;
    cd_narrow_placer *placer;
    cd_arena arena, scratch;  // of the contacts; of one pair
    cd_contacts contacts;
    int32_t rejected;
} finder;

// One worker's contacts in the order of its share of the pairs.
typedef struct share_found {
    cd_arena arena;
    cd_contacts contacts;
    CD_LIST(int32_t) owner;  // the pair each came from
    int32_t rejected;
} share_found;

// One worker's rows: they lie from that of its first pair on.
typedef struct share_rows {
    int32_t first, count, rejected;
    uint32_t seen;  // extras
} share_rows;

static cd_narrow_intersection intersection_of(const cd_narrow_options *options)
{
    int i = 0;
    while (strcmp(cd_narrow_intersection_names[i], options->intersection) != 0)
        i++;
    return (cd_narrow_intersection)i;
}

static int32_t kind_of(const cd_narrow_frame_state *frame, int32_t row, int32_t part)
{
    const cd_leaves *leaves = frame->shapes;
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

// Of the contacts from number `kept` on: those of status outside are counted, and go unless they are asked for.
static void drop_rejected(finder *f, int32_t kept)
{
    cd_contacts *contacts = &f->contacts;
    for (int32_t i = kept; i < contacts->count; i++) {
        bool is_outside = contacts->item[i].status == CD_STATUS_OUTSIDE;
        f->rejected += is_outside;
        if (is_outside && !f->job->frame->options->keep_rejected)
            continue;
        if (kept != i)
            contacts->item[kept] = contacts->item[i];
        kept++;
    }
    contacts->count = kept;
}

static finder finder_begin(const space_job *job)
{
    finder f = {.job = job, .placer = cd_alloc(sizeof *f.placer)};
    cd_narrow_placer_begin(f.placer, job->frame);
    return f;
}

// All but the contacts and their arena.
static void finder_end(finder *f)
{
    cd_narrow_placer_release(f->placer);
    cd_free(f->placer);
    cd_arena_release(&f->scratch);
}

// Appends the contacts of pair i.
static void find_pair(finder *f, int64_t i)
{
    const space_job *job = f->job;
    const cd_narrow_frame_state *frame = job->frame;
    const cd_narrow_site_pair *pair = &frame->pair[i];
    cd_narrow_input3 input = {.reach = cd_reach_pair(&frame->reach, pair->row_a, pair->row_b),
                              .epsilon = frame->epsilon,
                              .intersection = job->intersection,
                              .choice = frame->choice,
                              .arena = &f->arena,
                              .scratch = &f->scratch};
    int32_t before = f->contacts.count;
    cd_narrow_placer_pair(f->placer, pair, &input.a, &input.b);
    cd_narrow_find3(job->routine[i], frame->mode, &input, &f->contacts);
    cd_arena_reset(&f->scratch);
    drop_rejected(f, before);
}

// ---- any number of contacts a pair ---------------------------------------------------------------------------------

static void find_share(void *context, int worker)
{
    const space_job *job = context;
    cd_share share = cd_threads_share(job->frame->pair_count, job->threads, worker);
    share_found found = {.rejected = 0};
    finder f = finder_begin(job);
    for (int64_t i = share.begin; i < share.end; i++) {
        find_pair(&f, i);
        while (found.owner.count < f.contacts.count)
            cd_list_push(&f.arena, &found.owner, (int32_t)i);
    }
    finder_end(&f);
    found.arena = f.arena;
    found.contacts = f.contacts;
    found.rejected = f.rejected;
    job->found[worker] = found;
}

// Moves the shares together.
static void join(const space_job *job, cd_narrow_found *found)
{
    cd_arena *arena = job->frame->arena;
    int32_t total = 0;
    for (int k = 0; k < job->threads; k++)
        total += job->found[k].contacts.count;
    cd_contact *contact = CD_ARENA_ARRAY(arena, cd_contact, total);
    int32_t *owner = CD_ARENA_ARRAY(arena, int32_t, total);
    *found = (cd_narrow_found){.contact = contact, .pair = owner};
    for (int k = 0; k < job->threads; k++) {
        share_found *share = &job->found[k];
        size_t count = (size_t)share->contacts.count;
        if (count > 0) {
            memcpy(contact + found->count, share->contacts.item, count * sizeof *contact);
            memcpy(owner + found->count, share->owner.item, count * sizeof *owner);
        }
        found->count += share->contacts.count;
        found->rejected += share->rejected;
        cd_arena_release(&share->arena);
    }
}

static cd_status job_make(const cd_narrow_frame_state *frame, space_job *job)
{
    enum { PAIRS_PER_THREAD = 200 };  // some 1 us each at least, against 30 us for a thread
    const cd_gap3_pair **routine = CD_ARENA_ARRAY(frame->arena, const cd_gap3_pair *, frame->pair_count);
    CD_TRY(find_routines(frame, routine));
    *job = (space_job){.frame = frame,
                       .routine = routine,
                       .intersection = intersection_of(frame->options),
                       .threads = cd_threads_for(frame->threads, frame->pair_count, PAIRS_PER_THREAD)};
    return CD_OK;
}

cd_status cd_narrow_space(const cd_narrow_frame_state *frame, cd_narrow_found *found)
{
    space_job job;
    CD_TRY(job_make(frame, &job));
    job.found = CD_ARENA_ZARRAY(frame->arena, share_found, job.threads);
    cd_threads_run(job.threads, find_share, &job);
    join(&job, found);
    return CD_OK;
}

// ---- at most one contact a pair ------------------------------------------------------------------------------------

static void put_share(void *context, int worker)
{
    const space_job *job = context;
    cd_share share = cd_threads_share(job->frame->pair_count, job->threads, worker);
    share_rows put = {.first = (int32_t)share.begin};
    finder f = finder_begin(job);
    for (int64_t i = share.begin; i < share.end; i++) {
        f.contacts.count = 0;
        find_pair(&f, i);
        CD_ASSERT(f.contacts.count <= 1);
        if (f.contacts.count == 0)
            continue;
        const cd_contact *contact = &f.contacts.item[0];
        put.seen |= cd_narrow_extras_of(contact);
        cd_narrow_put(job->frame, job->rows, put.first + put.count++, (int32_t)i, contact);
    }
    finder_end(&f);
    cd_arena_release(&f.arena);
    put.rejected = f.rejected;
    job->put[worker] = put;
}

// The rows of all shares, one behind the other.
static void close_up(const space_job *job)
{
    cd_contact_rows *rows = job->rows;
    const cd_record *record = &cd_records[CD_REC_contact];
    rows->count = job->put[0].count;
    for (int k = 1; k < job->threads; k++) {
        const share_rows *put = &job->put[k];
        for (int32_t f = 0; f < record->field_count && rows->count < put->first; f++) {
            const cd_field *field = &record->field[f];
            CD_ASSERT(field->depth == 0);
            char *column = *cd_field_column(field, (cd_rows *)rows);
            size_t row = cd_base_size(field->base) * (size_t)cd_field_width(field, job->frame->in->dim);
            if (column)
                memmove(column + (size_t)rows->count * row, column + (size_t)put->first * row,
                        (size_t)put->count * row);
        }
        for (int32_t i = rows->count; i < rows->count + put->count; i++)
            rows->id[i] = i;
        rows->count += put->count;
    }
}

cd_status cd_narrow_space_rows(const cd_narrow_frame_state *frame, cd_contact_rows *out, int32_t *rejected)
{
    space_job job;
    CD_TRY(job_make(frame, &job));
    uint32_t volume = frame->mode == CD_NARROW_VOLUME ? CD_NARROW_HAS_AREA | CD_NARROW_HAS_SURFACES : 0u, seen = 0;
    job.rows = out;
    job.put = CD_ARENA_ZARRAY(frame->arena, share_rows, job.threads);
    *out = (cd_contact_rows){.count = frame->pair_count};
    cd_narrow_make_columns(frame, CD_NARROW_HAS_FEATURES | volume, out);
    cd_threads_run(job.threads, put_share, &job);
    close_up(&job);
    for (int k = 0; k < job.threads; k++) {
        seen |= job.put[k].seen;
        *rejected += job.put[k].rejected;
    }
    out->area = seen & CD_NARROW_HAS_AREA ? out->area : NULL;
    out->surfaces = seen & CD_NARROW_HAS_SURFACES ? out->surfaces : NULL;
    out->features = seen & CD_NARROW_HAS_FEATURES ? out->features : NULL;
    return CD_OK;
}
