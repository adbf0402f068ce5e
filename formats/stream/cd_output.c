// SPDX-License-Identifier: MIT
#include "cd_output.h"

#include "cd_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ROOM = 48, FD_PATH = 40 };

const char *cd_output_name(const cd_output *output) { return output->path ? output->path : "stdout"; }

static cd_status fail(const cd_output *output, const char *what, cd_diag *diag)
{
    int error = errno;
    return cd_fail(diag, CD_ERR_IO, "%.300s: %s%s", cd_output_name(output), what, strerror(error));
}

static bool is_same_file(const struct stat *a, int fd)
{
    struct stat b;
    return fstat(fd, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

// A file behind /dev or /proc is a descriptor somebody else opened (/dev/stdout, /dev/fd/3): to replace it would
// replace the entry there. The target that is standard output itself goes through that descriptor, whose offset others
// share.
static bool is_direct(const char *path, const struct stat *info)
{
    return !S_ISREG(info->st_mode) || !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
}

static cd_status open_directly(cd_output *output, const struct stat *info, cd_diag *diag)
{
    int same = is_same_file(info, STDOUT_FILENO)   ? STDOUT_FILENO
               : is_same_file(info, STDERR_FILENO) ? STDERR_FILENO
                                                   : -1;
    output->fd = S_ISREG(info->st_mode) && same >= 0 ? fcntl(same, F_DUPFD_CLOEXEC, 3)
                                                     : open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    output->owns_fd = true;
    return output->fd < 0 ? fail(output, "", diag) : CD_OK;
}

// "DIRECTORY/.cd-PID-N.part": short, whatever the target is called.
static void make_name(const char *target, unsigned attempt, char *name)
{
    size_t directory = (size_t)(strrchr(target, '/') - target) + 1;
    memcpy(name, target, directory);
    snprintf(name + directory, NAME_ROOM, ".cd-%ld-%u.part", (long)getpid(), attempt);
}

static char *name_room(const char *target) { return cd_alloc(strlen(target) + NAME_ROOM); }

static void fd_path(int fd, char text[FD_PATH]) { snprintf(text, FD_PATH, "/proc/self/fd/%d", fd); }

static int open_unnamed(const char *target)
{
    char *directory = name_room(target), proc[FD_PATH];
    strcpy(directory, target);
    strrchr(directory, '/')[1] = '\0';
    int fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    cd_free(directory);
    if (fd < 0)
        return -1;
    fd_path(fd, proc);  // the way to a name leads through /proc
    if (access(proc, F_OK) == 0)
        return fd;
    close(fd);
    return -1;
}

static int open_named(const char *target, char **temporary)
{
    char *name = name_room(target);
    int fd = -1;
    for (unsigned attempt = 0; fd < 0 && attempt < 1000; attempt++) {
        make_name(target, attempt, name);
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    if (fd >= 0) {
        *temporary = name;
        return fd;
    }
    int error = errno;
    cd_free(name);
    errno = error;
    return -1;
}

// The absolute path of what is to be replaced or made; NULL with errno.
static char *resolve(const char *path, bool exists)
{
    if (exists)
        return realpath(path, NULL);
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    if (!*base) {
        errno = *path ? EISDIR : ENOENT;
        return NULL;
    }
    char *start = cd_alloc(strlen(path) + 2);
    strcpy(start, slash ? path : ".");
    if (slash)
        start[slash - path + 1] = '\0';
    char *directory = realpath(start, NULL);
    int error = errno;
    cd_free(start);
    errno = error;
    if (!directory)
        return NULL;
    char *target = cd_alloc(strlen(directory) + strlen(base) + 2);
    sprintf(target, "%s%s%s", directory, directory[1] ? "/" : "", base);
    free(directory);
    return target;
}

// ---- parts ---------------------------------------------------------------------------------------------------------

static const char part_ending[] = ".part";

// The name of the part that belongs to a target, "FILE.part". @owns caller: cd_free
static char *part_name_of(const char *path)
{
    char *name = cd_alloc(strlen(path) + sizeof part_ending);
    strcpy(name, path);
    return strcat(name, part_ending);
}

bool cd_output_is_part_name(const char *path)
{
    size_t length = strlen(path), ending = sizeof part_ending - 1;
    return length > ending && !strcmp(path + length - ending, part_ending);
}

static cd_status lock(const cd_output *output, cd_diag *diag)
{
    if (flock(output->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return CD_OK;  // a file system without locks has none
    return cd_fail(diag, CD_ERR_IO, "%.300s: another run is writing it", cd_output_name(output));
}

static cd_status part_is_there(const cd_output *output, cd_diag *diag)
{
    return cd_fail(
        diag, CD_ERR_USAGE,
        "%.150s.part: it is there: a run that is at work or was not finished: go on with --resume %.150s, or "
        "remove it",
        output->path, output->path);
}

cd_status cd_output_open_part(cd_output *output, const char *path, cd_diag *diag)
{
    struct stat info;
    bool exists = path && stat(path, &info) == 0;
    if (!path || !strcmp(path, "-") || (exists && is_direct(path, &info)))
        return cd_output_open(output, path, diag);
    *output = (cd_output){.fd = -1, .path = path};
    output->target = resolve(path, exists);
    if (!output->target)
        return fail(output, "", diag);
    output->part = part_name_of(output->target);
    if (access(output->part, F_OK) == 0)
        return part_is_there(output, diag);
    output->fd = open_unnamed(output->target);
    output->is_unnamed = output->fd >= 0;
    if (output->fd < 0) {
        output->fd = open(output->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        output->temporary = output->fd >= 0 ? part_name_of(output->target) : NULL;
    }
    output->owns_fd = output->fd >= 0;
    if (output->fd < 0)
        return errno == EEXIST ? part_is_there(output, diag) : fail(output, "", diag);
    if (exists)
        (void)fchmod(output->fd, info.st_mode & 0777);
    return lock(output, diag);
}

cd_status cd_output_continue(cd_output *output, const char *file, long long size, cd_diag *diag)
{
    *output = (cd_output){.fd = -1, .path = file};
    output->before = realpath(file, NULL);
    if (!output->before)
        return fail(output, "", diag);
    output->target = cd_alloc(strlen(output->before) + 1);
    strcpy(output->target, output->before);
    if (cd_output_is_part_name(output->target))
        output->target[strlen(output->target) - (sizeof part_ending - 1)] = '\0';
    output->part = part_name_of(output->target);
    output->fd = open(output->before, O_WRONLY | O_CLOEXEC);
    output->owns_fd = output->fd >= 0;
    if (output->fd < 0)
        return fail(output, "", diag);
    CD_TRY(lock(output, diag));
    CD_TRY(cd_output_publish(output, diag));
    return ftruncate(output->fd, size) == 0 && lseek(output->fd, size, SEEK_SET) == size ? CD_OK
                                                                                         : fail(output, "", diag);
}

cd_status cd_output_publish(cd_output *output, cd_diag *diag)
{
    if (!output->part || output->is_published)
        return CD_OK;
    int done = 0;
    char proc[FD_PATH];
    if (output->is_unnamed) {
        fd_path(output->fd, proc);
        done = linkat(AT_FDCWD, proc, AT_FDCWD, output->part, AT_SYMLINK_FOLLOW);
    } else if (output->before && strcmp(output->before, output->part) != 0) {
        done = rename(output->before, output->part);
    }
    if (done != 0)
        return errno == EEXIST ? part_is_there(output, diag) : fail(output, "", diag);
    cd_free(output->temporary);
    output->temporary = NULL;
    output->is_unnamed = false;
    output->is_published = true;
    return CD_OK;
}

// ---- open, commit, discard -----------------------------------------------------------------------------------------

cd_status cd_output_open(cd_output *output, const char *path, cd_diag *diag)
{
    *output = (cd_output){.fd = STDOUT_FILENO};
    if (!path || !strcmp(path, "-"))
        return CD_OK;
    output->path = path;
    output->fd = -1;
    struct stat info;
    bool exists = stat(path, &info) == 0;
    if (exists && is_direct(path, &info))
        return open_directly(output, &info, diag);
    output->target = resolve(path, exists);
    if (!output->target)
        return fail(output, "", diag);
    output->fd = open_unnamed(output->target);
    output->is_unnamed = output->fd >= 0;
    if (output->fd < 0)
        output->fd = open_named(output->target, &output->temporary);
    output->owns_fd = output->fd >= 0;
    if (output->fd < 0)
        return fail(output, "", diag);
    if (exists)
        (void)fchmod(output->fd, info.st_mode & 0777);  // the new file is as private as the old one
    return CD_OK;
}

// Gives an unnamed file its name: the target's own when that is free, else one beside it for the rename.
static int link_unnamed(cd_output *output)
{
    char proc[FD_PATH];
    fd_path(output->fd, proc);
    if (linkat(AT_FDCWD, proc, AT_FDCWD, output->target, AT_SYMLINK_FOLLOW) == 0)
        return 0;
    output->temporary = name_room(output->target);
    for (unsigned attempt = 0; errno == EEXIST && attempt < 1000; attempt++) {
        make_name(output->target, attempt, output->temporary);
        if (linkat(AT_FDCWD, proc, AT_FDCWD, output->temporary, AT_SYMLINK_FOLLOW) == 0)
            return 0;
    }
    int error = errno;
    cd_free(output->temporary);
    output->temporary = NULL;
    errno = error;
    return -1;
}

cd_status cd_output_commit(cd_output *output, cd_diag *diag)
{
    CD_TRY(cd_output_publish(output, diag));
    if (output->is_unnamed && link_unnamed(output) != 0)
        return fail(output, "", diag);
    if (output->owns_fd) {
        output->owns_fd = false;
        if (close(output->fd) != 0)
            return fail(output, "close: ", diag);
    }
    if (output->temporary && rename(output->temporary, output->target) != 0)
        return fail(output, "rename: ", diag);
    if (output->part && rename(output->part, output->target) != 0)
        return fail(output, "rename: ", diag);
    cd_free(output->temporary);
    output->temporary = NULL;
    return CD_OK;
}

void cd_output_discard(cd_output *output)
{
    if (output->owns_fd)
        close(output->fd);
    if (output->temporary)
        unlink(output->temporary);
    cd_free(output->temporary);
    cd_free(output->target);
    cd_free(output->part);
    free(output->before);
    *output = (cd_output){.fd = -1};
}

cd_status cd_output_write(int fd, const char *name, const void *bytes, size_t size, cd_diag *diag)
{
    const char *data = bytes;
    while (size > 0) {
        ssize_t done = write(fd, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return cd_fail(diag, CD_ERR_IO, "%s: write: %s", name, strerror(errno));
        data += done;
        size -= (size_t)done;
    }
    return CD_OK;
}
