// Slaves and masters of the methods with cells of centres, and the cells (broad_cell.h).
// SPDX-License-Identifier: MIT
#include "broad_cell.h"

// Cells are wider than what is asked for by so much: what rounding does to the number of a cell is less, as long as
// there are at most MOST_ALONG along an axis.
static const double room = 1 + 1e-6;
enum { MOST_ALONG = 1 << 20 };

// ---- slaves and masters --------------------------------------------------------------------------------------------

// [m] of items: the range of their centres along each axis, and the greatest half extent along any.
typedef struct ranges {
    double low[3], high[3], half;
} ranges;

static ranges no_range(void) { return (ranges){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0}; }

CELL_INLINE void add_to_range(ranges *r, int dim, const double *centre, double half)
{
    for (int k = 0; k < dim; k++) {
        r->low[k] = centre[k] < r->low[k] ? centre[k] : r->low[k];
        r->high[k] = centre[k] > r->high[k] ? centre[k] : r->high[k];
    }
    r->half = half > r->half ? half : r->half;
}

// One pass: who is what, and where they are.
CELL_INLINE void part_as(cell_job *job, int dim, ranges *slaves, ranges *masters)
{
    const cd_broad_input *input = job->input;
    for (int32_t i = 0; i < input->count; i++) {
        unsigned class = input->class ? input->class[i] : CD_BROAD_UNGROUPED;
        double centre[3], half = 0, sum = 0;
        for (int k = 0; k < dim; k++) {
            centre[k] = cell_centre(input, dim, i, k);
            double above = input->max[(int64_t)dim * i + k] - centre[k];
            half = above > half ? above : half;
            sum += above;
        }
        if (!(sum < INFINITY)) {
            job->loose[job->looses++] = i;
            continue;
        }
        if (class & CD_BROAD_IN_A) {
            job->slave[job->slaves++] = i;
            add_to_range(slaves, dim, centre, half);
        }
        if (class & CD_BROAD_IN_B) {
            job->master[job->masters++] = i;
            add_to_range(masters, dim, centre, half);
        }
    }
}

static void part_items(cell_job *job, cd_arena *arena, ranges *slaves, ranges *masters)
{
    job->slave = CD_ARENA_ARRAY(arena, int32_t, job->input->count);
    job->master = CD_ARENA_ARRAY(arena, int32_t, job->input->count);
    job->loose = CD_ARENA_ARRAY(arena, int32_t, job->input->count);
    *slaves = *masters = no_range();
    if (job->input->dim == 2)
        part_as(job, 2, slaves, masters);
    else
        part_as(job, 3, slaves, masters);
}

// ---- cells ---------------------------------------------------------------------------------------------------------

static double cells_in_all(const cell_job *job, const ranges *region, double edge)
{
    double cells = 1;
    for (int k = 0; k < job->input->dim; k++)
        cells *= fmax(1, (region->high[k] - region->low[k]) / edge);
    return cells;
}

// Where no edge is asked for: about two masters a cell. More cells than four a master, or than MOST_ALONG along an
// axis, are enlarged.
static double choose_edge(const cell_job *job, const ranges *region)
{
    double asked = job->run->tuning.cell, edge = fmax(isnan(asked) ? 0 : asked, job->least) * room, range = 0;
    double most = isnan(asked) ? job->masters / 2.0 + 1 : 4.0 * job->masters + 1;
    for (int k = 0; k < job->input->dim; k++)
        range = fmax(range, region->high[k] - region->low[k]);
    edge = fmax(edge, range / MOST_ALONG);
    while (edge > 0 && edge < range && cells_in_all(job, region, edge) > most)
        edge *= 1.1;
    return edge;
}

static void plan_cells(cell_job *job, const ranges *region)
{
    double edge = choose_edge(job, region);
    for (int k = 0; k < 3; k++) {
        bool is_there = k < job->input->dim && job->slaves > 0 && job->masters > 0;
        double range = is_there ? region->high[k] - region->low[k] : 0;
        job->low[k] = is_there ? region->low[k] : 0;
        // Cells cover the range: as many as fit, each a little wider than the edge.
        double cells = edge > 0 && range < INFINITY ? floor(range / edge) : 1;
        job->cells[k] = cells < 1 ? 1 : (int32_t)cells;
        job->scale[k] = range > 0 && range < INFINITY ? job->cells[k] / range : 0;
    }
}

