// SPDX-License-Identifier: MIT
#include "diff_run.h"

#include "cd_frame_range.h"
#include "diff_tables.h"

#include <inttypes.h>

// One stream. The tables of a section (the head, or a frame) lie in arena[turn]; the frame record that ended the head
// is already in the other one.
typedef struct side {
    cd_reader *reader;
    cd_arena arena[2];
    int turn;
    cd_tables tables;     // of the section read last
    cd_tables following;  // the frame record of the next section, if it was read already
    bool has_following, has_frame;
} side;

typedef struct diff_run {
    cd_ctx *ctx;
    cd_frame_range range;
    side left, right;
    cd_arena scratch;
    cd_diff_report report;
} diff_run;

static cd_status read_head(diff_run *run, side *s)
{
    cd_chunk chunk;
    for (;;) {
        CD_TRY(cd_reader_next(s->reader, &chunk, &run->ctx->diag));
        if (chunk.type == CD_REC_frame) {
            s->has_following = true;
            return cd_tables_take(&s->arena[1], s->reader, &chunk, &s->following, &run->ctx->diag);
        }
        CD_TRY(cd_tables_take(&s->arena[0], s->reader, &chunk, &s->tables, &run->ctx->diag));
        if (chunk.type == CD_REC_end)
            return cd_reader_next(s->reader, &chunk, &run->ctx->diag) == CD_END ? CD_OK : CD_ERR_FORMAT;
    }
}

// The next frame, wanted or not, into the arena that is not in use. *found false: the stream has ended properly.
static cd_status read_frame(diff_run *run, side *s, cd_tables *tables, bool *found)
{
    cd_arena *arena = &s->arena[1 - s->turn];
    cd_chunk chunk;
    *found = false;
    if (s->has_following) {
        *tables = s->following;
        s->has_following = false;
        *found = true;
    } else {
        cd_arena_reset(arena);
        memset(tables, 0, sizeof *tables);
    }
    for (;;) {
        cd_status status = cd_reader_next(s->reader, &chunk, &run->ctx->diag);
        if (status == CD_END)
            return CD_OK;
        CD_TRY(status);
        if (chunk.type == CD_REC_fend)
            return CD_OK;
        *found |= chunk.type == CD_REC_frame;
        CD_TRY(cd_tables_take(arena, s->reader, &chunk, tables, &run->ctx->diag));
    }
}

static cd_status next_frame(diff_run *run, side *s)
{
    s->has_frame = false;
    for (;;) {
        cd_tables tables;
        bool found;
        CD_TRY(read_frame(run, s, &tables, &found));
        if (!found)
            return CD_OK;
        if (!cd_frame_range_has(&run->range, tables.model.frame.index[0]))
            continue;
        s->tables = tables;
        s->turn = 1 - s->turn;
        s->has_frame = true;
        if (!run->range.only_last)
            return CD_OK;
    }
}

// ---- frames side by side -------------------------------------------------------------------------------------------

