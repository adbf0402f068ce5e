// Spatial hashing: space is divided into cubes, the cube of each cell that a box covers is hashed to a bucket, and the
// boxes of a bucket are compared with each other.
//
// A box is in the buckets of the cells that it covers, at most CELLS_MOST: one that would cover more is on a level of
// cells four times as wide, or sixteen times, and so on. Boxes meet those of their own level bucket by bucket; of
// coarser levels a box looks at the few cells that it covers there; finer ones come to it. So a box of any size costs
// a bounded number of cells, and lengthens no list but those of its size.
// The hash folds space: cell (x, y, z) has the bucket (x mod a, y mod b, z mod c), powers of 2 not less than SPAN_MOST
// or than the scene is wide. Neighbours lie side by side, and the cells of one box have buckets of their own; so a box
// is once at most in a bucket, and a pair is reported once: in the cell of the lower corner of its intersection, where
// on each axis one of the two begins. Boxes of one bucket that are from different cells cost comparisons, never pairs.
// Buckets are rows of one array, made by a counting sort.
// SPDX-License-Identifier: MIT
#include "broad_method.h"

enum {
    LEVELS_MOST = 17,    // 4^16 > 2^30: cells of the last hold the scene
    CELLS_MOST = 27,     // of a box on its level
    SPAN_MOST = 8,       // of them along an axis
    ENTRIES_MEAN = 5,    // cells that a box covers, in the mean: measured best of 3 to 8 for boxes of one size
    ENTRIES_LIMIT = 8,
    TILE = 64,           // boxes that are gathered at once
};

typedef struct hash_level {
    double scale;           // [1/m] of halved coordinates: cell number = (face / 2 - base) scale
    int bits[3];            // the fold has 2^bits cells along an axis
    uint32_t first_bucket;  // of the level's in the table
    int64_t count;          // of its boxes
} hash_level;

typedef struct hash_cells {
    int32_t low[3], high[3];
} hash_cells;

typedef struct hash_table {
    const cd_broad_run *run;
    double base[3];   // [m] half of the scene's lower corner
    hash_level level[LEVELS_MOST];
    int levels;
    uint32_t buckets; // of all levels
    uint32_t *first;  // [buckets + 1]: entries of a bucket
    int32_t *entry;   // items
} hash_table;

// ---- cells -----------------------------------------------------------------------------------------------------

