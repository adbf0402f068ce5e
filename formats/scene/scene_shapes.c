// The shapes of a scene: names, the kinds and their geometry, and the move to the centre of mass.
// SPDX-License-Identifier: MIT
#include "cd_scene_builder.h"

#include "cd_assert.h"
#include "cd_polygon.h"

#include <math.h>

// A centre of mass nearer to the origin than this part of the shape's diameter is rounding of the sums that gave it:
// then the vertices stay as they were written.
static const double centred_within = 1e-14;
// The length of a quaternion or axis may differ from 1 by this (people round to a few digits); it is normalised.
static const double quaternion_slack = 0.01;
enum { MAX_COMPOUND_DEPTH = 64 };

// v / |v|, when |v| differs from 1 by no more than `slack`. Scaled first, so that no square over- or underflows.
static cd_status normalise(const cd_yaml_node *node, const char *label, double *v, int count, double slack,
                           cd_diag *diag)
{
    double most = 0, square = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(v[i]));
    if (most == 0)
        return cd_yaml_fail(node, diag, "%s: is zero", label);
    for (int i = 0; i < count; i++)
        square += (v[i] / most) * (v[i] / most);
    if (fabs(most * sqrt(square) - 1) > slack)
        return cd_yaml_fail(node, diag, "%s: needs length 1, has %g", label, most * sqrt(square));
    for (int i = 0; i < count; i++)
        v[i] = v[i] / most / sqrt(square);
    return CD_OK;
}

// ---- one shape into the list ---------------------------------------------------------------------------------------

static cd_status check_polygon(const cd_scene_shape *shape, const cd_yaml_node *where, const cd_yaml_node *points,
                               cd_diag *diag)
{
    cd_polygon_fault fault = cd_polygon_check((const cd_vec2 *)shape->vertex, shape->vertex_count);
    if (fault.kind == CD_POLYGON_OK)
        return CD_OK;
    if (fault.vertex < 0)
        return cd_yaml_fail(where, diag, "polygon: %s", cd_polygon_fault_text(fault.kind));
    const cd_yaml_node *at =
        points && points->kind == CD_YAML_LIST && fault.vertex < points->count ? points->item[fault.vertex] : where;
    return cd_yaml_fail(at, diag, "polygon: vertex %d %s", fault.vertex, cd_polygon_fault_text(fault.kind));
}

static void move_to_centre(int dim, cd_scene_shape *shape)
{
    double offset = 0;
    for (int k = 0; k < dim; k++)
        offset = fmax(offset, fabs(shape->centre[k]));
    if ((shape->kind == CD_SHAPE_POLYGON || shape->kind == CD_SHAPE_POLYHEDRON) && !shape->has_centre &&
        offset <= centred_within * shape->diameter) {
        memset(shape->centre, 0, sizeof shape->centre);
        return;
    }
    for (int32_t i = 0; i < shape->vertex_count * dim; i++)
        shape->vertex[i] -= shape->centre[i % dim];
    for (int32_t p = 0; p < shape->part_count * dim; p++)
        shape->part_position[p] -= shape->centre[p % dim];
}

// From where a part's own origin is to where its stored origin, its centre of mass, is.
static void place_parts(const cd_scene *scene, cd_scene_shape *shape)
{
    int dim = scene->dim, turns = dim == 2 ? 1 : 4;
    for (int32_t p = 0; p < shape->part_count; p++) {
        double arm[3];
        cd_scene_turn(dim, shape->part_rotation + (size_t)p * (size_t)turns,
                      scene->shapes.item[shape->part_shape[p]].centre, arm);
        for (int k = 0; k < dim; k++)
            shape->part_position[(size_t)p * (size_t)dim + (size_t)k] += arm[k];
    }
}

