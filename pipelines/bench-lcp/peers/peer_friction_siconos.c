// Siconos' solvers of contacts with friction, with their default options but the tolerance, 1e-8 of its own residual,
// and the numbers of iterations, which are raised where they stop too early.
// SPDX-License-Identifier: MIT
#include "friction_bench.h"

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/GlobalFrictionContactProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/SparseBlockMatrix.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-8

static NumericsMatrix *sparse(const friction_matrix *a, int transposed)
{
    NumericsMatrix *m = NM_create(NM_SPARSE, transposed ? a->columns : a->rows, transposed ? a->rows : a->columns);
    NM_triplet_alloc(m, a->count);
    for (int k = 0; k < a->count; k++)
        NM_entry(m, transposed ? a->col[k] : a->row[k], transposed ? a->row[k] : a->col[k], a->value[k]);
    return m;
}

static double *copy(const double *x, int n)
{
    double *out = malloc(sizeof *out * (size_t)n);
    return memcpy(out, x, sizeof *out * (size_t)n);
}

static SolverOptions *options_of(int id, int iterations)
{
    SolverOptions *options = solver_options_create(id);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    options->dparam[SICONOS_DPARAM_TOL] = TOLERANCE;
    if (id == SICONOS_GLOBAL_FRICTION_3D_IPM)  // else it solves the convex problem, of associated friction
        options->iparam[SICONOS_FRICTION_3D_ADMM_IPARAM_UPDATE_S] = SICONOS_FRICTION_3D_ADMM_UPDATE_S_YES;
    return options;
}

static double local(const friction_case *p, int id, int iterations, double *r)
{
    const int n = 3 * p->contacts;
    NumericsMatrix *W = sparse(&p->W, 0);
    SparseBlockStructuredMatrix *blocks = SBM_new();
    SBM_from_csparse(3, NM_csc(W), blocks);
    FrictionContactProblem problem = {3, p->contacts, NM_create_from_data(NM_SPARSE_BLOCK, n, n, blocks), copy(p->q, n),
                                      copy(p->mu, p->contacts)};
    SolverOptions *options = options_of(id, iterations);
    double *u = calloc((size_t)n, sizeof *u);
    const double start = friction_cpu_seconds();
    fc3d_driver(&problem, r, u, options);
    const double seconds = friction_cpu_seconds() - start;
    solver_options_delete(options);
    free(options);
    free(problem.q);
    free(problem.mu);
    free(u);
    return seconds;
}

static double global(const friction_case *p, int id, int iterations, double *r)
{
    const int n = 3 * p->contacts;
    GlobalFrictionContactProblem *problem = globalFrictionContactProblem_new();
    problem->dimension = 3;
    problem->numberOfContacts = p->contacts;
    problem->M = sparse(&p->M, 0);
    problem->H = sparse(&p->J, 1);
    problem->q = copy(p->f, p->velocities);
    problem->b = copy(p->w, n);
    problem->mu = copy(p->mu, p->contacts);
    SolverOptions *options = options_of(id, iterations);
    double *u = calloc((size_t)n, sizeof *u), *v = calloc((size_t)p->velocities, sizeof *v);
    const double start = friction_cpu_seconds();
    gfc3d_driver(problem, r, u, v, options);
    const double seconds = friction_cpu_seconds() - start;
    solver_options_delete(options);
    free(options);
    free(u);
    free(v);
    return seconds;
}

static double nsgs(const friction_case *p, double *r) { return local(p, SICONOS_FRICTION_3D_NSGS, 200000, r); }
static double newton(const friction_case *p, double *r) { return local(p, SICONOS_FRICTION_3D_NSN_AC, 1000, r); }
static double admm(const friction_case *p, double *r) { return global(p, SICONOS_GLOBAL_FRICTION_3D_ADMM, 200000, r); }
static double ipm(const friction_case *p, double *r) { return global(p, SICONOS_GLOBAL_FRICTION_3D_IPM, 500, r); }

const friction_peer friction_peers_siconos[] = {
    {"siconos-nsgs", "Siconos", "nonsmooth Gauss-Seidel, reduced form in blocks", "cone", nsgs},
    {"siconos-newton", "Siconos", "nonsmooth Newton of Alart and Curnier, reduced form", "cone", newton},
    {"siconos-admm", "Siconos", "alternating directions, global form", "cone", admm},
    {"siconos-ipm", "Siconos", "interior point, global form", "cone", ipm},
    {NULL, NULL, NULL, NULL, NULL},
};
