// particles -- circles (2-D) or spheres (3-D) from a table of comma-separated values.
// The first line names the columns: x, y (z in 3-D) and, as there are, id, radius, vx, vy, vz, mass; in any order.
// Every other line has one decimal number a column. Nothing else is understood: no quotes, no comments, no blank lines,
// no missing values. Cost: O(rows); particles of equal radius share a shape.
// SPDX-License-Identifier: MIT
#include "scene_generators.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINE_MAX_BYTES = 4096 };

// COLUMN(identifier, name, least dimension, must be > 0); x, y, z and vx, vy, vz follow one another.
#define COLUMNS                       \
    COLUMN(ID, "id", 2, false)        \
    COLUMN(X, "x", 2, false)          \
    COLUMN(Y, "y", 2, false)          \
    COLUMN(Z, "z", 3, false)          \
    COLUMN(RADIUS, "radius", 2, true) \
    COLUMN(VX, "vx", 2, false)        \
    COLUMN(VY, "vy", 2, false)        \
    COLUMN(VZ, "vz", 3, false)        \
    COLUMN(MASS, "mass", 2, true)
#define COLUMN(identifier, ...) identifier,
typedef enum column { COLUMNS COLUMN_COUNT } column;
#undef COLUMN
#define COLUMN(identifier, ...) {__VA_ARGS__},
static const struct {
    const char *name;
    int least_dim;
    bool is_positive;
} columns[COLUMN_COUNT] = {COLUMNS};
#undef COLUMN

typedef struct params {
    const char *file;
    double radius;
    const cd_yaml_node *generator, *body;
} params;

static const params defaults = {.radius = NAN};

static const cd_yaml_key keys[] = {
    CD_PARAM(generator, CD_YAML_NODE, 0, 0, "particles"),
    CD_PARAM_NEEDED(file, CD_YAML_TEXT, 0, 0, "CSV, path from the scene's folder"),
    CD_PARAM(radius, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, "[m] of all, when the table has no such column"),
    CD_PARAM(body, CD_YAML_NODE, 0, 0, "keys of bodies (not id, shape, position) that all have"), CD_YAML_KEYS_END};

typedef struct csv_table {
    cd_scene *scene;
    const char *name;
    FILE *file;
    int32_t line;
    column column[COLUMN_COUNT];
    int count;  // of columns
    bool has[COLUMN_COUNT];
    cd_scene_body model;
    double radius;
    int32_t *slot;                  // hash of radii: shape row + 1, 0 empty
    int32_t slot_count, slot_used;  // count is a power of two
    cd_diag *diag;
} csv_table;

static cd_status fail_line(const csv_table *t, cd_status status, const char *field, const char *reason)
{
    return cd_fail(t->diag, status, "%s:%d: %s%s%s", t->name, t->line, field, *field ? ": " : "", reason);
}

// CD_END after the last line. The text has no line end.
static cd_status read_line(csv_table *t, char text[LINE_MAX_BYTES])
{
    t->line++;
    if (!fgets(text, LINE_MAX_BYTES, t->file))
        return ferror(t->file) ? cd_fail(t->diag, CD_ERR_IO, "%s: cannot read: %s", t->name, strerror(errno)) : CD_END;
    size_t length = strlen(text);
    if (!length || (text[length - 1] != '\n' && !feof(t->file)))
        return fail_line(t, CD_ERR_FORMAT, "", length + 1 == LINE_MAX_BYTES ? "the line is too long" : "a NUL byte");
    while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
        text[--length] = '\0';
    return CD_OK;
}

// Cuts the next field off, without the spaces around it; NULL after the last.
static char *next_field(char **rest)
{
    char *field = *rest;
    if (!field)
        return NULL;
    char *comma = strchr(field, ',');
    *rest = comma ? comma + 1 : NULL;
    if (comma)
        *comma = '\0';
    field += strspn(field, " \t");
    size_t length = strlen(field);
    while (length && (field[length - 1] == ' ' || field[length - 1] == '\t'))
        field[--length] = '\0';
    return field;
}

