// random-polygons -- random convex polygons released one after another, as poured into a box.
//
// Source: Williams, Lu & Trinkle 2016, Figs. 20-22. A polygon is the hull of ten points uniform in a square of 0.25 m;
// all have the same mass and inertia; they appear in turn at the spawn points with a random rotation. The paper's
// polygons have the mean of the ten points as their origin; here it is the centre of mass, which is the point that
// Newton's law is about. Release k is at step k P, P = period/step rounded half away from zero (at least 1), so that it
// falls on a frame; the time is the product (k P) * step, in the same bits as the frame's. Only release times depend on
// the step: sets can be compared over steps.
// SPDX-License-Identifier: MIT
#include "scene_generators.h"

#include <math.h>

typedef struct params {
    int64_t count, points, seed;
    double scale, mass, inertia, density, period, mu;
    const cd_yaml_node *generator, *spawn, *velocity;
    const char *group, *material;
} params;

static const params defaults = {.count = 20,
                                .points = 10,
                                .seed = CD_ABSENT_I64,
                                .scale = 0.25,
                                .mass = 0.25,
                                .inertia = 0.003,
                                .density = NAN,
                                .period = 0.25,
                                .mu = NAN};
static const double default_spawn[] = {-0.5, 0.8, 0.5, 0.8};  // [m]
static const double default_velocity[] = {0.7, 0, -0.7, 0};   // [m/s]

static const cd_yaml_key keys[] = {
    CD_PARAM(generator, CD_YAML_NODE, 0, 0, "random-polygons"),
    CD_PARAM(count, CD_YAML_INT, 0, INT32_MAX, "number of polygons"),
    CD_PARAM(points, CD_YAML_INT, 3, CD_POLYGON_POINTS_MAX, "random points that each is the hull of"),
    CD_PARAM(scale, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, "[m] side of the square that the points lie in"),
    CD_PARAM(mass, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, "[kg] of each"),
    CD_PARAM(inertia, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, "[kg m^2] of each"),
    CD_PARAM(density, CD_YAML_DOUBLE, CD_YAML_ABOVE_ZERO, INFINITY, "[kg/m^2] instead of mass and inertia: their own"),
    CD_PARAM(period, CD_YAML_DOUBLE, 0, INFINITY,
             "[s] from one release to the next, rounded to whole steps; 0: all at once"),
    CD_PARAM(spawn, CD_YAML_NODE, 0, 0, "[m] places of the centres of mass, in turn [(-0.5, 0.8), (0.5, 0.8)]"),
    CD_PARAM(velocity, CD_YAML_NODE, 0, 0, "[m/s] at the release, one for each place [(0.7, 0), (-0.7, 0)]"),
    CD_PARAM(group, CD_YAML_TEXT, 0, 0, "as in bodies"),
    CD_PARAM(material, CD_YAML_TEXT, 0, 0, "as in bodies"),
    CD_PARAM(mu, CD_YAML_DOUBLE, 0, INFINITY, "as in bodies"),
    CD_PARAM(seed, CD_YAML_INT, 0, INFINITY, "its own seed, instead of one made from the scene's"),
    CD_YAML_KEYS_END};

typedef struct places {
    const double *spawn, *velocity;
    int32_t count;
} places;

static cd_status read_places(cd_scene *scene, const cd_yaml_node *spawn, const cd_yaml_node *velocity, places *p,
                             cd_diag *diag)
{
    *p = (places){default_spawn, default_velocity, 2};
    if (!spawn && !velocity)
        return CD_OK;
    if (!spawn || !velocity)
        return cd_yaml_fail(spawn ? spawn : velocity, diag, "%s: needs %s beside it", spawn ? "spawn" : "velocity",
                            spawn ? "velocity" : "spawn");
    double *place, *speed;
    int32_t count;
    CD_TRY(
        cd_yaml_vectors(scene->arena, spawn, (cd_yaml_list){"spawn", .dim = 2, .least = 1}, &place, &p->count, diag));
    CD_TRY(cd_yaml_vectors(scene->arena, velocity, (cd_yaml_list){"velocity", .dim = 2, .least = 1}, &speed, &count,
                           diag));
    if (count != p->count)
        return cd_yaml_fail(velocity, diag, "velocity: needs one for each place: %d, has %d", p->count, count);
    p->spawn = place;
    p->velocity = speed;
    return CD_OK;
}

static cd_status make(cd_scene *scene, const cd_yaml_node *node, const void *given, cd_random random, cd_diag *diag)
{
    const params *p = given;
    places at;
    double steps;
    cd_scene_body body;
    if (scene->dim != 2)
        return cd_yaml_fail(node, diag, "generator: random-polygons needs dim: 2");
    if (!isnan(p->density) && (cd_yaml_find(node, "mass") || cd_yaml_find(node, "inertia")))
        return cd_yaml_fail(node, diag, "density: mass or inertia is given as well");
    CD_TRY(read_places(scene, p->spawn, p->velocity, &at, diag));
    CD_TRY(cd_generator_release_steps(scene, node, p->period, &steps, diag));
    CD_TRY(cd_scene_default_body(scene, node, &body, diag));
    body.motion = CD_MOTION_DYNAMIC;
    body.density = p->density;
    body.mass = isnan(p->density) ? p->mass : NAN;
    body.inertia[0] = isnan(p->density) ? p->inertia : NAN;
    body.spin[0] = 0;
    body.group = p->group ? p->group : body.group;
    body.mu = isnan(p->mu) ? body.mu : p->mu;
    if (p->material)
        CD_TRY(cd_scene_find_material(scene, node, p->material, &body.material, diag));
    random = cd_generator_seed(p->seed, random);
    for (int64_t k = 0; k < p->count; k++) {
        const double *place = at.spawn + 2 * (k % at.count), *speed = at.velocity + 2 * (k % at.count);
        CD_TRY(cd_random_polygon(scene, node, &random, p->points, p->scale, &body.shape, diag));
        body.rotation[0] = cd_random_between(&random, 0, 2 * M_PI);
        memcpy(body.position, place, 2 * sizeof *place);
        memcpy(body.velocity, speed, 2 * sizeof *speed);
        body.release = steps > 0 ? (double)k * steps * scene->step : 0;
        if (!isfinite(body.release))
            return cd_yaml_fail(node, diag, "period: the last release is too late");
        CD_TRY(cd_scene_add_body(scene, &body, diag));
    }
    return CD_OK;
}

const cd_generator cd_generator_random_polygons = {.name = "random-polygons",
                                                   .summary = "random convex polygons, released in turn (2-D)",
                                                   .keys = keys,
                                                   .defaults = &defaults,
                                                   .params_size = sizeof(params),
                                                   .make = make};
