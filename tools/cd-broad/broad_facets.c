// SPDX-License-Identifier: MIT
#include "broad_facets.h"

#include "cd_ellipsoid_triangle.h"

// [1] of all lengths in it, of coordinates of the world: the distance of a point to a triangle errs by far less.
// Larger: pairs just out of reach stay.
static const double slack = 1e-9, world_slack = 1e-12;

// [m] >= the length; without a root.
static double size_of(cd_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

bool cd_broad_facets_make(cd_arena *arena, cd_broad_facets *facets)
{
    const cd_model *in = facets->in;
    int32_t count = 0;
    facets->pose_of = CD_ARENA_ARRAY(arena, int32_t, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++) {
        int32_t shape = in->body.shape ? in->body.shape[i] : -1;
        bool stands = shape >= 0 && in->shape.kind[shape] == CD_SHAPE_FACETS && facets->trial_row[i] < 0 &&
                      cd_body_motion(in, i) == CD_MOTION_FIXED && cd_body_has_position(in, i);
        facets->pose_of[i] = stands ? count++ : -1;
    }
    facets->pose = CD_ARENA_ARRAY(arena, cd_pose3, count);
    for (int32_t i = 0; i < in->body.count && count > 0; i++)
        if (facets->pose_of[i] >= 0)
            facets->pose[facets->pose_of[i]] = cd_state3_pose(cd_body_start3(in, i));
    return count > 0;
}

bool cd_broad_facet_is_near(const void *context, int32_t i, int32_t j)
{
    const cd_broad_facets *f = context;
    bool is_first = f->pose_of[f->site[2 * (size_t)i]] >= 0;
    const int32_t *site = f->site + 2 * (size_t)(is_first ? i : j);
    const double *ball = f->ball + 4 * (size_t)(is_first ? j : i);
    if (f->pose_of[site[0]] < 0)
        return true;
    const cd_pose3 *pose = &f->pose[f->pose_of[site[0]]];
    const cd_leaf3 leaf = cd_leaves3_at(&f->leaves->space, f->leaves->first[f->in->body.shape[site[0]]] + site[1]);
    cd_vec3 centre = cd_vec3_at(ball), corner[3];
    cd_vec3 seen = cd_mat3_apply_back(&pose->turn, cd_sub3(centre, pose->position));
    for (int k = 0; k < 3; k++)
        corner[k] = cd_sub3(cd_leaf3_corner(&leaf, k), seen);
    cd_vec3 nearest = cd_triangle_nearest_to_origin(corner).point;
    double near = ball[3] + leaf.facet.half_thickness + cd_reach_share(f->reach, site[0]) + f->margin;
    double beyond =
        near + slack * (size_of(seen) + size_of(corner[0])) + world_slack * (size_of(centre) + size_of(pose->position));
    return !(cd_dot3(nearest, nearest) > beyond * beyond);  // NaN counts as near
}
