// A line of text, or of JSON, a difference.
// SPDX-License-Identifier: MIT
#include "diff_run.h"
#include "diff_text.h"

#include <inttypes.h>

typedef struct row_run {
    cd_ctx *ctx;
    cd_diff_streams streams;
    cd_arena scratch;
    cd_diff_rules rules;
    const char *frame;  // name of the section in work
    cd_buffer lines;    // the first `shown` of them
    int64_t shown;
    int64_t count;  // of all
} row_run;

static void append_line(cd_buffer *out, const char *const column[6])
{
    for (int i = 0; i < 6; i++) {
        if (i > 0)
            cd_buffer_text(out, "\t");
        cd_diff_print_tamed(column[i], out);
    }
    cd_buffer_text(out, "\n");
}

static void append_object(cd_buffer *out, const char *const column[6])
{
    static const char *const name[] = {"frame", "table", "key", "member", "left", "right"};
    for (int i = 0; i < 6; i++) {
        cd_buffer_printf(out, "%s\"%s\":", i ? "," : "{", name[i]);
        cd_json_string(out, column[i]);
    }
    cd_buffer_text(out, "}\n");
}

static void take(void *context, const cd_diff_difference *d)
{
    row_run *run = context;
    if (run->count++ >= run->shown)
        return;
    const char *const column[] = {run->frame, d->table, d->key, d->member, d->text[0], d->text[1]};
    if (run->ctx->output_is_json)
        append_object(&run->lines, column);
    else
        append_line(&run->lines, column);
}

static cd_status flush(row_run *run)
{
    if (run->ctx->output_path)
        return CD_OK;
    cd_status status = cd_write_text(run->ctx, run->lines.data, run->lines.size);
    run->lines.size = 0;
    return status;
}

static cd_status compare_sections(row_run *run)
{
    const cd_diff_sink sink = {.context = run, .take = take};
    cd_diff_section section;
    for (;;) {
        cd_status status = cd_diff_next(&run->streams, &section);
        if (status == CD_END)
            return CD_OK;
        CD_TRY(status);
        bool is_left = section.side[0].tables != NULL, is_right = section.side[1].tables != NULL;
        run->frame = cd_diff_section_name(&run->scratch, &section);
        if (is_left && is_right)
            cd_diff_tables(&run->scratch, section.side[0], section.side[1], &run->rules, &sink);
        else
            take(run, &(cd_diff_difference){.table = "frame",
                                            .key = "",
                                            .member = CD_DIFF_ROW,
                                            .text = {is_left ? "present" : "absent", is_right ? "present" : "absent"}});
        cd_arena_reset(&run->scratch);
        CD_TRY(flush(run));
    }
}

static cd_status compare(row_run *run, const cd_diff_options *options)
{
    CD_TRY(cd_diff_begin_rows(run->ctx, options, &run->rules, &run->streams));
    int left = cd_diff_dim(&run->streams, 0), right = cd_diff_dim(&run->streams, 1);
    if (left == right)
        return compare_sections(run);
    run->frame = "head";
    take(run,
         &(cd_diff_difference){
             .table = "head", .key = "", .member = "dim", .text = {left == 2 ? "2" : "3", right == 2 ? "2" : "3"}});
    return CD_OK;
}

cd_status cd_diff_run_rows(cd_ctx *ctx, const cd_diff_options *options)
{
    row_run run = {.ctx = ctx, .shown = options->shown ? options->shown : INT64_MAX};
    cd_status status = compare(&run, options);
    cd_diag reason = ctx->diag;
    cd_status written = cd_write_text(ctx, run.lines.data, run.lines.size);
    if (status == CD_OK && written != CD_OK)
        status = written;
    else
        ctx->diag = reason;
    if (status == CD_OK && run.count > 0)
        status = cd_fail(&ctx->diag, CD_ERR_CHECK, "%" PRId64 " differences%s", run.count,
                         run.count > run.shown ? " (--max shows more)" : "");
    cd_diff_close(&run.streams);
    cd_arena_release(&run.scratch);
    cd_buffer_release(&run.lines);
    return status;
}
