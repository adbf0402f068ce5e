// SPDX-License-Identifier: MIT
#include "broad_method.h"

#define X(name) extern const cd_broad_method cd_broad_##name;
#include "broad_methods.def"
#undef X

const cd_broad_method *const cd_broad_methods[] = {
#define X(name) &cd_broad_##name,
#include "broad_methods.def"
#undef X
    NULL,
};

const char *const cd_broad_method_names[] = {
#define X(name) #name,
#include "broad_methods.def"
#undef X
    "auto", NULL,
};

const cd_broad_method *cd_broad_method_find(const char *name)
{
    for (int i = 0; cd_broad_methods[i]; i++)
        if (!strcmp(cd_broad_methods[i]->name, name))
            return cd_broad_methods[i];
    return NULL;
}

// Items from which sorting pays: below, comparing all boxes is faster (measured: equal at about 80 boxes of like size with
// a handful of neighbours each).
enum { SWEEP_PAYS_FROM = 80 };

const cd_broad_method *cd_broad_method_auto(int32_t count)
{
    return count < SWEEP_PAYS_FROM ? &cd_broad_brute : &cd_broad_sweep;
}

cd_box_pairs cd_broad_find(const cd_broad_method *method, const cd_broad_input *input, cd_arena *arena)
{
    cd_box_pairs pairs = {0};
    method->find(input, arena, &pairs);
    cd_box_pairs_sort(&pairs, arena);
    return pairs;
}
