// SPDX-License-Identifier: MIT
#include "scene_space.h"

#include <math.h>

static const double default_density = 1000;  // [kg/m^3]

const int32_t cd_brick_face_first[7] = {0, 4, 8, 12, 16, 20, 24};
const int32_t cd_brick_face_vertex[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};

cd_status cd_generator_body(cd_scene *scene, const cd_yaml_node *node, const cd_yaml_node *map,
                            const char *const *taken, cd_scene_body *body, cd_diag *diag)
{
    for (int i = 0; map && map->kind == CD_YAML_MAP && taken[i]; i++)
        if (cd_yaml_find(map, taken[i]))
            return cd_yaml_fail(cd_yaml_find(map, taken[i]), diag, "%s: the generator sets it", taken[i]);
    CD_TRY(map ? cd_scene_read_body(scene, map, body, diag) : cd_scene_default_body(scene, node, body, diag));
    if (isnan(body->mass) && isnan(body->density) && body->material < 0)
        body->density = default_density;
    return CD_OK;
}

// ---- random --------------------------------------------------------------------------------------------------------

// Uniform in the cube from -1 to 1, in or on the ball within it.
static cd_vec3 random_point(cd_random *random, cd_within within)
{
    static const double too_near = 1e-6;  // to the centre, for a direction
    for (;;) {
        cd_vec3 p = {cd_random_between(random, -1, 1), cd_random_between(random, -1, 1),
                     cd_random_between(random, -1, 1)};
        double square = cd_dot3(p, p);
        if (within == CD_WITHIN_CUBE || (square <= 1 && within == CD_WITHIN_BALL))
            return p;
        if (square <= 1 && square > too_near)
            return cd_scale3(1 / sqrt(square), p);
    }
}

cd_status cd_random_hull(cd_scene *scene, const cd_yaml_node *where, cd_random *random, cd_point_cloud cloud,
                         int32_t *shape, cd_diag *diag)
{
    // Points all in one plane are practically impossible, but where the cube is so small that coordinates have no
    // digits left.
    enum { MOST_ATTEMPTS = 100 };
    cd_scene_shape hull;
    cd_vec3 *point = CD_ARENA_ARRAY(scene->arena, cd_vec3, cloud.count);
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        for (int64_t i = 0; i < cloud.count; i++)
            point[i] = cd_scale3(cloud.size / 2, random_point(random, cloud.within));
        if (cd_scene_hull3(scene, (const double *)point, (int32_t)cloud.count, &hull) == 3) {
            CD_TRY(cd_scene_add_shape(scene, &hull, where, shape, diag));
            // Bodies are placed by the centre of mass, not by the cube's middle.
            memset(scene->shapes.item[*shape].centre, 0, sizeof hull.centre);
            return CD_OK;
        }
    }
    return cd_yaml_fail(where, diag, "size: %g m is too small or too large for a polyhedron", cloud.size);
}

void cd_random_rotation(cd_random *random, double rotation[4])
{
    double square[2];
    for (int i = 0; i < 2; i++)
        do {
            rotation[2 * i] = cd_random_between(random, -1, 1);
            rotation[2 * i + 1] = cd_random_between(random, -1, 1);
            square[i] = rotation[2 * i] * rotation[2 * i] + rotation[2 * i + 1] * rotation[2 * i + 1];
        } while (square[i] >= 1 || square[i] == 0);
    double scale = sqrt((1 - square[0]) / square[1]);
    rotation[2] *= scale;
    rotation[3] *= scale;
}

// ---- bricks --------------------------------------------------------------------------------------------------------

cd_scene_shape cd_brick_shape(cd_arena *arena, const double size[3])
{
    cd_scene_shape brick = {.kind = CD_SHAPE_POLYHEDRON,
                            .vertex_count = 8,
                            .face_count = 6,
                            .face_first = cd_brick_face_first,
                            .face_vertex = cd_brick_face_vertex,
                            .vertex = CD_ARENA_ARRAY(arena, double, 24)};
    for (int i = 0; i < 24; i++)
        brick.vertex[i] = (i / 3 >> i % 3 & 1 ? 0.5 : -0.5) * size[i % 3];
    return brick;
}

cd_status cd_add_brick_wall(cd_scene *scene, const cd_yaml_node *node, const cd_brick_wall *wall, int32_t shape,
                            cd_diag *diag)
{
    static const char *const taken[] = {"id", "shape", "position", NULL};
    cd_scene_body body;
    int64_t total = 1;
    CD_TRY(cd_generator_body(scene, node, wall->body, taken, &body, diag));
    for (int k = 0; k < 3; k++) {
        total *= wall->count[k];
        if (total > scene->max_rows)
            return cd_yaml_fail_status(node, diag, CD_ERR_LIMIT, "count: more than %lld bodies (--max-rows)",
                                       (long long)scene->max_rows);
    }
    body.shape = shape;
    for (int64_t n = 0; n < total; n++) {
        int64_t index[3] = {n % wall->count[0], n / wall->count[0] % wall->count[1],
                            n / wall->count[0] / wall->count[1]};
        for (int k = 0; k < 3; k++)
            body.position[k] = wall->origin[k] + 0.5 * wall->size[k] + (double)index[k] * (wall->size[k] + wall->gap);
        body.position[0] += index[2] % 2 ? wall->bond * (wall->size[0] + wall->gap) : 0;
        CD_TRY(cd_scene_add_body(scene, &body, diag));
    }
    return CD_OK;
}
