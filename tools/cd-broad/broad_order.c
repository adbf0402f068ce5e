// Canonical order of raw pairs, in two levels so that all random access stays in the cache.
//
// 1. Partition: pairs go to buckets of consecutive lower items, each pair as its upper item (4 bytes, already in its
//    bucket's place of the result) and its lower item within the bucket (2 bytes). Of pairs that a method handed on
//    (cd_broad_hand_on) this is done.
// 2. Each bucket by itself: counting sort by lower item into scratch memory, then each item's list is sorted into the
//    result. Lists are short where boxes are of like size: up to 8 (32 with AVX2) go through a sorting network whose
//    branches do not depend on the numbers.
//
// Measured with AVX-512, 1e6 uniform boxes, 4.9e6 pairs: 29 ms; one counting sort over all items 62 ms (a cache miss a
// pair, and insertion sorts that mispredict).
// SPDX-License-Identifier: MIT
#include "broad_find.h"

#include "broad_order.h"
#include "cd_assert.h"
#include "cd_vector.h"

enum {
    PAIRS_PER_THREAD = 100000,
    NETWORK = 8,
    HALVES = 2,
    INSERTION_MOST = 32,  // from here on the radix sort is faster
};

typedef struct order_job {
    cd_broad_pairs *pairs;
    int lists, threads;
    cd_vector_level vector;
    int32_t items, buckets;
    int shift;            // bucket of an item: item >> shift
    int64_t *place;       // [lists][HALVES][buckets]: count, then where the half's next pair of the bucket goes
    int64_t *bucket_end;  // [buckets]
    uint16_t *lower;      // [pairs] item within its bucket; NULL: pairs are in buckets
    int32_t *first, *other;
    cd_arena *scratch;    // [threads]
    bool *in_order;       // [lists]
    int64_t next_bucket;  // counter shared by the workers
} order_job;

static inline int32_t lower_of(cd_box_pair p) { return p.a < p.b ? p.a : p.b; }
static inline int32_t upper_of(cd_box_pair p) { return p.a < p.b ? p.b : p.a; }
static inline uint64_t key_of(cd_box_pair p) { return (uint64_t)lower_of(p) << 32 | (uint32_t)upper_of(p); }

// ---- partition -----------------------------------------------------------------------------------------------------

// Each list is read as two halves side by side with counters of their own: neighbouring pairs often fall into one
// bucket, and a chain of increments of one place in memory costs some 8 cycles a link.
static void count_list(void *context, int list)
{
    const order_job *job = context;
    const cd_broad_pairs *pairs = &job->pairs[list];
    int64_t *place = job->place + (int64_t)list * HALVES * job->buckets, *other_place = place + job->buckets;
    memset(place, 0, HALVES * (size_t)job->buckets * sizeof *place);
    int64_t half = pairs->count / 2;
    const cd_box_pair *one = pairs->item, *two = pairs->item + half;
    uint64_t last = 0, other_last = 0;
    bool in_order = true;
    for (int64_t i = 0; i < half; i++) {
        uint64_t key = key_of(one[i]), other_key = key_of(two[i]);
        in_order &= (key > last) & (other_key > other_last);  // no pair has the key 0
        last = key;
        other_last = other_key;
        place[key >> 32 >> job->shift]++;
        other_place[other_key >> 32 >> job->shift]++;
    }
    if (pairs->count % 2) {
        uint64_t key = key_of(two[half]);
        in_order &= key > other_last;
        other_place[key >> 32 >> job->shift]++;
    }
    job->in_order[list] = in_order && (half == 0 || key_of(one[half - 1]) < key_of(two[0]));
}

static void make_places(order_job *job)
{
    int64_t next = 0;
    for (int32_t b = 0; b < job->buckets; b++) {
        for (int l = 0; l < HALVES * job->lists; l++) {
            int64_t *place = &job->place[(int64_t)l * job->buckets + b], count = *place;
            *place = next;
            next += count;
        }
        job->bucket_end[b] = next;
    }
}

static inline void scatter(const order_job *job, int64_t *place, cd_box_pair pair)
{
    int32_t low = lower_of(pair);
    int64_t at = place[low >> job->shift]++;
    job->other[at] = upper_of(pair);
    job->lower[at] = (uint16_t)(low & (int32_t)((1u << job->shift) - 1));
}

static void scatter_list(void *context, int list)
{
    order_job job = *(const order_job *)context;  // a copy that no store can change
    const cd_broad_pairs *pairs = &job.pairs[list];
    int64_t *place = job.place + (int64_t)list * HALVES * job.buckets, *other_place = place + job.buckets;
    int64_t half = pairs->count / 2;
    const cd_box_pair *one = pairs->item, *two = pairs->item + half;
    for (int64_t i = 0; i < half; i++) {
        scatter(&job, place, one[i]);
        scatter(&job, other_place, two[i]);
    }
    if (pairs->count % 2)
        scatter(&job, other_place, two[half]);
}

