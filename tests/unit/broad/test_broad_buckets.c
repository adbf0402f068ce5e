// Pairs on their way to canonical order: buckets give back what they were given, lists of every length are sorted at
// every vector level, and pairs that a method hands on count against the limit as others do.
// SPDX-License-Identifier: MIT
#include "broad_find.h"
#include "broad_order.h"
#include "cd_random.h"
#include "cd_test.h"

#include "test_polygon_random.h"

#include <stdlib.h>

// ---- buckets -------------------------------------------------------------------------------------------------------

enum { ITEMS = 5000, PAIRS = 40000 };

static uint64_t key_of(cd_box_pair p)
{
    return p.a < p.b ? (uint64_t)p.a << 32 | (uint32_t)p.b : (uint64_t)p.b << 32 | (uint32_t)p.a;
}

static int compare_keys(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

// The keys of all pairs, each found in the bucket of its lower item.
static int32_t read_back(const cd_broad_buckets *buckets, uint64_t *key)
{
    int32_t found = 0;
    for (int32_t b = 0; b < buckets->count; b++) {
        int32_t before = found;
        cd_broad_stretch s;
        for (uint32_t end = buckets->end[b]; end; end = s.before) {
            s = cd_broad_stretch_at(buckets, end);
            CD_CHECK(s.count > 0 && s.count < CD_BROAD_CHUNK && found + s.count <= PAIRS);
            for (int32_t i = 0; i < s.count; i++) {
                CD_CHECK(s.pair[i].a < s.pair[i].b && s.pair[i].a >> buckets->shift == b);
                key[found++] = key_of(s.pair[i]);
            }
        }
        CD_CHECK(cd_broad_buckets_size(buckets, b) == found - before);
    }
    return found;
}

CD_TEST(buckets_give_back_what_they_were_given)
{
    static cd_box_pair pair[PAIRS];
    static uint64_t given[PAIRS], found[PAIRS];
    // One less than a chunk, a full one, one more; several calls and all at once; crowds in one bucket.
    const int32_t counts[] = {0, 1, CD_BROAD_CHUNK - 1, CD_BROAD_CHUNK, 2 * CD_BROAD_CHUNK - 2, PAIRS};
    cd_broad_buckets buckets = {0};
    cd_random random = {5};
    for (int round = 0; round < 60; round++) {
        int32_t count = counts[round % 6], lowest = round % 2 ? 1 : ITEMS - 1, piece = 1 + test_below(&random, 3000);
        for (int32_t i = 0; i < count; i++) {
            pair[i].a = test_below(&random, lowest);
            pair[i].b = pair[i].a + 1 + test_below(&random, ITEMS - 1 - pair[i].a);
            if (test_below(&random, 2))
                pair[i] = (cd_box_pair){pair[i].b, pair[i].a};
            given[i] = key_of(pair[i]);
        }
        cd_broad_buckets_start(&buckets, ITEMS, round % 13);
        for (int32_t i = 0; i < count; i += piece)
            cd_broad_buckets_add(&buckets, pair + i, count - i < piece ? count - i : piece);
        CD_CHECK(read_back(&buckets, found) == count);
        qsort(given, (size_t)count, sizeof *given, compare_keys);
        qsort(found, (size_t)count, sizeof *found, compare_keys);
        CD_CHECK(count == 0 || !memcmp(given, found, (size_t)count * sizeof *given));
    }
    cd_broad_buckets_release(&buckets);
}

// ---- lists ---------------------------------------------------------------------------------------------------------

static int compare_numbers(const void *one, const void *other)
{
    int32_t a = *(const int32_t *)one, b = *(const int32_t *)other;
    return (a > b) - (a < b);
}

#if defined(__x86_64__)
enum { LISTS = 200, LONGEST = 40 };

// Lists of `least` to `most` numbers are sorted, and nothing is written behind the last one.
static void check_lists(const int32_t *expected, const int32_t *got, const int32_t *first, int32_t least, int32_t most)
{
    for (int32_t i = 0; i < LISTS; i++) {
        int32_t count = first[i + 1] - first[i];
        if (count >= least && count <= most)
            CD_CHECK(count == 0 || !memcmp(expected + first[i], got + first[i], (size_t)count * sizeof *got));
    }
    CD_CHECK(got[first[LISTS]] == -7);
}

CD_TEST(short_lists_are_sorted)
{
    static int32_t from[LISTS * LONGEST + CD_BROAD_NETWORK_AVX2], sorted[LISTS * LONGEST], to[LISTS * LONGEST + 1];
    int32_t first[LISTS + 1] = {0};
    cd_random random = {9};
    cd_vector_level level = cd_vector_detect(CD_VECTOR_AVX512);
    for (int round = 0; round < 200 && level >= CD_VECTOR_AVX2; round++) {
        int32_t longest = 1 + round % LONGEST;
        for (int32_t i = 0; i < LISTS; i++) {
            first[i + 1] = first[i] + test_below(&random, longest + 1);
            for (int32_t k = first[i]; k < first[i + 1]; k++)
                from[k] = sorted[k] = test_below(&random, round % 3 ? 1000000 : 20);
            qsort(sorted + first[i], (size_t)(first[i + 1] - first[i]), sizeof *sorted, compare_numbers);
        }
        int32_t least = round % 4 ? 0 : CD_BROAD_NETWORK + 1;
        to[first[LISTS]] = -7;
        cd_broad_sort_lists_avx2(from, first, LISTS, least, to);
        check_lists(sorted, to, first, least, CD_BROAD_NETWORK_AVX2);
        if (level < CD_VECTOR_AVX512)
            continue;
        cd_broad_sort_lists_avx512(from, first, LISTS, to);
        check_lists(sorted, to, first, 0, least ? CD_BROAD_NETWORK_AVX2 : CD_BROAD_NETWORK);
    }
}
#endif

// ---- pairs that are handed on --------------------------------------------------------------------------------------

enum { BOXES = 30000 };
static double low[3 * BOXES], high[3 * BOXES], ball[4 * BOXES];

// Cubes, and the balls in them, that meet some ten others each: of like size, or up to four times as large.
static cd_broad_input make(bool are_like, bool has_balls)
{
    cd_random random = {11};
    double side = cbrt(BOXES / 1.6);
    for (int32_t i = 0; i < BOXES; i++) {
        double half = are_like ? 0.5 : cd_random_between(&random, 0.2, 0.8);
        for (int k = 0; k < 3; k++) {
            double centre = cd_random_between(&random, 0, side);
            low[3 * i + k] = centre - half;
            high[3 * i + k] = centre + half;
            ball[4 * i + k] = low[3 * i + k] / 2 + high[3 * i + k] / 2;
        }
        ball[4 * i + 3] = half * (1 - 1e-9);
    }
    return (cd_broad_input){3, BOXES, low, high, NULL, NULL, has_balls ? ball : NULL, {0}};
}

static cd_status find(const char *method, const cd_broad_input *input, int threads, int64_t most, cd_arena *arena,
                      cd_broad_result *result)
{
    cd_diag diag;
    cd_broad_tuning tuning = {threads, cd_vector_detect(CD_VECTOR_AVX512), NAN, 0};
    cd_broad_engine *engine = cd_broad_engine_new(tuning, most);
    cd_status status = CD_OK;
    for (int frame = 0; frame < 2 && status == CD_OK; frame++)  // the second finds the memory of the first
        status = cd_broad_find(engine, cd_broad_method_find(method), input, arena, result, NULL, &diag);
    cd_broad_engine_free(engine);
    return status;
}

static void check_method(const char *method, const cd_broad_input *input)
{
    cd_arena arena = {0};
    cd_broad_result expected, result;
    CD_CHECK(find("hash3d", input, 1, INT32_MAX, &arena, &expected) == CD_OK);
    CD_CHECK(expected.count > 5 * 8192);  // so that every worker hands some on
    for (int threads = 1; threads <= 3; threads += 2) {
        CD_CHECK(find(method, input, threads, expected.count, &arena, &result) == CD_OK);
        CD_CHECK(result.count == expected.count);
        CD_CHECK(!memcmp(result.first, expected.first, (BOXES + 1) * sizeof *result.first));
        CD_CHECK(!memcmp(result.other, expected.other, (size_t)expected.count * sizeof *result.other));
        CD_CHECK(find(method, input, threads, expected.count - 1, &arena, &result) == CD_ERR_LIMIT);
        CD_CHECK(find(method, input, threads, 100, &arena, &result) == CD_ERR_LIMIT);
    }
    cd_arena_release(&arena);
}

CD_TEST(pairs_that_are_handed_on_are_in_order_and_count)
{
    for (int k = 0; k < 4; k++) {
        cd_broad_input input = make(k % 2, k / 2);
        check_method("grid", &input);
        check_method("bvh", &input);
    }
}

int main(void)
{
    CD_RUN(buckets_give_back_what_they_were_given);
#if defined(__x86_64__)
    CD_RUN(short_lists_are_sorted);
#endif
    CD_RUN(pairs_that_are_handed_on_are_in_order_and_count);
    return cd_test_done();
}
