// spars_sites -- for each part of each body: the largest area of the kept contacts that are adjacent to one there.
//
// make -> any number of (largest, raise). An area is handed to the neighbours of its part when it is the part's largest
// so far. Areas come in descending order, apart from a first run of contacts that are not new, so that a part
// hands over at most twice, and a part with many contacts and many neighbours costs their sum, not their product.
// Cost: O(1) a question for shapes of few leaves, O(log k) for a body with k contacts and many more leaves.
// SPDX-License-Identifier: MIT
#ifndef SPARS_SITES_H
#define SPARS_SITES_H

#include "spars_select.h"

typedef struct cd_spars_site {
    double own;   // largest kept area of the part itself; -1: none
    double near;  // and of the parts adjacent to it; of a vertex: of the triangles around it
} cd_spars_site;

typedef struct cd_spars_sites {
    const cd_spars_input *input;
    cd_arena *arena;
    size_t *first;         // by body: its first site
    const bool *is_dense;  // by body: a site for each node, first + node; else only for nodes that contacts touch:
    int64_t *node;         // by site, ascending within a body
    cd_spars_site *site;
    cd_node_list neighbours;
} cd_spars_sites;

// first: by body, of its contacts' sides (count_sides); `input` must outlive the result. @owns arena
cd_spars_sites cd_spars_sites_make(cd_arena *arena, const cd_spars_input *input, const int32_t *first);

// The largest area of what is kept and adjacent to a contact on one of its bodies; below 0 when there is nothing.
double cd_spars_sites_largest(const cd_spars_sites *sites, int32_t row);
void cd_spars_sites_raise(cd_spars_sites *sites, int32_t row, double area);  // the contact is kept

#endif
