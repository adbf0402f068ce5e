// cd_vector -- vector instructions by runtime dispatch: one binary runs on any x86-64 and on arm64.
//
// Kernels written with intrinsics live in files that end in _avx2.c and _avx512.c: the Makefile compiles these for
// x86-64-v3 and x86-64-v4, on other machines they are empty (guard them by #ifdef __AVX2__, __AVX512F__). Each has a
// portable twin and the caller picks by cd_vector_level. Plain loops that the compiler can widen itself carry
// CD_VECTOR_CLONES instead. Results must be the same at every level, to the bit.
// SPDX-License-Identifier: MIT
#ifndef CD_VECTOR_H
#define CD_VECTOR_H

typedef enum cd_vector_level { CD_VECTOR_PORTABLE, CD_VECTOR_AVX2, CD_VECTOR_AVX512 } cd_vector_level;

// The widest level of this machine that is not above `most`.
static inline cd_vector_level cd_vector_detect(cd_vector_level most)
{
#if defined(__x86_64__)
    if (most >= CD_VECTOR_AVX512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))
        return CD_VECTOR_AVX512;
    if (most >= CD_VECTOR_AVX2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("fma"))
        return CD_VECTOR_AVX2;
#endif
    (void)most;
    return CD_VECTOR_PORTABLE;
}

// Sanitizers start before the loader resolves clones, so builds with them go without.
#if defined(__x86_64__) && defined(__linux__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CD_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CD_VECTOR_CLONES
#endif

#endif
