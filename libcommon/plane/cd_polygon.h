// cd_polygon -- convex polygons of the plane: validity, measures, hull, intersection, distance, area contact.
//
// A polygon is a view on at least three vertices in counter-clockwise order, in world frame unless said. Edge i runs
// from vertex i to vertex i + 1 (the last one back to 0); its outward unit normal is cd_right2(edge) / |edge|.
// Legal polygons (cd_polygon_check) turn left at every vertex: a vertex on the line through its neighbours is refused,
// so every vertex is a corner and no edge goes on in the next. After a placement by a pose the corners carry rounding;
// all operations below take such polygons, with the stated errors.
//
// Operations            cost for n and m vertices
//   check, moments, bounds, radius    O(n)
//   cd_hull2                          O(n log n)
//   disjoint                          O(n + m) expected, O(n m) worst
//   clip, overlap area, contact       O(n m)
//   separation, distance              O(n m)
// There is no state and no order among them. Memory comes from the arena given; kernels rewind what they only needed
// themselves. Two polygons a, b are computed in an order that depends on their geometry alone, so exchanging a and b
// exchanges the sides of the result and changes no bit of it (polygons with identical vertices aside); scaling by a
// power of two scales the results exactly.
//
// Exactness. Which side of an edge a vertex lies on is decided by cd_orient2d, exactly, wherever the answer is a
// decision: validity, hull, disjointness, the sign of separation and distance. For polygons that are convex exactly
// the answers are exact; where rounded corners bend an edge by e, two polygons that overlap by less than e can count
// as disjoint. Lengths and areas are computed relative to a vertex, so their error scales with the polygons' size
// and not with the distance from the origin.
//
// Sources: Sutherland & Hodgman 1974 (clipping); Ericson, Real-Time Collision Detection (2005) 5.2.1 (separating
// axes); Andrew 1979 (hull); Koziara, Solfec documentation, "Contact points" (area contact, carried to the plane).
// SPDX-License-Identifier: MIT
#ifndef CD_POLYGON_H
#define CD_POLYGON_H

#include "cd_aabb.h"
#include "cd_memory.h"
#include "cd_vec2.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct cd_polygon {
    int32_t count;
    const cd_vec2 *vertex;  // [m] not owned
} cd_polygon;

static inline int32_t cd_polygon_next(cd_polygon polygon, int32_t i) { return i + 1 < polygon.count ? i + 1 : 0; }
static inline int32_t cd_polygon_previous(cd_polygon polygon, int32_t i) { return i > 0 ? i - 1 : polygon.count - 1; }

// ---- validity ------------------------------------------------------------------------------------------------------

typedef enum cd_polygon_fault_kind {
    CD_POLYGON_OK = 0,
    CD_POLYGON_TOO_FEW,            // fewer than 3 vertices
    CD_POLYGON_NOT_FINITE,         // a coordinate is infinite or NaN
    CD_POLYGON_REPEATED_VERTEX,    // equal to the vertex before it
    CD_POLYGON_ZERO_AREA,          // all vertices on one line
    CD_POLYGON_CLOCKWISE,          // convex but listed clockwise
    CD_POLYGON_NOT_CONVEX,         // turns the wrong way at this vertex, or folds back on itself
    CD_POLYGON_COLLINEAR,          // on the line through its neighbours, between them
    CD_POLYGON_SELF_INTERSECTING,  // turns left everywhere but more than once around, as a pentagram does
} cd_polygon_fault_kind;

typedef struct cd_polygon_fault {
    cd_polygon_fault_kind kind;
    int32_t vertex;  // the vertex meant, from 0; -1 when the whole polygon is
} cd_polygon_fault;

// The first fault in the order of the enumeration (all turns exact); kind CD_POLYGON_OK for a legal polygon.
cd_polygon_fault cd_polygon_check(const cd_vec2 *vertex, int32_t count);
// What is wrong, without the vertex's number: "is listed clockwise; ...". "is legal" for CD_POLYGON_OK.
const char *cd_polygon_fault_text(cd_polygon_fault_kind kind);
// The check as a status: CD_ERR_FORMAT with "vertex 3 lies on the line ..." in diag.
cd_status cd_polygon_validate(const cd_vec2 *vertex, int32_t count, cd_diag *diag) CD_MUST_CHECK;

