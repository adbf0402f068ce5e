// Every box against every other, of two groups each of the one against each of the other: the oracle of all methods,
// and the fastest for few boxes.
// SPDX-License-Identifier: MIT
#include "broad_method.h"

static void find_among_all(const cd_broad_run *run)
{
    const cd_broad_input *input = run->input;
    for (int32_t i = 0; i < input->count && !cd_broad_is_full(run, 0); i++)
        for (int32_t j = i + 1; j < input->count; j++)
            if (cd_broad_overlaps(input, i, j))
                cd_broad_emit(input, run->pairs, i, j);
}

// Two that are of both groups are met twice, and taken once.
static void find_between_groups(const cd_broad_run *run)
{
    const cd_broad_input *input = run->input;
    int32_t *slave = CD_ARENA_ARRAY(run->arena, int32_t, input->count), slaves = 0;
    int32_t *master = CD_ARENA_ARRAY(run->arena, int32_t, input->count), masters = 0;
    for (int32_t i = 0; i < input->count; i++) {
        slave[slaves] = master[masters] = i;
        slaves += (input->class[i] & CD_BROAD_IN_A) != 0;
        masters += (input->class[i] & CD_BROAD_IN_B) != 0;
    }
    for (int32_t s = 0; s < slaves && !cd_broad_is_full(run, 0); s++)
        for (int32_t m = 0, i = slave[s]; m < masters; m++) {
            int32_t j = master[m];
            unsigned both = input->class[i] & input->class[j] & CD_BROAD_UNGROUPED;
            if (cd_broad_overlaps(input, i, j) && (both != CD_BROAD_UNGROUPED || i < j))
                cd_broad_emit(input, run->pairs, i, j);
        }
}

static void find(const cd_broad_run *run)
{
    if (run->input->class)
        find_between_groups(run);
    else
        find_among_all(run);
}

const cd_broad_method cd_broad_brute = {
    "brute", "every box against every other", "O(n^2)", "0", "exhaustive comparison", find, NULL, NULL, false};
