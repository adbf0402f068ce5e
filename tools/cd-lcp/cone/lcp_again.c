// SPDX-License-Identifier: MIT
#include "lcp_again.h"

#include "cone_undecided.h"

// Factors of one answer, and once its rows are decided; rows for each that may change its side.
enum { FACTORS_MOST = 4, DECIDED_FACTORS = 8, ROWS_OTHERS = 16 };
// rho of all answers but the first, which begins with multipliers of 0. Rounding of rho times a slack goes into
// multipliers along what moves nothing, where rows depend on one another: with 4e10 they are off by 1e-7, which with
// gaps that are not symmetric leaves 1e-9 in their values. Near the answer 1e7 finds it as well.
#define PENALTY 1e7

struct cd_lcp_again {
    int32_t n;
    cd_cone_program program;
    cd_cone_system system;
    cd_cone_lagrangian x;
    double first_penalty;
    bool *before;  // the rows that carried in the last answer
    cd_arena *arena;
};

cd_lcp_again *cd_lcp_again_make(const cd_lcp_structure *s, const cd_lcp_options *options, cd_arena *arena)
{
    cd_lcp_again *m = CD_ARENA_ZARRAY(arena, cd_lcp_again, 1);
    cd_cone_root root;
    const int64_t bytes = options->max_dense > 0 ? options->max_dense : CD_LCP_MAX_DENSE;
    if (!s->is_semidefinite || s->normal || cd_cone_root_make(s, bytes, &root, arena) != CD_CONE_ROOT)
        return NULL;
    m->n = s->n;
    m->program = cd_cone_program_make(s, &root, arena);
    if (!cd_cone_lagrangian_takes(&m->program))
        return NULL;
    m->system = cd_cone_system_make(&m->program, options->patterns, arena);
    if (cd_gram_bytes(m->system.gram) > bytes ||
        (options->max_work > 0 && cd_gram_work(m->system.gram) > options->max_work))
        return NULL;
    m->x = cd_cone_lagrangian_make(&m->system, arena);
    m->first_penalty = m->x.penalty;
    m->before = CD_ARENA_ARRAY(arena, bool, m->program.cones.rows);
    m->arena = arena;
    return m;
}

void cd_lcp_again_start(cd_lcp_again *m, const double *y, const double *w)
{
    m->x.penalty = m->first_penalty;
    for (int32_t r = 0; r < m->program.cones.rows; r++)
        m->x.carries[r] = y[m->program.source[r]] > w[m->program.source[r]];
}

// A change of the multipliers. Newton's method finds the rows that carry in a factor or two; where it goes to and fro,
// those on the other side are decided together.
static bool find_rows(cd_lcp_again *m)
{
    const int32_t rows = m->program.cones.rows;
    memcpy(m->before, m->x.carries, sizeof *m->before * (size_t)rows);
    if (cd_cone_lagrangian_step(&m->x, FACTORS_MOST, rows / ROWS_OTHERS))
        return true;
    memcpy(m->x.carries, m->before, sizeof *m->before * (size_t)rows);
    return cd_cone_undecided_decide(&m->x, rows, m->arena) &&
           cd_cone_lagrangian_step(&m->x, DECIDED_FACTORS, rows / ROWS_OTHERS);
}

bool cd_lcp_again_next(cd_lcp_again *m, const double *q, double *y)
{
    const int32_t rows = m->program.cones.rows;
    for (int32_t r = 0; r < rows; r++) {
        const double h = q[m->program.source[r]] * m->program.unit[r];
        m->x.slack[r] += h - m->program.h[r];
        m->program.h[r] = h;
    }
    if (!find_rows(m))
        return false;
    m->x.penalty = PENALTY;
    cd_cone_impulses(&m->program, m->x.z, m->n, y);
    return true;
}
