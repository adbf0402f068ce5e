// Meshes of elements: what all importers check and fill.
// SPDX-License-Identifier: MIT
#include "cd_element_mesh.h"

#include <inttypes.h>
#include <math.h>
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
    cd_list_push(source->arena, &source->first, source->corners.count);
    for (int i = 0; i < nodes; i++)
        cd_list_push(source->arena, &source->corners, own[i]);
    return CD_OK;
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
