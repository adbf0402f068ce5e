// SPDX-License-Identifier: MIT
#include "lcp_symmetric.h"

#include "cd_numbers.h"
#include "lcp_structure.h"
#include "lcp_vector.h"

#include <float.h>
#include <math.h>

extern const cd_lcp_solver cd_lcp_solver_qp;

// Of more rows a matrix is mostly zeros, and entries take less room than tiles.
enum { MOST_ROWS = 2048 };

// cd_lcp_equilibrate of a matrix with M_ij = M_ji: r = c, and the largest of a row is that of its column.
static double *equilibrate(const cd_tiles *t, cd_arena *arena)
{
    double *c = CD_ARENA_ARRAY(arena, double, cd_tiles_padded(t->n));
    double *power = CD_ARENA_ARRAY(arena, double, t->n);
    for (int32_t i = 0; i < cd_tiles_padded(t->n); i++)
        c[i] = 1;
    for (int sweep = 0; sweep < CD_LCP_SWEEPS; sweep++) {
        bool is_settled = true;
        for (int32_t i = 0; i < t->n; i++) {
            power[i] = cd_lcp_half_power_for(cd_tiles_most(t, i, c) * c[i]);
            is_settled = is_settled && power[i] == 1;
        }
        if (is_settled)
            break;
        for (int32_t i = 0; i < t->n; i++)
            c[i] *= power[i];
    }
    return c;
}

// The problem in the units of the method: k = c times what brings the diagonal near 1; q times sigma.
typedef struct scaled {
    cd_tiles tiles;
    cd_lcp_structure s;
    double *c, *k, sigma;
    double size, own_size;  // the largest |q|, in the units of the residual and in its own
} scaled;

static scaled scale(const cd_lcp *lcp, const cd_tiles *t, cd_arena *arena)
{
    const int32_t n = lcp->n;
    scaled out = {.tiles = *t, .s = {.n = n, .is_symmetric = true}, .c = equilibrate(t, arena), .sigma = 1};
    cd_lcp_structure *s = &out.s;
    s->left = (cd_lcp_rows){CD_ARENA_ZARRAY(arena, int32_t, (size_t)n + 1), CD_ARENA_ARRAY(arena, int32_t, 0),
                            CD_ARENA_ARRAY(arena, double, 0)};
    s->right = s->direct = s->left;
    s->q = CD_ARENA_ARRAY(arena, double, n);
    s->diagonal = CD_ARENA_ARRAY(arena, double, n);
    out.k = CD_ARENA_ZARRAY(arena, double, cd_tiles_padded(n));
    double largest = 0;
    for (int32_t i = 0; i < n; i++) {
        const double own = cd_tiles_entry(t, i, i), c = out.c[i], diagonal = own * c * c;
        out.k[i] = diagonal > 0 ? c * cd_lcp_half_power_for(diagonal) : c;
        s->diagonal[i] = own * out.k[i] * out.k[i];
        s->q[i] = lcp->q[i] * out.k[i];
        largest = cd_larger(largest, fabs(s->q[i]));
        out.size = cd_larger(out.size, fabs(lcp->q[i] * c));
    }
    cd_tiles_scale(t, out.k);
    out.sigma = cd_lcp_power_for(largest);
    for (int32_t i = 0; i < n; i++)
        s->q[i] *= out.sigma;
    out.own_size = largest > 0 ? largest * out.sigma : 1;
    out.size = out.size > 0 ? out.size : 1;
    return out;
}

// That of lcp_solver.h, of y in the units of the method.
static double residual_of(const scaled *p, const double *y, cd_arena *scratch)
{
    const int32_t n = p->s.n;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    double *w = CD_ARENA_ARRAY(scratch, double, n), *size = CD_ARENA_ZARRAY(scratch, double, n), worst = 0;
    memcpy(w, p->s.q, sizeof *w * (size_t)n);
    cd_tiles_measure(&p->tiles, y, w, size);
    for (int32_t i = 0; i < n; i++) {
        const double turn = p->k[i] / p->c[i];  // powers of two
        const double z = y[i] * turn, value = w[i] / turn;
        const double error = fabs(z < value ? z : value) + DBL_EPSILON * (size[i] / turn);
        worst = isfinite(error) && isfinite(z) ? cd_larger(worst, error) : INFINITY;
        if (worst == INFINITY)
            break;
    }
    cd_arena_rewind(scratch, mark);
    return worst / p->sigma / p->size;
}

bool cd_lcp_solve_symmetric(const cd_lcp_solver *solver, const cd_lcp *lcp, const cd_lcp_options *options,
                            cd_arena *arena, cd_lcp_result *out)
{
    const int32_t n = lcp->n;
    const cd_lcp_structure kind = {.n = n, .is_symmetric = true};
    if (n < 1 || n > MOST_ROWS || (solver->choose ? solver->choose(&kind) : solver) != &cd_lcp_solver_qp ||
        !cd_numbers_are_finite(lcp->q, (size_t)n))
        return false;
    double *z = CD_ARENA_ZARRAY(arena, double, n);
    const cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_tiles tiles;
    bool is_solved = false;
    if (cd_tiles_of_matrix(lcp->M, n, &tiles, arena)) {
        scaled p = scale(lcp, &tiles, arena);
        p.s.tiles = &p.tiles;
        cd_lcp_options inner = *options;
        inner.guess = NULL;
        inner.tolerance *= p.own_size;
        double *warm = options->warm ? CD_ARENA_ARRAY(arena, double, n) : NULL;
        for (int32_t i = 0; i < n && warm; i++)
            warm[i] = isfinite(options->warm[i]) ? fmax(0, options->warm[i]) * p.sigma / p.k[i] : 0;
        inner.warm = warm;
        cd_lcp_result result = cd_lcp_solver_qp.solve_structure(&p.s, &inner, arena);
        result.residual = residual_of(&p, result.z, arena);
        is_solved = result.residual <= options->tolerance;
        for (int32_t i = 0; i < n; i++)
            z[i] = result.z[i] * p.k[i] / p.sigma;
        result.z = z;
        result.status = CD_LCP_SOLVED;
        result.reason = "";
        if (is_solved)
            *out = result;
    }
    cd_arena_rewind(arena, mark);
    return is_solved;
}
