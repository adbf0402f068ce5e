// spars_select -- which contacts of a frame are kept.
//
// The rule. Contacts that are not new are kept. New ones are visited by descending area, those without an area last,
// equal ones in canonical order; a contact is deleted
//     when its area is below minarea; else
//     when a contact that is kept already, and shares a body with it, is adjacent to it on such a body and has an area
//     A with area < threshold A; else
//     when a contact that is kept already, and shares a body with it, is nearer than mindist.
// Adjacent on a body: made by the same part, or by adjacent ones (spars_adjacency.h). A contact without an area is
// judged by its distance alone, and deletes by its distance alone. Since threshold <= 1, what is kept keeps to the
// rule among itself: a second pass deletes nothing.
//
// Of all kept contacts that are adjacent, the one of the largest area decides: spars_sites.h keeps that one number for
// each part of each body. For distances spars_kept.h has the kept points of each body, on a grid where they are many.
// Each contact then looks at a bounded number of others: O(n) for n contacts, after sorting by radix.
// SPDX-License-Identifier: MIT
#ifndef SPARS_SELECT_H
#define SPARS_SELECT_H

#include "spars_adjacency.h"

typedef enum cd_spars_verdict {
    CD_SPARS_NO_PART,  // not in `order`
    CD_SPARS_KEPT,
    CD_SPARS_DELETED_MINAREA,
    CD_SPARS_DELETED_AREA,
    CD_SPARS_DELETED_DISTANCE,
    CD_SPARS_VERDICT_COUNT
} cd_spars_verdict;

typedef struct cd_spars_rule {
    double threshold;  // [1] in [0, 1]
    double minarea;    // [m^2], in 2-D [m]; >= 0
    double mindist;    // [m] >= 0
} cd_spars_rule;

// Contacts by row. Parts must be leaves of their bodies' shapes.
typedef struct cd_spars_input {
    int dim;
    int32_t count, body_count;
    const int32_t *a, *b;       // 2 a contact: body, part
    const double *point;        // [m] dim a contact
    const double *area;         // [m^2] or [m], >= 0; NaN, or all NULL: none
    const int32_t *body_shape;  // -1, or all NULL: no shape: each part is adjacent to itself alone
    const cd_adjacency *adjacency;
    const int32_t *order;  // rows of the contacts that take part, in canonical order
    int32_t order_count;
    const bool *is_new;  // by row; NULL: all are
} cd_spars_input;

// verdict: by row, `count` long. Memory from the arena, given back before it returns.
void cd_spars_select(cd_arena *arena, const cd_spars_input *input, const cd_spars_rule *rule, uint8_t *verdict);

#endif
