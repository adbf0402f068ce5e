// SPDX-License-Identifier: MIT
#include "gram_lu_front.h"

#include "cd_threads.h"
#include "cd_vector.h"
#include "gram_front_levels.h"

// [multiplications] A share of a front that all workers share.
#define SHARED_LEAST 4e6
enum { PANEL = CD_FRONT_PANEL, STRIP = CD_FRONT_STRIP };

static const cd_lu_kernels *kernels(void)
{
    const cd_vector_level level = cd_vector_detect(CD_VECTOR_AVX512);
    return level == CD_VECTOR_AVX512 ? &cd_lu_avx512 : level == CD_VECTOR_AVX2 ? &cd_lu_avx2 : &cd_lu_portable;
}

// Columns that workers take some of at a time: of the pivots those that lose what pivots first to last - 1 take, or
// with last = 0 those of the rest.
typedef struct share {
    const cd_lu_kernels *kernels;
    const cd_lu_front *f;
    int32_t first, last, begin, end;
    int64_t next;
} share;

static void take_columns(const share *w, int32_t begin, int32_t end)
{
    if (w->last > 0)
        w->kernels->lower_columns(w->f, w->first, w->last, begin, end);
    else
        w->kernels->rest_columns(w->f, begin, end);
}

static void take_share(void *context, int worker)
{
    (void)worker;
    enum { TOGETHER = 32 };
    share *w = context;
    for (;;) {
        const cd_share s = cd_threads_next(&w->next, w->end - w->begin, TOGETHER);
        if (s.begin >= s.end)
            return;
        take_columns(w, w->begin + (int32_t)s.begin, w->begin + (int32_t)s.end);
    }
}

static void take_all(share *w, double work, int threads)
{
    if (threads > 1 && work >= SHARED_LEAST)
        cd_threads_run(threads, take_share, w);
    else
        take_columns(w, w->begin, w->end);
}

void cd_lu_front_factor_by(const cd_lu_kernels *kernels, const cd_lu_front *f, int threads)
{
    const double n = f->n;
    for (int32_t first = 0; first < f->p; first += PANEL) {
        const int32_t last = first + PANEL < f->p ? first + PANEL : f->p;
        for (int32_t k0 = first; k0 < last; k0 += STRIP) {
            const int32_t k1 = k0 + STRIP < last ? k0 + STRIP : last;
            kernels->factor_pivots(f, k0, k1);
            kernels->lower_columns(f, k0, k1, k1, last);
        }
        take_all(&(share){kernels, f, first, last, last, f->p, 0}, (n - first) * (last - first) * (f->p - last),
                 threads);
    }
    take_all(&(share){kernels, f, 0, 0, 0, f->n - f->p, 0}, n * f->p * (n - f->p), threads);
}

void cd_lu_front_factor(const cd_lu_front *f, int threads) { cd_lu_front_factor_by(kernels(), f, threads); }

void cd_lu_front_forward(const cd_lu_front *f, int sides, double *x, size_t apart)
{
    kernels()->forward(f, sides, x, apart);
}

void cd_lu_front_backward(const cd_lu_front *f, int sides, const double *y, double *x, size_t apart)
{
    kernels()->backward(f, sides, y, x, apart);
}
