// SPDX-License-Identifier: MIT
#include "scene_stream.h"

#include "cd_rows.h"

static cd_status write_table(cd_ctx *ctx, cd_model *model, cd_record_type type, cd_refs *refs)
{
    cd_rows *rows = cd_model_rows(model, type);
    CD_TRY(cd_refs_add_table(refs, type, rows, &ctx->diag));
    return cd_writer_rows(ctx->writer, type, model->dim, refs, rows, &ctx->diag);
}

// ---- a feed --------------------------------------------------------------------------------------------------------

// The columns of one part, which is a block of the stream; `count` is that of the part.
typedef struct parts {
    int32_t bodies, bounds;  // rows of a part
    cd_body_rows body;
    cd_bounds_rows bound;
} parts;

// Rows of a block of a table that has these columns, or all where there are fewer.
static int32_t block_rows(const cd_scene_feed *feed, cd_record_type type, int dim, const cd_rows *rows)
{
    int32_t most = cd_writer_block_rows(type, dim, rows);
    return feed->count < most ? feed->count : most;
}

static parts parts_make(cd_ctx *ctx, const cd_model *model, const cd_scene_feed *feed)
{
    cd_arena *arena = &ctx->run;
    int dim = model->dim;
    parts p = {.body = model->body};
    int64_t first_id = 1;
    if (feed->has_bounds)
        p.body = (cd_body_rows){.count = 1, .id = &first_id};
    p.bodies = block_rows(feed, CD_REC_body, dim, (cd_rows *)&p.body);
    const int32_t *alike = CD_ARENA_ZARRAY(arena, int32_t, p.bodies);
    cd_body_rows like = p.body;
    cd_rows_select(arena, &cd_records[CD_REC_body], dim, (cd_rows *)&p.body, (cd_rows *)&like, alike, p.bodies);
    if (!feed->has_bounds)
        return p;
    double corner[3] = {0};
    int32_t site[2] = {0};
    cd_bounds_rows one = {.count = 1, .a = site, .min = corner, .max = corner};
    p.bound.count = p.bounds = block_rows(feed, CD_REC_bounds, dim, (cd_rows *)&one);
    CD_COLUMN(arena, dim, bounds, &p.bound, a);
    CD_COLUMN(arena, dim, bounds, &p.bound, min);
    CD_COLUMN(arena, dim, bounds, &p.bound, max);
    return p;
}

static int32_t part_rows(const cd_scene_feed *feed, int32_t first, int32_t most)
{
    return feed->count - first < most ? feed->count - first : most;
}

// Only JSON-lines need the ids, in `refs`, that the rows refer to.
static cd_status write_feed_bodies(cd_ctx *ctx, int dim, const cd_scene_feed *feed, int64_t frame, parts *p,
                                   cd_refs *refs)
{
    bool is_json = cd_writer_encoding(ctx->writer) == CD_ENCODING_JSON;
    cd_rows *rows = (cd_rows *)&p->body;
    for (int32_t first = 0; first < feed->count; first += p->body.count) {
        p->body.count = part_rows(feed, first, p->bodies);
        for (int32_t i = 0; i < p->body.count; i++)
            p->body.id[i] = (int64_t)first + i + 1;
        if (!feed->has_bounds)
            feed->fill(feed->source, frame, first, rows);
        if (is_json)
            CD_TRY(cd_refs_add_ids(refs, CD_REC_body, p->body.id, p->body.count, &ctx->diag));
        CD_TRY(cd_writer_rows(ctx->writer, CD_REC_body, dim, refs, rows, &ctx->diag));
    }
    return CD_OK;
}

static cd_status write_feed_bounds(cd_ctx *ctx, int dim, const cd_scene_feed *feed, int64_t frame, parts *p,
                                   const cd_refs *refs)
{
    cd_rows *rows = (cd_rows *)&p->bound;
    for (int32_t first = 0; first < feed->count; first += p->bound.count) {
        p->bound.count = part_rows(feed, first, p->bounds);
        for (int32_t i = 0; i < p->bound.count; i++) {
            p->bound.a[2 * i] = first + i;
            p->bound.a[2 * i + 1] = 0;
        }
        feed->fill(feed->source, frame, first, rows);
        CD_TRY(cd_writer_rows(ctx->writer, CD_REC_bounds, dim, refs, rows, &ctx->diag));
    }
    return CD_OK;
}

static cd_status write_feed(cd_ctx *ctx, cd_model *model, const cd_scene_feed *feed, cd_refs *refs)
{
    parts p = parts_make(ctx, model, feed);
    for (int64_t frame = 0; frame < feed->frames; frame++) {
        cd_refs_open_frame(refs);
        model->frame.index[0] = frame;
        model->frame.time[0] = frame ? (double)frame * feed->step : 0;
        CD_TRY(write_table(ctx, model, CD_REC_frame, refs));
        CD_TRY(write_feed_bodies(ctx, model->dim, feed, frame, &p, refs));
        if (feed->has_bounds)
            CD_TRY(write_feed_bounds(ctx, model->dim, feed, frame, &p, refs));
        CD_TRY(cd_writer_frame_end(ctx->writer, &ctx->diag));
    }
    return CD_OK;
}

// ---- the stream ----------------------------------------------------------------------------------------------------

static cd_status write_tables(cd_ctx *ctx, cd_model *model, const cd_scene_feed *feed, cd_refs *refs)
{
    static const cd_record_type head[] = {CD_REC_head,        CD_REC_prog,    CD_REC_shape, CD_REC_material,
                                          CD_REC_interaction, CD_REC_element, CD_REC_load,  CD_REC_drive};
    for (size_t i = 0; i < sizeof head / sizeof head[0]; i++)
        CD_TRY(write_table(ctx, model, head[i], refs));
    if (feed->frames) {
        CD_TRY(write_feed(ctx, model, feed, refs));
    } else {
        CD_TRY(write_table(ctx, model, CD_REC_frame, refs));
        CD_TRY(write_table(ctx, model, CD_REC_body, refs));
        CD_TRY(write_table(ctx, model, CD_REC_node, refs));
        CD_TRY(cd_writer_frame_end(ctx->writer, &ctx->diag));
    }
    return cd_writer_end(ctx->writer, &ctx->diag);
}

cd_status cd_scene_write_stream(cd_ctx *ctx, cd_model *model, const cd_scene_feed *feed)
{
    cd_refs refs = {0};
    cd_status status = write_tables(ctx, model, feed, &refs);
    cd_refs_release(&refs);
    return status;
}
