// The top level of a scene, and the lists it ends in as tables.
// SPDX-License-Identifier: MIT
#include "cd_scene.h"

#include "cd_contact_model.h"
#include "cd_median.h"
#include "cd_scene_builder.h"

#include <math.h>
#include <stdlib.h>

typedef struct scene_keys {
    int64_t dim, seed;
    double gravity[3];
    double epsilon, length, reach, step;  // NaN: not given
    int32_t gyroscopic, model, symmetry;  // -1: not given
    const cd_yaml_node *shapes, *materials, *interactions, *defaults, *bodies, *generate, *groups;
} scene_keys;

#define TOP_NODE(member, text) CD_YAML_KEY(scene_keys, member, CD_YAML_NODE, 0, 0, text)
#define TOP_LENGTH(member, text) CD_YAML_KEY(scene_keys, member, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, text)
static const cd_yaml_key top_keys[] = {CD_YAML_KEY(scene_keys, dim, CD_YAML_INT, 2, 3, "2 or 3"),
                                       CD_YAML_KEY(scene_keys, gravity, CD_YAML_VECTOR, -INFINITY, INFINITY, "[m/s^2]"),
                                       TOP_LENGTH(epsilon, "[m]"),
                                       TOP_LENGTH(length, "[m]"),
                                       TOP_LENGTH(reach, "[m]"),
                                       TOP_LENGTH(step, "[s]"),
                                       {.name = "gyroscopic",
                                        .type = CD_YAML_WORD,
                                        .offset = offsetof(scene_keys, gyroscopic),
                                        .words = cd_words_GYROSCOPIC,
                                        .help = "word"},
                                       {.name = "model",
                                        .type = CD_YAML_WORD,
                                        .offset = offsetof(scene_keys, model),
                                        .words = cd_contact_model_names,
                                        .help = "word"},
                                       {.name = "symmetry",
                                        .type = CD_YAML_WORD,
                                        .offset = offsetof(scene_keys, symmetry),
                                        .words = cd_words_SYMMETRY,
                                        .help = "word"},
                                       CD_YAML_KEY(scene_keys, seed, CD_YAML_INT, 0, INFINITY, "number"),
                                       TOP_NODE(materials, "map"),
                                       TOP_NODE(interactions, "list"),
                                       TOP_NODE(shapes, "map"),
                                       TOP_NODE(defaults, "map"),
                                       TOP_NODE(bodies, "list"),
                                       TOP_NODE(generate, "list"),
                                       TOP_NODE(groups, "list"),
                                       CD_YAML_KEYS_END};

// [1] The geometric epsilon lies between these parts of the scene's smallest edge.
static const double epsilon_least = 1e-4, epsilon_most = 1e-2;
static const double default_epsilon = 1e-6;  // [1] of the length, of 1 m without one: that of cd_length.h

// ---- the parts of a scene ------------------------------------------------------------------------------------------

typedef struct material_keys {
    double density, bulk, shear;
} material_keys;

static cd_status read_materials(cd_scene *scene, const cd_yaml_node *map, cd_model *model, cd_diag *diag)
{
    static const cd_yaml_key keys[] = {
        CD_YAML_KEY(material_keys, density, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, NULL),
        CD_YAML_KEY(material_keys, bulk, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, NULL),
        CD_YAML_KEY(material_keys, shear, CD_YAML_DOUBLE, 0, INFINITY, NULL), CD_YAML_KEYS_END};
    if (!map)
        return CD_OK;
    CD_TRY(cd_yaml_want(map, "materials", CD_YAML_MAP, diag));
    scene->material_map = map;
    cd_material_rows *table = &model->material;
    table->count = map->count;
    int64_t *id = CD_COLUMN(scene->arena, scene->dim, material, table, id);
    double *density = CD_COLUMN(scene->arena, scene->dim, material, table, density);
    double *bulk = CD_COLUMN(scene->arena, scene->dim, material, table, bulk);
    double *shear = CD_COLUMN(scene->arena, scene->dim, material, table, shear);
    for (int32_t i = 0; i < map->count; i++) {
        material_keys material = {NAN, NAN, NAN};
        CD_TRY(cd_yaml_want(map->item[i], map->key[i]->text, CD_YAML_MAP, diag));
        CD_TRY(cd_yaml_read(map->item[i], keys, scene->dim, &material, diag));
        id[i] = i + 1;
        density[i] = material.density;
        bulk[i] = material.bulk;
        shear[i] = material.shear;
    }
    scene->material_density = density;
    scene->material_bulk = bulk;
    scene->material_shear = shear;
    return CD_OK;
}

