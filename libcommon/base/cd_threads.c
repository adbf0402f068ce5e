// SPDX-License-Identifier: MIT
#include "cd_threads.h"

#include "cd_memory.h"

#include <pthread.h>
#include <stdbool.h>

typedef struct worker {
    void (*work)(void *context, int worker);
    void *context;
    int number;
    pthread_t thread;
    bool is_running;
} worker;

static int most_at_work = 1;

static void note_at_work(int count)
{
    int most = __atomic_load_n(&most_at_work, __ATOMIC_RELAXED);
    while (count > most &&
           !__atomic_compare_exchange_n(&most_at_work, &most, count, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        // `most` is what another thread wrote
    }
}

int cd_threads_take_most(void) { return __atomic_exchange_n(&most_at_work, 1, __ATOMIC_RELAXED); }

static void *start(void *argument)
{
    const worker *w = argument;
    w->work(w->context, w->number);
    return NULL;
}

void cd_threads_run(int threads, void (*work)(void *context, int worker), void *context)
{
    if (threads <= 1) {
        work(context, 0);
        return;
    }
    worker *team = cd_alloc((size_t)threads * sizeof *team);
    int at_work = 1;
    for (int i = 1; i < threads; i++) {
        team[i] = (worker){.work = work, .context = context, .number = i};
        team[i].is_running = pthread_create(&team[i].thread, NULL, start, &team[i]) == 0;
        at_work += team[i].is_running;
    }
    note_at_work(at_work);
    work(context, 0);
    for (int i = 1; i < threads; i++)
        if (!team[i].is_running)
            work(context, i);
        else
            pthread_join(team[i].thread, NULL);
    cd_free(team);
}

cd_share cd_threads_next(int64_t *counter, int64_t count, int64_t size)
{
    int64_t begin = __atomic_fetch_add(counter, size, __ATOMIC_RELAXED);
    if (begin >= count)
        return (cd_share){count, count};
    return (cd_share){begin, begin + size < count ? begin + size : count};
}
