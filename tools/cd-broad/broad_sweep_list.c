// A plane sweeps across the boxes; those that it cuts are held in lists, one a cell of a plane grid, that are found by
// hashing the cell. A box that begins is compared with the lists of the cells about it, then held itself.
//
// A box is in one list only: that of the cell of its lower corner, in the grid of its size class. Cells of a class are
// at least as wide as its widest box, so a box looks at its own cells and one row before them, and meets no box twice.
// It does so in the grid of each class: few cells among larger boxes, more among smaller ones, where cells are widened
// until boxes look at CELLS_MEAN cells in the mean. The hash folds the plane: cell (x, y) has the bucket
// (x mod columns, y mod rows), so neighbours lie side by side, and a window as wide as the fold visits a bucket once.
// Boxes of one bucket that lie far apart cost comparisons, never pairs.
// Nothing is sorted but the lower faces: a box whose end the plane has passed leaves its list when next met there, or
// when the pool of entries is swept because it is twice as large as what it held after the last time.
// SPDX-License-Identifier: MIT
#include "broad_plane.h"

enum {
    NONE = -1,
    EXPONENTS = 2048,      // of doubles
    CLASS_OCTAVES = 2,     // widest to narrowest box of a class: 2^2
    CLASSES_MOST = 16,
    CELLS_MEAN = 24,
    CHUNK_BITS = 10,       // pool entries are allocated in chunks of 2^10
    CHUNK = 1 << CHUNK_BITS,
};

// A held box. 48 bytes.
typedef struct list_entry {
    double low[2], high[2];  // [m] across the sweep
    double end;              // [m] along it
    int32_t item, next;
} list_entry;

// Boxes of like size and their grid. Cells are numbered from the lower end of the scene: number = (face - base) scale.
typedef struct list_class {
    int64_t count;         // of its boxes
    double width_mean[2];  // [m] half extents across the sweep
    double width_most[2];
    double length_mean;    // [m] along it
    double scale[2];       // [1/m] of halved coordinates
    double reach[2];       // [cells] of its boxes, rounded up
    int fold_bits[2];      // columns and rows of buckets are 2^fold_bits
    int32_t *bucket;       // first entry of the list, [rows][columns]
    int32_t held;          // entries, passed ones included
} list_class;

typedef struct list_sweep {
    const cd_broad_run *run;
    int dim, axis[3];      // along the sweep, then across it
    list_class class[CLASSES_MOST];
    int classes;
    uint8_t class_of[EXPONENTS];  // by the exponent of the wider half extent across the sweep
    list_entry **chunk;
    int32_t used, limit;   // entries that were ever used; where the pool is swept
    int32_t free;          // first free entry
} list_sweep;

// ---- measures --------------------------------------------------------------------------------------------------

// Half of a face, infinite ones moved to the outermost finite face: differences of halves do not overflow.
static double half_face(const list_sweep *sweep, const double *faces, int32_t item, int number)
{
    int axis = sweep->axis[number];
    return cd_broad_finite(sweep->run->statistics, axis, faces[(int64_t)sweep->dim * item + axis]) / 2;
}

// The second axis across the sweep does not exist in a plane problem: all 0 there.
static double half_extent(const list_sweep *sweep, int32_t item, int number)
{
    if (number >= sweep->dim)
        return 0;
    const cd_broad_input *input = sweep->run->input;
    return half_face(sweep, input->max, item, number) - half_face(sweep, input->min, item, number);
}

static double half_range(const list_sweep *sweep, int number)
{
    const cd_broad_statistics *s = sweep->run->statistics;
    return number < sweep->dim ? s->high[sweep->axis[number]] / 2 - s->low[sweep->axis[number]] / 2 : 0;
}

static int exponent_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (int)(bits >> 52 & (EXPONENTS - 1));
}

static int class_of_box(const list_sweep *sweep, double width, double height)
{
    return sweep->class_of[exponent_of(width > height ? width : height)];
}

// ---- classes ---------------------------------------------------------------------------------------------------

