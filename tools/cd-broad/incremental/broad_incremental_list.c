// The list of timed pairs of `incremental` and the tree of bounds that keeps it complete: made for all boxes at once,
// corrected for single ones.
// SPDX-License-Identifier: MIT
#include "broad_incremental.h"

enum {
    MORTON_BITS = 10,  // an axis
    SHORT_ROW = 48,    // pairs of a box, up to which insertion sort is the fastest
    THREAD_PAIRS = 100000,
    THREAD_BOXES = 20000,
};

typedef struct kernels {
    cd_timed_query *query;
    cd_timed_join *join;
    cd_timed_emit *emit;
} kernels;

static kernels kernels_for(cd_vector_level level)
{
#if defined(__x86_64__)
    if (level >= CD_VECTOR_AVX512)
        return (kernels){cd_timed_query_avx512, cd_timed_join_avx512, cd_timed_emit_avx512};
    if (level >= CD_VECTOR_AVX2)
        return (kernels){cd_timed_query_avx2, cd_timed_join_avx2, cd_timed_emit_avx2};
#endif
    (void)level;
    return (kernels){cd_timed_query_portable, cd_timed_join_portable, cd_timed_emit_portable};
}

// ---- tree ----------------------------------------------------------------------------------------------------------

static void free_tree(cd_timed_tree *tree)
{
    for (int l = 0; l < CD_TIMED_LEVELS; l++)
        cd_free(tree->level[l]);
    cd_free(tree->item);
    *tree = (cd_timed_tree){0};
}

static void set_lane(cd_timed_node *node, int lane, const cd_timed_bounds *bounds)
{
    for (int axis = 0; axis < 3; axis++) {
        node->min[axis][lane] = bounds->min[axis];
        node->max[axis][lane] = bounds->max[axis];
    }
}

static cd_timed_bounds node_bounds(const cd_timed_node *node)
{
    cd_timed_bounds all;
    for (int axis = 0; axis < 3; axis++) {
        all.min[axis] = node->min[axis][0];
        all.max[axis] = node->max[axis][0];
        for (int lane = 1; lane < CD_TIMED_LANES; lane++) {
            all.min[axis] = node->min[axis][lane] < all.min[axis] ? node->min[axis][lane] : all.min[axis];
            all.max[axis] = node->max[axis][lane] > all.max[axis] ? node->max[axis][lane] : all.max[axis];
        }
    }
    return all;
}

static const cd_timed_bounds empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static cd_timed_node *allocate_level(cd_timed_tree *tree, int level, int32_t entries)
{
    tree->nodes[level] = (entries + CD_TIMED_LANES - 1) / CD_TIMED_LANES;
    tree->level[level] = cd_alloc_aligned((size_t)tree->nodes[level] * sizeof(cd_timed_node));
    for (int32_t k = entries; k < tree->nodes[level] * CD_TIMED_LANES; k++)
        set_lane(&tree->level[level][k / CD_TIMED_LANES], k % CD_TIMED_LANES, &empty);
    tree->levels = level + 1;
    return tree->level[level];
}

// The bits of x with two zeros between each.
static uint64_t spread(uint32_t x)
{
    uint64_t y = x & 1023;
    y = (y | y << 16) & 0x30000ff;
    y = (y | y << 8) & 0x300f00f;
    y = (y | y << 4) & 0x30c30c3;
    return (y | y << 2) & 0x9249249;
}

