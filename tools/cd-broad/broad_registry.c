// SPDX-License-Identifier: MIT
#include "broad_method.h"

#define X(name, text) extern const cd_broad_method cd_broad_##name;
#include "broad_methods.def"
#undef X

const cd_broad_method *const cd_broad_methods[] = {
#define X(name, text) &cd_broad_##name,
#include "broad_methods.def"
#undef X
    NULL,
};

const char *const cd_broad_method_names[] = {
#define X(name, text) text,
#include "broad_methods.def"
#undef X
    "auto",
    NULL,
};

const cd_broad_method *cd_broad_method_find(const char *name)
{
    for (int i = 0; cd_broad_methods[i]; i++)
        if (!strcmp(cd_broad_methods[i]->name, name))
            return cd_broad_methods[i];
    return NULL;
}
