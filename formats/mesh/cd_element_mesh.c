// Meshes of elements: what all importers check and fill.
// SPDX-License-Identifier: MIT
#include "cd_element_mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define X(name) &cd_mesh_##name,
const cd_mesh_importer *const cd_element_importers[] = {
#include "element_importers.def"
    NULL};
#undef X

static const char *const kind_name[CD_ELEMENT_KINDS] = {
    [CD_ELEMENT_TRI3] = "triangle",
    [CD_ELEMENT_TET4] = "tetrahedron",
    [CD_ELEMENT_QUAD4] = "quadrilateral",
    [CD_ELEMENT_HEX8] = "hexahedron",
};

static cd_status fail_limit(const cd_mesh_source *source, const char *what)
{
    return cd_fail(source->diag, CD_ERR_LIMIT, "%s: more than %" PRId64 " %s (--max-rows)", source->name, source->most,
                   what);
}

cd_status cd_mesh_add_node(cd_mesh_source *source, cd_vec3 node)
{
    if (source->dim == 2 && node.z != 0)
        return cd_mesh_fail(source, "node: z is %g: a mesh of the plane is at z = 0", node.z);
    if (source->vertices.count >= source->most)
        return fail_limit(source, "nodes");
    return cd_mesh_add_vertex(source, node);
}

// ---- elements ------------------------------------------------------------------------------------------------------

static double triple(cd_vec3 o, cd_vec3 a, cd_vec3 b, cd_vec3 c)
{
    return cd_dot3(cd_sub3(a, o), cd_cross3(cd_sub3(b, o), cd_sub3(c, o)));
}

// The node where a quadrilateral or hexahedron is not convex, -1: none.
static int inverted_corner(cd_element_kind kind, const cd_vec3 *x)
{
    static const int edges[8][3] = {{1, 3, 4}, {2, 0, 5}, {3, 1, 6}, {0, 2, 7},
                                    {7, 5, 0}, {4, 6, 1}, {5, 7, 2}, {6, 4, 3}};
    int nodes = kind == CD_ELEMENT_QUAD4 || kind == CD_ELEMENT_HEX8 ? cd_element_node_count(kind) : 0;
    for (int i = 0; i < nodes; i++) {
        cd_vec3 above = cd_add3(x[i], (cd_vec3){0, 0, 1});
        const int *to = edges[i];
        if (!(triple(x[i], x[to[0]], x[to[1]], kind == CD_ELEMENT_QUAD4 ? above : x[to[2]]) > 0))
            return i;
    }
    return -1;
}

// Goes round the other way.
static void turn_round(cd_element_kind kind, int32_t *node)
{
    static const int swaps[CD_ELEMENT_KINDS][2][2] = {[CD_ELEMENT_TRI3] = {{1, 2}, {0, 0}},
                                                      [CD_ELEMENT_TET4] = {{1, 2}, {0, 0}},
                                                      [CD_ELEMENT_QUAD4] = {{1, 3}, {0, 0}},
                                                      [CD_ELEMENT_HEX8] = {{1, 3}, {5, 7}}};
    for (int s = 0; s < 2; s++) {
        const int *at = swaps[kind][s];
        int32_t kept = node[at[0]];
        node[at[0]] = node[at[1]];
        node[at[1]] = kept;
    }
}

static void gather(const cd_mesh_source *source, int nodes, const int32_t *node, cd_vec3 *x)
{
    for (int i = 0; i < nodes; i++)
        x[i] = source->vertices.item[node[i]];
}

cd_status cd_mesh_add_element(cd_mesh_source *source, cd_element_kind kind, const int32_t *node)
{
    int dim = cd_element_dim(kind), nodes = cd_element_node_count(kind);
    if (dim < source->dim)
        return CD_OK;
    if (dim > source->dim)
        return cd_mesh_fail(source, "element: a %s is none of the plane", kind_name[kind]);
    if (source->corners.count + nodes > source->most)
        return fail_limit(source, "corners of elements");
    int32_t own[CD_ELEMENT_MAX_NODES];
    cd_vec3 x[CD_ELEMENT_MAX_NODES];
    memcpy(own, node, (size_t)nodes * sizeof *own);
    gather(source, nodes, own, x);
    double volume = cd_element_volume(kind, x, CD_SYMMETRY_PLANE);
    if (volume < 0) {
        turn_round(kind, own);
        gather(source, nodes, own, x);
    }
    int corner = inverted_corner(kind, x);
    if (!(fabs(volume) > 0) || !isfinite(volume))
        return cd_mesh_fail(source, "element: the volume of this %s is %g", kind_name[kind], volume);
    if (corner >= 0)
        return cd_mesh_fail(source, "element: this %s is not convex at its node %d", kind_name[kind], corner + 1);
    cd_list_push(source->arena, &source->kinds, (int32_t)kind);
    cd_list_push(source->arena, &source->lines, source->line);
    cd_list_push(source->arena, &source->first, source->corners.count);
    for (int i = 0; i < nodes; i++)
        cd_list_push(source->arena, &source->corners, own[i]);
    return CD_OK;
}