static cd_status read_shapes(cd_scene *scene, const cd_yaml_node *map, cd_diag *diag)
{
    if (!map)
        return CD_OK;
    CD_TRY(cd_yaml_want(map, "shapes", CD_YAML_MAP, diag));
    scene->shape_map = map;
    scene->named_shape = CD_ARENA_ARRAY(scene->arena, int32_t, map->count);
    for (int32_t i = 0; i < map->count; i++)
        scene->named_shape[i] = -1;
    for (int32_t i = 0; i < map->count; i++)
        CD_TRY(cd_scene_read_shape(scene, map->item[i], &scene->named_shape[i], diag));
    return CD_OK;
}

// ---- tables --------------------------------------------------------------------------------------------------------

static cd_list list_new(cd_arena *arena, int32_t rows)
{
    return (cd_list){.offset = CD_ARENA_ZARRAY(arena, int32_t, (size_t)rows + 1)};
}

// Sums the counts in offset[1..rows] up; the total must fit the table's int32.
static bool list_sum(cd_list *list, int32_t rows)
{
    int64_t total = 0;
    for (int32_t i = 0; i < rows; i++) {
        total += list->offset[i + 1];
        if (total > INT32_MAX)
            return false;
        list->offset[i + 1] = (int32_t)total;
    }
    return true;
}

// What a shape has of the items of a list column.
typedef struct items {
    const void *item;
    int32_t count;
} items;
typedef items items_of(const cd_scene_shape *shape);

static items vertices_of(const cd_scene_shape *shape) { return (items){shape->vertex, shape->vertex_count}; }
static items surfaces_of(const cd_scene_shape *shape) { return (items){shape->surface, shape->surface_count}; }
static items triangles_of(const cd_scene_shape *shape) { return (items){shape->triangle, shape->triangle_count}; }
static items parts_of(const cd_scene_shape *shape) { return (items){shape->part_shape, shape->part_count}; }
static items positions_of(const cd_scene_shape *shape) { return (items){shape->part_position, shape->part_count}; }
static items rotations_of(const cd_scene_shape *shape) { return (items){shape->part_rotation, shape->part_count}; }
static items adjacent_of(const cd_scene_shape *shape) { return (items){shape->adjacent, shape->adjacent_count}; }

// The list column of all shapes; `size` [bytes] of an item. NULL offset when no shape has any.
static cd_status write_list(const cd_scene *scene, items_of *of_shape, size_t size, cd_list *list, cd_diag *diag)
{
    int32_t count = scene->shapes.count;
    *list = list_new(scene->arena, count);
    for (int32_t i = 0; i < count; i++)
        list->offset[i + 1] = of_shape(&scene->shapes.item[i]).count;
    if (!list_sum(list, count))
        return cd_fail(diag, CD_ERR_LIMIT, "the shapes of the scene are too large for one table");
    if (!list->offset[count]) {
        *list = (cd_list){0};
        return CD_OK;
    }
    list->data = cd_arena_alloc_array(scene->arena, (size_t)list->offset[count], size);
    for (int32_t i = 0; i < count; i++) {
        items own = of_shape(&scene->shapes.item[i]);
        if (own.count)
            memcpy((char *)list->data + (size_t)list->offset[i] * size, own.item, (size_t)own.count * size);
    }
    return CD_OK;
}

