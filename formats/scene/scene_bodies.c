// The bodies of a scene: defaults, mass and inertia, the move to the centre of mass, ids.
// SPDX-License-Identifier: MIT
#include "cd_scene_builder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char *const stiffness_words[] = {[CD_STIFFNESS_ELASTIC] = "elastic", [CD_STIFFNESS_NONE] = "none", NULL};
#define BODY_NODE(member, text) CD_YAML_KEY(cd_scene_body_keys, member, CD_YAML_NODE, 0, 0, text)
#define BODY_NUMBER(member, least, text) CD_YAML_KEY(cd_scene_body_keys, member, CD_YAML_DOUBLE, least, INFINITY, text)
#define BODY_TEXT(member, text) CD_YAML_KEY(cd_scene_body_keys, member, CD_YAML_TEXT, 0, 0, text)
static const cd_yaml_key body_keys[] = {CD_YAML_KEY(cd_scene_body_keys, id, CD_YAML_INT, -INFINITY, INFINITY, "number"),
                                        BODY_NODE(shape, "name or shape"),
                                        BODY_NODE(position, "[m]"),
                                        BODY_NODE(rotation, "[rad]"),
                                        BODY_NODE(rotation_deg, "[deg]"),
                                        BODY_NODE(velocity, "[m/s]"),
                                        BODY_NODE(spin, "[rad/s]"),
                                        BODY_NUMBER(mass, CD_YAML_ABOVE_ZERO, "[kg]"),
                                        BODY_NODE(inertia, "[kg m^2]"),
                                        BODY_NUMBER(density, CD_YAML_ABOVE_ZERO, "[kg/m^2] or [kg/m^3]"),
                                        BODY_TEXT(material, "name"),
                                        {.name = "motion",
                                         .type = CD_YAML_WORD,
                                         .offset = offsetof(cd_scene_body_keys, motion),
                                         .words = cd_words_MOTION,
                                         .help = "how it moves"},
                                        BODY_TEXT(group, "name"),
                                        BODY_NUMBER(mu, 0, "friction coefficient"),
                                        BODY_NUMBER(release, -INFINITY, "[s]"),
                                        BODY_NODE(force, "[N]"),
                                        BODY_NODE(torque, "[N m]"),
                                        BODY_NODE(load, "list of {time, force, torque}"),
                                        BODY_NODE(drive, "list of {time, position, rotation}"),
                                        BODY_NODE(mesh, "file or map"),
                                        BODY_NODE(pinballs, "{split}"),
                                        BODY_NODE(fixed, "list of {min, max}"),
                                        {.name = "stiffness",
                                         .type = CD_YAML_WORD,
                                         .offset = offsetof(cd_scene_body_keys, stiffness),
                                         .words = stiffness_words,
                                         .help = "elastic or none"},
                                        CD_YAML_KEYS_END};

static const cd_scene_body_keys no_keys = {
    .id = CD_ABSENT_I64, .mass = NAN, .density = NAN, .mu = NAN, .release = NAN, .motion = -1, .stiffness = -1};

// ---- reading -------------------------------------------------------------------------------------------------------

cd_status cd_scene_find_material(const cd_scene *scene, const cd_yaml_node *where, const char *name, int32_t *row,
                                 cd_diag *diag)
{
    *row = scene->material_map ? cd_yaml_index(scene->material_map, name) : -1;
    if (*row >= 0)
        return CD_OK;
    const char *near = NULL;
    if (scene->material_map) {
        const char **names = CD_ARENA_ZARRAY(scene->arena, const char *, (size_t)scene->material_map->count + 1);
        for (int32_t i = 0; i < scene->material_map->count; i++)
            names[i] = scene->material_map->key[i]->text;
        near = cd_yaml_suggest(name, names);
    }
    if (near)
        return cd_yaml_fail(where, diag, "material: there is no \"%.60s\", did you mean \"%.60s\"?", name, near);
    return cd_yaml_fail(where, diag, "material: there is no \"%.60s\"", name);
}

static cd_status read_keys(const cd_scene *scene, const cd_yaml_node *map, const char *label, cd_scene_body_keys *keys,
                           cd_diag *diag)
{
    CD_TRY(cd_yaml_want(map, label, CD_YAML_MAP, diag));
    *keys = no_keys;
    CD_TRY(cd_yaml_read(map, body_keys, scene->dim, keys, diag));
    if (!isnan(keys->mass) && !isnan(keys->density))
        return cd_yaml_fail(cd_yaml_find(map, "density"), diag, "density: mass is given as well");
    if (keys->drive && keys->motion >= 0 && keys->motion != CD_MOTION_PRESCRIBED)
        return cd_yaml_fail(keys->drive, diag, "drive: motion must be prescribed");
    if (keys->drive && (keys->velocity || keys->spin))
        return cd_yaml_fail(keys->velocity ? keys->velocity : keys->spin, diag, "%s: the drive sets it",
                            keys->velocity ? "velocity" : "spin");
    return CD_OK;
}

