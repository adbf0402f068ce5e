// bvh: boxes by size and along a space-filling curve, up to sixteen to a block, a wide tree of blocks over them, and
// each block against the tree behind it.
//
// 1. A sample tells whether classes of size or shape pay, and which (broad_bvh_classes.c). The tree is one for all of
//    them: classes stand one after another, small boxes first, and a block meets those behind it, of its own class and
//    of the larger ones.
// 2. Keys along a curve, radix sort, a finer curve where more than 32 keys are equal (broad_bvh_order.c).
// 3. Blocks end where the curve leaves a large cell, so they hold 8 to 16 boxes, 12 on the average, and have about
//    half the volume of blocks of 16; levels above (here).
// 4. Per block the list of what it meets, level by level, then box against 16 boxes (broad_bvh_query.h).
// Where comparisons get out of hand the faces are replaced by their ranks and all is done again (broad_bvh_ranks.c).
// Lists are never longer than a level of the tree; nothing recurses but the refinement of keys, to a fixed depth.
//
// Measured on an AMD EPYC of family 26 (Zen 5), one thread, CPU seconds with the statistics of the boxes; in brackets
// pairs. AVX-512 / AVX2 / portable:
//   uniform      1e4   (46458) 0.0003 / 0.0005 / 0.0008     clustered 1e5  (494343) 0.0034 / 0.0051 / 0.0090
//   uniform      1e5  (482822) 0.0034 / 0.0050 / 0.0086     rods 1e5, 3 axes (452602) 0.0077 / 0.012 / 0.020
//   uniform      1e6 (4921904) 0.067  / 0.084  / 0.15       rods 1e5, 1 axis (372860) 0.0027 / 0.0036 / 0.0062
//   polydisperse 1e5  (473592) 0.0038 / 0.0051 / 0.0084     hex mesh 1e6 (12731796) 0.060 / 0.079 / 0.11
// Uniform 1e6 in parts: comparisons 46 %, blocks 24 %, keys 6 %, sort 10 %, statistics 4 %, fresh pages of the list of
// pairs 6 %. With two threads the first of them needs 0.50 to 0.55 of the CPU time of one alone, starts included.
// What gives it (time without over time with): blocks cut at cells instead of 16 by 16: uniform 1.0, rods 1.2, mixed
// sizes 1.4 to 1.7; classes only where they pay: mixed sizes 1.5 to 4; classes at all: rods 3.6, rods of 1000 widths
// 21; small boxes against large ones, not the reverse: 1.1 to 1.2; cells shaped by the mean of all boxes too and not by
// the class alone: rods 1.3. Tried without gain: one list of blocks for 16 groups (mixed sizes 1.1 to 1.2 slower),
// blocks that will be compared fetched ahead.
//
// Growth, time over n + pairs as a power, from 1e4 to 1e5 and from there to 1e6 boxes, where data leave the caches:
// uniform 1.05 1.22; one giant 1.03 1.24; 16 giants 0.87 1.15; some at up to 1e29 from the others 1.03 1.18; one column
// 1.03 1.21; ten duplicates everywhere 1.08 1.17; sizes 1:1e6 1.11 1.15; each extent for itself 1:1e6 0.99 1.20; half
// of them 1e-6 of the others 1.01 1.14; infinite 1.06 1.08; half-spaces 1.01 1.15; a plane 1.10 1.22; rods of 1000
// widths 1.09 1.07; plates 1.10 1.20; dense clusters in empty space 1.08 1.16; a diagonal 0.94 1.22; 1e8 from the
// origin 1.10 1.12; lengths over 900 octaves, by ranks, 1.04 1.01, but 10 us a box.
// SPDX-License-Identifier: MIT
#include "broad_bvh.h"
#include "cd_assert.h"

#include <math.h>

