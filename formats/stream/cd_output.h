// cd_output -- the target of -o: the whole result or nothing.
//
// open -> write to fd ... -> commit | discard. A regular file is written without a name (O_TMPFILE) where the file
// system can, else under a temporary name beside the target, and takes the target's place at commit: a program that is
// killed leaves the old file, and nothing else where O_TMPFILE works. A symbolic link stays one; its goal is replaced.
// What is there and no regular file (a device, a pipe) is written to directly, and so is a name for the standard
// streams (/dev/stdout).
// SPDX-License-Identifier: MIT
#ifndef CD_OUTPUT_H
#define CD_OUTPUT_H

#include "cd_status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct cd_output {
    int fd;
    bool owns_fd;
    bool is_unnamed;   // O_TMPFILE: gets its name at commit
    char *target;      // absolute path to replace, or NULL: nothing is left to do at commit
    char *temporary;   // beside it, NULL: none yet
    const char *path;  // as the user wrote it, for messages; borrowed
} cd_output;

// path NULL or "-": standard output.
cd_status cd_output_open(cd_output *output, const char *path, cd_diag *diag) CD_MUST_CHECK;
cd_status cd_output_commit(cd_output *output, cd_diag *diag) CD_MUST_CHECK;  // after a failure: discard
void cd_output_discard(cd_output *output);                                   // also after commit: frees memory
const char *cd_output_name(const cd_output *output);                         // "stdout" or the path
// All of the bytes to `fd`, however many writes it takes; `name` appears in the message of a failure.
cd_status cd_output_write(int fd, const char *name, const void *bytes, size_t size, cd_diag *diag) CD_MUST_CHECK;

#endif
