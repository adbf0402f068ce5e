// Bodies made of finite elements: the tables element and node.
// SPDX-License-Identifier: MIT
#include "cd_element_mesh.h"
#include "cd_scene_builder.h"

#include <inttypes.h>
#include <math.h>

static void gather(const cd_element_mesh *mesh, int32_t element, const cd_vec3 *node, cd_vec3 *x)
{
    for (int32_t k = mesh->first[element]; k < mesh->first[element + 1]; k++)
        x[k - mesh->first[element]] = node[mesh->corner[k]];
}

double cd_scene_element_diameter(const cd_scene_mesh *mesh, int32_t element)
{
    cd_vec3 x[CD_ELEMENT_MAX_NODES];
    gather(&mesh->mesh, element, mesh->mesh.node, x);
    return 2 * cd_pinball_radius((cd_element_kind)mesh->mesh.kind[element], x);
}

// ---- the nodes of a body in the world ------------------------------------------------------------------------------

typedef struct placed {
    cd_vec3 *x, *v;  // [m], [m/s]
    double *mass;    // [kg], NaN without a density
    cd_vec3 centre;  // of mass
} placed;

static cd_status place_nodes(const cd_scene *scene, const cd_scene_body *body, placed *p, cd_diag *diag)
{
    const cd_element_mesh *mesh = &body->mesh->mesh;
    for (int32_t i = 0; i < mesh->node_count; i++) {
        double own[3], turned[3] = {0, 0, 0};
        cd_vec3_put(mesh->node[i], own);
        cd_scene_turn(scene->dim, body->rotation, own, turned);
        p->x[i] = (cd_vec3){body->position[0] + turned[0], body->position[1] + turned[1],
                            scene->dim == 2 ? 0 : body->position[2] + turned[2]};
        if (!isfinite(p->x[i].x) || !isfinite(p->x[i].y) || !isfinite(p->x[i].z))
            return cd_yaml_fail(body->where, diag, "position: is too large");
        if (scene->symmetry == CD_SYMMETRY_AXIAL && p->x[i].x < 0)
            return cd_yaml_fail(body->where, diag, "mesh: a node is at x = %g, behind the axis of symmetry: axial",
                                p->x[i].x);
    }
    return CD_OK;
}

// Lumped masses, and their centre; without a density all weigh alike.
static cd_status weigh_nodes(const cd_scene *scene, const cd_scene_body *body, placed *p, cd_diag *diag)
{
    const cd_element_mesh *mesh = &body->mesh->mesh;
    double density = isnan(body->density) ? 1 : body->density, total = 0;
    cd_vec3 sum = {0, 0, 0};
    for (int32_t e = 0; e < mesh->element_count; e++) {
        double share[CD_ELEMENT_MAX_NODES];
        cd_vec3 x[CD_ELEMENT_MAX_NODES];
        gather(mesh, e, p->x, x);
        cd_element_shares((cd_element_kind)mesh->kind[e], x, scene->symmetry, share);
        for (int32_t k = mesh->first[e]; k < mesh->first[e + 1]; k++)
            p->mass[mesh->corner[k]] += density * share[k - mesh->first[e]];
    }
    for (int32_t i = 0; i < mesh->node_count; i++) {
        if (!(p->mass[i] > 0 && isfinite(p->mass[i])))
            return cd_yaml_fail(body->where, diag, "mesh: the mass of a node is out of range");
        sum = cd_add3(sum, cd_scale3(p->mass[i], p->x[i]));
        total += p->mass[i];
    }
    p->centre = cd_scale3(1 / total, sum);
    return CD_OK;
}

// Those of a rigid body: velocity + spin x (x - centre).
static void move_nodes(const cd_scene *scene, const cd_scene_body *body, placed *p)
{
    const double *v = body->velocity, *w = body->spin;
    cd_vec3 velocity = {v[0], v[1], scene->dim == 2 ? 0 : v[2]};
    cd_vec3 spin = scene->dim == 2 ? (cd_vec3){0, 0, w[0]} : cd_vec3_at(w);
    for (int32_t i = 0; i < body->mesh->mesh.node_count; i++)
        p->v[i] = cd_add3(velocity, cd_cross3(spin, cd_sub3(p->x[i], p->centre)));
}