cd_status cd_scene_add_shape(cd_scene *scene, cd_scene_shape *shape, const cd_yaml_node *where, int32_t *row,
                             cd_diag *diag)
{
    if (scene->shapes.count >= scene->max_rows)
        return cd_yaml_fail_status(where, diag, CD_ERR_LIMIT, "more than %lld shapes (--max-rows)",
                                   (long long)scene->max_rows);
    shape->leaf_count = 1;
    shape->depth = 0;
    if (shape->kind == CD_SHAPE_COMPOUND) {
        shape->leaf_count = 0;
        for (int32_t p = 0; p < shape->part_count; p++) {
            const cd_scene_shape *part = &scene->shapes.item[shape->part_shape[p]];
            shape->leaf_count += part->leaf_count;
            shape->depth = part->depth >= shape->depth ? part->depth + 1 : shape->depth;
            if (shape->leaf_count > scene->max_rows)
                return cd_yaml_fail_status(where, diag, CD_ERR_LIMIT, "compound: more than %lld parts (--max-rows)",
                                           (long long)scene->max_rows);
        }
        if (shape->depth > MAX_COMPOUND_DEPTH)
            return cd_yaml_fail_status(where, diag, CD_ERR_LIMIT, "compound: nests deeper than %d", MAX_COMPOUND_DEPTH);
    }
    if (shape->kind == CD_SHAPE_POLYGON)
        CD_TRY(check_polygon(shape, where, NULL, diag));
    cd_scene_measure(scene, shape);
    for (int k = 0; k < scene->dim; k++)
        if (!isfinite(shape->centre[k]))
            return cd_yaml_fail(where, diag, "shape: its coordinates are too large");
    place_parts(scene, shape);
    move_to_centre(scene->dim, shape);
    if (shape->is_hull &&
        scene->dim == 2) {  // corners so flat that the rounding of the move bent them inward are no corners
        cd_polygon again = cd_hull2((const cd_vec2 *)shape->vertex, shape->vertex_count, scene->arena, NULL);
        memcpy(shape->vertex, again.vertex, sizeof(cd_vec2) * (size_t)again.count);
        shape->vertex_count = again.count;
    }
    if (shape->kind == CD_SHAPE_POLYGON) {
        cd_polygon_fault fault = cd_polygon_check((const cd_vec2 *)shape->vertex, shape->vertex_count);
        if (fault.kind != CD_POLYGON_OK)  // nearly straight at a vertex: the rounding of the move bends it
            return cd_yaml_fail(where, diag, "polygon: moved to its centre of mass, vertex %d %s", fault.vertex,
                                cd_polygon_fault_text(fault.kind));
    }
    *row = scene->shapes.count;
    cd_list_push(scene->arena, &scene->shapes, *shape);
    return CD_OK;
}

bool cd_scene_hull(cd_scene *scene, const double *point, int32_t count, cd_scene_shape *shape)
{
    CD_ASSERT(scene->dim == 2);
    cd_polygon hull = cd_hull2((const cd_vec2 *)point, count, scene->arena, NULL);
    if (hull.count < 3)
        return false;
    *shape = (cd_scene_shape){.kind = CD_SHAPE_POLYGON, .is_hull = true, .vertex_count = hull.count};
    shape->vertex = CD_ARENA_ARRAY(scene->arena, double, 2 * (size_t)hull.count);
    memcpy(shape->vertex, hull.vertex, sizeof(cd_vec2) * (size_t)hull.count);
    return true;
}

// ---- kinds: each reads what stands behind its key ------------------------------------------------------------------

static cd_status read_polygon(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    if (scene->dim != 2)
        return cd_yaml_fail(node, diag, "polygon: needs dim: 2");
    CD_TRY(cd_yaml_vectors(scene->arena, node, (cd_yaml_list){"polygon", .dim = 2, .least = 3}, &shape->vertex,
                           &shape->vertex_count, diag));
    return check_polygon(shape, node, node, diag);
}

static cd_status read_hull(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    double *point;
    int32_t count;
    if (scene->dim == 3) {
        CD_TRY(cd_yaml_vectors(scene->arena, node, (cd_yaml_list){"hull", .dim = 3, .least = 4}, &point, &count, diag));
        int32_t dimension = cd_scene_hull3(scene, point, count, shape);
        return dimension == 3 ? CD_OK : cd_scene_fail_hull(node, "hull", dimension, diag);
    }
    CD_TRY(cd_yaml_vectors(scene->arena, node, (cd_yaml_list){"hull", .dim = 2, .least = 3}, &point, &count, diag));
    if (!cd_scene_hull(scene, point, count, shape))
        return cd_yaml_fail(node, diag, "hull: the points lie on a line");
    return CD_OK;
}

