// SPDX-License-Identifier: MIT
#include "narrow_run.h"

#include "cd_assert.h"
#include "cd_threads.h"

typedef struct run_job {
    const cd_narrow_frame_state *frame;
    const cd_narrow_finder *finder;
    struct share_found *found;  // by each worker
    struct share_rows *put;     // the same, of rows in place
    cd_contact_rows *rows;      // then: room for one a pair
} run_job;

// ---- groups --------------------------------------------------------------------------------------------------------

static bool is_same_group(const cd_narrow_site_pair *p, const cd_narrow_site_pair *q)
{
    return p->row_a == q->row_a && p->part_a == q->part_a && p->row_b == q->row_b;
}

// The first group that starts at pair i or later.
static int32_t group_start(const cd_narrow_frame_state *frame, int64_t i)
{
    while (i > 0 && i < frame->pair_count && is_same_group(&frame->pair[i - 1], &frame->pair[i]))
        i++;
    return (int32_t)i;
}

typedef struct pair_range {
    int32_t begin, end;
} pair_range;

// A worker's share of the pairs: whole groups.
static pair_range share_of(const run_job *job, int worker)
{
    cd_share share = cd_threads_share(job->frame->pair_count, job->finder->threads, worker);
    return (pair_range){group_start(job->frame, share.begin), group_start(job->frame, share.end)};
}

// ---- a pair --------------------------------------------------------------------------------------------------------

// What one worker looks at pairs with.
typedef struct looker {
    const run_job *job;
    void *worker;     // of the finder
    cd_arena *arena;  // of the contacts
    cd_contacts contacts;
    int32_t rejected;
} looker;

// own: memory of one of several workers. One alone takes the frame's, which is there again in the next frame: fresh
// pages would be cleared in each.
static looker looker_begin(const run_job *job, cd_arena *own)
{
    return (looker){.job = job,
                    .worker = job->finder->begin(job->finder->job),
                    .arena = job->finder->threads == 1 ? job->frame->arena : own};
}

// Of the contacts from number `kept` on: those of status outside are counted, and go unless they are asked for.
static void drop_rejected(looker *l, int32_t kept)
{
    cd_contacts *contacts = &l->contacts;
    for (int32_t i = kept; i < contacts->count; i++) {
        bool is_outside = contacts->item[i].status == CD_STATUS_OUTSIDE;
        l->rejected += is_outside;
        if (is_outside && !l->job->frame->options->keep_rejected)
            continue;
        if (kept != i)
            contacts->item[kept] = contacts->item[i];
        kept++;
    }
    contacts->count = kept;
}

static inline void look_at_pair(looker *l, int32_t pair)
{
    int32_t before = l->contacts.count;
    l->job->finder->find(l->worker, pair, l->arena, &l->contacts);
    drop_rejected(l, before);
}

// ---- any number of contacts a pair ---------------------------------------------------------------------------------

typedef CD_LIST(int32_t) pair_numbers;

// One worker's contacts in the order of its share of the pairs.
typedef struct share_found {
    cd_arena arena;
    cd_contacts contacts;
    pair_numbers owner;  // the pair each came from
    int32_t rejected;
} share_found;

// The contacts of the group that starts at pair `first`, and where the next one does. Where nothing is merged a pair
// will do.
static int32_t find_group(looker *l, int32_t first, int32_t end, pair_numbers *owner)
{
    const cd_narrow_frame_state *frame = l->job->frame;
    int32_t before = l->contacts.count, i = first;
    do {
        look_at_pair(l, i);
        while (owner->count < l->contacts.count)
            cd_list_push(l->arena, owner, i);
        i++;
    } while (frame->mode->merge && i < end && is_same_group(&frame->pair[first], &frame->pair[i]));
    if (frame->mode->merge && l->contacts.count > before) {
        cd_narrow_group group = {.first_pair = first,
                                 .pair_count = i - first,
                                 .count = l->contacts.count - before,
                                 .contact = l->contacts.item + before,
                                 .pair = owner->item + before};
        frame->mode->merge(&group);
        l->contacts.count = owner->count = before + group.count;
    }
    return i;
}

static void find_share(void *context, int worker)
{
    enum { ROOM_MOST = 1 << 20 };  // contacts: 256 MiB of addresses
    const run_job *job = context;
    pair_range share = share_of(job, worker);
    cd_arena own = {0};
    looker l = looker_begin(job, &own);
    // Room for one a pair: lists that grow leave their shorter copies behind, as much again.
    int32_t room = share.end - share.begin < ROOM_MOST ? share.end - share.begin : ROOM_MOST;
    pair_numbers owner = {CD_ARENA_ARRAY(l.arena, int32_t, room), 0, room};
    l.contacts.item = CD_ARENA_ARRAY(l.arena, cd_contact, room);
    l.contacts.capacity = room;
    for (int32_t i = share.begin; i < share.end;)
        i = find_group(&l, i, share.end, &owner);
    job->finder->end(l.worker);
    job->found[worker] = (share_found){own, l.contacts, owner, l.rejected};
}

