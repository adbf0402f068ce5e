// Spatial hashing: space is divided into cubes, the cube of each cell that a box covers is hashed to a bucket, and the
// boxes of a bucket are compared with each other.
//
// A box is in the buckets of the cells that it covers, at most CELLS_MOST: one that would cover more is on a level of
// cells four times as wide, or sixteen times, and so on. Boxes meet those of their own level bucket by bucket; of
// coarser levels a box looks at the few cells that it covers there; finer ones come to it. So a box of any size costs
// a bounded number of cells, and lengthens no list but those of its size.
// The hash folds space: cell (x, y, z) has the bucket (x mod a, y mod b, z mod c), powers of 2 not less than twice
// SPAN_MOST or than the scene is wide. Neighbours lie side by side, and the cells of two boxes that overlap, less than
// twice SPAN_MOST apart, have buckets of their own. So a pair is reported once: in the bucket of the cell of the lower
// corner of its intersection, where on each axis one of the two begins. Boxes of one bucket that are from different
// cells cost comparisons, never pairs.
// Boxes are copied in the order of their first cell, so that boxes of a bucket lie together; the buckets' lists are
// rows of one array, made by a counting sort.
// SPDX-License-Identifier: MIT
#include "broad_faces.h"
#include "broad_hash3d.h"
#include "broad_sample.h"

#include "cd_assert.h"

enum {
    LEVELS_MOST = 17,  // 4^16 > 2^30: cells of the last hold the scene
    CELLS_MOST = 27,   // of a box on its level
    SPAN_MOST = 8,     // of them along an axis
    ENTRIES_MEAN = 5,  // cells that a box covers, in the mean: measured best of 3 to 8 for boxes of one size
    ENTRIES_LIMIT = 6,
};

typedef struct hash_level {
    double scale[3];        // [1/m] of halved coordinates: cell number = (face / 2 - base) scale
    int bits[3];            // the fold has 2^bits cells along an axis
    uint32_t first_bucket;  // of the level's in the table
    int64_t count;          // of its boxes
} hash_level;

typedef struct hash_box {
    double min[3], max[3];  // [m] axis 2 of a plane problem: 0
} hash_box;

typedef struct hash_cells {
    int32_t low[3], high[3];
} hash_cells;

typedef struct hash_table {
    const cd_broad_run *run;
    cd_hash_meet *meet;
    double low[3], high[3];  // [m] the scene's window (broad_sample.h)
    double base[3];          // [m] half of its lower corner
    hash_level level[LEVELS_MOST];
    int levels;
    hash_box *box;     // [count] in the order of their first buckets
    int32_t *item;     // [count] the boxes' items
    uint32_t buckets;  // of all levels
    uint32_t *first;   // [buckets + 1]: entries of a bucket
    int64_t entries;
    int32_t *entry;  // [entries] rows of `box`
} hash_table;

// ---- cells ---------------------------------------------------------------------------------------------------------

// Faces outside the scene's window count as its ends.
static inline int32_t cell_of(const hash_table *table, const hash_level *level, int k, double face)
{
    double inside = face < table->low[k] ? table->low[k] : face > table->high[k] ? table->high[k] : face;
    return (int32_t)((inside / 2 - table->base[k]) * level->scale[k]);
}

static inline hash_cells cells_of(const hash_table *table, const hash_level *level, const hash_box *box)
{
    hash_cells cells;
    for (int k = 0; k < 3; k++) {
        cells.low[k] = cell_of(table, level, k, box->min[k]);
        cells.high[k] = cell_of(table, level, k, box->max[k]);
    }
    return cells;
}

static inline hash_box box_of(const cd_broad_input *input, int32_t item)
{
    const double *min = input->min + (int64_t)input->dim * item, *max = input->max + (int64_t)input->dim * item;
    bool is_plane = input->dim == 2;
    return (hash_box){{min[0], min[1], is_plane ? 0 : min[2]}, {max[0], max[1], is_plane ? 0 : max[2]}};
}

// How many, or more than CELLS_MOST when a box may not be on this level.
static int32_t cell_count(const hash_cells *cells)
{
    int64_t count = 1;
    for (int k = 0; k < 3; k++) {
        int64_t span = (int64_t)cells->high[k] - cells->low[k] + 1;
        if (span > SPAN_MOST)
            return CELLS_MOST + 1;
        count *= span;
    }
    return (int32_t)count;
}

// The box's level, the finest that it may be on, and its cells there.
static inline int level_of(const hash_table *table, const hash_box *box, hash_cells *cells)
{
    int level = 0;
    for (;; level++) {
        *cells = cells_of(table, &table->level[level], box);
        if (level == table->levels - 1 || cell_count(cells) <= CELLS_MOST)
            return level;
    }
}

