// Every box against every other: the oracle of all methods, and the fastest for few boxes.
// SPDX-License-Identifier: MIT
#include "broad_method.h"

static void find(const cd_broad_run *run)
{
    const cd_broad_input *input = run->input;
    for (int32_t i = 0; i < input->count && !cd_broad_is_full(run, 0); i++)
        for (int32_t j = i + 1; j < input->count; j++)
            if (cd_broad_overlaps(input, i, j))
                cd_broad_emit(input, run->pairs, i, j);
}

const cd_broad_method cd_broad_brute = {
    "brute", "every box against every other", "O(n^2)", "0", "exhaustive comparison", find, NULL};
