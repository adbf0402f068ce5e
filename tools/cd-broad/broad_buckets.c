// SPDX-License-Identifier: MIT
#include "broad_buckets.h"

#include "cd_assert.h"

#include <string.h>

int cd_broad_bucket_shift(int32_t items, int64_t pairs)
{
    enum {
        PAIRS = 32768,   // aimed at: with scratch about 330 KiB, inside a second-level cache
        MOST = 1 << 16,  // items: their number within a bucket has 16 bits
        LEAST = 256,
    };
    int64_t bucket_items = pairs ? (int64_t)PAIRS * items / pairs : MOST;
    bucket_items = bucket_items < LEAST ? LEAST : bucket_items > MOST ? MOST : bucket_items;
    int shift = 0;
    while ((2 << shift) <= bucket_items)
        shift++;
    return shift;
}

void cd_broad_buckets_start(cd_broad_buckets *buckets, int32_t items, int shift)
{
    buckets->shift = shift;
    buckets->count = items > 0 ? ((items - 1) >> shift) + 1 : 0;
    buckets->used = 1;
    size_t bytes = (size_t)buckets->count * sizeof *buckets->end;
    cd_region_reserve(&buckets->ends, 0, bytes);
    cd_region_reserve(&buckets->numbers, 0, bytes);
    buckets->end = buckets->ends.data;
    buckets->chunks = buckets->numbers.data;
    if (bytes) {
        memset(buckets->end, 0, bytes);
        memset(buckets->chunks, 0, bytes);
    }
}

// Returns the first place for a pair.
static __attribute__((noinline)) uint32_t open_chunk(cd_broad_buckets *buckets, uint32_t bucket)
{
    const size_t bytes = CD_BROAD_CHUNK * sizeof(cd_box_pair);
    CD_ASSERT(buckets->used < UINT32_MAX >> CD_BROAD_CHUNK_BITS);
    cd_region_reserve(&buckets->places, buckets->used * bytes, (buckets->used + 1) * bytes);
    uint32_t begin = buckets->used++ << CD_BROAD_CHUNK_BITS;
    cd_box_pair *place = (cd_box_pair *)buckets->places.data + begin;
    place->a = (int32_t)buckets->end[bucket];
    buckets->chunks[bucket]++;
    return begin + 1;
}

void cd_broad_buckets_add(cd_broad_buckets *buckets, const cd_box_pair *pair, int64_t count)
{
    enum { AHEAD = 8 };
    uint32_t *end = buckets->end;
    cd_box_pair *place = buckets->places.data;
    int shift = buckets->shift;
    for (int64_t i = 0; i < count; i++) {
        int32_t a = pair[i].a, b = pair[i].b, low = a < b ? a : b, high = a < b ? b : a;
        uint32_t bucket = (uint32_t)low >> shift, at = end[bucket];
        if (__builtin_expect(!(at % CD_BROAD_CHUNK), 0)) {
            at = open_chunk(buckets, bucket);
            place = buckets->places.data;
        }
        cd_box_pair ordered = {low, high};
        memcpy(place + at, &ordered, sizeof ordered);
        __builtin_prefetch(place + at + AHEAD, 1);
        end[bucket] = at + 1;
    }
}

int64_t cd_broad_buckets_size(const cd_broad_buckets *buckets, int32_t bucket)
{
    uint32_t end = buckets->end[bucket];
    if (!end)
        return 0;
    return (int64_t)(buckets->chunks[bucket] - 1) * (CD_BROAD_CHUNK - 1) + (end - 1) % CD_BROAD_CHUNK;
}

void cd_broad_buckets_release(cd_broad_buckets *buckets)
{
    cd_region_release(&buckets->ends);
    cd_region_release(&buckets->numbers);
    cd_region_release(&buckets->places);
    *buckets = (cd_broad_buckets){0};
}
