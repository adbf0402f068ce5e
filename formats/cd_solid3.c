// SPDX-License-Identifier: MIT
#include "cd_solid3.h"

#include "cd_leaf_build.h"
#include "cd_polyhedron_check.h"

static const int32_t *surfaces_of(const cd_shape_rows *rows, int32_t shape)
{
    const cd_list *list = &rows->surfaces;
    return cd_list_count(list, shape) > 0 ? list->i32 + list->offset[shape] : NULL;
}

cd_status cd_solids3_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, const cd_leaves3 *leaves,
                          cd_solids3 *solids, cd_diag *diag)
{
    cd_leaf_build build = {arena, in, refs, NULL, diag};
    int32_t count = leaves->first[in->shape.count];
    cd_convex3 *convex = CD_ARENA_ZARRAY(arena, cd_convex3, count);
    cd_edges3 *edges = CD_ARENA_ZARRAY(arena, cd_edges3, count);
    for (int32_t i = 0; i < count; i++) {
        const cd_leaf3 *leaf = &leaves->leaf[i];
        if (leaf->kind != CD_SHAPE_POLYHEDRON)
            continue;
        cd_polyhedron p = leaf->polyhedron;
        int32_t own = leaves->first[leaf->shape];  // parts of compounds come after the shape they are placed from
        if (own == i && in->shape.kind[leaf->shape] == CD_SHAPE_POLYHEDRON) {
            cd_status status = cd_polyhedron_check_convex(p, cd_polyhedron_tolerance(p), arena, diag);
            if (status != CD_OK)
                return cd_leaf_fault_at(&build, status, leaf->shape);
        }
        convex[i] = cd_convex3_make(arena, &p, surfaces_of(&in->shape, leaf->shape));
        edges[i] =
            own == i ? cd_edges3_make(arena, p.vertex_count, p.face_count, p.face_first, p.face_vertex) : edges[own];
    }
    *solids = (cd_solids3){convex, edges};
    return CD_OK;
}

typedef cd_convex3 place_convex(cd_arena *arena, const cd_convex3 *convex, const cd_pose3 *pose);

static inline cd_solid3 place_with(place_convex *place, cd_arena *arena, const cd_leaves3 *leaves,
                                   const cd_solids3 *solids, int32_t leaf, const cd_pose3 *pose)
{
    if (leaves->leaf[leaf].kind != CD_SHAPE_POLYHEDRON)
        return (cd_solid3){.leaf = cd_leaf3_place(arena, &leaves->leaf[leaf], pose)};
    return (cd_solid3){.leaf.kind = CD_SHAPE_POLYHEDRON,
                       .convex = place(arena, &solids->convex[leaf], pose),
                       .edges = &solids->edges[leaf]};
}

cd_solid3 cd_solid3_place(cd_arena *arena, const cd_leaves3 *leaves, const cd_solids3 *solids, int32_t leaf,
                          const cd_pose3 *pose)
{
    return place_with(cd_convex3_place, arena, leaves, solids, leaf, pose);
}

cd_solid3 cd_solid3_place_vertices(cd_arena *arena, const cd_leaves3 *leaves, const cd_solids3 *solids, int32_t leaf,
                                   const cd_pose3 *pose)
{
    return place_with(cd_convex3_place_vertices, arena, leaves, solids, leaf, pose);
}