// Pairs that were handed on, and what is left of them.
static void hand_on_rest(void *context, int list)
{
    const order_job *job = context;
    if (job->pairs[list].count > 0)
        cd_broad_hand_on_(&job->pairs[list]);
}

static void find_bucket_ends(const order_job *job)
{
    int64_t end = 0;
    for (int32_t b = 0; b < job->buckets; b++) {
        for (int l = 0; l < job->lists; l++)
            end += cd_broad_buckets_size(job->pairs[l].buckets, b);
        job->bucket_end[b] = end;
    }
}

// ---- lists ---------------------------------------------------------------------------------------------------------

static inline void exchange(int32_t *x, int32_t *y)
{
    int32_t low = *x < *y ? *x : *y, high = *x < *y ? *y : *x;
    *x = low;
    *y = high;
}

// The 19 comparators of Batcher's odd-even merge sort of 8, K. E. Batcher, Sorting networks and their applications,
// 1968. Writes 8 numbers, those beyond `count` are INT32_MAX.
static inline void sort_network(const int32_t *from, int32_t count, int32_t *to)
{
    int32_t v[NETWORK];
    for (int k = 0; k < NETWORK; k++) {
        int32_t value = from[k];
        v[k] = k < count ? value : INT32_MAX;
    }
    exchange(&v[0], &v[1]), exchange(&v[2], &v[3]), exchange(&v[4], &v[5]), exchange(&v[6], &v[7]);
    exchange(&v[0], &v[2]), exchange(&v[1], &v[3]), exchange(&v[4], &v[6]), exchange(&v[5], &v[7]);
    exchange(&v[1], &v[2]), exchange(&v[5], &v[6]);
    exchange(&v[0], &v[4]), exchange(&v[1], &v[5]), exchange(&v[2], &v[6]), exchange(&v[3], &v[7]);
    exchange(&v[2], &v[4]), exchange(&v[3], &v[5]);
    exchange(&v[1], &v[2]), exchange(&v[3], &v[4]), exchange(&v[5], &v[6]);
    memcpy(to, v, sizeof v);
}

// Least significant byte first; bytes that are the same in all numbers are skipped.
static void radix_sort(int32_t *number, int32_t count, int32_t *spare)
{
    uint32_t differing = 0;
    for (int32_t i = 1; i < count; i++)
        differing |= (uint32_t)(number[i] ^ number[0]);
    int32_t *from = number, *to = spare;
    for (int shift = 0; shift < 32; shift += 8) {
        if (!(differing >> shift & 255))
            continue;
        int32_t place[257] = {0};
        for (int32_t i = 0; i < count; i++)
            place[((uint32_t)from[i] >> shift & 255) + 1]++;
        for (int digit = 0; digit < 256; digit++)
            place[digit + 1] += place[digit];
        for (int32_t i = 0; i < count; i++)
            to[place[(uint32_t)from[i] >> shift & 255]++] = from[i];
        int32_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != number)
        memcpy(number, from, (size_t)count * sizeof *number);
}

static void insertion_sort(int32_t *number, int32_t count)
{
    for (int32_t i = 1; i < count; i++) {
        int32_t value = number[i], k = i;
        for (; k > 0 && number[k - 1] > value; k--)
            number[k] = number[k - 1];
        number[k] = value;
    }
}

// ---- buckets -------------------------------------------------------------------------------------------------------

// Lists beyond the networks, and where there is no vector version all lists.
static void sort_lists(int32_t *from, const int32_t *list_first, int32_t lists, int32_t *to, int32_t done,
                       int32_t *spare)
{
    int32_t total = list_first[lists];
    for (int32_t i = 0; i < lists; i++) {
        int32_t *list = from + list_first[i], count = list_first[i + 1] - list_first[i];
        if (count <= done)
            continue;
        if (count <= NETWORK && list_first[i] + NETWORK <= total) {
            // what it writes behind the list, the next lists write again
            sort_network(list, count, to + list_first[i]);
            continue;
        }
        if (count > INSERTION_MOST)
            radix_sort(list, count, spare);
        else
            insertion_sort(list, count);
        memcpy(to + list_first[i], list, (size_t)count * sizeof *to);
    }
}