static cd_status read_radius(const cd_yaml_node *node, const char *label, cd_scene_shape *shape, cd_diag *diag)
{
    CD_TRY(cd_yaml_number(node, label, shape->radius, diag));
    if (shape->radius[0] < CD_YAML_ABOVE_ZERO)
        return cd_yaml_fail(node, diag, "%s: the radius must be greater than 0", label);
    return CD_OK;
}

static cd_status read_sphere(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    (void)scene;
    return read_radius(node, "sphere", shape, diag);
}

static cd_status read_circle(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    if (scene->dim != 2)
        return cd_yaml_fail(node, diag, "circle: needs dim: 2; in 3-D it is a sphere");
    shape->kind = CD_SHAPE_SPHERE;
    return read_radius(node, "circle", shape, diag);
}

static cd_status read_sizes(cd_scene *scene, const cd_yaml_node *node, const char *label, double *size, cd_diag *diag)
{
    CD_TRY(cd_yaml_numbers(node, label, scene->dim, size, diag));
    for (int i = 0; i < scene->dim; i++)
        if (size[i] < CD_YAML_ABOVE_ZERO)
            return cd_yaml_fail(node->item[i], diag, "%s: sizes must be greater than 0", label);
    return CD_OK;
}

static cd_status read_box(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    return read_sizes(scene, node, "box", shape->halfsizes, diag);
}

static cd_status read_ellipsoid(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    return read_sizes(scene, node, "ellipsoid", shape->semiaxes, diag);
}

static cd_status read_halfspace(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    static const cd_yaml_key keys[] = {
        CD_YAML_KEY_NEEDED(cd_scene_shape, normal, CD_YAML_VECTOR, -INFINITY, INFINITY, NULL),
        CD_YAML_KEY(cd_scene_shape, offset, CD_YAML_DOUBLE, -INFINITY, INFINITY, NULL), CD_YAML_KEYS_END};
    CD_TRY(cd_yaml_want(node, "halfspace", CD_YAML_MAP, diag));
    CD_TRY(cd_yaml_read(node, keys, scene->dim, shape, diag));
    return normalise(node, "normal", shape->normal, scene->dim, INFINITY, diag);
}

// The vertices of face f are vertex[first[f]] to vertex[first[f + 1] - 1].
typedef struct face_lists {
    const int32_t *first, *vertex;
} face_lists;

// Lists of numbers of the shape's vertices, of `length` each; 0: of any length.
static cd_status read_faces(cd_scene *scene, const cd_yaml_node *node, const char *label, int32_t length,
                            const cd_scene_shape *shape, face_lists *faces, cd_diag *diag)
{
    CD_LIST(int32_t) all = {0};
    CD_TRY(cd_yaml_want(node, label, CD_YAML_LIST, diag));
    int32_t *first = CD_ARENA_ARRAY(scene->arena, int32_t, (size_t)node->count + 1);
    for (int32_t f = 0; f < node->count; f++) {
        int32_t *face, count;
        first[f] = all.count;
        CD_TRY(cd_yaml_integers(scene->arena, node->item[f],
                                (cd_yaml_list){label, .least = 3, .low = 0, .high = shape->vertex_count - 1}, &face,
                                &count, diag));
        if (length && count != length)
            return cd_yaml_fail(node->item[f], diag, "%s: needs %d vertex numbers, has %d", label, length, count);
        for (int32_t i = 0; i < count; i++) {
            for (int32_t j = 0; j < i; j++)
                if (face[i] == face[j])
                    return cd_yaml_fail(node->item[f], diag, "%s: vertex %d is there twice", label, face[i]);
            cd_list_push(scene->arena, &all, face[i]);
        }
    }
    first[node->count] = all.count;
    *faces = (face_lists){first, all.item};
    return CD_OK;
}

typedef struct mesh_keys {
    const cd_yaml_node *vertices, *faces, *surfaces, *triangles;
    double thickness;
} mesh_keys;

