// SPDX-License-Identifier: MIT
#include "cd_gap3.h"

#define X(name) extern const cd_gap3_pair cd_gap3_##name;
#include "gap3_pairs.def"
#undef X

const cd_gap3_pair *const cd_gap3_pairs[] = {
#define X(name) &cd_gap3_##name,
#include "gap3_pairs.def"
#undef X
    NULL,
};

const cd_gap3_pair *cd_gap3_pair_for(int32_t kind_a, int32_t kind_b)
{
    int32_t first = kind_a < kind_b ? kind_a : kind_b, second = kind_a < kind_b ? kind_b : kind_a;
    for (int i = 0; cd_gap3_pairs[i]; i++)
        if (cd_gap3_pairs[i]->kind_a == first && cd_gap3_pairs[i]->kind_b == second)
            return cd_gap3_pairs[i];
    return NULL;
}

cd_gap3 cd_gap3_measure(const cd_gap3_pair *pair, const cd_solid3 *a, const cd_solid3 *b, cd_arena *scratch)
{
    if (a->kind <= b->kind)
        return pair->gap(a, b, scratch);
    return cd_gap3_flip(pair->gap(b, a, scratch));
}
