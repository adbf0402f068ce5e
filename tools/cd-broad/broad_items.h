// broad_items -- the parts that a frame of cd-broad works on, with their boxes: of bodies, or the stream's own.
// SPDX-License-Identifier: MIT
#ifndef BROAD_ITEMS_H
#define BROAD_ITEMS_H

#include "broad_facets.h"
#include "broad_stage.h"
#include "cd_bodies.h"

// The parts that take part, in canonical order. Where the stream's own bounds are used and already are in that order,
// site, min and max are the stream's columns; else they are new, and become the columns of the result.
typedef struct cd_broad_items {
    int32_t count, stored;  // stored: of which the arrays are; the others stand apart (cd_broad_still)
    int32_t *site;          // body row, leaf
    double *min, *max;      // [m] dim an item
    int32_t *body;          // rank; NULL: every item is a body of its own
    uint8_t *class;         // NULL: all dynamic, no groups
    double *ball;           // [m] centre and radius, dim + 1 an item; NULL: boxes alone decide
    cd_broad_still standing;
    int32_t standing_row;     // its body; of no meaning where none stands
    cd_broad_facets *facets;  // NULL: none is asked itself
} cd_broad_items;

// Room for `capacity` sites and boxes; `count` stays as it is. @owns arena
void cd_broad_items_make(cd_arena *arena, int dim, int32_t capacity, cd_broad_items *items);

bool cd_broad_is_of_spheres(const cd_broad_options *options);  // pairs are of balls, not of boxes

// The parts of the bodies that take part. `items` is all zeros before. @owns arena, or the stage where boxes are kept
cd_status cd_broad_items_from_bodies(cd_arena *arena, cd_broad_stage *stage, const cd_model *in, cd_body_order order,
                                     cd_broad_items *items, cd_diag *diag) CD_MUST_CHECK;

// The rows of `bounds`; `items` as above. CD_ERR_FORMAT for rows that are no boxes, there twice, or not there.
// @owns arena, or the columns of the stream where these are in canonical order
cd_status cd_broad_items_from_bounds(cd_arena *arena, const cd_model *in, cd_body_order order, cd_broad_items *items,
                                     cd_diag *diag) CD_MUST_CHECK;

#endif
