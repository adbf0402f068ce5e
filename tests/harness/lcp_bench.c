// lcp_bench -- times complementarity solvers on contact problems: those of cd-lcp and those of other libraries.
//
//   usage: lcp_bench                           lists them: name, library, what it fits, what it is
//          lcp_bench NAME PROBLEMS [REPEATS]   one JSON line
//
// PROBLEMS is "pile:NXxNYxNZ:SEED" (tests/unit/lcp/lcp_piles.h), "islands:COUNT:SEED" (so many piles of 2 x 2 x 2
// cubes), or a text file: "problem", then "row RHS LOWER UPPER" a row, "entry ROW COL VALUE", "end"; any number of
// problems. Names ending in "+structure" are given the problem as it stands in a stream, velocities included, all
// others the dense matrix W = C - H B^-1 K of what remains without the free variables, in memory. seconds: sum over the
// problems of the median CPU seconds. solved: problems with a residual (that of lcp_solver.h) of at most 1e-7.
// What a program fits: "dense" or "structure"; "any" matrix or "symmetric" ones only; "few-rows"; "combined" of others.
// SPDX-License-Identifier: MIT
#include "lcp_bench.h"

#include "lcp_dense.h"
#include "lcp_piles.h"
#include "mcp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SOLVED_RESIDUAL 1e-7
#define ENOUGH_SECONDS 3.0  // of repeats of one problem

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

// ---- problems ------------------------------------------------------------------------------------------------------

static void stop(const char *what, const char *where)
{
    fprintf(stderr, "lcp_bench: %s: %s\n", where, what);
    exit(1);
}

static double read_bound(FILE *file, const char *path)
{
    double value;
    if (fscanf(file, "%lf", &value) != 1)
        stop("a number is missing", path);
    return value;
}

// The next problem of the file into `p`; false at its end.
static bool read_problem(FILE *file, const char *path, pile *p)
{
    char word[16];
    if (fscanf(file, "%15s", word) != 1)
        return false;
    *p = (pile){0};
    while (fscanf(file, "%15s", word) == 1 && strcmp(word, "end") != 0) {
        if (strcmp(word, "row") == 0) {
            double rhs = read_bound(file, path), lower = read_bound(file, path), upper = read_bound(file, path);
            pile_row(p, rhs, lower, upper, -1, 0);
        } else if (strcmp(word, "entry") == 0) {
            int32_t row, col;
            if (fscanf(file, "%d %d", &row, &col) != 2)
                stop("an entry is cut", path);
            pile_entry(p, row, col, read_bound(file, path));
        } else {
            stop("an unknown word", path);
        }
    }
    return true;
}

// W and q of the bounded variables, by plain elimination of the free ones. Bounds must be 0 and infinity.
static cd_lcp dense_of(const cd_mcp *m, cd_arena *arena)
{
    int32_t *place = CD_ARENA_ARRAY(arena, int32_t, m->n), free_count = 0, count = 0;
    for (int32_t i = 0; i < m->n; i++)
        place[i] = m->lower[i] == -INFINITY ? free_count++ : count++;
    const size_t stride = (size_t)cd_dense_stride(free_count), n = (size_t)count;
    double *B = CD_ARENA_ZARRAY(arena, double, (size_t)free_count *stride),
           *K = CD_ARENA_ZARRAY(arena, double, n *(size_t)free_count);
    double *W = CD_ARENA_ZARRAY(arena, double, n *n), *q = CD_ARENA_ARRAY(arena, double, n),
           *x = CD_ARENA_ARRAY(arena, double, free_count);
    double *f = CD_ARENA_ARRAY(arena, double, free_count);
    for (int32_t i = 0; i < m->n; i++) {
        if (m->lower[i] == -INFINITY)
            f[place[i]] = m->rhs[i];
        else
            q[place[i]] = m->rhs[i];
    }
    for (int32_t k = 0; k < m->entry_count; k++) {
        const bool free_row = m->lower[m->row[k]] == -INFINITY, free_col = m->lower[m->col[k]] == -INFINITY;
        const size_t i = (size_t)place[m->row[k]], j = (size_t)place[m->col[k]];
        if (free_row && free_col)
            B[i * stride + j] += m->value[k];
        else if (free_row)
            K[j * (size_t)free_count + i] += m->value[k];
        else if (!free_col)
            W[i * n + j] += m->value[k];
    }
    cd_lu lu;
    if (!cd_lu_factor(&lu, free_count, B, arena))
        stop("the free block is singular", "problem");
    for (size_t j = 0; j <= n; j++) {
        cd_lu_solve(&lu, j < n ? K + j * (size_t)free_count : f, x);
        for (int32_t k = 0; k < m->entry_count; k++) {
            if (m->lower[m->row[k]] == -INFINITY || m->lower[m->col[k]] != -INFINITY)
                continue;
            double *target = j < n ? &W[(size_t)place[m->row[k]] * n + j] : &q[place[m->row[k]]];
            *target -= m->value[k] * x[place[m->col[k]]];
        }
    }
    for (size_t i = 0; i < n;
         i++) {  // what the rounding of the elimination left: contact problems give symmetric W to the last bit
        for (size_t j = 0; j < i; j++) {
            if (fabs(W[i * n + j] - W[j * n + i]) < 1e-13 * sqrt(fabs(W[i * n + i] * W[j * n + j])))
                W[i * n + j] = W[j * n + i] = (W[i * n + j] + W[j * n + i]) / 2;
        }
    }
    return (cd_lcp){.n = count, .M = W, .q = q};
}

