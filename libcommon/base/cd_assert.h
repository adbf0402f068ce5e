// cd_assert -- programming errors. Input errors are a cd_status, never an assertion.
// SPDX-License-Identifier: MIT
#ifndef CD_ASSERT_H
#define CD_ASSERT_H

#include <stdlib.h>

// Checked in every build: a broken invariant must not become a wrong result. The trap leaves a core with the line.
#define CD_ASSERT(condition)  \
    do {                      \
        if (!(condition))     \
            __builtin_trap(); \
    } while (0)

#endif
