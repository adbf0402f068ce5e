// export_target -- where a format's bytes go: a file, or a folder of files; the whole of it or nothing.
//
// A file is that of cd_output.h. A folder is made as FOLDER.part and gets its name at commit; discard removes the files
// that were written into it, so what bears the name is whole. A run that is killed leaves FOLDER.part.
// SPDX-License-Identifier: MIT
#ifndef EXPORT_TARGET_H
#define EXPORT_TARGET_H

#include "cd_memory.h"
#include "cd_output.h"

// ---- bytes to a descriptor -----------------------------------------------------------------------------------------

typedef struct cd_export_sink {
    int fd;
    const char *name;  // for messages; borrowed
    cd_buffer out;     // appended to by who writes
} cd_export_sink;

// Writes what is in `out` once it is more than a MiB; `all`: in any case.
cd_status cd_export_flush(cd_export_sink *sink, bool all, cd_diag *diag) CD_MUST_CHECK;

// Appends a number by the fewest digits that read back as the same double; infinite ones are inf and -inf.
void cd_export_number(cd_buffer *out, double value);

// ---- a folder ------------------------------------------------------------------------------------------------------

typedef struct cd_export_folder {
    cd_arena arena;
    char *path, *part;     // FOLDER and FOLDER.part; NULL: none is open
    CD_LIST(char *) file;  // of those in it
} cd_export_folder;        // all zero is valid and closed

// CD_ERR_USAGE when FOLDER or FOLDER.part is there: nothing of another's is replaced or removed.
cd_status cd_export_folder_open(cd_export_folder *folder, const char *path, cd_diag *diag) CD_MUST_CHECK;
// A new file in it, to be written and closed by cd_export_sink_close. `name` has no folder.
cd_status cd_export_folder_add(cd_export_folder *folder, const char *name, cd_export_sink *sink,
                               cd_diag *diag) CD_MUST_CHECK;
cd_status cd_export_sink_close(cd_export_sink *sink, cd_diag *diag) CD_MUST_CHECK;  // flushes; gives its memory back
void cd_export_sink_discard(cd_export_sink *sink);  // also of one that is closed, or all zero
cd_status cd_export_folder_commit(cd_export_folder *folder, cd_diag *diag) CD_MUST_CHECK;
void cd_export_folder_discard(cd_export_folder *folder);  // also after commit: gives memory back

#endif
