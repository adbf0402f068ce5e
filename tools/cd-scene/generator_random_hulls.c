// random-hulls -- random convex polyhedra released one after another, as poured into a container: random-polygons in
// space.
//
// A polyhedron is the hull of `points` points in a cube, in a ball or on a sphere (where all of them are corners) of a
// size of its own; its origin is its centre of mass. They appear in turn at the places `spawn`, turned at random.
// Release k is at step k P, P = period/step rounded half away from zero (at least 1). Sizes, shapes and rotations do
// not depend on the step.
// SPDX-License-Identifier: MIT
#include "scene_space.h"

#include <math.h>

typedef struct params {
    int64_t count, seed;
    double period;
    int32_t within;
    const cd_yaml_node *generator, *points, *size, *spawn, *velocity, *body;
} params;

static const params defaults = {.count = 20, .seed = CD_ABSENT_I64, .period = 0.25, .within = CD_WITHIN_BALL};
enum { DEFAULT_POINTS = 20 };
static const double default_size[] = {0.25, 0.25};                  // [m]
static const double default_spawn[] = {-0.5, 0, 0.8, 0.5, 0, 0.8};  // [m]
static const double default_velocity[] = {0.7, 0, 0, -0.7, 0, 0};   // [m/s]
static const char *const within_words[] = {"cube", "ball", "sphere", NULL};

static const cd_yaml_key keys[] = {
    CD_PARAM(generator, CD_YAML_NODE, 0, 0, "random-hulls"),
    CD_PARAM(count, CD_YAML_INT, 0, INT32_MAX, "number of polyhedra"),
    CD_PARAM(
        points, CD_YAML_NODE, 0, 0,
        "random points that each is the hull of: one number, or [least, most] with as many for each as chance says "
        "[20]"),
    {.name = "within",
     .type = CD_YAML_WORD,
     .offset = offsetof(params, within),
     .words = within_words,
     .help = "where the points lie: cube, ball, or sphere (its surface)"},
    CD_PARAM(size, CD_YAML_NODE, 0, 0,
             "[m] side or diameter of that: one number, or [least, most] with a uniform one for each [0.25]"),
    CD_PARAM(period, CD_YAML_DOUBLE, 0, INFINITY,
             "[s] from one release to the next, rounded to whole steps; 0: all at once"),
    CD_PARAM(spawn, CD_YAML_NODE, 0, 0, "[m] places of the centres of mass, in turn [(-0.5, 0, 0.8), (0.5, 0, 0.8)]"),
    CD_PARAM(velocity, CD_YAML_NODE, 0, 0, "[m/s] at the release, one for each place [(0.7, 0, 0), (-0.7, 0, 0)]"),
    CD_PARAM(body, CD_YAML_NODE, 0, 0,
             "keys of bodies (not id, shape, position, rotation, velocity, release) that all have"),
    CD_PARAM(seed, CD_YAML_INT, 0, INFINITY, "its own seed, instead of one made from the scene's"),
    CD_YAML_KEYS_END};

typedef struct places {
    const double *spawn, *velocity;
    int32_t count;
} places;

static cd_status read_places(cd_scene *scene, const params *p, places *at, cd_diag *diag)
{
    *at = (places){default_spawn, default_velocity, 2};
    if (!p->spawn && !p->velocity)
        return CD_OK;
    if (!p->spawn)
        return cd_yaml_fail(p->velocity, diag, "velocity: needs spawn beside it");
    double *place, *speed;
    int32_t count;
    CD_TRY(cd_yaml_vectors(scene->arena, p->spawn, (cd_yaml_list){"spawn", .dim = 3, .least = 1}, &place, &at->count,
                           diag));
    at->spawn = place;
    if (!p->velocity) {
        at->velocity = CD_ARENA_ZARRAY(scene->arena, double, 3 * (size_t)at->count);
        return CD_OK;
    }
    CD_TRY(cd_yaml_vectors(scene->arena, p->velocity, (cd_yaml_list){"velocity", .dim = 3, .least = 1}, &speed, &count,
                           diag));
    if (count != at->count)
        return cd_yaml_fail(p->velocity, diag, "velocity: needs one for each place: %d, has %d", at->count, count);
    at->velocity = speed;
    return CD_OK;
}

