// Siconos' dense solvers, with their default options but the numbers of iterations, which are raised where they stop
// too early.
// SPDX-License-Identifier: MIT
#include "lcp_bench.h"

#include <siconos/numerics/LCP_Solvers.h>
#include <siconos/numerics/LinearComplementarityProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/lcp_cst.h>
#include <stdlib.h>

static void solve(int id, int iterations, int n, double *columns, double *q, double *z)
{
    double *w = calloc((size_t)n, sizeof *w);
    LinearComplementarityProblem problem = {n, NM_create_from_data(NM_DENSE, n, n, columns), q};
    SolverOptions *options = solver_options_create(id);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
    options->dparam[SICONOS_DPARAM_TOL] = 1e-10;
    linearComplementarity_driver(&problem, z, w, options);
    solver_options_delete(options);
    free(options);
    problem.M->matrix0 = NULL;  // not its own
    NM_clear(problem.M);
    free(problem.M);
    free(w);
}

static void lexicolemke(int n, double *M, double *q, double *z) { solve(SICONOS_LCP_LEMKE, 100000, n, M, q, z); }
static void pivot(int n, double *M, double *q, double *z) { solve(SICONOS_LCP_PIVOT, 100000, n, M, q, z); }
static void newton(int n, double *M, double *q, double *z) { solve(SICONOS_LCP_NEWTON_FB_FBLSA, 1000, n, M, q, z); }
static void pgs(int n, double *M, double *q, double *z) { solve(SICONOS_LCP_PGS, 20000, n, M, q, z); }

const lcp_peer lcp_peers_siconos[] = {
    {"siconos-lexicolemke", "Siconos", "dense any", "Lemke, lexicographic", 0, 0, 1, lexicolemke},
    {"siconos-pivot", "Siconos", "dense any", "Lemke-like pivoting on the tableau", 0, 0, 1, pivot},
    {"siconos-newton", "Siconos", "dense any", "Newton, Fischer-Burmeister, line search", 0, 0, 1, newton},
    {"siconos-pgs", "Siconos", "dense symmetric", "projected Gauss-Seidel, tolerance 1e-10", 0, 0, 1, pgs},
    {NULL, NULL, NULL, NULL, 0, 0, 0, NULL},
};
