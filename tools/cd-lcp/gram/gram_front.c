// SPDX-License-Identifier: MIT
#include "gram_front.h"

#include "cd_threads.h"
#include "cd_vector.h"
#include "gram_front_levels.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#define WIDTH 2
#include "gram_front_loop.h"
#include "gram_lu_loop.h"

const cd_front_kernels cd_front_portable = {take_panels, factor_columns, subtract, forward, backward};
const cd_lu_kernels cd_lu_portable = {factor_pivots, lower_columns, rest_columns, lu_forward, lu_backward};

static const cd_front_kernels *kernels(void)
{
    const cd_vector_level level = cd_vector_detect(CD_VECTOR_AVX512);
    return level == CD_VECTOR_AVX512 ? &cd_front_avx512 : level == CD_VECTOR_AVX2 ? &cd_front_avx2 : &cd_front_portable;
}

// ---- blocks of columns ---------------------------------------------------------------------------------------------

// Blocks are taken in their order, and each takes from those before it what they have: a worker waits for a block that
// another one still works on. Pivots of a block come after those before it, so their blocks end in their order too.
typedef struct blocks {
    const cd_front_kernels *kernels;
    const cd_front *f;
    int64_t next, count;
    _Atomic int32_t ended, raised;  // ended: pivots whose blocks have
} blocks;

// Block k ends here. Those of pivots come first; the last of them may be a short one.
static int32_t end_of(const cd_front *f, int64_t k)
{
    const int32_t of_pivots = (f->p + CD_FRONT_BLOCK - 1) / CD_FRONT_BLOCK, most = k < of_pivots ? f->p : f->n,
                  begin = k < of_pivots ? 0 : f->p - of_pivots * CD_FRONT_BLOCK;
    const int64_t end = begin + (k + 1) * CD_FRONT_BLOCK;
    return end < most ? (int32_t)end : most;
}

static void work_blocks(void *context, int worker)
{
    (void)worker;
    blocks *w = context;
    const cd_front *f = w->f;
    for (;;) {
        const cd_share share = cd_threads_next(&w->next, w->count, 1);
        if (share.begin >= share.end)
            return;
        const int32_t begin = share.begin > 0 ? end_of(f, share.begin - 1) : 0, end = end_of(f, share.begin);
        for (int32_t taken = 0; taken < f->p && taken < begin;) {
            const int32_t ended = atomic_load_explicit(&w->ended, memory_order_acquire);
            if (ended > taken)
                w->kernels->take_panels(f, taken, ended, begin, end);
            else
                sched_yield();
            taken = ended;
        }
        if (begin >= f->p)
            continue;
        w->raised += w->kernels->factor_columns(f, begin, end);
        atomic_store_explicit(&w->ended, end, memory_order_release);
    }
}

int32_t cd_front_factor_by(const cd_front_kernels *kernels, const cd_front *f, int threads)
{
    const int32_t pivots = (f->p + CD_FRONT_BLOCK - 1) / CD_FRONT_BLOCK,
                  rest = (f->n - f->p + CD_FRONT_BLOCK - 1) / CD_FRONT_BLOCK;
    blocks w = {.kernels = kernels, .f = f, .count = pivots + rest};
    threads = cd_threads_for(threads, w.count, 1);
    if (threads > 1)
        cd_threads_run(threads, work_blocks, &w);
    else
        work_blocks(&w, 0);
    return w.raised;
}

int32_t cd_front_factor(const cd_front *f, int threads) { return cd_front_factor_by(kernels(), f, threads); }

void cd_front_subtract(int32_t n, double *a, size_t stride, const double *l, int32_t depth)
{
    kernels()->subtract(n, a, stride, l, depth);
}

void cd_front_forward(int32_t n, int32_t p, const double *panel, const double *inverse, double *x)
{
    kernels()->forward(n, p, panel, inverse, x);
}

void cd_front_backward(int32_t n, int32_t p, const double *panel, const double *inverse, double *x)
{
    kernels()->backward(n, p, panel, inverse, x);
}

void cd_front_panel_columns(int32_t n, int32_t begin, int32_t end, const double *a, double *panel)
{
    const size_t stride = (size_t)cd_front_stride(n), rows = (size_t)cd_front_rows(n);
    for (int32_t k = begin; k < end; k++) {
        const double *column = a + (size_t)k * stride;
        double *out = panel + (size_t)k * rows;
        memset(out, 0, sizeof *out * ((size_t)k + 1));
        memcpy(out + k + 1, column + k + 1, sizeof *out * (size_t)(n - k - 1));
        memset(out + n, 0, sizeof *out * (rows - (size_t)n));
    }
}

void cd_front_panel(int32_t n, int32_t p, const double *a, double *panel) { cd_front_panel_columns(n, 0, p, a, panel); }