// ---- measures ------------------------------------------------------------------------------------------------------

typedef struct cd_polygon_moments {
    double area;       // [m^2] negative when listed clockwise
    cd_vec2 centroid;  // [m] of the area; the mean of the vertices when the area is 0
    double polar;      // [m^4] second polar moment about the centroid: inertia / areal density
} cd_polygon_moments;

// Relative errors of area and polar moment (24 + 4 n) 2^-52 for legal polygons wherever they lie and however thin they
// are; the centroid's error is 2 n 2^-52 of the diameter and the rounding of its coordinates.
cd_polygon_moments cd_polygon_measure(cd_polygon polygon);
double cd_polygon_area(cd_polygon polygon);           // [m^2] the same area alone
double cd_polygon_perimeter(cd_polygon polygon);      // [m]
double cd_polygon_shortest_edge(cd_polygon polygon);  // [m] what a geometric epsilon must stay well below
cd_aabb cd_polygon_bounds(cd_polygon polygon);        // the exact box; index 2 is 0
// The largest distance of a vertex from `centre`, rounded up.
double cd_polygon_radius(cd_polygon polygon, cd_vec2 centre);
// The polygon placed by `pose`, in `out` (room for local.count vertices, may be local.vertex itself).
cd_polygon cd_polygon_place(cd_polygon local, cd_pose2 pose, cd_vec2 *out);
// Whether `point` lies inside or on the boundary; exact.
bool cd_polygon_contains(cd_polygon polygon, cd_vec2 point);

// The convex hull: counter-clockwise from the vertex of least x (then least y), no collinear points, exact. Fewer than
// three vertices when all points lie on one line (two) or in one place (one). index[i] (NULL: not wanted; room for
// point_count) receives the least index of the point that is hull vertex i. @owns arena
cd_polygon cd_hull2(const cd_vec2 *point, int32_t point_count, cd_arena *arena, int32_t *index);

// ---- intersection --------------------------------------------------------------------------------------------------

// Whether the interiors have no point in common (touching polygons are disjoint): some edge of a or b has no vertex of
// the other strictly inside its line.
bool cd_polygon_disjoint(cd_polygon a, cd_polygon b);

// The edges of a and b that an edge of the intersection lies on; -1 when on none of that polygon. Both are set where
// the boundaries run along each other.
typedef struct cd_clip_origin {
    int32_t a, b;
} cd_clip_origin;

typedef struct cd_clip2 {
    cd_polygon polygon;            // counter-clockwise; count 0: the interiors meet nowhere, or within rounding only
    const cd_clip_origin *origin;  // of edge i of `polygon`
} cd_clip2;

// The intersection of a and b; at most a.count + b.count vertices, no two consecutive ones equal. @owns arena
cd_clip2 cd_polygon_clip(cd_polygon a, cd_polygon b, cd_arena *arena);

// The area [m^2] of the intersection. Exactly 0 for disjoint polygons, never negative. Absolute error at most
// (64 + n + m) 2^-52 d (d_a + d_b) with the diameters d_a, d_b of the polygons and d the lesser of the two: clipping
// at an edge moves its line by at most 2^-48 (d_a + d_b), over a chord not longer than d, and the chords together are
// not longer than the perimeter of the smaller polygon; the shoelace sum adds n + m roundings of d^2.
double cd_polygon_overlap_area(cd_polygon a, cd_polygon b, cd_arena *scratch);

// ---- distance ------------------------------------------------------------------------------------------------------

typedef enum cd_feature2_kind {
    CD_FEATURE2_NONE = -1,  // the surface has no numbered features (circle, half-plane)
    CD_FEATURE2_VERTEX = 0,
    CD_FEATURE2_EDGE = 1,
} cd_feature2_kind;

typedef struct cd_feature2 {
    cd_feature2_kind kind;
    int32_t index;  // from 0; -1 for CD_FEATURE2_NONE
} cd_feature2;

// The signed distance of two shapes of the plane.
typedef struct cd_distance2 {
    double gap;                        // [m] > 0 the distance, 0 touching, < 0 minus the penetration depth
    cd_vec2 normal;                    // unit, from a to b
    cd_vec2 point_a, point_b;          // [m] world, on the boundaries; point_b - point_a = gap * normal up to rounding
    cd_feature2 feature_a, feature_b;  // what the points lie on
    bool is_degenerate;                // of an ellipse: the normal is one of several that would do
    bool has_potential;
    double potential, lambda;  // [1] of two ellipses (cd_perram.h), where has_potential
} cd_distance2;