// ---- elements that are there twice ---------------------------------------------------------------------------------

typedef struct element_nodes {
    int32_t node[CD_ELEMENT_MAX_NODES];  // ascending; -1 behind the last
    int32_t element;
} element_nodes;

static int compare_nodes(const void *left, const void *right)
{
    const element_nodes *p = left, *q = right;
    for (int k = 0; k < CD_ELEMENT_MAX_NODES; k++)
        if (p->node[k] != q->node[k])
            return p->node[k] < q->node[k] ? -1 : 1;
    return (p->element > q->element) - (p->element < q->element);
}

static element_nodes nodes_of(const cd_mesh_source *source, int32_t element)
{
    element_nodes sorted = {.element = element};
    const int count = cd_element_node_count((cd_element_kind)source->kinds.item[element]);
    for (int k = 0; k < CD_ELEMENT_MAX_NODES; k++) {
        const int32_t node = k < count ? source->corners.item[source->first.item[element] + k] : -1;
        int at = k;
        for (; k < count && at > 0 && sorted.node[at - 1] > node; at--)
            sorted.node[at] = sorted.node[at - 1];
        sorted.node[at] = node;
    }
    return sorted;
}

// Two elements of the same nodes would have twice the mass and stiffness.
static cd_status check_twice(cd_mesh_source *source)
{
    const int32_t count = source->kinds.count;
    element_nodes *all = cd_alloc(((size_t)count + 1) * sizeof *all);
    for (int32_t i = 0; i < count; i++)
        all[i] = nodes_of(source, i);
    qsort(all, (size_t)count, sizeof *all, compare_nodes);
    int32_t first = -1, second = -1;
    for (int32_t i = 1; i < count; i++) {
        bool is_twice = !memcmp(all[i].node, all[i - 1].node, sizeof all[i].node);
        if (is_twice && (second < 0 || all[i].element < second)) {
            first = all[i - 1].element;
            second = all[i].element;
        }
    }
    cd_free(all);
    if (second < 0)
        return CD_OK;
    source->line = source->lines.item[second];
    return cd_mesh_fail(source, "element: this %s has the nodes of another one, on line %d",
                        kind_name[source->kinds.item[second]], (int)source->lines.item[first]);
}

// ---- files ---------------------------------------------------------------------------------------------------------

// Leaves out nodes that no element has; the others keep their order.
static void drop_unused(cd_mesh_source *source)
{
    int32_t *place = CD_ARENA_ZARRAY(source->arena, int32_t, source->vertices.count), kept = 0;
    for (int32_t k = 0; k < source->corners.count; k++)
        place[source->corners.item[k]] = 1;
    for (int32_t i = 0; i < source->vertices.count; i++)
        if (place[i]) {
            source->vertices.item[kept] = source->vertices.item[i];
            place[i] = kept++;
        }
    source->vertices.count = kept;
    for (int32_t k = 0; k < source->corners.count; k++)
        source->corners.item[k] = place[source->corners.item[k]];
}

cd_status cd_element_mesh_parse(cd_arena *arena, const cd_mesh_importer *importer, cd_mesh_text text, int dim,
                                int64_t most, cd_element_mesh *mesh, cd_diag *diag)
{
    cd_mesh_source source;
    CD_TRY(cd_mesh_open(arena, &text, most, &source, diag));
    source.dim = dim;
    CD_TRY(importer->read(&source));
    if (source.kinds.count == 0)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: has no elements of %s", text.name, dim == 2 ? "the plane" : "space");
    CD_TRY(check_twice(&source));
    drop_unused(&source);
    cd_list_push(arena, &source.first, source.corners.count);
    *mesh = (cd_element_mesh){.dim = dim,
                              .node_count = source.vertices.count,
                              .element_count = source.kinds.count,
                              .node = source.vertices.item,
                              .kind = source.kinds.item,
                              .first = source.first.item,
                              .corner = source.corners.item};
    return CD_OK;
}

cd_status cd_element_mesh_load(cd_arena *arena, const char *path, int dim, int64_t most, cd_element_mesh *mesh,
                               cd_diag *diag)
{
    const cd_mesh_importer *importer = NULL;
    const char *dot = strrchr(path, '.');
    for (int i = 0; dot && cd_element_importers[i]; i++)
        if (!strcasecmp(dot + 1, cd_element_importers[i]->name))
            importer = cd_element_importers[i];
    if (!importer)
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "%s: its name ends in none of .msh, .vtk", path);
    cd_buffer text = {0};
    cd_status status = cd_mesh_read_file(path, &text, diag);
    if (status == CD_OK)
        status =
            cd_element_mesh_parse(arena, importer, (cd_mesh_text){path, text.data, text.size}, dim, most, mesh, diag);
    cd_buffer_release(&text);
    return status;
}
