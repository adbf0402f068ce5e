// The index of frames in a file: what it finds against a search row by row, and what it believes.
// SPDX-License-Identifier: MIT
#include "cd_test.h"

#include "cd_frame_index.h"
#include "test_stream_builder.h"

// A binary file with frames of these indices. @owns caller: the descriptor
static int file_of(const int64_t *index, int32_t count)
{
    cd_diag diag = {""};
    int fd = memory_file("", 0);
    cd_writer *writer = NULL;
    cd_writer_options options = {.encoding = CD_ENCODING_BINARY, .level = 0, .limits = test_limits};
    CD_CHECK(cd_writer_open_fd(fd, &options, &writer, &diag) == CD_OK);
    int32_t cds[2] = {1, 0}, offset[2] = {0, 2}, dim = 2;
    cd_head_rows head = {.count = 1, .cds = {.offset = offset, .i32 = cds}, .dim = &dim};
    CD_CHECK(cd_writer_rows(writer, CD_REC_head, 2, NULL, (cd_rows *)&head, &diag) == CD_OK);
    for (int32_t i = 0; i < count; i++) {
        int64_t id = index[i];
        double time = (double)i;
        cd_frame_rows frame = {.count = 1, .index = &id, .time = &time};
        CD_CHECK(cd_writer_rows(writer, CD_REC_frame, 2, NULL, (cd_rows *)&frame, &diag) == CD_OK);
        CD_CHECK(cd_writer_frame_end(writer, &diag) == CD_OK);
    }
    CD_CHECK(cd_writer_end(writer, &diag) == CD_OK);
    cd_writer_close(writer);
    return fd;
}

static int64_t below(cd_random *rng, uint64_t count) { return (int64_t)(cd_random_bits(rng) % count); }

// Indices that do not fall, with repetitions and gaps.
static int32_t some_indices(cd_random *rng, int64_t index[64])
{
    int32_t count = 1 + (int32_t)below(rng, 64);
    index[0] = below(rng, 5) - 2;
    for (int32_t i = 1; i < count; i++)
        index[i] = index[i - 1] + (below(rng, 3) ? 1 : below(rng, 4));
    return count;
}

CD_TEST(a_search_finds_what_looking_at_all_rows_does)
{
    cd_random rng = {3};
    for (int trial = 0; trial < 60; trial++) {
        int64_t index[64];
        int32_t count = some_indices(&rng, index);
        int fd = file_of(index, count);
        cd_frame_index found;
        CD_CHECK(cd_frame_index_find(fd, &test_limits, &found) && found.frames == count);
        for (int32_t i = 0; i < count; i++) {
            cd_frame_place place;
            CD_CHECK(cd_frame_index_row(&found, i, &place) && place.index == index[i]);
            CD_CHECK(cd_frame_index_holds(&found, &place));
            place.sequence++;
            CD_CHECK(!cd_frame_index_holds(&found, &place));
        }
        for (int64_t wanted = index[0] - 2; wanted <= index[count - 1] + 2; wanted++)
            for (int32_t from = 0; from < count; from += 3) {
                int32_t row, expected = from;
                while (expected < count && index[expected] < wanted)
                    expected++;
                CD_CHECK(cd_frame_index_seek(&found, from, wanted, &row) && row == expected);
            }
        close(fd);
    }
}

CD_TEST(frames_numbered_one_by_one_are_found_in_three_looks)
{
    enum { COUNT = 4000 };
    static int64_t index[COUNT];
    for (int32_t i = 0; i < COUNT; i++)
        index[i] = i + 17;
    int fd = file_of(index, COUNT);
    cd_frame_index found;
    CD_CHECK(cd_frame_index_find(fd, &test_limits, &found));
    int64_t before = found.bytes_read;
    int32_t row;
    CD_CHECK(cd_frame_index_seek(&found, 0, 3017, &row) && row == 3000);
    CD_CHECK(found.bytes_read - before == 3 * 32);
    CD_CHECK(cd_frame_index_seek(&found, 0, INT64_MAX, &row) && row == COUNT);
    CD_CHECK(cd_frame_index_seek(&found, 0, INT64_MIN, &row) && row == 0);
    close(fd);
}

CD_TEST(a_changed_byte_of_a_row_is_noticed_and_no_other_row_minds)
{
    int64_t index[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    int fd = file_of(index, 9);
    cd_frame_index found;
    CD_CHECK(cd_frame_index_find(fd, &test_limits, &found));
    for (int64_t at = 0; at < 9 * 32; at++) {
        unsigned char byte;
        cd_frame_place place;
        CD_CHECK(pread(fd, &byte, 1, found.rows_at + at) == 1);
        byte ^= 0x10;
        CD_CHECK(pwrite(fd, &byte, 1, found.rows_at + at) == 1);
        int32_t row = (int32_t)(at / 32);
        // of the eight bytes of the checksum the upper four are 0
        CD_CHECK(!cd_frame_index_row(&found, row, &place));
        CD_CHECK(cd_frame_index_row(&found, (row + 1) % 9, &place));
        byte ^= 0x10;
        CD_CHECK(pwrite(fd, &byte, 1, found.rows_at + at) == 1);
    }
    close(fd);
}

CD_TEST(indices_that_fall_have_no_index_block)
{
    int64_t index[3] = {0, 2, 1};
    int fd = file_of(index, 3);
    cd_frame_index found;
    CD_CHECK(!cd_frame_index_find(fd, &test_limits, &found));
    close(fd);
    fd = memory_file("{}", 2);
    CD_CHECK(!cd_frame_index_find(fd, &test_limits, &found));
    close(fd);
}

int main(void)
{
    CD_RUN(a_search_finds_what_looking_at_all_rows_does);
    CD_RUN(frames_numbered_one_by_one_are_found_in_three_looks);
    CD_RUN(a_changed_byte_of_a_row_is_noticed_and_no_other_row_minds);
    CD_RUN(indices_that_fall_have_no_index_block);
    return cd_test_done();
}
