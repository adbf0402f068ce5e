// A plane sweeps across the boxes; those that it cuts are held in lists, one a cell of a plane grid, that are found by
// hashing the cell. A box that begins is compared with the lists of the cells about it, then held itself.
//
// A box is in one list only: that of the cell of its lower corner, in the grid of its size class. Cells of a class are
// at least as wide as its widest box, so a box looks at its own cells and one row before them, and meets no box twice.
// It does so in the grid of each class: few cells among larger boxes, more among smaller ones, where cells are widened
// until boxes look at CELLS_MEAN cells in the mean. The hash folds the plane: cell (x, y) has the bucket
// (x mod columns, y mod rows), so neighbours lie side by side, and a window as wide as the fold visits a bucket once.
// Boxes of one bucket that lie far apart cost comparisons, never pairs.
// A list is a chain of blocks of eight boxes, so that comparisons run through columns without a branch. Nothing is
// sorted but the lower faces: a box whose end the plane has passed leaves its block when next met there, or when the
// pool of blocks is swept because it is twice as large as after the last time.
// SPDX-License-Identifier: MIT
#include "broad_faces.h"
#include "broad_sample.h"
#include "broad_sweep_list.h"

enum {
    NONE = -1,
    EXPONENTS = 2048,   // of doubles
    CLASS_OCTAVES = 2,  // widest to narrowest box of a class: 2^2
    CLASSES_MOST = 16,
    CELLS_MEAN = 24,
    CHUNK_BITS = 6,  // blocks are allocated in chunks of 2^6
    CHUNK = 1 << CHUNK_BITS,
};

// Boxes of like size and their grid. Cells are numbered from the lower end of the scene: number = (face - base) scale.
typedef struct list_class {
    int64_t count;         // of its boxes
    double width_mean[2];  // [m] half extents across the sweep
    double width_most[2];
    double held_mean;  // of its boxes held when a box begins, in the mean
    double scale[2];   // [1/m] of halved coordinates
    double reach[2];   // [cells] of its boxes, rounded up
    int fold_bits[2];  // columns and rows of buckets are 2^fold_bits
    int32_t *bucket;   // first block of the list, [rows][columns]
    int32_t blocks;    // in all lists
} list_class;

typedef struct list_sweep {
    const cd_broad_run *run;
    int dim, axis[3];  // along the sweep, then across it
    cd_broad_sample sample;
    cd_list_meet *meet;
    double base[2];  // [m] half the lower corner of the window
    list_class class[CLASSES_MOST];
    int classes;
    uint8_t class_of[EXPONENTS];  // by the exponent of the wider half extent across the sweep
    cd_list_block **chunk;
    int32_t chunks;       // room for pointers to them
    int64_t used, limit;  // blocks that were ever used; where the pool is swept
    int32_t free;         // first free block
} list_sweep;

// ---- measures ------------------------------------------------------------------------------------------------------

// Half of a face, moved into the window of the scene: differences of halves do not overflow. Of an axis that a plane
// problem does not have: 0.
static inline double half_face(const list_sweep *sweep, int k, double face)
{
    int axis = sweep->axis[1 + k];
    double low = sweep->sample.low[axis], high = sweep->sample.high[axis];
    return (face < low ? low : face > high ? high : face) / 2;
}

static double half_range(const list_sweep *sweep, int k)
{
    return sweep->sample.high[sweep->axis[1 + k]] / 2 - sweep->sample.low[sweep->axis[1 + k]] / 2;
}

static inline double half_extent(const list_sweep *sweep, const cd_list_box *box, int k)
{
    return half_face(sweep, k, box->high[k]) - half_face(sweep, k, box->low[k]);
}

static int exponent_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits >> 52 & (EXPONENTS - 1));
}

// The exponent of the wider half extent across the sweep.
static inline int octave_of(const list_sweep *sweep, const cd_list_box *box)
{
    double width = half_extent(sweep, box, 0), height = half_extent(sweep, box, 1);
    return exponent_of(width > height ? width : height);
}

static inline cd_list_box box_of(const list_sweep *sweep, int32_t item)
{
    const cd_broad_input *input = sweep->run->input;
    const double *min = input->min + (int64_t)sweep->dim * item, *max = input->max + (int64_t)sweep->dim * item;
    cd_list_box box = {.end = max[sweep->axis[0]], .item = item};
    for (int k = 0; k < sweep->dim - 1; k++) {
        box.low[k] = min[sweep->axis[1 + k]];
        box.high[k] = max[sweep->axis[1 + k]];
    }
    return box;
}

