// friction_bench -- times solvers of contacts with friction: those of cd-lcp and those of other libraries.
//
//   usage: friction_bench                          lists them: name, library, law, what it is
//          friction_bench NAME FOLDER [REPEATS]    one JSON line
//
// FOLDER holds M.mtx, J.mtx, f.mtx, w.mtx and mu.mtx, the global form of coulomb.h, d = 3, M of blocks of 6. Solvers of
// cd-lcp start from it in memory, everything included. Peers get their own form of it, made before the clock starts: of
// the reduced ones W too. residual: of coulomb_verify.h in the reduced form, of all by the same routine; where the law
// is a box, the natural map of that, in the same scale. seconds: median of CPU time.
// SPDX-License-Identifier: MIT
#include "friction_bench.h"

#include "cd_dense.h"
#include "coulomb_verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BLOCK = 6 };
#define ENOUGH_SECONDS 0.5  // of repeats

double friction_cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);  // that of the process has ticks of 4 ms under a limit of CPU time
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stop(const char *what, const char *where)
{
    fprintf(stderr, "friction_bench: %s: %s\n", where, what);
    exit(1);
}

static const char *file_of(const char *folder, const char *name, cd_arena *arena)
{
    return cd_arena_printf(arena, "%s/%s.mtx", folder, name);
}

static cd_coulomb read_case(const char *folder, cd_arena *arena)
{
    cd_coulomb p = {.name = folder, .dimension = 3};
    cd_diag diag;
    cd_status status = cd_mm_read_matrix(file_of(folder, "M", arena), arena, &p.matrix, &diag);
    if (status == CD_OK)
        status = cd_mm_read_matrix(file_of(folder, "J", arena), arena, &p.jacobian, &diag);
    if (status == CD_OK)
        status = cd_mm_read_vector(file_of(folder, "f", arena), p.matrix.rows, false, arena, &p.force, &diag);
    if (status == CD_OK)
        status = cd_mm_read_vector(file_of(folder, "w", arena), p.jacobian.rows, false, arena, &p.rhs, &diag);
    if (status == CD_OK)
        status = cd_mm_read_any_vector(file_of(folder, "mu", arena), arena, &p.mu, &p.contacts, &p.mu_source, &diag);
    if (status == CD_OK)
        status = cd_coulomb_check(&p, &diag);
    if (status != CD_OK)
        stop(diag.text, folder);
    return p;
}

// ---- the reduced form ----------------------------------------------------------------------------------------------

// Rows of the Jacobian at one body: its entries there as they are, and times M^-1.
typedef struct place {
    int32_t row;
    double J[BLOCK], X[BLOCK];
} place;

typedef struct body {
    double L[BLOCK * BLOCK];
    CD_LIST(place) places;
} body;

static void solve_body(const body *b, double *x)
{
    cd_cholesky_forward(BLOCK, b->L, x);
    for (int i = BLOCK - 1; i >= 0; i--) {
        for (int k = i + 1; k < BLOCK; k++)
            x[i] -= b->L[k * BLOCK + i] * x[k];
        x[i] /= b->L[i * BLOCK + i];
    }
}

static body *make_bodies(const cd_coulomb *p, cd_arena *arena)
{
    const int32_t count = p->matrix.rows / BLOCK;
    body *b = CD_ARENA_ZARRAY(arena, body, count);
    for (int32_t k = 0; k < p->matrix.entry_count; k++) {
        const int32_t i = p->matrix.row[k], j = p->matrix.col[k];
        if (i / BLOCK != j / BLOCK)
            stop("M is not of blocks of 6", p->name);
        b[i / BLOCK].L[i % BLOCK * BLOCK + j % BLOCK] += p->matrix.value[k];
    }
    for (int32_t k = 0; k < count; k++) {
        if (!cd_cholesky_factor(BLOCK, b[k].L))
            stop("M is not positive definite", p->name);
    }
    // Entries come row by row or not: the last place of a body is looked at first.
    for (int32_t k = 0; k < p->jacobian.entry_count; k++) {
        body *at = &b[p->jacobian.col[k] / BLOCK];
        int32_t found = at->places.count - 1;
        while (found >= 0 && at->places.item[found].row != p->jacobian.row[k])
            found--;
        if (found < 0) {
            place fresh = {.row = p->jacobian.row[k]};
            found = at->places.count;
            cd_list_push(arena, &at->places, fresh);
        }
        at->places.item[found].J[p->jacobian.col[k] % BLOCK] += p->jacobian.value[k];
    }
    for (int32_t k = 0; k < count; k++) {
        for (int32_t i = 0; i < b[k].places.count; i++) {
            place *at = &b[k].places.item[i];
            memcpy(at->X, at->J, sizeof at->X);
            solve_body(&b[k], at->X);
        }
    }
    return b;
}

