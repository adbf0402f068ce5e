// Table `contact` from what was found.
// SPDX-License-Identifier: MIT
#include "cd_threads.h"
#include "narrow_frame.h"

// A sum with 0 has no negative zero: results do not show which side a zero component was turned from.
static void put(double *column, int dim, int64_t i, cd_vec3 v)
{
    double *to = column + (size_t)dim * (size_t)i;
    to[0] = v.x + 0.0;
    to[1] = v.y + 0.0;
    if (dim == 3)
        to[2] = v.z + 0.0;
}

void cd_narrow_make_columns(const cd_narrow_frame_state *frame, uint32_t columns, cd_contact_rows *rows)
{
    cd_arena *arena = frame->arena;
    size_t count = (size_t)rows->count, numbers = count * (size_t)frame->in->dim;
    rows->id = CD_ARENA_ARRAY(arena, int64_t, count);
    rows->a = CD_ARENA_ARRAY(arena, int32_t, 2 * count);
    rows->b = CD_ARENA_ARRAY(arena, int32_t, 2 * count);
    rows->kind = CD_ARENA_ARRAY(arena, int32_t, count);
    rows->status = CD_ARENA_ARRAY(arena, int32_t, count);
    rows->point = CD_ARENA_ARRAY(arena, double, numbers);
    rows->point_a = CD_ARENA_ARRAY(arena, double, numbers);
    rows->point_b = CD_ARENA_ARRAY(arena, double, numbers);
    rows->normal = CD_ARENA_ARRAY(arena, double, numbers);
    rows->gap = CD_ARENA_ARRAY(arena, double, count);
    rows->area = columns & CD_NARROW_HAS_AREA ? CD_ARENA_ARRAY(arena, double, count) : NULL;
    rows->surfaces = columns & CD_NARROW_HAS_SURFACES ? CD_ARENA_ARRAY(arena, int32_t, 2 * count) : NULL;
    rows->features = columns & CD_NARROW_HAS_FEATURES ? CD_ARENA_ARRAY(arena, int32_t, 2 * count) : NULL;
    rows->applicability = columns & CD_NARROW_HAS_JUDGEMENT ? CD_ARENA_ARRAY(arena, double, count) : NULL;
    rows->feasible = columns & CD_NARROW_HAS_JUDGEMENT ? CD_ARENA_ARRAY(arena, double, count) : NULL;
    rows->facet = columns & CD_NARROW_HAS_SEPARATORS ? CD_ARENA_ARRAY(arena, int32_t, 2 * count) : NULL;
    rows->side = columns & CD_NARROW_HAS_SIDES ? CD_ARENA_ARRAY(arena, int32_t, count) : NULL;
    rows->bound = columns & CD_NARROW_HAS_BOUNDS ? CD_ARENA_ARRAY(arena, double, count) : NULL;
    rows->potential = columns & CD_NARROW_HAS_POTENTIAL ? CD_ARENA_ARRAY(arena, double, count) : NULL;
    rows->lambda = columns & CD_NARROW_HAS_POTENTIAL ? CD_ARENA_ARRAY(arena, double, count) : NULL;
}

void cd_narrow_drop_columns(uint32_t columns, cd_contact_rows *rows)
{
    rows->area = columns & CD_NARROW_HAS_AREA ? rows->area : NULL;
    rows->surfaces = columns & CD_NARROW_HAS_SURFACES ? rows->surfaces : NULL;
    rows->features = columns & CD_NARROW_HAS_FEATURES ? rows->features : NULL;
    rows->applicability = columns & CD_NARROW_HAS_JUDGEMENT ? rows->applicability : NULL;
    rows->feasible = columns & CD_NARROW_HAS_JUDGEMENT ? rows->feasible : NULL;
    rows->facet = columns & CD_NARROW_HAS_SEPARATORS ? rows->facet : NULL;
    rows->side = columns & CD_NARROW_HAS_SIDES ? rows->side : NULL;
    rows->bound = columns & CD_NARROW_HAS_BOUNDS ? rows->bound : NULL;
    rows->potential = columns & CD_NARROW_HAS_POTENTIAL ? rows->potential : NULL;
    rows->lambda = columns & CD_NARROW_HAS_POTENTIAL ? rows->lambda : NULL;
}

