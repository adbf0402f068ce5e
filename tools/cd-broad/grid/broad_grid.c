// The method `grid`: rows of cells, buckets along them, and windows of a row compared by the vector. What a class, a
// row and a bucket are is said in broad_grid.h; here the grid of each class is planned.
//
// Cost: O(n + k) for boxes of like size that lie evenly; a row visited costs about as much as one vector step, so cells
// are wide (three to four extents with AVX-512) and few. Crowds in a small part of the range become classes of their
// own. Where time must grow faster: many more crowds of different places than classes, each of them in one cell; and
// thousands of boxes that each cover thousands of rows of another class without meeting its boxes.
//
// Measured with 1e6 boxes, 4.9e6 pairs, AVX-512 at 4.1 GHz, in ms: statistics 1.7, rows counted 1.9, records scattered
// 5.0, rows laid out 4.0, windows compared 18.7 (AVX2 26, portable 44). The last began at 35 with a column for each
// face; both faces in one word made it 28, ties settled together 26, rows listed by the vector 22, cells of four
// extents instead of three and a half 19. With 57 x 57 rows instead of 22 x 25 it takes twice as long.
// SPDX-License-Identifier: MIT
#include "broad_grid.h"

#include <math.h>

// ---- the grid of a class -------------------------------------------------------------------------------------------

// The constants are fitted to times of uniform boxes over the number of rows; the optimum is flat, +-20 % in the width
// of a cell costs 3 %.
typedef struct cost_model {
    double lanes;  // boxes compared in a step
    double visit;  // [steps] what a window costs beside its steps
    double row;    // [steps] what a row costs beside its windows
} cost_model;

static cost_model costs_of(cd_vector_level level)
{
    return level == CD_VECTOR_AVX512 ? (cost_model){32, 1.2, 30}
           : level == CD_VECTOR_AVX2 ? (cost_model){16, 0.8, 40}
                                     : (cost_model){4, 3, 60};
}

static double share_of(double part, double range) { return range > 0 && part < range ? part / range : 1; }

static double steps_for(const cost_model *model, double boxes)
{
    double steps = (boxes + sqrt(boxes)) / model->lanes + 0.3;
    return model->visit + (steps > 1 ? steps : 1);
}

static int32_t buckets_for(const grid_class *class, double rows)
{
    double half_range = 0.5 * class->high[0] - 0.5 * class->low[0];
    double buckets = 4 / share_of(class->extent_mean[0], half_range), most = class->count / rows;
    buckets = buckets < most ? buckets : most;
    return (int32_t)(buckets < 1 ? 1 : buckets < GRID_POINTS ? buckets : GRID_POINTS);
}

// Steps for a box in the grid of its class, if the boxes lie evenly.
static double cost_of(const grid_class *class, const cost_model *model)
{
    double visited = 1, rows = (double)class->rows[1] * class->rows[2];
    for (int k = 1; k < 3; k++) {
        double half_range = 0.5 * class->high[k] - 0.5 * class->low[k];
        double covered = 1 + share_of(class->extent_mean[k] + class->extent_most[k], half_range) * class->rows[k];
        visited *= covered < class->rows[k] ? covered : class->rows[k];
    }
    double window =
        share_of(class->extent_mean[0], 0.5 * class->high[0] - 0.5 * class->low[0]) + 1.0 / buckets_for(class, rows);
    double boxes = class->count / rows * (window < 1 ? window : 1);
    return visited * steps_for(model, boxes) + model->row * rows / class->count;
}

// Steps for the boxes of one class in the grid of another.
static double cost_between(const grid_class *from, const grid_class *into, const cost_model *model)
{
    double visited = 1;
    for (int k = 1; k < 3; k++) {
        double half_range = 0.5 * into->high[k] - 0.5 * into->low[k];
        visited *= 1 + share_of(from->extent_mean[k] + into->extent_most[k], half_range) * into->rows[k];
    }
    double window = share_of(from->extent_mean[0] + into->extent_most[0], 0.5 * into->high[0] - 0.5 * into->low[0]);
    double boxes = into->count / ((double)into->rows[1] * into->rows[2]) * window;
    return from->count * visited * steps_for(model, boxes);
}

// Is the range wider than any double? Then all faces farther from its low end than DBL_MAX are one lattice point, and
// an extent on the lattice tells nothing: there is one cell, and reach is the whole range.
static bool is_beyond_doubles(const grid_class *class, int k) { return isinf(class->high[k] - class->low[k]); }

// Most cells along a row axis: each at least as wide as the greatest extent, with room for rounding.
static int32_t most_rows(const grid_class *class, int k)
{
    enum { MOST = 8192 };
    double half_range = 0.5 * class->high[k] - 0.5 * class->low[k], extent = 1.001 * class->extent_most[k];
    if (!(half_range > 0) || is_beyond_doubles(class, k))
        return 1;
    double cells = extent * MOST > half_range ? half_range / extent : MOST;
    return cells < 1 ? 1 : (int32_t)cells;
}