static int by_place(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return (a[0] > b[0]) - (a[0] < b[0]);
}

// W = J M^-1 J' and q = w + J M^-1 f.
static cd_coulomb reduce(const cd_coulomb *p, cd_arena *arena)
{
    cd_coulomb out = {.name = p->name, .dimension = 3, .contacts = p->contacts, .is_reduced = true, .mu = p->mu};
    const int32_t rows = cd_coulomb_rows(p), count = p->matrix.rows / BLOCK;
    const body *b = make_bodies(p, arena);
    size_t terms = 0, used = 0;
    for (int32_t k = 0; k < count; k++)
        terms += (size_t)b[k].places.count * (size_t)b[k].places.count;
    struct {
        int64_t place;
        double value;
    } *list = cd_arena_alloc(arena, terms * sizeof *list);
    out.rhs = CD_ARENA_ARRAY(arena, double, rows);
    memcpy(out.rhs, p->rhs, sizeof *out.rhs * (size_t)rows);
    for (int32_t k = 0; k < count; k++) {
        for (int32_t i = 0; i < b[k].places.count; i++) {
            const place *a = &b[k].places.item[i];
            for (int d = 0; d < BLOCK; d++)
                out.rhs[a->row] += a->X[d] * p->force[k * BLOCK + d];
            for (int32_t j = 0; j < b[k].places.count; j++) {
                const place *c = &b[k].places.item[j];
                double sum = 0;
                for (int d = 0; d < BLOCK; d++)
                    sum += a->row < c->row ? a->X[d] * c->J[d] : c->X[d] * a->J[d];
                list[used].place = (int64_t)a->row * rows + c->row;
                list[used++].value = sum;
            }
        }
    }
    qsort(list, used, sizeof *list, by_place);
    out.matrix = cd_mm_entries(rows, rows, 0, CD_ARENA_ARRAY(arena, int32_t, used),
                               CD_ARENA_ARRAY(arena, int32_t, used), CD_ARENA_ARRAY(arena, double, used));
    for (size_t k = 0; k < used; k++) {
        const int32_t e = out.matrix.entry_count;
        if (k > 0 && list[k].place == list[k - 1].place) {
            out.matrix.value[e - 1] += list[k].value;
            continue;
        }
        out.matrix.row[e] = (int32_t)(list[k].place / rows);
        out.matrix.col[e] = (int32_t)(list[k].place % rows);
        out.matrix.value[e] = list[k].value;
        out.matrix.entry_count++;
    }
    return out;
}

// The natural map of boxes |r_t| <= mu r_n, in the scale of coulomb_verify.h.
static double box_residual(const cd_coulomb *p, const double *r, cd_arena *arena)
{
    const int32_t rows = cd_coulomb_rows(p);
    double *u = CD_ARENA_ARRAY(arena, double, rows), *diagonal = CD_ARENA_ZARRAY(arena, double, rows), worst = 0,
           scale = 0;
    (void)cd_coulomb_residual(p, r, NULL, u, arena);
    for (int32_t k = 0; k < p->matrix.entry_count; k++) {
        if (p->matrix.row[k] == p->matrix.col[k])
            diagonal[p->matrix.row[k]] += p->matrix.value[k];
    }
    for (int32_t k = 0; k < p->contacts; k++) {
        const int32_t n = 3 * k;
        const double t = (diagonal[n] + diagonal[n + 1] + diagonal[n + 2]) / 3, reach = p->mu[k] * fmax(0, r[n]);
        const double size = sqrt(p->rhs[n] * p->rhs[n] + p->rhs[n + 1] * p->rhs[n + 1] + p->rhs[n + 2] * p->rhs[n + 2]);
        scale = fmax(scale, size / sqrt(t));
        for (int i = 0; i < 3; i++) {
            const double target = r[n + i] - u[n + i] / t;
            const double to = i == 0 ? fmax(0, target) : fmin(reach, fmax(-reach, target));
            worst = fmax(worst, fabs(r[n + i] - to) * sqrt(t));
        }
    }
    return worst / (scale > 0 ? scale : 1);
}

