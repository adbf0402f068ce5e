// cd-lcp -- solves the mixed complementarity problem of each frame. Reads: row, entry (for --warm also frame, contact,
// body). Writes: solution, value. With --mtx, --mass or --problem: files of other programs in, a vector out, no stream.
// SPDX-License-Identifier: MIT
#include "cd_filter.h"
#include "lcp_watch.h"

// What the user asked for.
static struct options {
    const char *solver;
    double tolerance;
    int64_t max_iterations, max_dense;
    bool warm;
    cd_lcp_files files;
} opt = {.solver = "auto", .tolerance = CD_LCP_TOLERANCE, .max_dense = CD_LCP_MAX_DENSE, .files.print = "r"};

static const cd_option option_table[] = {
    CD_OPT_CHOICE('s', "solver", &opt.solver, cd_lcp_solver_names, "the method, see below"),
    // Sums of the problem's size round to that: below, chance would tell solved from unsolved, after all that is tried.
    CD_OPT_DOUBLE(0, "tolerance", &opt.tolerance, "RATIO", 0x1p-52, 1,
                  "residual up to which a problem counts as solved, relative to its size; from 2^-52, rounding"),
    CD_OPT_INT(0, "max-iterations", &opt.max_iterations, "N", 0, 1e15,
               "pivots or steps of each attempt; 0: the method's own bound"),
    CD_OPT_INT(0, "max-dense", &opt.max_dense, "BYTES", 1024, 0x1p46,
               "memory that the dense matrices of one island may take (default 2 GiB)"),
    CD_OPT_FLAG(0, "warm", &opt.warm,
                "start from the frame before: results then depend on it where they are not unique"),
    CD_OPT_HEADING("A problem in files instead of a stream (its answer is printed; exit 5 when unsolved):"),
    CD_OPT_TEXT(0, "mtx", &opt.files.matrix, "FILE", "Matrix Market: the matrix M of w = M z + rhs"),
    CD_OPT_TEXT(0, "rhs", &opt.files.rhs, "FILE", "the vector rhs"),
    CD_OPT_TEXT(0, "lower", &opt.files.lower, "FILE", "lower bounds of z, -inf allowed (default 0)"),
    CD_OPT_TEXT(0, "upper", &opt.files.upper, "FILE", "upper bounds of z, inf allowed (default inf)"),
    CD_OPT_TEXT(0, "mu", &opt.files.mu, "FILE", "Coulomb friction: a coefficient for each 2 or 3 rows of rhs"),
    CD_OPT_TEXT(0, "mass", &opt.files.mass, "FILE", "instead of --mtx: M of M v = J'r + force, u = J v + rhs"),
    CD_OPT_TEXT(0, "jacobian", &opt.files.jacobian, "FILE", "J, for each contact the normal, then the tangents"),
    CD_OPT_TEXT(0, "force", &opt.files.force, "FILE", "the vector force (default 0)"),
    CD_OPT_TEXT(0, "problem", &opt.files.problem, "FILE",
                "FCLIB's HDF5 (where libhdf5 is installed) or Siconos' text, with friction"),
    CD_OPT_CHOICE(0, "print", &opt.files.print, cd_lcp_prints, "impulses r, their velocities u, or v; -j prints all"),
    CD_OPT_END};

static cd_lcp_stage stage_of(cd_ctx *ctx)
{
    return (cd_lcp_stage){.solver = cd_lcp_find_solver(opt.solver),
                          .options = {.tolerance = opt.tolerance,
                                      .max_iterations = opt.max_iterations,
                                      .max_dense = opt.max_dense,
                                      .seed = CD_LCP_SEED,
                                      .threads = ctx->threads},
                          .is_warm = opt.warm,
                          .kept = ctx->state,
                          .run = &ctx->run};
}

static cd_status each_frame(cd_ctx *ctx)
{
    const cd_lcp_stage stage = stage_of(ctx);
    return cd_lcp_watch_frame(ctx, &stage);
}

static cd_status begin(cd_ctx *ctx)
{
    ctx->method = opt.solver;
    cd_lcp_unread(opt.warm, ctx->unread);
    ctx->state = cd_lcp_files_any(&opt.files) ? NULL : cd_lcp_kept_make(ctx->repeat == 1, &ctx->run);
    return CD_OK;
}

static void close_run(cd_ctx *ctx) { cd_lcp_kept_release(ctx->state); }

static cd_status run(cd_ctx *ctx)
{
    if (!cd_lcp_files_any(&opt.files))
        return cd_filter_loop(ctx);
    CD_TRY(cd_lcp_files_check(&opt.files, &ctx->diag));
    if (opt.warm || ctx->operand_count > 0)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "a problem in files is no stream: no --warm and no operand");
    opt.files.as_json = ctx->output_is_json;
    const cd_lcp_stage stage = stage_of(ctx);
    return cd_lcp_watch_files(ctx, &opt.files, &stage);
}

int main(int argc, char **argv)
{
    return cd_filter_main(
        argc, argv,
        &(cd_filter){.name = "cd-lcp",
                     .summary = "Solve the complementarity problem of each frame, or one in files.",
                     .synopsis = "[FILE]",
                     .help = cd_lcp_help,
                     .example = "cd-scene pile.yaml | cd-broad | cd-narrow | cd-peg-assemble | cd-lcp | cd-view "
                                "--table --type solution",
                     .options = option_table,
                     .needs = CD_BIT(frame) | CD_BIT(body) | CD_BIT(contact) | CD_BIT(row) | CD_BIT(entry),
                     .lives_on = CD_BIT(row),
                     .writes = CD_BIT(solution) | CD_BIT(value),
                     .begin = begin,
                     .each_frame = each_frame,
                     .close = close_run,
                     .run = run});
}
