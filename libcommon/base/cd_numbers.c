// SPDX-License-Identifier: MIT
#include "cd_numbers.h"

#include "cd_vector.h"

#include <float.h>
#include <math.h>

// Blocks of a fixed length without a branch: what gcc vectorises at -O2.
enum { BLOCK = 16 };

CD_VECTOR_CLONES void cd_numbers_fill(int32_t *number, size_t count, int32_t value)
{
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            number[i + k] = value;
    for (; i < count; i++)
        number[i] = value;
}

CD_VECTOR_CLONES bool cd_numbers_have_nan(const double *number, size_t count)
{
    int64_t found = 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            found |= !(number[i + k] == number[i + k]);
    for (; i < count; i++)
        found |= !(number[i] == number[i]);
    return found;
}

CD_VECTOR_CLONES bool cd_numbers_have_i32(const int32_t *number, size_t count, int32_t value)
{
    int32_t found = 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            found |= number[i + k] == value;
    for (; i < count; i++)
        found |= number[i] == value;
    return found;
}

CD_VECTOR_CLONES bool cd_numbers_have_i64(const int64_t *number, size_t count, int64_t value)
{
    int64_t found = 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            found |= number[i + k] == value;
    for (; i < count; i++)
        found |= number[i] == value;
    return found;
}

CD_VECTOR_CLONES bool cd_numbers_are_finite(const double *number, size_t count)
{
    int64_t bad = 0;
    size_t i = 0;
    for (; i + BLOCK <= count; i += BLOCK)
        for (size_t k = 0; k < BLOCK; k++)
            bad |= !(fabs(number[i + k]) <= DBL_MAX);
    for (; i < count; i++)
        bad |= !(fabs(number[i]) <= DBL_MAX);
    return !bad;
}
