// Forces and torques on bodies, and prescribed motion: as constants and as samples over time.
// SPDX-License-Identifier: MIT
#include "cd_samples.h"
#include "cd_scene_builder.h"

#include <math.h>

// A sample of either list.
typedef struct sample_keys {
    double time;  // [s]
    const cd_yaml_node *force, *torque, *position, *rotation, *rotation_deg;
} sample_keys;

#define SAMPLE_TIME CD_YAML_KEY_NEEDED(sample_keys, time, CD_YAML_DOUBLE, -INFINITY, INFINITY, "[s]")
#define SAMPLE_NODE(member, text) CD_YAML_KEY(sample_keys, member, CD_YAML_NODE, 0, 0, text)
static const cd_yaml_key load_keys[] = {SAMPLE_TIME, SAMPLE_NODE(force, "[N]"), SAMPLE_NODE(torque, "[N m]"),
                                        CD_YAML_KEYS_END};
static const cd_yaml_key drive_keys[] = {SAMPLE_TIME, SAMPLE_NODE(position, "[m]"), SAMPLE_NODE(rotation, "[rad]"),
                                         SAMPLE_NODE(rotation_deg, "[deg]"), CD_YAML_KEYS_END};

// What the two lists differ in.
typedef struct sample_form {
    const char *label, *linear, *angular;
    const cd_yaml_key *keys;
    int angular_width;
} sample_form;

static sample_form form_of_loads(int dim)
{
    return (sample_form){"load", "force", "torque", load_keys, dim == 2 ? 1 : 3};
}
static sample_form form_of_drives(int dim)
{
    return (sample_form){"drive", "position", "rotation", drive_keys, dim == 2 ? 1 : 4};
}

// ---- reading -------------------------------------------------------------------------------------------------------

static cd_status read_numbers(const cd_scene *scene, const sample_keys *keys, const sample_form *form, int32_t i,
                              cd_scene_samples *samples, cd_diag *diag)
{
    const cd_yaml_node *linear = keys->force ? keys->force : keys->position;
    if (samples->linear)
        CD_TRY(cd_yaml_numbers(linear, form->linear, scene->dim, samples->linear + scene->dim * i, diag));
    if (!samples->angular)
        return CD_OK;
    double *angular = samples->angular + form->angular_width * i;
    if (keys->torque)
        return cd_scene_read_axial(scene, keys->torque, form->angular, angular, diag);
    return cd_scene_read_rotation(scene, keys->rotation, keys->rotation_deg, angular, diag);
}

static cd_status read_sample(const cd_scene *scene, const cd_yaml_node *node, const sample_form *form, int32_t i,
                             cd_scene_samples *samples, cd_diag *diag)
{
    sample_keys keys = {.time = NAN};
    CD_TRY(cd_yaml_want(node, form->label, CD_YAML_MAP, diag));
    CD_TRY(cd_yaml_read(node, form->keys, scene->dim, &keys, diag));
    samples->time[i] = keys.time;
    if (i > 0 && !(keys.time > samples->time[i - 1]))
        return cd_yaml_fail(node, diag, "time: %g s after %g s: must ascend", keys.time, samples->time[i - 1]);
    bool has_linear = keys.force || keys.position, has_angular = keys.torque || keys.rotation || keys.rotation_deg;
    if (!has_linear && !has_angular)
        return cd_yaml_fail(node, diag, "%s: needs %s or %s", form->label, form->linear, form->angular);
    // The first one says what all have.
    if (i == 0 && !has_linear)
        samples->linear = NULL;
    if (i == 0 && !has_angular)
        samples->angular = NULL;
    if (has_linear != (samples->linear != NULL) || has_angular != (samples->angular != NULL))
        return cd_yaml_fail(node, diag, "%s: all times have it, or none",
                            has_linear != (samples->linear != NULL) ? form->linear : form->angular);
    return read_numbers(scene, &keys, form, i, samples, diag);
}

static cd_scene_samples samples_new(cd_arena *arena, int dim, const sample_form *form, int32_t count)
{
    return (cd_scene_samples){count, CD_ARENA_ARRAY(arena, double, count),
                              CD_ARENA_ARRAY(arena, double, (size_t)count *(size_t)dim),
                              CD_ARENA_ARRAY(arena, double, (size_t)count *(size_t)form->angular_width)};
}

