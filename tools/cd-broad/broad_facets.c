// SPDX-License-Identifier: MIT
#include "broad_facets.h"

#include "cd_triangle.h"

// [1] of all lengths in it, of coordinates of the world: the distance of a point to a triangle errs by far less.
// Larger: pairs just out of reach stay.
static const double slack = 1e-9, world_slack = 1e-12;

// [m] >= the length; without a root.
static double size_of(cd_vec3 v) { return fabs(v.x) + fabs(v.y) + fabs(v.z); }

bool cd_broad_facets_make(cd_arena *arena, cd_broad_facets *facets)
{
    const cd_model *in = facets->in;
    int32_t count = 0;
    bool has_any = false;
    for (int32_t s = 0; s < in->shape.count && !has_any; s++)
        has_any = in->shape.kind[s] == CD_SHAPE_FACETS;
    if (!has_any)
        return false;
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

typedef struct item_site {
    int32_t row, part;
} item_site;

static item_site site_of(const cd_broad_facets *f, int32_t i)
{
    if (f->standing.boxes && i >= f->standing.begin && i < f->standing.end)
        return (item_site){f->standing_row, i - f->standing.begin};
    const int32_t *site = f->site + 2 * (size_t)cd_broad_stored(&f->standing, i);
    return (item_site){site[0], site[1]};
}

static double beyond_zero(double a, double b, double c)  // from 0 to the range of three numbers
{
    double low = a < b ? a : b, high = a < b ? b : a;
    low = c < low ? c : low;
    high = c > high ? c : high;
    return low > 0 ? low : high < 0 ? high : 0;
}

// [m^2] From the origin to the box of a triangle: of the pairs whose boxes overlap half are told apart by that.
static double box_distance_sq(const cd_vec3 corner[3])
{
    cd_vec3 away = {beyond_zero(corner[0].x, corner[1].x, corner[2].x),
                    beyond_zero(corner[0].y, corner[1].y, corner[2].y),
                    beyond_zero(corner[0].z, corner[1].z, corner[2].z)};
    return cd_dot3(away, away);
}

bool cd_broad_facet_is_near(const void *context, int32_t i, int32_t j)
{
    const cd_broad_facets *f = context;
    item_site one = site_of(f, i), other = site_of(f, j);
    bool is_first = f->pose_of[one.row] >= 0;
    item_site site = is_first ? one : other;
    const double *ball = f->ball + 4 * (size_t)cd_broad_stored(&f->standing, is_first ? j : i);
    if (f->pose_of[site.row] < 0)
        return true;
    const cd_pose3 *pose = &f->pose[f->pose_of[site.row]];
    const cd_leaf3 leaf = cd_leaves3_at(&f->leaves->space, f->leaves->first[f->in->body.shape[site.row]] + site.part);
    cd_vec3 centre = cd_vec3_at(ball), corner[3];
    cd_vec3 seen = cd_mat3_apply_back(&pose->turn, cd_sub3(centre, pose->position));
    for (int k = 0; k < 3; k++)
        corner[k] = cd_sub3(cd_leaf3_corner(&leaf, k), seen);
    double near = ball[3] + leaf.facet.half_thickness + cd_reach_share(f->reach, site.row) + f->margin;
    double beyond =
        near + slack * (size_of(seen) + size_of(corner[0])) + world_slack * (size_of(centre) + size_of(pose->position));
    if (box_distance_sq(corner) > beyond * beyond)
        return false;
    cd_vec3 nearest = cd_triangle_nearest_to_origin(corner).point;
    return !(cd_dot3(nearest, nearest) > beyond * beyond);  // NaN counts as near
}
