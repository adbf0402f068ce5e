// Polyhedra of a scene: the check that they are closed and convex, hulls of points in space, and mesh files.
// SPDX-License-Identifier: MIT
#include "cd_scene_builder.h"

#include "cd_assert.h"
#include "cd_convex_parts.h"
#include "cd_edges3.h"
#include "cd_hull3.h"
#include "cd_mesh.h"
#include "cd_polyhedron_check.h"

#include <math.h>

static cd_polyhedron polyhedron_of(const cd_scene_shape *shape)
{
    return (cd_polyhedron){shape->vertex_count, shape->face_count, (const cd_vec3 *)shape->vertex, shape->face_first,
                           shape->face_vertex};
}

cd_status cd_scene_check_polyhedron(cd_scene *scene, const cd_scene_shape *shape, const cd_yaml_node *where,
                                    const char *label, cd_diag *diag)
{
    cd_diag reason = {{0}};
    cd_polyhedron polyhedron = polyhedron_of(shape);
    cd_status status =
        cd_polyhedron_check_convex(polyhedron, cd_polyhedron_tolerance(polyhedron), scene->arena, &reason);
    return status == CD_OK ? CD_OK : cd_yaml_fail_status(where, diag, status, "%s: %s", label, reason.text);
}

// What cd_orient3d can take.
static bool in_range(const double *value, int64_t count)
{
    static const double least = 1e-90, most = 1e90;
    for (int64_t i = 0; i < count; i++)
        if (value[i] != 0 && !(fabs(value[i]) >= least && fabs(value[i]) <= most))
            return false;
    return true;
}

int32_t cd_scene_hull3(cd_scene *scene, const double *point, int32_t count, cd_scene_shape *shape)
{
    CD_ASSERT(scene->dim == 3);
    if (!in_range(point, 3 * (int64_t)count))
        return CD_SCENE_OUT_OF_RANGE;
    cd_hull3 hull = cd_hull3_make((const cd_vec3 *)point, count, scene->arena);
    if (hull.dimension < 3)
        return hull.dimension;
    *shape = (cd_scene_shape){.kind = CD_SHAPE_POLYHEDRON,
                              .is_hull = true,
                              .vertex_count = hull.vertex_count,
                              .face_count = hull.face_count,
                              .face_first = hull.face_first,
                              .face_vertex = hull.face_vertex};
    shape->vertex = CD_ARENA_ARRAY(scene->arena, double, 3 * (size_t)hull.vertex_count);
    for (int32_t i = 0; i < hull.vertex_count; i++)
        memcpy(shape->vertex + 3 * (size_t)i, point + 3 * (size_t)hull.vertex[i], 3 * sizeof(double));
    return 3;
}

cd_status cd_scene_fail_hull(const cd_yaml_node *where, const char *label, int32_t dimension, cd_diag *diag)
{
    static const char *const place[] = {"all points are in one place", "the points lie on a line",
                                        "the points lie in a plane"};
    if (dimension == CD_SCENE_OUT_OF_RANGE)
        return cd_yaml_fail(where, diag, "%s: coordinates must be 0 or of size 1e-90 to 1e90", label);
    return cd_yaml_fail(where, diag, "%s: %s", label, dimension < 0 ? "there are no points" : place[dimension]);
}

// ---- mesh files ----------------------------------------------------------------------------------------------------

typedef struct mesh_file_keys {
    const char *file;
    double scale, thickness;
    int32_t as;
} mesh_file_keys;

enum { AS_POLYHEDRON, AS_HULL, AS_FACETS, AS_SURFACE, AS_PARTS };
static const char *const as_words[] = {"polyhedron", "hull", "facets", "surface", "parts", NULL};
enum { MOST_PARTS = 1000 };  // and reflex edges: with more, a surface of facets serves better

