// The arena (alignment, mark, rewind, reset), growing buffers, and what happens when memory ends.
// SPDX-License-Identifier: MIT
#include "cd_test.h"

#include "cd_memory.h"
#include "cd_random.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>

enum { PIECES = 3000 };

typedef struct piece {
    unsigned char *bytes;
    size_t size;
    unsigned char value;
} piece;

static bool is_filled(const piece *p)
{
    for (size_t i = 0; i < p->size; i++)
        if (p->bytes[i] != p->value)
            return false;
    return true;
}

static piece new_piece(cd_arena *arena, cd_random *random)
{
    size_t size = cd_random_bits(random) % 7 ? cd_random_bits(random) % 200 : cd_random_bits(random) % 300000;
    piece p = {cd_arena_alloc(arena, size), size, (unsigned char)cd_random_bits(random)};
    CD_CHECK((uintptr_t)p.bytes % 32 == 0);
    memset(p.bytes, p.value, size);
    return p;
}

CD_TEST(pieces_keep_their_bytes_over_marks_and_rewinds)
{
    static piece kept[PIECES];
    cd_arena arena = {0};
    cd_random random = {1};
    int count = 0, wrong = 0;
    for (int round = 0; round < 400; round++) {
        for (int i = (int)(cd_random_bits(&random) % 4); i > 0 && count < PIECES; i--)
            kept[count++] = new_piece(&arena, &random);
        cd_arena_mark mark = cd_arena_get_mark(&arena);
        for (int i = (int)(cd_random_bits(&random) % 6); i > 0; i--)
            (void)new_piece(&arena, &random);
        if (count > 0)  // the first mark of an empty arena is that of nothing at all
            cd_arena_rewind(&arena, mark);
        for (int i = count > 40 ? count - 40 : 0; i < count; i++)
            wrong += !is_filled(&kept[i]);
    }
    for (int i = 0; i < count; i++)
        wrong += !is_filled(&kept[i]);
    CD_CHECK(count > 100 && wrong == 0);
    cd_arena_release(&arena);
}

CD_TEST(rewinding_to_the_beginning_empties)
{
    cd_arena arena = {0};
    cd_arena_mark start = cd_arena_get_mark(&arena);
    void *first = cd_arena_alloc(&arena, 100);
    cd_arena_rewind(&arena, start);
    CD_CHECK(cd_arena_alloc(&arena, 100) == first);
    cd_arena_release(&arena);
}

// What several arenas held stays where it was and goes with the one that took them over; they start anew.
CD_TEST(an_arena_takes_over_what_others_hold)
{
    cd_random random = {2};
    static piece kept[3 * 40];
    for (int round = 0; round < 8; round++) {
        cd_arena team[3] = {{0}}, arena = {0};
        int count = 0, wrong = 0;
        piece own = {0};
        if (round % 2)
            own = new_piece(&arena, &random);
        for (int k = 0; k < 3; k++) {
            for (int i = 0; i < (round == 6 && k == 1 ? 0 : 40); i++)
                kept[count++] = new_piece(&team[k], &random);
            if (round >= 4) {  // a spare block
                cd_arena_mark mark = cd_arena_get_mark(&team[k]);
                if (mark.block) {
                    (void)cd_arena_alloc(&team[k], 3000000);
                    cd_arena_rewind(&team[k], mark);
                }
            }
            cd_arena_adopt(&arena, &team[k]);
            CD_CHECK(!team[k].block && !team[k].spare && team[k].used == 0);
        }
        cd_arena_mark mark = cd_arena_get_mark(&arena);
        for (int i = 0; i < 30; i++)
            (void)new_piece(&arena, &random);
        cd_arena_rewind(&arena, mark);
        for (int i = 0; i < count; i++)
            wrong += !is_filled(&kept[i]);
        CD_CHECK(wrong == 0 && is_filled(&own));
        (void)cd_arena_alloc(&team[0], 10);
        cd_arena_release(&team[0]);
        if (round % 3 == 0)
            cd_arena_reset(&arena);
        cd_arena_release(&arena);
    }
}

