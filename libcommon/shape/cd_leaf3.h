// cd_leaf3 -- the leaves of shapes in space, convex parts and facets of surfaces: in the body's frame, and placed.
//
// A box becomes a polyhedron of 8 vertices and 6 faces, as the box of the plane becomes a polygon: its features have
// numbers then, and one convex routine serves both. Vertex k of a box has the signs (-+-+-+-+, --++--++, ----++++)
// along x, y, z, so bit 0, 1, 2 of k say +x, +y, +z; its faces are -x, +x, -y, +y, -z, +z. A facet of `facets` is a
// leaf of its own: the triangle and everything within half the thickness of it. A leaf takes 48 bytes; those of a large
// surface differ in the triangle alone and are made when they are asked for, so that it takes its lists and no more.
// SPDX-License-Identifier: MIT
#ifndef CD_LEAF3_H
#define CD_LEAF3_H

#include "cd_convex3.h"
#include "cd_edges3.h"
#include "cd_ellipsoid.h"
#include "cd_polyhedron.h"
#include "cd_shape_kind.h"

typedef struct cd_ball {
    cd_vec3 centre;  // [m]
    double radius;   // [m]
} cd_ball;

typedef struct cd_halfspace {
    cd_vec3 normal;  // outward unit normal: solid where normal.x <= offset
    double offset;   // [m]
} cd_halfspace;

// ---- in the body's frame -------------------------------------------------------------------------------------------

// What a polyhedron is prepared to once a run, for the kernels of gjk, intersect and features. Of the parts of
// compounds the edges are those of the part's own shape.
typedef struct cd_prepared3 {
    cd_convex3 convex;
    cd_edges3 edges;
} cd_prepared3;

// Of a closed convex polyhedron; surface as in cd_convex3_make. False: a face was so thin that its plane took more than
// doubles (cd_convex3_make_with). @owns arena
bool cd_prepared3_make(cd_arena *arena, const cd_polyhedron *polyhedron, const int32_t *surface,
                       cd_prepared3 *prepared);

typedef struct cd_corners3 {
    const cd_vec3 *vertex;  // [m] of the surface
    const int32_t *corner;  // 3 of them
    double half_thickness;  // [m] >= 0
    int32_t triangle;       // number in its shape
} cd_corners3;

// `kind` says which member is there.
typedef struct cd_leaf3 {
    cd_shape_kind kind;
    int32_t shape;  // row of the leaf's own shape
    // Largest distance of the leaf from the body's origin [m], rounded up; infinite for a halfspace; NaN: not known
    // yet, cd_leaf3_extent (cd_shape.h) knows it.
    double extent;
    union {
        struct {
            const cd_polyhedron *polyhedron;
            const cd_prepared3 *prepared;  // NULL: not yet
        };
        cd_ball sphere;
        const cd_ellipsoid *ellipsoid;
        cd_halfspace halfspace;
        cd_corners3 facet;
        const void *own;  // of kinds beyond these: what their file says
    };
} cd_leaf3;

static inline cd_vec3 cd_leaf3_corner(const cd_leaf3 *facet, int k)
{
    return facet->facet.vertex[facet->facet.corner[k]];
}

// The facet of another triangle of the same surface.
static inline cd_leaf3 cd_leaf3_facet(const cd_leaf3 *first, int32_t triangle)
{
    cd_leaf3 leaf = *first;
    leaf.facet.corner = first->facet.corner + 3 * (size_t)triangle;
    leaf.facet.triangle = triangle;
    leaf.extent = NAN;
    return leaf;
}

// A shape that is a surface of so many triangles or more: its leaves are not stored.
enum { CD_LARGE_SURFACE = 4096 };
typedef struct cd_large_surface {
    int32_t begin, end;  // numbers of its leaves
    int32_t skipped;     // leaves of it and of those before it
    cd_leaf3 leaf;       // of triangle 0
} cd_large_surface;

// Leaves of all shapes: those of shape row s have the numbers first[s] .. first[s+1]-1; part numbers count from
// first[s].
typedef struct cd_leaves3 {
    const int32_t *first;
    cd_leaf3 *stored;  // in the order of numbers
    int32_t large_count;
    const cd_large_surface *large;  // the same
} cd_leaves3;

// The last large surface that begins at the number or before; NULL: there is none. O(log surfaces)
static inline const cd_large_surface *cd_leaves3_large(const cd_leaves3 *leaves, int32_t number)
{
    int32_t low = 0, high = leaves->large_count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (leaves->large[middle].begin <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &leaves->large[low - 1] : NULL;
}

// NULL: it is a facet of a large surface.
static inline cd_leaf3 *cd_leaves3_stored(const cd_leaves3 *leaves, int32_t number)
{
    const cd_large_surface *large = cd_leaves3_large(leaves, number);
    return !large ? leaves->stored + number : number < large->end ? NULL : leaves->stored + (number - large->skipped);
}

static inline cd_leaf3 cd_leaves3_at(const cd_leaves3 *leaves, int32_t number)
{
    const cd_large_surface *large = cd_leaves3_large(leaves, number);
    return large && number < large->end ? cd_leaf3_facet(&large->leaf, number - large->begin)
                                        : *cd_leaves3_stored(leaves, number);
}

static inline int32_t cd_leaves3_stored_count(const cd_leaves3 *leaves, int32_t shapes)
{
    int32_t large = leaves->large_count;
    return leaves->first[shapes] - (large > 0 ? leaves->large[large - 1].skipped : 0);
}

static inline cd_shape_kind cd_leaves3_kind(const cd_leaves3 *leaves, int32_t number)
{
    const cd_leaf3 *stored = cd_leaves3_stored(leaves, number);
    return stored ? stored->kind : CD_SHAPE_FACETS;
}

// ---- placed in the world -------------------------------------------------------------------------------------------

typedef struct cd_facet {
    cd_vec3 vertex[3];      // [m]
    double half_thickness;  // [m] >= 0
    int32_t triangle;       // number in its shape
} cd_facet;

// A leaf placed in the world: what routines that measure it work on. Of a polyhedron its columns of vertices, planes
// and numbered edges.
typedef struct cd_solid3 {
    cd_shape_kind kind;
    union {
        cd_ball sphere;
        cd_ellipsoid ellipsoid;
        cd_halfspace halfspace;
        cd_facet facet;
        const void *own;
    };
    cd_convex3 convex;       // of a polyhedron
    const cd_edges3 *edges;  // of a polyhedron: the numbers of its edges; else NULL
} cd_solid3;

// A leaf moved by a pose; polyhedra must have been prepared. O(vertices + faces). @owns arena
cd_solid3 cd_solid3_place(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose);
// The same, of a polyhedron without planes (cd_convex3_place_into): all that distances and depths ask for.
// O(vertices); the leaf is borrowed. @owns arena
cd_solid3 cd_solid3_place_vertices(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose);
// Either into memory of the caller's, of which only what is said above is written. @owns arena
void cd_solid3_place_into(cd_arena *arena, const cd_leaf3 *leaf, const cd_pose3 *pose, bool has_planes,
                          cd_solid3 *placed);

#endif
