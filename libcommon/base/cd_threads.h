// cd_threads -- the one way to use several cores: the same function on every worker, over shares of an index range.
//
// Workers are started and joined in each call (about 30 us each): worth it from some 100 us of work on. There is no
// pool, and no global state but one number that says how many threads were at work. What the workers write must be
// disjoint; results must not depend on how many there are.
// SPDX-License-Identifier: MIT
#ifndef CD_THREADS_H
#define CD_THREADS_H

#include <stdint.h>

// Calls work(context, w) for w = 0 .. threads-1, w = 0 on the calling thread, and returns when all have ended. Where a
// thread cannot be started the calling thread does its share.
void cd_threads_run(int threads, void (*work)(void *context, int worker), void *context);

// The most threads that were at work in one cd_threads_run since the last call of this, the calling thread included; 1
// when none was started. For --stats, and for tests to know that threads ran: no result may depend on it.
int cd_threads_take_most(void);

// The part [begin, end) of 0..count-1 that is worker w's: contiguous, ascending with w, equal within one.
typedef struct cd_share {
    int64_t begin, end;
} cd_share;
static inline cd_share cd_threads_share(int64_t count, int threads, int worker)
{
    int64_t each = count / threads, rest = count % threads;
    int64_t begin = worker * each + (worker < rest ? worker : rest);
    return (cd_share){begin, begin + each + (worker < rest)};
}

// For work of uneven cost: takes the next `size` indices off a counter shared by the workers; an empty share at the
// end.
cd_share cd_threads_next(int64_t *counter, int64_t count, int64_t size);

// As many threads as pay: at most `threads`, one per `least` items.
static inline int cd_threads_for(int threads, int64_t count, int64_t least)
{
    int64_t most = count / least;
    return most < 1 ? 1 : most < threads ? (int)most : threads;
}

#endif
