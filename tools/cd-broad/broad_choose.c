// SPDX-License-Identifier: MIT
#include "broad_find.h"

#include <stdio.h>

// Boxes from which sorting pays: below, comparing all of them is faster (measured: equal at about 80 boxes of like size
// with a handful of neighbours each).
enum { SWEEP_PAYS_FROM = 80 };

cd_broad_choice cd_broad_choose(const cd_broad_input *input, const cd_broad_statistics *statistics)
{
    (void)statistics;
    cd_broad_choice choice = {0};
    bool are_few = input->count < SWEEP_PAYS_FROM;
    choice.method = cd_broad_method_find(are_few ? "brute" : "sweep");
    snprintf(choice.why, sizeof choice.why, "%d boxes", (int)input->count);
    return choice;
}