// Most rows of a class: of 64 boxes each, and so many that places, with the padding of all rows, are below 2^31.
// That is less from 1.4e9 boxes on; it cannot be kept for the last thousand counts of boxes below 2^31.
static int32_t most_rows_in_all(const grid_job *job, const grid_class *class)
{
    int32_t most = class->count / 64, left = (INT32_MAX - job->input->count) / (GRID_PADDING * GRID_MOST_CLASSES) - 2;
    return 1 + (most < left ? most : left > 0 ? left : 0);
}

static int32_t next_trial(int32_t rows) { return rows + 1 + rows / 8; }

// All boxes of classes of larger boxes as one class: they may look for theirs in the grid of this one.
static grid_class larger_boxes(const grid_job *job, const grid_class *class)
{
    grid_class larger = {.count = 0};
    for (int c = 0; c < job->classes; c++) {
        const grid_class *other = &job->class[c];
        double excess = other->extent_mean[1] + other->extent_mean[2] - class->extent_mean[1] - class->extent_mean[2];
        if (other == class || excess < 0)
            continue;
        larger.count += other->count;
        for (int k = 0; k < 3; k++)
            larger.extent_mean[k] += (other->extent_mean[k] - larger.extent_mean[k]) * other->count / larger.count;
    }
    return larger;
}

static void choose_rows(const grid_job *job, grid_class *class)
{
    const cd_broad_tuning *tuning = &job->run->tuning;
    cost_model model = costs_of(tuning->vector);
    int32_t most[3] = {1, most_rows(class, 1), most_rows(class, 2)}, most_in_all = most_rows_in_all(job, class);
    double least = INFINITY;
    class->rows[0] = class->rows[1] = class->rows[2] = 1;
    if (!isnan(tuning->cell)) {
        for (int k = 1; k < 3; k++) {
            double cells = ceil((0.5 * class->high[k] - 0.5 * class->low[k]) / (0.5 * tuning->cell));
            class->rows[k] = cells < 1 ? 1 : cells < most[k] ? (int32_t)cells : most[k];
        }
        while ((int64_t) class->rows[1] * class->rows[2] > most_in_all)
            class->rows[class->rows[1] > class->rows[2] ? 1 : 2] /= 2;
        return;
    }
    const grid_class larger = larger_boxes(job, class);
    grid_class trial = *class;
    for (int32_t z = 1; z <= most[2] && z <= most_in_all; z = next_trial(z))
        for (int32_t y = 1; y <= most[1] && y <= most_in_all / z; y = next_trial(y)) {
            trial.rows[1] = y;
            trial.rows[2] = z;
            double cost = class->count * cost_of(&trial, &model);
            if (larger.count)
                cost += cost_between(&larger, &trial, &model);
            if (cost < least) {
                least = cost;
                class->rows[1] = y;
                class->rows[2] = z;
            }
        }
}

static void plan_rounds(const grid_job *job, grid_class *class)
{
    double square = 0, unit = 0;
    for (int k = 0; k < job->input->dim; k++)
        unit = class->extent_most[k] > unit ? class->extent_most[k] : unit;
    class->unit = unit;
    for (int k = 0; k < 3; k++) {
        double pitch = k < job->input->dim ? 0.5 / (class->scale[k] * unit) : 0;
        class->pitch[k] = (float)pitch;
        square += pitch * pitch;
    }
    class->doubt = (float)(3.01 * sqrt(square));  // truncated and clamped faces: three lattice points along each axis
    class->is_round = class->reach[0] < GRID_CELL && unit > 0 && class->doubt < 1;
}

static void plan_grid(grid_job *job, grid_class *class)
{
    choose_rows(job, class);
    class->buckets = buckets_for(class, (double)class->rows[1] * class->rows[2]);
    for (int k = 0; k < 3; k++) {
        double half_range = 0.5 * class->high[k] - 0.5 * class->low[k];
        double points = k == 0 ? GRID_POINTS : (double)GRID_CELL * class->rows[k];
        double scale = half_range > 0 ? 0.5 * points / half_range : 1;
        class->scale[k] = scale < 1e300 ? scale : 1e300;
        class->top[k] = points - 1;
        double reach = 2 * class->extent_most[k] * class->scale[k] + 2;
        class->reach[k] = (int32_t)(reach < points && !is_beyond_doubles(class, k) ? reach : points);
    }
    plan_rounds(job, class);
    class->first_row = job->rows;
    class->first_cell = job->cells;
    job->rows += class->rows[1] * class->rows[2];
    job->cells += class->rows[1] * class->rows[2] * (class->buckets + 1);
}