// Levels whose finest cells are `size` units wide, half of each, but not below 2^-30 of the scene, where cell numbers
// end.
static void set_levels(hash_table *table, const double unit[3], double size)
{
    table->levels = 0;
    for (double wide = size;; wide *= 4) {
        hash_level *level = &table->level[table->levels++];
        *level = (hash_level){.count = 0};
        bool is_scene = true;
        for (int k = 0; k < 3; k++) {
            double range = table->high[k] / 2 - table->base[k], edge = fmax(wide * unit[k], range * 0x1p-30);
            level->scale[k] = edge > 1e-290 ? 1 / edge : 0;
            is_scene &= edge >= range;
        }
        if (is_scene || table->levels == LEVELS_MOST)
            return;
    }
}

// Entries a box, of every stride-th; counts boxes by level and entries.
static double entries_mean(hash_table *table, int32_t stride)
{
    const cd_broad_input *input = table->run->input;
    int64_t boxes = 0;
    table->entries = 0;
    for (int64_t i = 0; i < input->count; i += stride, boxes++) {
        hash_cells cells;
        hash_box box = box_of(input, (int32_t)i);
        table->level[level_of(table, &box, &cells)].count++;
        table->entries += cell_count(&cells);
    }
    return (double)table->entries / (double)boxes;
}

// Cells of the shape of the median box, so small that boxes cover ENTRIES_MEAN of them, or cubes as asked for; but
// never so small that boxes cover more than ENTRIES_LIMIT.
static void choose_levels(hash_table *table, const cd_broad_sample *sample)
{
    enum { SAMPLE = 1000 };
    const cd_broad_statistics *s = table->run->statistics;
    double cell = table->run->tuning.cell, unit[3], scene = 0, widest = 0;
    for (int k = 0; k < 3; k++) {
        double range = table->high[k] / 2 - table->base[k];
        unit[k] = cell > 0 ? 1 : fmax(sample->extent[k] / 2, range * 0x1p-20);
        scene = unit[k] > 0 ? fmax(scene, range / unit[k]) : scene;
        widest = unit[k] > 0 ? fmax(widest, fmin(s->extent_max[k] / 2, range) / unit[k]) : widest;
    }
    double size = fmin(fmax(cell > 0 ? cell / 2 : widest, scene * 0x1p-30), scene);
    for (double finer = size; !(cell > 0) && finer >= scene * 0x1p-30 && finer > 0; finer /= 1.25) {
        set_levels(table, unit, finer);
        if (entries_mean(table, table->run->input->count / SAMPLE + 1) > ENTRIES_MEAN)
            break;
        size = finer;
    }
    set_levels(table, unit, size);
    while (entries_mean(table, 1) > ENTRIES_LIMIT && size < scene) {
        size *= 1.5;
        set_levels(table, unit, size);
    }
}

// ---- table ---------------------------------------------------------------------------------------------------------

// As many buckets as boxes, or half: a fold no wider than the scene along each axis, nor narrower than a box may be.
static void choose_fold(const hash_table *table, hash_level *level)
{
    enum { LEAST_BITS = 4 };  // 2 SPAN_MOST
    for (int k = 0; k < 3; k++) {
        double cells = (table->high[k] / 2 - table->base[k]) * level->scale[k] + 1;
        level->bits[k] = 0;
        while (ldexp(1, level->bits[k]) < cells)
            level->bits[k]++;
    }
    for (;;) {
        int widest = 0;
        for (int k = 1; k < 3; k++)
            widest = level->bits[k] > level->bits[widest] ? k : widest;
        int bits = level->bits[0] + level->bits[1] + level->bits[2];
        if (level->bits[widest] <= LEAST_BITS || ldexp(1, bits) < (double)level->count)
            return;
        level->bits[widest]--;
    }
}

static inline uint32_t bucket_of(const hash_level *level, int32_t x, int32_t y, int32_t z)
{
    uint32_t column = (uint32_t)x & ((1u << level->bits[0]) - 1), row = (uint32_t)y & ((1u << level->bits[1]) - 1);
    uint32_t layer = (uint32_t)z & ((1u << level->bits[2]) - 1);
    return level->first_bucket + (((layer << level->bits[1]) + row) << level->bits[0]) + column;
}

