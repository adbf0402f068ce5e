// plot_part -- convex parts of bodies as the camera sees them, and which of two is behind the other.
//
// A part is made from a leaf of a shape, placed (cd_solid3) at a pose in picture coordinates (plot_camera.h): from a
// polyhedron, an ellipsoid (a sphere becomes one with equal axes), or a facet, which loses its thickness. A half-space
// has no part: plot_cast.c draws a patch of its boundary.
// Behind: where two convex parts are apart a plane runs between them, and the one between it and the eye can hide the
// other, never the reverse. Planes are looked for among the faces, then by distance (GJK); of parts that penetrate the
// face they penetrate least is taken. O(vertices x faces), O(vertices) for GJK.
// SPDX-License-Identifier: MIT
#ifndef PLOT_PART_H
#define PLOT_PART_H

#include "cd_distance3.h"
#include "cd_leaves.h"
#include "plot_camera.h"

// The leaves of all shapes, those of space prepared. Kinds that have no picture of their own are there as polygons and
// polyhedra: the hulls of their outlines.
typedef struct cd_plot_shapes {
    cd_leaves leaves;
    const cd_vec3 *const *mate;  // see cd_plot_mates_make
} cd_plot_shapes;
// Head tables only: once a stream. @owns arena
cd_status cd_plot_shapes_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_plot_shapes *shapes,
                              cd_diag *diag) CD_MUST_CHECK;
// What tells lines of a mesh from outlines. For each leaf that is a polyhedron with surfaces (NULL for others), for
// each edge between an outer and an inner face (surface -1): the outward normal, in the body's frame, of the outer face
// of another leaf of the shape that goes on there; 0 where there is none. Faces meet where the ends of their edges
// agree to 1e-6 of the shape. O(edges log edges), once a stream. @owns arena
const cd_vec3 *const *cd_plot_mates_make(cd_arena *arena, int32_t shape_count, const cd_leaves3 *leaves);
// Number of the first leaf of a shape and of leaves; a body without shape (-1) has none.
static inline int32_t cd_plot_first_leaf(const cd_plot_shapes *shapes, int32_t shape)
{
    return shape < 0 ? 0 : shapes->leaves.first[shape];
}
static inline int32_t cd_plot_leaf_count(const cd_plot_shapes *shapes, int32_t shape)
{
    return shape < 0 ? 0 : shapes->leaves.first[shape + 1] - shapes->leaves.first[shape];
}

typedef struct cd_plot_part {
    int32_t kind;            // CD_SHAPE_POLYHEDRON, _ELLIPSOID, _FACETS
    bool is_sphere;          // ELLIPSOID
    cd_vec3 low, high;       // [m] picture: its box
    const cd_edges3 *edges;  // POLYHEDRON
    const cd_vec3 *mate;     // POLYHEDRON: [edges] as in cd_plot_shapes, or NULL
    cd_vec3 eye;             // unit: towards the eye, in the body's frame
    union {
        cd_convex3 convex;  // POLYHEDRON
        struct {
            cd_vec3 centre, axis[3];  // [m] ELLIPSOID: half axes
        };
        cd_vec3 corner[3];  // [m] FACETS: without thickness
    };
} cd_plot_part;

// Leaf number `leaf` at a pose in the picture. False: a half-space, or larger than CD_PLOT_FAR. @owns arena
bool cd_plot_part_place(cd_arena *arena, const cd_plot_shapes *shapes, int32_t leaf, const cd_pose3 *pose,
                        cd_plot_part *part);
// A triangle, and a ball, in picture coordinates [m]. False: larger than CD_PLOT_FAR.
bool cd_plot_part_triangle(const cd_vec3 corner[3], cd_plot_part *part);
bool cd_plot_part_ball(cd_vec3 centre, double radius, cd_plot_part *part);
// Whether a point of the picture lies in the outline.
bool cd_plot_part_covers(const cd_plot_part *part, cd_vec2 point);

// -1: a is behind b and must be drawn first; 1: b is; 0: neither can hide the other.
int cd_plot_part_order(const cd_plot_part *a, const cd_plot_part *b);

// Painter's order: order[k] is the k-th to be drawn. Solids whose boxes overlap in the picture are drawn as
// cd_plot_part_order says; where it goes round in a circle the one farthest away is drawn first. Does not depend on
// anything but the parts; ties by their number. O(n log n + pairs that overlap in the picture). Beyond
// CD_PLOT_MOST_PAIRS of them (a column of thousands, seen from above) the order is that of the middles' depths.
enum { CD_PLOT_MOST_PAIRS = 20000000 };
int32_t *cd_plot_parts_sort(cd_arena *arena, const cd_plot_part *part, int32_t count);

#endif