// ---- classes -------------------------------------------------------------------------------------------------------

// Adds the boxes of `from` to those of `to`.
static void merge_class(list_class *to, const list_class *from)
{
    double count = (double)(to->count + from->count);
    double mine = (double)to->count / count, others = (double)from->count / count;
    for (int k = 0; k < 2; k++) {
        to->width_mean[k] = mine * to->width_mean[k] + others * from->width_mean[k];
        to->width_most[k] = fmax(to->width_most[k], from->width_most[k]);
    }
    to->held_mean += from->held_mean;
    to->count += from->count;
}

// A box is held when those begin that are between its faces in the order of the sweep; so the mean of that number, per
// box, is the mean number held when a box begins.
static void measure_held(const list_sweep *sweep, const uint32_t *order, list_class *octave)
{
    const cd_broad_input *input = sweep->run->input;
    const double *min = input->min + sweep->axis[0];
    for (int32_t i = 0; i < sweep->sample.count; i++) {
        cd_list_box box = box_of(sweep, sweep->sample.item[i]);
        double faces[2] = {min[(int64_t)sweep->dim * box.item], box.end};
        int64_t place[2];  // boxes that begin before the lower face; not after the upper
        for (int upper = 0; upper < 2; upper++) {
            int64_t begin = 0, end = input->count;
            while (begin < end) {
                int64_t middle = begin + (end - begin) / 2;
                double face = min[(int64_t)sweep->dim * order[middle]];
                if (face < faces[upper] || (upper && face == faces[upper]))
                    begin = middle + 1;
                else
                    end = middle;
            }
            place[upper] = begin;
        }
        octave[octave_of(sweep, &box)].held_mean += (double)(place[1] - place[0]) / sweep->sample.count;
    }
}

// Would the boxes of `finer` lengthen the lists of `coarser` by less than looking at cells of their own costs?
static bool is_better_merged(const list_sweep *sweep, const list_class *coarser, const list_class *finer)
{
    enum { COMPARISONS_WORTH = 6 };
    double compared = finer->held_mean;
    for (int k = 0; k < 2; k++)
        compared *= cd_broad_sample_near(&sweep->sample, sweep->axis[1 + k], 2.5 * coarser->width_most[k]);
    return compared < COMPARISONS_WORTH;
}

// Classes from the widest boxes down.
static void make_classes(list_sweep *sweep, const uint32_t *order, cd_arena *arena)
{
    int32_t count = sweep->run->input->count;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    list_class *octave = CD_ARENA_ZARRAY(arena, list_class, EXPONENTS);
    for (int32_t i = 0; i < count; i++) {
        cd_list_box box = box_of(sweep, i);
        list_class *o = &octave[octave_of(sweep, &box)];
        o->count++;
        for (int k = 0; k < 2; k++) {
            double width = half_extent(sweep, &box, k);
            o->width_mean[k] += width;
            o->width_most[k] = width > o->width_most[k] ? width : o->width_most[k];
        }
    }
    for (int e = 0; e < EXPONENTS; e++)
        for (int k = 0; k < 2 && octave[e].count > 0; k++)
            octave[e].width_mean[k] = fmin(octave[e].width_mean[k] / (double)octave[e].count, octave[e].width_most[k]);
    measure_held(sweep, order, octave);
    int begun = EXPONENTS + CLASS_OCTAVES;
    for (int e = EXPONENTS - 1; e >= 0; e--) {
        if (octave[e].count == 0)
            continue;
        list_class *last = sweep->classes ? &sweep->class[sweep->classes - 1] : NULL;
        bool is_last = sweep->classes == CLASSES_MOST;
        if (last && (begun - e < CLASS_OCTAVES || is_last || is_better_merged(sweep, last, &octave[e]))) {
            merge_class(last, &octave[e]);
        } else {
            sweep->class[sweep->classes++] = octave[e];
            begun = e;
        }
        sweep->class_of[e] = (uint8_t)(sweep->classes - 1);
    }
    cd_arena_rewind(arena, mark);
}

// ---- grids ---------------------------------------------------------------------------------------------------------

