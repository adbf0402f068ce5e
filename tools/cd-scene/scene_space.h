// scene_space -- what the generators of bodies in space share: keys of bodies, hulls of random points, bricks and
// their walls.
// SPDX-License-Identifier: MIT
#ifndef SCENE_SPACE_H
#define SCENE_SPACE_H

#include "scene_generators.h"

// The body that all of a generator share: keys of `map` (NULL: none) over the defaults. The NULL-ended names of `taken`
// are refused there. Without mass, density and material the density is 1000 kg/m^3.
cd_status cd_generator_body(cd_scene *scene, const cd_yaml_node *node, const cd_yaml_node *map,
                            const char *const *taken, cd_scene_body *body, cd_diag *diag) CD_MUST_CHECK;

typedef enum cd_within { CD_WITHIN_CUBE, CD_WITHIN_BALL, CD_WITHIN_SPHERE } cd_within;
// Random points, uniform in the cube of edge `size` [m], in the ball of that diameter or on its surface.
typedef struct cd_point_cloud {
    int64_t count;
    double size;
    cd_within within;
} cd_point_cloud;
// A polyhedron of its own for a body: the convex hull of such points, with its centre of mass as its own origin. Draws
// 3 numbers a point, in and on a ball as many times as it takes to fall into it.
cd_status cd_random_hull(cd_scene *scene, const cd_yaml_node *where, cd_random *random, cd_point_cloud cloud,
                         int32_t *shape, cd_diag *diag) CD_MUST_CHECK;
// A random rotation, all equally likely, as a quaternion. By Marsaglia's two discs (Ann. Math. Statist. 43, 1972):
// square roots alone, so that it is the same on every machine.
void cd_random_rotation(cd_random *random, double rotation[4]);

// ---- walls of bricks -----------------------------------------------------------------------------------------------

// A wall or block of bricks in layers, z up.
typedef struct cd_brick_wall {
    int64_t count[3];           // bricks along x, y, and layers
    double size[3], origin[3];  // [m] of a brick; place of the wall's corner of least x, y, z
    double gap, bond;           // [m] between bricks; part of their length that every second layer is moved by along x
    const cd_yaml_node *generator, *body;
} cd_brick_wall;

// The keys of a wall, the member `wall` of the parameters.
#define CD_WALL_KEY(params, member, kind, needed, least, most, text)                                              \
    {                                                                                                             \
        .name = #member, .type = kind, .required = needed, .offset = offsetof(params, wall.member), .low = least, \
        .high = most, .help = text                                                                                \
    }
#define CD_BRICK_WALL_KEYS(params, name)                                                                        \
    CD_WALL_KEY(params, generator, CD_YAML_NODE, false, 0, 0, name),                                            \
        CD_WALL_KEY(params, count, CD_YAML_INTS, true, 1, INT32_MAX, "bricks along x and y, and layers"),       \
        CD_WALL_KEY(params, size, CD_YAML_VECTOR, true, CD_YAML_ABOVE_ZERO, INFINITY,                           \
                    "[m] of a brick along each axis"),                                                          \
        CD_WALL_KEY(params, origin, CD_YAML_VECTOR, false, -INFINITY, INFINITY, "[m] corner of least x, y, z"), \
        CD_WALL_KEY(params, gap, CD_YAML_DOUBLE, false, -INFINITY, INFINITY,                                    \
                    "[m] between bricks; below 0 they overlap"),                                                \
        CD_WALL_KEY(params, bond, CD_YAML_DOUBLE, false, -INFINITY, INFINITY,                                   \
                    "part of their length that every second layer is moved by along x"),                        \
        CD_WALL_KEY(params, body, CD_YAML_NODE, false, 0, 0, "keys of bodies (not id, shape, position) that all have")

// The bodies of the wall, all of one shape whose own origin is the brick's centre.
cd_status cd_add_brick_wall(cd_scene *scene, const cd_yaml_node *node, const cd_brick_wall *wall, int32_t shape,
                            cd_diag *diag) CD_MUST_CHECK;
// A box of these full sizes as a polyhedron about its centre: bits 0, 1, 2 of a vertex' number say +x, +y, +z; faces
// are -x, +x, -y, +y, -z, +z.
cd_scene_shape cd_brick_shape(cd_arena *arena, const double size[3]);
extern const int32_t cd_brick_face_first[7], cd_brick_face_vertex[24];

#endif