static cd_status refuse_column(const csv_table *t, const char *field)
{
    char known[128] = "";
    size_t used = 0;
    for (int c = 0; c < COLUMN_COUNT && used < sizeof known; c++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", c ? ", " : "", columns[c].name);
    return cd_fail(t->diag, CD_ERR_FORMAT, "%s:1: \"%.40s\" is no column (known: %s)", t->name, field, known);
}

static cd_status read_header(csv_table *t)
{
    char text[LINE_MAX_BYTES], *rest = text, *field;
    cd_status status = read_line(t, text);
    if (status == CD_END)
        return cd_fail(t->diag, CD_ERR_FORMAT, "%s: empty", t->name);
    CD_TRY(status);
    while ((field = next_field(&rest))) {
        int c = 0;
        while (c < COLUMN_COUNT && strcmp(field, columns[c].name))
            c++;
        if (c == COLUMN_COUNT)
            return refuse_column(t, field);
        if (t->has[c])
            return fail_line(t, CD_ERR_FORMAT, columns[c].name, "the column is there twice");
        if (t->scene->dim < columns[c].least_dim)
            return fail_line(t, CD_ERR_FORMAT, columns[c].name, "needs dim: 3");
        t->has[c] = true;
        t->column[t->count++] = (column)c;
    }
    for (int c = X; c < X + t->scene->dim; c++)
        if (!t->has[c])
            return fail_line(t, CD_ERR_FORMAT, columns[c].name, "the column is missing");
    if (!t->has[RADIUS] && isnan(t->radius))
        return fail_line(t, CD_ERR_FORMAT, "radius", "the column is missing, and so is the generator's key");
    return CD_OK;
}

static cd_status read_row(csv_table *t, char *text, double value[COLUMN_COUNT], int64_t *id)
{
    char *rest = text;
    for (int i = 0; i < t->count; i++) {
        column c = t->column[i];
        char *field = next_field(&rest);
        if (!field)
            return fail_line(t, CD_ERR_FORMAT, columns[c].name, "the value is missing");
        // The strict reader of numbers is that of scenes: as a plain scalar in this file and line.
        cd_yaml_node scalar = {
            .kind = CD_YAML_SCALAR, .is_plain = true, .line = t->line, .file = t->name, .text = field};
        if (c == ID)
            CD_TRY(cd_yaml_integer(&scalar, columns[c].name, id, t->diag));
        else
            CD_TRY(cd_yaml_number(&scalar, columns[c].name, &value[c], t->diag));
        if (columns[c].is_positive && value[c] < CD_YAML_ABOVE_ZERO)
            return fail_line(t, CD_ERR_FORMAT, columns[c].name, "must be greater than 0");
    }
    return rest ? fail_line(t, CD_ERR_FORMAT, "", "more values than columns") : CD_OK;
}

static int32_t find_radius(const csv_table *t, double radius)
{
    uint64_t bits;
    memcpy(&bits, &radius, sizeof bits);
    uint32_t mask = (uint32_t)t->slot_count - 1, s = (uint32_t)((bits * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (t->slot[s] && t->scene->shapes.item[t->slot[s] - 1].radius[0] != radius)
        s = (s + 1) & mask;
    return (int32_t)s;
}

static cd_status shape_of_radius(csv_table *t, const cd_yaml_node *where, double radius, int32_t *shape)
{
    if (2 * t->slot_used >= t->slot_count) {
        int32_t old_count = t->slot_count, *old = t->slot;
        t->slot_count = old_count ? 2 * old_count : 64;
        t->slot = CD_ARENA_ZARRAY(t->scene->arena, int32_t, t->slot_count);
        for (int32_t i = 0; i < old_count; i++)
            if (old[i])
                t->slot[find_radius(t, t->scene->shapes.item[old[i] - 1].radius[0])] = old[i];
    }
    int32_t s = find_radius(t, radius);
    if (!t->slot[s]) {
        cd_scene_shape ball = {.kind = CD_SHAPE_SPHERE, .radius = {radius}};
        CD_TRY(cd_scene_add_shape(t->scene, &ball, where, shape, t->diag));
        t->slot[s] = *shape + 1;
        t->slot_used++;
    }
    *shape = t->slot[s] - 1;
    return CD_OK;
}

static cd_status add_row(csv_table *t, const double value[COLUMN_COUNT], int64_t id)
{
    cd_scene_body body = t->model;
    cd_yaml_node *where = cd_arena_zalloc(t->scene->arena, sizeof *where);
    *where = (cd_yaml_node){.line = t->line, .file = t->name};
    body.where = where;
    body.id = id;
    for (int k = 0; k < t->scene->dim; k++) {
        body.position[k] = value[X + k];
        body.velocity[k] = t->has[VX + k] ? value[VX + k] : body.velocity[k];
    }
    if (t->has[MASS]) {
        body.mass = value[MASS];
        body.density = body.inertia[0] = NAN;
    }
    CD_TRY(shape_of_radius(t, where, t->has[RADIUS] ? value[RADIUS] : t->radius, &body.shape));
    return cd_scene_add_body(t->scene, &body, t->diag);
}

static cd_status read_table(csv_table *t)
{
    char text[LINE_MAX_BYTES];
    cd_status status;
    CD_TRY(read_header(t));
    while ((status = read_line(t, text)) == CD_OK) {
        double value[COLUMN_COUNT] = {0};
        int64_t id = CD_ABSENT_I64;
        CD_TRY(read_row(t, text, value, &id));
        CD_TRY(add_row(t, value, id));
    }
    return status == CD_END ? CD_OK : status;
}

static cd_status make(cd_scene *scene, const cd_yaml_node *node, const void *given, cd_random random, cd_diag *diag)
{
    const params *p = given;
    csv_table table = {.scene = scene, .radius = p->radius, .diag = diag};
    static const char *const taken[] = {"id", "shape", "position", NULL};
    for (int i = 0; p->body && p->body->kind == CD_YAML_MAP && taken[i]; i++)
        if (cd_yaml_find(p->body, taken[i]))
            return cd_yaml_fail(cd_yaml_find(p->body, taken[i]), diag, "%s: the table sets it", taken[i]);
    CD_TRY(p->body ? cd_scene_read_body(scene, p->body, &table.model, diag)
                   : cd_scene_default_body(scene, node, &table.model, diag));
    table.name = cd_scene_path(scene, node, p->file);
    table.file = fopen(table.name, "rb");
    if (!table.file)
        return cd_yaml_fail_status(cd_yaml_find(node, "file"), diag, CD_ERR_IO, "file: cannot open %s: %s", table.name,
                                   strerror(errno));
    cd_status status = read_table(&table);
    fclose(table.file);
    (void)random;  // nothing here is random
    return status;
}

const cd_generator cd_generator_particles = {.name = "particles",
                                             .summary = "circles or spheres from a CSV table",
                                             .keys = keys,
                                             .defaults = &defaults,
                                             .params_size = sizeof(params),
                                             .make = make};
