// SPDX-License-Identifier: MIT
#include "cd_contact_limits.h"

// The authors' sines. In disjunctions across corners of space at most 0.05 may be given away: at a fixed orientation
// only exactly applicable faces of the difference of two cones decide whether they overlap (cd-peg-assemble,
// peg_group3.c).
cd_contact_limits cd_contact_limits_usual(int dim, bool is_filtered, bool is_printed)
{
    static const double all = CD_FEASIBLE_INSIDE, at_vertex = 0.4, at_face = 0.3, at_edge = 0.1, across = 0.05;
    cd_contact_limits limits = {.phi = all, .delta = INFINITY};
    for (int k = 0; k < CD_CONTACT_CONFIGURATIONS; k++)
        limits.theta[k] = is_filtered ? CD_CONTACT_THETA : all;
    if (dim == 3) {
        limits.theta[CD_CONTACT_AT_FACE] = asin(at_face);
        limits.theta[CD_CONTACT_AT_EDGE] = asin(at_edge);
        limits.theta[CD_CONTACT_AT_VERTEX] = limits.theta[CD_CONTACT_AT_CROSSING] = asin(at_vertex);
        limits.theta[CD_CONTACT_ACROSS_EDGE] = asin(is_printed ? at_edge : across);
        limits.theta[CD_CONTACT_ACROSS_VERTEX] = asin(is_printed ? at_vertex : across);
    }
    return limits;
}
