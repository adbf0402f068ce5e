// SPDX-License-Identifier: MIT
#include "narrow_mode.h"

#include <string.h>

const cd_narrow_mode cd_narrow_modes[] = {
#define X(identifier, ...) {.name = #identifier, __VA_ARGS__},
#include "narrow_modes.def"
#undef X
    {.name = NULL},
};

const char *const cd_narrow_mode_names[] = {
    "auto",
#define X(identifier, ...) #identifier,
#include "narrow_modes.def"
#undef X
    NULL,
};

const cd_narrow_mode *cd_narrow_find_mode(const char *name)
{
    for (const cd_narrow_mode *mode = cd_narrow_modes; mode->name; mode++)
        if (strcmp(mode->name, name) == 0)
            return mode;
    return NULL;
}

const char *const cd_narrow_intersection_names[] = {
#define X(identifier, function) #identifier,
#include "narrow_intersections.def"
#undef X
    NULL,
};

cd_pair3_intersect *cd_narrow_find_intersection(const char *name)
{
    static cd_pair3_intersect *const functions[] = {
#define X(identifier, function) function,
#include "narrow_intersections.def"
#undef X
    };
    int i = 0;
    while (strcmp(cd_narrow_intersection_names[i], name) != 0)
        i++;
    return functions[i];
}
