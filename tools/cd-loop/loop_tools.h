// loop_tools -- what cd-loop starts without being told its command: the default pipeline, and cd-scene for a scene in
// YAML. The tools are those that lie beside cd-loop; where there are none, those on the PATH.
// SPDX-License-Identifier: MIT
#ifndef CD_LOOP_TOOLS_H
#define CD_LOOP_TOOLS_H

#include "cd_contact_model.h"
#include "cd_memory.h"
#include "cd_status.h"

#include <stdbool.h>
#include <sys/types.h>

// What the stages are given; warm: of cd-lcp. wants: by which the run's model chooses its stages.
typedef struct cd_loop_stage_options {
    int threads;
    bool quiet, warm;
    cd_contact_want wants;
} cd_loop_stage_options;

// The stages with these options. Puts the folder of this program first on the PATH of its children. @owns arena
const char *cd_loop_default_pipeline(cd_arena *arena, cd_loop_stage_options options);

bool cd_loop_is_yaml(const char *path);  // by its name: .yaml, .yml; NULL is none

// cd-scene as a child that reads the file; *from is its output, the caller's to close. End it with cd_loop_scene_end.
cd_status cd_loop_scene_start(const char *path, bool quiet, pid_t *child, int *from, cd_diag *diag) CD_MUST_CHECK;
// Waits for it, its output read or closed. Its failure says more than the stream that it left: then the status of its
// exit code, else `status`.
cd_status cd_loop_scene_end(const char *path, pid_t child, cd_status status, cd_diag *diag) CD_MUST_CHECK;

#endif