static cd_status read_size(const cd_yaml_node *node, double size[2], cd_diag *diag)
{
    memcpy(size, default_size, sizeof default_size);
    if (!node)
        return CD_OK;
    if (node->kind == CD_YAML_LIST)
        CD_TRY(cd_yaml_numbers(node, "size", 2, size, diag));
    else {
        CD_TRY(cd_yaml_number(node, "size", &size[0], diag));
        size[1] = size[0];
    }
    if (!(size[0] >= CD_YAML_ABOVE_ZERO && size[1] >= size[0]))
        return cd_yaml_fail(node, diag, "size: must be greater than 0, and the least not above the most");
    return CD_OK;
}

static cd_status read_points(cd_scene *scene, const cd_yaml_node *node, int64_t points[2], cd_diag *diag)
{
    points[0] = points[1] = DEFAULT_POINTS;
    if (!node)
        return CD_OK;
    if (node->kind == CD_YAML_LIST) {
        int32_t *range, count;
        CD_TRY(cd_yaml_integers(scene->arena, node,
                                (cd_yaml_list){"points", .least = 2, .low = 4, .high = CD_POLYGON_POINTS_MAX}, &range,
                                &count, diag));
        if (count != 2 || range[0] > range[1])
            return cd_yaml_fail(node, diag, "points: wanted one number or [least, most]");
        points[0] = range[0];
        points[1] = range[1];
        return CD_OK;
    }
    CD_TRY(cd_yaml_integer(node, "points", &points[0], diag));
    points[1] = points[0];
    if (points[0] < 4 || points[0] > CD_POLYGON_POINTS_MAX)
        return cd_yaml_fail(node, diag, "points: must be in 4..%d", (int)CD_POLYGON_POINTS_MAX);
    return CD_OK;
}

static int64_t points_between(const int64_t range[2], cd_random *random)
{
    if (range[0] == range[1])
        return range[0];
    return range[0] + (int64_t)((double)(range[1] - range[0] + 1) * cd_random_unit(random));
}

static cd_status make(cd_scene *scene, const cd_yaml_node *node, const void *given, cd_random random, cd_diag *diag)
{
    static const char *const taken[] = {"id",           "shape",    "position", "rotation",
                                        "rotation_deg", "velocity", "release",  NULL};
    const params *p = given;
    places at;
    int64_t points[2];
    double steps, size[2];
    cd_scene_body body;
    CD_TRY(read_places(scene, p, &at, diag));
    CD_TRY(read_size(p->size, size, diag));
    CD_TRY(read_points(scene, p->points, points, diag));
    CD_TRY(cd_generator_release_steps(scene, node, p->period, &steps, diag));
    CD_TRY(cd_generator_body(scene, node, p->body, taken, &body, diag));
    random = cd_generator_seed(p->seed, random);
    for (int64_t k = 0; k < p->count; k++) {
        cd_point_cloud cloud = {.within = (cd_within)p->within};
        cloud.size = cd_random_between(&random, size[0], size[1]);
        cloud.count = points_between(points, &random);
        CD_TRY(cd_random_hull(scene, node, &random, cloud, &body.shape, diag));
        cd_random_rotation(&random, body.rotation);
        memcpy(body.position, at.spawn + 3 * (k % at.count), 3 * sizeof(double));
        if (body.motion != CD_MOTION_FIXED)
            memcpy(body.velocity, at.velocity + 3 * (k % at.count), 3 * sizeof(double));
        body.release = steps > 0 ? (double)k * steps * scene->step : 0;
        if (!isfinite(body.release))
            return cd_yaml_fail(node, diag, "period: the last release is too late");
        CD_TRY(cd_scene_add_body(scene, &body, diag));
    }
    return CD_OK;
}

const cd_generator cd_generator_random_hulls = {.name = "random-hulls",
                                                .dim = 3,
                                                .summary = "random convex polyhedra, released in turn (3-D)",
                                                .keys = keys,
                                                .defaults = &defaults,
                                                .params_size = sizeof(params),
                                                .make = make};