// Adds the boxes of `from` to those of `to`.
static void merge_class(list_class *to, const list_class *from)
{
    double count = (double)(to->count + from->count), mine = (double)to->count / count, others = (double)from->count / count;
    for (int k = 0; k < 2; k++) {
        to->width_mean[k] = mine * to->width_mean[k] + others * from->width_mean[k];
        to->width_most[k] = fmax(to->width_most[k], from->width_most[k]);
    }
    to->length_mean = mine * to->length_mean + others * from->length_mean;
    to->count += from->count;
}

// Boxes held at once, were they spread evenly along the sweep.
static double held_about(const list_sweep *sweep, const list_class *class)
{
    double range = half_range(sweep, 0), part = range > 0 ? class->length_mean / range : 1;
    return (double)class->count * fmin(part, 1);
}

// Would the boxes of `finer` lengthen the lists of `coarser` by less than looking at cells of their own costs?
static bool is_better_merged(const list_sweep *sweep, const list_class *coarser, const list_class *finer)
{
    enum { COMPARISONS_WORTH = 6 };
    double held = held_about(sweep, finer);
    for (int k = 0; k < 2; k++) {
        double range = half_range(sweep, 1 + k);
        held *= range > 0 ? fmin(1, 2.5 * coarser->width_most[k] / range) : 1;
    }
    return held < COMPARISONS_WORTH;
}

// Classes from the widest boxes down.
static void make_classes(list_sweep *sweep, cd_arena *arena)
{
    int32_t count = sweep->run->input->count;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    list_class *octave = CD_ARENA_ZARRAY(arena, list_class, EXPONENTS);
    for (int32_t i = 0; i < count; i++) {
        double width = half_extent(sweep, i, 1), height = half_extent(sweep, i, 2), length = half_extent(sweep, i, 0);
        list_class *o = &octave[exponent_of(width > height ? width : height)];
        o->count++;
        o->width_mean[0] += (width - o->width_mean[0]) / (double)o->count;
        o->width_mean[1] += (height - o->width_mean[1]) / (double)o->count;
        o->length_mean += (length - o->length_mean) / (double)o->count;
        o->width_most[0] = width > o->width_most[0] ? width : o->width_most[0];
        o->width_most[1] = height > o->width_most[1] ? height : o->width_most[1];
    }
    int begun = EXPONENTS + CLASS_OCTAVES;
    for (int e = EXPONENTS - 1; e >= 0; e--) {
        if (octave[e].count == 0)
            continue;
        list_class *last = sweep->classes ? &sweep->class[sweep->classes - 1] : NULL;
        if (last && (begun - e < CLASS_OCTAVES || sweep->classes == CLASSES_MOST || is_better_merged(sweep, last, &octave[e]))) {
            merge_class(last, &octave[e]);
        } else {
            sweep->class[sweep->classes++] = octave[e];
            begun = e;
        }
        sweep->class_of[e] = (uint8_t)(sweep->classes - 1);
    }
    cd_arena_rewind(arena, mark);
}

// ---- grids -----------------------------------------------------------------------------------------------------

