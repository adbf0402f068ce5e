// contact_rows -- the rows of a structure contact by contact: a normal row, then the tangents of its discs.
//
// Packed: row r here is row source[r] of the structure, and its entries stand where groups.place says, as the products
// of cone_product.h and the factors of gram_lu.h want them. w = H u + hold y + q, u = G'y. Normal rows that act on no
// velocity are left out with their tangents: whatever their impulse, w = q.
// SPDX-License-Identifier: MIT
#ifndef CONTACT_ROWS_H
#define CONTACT_ROWS_H

#include "cone_root.h"
#include "gram_factor.h"

typedef struct cd_contact_rows {
    int32_t count, rows;
    int32_t tallest;        // rows of the largest contact
    int32_t *first;         // of contact c the rows first[c] .. first[c + 1] - 1; count + 1
    int32_t *source;        // of each row
    int32_t *partner;       // of each row: the other tangent of its disc, -1: it has none or is a normal row
    double *mu, *q, *hold;  // of each row
    double *H, *G;          // the same array where the problem is symmetric
    int64_t *place;         // of each contact its values,
    int32_t *stride;        // and from one of its rows to the next
    cd_gram_groups groups;
} cd_contact_rows;

// s: without rooms, and symmetric; or, root NULL, of any matrix without velocities: then u are the impulses, one for
// each row of s, and H the matrix. @owns arena
cd_contact_rows cd_contact_rows_make(const cd_lcp_structure *s, const cd_cone_root *root, cd_arena *arena);

void cd_contact_gather(const cd_contact_rows *k, const double *y, double *out);  // out[r] = y[source[r]]
// y (n of the structure): 0 for the rows that are left out.
void cd_contact_scatter(const cd_contact_rows *k, const double *x, int32_t n, double *y);

#endif
