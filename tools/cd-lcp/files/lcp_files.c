// SPDX-License-Identifier: MIT
#include "lcp_files.h"

#include "coulomb_fclib.h"
#include "coulomb_siconos.h"
#include "coulomb_verify.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

const char *const cd_lcp_prints[] = {"r", "u", "v", NULL};

// ---- what the command line asks for --------------------------------------------------------------------------------

bool cd_lcp_files_any(const cd_lcp_files *f)
{
    return f->matrix || f->rhs || f->lower || f->upper || f->mu || f->mass || f->jacobian || f->force || f->problem;
}

static bool is_coulomb(const cd_lcp_files *f) { return f->problem || f->mu; }

cd_status cd_lcp_files_check(const cd_lcp_files *f, cd_diag *diag)
{
    const bool is_global = f->mass || f->jacobian || f->force, has_bounds = f->lower || f->upper;
    const char *reason = NULL;
    if (f->problem && (f->matrix || f->rhs || f->mu || is_global || has_bounds))
        reason = "--problem holds all of a problem: no other file goes with it";
    else if (is_global && !(f->mass && f->jacobian && f->rhs && f->mu))
        reason = "--mass, --jacobian, --rhs and --mu go together";
    else if (is_global && f->matrix)
        reason = "--mass and --mtx are two forms of a problem: one of them";
    else if (f->mu && has_bounds)
        reason = "--mu gives the bounds: no --lower and --upper";
    else if (!f->problem && !is_global && !f->matrix)
        reason = "--rhs and --mu go with --mtx or --mass, --lower and --upper with --mtx";
    else if (f->matrix && !f->rhs)
        reason = "--mtx needs --rhs";
    else if (!is_coulomb(f) && strcmp(f->print, cd_lcp_prints[0]) != 0)
        reason = "--print goes with --mu and --problem";
    return reason ? cd_fail(diag, CD_ERR_USAGE, "%s", reason) : CD_OK;
}

// ---- reading -------------------------------------------------------------------------------------------------------

static cd_status read_parts(const cd_lcp_files *f, cd_arena *arena, cd_coulomb *out, cd_diag *diag)
{
    *out = (cd_coulomb){.name = f->mass ? f->mass : f->matrix, .is_reduced = !f->mass};
    CD_TRY(cd_mm_read_matrix(out->name, arena, &out->matrix, diag));
    if (f->mass)
        CD_TRY(cd_mm_read_matrix(f->jacobian, arena, &out->jacobian, diag));
    const int32_t rows = f->mass ? out->jacobian.rows : out->matrix.rows;
    CD_TRY(cd_mm_read_vector(f->rhs, rows, false, arena, &out->rhs, diag));
    out->contacts = -1;
    CD_TRY(cd_mm_read_any_vector(f->mu, arena, &out->mu, &out->contacts, &out->mu_source, diag));
    out->dimension = out->contacts > 0 ? rows / out->contacts : 3;
    if (out->contacts > 0 && rows % out->contacts != 0)
        return cd_mm_fail_at(
            out->mu_source.name, out->mu_source.size_line,
            cd_fail(diag, CD_ERR_FORMAT, "%d coefficients, %d rows are not 2 or 3 for each", out->contacts, rows),
            diag);
    if (!f->mass)
        return CD_OK;
    out->force = CD_ARENA_ZARRAY(arena, double, out->matrix.rows);
    return f->force ? cd_mm_read_vector(f->force, out->matrix.rows, false, arena, &out->force, diag) : CD_OK;
}

// All of the file and a NUL; of an HDF5 file the beginning, for its library reads it.
static cd_status read_text(const char *path, cd_buffer *out, cd_diag *diag)
{
    enum { CHUNK = 1 << 16 };
    const bool is_stdin = strcmp(path, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(path, "rb");
    if (!file)
        return cd_fail(diag, CD_ERR_IO, "%s: %s", path, strerror(errno));
    size_t got;
    do {
        cd_buffer_reserve(out, CHUNK + 1);
        got = fread(out->data + out->size, 1, CHUNK, file);
        out->size += got;
    } while (got > 0 && !cd_coulomb_is_hdf5(out->data, out->size));
    out->data[out->size] = '\0';
    const bool failed = ferror(file) != 0;
    if (!is_stdin)
        fclose(file);
    return failed ? cd_fail(diag, CD_ERR_IO, "%s: read: %s", path, strerror(errno)) : CD_OK;
}

static cd_status read_problem(const char *path, cd_arena *arena, cd_coulomb *out, cd_diag *diag)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    cd_buffer text = {0};
    cd_status status = read_text(path, &text, diag);
    if (status == CD_OK && !cd_coulomb_is_hdf5(text.data, text.size))
        status = cd_coulomb_read_siconos(is_stdin ? "stdin" : path, text.data, text.size, arena, out, diag);
    else if (status == CD_OK)
        status = is_stdin ? cd_fail(diag, CD_ERR_USAGE, "--problem: HDF5 is read from a file, not from standard input")
                          : cd_coulomb_read_fclib(path, arena, out, diag);
    cd_buffer_release(&text);
    return status;
}

static cd_status read_bound(const char *path, int32_t n, double usual, cd_arena *arena, double **out, cd_diag *diag)
{
    if (path)
        return cd_mm_read_vector(path, n, true, arena, out, diag);
    *out = CD_ARENA_ARRAY(arena, double, n);
    for (int32_t i = 0; i < n; i++)
        (*out)[i] = usual;
    return CD_OK;
}