// Cells that a box looks at in the grid of `class`, in the mean over all boxes.
static double cells_mean(const list_sweep *sweep, const list_class *class, double axis_mean[2])
{
    double sum = 0, boxes = 0;
    axis_mean[0] = axis_mean[1] = 0;
    for (int c = 0; c < sweep->classes; c++) {
        const list_class *other = &sweep->class[c];
        double cells = 1;
        for (int k = 0; k < 2; k++) {
            double across = 1 + class->reach[k] + other->width_mean[k] * class->scale[k];
            across = fmin(across, ldexp(1, class->fold_bits[k]));
            axis_mean[k] += (double)other->count * across;
            cells *= across;
        }
        sum += (double)other->count * cells;
        boxes += (double)other->count;
    }
    return sum / boxes;
}

// Buckets for `wanted` boxes: a fold no larger than the scene, along both axes alike.
static void choose_fold(const list_sweep *sweep, list_class *class, double wanted)
{
    enum { LEAST_BITS = 2 };  // own windows of 3 or 4 cells do not meet themselves
    for (int k = 0; k < 2; k++) {
        class->fold_bits[k] = 0;
        while (class->fold_bits[k] < 30 && ldexp(1, class->fold_bits[k]) < half_range(sweep, k) * class->scale[k] + 1)
            class->fold_bits[k]++;
    }
    for (;;) {
        int larger = class->fold_bits[1] > class->fold_bits[0];
        if (class->fold_bits[larger] <= LEAST_BITS || ldexp(1, class->fold_bits[0] + class->fold_bits[1]) < 2 * wanted)
            return;
        class->fold_bits[larger]--;
    }
}

// Cells as wide as the widest box at least, and 2^-30 of the scene, so that numbers are exact to 1e-6 of a cell.
static void choose_cells(const list_sweep *sweep, list_class *class)
{
    static const double WIDENED = 2, ROUNDING = 1e-5;
    double edge[2], axis_mean[2];
    for (int k = 0; k < 2; k++)
        edge[k] = fmax(WIDENED * class->width_most[k], half_range(sweep, k) * 0x1p-30);
    for (int round = 0; round < 64; round++) {
        for (int k = 0; k < 2; k++) {
            class->scale[k] = edge[k] > 1e-290 ? 1 / edge[k] : 0;
            class->reach[k] = class->width_most[k] * class->scale[k] + ROUNDING;
        }
        choose_fold(sweep, class, class->held_mean + 1);
        if (cells_mean(sweep, class, axis_mean) <= CELLS_MEAN)
            return;
        int k = axis_mean[1] > axis_mean[0];
        edge[k] = fmax(edge[k], 1e-290) * 1.5;
    }
}

static void clear_buckets(list_class *class, cd_arena *arena)
{
    size_t buckets = (size_t)1 << (class->fold_bits[0] + class->fold_bits[1]);
    class->bucket = memset(CD_ARENA_ARRAY(arena, int32_t, buckets), 0xff, buckets * sizeof *class->bucket);  // all NONE
}

// ---- lists ---------------------------------------------------------------------------------------------------------

static inline cd_list_block *block_at(const list_sweep *sweep, int32_t index)
{
    return &sweep->chunk[index >> CHUNK_BITS][index & (CHUNK - 1)];
}

// Cell number of a face, with an offset; faces lie in the scene, so numbers are not negative but by the offset.
static inline int32_t cell_of(const list_sweep *sweep, const list_class *class, int k, double face, double offset)
{
    double number = (half_face(sweep, k, face) - sweep->base[k]) * class->scale[k] - offset;
    return (int32_t)(number + 1) - 1;  // rounds down: offsets are at most one cell
}

static int32_t *bucket_of(const list_sweep *sweep, const list_class *class, const double *low)
{
    uint32_t column = (uint32_t)cell_of(sweep, class, 0, low[0], 0) & ((1u << class->fold_bits[0]) - 1);
    uint32_t row = (uint32_t)cell_of(sweep, class, 1, low[1], 0) & ((1u << class->fold_bits[1]) - 1);
    return &class->bucket[(row << class->fold_bits[0]) + column];
}

static void drop_passed(cd_list_block *block, double plane)
{
    double least = INFINITY;
    int32_t kept = 0;
    for (int32_t k = 0; k < block->count; k++) {
        for (int axis = 0; axis < 2; axis++) {
            block->low[axis][kept] = block->low[axis][k];
            block->high[axis][kept] = block->high[axis][k];
        }
        double end = block->end[k];
        block->end[kept] = end;
        block->item[kept] = block->item[k];
        least = end >= plane && end < least ? end : least;
        kept += end >= plane;
    }
    block->count = kept;
    block->end_least = least;
}

static void free_block(list_sweep *sweep, list_class *class, int32_t index)
{
    block_at(sweep, index)->next = sweep->free;
    sweep->free = index;
    class->blocks--;
}