static inline cd_distance2 cd_distance2_flip(cd_distance2 d)  // the same with a and b exchanged
{
    cd_distance2 flipped = d;
    flipped.normal = cd_negate2(d.normal);
    flipped.point_a = d.point_b;
    flipped.point_b = d.point_a;
    flipped.feature_a = d.feature_b;
    flipped.feature_b = d.feature_a;
    flipped.lambda = d.has_potential ? 1 - d.lambda : 0;
    return flipped;
}

// How far the other polygon stays outside the line of one edge.
typedef struct cd_edge_gap {
    double value;    // [m] the least signed distance of its vertices from the line, > 0 outside; sign exact
    int32_t vertex;  // the vertex that has it; the lowest index among equals
} cd_edge_gap;

// For edge `edge` of `owner` against the vertices of `other`. O(other.count)
cd_edge_gap cd_polygon_edge_gap(cd_polygon owner, int32_t edge, cd_polygon other);

typedef struct cd_separation2 {
    double value;       // [m] the largest edge gap of both polygons; >= 0 proves separation, < 0 means overlap
    bool is_edge_of_b;  // which polygon owns the edge
    int32_t edge;       // index in its owner
    int32_t vertex;     // index in the other polygon
} cd_separation2;

// The separating-edge value. It is the distance only where the nearest features are an edge and a vertex above it.
cd_separation2 cd_polygon_separation(cd_polygon a, cd_polygon b);

// The distance, or minus the depth: the least translation that parts them, which is always along an edge normal. Sign
// exact; absolute error 2^-49 (d_a + d_b + max(gap, 0)) (the diameters). Where two edges have the same depth but for
// rounding either may be taken, and the points then lie as much beside each other. Where two parallel edges face each
// other (parallel as far as the rounding of their coordinates lets it be known) both features are edges and the points
// lie in the middle of their common part.
cd_distance2 cd_polygon_distance(cd_polygon a, cd_polygon b);

// From `polygon` (side a) to a point (side b): > 0 outside, 0 on the boundary, inside minus the distance to the nearest
// edge. feature_b is CD_FEATURE2_NONE. At a vertex itself the normal is that of an adjacent edge.
cd_distance2 cd_polygon_point_distance(cd_polygon polygon, cd_vec2 point);

// ---- area contact --------------------------------------------------------------------------------------------------

typedef enum cd_area_status {
    CD_AREA_NONE = 0,    // the interiors do not meet: no contact, nothing else is set
    CD_AREA_CONTACT,     // all fields as described
    CD_AREA_DEGENERATE,  // the boundary gives no normal (one polygon inside the other, opposite edges that cancel, an
                         // overlap too thin to have an area): the normal is the direction of least penetration and
                         // the gap minus the depth along it
    CD_AREA_OUTSIDE,     // the point lies outside a or b by more than epsilon: ill-conditioned, to be dropped
} cd_area_status;

typedef struct cd_area_contact {
    cd_area_status status;
    cd_vec2 point;   // [m] the area centroid of the intersection
    cd_vec2 normal;  // unit, from a to b: sum over edges on a of L^2 N minus the same over edges on b (L length, N
                     // outward normal of an edge of the intersection; an edge on both enters both sums)
    double size;     // [m] half the perimeter of the intersection: what half its surface is in space
    double area;     // [m^2] of the intersection
    double gap;      // [m] <= 0, minus the extent of the intersection along the normal. An extent above epsilon is
                     // checked: a and b, moved apart by it each, are at a distance d; then gap = min(d - 2 extent, 0)
    int32_t surface_a, surface_b;  // the edge of a and of b whose line is nearest to the point
} cd_area_contact;

// epsilon [m] >= 0: points closer than it are one.
cd_area_contact cd_polygon_area_contact(cd_polygon a, cd_polygon b, double epsilon, cd_arena *scratch);

// Whether (a, b) are computed in this order (else exchanged): fewer vertices first, then shorter edges from edge 0 on,
// then lesser coordinates. Used by all symmetric kernels.
bool cd_polygon_in_order(cd_polygon a, cd_polygon b);

#endif