// Boxes along a Morton curve through the middles of their bounds, 16 neighbours a node.
static void make_tree(cd_timed_tree *tree, const cd_timed_motion *motion, const cd_broad_run *run)
{
    int32_t count = motion->count;
    free_tree(tree);
    cd_arena_mark mark = cd_arena_get_mark(run->arena);
    uint64_t *key = CD_ARENA_ARRAY(run->arena, uint64_t, count);
    double scale[3] = {0, 0, 0}, half[3];
    for (int axis = 0; axis < motion->dim; axis++) {
        half[axis] = run->statistics->high[axis] / 2 - run->statistics->low[axis] / 2;
        scale[axis] = half[axis] > 0 ? (1 << MORTON_BITS) / (2 * half[axis]) : 0;
    }
    for (int32_t i = 0; i < count; i++) {
        cd_timed_bounds b = cd_timed_motion_bounds(motion, i);
        uint64_t code = 0;
        for (int axis = 0; axis < motion->dim; axis++) {
            double place = ((double)b.min[axis] / 2 + (double)b.max[axis] / 2 + half[axis]) * scale[axis];
            place = place < 0 ? 0 : place > (1 << MORTON_BITS) - 1 ? (1 << MORTON_BITS) - 1 : place;
            code |= spread((uint32_t)place) << axis;
        }
        key[i] = code << 32 | (uint32_t)i;
    }
    cd_sort_keys(key, count, run->arena);
    size_t slots = ((size_t)count + CD_TIMED_LANES - 1) / CD_TIMED_LANES * CD_TIMED_LANES;  // whole nodes are read
    tree->item = cd_alloc(slots * sizeof *tree->item);
    for (size_t k = 0; k < slots; k++)
        tree->item[k] = k < (size_t)count ? (int32_t)(key[k] & UINT32_MAX) : 0;
    cd_arena_rewind(run->arena, mark);
    cd_timed_node *node = allocate_level(tree, 0, count);
    for (int32_t k = 0; k < count; k++) {
        cd_timed_bounds b = cd_timed_motion_bounds(motion, tree->item[k]);
        set_lane(&node[k / CD_TIMED_LANES], k % CD_TIMED_LANES, &b);
    }
    for (int level = 0; tree->nodes[level] > 1; level++) {
        cd_timed_node *above = allocate_level(tree, level + 1, tree->nodes[level]);
        for (int32_t k = 0; k < tree->nodes[level]; k++) {
            cd_timed_bounds b = node_bounds(&tree->level[level][k]);
            set_lane(&above[k / CD_TIMED_LANES], k % CD_TIMED_LANES, &b);
        }
    }
}

// New bounds of the box in a slot; the nodes above only grow.
static void move_slot(cd_timed_tree *tree, int32_t slot, const cd_timed_bounds *bounds)
{
    set_lane(&tree->level[0][slot / CD_TIMED_LANES], slot % CD_TIMED_LANES, bounds);
    for (int level = 1; level < tree->levels; level++) {
        slot /= CD_TIMED_LANES;
        cd_timed_node *node = &tree->level[level][slot / CD_TIMED_LANES];
        int lane = slot % CD_TIMED_LANES;
        for (int axis = 0; axis < 3; axis++) {
            node->min[axis][lane] = fminf(node->min[axis][lane], bounds->min[axis]);
            node->max[axis][lane] = fmaxf(node->max[axis][lane], bounds->max[axis]);
        }
    }
}

// ---- making the list -----------------------------------------------------------------------------------------------
//
// The pairs that the tree finds are some 3.3 times those of a frame, so they are not kept: a join hands them on by the
// thousand, and is run twice. First the pairs that meet within the list's life are counted, by their lower box. Then
// each is put into the row of that box, with its ticks, and rows are sorted. So nothing but the list itself takes
// memory, and that is as long as it must be.

static void free_list(cd_timed_list *list)
{
    cd_region_release(&list->memory);
    cd_free(list->first);
    cd_free(list->extra);
    *list = (cd_timed_list){0};
}

void cd_timed_tracker_drop(cd_timed_tracker *t)
{
    free_tree(&t->tree);
    free_list(&t->list);
    t->strayed = 0;
}

void cd_timed_tracker_free(cd_timed_tracker *t)
{
    cd_timed_motion_free(&t->motion);
    cd_timed_tracker_drop(t);
}

enum { CACHED_NODES = 512 };