// Cells that a box looks at in the grid of `class`, in the mean over all boxes.
static double cells_mean(const list_sweep *sweep, const list_class *class, double axis_mean[2])
{
    double sum = 0, boxes = 0;
    axis_mean[0] = axis_mean[1] = 0;
    for (int c = 0; c < sweep->classes; c++) {
        const list_class *other = &sweep->class[c];
        double cells = 1;
        for (int k = 0; k < 2; k++) {
            double across = fmin(1 + class->reach[k] + other->width_mean[k] * class->scale[k], ldexp(1, class->fold_bits[k]));
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
        while (class->fold_bits[k] < 30 && ldexp(1, class->fold_bits[k]) < half_range(sweep, 1 + k) * class->scale[k] + 1)
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
    static const double WIDENED = 1.25, ROUNDING = 1e-5;
    double edge[2], axis_mean[2];
    for (int k = 0; k < 2; k++)
        edge[k] = fmax(WIDENED * class->width_most[k], half_range(sweep, 1 + k) * 0x1p-30);
    for (int round = 0; round < 64; round++) {
        for (int k = 0; k < 2; k++) {
            class->scale[k] = edge[k] > 1e-290 ? 1 / edge[k] : 0;
            class->reach[k] = class->width_most[k] * class->scale[k] + ROUNDING;
        }
        choose_fold(sweep, class, 1.5 * held_about(sweep, class));
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

// ---- lists -----------------------------------------------------------------------------------------------------

static inline list_entry *entry_at(const list_sweep *sweep, int32_t index)
{
    return &sweep->chunk[index >> CHUNK_BITS][index & (CHUNK - 1)];
}

// Cell number of a face, with an offset; faces lie in the scene, so numbers are not negative but by the offset.
static inline int32_t cell_of(const list_sweep *sweep, const list_class *class, int k, double face, double offset)
{
    if (1 + k >= sweep->dim)
        return 0;
    const cd_broad_statistics *s = sweep->run->statistics;
    int axis = sweep->axis[1 + k];
    double number = (cd_broad_finite(s, axis, face) / 2 - s->low[axis] / 2) * class->scale[k] - offset;
    return (int32_t)(number + 1) - 1;  // rounds down: offsets are at most one cell
}

static int32_t *bucket_of(const list_sweep *sweep, const list_class *class, const double *low)
{
    uint32_t column = (uint32_t)cell_of(sweep, class, 0, low[0], 0) & ((1u << class->fold_bits[0]) - 1);
    uint32_t row = (uint32_t)cell_of(sweep, class, 1, low[1], 0) & ((1u << class->fold_bits[1]) - 1);
    return &class->bucket[(row << class->fold_bits[0]) + column];
}

// Drops the entries that the plane has passed, all lists, and gives a class more buckets when its lists are long.
static void sweep_pool(list_sweep *sweep, double plane)
{
    int32_t live = 0;
    for (int c = 0; c < sweep->classes; c++) {
        list_class *class = &sweep->class[c];
        int32_t kept = NONE, kept_count = 0;
        for (size_t b = 0; b < (size_t)1 << (class->fold_bits[0] + class->fold_bits[1]); b++) {
            for (int32_t index = class->bucket[b], next; index != NONE; index = next) {
                list_entry *entry = entry_at(sweep, index);
                next = entry->next;
                bool is_passed = entry->end < plane;
                entry->next = is_passed ? sweep->free : kept;
                *(is_passed ? &sweep->free : &kept) = index;
                kept_count += !is_passed;
            }
            class->bucket[b] = NONE;
        }
        if (kept_count > (int64_t)1 << (class->fold_bits[0] + class->fold_bits[1])) {
            choose_fold(sweep, class, kept_count);
            clear_buckets(class, sweep->run->arena);
        }
        for (int32_t index = kept, next; index != NONE; index = next) {
            list_entry *entry = entry_at(sweep, index);
            next = entry->next;
            int32_t *bucket = bucket_of(sweep, class, entry->low);
            entry->next = *bucket;
            *bucket = index;
        }
        class->held = kept_count;
        live += kept_count;
    }
    sweep->limit = live > sweep->limit / 2 ? 2 * live : sweep->limit;
}

static int32_t new_entry(list_sweep *sweep, double plane)
{
    if (sweep->free == NONE && sweep->used >= sweep->limit)
        sweep_pool(sweep, plane);
    int32_t index = sweep->free;
    if (index != NONE) {
        sweep->free = entry_at(sweep, index)->next;
        return index;
    }
    index = sweep->used++;
    if ((index & (CHUNK - 1)) == 0)
        sweep->chunk[index >> CHUNK_BITS] = CD_ARENA_ARRAY(sweep->run->arena, list_entry, CHUNK);
    return index;
}

// Appends the pairs of `one` with the held boxes of a list; passed boxes leave it.
static int32_t meet_list(list_sweep *sweep, int32_t *link, const list_entry *one, double plane)
{
    cd_broad_pairs *pairs = sweep->run->pairs;
    int32_t passed = 0;
    while (*link != NONE) {
        list_entry *held = entry_at(sweep, *link);
        if (held->end < plane) {
            int32_t index = *link;
            *link = held->next;
            held->next = sweep->free;
            sweep->free = index;
            passed++;
            continue;
        }
        cd_broad_room(pairs, 1)[0] = (cd_box_pair){one->item, held->item};
        pairs->count += (one->low[0] <= held->high[0]) & (held->low[0] <= one->high[0]) & (one->low[1] <= held->high[1]) &
                        (held->low[1] <= one->high[1]);
        link = &held->next;
    }
    return passed;
}

static void meet_class(list_sweep *sweep, list_class *class, const list_entry *one, double plane)
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
            class->held -= meet_list(sweep, &row[(first[0] + x) & mask[0]], one, plane);
    }
}

static list_entry entry_of(const list_sweep *sweep, int32_t item)
{
    const cd_broad_input *input = sweep->run->input;
    const double *min = input->min + (int64_t)sweep->dim * item, *max = input->max + (int64_t)sweep->dim * item;
    list_entry entry = {.end = max[sweep->axis[0]], .item = item, .next = NONE};
    for (int k = 0; k < sweep->dim - 1; k++) {
        entry.low[k] = min[sweep->axis[1 + k]];
        entry.high[k] = max[sweep->axis[1 + k]];
    }
    return entry;
}

static void find(const cd_broad_run *run)
{
    enum { AHEAD = 12 };
    const cd_broad_input *input = run->input;
    int32_t count = input->count;
    list_sweep sweep = {.run = run, .dim = input->dim, .limit = 4 * CHUNK, .free = NONE};
    int axis = cd_broad_sparsest_axis(run->statistics, input->dim);
    for (int k = 0; k < 3; k++)
        sweep.axis[k] = k < input->dim ? (axis + k) % input->dim : 2;
    uint32_t *order = cd_broad_sort_faces(input, axis, count, run->arena);
    make_classes(&sweep, run->arena);
    for (int c = 0; c < sweep.classes; c++) {
        choose_cells(&sweep, &sweep.class[c]);
        clear_buckets(&sweep.class[c], run->arena);
    }
    sweep.chunk = CD_ARENA_ARRAY(run->arena, list_entry *, count / CHUNK + 1);
    for (int32_t i = 0; i < count && !cd_broad_is_full(run, 0); i++) {
        if (i + AHEAD < count) {
            int64_t later = (int64_t)input->dim * order[i + AHEAD];
            __builtin_prefetch(input->min + later);
            __builtin_prefetch(input->max + later);
        }
        int32_t item = (int32_t)order[i];
        list_entry one = entry_of(&sweep, item);
        double plane = input->min[(int64_t)input->dim * item + axis];
        int64_t before = run->pairs->count;
        for (int c = 0; c < sweep.classes; c++)
            if (sweep.class[c].held > 0)
                meet_class(&sweep, &sweep.class[c], &one, plane);
        cd_broad_keep_wanted(input, run->pairs, before);
        list_class *own = &sweep.class[class_of_box(&sweep, half_extent(&sweep, item, 1), half_extent(&sweep, item, 2))];
        int32_t index = new_entry(&sweep, plane);
        int32_t *bucket = bucket_of(&sweep, own, one.low);
        one.next = *bucket;
        *entry_at(&sweep, index) = one;
        *bucket = index;
        own->held++;
    }
}

const cd_broad_method cd_broad_sweep_list = {
    "sweep-list",
    "sweep plane over hashed cells with lists, by size classes",
    "O(n log n + k + n classes) for boxes spread evenly; up to the boxes held at once for one where they are not",
    "20 while sorting, then 4 and at most 64 for each box cut at once",
    "the sweep plane with a hashed 2-D list of Koziara's Solfec-1.0; folded hash and size classes are ours",
    find,
    NULL};