// ---- programs ------------------------------------------------------------------------------------------------------

static const friction_peer *find_peer(const char *name)
{
    const friction_peer *const table[] = {
#ifdef WITH_SICONOS
        friction_peers_siconos,
#endif
#ifdef WITH_DART
        friction_peers_dart,
#endif
        NULL};
    for (int t = 0; table[t]; t++) {
        for (const friction_peer *p = table[t]; p->name; p++) {
            if (!name)
                printf("%s\t%s\t%s\t%s\n", p->name, p->library, p->law, p->what);
            else if (strcmp(p->name, name) == 0)
                return p;
        }
    }
    return NULL;
}

static int list_programs(void)
{
    for (int k = 0; cd_lcp_solvers[k]; k++) {
        if (cd_lcp_solvers[k]->takes & CD_LCP_TAKES_DISCS)
            printf("%s\tcd-lcp\tcone\t%s\n", cd_lcp_solvers[k]->name, cd_lcp_solvers[k]->summary);
    }
    find_peer(NULL);
    return 0;
}

static friction_matrix matrix_of(const cd_mm_matrix *a)
{
    return (friction_matrix){a->rows, a->columns, a->entry_count, a->row, a->col, a->value};
}

static double solve_own(const cd_lcp_solver *solver, const cd_coulomb *p, double *r)
{
    cd_arena arena = {0};
    cd_lcp_options options = CD_LCP_OPTIONS_DEFAULT;
    options.threads = 1;
    cd_coulomb_solution s;
    const double start = friction_cpu_seconds();
    cd_coulomb_solve(p, solver, &options, &arena, &s);
    const double seconds = friction_cpu_seconds() - start;
    memcpy(r, s.r, sizeof *r * (size_t)cd_coulomb_rows(p));
    cd_arena_release(&arena);
    return seconds;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return list_programs();
    const friction_peer *peer = find_peer(argv[1]);
    const cd_lcp_solver *solver = peer ? NULL : cd_lcp_find_solver(argv[1]);
    if (!peer && !solver)
        stop("no such program", argv[1]);
    cd_arena arena = {0};
    const cd_coulomb global = read_case(argv[2], &arena), reduced = reduce(&global, &arena);
    const friction_case given = {.contacts = global.contacts,
                                 .velocities = global.matrix.rows,
                                 .M = matrix_of(&global.matrix),
                                 .J = matrix_of(&global.jacobian),
                                 .W = matrix_of(&reduced.matrix),
                                 .f = global.force,
                                 .w = global.rhs,
                                 .q = reduced.rhs,
                                 .mu = global.mu};
    const int repeats = argc > 3 ? atoi(argv[3]) : 5;
    double *seconds = CD_ARENA_ARRAY(&arena, double, repeats), spent = 0;
    double *r = CD_ARENA_ARRAY(&arena, double, cd_coulomb_rows(&global));
    int done = 0;
    for (; done < repeats && spent < ENOUGH_SECONDS; done++) {
        memset(r, 0, sizeof *r * (size_t)cd_coulomb_rows(&global));
        seconds[done] = peer ? peer->solve(&given, r) : solve_own(solver, &global, r);
        spent += seconds[done];
    }
    qsort(seconds, (size_t)done, sizeof *seconds, by_value);
    const bool is_box = peer && strcmp(peer->law, "box") == 0;
    const double residual =
        is_box ? box_residual(&reduced, r, &arena) : cd_coulomb_residual(&reduced, r, NULL, NULL, &arena);
    printf("{\"program\":\"%s\",\"contacts\":%d,\"velocities\":%d,\"seconds\":%.9g,\"residual\":%.3g}\n", argv[1],
           given.contacts, given.velocities, seconds[done / 2], isfinite(residual) ? residual : 1e300);
    cd_arena_release(&arena);
    return 0;
}