CD_TEST(a_steady_frame_stops_asking_for_memory)
{
    cd_arena arena = {0};
    void *first[3] = {NULL};
    for (int frame = 0; frame < 6; frame++) {
        cd_arena_reset(&arena);
        void *start = cd_arena_alloc(&arena, 1);
        for (int i = 0; i < 100; i++)
            memset(cd_arena_alloc(&arena, 10000), frame, 10000);
        if (frame >= 3)
            first[frame - 3] = start;
    }
    CD_CHECK(first[0] == first[1] && first[1] == first[2]);  // the same block, from its start
    cd_arena_release(&arena);
    CD_CHECK(!arena.block && !arena.used);
}

CD_TEST(zeroed_memory_is_zero_also_when_used_before)
{
    cd_arena arena = {0};
    for (int round = 0; round < 3; round++) {
        unsigned char *bytes = cd_arena_zalloc(&arena, 5000);
        double *numbers = CD_ARENA_ZARRAY(&arena, double, 300);
        int bad = 0;
        for (int i = 0; i < 5000; i++)
            bad += bytes[i] != 0;
        for (int i = 0; i < 300; i++)
            bad += numbers[i] != 0;
        CD_CHECK(bad == 0);
        memset(bytes, 0xff, 5000);
        memset(numbers, 0xff, 300 * sizeof *numbers);
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

CD_TEST(texts_are_copied_with_their_end)
{
    cd_arena arena = {0};
    CD_CHECK_TEXT(cd_arena_text(&arena, "contact", 4), "cont");
    CD_CHECK_TEXT(cd_arena_text(&arena, "", 0), "");
    CD_CHECK_TEXT(cd_arena_printf(&arena, "%d %s", 7, "x"), "7 x");
    char *long_text = cd_arena_printf(&arena, "%0100000d", 5);
    CD_CHECK(strlen(long_text) == 100000 && long_text[99999] == '5');
    cd_arena_release(&arena);
}

CD_TEST(buffers_grow)
{
    cd_buffer buffer = {0};
    cd_random random = {9};
    static char expected[1 << 20];
    size_t size = 0;
    while (size < sizeof expected - 5000) {
        char bytes[4096];
        size_t count = cd_random_bits(&random) % sizeof bytes;
        for (size_t i = 0; i < count; i++)
            bytes[i] = (char)cd_random_bits(&random);
        cd_buffer_append(&buffer, bytes, count);
        memcpy(expected + size, bytes, count);
        size += count;
        cd_buffer_printf(&buffer, "%d", 12345);
        memcpy(expected + size, "12345", 5);
        size += 5;
    }
    CD_CHECK(buffer.size == size && !memcmp(buffer.data, expected, size));
    cd_buffer_append(&buffer, NULL, 0);
    CD_CHECK(buffer.size == size);
    cd_buffer_release(&buffer);
    CD_CHECK(!buffer.data && !buffer.size && !buffer.capacity);
}

CD_TEST(aligned_memory_is_aligned)
{
    for (size_t size = 0; size < 300; size += 7) {
        void *memory = cd_alloc_aligned(size);
        CD_CHECK((uintptr_t)memory % 64 == 0);
        memset(memory, 1, size);
        cd_free(memory);
    }
}

// ---- the end of memory ---------------------------------------------------------------------------------------------

static jmp_buf after_memory;
static size_t wanted;

static void catch_memory(size_t bytes)
{
    wanted = bytes;
    longjmp(after_memory, 1);
}

static void overflowing_array(cd_arena *arena) { (void)cd_arena_alloc_array(arena, SIZE_MAX / 2, 16); }
static void huge_piece(cd_arena *arena) { (void)cd_arena_alloc(arena, SIZE_MAX - 5); }
static void negative_count(cd_arena *arena) { (void)CD_ARENA_ARRAY(arena, double, -1); }
static void huge_buffer(cd_arena *arena)
{
    (void)arena;
    cd_buffer buffer = {0};
    cd_buffer_reserve(&buffer, SIZE_MAX - 5);
}

CD_TEST(too_much_ends_in_the_handler_and_nowhere_else)
{
    void (*const greedy[])(cd_arena *) = {overflowing_array, huge_piece, negative_count, huge_buffer};
    cd_set_memory_handler(catch_memory);
    for (size_t i = 0; i < sizeof greedy / sizeof greedy[0]; i++) {
        cd_arena arena = {0};
        wanted = 0;
        if (setjmp(after_memory) == 0) {
            greedy[i](&arena);
            CD_CHECK(!"the handler was not called");
        }
        CD_CHECK(wanted > 1000000);
        cd_arena_release(&arena);
    }
    cd_set_memory_handler(NULL);
}

// After a frame in several blocks the next one of that size fits into one.
CD_TEST(arena_takes_one_block_for_what_a_frame_took)
{
    enum { ROUNDS = 100, BYTES = 64 * 1024 };
    cd_arena arena = {0};
    const void *first = NULL;
    for (int frame = 0; frame < 4; frame++) {
        char *begin = cd_arena_alloc(&arena, BYTES);
        const cd_arena_block *block = arena.block;
        memset(begin, frame, BYTES);
        for (int i = 1; i < ROUNDS; i++)
            memset(cd_arena_alloc(&arena, BYTES), i, BYTES);
        CD_CHECK((arena.block == block) == (frame > 0));
        CD_CHECK(frame < 2 || first == begin);
        CD_CHECK(begin[BYTES - 1] == frame);
        first = begin;
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
    CD_CHECK(arena.ahead == 0);
}

CD_TEST(trimming_gives_back_what_nobody_uses_and_nothing_else)
{
    enum { LARGE = 32 << 20, SMALL = 5000 };
    cd_arena arena = {0};
    char *small = memset(cd_arena_alloc(&arena, SMALL), 7, SMALL);
    cd_arena_mark mark = cd_arena_get_mark(&arena);
    memset(cd_arena_alloc(&arena, LARGE), 1, LARGE);
    cd_arena_rewind(&arena, mark);
    CD_CHECK(arena.spare != NULL);
    cd_arena_trim(&arena);  // the block that the rewind took off
    CD_CHECK(arena.spare == NULL);
    CD_CHECK(small[0] == 7 && small[SMALL - 1] == 7);
    char *first = cd_arena_alloc(&arena, LARGE);
    memset(first, 2, LARGE);
    cd_arena_reset(&arena);
    first = cd_arena_alloc(&arena, SMALL);
    memset(first, 3, SMALL);
    cd_arena_trim(&arena);  // the pages of a block in use: they are empty when they come again
    CD_CHECK(first[0] == 3 && first[SMALL - 1] == 3);
    char *rest = cd_arena_alloc(&arena, LARGE / 2);
    CD_CHECK(rest[LARGE / 2 - 1] == 0);
    memset(rest, 4, LARGE / 2);
    CD_CHECK(first[SMALL - 1] == 3 && rest[0] == 4);
    cd_arena_release(&arena);
    cd_arena_trim(&arena);  // an empty one
    CD_CHECK(arena.block == NULL);
}

int main(void)
{
    CD_RUN(pieces_keep_their_bytes_over_marks_and_rewinds);
    CD_RUN(rewinding_to_the_beginning_empties);
    CD_RUN(an_arena_takes_over_what_others_hold);
    CD_RUN(a_steady_frame_stops_asking_for_memory);
    CD_RUN(zeroed_memory_is_zero_also_when_used_before);
    CD_RUN(texts_are_copied_with_their_end);
    CD_RUN(buffers_grow);
    CD_RUN(aligned_memory_is_aligned);
    CD_RUN(too_much_ends_in_the_handler_and_nowhere_else);
    CD_RUN(arena_takes_one_block_for_what_a_frame_took);
    CD_RUN(trimming_gives_back_what_nobody_uses_and_nothing_else);
    return cd_test_done();
}