static void write_faces(cd_arena *arena, const cd_scene_shape *shape, int32_t count, cd_list2 *faces)
{
    size_t lists = 0, numbers = 0;
    for (int32_t i = 0; i < count; i++) {
        lists += (size_t)shape[i].face_count;
        numbers += shape[i].face_count ? (size_t)shape[i].face_first[shape[i].face_count] : 0;
    }
    if (!lists)
        return;
    faces->offset = CD_ARENA_ZARRAY(arena, int32_t, (size_t)count + 1);
    faces->inner = CD_ARENA_ZARRAY(arena, int32_t, lists + 1);
    faces->data = CD_ARENA_ARRAY(arena, int32_t, numbers);
    int32_t list = 0, used = 0;
    for (int32_t i = 0; i < count; i++) {
        for (int32_t f = 0; f < shape[i].face_count; f++)
            faces->inner[++list] = used + shape[i].face_first[f + 1];
        if (shape[i].face_count) {
            int32_t length = shape[i].face_first[shape[i].face_count];
            memcpy(faces->data + used, shape[i].face_vertex, (size_t)length * sizeof(int32_t));
            used += length;
        }
        faces->offset[i + 1] = list;
    }
}

static void write_vector(double *column, int32_t row, int width, const double *value)
{
    memcpy(column + (size_t)row * (size_t)width, value, (size_t)width * sizeof(double));
}

// The numbers that each kind is given by; a column that no shape needs stays absent.
static void write_sizes(const cd_scene *scene, cd_shape_rows *table)
{
    cd_arena *arena = scene->arena;
    int dim = scene->dim;
    for (int32_t i = 0; i < table->count; i++) {
        const cd_scene_shape *given = &scene->shapes.item[i];
        uint32_t sizes = cd_shape_table[given->kind]->sizes;
#define X(size, width)                                                     \
    if (sizes & CD_SHAPE_SIZE(size)) {                                     \
        if (!table->size)                                                  \
            CD_COLUMN(arena, dim, shape, table, size);                     \
        write_vector(table->size, i, (width) == 1 ? 1 : dim, given->size); \
    }
#include "shape_sizes.def"
#undef X
    }
}

static cd_status write_shapes(const cd_scene *scene, cd_model *model, cd_diag *diag)
{
    cd_arena *arena = scene->arena;
    int32_t count = scene->shapes.count;
    const cd_scene_shape *shape = scene->shapes.item;
    cd_shape_rows *table = &model->shape;
    table->count = count;
    int64_t *id = CD_COLUMN(arena, scene->dim, shape, table, id);
    int32_t *kind = CD_COLUMN(arena, scene->dim, shape, table, kind);
    for (int32_t i = 0; i < count; i++) {
        id[i] = i + 1;
        kind[i] = shape[i].kind;
    }
    write_sizes(scene, table);
    write_faces(arena, shape, count, &table->faces);
    size_t vector = (size_t)scene->dim * sizeof(double), rotation = (scene->dim == 2 ? 1 : 4) * sizeof(double);
    CD_TRY(write_list(scene, vertices_of, vector, &table->vertices, diag));
    CD_TRY(write_list(scene, surfaces_of, sizeof(int32_t), &table->surfaces, diag));
    CD_TRY(write_list(scene, triangles_of, 3 * sizeof(int32_t), &table->triangles, diag));
    CD_TRY(write_list(scene, parts_of, sizeof(int32_t), &table->parts_shape, diag));
    CD_TRY(write_list(scene, positions_of, vector, &table->parts_position, diag));
    CD_TRY(write_list(scene, rotations_of, rotation, &table->parts_rotation, diag));
    CD_TRY(write_list(scene, adjacent_of, 2 * sizeof(int32_t), &table->adjacent, diag));
    return CD_OK;
}

