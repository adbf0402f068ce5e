// Compounds have no geometry of their own: their leaves are those of their parts, moved (cd_leaves.h), their mass is
// the sum of their parts' (scene_mass.c).
// SPDX-License-Identifier: MIT
#include "cd_shape.h"

const cd_shape cd_shape_compound = {.name = "compound", .is_off_centre = true};
