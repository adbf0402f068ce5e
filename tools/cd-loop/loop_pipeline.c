// SPDX-License-Identifier: MIT
#include "loop_pipeline.h"

#include "cd_assert.h"
#include "cd_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PIPE_BYTES = 1 << 20,      // [bytes] asked of the kernel: fewer wake-ups a frame; refused beyond its limit, harmless
    SETTLE_SECONDS = 10,       // [s] after a complete answer the last bytes of the question have been read: only a broken stage waits
    NATURAL_MILLISECONDS = 1000,  // [ms] to end by itself once its input and output are closed
    GRACE_MILLISECONDS = 2000,    // [ms] between SIGTERM and SIGKILL
};

struct cd_loop_pipeline {
    pid_t pid;  // and process group
    int to;     // -1: closed
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    cd_loop_work work;  // NULL: idle
    void *argument;
    bool quit;
    cd_status status;  // of the work done last
    cd_diag diag;
};

// A signal handler can reach nothing but this.
static volatile sig_atomic_t group_of_pipeline, watchdog_barked;

static void on_end_signal(int number)
{
    if (group_of_pipeline > 0)
        kill(-(pid_t)group_of_pipeline, SIGTERM);
    signal(number, SIG_DFL);
    raise(number);
}

static void on_alarm(int number)
{
    (void)number;
    watchdog_barked = 1;
    if (group_of_pipeline > 0)
        kill(-(pid_t)group_of_pipeline, SIGKILL);
}

static void set_watchdog(double seconds)
{
    double whole = floor(seconds);
    struct itimerval timer = {.it_value = {.tv_sec = (time_t)whole, .tv_usec = (suseconds_t)((seconds - whole) * 1e6)}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void install_handlers(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_end_signal}, before;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(ends[i], &action, NULL);
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
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
            pthread_cond_wait(&pipeline->changed, &pipeline->lock);
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
        pthread_cond_broadcast(&pipeline->changed);
    }
    pthread_mutex_unlock(&pipeline->lock);
    return NULL;
}

// The thread inherits the mask of its creator: SIGPIPE is blocked around its creation only.
static int start_thread(cd_loop_pipeline *pipeline)
{
    sigset_t pipe_signal, before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    int error = pthread_create(&pipeline->thread, NULL, feed, pipeline);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

// ---- start -----------------------------------------------------------------------------------------------------------

static int spawn_shell(const char *command, int in, int out, pid_t *pid)
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
    sigaddset(&defaults, SIGALRM);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    char *const argv[] = {"sh", "-c", (char *)command, NULL};
    int error = posix_spawn(pid, "/bin/sh", &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return error;
}

cd_status cd_loop_pipeline_start(const char *command, cd_loop_pipeline **pipeline, int *to, int *from, cd_diag *diag)
{
    *pipeline = NULL;
    int question[2], answer[2];
    if (pipe2(question, O_CLOEXEC) != 0)
        return cd_fail(diag, CD_ERR_IO, "pipe: %s", strerror(errno));
    if (pipe2(answer, O_CLOEXEC) != 0) {
        close(question[0]);
        close(question[1]);
        return cd_fail(diag, CD_ERR_IO, "pipe: %s", strerror(errno));
    }
    (void)fcntl(question[1], F_SETPIPE_SZ, PIPE_BYTES);
    (void)fcntl(answer[1], F_SETPIPE_SZ, PIPE_BYTES);
    install_handlers();
    pid_t pid = 0;
    int error = spawn_shell(command, question[0], answer[1], &pid);
    close(question[0]);
    close(answer[1]);
    if (error) {
        close(question[1]);
        close(answer[0]);
        return cd_fail(diag, CD_ERR_IO, "/bin/sh: %s", strerror(error));
    }
    group_of_pipeline = pid;
    cd_loop_pipeline *p = cd_alloc(sizeof *p);
    *p = (cd_loop_pipeline){.pid = pid, .to = question[1]};
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    error = start_thread(p);
    if (error) {
        kill(-pid, SIGKILL);
        close(answer[0]);
        close(p->to);
        waitpid(pid, NULL, 0);
        cd_free(p);
        return cd_fail(diag, CD_ERR_MEMORY, "thread: %s", strerror(error));
    }
    *pipeline = p;
    *to = p->to;
    *from = answer[0];
    return CD_OK;
}

// ---- post and settle -----------------------------------------------------------------------------------------------------

void cd_loop_pipeline_post(cd_loop_pipeline *pipeline, cd_loop_work work, void *argument, double seconds)
{
    set_watchdog(seconds);
    pthread_mutex_lock(&pipeline->lock);
    CD_ASSERT(!pipeline->work);
    pipeline->argument = argument;
    pipeline->work = work;
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
}

cd_status cd_loop_pipeline_settle(cd_loop_pipeline *pipeline, cd_diag *diag)
{
    set_watchdog(0);
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec += SETTLE_SECONDS;
    pthread_mutex_lock(&pipeline->lock);
    int waited = 0;
    while (pipeline->work && waited == 0)
        waited = pthread_cond_timedwait(&pipeline->changed, &pipeline->lock, &deadline);
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

// ---- stop -------------------------------------------------------------------------------------------------------------------

static bool reap_within(pid_t pid, int milliseconds, int *wait_status)
{
    const struct timespec pause = {.tv_nsec = 5 * 1000 * 1000};
    for (int waited = 0; waited <= milliseconds; waited += 5) {
        if (waitpid(pid, wait_status, WNOHANG) == pid)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

static void reap(pid_t pid, int *wait_status)
{
    while (waitpid(pid, wait_status, 0) < 0 && errno == EINTR)
        continue;
}

// First time to end by itself, because its own exit status says more than our signal.
static void end_group(pid_t pid, int *wait_status)
{
    if (reap_within(pid, NATURAL_MILLISECONDS, wait_status))
        return;
    kill(-pid, SIGTERM);
    if (reap_within(pid, GRACE_MILLISECONDS, wait_status))
        return;
    kill(-pid, SIGKILL);
    reap(pid, wait_status);
}

cd_loop_outcome cd_loop_pipeline_stop(cd_loop_pipeline *pipeline, bool now)
{
    cd_loop_outcome outcome = {0};
    if (!pipeline)
        return outcome;
    set_watchdog(0);
    int wait_status = 0;
    pthread_mutex_lock(&pipeline->lock);
    pipeline->quit = true;
    if (!pipeline->work)
        close_to(pipeline);
    pthread_cond_broadcast(&pipeline->changed);
    pthread_mutex_unlock(&pipeline->lock);
    if (now) {
        end_group(pipeline->pid, &wait_status);
        kill(-pipeline->pid, SIGKILL);      // stages that outlived the shell
        pthread_cancel(pipeline->thread);  // a stage outside the group may still hold the pipe
    }
    pthread_join(pipeline->thread, NULL);
    close_to(pipeline);
    if (!now)
        reap(pipeline->pid, &wait_status);
    group_of_pipeline = 0;
    outcome.timed_out = watchdog_barked;
    outcome.exit_status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
    outcome.signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
    outcome.feeding = pipeline->status;
    outcome.feeding_diag = pipeline->diag;
    pthread_cond_destroy(&pipeline->changed);
    pthread_mutex_destroy(&pipeline->lock);
    cd_free(pipeline);
    return outcome;
}
