// SPDX-License-Identifier: MIT
#include "loop_pipeline.h"

#include "cd_assert.h"
#include "cd_memory.h"
#include "filter_sink.h"
#include "loop_split.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PIPE_BYTES = 1 << 20,  // [bytes] asked of the kernel: fewer wake-ups a frame; refused beyond its limit, harmless
    SETTLE_SECONDS =
        10,  // [s] after a complete answer the last bytes of the question have been read: only a broken stage waits
    NATURAL_MILLISECONDS =
        50,  // [ms] for stages that are ending by themselves: their exit status says more than our signal
    GRACE_MILLISECONDS = 2000,   // [ms] between SIGTERM and SIGKILL
    FINISH_MILLISECONDS = 10000  // [ms] to end after `end` was passed on
};

typedef struct stage {
    const char *text;
    pid_t pid;
    int wait_status;
    bool is_reaped;
    bool was_asked;  // ended after SIGTERM or SIGKILL from here: its status says nothing
} stage;

struct cd_loop_pipeline {
    stage *stage;
    int32_t stage_count;
    pid_t group;  // process group: that of the first stage
    cd_arena arena;
    int to;  // -1: closed
    pthread_t feeder, watcher;
    pthread_mutex_t lock;
    pthread_cond_t posted, settled, changed;  // for the feeder, for who posted, for the watcher: each wakes but one
    cd_loop_work work;                        // NULL: idle
    void *argument;
    bool quit;
    bool is_watched, watcher_sleeps, timed_out;
    struct timespec deadline;  // CLOCK_MONOTONIC
    cd_status status;          // of the work done last
    cd_diag diag;
};

// A signal handler can reach nothing but this.
static volatile sig_atomic_t group_of_pipeline, signal_to_end;

int cd_loop_signal_to_end(void) { return signal_to_end; }

// The first signal is a wish that the loop looks for between steps; the second one ends everything at once.
static void on_end_signal(int number)
{
    if (!signal_to_end) {
        signal_to_end = number;
        return;
    }
    if (group_of_pipeline > 0)
        kill(-(pid_t)group_of_pipeline, SIGTERM);
    signal(number, SIG_DFL);
    raise(number);
}

// Nobody reads the output any more (`| head`): it ends silently, the stages too, before they see their input cut.
static void on_closed_output(int number)
{
    if (group_of_pipeline > 0)
        kill(-(pid_t)group_of_pipeline, SIGTERM);
    signal(number, SIG_DFL);
    raise(number);
}

