// XY trees against a list: random rectangles on few coordinates, so that ends meet, are equal, and repeat.
// SPDX-License-Identifier: MIT
#include "broad_xytree.h"
#include "cd_random.h"
#include "cd_test.h"

#include "test_polygon_random.h"

enum { MOST = 300 };

// The tree (tall: with both levels) and the list that it must agree with.
typedef struct held_set {
    bool is_tall;
    cd_xytree_pool pool;
    int32_t root;
    cd_tall_xytree tall;
    cd_rectangle rectangle[MOST];
    bool is_held[MOST];
} held_set;

static void insert(held_set *set, int32_t item)
{
    set->is_held[item] = true;
    if (set->is_tall)
        cd_tall_xytree_insert(&set->tall, &set->rectangle[item], item);
    else
        cd_xytree_insert(&set->pool, &set->root, &set->rectangle[item], item);
}

static void delete (held_set *set, int32_t item)
{
    set->is_held[item] = false;
    if (set->is_tall)
        cd_tall_xytree_delete(&set->tall, &set->rectangle[item], item);
    else
        cd_xytree_delete(&set->pool, &set->root, &set->rectangle[item], item);
}

// Items that only one of the two reports, or the tree twice.
static int differences(const held_set *set, const cd_rectangle *window)
{
    int32_t found[MOST];
    int32_t count = set->is_tall ? cd_tall_xytree_query(&set->tall, window, found)
                                 : cd_xytree_query(&set->pool, set->root, window, found);
    int times[MOST] = {0}, wrong = 0;
    for (int32_t k = 0; k < count; k++)
        times[found[k]]++;
    for (int32_t i = 0; i < MOST; i++) {
        const cd_rectangle *r = &set->rectangle[i];
        bool overlaps = set->is_held[i];
        for (int k = 0; k < 2; k++)
            overlaps &= r->low[k] <= window->high[k] && window->low[k] <= r->high[k];
        wrong += times[i] != overlaps;
    }
    return wrong;
}

static cd_rectangle random_rectangle(cd_random *random, int64_t coordinates)
{
    cd_rectangle r;
    for (int k = 0; k < 2; k++) {
        uint32_t one = (uint32_t)(cd_random_unit(random) * (double)coordinates);
        uint32_t other = (uint32_t)(cd_random_unit(random) * (double)coordinates);
        if (test_below(random, 2))
            other = one + (uint32_t)test_below(random, 3) < coordinates ? one + (uint32_t)test_below(random, 2) : one;
        other = other < coordinates ? other : one;
        r.low[k] = one < other ? one : other;
        r.high[k] = one < other ? other : one;
    }
    return r;
}

static void run_against_list(bool is_tall, int bits, uint64_t seed)
{
    static held_set set;
    cd_arena arena = {0};
    cd_random random = {seed};
    set = (held_set){.is_tall = is_tall, .root = CD_XYTREE_NONE};
    if (is_tall)
        set.tall = cd_tall_xytree_new(MOST, bits, &arena);
    else
        set.pool = cd_xytree_pool_new(MOST, bits, &arena);
    for (int step = 0; step < 4000; step++) {
        int32_t item = test_below(&random, MOST);
        if (set.is_held[item]) {
            delete (&set, item);
        } else {
            bool is_copy = item % 7 == 1 && set.is_held[item - 1];
            set.rectangle[item] = is_copy ? set.rectangle[item - 1] : random_rectangle(&random, (int64_t)1 << bits);
            insert(&set, item);
        }
        cd_rectangle window = random_rectangle(&random, (int64_t)1 << bits);
        CD_CHECK(differences(&set, &window) == 0);
    }
    cd_rectangle all = {{0, 0}, {UINT32_MAX >> (32 - bits), UINT32_MAX >> (32 - bits)}};
    CD_CHECK(differences(&set, &all) == 0);
    for (int32_t i = 0; i < MOST; i++)
        if (set.is_held[i])
            delete (&set, i);
    CD_CHECK(is_tall ? set.tall.branch[(size_t)1 << (set.tall.levels - 1)].below == 0 : set.root == CD_XYTREE_NONE);
    CD_CHECK(differences(&set, &all) == 0);
    cd_arena_release(&arena);
}

CD_TEST(trees_agree_with_a_list)
{
    static const int bits[] = {1, 2, 4, 8, 20, 32};
    for (int k = 0; k < 6; k++) {
        run_against_list(false, bits[k], 31 + (uint64_t)k);
        run_against_list(true, bits[k], 51 + (uint64_t)k);
    }
}

// Windows that share only a corner or an edge with the one rectangle held.
CD_TEST(ends_are_closed)
{
    cd_arena arena = {0};
    for (int is_tall = 0; is_tall < 2; is_tall++) {
        static held_set set;
        set = (held_set){.is_tall = is_tall, .root = CD_XYTREE_NONE};
        set.tall = cd_tall_xytree_new(MOST, 4, &arena);
        set.pool = cd_xytree_pool_new(MOST, 4, &arena);
        set.rectangle[0] = (cd_rectangle){{5, 6}, {8, 9}};
        insert(&set, 0);
        for (uint32_t x = 0; x < 16; x++)
            for (uint32_t y = 0; y < 16; y++) {
                cd_rectangle point = {{x, y}, {x, y}};
                CD_CHECK(differences(&set, &point) == 0);
            }
    }
    cd_arena_release(&arena);
}

// Sorted insertion must not make a list of the tree: depth stays at most `bits`, and a narrow window visits few.
CD_TEST(sorted_insertion_stays_shallow)
{
    enum { COUNT = 1 << 12, BITS = 13 };
    cd_arena arena = {0};
    cd_xytree_pool pool = cd_xytree_pool_new(COUNT, BITS, &arena);
    int32_t root = CD_XYTREE_NONE, found[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        cd_rectangle r = {{2 * i, 0}, {2 * i + 1, 0}};
        cd_xytree_insert(&pool, &root, &r, (int32_t)i);
    }
    int depth = 0, deepest = 0;
    int32_t path[BITS + 2] = {root};
    int taken[BITS + 2] = {0};
    while (depth >= 0) {
        if (taken[depth] == 2) {
            depth--;
            continue;
        }
        int32_t child = pool.node[path[depth]].child[taken[depth]++];
        if (child == CD_XYTREE_NONE)
            continue;
        CD_CHECK(depth < BITS);
        if (depth >= BITS)
            break;
        path[++depth] = child;
        taken[depth] = 0;
        deepest = depth > deepest ? depth : deepest;
    }
    CD_CHECK(deepest <= BITS);
    cd_rectangle window = {{4001, 0}, {4002, 0}};
    CD_CHECK(cd_xytree_query(&pool, root, &window, found) == 2);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(trees_agree_with_a_list);
    CD_RUN(ends_are_closed);
    CD_RUN(sorted_insertion_stays_shallow);
    return cd_test_done();
}
