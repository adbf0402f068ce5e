// SPDX-License-Identifier: MIT
#include "export_run.h"

#include "cd_tables.h"

#include <unistd.h>

typedef struct export_walk {
    cd_export e;
    cd_frame_range frames;
    bool chooses_frames;
    cd_tables head, frame;
    bool has_begun, is_wanted;
    bool has_last;  // the frame in memory is a candidate for the last one
} export_walk;

// ---- what is asked -------------------------------------------------------------------------------------------------

static cd_status take_type(export_walk *walk, const char *name, size_t length)
{
    cd_diag *diag = &walk->e.ctx->diag;
    cd_record_type type = cd_record_find(name, length);
    if (type == CD_REC_UNKNOWN) {
        const cd_record *near = cd_record_near(name, length);
        return near ? cd_fail(diag, CD_ERR_USAGE, "--type: %.*s: no record type; %s is one", (int)length, name,
                              near->name)
                    : cd_fail(diag, CD_ERR_USAGE, "--type: %.*s: no record type", (int)length, name);
    }
    if (!(walk->e.format->choice >> type & 1))
        return cd_fail(diag, CD_ERR_USAGE, "--type: %s: %s does not hold it", cd_records[type].name,
                       walk->e.format->name);
    if (walk->e.types >> type & 1)
        return cd_fail(diag, CD_ERR_USAGE, "--type: %s: it is there twice", cd_records[type].name);
    walk->e.types |= UINT64_C(1) << type;
    return CD_OK;
}

static cd_status take_types(export_walk *walk, const char *list)
{
    const cd_export_format *format = walk->e.format;
    cd_diag *diag = &walk->e.ctx->diag;
    if (!list && !format->usual && format->choice)
        return cd_fail(diag, CD_ERR_USAGE, "--type: required of --to %s: the tables to write", format->name);
    if (list && !format->choice)
        return cd_fail(diag, CD_ERR_USAGE, "--type: there is no choice in --to %s", format->name);
    walk->e.types = list ? 0 : format->usual;
    for (const char *at = list; at;) {
        size_t length = strcspn(at, ",");
        CD_TRY(take_type(walk, at, length));
        at = at[length] ? at + length + 1 : NULL;
    }
    return CD_OK;
}

static cd_status take_options(export_walk *walk, const cd_export_options *options)
{
    cd_ctx *ctx = walk->e.ctx;
    if (!options->to)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "--to: required: the format");
    for (int i = 0; cd_export_names[i]; i++)
        if (!strcmp(cd_export_names[i], options->to))
            walk->e.format = cd_export_formats[i];
    const cd_export_format *format = walk->e.format;
    walk->e.segments = (int)options->segments;
    walk->chooses_frames = options->frames != NULL;
    CD_TRY(take_types(walk, options->types));
    CD_TRY(cd_frame_range_parse(!options->frames && format->holds_one_frame ? "last" : options->frames, &walk->frames,
                                &ctx->diag));
    bool is_stdout = !ctx->output_path || !strcmp(ctx->output_path, "-");
    if (format->is_binary && is_stdout && isatty(STDOUT_FILENO))
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "%s is not for a terminal: -o FILE, or a pipe", format->name);
    walk->e.tables = cd_types_with_targets(walk->e.types | format->needs | CD_BIT(head) | CD_BIT(frame));
    return CD_OK;
}

// ---- the walk ------------------------------------------------------------------------------------------------------

// With the first frame the head tables are complete.
static cd_status begin(export_walk *walk)
{
    cd_export *e = &walk->e;
    if (walk->has_begun)
        return CD_OK;
    walk->has_begun = true;
    e->in.dim = walk->head.model.dim = cd_reader_dim(e->ctx->reader);
    for (int type = 0; type < CD_REC_COUNT; type++) {
        cd_rows *rows = cd_model_rows(&walk->head.model, (cd_record_type)type);
        if (!cd_records[type].is_head)
            continue;
        if (e->format->has_defaults)
            cd_rows_fill_defaults(&e->ctx->run, &cd_records[type], e->in.dim, rows);
        memcpy(cd_model_rows(&e->in, (cd_record_type)type), rows, cd_records[type].size);
    }
    return e->format->begin(e);
}

