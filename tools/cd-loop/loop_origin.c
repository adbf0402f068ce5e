// SPDX-License-Identifier: MIT
#include "loop_origin.h"

#include "cd_rows.h"
#include "loop_tools.h"

cd_status cd_loop_note_foreign(cd_loop_origin *origin, const cd_chunk *chunk, cd_diag *diag)
{
    for (int32_t i = 0; i < origin->foreign_count; i++)
        if (!strcmp(origin->foreign_name[i], chunk->name))
            return CD_OK;
    if (origin->foreign_count == CD_LOOP_FOREIGN_MOST)
        return cd_fail(diag, CD_ERR_LIMIT, "more than %d kinds of unknown tables in a frame", CD_LOOP_FOREIGN_MOST);
    memcpy(origin->foreign_name[origin->foreign_count++], chunk->name, sizeof chunk->name);
    return CD_OK;
}

cd_status cd_loop_decode(cd_reader *reader, const cd_chunk *chunk, cd_arena *arena, cd_rows **rows, cd_diag *diag)
{
    *rows = cd_rows_new(arena, chunk->type);
    return cd_reader_decode(reader, chunk, arena, *rows, diag);
}

void cd_loop_append(cd_arena *arena, cd_model *model, const cd_chunk *chunk, const cd_rows *rows)
{
    cd_rows_append(arena, &cd_records[chunk->type], model->dim, cd_model_rows(model, chunk->type), rows);
}

const cd_record_type cd_loop_sent[CD_LOOP_SENT] = {CD_REC_frame, CD_REC_body,    CD_REC_node,
                                                   CD_REC_trial, CD_REC_impulse, CD_REC_spring};

bool cd_loop_is_state(cd_record_type type)
{
    return type == CD_REC_body || type == CD_REC_node || type == CD_REC_spring;
}

bool cd_loop_is_compared(const cd_chunk *chunk)
{
    return chunk->type != CD_REC_UNKNOWN && chunk->type != CD_REC_prog && cd_records[chunk->type].is_head;
}

void cd_loop_append_lines(cd_reader *reader, const cd_chunk *chunk, const cd_rows *rows, cd_buffer *text)
{
    cd_json_encode(&cd_records[chunk->type], cd_reader_dim(reader), cd_reader_refs(reader), rows, 0, rows->count, text);
}

static void add_own_item(cd_arena *arena, cd_loop_origin *origin, cd_record_type type, const cd_rows *rows)
{
    cd_parcel_item item = {.chunk = {.type = type, .row_count = rows->count}, .rows = rows};
    cd_list_push(arena, &origin->head.list, item);
}

cd_status cd_loop_origin_add_head(cd_arena *arena, cd_loop_origin *origin, const cd_chunk *chunk, cd_rows *rows,
                                  const char *model)
{
    origin->schedules.dim = origin->frame.tables.dim = cd_reader_dim(origin->reader);
    if (chunk->type == CD_REC_head && model) {  // the head with the model of this run
        CD_COLUMN(arena, cd_reader_dim(origin->reader), head, (cd_head_rows *)rows, model)[0] = model;
        add_own_item(arena, origin, chunk->type, rows);
    } else {
        cd_parcel_add(arena, &origin->head, chunk, rows);
    }
    if (cd_loop_is_compared(chunk))
        cd_loop_append_lines(origin->reader, chunk, rows, &origin->head_text);
    if (chunk->type == CD_REC_head || chunk->type == CD_REC_load || chunk->type == CD_REC_drive)
        cd_loop_append(arena, &origin->schedules, chunk, rows);
    return CD_OK;
}

void cd_loop_origin_add_prog(cd_arena *arena, cd_loop_origin *origin, const cd_prog_rows *prog)
{
    if (prog->count == 0)
        return;
    add_own_item(arena, origin, CD_REC_prog, (const cd_rows *)prog);
    int32_t place = origin->head.list.count - 1;
    cd_parcel_item *items = origin->head.list.item, item = items[place];
    for (; place > 1; place--)
        items[place] = items[place - 1];
    items[place] = item;
}

// ---- a scene -------------------------------------------------------------------------------------------------------

static cd_status take_frame_chunk(cd_arena *arena, cd_loop_origin *origin, const cd_chunk *chunk, const cd_rows *rows,
                                  cd_diag *diag)
{
    if (chunk->type == CD_REC_UNKNOWN) {
        CD_TRY(cd_loop_note_foreign(origin, chunk, diag));
        cd_parcel_add(arena, &origin->frame.foreign, chunk, NULL);
    }
    cd_parcel_add(arena, &origin->first, chunk, rows);
    if (chunk->type == CD_REC_frame || cd_loop_is_state(chunk->type))
        cd_loop_append(arena, &origin->frame.tables, chunk, rows);
    return CD_OK;
}

