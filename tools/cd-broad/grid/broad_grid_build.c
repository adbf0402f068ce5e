// Builds the rows of the method `grid`: a counting sort of the boxes by row, as compact records, then one of each row
// by bucket, in cache, into the columns that the scan reads.
// SPDX-License-Identifier: MIT
#include "broad_grid.h"
#include "cd_assert.h"

static inline const grid_class *class_of_item(const grid_job *job, int32_t item)
{
    return &job->class[job->class_of ? job->class_of[item] : 0];
}

static void count_rows(void *context, int worker)
{
    const grid_job *job = context;
    const cd_broad_input *input = job->input;
    cd_share share = cd_threads_share(input->count, job->builders, worker);
    int32_t *count = job->place[worker];
    memset(count, 0, (size_t)job->rows * sizeof *count);
    int dim = input->dim, y = job->axis[1], z = job->axis[2];
    for (int32_t i = (int32_t)share.begin; i < share.end; i++) {
        const grid_class *class = class_of_item(job, i);
        const double *min = input->min + (int64_t)dim * i;
        int32_t row_y = grid_lattice(class, 1, min[y]) >> GRID_CELL_BITS;
        int32_t row_z = dim == 3 ? grid_lattice(class, 2, min[z]) >> GRID_CELL_BITS : 0;
        int32_t row = class->first_row + row_z * class->rows[1] + row_y;
        job->row_of[i] = row;
        count[row]++;
    }
}

// Counts become places: row after row, in a row worker after worker.
static void make_places(grid_job *job)
{
    int32_t next = 0;
    for (int32_t row = 0; row < job->rows; row++) {
        job->row_begin[row] = next;
        for (int w = 0; w < job->builders; w++) {
            int32_t count = job->place[w][row];
            job->place[w][row] = next;
            next += count;
        }
    }
    job->row_begin[job->rows] = next;
}

static void scatter_records(void *context, int worker)
{
    const grid_job *job = context;
    const cd_broad_input *input = job->input;
    cd_share share = cd_threads_share(input->count, job->builders, worker);
    int32_t *place = job->place[worker];
#if defined(__x86_64__)
    bool is_plain = input->dim == 3 && !job->class_of && (job->is_snug || !job->has_rounds);
    if (is_plain && job->run->tuning.vector == CD_VECTOR_AVX512) {
        cd_grid_scatter_avx512(job, (int32_t)share.begin, (int32_t)share.end, place);
        return;
    }
    if (is_plain && job->run->tuning.vector == CD_VECTOR_AVX2) {
        cd_grid_scatter_avx2(job, (int32_t)share.begin, (int32_t)share.end, place);
        return;
    }
#endif
    int dim = input->dim, x = job->axis[0], y = job->axis[1], z = job->axis[2];
    for (int32_t i = (int32_t)share.begin; i < share.end; i++) {
        const grid_class *class = class_of_item(job, i);
        const double *min = input->min + (int64_t)dim * i, *max = input->max + (int64_t)dim * i;
        grid_record record = {.item = i};
        record.faces[0] = grid_word_along(grid_lattice(class, 0, min[x]), grid_lattice(class, 0, max[x]));
        record.faces[1] = grid_word(grid_lattice(class, 1, min[y]), grid_lattice(class, 1, max[y]));
        // A plane problem: no tie along the axis that is not there.
        record.faces[2] = grid_word(0, 1);
        if (dim == 3)
            record.faces[2] = grid_word(grid_lattice(class, 2, min[z]), grid_lattice(class, 2, max[z]));
        int32_t at = place[job->row_of[i]]++;
        job->record[at] = record;
        if (job->is_snug)
            job->record_ball[at] = grid_ball_of(job, i);
        else if (job->has_rounds)
            job->record_radius[at] = grid_radius(job, class, i);
    }
}

static inline void put_ball(const grid_job *job, int32_t place, grid_ball ball)
{
    for (int k = 0; k < 3; k++)
        job->centre[k][place] = ball.centre[k];
    job->reach[place] = ball.radius;
}

