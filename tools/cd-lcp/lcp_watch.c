// SPDX-License-Identifier: MIT
#include "lcp_watch.h"

#include "cd_clock.h"
#include "cd_threads.h"

#include <inttypes.h>
#include <pthread.h>
#include <time.h>

typedef struct watch {
    cd_ctx *ctx;
    const cd_lcp_files *files;  // NULL: a frame
    cd_lcp_stage stage;
    cd_buffer *text;  // the answer of files
    cd_lcp_tally tally;
    cd_status status;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool has_ended;
} watch;

// Waits until the work has ended, or for some milliseconds: false then.
static bool wait_for(watch *w, long milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += milliseconds % 1000 * 1000000;
    until.tv_sec += milliseconds / 1000 + until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&w->lock);
    while (!w->has_ended && pthread_cond_timedwait(&w->ended, &w->lock, &until) == 0) {
    }
    const bool has_ended = w->has_ended;
    pthread_mutex_unlock(&w->lock);
    return has_ended;
}

static void tell(watch *w)
{
    enum { EVERY = 500 };
    const double start = cd_clock(CLOCK_MONOTONIC);
    while (!wait_for(w, EVERY)) {
        const cd_lcp_tally *t = &w->tally;
        cd_progress(w->ctx, "%ld s, %" PRId64 " of %" PRId64 " islands and %" PRId64 " of %" PRId64 " rows solved",
                    (long)(cd_clock(CLOCK_MONOTONIC) - start), (int64_t)t->islands_done, (int64_t)t->islands,
                    (int64_t)t->rows_done, (int64_t)t->rows);
    }
}

static cd_status solve(watch *w)
{
    cd_ctx *ctx = w->ctx;
    if (w->files)
        return cd_lcp_solve_files(w->files, w->stage.solver, &w->stage.options, &ctx->run, w->text, &ctx->diag);
    return cd_lcp_frame(&w->stage, &ctx->in, ctx->refs, &ctx->arena, &ctx->out, &ctx->diag);
}

static void run(void *context, int worker)
{
    watch *w = context;
    if (worker > 0) {
        tell(w);
        return;
    }
    w->status = solve(w);
    pthread_mutex_lock(&w->lock);
    w->has_ended = true;
    pthread_cond_signal(&w->ended);
    pthread_mutex_unlock(&w->lock);
}

static cd_status solve_watched(watch *w)
{
    if (!w->ctx->progress)
        return solve(w);
    w->stage.options.tally = &w->tally;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->ended, NULL);
    cd_threads_run(2, run, w);
    pthread_cond_destroy(&w->ended);
    pthread_mutex_destroy(&w->lock);
    return w->status;
}

cd_status cd_lcp_watch_frame(cd_ctx *ctx, const cd_lcp_stage *stage)
{
    watch w = {.ctx = ctx, .stage = *stage};
    CD_TRY(solve_watched(&w));
    ctx->is_pure = !stage->is_warm || ctx->out.solution.status[0] == CD_SOLUTION_SOLVED;
    return CD_OK;
}

cd_status cd_lcp_watch_files(cd_ctx *ctx, const cd_lcp_files *files, const cd_lcp_stage *stage)
{
    cd_buffer text = {0};
    watch w = {.ctx = ctx, .files = files, .stage = *stage, .text = &text};
    const cd_status status = solve_watched(&w);
    const cd_status written = text.size > 0 ? cd_write_text(ctx, text.data, text.size) : CD_OK;
    cd_buffer_release(&text);
    return status == CD_OK ? written : status;
}