static void install_handlers(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    signal(SIGPIPE, on_closed_output);
    struct sigaction action = {.sa_handler = on_end_signal, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(ends[i], &action, NULL);
    signal(SIGXFSZ, SIG_IGN);  // a file at its limit is a failed write, told as such
}

// ---- the feeding thread --------------------------------------------------------------------------------------------

static void close_to(cd_loop_pipeline *pipeline)
{
    if (pipeline->to >= 0)
        close(pipeline->to);
    pipeline->to = -1;
}

static void *feed(void *argument)
{
    cd_loop_pipeline *pipeline = argument;
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);  // but for the work, whose write may block for ever
    pthread_mutex_lock(&pipeline->lock);
    for (;;) {
        while (!pipeline->work && !pipeline->quit)
            pthread_cond_wait(&pipeline->posted, &pipeline->lock);
        if (!pipeline->work)
            break;
        pthread_mutex_unlock(&pipeline->lock);
        cd_diag diag = {0};
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
        cd_status status = pipeline->work(pipeline->argument, &diag);
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
        pthread_mutex_lock(&pipeline->lock);
        if (status != CD_OK)
            close_to(pipeline);
        pipeline->status = status;
        pipeline->diag = diag;
        pipeline->work = NULL;
        pthread_cond_signal(&pipeline->settled);
    }
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

// ---- the watchdog thread -------------------------------------------------------------------------------------------

static struct timespec seconds_from_now(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double whole = floor(seconds);
    t.tv_sec += (time_t)whole;
    t.tv_nsec += (long)((seconds - whole) * 1e9);
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

// seconds 0: no watch. A watcher that waits for an earlier deadline finds the new one when it wakes (deadlines only
// grow); waking it for every frame would cost more than the watch.
static void set_watchdog(cd_loop_pipeline *pipeline, double seconds)
{
    pthread_mutex_lock(&pipeline->lock);
    pipeline->is_watched = seconds > 0;
    if (pipeline->is_watched)
        pipeline->deadline = seconds_from_now(seconds);
    if (pipeline->is_watched && pipeline->watcher_sleeps)
        pthread_cond_signal(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

static void *watch(void *argument)
{
    cd_loop_pipeline *pipeline = argument;
    pthread_mutex_lock(&pipeline->lock);
    while (!pipeline->quit) {
        pipeline->watcher_sleeps = !pipeline->is_watched;
        if (pipeline->watcher_sleeps) {
            pthread_cond_wait(&pipeline->changed, &pipeline->lock);
            continue;
        }
        struct timespec deadline = pipeline->deadline;
        bool is_late = pthread_cond_timedwait(&pipeline->changed, &pipeline->lock, &deadline) == ETIMEDOUT;
        if (is_late && pipeline->is_watched && !memcmp(&deadline, &pipeline->deadline, sizeof deadline)) {
            pipeline->timed_out = true;
            pipeline->is_watched = false;
            kill(-pipeline->group, SIGKILL);
        }
    }
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

// Threads inherit the mask of their creator: SIGPIPE is blocked around their creation only.
static int start_threads(cd_loop_pipeline *pipeline)
{
    sigset_t pipe_signal, before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    int error = pthread_create(&pipeline->watcher, NULL, watch, pipeline);
    if (!error) {
        error = pthread_create(&pipeline->feeder, NULL, feed, pipeline);
        if (error) {
            pthread_mutex_lock(&pipeline->lock);
            pipeline->quit = true;
            pthread_cond_signal(&pipeline->changed);
            pthread_mutex_unlock(&pipeline->lock);
            pthread_join(pipeline->watcher, NULL);
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

// ---- the end of the stages -----------------------------------------------------------------------------------------

static bool all_reaped(cd_loop_pipeline *p, int flags)
{
    bool all = true;
    for (int32_t i = 0; i < p->stage_count; i++) {
        stage *s = &p->stage[i];
        while (!s->is_reaped && s->pid > 0) {
            pid_t pid = waitpid(s->pid, &s->wait_status, flags);
            if (pid < 0 && errno == EINTR)
                continue;
            s->is_reaped = pid != 0;
            break;
        }
        all &= s->is_reaped || s->pid == 0;
    }
    return all;
}

static bool reap_within(cd_loop_pipeline *p, int milliseconds)
{
    const struct timespec pause = {.tv_nsec = 2 * 1000 * 1000};
    for (int waited = 0; waited <= milliseconds; waited += 2) {
        if (all_reaped(p, WNOHANG))
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

static void signal_group(cd_loop_pipeline *p, int number)
{
    for (int32_t i = 0; i < p->stage_count; i++)
        p->stage[i].was_asked |= !p->stage[i].is_reaped;
    if (p->group > 0)
        kill(-p->group, number);
}

// Ends the stages that still run, before their input is closed: they would only complain of a cut stream.
static void end_group(cd_loop_pipeline *p)
{
    if (reap_within(p, NATURAL_MILLISECONDS))
        return;
    signal_group(p, SIGTERM);
    if (reap_within(p, GRACE_MILLISECONDS))
        return;
    signal_group(p, SIGKILL);
    (void)all_reaped(p, 0);
}

static void release(cd_loop_pipeline *p)
{
    group_of_pipeline = 0;
    pthread_cond_destroy(&p->posted);
    pthread_cond_destroy(&p->settled);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    cd_arena_release(&p->arena);
    cd_free(p);
}

// The signal that killed a stage, or 0. A shell reports a killed command as 128 + its number.
static int signal_of(const stage *s)
{
    if (WIFSIGNALED(s->wait_status))
        return WTERMSIG(s->wait_status);
    int code = WEXITSTATUS(s->wait_status);
    return code > 128 && code <= 128 + SIGRTMAX ? code - 128 : 0;
}

// How much a stage's end tells about what went wrong. Exit status 3 and SIGPIPE are what the death of a neighbour leads
// to.
static int weight_of(const stage *s)
{
    if (!s->is_reaped || s->was_asked)
        return 0;
    int number = signal_of(s);
    if (number)
        return number == SIGPIPE ? 1 : 5;
    switch (WEXITSTATUS(s->wait_status)) {
    case 0:
        return 0;
    case 1:
        return 2;  // a failed check: the stream is complete
    case 3:
        return 3;
    default:
        return 4;
    }
}

static void describe_stages(const cd_loop_pipeline *p, cd_loop_outcome *outcome)
{
    int heaviest = 0;
    for (int32_t i = 0; i < p->stage_count; i++) {
        const stage *s = &p->stage[i];
        int weight = weight_of(s);
        if (weight <= heaviest)
            continue;
        heaviest = weight;
        outcome->failed = true;
        outcome->signal = signal_of(s);
        outcome->exit_status = outcome->signal ? -1 : WEXITSTATUS(s->wait_status);
        const char *text = s->text + strspn(s->text, " \t\n");
        int length = (int)strlen(text);
        while (length > 0 && strchr(" \t\n", text[length - 1]))
            length--;
        snprintf(outcome->stage, sizeof outcome->stage, "%.*s", length, text);
    }
}

// ---- start ---------------------------------------------------------------------------------------------------------

// A shell for one stage in process group `group` (0: a new one).
static int spawn_shell(const char *command, pid_t group, int in, int out, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, group);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    char *const argv[] = {"sh", "-c", (char *)command, NULL};
    int error = posix_spawn(pid, "/bin/sh", &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static int open_pipe(int pipe[2])
{
    if (pipe2(pipe, O_CLOEXEC) != 0)
        return errno;
    (void)fcntl(pipe[1], F_SETPIPE_SZ, PIPE_BYTES);
    return 0;
}

// Starts the stages one after another; `in` and the descriptors between them are closed here. *from: output of the
// last, which alone is told what is read of it.
static int spawn_stages(cd_loop_pipeline *p, const char *tables, int in, int *from)
{
    int error = 0;
    for (int32_t i = 0; i < p->stage_count && !error; i++) {
        int between[2];
        error = open_pipe(between);
        if (error)
            break;
        if (tables && i == p->stage_count - 1)
            setenv("CD_LOOP_SINK", filter_sink_text(between[1], tables, &p->arena), 1);
        else
            unsetenv("CD_LOOP_SINK");
        error = spawn_shell(p->stage[i].text, p->group, in, between[1], &p->stage[i].pid);
        if (!error && i == 0)
            p->group = p->stage[0].pid;
        close(in);
        close(between[1]);
        in = between[0];
    }
    *from = in;
    return error;
}

cd_status cd_loop_pipeline_start(const char *command, const char *tables, cd_loop_pipeline **pipeline, int *to,
                                 int *from, cd_diag *diag)
{
    *pipeline = NULL;
    int question[2];
    int error = open_pipe(question);
    if (error)
        return cd_fail(diag, CD_ERR_IO, "pipe: %s", strerror(error));
    cd_loop_pipeline *p = cd_alloc(sizeof *p);
    *p = (cd_loop_pipeline){.to = question[1]};
    cd_stage_list stages = cd_loop_split(&p->arena, command);
    p->stage_count = stages.list.count;
    p->stage = CD_ARENA_ZARRAY(&p->arena, stage, p->stage_count);
    for (int32_t i = 0; i < p->stage_count; i++)
        p->stage[i].text = stages.list.item[i];
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&p->posted, NULL);
    pthread_cond_init(&p->settled, &attributes);
    pthread_cond_init(&p->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    install_handlers();
    setenv("CD_LOOP_STAGE", "1", 1);  // cd_filter_main: what is told here is not told by each stage too
    error = spawn_stages(p, tables, question[0], from);
    group_of_pipeline = p->group;
    if (!error)
        error = start_threads(p);
    if (error) {
        close(*from);
        close(p->to);
        p->to = *from = -1;
        end_group(p);
        release(p);
        return cd_fail(diag, CD_ERR_IO, "/bin/sh: %s", strerror(error));
    }
    *pipeline = p;
    *to = p->to;
    return CD_OK;
}

int32_t cd_loop_pipeline_stages(const cd_loop_pipeline *pipeline) { return pipeline->stage_count; }

// ---- post and settle -----------------------------------------------------------------------------------------------

void cd_loop_pipeline_post(cd_loop_pipeline *pipeline, cd_loop_work work, void *argument, double seconds)
{
    set_watchdog(pipeline, seconds);
    pthread_mutex_lock(&pipeline->lock);
    CD_ASSERT(!pipeline->work);
    pipeline->argument = argument;
    pipeline->work = work;
    pthread_cond_signal(&pipeline->posted);
    pthread_mutex_unlock(&pipeline->lock);
}

cd_status cd_loop_pipeline_settle(cd_loop_pipeline *pipeline, cd_diag *diag)
{
    set_watchdog(pipeline, 0);
    struct timespec deadline = seconds_from_now(SETTLE_SECONDS);
    pthread_mutex_lock(&pipeline->lock);
    int waited = 0;
    while (pipeline->work && waited == 0)
        waited = pthread_cond_timedwait(&pipeline->settled, &pipeline->lock, &deadline);
    cd_status status = pipeline->work ? CD_ERR_FORMAT : pipeline->status;
    if (pipeline->work)
        (void)cd_fail(diag, status, "the pipeline answered a frame without reading it");
    else if (status != CD_OK && diag)
        *diag = pipeline->diag;
    pthread_mutex_unlock(&pipeline->lock);
    return status;
}

void cd_loop_pipeline_close_input(cd_loop_pipeline *pipeline)
{
    pthread_mutex_lock(&pipeline->lock);
    close_to(pipeline);
    pthread_mutex_unlock(&pipeline->lock);
}

// ---- stop ----------------------------------------------------------------------------------------------------------

cd_loop_outcome cd_loop_pipeline_stop(cd_loop_pipeline *pipeline, bool now)
{
    cd_loop_outcome outcome = {0};
    if (!pipeline)
        return outcome;
    set_watchdog(pipeline, 0);
    pthread_mutex_lock(&pipeline->lock);
    pipeline->quit = true;
    pthread_cond_signal(&pipeline->posted);
    pthread_cond_signal(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    if (now || !reap_within(pipeline, FINISH_MILLISECONDS)) {
        end_group(pipeline);
        pthread_cancel(pipeline->feeder);  // a process outside the group may still hold the pipe
    }
    pthread_join(pipeline->feeder, NULL);
    pthread_join(pipeline->watcher, NULL);
    close_to(pipeline);
    outcome.timed_out = pipeline->timed_out;
    describe_stages(pipeline, &outcome);
    outcome.feeding = pipeline->status;
    outcome.feeding_diag = pipeline->diag;
    release(pipeline);
    return outcome;
}
