// Parts of a compound that overlap count twice in its mass: found by clipping, and said.
// SPDX-License-Identifier: MIT
#include "cd_scene_builder.h"

#include "cd_polygon.h"

#include <math.h>

// Parts that are meant to touch overlap by the rounding of their places: of the smaller part's area, this much is none.
static const double touching_share = 1e-9;
enum { MAX_PARTS = 2000 };  // pairs are tried one by one; larger compounds are left unchecked

// The part's outline in the compound's frame, when it is a polygon or a box; else without vertices.
static cd_polygon placed_outline(const cd_scene *scene, const cd_scene_shape *compound, int32_t p)
{
    const cd_scene_shape *part = &scene->shapes.item[compound->part_shape[p]];
    cd_pose2 pose = cd_pose2_make(cd_vec2_at(compound->part_position + 2 * p), compound->part_rotation[p]);
    double x = part->size[0], y = part->size[1];
    const cd_vec2 corner[4] = {{-x, -y}, {x, -y}, {x, y}, {-x, y}};
    cd_polygon local = {0};
    if (part->kind == CD_SHAPE_POLYGON)
        local = (cd_polygon){part->vertex_count, (const cd_vec2 *)part->vertex};
    if (part->kind == CD_SHAPE_BOX)
        local = (cd_polygon){4, corner};
    return cd_polygon_place(local, pose, CD_ARENA_ARRAY(scene->arena, cd_vec2, local.count));
}

static bool find_overlap(const cd_scene *scene, const cd_scene_shape *compound, int32_t pair[2], double *area)
{
    cd_polygon *outline = CD_ARENA_ARRAY(scene->arena, cd_polygon, compound->part_count);
    cd_aabb *box = CD_ARENA_ARRAY(scene->arena, cd_aabb, compound->part_count);
    for (int32_t p = 0; p < compound->part_count; p++) {
        outline[p] = placed_outline(scene, compound, p);
        box[p] = outline[p].count ? cd_polygon_bounds(outline[p]) : cd_aabb_empty(2);
    }
    for (int32_t i = 0; i < compound->part_count; i++)
        for (int32_t j = i + 1; j < compound->part_count; j++) {
            if (!outline[i].count || !outline[j].count || !cd_aabb_overlaps(&box[i], &box[j], 2))
                continue;
            double least = fmin(cd_polygon_area(outline[i]), cd_polygon_area(outline[j]));
            *area = cd_polygon_overlap_area(outline[i], outline[j], scene->arena);
            pair[0] = i;
            pair[1] = j;
            if (*area > touching_share * least)
                return true;
        }
    return false;
}

void cd_scene_warn_overlaps(cd_scene *scene)
{
    for (int32_t s = 0; s < scene->shapes.count && scene->dim == 2; s++) {
        const cd_scene_shape *shape = &scene->shapes.item[s];
        int32_t pair[2];
        double area;
        if (!shape->mass_for || shape->kind != CD_SHAPE_COMPOUND || shape->part_count > MAX_PARTS || !find_overlap(scene, shape, pair, &area))
            continue;
        const char *text = cd_arena_printf(scene->arena, "%s:%d: shape: parts %d and %d of the compound overlap by %g m^2, which counts "
                                           "twice in mass and inertia", shape->mass_for->file, shape->mass_for->line, pair[0], pair[1], area);
        cd_list_push(scene->arena, scene->warnings, text);
    }
}
