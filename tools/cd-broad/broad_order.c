// Canonical order of raw pairs: a counting sort by the lower item, then each item's list is sorted by itself. The
// lists are short where boxes are of like size, so this costs about as much as reading the pairs twice.
// SPDX-License-Identifier: MIT
#include "broad_find.h"

#include "cd_assert.h"

typedef struct order_job {
    const cd_broad_pairs *pairs;
    int lists, threads;
    int32_t items;
    int32_t **place;   // [lists][items]: pairs of the list with this lower item, then where the next of them goes
    int32_t *first, *other;
    int32_t *spare;    // [threads][longest list]
    int32_t longest;
    int32_t *seen_longest;  // [threads]
} order_job;

static inline int32_t lower(cd_box_pair p) { return p.a < p.b ? p.a : p.b; }
static inline int32_t upper(cd_box_pair p) { return p.a < p.b ? p.b : p.a; }

static void count_list(void *context, int list)
{
    const order_job *job = context;
    const cd_broad_pairs *pairs = &job->pairs[list];
    int32_t *place = job->place[list];
    memset(place, 0, (size_t)job->items * sizeof *place);
    for (int64_t i = 0; i < pairs->count; i++)
        place[lower(pairs->item[i])]++;
}

static void scatter_list(void *context, int list)
{
    const order_job *job = context;
    const cd_broad_pairs *pairs = &job->pairs[list];
    int32_t *place = job->place[list], *other = job->other;
    for (int64_t i = 0; i < pairs->count; i++)
        other[place[lower(pairs->item[i])]++] = upper(pairs->item[i]);
}

// Counts become places: list after list within an item, item after item.
static void make_places(order_job *job)
{
    int32_t next = 0;
    for (int32_t i = 0; i < job->items; i++) {
        job->first[i] = next;
        for (int l = 0; l < job->lists; l++) {
            int32_t count = job->place[l][i];
            job->place[l][i] = next;
            next += count;
        }
        job->longest = next - job->first[i] > job->longest ? next - job->first[i] : job->longest;
    }
    job->first[job->items] = next;
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

enum { INSERTION_MOST = 32 };  // measured: from here on the radix sort is faster

static void sort_list(int32_t *number, int32_t count, int32_t *spare)
{
    if (count > INSERTION_MOST) {
        radix_sort(number, count, spare);
        return;
    }
    for (int32_t i = 1; i < count; i++) {
        int32_t value = number[i], k = i;
        for (; k > 0 && number[k - 1] > value; k--)
            number[k] = number[k - 1];
        number[k] = value;
    }
}

static void sort_share(void *context, int worker)
{
    const order_job *job = context;
    // Shares of about equal numbers of pairs: the items whose list begins in this part of `other`.
    cd_share share = cd_threads_share(job->first[job->items], job->threads, worker);
    int32_t low = 0, high = job->items;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (job->first[middle] < share.begin)
            low = middle + 1;
        else
            high = middle;
    }
    int32_t *spare = job->spare + (size_t)worker * (size_t)job->longest;
    for (int32_t i = low; i < job->items && (job->first[i] < share.end || worker == job->threads - 1); i++) {
        int32_t *list = job->other + job->first[i], count = job->first[i + 1] - job->first[i];
        sort_list(list, count, spare);
        for (int32_t k = 1; k < count; k++)
            CD_ASSERT(list[k - 1] < list[k]);
    }
}

cd_broad_result cd_broad_order(const cd_broad_pairs *pairs, int lists, int32_t items, cd_arena *arena)
{
    enum { PAIRS_PER_THREAD = 100000 };
    int64_t count = 0;
    for (int l = 0; l < lists; l++)
        count += pairs[l].count;
    order_job job = {.pairs = pairs, .lists = lists, .items = items,
                     .threads = cd_threads_for(lists, count, PAIRS_PER_THREAD),
                     .first = CD_ARENA_ARRAY(arena, int32_t, (size_t)items + 1),
                     .other = CD_ARENA_ARRAY(arena, int32_t, count)};
    cd_arena_mark mark = cd_arena_get_mark(arena);
    job.place = CD_ARENA_ARRAY(arena, int32_t *, lists);
    for (int l = 0; l < lists; l++)
        job.place[l] = CD_ARENA_ARRAY(arena, int32_t, items);
    // Small lists are not worth threads of their own, but each keeps its own counts.
    if (job.threads > 1) {
        cd_threads_run(lists, count_list, &job);
        make_places(&job);
        cd_threads_run(lists, scatter_list, &job);
    } else {
        for (int l = 0; l < lists; l++)
            count_list(&job, l);
        make_places(&job);
        for (int l = 0; l < lists; l++)
            scatter_list(&job, l);
    }
    job.spare = CD_ARENA_ARRAY(arena, int32_t, (size_t)job.threads * (size_t)(job.longest > INSERTION_MOST ? job.longest : 0));
    cd_threads_run(job.threads, sort_share, &job);
    cd_arena_rewind(arena, mark);
    return (cd_broad_result){job.first, job.other, (int32_t)count};
}
