// SPDX-License-Identifier: MIT
#include "lcp_near.h"

#include "lcp_vector.h"

#include <float.h>

// Of the rate at which the first gap closes. Of 286 problems of 343 hulls that land 80 have to take rows in with 0.3,
// 219 with 0.1, and with 0.5 the rows are a fifth more.
#define NEAR 0.4
// The same with friction. The solver of four heaps of 200 hulls [s], none left out | with this: 16.3, 13.8, 18.0, 10.4
// | 15.5, 12.8, 16.4, 9.6; with 0.35 twice as many problems have to take rows in.
#define NEAR_RUBBING 0.5
#define PART_MOST 0.7  // of all rows; with more of them the whole takes hardly longer
#define DIGITS 0.1     // of the tolerance: rows that close by less are left out
enum { ROWS_LEAST = 300, ROUNDS = 4 };

typedef struct near_rows {
    const cd_lcp_structure *s;
    bool *keep;
    int32_t count;
    double *z, *w;         // the answer so far
    double *warm, *guess;  // where the next one begins
} near_rows;

static bool is_fit(const cd_lcp_structure *s)
{
    return s->n > ROWS_LEAST && s->m > 0 && !s->room && !s->tiles && s->direct.first[s->n] == 0 &&
           (s->is_semidefinite || (s->is_skew && !s->normal));
}

// False: nothing closes, or few rows are left out.
static bool choose(near_rows *r)
{
    const double part = r->s->normal ? NEAR_RUBBING : NEAR;
    double least = 0;
    for (int32_t i = 0; i < r->s->n; i++)
        least = cd_smaller(least, r->s->q[cd_lcp_head(r->s, i)]);
    for (int32_t i = 0; i < r->s->n; i++) {
        r->keep[i] = r->s->q[cd_lcp_head(r->s, i)] < -part * least;
        r->count += r->keep[i];
    }
    return r->count > 0 && r->count <= PART_MOST * r->s->n;
}

static double *picked(const near_rows *r, const double *of_all, cd_arena *arena)
{
    double *out = of_all ? CD_ARENA_ARRAY(arena, double, r->count) : NULL;
    for (int32_t i = 0, count = 0; i < r->s->n && out; i++) {
        if (r->keep[i])
            out[count++] = of_all[i];
    }
    return out;
}

// The answer of the near rows alone, with what it makes of the others.
static cd_lcp_result solve_part(const near_rows *r, const cd_lcp_solver *solver, const cd_lcp_options *options,
                                cd_lcp_whole *solve, cd_arena *arena)
{
    const cd_arena_mark mark = cd_arena_get_mark(arena);
    const cd_lcp_structure part = cd_lcp_structure_part(r->s, r->keep, arena);
    cd_lcp_options inner = *options;
    inner.warm = picked(r, options->warm, arena);
    inner.guess = picked(r, options->guess, arena);
    cd_lcp_result result = solve(solver, &part, &inner, arena);
    for (int32_t i = 0, count = 0; i < r->s->n; i++)
        r->z[i] = r->keep[i] ? result.z[count++] : 0;
    result.z = r->z;
    cd_lcp_structure_values(r->s, r->z, NULL, r->w, arena);
    cd_arena_rewind(arena, mark);
    return result;
}

// Takes in what the answer closes, as rows that are guessed to carry. False: there are none.
static bool take_in(near_rows *r, double least)
{
    const int32_t before = r->count;
    for (int32_t i = 0; i < r->s->n; i++) {
        const bool is_new = !r->keep[i] && r->w[cd_lcp_head(r->s, i)] < -least;
        r->guess[i] = is_new ? DBL_MIN : r->z[i];
        r->warm[i] = r->z[i];
        r->keep[i] = r->keep[i] || is_new;
        r->count += is_new;
    }
    return r->count > before;
}

bool cd_lcp_solve_near(const cd_lcp_solver *solver, const cd_lcp_structure *s, const cd_lcp_options *options,
                       cd_lcp_whole *solve, cd_arena *arena, cd_lcp_result *out)
{
    *out = (cd_lcp_result){.status = CD_LCP_LIMIT};
    if (!is_fit(s))
        return false;
    near_rows r = {.s = s, .z = CD_ARENA_ARRAY(arena, double, s->n)};
    const cd_arena_mark mark = cd_arena_get_mark(arena);
    double **const of_rows[] = {&r.w, &r.warm, &r.guess};
    for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++)
        *of_rows[k] = CD_ARENA_ARRAY(arena, double, s->n);
    r.keep = CD_ARENA_ARRAY(arena, bool, s->n);
    cd_lcp_options inner = *options;
    bool is_known = false, may_go_on = choose(&r);
    for (int round = 0; round < ROUNDS && may_go_on; round++) {
        const int64_t before = out->iterations;
        *out = solve_part(&r, solver, &inner, solve, arena);
        out->iterations += before;
        may_go_on = out->status == CD_LCP_SOLVED && take_in(&r, DIGITS * options->tolerance);
        is_known = out->status == CD_LCP_SOLVED ? !may_go_on : out->status == CD_LCP_INFEASIBLE && s->is_semidefinite;
        inner.warm = r.warm;
        inner.guess = r.guess;
    }
    cd_arena_rewind(arena, mark);
    return is_known;
}
