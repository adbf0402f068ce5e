// broad_order -- the sorting of short lists that broad_order.c shares with its vector versions.
// SPDX-License-Identifier: MIT
#ifndef BROAD_ORDER_H
#define BROAD_ORDER_H

#include <stdint.h>

enum { CD_BROAD_NETWORK = 16, CD_BROAD_NETWORK_AVX2 = 32 };

// Sorts the lists from[list_first[i]] .. from[list_first[i+1]-1] of at most CD_BROAD_NETWORK numbers into the same
// places of `to`; longer ones are left alone.
void cd_broad_sort_lists_avx512(const int32_t *from, const int32_t *list_first, int32_t lists, int32_t *to);

// The same of lists of `least` to CD_BROAD_NETWORK_AVX2 numbers; it may write anything over lists of other lengths.
// There are CD_BROAD_NETWORK_AVX2 numbers more to read behind the last list.
void cd_broad_sort_lists_avx2(const int32_t *from, const int32_t *list_first, int32_t lists, int32_t least,
                              int32_t *to);

#endif