// Moves the shares together; one alone stays where it is.
static cd_narrow_found join(const run_job *job, int32_t *rejected)
{
    cd_arena *arena = job->frame->arena;
    int32_t total = 0, count = 0;
    if (job->finder->threads == 1) {
        share_found *only = &job->found[0];
        *rejected = only->rejected;
        return (cd_narrow_found){only->contacts.count, only->contacts.item, only->owner.item};
    }
    for (int k = 0; k < job->finder->threads; k++)
        total += job->found[k].contacts.count;
    cd_contact *contact = CD_ARENA_ARRAY(arena, cd_contact, total);
    int32_t *owner = CD_ARENA_ARRAY(arena, int32_t, total);
    for (int k = 0; k < job->finder->threads; k++) {
        share_found *share = &job->found[k];
        size_t of_share = (size_t)share->contacts.count;
        if (of_share > 0) {
            memcpy(contact + count, share->contacts.item, of_share * sizeof *contact);
            memcpy(owner + count, share->owner.item, of_share * sizeof *owner);
        }
        count += share->contacts.count;
        *rejected += share->rejected;
        cd_arena_release(&share->arena);
    }
    return (cd_narrow_found){count, contact, owner};
}

static void run_groups(run_job *job, cd_contact_rows *out, int32_t *rejected)
{
    job->found = CD_ARENA_ZARRAY(job->frame->arena, share_found, job->finder->threads);
    cd_threads_run(job->finder->threads, find_share, job);
    cd_narrow_found found = join(job, rejected);
    cd_narrow_write(job->frame, &found, out);
}

// ---- one contact a pair at most, in place --------------------------------------------------------------------------

// One worker's rows: they lie from that of its first pair on.
typedef struct share_rows {
    int32_t first, count, rejected;
    uint32_t seen;  // cd_narrow_column
} share_rows;

static void put_share(void *context, int worker)
{
    const run_job *job = context;
    pair_range share = share_of(job, worker);
    share_rows put = {.first = share.begin};
    cd_arena own = {0};
    looker l = looker_begin(job, &own);
    for (int32_t i = share.begin; i < share.end; i++) {
        l.contacts.count = 0;
        look_at_pair(&l, i);
        CD_ASSERT(l.contacts.count <= 1);
        if (l.contacts.count == 0)
            continue;
        const cd_contact *contact = &l.contacts.item[0];
        put.seen |= cd_narrow_columns_of(contact);
        cd_narrow_put(job->frame, job->rows, put.first + put.count++, i, contact);
    }
    job->finder->end(l.worker);
    cd_arena_release(&own);
    put.rejected = l.rejected;
    job->put[worker] = put;
}

// The rows of all shares, one behind the other.
static void close_up(const run_job *job)
{
    cd_contact_rows *rows = job->rows;
    const cd_record *record = &cd_records[CD_REC_contact];
    rows->count = job->put[0].count;
    for (int k = 1; k < job->finder->threads; k++) {
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

static void run_in_place(run_job *job, cd_contact_rows *out, int32_t *rejected)
{
    const cd_narrow_frame_state *frame = job->frame;
    uint32_t seen = 0;
    job->rows = out;
    job->put = CD_ARENA_ZARRAY(frame->arena, share_rows, job->finder->threads);
    *out = (cd_contact_rows){.count = frame->pair_count};
    cd_narrow_make_columns(frame, frame->mode->columns, out);
    cd_threads_run(job->finder->threads, put_share, job);
    close_up(job);
    for (int k = 0; k < job->finder->threads; k++) {
        seen |= job->put[k].seen;
        *rejected += job->put[k].rejected;
    }
    CD_ASSERT((seen & ~frame->mode->columns) == 0);
    cd_narrow_drop_columns(seen, out);
}

void cd_narrow_run(const cd_narrow_frame_state *frame, const cd_narrow_finder *finder, cd_contact_rows *out,
                   int32_t *rejected)
{
    run_job job = {.frame = frame, .finder = finder};
    *rejected = 0;
    if (frame->mode->is_single && !frame->mode->merge)
        run_in_place(&job, out, rejected);
    else
        run_groups(&job, out, rejected);
}