static int32_t new_block(list_sweep *sweep, list_class *class)
{
    int32_t index = sweep->free;
    if (index != NONE) {
        sweep->free = block_at(sweep, index)->next;
    } else {
        index = (int32_t)sweep->used++;
        if (index >> CHUNK_BITS >= sweep->chunks) {
            int32_t chunks = 2 * sweep->chunks + 8;
            cd_list_block **chunk = CD_ARENA_ARRAY(sweep->run->arena, cd_list_block *, chunks);
            if (sweep->chunks > 0)
                memcpy(chunk, sweep->chunk, (size_t)sweep->chunks * sizeof *chunk);
            sweep->chunk = chunk;
            sweep->chunks = chunks;
        }
        if ((index & (CHUNK - 1)) == 0)
            sweep->chunk[index >> CHUNK_BITS] = CD_ARENA_ARRAY(sweep->run->arena, cd_list_block, CHUNK);
    }
    class->blocks++;
    return index;
}

static void hold_box(list_sweep *sweep, list_class *class, const cd_list_box *box)
{
    int32_t *bucket = bucket_of(sweep, class, box->low);
    cd_list_block *block = *bucket == NONE ? NULL : block_at(sweep, *bucket);
    if (!block || block->count == CD_LIST_SLOTS) {
        int32_t index = new_block(sweep, class);
        block = block_at(sweep, index);
        block->count = 0;
        block->end_least = INFINITY;
        block->next = *bucket;
        *bucket = index;
    }
    int32_t slot = block->count++;
    for (int axis = 0; axis < 2; axis++) {
        block->low[axis][slot] = box->low[axis];
        block->high[axis][slot] = box->high[axis];
    }
    block->end[slot] = box->end;
    block->end_least = box->end < block->end_least ? box->end : block->end_least;
    block->item[slot] = box->item;
}

// Drops what the plane has passed, in all lists, and gives a class more buckets when its lists are long.
static void sweep_class(list_sweep *sweep, list_class *class, double plane)
{
    enum { LONG = 2 };  // blocks a list
    size_t buckets = (size_t)1 << (class->fold_bits[0] + class->fold_bits[1]);
    int32_t all = NONE;
    for (size_t b = 0; b < buckets; b++)
        for (int32_t *link = &class->bucket[b]; *link != NONE;) {
            cd_list_block *block = block_at(sweep, *link);
            drop_passed(block, plane);
            int32_t index = *link;
            if (block->count == 0) {
                *link = block->next;
                free_block(sweep, class, index);
            } else {
                link = &block->next;
            }
        }
    if (class->blocks <= LONG * (int64_t)buckets)
        return;
    for (size_t b = 0; b < buckets; b++)
        for (int32_t index = class->bucket[b], next; index != NONE; index = next) {
            next = block_at(sweep, index)->next;
            block_at(sweep, index)->next = all;
            all = index;
        }
    choose_fold(sweep, class, 4.0 * LONG * (double)buckets);
    clear_buckets(class, sweep->run->arena);
    for (int32_t index = all, next; index != NONE; index = next) {
        cd_list_block block = *block_at(sweep, index);
        next = block.next;
        free_block(sweep, class, index);
        for (int32_t k = 0; k < block.count; k++) {
            cd_list_box box = {.end = block.end[k], .item = block.item[k]};
            for (int axis = 0; axis < 2; axis++) {
                box.low[axis] = block.low[axis][k];
                box.high[axis] = block.high[axis][k];
            }
            hold_box(sweep, class, &box);
        }
    }
}

static int32_t meet_portable(const cd_list_block *block, const cd_list_box *box, cd_box_pair *pair)
{
    int32_t met = 0;
    for (int32_t k = 0; k < block->count; k++) {
        pair[met] = (cd_box_pair){box->item, block->item[k]};
        met += (box->low[0] <= block->high[0][k]) & (block->low[0][k] <= box->high[0]) &
               (box->low[1] <= block->high[1][k]) & (block->low[1][k] <= box->high[1]);
    }
    return met;
}

