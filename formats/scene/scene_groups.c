// Groups of a scene: bodies, generators and groups within, placed and turned as a whole.
// SPDX-License-Identifier: MIT
#include "cd_quat.h"
#include "cd_scene_builder.h"

#include <math.h>

// ---- places --------------------------------------------------------------------------------------------------------

typedef struct place_keys {
    const cd_yaml_node *position, *rotation, *rotation_deg;
} place_keys;

static const cd_yaml_key keys_of_place[] = {CD_YAML_KEY(place_keys, position, CD_YAML_NODE, 0, 0, "[m]"),
                                            CD_YAML_KEY(place_keys, rotation, CD_YAML_NODE, 0, 0, "[rad]"),
                                            CD_YAML_KEY(place_keys, rotation_deg, CD_YAML_NODE, 0, 0, "[deg]"),
                                            CD_YAML_KEYS_END};

// world = position + R local
typedef struct place {
    int dim;
    double position[3];  // [m]
    double rotation[4];  // an angle [rad], or a unit quaternion
} place;

static cd_status read_place(const cd_scene *scene, const cd_yaml_node *map, place *p, cd_diag *diag)
{
    place_keys keys = {0};
    *p = (place){.dim = scene->dim};
    CD_TRY(cd_yaml_want(map, "place", CD_YAML_MAP, diag));
    CD_TRY(cd_yaml_read(map, keys_of_place, scene->dim, &keys, diag));
    if (keys.position)
        CD_TRY(cd_yaml_numbers(keys.position, "position", scene->dim, p->position, diag));
    return cd_scene_read_rotation(scene, keys.rotation, keys.rotation_deg, p->rotation, diag);
}

static void place_point(const place *p, double *point)
{
    double turned[3];
    cd_scene_turn(p->dim, p->rotation, point, turned);
    for (int k = 0; k < p->dim; k++)
        point[k] = p->position[k] + turned[k];
}

static void turn_vector(const place *p, double *vector)
{
    double turned[3];
    cd_scene_turn(p->dim, p->rotation, vector, turned);
    memcpy(vector, turned, (size_t)p->dim * sizeof *vector);
}

// Spins and torques: the plane's point out of it.
static void turn_axial(const place *p, double *axial)
{
    if (p->dim == 3)
        turn_vector(p, axial);
}

static void turn_rotation(const place *p, double *rotation)
{
    if (p->dim == 2) {
        rotation[0] += p->rotation[0];
        return;
    }
    cd_quat turn = cd_quat_at(p->rotation);
    if (!cd_quat_is_same(turn, cd_quat_identity()))
        cd_quat_put(cd_quat_unit(cd_quat_product(turn, cd_quat_at(rotation))), rotation);
}

static void place_samples(const place *p, cd_scene_body *body)
{
    int axes = p->dim == 2 ? 1 : 3, turns = p->dim == 2 ? 1 : 4;
    const cd_scene_samples *load = &body->load, *drive = &body->drive;
    for (int32_t i = 0; i < load->count; i++) {
        if (load->linear)
            turn_vector(p, load->linear + p->dim * i);
        if (load->angular)
            turn_axial(p, load->angular + axes * i);
    }
    for (int32_t i = 0; i < drive->count; i++) {
        place_point(p, drive->linear + p->dim * i);
        turn_rotation(p, drive->angular + turns * i);
    }
}

static cd_status place_body(const place *p, const cd_yaml_node *where, cd_scene_body *body, cd_diag *diag)
{
    place_point(p, body->position);
    for (int k = 0; k < p->dim; k++)
        if (!isfinite(body->position[k]))
            return cd_yaml_fail(where, diag, "place: a position is too large");
    turn_rotation(p, body->rotation);
    turn_vector(p, body->velocity);
    turn_axial(p, body->spin);
    if (!isnan(body->force[0]))
        turn_vector(p, body->force);
    if (!isnan(body->torque[0]))
        turn_axial(p, body->torque);
    place_samples(p, body);
    return CD_OK;
}

static bool has_feed(const cd_scene *scene) { return scene->feed && scene->feed->frames > 0; }

// Of all bodies from number `first` on; map NULL: they stay where they are.
static cd_status place_bodies(cd_scene *scene, const cd_yaml_node *map, int32_t first, cd_diag *diag)
{
    place p;
    if (!map)
        return CD_OK;
    CD_TRY(read_place(scene, map, &p, diag));
    if (has_feed(scene))
        return cd_yaml_fail(map, diag, "place: boxes that are written as bounds cannot be placed");
    for (int32_t i = first; i < scene->bodies.count; i++)
        CD_TRY(place_body(&p, map, &scene->bodies.item[i], diag));
    return CD_OK;
}

// ---- bodies and generators -----------------------------------------------------------------------------------------

static cd_status read_bodies(cd_scene *scene, const cd_yaml_node *list, cd_diag *diag)
{
    if (!list)
        return CD_OK;
    CD_TRY(cd_yaml_want(list, "bodies", CD_YAML_LIST, diag));
    for (int32_t i = 0; i < list->count; i++) {
        cd_scene_body body;
        CD_TRY(cd_scene_read_body(scene, list->item[i], &body, diag));
        CD_TRY(cd_scene_add_body(scene, &body, diag));
    }
    return CD_OK;
}