static cd_status read_samples(cd_scene *scene, const cd_yaml_node *list, sample_form form, cd_scene_samples *samples,
                              cd_diag *diag)
{
    CD_TRY(cd_yaml_want(list, form.label, CD_YAML_LIST, diag));
    if (list->count == 0)
        return cd_yaml_fail(list, diag, "%s: has no times", form.label);
    if (list->count > scene->max_rows)
        return cd_yaml_fail_status(list, diag, CD_ERR_LIMIT, "%s: more than %lld times (--max-rows)", form.label,
                                   (long long)scene->max_rows);
    *samples = samples_new(scene->arena, scene->dim, &form, list->count);
    for (int32_t i = 0; i < list->count; i++)
        CD_TRY(read_sample(scene, list->item[i], &form, i, samples, diag));
    return CD_OK;
}

// A driven body that is not put anywhere starts where its table says.
static void start_of_drive(const cd_scene *scene, const cd_scene_body_keys *keys, cd_scene_body *body)
{
    const cd_scene_samples *drive = &body->drive;
    if (!keys->position && drive->linear)
        cd_samples_at(&(cd_samples){drive->count, scene->dim, drive->time, drive->linear}, 0, body->position);
    if (keys->rotation || keys->rotation_deg || !drive->angular)
        return;
    cd_samples turns = {drive->count, scene->dim == 2 ? 1 : 4, drive->time, drive->angular};
    if (scene->dim == 2)
        cd_samples_at(&turns, 0, body->rotation);
    else
        cd_quat_put(cd_samples_rotation(&turns, 0), body->rotation);
}

cd_status cd_scene_read_forces(cd_scene *scene, const cd_scene_body_keys *keys, cd_scene_body *body, cd_diag *diag)
{
    const cd_yaml_node *any = keys->force ? keys->force : keys->torque ? keys->torque : keys->load;
    body->force[0] = body->torque[0] = NAN;
    if (any && body->motion != CD_MOTION_DYNAMIC)
        return cd_yaml_fail(any, diag, "%s: acts on dynamic bodies alone",
                            keys->force    ? "force"
                            : keys->torque ? "torque"
                                           : "load");
    if (keys->force)
        CD_TRY(cd_yaml_numbers(keys->force, "force", scene->dim, body->force, diag));
    if (keys->torque)
        CD_TRY(cd_scene_read_axial(scene, keys->torque, "torque", body->torque, diag));
    if (keys->load)
        CD_TRY(read_samples(scene, keys->load, form_of_loads(scene->dim), &body->load, diag));
    if (keys->force && body->load.linear)
        return cd_yaml_fail(keys->force, diag, "force: the load has it as well");
    if (keys->torque && body->load.angular)
        return cd_yaml_fail(keys->torque, diag, "torque: the load has it as well");
    if (!keys->drive)
        return CD_OK;
    if (isnan(scene->step))
        return cd_yaml_fail(keys->drive, diag, "drive: moves from step to step: the scene needs step");
    CD_TRY(read_samples(scene, keys->drive, form_of_drives(scene->dim), &body->drive, diag));
    start_of_drive(scene, keys, body);
    return CD_OK;
}

// ---- adding --------------------------------------------------------------------------------------------------------

// A copy of `count` items, or the same one over and over; NULL where there is neither.
static double *own_items(cd_arena *arena, int32_t count, int width, const double *items, const double *same)
{
    if (!items && !same)
        return NULL;
    double *own = CD_ARENA_ARRAY(arena, double, (size_t)count *(size_t)width);
    for (int32_t i = 0; i < count; i++)
        memcpy(own + width * i, items ? items + width * i : same, (size_t)width * sizeof *own);
    return own;
}

cd_status cd_scene_own_samples(cd_scene *scene, cd_scene_body *body, cd_diag *diag)
{
    cd_arena *arena = scene->arena;
    cd_scene_samples *load = &body->load, *drive = &body->drive;
    int turns = form_of_drives(scene->dim).angular_width, axes = form_of_loads(scene->dim).angular_width;
    // A template's are those of each body: a short scene could ask for more than memory holds.
    scene->sample_count += load->count + drive->count;
    if (scene->sample_count > scene->max_rows)
        return cd_yaml_fail_status(body->where, diag, CD_ERR_LIMIT,
                                   "%s: with those of the bodies before it more than %lld times (--max-rows)",
                                   load->count > 0 ? "load" : "drive", (long long)scene->max_rows);
    if (load->count > 0) {
        load->linear = own_items(arena, load->count, scene->dim, load->linear, NULL);
        load->angular = own_items(arena, load->count, axes, load->angular, NULL);
    }
    if (drive->count > 0) {
        drive->linear = own_items(arena, drive->count, scene->dim, drive->linear, body->position);
        drive->angular = own_items(arena, drive->count, turns, drive->angular, body->rotation);
    }
    return CD_OK;
}

// ---- tables --------------------------------------------------------------------------------------------------------

