// cd_contact_limits -- which contacts of features are taken: the limits of applicability and feasibility, and who takes
// part at all.
//
// Detectors report both angles and threshold nothing; who takes contacts does, here, so that every tool decides alike
// and one can explain what another one decided. Source: Williams, Lu & Trinkle, J. Comput. Nonlinear Dynam. 12 (2017)
// 021001, (29) and section 4; limits of space: the authors' program.
// SPDX-License-Identifier: MIT
#ifndef CD_CONTACT_LIMITS_H
#define CD_CONTACT_LIMITS_H

#include "cd_contact_words.h"
#include "cd_feasible.h"

#include <stdbool.h>
#include <stdint.h>

// [rad] asin(0.2): the authors' program takes applicability > -0.2 in the plane.
#define CD_CONTACT_THETA 0.2013579207903308

// The configurations of vertices and faces that the limits of applicability belong to.
typedef enum cd_contact_configuration {
    CD_CONTACT_AT_FACE,        // a vertex at one face; the plane knows no other
    CD_CONTACT_AT_EDGE,        // space: a vertex at two faces
    CD_CONTACT_AT_VERTEX,      // space: a vertex at more of them
    CD_CONTACT_AT_CROSSING,    // two edges
    CD_CONTACT_ACROSS_EDGE,    // space: members of X-constraints of a vertex and an edge, (36)
    CD_CONTACT_ACROSS_VERTEX,  // space: of two vertices, (38)
    CD_CONTACT_CONFIGURATIONS
} cd_contact_configuration;

typedef struct cd_contact_limits {
    double theta[CD_CONTACT_CONFIGURATIONS];  // [rad] applicable when applicability >= -sin(theta); pi/2 takes all
    double phi;    // [rad] outside the Voronoi region: feasible down to this angle below the face's plane
    double delta;  // [m] inside it: feasible when gap >= -delta; infinite takes all
} cd_contact_limits;

// What is taken where nobody asked otherwise. dim 2 or 3. is_filtered: in the plane, by theta; space always is.
// is_printed: across corners of space as much is given away as the paper prints.
cd_contact_limits cd_contact_limits_usual(int dim, bool is_filtered, bool is_printed);

// applicability [1] in [-1, 1]; NaN: not judged, counts as applicable.
static inline bool cd_contact_is_applicable(double applicability, const cd_contact_limits *limits,
                                            cd_contact_configuration configuration)
{
    return !(applicability < -sin(limits->theta[configuration]));
}

// feasible [rad] (cd_feasible.h), gap [m]; NaN: not judged, counts as feasible.
static inline bool cd_contact_is_feasible(double feasible, double gap, const cd_contact_limits *limits)
{
    return feasible >= CD_FEASIBLE_INSIDE ? !(gap < -limits->delta) : !(feasible < -limits->phi);
}

// Contacts of these statuses are shown, and no more.
static inline bool cd_contact_takes_part(int32_t status)
{
    return status != CD_STATUS_OUTSIDE && status != CD_STATUS_DELETED;
}

#endif
