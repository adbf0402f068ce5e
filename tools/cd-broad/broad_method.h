// broad_method -- what a broad-phase method is given, what it must give back, and the table of methods.
//
// Input: items, one a part that takes part, in canonical order (body by user id, then part), each with a closed box
// (it may be infinite, never NaN, never inverted), the rank of its body and its class. Dimension 2 or 3. Contract,
// binding on every method: each pair of items that is wanted (cd_broad_wanted) and whose boxes overlap (touching
// counts) is appended exactly once, as (a, b) or (b, a), in any order; nothing else is appended. The input is not
// modified, memory comes from the arena alone, the same input gives the same pairs. cd_broad_find puts a < b and
// sorts, so all methods have the same result to the bit.
//
// A new method is one file broad_NAME.c that defines cd_broad_NAME and one line in broad_methods.def; options, help,
// contract test and benchmark walk the table.
// SPDX-License-Identifier: MIT
#ifndef BROAD_METHOD_H
#define BROAD_METHOD_H

#include "cd_box_pairs.h"

#include <stdbool.h>
#include <stdint.h>

// Class of an item: whether its body is dynamic, and which side of --group A:B it may take (both without that
// option).
enum { CD_BROAD_DYNAMIC = 1, CD_BROAD_IN_A = 2, CD_BROAD_IN_B = 4, CD_BROAD_UNGROUPED = CD_BROAD_IN_A | CD_BROAD_IN_B };

typedef struct cd_broad_input {
    int dim;
    int32_t count;
    const cd_aabb *box;          // [m] world
    const int32_t *body;         // rank of the item's body; not decreasing
    const uint8_t *class;        // CD_BROAD_* bits
} cd_broad_input;

// Parts of one body do not meet each other, two bodies that are not dynamic (fixed or prescribed) never need a
// contact, and with --group one body must be of group A and the other of group B.
static inline bool cd_broad_wanted(const cd_broad_input *input, int32_t i, int32_t j)
{
    unsigned one = input->class[i], other = input->class[j];
    bool is_ab = (one & CD_BROAD_IN_A) && (other & CD_BROAD_IN_B);
    bool is_ba = (one & CD_BROAD_IN_B) && (other & CD_BROAD_IN_A);
    return (is_ab || is_ba) && ((one | other) & CD_BROAD_DYNAMIC) && input->body[i] != input->body[j];
}

typedef struct cd_broad_method {
    const char *name;
    const char *summary;  // one line for --help: what it does and what it costs
    const char *source;   // where the method is from
    void (*find)(const cd_broad_input *input, cd_arena *arena, cd_box_pairs *pairs);
} cd_broad_method;

extern const cd_broad_method *const cd_broad_methods[];  // NULL-ended
extern const char *const cd_broad_method_names[];        // the same names and "auto", NULL-ended
const cd_broad_method *cd_broad_method_find(const char *name);  // NULL when there is none of that name

// The method that was fastest for so many items ("auto").
const cd_broad_method *cd_broad_method_auto(int32_t count);

// Runs a method: pairs with a < b, sorted by (a, b). @owns arena
cd_box_pairs cd_broad_find(const cd_broad_method *method, const cd_broad_input *input, cd_arena *arena);

#endif
