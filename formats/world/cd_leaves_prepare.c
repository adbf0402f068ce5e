// SPDX-License-Identifier: MIT
#include "cd_leaf_build.h"
#include "cd_leaves.h"
#include "cd_polyhedron_check.h"
#include "cd_threads.h"

// One worker's share of the leaves: where it stopped, and what with.
typedef struct share_made {
    cd_arena arena;
    cd_status status;
    cd_diag diag;
} share_made;

typedef struct prepare_job {
    const cd_model *in;
    const cd_refs *refs;
    const cd_leaves3 *leaves;
    cd_prepared3 *prepared;  // by number among the polyhedra
    int32_t count;           // of leaves that are stored
    int threads;
    bool of_shapes;  // leaves of shapes of their own; else the parts of compounds, which are placed from those
    share_made *share;
} prepare_job;

static cd_status make_own(const prepare_job *job, const cd_leaf3 *leaf, cd_prepared3 *made, cd_arena *arena,
                          cd_diag *diag)
{
    const cd_polyhedron *p = leaf->polyhedron;
    cd_leaf_build build = {arena, job->in, job->refs, NULL, diag};
    cd_shape_geometry geometry = cd_leaf_geometry(&build, leaf->shape);
    bool is_plain = cd_prepared3_make(arena, p, geometry.surface, made);
    if (job->in->shape.kind[leaf->shape] != CD_SHAPE_POLYHEDRON)
        return CD_OK;  // a box
    return cd_leaf_fault_at(&build,
                            cd_polyhedron_check_prepared(*p, &made->convex, &made->edges, is_plain,
                                                         cd_polyhedron_tolerance(*p), arena, diag),
                            leaf->shape);
}

static void make_share(void *context, int worker)
{
    const prepare_job *job = context;
    cd_share share = cd_threads_share(job->count, job->threads, worker);
    share_made made = {.status = CD_OK};
    for (int32_t i = (int32_t)share.begin; i < share.end && made.status == CD_OK; i++) {
        const cd_leaf3 *leaf = &job->leaves->stored[i];
        if (leaf->kind != CD_SHAPE_POLYHEDRON)
            continue;
        const cd_leaf3 *own = cd_leaves3_stored(job->leaves, job->leaves->first[leaf->shape]);
        if ((own == leaf) != job->of_shapes)
            continue;
        cd_prepared3 *mine = &job->prepared[leaf->prepared - job->prepared];
        if (own == leaf) {
            made.status = make_own(job, leaf, mine, &made.arena, &made.diag);
            continue;
        }
        bool is_plain;
        mine->edges = own->prepared->edges;
        mine->convex = cd_convex3_make_with(&made.arena, leaf->polyhedron, own->prepared->convex.surface,
                                            &own->prepared->edges, &is_plain);
    }
    job->share[worker] = made;
}

static cd_status make_all(prepare_job *job, bool of_shapes, cd_arena *arena, cd_diag *diag)
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

cd_status cd_leaves_make_prepared(cd_arena *arena, const cd_model *in, const cd_refs *refs, int threads,
                                  cd_leaves *leaves, cd_diag *diag)
{
    enum { LEAVES_PER_THREAD = 50 };  // some 2 us each at least, against 30 us for a thread
    CD_TRY(cd_leaves_make(arena, in, refs, leaves, diag));
    if (leaves->dim == 2)
        return CD_OK;
    int32_t count = cd_leaves3_stored_count(&leaves->space, in->shape.count), polyhedra = 0;
    for (int32_t i = 0; i < count; i++)
        polyhedra += leaves->space.stored[i].kind == CD_SHAPE_POLYHEDRON;
    int team = cd_threads_for(threads, polyhedra, LEAVES_PER_THREAD);
    prepare_job job = {.in = in,
                       .refs = refs,
                       .leaves = &leaves->space,
                       .prepared = CD_ARENA_ARRAY(arena, cd_prepared3, polyhedra),
                       .count = count,
                       .threads = team,
                       .share = CD_ARENA_ARRAY(arena, share_made, team)};
    for (int32_t i = 0, next = 0; i < count; i++)
        if (leaves->space.stored[i].kind == CD_SHAPE_POLYHEDRON)
            leaves->space.stored[i].prepared = &job.prepared[next++];
    CD_TRY(make_all(&job, true, arena, diag));
    return make_all(&job, false, arena, diag);
}
