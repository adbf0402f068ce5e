// Puts the boxes of the method `grid` into classes: by size, and where they crowd in a small part of their class's
// range, by place.
// SPDX-License-Identifier: MIT
#include "broad_grid.h"
#include "broad_sample.h"

#include <math.h>

// ---- by size -------------------------------------------------------------------------------------------------------

// Extents within a factor of 4 across the rows and of 16 along them make a class: a level along each axis, counted
// down from the range of all boxes, of at most LEVELS; a class is a triple of levels.
enum { LEVEL_BITS = 4, LEVELS = 1 << LEVEL_BITS, KEYS = 1 << (3 * LEVEL_BITS), SIZE_CLASSES = 20 };
enum { SAMPLES = CD_BROAD_VALUES_MOST };

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
        cd_broad_sort_values(face, samples);
        double half_range = 0.5 * face[samples - 1 - samples / 50] - 0.5 * face[samples / 50];
        if (half_range > 0) {
            product += log(half_range) + log(2);
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

// Levels of the key halved until at most SIZE_CLASSES are in use.
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
        for (int key = 0; key < KEYS && job->classes <= SIZE_CLASSES; key++)
            if (population[key] && number[coarser_key(key, coarsening)] < 0)
                number[coarser_key(key, coarsening)] = job->classes++;
        if (job->classes > SIZE_CLASSES)
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

// The numbers of all classes anew from the class of each box; classes without a box go.
static void measure_classes(grid_job *job)
{
    uint8_t *class_of = job->class_room, number[GRID_MOST_CLASSES];
    int32_t count = job->input->count;
    for (int c = 0; c < job->classes; c++)
        job->class[c] = (grid_class){.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (int32_t i = 0; i < count; i++)
        add_to_class(job, &job->class[class_of[i]], i);
    int used = 0;
    for (int c = 0; c < job->classes; c++) {
        grid_class *class = &job->class[c];
        number[c] = (uint8_t)used;
        if (class->count == 0)
            continue;
        for (int k = 0; k < 3; k++) {
            class->extent_mean[k] /= class->count;
            if (k >= job->input->dim)
                class->low[k] = class->high[k] = 0;
        }
        job->class[used++] = *class;
    }
    for (int32_t i = 0; i < count && used < job->classes; i++)
        class_of[i] = number[class_of[i]];
    job->classes = used;
    job->class_of = class_of;
}

static void sort_into_classes(grid_job *job)
{
    cd_arena *arena = job->run->arena;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    int32_t count = job->input->count;
    sizes s = measure_sizes(job);
    uint16_t *key = CD_ARENA_ARRAY(arena, uint16_t, count);
    int32_t *population = CD_ARENA_ZARRAY(arena, int32_t, KEYS);
    uint8_t *class_of_key = CD_ARENA_ARRAY(arena, uint8_t, KEYS);
    for (int32_t i = 0; i < count; i++)
        population[key[i] = (uint16_t)key_of(job, &s, i)]++;
    number_classes(job, population, class_of_key);
    for (int32_t i = 0; i < count; i++)
        job->class_room[i] = class_of_key[key[i]];
    cd_arena_rewind(arena, mark);
    measure_classes(job);
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
        if (!(statistics->extent_max[job->axis[k]] <= 2 * statistics->extent_mean[job->axis[k]]))
            return false;
    return true;
}

void cd_grid_classify(grid_job *job)
{
    job->class_room = CD_ARENA_ARRAY(job->run->arena, uint8_t, job->input->count);
    if (is_of_like_size(job))
        make_one_class(job);
    else
        sort_into_classes(job);
}

// ---- by place ------------------------------------------------------------------------------------------------------

// Boxes that share a bucket are all compared with one another. Where a box shares its bucket with MANY others on
// average, buckets of more than CROWD boxes leave their class, and those near one another make a new one.
enum { CROWD = 64, MANY = 192 };

typedef struct region {
    int class, into;          // of the boxes, then of those of its crowds
    int32_t low[3], high[3];  // buckets and cells
} region;

// Can narrower cells part the boxes of the class?
static bool can_be_finer(const grid_class *class)
{
    for (int k = 0; k < 3; k++) {
        double half_range = 0.5 * class->high[k] - 0.5 * class->low[k], extent = class->extent_most[k];
        int32_t cells = k == 0 ? class->buckets : class->rows[k];
        if (half_range / cells > 4 * extent)
            return true;
    }
    return false;
}

// The region of a crowd: one that it touches, else a new one, else none (NULL).
static region *region_of(grid_job *job, region *regions, int *count, int class, const int32_t cell[3])
{
    const int32_t near[3] = {1 + job->class[class].buckets / 32, 1, 1};
    for (int r = 0; r < *count; r++) {
        region *one = &regions[r];
        bool is_near = one->class == class;
        for (int k = 0; k < 3; k++)
            is_near = is_near && cell[k] >= one->low[k] - near[k] && cell[k] <= one->high[k] + near[k];
        if (!is_near)
            continue;
        for (int k = 0; k < 3; k++) {
            one->low[k] = cell[k] < one->low[k] ? cell[k] : one->low[k];
            one->high[k] = cell[k] > one->high[k] ? cell[k] : one->high[k];
        }
        return one;
    }
    if (job->classes == GRID_MOST_CLASSES)
        return NULL;
    regions[*count] = (region){class, job->classes++, {cell[0], cell[1], cell[2]}, {cell[0], cell[1], cell[2]}};
    return &regions[(*count)++];
}

// Moves the boxes begin .. end-1 of a bucket to another class, but for those much larger than the others, which would
// keep the cells of that class wide.
static int32_t move_crowd(grid_job *job, int32_t begin, int32_t end, int into)
{
    int dim = job->input->dim;
    double most[3] = {0, 0, 0};
    for (int32_t p = begin; p < end; p++)
        for (int k = 0; k < dim; k++)
            most[k] += 4 * half_extent(job, k, job->item[p]) / (end - begin);
    int32_t moved = 0;
    for (int32_t p = begin; p < end; p++) {
        bool is_like = true;
        for (int k = 0; k < dim; k++)
            is_like = is_like && half_extent(job, k, job->item[p]) <= most[k];
        if (is_like)
            job->class_room[job->item[p]] = (uint8_t)into;
        moved += is_like;
    }
    return moved;
}

bool cd_grid_split_crowds(grid_job *job)
{
    int64_t crowding = 0, moved = 0;
    for (int w = 0; w < job->builders; w++)
        crowding += job->crowding[w];
    if (crowding <= (int64_t)MANY * job->input->count)
        return false;
    if (!job->class_of)
        memset(job->class_room, 0, (size_t)job->input->count);
    region regions[GRID_MOST_CLASSES];
    int regions_found = 0, classes = job->classes;
    for (int c = 0; c < classes; c++) {
        const grid_class *class = &job->class[c];
        if (!can_be_finer(class))
            continue;
        const int32_t *start = job->start + class->first_cell;
        for (int32_t row = 0; row < class->rows[1] * class->rows[2]; row++, start += class->buckets + 1)
            for (int32_t b = 0; b < class->buckets; b++) {
                if (start[b + 1] - start[b] <= CROWD)
                    continue;
                const int32_t cell[3] = {b, row % class->rows[1], row / class->rows[1]};
                const region *into = region_of(job, regions, &regions_found, c, cell);
                moved += into ? move_crowd(job, start[b], start[b + 1], into->into) : 0;
            }
    }
    if (moved)
        measure_classes(job);
    else
        job->classes = classes;
    return moved > 0;
}
