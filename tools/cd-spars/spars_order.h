// spars_order -- canonical order of contacts, and the radix sort behind all orders here.
//
// Canonical: by (id and part of a, id and part of b), then features, surfaces, kind and point, and by the contact's own
// id where all that is equal. So it depends neither on the order of rows nor, as far as contacts differ, on how they
// are numbered.
// SPDX-License-Identifier: MIT
#ifndef SPARS_ORDER_H
#define SPARS_ORDER_H

#include "cd_records.h"

typedef struct cd_spars_keyed {
    uint64_t key;
    int32_t number;
} cd_spars_keyed;

// Stable, by key: least significant digit first, 11 bits at a time, digits that are all equal left out. Scratch memory
// from the arena is given back.
void cd_spars_sort(cd_arena *arena, cd_spars_keyed *keyed, int32_t count);

// The rows `row[0..count-1]` of `contact` put into canonical order, in place. body_rank: by body row, its place by id
// (cd_body_order). O(count) when they are in order already or no two have the same parts.
void cd_spars_canonical(cd_arena *arena, int dim, const cd_contact_rows *contact, const int32_t *body_rank,
                        int32_t *row, int32_t count);

// Features and surfaces of a contact as they are compared: features by kind, then number.
typedef struct cd_spars_marks {
    int32_t mark[4];
} cd_spars_marks;
cd_spars_marks cd_spars_marks_of(const cd_contact_rows *contact, int32_t row);
int cd_spars_marks_compare(const cd_spars_marks *left, const cd_spars_marks *right);  // < 0, 0, > 0

#endif
