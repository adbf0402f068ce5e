// gram_kept -- analyses of patterns that come again: what rests touches the same bodies in step after step.
//
// A pattern is the same where all columns of all groups are, entry by entry; the factor is then, bit for bit, that of a
// new analysis. A few patterns are kept, each until as many others have come; small ones and those with C
// (gram_factor.h) are analysed anew. Memory: a
// pattern and its analysis each. Threads may ask at the same time.
// SPDX-License-Identifier: MIT
#ifndef GRAM_KEPT_H
#define GRAM_KEPT_H

#include "gram_factor.h"

typedef struct cd_gram_kept cd_gram_kept;

cd_gram_kept *cd_gram_kept_make(void);  // @owns caller (cd_gram_kept_release)
void cd_gram_kept_release(cd_gram_kept *kept);
// As cd_gram_analyse; kept may be NULL. @owns arena
cd_gram *cd_gram_recall(cd_gram_kept *kept, const cd_gram_groups *groups, cd_arena *arena);

#endif