// Columns that some body has something to say in.
static void write_optional_columns(const cd_scene *scene, cd_body_rows *table)
{
    cd_arena *arena = scene->arena;
    int dim = scene->dim;
    for (int32_t i = 0; i < table->count; i++) {
        const cd_scene_body *body = &scene->bodies.item[i];
        if (!table->mass && !isnan(body->mass))
            CD_COLUMN(arena, dim, body, table, mass);
        if (!table->inertia && !isnan(body->inertia[0]))
            CD_COLUMN(arena, dim, body, table, inertia);
        if (!table->group && body->group)
            CD_COLUMN(arena, dim, body, table, group);
        if (!table->material && body->material >= 0)
            CD_COLUMN(arena, dim, body, table, material);
        if (!table->mu && !isnan(body->mu))
            CD_COLUMN(arena, dim, body, table, mu);
        if (!table->release && !isnan(body->release))
            CD_COLUMN(arena, dim, body, table, release);
        if (!table->force && !isnan(body->force[0]))
            CD_COLUMN(arena, dim, body, table, force);
        if (!table->torque && !isnan(body->torque[0]))
            CD_COLUMN(arena, dim, body, table, torque);
        if (!isnan(body->mass))
            table->mass[i] = body->mass;
        if (!isnan(body->inertia[0]))
            write_vector(table->inertia, i, dim == 2 ? 1 : 6, body->inertia);
        if (body->group)
            table->group[i] = body->group;
        if (body->material >= 0)
            table->material[i] = body->material;
        if (!isnan(body->mu))
            table->mu[i] = body->mu;
        if (!isnan(body->release))
            table->release[i] = body->release;
        if (!isnan(body->force[0]))
            write_vector(table->force, i, dim, body->force);
        if (!isnan(body->torque[0]))
            write_vector(table->torque, i, dim == 2 ? 1 : 3, body->torque);
    }
}

static void write_bodies(const cd_scene *scene, cd_model *model)
{
    cd_arena *arena = scene->arena;
    int dim = scene->dim, turns = dim == 2 ? 1 : 4, spins = dim == 2 ? 1 : 3;
    cd_body_rows *table = &model->body;
    table->count = scene->bodies.count;
    int64_t *id = CD_COLUMN(arena, dim, body, table, id);
    int32_t *shape = CD_COLUMN(arena, dim, body, table, shape);
    int32_t *motion = CD_COLUMN(arena, dim, body, table, motion);
    double *position = CD_COLUMN(arena, dim, body, table, position);
    double *rotation = CD_COLUMN(arena, dim, body, table, rotation);
    double *velocity = CD_COLUMN(arena, dim, body, table, velocity);
    double *spin = CD_COLUMN(arena, dim, body, table, spin);
    for (int32_t i = 0; i < table->count; i++) {
        const cd_scene_body *body = &scene->bodies.item[i];
        id[i] = body->id;
        motion[i] = body->motion;
        if (body->mesh)
            continue;
        shape[i] = body->shape;
        write_vector(position, i, dim, body->position);
        write_vector(rotation, i, turns, body->rotation);
        write_vector(velocity, i, dim, body->velocity);
        write_vector(spin, i, spins, body->spin);
    }
    write_optional_columns(scene, table);
}

// ---- scales --------------------------------------------------------------------------------------------------------

// The median diameter over the parts of the bodies that move (`all`: of every body), of elements that of their
// pinballs. How often a shape is there spreads from compounds to their parts, which are earlier rows.
static double median_diameter(const cd_scene *scene, bool all)
{
    int32_t count = 0;
    double *uses = CD_ARENA_ZARRAY(scene->arena, double, scene->shapes.count);
    cd_weighted *part =
        CD_ARENA_ARRAY(scene->arena, cd_weighted, (size_t)scene->shapes.count + (size_t)scene->element_count);
    for (int32_t i = 0; i < scene->bodies.count; i++) {
        const cd_scene_body *body = &scene->bodies.item[i];
        if (!all && body->motion != CD_MOTION_DYNAMIC)
            continue;
        for (int32_t e = 0; body->mesh && e < body->mesh->mesh.element_count; e++)
            part[count++] = (cd_weighted){cd_scene_element_diameter(body->mesh, e), 1};
        if (body->shape >= 0)
            uses[body->shape]++;
    }
    for (int32_t s = scene->shapes.count - 1; s >= 0; s--) {
        const cd_scene_shape *shape = &scene->shapes.item[s];
        for (int32_t p = 0; p < shape->part_count; p++)
            uses[shape->part_shape[p]] += uses[s];
        if (uses[s] > 0 && !isnan(shape->diameter))
            part[count++] = (cd_weighted){shape->diameter, uses[s]};
    }
    return cd_weighted_median(part, count);
}