// The residual of lcp_solver.h.
static double residual_of(const cd_lcp *lcp, const double *z, cd_arena *arena)
{
    cd_arena_mark mark = cd_arena_get_mark(arena);
    const size_t n = (size_t)lcp->n;
    double *M = CD_ARENA_ARRAY(arena, double, n *n), *q = CD_ARENA_ARRAY(arena, double, n),
           *y = CD_ARENA_ARRAY(arena, double, n);
    double *r = CD_ARENA_ARRAY(arena, double, n), *c = CD_ARENA_ARRAY(arena, double, n), size = 0;
    cd_lcp_equilibrate(lcp->n, lcp->n, lcp->M, r, c, arena);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            M[i * n + j] = r[i] * lcp->M[i * n + j] * c[j];
        q[i] = r[i] * lcp->q[i];
        y[i] = z[i] / c[i];
        size = fmax(size, fabs(q[i]));
    }
    cd_lcp scaled = {.n = lcp->n, .M = M, .q = q};
    double residual = cd_lcp_natural_residual(&scaled, y, NULL) / (size > 0 ? size : 1);
    cd_arena_rewind(arena, mark);
    return residual;
}

// ---- programs ------------------------------------------------------------------------------------------------------

static const lcp_peer *find_peer(const char *name)
{
    const lcp_peer *const table[] = {
#ifdef WITH_SICONOS
        lcp_peers_siconos,
#endif
#ifdef WITH_DART
        lcp_peers_dart,
#endif
        NULL};
    for (int t = 0; table[t]; t++) {
        for (const lcp_peer *p = table[t]; p->name; p++) {
            if (!name)
                printf("%s\t%s\t%s\t%s\n", p->name, p->library, p->fits, p->what);
            else if (strcmp(p->name, name) == 0)
                return p;
        }
    }
    return NULL;
}

static int list(void)
{
    for (int k = 0; cd_lcp_solvers[k]; k++) {
        const cd_lcp_solver *s = cd_lcp_solvers[k];
        char fits[64];
        snprintf(fits, sizeof fits, "%s%s%s", s->solves & CD_LCP_SOLVES_P ? "any" : "symmetric",
                 s->most_rows ? " few-rows" : "", s->is_combined ? " combined" : "");
        if (s->choose || s->solve_structure)
            printf("%s+structure\tcd-lcp\tstructure %s\t%s, from the rows of a stream\n", s->name, fits, s->summary);
        printf("%s\tcd-lcp\tdense %s\t%s\n", s->name, fits, s->summary);
    }
    find_peer(NULL);
    return 0;
}

typedef struct program {
    const lcp_peer *peer;  // or
    const cd_lcp_solver *solver;
    bool is_structured;
} program;

static program find_program(const char *name)
{
    program p = {.peer = find_peer(name)};
    char own[32];
    snprintf(own, sizeof own, "%s", name);
    char *plus = strchr(own, '+');
    if (plus)
        *plus = '\0';
    p.is_structured = plus != NULL;
    p.solver = p.peer ? NULL : cd_lcp_find_solver(own);
    if (!p.peer && !p.solver)
        stop("no such program", name);
    return p;
}

