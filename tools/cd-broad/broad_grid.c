// The method `grid`: rows of cells, buckets along them, and windows of a row compared by the vector. What a class, a
// row and a bucket are is said in broad_grid.h; here boxes are put into classes and the grid of each class is planned.
//
// Cost: O(n + k) for boxes of like size that lie evenly; a row visited costs about as much as one vector step, so cells
// are wide (three to four extents with AVX-512) and few. Where it cannot: boxes of one class that crowd in a small part
// of their class's range share few rows and buckets, which ends in comparing all of them with all.
// SPDX-License-Identifier: MIT
#include "broad_grid.h"

#include <math.h>
#include <stdlib.h>

// ---- classes ---------------------------------------------------------------------------------------------------

// Extents within a factor of 4 across the rows and of 16 along them make a class: a level along each axis, counted
// down from the range of all boxes, of at most LEVELS; a class is a triple of levels.
enum { LEVEL_BITS = 4, LEVELS = 1 << LEVEL_BITS, KEYS = 1 << (3 * LEVEL_BITS), SAMPLES = 1024 };

typedef struct sizes {
    int top[3];      // exponent of the range
    int deepest[3];  // level: boxes smaller than that do not gain from a finer grid
} sizes;

static inline int exponent(double positive)
{
    uint64_t bits;
    memcpy(&bits, &positive, sizeof bits);
    return (int)(bits >> 52 & 0x7ff);
}

// Half the extent: finite whatever the faces.
static inline double half_extent(const grid_job *job, int k, int32_t item)
{
    const cd_broad_input *input = job->input;
    int axis = job->axis[k];
    int64_t at = (int64_t)input->dim * item + axis;
    return 0.5 * cd_broad_finite(job->run->statistics, axis, input->max[at]) -
           0.5 * cd_broad_finite(job->run->statistics, axis, input->min[at]);
}