static cd_status find_generator(cd_scene *scene, const cd_yaml_node *node, const cd_generator **found, cd_diag *diag)
{
    const cd_generator *const *table = scene->generators;
    const char *name;
    int32_t count = 0;
    CD_TRY(cd_yaml_text(node, "generator", &name, diag));
    for (count = 0; table[count]; count++)
        if (!strcmp(table[count]->name, name)) {
            *found = table[count];
            return CD_OK;
        }
    const char **names = CD_ARENA_ZARRAY(scene->arena, const char *, (size_t)count + 1);
    for (int32_t i = 0; i < count; i++)
        names[i] = table[i]->name;
    const char *near = cd_yaml_suggest(name, names);
    if (near)
        return cd_yaml_fail(node, diag, "generator: there is no \"%.60s\", did you mean \"%s\"?", name, near);
    return cd_yaml_fail(node, diag, "generator: there is no \"%.60s\" (cd-scene --help lists them)", name);
}

// The numbers of each generator are a stream of their own, told apart by its place among those of the scene, so that a
// change of one leaves the others as they were.
static cd_random generator_random(int64_t seed, int32_t index)
{
    cd_random master = {(uint64_t)seed};
    cd_random random = {0};
    for (int32_t i = 0; i <= index; i++)
        random.state = cd_random_bits(&master);
    return random;
}

static cd_status run_generator(cd_scene *scene, const cd_yaml_node *node, cd_diag *diag)
{
    const cd_generator *generator = NULL;
    int32_t first = scene->bodies.count, index = scene->generator_count++;
    CD_TRY(cd_yaml_want(node, "generate", CD_YAML_MAP, diag));
    const cd_yaml_node *name = cd_yaml_find(node, "generator");
    if (!name)
        return cd_yaml_fail(node, diag, "generator: is missing");
    CD_TRY(find_generator(scene, name, &generator, diag));
    if (generator->dim && generator->dim != scene->dim)
        return cd_yaml_fail(name, diag, "generator: %s needs dim: %d", generator->name, generator->dim);
    const cd_yaml_node *own = cd_yaml_without(scene->arena, node, "place");
    void *params = cd_arena_alloc(scene->arena, generator->params_size);
    memcpy(params, generator->defaults, generator->params_size);
    CD_TRY(cd_yaml_read(own, generator->keys, scene->dim, params, diag));
    CD_TRY(generator->make(scene, own, params, generator_random(scene->seed, index), diag));
    if (has_feed(scene) && !scene->feed_node) {
        scene->feed_node = node;
        scene->feed_name = generator->name;
    }
    return place_bodies(scene, cd_yaml_find(node, "place"), first, diag);
}

static cd_status run_generators(cd_scene *scene, const cd_yaml_node *list, cd_diag *diag)
{
    if (!list)
        return CD_OK;
    CD_TRY(cd_yaml_want(list, "generate", CD_YAML_LIST, diag));
    for (int32_t i = 0; i < list->count; i++)
        CD_TRY(run_generator(scene, list->item[i], diag));
    return CD_OK;
}

// ---- groups --------------------------------------------------------------------------------------------------------

static const cd_yaml_key group_keys[] = {
    CD_YAML_KEY(cd_scene_group_keys, place, CD_YAML_NODE, 0, 0, "{position, rotation}"),
    CD_YAML_KEY(cd_scene_group_keys, bodies, CD_YAML_NODE, 0, 0, "list"),
    CD_YAML_KEY(cd_scene_group_keys, generate, CD_YAML_NODE, 0, 0, "list"),
    CD_YAML_KEY(cd_scene_group_keys, groups, CD_YAML_NODE, 0, 0, "list"), CD_YAML_KEYS_END};

static cd_status read_groups(cd_scene *scene, const cd_yaml_node *list, cd_diag *diag)
{
    if (!list)
        return CD_OK;
    CD_TRY(cd_yaml_want(list, "groups", CD_YAML_LIST, diag));
    for (int32_t i = 0; i < list->count; i++) {
        cd_scene_group_keys keys = {0};
        CD_TRY(cd_yaml_want(list->item[i], "groups", CD_YAML_MAP, diag));
        CD_TRY(cd_yaml_read(list->item[i], group_keys, scene->dim, &keys, diag));
        CD_TRY(cd_scene_read_group(scene, &keys, diag));
    }
    return CD_OK;
}

cd_status cd_scene_read_group(cd_scene *scene, const cd_scene_group_keys *keys, cd_diag *diag)
{
    int32_t first = scene->bodies.count;
    CD_TRY(read_bodies(scene, keys->bodies, diag));
    CD_TRY(run_generators(scene, keys->generate, diag));
    CD_TRY(read_groups(scene, keys->groups, diag));
    if (has_feed(scene) && scene->feed->has_bounds && (scene->bodies.count > 0 || scene->generator_count > 1))
        return cd_yaml_fail(scene->feed_node, diag,
                            "%s: makes bodies while they are written, which must be all bodies of the scene",
                            scene->feed_name);
    return place_bodies(scene, keys->place, first, diag);
}
