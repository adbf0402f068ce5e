// cd_scene -- a scene written by a person (YAML, cd-scene(5)) to the tables a stream begins with: head, shape,
// material, interaction, element, load, drive, and the first frame with its bodies and nodes.
//
// One rule of places: what a scene gives as the position of a body, or of a part of a compound, is where the origin of
// the shape's own coordinates goes. Streams place bodies by their centre of mass, so every bounded shape is written
// about its centre of mass and positions are moved along; the bodies stay where the scene put them.
//
//     cd_yaml_load(...) -> root;  cd_scene_build(arena, root, &settings, &model, &warnings, diag)
// SPDX-License-Identifier: MIT
#ifndef CD_SCENE_H
#define CD_SCENE_H

#include "cd_records.h"
#include "cd_yaml.h"

typedef struct cd_generator cd_generator;  // cd_scene_builder.h

// Bodies that are made when they are written, part by part, so that there may be more of them than memory holds. They
// have ids from 1 on, and of a feed of bounds one box each and nothing else; other bodies are as the one row of the
// model's `body`, which is no body itself, but for what `fill` says.
//
// `fill` writes rows first .. first + rows->count - 1 of a frame: `min` and `max` of bounds; the columns of bodies in
// which they differ. A row depends on the frame and its number alone.
typedef struct cd_scene_feed {
    int64_t frames;   // 0: there is no feed, the bodies are in the model
    int32_t count;    // of bodies in each frame
    bool has_bounds;  // and as many bounds
    double step;      // [s] from frame to frame; NaN: not given, and there is one frame
    const void *source;
    void (*fill)(const void *source, int64_t frame, int32_t first, cd_rows *rows);
} cd_scene_feed;

// What the command line asks; values that are NaN (seed: -1) leave the scene's own.
typedef struct cd_scene_settings {
    double step, reach, epsilon;  // [s], [m], [m]
    int64_t seed;
    int64_t max_rows;                       // of a table
    const cd_generator *const *generators;  // NULL-ended
    cd_scene_feed *feed;  // all zero; filled when the scene has one. NULL: bounds are refused, bodies are in the model
} cd_scene_settings;

typedef CD_LIST(const char *) cd_scene_warnings;  // sentences; the caller prints them

// Fills the tables head, shape, material, interaction, element, load, drive, frame, body and node of `model` (all zero
// before). Of a feed, `body` is that of its header. All memory is of `arena`. CD_ERR_FORMAT "file:line: key: reason";
// CD_ERR_LIMIT above max_rows; CD_ERR_IO for files that the scene names.
cd_status cd_scene_build(cd_arena *arena, const cd_yaml_node *root, const cd_scene_settings *settings, cd_model *model,
                         cd_scene_warnings *warnings, cd_diag *diag) CD_MUST_CHECK;

#endif
