// grid -- bodies in rows and columns (and layers): walls, piles, benchmark scenes of any number.
// Body (i, j) has its shape's own origin at origin + (i, j) * spacing, moved by up to `jitter` along each axis and
// turned by up to `turn`, both uniform; x runs fastest. Numbers are drawn for every body whether jitter is used or not.
// SPDX-License-Identifier: MIT
#include "scene_space.h"

#include <math.h>

typedef struct params {
    int64_t count[3], points, seed;
    double spacing[3], origin[3], jitter, turn, stagger, scale;
    const cd_yaml_node *generator, *body;
} params;

static const params defaults = {.seed = CD_ABSENT_I64, .scale = 0.25};

static const cd_yaml_key keys[] = {
    CD_PARAM(generator, CD_YAML_NODE, 0, 0, "grid"),
    CD_PARAM_NEEDED(count, CD_YAML_INTS, 1, INT32_MAX, "bodies along each axis"),
    CD_PARAM_NEEDED(spacing, CD_YAML_VECTOR, -INFINITY, INFINITY, "[m] from one to the next along each axis"),
    CD_PARAM(origin, CD_YAML_VECTOR, -INFINITY, INFINITY, "[m] place of the first"),
    CD_PARAM(stagger, CD_YAML_DOUBLE, -INFINITY, INFINITY, "part of the x spacing that every second row is moved by"),
    CD_PARAM(jitter, CD_YAML_DOUBLE, 0, INFINITY, "[m] largest random move along each axis"),
    CD_PARAM(turn, CD_YAML_DOUBLE, 0, INFINITY, "[rad] largest random turn either way (2-D)"),
    CD_PARAM(body, CD_YAML_NODE, 0, 0, "keys of bodies (not id, position) that all have"),
    CD_PARAM(points, CD_YAML_INT, 3, CD_POLYGON_POINTS_MAX,
             "give each a polygon (polyhedron) of its own: the hull of so many random points"),
    CD_PARAM(scale, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY,
             "[m] side of the square (cube) that these points lie in"),
    CD_PARAM(seed, CD_YAML_INT, 0, INFINITY, "its own seed, instead of one made from the scene's"),
    CD_YAML_KEYS_END};

static cd_status read_template(cd_scene *scene, const cd_yaml_node *node, const params *p, cd_scene_body *body,
                               cd_diag *diag)
{
    CD_TRY(p->body ? cd_scene_read_body(scene, p->body, body, diag) : cd_scene_default_body(scene, node, body, diag));
    const cd_yaml_node *own_id = p->body ? cd_yaml_find(p->body, "id") : NULL;
    const cd_yaml_node *own_position = p->body ? cd_yaml_find(p->body, "position") : NULL;
    if (own_id || own_position)
        return cd_yaml_fail(own_id ? own_id : own_position, diag, "%s: the grid sets it", own_id ? "id" : "position");
    if (p->points && body->shape >= 0 && body->shape != scene->default_shape)
        return cd_yaml_fail(node, diag, "points: body has a shape as well");
    if (!p->points && cd_yaml_find(node, "scale"))
        return cd_yaml_fail(node, diag, "scale: is for random shapes: points is missing");
    if (!p->points && body->shape < 0 && !body->mesh)
        return cd_yaml_fail(node, diag, "grid: needs points, or a body with a shape or mesh");
    if (scene->dim != 2 && p->turn > 0)
        return cd_yaml_fail(node, diag, "turn: needs dim: 2");
    if (p->points && p->points <= scene->dim)
        return cd_yaml_fail(node, diag, "points: in 3-D at least 4");
    return CD_OK;
}

// Body n of the grid. Draws dim + 1 numbers.
static cd_scene_body body_at(const params *p, int dim, const cd_scene_body *like, int64_t n, cd_random *random)
{
    int64_t index[3] = {n % p->count[0], n / p->count[0] % p->count[1], n / p->count[0] / p->count[1]};
    cd_scene_body body = *like;
    for (int k = 0; k < dim; k++)
        body.position[k] =
            p->origin[k] + (double)index[k] * p->spacing[k] + p->jitter * cd_random_between(random, -1, 1);
    body.position[0] += index[1] % 2 ? p->stagger * p->spacing[0] : 0;
    double turn = cd_random_between(random, -1, 1);
    if (dim == 2)
        body.rotation[0] += p->turn * turn;
    return body;
}

