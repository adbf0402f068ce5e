// The list of timed pairs of `incremental` and the tree of bounds that keeps it complete: made for all boxes at once,
// corrected for single ones.
// SPDX-License-Identifier: MIT
#include "broad_find.h"
#include "broad_incremental.h"

enum {
    MORTON_BITS = 10,  // an axis
    READABLE = 64,     // entries behind the last pair
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

// ---- tree ------------------------------------------------------------------------------------------------------

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
    cd_timed_node *node = allocate_level(tree, 0, count);
    tree->item = cd_alloc((size_t)tree->nodes[0] * CD_TIMED_LANES * sizeof *tree->item);  // whole nodes are read
    memset(tree->item + count, 0, ((size_t)tree->nodes[0] * CD_TIMED_LANES - (size_t)count) * sizeof *tree->item);
    for (int32_t k = 0; k < count; k++) {
        tree->item[k] = (int32_t)(key[k] & UINT32_MAX);
        cd_timed_bounds b = cd_timed_motion_bounds(motion, tree->item[k]);
        set_lane(&node[k / CD_TIMED_LANES], k % CD_TIMED_LANES, &b);
    }
    cd_arena_rewind(run->arena, mark);
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

// ---- making the list -------------------------------------------------------------------------------------------

static void free_list(cd_timed_list *list)
{
    cd_free(list->pair);
    for (int end = 0; end < CD_TIMED_ENDS; end++)
        cd_free(list->tick[end]);
    cd_free(list->extra);
    *list = (cd_timed_list){0};
}

static void free_raw(cd_timed_tracker *t)
{
    for (int w = 0; w < t->raw_lists; w++)
        cd_region_release(&(cd_region){t->raw[w].item, t->raw[w].bytes});
    cd_free(t->raw);
    t->raw = NULL;
    t->raw_lists = 0;
}

static void reserve_raw(cd_timed_tracker *t, int lists)
{
    if (lists <= t->raw_lists)
        return;
    free_raw(t);
    t->raw = cd_alloc((size_t)lists * sizeof *t->raw);
    memset(t->raw, 0, (size_t)lists * sizeof *t->raw);
    t->raw_lists = lists;
}

void cd_timed_tracker_free(cd_timed_tracker *t)
{
    cd_timed_motion_free(&t->motion);
    free_tree(&t->tree);
    free_list(&t->list);
    cd_free(t->first);
    free_raw(t);
    t->first = NULL;
}

static void reserve(cd_timed_list *list, int64_t count)
{
    if (list->pair && count <= list->capacity)  // an empty list has its readable tail too
        return;
    list->capacity = count + count / 2 + 4096;
    list->pair = cd_realloc(list->pair, (size_t)(list->capacity + READABLE) * sizeof *list->pair);
    for (int end = 0; end < CD_TIMED_ENDS; end++)
        list->tick[end] = cd_realloc(list->tick[end], (size_t)(list->capacity + READABLE));
}

typedef struct make_job {
    cd_timed_tracker *tracker;
    const cd_broad_run *run;
    const cd_broad_result *result;
    cd_timed_row *rows;            // of the boxes
    int64_t *kept;                 // [threads] pairs at the front of a worker's share
    int threads;
} make_job;

static void join_share(void *context, int worker)
{
    const make_job *job = context;
    const cd_timed_tree *tree = &job->tracker->tree;
    cd_share share = cd_threads_share(tree->nodes[0], job->threads, worker);
    kernels_for(job->run->tuning.vector)
        .join(tree, (int32_t)share.begin, (int32_t)share.end, job->run->input, &job->tracker->raw[worker]);
}

static int32_t box_of(const cd_broad_result *result, int32_t boxes, int64_t pair)
{
    int32_t from = 0, to = boxes;  // the last box whose pairs begin at `pair` or before
    while (to - from > 1) {
        int32_t middle = from + (to - from) / 2;
        if (result->first[middle] <= pair)
            from = middle;
        else
            to = middle;
    }
    return from;
}

// Pairs of a share with their ticks; those that never meet go.
static void time_share(void *context, int worker)
{
    const make_job *job = context;
    const cd_broad_result *result = job->result;
    cd_timed_list *list = &job->tracker->list;
    cd_share share = cd_threads_share(result->count, job->threads, worker);
    uint8_t tick[CD_TIMED_ENDS][CD_TIMED_BATCH];
    cd_box_pair pair[CD_TIMED_BATCH];
    int64_t kept = share.begin;
    int32_t a = box_of(result, job->run->input->count, share.begin);
    for (int64_t from = share.begin; from < share.end; from += CD_TIMED_BATCH) {
        int count = share.end - from < CD_TIMED_BATCH ? (int)(share.end - from) : CD_TIMED_BATCH;
        for (int k = 0; k < count; k++) {
            while (result->first[a + 1] <= from + k)
                a++;
            pair[k] = (cd_box_pair){a, result->other[from + k]};
        }
        cd_timed_motion_ticks(&job->tracker->motion, job->rows, pair, count, tick);
        for (int k = 0; k < count; k++) {
            list->pair[kept] = pair[k];
            for (int end = 0; end < CD_TIMED_ENDS; end++)
                list->tick[end][kept] = tick[end][k];
            kept += tick[CD_TIMED_MAYBE_FROM][k] != CD_TIMED_NEVER;
        }
    }
    job->kept[worker] = kept - share.begin;
}

static void join_shares(const make_job *job)
{
    cd_timed_list *list = &job->tracker->list;
    list->count = 0;
    for (int w = 0; w < job->threads; w++) {
        int64_t begin = cd_threads_share(job->result->count, job->threads, w).begin, kept = job->kept[w];
        memmove(list->pair + list->count, list->pair + begin, (size_t)kept * sizeof *list->pair);
        for (int end = 0; end < CD_TIMED_ENDS; end++)
            memmove(list->tick[end] + list->count, list->tick[end] + begin, (size_t)kept);
        list->count += kept;
    }
    memset(list->pair + list->count, 0, READABLE * sizeof *list->pair);
    for (int end = 0; end < CD_TIMED_ENDS; end++)
        memset(list->tick[end] + list->count, 0, READABLE);
}

static void make_rows(cd_timed_tracker *t, int32_t boxes)
{
    cd_free(t->first);
    t->first = cd_alloc(((size_t)boxes + 1) * sizeof *t->first);
    int32_t box = 0;
    for (int64_t k = 0; k < t->list.count; k++)
        for (; box <= t->list.pair[k].a; box++)
            t->first[box] = (int32_t)k;
    for (; box <= boxes; box++)
        t->first[box] = (int32_t)t->list.count;
}

bool cd_timed_tracker_make(cd_timed_tracker *t, const cd_broad_run *run, int64_t most)
{
    int32_t count = run->input->count;
    cd_arena_mark mark = cd_arena_get_mark(run->arena);
    make_job job = {.tracker = t, .run = run, .threads = cd_threads_for(run->tuning.threads, count, THREAD_BOXES)};
    reserve_raw(t, job.threads);
    job.kept = CD_ARENA_ARRAY(run->arena, int64_t, job.threads);
    make_tree(&t->tree, &t->motion, run);
    for (int w = 0; w < job.threads; w++)
        t->raw[w] = (cd_broad_pairs){.item = t->raw[w].item, .bytes = t->raw[w].bytes, .limit = most};
    cd_threads_run(job.threads, join_share, &job);
    int64_t total = 0;
    for (int w = 0; w < job.threads; w++)
        total += t->raw[w].is_full ? most + 1 : t->raw[w].count;
    bool is_made = total <= most;
    if (is_made) {
        cd_broad_result result = cd_broad_order(t->raw, job.threads, count, run->tuning.vector, run->arena);
        job.result = &result;
        reserve(&t->list, result.count);
        job.rows = CD_ARENA_ARRAY(run->arena, cd_timed_row, count);
        for (int32_t i = 0; i < count; i++)
            job.rows[i] = cd_timed_motion_row(&t->motion, i);
        cd_threads_run(job.threads, time_share, &job);
        join_shares(&job);
        make_rows(t, count);
        t->list.extra_count = 0;
        t->strayed = 0;
    }
    cd_arena_rewind(run->arena, mark);
    return is_made;
}

// ---- corrections -----------------------------------------------------------------------------------------------

// Position in the list of the first pair that is not before (a, b).
static int32_t position_of(const cd_timed_tracker *t, cd_box_pair pair)
{
    int32_t from = t->first[pair.a], to = t->first[pair.a + 1];
    while (from < to) {
        int32_t middle = from + (to - from) / 2;
        if (t->list.pair[middle].b < pair.b)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

// Ends all pairs of the box in the list and returns its slot.
static int32_t end_pairs(cd_timed_tracker *t, int32_t box, cd_timed_query *query, int32_t *slot)
{
    cd_timed_bounds bounds = cd_timed_motion_bounds(&t->motion, box);
    int32_t found = query(&t->tree, &bounds, slot), own = -1;
    for (int32_t k = 0; k < found; k++) {
        int32_t other = t->tree.item[slot[k]];
        if (other == box)
            own = slot[k];
        if (other >= box)
            continue;
        cd_box_pair pair = {other, box};
        int32_t at = position_of(t, pair);
        if (at < t->first[other + 1] && t->list.pair[at].b == box)
            t->list.tick[CD_TIMED_MAYBE_FROM][at] = t->list.tick[CD_TIMED_SURE_FROM][at] = CD_TIMED_NEVER;
    }
    for (int32_t at = t->first[box]; at < t->first[box + 1]; at++)
        t->list.tick[CD_TIMED_MAYBE_FROM][at] = t->list.tick[CD_TIMED_SURE_FROM][at] = CD_TIMED_NEVER;
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

// Extra pairs of boxes that strayed go, the new ones come, in order.
static void merge_extras(cd_timed_tracker *t, const key_list *keys, cd_arena *arena)
{
    cd_timed_list *list = &t->list;
    const uint8_t *born = t->motion.born;
    int64_t room = (int64_t)list->extra_count + keys->count;
    cd_timed_extra *merged = CD_ARENA_ARRAY(arena, cd_timed_extra, room);
    int32_t count = 0, old = 0;
    for (int32_t from = 0; from < keys->count; from += CD_TIMED_BATCH) {
        int batch = keys->count - from < CD_TIMED_BATCH ? keys->count - from : CD_TIMED_BATCH;
        cd_box_pair pair[CD_TIMED_BATCH];
        uint8_t tick[CD_TIMED_ENDS][CD_TIMED_BATCH];
        for (int k = 0; k < batch; k++)
            pair[k] = pair_of(keys->item[from + k]);
        cd_timed_motion_ticks(&t->motion, NULL, pair, batch, tick);
        for (int k = 0; k < batch; k++) {
            for (; old < list->extra_count && key_of(list->extra[old].pair) < key_of(pair[k]); old++) {
                merged[count] = list->extra[old];
                count += born[merged[count].pair.a] != t->motion.tick && born[merged[count].pair.b] != t->motion.tick;
            }
            cd_timed_extra *extra = &merged[count];
            extra->pair = pair[k];
            extra->before = position_of(t, pair[k]);
            for (int end = 0; end < CD_TIMED_ENDS; end++)
                extra->tick[end] = tick[end][k];
            count += extra->tick[CD_TIMED_MAYBE_FROM] != CD_TIMED_NEVER;
        }
    }
    for (; old < list->extra_count; old++) {
        merged[count] = list->extra[old];
        count += born[merged[count].pair.a] != t->motion.tick && born[merged[count].pair.b] != t->motion.tick;
    }
    if (count > list->extra_capacity) {
        list->extra_capacity = 2 * count;
        list->extra = cd_realloc(list->extra, (size_t)list->extra_capacity * sizeof *list->extra);
    }
    if (count)
        memcpy(list->extra, merged, (size_t)count * sizeof *merged);
    list->extra_count = count;
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
    cd_sort_keys(keys.item, keys.count, arena);
    merge_extras(t, &keys, arena);
    t->strayed += count;
    cd_arena_rewind(arena, mark);
    return is_right;
}

// ---- the pairs of a frame --------------------------------------------------------------------------------------

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

static void emit_share(void *context, int worker)
{
    const emit_job *job = context;
    const cd_timed_list *list = &job->tracker->list;
    cd_share share = cd_threads_share(list->count, job->threads, worker);
    bool is_last = worker == job->threads - 1;
    cd_timed_part part = {share.begin, share.end, extra_from(list, share.begin),
                          is_last ? list->extra_count : extra_from(list, share.end)};
    kernels_for(job->run->tuning.vector)
        .emit(list, part, job->tracker->motion.tick, job->run->input, &job->run->pairs[worker]);
}

void cd_timed_tracker_emit(const cd_timed_tracker *t, const cd_broad_run *run)
{
    emit_job job = {t, run, cd_threads_for(run->tuning.threads, t->list.count, THREAD_PAIRS)};
    cd_threads_run(job.threads, emit_share, &job);
}
