// Bodies made of finite elements: meshes from files and blocks, pinballs, which nodes are fixed.
// SPDX-License-Identifier: MIT
#include "cd_element_mesh.h"
#include "cd_scene_builder.h"

#include <inttypes.h>
#include <math.h>

// ---- the mesh ------------------------------------------------------------------------------------------------------

typedef struct mesh_keys {
    const char *file;
    double scale;
    const cd_yaml_node *box, *circle, *half_circle, *sphere, *rod, *cells;
    int32_t kind;  // -1: not given
} mesh_keys;

#define MESH_NODE(member, text) CD_YAML_KEY(mesh_keys, member, CD_YAML_NODE, 0, 0, text)
static const cd_yaml_key keys_of_mesh[] = {
    CD_YAML_KEY(mesh_keys, file, CD_YAML_TEXT, 0, 0, "name"),
    CD_YAML_KEY(mesh_keys, scale, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, NULL),
    MESH_NODE(box, "half sizes"),
    MESH_NODE(circle, "radius"),
    MESH_NODE(half_circle, "radius"),
    MESH_NODE(sphere, "radius"),
    MESH_NODE(rod, "[radius, half length]"),
    MESH_NODE(cells, "number, or one along each axis"),
    {.name = "kind",
     .type = CD_YAML_WORD,
     .offset = offsetof(mesh_keys, kind),
     .words = cd_words_ELEMENT,
     .help = "of elements"},
    CD_YAML_KEYS_END};

// What a form is given by.
typedef struct form {
    const char *name;
    size_t offset;  // of its node in mesh_keys
    int dim;        // 0: both
    int sizes;      // 0: dim
    int cells;      // 0: dim
} form;

static const form forms[] = {
    [CD_BLOCK_BOX] = {"box", offsetof(mesh_keys, box), 0, 0, 0},
    [CD_BLOCK_CIRCLE] = {"circle", offsetof(mesh_keys, circle), 2, 1, 1},
    [CD_BLOCK_HALF_CIRCLE] = {"half_circle", offsetof(mesh_keys, half_circle), 2, 1, 1},
    [CD_BLOCK_SPHERE] = {"sphere", offsetof(mesh_keys, sphere), 3, 1, 1},
    [CD_BLOCK_ROD] = {"rod", offsetof(mesh_keys, rod), 3, 2, 2},
};

static const cd_yaml_node *form_node(const mesh_keys *keys, int f)
{
    const cd_yaml_node *node;
    memcpy(&node, (const char *)keys + forms[f].offset, sizeof node);
    return node;
}

// One number, or a list of `count`.
static cd_status read_cells(cd_scene *scene, const cd_yaml_node *node, int count, cd_element_block *block,
                            cd_diag *diag)
{
    enum { MOST_CELLS = 1000000 };
    int32_t *cells, given;
    if (count == 1) {
        CD_TRY(cd_yaml_integer(node, "cells", &block->cells[0], diag));
        if (block->cells[0] < 1 || block->cells[0] > MOST_CELLS)
            return cd_yaml_fail(node, diag, "cells: must be 1 to %d", MOST_CELLS);
        return CD_OK;
    }
    cd_yaml_list wanted = {"cells", .least = count, .low = 1, .high = MOST_CELLS};
    CD_TRY(cd_yaml_integers(scene->arena, node, wanted, &cells, &given, diag));
    if (given != count)
        return cd_yaml_fail(node, diag, "cells: needs %d numbers, has %d", count, given);
    for (int k = 0; k < count; k++)
        block->cells[k] = cells[k];
    return CD_OK;
}

static cd_status read_sizes(const cd_yaml_node *node, const char *label, int count, double *size, cd_diag *diag)
{
    CD_TRY(count == 1 ? cd_yaml_number(node, label, size, diag) : cd_yaml_numbers(node, label, count, size, diag));
    for (int k = 0; k < count; k++)
        if (size[k] < CD_YAML_ABOVE_ZERO)
            return cd_yaml_fail(node, diag, "%s: must be greater than 0", label);
    return CD_OK;
}

