// Sort-and-sweep on one axis, see cd_box_pairs.h: O(n log n + k), k the pairs that overlap along the widest axis.
// SPDX-License-Identifier: MIT
#include "broad_method.h"

static bool is_wanted(const void *input, int32_t i, int32_t j)
{
    return cd_broad_wanted(input, i, j);
}

static void find(const cd_broad_input *input, cd_arena *arena, cd_box_pairs *pairs)
{
    cd_box_sweep(input->box, input->count, input->dim, is_wanted, input, arena, pairs);
}

const cd_broad_method cd_broad_sweep = {"sweep", "sort-and-sweep along the widest axis, O(n log n + k)",
                                        "Baraff 1992", find};