enum {
    LEAST_FILL = 8,           // boxes of a block, but the last of a share
    BOXES_PER_THREAD = 8192,  // below, starting a thread costs more than it takes over
    GROUPS_AT_A_TIME = 32,
    COMPARISONS_A_HIT = 16,   // and
    COMPARISONS_A_BOX = 256,  // show that the order of the boxes is bad
    FEW_BOXES = 4096,         // however bad, that is soon done
};

// Why the work of all ends early: it does not, comparisons are far more than boxes and overlaps explain, or a worker
// ran out of room for pairs: that stays, whatever others find.
enum { STOP_NOT, STOP_HOPELESS, STOP_FULL };

typedef struct bvh_job {
    const cd_broad_run *run;
    const cd_bvh_frame *frame;
    const cd_bvh_kernels *kernels;
    const cd_bvh_record *record;
    int threads;
    int32_t *cut;                 // [count] a worker's groups begin at the records cut[its share's begin ..]
    int32_t *group_begin;         // [threads + 1] number of each worker's first group
    int32_t *first;               // [groups + 1] first record of each group
    bool has_rounds;              // of the tree, which has all of them but the radii
    const cd_broad_still *apart;  // NULL: boxes are the run's
    cd_arena *boxes;              // of the run's arrays, where they stand apart
    cd_bvh_tree tree;
    cd_bvh_lists *lists;  // [threads]
    int64_t next_group;
    int64_t unexplained;       // comparisons of all beyond those that overlaps explain, and
    int64_t most_unexplained;  // how many may be
    int stop;                  // STOP_*; read and written by all
} bvh_job;

// ---- groups --------------------------------------------------------------------------------------------------------

// A group ends where the curve leaves the largest cell: of the boundaries after 8 to 16 boxes that whose keys differ
// in the highest bit.
static int64_t end_of_group(const cd_bvh_record *record, int64_t begin, int64_t end)
{
    if (end - begin <= CD_BVH_WIDTH)
        return end;
    int64_t best = begin + CD_BVH_WIDTH;
    uint64_t most = (record[best] ^ record[best - 1]) >> 32;
    for (int64_t i = best - 1; i >= begin + LEAST_FILL; i--) {
        uint64_t jump = (record[i] ^ record[i - 1]) >> 32;
        if (jump > most) {
            most = jump;
            best = i;
        }
    }
    return best;
}

static void cut_share(void *context, int worker)
{
    const bvh_job *job = context;
    cd_share share = cd_threads_share(job->run->input->count, job->threads, worker);
    int32_t groups = 0;
    for (int64_t i = share.begin; i < share.end; i = end_of_group(job->record, i, share.end))
        job->cut[share.begin + groups++] = (int32_t)i;
    job->group_begin[worker + 1] = groups;
}

// Groups begin .. end-1, at most GROUPS_AT_A_TIME, of boxes that are made for it.
typedef struct fill_space {
    int32_t part[GROUPS_AT_A_TIME * CD_BVH_WIDTH], first[GROUPS_AT_A_TIME + CD_BVH_WIDTH + 1];
    cd_bvh_record record[GROUPS_AT_A_TIME * CD_BVH_WIDTH];
    double min[3 * GROUPS_AT_A_TIME * CD_BVH_WIDTH], max[3 * GROUPS_AT_A_TIME * CD_BVH_WIDTH];  // [m]
} fill_space;

static void fill_apart(const bvh_job *job, fill_space *space, int32_t begin, int32_t end)
{
    // They become the only ones of a tree that begins where a block of the level above does.
    int32_t base = begin / CD_BVH_WIDTH * CD_BVH_WIDTH, from = job->first[begin], count = job->first[end] - from;
    cd_bvh_tree tree = job->tree;
    tree.level[0] += base;
    tree.level[1] += base / CD_BVH_WIDTH;
    tree.item += (int64_t)CD_BVH_WIDTH * base;
    for (int32_t group = begin; group <= end; group++)
        space->first[group - base] = job->first[group] - from;
    for (int32_t k = 0; k < count; k++) {
        space->part[k] = (int32_t)(uint32_t)job->record[from + k];
        space->record[k] = (cd_bvh_record)k;
    }
    job->apart->boxes(job->apart->context, space->part, count, space->min, space->max);
    cd_broad_input input = {.dim = job->run->input->dim, .count = count, .min = space->min, .max = space->max};
    job->kernels->fill(&tree, &input, job->frame, space->record, space->first, begin - base, end - base);
    int32_t *item = job->tree.item;
    for (int64_t i = (int64_t)CD_BVH_WIDTH * begin; i < (int64_t)CD_BVH_WIDTH * end; i++)
        item[i] = space->part[item[i]];
}