static void put_optional(cd_contact_rows *rows, int64_t i, const cd_contact *contact)
{
    if (rows->area)
        rows->area[i] = contact->area;
    if (rows->surfaces) {
        rows->surfaces[2 * i] = contact->surface_a;
        rows->surfaces[2 * i + 1] = contact->surface_b;
    }
    if (rows->features) {
        rows->features[2 * i] = contact->feature_a;
        rows->features[2 * i + 1] = contact->feature_b;
    }
    if (rows->applicability) {
        rows->applicability[i] = contact->applicability + 0.0;
        rows->feasible[i] = contact->feasible + 0.0;
    }
    if (rows->facet) {
        rows->facet[2 * i] = contact->separator.code[0];
        rows->facet[2 * i + 1] = contact->separator.code[1];
    }
    if (rows->side)
        rows->side[i] = contact->separator.side;
    if (rows->bound)
        rows->bound[i] = contact->bound;
    if (rows->potential) {
        rows->potential[i] = contact->potential;
        rows->lambda[i] = contact->lambda;
    }
}

void cd_narrow_put(const cd_narrow_frame_state *frame, cd_contact_rows *rows, int64_t i, int32_t pair_number,
                   const cd_contact *contact)
{
    int dim = frame->in->dim;
    const cd_narrow_site_pair *pair = &frame->pair[pair_number];
    rows->id[i] = i;
    rows->a[2 * i] = pair->row_a;
    rows->a[2 * i + 1] = pair->part_a;
    rows->b[2 * i] = pair->row_b;
    rows->b[2 * i + 1] = pair->part_b;
    rows->kind[i] = contact->kind;
    rows->status[i] = contact->status;
    put(rows->point, dim, i, contact->point);
    put(rows->point_a, dim, i, contact->point_a);
    put(rows->point_b, dim, i, contact->point_b);
    put(rows->normal, dim, i, contact->normal);
    rows->gap[i] = contact->gap + 0.0;
    put_optional(rows, i, contact);
}

// ---- the table of what was found -----------------------------------------------------------------------------------

typedef struct write_job {
    const cd_narrow_frame_state *frame;
    const cd_narrow_found *found;
    cd_contact_rows *rows;
    int threads;
    uint32_t *seen;  // cd_narrow_column, by each worker
} write_job;

static void look(void *context, int worker)
{
    const write_job *job = context;
    cd_share share = cd_threads_share(job->found->count, job->threads, worker);
    uint32_t seen = 0;
    for (int64_t i = share.begin; i < share.end; i++)
        seen |= cd_narrow_columns_of(&job->found->contact[i]);
    job->seen[worker] = seen;
}

static void fill(void *context, int worker)
{
    const write_job *job = context;
    cd_share share = cd_threads_share(job->found->count, job->threads, worker);
    for (int64_t i = share.begin; i < share.end; i++)
        cd_narrow_put(job->frame, job->rows, i, job->found->pair[i], &job->found->contact[i]);
}

void cd_narrow_write(const cd_narrow_frame_state *frame, const cd_narrow_found *found, cd_contact_rows *out)
{
    enum { CONTACTS_PER_THREAD = 5000 };  // some 20 ns each, against 30 us for a thread
    *out = (cd_contact_rows){.count = found->count};
    if (found->count == 0)
        return;
    int threads = cd_threads_for(frame->threads, found->count, CONTACTS_PER_THREAD);
    write_job job = {frame, found, out, threads, CD_ARENA_ZARRAY(frame->arena, uint32_t, threads)};
    cd_threads_run(threads, look, &job);
    uint32_t seen = 0;
    for (int k = 0; k < threads; k++)
        seen |= job.seen[k];
    cd_narrow_make_columns(frame, seen, out);
    cd_threads_run(threads, fill, &job);
}
