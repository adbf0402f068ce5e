// cd_absent -- the values that stand for "not there" in members and columns of numbers. References use -1, doubles NaN.
// SPDX-License-Identifier: MIT
#ifndef CD_ABSENT_H
#define CD_ABSENT_H

#include <stdint.h>

#define CD_ABSENT INT32_MIN  // int32_t: numbers, codes, words of a closed list
#define CD_ABSENT_I64 INT64_MIN
#define CD_ABSENT_BOOL 2  // uint8_t

#endif