// By the vector. Returns up to which length lists are sorted.
static int32_t sort_short_lists(cd_vector_level vector, const int32_t *from, const int32_t *list_first, int32_t lists,
                                int32_t longest, int32_t *to)
{
#if defined(__x86_64__)
    // What AVX2 writes behind a list AVX-512, which comes after it, writes again.
    if (vector >= CD_VECTOR_AVX2 && (vector == CD_VECTOR_AVX2 || longest > CD_BROAD_NETWORK))
        cd_broad_sort_lists_avx2(from, list_first, lists, vector == CD_VECTOR_AVX2 ? 0 : CD_BROAD_NETWORK + 1, to);
    if (vector >= CD_VECTOR_AVX512)
        cd_broad_sort_lists_avx512(from, list_first, lists, to);
    if (vector >= CD_VECTOR_AVX2)
        return CD_BROAD_NETWORK_AVX2;
#else
    (void)vector, (void)from, (void)list_first, (void)lists, (void)longest, (void)to;
#endif
    return 0;
}

// Neighbours that are equal. The inner loop, of a length that is known, becomes wide.
CD_VECTOR_CLONES static int32_t count_equal(const int32_t *number, int32_t count)
{
    enum { LANES = 64 };
    int32_t sums[LANES] = {0}, equal = 0, from = 0;
    for (; from + LANES < count; from += LANES)
        for (int k = 0; k < LANES; k++)
            sums[k] += number[from + k] == number[from + k + 1];
    for (; from + 1 < count; from++)
        equal += number[from] == number[from + 1];
    for (int k = 0; k < LANES; k++)
        equal += sums[k];
    return equal;
}

// No pair is there twice: neighbours are equal only where one list ends and the next begins.
static void check_lists(const int32_t *other, const int32_t *list_first, int32_t item_count)
{
    int32_t between = 0;
    for (int32_t i = 0; i < item_count; i++) {
        int32_t k = list_first[i];
        between += k > 0 && k < list_first[i + 1] && other[k - 1] == other[k];
    }
    CD_ASSERT(count_equal(other, list_first[item_count]) == between);
}

// How many pairs each item of the bucket has, in first[item + 2].
static void count_pairs(const order_job *job, int32_t bucket, int64_t begin, int32_t count, int32_t *first)
{
    const uint16_t *lower = job->lower ? job->lower + begin : NULL;
    for (int32_t i = 0; i < count && lower; i++)
        first[lower[i] + 2]++;
    int32_t item = bucket << job->shift;
    for (int l = 0; l < job->lists && !lower; l++) {
        const cd_broad_buckets *buckets = job->pairs[l].buckets;
        cd_broad_stretch s;
        for (uint32_t end = buckets->end[bucket]; end; end = s.before) {
            s = cd_broad_stretch_at(buckets, end);
            for (int32_t i = 0; i < s.count; i++)
                first[s.pair[i].a - item + 2]++;
        }
    }
}

// Their upper items, item after item; place[item + 1] is where the item's next one goes.
static void gather(const order_job *job, int32_t bucket, int64_t begin, int32_t count, int32_t *place, int32_t *to)
{
    const uint16_t *lower = job->lower ? job->lower + begin : NULL;
    for (int32_t i = 0; i < count && lower; i++)
        to[place[lower[i] + 1]++] = job->other[begin + i];
    int32_t item = bucket << job->shift;
    for (int l = 0; l < job->lists && !lower; l++) {
        const cd_broad_buckets *buckets = job->pairs[l].buckets;
        cd_broad_stretch s;
        for (uint32_t end = buckets->end[bucket]; end; end = s.before) {
            s = cd_broad_stretch_at(buckets, end);
            for (int32_t i = 0; i < s.count; i++)
                to[place[s.pair[i].a - item + 1]++] = s.pair[i].b;
        }
    }
}

static void sort_bucket(const order_job *job, int32_t bucket, cd_arena *scratch)
{
    int64_t begin = bucket ? job->bucket_end[bucket - 1] : 0, end = job->bucket_end[bucket];
    int32_t item = bucket << job->shift, count = (int32_t)(end - begin);
    int32_t item_count = job->items - item < 1 << job->shift ? job->items - item : 1 << job->shift;
    cd_arena_reset(scratch);
    int32_t *first = CD_ARENA_ZARRAY(scratch, int32_t, (size_t)item_count + 2);
    int32_t *gathered = CD_ARENA_ARRAY(scratch, int32_t, (size_t)count + CD_BROAD_NETWORK_AVX2);
    int32_t longest = 0;
    // first[i + 2] counts; first[i + 1] is where the next of item i goes; in the end first[i] is where its list begins.
    count_pairs(job, bucket, begin, count, first);
    for (int32_t i = 2; i < item_count + 2; i++) {
        longest = first[i] > longest ? first[i] : longest;
        first[i] += first[i - 1];
    }
    gather(job, bucket, begin, count, first, gathered);
    memset(gathered + count, 0, CD_BROAD_NETWORK_AVX2 * sizeof *gathered);
    int32_t *spare = longest > INSERTION_MOST ? CD_ARENA_ARRAY(scratch, int32_t, longest) : NULL;
    int32_t done = sort_short_lists(job->vector, gathered, first, item_count, longest, job->other + begin);
    if (longest > done)
        sort_lists(gathered, first, item_count, job->other + begin, done, spare);
    for (int32_t i = 0; i < item_count; i++)
        job->first[item + i] = (int32_t)begin + first[i];
    check_lists(job->other + begin, first, item_count);
}

