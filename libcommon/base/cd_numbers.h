// cd_numbers -- questions asked of all numbers of a column at once, in vector code.
//
// Each runs over number[0..count-1] without an early end: a column that is as it should be is read to its end anyway.
// number may be NULL where count is 0.
// SPDX-License-Identifier: MIT
#ifndef CD_NUMBERS_H
#define CD_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void cd_numbers_fill(int32_t *number, size_t count, int32_t value);
bool cd_numbers_have_nan(const double *number, size_t count);
bool cd_numbers_have_i32(const int32_t *number, size_t count, int32_t value);
bool cd_numbers_have_i64(const int64_t *number, size_t count, int64_t value);
// No NaN and no infinity.
bool cd_numbers_are_finite(const double *number, size_t count);

#endif
