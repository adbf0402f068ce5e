// scene_solids -- what the generators of bodies in space share: keys of bodies, hulls of random points, bricks and their walls.
// SPDX-License-Identifier: MIT
#ifndef SCENE_SOLIDS_H
#define SCENE_SOLIDS_H

#include "scene_generators.h"

// The body that all of a generator share: keys of `map` (NULL: none) over the defaults. The NULL-ended names of `taken` are
// refused there. Without mass, density and material the density is 1000 kg/m^3.
cd_status cd_generator_body(cd_scene *scene, const cd_yaml_node *node, const cd_yaml_node *map, const char *const *taken,
                            cd_scene_body *body, cd_diag *diag) CD_MUST_CHECK;

typedef enum cd_within { CD_WITHIN_CUBE, CD_WITHIN_BALL, CD_WITHIN_SPHERE } cd_within;
// A polyhedron of its own for a body: the convex hull of `points` points, uniform in the cube of side `size` [m], in the ball of
// that diameter or on its surface, with its centre of mass as its own origin. Draws 3 numbers a point, in and on a ball as many
// times as it takes to fall into it.
cd_status cd_random_hull(cd_scene *scene, const cd_yaml_node *where, cd_random *random, int64_t points, double size, cd_within within,
                         int32_t *shape, cd_diag *diag) CD_MUST_CHECK;
// A random rotation, all equally likely, as a quaternion. By Marsaglia's two discs (Ann. Math. Statist. 43, 1972): square roots alone,
// so that it is the same on every machine.
void cd_random_rotation(cd_random *random, double rotation[4]);

// ---- walls of bricks -----------------------------------------------------------------------------------------------------------

// A wall or block of bricks in layers, z up.
typedef struct cd_brick_wall {
    int64_t count[3];              // bricks along x, y, and layers
    double size[3], origin[3];     // [m] of a brick; place of the wall's corner of least x, y, z
    double gap, bond;              // [m] between bricks; part of their length that every second layer is moved by along x
    const cd_yaml_node *generator, *body;
} cd_brick_wall;

// The keys of a wall whose struct is at `offset` bytes of the parameters.
#define CD_BRICK_WALL_KEYS(params, wall)                                                                                              \
    {.name = "count", .type = CD_YAML_INTS, .required = true, .offset = offsetof(params, wall.count), .low = 1, .high = INT32_MAX,    \
     .help = "bricks along x and y, and layers"},                                                                                     \
    {.name = "size", .type = CD_YAML_VECTOR, .required = true, .offset = offsetof(params, wall.size), .low = CD_YAML_ABOVE_ZERO,      \
     .high = INFINITY, .help = "[m] of a brick along each axis"},                                                                     \
    {.name = "origin", .type = CD_YAML_VECTOR, .offset = offsetof(params, wall.origin), .low = -INFINITY, .high = INFINITY,           \
     .help = "[m] corner of the wall of least x, y, z"},                                                                              \
    {.name = "gap", .type = CD_YAML_DOUBLE, .offset = offsetof(params, wall.gap), .low = -INFINITY, .high = INFINITY,                 \
     .help = "[m] between bricks; below 0 they overlap"},                                                                             \
    {.name = "bond", .type = CD_YAML_DOUBLE, .offset = offsetof(params, wall.bond), .low = -INFINITY, .high = INFINITY,               \
     .help = "part of their length that every second layer is moved by along x"},                                                     \
    {.name = "body", .type = CD_YAML_NODE, .offset = offsetof(params, wall.body), .help = "keys of bodies (not id, shape, position) that all have"}, \
    {.name = "generator", .type = CD_YAML_NODE, .offset = offsetof(params, wall.generator), .help = "this generator"}

// The bodies of the wall, all of one shape whose own origin is the brick's centre.
cd_status cd_add_brick_wall(cd_scene *scene, const cd_yaml_node *node, const cd_brick_wall *wall, int32_t shape, cd_diag *diag) CD_MUST_CHECK;
// A box of these full sizes as a polyhedron about its centre: bits 0, 1, 2 of a vertex' number say +x, +y, +z; faces are
// -x, +x, -y, +y, -z, +z.
cd_scene_shape cd_brick_shape(cd_arena *arena, const double size[3]);
extern const int32_t cd_brick_face_first[7], cd_brick_face_vertex[24];

#endif
