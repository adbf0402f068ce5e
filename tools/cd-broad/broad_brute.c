// Every box against every other: O(n^2) time, no memory. The oracle of all methods, and the fastest for few boxes.
// SPDX-License-Identifier: MIT
#include "broad_method.h"

static void find(const cd_broad_input *input, cd_arena *arena, cd_box_pairs *pairs)
{
    for (int32_t i = 0; i < input->count; i++)
        for (int32_t j = i + 1; j < input->count; j++)
            if (cd_aabb_overlaps(&input->box[i], &input->box[j], input->dim) && cd_broad_wanted(input, i, j))
                cd_list_push(arena, pairs, ((cd_box_pair){i, j}));
}

const cd_broad_method cd_broad_brute = {"brute", "all pairs, O(n^2); the reference", "exhaustive comparison", find};
