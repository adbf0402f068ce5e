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

// ---- help ----------------------------------------------------------------------------------------------------------

static const char *ways_of(bool is_closed_form, bool has_features)
{
    return is_closed_form ? "closed form" : has_features ? "features, distance, depth, volume" : "distance, depth";
}

void cd_narrow_print_tables(cd_buffer *out)
{
    cd_buffer_text(out, "Ways of finding contacts:\n");
    for (const cd_narrow_mode *mode = cd_narrow_modes; mode->name; mode++)
        cd_buffer_printf(out, "  %-11s %s\n", mode->name, mode->summary);
    cd_buffer_text(out, "  auto        what the model of the run wants; separating where none is named\n");
    cd_buffer_text(out, "Shape pairs of the plane (boxes are polygons, spheres circles, compounds go part by part):\n");
    for (int i = 0; cd_pairs2[i]; i++)
        cd_buffer_printf(out, "  %-18s %s\n", cd_pairs2[i]->name,
                         ways_of(cd_pairs2[i]->is_closed_form, cd_pairs2[i]->has_features));
    cd_buffer_text(out, "Shape pairs of space (boxes are polyhedra):\n");
    for (int i = 0; cd_pairs3[i]; i++)
        cd_buffer_printf(out, "  %-21s %s\n", cd_pairs3[i]->name,
                         ways_of(cd_pairs3[i]->is_closed_form, cd_pairs3[i]->has_features));
}