static void take_scales(cd_scene *scene, scene_keys *keys)
{
    keys->length = isnan(keys->length) ? median_diameter(scene, false) : keys->length;
    keys->length = isnan(keys->length) ? median_diameter(scene, true) : keys->length;
    if (isnan(scene->epsilon))
        scene->epsilon = isnan(keys->length) ? default_epsilon : default_epsilon * keys->length;
}

// The usual epsilon is below what is recommended of one that is stated; it may not be above.
static void warn_epsilon(cd_scene *scene, bool is_stated)
{
    double least = INFINITY;
    for (int32_t s = 0; s < scene->shapes.count; s++)
        if (!isnan(scene->shapes.item[s].feature))
            least = fmin(least, scene->shapes.item[s].feature);
    bool is_enough = !is_stated || scene->epsilon >= epsilon_least * least;
    if (isinf(least) || (is_enough && scene->epsilon <= epsilon_most * least))
        return;
    const char *text = cd_arena_printf(
        scene->arena, "epsilon %g m is out of the recommended %g..%g m: %g..%g of the smallest edge, %g m",
        scene->epsilon, epsilon_least * least, epsilon_most * least, epsilon_least, epsilon_most, least);
    cd_list_push(scene->arena, scene->warnings, text);
}

static void write_head(cd_scene *scene, const scene_keys *keys, bool has_gravity, cd_model *model)
{
    cd_arena *arena = scene->arena;
    cd_head_rows *head = &model->head;
    head->count = 1;
    head->cds = list_new(arena, 1);
    head->cds.offset[1] = 2;
    head->cds.i32 = CD_ARENA_ZARRAY(arena, int32_t, 2);
    head->cds.i32[0] = 1;
    CD_COLUMN(arena, scene->dim, head, head, dim)[0] = scene->dim;
    if (has_gravity)
        write_vector(CD_COLUMN(arena, scene->dim, head, head, gravity), 0, scene->dim, keys->gravity);
    CD_COLUMN(arena, scene->dim, head, head, epsilon)[0] = scene->epsilon;
    if (!isnan(keys->length))
        CD_COLUMN(arena, scene->dim, head, head, length)[0] = keys->length;
    if (!isnan(keys->reach))
        CD_COLUMN(arena, scene->dim, head, head, reach)[0] = keys->reach;
    if (keys->gyroscopic >= 0)
        CD_COLUMN(arena, scene->dim, head, head, gyroscopic)[0] = keys->gyroscopic;
    // Bodies of elements move by forces alone.
    const char *name = keys->model >= 0           ? cd_contact_model_names[keys->model]
                       : scene->element_count > 0 ? "penalty"
                                                  : NULL;
    if (name)
        CD_COLUMN(arena, scene->dim, head, head, model)[0] = name;
    if (keys->symmetry >= 0)
        CD_COLUMN(arena, scene->dim, head, head, symmetry)[0] = keys->symmetry;
}

static void write_frame(const cd_scene *scene, cd_model *model)
{
    cd_frame_rows *frame = &model->frame;
    frame->count = 1;
    CD_COLUMN(scene->arena, scene->dim, frame, frame, index)[0] = 0;
    CD_COLUMN(scene->arena, scene->dim, frame, frame, time)[0] = 0;
    if (!isnan(scene->step))
        CD_COLUMN(scene->arena, scene->dim, frame, frame, step)[0] = scene->step;
}

// ---- the scene -----------------------------------------------------------------------------------------------------