// Median CPU seconds of one problem; z of the dense one.
static double time_one(const program *p, const cd_mcp *m, const cd_lcp *lcp, int repeats, double *z, double *residual,
                       cd_arena *arena)
{
    const size_t n = (size_t)lcp->n;
    double *seconds = CD_ARENA_ARRAY(arena, double, repeats), *M = CD_ARENA_ARRAY(arena, double, n *n),
           *q = CD_ARENA_ARRAY(arena, double, n);
    double spent = 0;
    int done = 0;
    for (; done < repeats && (done == 0 || spent < ENOUGH_SECONDS); done++) {
        cd_arena_mark mark = cd_arena_get_mark(arena);
        cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
        memcpy(M, lcp->M, sizeof *M * n * n);
        memcpy(q, lcp->q, sizeof *q * n);
        memset(z, 0, sizeof *z * n);
        double start = cpu_seconds();
        if (p->peer) {
            p->peer->solve(lcp->n, M, q, z);
        } else if (p->is_structured) {
            cd_mcp_solution s;
            cd_mcp_solve(m, p->solver, &options, arena, &s);
            *residual = s.residual;
        } else {
            cd_lcp_result r = cd_lcp_solve(p->solver, lcp, &options, arena);
            memcpy(z, r.z, sizeof *z * n);
        }
        seconds[done] = cpu_seconds() - start;
        spent += seconds[done];
        cd_arena_rewind(arena, mark);
    }
    if (!p->is_structured)
        *residual = residual_of(lcp, z, arena);
    qsort(seconds, (size_t)done, sizeof *seconds, by_value);
    return seconds[done / 2];
}

typedef struct total {
    int problems, solved, rows, most_rows;
    double seconds, residual;
} total;

static void run_problem(const program *p, const cd_mcp *m, bool wants_dense, int repeats, total *t)
{
    cd_arena arena = {0};
    int32_t held = 0;
    for (int32_t i = 0; i < m->n; i++)
        held += m->lower[i] != -INFINITY;
    if (held == 0)
        return;
    cd_lcp lcp = wants_dense ? dense_of(m, &arena) : (cd_lcp){0};
    double residual = INFINITY, *z = CD_ARENA_ZARRAY(&arena, double, held);
    t->seconds += time_one(p, m, &lcp, repeats, z, &residual, &arena);
    t->problems++;
    t->solved += residual <= SOLVED_RESIDUAL;
    t->residual = fmax(t->residual, residual);
    t->rows += held;
    t->most_rows = held > t->most_rows ? held : t->most_rows;
    cd_arena_release(&arena);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return list();
    const program p = find_program(argv[1]);
    const int repeats = argc > 3 ? atoi(argv[3]) : 5;
    int nx, ny, nz, seed, count;
    total t = {0};
    if (sscanf(argv[2], "pile:%dx%dx%d:%d", &nx, &ny, &nz, &seed) == 4) {
        pile problem = {.spread = 4, .random = {(uint64_t)seed}};
        pile_add(&problem, nx, ny, nz);
        run_problem(&p, pile_finish(&problem), !p.is_structured, repeats, &t);
        pile_release(&problem);
    } else if (sscanf(argv[2], "islands:%d:%d", &count, &seed) == 2) {
        pile problem = {.spread = 4, .random = {(uint64_t)seed}};
        for (int k = 0; k < count; k++)
            pile_add(&problem, 2, 2, 2);
        run_problem(&p, pile_finish(&problem), !p.is_structured, repeats, &t);
        pile_release(&problem);
    } else {
        FILE *file = fopen(argv[2], "r");
        pile problem;
        if (!file)
            stop("cannot open", argv[2]);
        while (read_problem(file, argv[2], &problem)) {
            run_problem(&p, pile_finish(&problem), !p.is_structured, repeats, &t);
            pile_release(&problem);
        }
        fclose(file);
    }
    printf("{\"program\":\"%s\",\"problems\":%d,\"rows\":%d,\"most_rows\":%d,\"solved\":%d,\"seconds\":%.9g,"
           "\"residual\":%.3g}\n",
           argv[1], t.problems, t.rows, t.most_rows, t.solved, t.seconds, isfinite(t.residual) ? t.residual : 1e300);
    return 0;
}
