// lcp_bench -- times complementarity solvers on contact problems: those of cd-lcp and those of other libraries.
//
//   usage: lcp_bench                                 lists them: name, library, what it fits, what it is
//          lcp_bench NAME[,NAME..] PROBLEMS [REPEATS]   one JSON line each; several run in turn
//
// PROBLEMS is "pile:NXxNYxNZ:SEED" (tests/unit/lcp/lcp_piles.h), "islands:COUNT:SEED" (so many piles of 2 x 2 x 2
// cubes), or a text file: "problem", then "row RHS LOWER UPPER" a row, "entry ROW COL VALUE", "end"; any number of
// problems. All are given the dense matrix W = C - H B^-1 K of what remains without the free variables, in memory and
// in the form that the solver wants. But those whose names end in "+structure": these of cd-lcp the problem as it
// stands in a stream, velocities included, peers masses and Jacobians, from which W and then the velocities are made by
// the shortest way (lcp_rows.h). A solver of cd-lcp scales and verifies within its time, either way. seconds: sum over
// the problems of the median CPU seconds; quartile: of the lower quartiles. solved: problems with a residual (that of
// lcp_solver.h) of at most 1e-7. What a program fits: "dense" or "structure"; "any" matrix or "symmetric" ones only;
// "few-rows"; "combined" of others.
// SPDX-License-Identifier: MIT
#include "lcp_bench.h"

#include "lcp_dense.h"
#include "lcp_piles.h"
#include "lcp_rows.h"
#include "mcp.h"

#include <malloc.h>
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
            if (!name && !p->is_by_columns)
                printf("%s+structure\t%s\tstructure symmetric\t%s, from masses and Jacobians\n", p->name, p->library,
                       p->what);
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

// A program on one problem.
typedef struct program {
    const char *name;
    const lcp_peer *peer;  // or
    const cd_lcp_solver *solver;
    bool is_structured;
    cd_arena arena;
    double *kept, *own, *q, *z;  // the matrix as the program wants it, and what a run may overwrite; the answer
    double *values;              // a peer's that starts from the rows: the velocities
    double *seconds, residual;
    int done;
    // of all problems
    int problems, solved, rows, most_rows;
    double total, quartile, worst;
} program;

static program find_program(const char *name)
{
    program p = {.name = name};
    char own[32];
    snprintf(own, sizeof own, "%s", name);
    char *plus = strchr(own, '+');
    if (plus)
        *plus = '\0';
    p.is_structured = plus != NULL;
    p.peer = find_peer(own);
    p.solver = p.peer ? NULL : cd_lcp_find_solver(own);
    if ((!p.peer && !p.solver) || (p.is_structured && p.peer && p.peer->is_by_columns))
        stop("no such program", name);
    return p;
}

// ---- runs ----------------------------------------------------------------------------------------------------------

typedef struct task {
    const cd_mcp *mcp;
    cd_lcp lcp;     // of 0 rows where no program asks for it
    lcp_rows rows;  // where a peer asks for them
    int32_t held;
} task;

static void lay_out(program *p, const task *b, int repeats)
{
    const size_t n = (size_t)b->held, stride = p->peer ? (size_t)lcp_peer_stride(p->peer, b->held) : 0;
    p->arena = (cd_arena){0};
    p->kept = CD_ARENA_ZARRAY(&p->arena, double, n *stride);
    p->own = CD_ARENA_ARRAY(&p->arena, double, n *stride);
    p->q = CD_ARENA_ARRAY(&p->arena, double, n);
    p->z = CD_ARENA_ZARRAY(&p->arena, double, n);
    p->values = CD_ARENA_ZARRAY(&p->arena, double, b->mcp->n);
    p->seconds = CD_ARENA_ARRAY(&p->arena, double, repeats);
    p->done = 0;
    p->residual = INFINITY;
    for (size_t i = 0; i < n && p->peer && !p->is_structured; i++) {
        for (size_t j = 0; j < n; j++)
            p->kept[i * stride + j] =
                b->lcp.M[p->peer->is_by_columns ? j * n + i : i * n + j] * (i == j ? 1 + p->peer->softness : 1);
    }
}

static void solve_once(program *p, const task *b)
{
    const cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    if (p->peer) {
        if (p->is_structured)
            lcp_rows_form(&b->rows, p->peer->softness, lcp_peer_stride(p->peer, b->held), p->own, p->q);
        p->peer->solve(b->held, p->own, p->q, p->z);
        if (p->is_structured)
            lcp_rows_back(&b->rows, p->z, p->values);
    } else if (p->is_structured) {
        cd_mcp_solution s;
        cd_mcp_solve(b->mcp, p->solver, &options, &p->arena, &s);
        p->residual = s.residual;
    } else {
        const cd_lcp_result r = cd_lcp_solve(p->solver, &b->lcp, &options, &p->arena);
        memcpy(p->z, r.z, sizeof *p->z * (size_t)b->held);
    }
}

