// Shares, and threads that really start.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "cd_threads.h"

#include <pthread.h>

enum { MOST = 16 };

typedef struct team {
    pthread_barrier_t barrier;
    int calls[MOST];
    pthread_t thread[MOST];
} team;

// All workers wait for one another: one thread after the other would never end.
static void meet(void *context, int worker)
{
    team *t = context;
    t->calls[worker]++;
    t->thread[worker] = pthread_self();
    pthread_barrier_wait(&t->barrier);
}

CD_TEST(workers_run_at_once_each_on_its_thread)
{
    (void)cd_threads_take_most();
    for (int threads = 1; threads <= MOST; threads++) {
        team t = {.calls = {0}};
        pthread_barrier_init(&t.barrier, NULL, (unsigned)threads);
        cd_threads_run(threads, meet, &t);
        pthread_barrier_destroy(&t.barrier);
        CD_CHECK(pthread_equal(t.thread[0], pthread_self()));
        for (int i = 0; i < MOST; i++)
            CD_CHECK(t.calls[i] == (i < threads));
        for (int i = 0; i < threads; i++)
            for (int k = 0; k < i; k++)
                CD_CHECK(!pthread_equal(t.thread[i], t.thread[k]));
        CD_CHECK(cd_threads_take_most() == threads);
        CD_CHECK(cd_threads_take_most() == 1);
    }
}

static void count(void *context, int worker) { ((int *)context)[worker]++; }

CD_TEST(the_most_at_work_is_kept_until_it_is_taken)
{
    int calls[MOST] = {0};
    cd_threads_run(2, count, calls);
    cd_threads_run(5, count, calls);
    cd_threads_run(1, count, calls);
    cd_threads_run(3, count, calls);
    CD_CHECK(cd_threads_take_most() == 5);
    CD_CHECK(calls[0] == 4 && calls[1] == 3 && calls[2] == 2 && calls[3] == 1 && calls[4] == 1 && calls[5] == 0);
}

CD_TEST(shares_are_the_whole)
{
    for (int64_t items = 0; items < 40; items++)
        for (int threads = 1; threads <= MOST; threads++) {
            int64_t next = 0;
            for (int w = 0; w < threads; w++) {
                cd_share s = cd_threads_share(items, threads, w);
                CD_CHECK(s.begin == next && s.end >= s.begin && s.end - s.begin <= items / threads + 1);
                next = s.end;
            }
            CD_CHECK(next == items);
        }
    int64_t counter = 0, seen = 0;
    for (cd_share s = cd_threads_next(&counter, 23, 5); s.begin < s.end; s = cd_threads_next(&counter, 23, 5)) {
        CD_CHECK(s.begin == seen);
        seen = s.end;
    }
    CD_CHECK(seen == 23);
}

CD_TEST(no_more_threads_than_pay)
{
    CD_CHECK(cd_threads_for(8, 0, 100) == 1 && cd_threads_for(8, 199, 100) == 1 && cd_threads_for(8, 200, 100) == 2);
    CD_CHECK(cd_threads_for(8, 10000, 100) == 8 && cd_threads_for(1, 10000, 100) == 1);
}

int main(void)
{
    CD_RUN(workers_run_at_once_each_on_its_thread);
    CD_RUN(the_most_at_work_is_kept_until_it_is_taken);
    CD_RUN(shares_are_the_whole);
    CD_RUN(no_more_threads_than_pay);
    return cd_test_done();
}
