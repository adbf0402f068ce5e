// SPDX-License-Identifier: MIT
#include "scene_stream.h"

// Rows that are made and written at a time. The writer cuts them into blocks of about 1 MiB: this number leaves it no
// rest of a few rows, in 2-D and in 3-D.
enum { PART_ROWS = 65520 };

static cd_status write_table(cd_ctx *ctx, cd_model *model, cd_record_type type, cd_refs *refs)
{
    cd_rows *rows = cd_model_rows(model, type);
    CD_TRY(cd_refs_add_table(refs, type, rows, &ctx->diag));
    return cd_writer_rows(ctx->writer, type, model->dim, refs, rows, &ctx->diag);
}

// ---- a feed --------------------------------------------------------------------------------------------------------

// The columns of one part; their `count` is that of the part.
typedef struct parts {
    cd_body_rows body;
    cd_bounds_rows bounds;
} parts;

static parts parts_make(cd_ctx *ctx, int dim, int32_t rows)
{
    parts p = {.body = {.count = rows}, .bounds = {.count = rows}};
    CD_COLUMN(&ctx->run, dim, body, &p.body, id);
    CD_COLUMN(&ctx->run, dim, bounds, &p.bounds, a);
    CD_COLUMN(&ctx->run, dim, bounds, &p.bounds, min);
    CD_COLUMN(&ctx->run, dim, bounds, &p.bounds, max);
    return p;
}

static int32_t part_rows(const cd_scene_feed *feed, int32_t first)
{
    return feed->count - first < PART_ROWS ? feed->count - first : PART_ROWS;
}

// Only JSON-lines need the ids, in `refs`, that the rows refer to.
static cd_status write_feed_frame(cd_ctx *ctx, int dim, const cd_scene_feed *feed, int64_t frame, parts *p,
                                  cd_refs *refs)
{
    bool is_json = cd_writer_encoding(ctx->writer) == CD_ENCODING_JSON;
    for (int32_t first = 0; first < feed->count; first += part_rows(feed, first)) {
        p->body.count = part_rows(feed, first);
        feed->fill(feed->source, frame, first, p->body.count, p->body.id, NULL, NULL);
        if (is_json)
            CD_TRY(cd_refs_add_ids(refs, CD_REC_body, p->body.id, p->body.count, &ctx->diag));
        CD_TRY(cd_writer_rows(ctx->writer, CD_REC_body, dim, refs, (cd_rows *)&p->body, &ctx->diag));
    }
    for (int32_t first = 0; first < feed->count; first += part_rows(feed, first)) {
        p->bounds.count = part_rows(feed, first);
        for (int32_t i = 0; i < p->bounds.count; i++) {
            p->bounds.a[2 * i] = first + i;
            p->bounds.a[2 * i + 1] = 0;
        }
        feed->fill(feed->source, frame, first, p->bounds.count, NULL, p->bounds.min, p->bounds.max);
        CD_TRY(cd_writer_rows(ctx->writer, CD_REC_bounds, dim, refs, (cd_rows *)&p->bounds, &ctx->diag));
    }
    return CD_OK;
}

static cd_status write_feed(cd_ctx *ctx, cd_model *model, const cd_scene_feed *feed, cd_refs *refs)
{
    parts p = parts_make(ctx, model->dim, part_rows(feed, 0));
    for (int64_t frame = 0; frame < feed->frames; frame++) {
        cd_refs_open_frame(refs);
        model->frame.index[0] = frame;
        model->frame.time[0] = frame ? (double)frame * feed->step : 0;
        CD_TRY(write_table(ctx, model, CD_REC_frame, refs));
        CD_TRY(write_feed_frame(ctx, model->dim, feed, frame, &p, refs));
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
