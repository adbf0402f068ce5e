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

// The authors' sines. In disjunctions across corners of space at most 0.05 may be given away: at a fixed orientation
// only exactly applicable faces of the difference of two cones decide whether they overlap, see peg_group3.c.
cd_peg_limits cd_peg_usual_limits(const cd_peg_model *model, int dim)
{
    static const double all = 1.5707963267948966, at_vertex = 0.4, at_face = 0.3, at_edge = 0.1, across = 0.05;
    cd_peg_limits limits = {.phi = all, .delta = INFINITY};
    bool is_printed = model->crossing == CD_PEG_PRINTED;
    for (int k = 0; k < CD_PEG_CONFIGURATIONS; k++)
        limits.theta[k] = model->is_filtered ? CD_PEG_THETA : all;
    if (dim == 3) {
        limits.theta[CD_PEG_AT_FACE] = asin(at_face);
        limits.theta[CD_PEG_AT_EDGE] = asin(at_edge);
        limits.theta[CD_PEG_AT_VERTEX] = limits.theta[CD_PEG_AT_CROSSING] = asin(at_vertex);
        limits.theta[CD_PEG_ACROSS_EDGE] = asin(is_printed ? at_edge : across);
        limits.theta[CD_PEG_ACROSS_VERTEX] = asin(is_printed ? at_vertex : across);
    }
    return limits;
}

void cd_peg_help(cd_buffer *out)
{
    cd_buffer_text(out, "Models:\n");
    for (const cd_peg_model *const *model = cd_peg_models; *model; model++)
        cd_buffer_printf(out, "  %-11s %s\n", (*model)->name, (*model)->summary);
    cd_buffer_text(out, "  auto        separating where contacts name separating facets, else peg\n");
}
