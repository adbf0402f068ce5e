// SPDX-License-Identifier: MIT
#include "loop_tools.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The folder of this program, with its last slash; "" where the system does not tell.
static const char *own_folder(cd_arena *arena)
{
    enum { PATH_MOST = 4096 };
    char *path = cd_arena_alloc(arena, PATH_MOST);
    ssize_t length = readlink("/proc/self/exe", path, PATH_MOST - 1);
    if (length <= 0)
        return "";
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (!slash)
        return "";
    slash[1] = 0;
    return path;
}

const char *cd_loop_default_pipeline(cd_arena *arena, cd_loop_stage_options asked)
{
    const char *folder = own_folder(arena), *path = getenv("PATH");
    if (folder[0])
        setenv("PATH", path ? cd_arena_printf(arena, "%s:%s", folder, path) : folder, 1);
    static const char *const solved[] = {"cd-broad", "cd-narrow", "cd-peg-assemble", "cd-lcp", "cd-step", NULL};
    static const char *const pushed[] = {"cd-broad", "cd-narrow", "cd-penalty", "cd-step -i central", NULL};
    const char *const *stages = asked.wants == CD_CONTACT_WANT_DEPTHS ? pushed : solved;
    const char *command = "", *options = "";
    if (asked.threads > 1 || asked.quiet)
        options = cd_arena_printf(arena, " -t %d%s", asked.threads, asked.quiet ? " -q" : "");
    for (size_t i = 0; stages[i]; i++) {
        const char *own = asked.warm && !strcmp(stages[i], "cd-lcp") ? " --warm" : "";
        command = cd_arena_printf(arena, "%s%s%s%s%s", command, i ? " | " : "", stages[i], own, options);
    }
    return command;
}

bool cd_loop_is_yaml(const char *path)
{
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

cd_status cd_loop_scene_start(const char *path, bool quiet, pid_t *child, int *from, cd_diag *diag)
{
    int pipe[2];
    if (pipe2(pipe, O_CLOEXEC) != 0)
        return cd_fail(diag, CD_ERR_IO, "pipe: %s", strerror(errno));
    cd_arena arena = {0};
    const char *beside = cd_arena_printf(&arena, "%scd-scene", own_folder(&arena));
    const char *program = access(beside, X_OK) == 0 ? beside : "cd-scene";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    // Bodies that are placed in one another are told by cd-step, once.
    char *const argv[] = {
        "cd-scene", "--no-placed", quiet ? "-q" : "--", quiet ? "--" : (char *)path, quiet ? (char *)path : NULL, NULL};
    int error = posix_spawnp(child, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    cd_arena_release(&arena);
    close(pipe[1]);
    *from = pipe[0];
    if (!error)
        return CD_OK;
    close(pipe[0]);
    return cd_fail(diag, CD_ERR_IO, "%.100s: cd-scene cannot be started: %s", path, strerror(error));
}

cd_status cd_loop_scene_end(const char *path, pid_t child, cd_status status, cd_diag *diag)
{
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
        continue;
    int code = WIFEXITED(ended) ? WEXITSTATUS(ended) : 0;
    if (code == 0)
        return status;
    static const cd_status by_code[] = {
        [2] = CD_ERR_USAGE, [4] = CD_ERR_IO, [5] = CD_ERR_NUMERIC, [6] = CD_ERR_UNSUPPORTED};
    bool is_known = code < (int)(sizeof by_code / sizeof by_code[0]) && by_code[code] != CD_OK;
    return cd_fail(diag, is_known ? by_code[code] : CD_ERR_FORMAT, "%.100s: exit status %d of cd-scene", path, code);
}
