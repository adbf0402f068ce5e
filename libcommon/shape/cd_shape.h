// cd_shape -- what every stage may ask of a kind of shape: one table, one entry a kind (shape_kinds.def), one file
// each.
//
// The life of a shape: its geometry as it was given (cd_shape_geometry) -> `make` checks it and makes leaves of it, in
// the body's frame, once a run (cd_leaf2.h, cd_leaf3.h) -> `prepare`, of polyhedra, once a run -> `place`, at each pose
// that a stage looks at. Compounds have no leaves of their own kind: theirs are those of their parts, moved by
// `compose`.
//
// A function that is NULL in an entry means that the kind has none: each says below what follows from that. A new kind
// is one file shape_NAME.c with the entry cd_shape_NAME, and one line in shape_kinds.def; a convex one of space that
// gives a `support` has distances, depths and contacts against every other such kind without another line.
// SPDX-License-Identifier: MIT
#ifndef CD_SHAPE_H
#define CD_SHAPE_H

#include "cd_aabb.h"
#include "cd_distance3.h"
#include "cd_leaf2.h"
#include "cd_leaf3.h"

// ---- as it was given -----------------------------------------------------------------------------------------------

// A set of the numbers of shape_sizes.def: CD_SHAPE_SIZE(normal) | CD_SHAPE_SIZE(offset).
enum {
#define X(size, width) CD_SHAPE_SIZE_BIT_##size,
#include "shape_sizes.def"
#undef X
};
#define CD_SHAPE_SIZE(size) (UINT32_C(1) << CD_SHAPE_SIZE_BIT_##size)

// A shape that is no compound. Lists are borrowed; absent: count 0.
typedef struct cd_shape_geometry {
#define X(size, width) double size[width];  // NaN: not given
#include "shape_sizes.def"
#undef X
    int32_t vertex_count;
    const double *vertex;  // [m] dim each
    int32_t face_count, surface_count;
    const int32_t *face_first, *face_vertex;  // as in cd_polyhedron
    const int32_t *surface;                   // ids, one a face
    int32_t triangle_count;
    const int32_t *triangle;  // 3 vertex numbers each
} cd_shape_geometry;

cd_shape_geometry cd_shape_geometry_none(void);  // nothing given

// The first `width` numbers of a size that a kind ("a sphere") requires; cd_shape_need_size: finite and above 0.
// CD_ERR_FORMAT "radius: required of a sphere", "radius: 0 is not a finite size above 0".
cd_status cd_shape_need(const double *value, int width, const char *size, const char *kind,
                        cd_diag *diag) CD_MUST_CHECK;
cd_status cd_shape_need_size(const double *value, int width, const char *size, const char *kind,
                             cd_diag *diag) CD_MUST_CHECK;

// Uniform density 1, in the coordinates the geometry is given in.
typedef struct cd_shape_moments {
    double measure;            // [m^2], in space [m^3]; NaN: it has none, or none that is known
    double centre[3];          // [m] of mass
    double inertia[6];         // about `centre`: one number in the plane, else [xx,yy,zz,xy,xz,yz]
    double diameter, feature;  // [m] largest extent, smallest edge or axis; NaN: none
} cd_shape_moments;

// ---- the table -----------------------------------------------------------------------------------------------------

// Leaves are given about the body's origin; results are about it too. Bounds hold the leaf exactly placed; `slack` [m]
// is what turning by the pose may have moved its points by, 0 where they were not turned.
typedef struct cd_shape_plane {
    // Checks the geometry and makes its leaf, extent and all; kind and shape are set by the caller (a box makes another
    // kind of itself). CD_ERR_FORMAT "vertices: ...". NULL: the kind is not one of the plane's.
    cd_status (*make)(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf2 *leaf, cd_diag *diag);
    // members of this kind alone
    void (*place)(cd_arena *arena, const cd_leaf2 *leaf, cd_pose2 pose, cd_leaf2 *placed);
    double (*extent)(const cd_leaf2 *leaf);  // [m] largest distance from the origin, rounded up, once it was placed
    cd_aabb (*bounds)(const cd_leaf2 *leaf, cd_pose2 pose, double slack);
    // [m] The leaf is a core and all points this near to it: what looks the same from everywhere. NULL: 0.
    double (*margin)(const cd_leaf2 *leaf);
    double (*inner)(const cd_leaf2 *leaf);  // [m] a ball of this radius is inside. NULL: of the margin
    // [m] How far a placed leaf goes along a unit direction, from `origin`. NULL: it has no end.
    double (*reach)(const cd_leaf2 *placed, cd_vec2 origin, cd_vec2 direction);
    // [m] points of the boundary, counter-clockwise, nearly: what pictures draw. NULL: cd-plot knows the kind. @owns
    // arena
    int32_t (*outline)(const cd_leaf2 *leaf, cd_arena *arena, cd_vec2 **point);
} cd_shape_plane;