static cd_status make_block(cd_scene *scene, const cd_yaml_node *node, const mesh_keys *keys, int f,
                            cd_element_mesh *mesh, cd_diag *diag)
{
    const form *given = &forms[f];
    int sizes = given->sizes ? given->sizes : scene->dim, cells = given->cells ? given->cells : scene->dim;
    cd_element_block block = {.form = (cd_block_form)f, .kind = scene->dim == 2 ? CD_ELEMENT_TRI3 : CD_ELEMENT_TET4};
    if (given->dim && given->dim != scene->dim)
        return cd_yaml_fail(form_node(keys, f), diag, "%s: needs dim: %d", given->name, given->dim);
    if (keys->kind >= 0)
        block.kind = (cd_element_kind)keys->kind;
    if (cd_element_dim(block.kind) != scene->dim)
        return cd_yaml_fail(node, diag, "kind: %s needs dim: %d", cd_words_ELEMENT[block.kind],
                            cd_element_dim(block.kind));
    CD_TRY(read_sizes(form_node(keys, f), given->name, sizes, block.size, diag));
    if (!keys->cells)
        return cd_yaml_fail(node, diag, "cells: is missing");
    CD_TRY(read_cells(scene, keys->cells, cells, &block, diag));
    if (f == CD_BLOCK_HALF_CIRCLE && block.cells[0] % 2)
        return cd_yaml_fail(keys->cells, diag, "cells: must be even for half a circle");
    if (cd_element_block_count(&block) > scene->max_rows ||
        cd_element_block_count(&block) > INT32_MAX / CD_ELEMENT_MAX_NODES)
        return cd_yaml_fail_status(keys->cells, diag, CD_ERR_LIMIT,
                                   "cells: more than %" PRId64 " elements (--max-rows)", scene->max_rows);
    *mesh = cd_element_block_make(scene->arena, &block);
    return CD_OK;
}

static cd_status load_file(cd_scene *scene, const cd_yaml_node *node, const mesh_keys *keys, cd_element_mesh *mesh,
                           cd_diag *diag)
{
    const char *path = cd_scene_path(scene, node, keys->file);
    if (keys->kind >= 0 || keys->cells)
        return cd_yaml_fail(node, diag, "%s: the file says it", keys->cells ? "cells" : "kind");
    cd_status status = cd_element_mesh_load(scene->arena, path, scene->dim, scene->max_rows, mesh, diag);
    if (status == CD_ERR_IO || status == CD_ERR_UNSUPPORTED)  // it is the name that is wrong: say where it stands
        return cd_fail_at(diag, status == CD_ERR_IO ? status : CD_ERR_FORMAT, "%s:%d: mesh", node->file, node->line);
    CD_TRY(status);
    for (int32_t i = 0; i < mesh->node_count; i++)
        mesh->node[i] = cd_scale3(keys->scale, mesh->node[i]);
    return CD_OK;
}

static cd_status read_mesh(cd_scene *scene, const cd_yaml_node *node, cd_element_mesh *mesh, cd_diag *diag)
{
    mesh_keys keys = {.scale = 1, .kind = -1};
    int given = 0, which = -1;
    if (node->kind == CD_YAML_SCALAR) {
        CD_TRY(cd_yaml_text(node, "mesh", &keys.file, diag));
        return load_file(scene, node, &keys, mesh, diag);
    }
    CD_TRY(cd_yaml_want(node, "mesh", CD_YAML_MAP, diag));
    CD_TRY(cd_yaml_read(node, keys_of_mesh, scene->dim, &keys, diag));
    for (int f = 0; f < (int)(sizeof forms / sizeof forms[0]); f++)
        if (form_node(&keys, f)) {
            which = f;
            given++;
        }
    if (given + (keys.file != NULL) != 1)
        return cd_yaml_fail(node, diag, "mesh: needs one of file, box, circle, half_circle, sphere, rod");
    if (!keys.file && cd_yaml_find(node, "scale"))
        return cd_yaml_fail(cd_yaml_find(node, "scale"), diag, "scale: is for files");
    return keys.file ? load_file(scene, node, &keys, mesh, diag) : make_block(scene, node, &keys, which, mesh, diag);
}

// ---- what a body says of it ----------------------------------------------------------------------------------------

typedef struct pinball_keys {
    int64_t split;
} pinball_keys;

static cd_status read_pinballs(const cd_scene *scene, const cd_yaml_node *node, cd_scene_mesh *mesh, cd_diag *diag)
{
    static const cd_yaml_key keys[] = {
        CD_YAML_KEY(pinball_keys, split, CD_YAML_INT, 0, CD_PINBALL_MAX_SPLIT, "how often"), CD_YAML_KEYS_END};
    pinball_keys given = {0};
    CD_TRY(cd_yaml_want(node, "pinballs", CD_YAML_MAP, diag));
    CD_TRY(cd_yaml_read(node, keys, scene->dim, &given, diag));
    mesh->has_pinballs = true;
    mesh->split = (int32_t)given.split;
    return CD_OK;
}

typedef struct box_keys {
    double min[3], max[3];
} box_keys;

