// SPDX-License-Identifier: MIT
#include "spars_adjacency.h"

#include "cd_leaf_build.h"

// ---- making --------------------------------------------------------------------------------------------------------

static cd_status check_triangles(const cd_leaf_build *build, int32_t shape)
{
    const cd_shape_rows *rows = &build->in->shape;
    int32_t vertices = cd_list_count(&rows->vertices, shape), triangles = cd_list_count(&rows->triangles, shape);
    const int32_t *corner = triangles ? rows->triangles.i32 + 3 * (size_t)rows->triangles.offset[shape] : NULL;
    for (size_t k = 0; k < 3 * (size_t)triangles; k++)
        if (corner[k] < 0 || corner[k] >= vertices)
            return cd_leaf_fault_at(
                build, cd_fail(build->diag, CD_ERR_FORMAT, "triangles: there is no vertex %d", (int)corner[k]), shape);
    return CD_OK;
}

static cd_status declare(cd_arena *arena, cd_adjacency *adjacency, cd_diag *diag)
{
    const cd_shape_rows *rows = adjacency->shape;
    if (rows->adjacent.offset && rows->adjacent.offset[rows->count] > INT32_MAX / 2)
        return cd_fail(diag, CD_ERR_LIMIT, "shape: adjacent: more than %d pairs", INT32_MAX / 2);
    int32_t leaves = adjacency->leaf_first[rows->count];
    int32_t *first = CD_ARENA_ZARRAY(arena, int32_t, (size_t)leaves + 2);  // counts are gathered two places ahead
    int32_t *neighbour = NULL;
    for (int fill = 0; fill < 2; fill++) {
        for (int32_t s = 0; s < rows->count; s++) {
            if (rows->kind[s] != CD_SHAPE_COMPOUND)
                continue;
            int32_t pairs = cd_list_count(&rows->adjacent, s);
            const int32_t *pair = pairs ? rows->adjacent.i32 + 2 * (size_t)rows->adjacent.offset[s] : NULL;
            for (int32_t k = 0; k < 2 * pairs; k++) {
                if (pair[k] == pair[k ^ 1])
                    continue;
                int32_t place = first[adjacency->leaf_first[s] + pair[k] + 2 - fill]++;
                if (fill)
                    neighbour[place] = pair[k ^ 1];
            }
        }
        if (fill)
            break;
        for (int32_t i = 1; i <= leaves; i++)
            first[i + 1] += first[i];
        neighbour = CD_ARENA_ARRAY(arena, int32_t, first[leaves + 1]);
    }
    adjacency->neighbour_first = first;
    adjacency->neighbour = neighbour;
    return CD_OK;
}

// Vertices and links of a compound from those of its parts, which are earlier shapes.
static void add_parts(const cd_leaf_build *build, const cd_adjacency *adjacency, int32_t shape, int64_t *vertex_count,
                      uint8_t *links, int32_t *part_leaf, int64_t *part_vertex)
{
    const cd_shape_rows *rows = adjacency->shape;
    int32_t leaf = 0, first = rows->parts_shape.offset[shape];
    if (cd_list_count(&rows->adjacent, shape) > 0)
        links[shape] |= CD_LINKS_DECLARED;
    for (int32_t k = 0; k < cd_leaf_part_count(build, shape); k++) {
        int32_t part = rows->parts_shape.i32[first + k];
        part_leaf[first + k] = leaf;
        part_vertex[first + k] = vertex_count[shape];
        leaf += cd_adjacency_leaves(adjacency, part);
        vertex_count[shape] += vertex_count[part];
        links[shape] |= links[part];
    }
}