static cd_status put_frame(export_walk *walk)
{
    cd_export *e = &walk->e;
    if (e->format->holds_one_frame && e->frame_count > 0)
        return cd_fail(&e->ctx->diag, CD_ERR_USAGE, "--frames: more than one frame is chosen, and %s holds one",
                       e->format->name);
    for (int type = 0; type < CD_REC_COUNT; type++) {
        cd_rows *rows = cd_model_rows(&walk->frame.model, (cd_record_type)type);
        if (cd_records[type].is_head)
            continue;
        if (e->format->has_defaults)
            cd_rows_fill_defaults(&e->ctx->arena, &cd_records[type], e->in.dim, rows);
        memcpy(cd_model_rows(&e->in, (cd_record_type)type), rows, cd_records[type].size);
    }
    cd_status status = e->format->frame(e);
    if (status != CD_OK)
        return cd_fail_in_frame(&e->ctx->diag, status, &e->in.frame);
    e->frame_count++;
    cd_progress(e->ctx, "frame %lld", (long long)e->frame_count);
    return CD_OK;
}

static cd_status take(export_walk *walk, const cd_chunk *chunk)
{
    cd_ctx *ctx = walk->e.ctx;
    if (chunk->type == CD_REC_fend) {
        walk->has_last = walk->is_wanted;
        return walk->is_wanted && !walk->frames.only_last ? put_frame(walk) : CD_OK;
    }
    if (chunk->type == CD_REC_frame) {
        CD_TRY(begin(walk));
        cd_arena_reset(&ctx->arena);
        memset(&walk->frame, 0, sizeof walk->frame);
        walk->frame.model.dim = walk->e.in.dim;
    }
    if (chunk->type == CD_REC_UNKNOWN || chunk->type == CD_REC_end || !(walk->e.tables >> chunk->type & 1))
        return CD_OK;
    bool is_head = cd_records[chunk->type].is_head;
    if (!is_head && chunk->type != CD_REC_frame && !walk->is_wanted)
        return CD_OK;
    CD_TRY(cd_tables_take(is_head ? &ctx->run : &ctx->arena, ctx->reader, chunk, is_head ? &walk->head : &walk->frame,
                          &ctx->diag));
    if (chunk->type == CD_REC_frame)
        walk->is_wanted = cd_frame_range_has(&walk->frames, walk->frame.model.frame.index[0]);
    return CD_OK;
}

static cd_status walk_stream(export_walk *walk)
{
    cd_export *e = &walk->e;
    cd_ctx *ctx = e->ctx;
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK)
        CD_TRY(take(walk, &chunk));
    if (status != CD_END)
        return status;
    CD_TRY(begin(walk));
    if (walk->frames.only_last && walk->has_last)
        CD_TRY(put_frame(walk));
    if (e->frame_count == 0 && (walk->chooses_frames || e->format->needs_frame))
        return cd_fail(&ctx->diag, walk->chooses_frames ? CD_ERR_USAGE : CD_ERR_FORMAT, "%s: %s",
                       ctx->operand_count ? ctx->operand[0] : "stdin",
                       walk->chooses_frames ? "no frame of --frames is in the stream" : "there is no frame to write");
    return e->format->finish(e);
}

cd_status cd_export_run(cd_ctx *ctx, const cd_export_options *options)
{
    export_walk walk = {.e = {.ctx = ctx}};
    CD_TRY(take_options(&walk, options));
    CD_TRY(cd_open_reader(ctx, 0, &ctx->reader));
    cd_reader_choose(ctx->reader, &walk.frames);
    walk.e.refs = cd_reader_refs(ctx->reader);
    cd_status status = walk_stream(&walk);
    if (walk.e.state)
        walk.e.format->close(&walk.e);
    cd_reader_close(ctx->reader);
    ctx->reader = NULL;
    return status;
}

void cd_export_help(cd_buffer *out)
{
    cd_buffer_text(out, "Formats:\n");
    for (int i = 0; cd_export_formats[i]; i++)
        cd_buffer_printf(out, "  %-6s %s\n", cd_export_formats[i]->name, cd_export_formats[i]->about);
}