static cd_status read_polyhedron(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    static const cd_yaml_key keys[] = {CD_YAML_KEY_NEEDED(mesh_keys, vertices, CD_YAML_NODE, 0, 0, NULL),
                                       CD_YAML_KEY_NEEDED(mesh_keys, faces, CD_YAML_NODE, 0, 0, NULL),
                                       CD_YAML_KEY(mesh_keys, surfaces, CD_YAML_NODE, 0, 0, NULL), CD_YAML_KEYS_END};
    mesh_keys mesh = {0};
    face_lists faces;
    int32_t *surface;
    if (scene->dim != 3)
        return cd_yaml_fail(node, diag, "polyhedron: needs dim: 3");
    CD_TRY(cd_yaml_want(node, "polyhedron", CD_YAML_MAP, diag));
    CD_TRY(cd_yaml_read(node, keys, 3, &mesh, diag));
    CD_TRY(cd_yaml_vectors(scene->arena, mesh.vertices, (cd_yaml_list){"vertices", .dim = 3, .least = 4},
                           &shape->vertex, &shape->vertex_count, diag));
    CD_TRY(read_faces(scene, mesh.faces, "faces", 0, shape, &faces, diag));
    if (mesh.faces->count < 4)
        return cd_yaml_fail(mesh.faces, diag, "faces: needs at least 4 faces, has %d", mesh.faces->count);
    shape->face_count = mesh.faces->count;
    shape->face_first = faces.first;
    shape->face_vertex = faces.vertex;
    CD_TRY(cd_scene_check_polyhedron(scene, shape, mesh.faces, "polyhedron", diag));
    if (!mesh.surfaces)
        return CD_OK;
    CD_TRY(cd_yaml_integers(scene->arena, mesh.surfaces,
                            (cd_yaml_list){"surfaces", .least = 0, .low = -1, .high = INT32_MAX}, &surface,
                            &shape->surface_count, diag));
    shape->surface = surface;
    if (shape->surface_count != shape->face_count)
        return cd_yaml_fail(mesh.surfaces, diag, "surfaces: needs one number a face: %d, has %d", shape->face_count,
                            shape->surface_count);
    return CD_OK;
}

static cd_status read_facets(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    static const cd_yaml_key keys[] = {CD_YAML_KEY_NEEDED(mesh_keys, vertices, CD_YAML_NODE, 0, 0, NULL),
                                       CD_YAML_KEY_NEEDED(mesh_keys, triangles, CD_YAML_NODE, 0, 0, NULL),
                                       CD_YAML_KEY(mesh_keys, thickness, CD_YAML_DOUBLE, 0, INFINITY, NULL),
                                       CD_YAML_KEYS_END};
    mesh_keys mesh = {0};
    face_lists triangles;
    if (scene->dim != 3)
        return cd_yaml_fail(node, diag, "facets: needs dim: 3");
    CD_TRY(cd_yaml_want(node, "facets", CD_YAML_MAP, diag));
    CD_TRY(cd_yaml_read(node, keys, 3, &mesh, diag));
    CD_TRY(cd_yaml_vectors(scene->arena, mesh.vertices, (cd_yaml_list){"vertices", .dim = 3, .least = 3},
                           &shape->vertex, &shape->vertex_count, diag));
    CD_TRY(read_faces(scene, mesh.triangles, "triangles", 3, shape, &triangles, diag));
    if (mesh.triangles->count < 1)
        return cd_yaml_fail(mesh.triangles, diag, "triangles: there is none");
    shape->triangle_count = mesh.triangles->count;
    shape->triangle = triangles.vertex;
    shape->thickness[0] = mesh.thickness;
    return CD_OK;
}

// ---- compounds -----------------------------------------------------------------------------------------------------

typedef struct part_keys {
    const cd_yaml_node *shape, *rotation, *rotation_deg;
    double position[3];
} part_keys;

static cd_status read_part(cd_scene *scene, const cd_yaml_node *node, int32_t *row, double *position, double *rotation,
                           cd_diag *diag)
{
    static const cd_yaml_key keys[] = {CD_YAML_KEY_NEEDED(part_keys, shape, CD_YAML_NODE, 0, 0, NULL),
                                       CD_YAML_KEY(part_keys, position, CD_YAML_VECTOR, -INFINITY, INFINITY, NULL),
                                       CD_YAML_KEY(part_keys, rotation, CD_YAML_NODE, 0, 0, NULL),
                                       CD_YAML_KEY(part_keys, rotation_deg, CD_YAML_NODE, 0, 0, NULL),
                                       CD_YAML_KEYS_END};
    part_keys part = {0};
    CD_TRY(cd_yaml_want(node, "compound", CD_YAML_MAP, diag));
    CD_TRY(cd_yaml_read(node, keys, scene->dim, &part, diag));
    CD_TRY(cd_scene_read_shape(scene, part.shape, row, diag));
    memcpy(position, part.position, sizeof(double) * (size_t)scene->dim);
    return cd_scene_read_rotation(scene, part.rotation, part.rotation_deg, rotation, diag);
}

