// SPDX-License-Identifier: MIT
#include "lcp_again.h"

#include "cone_lagrangian.h"

enum { FACTORS_MOST = 4, ROWS_OTHERS = 16 };  // of one answer; rows for each that may change its side

struct cd_lcp_again {
    int32_t n;
    cd_cone_program program;
    cd_cone_system system;
    cd_cone_lagrangian x;
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
    return m;
}

void cd_lcp_again_start(cd_lcp_again *m, const double *y, const double *w)
{
    for (int32_t r = 0; r < m->program.cones.rows; r++)
        m->x.carries[r] = y[m->program.source[r]] > w[m->program.source[r]];
}

bool cd_lcp_again_next(cd_lcp_again *m, const double *q, double *y)
{
    const int32_t rows = m->program.cones.rows;
    for (int32_t r = 0; r < rows; r++) {
        const double h = q[m->program.source[r]] * m->program.unit[r];
        m->x.slack[r] += h - m->program.h[r];
        m->program.h[r] = h;
    }
    if (!cd_cone_lagrangian_step(&m->x, FACTORS_MOST, rows / ROWS_OTHERS))
        return false;
    cd_cone_impulses(&m->program, m->x.z, m->n, y);
    return true;
}