// Appends the pairs of `one` with the held boxes of a list; passed boxes leave it.
static inline void meet_list(list_sweep *sweep, list_class *class, int32_t *link, const cd_list_box *one, double plane)
{
    cd_broad_pairs *pairs = sweep->run->pairs;
    while (*link != NONE) {
        int32_t index = *link;
        cd_list_block *held = block_at(sweep, index);
        if (held->end_least < plane) {
            drop_passed(held, plane);
            if (held->count == 0) {
                *link = held->next;
                free_block(sweep, class, index);
                continue;
            }
        }
        cd_box_pair *to = cd_broad_room(pairs, CD_LIST_SLOTS);
        pairs->count += sweep->meet(held, one, to);
        link = &held->next;
    }
}

static void meet_class(list_sweep *sweep, list_class *class, const cd_list_box *one, double plane)
{
    uint32_t first[2], cells[2], mask[2];
    for (int k = 0; k < 2; k++) {
        int32_t begin = cell_of(sweep, class, k, one->low[k], class->reach[k]);
        int64_t across = (int64_t)cell_of(sweep, class, k, one->high[k], 0) - begin + 1;
        mask[k] = (1u << class->fold_bits[k]) - 1;
        first[k] = (uint32_t)begin;
        cells[k] = across > mask[k] ? mask[k] + 1 : (uint32_t)across;
    }
    for (uint32_t y = 0; y < cells[1]; y++) {
        int32_t *row = class->bucket + ((size_t)((first[1] + y) & mask[1]) << class->fold_bits[0]);
        for (uint32_t x = 0; x < cells[0]; x++)
            meet_list(sweep, class, &row[(first[0] + x) & mask[0]], one, plane);
    }
}

static void find(const cd_broad_run *run)
{
    enum { AHEAD = 40 };
    const cd_broad_input *input = run->input;
    int32_t count = input->count;
    if (count == 0)
        return;
    list_sweep sweep = {.run = run, .dim = input->dim, .limit = 16 * CHUNK, .free = NONE};
    int axis = cd_broad_sparsest_axis(run->statistics, input->dim);
    for (int k = 0; k < 3; k++)
        sweep.axis[k] = k < input->dim ? (axis + k) % input->dim : 2;
    sweep.meet = meet_portable;
#if defined(__x86_64__)
    if (run->tuning.vector >= CD_VECTOR_AVX512)
        sweep.meet = cd_list_meet_avx512;
#endif
    sweep.sample = cd_broad_sample_of(input, run->statistics);
    for (int k = 0; k < 2; k++)
        sweep.base[k] = sweep.sample.low[sweep.axis[1 + k]] / 2;
    uint32_t *order = cd_broad_sort_faces(run, axis, count);
    make_classes(&sweep, order, run->arena);
    for (int c = 0; c < sweep.classes; c++) {
        choose_cells(&sweep, &sweep.class[c]);
        clear_buckets(&sweep.class[c], run -> arena);
    }
    for (int32_t i = 0; i < count && !cd_broad_is_full(run, 0); i++) {
        if (i + AHEAD < count) {
            int64_t later = (int64_t)input->dim * order[i + AHEAD];
            __builtin_prefetch(input->min + later);
            __builtin_prefetch(input->min + later + input->dim - 1);  // a row may straddle two lines
            __builtin_prefetch(input->max + later);
            __builtin_prefetch(input->max + later + input->dim - 1);
        }
        int32_t item = (int32_t)order[i];
        cd_list_box one = box_of(&sweep, item);
        double plane = input->min[(int64_t)input->dim * item + axis];
        if (sweep.free == NONE && sweep.used >= sweep.limit) {
            int64_t live = 0;
            for (int c = 0; c < sweep.classes; c++) {
                sweep_class(&sweep, &sweep.class[c], plane);
                live += sweep.class[c].blocks;
            }
            sweep.limit = live > sweep.limit / 2 ? 2 * live : sweep.limit;
        }
        int64_t before = run->pairs->count;
        for (int c = 0; c < sweep.classes; c++)
            if (sweep.class[c].blocks > 0)
                meet_class(&sweep, &sweep.class[c], &one, plane);
        cd_broad_keep_wanted(input, run->pairs, before);
        hold_box(&sweep, &sweep.class[sweep.class_of[octave_of(&sweep, &one)]], &one);
    }
}

const cd_broad_method cd_broad_sweep_list = {
    "sweep-list",
    "sweep plane over hashed cells with lists, by size classes",
    "O(n log n + k + n classes) for boxes spread evenly; up to the boxes held at once for one where they are not",
    "20 to sort, then 4 and 50 to 400 for each box cut at once, by how these fill blocks of eight",
    "the sweep plane with a hashed 2-D list of Koziara's Solfec-1.0; folded hash and size classes are ours",
    find,
    NULL,
    NULL,
    false};
