// SPDX-License-Identifier: MIT
#include "plot_film.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int spawn_ffmpeg(const cd_plot_ask *ask, int in, int out, pid_t *child)
{
    bool is_gif = !strcmp(ask->film, "gif");
    char rate[32];
    snprintf(rate, sizeof rate, "%.15g", ask->options->rate);
    // Colours of a GIF are those of its own pictures; a WebM wants even sides.
    char *const filter = is_gif ? "split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none"
                                : "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white";
    // Its output by name: through a pipe a WebM would not get its length. bitexact: no date, no random number.
    char *const gif[] = {
        "ffmpeg", "-v",     "error",           "-y",   "-f",      "image2pipe", "-c:v", "png", "-framerate",     rate,
        "-i",     "pipe:0", "-filter_complex", filter, "-fflags", "+bitexact",  "-f",   "gif", "file:/dev/fd/1", NULL};
    char *const webm[] = {"ffmpeg",    "-v",   "error",          "-y",         "-f",        "image2pipe",
                          "-c:v",      "png",  "-framerate",     rate,         "-i",        "pipe:0",
                          "-vf",       filter, "-c:v",           "libvpx-vp9", "-deadline", "good",
                          "-cpu-used", "4",    "-pix_fmt",       "yuv420p",    "-crf",      "24",
                          "-b:v",      "0",    "-fflags",        "+bitexact",  "-flags",    "+bitexact",
                          "-f",        "webm", "file:/dev/fd/1", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int error = posix_spawnp(child, "ffmpeg", &actions, &attributes, is_gif ? gif : webm, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

cd_status cd_plot_film_start(cd_ctx *ctx, const cd_plot_ask *ask, cd_plot_film *film)
{
    int pipe[2];
    *film = (cd_plot_film){.to = -1};
    CD_TRY(cd_output_open(&film->output, ctx->output_path, &ctx->diag));
    if (pipe2(pipe, O_CLOEXEC) != 0) {
        int error = errno;
        cd_output_discard(&film->output);
        return cd_fail(&ctx->diag, CD_ERR_IO, "pipe: %s", strerror(error));
    }
    signal(SIGPIPE, SIG_IGN);  // that ffmpeg has ended is told by its exit status
    int error = spawn_ffmpeg(ask, pipe[0], film->output.fd, &film->child);
    close(pipe[0]);
    film->to = pipe[1];
    if (!error)
        return CD_OK;
    close(film->to);
    cd_output_discard(&film->output);
    return cd_fail(&ctx->diag, error == ENOENT ? CD_ERR_UNSUPPORTED : CD_ERR_IO,
                   "-o: %.200s: a .%s is made by ffmpeg, which %s: install it (Debian: ffmpeg), or write numbered PNGs",
                   ctx->output_path, ask->film, error == ENOENT ? "is not on the PATH" : strerror(error));
}

cd_status cd_plot_film_add(cd_ctx *ctx, cd_plot_film *film, const cd_buffer *png)
{
    return cd_output_write(film->to, "ffmpeg", png->data, png->size, &ctx->diag);
}

cd_status cd_plot_film_end(cd_ctx *ctx, cd_plot_film *film, cd_status status)
{
    int ended = 0;
    if (status != CD_OK && status != CD_ERR_IO)
        kill(film->child, SIGTERM);
    close(film->to);
    while (waitpid(film->child, &ended, 0) < 0 && errno == EINTR)
        continue;
    bool failed = !WIFEXITED(ended) || WEXITSTATUS(ended) != 0;
    if (failed && (status == CD_OK || status == CD_ERR_IO))
        status = cd_fail(&ctx->diag, CD_ERR_IO, "-o: %.200s: ffmpeg failed (%s %d)", ctx->output_path,
                         WIFEXITED(ended) ? "exit status" : "signal",
                         WIFEXITED(ended) ? WEXITSTATUS(ended) : WTERMSIG(ended));
    if (status == CD_OK)
        status = cd_output_commit(&film->output, &ctx->diag);
    cd_output_discard(&film->output);
    return status;
}