// ---- as a feed -----------------------------------------------------------------------------------------------------

typedef struct grid_feed {
    params p;
    cd_random random;
    cd_scene_body like;
    int dim;
    double centre[3];  // [m] of mass, in the coordinates of the shape
} grid_feed;

static void fill(const void *source, int64_t frame, int32_t first, cd_rows *rows)
{
    (void)frame;
    const grid_feed *feed = source;
    cd_body_rows *bodies = (cd_body_rows *)(void *)rows;
    int dim = feed->dim;
    cd_random random = feed->random;
    cd_random_skip(&random, (uint64_t)first * ((uint64_t)dim + 1));
    for (int32_t i = 0; i < bodies->count; i++) {
        cd_scene_body body = body_at(&feed->p, dim, &feed->like, (int64_t)first + i, &random);
        double arm[3];
        cd_scene_turn(dim, body.rotation, feed->centre, arm);
        for (int k = 0; k < dim; k++)
            bodies->position[(size_t)dim * (size_t)i + (size_t)k] = body.position[k] + arm[k];
        if (dim == 2)
            bodies->rotation[i] = body.rotation[0];
    }
}

// Is no place out of range? Then none needs to be looked at.
static bool is_in_range(const params *p, int dim)
{
    double most = 0;
    for (int k = 0; k < dim; k++)
        most += fabs(p->origin[k]) + (double)p->count[k] * fabs(p->spacing[k]) + p->jitter;
    return most + fabs(p->stagger * p->spacing[0]) < 1e300;
}

static void make_feed(cd_scene *scene, const params *p, int64_t total, cd_random random, const cd_scene_body *like)
{
    grid_feed *source = CD_ARENA_ARRAY(scene->arena, grid_feed, 1);
    *source = (grid_feed){.p = *p, .random = random, .like = *like, .dim = scene->dim};
    memcpy(source->centre, scene->shapes.item[like->shape].centre, sizeof source->centre);
    *scene->feed = (cd_scene_feed){.frames = 1, .count = (int32_t)total, .step = NAN, .source = source, .fill = fill};
}

// ---- as a list -----------------------------------------------------------------------------------------------------

static cd_status add_bodies(cd_scene *scene, const cd_yaml_node *node, const params *p, int64_t total, cd_random random,
                            const cd_scene_body *like, cd_diag *diag)
{
    for (int64_t n = 0; n < total; n++) {
        cd_scene_body body = body_at(p, scene->dim, like, n, &random);
        if (p->points && scene->dim == 3)
            CD_TRY(cd_random_hull(scene, node, &random, (cd_point_cloud){p->points, p->scale, CD_WITHIN_CUBE},
                                  &body.shape, diag));
        else if (p->points)
            CD_TRY(cd_random_polygon(scene, node, &random, p->points, p->scale, &body.shape, diag));
        CD_TRY(cd_scene_add_body(scene, &body, diag));
    }
    return CD_OK;
}

static cd_status make(cd_scene *scene, const cd_yaml_node *node, const void *given, cd_random random, cd_diag *diag)
{
    const params *p = given;
    cd_scene_body model;
    CD_TRY(read_template(scene, node, p, &model, diag));
    int64_t total = 1;
    for (int k = 0; k < scene->dim; k++) {
        total *= p->count[k];
        if (total > scene->max_rows)
            return cd_yaml_fail_status(node, diag, CD_ERR_LIMIT, "count: more than %lld bodies (--max-rows)",
                                       (long long)scene->max_rows);
    }
    random = cd_generator_seed(p->seed, random);
    bool is_fed = !p->points && is_in_range(p, scene->dim) && cd_scene_may_feed(scene, &model, total);
    CD_TRY(add_bodies(scene, node, p, is_fed ? 1 : total, random, &model, diag));
    if (is_fed)
        make_feed(scene, p, total, random, &model);
    return CD_OK;
}

const cd_generator cd_generator_grid = {.name = "grid",
                                        .summary = "bodies in rows and columns",
                                        .keys = keys,
                                        .defaults = &defaults,
                                        .params_size = sizeof(params),
                                        .make = make};
