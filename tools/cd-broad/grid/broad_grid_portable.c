// The scan of the method `grid` in plain C: vectors of four boxes, which gcc and clang make of SSE2, NEON or scalar
// instructions.
// SPDX-License-Identifier: MIT
#include "broad_grid_walk.h"

#include <string.h>

// Unsigned where sums may wrap, signed where signs are asked for.
typedef uint16_t halves __attribute__((vector_size(16)));
typedef int16_t signed_halves __attribute__((vector_size(16)));
enum { LANES = 4 };

GRID_INLINE halves load(const uint32_t *word)
{
    halves result;
    memcpy(&result, word, sizeof result);
    return result;
}

GRID_INLINE halves exchanged(uint32_t word)
{
    uint32_t words[LANES];
    for (int lane = 0; lane < LANES; lane++)
        words[lane] = word << 16 | word >> 16;
    return load(words);
}

GRID_INLINE void grid_compare(grid_view *view, grid_query query, int32_t begin, int32_t end)
{
    signed_halves one_x = (signed_halves)exchanged(query.faces[0]);
    halves one_y = exchanged(query.faces[1]), one_z = exchanged(query.faces[2]);
    const signed_halves none = {0};
    cd_box_pair *out = view->out;
    for (int32_t j = begin; j < end; j += LANES) {
        signed_halves x = (signed_halves)-load(view->faces[0] + j);
        signed_halves y = (signed_halves)(one_y + load(view->faces[1] + j));
        signed_halves z = (signed_halves)(one_z + load(view->faces[2] + j));
        // A half that is negative along some axis means apart, one that is 0 and in no axis negative a tie. Along the
        // rows the sum could overflow, so its sign is found by comparison.
        signed_halves apart = (one_x < x) | ((y | z) < none);
        signed_halves tie = ((one_x == x) | (y == none) | (z == none)) & ~apart;
        uint32_t is_apart[LANES];
        uint64_t any_tie[2];
        memcpy(is_apart, &apart, sizeof is_apart);
        memcpy(any_tie, &tie, sizeof any_tie);
        if (__builtin_expect((any_tie[0] | any_tie[1]) != 0, 0)) {
            uint32_t is_tie[LANES], tied = 0;
            memcpy(is_tie, &tie, sizeof is_tie);
            for (int lane = 0; lane < LANES; lane++)
                if (is_tie[lane] && !is_apart[lane]) {
                    is_apart[lane] = 1;
                    tied |= 1u << lane;
                }
            out = grid_defer(view->input, view->ties, query.item, view->item + j, tied, out);
        }
        for (int lane = 0; lane < LANES; lane++) {
            *out = (cd_box_pair){query.item, view->item[j + lane]};
            out += !is_apart[lane];
        }
    }
    view->out = out;
}

GRID_INLINE int32_t grid_list(const grid_view *view, grid_sides *sides, int32_t count, unsigned wanted)
{
    (void)view;
    int32_t listed = 0;
    for (int32_t k = 0; k < count; k++) {
        sides->list[listed] = (uint16_t)k;
        listed += (sides->side[k] & wanted) == wanted;
    }
    return listed;
}

void cd_grid_scan_portable(void *job, int worker) { grid_walk(job, worker); }