// Boxes in the order of the bucket of their lower corner. scratch[2 count]
static void sort_boxes(hash_table *table, uint64_t *scratch, cd_arena *arena)
{
    enum { AHEAD = 16 };
    const cd_broad_input *input = table->run->input;
    int32_t count = input->count;
    table->box = CD_ARENA_ARRAY(arena, hash_box, count);
    table->item = CD_ARENA_ARRAY(arena, int32_t, count);
    uint64_t *word = scratch;
    for (int32_t i = 0; i < count; i++) {
        hash_cells c;
        hash_box box = box_of(input, i);
        const hash_level *level = &table->level[level_of(table, &box, &c)];
        word[i] = (uint64_t)bucket_of(level, c.low[0], c.low[1], c.low[2]) << 32 | (uint32_t)i;
    }
    word = cd_broad_sort_by_upper_half(word, scratch + count, count);
    for (int32_t i = 0; i < count; i++) {
        if (i + AHEAD < count) {
            int64_t later = (int64_t)(uint32_t)word[i + AHEAD] * input->dim;
            __builtin_prefetch(input->min + later);
            __builtin_prefetch(input->max + later);
        }
        table->item[i] = (int32_t)(uint32_t)word[i];
        table->box[i] = box_of(input, table->item[i]);
    }
}

static void build(hash_table *table, cd_arena *arena)
{
    int32_t count = table->run->input->count;
    for (int l = 0; l < table->levels; l++) {
        hash_level *level = &table->level[l];
        choose_fold(table, level);
        level->first_bucket = table->buckets;
        table->buckets += level->count ? 1u << (level->bits[0] + level->bits[1] + level->bits[2]) : 0;
    }
    // The entries take the place of what sorts the boxes.
    size_t sorting = 2 * sizeof(uint64_t) * (size_t)count, entering = sizeof *table->entry * (size_t)table->entries;
    void *shared = cd_arena_alloc(arena, sorting > entering ? sorting : entering);
    sort_boxes(table, shared, arena);
    table->entry = shared;
    table->first = CD_ARENA_ZARRAY(arena, uint32_t, (size_t)table->buckets + 1);
    // Numbers of entries, then the end of each bucket, which moves to its beginning as it fills from behind.
    for (int fill = 0; fill < 2; fill++) {
        for (int32_t i = count - 1; i >= 0; i--) {
            hash_cells c;
            const hash_level *level = &table->level[level_of(table, &table->box[i], &c)];
            for (int32_t z = c.low[2]; z <= c.high[2]; z++)
                for (int32_t y = c.low[1]; y <= c.high[1]; y++)
                    for (int32_t x = c.low[0]; x <= c.high[0]; x++) {
                        uint32_t *place = &table->first[bucket_of(level, x, y, z)];
                        if (fill)
                            table->entry[--*place] = i;
                        else
                            ++*place;
                    }
        }
        if (fill)
            return;
        uint32_t entries = 0;
        for (uint32_t b = 0; b < table->buckets; b++)
            table->first[b] = entries += table->first[b];
        table->first[table->buckets] = entries;
        CD_ASSERT(entries == table->entries);
    }
}

// ---- comparisons ---------------------------------------------------------------------------------------------------

static void gather(const hash_table *table, const hash_level *level, uint32_t bucket, uint32_t from, cd_hash_tile *tile)
{
    uint32_t end = table->first[bucket + 1], own = bucket - level->first_bucket;
    tile->count = (int32_t)(end - from < CD_HASH_TILE ? end - from : CD_HASH_TILE);
    for (int32_t i = 0; i < tile->count; i++) {
        int32_t row = table->entry[from + (uint32_t)i];
        const hash_box *box = &table->box[row];
        tile->row[i] = row;
        tile->item[i] = table->item[row];
        unsigned begins = 0;
        for (int k = 0, shift = 0; k < 3; shift += level->bits[k], k++) {
            tile->min[k][i] = box->min[k];
            tile->max[k][i] = box->max[k];
            uint32_t low = (uint32_t)cell_of(table, level, k, box->min[k]), mask = (1u << level->bits[k]) - 1;
            begins |= (unsigned)(((low ^ own >> shift) & mask) == 0) << k;
        }
        tile->begins[i] = (int32_t)begins;
    }
}

static int32_t meet_portable(const cd_hash_tile *one, int32_t i, const cd_hash_tile *other, int32_t from,
                             cd_box_pair *pair)
{
    double min0 = one->min[0][i], min1 = one->min[1][i], min2 = one->min[2][i];
    double max0 = one->max[0][i], max1 = one->max[1][i], max2 = one->max[2][i];
    int32_t item = one->item[i], begins = one->begins[i], met = 0;
    for (int32_t j = from; j < other->count; j++) {
        pair[met] = (cd_box_pair){item, other->item[j]};
        met += ((begins | other->begins[j]) == 7) & (min0 <= other->max[0][j]) & (other->min[0][j] <= max0) &
               (min1 <= other->max[1][j]) & (other->min[1][j] <= max1) & (min2 <= other->max[2][j]) &
               (other->min[2][j] <= max2);
    }
    return met;
}

