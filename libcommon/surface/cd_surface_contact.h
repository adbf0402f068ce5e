// cd_surface_contact -- where a body meets a surface: contacts that are the surface's, not those of its triangles.
//
// A sphere or an ellipsoid touches a surface where the distance from its centre has a local minimum among all points of
// the surface; under the map of an ellipsoid to the unit ball (Perram & Wertham 1985) the same holds there. The point
// of each triangle that is nearest lies in its face, on an edge or at a vertex (Ericson, Real-Time Collision Detection
// (2005), 5.1.5). In a face it is a minimum. On an edge it is one where the normal does not lean over any triangle of
// the edge: n.m <= 0 for the direction m in which each runs away from it; at a vertex where n.e <= 0 for each edge e
// from it. No winding is asked, there may be one triangle at an edge or five, and the triangles there are those of the
// mesh, not those that are near enough to be asked for. So an edge between triangles of one plane or of a valley gives
// no contact, and the normal lies between those of the triangles that meet.
//
// All is in the surface's frame, relative to the body's centre.
// SPDX-License-Identifier: MIT
#ifndef CD_SURFACE_CONTACT_H
#define CD_SURFACE_CONTACT_H

#include "cd_ellipsoid.h"
#include "cd_surface.h"
#include "cd_triangle.h"

typedef enum cd_surface_smoothing {
    CD_SURFACE_OFF,     // each triangle by itself
    CD_SURFACE_EXACT,   // one contact a local minimum
    CD_SURFACE_SMOOTH,  // those minima joined that shallow valleys separate
    CD_SURFACE_FACET,   // one contact a triangle, its normal turned into the range of the normals that meet there
} cd_surface_smoothing;

typedef struct cd_surface_rules {
    cd_surface_smoothing smoothing;
    bool is_front_only;  // no contacts of the side that the triangles' normals point away from
    double crease;       // [rad] up to it an edge is shallow
    double limit;        // [m] largest gap
} cd_surface_rules;

// A sphere or an ellipsoid in the surface's frame.
typedef struct cd_surface_ball {
    cd_vec3 centre;  // [m]
    double radius;   // [m] of a sphere; an ellipsoid 1
    bool is_ellipsoid;
    cd_mat3 to_ball,
        from_ball;  // [1/m], [m] of an ellipsoid: W = diag(1/a) U^T, which makes it the unit ball, and W^-1
} cd_surface_ball;

cd_surface_ball cd_surface_sphere(cd_vec3 centre, double radius);
cd_surface_ball cd_surface_ellipsoid(const cd_ellipsoid *ellipsoid);

// A surface with its vertices where they are.
typedef struct cd_surface_mesh {
    const cd_surface *surface;
    const cd_vec3 *vertex;  // [m] by the numbers of `surface`
    double half_thickness;  // [m] >= 0: the surface is all that is so near to a triangle
} cd_surface_mesh;

typedef struct cd_surface_contact {
    int32_t triangle;             // of several that have the feature the least that was asked for
    int32_t feature;              // cd_feature code: face = triangle, edge and vertex as cd_surface.h numbers them
    double gap;                   // [m]
    cd_vec3 normal;               // unit, from the surface to the body
    cd_vec3 on_surface, on_body;  // [m] from the body's centre; on_body - on_surface = gap normal
    bool is_degenerate;           // the centre is in the surface: the normal is that of the triangle's winding
} cd_surface_contact;

// Of the triangles asked for (ascending, each once), in the order of these: at most one each. `also`: the ball at other
// poses of the step; a triangle counts as near when its gap is within the limit at one of them. Of an ellipsoid gap is
// that of supporting planes, at a face the distance to its plane. Returns the number of contacts; room for `count`.
// Scratch memory is given back.
typedef struct cd_surface_asked {
    const int32_t *triangle;
    int32_t count;
    const cd_surface_ball *also;
    int also_count;
} cd_surface_asked;
int32_t cd_surface_touch_ball(const cd_surface_mesh *mesh, const cd_surface_ball *ball, const cd_surface_rules *rules,
                              const cd_surface_asked *asked, cd_arena *scratch, cd_surface_contact *contact);

// Of a body that is no ball contacts were found with one triangle each: which of them are the surface's? Those at a
// face, and of those at an edge or a vertex where the normal leans over no triangle the one of least triangle; the
// deepest always; of several at one point one. foot: [m] the triangle's own point; scale [m]: size of the body.
typedef struct cd_surface_found {
    int32_t triangle;
    cd_vec3 foot, normal;  // [m] in the surface's frame; unit, from the surface to the body
    double gap;            // [m]
    int32_t feature;       // out: cd_feature code
    bool is_kept;          // out
} cd_surface_found;
void cd_surface_choose(const cd_surface_mesh *mesh, const cd_surface_rules *rules, double scale,
                       cd_surface_found *found, int32_t count, cd_arena *scratch);

#endif
