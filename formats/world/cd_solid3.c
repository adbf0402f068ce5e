// SPDX-License-Identifier: MIT
#include "cd_solid3.h"

#include "cd_leaf_build.h"
#include "cd_polyhedron_check.h"
#include "cd_threads.h"

static const int32_t *surfaces_of(const cd_shape_rows *rows, int32_t shape)
{
    const cd_list *list = &rows->surfaces;
    return cd_list_count(list, shape) > 0 ? list->i32 + list->offset[shape] : NULL;
}

// ---- threads -------------------------------------------------------------------------------------------------------

// One worker's share of the leaves: where it stopped, and what with.
typedef struct share_made {
    cd_arena arena;
    cd_status status;
    cd_diag diag;
} share_made;

typedef struct solids_job {
    const cd_model *in;
    const cd_refs *refs;
    const cd_leaves3 *leaves;
    int32_t count;  // of leaves
    int threads;
    bool of_shapes;  // leaves of shapes of their own; else the parts of compounds, which are placed from those
    cd_convex3 *convex;
    cd_edges3 *edges;
    share_made *share;
} solids_job;

static cd_status make_own(const solids_job *job, int32_t i, cd_arena *arena, cd_diag *diag)
{
    const cd_leaf3 *leaf = &job->leaves->leaf[i];
    const cd_polyhedron *p = &leaf->polyhedron;
    bool is_plain;
    job->edges[i] = cd_edges3_make(arena, p->vertex_count, p->face_count, p->face_first, p->face_vertex);
    job->convex[i] =
        cd_convex3_make_with(arena, p, surfaces_of(&job->in->shape, leaf->shape), &job->edges[i], &is_plain);
    if (job->in->shape.kind[leaf->shape] != CD_SHAPE_POLYHEDRON)
        return CD_OK;  // a box
    cd_leaf_build build = {arena, job->in, job->refs, NULL, diag};
    cd_status status = cd_polyhedron_check_prepared(*p, &job->convex[i], &job->edges[i], is_plain,
                                                    cd_polyhedron_tolerance(*p), arena, diag);
    return status == CD_OK ? CD_OK : cd_leaf_fault_at(&build, status, leaf->shape);
}

static void make_share(void *context, int worker)
{
    const solids_job *job = context;
    cd_share share = cd_threads_share(job->count, job->threads, worker);
    share_made made = {.status = CD_OK};
    for (int32_t i = (int32_t)share.begin; i < share.end && made.status == CD_OK; i++) {
        const cd_leaf3 *leaf = &job->leaves->leaf[i];
        int32_t own = job->leaves->first[leaf->shape];
        if (leaf->kind != CD_SHAPE_POLYHEDRON && job->of_shapes) {
            job->convex[i] = (cd_convex3){.vertex_count = 0};
            job->edges[i] = (cd_edges3){.count = 0};
        }
        if (leaf->kind != CD_SHAPE_POLYHEDRON || (own == i) != job->of_shapes)
            continue;
        if (own == i) {
            made.status = make_own(job, i, &made.arena, &made.diag);
            continue;
        }
        bool is_plain;
        job->edges[i] = job->edges[own];
        job->convex[i] = cd_convex3_make_with(&made.arena, &leaf->polyhedron, surfaces_of(&job->in->shape, leaf->shape),
                                              &job->edges[own], &is_plain);
    }
    job->share[worker] = made;
}

static cd_status make_solids(solids_job *job, bool of_shapes, cd_arena *arena, cd_diag *diag)
{
    cd_status status = CD_OK;
    job->of_shapes = of_shapes;
    cd_threads_run(job->threads, make_share, job);
    for (int k = 0; k < job->threads; k++) {
        cd_arena_adopt(arena, &job->share[k].arena);
        if (status == CD_OK && job->share[k].status != CD_OK) {  // shares ascend: the first leaf at fault
            status = job->share[k].status;
            if (diag)
                *diag = job->share[k].diag;
        }
    }
    return status;
}

cd_status cd_solids3_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, const cd_leaves3 *leaves,
                          int threads, cd_solids3 *solids, cd_diag *diag)
{
    enum { LEAVES_PER_THREAD = 50 };  // some 2 us each at least, against 30 us for a thread
    int32_t count = leaves->first[in->shape.count];
    int team = cd_threads_for(threads, count, LEAVES_PER_THREAD);
    solids_job job = {.in = in,
                      .refs = refs,
                      .leaves = leaves,
                      .count = count,
                      .threads = team,
                      .convex = CD_ARENA_ARRAY(arena, cd_convex3, count),
                      .edges = CD_ARENA_ARRAY(arena, cd_edges3, count),
                      .share = CD_ARENA_ARRAY(arena, share_made, team)};
    CD_TRY(make_solids(&job, true, arena, diag));
    CD_TRY(make_solids(&job, false, arena, diag));
    *solids = (cd_solids3){job.convex, job.edges};
    return CD_OK;
}

// Who measures a distance asks for edges by their corners at its end: by then they are there. (1e5 pairs of hulls of
// 16 vertices, 1000 shapes: 0.04 us a pair.)
static void expect_edges(const cd_edges3 *edges)
{
    enum { LINE = 64, MOST = 32 * LINE };  // of large ones only few are looked at
    size_t bytes =
        (size_t)edges->count * sizeof *edges->edge + ((size_t)edges->vertex_count + 1) * sizeof *edges->first;
    for (size_t at = 0; at < bytes && at < MOST; at += LINE)
        __builtin_prefetch((const char *)edges->edge + at);
}

void cd_solid3_place_into(cd_arena *arena, const cd_leaves3 *leaves, const cd_solids3 *solids, int32_t leaf,
                          const cd_pose3 *pose, bool has_planes, cd_solid3 *placed)
{
    if (leaves->leaf[leaf].kind != CD_SHAPE_POLYHEDRON) {
        placed->leaf = cd_leaf3_place(arena, &leaves->leaf[leaf], pose);
        placed->edges = NULL;
        return;
    }
    placed->leaf.kind = CD_SHAPE_POLYHEDRON;
    placed->edges = &solids->edges[leaf];
    if (!has_planes)
        expect_edges(placed->edges);
    cd_convex3_place_into(arena, &solids->convex[leaf], pose, has_planes, &placed->convex);
}

cd_solid3 cd_solid3_place(cd_arena *arena, const cd_leaves3 *leaves, const cd_solids3 *solids, int32_t leaf,
                          const cd_pose3 *pose)
{
    cd_solid3 placed = {.edges = NULL};
    cd_solid3_place_into(arena, leaves, solids, leaf, pose, true, &placed);
    return placed;
}

cd_solid3 cd_solid3_place_vertices(cd_arena *arena, const cd_leaves3 *leaves, const cd_solids3 *solids, int32_t leaf,
                                   const cd_pose3 *pose)
{
    cd_solid3 placed = {.edges = NULL};
    cd_solid3_place_into(arena, leaves, solids, leaf, pose, false, &placed);
    return placed;
}