static hash_cells cells_of(const hash_table *table, double scale, int32_t item)
{
    const cd_broad_input *input = table->run->input;
    const cd_broad_statistics *s = table->run->statistics;
    hash_cells cells = {{0}, {0}};
    for (int k = 0; k < input->dim; k++) {
        int64_t at = (int64_t)input->dim * item + k;
        cells.low[k] = (int32_t)((cd_broad_finite(s, k, input->min[at]) / 2 - table->base[k]) * scale);
        cells.high[k] = (int32_t)((cd_broad_finite(s, k, input->max[at]) / 2 - table->base[k]) * scale);
    }
    return cells;
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
static int level_of(const hash_table *table, int32_t item, hash_cells *cells)
{
    int level = 0;
    for (;; level++) {
        *cells = cells_of(table, table->level[level].scale, item);
        if (level == table->levels - 1 || cell_count(cells) <= CELLS_MOST)
            return level;
    }
}

static void set_edge(hash_table *table, double half_edge, double half_range)
{
    table->levels = 0;
    for (double edge = half_edge;; edge *= 4) {
        table->level[table->levels++] = (hash_level){.scale = edge > 1e-290 ? 1 / edge : 0};
        if (edge >= half_range || table->levels == LEVELS_MOST)
            return;
    }
}

// Entries a box, from every stride-th.
static double entries_mean(const hash_table *table, int32_t stride)
{
    double sum = 0, boxes = 0;
    for (int64_t i = 0; i < table->run->input->count; i += stride) {
        hash_cells cells;
        level_of(table, (int32_t)i, &cells);
        sum += cell_count(&cells);
        boxes += 1;
    }
    return boxes > 0 ? sum / boxes : 0;
}

// The edge of the finest cells: so small that boxes cover ENTRIES_MEAN cells, or as asked for, but never so small that
// memory is more than ENTRIES_LIMIT entries a box, nor below 2^-30 of the scene, where cell numbers end.
static void choose_levels(hash_table *table)
{
    enum { SAMPLE = 1000 };
    const cd_broad_statistics *s = table->run->statistics;
    int32_t count = table->run->input->count, stride = count / SAMPLE + 1;
    double range = 0, widest = 0;
    for (int k = 0; k < 3; k++) {
        range = fmax(range, s->high[k] / 2 - s->low[k] / 2);
        widest = fmax(widest, s->extent_max[k] / 2);
    }
    double least = range * 0x1p-30, edge = fmax(fmin(widest, range), least);
    if (table->run->tuning.cell > 0) {
        edge = fmin(fmax(table->run->tuning.cell / 2, least), range);
        set_edge(table, edge, range);
    } else {
        for (double finer = edge; finer >= least && finer > 0; finer /= 1.25) {
            set_edge(table, finer, range);
            if (entries_mean(table, stride) > ENTRIES_MEAN)
                break;
            edge = finer;
        }
    }
    for (set_edge(table, edge, range); edge < range && entries_mean(table, 1) > ENTRIES_LIMIT; edge *= 2)
        set_edge(table, 2 * edge, range);
}

// ---- table -----------------------------------------------------------------------------------------------------

// As many buckets as boxes, or twice: a fold no wider than the scene along each axis, nor narrower than a box may be.
static void choose_fold(const hash_table *table, hash_level *level)
{
    enum { LEAST_BITS = 3 };  // SPAN_MOST
    const cd_broad_statistics *s = table->run->statistics;
    for (int k = 0; k < 3; k++)
        for (level->bits[k] = 0; ldexp(1, level->bits[k]) < (s->high[k] / 2 - table->base[k]) * level->scale + 1;)
            level->bits[k]++;
    for (;;) {
        int widest = 0;
        for (int k = 1; k < 3; k++)
            widest = level->bits[k] > level->bits[widest] ? k : widest;
        int bits = level->bits[0] + level->bits[1] + level->bits[2];
        if (level->bits[widest] <= LEAST_BITS || ldexp(1, bits) < 2 * (double)level->count)
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

static void build(hash_table *table, cd_arena *arena)
{
    int32_t count = table->run->input->count;
    hash_cells c;
    for (int32_t i = 0; i < count; i++)
        table->level[level_of(table, i, &c)].count++;
    for (int l = 0; l < table->levels; l++) {
        hash_level *level = &table->level[l];
        choose_fold(table, level);
        level->first_bucket = table->buckets;
        table->buckets += level->count ? 1u << (level->bits[0] + level->bits[1] + level->bits[2]) : 0;
    }
    table->first = CD_ARENA_ZARRAY(arena, uint32_t, (size_t)table->buckets + 1);
    // Numbers of entries, then the end of each bucket, which moves to its beginning as it fills from behind.
    for (int fill = 0; fill < 2; fill++) {
        for (int32_t i = count - 1; i >= 0; i--) {
            const hash_level *level = &table->level[level_of(table, i, &c)];
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
        table->entry = CD_ARENA_ARRAY(arena, int32_t, entries);
    }
}

// ---- comparisons -----------------------------------------------------------------------------------------------

// Boxes of a bucket side by side.
typedef struct hash_tile {
    double min[3][TILE], max[3][TILE];
    int32_t item[TILE];
    uint8_t begins[TILE];  // bit k: the box's lower corner is in this cell along axis k
    int32_t count;
} hash_tile;

static void gather(const hash_table *table, const hash_level *level, uint32_t bucket, uint32_t from, hash_tile *tile)
{
    enum { AHEAD = 24 };
    const cd_broad_input *input = table->run->input;
    const cd_broad_statistics *s = table->run->statistics;
    uint32_t end = table->first[bucket + 1], entries = table->first[table->buckets], own = bucket - level->first_bucket;
    tile->count = (int32_t)(end - from < TILE ? end - from : TILE);
    for (int32_t i = 0; i < tile->count; i++) {
        if (from + (uint32_t)i + AHEAD < entries) {
            int64_t later = (int64_t)table->entry[from + (uint32_t)i + AHEAD] * input->dim;
            __builtin_prefetch(input->min + later);
            __builtin_prefetch(input->max + later);
        }
        int32_t item = table->entry[from + (uint32_t)i];
        tile->item[i] = item;
        tile->begins[i] = 0;
        for (int k = 0, shift = 0; k < 3; shift += level->bits[k], k++) {
            int64_t at = (int64_t)item * input->dim + k;
            bool is_axis = k < input->dim;
            double min = is_axis ? input->min[at] : 0;
            tile->min[k][i] = min;
            tile->max[k][i] = is_axis ? input->max[at] : 0;
            uint32_t low = is_axis ? (uint32_t)((cd_broad_finite(s, k, min) / 2 - table->base[k]) * level->scale) : 0;
            bool begins = ((low ^ own >> shift) & ((1u << level->bits[k]) - 1)) == 0;
            tile->begins[i] |= (uint8_t)(begins << k);
        }
    }
}

// Pairs whose intersection begins in this cell, of box i with boxes of the tile from `from` on.
static void meet_tile(cd_broad_pairs *pairs, const hash_tile *one, int32_t i, const hash_tile *other, int32_t from)
{
    double min0 = one->min[0][i], min1 = one->min[1][i], min2 = one->min[2][i];
    double max0 = one->max[0][i], max1 = one->max[1][i], max2 = one->max[2][i];
    int32_t item = one->item[i], met = 0;
    uint8_t begins = one->begins[i];
    cd_box_pair *pair = cd_broad_room(pairs, TILE);
    for (int32_t j = from; j < other->count; j++) {
        pair[met] = (cd_box_pair){item, other->item[j]};
        met += ((begins | other->begins[j]) == 7) & (min0 <= other->max[0][j]) & (other->min[0][j] <= max0) &
               (min1 <= other->max[1][j]) & (other->min[1][j] <= max1) & (min2 <= other->max[2][j]) & (other->min[2][j] <= max2);
    }
    pairs->count += met;
}

// Pairs of an item with the boxes of a coarser level.
static void meet_coarser(const hash_table *table, const hash_level *coarser, int32_t item)
{
    const cd_broad_input *input = table->run->input;
    hash_cells own = cells_of(table, coarser->scale, item);
    bool is_one_cell = cell_count(&own) == 1;
    for (int32_t z = own.low[2]; z <= own.high[2]; z++)
        for (int32_t y = own.low[1]; y <= own.high[1]; y++)
            for (int32_t x = own.low[0]; x <= own.high[0]; x++) {
                uint32_t bucket = bucket_of(coarser, x, y, z);
                for (uint32_t e = table->first[bucket]; e < table->first[bucket + 1]; e++) {
                    int32_t other = table->entry[e];
                    if (!cd_broad_overlaps(input, item, other))
                        continue;
                    if (!is_one_cell) {
                        hash_cells its = cells_of(table, coarser->scale, other);
                        if ((x != own.low[0] && x != its.low[0]) || (y != own.low[1] && y != its.low[1]) ||
                            (z != own.low[2] && z != its.low[2]))
                            continue;
                    }
                    cd_broad_emit(input, table->run->pairs, item, other);
                }
            }
}

static void meet_bucket(const hash_table *table, int level_number, uint32_t bucket)
{
    const hash_level *level = &table->level[level_number];
    cd_broad_pairs *pairs = table->run->pairs;
    hash_tile one, other;
    uint32_t end = table->first[bucket + 1];
    for (uint32_t e = table->first[bucket]; e < end && !pairs->is_full; e += TILE) {
        gather(table, level, bucket, e, &one);
        int64_t before = pairs->count;
        for (int32_t i = 0; i < one.count; i++)
            meet_tile(pairs, &one, i, &one, i + 1);
        cd_broad_keep_wanted(table->run->input, pairs, before);
        for (uint32_t f = e + TILE; f < end && !pairs->is_full; f += TILE) {
            gather(table, level, bucket, f, &other);
            before = pairs->count;
            for (int32_t i = 0; i < one.count; i++)
                meet_tile(pairs, &one, i, &other, 0);
            cd_broad_keep_wanted(table->run->input, pairs, before);
        }
        for (int l = level_number + 1; l < table->levels; l++)
            for (int32_t i = 0; table->level[l].count > 0 && i < one.count; i++)
                if (one.begins[i] == 7)
                    meet_coarser(table, &table->level[l], one.item[i]);
    }
}

static void find(const cd_broad_run *run)
{
    hash_table table = {.run = run};
    for (int k = 0; k < 3; k++)
        table.base[k] = run->statistics->low[k] / 2;
    choose_levels(&table);
    build(&table, run->arena);
    int level = 0;
    for (uint32_t b = 0; b < table.buckets && !cd_broad_is_full(run, 0); b++) {
        while (level + 1 < table.levels && b >= table.level[level + 1].first_bucket)
            level++;
        meet_bucket(&table, level, b);
    }
}

const cd_broad_method cd_broad_hash3d = {
    "hash3d",
    "spatial hashing with levels of cells by size",
    "O(n levels + k + boxes that share a cell): linear for boxes spread about evenly, n^2 in clusters of a cell",
    "40: 4 a cell that a box covers, 8 at most in the mean, and 8",
    "Teschner et al., Optimized Spatial Hashing for Collision Detection of Deformable Objects, 2003; 3-D hash of Solfec-1.0",
    find,
    NULL};
