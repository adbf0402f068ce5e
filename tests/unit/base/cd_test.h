// cd_test -- the frame of the unit tests. A test file tests/unit/*/test_*.c is found by wildcard, built as one program
// with CD_TEST functions listed in its main, and prints TAP ("ok 1 - name"); `make check` adds the results up.
//
//     CD_TEST(square_has_unit_area) { CD_CHECK_NEAR(area(square), 1.0, 1e-15); }
//     int main(void) { CD_RUN(square_has_unit_area); return cd_test_done(); }
//
// A failed check prints file:line and the values, marks the test, and lets it go on.
// SPDX-License-Identifier: MIT
#ifndef CD_TEST_H
#define CD_TEST_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int cd_test_count, cd_test_failed, cd_test_bad_checks;

#define CD_TEST(name) static void name(void)
#define CD_RUN(name)                                                                                      \
    do {                                                                                                  \
        cd_test_bad_checks = 0;                                                                           \
        setvbuf(stdout, NULL, _IOLBF, 0); /* what was found stays said when a test crashes */             \
        name();                                                                                           \
        cd_test_count++;                                                                                  \
        cd_test_failed += cd_test_bad_checks != 0;                                                        \
        printf("%s %d - %s: %s\n", cd_test_bad_checks ? "not ok" : "ok", cd_test_count, __FILE__, #name); \
    } while (0)
#define CD_CHECK(condition)                                                  \
    do {                                                                     \
        if (!(condition)) {                                                  \
            cd_test_bad_checks++;                                            \
            printf("# %s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                    \
    } while (0)
#define CD_CHECK_NEAR(actual, expected, tolerance)                                                        \
    do {                                                                                                  \
        double cd_actual_ = (actual), cd_expected_ = (expected), cd_tolerance_ = (tolerance);             \
        if (!(fabs(cd_actual_ - cd_expected_) <= cd_tolerance_)) {                                        \
            cd_test_bad_checks++;                                                                         \
            printf("# %s:%d: %s is %.17g, wanted %.17g +- %g\n", __FILE__, __LINE__, #actual, cd_actual_, \
                   cd_expected_, cd_tolerance_);                                                          \
        }                                                                                                 \
    } while (0)
#define CD_CHECK_TEXT(actual, expected)                                                   \
    do {                                                                                  \
        const char *cd_actual_ = (actual), *cd_expected_ = (expected);                    \
        if (!cd_actual_ || strcmp(cd_actual_, cd_expected_)) {                            \
            cd_test_bad_checks++;                                                         \
            printf("# %s:%d: %s is \"%s\", wanted \"%s\"\n", __FILE__, __LINE__, #actual, \
                   cd_actual_ ? cd_actual_ : "(null)", cd_expected_);                     \
        }                                                                                 \
    } while (0)

static inline int cd_test_done(void)
{
    printf("1..%d\n", cd_test_count);
    return cd_test_failed ? 1 : 0;
}

#endif
