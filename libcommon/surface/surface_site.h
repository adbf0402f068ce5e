// surface_site -- the point of a triangle that is nearest to a body, as the parts of cd_surface_contact.h see it.
//
// "Seen": in coordinates about the ball's centre, of an ellipsoid mapped to the unit ball. Cones of normals are mapped
// to cones of normals, so what decides over them decides there.
// SPDX-License-Identifier: MIT
#ifndef SURFACE_SITE_H
#define SURFACE_SITE_H

#include "cd_flatness.h"
#include "cd_surface_contact.h"

typedef struct cd_surface_view {
    const cd_surface_mesh *mesh;
    const cd_surface_ball *ball;
} cd_surface_view;

typedef struct cd_surface_site {
    int32_t triangle, p, q;  // p: vertex, or lesser vertex of the edge with q
    int kind;                // CD_FEATURE_FACE, CD_FEATURE_EDGE, CD_FEATURE_VERTEX
    uint64_t key;            // the feature, unlike for unlike ones; faces before edges before vertices
    cd_vec3 foot, normal;    // seen; unit, from the surface to the body
    double distance;         // seen
    cd_vec3 own_normal;      // unit, not seen
    double gap;              // [m]
    bool is_degenerate, is_kept;
} cd_surface_site;

// [1] of a unit vector: a normal leans over a triangle by more than that. Smaller: rounding makes minima disappear.
// Larger: forces along a flat surface grow with it.
#define CD_SURFACE_LEANING 1e-12

static inline cd_vec3 cd_surface_seen(const cd_surface_view *view, int32_t vertex)
{
    cd_vec3 from_centre = cd_sub3(view->mesh->vertex[vertex], view->ball->centre);
    return view->ball->is_ellipsoid ? cd_mat3_apply(&view->ball->to_ball, from_centre) : from_centre;
}
static inline void cd_surface_seen_corners(const cd_surface_view *view, int32_t triangle, cd_vec3 corner[3])
{
    for (int k = 0; k < 3; k++)
        corner[k] = cd_surface_seen(view, cd_surface_corner(view->mesh->surface, triangle, k));
}
// Twice the area along the normal; zero of a triangle without a normal.
cd_vec3 cd_surface_area(const cd_vec3 corner[3]);
// The same turned back to what is not seen, as a unit vector.
cd_vec3 cd_surface_own(const cd_surface_view *view, cd_vec3 seen_normal);
double cd_surface_segment_distance(cd_vec3 point, cd_vec3 p, cd_vec3 q);
void cd_surface_name(cd_surface_site *site, int kind, int32_t p, int32_t q);

// The nearest point of a triangle. O(1)
cd_surface_site cd_surface_nearest(const cd_surface_view *view, int32_t triangle);
// Is the body on the side that the triangles' normals point to?
bool cd_surface_is_front(const cd_surface_view *view, const cd_surface_site *site);
// Sets is_kept of those that are the surface's contacts, in the order of their triangles. least: the least distance of
// all triangles, of those too that are not near and have no site.
void cd_surface_keep(const cd_surface_view *view, const cd_surface_rules *rules, cd_surface_site *site, int32_t count,
                     double least, cd_arena *scratch);
// Joins kept ones over shallow valleys: the deepest of each group stays, with the group's normal.
void cd_surface_join(const cd_surface_view *view, const cd_surface_rules *rules, cd_surface_site *site, int32_t count,
                     cd_arena *scratch);
// Turns the normal of a site into the range of the normals that meet there.
void cd_surface_turn(const cd_surface_view *view, cd_surface_site *site, cd_arena *scratch);

#endif