// A key that a body of elements, or one of a shape, cannot have.
static cd_status check_mesh_keys(const cd_yaml_node *map, bool has_mesh, cd_diag *diag)
{
    static const char *const of_shapes[] = {"shape", "mass", "inertia", "force", "torque", "load", "drive", NULL};
    static const char *const of_meshes[] = {"pinballs", "fixed", "stiffness", NULL};
    for (const char *const *name = has_mesh ? of_shapes : of_meshes; *name; name++)
        if (cd_yaml_find(map, *name))
            return cd_yaml_fail(cd_yaml_find(map, *name), diag,
                                has_mesh ? "%s: a body of elements has none" : "%s: needs a mesh", *name);
    return CD_OK;
}

cd_status cd_scene_read_defaults(cd_scene *scene, const cd_yaml_node *map, cd_diag *diag)
{
    scene->defaults = no_keys;
    scene->default_shape = -1;
    if (!map)
        return CD_OK;
    CD_TRY(read_keys(scene, map, "defaults", &scene->defaults, diag));
    if (scene->defaults.id != CD_ABSENT_I64)
        return cd_yaml_fail(cd_yaml_find(map, "id"), diag, "id: every body needs its own");
    if (scene->defaults.drive || scene->defaults.mesh)
        return cd_yaml_fail(scene->defaults.drive ? scene->defaults.drive : scene->defaults.mesh, diag,
                            "%s: every body needs its own", scene->defaults.drive ? "drive" : "mesh");
    CD_TRY(check_mesh_keys(map, false, diag));
    if (scene->defaults.shape)
        CD_TRY(cd_scene_read_shape(scene, scene->defaults.shape, &scene->default_shape, diag));
    return CD_OK;
}

// What a body does not say itself comes from the defaults; but one that says where its mass comes from says so in full,
// and a body that stands still takes nothing that only moving ones have.
static void apply_defaults(const cd_scene *scene, cd_scene_body_keys *keys)
{
    const cd_scene_body_keys *base = &scene->defaults;
    bool own_turn = keys->rotation || keys->rotation_deg;
    bool own_mass = !isnan(keys->mass) || !isnan(keys->density);
    bool own_force = keys->force || keys->torque || keys->load;
    if (keys->drive)
        keys->motion = CD_MOTION_PRESCRIBED;
    keys->motion = keys->motion >= 0 ? keys->motion : base->motion >= 0 ? base->motion : CD_MOTION_DYNAMIC;
    keys->position = keys->position ? keys->position : base->position;
    keys->rotation = own_turn ? keys->rotation : base->rotation;
    keys->rotation_deg = own_turn ? keys->rotation_deg : base->rotation_deg;
    keys->group = keys->group ? keys->group : base->group;
    keys->mu = isnan(keys->mu) ? base->mu : keys->mu;
    keys->release = isnan(keys->release) ? base->release : keys->release;
    if (keys->motion != CD_MOTION_FIXED && !keys->drive) {
        keys->velocity = keys->velocity ? keys->velocity : base->velocity;
        keys->spin = keys->spin ? keys->spin : base->spin;
    }
    if (keys->motion == CD_MOTION_DYNAMIC && !own_force) {
        keys->force = base->force;
        keys->torque = base->torque;
        keys->load = base->load;
    }
    if (keys->motion == CD_MOTION_DYNAMIC && !own_mass) {
        keys->mass = base->mass;
        keys->density = keys->material ? NAN : base->density;
        keys->inertia = keys->inertia ? keys->inertia : base->inertia;
    }
    keys->material = keys->material ? keys->material : base->material;
}

cd_status cd_scene_read_axial(const cd_scene *scene, const cd_yaml_node *node, const char *label, double *value,
                              cd_diag *diag)
{
    return scene->dim == 2 ? cd_yaml_number(node, label, value, diag) : cd_yaml_numbers(node, label, 3, value, diag);
}

