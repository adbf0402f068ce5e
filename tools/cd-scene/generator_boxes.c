// boxes -- the sets of boxes of box_workload.h, as bodies of box shapes or, for sets that no memory holds, as ids and
// bounds alone.
// SPDX-License-Identifier: MIT
#include "box_workload.h"
#include "scene_generators.h"

#include <math.h>

enum { AS_BODIES, AS_BOUNDS };
static const char *const forms[] = {"bodies", "bounds", NULL};

typedef struct params {
    int32_t kind, as;
    int64_t count, clusters, frames, seed;
    double neighbours, aspect, ratio, spread, speed;
    const cd_yaml_node *generator, *body;
} params;

// ratio NaN: that of the kind.
static const params defaults = {CD_BOX_WORKLOAD_DEFAULTS, .frames = 1, .ratio = NAN, .seed = CD_ABSENT_I64};

static const cd_yaml_key keys[] = {
    CD_PARAM(generator, CD_YAML_NODE, 0, 0, "boxes"),
    {.name = "kind",
     .type = CD_YAML_WORD,
     .required = true,
     .offset = offsetof(params, kind),
     .words = cd_box_kind_names,
     .help = "uniform, polydisperse, clustered, slabs, slabs-x, mesh, touching, moving, giant, column, equal, wide"},
    CD_PARAM_NEEDED(count, CD_YAML_INT, 1, INT32_MAX - 1, "of boxes; mesh and touching take the nearest whole grid"),
    {.name = "as",
     .type = CD_YAML_WORD,
     .offset = offsetof(params, as),
     .words = forms,
     .help = "bodies, or bounds for cd-broad --use-bounds"},
    CD_PARAM(neighbours, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, 1e9,
             "boxes that a box meets, in the mean: twice the pairs a box"),
    CD_PARAM(aspect, CD_YAML_DOUBLE, 1, 1e9, "slabs: the long edge over the others"),
    CD_PARAM(ratio, CD_YAML_DOUBLE, 1 + 1e-9, 1e12,
             "polydisperse (1000), wide (1e6): the largest edge over the smallest"),
    CD_PARAM(clusters, CD_YAML_INT, 1, 1e9, "clustered: number of clusters"),
    CD_PARAM(spread, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, 1e9,
             "[m] clustered: standard deviation of places in a cluster"),
    CD_PARAM(speed, CD_YAML_DOUBLE, 0, 1e9, "moving: largest move a frame along each axis, in edges"),
    CD_PARAM(frames, CD_YAML_INT, 1, INT32_MAX, "moving, as bounds: number of frames"),
    CD_PARAM(body, CD_YAML_NODE, 0, 0, "as bodies: keys (not id, shape, position) that all have"),
    CD_PARAM(seed, CD_YAML_INT, 0, INFINITY, "its own seed, instead of one made from the scene's"),
    CD_YAML_KEYS_END};

// A key that the chosen kind or form does not look at is a misunderstanding.
static cd_status check_use(const cd_scene *scene, const cd_yaml_node *node, const params *p, cd_diag *diag)
{
    bool is_lattice = p->kind == CD_BOXES_MESH || p->kind == CD_BOXES_TOUCHING;
    const struct {
        const char *key, *reason;
        bool is_used;
    } use[] = {
        {"neighbours", "a mesh and a touching grid have their own", !is_lattice},
        {"aspect", "is for kind slabs and slabs-x", p->kind == CD_BOXES_SLABS || p->kind == CD_BOXES_SLABS_X},
        {"ratio", "is for kind polydisperse and wide", p->kind == CD_BOXES_POLYDISPERSE || p->kind == CD_BOXES_WIDE},
        {"clusters", "is for kind clustered", p->kind == CD_BOXES_CLUSTERED},
        {"spread", "is for kind clustered", p->kind == CD_BOXES_CLUSTERED},
        {"speed", "is for kind moving", p->kind == CD_BOXES_MOVING},
        {"frames", "is for kind moving, as: bounds", p->kind == CD_BOXES_MOVING && p->as == AS_BOUNDS},
        {"body", "is for as: bodies; bounds have ids alone", p->as == AS_BODIES},
    };
    for (size_t i = 0; i < sizeof use / sizeof use[0]; i++) {
        const cd_yaml_node *given = cd_yaml_find(node, use[i].key);
        if (given && !use[i].is_used)
            return cd_yaml_fail(given, diag, "%s: %s", use[i].key, use[i].reason);
    }
    if (p->kind == CD_BOXES_MOVING && isnan(scene->step))
        return cd_yaml_fail(node, diag, "kind: moving boxes move from step to step: the scene needs step");
    return CD_OK;
}