static cd_status place_body(const cd_scene *scene, const cd_scene_body *body, placed *p, cd_diag *diag)
{
    int32_t count = body->mesh->mesh.node_count;
    p->x = CD_ARENA_ARRAY(scene->arena, cd_vec3, count);
    p->v = CD_ARENA_ARRAY(scene->arena, cd_vec3, count);
    p->mass = CD_ARENA_ZARRAY(scene->arena, double, count);
    CD_TRY(place_nodes(scene, body, p, diag));
    CD_TRY(weigh_nodes(scene, body, p, diag));
    move_nodes(scene, body, p);
    return CD_OK;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

// The tables, and what they have of the bodies before.
typedef struct tables {
    cd_node_rows *node;
    cd_element_rows *element;
    int32_t nodes, elements, corners, references;
} tables;

static void write_nodes(const cd_scene *scene, const cd_scene_body *body, const placed *p, tables *t)
{
    size_t dim = (size_t)scene->dim;
    for (int32_t i = 0; i < body->mesh->mesh.node_count; i++) {
        int32_t row = t->nodes + i;
        bool is_fixed = body->motion == CD_MOTION_FIXED || (body->mesh->is_fixed && body->mesh->is_fixed[i]);
        memcpy(t->node->position + dim * (size_t)row, &p->x[i], dim * sizeof(double));
        t->node->id[row] = row + 1;
        t->node->motion[row] = is_fixed ? CD_MOTION_FIXED : body->motion;
        if (!is_fixed)
            memcpy(t->node->velocity + dim * (size_t)row, &p->v[i], dim * sizeof(double));
        else
            memset(t->node->velocity + dim * (size_t)row, 0, dim * sizeof(double));
        if (!isnan(body->density))
            t->node->mass[row] = p->mass[i];
    }
}

static cd_status write_element(const cd_scene *scene, const cd_scene_body *body, int32_t e, const cd_vec3 *x, tables *t,
                               cd_diag *diag)
{
    const cd_element_mesh *mesh = &body->mesh->mesh;
    cd_element_rows *rows = t->element;
    size_t dim = (size_t)scene->dim;
    int32_t row = t->elements + e, corners = mesh->first[e + 1] - mesh->first[e];
    cd_vec3 own[CD_ELEMENT_MAX_NODES];
    gather(mesh, e, x, own);
    rows->id[row] = row + 1;
    rows->kind[row] = mesh->kind[e];
    rows->body[row] = (int32_t)body->id;
    rows->material[row] = body->material;
    for (int32_t k = 0; k < corners; k++)
        rows->nodes.i32[t->corners++] = t->nodes + 1 + mesh->corner[mesh->first[e] + k];
    rows->nodes.offset[row + 1] = t->corners;
    for (int32_t k = 0; k < corners && body->mesh->is_elastic; k++)
        memcpy(rows->reference.f64 + dim * (size_t)t->references++, &own[k], dim * sizeof(double));
    rows->reference.offset[row + 1] = t->references;
    if (!body->mesh->has_pinballs)
        return CD_OK;
    rows->radius[row] = cd_pinball_radius((cd_element_kind)mesh->kind[e], own);
    if (body->mesh->split > 0)
        rows->split[row] = body->mesh->split;
    return rows->radius[row] > 0 && isfinite(rows->radius[row])
               ? CD_OK
               : cd_yaml_fail(body->where, diag, "mesh: the radius of a pinball is out of range");
}

// ---- tables --------------------------------------------------------------------------------------------------------

// Corners of all elements, and of those that have a stiffness.
static cd_status count_corners(const cd_scene *scene, int64_t *corners, int64_t *references, cd_diag *diag)
{
    *corners = *references = 0;
    for (int32_t i = 0; i < scene->bodies.count; i++) {
        const cd_scene_body *body = &scene->bodies.item[i];
        if (!body->mesh)
            continue;
        *corners += body->mesh->mesh.first[body->mesh->mesh.element_count];
        *references += body->mesh->is_elastic ? body->mesh->mesh.first[body->mesh->mesh.element_count] : 0;
        if (body->id < INT32_MIN || body->id > INT32_MAX)
            return cd_yaml_fail(body->where, diag, "id: %" PRId64 ": that of a body of elements has 32 bits", body->id);
    }
    return *corners > INT32_MAX ? cd_fail(diag, CD_ERR_LIMIT, "the meshes of the scene are too large for one table")
                                : CD_OK;
}

static void open_tables(const cd_scene *scene, int64_t corners, int64_t references, tables *t)
{
    cd_arena *arena = scene->arena;
    cd_element_rows *element = t->element;
    t->node->count = (int32_t)scene->node_count;
    CD_COLUMN(arena, scene->dim, node, t->node, id);
    CD_COLUMN(arena, scene->dim, node, t->node, position);
    CD_COLUMN(arena, scene->dim, node, t->node, velocity);
    CD_COLUMN(arena, scene->dim, node, t->node, mass);
    CD_COLUMN(arena, scene->dim, node, t->node, motion);
    element->count = (int32_t)scene->element_count;
    CD_COLUMN(arena, scene->dim, element, element, id);
    CD_COLUMN(arena, scene->dim, element, element, kind);
    CD_COLUMN(arena, scene->dim, element, element, material);
    CD_COLUMN(arena, scene->dim, element, element, body);
    CD_COLUMN(arena, scene->dim, element, element, radius);
    CD_COLUMN(arena, scene->dim, element, element, split);
    element->nodes.offset = CD_ARENA_ZARRAY(arena, int32_t, (size_t)element->count + 1);
    element->nodes.i32 = CD_ARENA_ARRAY(arena, int32_t, (size_t)corners);
    element->reference.offset = CD_ARENA_ZARRAY(arena, int32_t, (size_t)element->count + 1);
    element->reference.f64 = CD_ARENA_ARRAY(arena, double, (size_t)scene->dim *(size_t)references);
}

cd_status cd_scene_write_elements(const cd_scene *scene, cd_model *model, cd_diag *diag)
{
    tables t = {.node = &model->node, .element = &model->element};
    int64_t corners, references;
    if (scene->element_count == 0)
        return CD_OK;
    CD_TRY(count_corners(scene, &corners, &references, diag));
    open_tables(scene, corners, references, &t);
    for (int32_t i = 0; i < scene->bodies.count; i++) {
        const cd_scene_body *body = &scene->bodies.item[i];
        placed p = {0};
        if (!body->mesh)
            continue;
        cd_arena_mark mark = cd_arena_get_mark(scene->arena);
        CD_TRY(place_body(scene, body, &p, diag));
        write_nodes(scene, body, &p, &t);
        for (int32_t e = 0; e < body->mesh->mesh.element_count; e++)
            CD_TRY(write_element(scene, body, e, p.x, &t, diag));
        cd_arena_rewind(scene->arena, mark);
        t.nodes += body->mesh->mesh.node_count;
        t.elements += body->mesh->mesh.element_count;
    }
    if (references == 0)
        model->element.reference = (cd_list){0};
    return CD_OK;
}