// [xx,yy,zz] or [xx,yy,zz,xy,xz,yz], positive definite: all three leading minors are positive.
static cd_status read_inertia(const cd_scene *scene, const cd_yaml_node *node, double *j, cd_diag *diag)
{
    if (scene->dim == 2) {
        CD_TRY(cd_yaml_number(node, "inertia", j, diag));
        if (j[0] < CD_YAML_ABOVE_ZERO)
            return cd_yaml_fail(node, diag, "inertia: must be greater than 0");
        return CD_OK;
    }
    j[3] = j[4] = j[5] = 0;
    if (node->kind != CD_YAML_LIST || (node->count != 3 && node->count != 6))
        return cd_yaml_fail(node, diag,
                            "inertia: needs a list of 3 or 6 numbers: [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
    CD_TRY(cd_yaml_numbers(node, "inertia", node->count, j, diag));
    double minor = j[0] * j[1] - j[3] * j[3];
    double determinant = j[2] * minor - j[0] * j[5] * j[5] - j[1] * j[4] * j[4] + 2 * j[3] * j[4] * j[5];
    if (!(j[0] > 0 && minor > 0 && determinant > 0))
        return cd_yaml_fail(node, diag, "inertia: must be positive definite");
    return CD_OK;
}

// Everything but the shape.
static cd_status resolve_keys(cd_scene *scene, const cd_yaml_node *where, const cd_scene_body_keys *keys,
                              cd_scene_body *body, cd_diag *diag)
{
    *body = (cd_scene_body){.where = where,
                            .id = keys->id,
                            .shape = -1,
                            .material = -1,
                            .motion = keys->motion,
                            .mass = keys->mass,
                            .density = keys->density,
                            .inertia = {NAN},
                            .group = keys->group,
                            .mu = keys->mu,
                            .release = keys->release};
    if (keys->position)
        CD_TRY(cd_yaml_numbers(keys->position, "position", scene->dim, body->position, diag));
    CD_TRY(cd_scene_read_rotation(scene, keys->rotation, keys->rotation_deg, body->rotation, diag));
    if (keys->velocity)
        CD_TRY(cd_yaml_numbers(keys->velocity, "velocity", scene->dim, body->velocity, diag));
    if (keys->spin)
        CD_TRY(cd_scene_read_axial(scene, keys->spin, "spin", body->spin, diag));
    if (keys->inertia)
        CD_TRY(read_inertia(scene, keys->inertia, body->inertia, diag));
    if (keys->material)
        CD_TRY(cd_scene_find_material(scene, where, keys->material, &body->material, diag));
    if (keys->motion == CD_MOTION_FIXED && keys->velocity)
        return cd_yaml_fail(keys->velocity, diag, "velocity: a fixed body has none (motion: prescribed moves by it)");
    if (keys->motion == CD_MOTION_FIXED && keys->spin)
        return cd_yaml_fail(keys->spin, diag, "spin: a fixed body has none (motion: prescribed moves by it)");
    return cd_scene_read_forces(scene, keys, body, diag);
}

cd_status cd_scene_read_body(cd_scene *scene, const cd_yaml_node *map, cd_scene_body *body, cd_diag *diag)
{
    cd_scene_body_keys keys;
    CD_TRY(read_keys(scene, map, "body", &keys, diag));
    const cd_yaml_node *own_shape = keys.shape;
    CD_TRY(check_mesh_keys(map, keys.mesh, diag));
    apply_defaults(scene, &keys);
    if (keys.mesh) {
        keys.mass = NAN;
        keys.inertia = keys.force = keys.torque = keys.load = NULL;
    }
    CD_TRY(resolve_keys(scene, map, &keys, body, diag));
    if (keys.mesh)
        return cd_scene_read_elements(scene, &keys, body, diag);
    body->shape = scene->default_shape;
    return own_shape ? cd_scene_read_shape(scene, own_shape, &body->shape, diag) : CD_OK;
}

cd_status cd_scene_default_body(cd_scene *scene, const cd_yaml_node *where, cd_scene_body *body, cd_diag *diag)
{
    cd_scene_body_keys keys = no_keys;
    apply_defaults(scene, &keys);
    CD_TRY(resolve_keys(scene, where, &keys, body, diag));
    body->shape = scene->default_shape;
    return CD_OK;
}

// ---- adding --------------------------------------------------------------------------------------------------------

// mass: given, else density times area (volume); the density is the body's, else its material's. inertia: given, else
// that of the shape with uniform density and this mass.
static cd_status resolve_mass(const cd_scene *scene, cd_scene_shape *shape, cd_scene_body *body, cd_diag *diag)
{
    if ((isnan(body->mass) || isnan(body->inertia[0])) && !shape->mass_for)
        shape->mass_for = body->where;
    double density = body->density;
    if (isnan(density) && body->material >= 0)
        density = scene->material_density[body->material];
    if (isnan(body->mass) && isnan(density))
        return cd_yaml_fail(body->where, diag, "mass: a dynamic body needs mass, density, or a material with density");
    if (isnan(body->mass) && isnan(shape->measure))
        return cd_yaml_fail(body->where, diag, "mass: is not worked out for this kind of shape: give mass and inertia");
    if (isnan(body->mass))
        body->mass = density * shape->measure;
    if (isnan(body->inertia[0])) {
        if (shape->has_centre)
            return cd_yaml_fail(body->where, diag, "inertia: its shape has a centre of its own: give inertia");
        if (isnan(shape->inertia[0]))
            return cd_yaml_fail(body->where, diag, "inertia: is not worked out for this kind of shape: give inertia");
        for (int i = 0; i < (scene->dim == 2 ? 1 : 6); i++)
            body->inertia[i] = body->mass / shape->measure * shape->inertia[i];
    }
    if (!(isfinite(body->mass) && body->mass > 0 && isfinite(body->inertia[0]) && body->inertia[0] > 0))
        return cd_yaml_fail(body->where, diag, "mass: with this shape, mass or inertia is out of range");
    return CD_OK;
}

static bool holds_halfspace(const cd_scene *scene, const cd_scene_shape *shape)
{
    if (shape->kind == CD_SHAPE_HALFSPACE)
        return true;
    for (int32_t p = 0; p < shape->part_count; p++)
        if (holds_halfspace(scene, &scene->shapes.item[shape->part_shape[p]]))
            return true;
    return false;
}

void cd_scene_push_body(cd_scene *scene, const cd_scene_body *body)
{
    size_t used = (size_t)scene->bodies.count * sizeof *body;
    cd_region_reserve(&scene->body_store, used, used + sizeof *body);
    scene->bodies.item = scene->body_store.data;
    scene->bodies.item[scene->bodies.count++] = *body;
}

bool cd_scene_may_feed(const cd_scene *scene, const cd_scene_body *like, int64_t count)
{
    enum { LISTED_MOST = 20000 };  // bodies; more are not looked at for overlaps: scene_placed.c
    return scene->feed && scene->is_of_one && count > LISTED_MOST && !like->mesh && like->load.count == 0 &&
           like->drive.count == 0;
}

cd_status cd_scene_add_body(cd_scene *scene, const cd_scene_body *body, cd_diag *diag)
{
    cd_scene_body added = *body;
    if (scene->bodies.count >= scene->max_rows)
        return cd_yaml_fail_status(body->where, diag, CD_ERR_LIMIT, "more than %lld bodies (--max-rows)",
                                   (long long)scene->max_rows);
    if (body->mesh)
        return cd_scene_add_mesh_body(scene, &added, diag);
    if (body->shape < 0)
        return cd_yaml_fail(body->where, diag, "shape: is missing");
    cd_scene_shape *shape = &scene->shapes.item[body->shape];
    if (body->motion == CD_MOTION_DYNAMIC) {
        if (isnan(shape->measure) && holds_halfspace(scene, shape))
            return cd_yaml_fail(body->where, diag,
                                "shape: a half-space has no mass: its motion must be fixed or prescribed");
        CD_TRY(resolve_mass(scene, shape, &added, diag));
    }
    CD_TRY(cd_scene_own_samples(scene, &added, diag));
    double arm[3];
    cd_scene_turn(scene->dim, body->rotation, shape->centre, arm);
    for (int k = 0; k < scene->dim; k++) {
        added.position[k] += arm[k];
        if (!isfinite(added.position[k]))
            return cd_yaml_fail(body->where, diag, "position: is too large");
    }
    cd_scene_push_body(scene, &added);
    return CD_OK;
}

// ---- ids -----------------------------------------------------------------------------------------------------------

typedef struct given_id {
    int64_t id;
    int32_t body;
} given_id;

static int compare_ids(const void *a, const void *b)
{
    const given_id *left = a, *right = b;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return (left->body > right->body) - (left->body < right->body);
}

cd_status cd_scene_number_bodies(cd_scene *scene, cd_diag *diag)
{
    int32_t count = 0;
    given_id *given = CD_ARENA_ARRAY(scene->arena, given_id, scene->bodies.count);
    for (int32_t i = 0; i < scene->bodies.count; i++)
        if (scene->bodies.item[i].id != CD_ABSENT_I64)
            given[count++] = (given_id){scene->bodies.item[i].id, i};
    qsort(given, (size_t)count, sizeof *given, compare_ids);
    for (int32_t g = 1; g < count; g++)
        if (given[g].id == given[g - 1].id)
            return cd_yaml_fail(scene->bodies.item[given[g].body].where, diag,
                                "id: %" PRId64 " is there twice, first in line %d", given[g].id,
                                scene->bodies.item[given[g - 1].body].where->line);
    int64_t next = 1;
    int32_t g = 0;
    for (int32_t i = 0; i < scene->bodies.count; i++) {
        if (scene->bodies.item[i].id != CD_ABSENT_I64)
            continue;
        while (g < count && given[g].id <= next) {
            next += given[g].id == next;
            g++;
        }
        scene->bodies.item[i].id = next++;
    }
    return CD_OK;
}
