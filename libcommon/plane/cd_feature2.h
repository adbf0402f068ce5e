// cd_feature2 -- potential contacts of two polygons: a vertex of one against an edge of the other.
//
// Polygon a lends the vertices, polygon b the edges; call with the polygons exchanged for the other half of a pair. For
// vertex v of a and edge e of b, with eta the edge's outward unit normal:
//   psi            eta . (v - start of e)           [m] the gap function; > 0 on the outer side of the edge's line
//   overhang       how far v lies beyond the edge's ends along it [m]; <= 0: inside the edge's Voronoi region, the
//                  strip between the perpendiculars at its ends (on both sides of the edge)
//   distance       from v to the edge as a segment  [m] >= 0; |psi| inside the region, >= overhang outside
//   applicability  min over the two neighbours k of v of eta . (k - v) / |k - v|; >= 0: moved to the edge, the whole
//                  corner at v lies outside b's half-plane. In [-1, 1]
//   feasible       [rad] +pi/2 inside the Voronoi region, else asin(psi / distance): the angle at which v is seen over
//                  the edge's line from the edge's nearer end
// Nothing is thresholded here. Source: Williams, Lu & Trinkle, J. Comput. Nonlinear Dynam. 12 (2017) 021001, (28), (29)
// and section 4. Cost: O(1) a vertex and edge, O(n m) a table; a table of 8 x 8 takes about 0.5 us. Errors: a few 2^-53
// of |v - start of e| for lengths, of 1 for applicability. Polygons must be legal (cd_polygon_check).
// SPDX-License-Identifier: MIT
#ifndef CD_FEATURE2_H
#define CD_FEATURE2_H

#include "cd_polygon.h"

// An edge with all that is needed of it, world frame.
typedef struct cd_edge2 {
    cd_vec2 start;    // [m]
    cd_vec2 tangent;  // unit, from start to end
    cd_vec2 normal;   // unit, outward
    double length;    // [m]
} cd_edge2;

// Edge number `edge`; its length must be above 0.
cd_edge2 cd_polygon_edge(cd_polygon polygon, int32_t edge);

typedef struct cd_vertex_edge {
    double psi, overhang, distance;  // [m]
    double applicability;            // [1]
    double feasible;                 // [rad]
} cd_vertex_edge;

// The contact as a point pair: the vertex, and its foot on the edge's line (not clamped to the edge).
static inline cd_vec2 cd_edge_foot(cd_vec2 vertex, double psi, cd_edge2 edge)
{
    return cd_sub2(vertex, cd_scale2(psi, edge.normal));
}

// The values of every vertex of a against every edge of b; entry [v * edges + e].
typedef struct cd_feature2_table {
    int32_t vertices, edges;
    const cd_edge2 *edge;                     // of b
    const double *psi, *overhang, *distance;  // [m]
    const double *applicability;              // [1]
} cd_feature2_table;

// @owns arena
cd_feature2_table cd_feature2_table_make(cd_polygon a, cd_polygon b, cd_arena *arena);

static inline int32_t cd_feature_entry(const cd_feature2_table *table, int32_t vertex, int32_t edge)
{
    return vertex * table->edges + edge;
}
// One entry of the table with its angle. O(1)
cd_vertex_edge cd_feature2_table_at(const cd_feature2_table *table, int32_t vertex, int32_t edge);

#endif
