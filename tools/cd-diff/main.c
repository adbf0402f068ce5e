// cd-diff -- what differs between two streams. Reads: two streams. Writes: text.
// SPDX-License-Identifier: MIT
#include "diff_run.h"

#include <math.h>

static cd_diff_options opt = {.shown = 100,
                              .by = "row",
                              .gap_tolerance = 1e-4,
                              .normal_tolerance = 0.01,
                              .point_tolerance = 0.01,
                              .length = NAN,
                              .worst = 5};

static const cd_option option_table[] = {
    CD_OPT_DOUBLE(0, "abs", &opt.absolute, "X", 0, 1e300, "numbers may differ by X (in their unit)"),
    CD_OPT_DOUBLE(0, "rel", &opt.relative, "X", 0, 1e300, "numbers may differ by X times the larger one"),
    CD_OPT_TEXT(0, "ignore", &opt.ignored, "LIST", "leave out record types or members, as metric,solution.iterations"),
    CD_OPT_TEXT(0, "frames", &opt.frames, "FRAMES", "compare frames of these indices: N, A:B, A:B:STEP or last"),
    CD_OPT_INT(0, "max", &opt.shown, "N", 0, 1e15, "print at most N lines, 0: all"),
    CD_OPT_FLAG(0, "summary", &opt.summary, "count what differs, by table and member: how often, how much, where most"),
    CD_OPT_FLAG(0, "first", &opt.first, "tell the first frame, table and record that differ, and what follows from it"),
    CD_OPT_CHOICE(0, "by", &opt.by, cd_diff_by_words, "match rows, or contacts by pair of parts or of bodies"),
    CD_OPT_HEADING("By pair or body:"),
    CD_OPT_DOUBLE(0, "gap", &opt.gap_tolerance, "X", 0, 1e300, "gaps agree within X [length]"),
    CD_OPT_DOUBLE(0, "normal", &opt.normal_tolerance, "X", 0, 4, "normals agree within X [rad]"),
    CD_OPT_DOUBLE(0, "point", &opt.point_tolerance, "X", 0, 1e300, "points agree within X [length]"),
    CD_OPT_DOUBLE(0, "length", &opt.length, "L", 1e-300, 1e300, "characteristic length [m], else the left stream's"),
    CD_OPT_INT(0, "worst", &opt.worst, "N", 0, 1e6, "tell the worst N pairs of each class"),
    CD_OPT_TEXT(0, "replay", &opt.replay, "DIR", "write them as small streams there, with the commands that show each"),
    CD_OPT_END};

static cd_status run(cd_ctx *ctx)
{
    if (ctx->operand_count != 2)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "two streams are needed: cd-diff LEFT RIGHT (- is standard input)");
    return cd_diff_run(ctx, &opt);
}

int main(int argc, char **argv)
{
    return cd_filter_main(
        argc, argv,
        &(cd_filter){.name = "cd-diff",
                     .summary = "Compare the content of two streams, whatever their encodings and the order of rows.",
                     .synopsis = "LEFT RIGHT",
                     .notes = "Prints frame, table, key, member, left and right value, with tabs between. Exit code 1 "
                              "when something differs.",
                     .example = "cd-diff --first a.cdb b.cdb",
                     .options = option_table,
                     .max_operands = 2,
                     .run = run});
}
