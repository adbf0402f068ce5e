// SPDX-License-Identifier: MIT
#include "cd_shape.h"

#include "cd_sum.h"

#define X(KIND, name) extern const cd_shape cd_shape_##name;
#include "shape_kinds.def"
#undef X

const cd_shape *const cd_shape_table[CD_SHAPE_KINDS] = {
#define X(KIND, name) [CD_SHAPE_##KIND] = &cd_shape_##name,
#include "shape_kinds.def"
#undef X
};

// ---- as it was given -----------------------------------------------------------------------------------------------

cd_shape_geometry cd_shape_geometry_none(void)
{
    return (cd_shape_geometry){
#define X(size, width) .size = {NAN},
#include "shape_sizes.def"
#undef X
    };
}

cd_status cd_shape_need(const double *value, int width, const char *size, const char *kind, cd_diag *diag)
{
    for (int k = 0; k < width; k++)
        if (isnan(value[k]))
            return cd_fail(diag, CD_ERR_FORMAT, "%s: required of %s", size, kind);
    return CD_OK;
}

cd_status cd_shape_need_size(const double *value, int width, const char *size, const char *kind, cd_diag *diag)
{
    CD_TRY(cd_shape_need(value, width, size, kind, diag));
    for (int k = 0; k < width; k++)
        if (!(value[k] > 0) || isinf(value[k]))
            return cd_fail(diag, CD_ERR_FORMAT, "%s: %g is not a finite size above 0", size, value[k]);
    return CD_OK;
}

// ---- what kinds share ----------------------------------------------------------------------------------------------

cd_aabb cd_shape_box2(cd_vec2 origin, cd_vec2 low, cd_vec2 high, double slack)
{
    cd_aabb box = {{cd_sum_down(origin.x, low.x), cd_sum_down(origin.y, low.y), 0},
                   {cd_sum_up(origin.x, high.x), cd_sum_up(origin.y, high.y), 0}};
    return cd_aabb_grow(box, slack, 2);
}

cd_aabb cd_shape_box3(cd_vec3 origin, cd_vec3 low, cd_vec3 high, double slack)
{
    cd_aabb box = {{cd_sum_down(origin.x, low.x), cd_sum_down(origin.y, low.y), cd_sum_down(origin.z, low.z)},
                   {cd_sum_up(origin.x, high.x), cd_sum_up(origin.y, high.y), cd_sum_up(origin.z, high.z)}};
    return cd_aabb_grow(box, slack, 3);
}

static double smaller(double a, double b) { return b < a ? b : a; }
static double larger(double a, double b) { return b > a ? b : a; }

cd_aabb cd_shape_points_box3(const cd_vec3 *point, int32_t count, double radius, const cd_pose3 *pose, double slack)
{
    cd_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int32_t i = 0; i < count; i++) {
        cd_vec3 p = cd_pose3_turn(pose, point[i]);
        low = (cd_vec3){smaller(low.x, p.x), smaller(low.y, p.y), smaller(low.z, p.z)};
        high = (cd_vec3){larger(high.x, p.x), larger(high.y, p.y), larger(high.z, p.z)};
    }
    if (radius != 0) {
        low = (cd_vec3){cd_sum_down(low.x, -radius), cd_sum_down(low.y, -radius), cd_sum_down(low.z, -radius)};
        high = (cd_vec3){cd_sum_up(high.x, radius), cd_sum_up(high.y, radius), cd_sum_up(high.z, radius)};
    }
    return cd_shape_box3(pose->position, low, high, slack);
}

double cd_shape_diameter(cd_arena *scratch, int dim, const double *point, int32_t count)
{
    if (dim == 3)
        return cd_points_diameter3((const cd_vec3 *)point, count, scratch);
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    cd_vec3 *raised = CD_ARENA_ARRAY(scratch, cd_vec3, count);
    for (int32_t i = 0; i < count; i++)
        raised[i] = (cd_vec3){point[2 * i], point[2 * i + 1], 0};
    double diameter = cd_points_diameter3(raised, count, scratch);
    cd_arena_rewind(scratch, mark);
    return diameter;
}

// ---- leaves --------------------------------------------------------------------------------------------------------

cd_leaf2 cd_leaf2_place(cd_arena *arena, const cd_leaf2 *leaf, cd_pose2 pose)
{
    cd_leaf2 placed = *leaf;
    cd_shape_table[leaf->kind]->plane.place(arena, leaf, pose, &placed);
    return placed;
}

void cd_solid3_place_into(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose, bool has_planes,
                          cd_solid3 *placed)
{
    placed->kind = leaf->kind;
    placed->edges = NULL;
    cd_shape_table[leaf->kind]->space.place(arena, leaf, pose, has_planes, placed);
}

cd_solid3 cd_solid3_place(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose)
{
    cd_solid3 placed = {.edges = NULL};
    cd_solid3_place_into(arena, leaf, pose, true, &placed);
    return placed;
}

cd_solid3 cd_solid3_place_vertices(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose)
{
    cd_solid3 placed = {.edges = NULL};
    cd_solid3_place_into(arena, leaf, pose, false, &placed);
    return placed;
}
