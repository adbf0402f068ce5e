// export_scene -- bodies as surfaces in their poses: what the formats of pictures share.
// SPDX-License-Identifier: MIT
#ifndef EXPORT_SCENE_H
#define EXPORT_SCENE_H

#include "cd_bodies.h"
#include "cd_elements.h"
#include "export_format.h"
#include "export_surface.h"

// What is read for it; their records with defaults.
#define CD_EXPORT_SCENE_TABLES (CD_BIT(body) | CD_BIT(shape) | CD_BIT(element) | CD_BIT(node))

typedef struct cd_export_scene {
    bool is_made;
    cd_leaves leaves;
    cd_export_surface *surface;  // of each shape, by row
    cd_elements elements;        // of run lifetime
    cd_placed_elements placed;   // of the frame
    int64_t bodies_left_out;     // counted over frames: without a place or without anything to show
} cd_export_scene;               // all zero before the first frame

// In `frame`: makes the surfaces, once (the patches of half-spaces are as large as the first frame asks for), and
// places the elements.
cd_status cd_export_scene_frame(cd_export *e, cd_export_scene *scene) CD_MUST_CHECK;

typedef struct cd_export_pose {
    cd_vec3 position;  // [m] world; of the plane in z = 0
    cd_quat rotation;  // of the plane about z
} cd_export_pose;
cd_export_pose cd_export_body_pose(const cd_model *in, int32_t body);  // of the frame's start; it has a position

// The surface of a body of elements where its nodes are: the faces of all of them. @owns arena
void cd_export_elements_surface(cd_arena *arena, const cd_export_scene *scene, int32_t body,
                                cd_export_surface *surface);

#endif