static void plan_grids(grid_job *job)
{
    job->rows = job->cells = 0;
    for (int c = 0; c < job->classes; c++)
        plan_grid(job, &job->class[c]);
}

static bool are_apart(const grid_class *one, const grid_class *other, int dim)
{
    for (int k = 0; k < dim; k++)
        if (one->low[k] > other->high[k] || other->low[k] > one->high[k])
            return true;
    return false;
}

static void plan_targets(grid_job *job)
{
    cost_model model = costs_of(job->run->tuning.vector);
    for (int a = 0; a < job->classes; a++)
        for (int b = 0; b < a; b++) {
            grid_class *one = &job->class[a], *other = &job->class[b];
            if (are_apart(one, other, job->input->dim))
                continue;
            if (cost_between(one, other, &model) <= cost_between(other, one, &model))
                one->target[one->targets++] = b;
            else
                other->target[other->targets++] = a;
        }
}

// ---- the method ----------------------------------------------------------------------------------------------------

// Rows run along the axis with the fewest extents in the range: there the lattice is finest beside the boxes.
static void choose_axes(grid_job *job)
{
    const cd_broad_statistics *statistics = job->run->statistics;
    double least = INFINITY;
    int along = 0;
    for (int axis = 0; axis < job->input->dim; axis++) {
        double range = 0.5 * statistics->high[axis] - 0.5 * statistics->low[axis];
        double fit = range / (0.5 * statistics->extent_mean[axis] + 1e-9 * range);
        if (fit < least) {
            least = fit;
            along = axis;
        }
    }
    int dim = job->input->dim;
    job->axis[0] = along;
    job->axis[1] = (along + 1) % dim;
    job->axis[2] = dim == 3 ? (along + 2) % dim : 2;
}

// [mask] the lanes in the mask.
static const grid_lanes *compress_table(cd_arena *arena)
{
    grid_lanes *table = cd_arena_zalloc(arena, 256 * sizeof *table);
    for (int mask = 0; mask < 256; mask++)
        for (int lane = 0, hits = 0; lane < 8; lane++)
            if (mask >> lane & 1)
                table[mask][hits++] = (uint8_t)lane;
    return (const grid_lanes *)table;
}

static const grid_lanes *paired_table(cd_arena *arena, const grid_lanes *compress)
{
    grid_lanes *table = cd_arena_zalloc(arena, 512 * sizeof *table);
    for (int mask = 0; mask < 256; mask++)
        for (int lane = 0; lane < 8; lane++) {
            table[mask][lane] = compress[mask][lane / 2];
            table[256 + mask][lane] = compress[mask][4 + lane / 2];
        }
    return (const grid_lanes *)table;
}

grid_job cd_grid_prepare(const cd_broad_run *run)
{
    enum { BOXES_PER_THREAD = 4000, MOST_ROUNDS = 8 };
    grid_job job = {.run = run, .input = run->input};
    job.threads = cd_threads_for(run->tuning.threads, run->input->count, BOXES_PER_THREAD);
    job.has_rounds = run->input->ball && run->tuning.vector >= CD_VECTOR_AVX2;
    choose_axes(&job);
    cd_grid_classify(&job);
    cd_arena_mark mark = cd_arena_get_mark(run->arena);
    for (int round = 0; round == 0 || (round < MOST_ROUNDS && cd_grid_split_crowds(&job)); round++) {
        job.splits = round;
        cd_arena_rewind(run->arena, mark);
        plan_grids(&job);
        cd_grid_plan_snug(&job);
        cd_grid_build(&job);
    }
    plan_targets(&job);
    job.next = 0;
    return job;
}

static void find(const cd_broad_run *run)
{
    if (run->input->count < 2)
        return;
    grid_job job = cd_grid_prepare(run);
    void (*scan)(void *, int) = cd_grid_scan_portable;
#if defined(__x86_64__)
    if (run->tuning.vector == CD_VECTOR_AVX2) {
        job.compress = compress_table(run->arena);
        job.paired = paired_table(run->arena, job.compress);
        scan = cd_grid_scan_avx2;
    } else if (run->tuning.vector == CD_VECTOR_AVX512)
        scan = cd_grid_scan_avx512;
#endif
    cd_threads_run(job.threads, scan, &job);
}

const cd_broad_method cd_broad_grid = {"grid",
                                       "rows of cells, windows of a row compared by the vector; for boxes of like size",
                                       "O(n + k) for boxes that lie evenly",
                                       "34, with balls 50 (16 more at most, when rows have 64 boxes)",
                                       "linked cells: Hockney and Eastwood, Computer Simulation Using Particles, 1981",
                                       find,
                                       NULL,
                                       NULL,
                                       true};
