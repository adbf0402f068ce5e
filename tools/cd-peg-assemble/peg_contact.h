// peg_contact -- what the contact models see of a contact: where it sits, its features, its gap and how it was judged.
// No records, no dimension: bodies are ranks in the canonical order (by user id), features are numbers.
// SPDX-License-Identifier: MIT
#ifndef PEG_CONTACT_H
#define PEG_CONTACT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// Which body gives the vertex of a vertex-edge contact. Contacts without such a feature pair (closest points, areas,
// closed forms) belong to no vertex: every model takes each of them as unilateral.
typedef enum cd_peg_side { CD_PEG_VERTEX_OF_A = 0, CD_PEG_VERTEX_OF_B = 1, CD_PEG_NO_VERTEX = 2 } cd_peg_side;

typedef struct cd_peg_contact {
    int32_t body[2], part[2];  // of a and b: rank of the body, leaf of its shape
    int32_t corners[2];        // number of vertices of the two leaves; vertex contacts only
    cd_peg_side side;
    int32_t vertex, edge;  // edge i runs from vertex i to vertex i + 1
    double gap;            // [m]
    double applicability;  // (29), -1..1; NaN: not judged, counts as applicable
    double feasible;       // [rad] pi/2 inside the facet's Voronoi region, else asin(gap / distance); NaN: not judged
} cd_peg_contact;

// [rad] asin(0.2): the authors' program takes applicability > -0.2 in the plane.
#define CD_PEG_THETA 0.2013579207903308

// Thresholds of the filters, (29) and Section 4 of the paper.
typedef struct cd_peg_limits {
    double theta;  // [rad] applicable when applicability >= -sin(theta); pi/2 takes all
    double phi;    // [rad] outside the Voronoi region: feasible down to this angle below the facet's plane
    double delta;  // [m] inside it: feasible when gap >= -delta; infinite takes all
} cd_peg_limits;

static inline bool cd_peg_is_applicable(const cd_peg_contact *contact, const cd_peg_limits *limits)
{
    return !(contact->applicability < -sin(limits->theta));
}

// The Voronoi region's sentinel is pi/2 as printed by the detector; asin cannot reach it from outside but on its
// border.
static inline bool cd_peg_is_feasible(const cd_peg_contact *contact, const cd_peg_limits *limits)
{
    double half_pi = 1.5707963267948966;
    return contact->feasible >= half_pi ? !(contact->gap < -limits->delta) : !(contact->feasible < -limits->phi);
}

#endif
