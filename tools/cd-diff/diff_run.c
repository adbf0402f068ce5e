// SPDX-License-Identifier: MIT
#include "diff_run.h"

#include "diff_by_pair.h"
#include "diff_tables.h"

#include <inttypes.h>

const char *const cd_diff_by_words[] = {"row", "pair", "body", NULL};

// ---- row by row, a line a difference -------------------------------------------------------------------------------

typedef struct row_run {
    cd_ctx *ctx;
    cd_diff_streams streams;
    cd_arena scratch;
    cd_diff_report report;
} row_run;

static cd_status flush(row_run *run)
{
    if (run->ctx->output_path)
        return CD_OK;
    cd_status status = cd_write_text(run->ctx, run->report.lines.data, run->report.lines.size);
    run->report.lines.size = 0;
    return status;
}

static cd_status compare_sections(row_run *run)
{
    cd_diff_section section;
    for (;;) {
        cd_status status = cd_diff_next(&run->streams, &section);
        if (status == CD_END)
            return CD_OK;
        CD_TRY(status);
        bool is_left = section.side[0].tables != NULL, is_right = section.side[1].tables != NULL;
        const char *name = cd_diff_section_name(&run->scratch, &section);
        if (is_left && is_right)
            cd_diff_tables(&run->scratch, name, section.side[0], section.side[1], &run->report);
        else
            cd_diff_line(&run->report, name, "frame", "", "(row)", is_left ? "present" : "absent",
                         is_left ? "absent" : "present");
        cd_arena_reset(&run->scratch);
        CD_TRY(flush(run));
    }
}

static cd_status compare_rows(row_run *run, const cd_diff_options *options)
{
    CD_TRY(cd_diff_parse_ignored(&run->ctx->run, options->ignored, &run->report.rules, &run->ctx->diag));
    run->streams.any_round = cd_diff_ignores(&run->report.rules, "frame", "round");
    CD_TRY(cd_diff_open(run->ctx, options->frames, &run->streams));
    int left = cd_diff_dim(&run->streams, 0), right = cd_diff_dim(&run->streams, 1);
    if (left == right)
        return compare_sections(run);
    cd_diff_line(&run->report, "head", "head", "", "dim", left == 2 ? "2" : "3", right == 2 ? "2" : "3");
    return CD_OK;
}

static cd_status run_by_row(cd_ctx *ctx, const cd_diff_options *options)
{
    row_run run = {.ctx = ctx,
                   .report.rules = {.absolute = options->absolute,
                                    .relative = options->relative,
                                    .shown = options->shown ? options->shown : INT64_MAX}};
    cd_status status = compare_rows(&run, options);
    cd_diag reason = ctx->diag;
    cd_status written = cd_write_text(ctx, run.report.lines.data, run.report.lines.size);
    if (status == CD_OK && written != CD_OK)
        status = written;
    else
        ctx->diag = reason;
    if (status == CD_OK && run.report.count > 0)
        status = cd_fail(&ctx->diag, CD_ERR_CHECK, "%" PRId64 " differences%s", run.report.count,
                         run.report.count > run.report.rules.shown ? " (--max shows more)" : "");
    cd_diff_close(&run.streams);
    cd_arena_release(&run.scratch);
    cd_buffer_release(&run.report.lines);
    return status;
}

cd_status cd_diff_run(cd_ctx *ctx, const cd_diff_options *options)
{
    return strcmp(options->by, "row") ? cd_diff_run_by_pair(ctx, options) : run_by_row(ctx, options);
}