// By index, substep and round; without the round where that is not to be compared.
static int compare_frames(const diff_run *run, const cd_frame_rows *a, const cd_frame_rows *b)
{
    int64_t left[] = {a->index[0], cd_i32_or(a->substep, 0, 0), cd_i32_or(a->round, 0, 0)},
            right[] = {b->index[0], cd_i32_or(b->substep, 0, 0), cd_i32_or(b->round, 0, 0)};
    int parts = cd_diff_ignores(&run->report.rules, "frame", "round") ? 2 : 3;
    for (int i = 0; i < parts; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static const char *frame_name(diff_run *run, const cd_frame_rows *frame)
{
    int32_t substep = cd_i32_or(frame->substep, 0, 0), round = cd_i32_or(frame->round, 0, 0);
    if (substep == 0 && round == 0)
        return cd_arena_printf(&run->scratch, "%" PRId64, frame->index[0]);
    return cd_arena_printf(&run->scratch, "%" PRId64 " substep %d round %d", frame->index[0], substep, round);
}

static cd_status flush(diff_run *run)
{
    if (run->ctx->output_path)
        return CD_OK;
    cd_status status = cd_write_text(run->ctx, run->report.lines.data, run->report.lines.size);
    run->report.lines.size = 0;
    return status;
}

static cd_status compare_sections(diff_run *run, const char *name)
{
    cd_diff_side left = {&run->left.tables, cd_reader_refs(run->left.reader)},
                 right = {&run->right.tables, cd_reader_refs(run->right.reader)};
    cd_diff_tables(&run->scratch, name, left, right, &run->report);
    cd_arena_reset(&run->scratch);
    return flush(run);
}

static cd_status compare_all_frames(diff_run *run)
{
    side *left = &run->left, *right = &run->right;
    CD_TRY(next_frame(run, left));
    CD_TRY(next_frame(run, right));
    while (left->has_frame || right->has_frame) {
        const cd_frame_rows *a = &left->tables.model.frame, *b = &right->tables.model.frame;
        int order = !left->has_frame       ? 1
                    : !right->has_frame    ? -1
                    : run->range.only_last ? 0
                                           : compare_frames(run, a, b);
        if (order == 0)
            CD_TRY(compare_sections(run, frame_name(run, a)));
        else
            cd_diff_line(&run->report, frame_name(run, order < 0 ? a : b), "frame", "", "(row)",
                         order < 0 ? "present" : "absent", order < 0 ? "absent" : "present");
        if (order <= 0)
            CD_TRY(next_frame(run, left));
        if (order >= 0)
            CD_TRY(next_frame(run, right));
    }
    return CD_OK;
}

static cd_status compare_streams(diff_run *run)
{
    cd_ctx *ctx = run->ctx;
    CD_TRY(cd_open_reader(ctx, 0, &run->left.reader));
    CD_TRY(cd_open_reader(ctx, 1, &run->right.reader));
    CD_TRY(read_head(run, &run->left));
    CD_TRY(read_head(run, &run->right));
    if (run->left.tables.model.dim != run->right.tables.model.dim) {
        cd_diff_line(&run->report, "head", "head", "", "dim", run->left.tables.model.dim == 2 ? "2" : "3",
                     run->right.tables.model.dim == 2 ? "2" : "3");
        return CD_OK;
    }
    CD_TRY(compare_sections(run, "head"));
    CD_TRY(compare_all_frames(run));
    return CD_OK;
}

cd_status cd_diff_run(cd_ctx *ctx, const cd_diff_options *options)
{
    diff_run run = {.ctx = ctx};
    run.report.rules.absolute = options->absolute;
    run.report.rules.relative = options->relative;
    run.report.rules.shown = options->shown ? options->shown : INT64_MAX;
    CD_TRY(cd_diff_parse_ignored(&ctx->run, options->ignored, &run.report.rules, &ctx->diag));
    CD_TRY(cd_frame_range_parse(options->frames, &run.range, &ctx->diag));
    cd_status status = compare_streams(&run);
    cd_diag reason = ctx->diag;
    cd_status written = cd_write_text(ctx, run.report.lines.data, run.report.lines.size);
    if (status == CD_OK && written != CD_OK)
        status = written;
    else
        ctx->diag = reason;
    if (status == CD_OK && run.report.count > 0)
        status = cd_fail(&ctx->diag, CD_ERR_CHECK, "%" PRId64 " differences%s", run.report.count,
                         run.report.count > run.report.rules.shown ? " (--max shows more)" : "");
    side *sides[] = {&run.left, &run.right};
    for (int i = 0; i < 2; i++) {
        cd_reader_close(sides[i]->reader);
        cd_arena_release(&sides[i]->arena[0]);
        cd_arena_release(&sides[i]->arena[1]);
    }
    cd_arena_release(&run.scratch);
    cd_buffer_release(&run.report.lines);
    return status;
}