static cd_status read_adjacent(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    CD_TRY(cd_yaml_want(node, "adjacent", CD_YAML_LIST, diag));
    int32_t *pairs = CD_ARENA_ARRAY(scene->arena, int32_t, 2 * (size_t)node->count);
    for (int32_t i = 0; i < node->count; i++) {
        int32_t *pair, count;
        CD_TRY(cd_yaml_integers(scene->arena, node->item[i],
                                (cd_yaml_list){"adjacent", .least = 2, .low = 0, .high = shape->leaf_count - 1}, &pair,
                                &count, diag));
        if (count != 2 || pair[0] == pair[1])
            return cd_yaml_fail(node->item[i], diag, "adjacent: needs two different part numbers");
        pairs[2 * i] = pair[0];
        pairs[2 * i + 1] = pair[1];
    }
    shape->adjacent_count = node->count;
    shape->adjacent = pairs;
    return CD_OK;
}

static cd_status read_compound(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    size_t dim = (size_t)scene->dim, turns = scene->dim == 2 ? 1 : 4;
    CD_TRY(cd_yaml_want(node, "compound", CD_YAML_LIST, diag));
    if (!node->count)
        return cd_yaml_fail(node, diag, "compound: has no parts");
    int32_t *row = CD_ARENA_ARRAY(scene->arena, int32_t, node->count);
    double *position = CD_ARENA_ARRAY(scene->arena, double, dim *(size_t)node->count);
    double *rotation = CD_ARENA_ARRAY(scene->arena, double, turns *(size_t)node->count);
    for (int32_t p = 0; p < node->count; p++) {
        CD_TRY(
            read_part(scene, node->item[p], &row[p], position + dim * (size_t)p, rotation + turns * (size_t)p, diag));
        shape->leaf_count += scene->shapes.item[row[p]].leaf_count;
    }
    shape->part_count = node->count;
    shape->part_shape = row;
    shape->part_position = position;
    shape->part_rotation = rotation;
    return CD_OK;
}

// ---- a shape by name or in place -----------------------------------------------------------------------------------

static cd_status find_named(cd_scene *scene, const cd_yaml_node *node, int32_t *row, cd_diag *diag)
{
    const char *name;
    CD_TRY(cd_yaml_text(node, "shape", &name, diag));
    int32_t index = scene->shape_map ? cd_yaml_index(scene->shape_map, name) : -1;
    if (index >= 0 && scene->named_shape[index] >= 0) {
        *row = scene->named_shape[index];
        return CD_OK;
    }
    if (index >= 0)
        return cd_yaml_fail(node, diag, "shape: \"%.60s\" is only defined further on, in line %d", name,
                            scene->shape_map->key[index]->line);
    const char *near = NULL;
    if (scene->shape_map) {
        const char **names = CD_ARENA_ZARRAY(scene->arena, const char *, (size_t)scene->shape_map->count + 1);
        for (int32_t i = 0; i < scene->shape_map->count; i++)
            names[i] = scene->shape_map->key[i]->text;
        near = cd_yaml_suggest(name, names);
    }
    if (near)
        return cd_yaml_fail(node, diag, "shape: there is no \"%.60s\", did you mean \"%.60s\"?", name, near);
    return cd_yaml_fail(node, diag, "shape: there is no \"%.60s\"", name);
}

typedef cd_status read_shape(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag);

// Kinds that the language writes in a way of their own; the others as a map of their sizes (read_by_sizes).
static read_shape *const own_reader[CD_SHAPE_KINDS] = {
    [CD_SHAPE_POLYGON] = read_polygon,     [CD_SHAPE_POLYHEDRON] = read_polyhedron, [CD_SHAPE_SPHERE] = read_sphere,
    [CD_SHAPE_ELLIPSOID] = read_ellipsoid, [CD_SHAPE_HALFSPACE] = read_halfspace,   [CD_SHAPE_BOX] = read_box,
    [CD_SHAPE_FACETS] = read_facets,       [CD_SHAPE_COMPOUND] = read_compound,
};