static void fill_cells(cell_job *job, cd_arena *arena)
{
    const cd_broad_input *input = job->input;
    int64_t cells = (int64_t)job->cells[0] * job->cells[1] * job->cells[2];
    size_t room_for = (size_t)job->masters + CELL_PADDING;
    job->columns = input->ball ? input->dim + 1 : 2 * input->dim;
    job->start = CD_ARENA_ZARRAY(arena, int32_t, (size_t)cells + 2);
    job->item = CD_ARENA_ZARRAY(arena, int32_t, room_for);
    job->found = CD_ARENA_ARRAY(arena, int32_t, room_for);
    for (int c = 0; c < job->columns; c++) {
        job->column[c] = CD_ARENA_ARRAY(arena, double, room_for);
        memset(job->column[c] + job->masters, 0, CELL_PADDING * sizeof(double));
    }
    cd_arena_mark mark = cd_arena_get_mark(arena);
    int32_t *cell = CD_ARENA_ARRAY(arena, int32_t, job->masters);
    for (int32_t m = 0; m < job->masters; m++) {
        int32_t along[3] = {0, 0, 0};
        for (int k = 0; k < input->dim; k++)
            along[k] = cell_along(job, k, cell_centre(input, input->dim, job->master[m], k));
        cell[m] = (along[2] * job->cells[1] + along[1]) * job->cells[0] + along[0];
        job->start[cell[m] + 2]++;
    }
    // start[c + 1]: where the next master of cell c goes; in the end start[c] is where the cell begins.
    for (int64_t c = 2; c < cells + 2; c++)
        job->start[c] += job->start[c - 1];
    for (int32_t m = 0; m < job->masters; m++) {
        int32_t row = job->start[cell[m] + 1]++;
        double number[CELL_COLUMNS];
        cell_numbers(input, input->dim, input->ball != NULL, job->master[m], number);
        for (int c = 0; c < job->columns; c++)
            job->column[c][row] = number[c];
        job->item[row] = job->master[m];
    }
    cd_arena_rewind(arena, mark);
}

double cd_cell_least(const cd_broad_input *input, cd_arena *scratch)
{
    cell_job job = {.input = input};
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    ranges slaves, masters;
    part_items(&job, scratch, &slaves, &masters);
    cd_arena_rewind(scratch, mark);
    return slaves.half + masters.half;
}

// Keeps the items whose centres lie in the range grown by the reach, and makes the range of these.
CELL_INLINE int32_t keep_near_as(const cd_broad_input *input, int dim, int32_t *item, int32_t count,
                                 const ranges *other, double reach, ranges *own)
{
    int32_t kept = 0;
    *own = no_range();
    for (int32_t i = 0; i < count; i++) {
        double centre[3];
        bool is_near = true;
        for (int k = 0; k < dim; k++) {
            centre[k] = cell_centre(input, dim, item[i], k);
            is_near &= (centre[k] >= other->low[k] - reach) & (centre[k] <= other->high[k] + reach);
        }
        item[kept] = item[i];
        kept += is_near;
        if (is_near)
            add_to_range(own, dim, centre, 0);
    }
    return kept;
}

static int32_t keep_near(const cd_broad_input *input, int32_t *item, int32_t count, const ranges *other, double reach,
                         ranges *own)
{
    return input->dim == 2 ? keep_near_as(input, 2, item, count, other, reach, own)
                           : keep_near_as(input, 3, item, count, other, reach, own);
}

cell_job cd_cell_prepare(const cd_broad_run *run, bool drops_distant)
{
    cell_job job = {.run = run, .input = run->input};
    ranges slaves, masters;
    part_items(&job, run->arena, &slaves, &masters);
    job.least = slaves.half + masters.half;
    if (drops_distant && job.input->class) {
        double reach = job.least * room;
        job.masters = keep_near(job.input, job.master, job.masters, &slaves, reach, &masters);
        job.slaves = keep_near(job.input, job.slave, job.slaves, &masters, reach, &slaves);
    }
    ranges region = slaves;
    for (int k = 0; k < job.input->dim; k++) {
        region.low[k] = fmin(slaves.low[k], masters.low[k]);
        region.high[k] = fmax(slaves.high[k], masters.high[k]);
    }
    plan_cells(&job, &region);
    fill_cells(&job, run->arena);
    return job;
}

void cd_cell_meet_loose(const cell_job *job)
{
    const cd_broad_input *input = job->input;
    bool *is_loose = CD_ARENA_ZARRAY(job->run->arena, bool, input->count);
    for (int32_t l = 0; l < job->looses; l++)
        is_loose[job->loose[l]] = true;
    for (int32_t l = 0; l < job->looses && !cd_broad_is_full(job->run, 0); l++)
        for (int32_t i = 0, loose = job->loose[l]; i < input->count; i++)
            if (i != loose && !(is_loose[i] && i < loose) && cd_broad_overlaps(input, loose, i))
                cd_broad_emit(input, job->run->pairs, loose, i);
}