static cd_status read_mesh_keys(cd_scene *scene, const cd_yaml_node *node, mesh_file_keys *keys, cd_diag *diag)
{
    static const cd_yaml_key table[] = {
        CD_YAML_KEY_NEEDED(mesh_file_keys, file, CD_YAML_TEXT, 0, 0, NULL),
        CD_YAML_KEY(mesh_file_keys, scale, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, NULL),
        CD_YAML_KEY(mesh_file_keys, thickness, CD_YAML_DOUBLE, 0, INFINITY, NULL),
        {.name = "as", .type = CD_YAML_WORD, .offset = offsetof(mesh_file_keys, as), .words = as_words},
        CD_YAML_KEYS_END};
    *keys = (mesh_file_keys){.scale = 1, .thickness = NAN, .as = AS_POLYHEDRON};
    if (node->kind == CD_YAML_SCALAR)
        return cd_yaml_text(node, "mesh", &keys->file, diag);
    CD_TRY(cd_yaml_want(node, "mesh", CD_YAML_MAP, diag));
    CD_TRY(cd_yaml_read(node, table, scene->dim, keys, diag));
    if (keys->as != AS_FACETS && keys->as != AS_SURFACE && !isnan(keys->thickness))
        return cd_yaml_fail(node, diag, "mesh: thickness: only as facets, surface");
    return CD_OK;
}

// Faces of more than three corners become triangles about their first one.
static cd_status make_facets(cd_scene *scene, const cd_yaml_node *node, const cd_mesh *mesh, double thickness,
                             cd_scene_shape *shape, cd_diag *diag)
{
    int64_t corners = mesh->face_first[mesh->face_count], count = corners - 2 * (int64_t)mesh->face_count;
    int32_t *triangle = CD_ARENA_ARRAY(scene->arena, int32_t, 3 * count), *to = triangle;
    if (count == 0)
        return cd_yaml_fail(node, diag, "mesh: there are no faces");
    for (int32_t f = 0; f < mesh->face_count; f++)
        for (int32_t k = mesh->face_first[f] + 1; k + 1 < mesh->face_first[f + 1]; k++) {
            *to++ = mesh->face_vertex[mesh->face_first[f]];
            *to++ = mesh->face_vertex[k];
            *to++ = mesh->face_vertex[k + 1];
        }
    *shape = (cd_scene_shape){.kind = CD_SHAPE_FACETS,
                              .vertex_count = mesh->vertex_count,
                              .vertex = (double *)mesh->vertex,
                              .triangle_count = (int32_t)count,
                              .triangle = triangle};
    shape->thickness[0] = isnan(thickness) ? 0 : thickness;
    return CD_OK;
}

// The triangles of make_facets stand for the solid that they enclose.
static cd_status enclose(cd_scene *scene, const cd_yaml_node *node, const char *path, cd_scene_shape *shape,
                         cd_diag *diag)
{
    int32_t *first = CD_ARENA_ARRAY(scene->arena, int32_t, (size_t)shape->triangle_count + 1);
    for (int32_t t = 0; t <= shape->triangle_count; t++)
        first[t] = 3 * t;
    cd_edges3 edges = cd_edges3_make(scene->arena, shape->vertex_count, shape->triangle_count, first, shape->triangle);
    cd_mass3 *mass = CD_ARENA_ARRAY(scene->arena, cd_mass3, 1);
    *mass = cd_polyhedron_mass((cd_polyhedron){shape->vertex_count, shape->triangle_count,
                                               (const cd_vec3 *)shape->vertex, first, shape->triangle});
    if (!cd_edges3_are_closed(&edges, first[shape->triangle_count]) || !(mass->volume > 0))
        return cd_yaml_fail(node, diag, "%s: faces: not closed, or clockwise as seen from outside: it encloses nothing",
                            path);
    shape->enclosed = mass;
    return CD_OK;
}

