// The run of --check: reads everything, prints a line per broken rule and frame, or a summary.
// SPDX-License-Identifier: MIT
#include "view_check.h"
#include "view_run.h"

#include <inttypes.h>

enum { SHOWN_FINDINGS = 200 };  // lines; the count of all is said

static void count_rows(const cd_tables *tables, int64_t rows[CD_REC_COUNT], int64_t *foreign)
{
    for (int type = 0; type < CD_REC_COUNT; type++)
        rows[type] += cd_model_rows((cd_model *)&tables->model, (cd_record_type)type)->count;
    for (int32_t i = 0; i < tables->foreign.count; i++)
        *foreign += tables->foreign.item[i].row.count;
}

static cd_status check_stream(cd_ctx *ctx, cd_check *check, int64_t rows[CD_REC_COUNT], int64_t *foreign)
{
    cd_tables head = {0}, tables = {0};
    bool is_open = false, head_is_done = false;
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK) {
        if ((chunk.type == CD_REC_frame || chunk.type == CD_REC_end) && !head_is_done) {
            head_is_done = true;
            cd_check_head(check, &ctx->run, &head, cd_reader_refs(ctx->reader));
            count_rows(&head, rows, foreign);
        }
        is_open |= chunk.type == CD_REC_frame;
        if (chunk.type == CD_REC_fend) {
            cd_check_frame(check, &ctx->arena, &head, &tables);
            count_rows(&tables, rows, foreign);
            memset(&tables, 0, sizeof tables);
            cd_arena_reset(&ctx->arena);
            is_open = false;
        }
        if (head_is_done && !is_open && chunk.type == CD_REC_UNKNOWN) {
            *foreign += chunk.row_count;  // between frames
            continue;
        }
        CD_TRY(cd_tables_take(is_open ? &ctx->arena : &ctx->run, ctx->reader, &chunk, is_open ? &tables : &head,
                              &ctx->diag));
    }
    return status == CD_END ? CD_OK : status;
}

static void print_findings(const cd_check *check, cd_buffer *out)
{
    for (int32_t i = 0; i < check->findings.count && i < SHOWN_FINDINGS; i++) {
        const cd_finding *finding = &check->findings.item[i];
        if (finding->frame >= 0)
            cd_buffer_printf(out, "frame %" PRId64 ": ", finding->frame);
        cd_buffer_printf(out, "%s: %s: %s", finding->table, finding->rule, finding->first);
        if (finding->rows > 1)
            cd_buffer_printf(out, " (and %" PRId64 " more)", finding->rows - 1);
        cd_buffer_text(out, "\n");
    }
}

static void print_summary(const cd_check *check, const int64_t rows[CD_REC_COUNT], int64_t foreign, cd_buffer *out)
{
    cd_buffer_printf(out, "ok: %" PRId64 " frames", check->frames);
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (rows[type] > 0 && type != CD_REC_head && type != CD_REC_frame)
            cd_buffer_printf(out, ", %s %" PRId64, cd_records[type].name, rows[type]);
    if (foreign > 0)
        cd_buffer_printf(out, ", unknown records %" PRId64, foreign);
    cd_buffer_text(out, "\n");
}

cd_status cd_view_run_check(cd_ctx *ctx)
{
    cd_check check = {0};
    cd_buffer out = {0};
    int64_t rows[CD_REC_COUNT] = {0}, foreign = 0;
    CD_TRY(cd_open_reader(ctx, 0, &ctx->reader));
    cd_status status = check_stream(ctx, &check, rows, &foreign);
    print_findings(&check, &out);
    if (status == CD_OK && check.findings.count == 0)
        print_summary(&check, rows, foreign, &out);
    cd_diag reason = ctx->diag;
    cd_status written = cd_write_text(ctx, out.data, out.size);
    if (written != CD_OK)
        status = written;
    else if (status != CD_OK)
        ctx->diag = reason;
    else if (check.findings.count > 0)
        status = cd_fail(&ctx->diag, CD_ERR_CHECK, "%d broken rules", check.findings.count);
    cd_buffer_release(&out);
    cd_check_release(&check);
    return status;
}