static cd_status read_lcp(const cd_lcp_files *files, cd_arena *arena, cd_mcp *out, cd_diag *diag)
{
    cd_mm_matrix matrix;
    double *rhs, *lower, *upper;
    CD_TRY(cd_mm_read_matrix(files->matrix, arena, &matrix, diag));
    const int32_t n = matrix.rows;
    if (matrix.columns != n)
        return cd_mm_fail_at(matrix.source.name, matrix.source.size_line,
                             cd_fail(diag, CD_ERR_FORMAT, "the matrix is %d x %d, not square", n, matrix.columns),
                             diag);
    CD_TRY(cd_mm_read_vector(files->rhs, n, false, arena, &rhs, diag));
    CD_TRY(read_bound(files->lower, n, 0, arena, &lower, diag));
    CD_TRY(read_bound(files->upper, n, INFINITY, arena, &upper, diag));
    *out = (cd_mcp){.n = n,
                    .entry_count = matrix.entry_count,
                    .row = matrix.row,
                    .col = matrix.col,
                    .value = matrix.value,
                    .rhs = rhs,
                    .lower = lower,
                    .upper = upper};
    return CD_OK;
}

// ---- solving and writing -------------------------------------------------------------------------------------------

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// What is told of both kinds of problems.
typedef struct verdict {
    const char *file, *solver, *reason;
    cd_lcp_status status;
    double residual, seconds;
    int64_t iterations;
    int32_t islands, largest_island;
} verdict;

static void write_array(cd_buffer *out, const char *name, int32_t n, const double *x)
{
    cd_buffer_printf(out, ",\"%s\":[", name);
    for (int32_t i = 0; i < n; i++)
        cd_buffer_printf(out, "%s%.17g", i ? "," : "", isfinite(x[i]) ? x[i] : 0);
    cd_buffer_text(out, "]");
}

static void write_verdict(cd_buffer *out, const verdict *v)
{
    cd_buffer_printf(out, "{\"status\":\"%s\",\"solver\":\"%s\"", cd_lcp_status_name(v->status), v->solver);
    if (isfinite(v->residual))
        cd_buffer_printf(out, ",\"residual\":%.3g", v->residual);
    cd_buffer_printf(out, ",\"iterations\":%lld,\"seconds\":%.3g,\"islands\":%d,\"largest_island\":%d",
                     (long long)v->iterations, v->seconds, v->islands, v->largest_island);
}

static cd_status judge(const verdict *v, cd_diag *diag)
{
    if (v->status == CD_LCP_SOLVED)
        return CD_OK;
    return cd_fail(diag, CD_ERR_NUMERIC, "%s: %s: %s (residual %.3g, %lld iterations)", v->file,
                   cd_lcp_status_name(v->status), v->reason, v->residual, (long long)v->iterations);
}

static cd_status solve_coulomb(const cd_lcp_files *files, const cd_lcp_solver *solver, const cd_lcp_options *options,
                               cd_arena *arena, cd_buffer *out, cd_diag *diag)
{
    cd_coulomb p;
    CD_TRY(files->problem ? read_problem(files->problem, arena, &p, diag) : read_parts(files, arena, &p, diag));
    CD_TRY(cd_coulomb_check(&p, diag));
    if (!(solver->takes & CD_LCP_TAKES_DISCS))
        return cd_fail(diag, CD_ERR_UNSUPPORTED, "%s: solver %s takes no friction; ipm, pgs and auto do", p.name,
                       solver->name);
    const char which = files->print[0];
    if (which == 'v' && p.is_reduced)
        return cd_fail(diag, CD_ERR_USAGE, "--print v: the reduced form of %s has no velocities but u", p.name);
    const double start = cpu_seconds();
    cd_coulomb_solution s;
    cd_coulomb_solve(&p, solver, options, arena, &s);
    const verdict v = {p.name,       s.solver,  s.reason,        s.status, s.residual, cpu_seconds() - start,
                       s.iterations, s.islands, s.largest_island};
    const int32_t rows = cd_coulomb_rows(&p), velocities = cd_coulomb_velocities(&p);
    if (files->as_json) {
        write_verdict(out, &v);
        cd_buffer_printf(out, ",\"dimension\":%d,\"contacts\":%d,\"velocities\":%d", p.dimension, p.contacts,
                         velocities);
        write_array(out, "r", rows, s.r);
        write_array(out, "u", rows, s.u);
        write_array(out, "v", velocities, s.v);
        cd_buffer_text(out, "}\n");
    } else if (v.status == CD_LCP_SOLVED) {
        cd_mm_write_vector(out, which == 'v' ? velocities : rows, which == 'r' ? s.r : which == 'u' ? s.u : s.v);
    }
    return judge(&v, diag);
}

static cd_status solve_lcp(const cd_lcp_files *files, const cd_lcp_solver *solver, const cd_lcp_options *options,
                           cd_arena *arena, cd_buffer *out, cd_diag *diag)
{
    cd_mcp problem;
    CD_TRY(read_lcp(files, arena, &problem, diag));
    const double start = cpu_seconds();
    cd_mcp_solution s;
    cd_mcp_solve(&problem, solver, options, arena, &s);
    const verdict v = {files->matrix,         s.solver,     s.reason,       s.status,        s.residual,
                       cpu_seconds() - start, s.iterations, s.island_count, s.largest_island};
    if (files->as_json) {
        write_verdict(out, &v);
        write_array(out, "z", problem.n, s.z);
        write_array(out, "w", problem.n, s.w);
        cd_buffer_text(out, "}\n");
    } else if (v.status == CD_LCP_SOLVED) {
        cd_mm_write_vector(out, problem.n, s.z);
    }
    return judge(&v, diag);
}

cd_status cd_lcp_solve_files(const cd_lcp_files *files, const cd_lcp_solver *solver, const cd_lcp_options *options,
                             cd_arena *arena, cd_buffer *out, cd_diag *diag)
{
    return (is_coulomb(files) ? solve_coulomb : solve_lcp)(files, solver, options, arena, out, diag);
}