typedef struct cd_shape_space {
    int32_t (*leaf_count)(const cd_shape_geometry *geometry);  // NULL: one
    // As in the plane; of a surface the facet of its first triangle (cd_leaf3_facet: the others).
    cd_status (*make)(const cd_shape_geometry *geometry, cd_arena *arena, cd_leaf3 *leaf, cd_diag *diag);
    // `count` leaves of this kind moved into the frame of a compound; extents are left out. @owns arena
    void (*compose)(cd_arena *arena, const cd_leaf3 *leaf, int32_t count, const cd_pose3 *pose, cd_leaf3 *composed);
    // Placed in the world; has_planes: cd_solid3_place. Sets the members of this kind alone. @owns arena
    void (*place)(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose, bool has_planes, cd_solid3 *placed);
    double (*extent)(const cd_leaf3 *leaf);
    cd_aabb (*bounds)(const cd_leaf3 *leaf, const cd_pose3 *pose, double slack);
    // [m] The leaf is a core and all points this near to it: what looks the same from everywhere. NULL: 0.
    double (*margin)(const cd_leaf3 *leaf);
    double (*inner)(const cd_leaf3 *leaf);  // [m] a ball of this radius is inside. NULL: of the margin
    // What the general convex routines work on: borrowed from `solid`. NULL: not convex and bounded; such pairs need
    // routines of their own.
    void (*support)(const cd_solid3 *solid, cd_support3 *support);
    // [m] points whose convex hull is the leaf, nearly: what pictures draw. NULL: cd-plot knows the kind. @owns arena
    int32_t (*outline)(const cd_leaf3 *leaf, cd_arena *arena, cd_vec3 **point);
} cd_shape_space;

typedef struct cd_shape {
    const char *name;
    uint32_t sizes;      // set of CD_SHAPE_SIZE: the numbers that give it; 0: given by lists alone
    bool is_off_centre;  // its centre of mass may lie elsewhere than its origin
    cd_shape_plane plane;
    cd_shape_space space;
    // NULL: none
    void (*moments)(const cd_shape_geometry *geometry, int dim, cd_arena *scratch, cd_shape_moments *moments);
} cd_shape;

extern const cd_shape *const cd_shape_table[CD_SHAPE_KINDS];  // by cd_shape_kind

// [m] As cd_leaf3.extent, whether it is there or not.
static inline double cd_leaf3_extent(const cd_leaf3 *leaf)
{
    return isnan(leaf->extent) ? cd_shape_table[leaf->kind]->space.extent(leaf) : leaf->extent;
}
static inline double cd_leaves3_extent(const cd_leaves3 *leaves, int32_t number)
{
    const cd_leaf3 *stored = cd_leaves3_stored(leaves, number);
    if (stored)
        return stored->extent;
    cd_leaf3 facet = cd_leaves3_at(leaves, number);
    return cd_leaf3_extent(&facet);
}

// The box with corners `low` and `high` about `origin`, rounded outward, and `slack` beyond on each side. For `bounds`.
cd_aabb cd_shape_box2(cd_vec2 origin, cd_vec2 low, cd_vec2 high, double slack);
cd_aabb cd_shape_box3(cd_vec3 origin, cd_vec3 low, cd_vec3 high, double slack);
// Of points turned by the pose, each with a ball of `radius` around it.
cd_aabb cd_shape_points_box3(const cd_vec3 *point, int32_t count, double radius, const cd_pose3 *pose, double slack);

// The moments of an ellipse or ellipsoid about its centre, along its axes: all of a kind that is round but its name.
void cd_shape_round_moments(const double semiaxes[3], int dim, cd_shape_moments *m);

// The largest distance of two of the points, dim numbers each. O(n log n) in practice.
double cd_shape_diameter(cd_arena *scratch, int dim, const double *point, int32_t count);

#endif