static inline double lower_face(const grid_job *job, int k, int32_t item)
{
    int axis = job->axis[k];
    return cd_broad_finite(job->run->statistics, axis, job->input->min[(int64_t)job->input->dim * item + axis]);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// The distance at which boxes would lie if they were spread evenly over where most of them are: the range between the
// 2nd and the 98th of a hundred lower faces of a sample, along each axis.
static double typical_spacing(const grid_job *job)
{
    int32_t count = job->input->count, samples = count < SAMPLES ? count : SAMPLES;
    double face[SAMPLES], product = 0;
    int axes = 0;
    for (int k = 0; k < job->input->dim; k++) {
        for (int32_t s = 0; s < samples; s++)
            face[s] = lower_face(job, k, (int32_t)((int64_t)s * count / samples));
        qsort(face, (size_t)samples, sizeof *face, by_value);
        double range = face[samples - 1 - samples / 50] - face[samples / 50];
        if (range > 0) {
            product += log(range);
            axes++;
        }
    }
    return axes ? exp((product - log(count)) / axes) : 0;
}

static sizes measure_sizes(const grid_job *job)
{
    const cd_broad_statistics *statistics = job->run->statistics;
    sizes s = {{0}, {0}};
    double spacing = typical_spacing(job);
    for (int k = 0; k < job->input->dim; k++) {
        int axis = job->axis[k], floor_exponent = exponent(spacing / 32);
        s.top[k] = exponent(0.5 * statistics->high[axis] - 0.5 * statistics->low[axis]);
        int levels = (s.top[k] - floor_exponent) >> (k == 0 ? 2 : 1);
        s.deepest[k] = levels < 0 ? 0 : levels < LEVELS ? levels : LEVELS - 1;
    }
    return s;
}

static inline int key_of(const grid_job *job, const sizes *s, int32_t item)
{
    int key = 0;
    for (int k = 0; k < job->input->dim; k++) {
        int level = (s->top[k] - exponent(half_extent(job, k, item))) >> (k == 0 ? 2 : 1);
        key = key << LEVEL_BITS | (level < s->deepest[k] ? level : s->deepest[k]);
    }
    return key;
}

// Levels of the key halved until at most GRID_MOST_CLASSES are in use.
static int coarser_key(int key, int coarsening)
{
    int result = 0;
    for (int k = 0; k < 3; k++)
        result |= ((key >> (k * LEVEL_BITS) & (LEVELS - 1)) >> coarsening) << (k * LEVEL_BITS);
    return result;
}

// [KEYS] the class of a key.
static void number_classes(grid_job *job, const int32_t *population, uint8_t *class_of_key)
{
    int number[KEYS];
    for (int coarsening = 0;; coarsening++) {
        memset(number, -1, sizeof number);
        job->classes = 0;
        for (int key = 0; key < KEYS && job->classes <= GRID_MOST_CLASSES; key++)
            if (population[key] && number[coarser_key(key, coarsening)] < 0)
                number[coarser_key(key, coarsening)] = job->classes++;
        if (job->classes > GRID_MOST_CLASSES)
            continue;
        for (int key = 0; key < KEYS; key++)
            class_of_key[key] = (uint8_t)(population[key] ? number[coarser_key(key, coarsening)] : 0);
        return;
    }
}

static void add_to_class(const grid_job *job, grid_class *class, int32_t item)
{
    class->count++;
    for (int k = 0; k < job->input->dim; k++) {
        double low = lower_face(job, k, item), half = half_extent(job, k, item);
        double high = cd_broad_finite(job->run->statistics, job->axis[k],
                                      job->input->max[(int64_t)job->input->dim * item + job->axis[k]]);
        class->low[k] = low < class->low[k] ? low : class->low[k];
        class->high[k] = high > class->high[k] ? high : class->high[k];
        class->extent_mean[k] += half;
        class->extent_most[k] = half > class->extent_most[k] ? half : class->extent_most[k];
    }
}

static void sort_into_classes(grid_job *job)
{
    cd_arena *arena = job->run->arena;
    int32_t count = job->input->count;
    sizes s = measure_sizes(job);
    uint16_t *key = CD_ARENA_ARRAY(arena, uint16_t, count);
    int32_t *population = CD_ARENA_ZARRAY(arena, int32_t, KEYS);
    uint8_t *class_of_key = CD_ARENA_ARRAY(arena, uint8_t, KEYS), *class_of = CD_ARENA_ARRAY(arena, uint8_t, count);
    for (int32_t i = 0; i < count; i++)
        population[key[i] = (uint16_t)key_of(job, &s, i)]++;
    number_classes(job, population, class_of_key);
    for (int c = 0; c < job->classes; c++)
        job->class[c] = (grid_class){.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t i = 0; i < count; i++) {
        class_of[i] = class_of_key[key[i]];
        add_to_class(job, &job->class[class_of[i]], i);
    }
    for (int c = 0; c < job->classes; c++)
        for (int k = 0; k < 3; k++)
            job->class[c].extent_mean[k] /= job->class[c].count;
    job->class_of = class_of;
}

// All boxes in one class, of which the statistics tell all.
static void make_one_class(grid_job *job)
{
    const cd_broad_statistics *statistics = job->run->statistics;
    grid_class *class = &job->class[0];
    *class = (grid_class){.count = job->input->count};
    for (int k = 0; k < job->input->dim; k++) {
        class->low[k] = statistics->low[job->axis[k]];
        class->high[k] = statistics->high[job->axis[k]];
        class->extent_mean[k] = 0.5 * statistics->extent_mean[job->axis[k]];
        class->extent_most[k] = 0.5 * statistics->extent_max[job->axis[k]];
    }
    job->classes = 1;
    job->class_of = NULL;
}

static bool is_of_like_size(const grid_job *job)
{
    const cd_broad_statistics *statistics = job->run->statistics;
    if (statistics->unbounded)
        return false;
    for (int k = 1; k < job->input->dim; k++)
        if (!(statistics->extent_max[job->axis[k]] <= 4 * statistics->extent_mean[job->axis[k]]))
            return false;
    return true;
}

// ---- the grid of a class ---------------------------------------------------------------------------------------

typedef struct cost_model {
    double lanes;  // boxes compared in a step
    double visit;  // [steps] what a window costs beside its steps
    double row;    // [steps] what a row costs beside its windows
} cost_model;

static cost_model costs_of(cd_vector_level level)
{
    return level == CD_VECTOR_AVX512 ? (cost_model){32, 0.8, 30} : level == CD_VECTOR_AVX2 ? (cost_model){16, 0.8, 40}
                                                                                             : (cost_model){8, 0.5, 40};
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

// Steps for a box in a grid of so many cells across, if the boxes lie evenly.
static double cost_of(const grid_class *class, const cost_model *model, int32_t rows_y, int32_t rows_z)
{
    double visited = 1, rows = (double)rows_y * rows_z;
    for (int k = 1; k < 3; k++) {
        double half_range = 0.5 * class->high[k] - 0.5 * class->low[k];
        int32_t cells = k == 1 ? rows_y : rows_z;
        double covered = 1 + share_of(class->extent_mean[k] + class->extent_most[k], half_range) * cells;
        visited *= covered < cells ? covered : cells;
    }
    double window = share_of(class->extent_mean[0], 0.5 * class->high[0] - 0.5 * class->low[0]) +
                    1.0 / buckets_for(class, rows);
    return visited * steps_for(model, class->count / rows * (window < 1 ? window : 1)) + model->row * rows / class->count;
}

// Most cells along a row axis: each at least as wide as the greatest extent, with room for rounding.
static int32_t most_rows(const grid_class *class, int k)
{
    enum { MOST = 8192 };
    double half_range = 0.5 * class->high[k] - 0.5 * class->low[k], extent = 1.001 * class->extent_most[k];
    if (!(half_range > 0))
        return 1;
    double cells = extent * MOST > half_range ? half_range / extent : MOST;
    return cells < 1 ? 1 : (int32_t)cells;
}

static int32_t next_trial(int32_t rows) { return rows + 1 + rows / 8; }

static void choose_rows(grid_class *class, const cd_broad_tuning *tuning)
{
    cost_model model = costs_of(tuning->vector);
    int32_t most[3] = {1, most_rows(class, 1), most_rows(class, 2)}, most_in_all = 1 + class->count / 64;
    double least = INFINITY;
    class->rows[0] = class->rows[1] = class->rows[2] = 1;
    if (!isnan(tuning->cell)) {
        for (int k = 1; k < 3; k++) {
            double cells = ceil((0.5 * class->high[k] - 0.5 * class->low[k]) / (0.5 * tuning->cell));
            class->rows[k] = cells < 1 ? 1 : cells < most[k] ? (int32_t)cells : most[k];
        }
        while ((int64_t)class->rows[1] * class->rows[2] > most_in_all)
            class->rows[class->rows[1] > class->rows[2] ? 1 : 2] /= 2;
        return;
    }
    for (int32_t z = 1; z <= most[2] && z <= most_in_all; z = next_trial(z))
        for (int32_t y = 1; y <= most[1] && y <= most_in_all / z; y = next_trial(y)) {
            double cost = cost_of(class, &model, y, z);
            if (cost < least) {
                least = cost;
                class->rows[1] = y;
                class->rows[2] = z;
            }
        }
}

static void plan_grid(grid_job *job, grid_class *class)
{
    choose_rows(class, &job->run->tuning);
    class->buckets = buckets_for(class, (double)class->rows[1] * class->rows[2]);
    for (int k = 0; k < 3; k++) {
        double half_range = 0.5 * class->high[k] - 0.5 * class->low[k];
        double points = k == 0 ? GRID_POINTS : (double)GRID_CELL * class->rows[k];
        double scale = half_range > 0 ? 0.5 * points / half_range : 1;
        class->scale[k] = scale < 1e300 ? scale : 1e300;
        class->top[k] = points - 1;
        double reach = 2 * class->extent_most[k] * class->scale[k] + 2;
        class->reach[k] = (int32_t)(reach < points ? reach : points);
    }
    class->first_row = job->rows;
    class->first_cell = job->cells;
    job->rows += class->rows[1] * class->rows[2];
    job->cells += class->rows[1] * class->rows[2] * (class->buckets + 1);
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

// ---- the method ------------------------------------------------------------------------------------------------

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

// [mask] the lanes in the mask, first to last.
static const uint8_t (*compress_table(cd_arena *arena))[8]
{
    uint8_t(*table)[8] = cd_arena_zalloc(arena, 256 * sizeof *table);
    for (int mask = 0; mask < 256; mask++)
        for (int lane = 0, hits = 0; lane < 8; lane++)
            if (mask >> lane & 1)
                table[mask][hits++] = (uint8_t)lane;
    return (const uint8_t(*)[8])table;
}

static void find(const cd_broad_run *run)
{
    enum { BOXES_PER_THREAD = 4000 };
    if (run->input->count < 2)
        return;
    grid_job job = {.run = run, .input = run->input};
    job.threads = cd_threads_for(run->tuning.threads, run->input->count, BOXES_PER_THREAD);
    choose_axes(&job);
    if (is_of_like_size(&job))
        make_one_class(&job);
    else
        sort_into_classes(&job);
    for (int c = 0; c < job.classes; c++)
        plan_grid(&job, &job.class[c]);
    plan_targets(&job);
    cd_grid_build(&job);
    job.next = 0;
    void (*scan)(void *, int) = cd_grid_scan_portable;
#if defined(__x86_64__)
    if (run->tuning.vector == CD_VECTOR_AVX2) {
        job.compress = compress_table(run->arena);
        scan = cd_grid_scan_avx2;
    } else if (run->tuning.vector == CD_VECTOR_AVX512)
        scan = cd_grid_scan_avx512;
#endif
    cd_threads_run(job.threads, scan, &job);
}

const cd_broad_method cd_broad_grid = {"grid",
                                       "rows of cells, windows of a row compared by the vector; for boxes of like size",
                                       "O(n + k) for boxes that lie evenly",
                                       "45",
                                       "Hockney and Eastwood, Computer Simulation Using Particles, 1981, section 8.4 (linked cells)",
                                       find,
                                       NULL};