// The rows of a table: the bodies that have samples in it.
typedef struct sampled {
    const cd_scene *scene;
    bool drives;
    int32_t count;
    const int32_t *body;
} sampled;

static const cd_scene_samples *samples_of(const sampled *s, int32_t body)
{
    const cd_scene_body *row = &s->scene->bodies.item[body];
    return s->drives ? &row->drive : &row->load;
}

static sampled bodies_with_samples(const cd_scene *scene, bool drives)
{
    int32_t *body = CD_ARENA_ARRAY(scene->arena, int32_t, scene->bodies.count);
    sampled s = {scene, drives, 0, body};
    for (int32_t i = 0; i < scene->bodies.count; i++)
        if (samples_of(&s, i)->count > 0)
            body[s.count++] = i;
    return s;
}

enum { TIMES, LINEAR, ANGULAR };

static const double *items_of(const cd_scene_samples *samples, int what)
{
    return what == TIMES ? samples->time : what == LINEAR ? samples->linear : samples->angular;
}

// One of the three lists of all rows; absent where no row has any. CD_ERR_LIMIT
static cd_status write_items(const sampled *s, int what, int width, cd_list *list, cd_diag *diag)
{
    cd_arena *arena = s->scene->arena;
    int64_t total = 0;
    int32_t *offset = CD_ARENA_ZARRAY(arena, int32_t, (size_t)s->count + 1);
    for (int32_t r = 0; r < s->count; r++) {
        const cd_scene_samples *samples = samples_of(s, s->body[r]);
        total += items_of(samples, what) ? samples->count : 0;
        if (total > INT32_MAX)
            return cd_fail(diag, CD_ERR_LIMIT, "%s: too many times for one table", s->drives ? "drive" : "load");
        offset[r + 1] = (int32_t)total;
    }
    if (total == 0)
        return CD_OK;
    *list = (cd_list){offset, {cd_arena_alloc_array(arena, (size_t)total, (size_t)width * sizeof(double))}};
    for (int32_t r = 0; r < s->count; r++) {
        size_t items = (size_t)(offset[r + 1] - offset[r]), numbers = items * (size_t)width;
        if (items > 0)
            memcpy(list->f64 + (size_t)offset[r] * (size_t)width, items_of(samples_of(s, s->body[r]), what),
                   numbers * sizeof(double));
    }
    return CD_OK;
}

static void write_ids(const cd_scene *scene, const sampled *s, int64_t *body)
{
    for (int32_t r = 0; r < s->count; r++)
        body[r] = scene->bodies.item[s->body[r]].id;
}

static cd_status write_loads(const cd_scene *scene, cd_load_rows *table, cd_diag *diag)
{
    sampled s = bodies_with_samples(scene, false);
    table->count = s.count;
    write_ids(scene, &s, CD_COLUMN(scene->arena, scene->dim, load, table, body));
    CD_TRY(write_items(&s, TIMES, 1, &table->time, diag));
    CD_TRY(write_items(&s, LINEAR, scene->dim, &table->force, diag));
    return write_items(&s, ANGULAR, form_of_loads(scene->dim).angular_width, &table->torque, diag);
}

// The point that positions are of is the shape's own origin, in the stored shape's coordinates, about its centre.
static void write_points(const cd_scene *scene, const sampled *s, cd_drive_rows *table)
{
    for (int32_t r = 0; r < s->count; r++) {
        const double *centre = scene->shapes.item[scene->bodies.item[s->body[r]].shape].centre;
        bool is_centred = true;
        for (int k = 0; k < scene->dim; k++)
            is_centred &= centre[k] == 0;
        if (is_centred)
            continue;
        if (!table->point)
            CD_COLUMN(scene->arena, scene->dim, drive, table, point);
        for (int k = 0; k < scene->dim; k++)
            table->point[scene->dim * r + k] = -centre[k];
    }
}

static cd_status write_drives(const cd_scene *scene, cd_drive_rows *table, cd_diag *diag)
{
    sampled s = bodies_with_samples(scene, true);
    table->count = s.count;
    write_ids(scene, &s, CD_COLUMN(scene->arena, scene->dim, drive, table, body));
    write_points(scene, &s, table);
    CD_TRY(write_items(&s, TIMES, 1, &table->time, diag));
    CD_TRY(write_items(&s, LINEAR, scene->dim, &table->position, diag));
    return write_items(&s, ANGULAR, form_of_drives(scene->dim).angular_width, &table->rotation, diag);
}

cd_status cd_scene_write_schedules(const cd_scene *scene, cd_model *model, cd_diag *diag)
{
    CD_TRY(write_loads(scene, &model->load, diag));
    return write_drives(scene, &model->drive, diag);
}
