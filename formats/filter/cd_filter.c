// The life of a tool's process: descriptors, memory, options, its run, the error line and the exit code.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"

#include "cd_clock.h"
#include "cd_output.h"
#include "filter_messages.h"
#include "filter_options.h"
#include "filter_statistics.h"
#include "filter_usage.h"

#include <errno.h>
#include <fcntl.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

cd_status cd_open_reader(cd_ctx *ctx, int index, cd_reader **reader)
{
    return cd_reader_open(index < ctx->operand_count ? ctx->operand[index] : NULL, &ctx->limits, reader, &ctx->diag);
}

cd_writer_options cd_usual_writer_options(const cd_ctx *ctx, cd_encoding usual)
{
    return (cd_writer_options){.encoding = ctx->output_is_binary ? CD_ENCODING_BINARY
                                           : ctx->output_is_json ? CD_ENCODING_JSON
                                                                 : usual,
                               .level = ctx->level,
                               .counts = ctx->counts,
                               .path = ctx->output_path,
                               .limits = ctx->limits};
}

cd_status cd_open_writer(cd_ctx *ctx, cd_encoding usual, cd_writer **writer)
{
    cd_writer_options options = cd_usual_writer_options(ctx, usual);
    return cd_writer_open(&options, writer, &ctx->diag);
}

cd_status cd_open_writers(cd_ctx *ctx, cd_encoding usual, const char *name, int32_t count, cd_writer **writer)
{
    cd_writer_options options = cd_usual_writer_options(ctx, usual);
    const char *ending = options.encoding == CD_ENCODING_JSON ? "jsonl" : "cdb";
    if (mkdir(ctx->output_path, 0777) != 0 && errno != EEXIST)
        return cd_fail(&ctx->diag, CD_ERR_IO, "%s: %s", ctx->output_path, strerror(errno));
    for (int32_t i = 0; i < count; i++) {
        options.path = cd_arena_printf(&ctx->run, "%s/%s-%05d.%s", ctx->output_path, name, (int)i, ending);
        CD_TRY(cd_writer_open(&options, &writer[i], &ctx->diag));
    }
    return CD_OK;
}

cd_status cd_write_text(cd_ctx *ctx, const char *text, size_t size)
{
    cd_output output;
    cd_status status = cd_output_open(&output, ctx->output_path, &ctx->diag);
    if (status == CD_OK)
        status = cd_output_write(output.fd, cd_output_name(&output), text, size, &ctx->diag);
    if (status == CD_OK)
        status = cd_output_commit(&output, &ctx->diag);
    cd_output_discard(&output);
    return status;
}

// ---- main ----------------------------------------------------------------------------------------------------------

static cd_status run_tool(cd_ctx *ctx, int argc, char **argv)
{
    bool is_done = false;
    CD_TRY(filter_take_options(ctx, argc, argv, &is_done));
    if (is_done)
        return CD_OK;
    cd_status begun = ctx->filter->begin ? ctx->filter->begin(ctx) : CD_OK;
    bool is_bare = ctx->usage && ctx->own_argument_count == 0;  // of a tool that does not work without an option
    if (begun != CD_OK && !is_bare)
        return begun;
    ctx->has_begun = begun == CD_OK;
    if (ctx->usage)
        return filter_print_usage(ctx);
    if (!ctx->filter->run)
        return cd_filter_loop(ctx);
    if (ctx->repeat > 1 && !ctx->filter->each_frame)
        cd_warn(ctx, "--repeat: this tool has no work phase of its own; it runs once");
    cd_status status = ctx->filter->run(ctx);
    bool is_complete = status == CD_OK || status == CD_ERR_CHECK;
    if (ctx->stats && is_complete &&
        !ctx->stats_are_printed)  // a tool that does not run the loop: all its CPU time is its work
        filter_print_statistics(ctx, &(filter_times){.work = cd_clock(CLOCK_PROCESS_CPUTIME_ID)}, 0);
    return status;
}

// A standard descriptor that the caller closed would be given to the next file opened, and messages or results would go
// into that file. It is held by one that refuses: reading stdin, writing stdout and stderr then fail as they should.
static void hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(4);
}

// Memory that one frame gives back is the next one's: otherwise, with many small frames, the top of the heap goes to
// the system and comes from it in each (1e5 frames of two boxes 3.3 s, two of them in the system, instead of 1.1).
static void keep_freed_memory(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
    mallopt(M_TRIM_THRESHOLD, 16 << 20);
#endif
}

// Of a stage of cd-loop, which tells which of them failed. That the input of those behind it is cut by this is nothing
// new.
static bool is_told_by_loop(const cd_ctx *ctx, cd_status status)
{
    bool reads_stdin = ctx->operand_count == 0 || !strcmp(ctx->operand[0], "-");
    return status == CD_ERR_TRUNCATED && reads_stdin && !ctx->verbose;
}

int cd_filter_main(int argc, char **argv, const cd_filter *filter)
{
    keep_freed_memory();
    hold_standard_descriptors();
    filter_watch_memory(filter->name);
    signal(SIGPIPE, SIG_DFL);
    const bool is_stage = getenv("CD_LOOP_STAGE") != NULL;  // asked at the start: cd-loop sets it for its stages
    cd_ctx *ctx = cd_alloc(sizeof *ctx);
    memset(ctx, 0, sizeof *ctx);
    ctx->filter = filter;
    ctx->needs = filter->needs;
    ctx->writes = filter->writes;
    cd_status status = run_tool(ctx, argc, argv);
    filter_end_progress(ctx);
    if (status != CD_OK && ctx->diag.text[0] && !(is_stage && is_told_by_loop(ctx, status)))
        filter_print_line(filter->name, ctx->diag.text);
    if (ctx->has_begun && filter->close)
        filter->close(ctx);
    cd_reader_close(ctx->reader);
    cd_writer_close(ctx->writer);
    cd_arena_release(&ctx->run);
    cd_arena_release(&ctx->arena);
    int code = status == CD_OK && ctx->signal ? 128 + ctx->signal : cd_status_exit_code(status);
    cd_free(ctx);
    return code;
}