static void fill_share(void *context, int worker)
{
    const bvh_job *job = context;
    fill_space *space = job->apart ? cd_alloc(sizeof *space) : NULL;
    // A few groups at a time: their boxes are in cache when the balls are asked for.
    for (int32_t begin = job->group_begin[worker], end; begin < job->group_begin[worker + 1]; begin = end) {
        int32_t left = job->group_begin[worker + 1] - begin;
        end = begin + (left < GROUPS_AT_A_TIME ? left : GROUPS_AT_A_TIME);
        if (space)
            fill_apart(job, space, begin, end);
        else
            job->kernels->fill(&job->tree, job->run->input, job->frame, job->record, job->first, begin, end);
        if (job->tree.rounds.radius)
            cd_bvh_fill_rounds(&job->tree, job->run->input, job->record, job->first, begin, end);
    }
    cd_free(space);
}

// The groups of all workers in one row.
static void join_groups(bvh_job *job)
{
    const cd_broad_run *run = job->run;
    for (int w = 0; w < job->threads; w++)
        job->group_begin[w + 1] += job->group_begin[w];
    int32_t groups = job->group_begin[job->threads];
    job->first = CD_ARENA_ARRAY(run->arena, int32_t, groups + 1);
    for (int w = 0; w < job->threads; w++) {
        int32_t begin = job->group_begin[w], end = job->group_begin[w + 1];
        cd_share share = cd_threads_share(run->input->count, job->threads, w);
        memcpy(job->first + begin, job->cut + share.begin, (size_t)(end - begin) * sizeof *job->first);
    }
    job->first[groups] = run->input->count;
}

// ---- tree ----------------------------------------------------------------------------------------------------------

static cd_bvh_block *new_blocks(cd_arena *arena, int32_t count)
{
    char *memory = cd_arena_alloc_array(arena, (size_t)count + 1, sizeof(cd_bvh_block));
    return (cd_bvh_block *)(memory + (64 - (uintptr_t)memory % 64) % 64);
}

static void new_tree(cd_bvh_tree *tree, cd_arena *arena, int32_t groups)
{
    tree->item = CD_ARENA_ARRAY(arena, int32_t, (int64_t)groups * CD_BVH_WIDTH);
    int32_t blocks = groups;
    for (int level = 0; level == 0 || tree->count[level - 1] > 1 || level == 1; level++) {
        tree->top = level;
        tree->count[level] = blocks;
        tree->level[level] = new_blocks(arena, blocks);
        blocks = (blocks + CD_BVH_WIDTH - 1) / CD_BVH_WIDTH;
    }
}

static void clear_lanes(cd_bvh_block *block, int from)
{
    for (int row = 0; row < 6; row++)
        for (int lane = from; lane < CD_BVH_WIDTH; lane++)
            block->face[row][lane] = -INFINITY;
}

// Levels from 2 on: one block in 256 of the lowest.
static void fill_upper_levels(cd_bvh_tree *tree)
{
    for (int level = 1; level <= tree->top; level++) {
        int32_t children = tree->count[level - 1];
        if (children % CD_BVH_WIDTH)
            clear_lanes(&tree->level[level][tree->count[level] - 1], children % CD_BVH_WIDTH);
        for (int32_t child = 0; level > 1 && child < children; child++)
            for (int row = 0; row < 6; row++) {
                const float *face = tree->level[level - 1][child].face[row];
                float most = face[0];
                for (int lane = 1; lane < CD_BVH_WIDTH; lane++)
                    most = face[lane] > most ? face[lane] : most;
                tree->level[level][child / CD_BVH_WIDTH].face[row][child % CD_BVH_WIDTH] = most;
            }
    }
}

