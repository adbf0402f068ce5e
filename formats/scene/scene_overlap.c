// Parts of a compound that overlap count twice in its mass: found by clipping, and said.
// SPDX-License-Identifier: MIT
#include "cd_scene_builder.h"

#include "cd_intersect3.h"
#include "cd_polygon.h"

#include <math.h>

// Parts that are meant to touch overlap by the rounding of their places: of the smaller part's area or volume, this
// much is none.
static const double touching_share = 1e-9;
enum { MAX_PARTS = 2000 };  // pairs are tried one by one; larger compounds are left unchecked

typedef struct part_overlap {
    int32_t a, b;  // parts
    double size;   // [m^2, m^3]
} part_overlap;

// ---- plane ---------------------------------------------------------------------------------------------------------

// The part's outline in the compound's frame, when its leaf is a polygon; else without vertices.
static cd_polygon placed_outline(const cd_scene *scene, const cd_scene_shape *compound, int32_t p)
{
    const cd_scene_shape *part = &scene->shapes.item[compound->part_shape[p]];
    cd_pose2 pose = cd_pose2_make(cd_vec2_at(compound->part_position + 2 * p), compound->part_rotation[p]);
    cd_leaf2 leaf = {.kind = part->kind};
    cd_shape_geometry geometry = cd_scene_geometry(part);
    if (!cd_shape_table[part->kind]->plane.make ||
        cd_shape_table[part->kind]->plane.make(&geometry, scene->arena, &leaf, NULL) != CD_OK ||
        leaf.kind != CD_SHAPE_POLYGON)
        return (cd_polygon){0};
    return cd_polygon_place(leaf.polygon, pose, CD_ARENA_ARRAY(scene->arena, cd_vec2, leaf.polygon.count));
}

static bool find_overlap2(const cd_scene *scene, const cd_scene_shape *compound, part_overlap *found)
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
            *found = (part_overlap){i, j, cd_polygon_overlap_area(outline[i], outline[j], scene->arena)};
            if (found->size > touching_share * least)
                return true;
        }
    return false;
}

// ---- space ---------------------------------------------------------------------------------------------------------

// The part in the compound's frame, when its leaf is a polyhedron; else without vertices.
static cd_convex3 placed_part(const cd_scene *scene, const cd_scene_shape *compound, int32_t p)
{
    const cd_scene_shape *part = &scene->shapes.item[compound->part_shape[p]];
    cd_pose3 pose = cd_pose3_make(cd_vec3_at(compound->part_position + 3 * (size_t)p),
                                  cd_quat_at(compound->part_rotation + 4 * (size_t)p));
    cd_leaf3 leaf = {.kind = part->kind};
    cd_shape_geometry geometry = cd_scene_geometry(part);
    if (part->kind != CD_SHAPE_POLYHEDRON && part->kind != CD_SHAPE_BOX)
        return (cd_convex3){0};
    if (cd_shape_table[part->kind]->space.make(&geometry, scene->arena, &leaf, NULL) != CD_OK)
        return (cd_convex3){0};
    cd_convex3 convex = cd_convex3_make(scene->arena, leaf.polyhedron, NULL);
    return cd_convex3_place(scene->arena, &convex, &pose);
}

static cd_aabb box_of(const cd_convex3 *part)
{
    cd_aabb box = cd_aabb_empty(3);
    for (int32_t i = 0; i < part->vertex_count; i++) {
        const double corner[3] = {part->x[i], part->y[i], part->z[i]};
        box = cd_aabb_add_point(box, corner, 3);
    }
    return box;
}

static bool find_overlap3(const cd_scene *scene, const cd_scene_shape *compound, part_overlap *found)
{
    cd_convex3 *part = CD_ARENA_ARRAY(scene->arena, cd_convex3, compound->part_count);
    cd_aabb *box = CD_ARENA_ARRAY(scene->arena, cd_aabb, compound->part_count);
    for (int32_t p = 0; p < compound->part_count; p++) {
        part[p] = placed_part(scene, compound, p);
        box[p] = box_of(&part[p]);
    }
    for (int32_t i = 0; i < compound->part_count; i++)
        for (int32_t j = i + 1; j < compound->part_count; j++) {
            if (!part[i].vertex_count || !part[j].vertex_count || !cd_aabb_overlaps(&box[i], &box[j], 3))
                continue;
            double least = fmin(scene->shapes.item[compound->part_shape[i]].measure,
                                scene->shapes.item[compound->part_shape[j]].measure);
            cd_arena_mark mark = cd_arena_get_mark(scene->arena);
            *found = (part_overlap){i, j, cd_intersect3_clip(&part[i], &part[j], scene->arena).volume};
            cd_arena_rewind(scene->arena, mark);
            if (found->size > touching_share * least)
                return true;
        }
    return false;
}

void cd_scene_warn_overlaps(cd_scene *scene)
{
    for (int32_t s = 0; s < scene->shapes.count; s++) {
        const cd_scene_shape *shape = &scene->shapes.item[s];
        part_overlap found;
        if (!shape->mass_for || shape->kind != CD_SHAPE_COMPOUND || shape->part_count > MAX_PARTS)
            continue;
        if (!(scene->dim == 2 ? find_overlap2 : find_overlap3)(scene, shape, &found))
            continue;
        const char *text = cd_arena_printf(
            scene->arena,
            "%s:%d: shape: parts %d and %d of the compound overlap by %g m^%d, which counts twice in mass and inertia",
            shape->mass_for->file, shape->mass_for->line, found.a, found.b, found.size, scene->dim);
        cd_list_push(scene->arena, scene->warnings, text);
    }
}
