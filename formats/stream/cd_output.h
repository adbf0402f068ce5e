// cd_output -- the target of -o: the whole result or nothing.
//
// open -> write to fd ... -> commit | discard. A regular file is written without a name (O_TMPFILE) where the file
// system can, else under a temporary name beside the target, and takes the target's place at commit: a program that is
// killed leaves the old file, and nothing else where O_TMPFILE works. A symbolic link stays one; its goal is replaced.
// What is there and no regular file (a device, a pipe) is written to directly, and so is a name for the standard
// streams (/dev/stdout).
//
// The output of a long run is a part: TARGET.part, which others may read while it grows and which stays when the run
// fails; a run that was given up or killed goes on with it (cd_output_continue). It has its name from its first whole
// frame on (cd_output_publish), becomes TARGET at commit, and one process at a time writes it.
// SPDX-License-Identifier: MIT
#ifndef CD_OUTPUT_H
#define CD_OUTPUT_H

#include "cd_status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct cd_output {
    int fd;
    bool owns_fd;
    bool is_unnamed;    // O_TMPFILE: gets its name at commit
    char *target;       // absolute path to replace, or NULL: nothing is left to do at commit
    char *temporary;    // beside it, NULL: none yet
    char *part;         // absolute path of TARGET.part; NULL: this is no part
    bool is_published;  // the part has its name, and stays
    char *before;       // of a part that is continued: absolute path of the file as it is called until then
    const char *path;   // as the user wrote it, for messages; borrowed
} cd_output;

// path NULL or "-": standard output.
cd_status cd_output_open(cd_output *output, const char *path, cd_diag *diag) CD_MUST_CHECK;
// path as above: what is no regular file is no part. CD_ERR_USAGE when TARGET.part is there.
cd_status cd_output_open_part(cd_output *output, const char *path, cd_diag *diag) CD_MUST_CHECK;
// FILE as an earlier run left it, whose name ends in .part or not: cut to `size` bytes, to be written on behind them.
// It has the name TARGET.part from then on.
cd_status cd_output_continue(cd_output *output, const char *file, long long size, cd_diag *diag) CD_MUST_CHECK;
cd_status cd_output_publish(cd_output *output, cd_diag *diag) CD_MUST_CHECK;  // of a part; a second call does nothing
bool cd_output_is_part_name(const char *path);
cd_status cd_output_commit(cd_output *output, cd_diag *diag) CD_MUST_CHECK;  // after a failure: discard
void cd_output_discard(cd_output *output);            // also after commit: frees memory; a published part stays
const char *cd_output_name(const cd_output *output);  // "stdout" or the path
// All of the bytes to `fd`, however many writes it takes; `name` appears in the message of a failure.
cd_status cd_output_write(int fd, const char *name, const void *bytes, size_t size, cd_diag *diag) CD_MUST_CHECK;

#endif