// ---- query ---------------------------------------------------------------------------------------------------------

void cd_bvh_clear_lists(cd_bvh_lists *lists)
{
    lists->comparisons = lists->hits = 0;
    for (uint32_t mask = 0; mask < 256; mask++) {
        lists->compress[mask] = 0;
        int set = 0;
        for (uint64_t bit = 0; bit < 8; bit++)
            if (mask >> bit & 1)
                lists->compress[mask] |= bit << 8 * set++;
    }
}

// The two lists of a worker, each as long as the lowest level. Once the blocks are filled records are not read any
// more: their memory, 16 bytes a box, holds the lists of 24 workers. Where there are more, each takes 0.7 bytes a box.
static void new_lists(bvh_job *job, cd_bvh_order order)
{
    cd_arena *arena = job->run->arena;
    int64_t length = (int64_t)job->tree.count[0] + CD_BVH_WIDTH, fit = job->run->input->count / length;
    cd_bvh_record *const dead[2] = {order.record, order.spare};
    job->lists = CD_ARENA_ARRAY(arena, cd_bvh_lists, job->threads);
    for (int w = 0; w < job->threads; w++) {
        cd_bvh_lists *lists = &job->lists[w];
        cd_bvh_clear_lists(lists);
        if (w < 2 * fit)
            lists->met = (uint32_t *)(dead[w / fit] + length * (w % fit));
        else
            lists->met = CD_ARENA_ARRAY(arena, uint32_t, 2 * length);
        lists->next = lists->met + length;
    }
}

