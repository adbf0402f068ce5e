// peg_contact -- what the contact models see of a contact: where it sits, its features, its gap and how it was judged.
// No records, no coordinates: bodies are ranks in the canonical order (by user id), features are numbers. A face is an
// edge of a polygon in the plane, a face of a polyhedron in space.
// SPDX-License-Identifier: MIT
#ifndef PEG_CONTACT_H
#define PEG_CONTACT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// Which body gives the vertex of a contact of a vertex and a face, or that two edges cross. Contacts without such a
// feature pair (closest points, areas, closed forms, separators) belong to no vertex: every model takes each of
// them as unilateral.
typedef enum cd_peg_side {
    CD_PEG_VERTEX_OF_A = 0,
    CD_PEG_VERTEX_OF_B = 1,
    CD_PEG_TWO_EDGES = 2,
    CD_PEG_NO_VERTEX = 3
} cd_peg_side;

// One of the edges of a contact of two edges.
typedef struct cd_peg_edge {
    int32_t number;
    int32_t end;      // the vertex of it that the contact is at; -1: inside the edge
    int32_t face[2];  // face 1 and 2 of (26): to the left and right of who goes from its lower vertex to the other
    double lean;      // -1..1, where there is an end: > 0 over face 1 of the other edge, < 0 over its face 2, (36)
} cd_peg_edge;

typedef struct cd_peg_contact {
    int32_t body[2], part[2];  // of a and b: rank of the body, leaf of its shape
    int32_t corners[2];        // plane: number of vertices of the two leaves; vertex contacts only
    cd_peg_side side;
    int32_t vertex, face;  // vertex contacts; edge i of a polygon runs from vertex i to vertex i + 1
    cd_peg_edge edge[2];   // contacts of two edges: of a, of b
    bool is_left_out;      // on an inner face or edge of a compound, or edges that do not meet: no contact
    bool has_twins;        // its bodies have several parts: other contacts may be the same
    int32_t twin[2];       // with has_twins: numbers of the features of a and b in the whole bodies
    int32_t before;        // 1 + number of the first contact that is the same; 0: this is it
    double gap;            // [m]
    double applicability;  // (29)-(31), -1..1; NaN: not judged, counts as applicable
    double feasible;       // [rad] pi/2 inside the face's Voronoi region, else asin(gap / distance); NaN: not judged
} cd_peg_contact;

#endif
