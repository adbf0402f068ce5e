// oracle_exact -- rational numbers without rounding, for the oracles: GMP behind functions that return their result.
//
// A number lives until oracle_release(), which frees all of them at once (their memory is kept for the next trial).
// Every finite double is a rational, so what a kernel was given is known exactly and what it answered has an exact
// error.
// SPDX-License-Identifier: MIT
#ifndef ORACLE_EXACT_H
#define ORACLE_EXACT_H

#include "cd_memory.h"

#include <gmp.h>
#include <stdbool.h>
#include <stdlib.h>

typedef mpq_ptr exact;

enum { EXACT_CHUNK = 1024, EXACT_CHUNKS = 4096 };
static mpq_t *exact_chunk[EXACT_CHUNKS];
static int exact_used;

static inline void oracle_release(void) { exact_used = 0; }

static inline exact exact_new(void)
{
    int chunk = exact_used / EXACT_CHUNK;
    if (chunk >= EXACT_CHUNKS)
        abort();
    if (!exact_chunk[chunk]) {
        exact_chunk[chunk] = cd_alloc(EXACT_CHUNK * sizeof(mpq_t));
        for (int i = 0; i < EXACT_CHUNK; i++)
            mpq_init(exact_chunk[chunk][i]);
    }
    return exact_chunk[chunk][exact_used++ % EXACT_CHUNK];
}

static inline exact exact_of(double x)
{
    exact r = exact_new();
    mpq_set_d(r, x);
    return r;
}

static inline exact exact_add(exact a, exact b)
{
    exact r = exact_new();
    mpq_add(r, a, b);
    return r;
}

static inline exact exact_sub(exact a, exact b)
{
    exact r = exact_new();
    mpq_sub(r, a, b);
    return r;
}

static inline exact exact_mul(exact a, exact b)
{
    exact r = exact_new();
    mpq_mul(r, a, b);
    return r;
}

static inline exact exact_div(exact a, exact b)
{
    exact r = exact_new();
    mpq_div(r, a, b);
    return r;
}

static inline int exact_sign(exact a) { return mpq_sgn(a); }
static inline exact exact_lesser(exact a, exact b) { return mpq_cmp(a, b) <= 0 ? a : b; }
static inline exact exact_greater(exact a, exact b) { return mpq_cmp(a, b) >= 0 ? a : b; }

static inline exact exact_abs(exact a)
{
    exact r = exact_new();
    mpq_abs(r, a);
    return r;
}

// The root of a >= 0, rounded down with a relative error below 2^-190: of no account beside a double's 2^-53.
static inline exact exact_sqrt(exact a)
{
    exact r = exact_new();
    mpq_set_ui(r, 0, 1);
    if (exact_sign(a) <= 0)
        return r;
    long up = 400 + (long)mpz_sizeinbase(mpq_denref(a), 2) - (long)mpz_sizeinbase(mpq_numref(a), 2);
    unsigned long shift = up > 0 ? ((unsigned long)up + 1) / 2 * 2 : 0;
    mpz_mul_2exp(mpq_numref(r), mpq_numref(a), shift);
    mpz_tdiv_q(mpq_numref(r), mpq_numref(r), mpq_denref(a));
    mpz_sqrt(mpq_numref(r), mpq_numref(r));
    mpz_setbit(mpq_denref(r), shift / 2);
    mpz_clrbit(mpq_denref(r), shift / 2 ? 0 : 1);
    mpq_canonicalize(r);
    return r;
}

// |x - a| as a double; infinity when x is not finite.
static inline double exact_error(double x, exact a)
{
    return x - x == 0 ? mpq_get_d(exact_abs(exact_sub(exact_of(x), a))) : 1.0 / 0.0;
}

#endif
