// SPDX-License-Identifier: MIT
#include "peg_model.h"

#include <string.h>

#define X(identifier, name_, ...) static const cd_peg_model model_##identifier = {.name = name_, __VA_ARGS__};
#include "peg_models.def"
#undef X

const cd_peg_model *const cd_peg_models[] = {
#define X(identifier, name_, ...) &model_##identifier,
#include "peg_models.def"
#undef X
    NULL};

const char *const cd_peg_model_names[] = {"auto",
#define X(identifier, name_, ...) name_,
#include "peg_models.def"
#undef X
                                          NULL};

const char *const cd_peg_primary_names[] = {"swap", "first", "largest", "nearest", NULL};

const cd_peg_model *cd_peg_find_model(const char *name)
{
    for (const cd_peg_model *const *model = cd_peg_models; *model; model++)
        if (!strcmp((*model)->name, name))
            return *model;
    return NULL;
}

void cd_peg_help(cd_buffer *out)
{
    cd_buffer_text(out, "Models:\n");
    for (const cd_peg_model *const *model = cd_peg_models; *model; model++)
        cd_buffer_printf(out, "  %-11s %s\n", (*model)->name, (*model)->summary);
    cd_buffer_text(out, "  auto        that of the run, separating where none is named\n");
}
