// brick-elements -- a wall of bricks, each cut into convex parts that share faces (scene_blocks.h). All bricks share
// one compound.
// SPDX-License-Identifier: MIT
#include "scene_blocks.h"

#include <math.h>

typedef struct params {
    cd_brick_wall wall;
    int64_t cells[3];
    int32_t kind;
} params;

static const params defaults = {.wall = {.bond = 0.5}, .cells = {2, 2, 2}, .kind = CD_HEXAHEDRA};
static const cd_yaml_key keys[] = {CD_BRICK_WALL_KEYS(params, "brick-elements"),
                                   {.name = "elements",
                                    .type = CD_YAML_INTS,
                                    .offset = offsetof(params, cells),
                                    .low = 1,
                                    .high = 1000,
                                    .help = "cells of a brick along each axis"},
                                   CD_CUT_KIND_KEY(params),
                                   CD_YAML_KEYS_END};

static cd_status make(cd_scene *scene, const cd_yaml_node *node, const void *given, cd_random random, cd_diag *diag)
{
    const params *p = given;
    cd_cut_block block = {.kind = p->kind};
    int32_t shape;
    memcpy(block.cells, p->cells, sizeof block.cells);
    memcpy(block.size, p->wall.size, sizeof block.size);
    CD_TRY(cd_add_cut_block(scene, node, &block, &shape, diag));
    (void)random;  // nothing here is random
    return cd_add_brick_wall(scene, node, &p->wall, shape, diag);
}

const cd_generator cd_generator_brick_elements = {.name = "brick-elements",
                                                  .dim = 3,
                                                  .keys = keys,
                                                  .defaults = &defaults,
                                                  .make = make,
                                                  .summary = "a wall of bricks cut into finite elements (3-D)",
                                                  .params_size = sizeof(params)};
