// SPDX-License-Identifier: MIT
#include "gram_front.h"

#include "cd_vector.h"
#include "gram_front_levels.h"

#include <string.h>

#define WIDTH 2
#include "gram_front_loop.h"

const cd_front_kernels cd_front_portable = {factor, subtract, forward, backward};

static const cd_front_kernels *kernels(void)
{
    const cd_vector_level level = cd_vector_detect(CD_VECTOR_AVX512);
    return level == CD_VECTOR_AVX512 ? &cd_front_avx512 : level == CD_VECTOR_AVX2 ? &cd_front_avx2 : &cd_front_portable;
}

int32_t cd_front_factor(int32_t n, int32_t p, double *a, const double *floor, double *inverse)
{
    return kernels()->factor(n, p, a, floor, inverse);
}

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

void cd_front_panel(int32_t n, int32_t p, const double *a, double *panel)
{
    const size_t stride = (size_t)cd_front_stride(n), rows = (size_t)cd_front_rows(n);
    for (int32_t k = 0; k < p; k++) {
        const double *column = a + (size_t)k * stride;
        double *out = panel + (size_t)k * rows;
        memset(out, 0, sizeof *out * ((size_t)k + 1));
        memcpy(out + k + 1, column + k + 1, sizeof *out * (size_t)(n - k - 1));
        memset(out + n, 0, sizeof *out * (rows - (size_t)n));
    }
}
