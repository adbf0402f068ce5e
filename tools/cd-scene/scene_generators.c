// SPDX-License-Identifier: MIT
#include "scene_generators.h"

#define X(name) &cd_generator_##name,
const cd_generator *const cd_generators[] = {
#include "generators.def"
    NULL};
#undef X

void cd_generators_help(cd_buffer *out)
{
    cd_buffer_text(out, "Generators (generate: in the scene) and their keys; each may have a place as well:\n");
    for (int i = 0; cd_generators[i]; i++) {
        cd_buffer_printf(out, "  %s: %s\n", cd_generators[i]->name, cd_generators[i]->summary);
        cd_yaml_keys_help(cd_generators[i]->keys, cd_generators[i]->dim == 3 ? 3 : 2, cd_generators[i]->defaults, out);
    }
}

cd_random cd_generator_seed(int64_t seed, cd_random given)
{
    return seed == CD_ABSENT_I64 ? given : (cd_random){(uint64_t)seed};
}

cd_status cd_generator_release_steps(const cd_scene *scene, const cd_yaml_node *node, double period, double *steps,
                                     cd_diag *diag)
{
    static const double half_slack =
        1e-9;  // [1] a ratio this close below a half is the half that rounding took it from
    *steps = 0;
    if (period == 0)
        return CD_OK;
    if (isnan(scene->step))
        return cd_yaml_fail(node, diag, "period: releases fall on whole steps: the scene needs step, or this period 0");
    *steps = fmax(1, floor(period / scene->step + 0.5 + half_slack));
    return CD_OK;
}

cd_status cd_random_polygon(cd_scene *scene, const cd_yaml_node *where, cd_random *random, int64_t points, double scale,
                            int32_t *shape, cd_diag *diag)
{
    // Random points all on one line are practically impossible, but where the square is so small that coordinates have
    // no digits left.
    enum { MOST_ATTEMPTS = 1000 };
    cd_scene_shape polygon;
    cd_arena_mark mark = cd_arena_get_mark(scene->arena);
    double *point = CD_ARENA_ARRAY(scene->arena, double, 2 * (size_t)points);
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        for (int64_t i = 0; i < 2 * points; i++)
            point[i] = scale * cd_random_unit(random);
        if (cd_scene_hull(scene, point, (int32_t)points, &polygon)) {
            CD_TRY(cd_scene_add_shape(scene, &polygon, where, shape, diag));
            // not the square's corner: bodies are placed by it
            memset(scene->shapes.item[*shape].centre, 0, sizeof polygon.centre);
            return CD_OK;
        }
        cd_arena_rewind(scene->arena, mark);
        point = CD_ARENA_ARRAY(scene->arena, double, 2 * (size_t)points);
    }
    return cd_yaml_fail(where, diag, "scale: %g m is too small for a polygon", scale);
}