// A worker of both joins. The second one finds the same pairs in the same order.
typedef struct make_worker {
    const struct make_job *job;
    int64_t found;    // pairs that meet
    cd_buffer meets;  // of each 64 pairs that are wanted, a bit for each that meets
    size_t read;      // of these, by the second join
    int waiting;
    cd_box_pair slots[CD_TIMED_BATCH];  // pairs that are wanted
    cd_timed_batch batch;
    // Motions of the boxes of nodes that were met last: a node meets some 14 others, which the next one meets too, and
    // the motions of its 16 boxes lie anywhere in memory.
    int32_t cached[CACHED_NODES];
    cd_timed_row row[CACHED_NODES][CD_TIMED_LANES];
} make_worker;

typedef struct make_job {
    cd_timed_tracker *tracker;
    const cd_broad_run *run;
    int threads;
    int64_t most;
    make_worker *worker;  // [threads]
    // While the list is made, pairs are numbers in the memory of its blocks: upper box << 32 | ticks, a byte an end.
    uint64_t *entry;
} make_job;

static const cd_timed_row *row_of_slot(make_worker *worker, int32_t slot)
{
    const cd_timed_tracker *t = worker->job->tracker;
    int32_t node = slot / CD_TIMED_LANES, place = node % CACHED_NODES;
    if (worker->cached[place] != node) {
        worker->cached[place] = node;
        for (int lane = 0; lane < CD_TIMED_LANES; lane++)
            worker->row[place][lane] = cd_timed_motion_row(&t->motion, t->tree.item[node * CD_TIMED_LANES + lane]);
    }
    return &worker->row[place][slot % CD_TIMED_LANES];
}