// dim first: it says how long the vectors of the other keys are.
static cd_status read_top(const cd_yaml_node *root, const cd_scene_settings *settings, scene_keys *keys, cd_diag *diag)
{
    *keys = (scene_keys){.dim = 2,
                         .epsilon = NAN,
                         .length = NAN,
                         .reach = NAN,
                         .step = NAN,
                         .gyroscopic = -1,
                         .model = -1,
                         .symmetry = -1};
    if (root->kind == CD_YAML_SCALAR && !root->text[0])
        return cd_yaml_fail(root, diag, "the scene is empty");
    CD_TRY(cd_yaml_want(root, "scene", CD_YAML_MAP, diag));
    const cd_yaml_node *dim = cd_yaml_find(root, "dim");
    if (dim) {
        CD_TRY(cd_yaml_integer(dim, "dim", &keys->dim, diag));
        if (keys->dim != 2 && keys->dim != 3)
            return cd_yaml_fail(dim, diag, "dim: must be 2 or 3");
    }
    CD_TRY(cd_yaml_read(root, top_keys, (int)keys->dim, keys, diag));
    if (keys->symmetry == CD_SYMMETRY_AXIAL && keys->dim != 2)
        return cd_yaml_fail(cd_yaml_find(root, "symmetry"), diag, "symmetry: axial needs dim: 2");
    keys->epsilon = isnan(settings->epsilon) ? keys->epsilon : settings->epsilon;
    keys->reach = isnan(settings->reach) ? keys->reach : settings->reach;
    keys->step = isnan(settings->step) ? keys->step : settings->step;
    keys->seed = settings->seed < 0 ? keys->seed : settings->seed;
    return CD_OK;
}

// Do all bodies come from one generator, and stay where it puts them?
static bool is_of_one(const scene_keys *keys)
{
    const cd_yaml_node *list = keys->generate;
    return list && list->kind == CD_YAML_LIST && list->count == 1 && list->item[0]->kind == CD_YAML_MAP &&
           !cd_yaml_find(list->item[0], "place") && !keys->bodies && !keys->groups;
}

static cd_status build(cd_scene *scene, scene_keys *keys, const cd_yaml_node *root, cd_model *model, cd_diag *diag)
{
    bool has_epsilon = !isnan(keys->epsilon), has_gravity = cd_yaml_find(root, "gravity") != NULL;
    CD_TRY(read_materials(scene, keys->materials, model, diag));
    CD_TRY(cd_scene_read_interactions(scene, keys->interactions, model, diag));
    CD_TRY(read_shapes(scene, keys->shapes, diag));
    CD_TRY(cd_scene_read_defaults(scene, keys->defaults, diag));
    cd_scene_group_keys whole = {NULL, keys->bodies, keys->generate, keys->groups};
    CD_TRY(cd_scene_read_group(scene, &whole, diag));
    CD_TRY(cd_scene_number_bodies(scene, diag));
    take_scales(scene, keys);
    warn_epsilon(scene, has_epsilon);
    cd_scene_warn_overlaps(scene);
    write_head(scene, keys, has_gravity, model);
    write_frame(scene, model);
    write_bodies(scene, model);
    CD_TRY(cd_scene_write_elements(scene, model, diag));
    CD_TRY(cd_scene_write_schedules(scene, model, diag));
    return write_shapes(scene, model, diag);
}

cd_status cd_scene_build(cd_arena *arena, const cd_yaml_node *root, const cd_scene_settings *settings, cd_model *model,
                         cd_scene_warnings *warnings, cd_diag *diag)
{
    scene_keys keys;
    CD_TRY(read_top(root, settings, &keys, diag));
    cd_scene scene = {.arena = arena,
                      .dim = (int)keys.dim,
                      .step = keys.step,
                      .epsilon = keys.epsilon,
                      .seed = keys.seed,
                      .max_rows = settings->max_rows,
                      .symmetry = keys.symmetry < 0 ? CD_SYMMETRY_PLANE : (cd_symmetry)keys.symmetry,
                      .is_of_one = is_of_one(&keys),
                      .feed = settings->feed,
                      .generators = settings->generators,
                      .warnings = warnings};
    model->dim = scene.dim;
    cd_status status = build(&scene, &keys, root, model, diag);
    cd_region_release(&scene.body_store);
    return status;
}
