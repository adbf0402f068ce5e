// SPDX-License-Identifier: MIT
#include "export_target.h"

#include "cd_codec.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define WRITE_AT (1 << 20)  // [bytes] gathered before they are written

cd_status cd_export_flush(cd_export_sink *sink, bool all, cd_diag *diag)
{
    if (sink->out.size == 0 || (!all && sink->out.size < WRITE_AT))
        return CD_OK;
    cd_status status = cd_output_write(sink->fd, sink->name, sink->out.data, sink->out.size, diag);
    sink->out.size = 0;
    return status;
}

void cd_export_number(cd_buffer *out, double value)
{
    char text[CD_NUMBER_MAX];
    if (isinf(value))
        cd_buffer_text(out, value > 0 ? "inf" : "-inf");
    else
        cd_buffer_append(out, text, (size_t)cd_number_print(value, text));
}

cd_status cd_export_folder_open(cd_export_folder *folder, const char *path, cd_diag *diag)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    folder->path = cd_arena_text(&folder->arena, path, length);
    char *part = cd_arena_printf(&folder->arena, "%s.part", folder->path);
    struct stat found;
    if (lstat(folder->path, &found) == 0)
        return cd_fail(diag, CD_ERR_USAGE, "%s: it is there already; a folder is not replaced", folder->path);
    if (mkdir(part, 0777) != 0)
        return errno == EEXIST
                   ? cd_fail(diag, CD_ERR_USAGE, "%s: left by a run that was killed, or one is at work", part)
                   : cd_fail(diag, CD_ERR_IO, "%s: %s", part, strerror(errno));
    folder->part = part;
    return CD_OK;
}

cd_status cd_export_folder_add(cd_export_folder *folder, const char *name, cd_export_sink *sink, cd_diag *diag)
{
    char *path = cd_arena_printf(&folder->arena, "%s/%s", folder->part, name);
    *sink = (cd_export_sink){.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), .name = path};
    if (sink->fd < 0)
        return cd_fail(diag, CD_ERR_IO, "%s: %s", path, strerror(errno));
    cd_list_push(&folder->arena, &folder->file, path);
    return CD_OK;
}

cd_status cd_export_sink_close(cd_export_sink *sink, cd_diag *diag)
{
    cd_status status = cd_export_flush(sink, true, diag);
    int fd = sink->fd;
    sink->fd = -1;
    cd_buffer_release(&sink->out);
    if (fd >= 0 && close(fd) != 0 && status == CD_OK)
        status = cd_fail(diag, CD_ERR_IO, "%s: %s", sink->name, strerror(errno));
    return status;
}

void cd_export_sink_discard(cd_export_sink *sink)
{
    if (sink->fd > 0)
        close(sink->fd);
    sink->fd = -1;
    cd_buffer_release(&sink->out);
}

cd_status cd_export_folder_commit(cd_export_folder *folder, cd_diag *diag)
{
    if (rename(folder->part, folder->path) != 0)
        return cd_fail(diag, CD_ERR_IO, "%s: %s", folder->path, strerror(errno));
    folder->part = NULL;
    return CD_OK;
}

void cd_export_folder_discard(cd_export_folder *folder)
{
    if (folder->part) {
        for (int32_t i = 0; i < folder->file.count; i++)
            unlink(folder->file.item[i]);
        rmdir(folder->part);
    }
    cd_arena_release(&folder->arena);
    *folder = (cd_export_folder){0};
}