// Workers may meet at one counter; the locked instruction is some 20 cycles.
static inline int32_t add_one(int32_t *counter, bool is_alone)
{
    return is_alone ? (*counter)++ : __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

static void add_to_batch(make_worker *worker, cd_box_pair slots)
{
    const int32_t *item = worker->job->tracker->tree.item;
    int32_t one = item[slots.a], other = item[slots.b];
    cd_box_pair pair = {one < other ? one : other, one < other ? other : one};
    cd_timed_row row = *row_of_slot(worker, slots.a);  // a copy: the other node may take its place
    cd_timed_batch_add(&worker->batch, pair, &row, row_of_slot(worker, slots.b));
}

// first[a + 2]: pairs of box a.
static void count_waiting(make_worker *worker)
{
    const make_job *job = worker->job;
    int32_t *first = job->tracker->list.first;
    for (int k = 0; k < worker->waiting; k++)
        add_to_batch(worker, worker->slots[k]);
    uint64_t meets = cd_timed_motion_meet(&job->tracker->motion, &worker->batch);
    cd_buffer_append(&worker->meets, &meets, sizeof meets);
    worker->found += __builtin_popcountll(meets);
    for (; meets; meets &= meets - 1)
        add_one(&first[worker->batch.pair[__builtin_ctzll(meets)].a + 2], job->threads == 1);
    worker->batch.count = worker->waiting = 0;
}

// first[a + 1]: where the next pair of box a goes.
static void place_batch(make_worker *worker)
{
    const make_job *job = worker->job;
    cd_timed_batch *batch = &worker->batch;
    int32_t *first = job->tracker->list.first;
    uint8_t tick[CD_TIMED_ENDS][CD_TIMED_BATCH];
    cd_timed_motion_ticks(&job->tracker->motion, batch, tick);
    for (int k = 0; k < batch->count; k++) {
        uint64_t entry = (uint64_t)batch->pair[k].b << 32;
        for (int end = 0; end < CD_TIMED_ENDS; end++)
            entry |= (uint64_t)tick[end][k] << (8 * end);
        job->entry[add_one(&first[batch->pair[k].a + 1], job->threads == 1)] = entry;
    }
    batch->count = 0;
}

static void place_waiting(make_worker *worker)
{
    uint64_t meets;
    memcpy(&meets, worker->meets.data + worker->read, sizeof meets);
    worker->read += sizeof meets;
    for (; meets; meets &= meets - 1) {
        add_to_batch(worker, worker->slots[__builtin_ctzll(meets)]);
        if (worker->batch.count == CD_TIMED_BATCH)
            place_batch(worker);
    }
    worker->waiting = 0;
}

static inline bool take_pairs(make_worker *worker, const cd_box_pair *slots, int count, bool is_second)
{
    const int32_t *item = worker->job->tracker->tree.item;
    const cd_broad_input *input = worker->job->run->input;
    bool wants_all = cd_broad_wants_all(input);
    for (int k = 0; k < count; k++) {
        worker->slots[worker->waiting] = slots[k];
        worker->waiting += wants_all || cd_broad_wanted(input, item[slots[k].a], item[slots[k].b]);
        if (worker->waiting == CD_TIMED_BATCH)
            (is_second ? place_waiting : count_waiting)(worker);
    }
    return worker->found <= worker->job->most;
}

static bool count_pairs(void *context, const cd_box_pair *slots, int count)
{
    return take_pairs(context, slots, count, false);
}

static bool place_pairs(void *context, const cd_box_pair *slots, int count)
{
    return take_pairs(context, slots, count, true);
}

static void join_share(make_worker *worker, cd_timed_sink *sink)
{
    const make_job *job = worker->job;
    cd_share share = cd_threads_share(job->tracker->tree.nodes[0], job->threads, (int)(worker - job->worker));
    kernels_for(job->run->tuning.vector)
        .join(&job->tracker->tree, (int32_t)share.begin, (int32_t)share.end, sink, worker);
}

static void count_share(void *context, int w)
{
    make_worker *worker = &((make_job *)context)->worker[w];
    join_share(worker, count_pairs);
    count_waiting(worker);
}

static void place_share(void *context, int w)
{
    make_worker *worker = &((make_job *)context)->worker[w];
    join_share(worker, place_pairs);
    place_waiting(worker);
    place_batch(worker);
}

static void sort_rows(void *context, int worker)
{
    const make_job *job = context;
    const int32_t *first = job->tracker->list.first;
    cd_share share = cd_threads_share(job->run->input->count, job->threads, worker);
    for (int64_t box = share.begin; box < share.end; box++) {
        uint64_t *row = job->entry + first[box];
        int32_t count = first[box + 1] - first[box];
        for (int32_t i = 1; i < count && count <= SHORT_ROW; i++) {
            uint64_t entry = row[i];
            int32_t k = i;
            for (; k > 0 && row[k - 1] > entry; k--)
                row[k] = row[k - 1];
            row[k] = entry;
        }
    }
}

static void sort_long_rows(const make_job *job)
{
    const int32_t *first = job->tracker->list.first;
    for (int32_t box = 0; box < job->run->input->count; box++)
        if (first[box + 1] - first[box] > SHORT_ROW)
            cd_sort_keys(job->entry + first[box], first[box + 1] - first[box], job->run->arena);
}

// From entries to columns, each block in its place.
static void make_blocks(void *context, int worker)
{
    const make_job *job = context;
    cd_timed_list *list = &job->tracker->list;
    cd_share share = cd_threads_share(cd_timed_blocks(list->count), job->threads, worker);
    for (int64_t b = share.begin; b < share.end; b++) {
        uint64_t entry[CD_TIMED_BLOCK];
        const uint64_t none = CD_TIMED_NEVER << (8 * CD_TIMED_MAYBE_FROM) | CD_TIMED_NEVER << (8 * CD_TIMED_SURE_FROM);
        int64_t begin = CD_TIMED_BLOCK * b, count = list->count - begin;
        count = count < CD_TIMED_BLOCK ? count : CD_TIMED_BLOCK;
        for (int k = 0; k < CD_TIMED_BLOCK; k++)
            entry[k] = k < count ? job->entry[begin + k] : none;
        cd_timed_block *block = &list->block[b];
        for (int k = 0; k < CD_TIMED_BLOCK; k++)
            block->upper[k] = (int32_t)(entry[k] >> 32);
        for (int end = 0; end < CD_TIMED_ENDS; end++)
            for (int k = 0; k < CD_TIMED_BLOCK; k++)
                block->tick[end][k] = (uint8_t)(entry[k] >> (8 * end));
    }
}

static void fill_list(make_job *job, int64_t found)
{
    cd_timed_list *list = &job->tracker->list;
    for (int32_t box = 1; box <= job->run->input->count; box++)
        list->first[box + 1] += list->first[box];
    list->count = (int32_t)found;
    cd_region_reserve(&list->memory, 0, (size_t)cd_timed_blocks(list->count) * sizeof *list->block);
    list->block = list->memory.data;
    job->entry = list->memory.data;
    cd_threads_run(job->threads, place_share, job);
    cd_threads_run(job->threads, sort_rows, job);
    sort_long_rows(job);
    cd_threads_run(job->threads, make_blocks, job);
    list->extra_most = (int32_t)((job->most - found) / 2);
}

bool cd_timed_tracker_make(cd_timed_tracker *t, const cd_broad_run *run, int64_t most)
{
    int32_t count = run->input->count;
    cd_timed_list *list = &t->list;
    cd_timed_tracker_drop(t);
    make_tree(&t->tree, &t->motion, run);
    cd_arena_mark mark = cd_arena_get_mark(run->arena);
    most = most < INT32_MAX - CD_TIMED_BLOCK ? most : INT32_MAX - CD_TIMED_BLOCK;
    make_job job = {t, run, cd_threads_for(run->tuning.threads, count, THREAD_BOXES), most, NULL, NULL};
    job.worker = CD_ARENA_ZARRAY(run->arena, make_worker, job.threads);
    for (int w = 0; w < job.threads; w++) {
        job.worker[w].job = &job;
        memset(job.worker[w].cached, 255, sizeof job.worker[w].cached);  // -1: none
    }
    list->first = cd_alloc(((size_t)count + 2) * sizeof *list->first);
    memset(list->first, 0, ((size_t)count + 2) * sizeof *list->first);
    cd_threads_run(job.threads, count_share, &job);
    int64_t found = 0;
    for (int w = 0; w < job.threads; w++)
        found += job.worker[w].found;
    if (found <= most)
        fill_list(&job, found);
    else
        cd_timed_tracker_drop(t);
    for (int w = 0; w < job.threads; w++)
        cd_buffer_release(&job.worker[w].meets);
    cd_arena_rewind(run->arena, mark);
    return found <= most;
}

// ---- corrections ---------------------------------------------------------------------------------------------------

static inline int32_t upper_at(const cd_timed_list *list, int32_t position)
{
    return list->block[position / CD_TIMED_BLOCK].upper[position % CD_TIMED_BLOCK];
}

static void end_pair(cd_timed_list *list, int32_t position)
{
    cd_timed_block *block = &list->block[position / CD_TIMED_BLOCK];
    int k = position % CD_TIMED_BLOCK;
    block->tick[CD_TIMED_MAYBE_FROM][k] = block->tick[CD_TIMED_SURE_FROM][k] = CD_TIMED_NEVER;
}

// Position in the list of the first pair that is not before (a, b).
static int32_t position_of(const cd_timed_list *list, cd_box_pair pair)
{
    int32_t from = list->first[pair.a], to = list->first[pair.a + 1];
    while (from < to) {
        int32_t middle = from + (to - from) / 2;
        if (upper_at(list, middle) < pair.b)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

// Ends all pairs of the box in the list and returns its slot.
static int32_t end_pairs(cd_timed_tracker *t, int32_t box, cd_timed_query *query, int32_t *slot)
{
    cd_timed_list *list = &t->list;
    cd_timed_bounds bounds = cd_timed_motion_bounds(&t->motion, box);
    int32_t found = query(&t->tree, &bounds, slot), own = -1;
    for (int32_t k = 0; k < found; k++) {
        int32_t other = t->tree.item[slot[k]];
        if (other == box)
            own = slot[k];
        if (other >= box)
            continue;
        int32_t at = position_of(list, (cd_box_pair){other, box});
        if (at < list->first[other + 1] && upper_at(list, at) == box)
            end_pair(list, at);
    }
    for (int32_t at = list->first[box]; at < list->first[box + 1]; at++)
        end_pair(list, at);
    return own;
}

typedef CD_LIST(uint64_t) key_list;

// Pairs of a box that strayed, as keys a << 32 | b. Those of two such boxes come from the lower one.
static void collect_pairs(const cd_timed_tracker *t, const cd_broad_run *run, int32_t box, cd_timed_query *query,
                          int32_t *slot, cd_arena *arena, key_list *keys)
{
    cd_timed_bounds bounds = cd_timed_motion_bounds(&t->motion, box);
    int32_t found = query(&t->tree, &bounds, slot);
    for (int32_t k = 0; k < found; k++) {
        int32_t other = t->tree.item[slot[k]];
        bool is_twice = t->motion.born[other] == t->motion.tick && other <= box;
        if (is_twice || !cd_broad_wanted(run->input, box, other))
            continue;
        uint64_t a = (uint64_t)(other < box ? other : box), b = (uint64_t)(other < box ? box : other);
        cd_list_push(arena, keys, a << 32 | b);
    }
}

static inline cd_box_pair pair_of(uint64_t key)
{
    return (cd_box_pair){(int32_t)(key >> 32), (int32_t)(key & UINT32_MAX)};
}

static inline uint64_t key_of(cd_box_pair pair) { return (uint64_t)(uint32_t)pair.a << 32 | (uint32_t)pair.b; }

static void drop_strayed_extras(cd_timed_tracker *t)
{
    cd_timed_list *list = &t->list;
    const uint8_t *born = t->motion.born;
    int32_t kept = 0;
    for (int32_t k = 0; k < list->extra_count; k++) {
        cd_timed_extra extra = list->extra[k];
        list->extra[kept] = extra;
        kept += born[extra.pair.a] != t->motion.tick && born[extra.pair.b] != t->motion.tick;
    }
    list->extra_count = kept;
}

// Extra pairs of the keys that meet, in the order of these; returns how many.
static int32_t make_extras(const cd_timed_tracker *t, const key_list *keys, cd_timed_extra *extra)
{
    cd_timed_batch batch = {0};
    int32_t count = 0;
    for (int32_t next = 0; next < keys->count;) {
        for (batch.count = 0; batch.count < CD_TIMED_BATCH && next < keys->count; next++) {
            cd_box_pair pair = pair_of(keys->item[next]);
            cd_timed_row a = cd_timed_motion_row(&t->motion, pair.a), b = cd_timed_motion_row(&t->motion, pair.b);
            cd_timed_batch_add(&batch, pair, &a, &b);
        }
        uint8_t tick[CD_TIMED_ENDS][CD_TIMED_BATCH];
        cd_timed_motion_ticks(&t->motion, &batch, tick);
        for (int k = 0; k < batch.count; k++) {
            if (tick[CD_TIMED_MAYBE_FROM][k] == CD_TIMED_NEVER)
                continue;
            extra[count].pair = batch.pair[k];
            extra[count].before = position_of(&t->list, batch.pair[k]);
            for (int end = 0; end < CD_TIMED_ENDS; end++)
                extra[count].tick[end] = tick[end][k];
            count++;
        }
    }
    return count;
}

// Adds extra pairs to those there are, in order, from the last one on so that all stay in one place. False: too many.
static bool merge_extras(cd_timed_list *list, const cd_timed_extra *fresh, int32_t fresh_count)
{
    int64_t total = (int64_t)list->extra_count + fresh_count;
    if (total > list->extra_most)
        return false;
    if (total > list->extra_capacity) {
        int64_t room = total + total / 4 + 64;
        list->extra_capacity = room < list->extra_most ? (int32_t)room : list->extra_most;
        list->extra = cd_realloc(list->extra, (size_t)list->extra_capacity * sizeof *list->extra);
    }
    int32_t old = list->extra_count - 1, new = fresh_count - 1;
    list->extra_count = (int32_t)total;
    for (int32_t to = (int32_t)total - 1; new >= 0; to--) {
        bool is_old = old >= 0 && key_of(list->extra[old].pair) > key_of(fresh[new].pair);
        list->extra[to] = is_old ? list->extra[old] : fresh[new];
        old -= is_old;
        new -= !is_old;
    }
    return true;
}

bool cd_timed_tracker_correct(cd_timed_tracker *t, const cd_broad_run *run, const int32_t *box, int32_t count)
{
    cd_arena *arena = run->arena;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_timed_query *query = kernels_for(run->tuning.vector).query;
    int32_t *slot = CD_ARENA_ARRAY(arena, int32_t, t->motion.count), *own = CD_ARENA_ARRAY(arena, int32_t, count);
    bool is_right = true;
    for (int32_t k = 0; k < count; k++)
        own[k] = end_pairs(t, box[k], query, slot);
    for (int32_t k = 0; k < count; k++) {
        is_right &= cd_timed_motion_correct(&t->motion, run->input, box[k]);
        cd_timed_bounds bounds = cd_timed_motion_bounds(&t->motion, box[k]);
        move_slot(&t->tree, own[k], &bounds);
    }
    key_list keys = {0};
    for (int32_t k = 0; k < count && is_right; k++)
        collect_pairs(t, run, box[k], query, slot, arena, &keys);
    if (is_right) {
        cd_sort_keys(keys.item, keys.count, arena);
        cd_timed_extra *extra = CD_ARENA_ARRAY(arena, cd_timed_extra, keys.count);
        drop_strayed_extras(t);
        is_right = merge_extras(&t->list, extra, make_extras(t, &keys, extra));
        t->strayed += count;
    }
    cd_arena_rewind(arena, mark);
    return is_right;
}

// ---- the pairs of a frame ------------------------------------------------------------------------------------------

typedef struct emit_job {
    const cd_timed_tracker *tracker;
    const cd_broad_run *run;
    int threads;
} emit_job;

// The first extra pair that belongs at `position` or later.
static int32_t extra_from(const cd_timed_list *list, int64_t position)
{
    int32_t from = 0, to = list->extra_count;
    while (from < to) {
        int32_t middle = from + (to - from) / 2;
        if (list->extra[middle].before < position)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

// The box that the pair at `position`, which there is, belongs to.
static int32_t row_of(const cd_timed_list *list, int32_t boxes, int64_t position)
{
    int32_t from = 0, to = boxes;  // the last box whose row begins at `position` or before
    while (to - from > 1) {
        int32_t middle = from + (to - from) / 2;
        if (list->first[middle] <= position)
            from = middle;
        else
            to = middle;
    }
    return from;
}

static void emit_share(void *context, int worker)
{
    const emit_job *job = context;
    const cd_timed_list *list = &job->tracker->list;
    cd_share share = cd_threads_share(cd_timed_blocks(list->count), job->threads, worker);
    int64_t begin = CD_TIMED_BLOCK * share.begin, end = CD_TIMED_BLOCK * share.end;
    cd_timed_part part = {(int32_t)share.begin, (int32_t)share.end, 0, extra_from(list, begin), extra_from(list, end)};
    part.lower = begin < list->count ? row_of(list, job->run->input->count, begin) : 0;
    kernels_for(job->run->tuning.vector)
        .emit(list, part, job->tracker->motion.tick, job->run->input, &job->run->pairs[worker]);
}

void cd_timed_tracker_emit(const cd_timed_tracker *t, const cd_broad_run *run)
{
    emit_job job = {t, run, cd_threads_for(run->tuning.threads, t->list.count, THREAD_PAIRS)};
    cd_threads_run(job.threads, emit_share, &job);
}