static cd_status read_tables(cd_ctx *ctx, const char *model, cd_loop_origin *origin)
{
    cd_arena *arena = &ctx->run;
    cd_prog_rows prog = {0}, own;
    int64_t frames = 0;
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(origin->reader, &chunk, &ctx->diag)) == CD_OK) {
        cd_rows *rows = NULL;
        if (chunk.type == CD_REC_fend || chunk.type == CD_REC_end)
            continue;
        if (chunk.type == CD_REC_frame && frames++ > 0)
            return cd_fail(&ctx->diag, CD_ERR_FORMAT,
                           "%s: frame: the scene has more than one frame: choose one with cd-view --frames",
                           cd_reader_where(origin->reader));
        if (chunk.type == CD_REC_UNKNOWN)
            CD_TRY(cd_reader_check_lines(origin->reader, &chunk, arena, &ctx->diag));
        else
            CD_TRY(cd_loop_decode(origin->reader, &chunk, arena, &rows, &ctx->diag));
        if (frames > 0)
            CD_TRY(take_frame_chunk(arena, origin, &chunk, rows, &ctx->diag));
        else if (chunk.type == CD_REC_prog)
            cd_rows_append(arena, &cd_records[CD_REC_prog], 2, (cd_rows *)&prog, rows);
        else
            CD_TRY(cd_loop_origin_add_head(arena, origin, &chunk, rows, model));
    }
    if (status != CD_END)
        return status;
    if (frames == 0)
        return cd_fail(&ctx->diag, CD_ERR_FORMAT, "%s: no frame: a loop starts from one",
                       cd_reader_where(origin->reader));
    if (!ctx->no_prog) {
        CD_TRY(cd_make_prog(ctx, arena, &prog, &own));
        cd_rows_append(arena, &cd_records[CD_REC_prog], 2, (cd_rows *)&prog, (cd_rows *)&own);
    }
    cd_prog_rows *kept = (cd_prog_rows *)cd_rows_new(arena, CD_REC_prog);
    *kept = prog;
    cd_loop_origin_add_prog(arena, origin, kept);
    origin->first_index = origin->frame.tables.frame.index[0];
    return cd_run_clock_start(&origin->frame.tables.frame, &origin->clock, &ctx->diag);
}

cd_status cd_loop_origin_of_scene(cd_ctx *ctx, const cd_loop_options *options, cd_loop_origin *origin)
{
    const char *scene = options->scene;
    if (!cd_loop_is_yaml(scene)) {
        CD_TRY(cd_reader_open(scene, &ctx->limits, &origin->reader, &ctx->diag));
        return read_tables(ctx, options->model, origin);
    }
    pid_t child;
    int from;
    CD_TRY(cd_loop_scene_start(scene, ctx->quiet, &child, &from, &ctx->diag));
    cd_status status = cd_reader_open_fd(from, scene, &ctx->limits, &origin->reader, &ctx->diag);
    if (status == CD_OK)
        status = read_tables(ctx, options->model, origin);
    if (status != CD_OK) {  // whatever it still writes, nobody reads
        cd_reader_close(origin->reader);
        origin->reader = NULL;
    }
    return cd_loop_scene_end(scene, child, status, &ctx->diag);
}

void cd_loop_origin_release(cd_loop_origin *origin)
{
    cd_reader_close(origin->reader);
    origin->reader = NULL;
    cd_buffer_release(&origin->head_text);
}

// ---- writing -------------------------------------------------------------------------------------------------------

cd_status cd_loop_write_head(const cd_loop_origin *origin, cd_writer *writer, cd_diag *diag)
{
    for (int32_t i = 0; i < origin->head.list.count; i++) {
        const cd_parcel_item *item = &origin->head.list.item[i];
        bool is_own = item->rows && !item->chunk.stored && !item->chunk.lines;
        if (is_own)
            CD_TRY(cd_writer_rows(writer, item->chunk.type, origin->frame.tables.dim, cd_reader_refs(origin->reader),
                                  item->rows, diag));
        else
            CD_TRY(cd_writer_pass(writer, origin->reader, &item->chunk, item->rows, diag));
    }
    return CD_OK;
}

cd_status cd_loop_write_frame(const cd_loop_origin *origin, const cd_loop_frame *frame, cd_writer *writer,
                              cd_diag *diag)
{
    const cd_model *tables = &frame->tables;
    cd_refs *refs = cd_reader_refs(origin->reader);
    cd_refs_open_frame(refs);
    CD_TRY(cd_refs_add_table(refs, CD_REC_body, (const cd_rows *)&tables->body, diag));
    CD_TRY(cd_refs_add_table(refs, CD_REC_node, (const cd_rows *)&tables->node, diag));
    for (int k = 0; k < CD_LOOP_SENT; k++) {
        const cd_rows *rows = cd_model_rows((cd_model *)tables, cd_loop_sent[k]);
        CD_TRY(cd_writer_rows(writer, cd_loop_sent[k], tables->dim, refs, rows, diag));
    }
    CD_TRY(cd_parcel_pass(&frame->foreign, writer, origin->reader, diag));
    return cd_writer_frame_end(writer, diag);
}
