// loop_split -- the stages of a shell pipeline, so that each can be a child of its own.
//
// One shell for the whole pipeline would keep the last pipe open until every stage has ended: a stage that dies would
// not be noticed while those before it wait for input. With a shell a stage, its death closes its pipes, and its exit
// status is known.
// SPDX-License-Identifier: MIT
#ifndef CD_LOOP_SPLIT_H
#define CD_LOOP_SPLIT_H

#include "cd_memory.h"

#include <stdbool.h>

typedef struct cd_stage_list {
    CD_LIST(const char *) list;
} cd_stage_list;

// Does the shell part words here?
static inline bool cd_loop_is_blank(char c) { return c == ' ' || c == '\t' || c == '\n'; }

// The texts between the `|` of a pipeline, quotes, ( ) and { } respected. A command that is more than a pipeline of
// commands (&&, ;, a loop, `...`, $(...), a here document) is one stage. Never empty.
cd_stage_list cd_loop_split(cd_arena *arena, const char *command);

#endif