static double run_once(program *p, const task *b)
{
    const size_t n = (size_t)b->held;
    const cd_arena_mark mark = cd_arena_get_mark(&p->arena);
    if (p->peer && !p->is_structured) {
        memcpy(p->own, p->kept, sizeof *p->own * n * (size_t)lcp_peer_stride(p->peer, b->held));
        memcpy(p->q, b->lcp.q, sizeof *p->q * n);
    }
    memset(p->z, 0, sizeof *p->z * n);
    const double start = cpu_seconds();
    solve_once(p, b);
    const double seconds = cpu_seconds() - start;
    cd_arena_rewind(&p->arena, mark);
    return p->seconds[p->done++] = seconds;
}

static void take_stock(program *p, const task *b)
{
    if (p->peer || !p->is_structured)
        p->residual = residual_of(&b->lcp, p->z, &p->arena);
    qsort(p->seconds, (size_t)p->done, sizeof *p->seconds, by_value);
    p->total += p->seconds[p->done / 2];
    p->quartile += p->seconds[p->done / 4];
    p->problems++;
    p->solved += p->residual <= SOLVED_RESIDUAL;
    p->worst = fmax(p->worst, p->residual);
    p->rows += b->held;
    p->most_rows = b->held > p->most_rows ? b->held : p->most_rows;
    cd_arena_release(&p->arena);
}

// One problem by all programs: in turn, so that what else the machine does meets all of them.
static void run_problem(program *p, int count, const cd_mcp *m, int repeats)
{
    cd_arena arena = {0};
    task b = {.mcp = m};
    bool wants_dense = false, wants_rows = false;
    for (int32_t i = 0; i < m->n; i++)
        b.held += m->lower[i] != -INFINITY;
    if (b.held == 0)
        return;
    for (int k = 0; k < count; k++) {
        wants_dense = wants_dense || p[k].peer || !p[k].is_structured;
        wants_rows = wants_rows || (p[k].peer && p[k].is_structured);
    }
    b.lcp = wants_dense ? dense_of(m, &arena) : (cd_lcp){0};
    if (wants_rows && !lcp_rows_prepare(m, &b.rows, &arena))
        stop("these are no frictionless contacts of bodies", "problem");
    for (int k = 0; k < count; k++)
        lay_out(&p[k], &b, repeats);
    double spent = 0;
    for (int turn = 0; turn < repeats && (turn == 0 || spent < ENOUGH_SECONDS * count); turn++) {
        for (int k = 0; k < count; k++)
            spent += run_once(&p[k], &b);
    }
    for (int k = 0; k < count; k++)
        take_stock(&p[k], &b);
    cd_arena_release(&arena);
}

static void run_file(program *p, int count, const char *path, int repeats)
{
    FILE *file = fopen(path, "r");
    pile problem;
    if (!file)
        stop("cannot open", path);
    while (read_problem(file, path, &problem)) {
        run_problem(p, count, pile_finish(&problem), repeats);
        pile_release(&problem);
    }
    fclose(file);
}

static void run_piles(program *p, int count, const int size[3], int piles, int seed, int repeats)
{
    pile problem = {.spread = 4, .random = {(uint64_t)seed}};
    for (int k = 0; k < piles; k++)
        pile_add(&problem, size[0], size[1], size[2]);
    run_problem(p, count, pile_finish(&problem), repeats);
    pile_release(&problem);
}

// A solver that asks for its memory anew at each call gets pages that were written before, as those do that keep
// theirs: else a call of DART's with 200 rows would take some hundred pages from the system, a tenth of its time.
static void keep_memory(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return list();
    enum { MOST_PROGRAMS = 16 };
    program programs[MOST_PROGRAMS];
    int count = 0, size[3] = {2, 2, 2}, seed, piles;
    for (char *name = strtok(argv[1], ","); name && count < MOST_PROGRAMS; name = strtok(NULL, ","))
        programs[count++] = find_program(name);
    const int repeats = argc > 3 ? atoi(argv[3]) : 5;
    keep_memory();
    if (sscanf(argv[2], "pile:%dx%dx%d:%d", &size[0], &size[1], &size[2], &seed) == 4)
        run_piles(programs, count, size, 1, seed, repeats);
    else if (sscanf(argv[2], "islands:%d:%d", &piles, &seed) == 2)
        run_piles(programs, count, size, piles, seed, repeats);
    else
        run_file(programs, count, argv[2], repeats);
    for (int k = 0; k < count; k++) {
        const program *p = &programs[k];
        printf("{\"program\":\"%s\",\"problems\":%d,\"rows\":%d,\"most_rows\":%d,\"solved\":%d,\"seconds\":%.9g,"
               "\"quartile\":%.9g,\"residual\":%.3g}\n",
               p->name, p->problems, p->rows, p->most_rows, p->solved, p->total, p->quartile,
               isfinite(p->worst) ? p->worst : 1e300);
    }
    return 0;
}