static cd_status make_workload(const cd_scene *scene, const cd_yaml_node *node, const params *p, cd_random random,
                               cd_box_workload *workload, cd_diag *diag)
{
    CD_TRY(check_use(scene, node, p, diag));
    *workload = (cd_box_workload){.kind = (cd_box_kind)p->kind,
                                  .dim = scene->dim,
                                  .count = p->count,
                                  .neighbours = p->neighbours,
                                  .aspect = p->aspect,
                                  .ratio = isnan(p->ratio) ? 0 : p->ratio,
                                  .clusters = (double)p->clusters,
                                  .spread = p->spread,
                                  .speed = p->speed};
    workload->seed = cd_generator_seed(p->seed, random).state;
    cd_box_workload_prepare(workload);
    if (workload->count > scene->max_rows || workload->count > INT32_MAX - 1)
        return cd_yaml_fail_status(node, diag, CD_ERR_LIMIT, "count: more than %lld bodies (--max-rows)",
                                   (long long)scene->max_rows);
    return CD_OK;
}

// ---- as bounds -----------------------------------------------------------------------------------------------------

static void fill_bounds(const void *source, int64_t frame, int32_t first, cd_rows *rows)
{
    const cd_box_workload *workload = source;
    cd_bounds_rows *bounds = (cd_bounds_rows *)(void *)rows;
    size_t dim = (size_t)workload->dim;
    for (int32_t i = 0; i < bounds->count; i++) {
        cd_box box = cd_box_workload_at(workload, frame, (int64_t)first + i);
        for (size_t k = 0, at = dim * (size_t)i; k < dim; k++, at++) {
            bounds->min[at] = box.centre[k] - box.half[k];
            bounds->max[at] = box.centre[k] + box.half[k];
        }
    }
}

static cd_status make_bounds(cd_scene *scene, const cd_yaml_node *node, const params *p,
                             const cd_box_workload *workload, cd_diag *diag)
{
    if (!scene->feed)
        return cd_yaml_fail(node, diag, "as: bounds are made while a stream is written, and here is none");
    cd_box_workload *source = CD_ARENA_ARRAY(scene->arena, cd_box_workload, 1);
    *source = *workload;
    *scene->feed = (cd_scene_feed){.frames = p->frames,
                                   .count = (int32_t)workload->count,
                                   .has_bounds = true,
                                   .step = scene->step,
                                   .source = source,
                                   .fill = fill_bounds};
    return CD_OK;
}

// ---- as bodies -----------------------------------------------------------------------------------------------------

static const double default_density = 1000;  // [kg/m^3], in 2-D [kg/m^2]

static cd_status read_template(cd_scene *scene, const cd_yaml_node *node, const params *p, cd_scene_body *body,
                               cd_diag *diag)
{
    static const char *const taken[] = {"id", "shape", "position", NULL};
    for (int i = 0; p->body && p->body->kind == CD_YAML_MAP && taken[i]; i++)
        if (cd_yaml_find(p->body, taken[i]))
            return cd_yaml_fail(cd_yaml_find(p->body, taken[i]), diag, "%s: the boxes set it", taken[i]);
    if (p->body && p->body->kind == CD_YAML_MAP && cd_yaml_find(p->body, "velocity") && p->kind == CD_BOXES_MOVING)
        return cd_yaml_fail(cd_yaml_find(p->body, "velocity"), diag, "velocity: moving boxes have their own");
    CD_TRY(p->body ? cd_scene_read_body(scene, p->body, body, diag) : cd_scene_default_body(scene, node, body, diag));
    if (isnan(body->mass) && isnan(body->density) && body->material < 0)
        body->density = default_density;
    return CD_OK;
}

// Boxes of the same size share a shape, as far as a kind has a handful of sizes.
typedef struct known_shapes {
    int32_t row[4];
    int count;
} known_shapes;