// Returns the crowding of the row.
static int64_t lay_out_row(const grid_job *job, const grid_class *class, int32_t row, int32_t *next)
{
    int32_t begin = job->row_begin[row], end = job->row_begin[row + 1], buckets = class->buckets;
    int32_t *start = job->start + class->first_cell + (int64_t)(row - class->first_row) * (buckets + 1);
    memset(next, 0, (size_t)buckets * sizeof *next);
    for (int32_t i = begin; i < end; i++)
        next[grid_bucket_low((uint32_t)buckets, job->record[i].faces[0])]++;
    int32_t place = begin + row * GRID_PADDING;
    int64_t crowding = 0;
    for (int32_t b = 0; b < buckets; b++) {
        int32_t count = next[b];
        start[b] = next[b] = place;
        place += count;
        crowding += (int64_t)count * count;
    }
    start[buckets] = place;
    for (int32_t i = begin; i < end; i++) {
        grid_record record = job->record[i];
        int32_t p = next[grid_bucket_low((uint32_t)buckets, record.faces[0])]++;
        for (int k = 0; k < 3; k++)
            job->faces[k][p] = record.faces[k];
        job->item[p] = record.item;
        if (job->is_snug)
            put_ball(job, p, job->record_ball[i]);
        else if (job->has_rounds)
            job->radius[p] = job->record_radius[i];
    }
    for (int32_t p = place; p < place + GRID_PADDING; p++) {
        job->faces[0][p] = grid_word(GRID_MIDDLE, 0);
        job->faces[1][p] = job->faces[2][p] = 0;
        job->item[p] = 0;
        if (job->is_snug)
            put_ball(job, p, (grid_ball){{0, 0, 0}, 0});
        else if (job->has_rounds)
            job->radius[p] = 0;
    }
    return crowding;
}

static int class_of_row(const grid_job *job, int32_t row)
{
    int c = 0;
    while (c + 1 < job->classes && row >= job->class[c + 1].first_row)
        c++;
    return c;
}

static void lay_out(void *context, int worker)
{
    grid_job *job = context;
    int32_t *next = job->bucket_count[worker];
    int64_t crowding = 0;
    for (;;) {
        cd_share share = cd_threads_next(&job->next, job->rows, 16);
        if (share.begin == share.end)
            break;
        for (int32_t row = (int32_t)share.begin; row < share.end; row++)
            crowding += lay_out_row(job, &job->class[class_of_row(job, row)], row, next);
    }
    job->crowding[worker] = crowding;
}

static void make_pieces(grid_job *job)
{
    job->pieces = 0;
    for (int32_t row = 0, class = 0; row < job->rows; row++) {
        while (class + 1 < job->classes && row >= job->class[class + 1].first_row)
            class ++;
        int32_t begin = job->row_begin[row] + row * GRID_PADDING, end = job->row_begin[row + 1] + row * GRID_PADDING;
        for (; begin < end; begin += GRID_PIECE)
            job->piece[job->pieces++] =
                (grid_piece){class, row, begin, end - begin < GRID_PIECE ? end : begin + GRID_PIECE};
    }
}

void cd_grid_build(grid_job *job)
{
    cd_arena *arena = job->run->arena;
    int32_t count = job->input->count, buckets = 1;
    for (int c = 0; c < job->classes; c++)
        buckets = job->class[c].buckets > buckets ? job->class[c].buckets : buckets;
    // Each builder has a counter for each row and each bucket: in all no more than there are boxes.
    job->builders = cd_threads_for(job->threads, count, (int64_t)job->rows + buckets);
    int64_t places = count + (int64_t)job->rows * GRID_PADDING;
    CD_ASSERT(places <= INT32_MAX - GRID_PADDING);
    job->item = job->row_of = CD_ARENA_ARRAY(arena, int32_t, places);
    job->place = CD_ARENA_ARRAY(arena, int32_t *, job->builders);
    job->bucket_count = CD_ARENA_ARRAY(arena, int32_t *, job->builders);
    for (int w = 0; w < job->builders; w++) {
        job->place[w] = CD_ARENA_ARRAY(arena, int32_t, job->rows);
        job->bucket_count[w] = CD_ARENA_ARRAY(arena, int32_t, buckets);
    }
    job->crowding = CD_ARENA_ARRAY(arena, int64_t, job->builders);
    job->row_begin = CD_ARENA_ARRAY(arena, int32_t, job->rows + 1);
    job->record = CD_ARENA_ARRAY(arena, grid_record, count);
    job->start = CD_ARENA_ARRAY(arena, int32_t, job->cells);
    for (int k = 0; k < 3; k++)
        job->faces[k] = CD_ARENA_ARRAY(arena, uint32_t, places);
    if (job->is_snug) {
        job->record_ball = CD_ARENA_ARRAY(arena, grid_ball, count);
        job->reach = CD_ARENA_ARRAY(arena, uint16_t, places);
        for (int k = 0; k < 3; k++)
            job->centre[k] = CD_ARENA_ARRAY(arena, uint16_t, places);
    } else if (job->has_rounds) {
        job->record_radius = CD_ARENA_ARRAY(arena, float, count);
        job->radius = CD_ARENA_ARRAY(arena, float, places);
    }
    job->piece = CD_ARENA_ARRAY(arena, grid_piece, job->rows + count / GRID_PIECE);
    cd_threads_run(job->builders, count_rows, job);
    make_places(job);
    cd_threads_run(job->builders, scatter_records, job);
    job->next = 0;
    cd_threads_run(job->builders, lay_out, job);
    make_pieces(job);
}