// Other words for some of them.
enum { HULL, CIRCLE, MESH, WORDS };
static read_shape *const word_reader[WORDS] = {[HULL] = read_hull, [CIRCLE] = read_circle, [MESH] = cd_scene_read_mesh};

typedef struct shape_keys {
    const cd_yaml_node *kind[CD_SHAPE_KINDS], *word[WORDS];
    const cd_yaml_node *adjacent, *centre;
} shape_keys;

#define SHAPE_KEY(text, member)                                                    \
    {                                                                              \
        .name = text, .type = CD_YAML_NODE, .offset = offsetof(shape_keys, member) \
    }
static const cd_yaml_key shape_key_table[] = {
#define X(KIND, name) SHAPE_KEY(#name, kind[CD_SHAPE_##KIND]),
#include "shape_kinds.def"
#undef X
    SHAPE_KEY("hull", word[HULL]),   SHAPE_KEY("circle", word[CIRCLE]), SHAPE_KEY("mesh", word[MESH]),
    SHAPE_KEY("adjacent", adjacent), SHAPE_KEY("centre", centre),       CD_YAML_KEYS_END};

// A size of a kind: a number, or as many as the world has dimensions.
static cd_status read_size(const cd_scene *scene, const cd_yaml_node *node, const cd_shape *kind, const char *size,
                           int width, double *value, cd_diag *diag)
{
    const cd_yaml_node *given = cd_yaml_find(node, size);
    if (!given)
        return cd_yaml_fail(node, diag, "%s: needs %s", kind->name, size);
    return width == 1 ? cd_yaml_number(given, size, value, diag)
                      : cd_yaml_numbers(given, size, scene->dim, value, diag);
}

