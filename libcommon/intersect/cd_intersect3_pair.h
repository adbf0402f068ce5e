// cd_intersect3_pair -- what the methods of cd_intersect3 share: two bodies prepared about a common origin.
//
// The box is what the bodies' bounds have in common; its centre becomes the origin. A plane that the box does not reach
// neither cuts the intersection nor bears a face of it; so only the active planes, those that meet the box, matter, and
// the intersection of the active half-spaces is that of all: on the way from an inner point to a point outside the
// intersection the first plane crossed is crossed inside the box.
// SPDX-License-Identifier: MIT
#ifndef CD_INTERSECT3_PAIR_H
#define CD_INTERSECT3_PAIR_H

#include "cd_intersect3.h"

// A point with room for a fourth number, 0, so that it is one load of a vector.
typedef struct cd_corner3 {
    double x, y, z, zero;  // [m]
} cd_corner3;

static inline cd_vec3 cd_corner3_point(const cd_corner3 *c) { return (cd_vec3){c->x, c->y, c->z}; }

typedef struct cd_convex_pair3_side {
    const cd_convex3 *body;
    bool is_b;             // of the caller
    int32_t active;        // planes that meet the box; of few faces it may be all
    int32_t padded;        // `active` rounded up to CD_CONVEX3_LANES; the rest are planes that nothing is outside of
    int32_t *face;         // [active] their faces
    double *nx, *ny, *nz;  // [padded] outward unit normals
    double *offset;        // [padded] [m] inside where normal . (x - origin) <= offset
    cd_corner3 *at;        // vertices relative to the origin, padded as in cd_convex3
} cd_convex_pair3_side;

typedef struct cd_convex_pair3 {
    cd_convex_pair3_side side[2];  // in the order of the geometry
    // By number: the vertices of side 0, those of side 1, both padded, and room for two more on each edge.
    cd_corner3 *corner;
    cd_vec3 origin, half;   // [m] centre and half extents of the box
    double reach;           // [m] length of `half`: no point of the intersection is farther from the origin
    double size;            // [m] sum of the bodies' radii
    double tolerance;       // [m] below it the side of a plane is noise
    double twin_tolerance;  // [m] the same with the rounding that the coordinates of placed bodies carry
} cd_convex_pair3;

static inline cd_vec3 cd_convex_pair3_normal(const cd_convex_pair3_side *s, int32_t i)
{
    return (cd_vec3){s->nx[i], s->ny[i], s->nz[i]};
}
static inline cd_vec3 cd_convex_pair3_vertex(const cd_convex_pair3_side *s, int32_t i)
{
    return cd_corner3_point(&s->at[i]);
}

// Bodies are apart when a gap between them is wider than this many tolerances: one for a ball on either side.
enum { CD_CONVEX_PAIR3_GAP = 2 };

typedef enum cd_convex_pair3_verdict {
    CD_CONVEX_PAIR3_APART,    // a plane or the bounds separate the two by more than the tolerance
    CD_CONVEX_PAIR3_DONE,     // the result is set
    CD_CONVEX_PAIR3_UNCLEAR,  // a robust method must decide
} cd_convex_pair3_verdict;

// [1] a normal sum shorter than this times the sum of the squared areas is cancellation, not direction: the sum's
// rounding is some 1e-15 of it, so what is longer points within 1e-6 rad of where it should. Smaller: normals of noise.
// Larger: normals of deep overlaps are those of the shortest way out.
#define CD_CONVEX_PAIR3_CANCELS 1e-9

// What a contact is made of beside the measures; of bodies without twins (cd_convex3.h).
typedef struct cd_convex_pair3_push {
    cd_vec3 point;   // [m] world: the centroid of the intersection's surface
    bool cancels;    // there is no normal
    cd_vec3 normal;  // unit: of the sum of A^2 N over outer faces on a minus the same over those on b
    double extent;   // [m] of the intersection along the normal
} cd_convex_pair3_push;

// prepare: bounds, origin, active planes: APART or DONE. `pair` has its bodies set. @owns arena
// clip: clipping of edges by planes and the faces that follow. With `push` that is set and the result has no faces,
// else the result has faces with their corners; any verdict. @owns arena
// nearest: the outer face whose plane is nearest to the point (-1: none); *outside >= 0 [m] grows to how far the point
// is beyond any plane.
// Each in three widths with the same results.
typedef struct cd_convex_pair3_kernel {
    cd_convex_pair3_verdict (*prepare)(cd_convex_pair3 *pair, cd_arena *arena);
    cd_convex_pair3_verdict (*clip)(const cd_convex_pair3 *pair, cd_intersect3 *result, cd_convex_pair3_push *push,
                                    cd_arena *arena);
    int32_t (*nearest)(const cd_convex3 *body, cd_vec3 point, double *outside);
} cd_convex_pair3_kernel;

extern const cd_convex_pair3_kernel cd_convex_pair3_kernel_portable;
#if defined(__x86_64__)
extern const cd_convex_pair3_kernel cd_convex_pair3_kernel_avx2, cd_convex_pair3_kernel_avx512;
#endif
const cd_convex_pair3_kernel *cd_convex_pair3_kernel_of(cd_vector_level most);

// Whether a comes first in the order of the geometry: fewer vertices, fewer faces, lesser coordinates.
bool cd_convex_pair3_in_order(const cd_convex3 *a, const cd_convex3 *b);

// cd_intersect3_clip with the push where there can be one (true), and then without faces. @owns arena
bool cd_intersect3_measure(const cd_convex3 *a, const cd_convex3 *b, cd_intersect3 *result, cd_convex_pair3_push *push,
                           cd_arena *arena);

// The largest ball among active planes.
typedef struct cd_ball3 {
    cd_vec3 centre;  // [m] relative to the pair's origin
    double radius;   // [m] the least distance of `centre` inside a plane, negative when it is outside one
    double bound;    // [m] no ball inside all planes has a greater radius
} cd_ball3;

// Whether the bodies overlap beyond the tolerance, decided by the ball or, where that is unclear, by the volume;
// OVERLAPPING stands for contained as well. The ball's radius may then be <= 0: no inner point could be told.
cd_intersect3_status cd_convex_pair3_status(const cd_convex_pair3 *pair, cd_ball3 *ball, cd_arena *arena);

// Prepares the pair and decides; both are set when it overlaps. @owns arena
cd_intersect3_status cd_convex_pair3_begin(const cd_convex3 *a, const cd_convex3 *b, cd_convex_pair3 *pair,
                                           cd_ball3 *ball, cd_arena *arena);

// For each active plane of side s the active plane of the other side that it coincides with, or -1: the two run within
// the tolerance of each other over the intersection, facing the same way. @owns arena
int32_t *cd_convex_pair3_twins(const cd_convex_pair3 *pair, int s, cd_arena *arena);

// The intersection of bodies known to overlap, by cutting one with the planes of the other. @owns arena
cd_intersect3 cd_convex_pair3_cut(const cd_convex_pair3 *pair, cd_arena *arena);

// Measures of a closed surface, whose faces have origin, normal, first and count. Faces without area are removed,
// repeated corners too.
void cd_convex_pair3_measure(const cd_convex_pair3 *pair, cd_intersect3 *result);
// Sets A_IN_B, B_IN_A or OVERLAPPING: contained when no face lies on the other body alone.
void cd_convex_pair3_contained(cd_intersect3 *result);

#endif