// Nodes within one of the boxes, in the mesh's own coordinates.
static cd_status read_fixed(cd_scene *scene, const cd_yaml_node *list, cd_scene_mesh *mesh, cd_diag *diag)
{
    static const cd_yaml_key keys[] = {CD_YAML_KEY(box_keys, min, CD_YAML_VECTOR, -INFINITY, INFINITY, "[m]"),
                                       CD_YAML_KEY(box_keys, max, CD_YAML_VECTOR, -INFINITY, INFINITY, "[m]"),
                                       CD_YAML_KEYS_END};
    CD_TRY(cd_yaml_want(list, "fixed", CD_YAML_LIST, diag));
    mesh->is_fixed = CD_ARENA_ZARRAY(scene->arena, bool, mesh->mesh.node_count);
    for (int32_t b = 0; b < list->count; b++) {
        box_keys box = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
        int32_t found = 0;
        CD_TRY(cd_yaml_want(list->item[b], "fixed", CD_YAML_MAP, diag));
        CD_TRY(cd_yaml_read(list->item[b], keys, scene->dim, &box, diag));
        for (int32_t i = 0; i < mesh->mesh.node_count; i++) {
            bool is_in = true;
            for (int k = 0; k < scene->dim; k++) {
                double x = (&mesh->mesh.node[i].x)[k];
                is_in = is_in && x >= box.min[k] && x <= box.max[k];
            }
            mesh->is_fixed[i] |= is_in;
            found += is_in;
        }
        if (found == 0)
            return cd_yaml_fail(list->item[b], diag, "fixed: the mesh has no node there");
    }
    return CD_OK;
}

// Strains need simplices, and moduli.
static cd_status check_stiffness(const cd_scene *scene, const cd_scene_body *body, const cd_scene_mesh *mesh,
                                 cd_diag *diag)
{
    int32_t material = body->material;
    for (int32_t e = 0; e < mesh->mesh.element_count; e++)
        if (mesh->mesh.kind[e] == CD_ELEMENT_QUAD4 || mesh->mesh.kind[e] == CD_ELEMENT_HEX8)
            return cd_yaml_fail(body->where, diag, "stiffness: %s has none: take %s, or stiffness: none",
                                cd_words_ELEMENT[mesh->mesh.kind[e]], scene->dim == 2 ? "tri3" : "tet4");
    if (material < 0 || isnan(scene->material_bulk[material]) || isnan(scene->material_shear[material]))
        return cd_yaml_fail(body->where, diag, "stiffness: needs a material with bulk and shear, or stiffness: none");
    return CD_OK;
}

cd_status cd_scene_read_elements(cd_scene *scene, const cd_scene_body_keys *keys, cd_scene_body *body, cd_diag *diag)
{
    cd_scene_mesh *mesh = CD_ARENA_ZARRAY(scene->arena, cd_scene_mesh, 1);
    CD_TRY(read_mesh(scene, keys->mesh, &mesh->mesh, diag));
    if (keys->pinballs)
        CD_TRY(read_pinballs(scene, keys->pinballs, mesh, diag));
    if (keys->fixed)
        CD_TRY(read_fixed(scene, keys->fixed, mesh, diag));
    mesh->is_elastic =
        keys->stiffness >= 0 ? keys->stiffness == CD_STIFFNESS_ELASTIC : body->motion == CD_MOTION_DYNAMIC;
    body->mesh = mesh;
    return mesh->is_elastic ? check_stiffness(scene, body, mesh, diag) : CD_OK;
}

// ---- adding --------------------------------------------------------------------------------------------------------

cd_status cd_scene_add_mesh_body(cd_scene *scene, cd_scene_body *body, cd_diag *diag)
{
    const cd_element_mesh *mesh = &body->mesh->mesh;
    if (body->shape >= 0)
        return cd_yaml_fail(body->where, diag, "mesh: the body has a shape as well");
    if (isnan(body->density) && body->material >= 0)
        body->density = scene->material_density[body->material];
    if (isnan(body->density) && body->motion == CD_MOTION_DYNAMIC)
        return cd_yaml_fail(body->where, diag,
                            "density: the nodes of a dynamic body need it, or a material with density");
    bool turns = body->spin[0] != 0 || (scene->dim == 3 && (body->spin[1] != 0 || body->spin[2] != 0));
    if (turns && body->motion == CD_MOTION_PRESCRIBED)
        return cd_yaml_fail(body->where, diag, "spin: nodes of a prescribed body move straight");
    scene->node_count += mesh->node_count;
    scene->element_count += mesh->element_count;
    if (scene->node_count > scene->max_rows || scene->element_count > scene->max_rows)
        return cd_yaml_fail_status(body->where, diag, CD_ERR_LIMIT, "mesh: more than %" PRId64 " %s (--max-rows)",
                                   scene->max_rows, scene->node_count > scene->max_rows ? "nodes" : "elements");
    cd_scene_push_body(scene, body);
    return CD_OK;
}
