// The tree of boxes that stand still, kept over frames, and the search of all others in it.
// SPDX-License-Identifier: MIT
#include "broad_bvh.h"
#include "broad_find.h"

enum { BOXES_PER_THREAD = 8192, GROUPS_AT_A_TIME = 64 };

struct cd_broad_standing {
    cd_arena arena;
    uint64_t stamp;  // of the boxes in the tree; 0: there is none
    bool is_unfit;   // flat, all faces of an axis are one, or without end: floats would not tell who lies beside
    cd_bvh_frame frame;
    cd_bvh_tree tree;
};

cd_broad_standing *cd_broad_standing_new(void)
{
    cd_broad_standing *standing = cd_alloc(sizeof *standing);
    memset(standing, 0, sizeof *standing);
    return standing;
}

void cd_broad_standing_free(cd_broad_standing *standing)
{
    if (standing)
        cd_arena_release(&standing->arena);
    cd_free(standing);
}

static void add_to_items(cd_bvh_tree *tree, int32_t shift)
{
    for (int64_t i = 0; i < (int64_t)CD_BVH_WIDTH * tree->count[0]; i++)
        tree->item[i] += shift;
}

uint32_t cd_bvh_settle_apart(const cd_broad_input *input, const int32_t *item, int32_t other, uint32_t mask,
                             uint32_t ties)
{
    const cd_broad_still *standing = &input->standing;
    double low[3], high[3];
    int32_t part = other - standing->begin;
    standing->boxes(standing->context, &part, 1, low, high);
    for (; ties; ties &= ties - 1) {
        int lane = __builtin_ctz(ties);
        int64_t own = (int64_t)input->dim * cd_broad_stored(standing, item[lane]);
        for (int k = 0; k < input->dim; k++)
            if (low[k] > input->max[own + k] || input->min[own + k] > high[k])
                mask &= ~(1u << lane);
    }
    return mask;
}

// The boxes that stand; those that stand apart in memory of the arena.
static cd_broad_input boxes_of(const cd_broad_input *all, cd_arena *arena)
{
    const cd_broad_still *standing = &all->standing;
    cd_broad_input input = {.dim = all->dim, .count = standing->end - standing->begin};
    if (!standing->boxes) {
        input.min = all->min + (int64_t)all->dim * standing->begin;
        input.max = all->max + (int64_t)all->dim * standing->begin;
        return input;
    }
    double *min = CD_ARENA_ARRAY(arena, double, (int64_t)all->dim *input.count);
    double *max = CD_ARENA_ARRAY(arena, double, (int64_t)all->dim *input.count);
    standing->boxes(standing->context, NULL, input.count, min, max);
    input.min = min;
    input.max = max;
    return input;
}

static void make_tree(cd_broad_standing *standing, const cd_broad_run *run)
{
    const cd_broad_input *all = run->input;
    cd_arena scratch = {0}, boxes = {0};  // 24 and 48 bytes a box, once: not a part of every frame's memory
    cd_broad_input input = boxes_of(all, &boxes);
    cd_broad_statistics statistics = cd_broad_measure(&input, run->tuning.threads);
    cd_broad_run own = {.input = &input, .statistics = &statistics, .tuning = run->tuning, .arena = &scratch};
    cd_bvh_kernels kernels = cd_bvh_kernels_of(run->tuning.vector, false);
    cd_bvh_order order;
    standing->frame = cd_bvh_frame_of(&own, NULL);
    standing->is_unfit = statistics.unbounded > 0;
    for (int k = 0; k < input.dim; k++)
        standing->is_unfit |= standing->frame.pad[k] != 0;
    int threads = cd_threads_for(run->tuning.threads, input.count, BOXES_PER_THREAD);
    cd_arena_release(&standing->arena);
    standing->tree =
        all->standing.boxes
            ? cd_bvh_build_apart(&own, &standing->frame, &kernels, threads, &all->standing, &boxes, &standing->arena)
            : cd_bvh_build(&own, &standing->frame, &kernels, threads, &standing->arena, &order);
    cd_arena_release(&boxes);
    cd_arena_release(&scratch);
    add_to_items(&standing->tree, all->standing.begin);
    standing->stamp = all->standing.stamp;
}

bool cd_broad_standing_prepare(cd_broad_standing *standing, const cd_broad_run *run)
{
    if (standing->stamp != run->input->standing.stamp)
        make_tree(standing, run);
    return !standing->is_unfit;
}

typedef struct other_job {
    const cd_broad_standing *standing;
    const cd_broad_run *run;
    cd_bvh_kernels kernels;
    cd_bvh_tree tree;     // of the others
    cd_bvh_lists *lists;  // [threads]
    int64_t next_group;
} other_job;

static void query_shares(void *context, int worker)
{
    other_job *job = context;
    for (;;) {
        cd_share share = cd_threads_next(&job->next_group, job->tree.count[0], GROUPS_AT_A_TIME);
        if (share.begin == share.end || cd_broad_is_full(job->run, worker))
            return;
        job->kernels.query_other(&job->standing->tree, &job->tree, job->run->input, &job->lists[worker],
                                 &job->run->pairs[worker], (int32_t)share.begin, (int32_t)share.end);
    }
}

void cd_broad_standing_search(const cd_broad_standing *standing, const cd_broad_run *run, const cd_broad_input *others,
                              const int32_t *item)
{
    cd_broad_statistics statistics = cd_broad_measure(others, run->tuning.threads);
    cd_broad_run own = {.input = others, .statistics = &statistics, .tuning = run->tuning, .arena = run->arena};
    other_job job = {.standing = standing, .run = run, .kernels = cd_bvh_kernels_of(run->tuning.vector, false)};
    int threads = cd_threads_for(run->tuning.threads, others->count, BOXES_PER_THREAD);
    cd_bvh_order order;
    job.tree = cd_bvh_build(&own, &standing->frame, &job.kernels, threads, run->arena, &order);
    for (int64_t i = 0; i < (int64_t)CD_BVH_WIDTH * job.tree.count[0]; i++)
        job.tree.item[i] = item[job.tree.item[i]];
    job.lists = CD_ARENA_ARRAY(run->arena, cd_bvh_lists, threads);
    for (int t = 0; t < threads; t++) {
        int64_t length = (int64_t)standing->tree.count[0] + CD_BVH_WIDTH;
        cd_bvh_clear_lists(&job.lists[t]);
        job.lists[t].met = CD_ARENA_ARRAY(run->arena, uint32_t, 2 * length);
        job.lists[t].next = job.lists[t].met + length;
    }
    cd_threads_run(threads, query_shares, &job);
}