cd_status cd_adjacency_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_adjacency *adjacency,
                            cd_diag *diag)
{
    const cd_shape_rows *rows = &in->shape;
    cd_leaf_build build = {arena, in, refs, NULL, diag};
    *adjacency = (cd_adjacency){.shape = rows, .is_space = in->dim == 3};
    CD_TRY(cd_leaf_build_count(&build));
    adjacency->leaf_first = build.first;
    int32_t parts = rows->parts_shape.offset ? rows->parts_shape.offset[rows->count] : 0;
    int64_t *vertex_count = CD_ARENA_ZARRAY(arena, int64_t, rows->count);
    uint8_t *links = CD_ARENA_ZARRAY(arena, uint8_t, rows->count);
    int32_t *part_leaf = CD_ARENA_ARRAY(arena, int32_t, parts);
    int64_t *part_vertex = CD_ARENA_ARRAY(arena, int64_t, parts);
    for (int32_t s = 0; s < rows->count; s++) {
        if (rows->kind[s] == CD_SHAPE_COMPOUND) {
            add_parts(&build, adjacency, s, vertex_count, links, part_leaf, part_vertex);
        } else if (rows->kind[s] == CD_SHAPE_FACETS && adjacency->is_space) {
            CD_TRY(check_triangles(&build, s));
            if (cd_adjacency_leaves(adjacency, s) > 0) {  // vertices of no triangle are never asked for
                vertex_count[s] = cd_list_count(&rows->vertices, s);
                links[s] = CD_LINKS_FACETS;
            }
        }
    }
    adjacency->vertex_count = vertex_count;
    adjacency->links = links;
    adjacency->part_leaf = part_leaf;
    adjacency->part_vertex = part_vertex;
    return declare(arena, adjacency, diag);
}

// ---- asking --------------------------------------------------------------------------------------------------------

// A leaf on one level of its compound: leaf number `leaf` of `shape`, whose first leaf and vertex are leaf_base and
// vertex_base of the whole.
typedef struct level {
    int32_t shape, leaf;
    int64_t leaf_base, vertex_base;
} level;

static level descend(const cd_adjacency *adjacency, level at)
{
    const cd_list *parts = &adjacency->shape->parts_shape;
    int32_t low = parts->offset[at.shape], high = parts->offset[at.shape + 1];
    while (high - low > 1) {  // the last part that does not begin behind the leaf
        int32_t middle = low + (high - low) / 2;
        if (adjacency->part_leaf[middle] <= at.leaf)
            low = middle;
        else
            high = middle;
    }
    return (level){parts->i32[low], at.leaf - adjacency->part_leaf[low], at.leaf_base + adjacency->part_leaf[low],
                   at.vertex_base + adjacency->part_vertex[low]};
}

bool cd_adjacency_corners(const cd_adjacency *adjacency, int32_t shape, int32_t leaf, int64_t corner[3])
{
    level at = {shape, leaf, 0, cd_adjacency_leaves(adjacency, shape)};
    while (adjacency->links[at.shape] & CD_LINKS_FACETS && adjacency->shape->kind[at.shape] == CD_SHAPE_COMPOUND)
        at = descend(adjacency, at);
    if (!(adjacency->links[at.shape] & CD_LINKS_FACETS))
        return false;
    const cd_list *triangles = &adjacency->shape->triangles;
    const int32_t *vertex = triangles->i32 + 3 * ((size_t)triangles->offset[at.shape] + (size_t)at.leaf);
    for (int k = 0; k < 3; k++)
        corner[k] = at.vertex_base + vertex[k];
    return true;
}

void cd_adjacency_declared(const cd_adjacency *adjacency, int32_t shape, int32_t leaf, cd_arena *arena,
                           cd_node_list *near)
{
    near->count = 0;
    level at = {shape, leaf, 0, 0};
    while (adjacency->links[at.shape] & CD_LINKS_DECLARED) {
        int32_t global = adjacency->leaf_first[at.shape] + at.leaf;
        for (int32_t k = adjacency->neighbour_first[global]; k < adjacency->neighbour_first[global + 1]; k++)
            cd_list_push(arena, near, at.leaf_base + adjacency->neighbour[k]);
        at = descend(adjacency, at);
    }
}