static void sort_buckets(void *context, int worker)
{
    order_job *job = context;
    for (;;) {
        cd_share share = cd_threads_next(&job->next_bucket, job->buckets, 4);
        if (share.begin == share.end)
            return;
        for (int64_t b = share.begin; b < share.end; b++)
            sort_bucket(job, (int32_t)b, &job->scratch[worker]);
    }
}

// ---- the whole -----------------------------------------------------------------------------------------------------

// Methods with a memory emit in canonical order: then the lists only need joining.
static bool is_in_order(const order_job *job)
{
    uint64_t last = 0;
    for (int l = 0; l < job->lists; l++) {
        const cd_broad_pairs *pairs = &job->pairs[l];
        if (!pairs->count)
            continue;
        if (!job->in_order[l] || key_of(pairs->item[0]) <= last)
            return false;
        last = key_of(pairs->item[pairs->count - 1]);
    }
    return true;
}

static void join_lists(const order_job *job)
{
    int32_t next = 0, item = 0;
    for (int l = 0; l < job->lists; l++)
        for (int64_t i = 0; i < job->pairs[l].count; i++) {
            cd_box_pair pair = job->pairs[l].item[i];
            for (int32_t low = lower_of(pair); item <= low; item++)
                job->first[item] = next;
            job->other[next++] = upper_of(pair);
        }
    for (; item <= job->items; item++)
        job->first[item] = next;
}

// Each of `lists`; a few pairs are not worth threads of their own.
static void run_lists(order_job *job, void (*each)(void *, int))
{
    if (job->threads > 1)
        cd_threads_run(job->lists, each, job);
    else
        for (int l = 0; l < job->lists; l++)
            each(job, l);
}

static void sort_all(order_job *job, cd_arena *arena)
{
    job->scratch = CD_ARENA_ZARRAY(arena, cd_arena, job->threads);
    cd_threads_run(job->threads, sort_buckets, job);
    for (int t = 0; t < job->threads; t++)
        cd_arena_release(&job->scratch[t]);
}

// Of pairs that lie in lists. False: they are in order already.
static bool partition(order_job *job, int64_t count, cd_arena *arena)
{
    job->shift = cd_broad_bucket_shift(job->items, count);
    job->buckets = (int32_t)((((int64_t)job->items - 1) >> job->shift) + 1);
    job->place = CD_ARENA_ARRAY(arena, int64_t, HALVES * (size_t)job->lists * (size_t)job->buckets);
    job->in_order = CD_ARENA_ARRAY(arena, bool, job->lists);
    run_lists(job, count_list);
    if (is_in_order(job))
        return false;
    job->bucket_end = CD_ARENA_ARRAY(arena, int64_t, job->buckets);
    job->lower = CD_ARENA_ARRAY(arena, uint16_t, count);
    make_places(job);
    run_lists(job, scatter_list);
    return true;
}

// The same where some were handed on.
static void end_partition(order_job *job, cd_arena *arena)
{
    run_lists(job, hand_on_rest);
    job->shift = job->pairs[0].buckets->shift;
    job->buckets = job->pairs[0].buckets->count;
    job->bucket_end = CD_ARENA_ARRAY(arena, int64_t, job->buckets);
    find_bucket_ends(job);
}

cd_broad_result cd_broad_order(cd_broad_pairs *pairs, int lists, int32_t items, cd_vector_level vector, cd_arena *arena)
{
    int64_t count = 0, handed = 0;
    for (int l = 0; l < lists; l++) {
        count += pairs[l].count + pairs[l].handed;
        handed += pairs[l].handed;
    }
    order_job job = {.pairs = pairs,
                     .lists = lists,
                     .items = items,
                     .vector = vector,
                     .threads = cd_threads_for(lists, count, PAIRS_PER_THREAD),
                     .first = CD_ARENA_ARRAY(arena, int32_t, (size_t)items + 1),
                     .other = CD_ARENA_ARRAY(arena, int32_t, count)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    bool is_parted = true;
    if (handed > 0)
        end_partition(&job, arena);
    else
        is_parted = partition(&job, count, arena);
    if (is_parted)
        sort_all(&job, arena);
    else
        join_lists(&job);
    job.first[items] = (int32_t)count;
    cd_arena_rewind(arena, mark);
    return (cd_broad_result){job.first, job.other, items, (int32_t)count};
}