// `kind: {size: ..., size: ...}`; whether they are legal the kind itself decides.
static cd_status read_by_sizes(cd_scene *scene, const cd_yaml_node *node, cd_scene_shape *shape, cd_diag *diag)
{
    const cd_shape *kind = cd_shape_table[shape->kind];
    int32_t known = 0;
    CD_TRY(cd_yaml_want(node, kind->name, CD_YAML_MAP, diag));
#define X(size, width)                                                         \
    if (kind->sizes & CD_SHAPE_SIZE(size)) {                                   \
        CD_TRY(read_size(scene, node, kind, #size, width, shape->size, diag)); \
        known++;                                                               \
    }
#include "shape_sizes.def"
#undef X
    if (node->count != known)
        return cd_yaml_fail(node, diag, "%s: has %d keys, takes %d", kind->name, (int)node->count, (int)known);
    cd_diag fault;
    cd_shape_geometry geometry = cd_scene_geometry(shape);
    if (scene->dim == 2 ? !kind->plane.make : !kind->space.make)
        return cd_yaml_fail(node, diag, "%s: is not a kind of dim: %d", kind->name, scene->dim);
    cd_status status = scene->dim == 2 ? kind->plane.make(&geometry, scene->arena, &(cd_leaf2){0}, &fault)
                                       : kind->space.make(&geometry, scene->arena, &(cd_leaf3){0}, &fault);
    return status == CD_OK ? CD_OK : cd_yaml_fail(node, diag, "%s: %s", kind->name, fault.text);
}

static cd_status read_kind(cd_scene *scene, const shape_keys *keys, cd_scene_shape *shape, cd_diag *diag)
{
    for (int word = 0; word < WORDS; word++)
        if (keys->word[word])
            return word_reader[word](scene, keys->word[word], shape, diag);
    int kind = 0;
    while (!keys->kind[kind])
        kind++;
    shape->kind = (cd_shape_kind)kind;
    return (own_reader[kind] ? own_reader[kind] : read_by_sizes)(scene, keys->kind[kind], shape, diag);
}

// "polygon, polyhedron, ...": the words of all kinds, for a message.
static const char *kind_words(void)
{
    return
#define X(KIND, name) #name ", "
#include "shape_kinds.def"
#undef X
        "hull, circle, mesh";
}

cd_status cd_scene_read_shape(cd_scene *scene, const cd_yaml_node *node, int32_t *row, cd_diag *diag)
{
    if (node->kind == CD_YAML_SCALAR)
        return find_named(scene, node, row, diag);
    CD_TRY(cd_yaml_want(node, "shape", CD_YAML_MAP, diag));
    shape_keys keys = {0};
    CD_TRY(cd_yaml_read(node, shape_key_table, scene->dim, &keys, diag));
    int kinds = node->count - (keys.adjacent ? 1 : 0) - (keys.centre ? 1 : 0);
    if (kinds != 1)
        return cd_yaml_fail(node, diag, "shape: needs exactly one of %s", kind_words());
    if (keys.adjacent && !keys.kind[CD_SHAPE_COMPOUND])
        return cd_yaml_fail(keys.adjacent, diag, "adjacent: only a compound has it");
    cd_scene_shape shape = {0};
    CD_TRY(read_kind(scene, &keys, &shape, diag));
    if (keys.adjacent)
        CD_TRY(read_adjacent(scene, keys.adjacent, &shape, diag));
    if (keys.centre) {
        if (!cd_shape_table[shape.kind]->is_off_centre)
            return cd_yaml_fail(keys.centre, diag,
                                "centre: this kind is always about its own centre; put it into a compound");
        CD_TRY(cd_yaml_numbers(keys.centre, "centre", scene->dim, shape.centre, diag));
        shape.has_centre = true;
    }
    return cd_scene_add_shape(scene, &shape, node, row, diag);
}

// ---- rotations -----------------------------------------------------------------------------------------------------

typedef struct axis_keys {
    double axis[3], angle, angle_deg;
} axis_keys;

static cd_status read_axis_angle(const cd_yaml_node *node, double *value, cd_diag *diag)
{
    static const cd_yaml_key keys[] = {CD_YAML_KEY_NEEDED(axis_keys, axis, CD_YAML_VECTOR, -INFINITY, INFINITY, NULL),
                                       CD_YAML_KEY(axis_keys, angle, CD_YAML_DOUBLE, -INFINITY, INFINITY, NULL),
                                       CD_YAML_KEY(axis_keys, angle_deg, CD_YAML_DOUBLE, -INFINITY, INFINITY, NULL),
                                       CD_YAML_KEYS_END};
    axis_keys turn = {{0}, NAN, NAN};
    CD_TRY(cd_yaml_read(node, keys, 3, &turn, diag));
    if (isnan(turn.angle) == isnan(turn.angle_deg))
        return cd_yaml_fail(node, diag, "rotation: needs either angle or angle_deg beside axis");
    double half = (isnan(turn.angle) ? turn.angle_deg * (M_PI / 180) : turn.angle) / 2;
    CD_TRY(normalise(node, "axis", turn.axis, 3, INFINITY, diag));
    value[0] = cos(half);
    for (int i = 0; i < 3; i++)
        value[i + 1] = sin(half) * turn.axis[i];
    return CD_OK;
}

cd_status cd_scene_read_rotation(const cd_scene *scene, const cd_yaml_node *rotation, const cd_yaml_node *degrees,
                                 double *value, cd_diag *diag)
{
    if (rotation && degrees)
        return cd_yaml_fail(degrees, diag, "rotation_deg: rotation is given as well");
    if (scene->dim == 2) {
        value[0] = 0;
        if (rotation)
            return cd_yaml_number(rotation, "rotation", value, diag);
        if (degrees) {
            CD_TRY(cd_yaml_number(degrees, "rotation_deg", value, diag));
            value[0] *= M_PI / 180;
        }
        return CD_OK;
    }
    value[0] = 1;
    value[1] = value[2] = value[3] = 0;
    if (degrees)
        return cd_yaml_fail(degrees, diag, "rotation_deg: in 3-D write rotation: {axis: [x, y, z], angle_deg: A}");
    if (!rotation)
        return CD_OK;
    if (rotation->kind == CD_YAML_MAP)
        return read_axis_angle(rotation, value, diag);
    CD_TRY(cd_yaml_numbers(rotation, "rotation", 4, value, diag));
    return normalise(rotation, "rotation", value, 4, quaternion_slack, diag);
}
