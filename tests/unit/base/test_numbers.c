// Each question over every length around a block and every place, against one number that makes the answer differ.
// SPDX-License-Identifier: MIT
#include "cd_numbers.h"
#include "cd_test.h"

#include <math.h>

enum { MOST = 40 };

CD_TEST(a_nan_is_found_at_every_place_of_every_length)
{
    double number[MOST];
    for (size_t count = 0; count <= MOST; count++) {
        for (size_t i = 0; i < MOST; i++)
            number[i] = i < count ? -1.5 * (double)i : NAN;  // what lies behind the end is not looked at
        CD_CHECK(!cd_numbers_have_nan(number, count) && cd_numbers_are_finite(number, count));
        for (size_t i = 0; i < count; i++) {
            const double kept = number[i];
            number[i] = NAN;
            CD_CHECK(cd_numbers_have_nan(number, count) && !cd_numbers_are_finite(number, count));
            number[i] = i % 2 ? INFINITY : -INFINITY;
            CD_CHECK(!cd_numbers_have_nan(number, count) && !cd_numbers_are_finite(number, count));
            number[i] = i % 2 ? 1.7976931348623157e308 : 5e-324;
            CD_CHECK(cd_numbers_are_finite(number, count));
            number[i] = kept;
        }
    }
}

CD_TEST(a_whole_number_is_found_at_every_place_of_every_length)
{
    int32_t small[MOST];
    int64_t large[MOST];
    for (size_t count = 0; count <= MOST; count++) {
        cd_numbers_fill(small, MOST, -1);
        cd_numbers_fill(small, count, 7);
        for (size_t i = 0; i < MOST; i++) {
            CD_CHECK(small[i] == (i < count ? 7 : -1));
            large[i] = i < count ? INT64_C(1) << 32 : 0;  // its lower half is 0
        }
        CD_CHECK(!cd_numbers_have_i32(small, count, -1) && cd_numbers_have_i32(small, count, 7) == (count > 0));
        CD_CHECK(!cd_numbers_have_i64(large, count, 0));
        for (size_t i = 0; i < count; i++) {
            small[i] = -1;
            large[i] = 0;
            CD_CHECK(cd_numbers_have_i32(small, count, -1) && cd_numbers_have_i64(large, count, 0));
            small[i] = 7;
            large[i] = INT64_C(1) << 32;
        }
    }
}

CD_TEST(no_numbers_at_all)
{
    CD_CHECK(!cd_numbers_have_nan(NULL, 0) && !cd_numbers_have_i32(NULL, 0, 0) && !cd_numbers_have_i64(NULL, 0, 0));
    CD_CHECK(cd_numbers_are_finite(NULL, 0));
    cd_numbers_fill(NULL, 0, 1);
}

int main(void)
{
    CD_RUN(a_nan_is_found_at_every_place_of_every_length);
    CD_RUN(a_whole_number_is_found_at_every_place_of_every_length);
    CD_RUN(no_numbers_at_all);
    return cd_test_done();
}
