// SPDX-License-Identifier: MIT
#include "broad_method.h"

#include "cd_assert.h"

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

// Items from which sorting pays: below, comparing all boxes is faster.
enum { SWEEP_PAYS_FROM = 64 };

const cd_broad_method *cd_broad_method_auto(int32_t count)
{
    return count < SWEEP_PAYS_FROM ? &cd_broad_brute : &cd_broad_sweep;
}

// Least significant digit first, 8 bits at a time; digits that are the same in all keys are skipped.
void cd_broad_sort_keys(uint64_t *key, int32_t count, cd_arena *arena)
{
    uint64_t differing = 0;
    bool is_sorted = true;
    for (int32_t i = 1; i < count; i++) {
        differing |= key[i] ^ key[0];
        is_sorted &= key[i - 1] <= key[i];
    }
    if (is_sorted)
        return;
    cd_arena_mark mark = cd_arena_get_mark(arena);
    uint64_t *from = key, *to = CD_ARENA_ARRAY(arena, uint64_t, count);
    for (int shift = 0; shift < 64; shift += 8) {
        if (!(differing >> shift & 255))
            continue;
        int32_t place[257] = {0};
        for (int32_t i = 0; i < count; i++)
            place[(from[i] >> shift & 255) + 1]++;
        for (int digit = 0; digit < 256; digit++)
            place[digit + 1] += place[digit];
        for (int32_t i = 0; i < count; i++)
            to[place[from[i] >> shift & 255]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != key)
        memcpy(key, from, (size_t)count * sizeof *key);
    cd_arena_rewind(arena, mark);
}

cd_broad_pairs cd_broad_find(const cd_broad_method *method, const cd_broad_input *input, cd_arena *arena)
{
    cd_broad_pairs pairs = {0};
    method->find(input, arena, &pairs);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    uint64_t *key = CD_ARENA_ARRAY(arena, uint64_t, pairs.count);
    for (int32_t i = 0; i < pairs.count; i++) {
        uint64_t a = (uint32_t)pairs.item[i].a, b = (uint32_t)pairs.item[i].b;
        key[i] = a < b ? a << 32 | b : b << 32 | a;
    }
    cd_broad_sort_keys(key, pairs.count, arena);
    for (int32_t i = 0; i < pairs.count; i++) {
        CD_ASSERT(i == 0 || key[i - 1] < key[i]);
        pairs.item[i] = (cd_broad_pair){(int32_t)(key[i] >> 32), (int32_t)(key[i] & UINT32_MAX)};
    }
    cd_arena_rewind(arena, mark);
    return pairs;
}
