// bricks -- a wall or block of equal boxes, as polyhedra, in layers of which every second one is moved along.
// Brick (i, j) of layer k has its corner of least coordinates at origin + (i, j, k) (size + gap), x running fastest.
// SPDX-License-Identifier: MIT
#include "scene_space.h"

#include <math.h>

typedef struct params {
    cd_brick_wall wall;
} params;

static const params defaults = {.wall = {.bond = 0.5}};
static const cd_yaml_key keys[] = {CD_BRICK_WALL_KEYS(params, "bricks"), CD_YAML_KEYS_END};

static cd_status make(cd_scene *scene, const cd_yaml_node *node, const void *given, cd_random random, cd_diag *diag)
{
    const params *p = given;
    int32_t shape;
    cd_scene_shape brick = cd_brick_shape(scene->arena, p->wall.size);
    CD_TRY(cd_scene_add_shape(scene, &brick, node, &shape, diag));
    (void)random;  // nothing here is random
    return cd_add_brick_wall(scene, node, &p->wall, shape, diag);
}

const cd_generator cd_generator_bricks = {.name = "bricks",
                                          .dim = 3,
                                          .summary = "a wall of boxes, as polyhedra (3-D)",
                                          .keys = keys,
                                          .defaults = &defaults,
                                          .params_size = sizeof(params),
                                          .make = make};
