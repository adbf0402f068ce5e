// scene_placed -- tells bodies that a scene places in one another.
// SPDX-License-Identifier: MIT
#ifndef SCENE_PLACED_H
#define SCENE_PLACED_H

#include "cd_filter.h"

// Warns once of the pair of bodies of the first frame whose parts overlap deepest, by more than the geometric epsilon,
// and how many pairs of parts do. Both fixed, not yet released, and parts of elements: not looked at; nor scenes of
// more than 20,000 parts or 200,000 pairs of boxes, where it would cost more than the scene. O(n log n + pairs)
void cd_scene_placed_warn(cd_ctx *ctx, const cd_model *model);

#endif