static void query_shares(void *context, int worker)
{
    bvh_job *job = context;
    const cd_broad_run *run = job->run;
    for (;;) {
        cd_share share = cd_threads_next(&job->next_group, job->tree.count[0], GROUPS_AT_A_TIME);
        if (share.begin == share.end || __atomic_load_n(&job->stop, __ATOMIC_RELAXED) != STOP_NOT)
            return;
        cd_bvh_lists *lists = &job->lists[worker];
        int64_t before = lists->comparisons - COMPARISONS_A_HIT * lists->hits;
        job->kernels->query(&job->tree, run->input, lists, &run->pairs[worker], (int32_t)share.begin,
                            (int32_t)share.end);
        int64_t more = lists->comparisons - COMPARISONS_A_HIT * lists->hits - before;
        int64_t unexplained = __atomic_add_fetch(&job->unexplained, more, __ATOMIC_RELAXED);
        int nothing = STOP_NOT;
        if (cd_broad_is_full(run, worker))
            __atomic_store_n(&job->stop, STOP_FULL, __ATOMIC_RELAXED);
        else if (unexplained > job->most_unexplained)
            __atomic_compare_exchange_n(&job->stop, &nothing, STOP_HOPELESS, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}

cd_bvh_kernels cd_bvh_kernels_of(cd_vector_level level, bool is_ranked)
{
    cd_bvh_kernels kernels = cd_bvh_portable;
#if defined(__x86_64__)
    if (level >= CD_VECTOR_AVX2)
        kernels = level >= CD_VECTOR_AVX512 ? cd_bvh_avx512 : cd_bvh_avx2;
#endif
    if (is_ranked) {  // only these read ranks
        kernels.keys = cd_bvh_portable.keys;
        kernels.fill = cd_bvh_portable.fill;
    }
    (void)level;
    return kernels;
}

static void build(bvh_job *job, cd_arena *memory, cd_bvh_order *order)
{
    const cd_broad_run *run = job->run;
    *order = cd_bvh_sort(run, job->frame, job->kernels, job->threads);
    job->record = order->record;
    job->cut = (int32_t *)order->spare;
    job->group_begin = CD_ARENA_ZARRAY(run->arena, int32_t, job->threads + 1);
    cd_threads_run(job->threads, cut_share, job);
    join_groups(job);
    int32_t groups = job->group_begin[job->threads];
    CD_ASSERT(groups <= (int64_t)UINT32_MAX / CD_BVH_WIDTH);  // lanes are numbered; groups hold 8 boxes or more
    if (job->apart)
        cd_arena_release(job->boxes);
    new_tree(&job->tree, memory, groups);
    if (job->has_rounds) {
        job->tree.rounds.radius = CD_ARENA_ARRAY(memory, float, (int64_t)groups *CD_BVH_WIDTH);
        job->tree.rounds.alone = CD_ARENA_ARRAY(memory, uint8_t, groups);
    }
    cd_threads_run(job->threads, fill_share, job);
    fill_upper_levels(&job->tree);
}

cd_bvh_tree cd_bvh_build(const cd_broad_run *run, const cd_bvh_frame *frame, const cd_bvh_kernels *kernels, int threads,
                         cd_arena *memory, cd_bvh_order *order)
{
    bvh_job job = {.run = run, .frame = frame, .kernels = kernels, .threads = threads};
    build(&job, memory, order);
    return job.tree;
}

cd_bvh_tree cd_bvh_build_apart(const cd_broad_run *run, const cd_bvh_frame *frame, const cd_bvh_kernels *kernels,
                               int threads, const cd_broad_still *standing, cd_arena *boxes, cd_arena *memory)
{
    bvh_job job = {
        .run = run, .frame = frame, .kernels = kernels, .threads = threads, .apart = standing, .boxes = boxes};
    cd_bvh_order order;
    build(&job, memory, &order);
    return job.tree;
}

bool cd_bvh_search(const cd_broad_run *run, const int32_t *rank, bool may_give_up)
{
    int32_t count = run->input->count;
    cd_bvh_frame frame = cd_bvh_frame_of(run, rank);
    cd_bvh_kernels kernels = cd_bvh_kernels_of(run->tuning.vector, rank);
    bvh_job job = {.run = run, .frame = &frame, .kernels = &kernels};
    job.threads = cd_threads_for(run->tuning.threads, count, BOXES_PER_THREAD);
    job.has_rounds = cd_bvh_plan_rounds(run, &frame, &job.tree.rounds);
    cd_bvh_order order;
    build(&job, run->arena, &order);
    new_lists(&job, order);
    job.most_unexplained = may_give_up ? (int64_t)COMPARISONS_A_BOX * count : INT64_MAX / 2;
    cd_threads_run(job.threads, query_shares, &job);
    return job.stop != STOP_HOPELESS;
}

static void find(const cd_broad_run *run)
{
    if (run->input->count < 2)
        return;
    cd_arena_mark mark = cd_arena_get_mark(run->arena);
    if (cd_bvh_search(run, NULL, run->input->count > FEW_BOXES && run->input->count <= CD_BVH_MOST_RANKED))
        return;
    cd_arena_rewind(run->arena, mark);
    for (int w = 0; w < run->tuning.threads; w++)
        cd_broad_drop_pairs(&run->pairs[w]);
    cd_broad_statistics statistics;
    const int32_t *rank = cd_bvh_rank(run, &statistics);
    cd_broad_run again = *run;
    again.statistics = &statistics;
    cd_bvh_search(&again, rank, false);
}

const cd_broad_method cd_broad_bvh = {
    "bvh",
    "a wide tree of boxes sorted by size and along a curve, searched by the block",
    "O(n + k) for boxes of like shape within each size, O(n log n + k) as a rule",
    "56 (62 with balls, 80 where floats cannot tell boxes apart), 0.7 more for each thread from the 25th on",
    "Lauterbach et al., Fast BVH Construction on GPUs, 2009; Wald et al., Getting Rid of Packets, 2008",
    find,
    NULL,
    NULL,
    true};