// Convex parts that fill a closed mesh: a compound of polyhedra, neighbours adjacent; of a convex mesh the polyhedron.
static cd_status make_parts(cd_scene *scene, const cd_yaml_node *node, cd_polyhedron mesh, const char *path,
                            cd_scene_shape *shape, cd_diag *diag)
{
    cd_convex_parts parts;
    cd_diag reason = {{0}};
    if (!in_range((const double *)mesh.vertex, 3 * (int64_t)mesh.vertex_count))
        return cd_scene_fail_hull(node, path, CD_SCENE_OUT_OF_RANGE, diag);
    cd_status status = cd_convex_parts_make(mesh, MOST_PARTS, scene->arena, &parts, &reason);
    if (status != CD_OK)
        return cd_yaml_fail_status(node, diag, status, "%s: %s", path, reason.text);
    int32_t *row = CD_ARENA_ARRAY(scene->arena, int32_t, parts.count);
    double *rotation = CD_ARENA_ZARRAY(scene->arena, double, 4 * (size_t)parts.count);
    for (int32_t p = 0; p < parts.count; p++) {
        cd_polyhedron part = parts.part[p].polyhedron;
        *shape = (cd_scene_shape){.kind = CD_SHAPE_POLYHEDRON,
                                  .vertex_count = part.vertex_count,
                                  .vertex = (double *)part.vertex,
                                  .face_count = part.face_count,
                                  .face_first = part.face_first,
                                  .face_vertex = part.face_vertex,
                                  .surface_count = part.face_count,
                                  .surface = parts.part[p].surface};
        CD_TRY(cd_scene_check_polyhedron(scene, shape, node, path, diag));
        if (parts.count == 1)
            return CD_OK;
        CD_TRY(cd_scene_add_shape(scene, shape, node, &row[p], diag));
        rotation[4 * (size_t)p] = 1;
    }
    *shape = (cd_scene_shape){.kind = CD_SHAPE_COMPOUND,
                              .part_count = parts.count,
                              .part_shape = row,
                              .part_position = CD_ARENA_ZARRAY(scene->arena, double, 3 * (size_t)parts.count),
                              .part_rotation = rotation,
                              .leaf_count = parts.count,
                              .adjacent_count = parts.adjacent_count,
                              .adjacent = parts.adjacent};
    return CD_OK;
}

const char *cd_scene_path(const cd_scene *scene, const cd_yaml_node *node, const char *file)
{
    const char *slash = strrchr(node->file, '/');
    if (file[0] == '/' || !slash)
        return file;
    return cd_arena_printf(scene->arena, "%.*s%s", (int)(slash + 1 - node->file), node->file, file);
}

cd_status cd_scene_read_mesh(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    mesh_file_keys keys;
    cd_mesh mesh;
    if (scene->dim != 3)
        return cd_yaml_fail(node, diag, "mesh: needs dim: 3");
    CD_TRY(read_mesh_keys(scene, node, &keys, diag));
    const char *path = cd_scene_path(scene, node, keys.file);
    cd_status status = cd_mesh_load(scene->arena, path, scene->max_rows, &mesh, diag);
    if (status == CD_ERR_IO || status == CD_ERR_UNSUPPORTED)  // it is the name that is wrong: say where it stands
        return cd_fail_at(diag, status == CD_ERR_IO ? status : CD_ERR_FORMAT, "%s:%d: mesh", node->file, node->line);
    CD_TRY(status);
    for (int32_t i = 0; i < mesh.vertex_count; i++)
        mesh.vertex[i] = cd_scale3(keys.scale, mesh.vertex[i]);
    if (keys.as == AS_HULL) {
        int32_t dimension = cd_scene_hull3(scene, (const double *)mesh.vertex, mesh.vertex_count, shape);
        return dimension == 3 ? CD_OK : cd_scene_fail_hull(node, path, dimension, diag);
    }
    if (keys.as == AS_FACETS)
        return make_facets(scene, node, &mesh, keys.thickness, shape, diag);
    if (keys.as == AS_SURFACE) {
        CD_TRY(make_facets(scene, node, &mesh, keys.thickness, shape, diag));
        return enclose(scene, node, path, shape, diag);
    }
    if (keys.as == AS_PARTS)
        return make_parts(
            scene, node,
            (cd_polyhedron){mesh.vertex_count, mesh.face_count, mesh.vertex, mesh.face_first, mesh.face_vertex}, path,
            shape, diag);
    *shape = (cd_scene_shape){.kind = CD_SHAPE_POLYHEDRON,
                              .vertex_count = mesh.vertex_count,
                              .vertex = (double *)mesh.vertex,
                              .face_count = mesh.face_count,
                              .face_first = mesh.face_first,
                              .face_vertex = mesh.face_vertex};
    return cd_scene_check_polyhedron(scene, shape, node, path, diag);
}