// Pairs of the boxes of `one` with those of `other`, which may be the same tile.
static void meet_tiles(const hash_table *table, const cd_hash_tile *one, const cd_hash_tile *other)
{
    enum { BEYOND = 8 };  // what the vector kernel may write behind its pairs
    cd_broad_pairs *pairs = table->run->pairs;
    int64_t before = pairs->count;
    for (int32_t i = 0; i < one->count; i++) {
        int32_t from = one == other ? i + 1 : 0;
        cd_box_pair *to = cd_broad_room(pairs, CD_HASH_TILE + BEYOND);
        pairs->count += table->meet(one, i, other, from, to);
    }
    cd_broad_keep_wanted(table->run->input, pairs, before);
}

static inline bool overlap(const hash_box *a, const hash_box *b)
{
    return (a->min[0] <= b->max[0]) & (b->min[0] <= a->max[0]) & (a->min[1] <= b->max[1]) & (b->min[1] <= a->max[1]) &
           (a->min[2] <= b->max[2]) & (b->min[2] <= a->max[2]);
}

// Pairs of a box with the boxes of a coarser level.
static void meet_coarser(const hash_table *table, const hash_level *coarser, int32_t row)
{
    const hash_box *box = &table->box[row];
    hash_cells own = cells_of(table, coarser, box);
    bool is_one_cell = cell_count(&own) == 1;
    for (int32_t z = own.low[2]; z <= own.high[2]; z++)
        for (int32_t y = own.low[1]; y <= own.high[1]; y++)
            for (int32_t x = own.low[0]; x <= own.high[0] && !cd_broad_is_full(table->run, 0); x++) {
                uint32_t bucket = bucket_of(coarser, x, y, z);
                for (uint32_t e = table->first[bucket]; e < table->first[bucket + 1]; e++) {
                    const hash_box *other = &table->box[table->entry[e]];
                    if (!overlap(box, other))
                        continue;
                    if (!is_one_cell) {
                        hash_cells its = cells_of(table, coarser, other);
                        if ((x != own.low[0] && x != its.low[0]) || (y != own.low[1] && y != its.low[1]) ||
                            (z != own.low[2] && z != its.low[2]))
                            continue;
                    }
                    cd_broad_emit(table->run->input, table->run->pairs, table->item[row], table->item[table->entry[e]]);
                }
            }
}

static void meet_bucket(const hash_table *table, int level_number, uint32_t bucket)
{
    const hash_level *level = &table->level[level_number];
    cd_broad_pairs *pairs = table->run->pairs;
    cd_hash_tile one, other;
    uint32_t end = table->first[bucket + 1];
    for (uint32_t e = table->first[bucket]; e < end && !pairs->is_full; e += CD_HASH_TILE) {
        gather(table, level, bucket, e, &one);
        meet_tiles(table, &one, &one);
        for (uint32_t f = e + CD_HASH_TILE; f < end && !pairs->is_full; f += CD_HASH_TILE) {
            gather(table, level, bucket, f, &other);
            meet_tiles(table, &one, &other);
        }
        for (int l = level_number + 1; l < table->levels; l++)
            for (int32_t i = 0; table->level[l].count > 0 && i < one.count && !pairs->is_full; i++)
                if (one.begins[i] == 7)
                    meet_coarser(table, &table->level[l], one.row[i]);
    }
}

static void find(const cd_broad_run *run)
{
    if (run->input->count == 0)
        return;
    hash_table table = {.run = run, .meet = meet_portable};
#if defined(__x86_64__)
    if (run->tuning.vector >= CD_VECTOR_AVX512)
        table.meet = cd_hash_meet_avx512;
#endif
    cd_broad_sample sample = cd_broad_sample_of(run->input, run->statistics);
    for (int k = 0; k < 3; k++) {
        table.low[k] = sample.low[k];
        table.high[k] = sample.high[k];
        table.base[k] = table.low[k] / 2;
    }
    choose_levels(&table, &sample);
    build(&table, run->arena);
    int level = 0;
    for (uint32_t b = 0; b < table.buckets && !cd_broad_is_full(run, 0); b++) {
        while (level + 1 < table.levels && b >= table.level[level + 1].first_bucket)
            level++;
        if (table.first[b] < table.first[b + 1])
            meet_bucket(&table, level, b);
    }
}

const cd_broad_method cd_broad_hash3d = {
    "hash3d",
    "spatial hashing with levels of cells by size",
    "O(n levels + k + boxes that share a cell): linear for boxes spread about evenly, n^2 in clusters of a cell",
    "80: 52, 4 a cell that a box covers (6 at most in the mean), 4",
    "Teschner et al., Optimized Spatial Hashing for Collision Detection of Deformable Objects, 2003; the 3-D hash of "
    "Solfec-1.0",
    find,
    NULL,
    NULL,
    false};