static cd_status shape_of(cd_scene *scene, const cd_yaml_node *node, const cd_box *box, known_shapes *known,
                          int32_t *row, cd_diag *diag)
{
    for (int i = 0; i < known->count; i++) {
        const double *size = scene->shapes.item[known->row[i]].halfsizes;
        if (!memcmp(size, box->half, (size_t)scene->dim * sizeof *size)) {
            *row = known->row[i];
            return CD_OK;
        }
    }
    cd_scene_shape shape = {.kind = CD_SHAPE_BOX};
    memcpy(shape.halfsizes, box->half, sizeof shape.halfsizes);
    CD_TRY(cd_scene_add_shape(scene, &shape, node, row, diag));
    if (known->count < (int)(sizeof known->row / sizeof known->row[0]))
        known->row[known->count++] = *row;
    return CD_OK;
}

// A box as a body of the template; its shape is left to the caller.
static cd_scene_body body_of(const cd_box_workload *workload, const cd_scene_body *like, double step, const cd_box *box)
{
    cd_scene_body body = *like;
    for (int k = 0; k < workload->dim; k++) {
        body.position[k] = box->centre[k];
        if (workload->kind == CD_BOXES_MOVING)
            body.velocity[k] = box->move[k] / step;
    }
    return body;
}

typedef struct body_feed {
    cd_box_workload workload;
    cd_scene_body like;
    double step;  // [s]
} body_feed;

static void fill_bodies(const void *source, int64_t frame, int32_t first, cd_rows *rows)
{
    const body_feed *feed = source;
    cd_body_rows *bodies = (cd_body_rows *)(void *)rows;
    size_t dim = (size_t)feed->workload.dim;
    for (int32_t i = 0; i < bodies->count; i++) {
        cd_box box = cd_box_workload_at(&feed->workload, frame, (int64_t)first + i);
        cd_scene_body body = body_of(&feed->workload, &feed->like, feed->step, &box);
        memcpy(bodies->position + dim * (size_t)i, body.position, dim * sizeof(double));
        memcpy(bodies->velocity + dim * (size_t)i, body.velocity, dim * sizeof(double));
    }
}

// Are all boxes of one size? Then the centre of mass is theirs.
static bool is_of_one_size(cd_box_kind kind)
{
    return kind != CD_BOXES_POLYDISPERSE && kind != CD_BOXES_WIDE && kind != CD_BOXES_SLABS && kind != CD_BOXES_GIANT;
}

static cd_status make_bodies(cd_scene *scene, const cd_yaml_node *node, const params *p,
                             const cd_box_workload *workload, cd_diag *diag)
{
    cd_scene_body model;
    known_shapes known = {{0}, 0};
    CD_TRY(read_template(scene, node, p, &model, diag));
    bool is_fed = is_of_one_size(workload->kind) && cd_scene_may_feed(scene, &model, workload->count);
    for (int64_t n = 0; n < (is_fed ? 1 : workload->count); n++) {
        cd_box box = cd_box_workload_at(workload, 0, n);
        cd_scene_body body = body_of(workload, &model, scene->step, &box);
        CD_TRY(shape_of(scene, node, &box, &known, &body.shape, diag));
        CD_TRY(cd_scene_add_body(scene, &body, diag));
    }
    if (is_fed) {
        body_feed *source = CD_ARENA_ARRAY(scene->arena, body_feed, 1);
        *source = (body_feed){*workload, model, scene->step};
        *scene->feed = (cd_scene_feed){
            .frames = 1, .count = (int32_t)workload->count, .step = NAN, .source = source, .fill = fill_bodies};
    }
    return CD_OK;
}

static cd_status make(cd_scene *scene, const cd_yaml_node *node, const void *given, cd_random random, cd_diag *diag)
{
    const params *p = given;
    cd_box_workload workload;
    CD_TRY(make_workload(scene, node, p, random, &workload, diag));
    return p->as == AS_BOUNDS ? make_bounds(scene, node, p, &workload, diag)
                              : make_bodies(scene, node, p, &workload, diag);
}

const cd_generator cd_generator_boxes = {.name = "boxes",
                                         .summary =
                                             "sets of boxes with a known number of overlaps, for the broad phase",
                                         .keys = keys,
                                         .defaults = &defaults,
                                         .params_size = sizeof(params),
                                         .make = make};
