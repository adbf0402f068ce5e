// broad_buckets -- where pairs go from the cache, on their way to canonical order: into buckets of consecutive lower
// items, each a chain of chunks that lie anywhere in one memory of run lifetime. Nothing need be counted before, and
// no pair is read twice from main memory.
// SPDX-License-Identifier: MIT
#ifndef BROAD_BUCKETS_H
#define BROAD_BUCKETS_H

#include "cd_box_pairs.h"
#include "cd_memory.h"

#include <stdint.h>

enum {
    CD_BROAD_CHUNK_BITS = 9,
    CD_BROAD_CHUNK = 1 << CD_BROAD_CHUNK_BITS,  // places; the first one tells of the chunk before
};

typedef struct cd_broad_buckets {
    int shift;      // bucket of a pair: its lower item >> shift
    int32_t count;  // of buckets
    // [count] behind the last pair of the bucket; 0: it is empty; a multiple of CD_BROAD_CHUNK: its chunk is full
    uint32_t *end;
    uint32_t *chunks;  // [count] how many the bucket has
    uint32_t used;     // chunks in all; number 0 stays empty
    cd_region ends, numbers, places;
} cd_broad_buckets;

// The shift for pairs of so many items, if there are as many pairs as foretold.
int cd_broad_bucket_shift(int32_t items, int64_t pairs);

// Empties them, for other items.
void cd_broad_buckets_start(cd_broad_buckets *buckets, int32_t items, int shift);
// Each pair as (lower, upper).
void cd_broad_buckets_add(cd_broad_buckets *buckets, const cd_box_pair *pair, int64_t count);
int64_t cd_broad_buckets_size(const cd_broad_buckets *buckets, int32_t bucket);  // its pairs
void cd_broad_buckets_release(cd_broad_buckets *buckets);

// The pairs of one chunk of a bucket.
typedef struct cd_broad_stretch {
    const cd_box_pair *pair;
    int32_t count;
    uint32_t before;  // the `end` of the chunk before; 0: there is none
} cd_broad_stretch;

// end: of the bucket, or `before` of a stretch; not 0.
static inline cd_broad_stretch cd_broad_stretch_at(const cd_broad_buckets *buckets, uint32_t end)
{
    uint32_t begin = (end - 1) >> CD_BROAD_CHUNK_BITS << CD_BROAD_CHUNK_BITS;
    const cd_box_pair *place = (const cd_box_pair *)buckets->places.data + begin;
    return (cd_broad_stretch){place + 1, (int32_t)(end - begin - 1), (uint32_t)place->a};
}

#endif
