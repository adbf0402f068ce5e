// SPDX-License-Identifier: MIT
#include "plot_page.h"

#include "cd_output.h"
#include "cd_tables.h"

#include <inttypes.h>
#include <math.h>

// The page's own files, as they stand in the tree: the Makefile makes string literals of them.
static const char page_markup[] =
#include "page.html.inc"
    ;
static const char page_style[] =
#include "page.css.inc"
    ;
static const char *const page_script[] = {
#include "page_stream.js.inc"
    ,
#include "page_space.js.inc"
    ,
#include "page_canvas.js.inc"
    ,
#include "page_scene.js.inc"
    ,
#include "page_view.js.inc"
};

enum { USUAL_LEVEL = 4 };   // of zlib: half the time of the usual 6, a hundredth larger
#define LARGE_PAGE 200e6    // [bytes] a browser takes long to open it
#define WRITE_AT (1 << 20)  // [bytes] gathered before they are written

// A metric by frame of the stream; NaN: the frame has none.
typedef struct page_metric {
    const char *tool, *name;
    CD_LIST(double) value;
} page_metric;

typedef struct page {
    cd_ctx *ctx;
    const cd_plot_ask *ask;
    cd_output output;
    cd_buffer out;     // not yet written
    uint64_t written;  // [bytes]
    uint64_t tables;   // that the page shows
    cd_tables head, frame;
    bool is_open, is_wanted, has_head;
    cd_buffer payload, blocks;  // of one table, of one frame
    cd_buffer last;             // blocks of the frame read last, if it was not written: --frames last
    int64_t last_number;
    cd_arena arena;        // of the frame
    CD_LIST(double) time;  // [s] of each frame of the stream
    CD_LIST(int64_t) index;
    CD_LIST(int64_t) shown;  // numbers of the frames in the page, counted over the stream
    CD_LIST(page_metric) metric;
} page;

// ---- writing -------------------------------------------------------------------------------------------------------

static cd_status flush(page *p, size_t keep)
{
    if (p->out.size <= keep)
        return CD_OK;
    p->written += p->out.size;
    cd_status status =
        cd_output_write(p->output.fd, cd_output_name(&p->output), p->out.data, p->out.size, &p->ctx->diag);
    p->out.size = 0;
    return status;
}

// Text inside an element <script>: no "</script", no "<!--".
static void put_json_text(cd_buffer *out, const char *text)
{
    cd_buffer quoted = {0};
    cd_json_string(&quoted, text);
    for (size_t i = 0; i < quoted.size; i++)
        if (quoted.data[i] == '<')
            cd_buffer_text(out, "\\u003c");
        else
            cd_buffer_append(out, &quoted.data[i], 1);
    cd_buffer_release(&quoted);
}

static void put_html_text(cd_buffer *out, const char *text)
{
    for (const char *c = text; *c; c++)
        if (*c == '&' || *c == '<')
            cd_buffer_text(out, *c == '&' ? "&amp;" : "&lt;");
        else
            cd_buffer_append(out, c, 1);
}

static void put_number(cd_buffer *out, double value)
{
    char text[CD_NUMBER_MAX];
    if (isfinite(value))
        cd_buffer_append(out, text, (size_t)cd_number_print(value, text));
    else
        cd_buffer_text(out, "null");
}

static void put_table(page *p, cd_record_type type, const cd_rows *rows)
{
    if (rows->count == 0)
        return;
    p->payload.size = 0;
    cd_columns_encode(&cd_records[type], p->head.model.dim, rows, 0, rows->count, &p->payload);
    int level = p->ctx->level < 0 ? USUAL_LEVEL : p->ctx->level;
    const cd_block_label label = {.type = cd_records[type].name, .row_count = (uint32_t)rows->count};
    cd_block_write(label, p->payload.data, p->payload.size, level, &p->blocks);
}

static void put_blocks(page *p, const char *element, const cd_buffer *blocks)
{
    cd_buffer_text(&p->out, element);
    cd_plot_base64(blocks->data, blocks->size, &p->out);
    cd_buffer_text(&p->out, "</script>\n");
}

// ---- the head ------------------------------------------------------------------------------------------------------

uint64_t cd_plot_page_tables(const cd_plot_ask *ask)
{
    static const uint64_t tables[CD_PLOT_THINGS] = {
        [CD_PLOT_BOUNDS] = CD_BIT(bounds),
        [CD_PLOT_PAIRS] = CD_BIT(pair) | CD_BIT(bounds),
        [CD_PLOT_CONTACTS] = CD_BIT(contact),
        [CD_PLOT_NORMALS] = CD_BIT(contact),
        [CD_PLOT_TRIAL] = CD_BIT(trial),
        [CD_PLOT_NEXT] = CD_BIT(next) | CD_BIT(next_node),
        [CD_PLOT_INTERSECTIONS] = CD_BIT(contact),
        [CD_PLOT_SEPARATORS] = CD_BIT(contact),
        [CD_PLOT_FORCES] = CD_BIT(contact) | CD_BIT(force),
        [CD_PLOT_CONSTRAINTS] = CD_BIT(contact) | CD_BIT(constraint),
    };
    uint64_t all = CD_BIT(frame) | CD_BIT(body) | CD_BIT(node) | CD_BIT(metric) | CD_BIT(solution) | CD_BIT(verdict);
    for (int thing = 0; thing < CD_PLOT_THINGS; thing++)
        if ((!ask->show_is_whole && thing != CD_PLOT_TRIAL) || (ask->show_more >> thing & 1))
            all |= tables[thing];
    return cd_types_with_targets(all);
}

static void put_things(cd_buffer *out, const char *name, unsigned things)
{
    cd_buffer_printf(out, "\"%s\":[", name);
    for (int thing = 0, count = 0; thing < CD_PLOT_THINGS; thing++)
        if (things >> thing & 1)
            cd_buffer_printf(out, "%s\"%s\"", count++ ? "," : "", cd_plot_thing_name[thing]);
    cd_buffer_text(out, "]");
}

static void put_settings(page *p)
{
    const cd_plot_ask *ask = p->ask;
    const char *title = ask->options->title ? ask->options->title : cd_plot_stream_label(p->ctx, ask, 0);
    cd_buffer *out = &p->out;
    cd_buffer_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    put_html_text(out, title);
    cd_buffer_text(out, "</title>\n<style>\n");
    cd_buffer_text(out, page_style);
    cd_buffer_text(out, "</style>\n</head>\n");
    cd_buffer_text(out, page_markup);
    cd_buffer_text(out, "<script type=\"application/json\" id=\"settings\">{\"title\":");
    put_json_text(out, title);
    cd_buffer_printf(out, ",\"dim\":%d,\"color\":\"%s\",\"whole\":%s,", p->head.model.dim, ask->options->color,
                     ask->show_is_whole ? "true" : "false");
    put_things(out, "more", ask->show_more);
    cd_buffer_text(out, ",");
    put_things(out, "less", ask->show_less);
    cd_buffer_text(out, "}</script>\n");
}

// Head tables as they came, of shapes ids and kinds alone; then, with defaults, the shapes' forms.
static cd_status put_head(page *p)
{
    cd_ctx *ctx = p->ctx;
    put_settings(p);
    cd_model *head = &p->head.model;
    const cd_shape_rows all = head->shape;
    head->shape = (cd_shape_rows){.count = all.count, .id = all.id, .kind = all.kind};
    p->blocks.size = 0;
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (cd_records[type].is_head && type != CD_REC_end)
            put_table(p, (cd_record_type)type, cd_model_rows(head, (cd_record_type)type));
    put_blocks(p, "<script type=\"text/plain\" id=\"head\">", &p->blocks);
    head->shape = all;
    cd_model filled = *head;
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (cd_records[type].is_head)
            cd_rows_fill_defaults(&ctx->run, &cd_records[type], head->dim,
                                  cd_model_rows(&filled, (cd_record_type)type));
    cd_plot_shapes shapes;
    cd_status status = cd_plot_shapes_make(&ctx->run, &filled, cd_reader_refs(ctx->reader), &shapes, &ctx->diag);
    if (status != CD_OK)
        return cd_fail_at(&ctx->diag, status, "%s", cd_reader_where(ctx->reader));
    cd_buffer_text(&p->out, "<script type=\"application/json\" id=\"shapes\">");
    cd_plot_page_shapes(&shapes, filled.shape.count, &p->out);
    cd_buffer_text(&p->out, "</script>\n");
    return flush(p, 0);
}

// ---- frames --------------------------------------------------------------------------------------------------------

static page_metric *metric_of(page *p, const char *tool, const char *name)
{
    for (int32_t i = 0; i < p->metric.count; i++)
        if (!strcmp(p->metric.item[i].tool, tool) && !strcmp(p->metric.item[i].name, name))
            return &p->metric.item[i];
    page_metric *metric = cd_list_add(&p->ctx->run, &p->metric);
    *metric = (page_metric){.tool = cd_arena_text(&p->ctx->run, tool, strlen(tool)),
                            .name = cd_arena_text(&p->ctx->run, name, strlen(name))};
    return metric;
}

// Metrics of pairs of bodies are no series: they stand in the frame's records alone.
static void take_metrics(page *p)
{
    const cd_metric_rows *rows = &p->frame.model.metric;
    for (int32_t i = 0; i < rows->count; i++) {
        if (rows->a && rows->a[i] >= 0)
            continue;
        page_metric *metric = metric_of(p, rows->tool[i], rows->name[i]);
        while (metric->value.count < p->time.count)
            cd_list_push(&p->ctx->run, &metric->value, (double)NAN);
        metric->value.item[p->time.count - 1] = rows->value[i];
    }
}

static cd_status put_frame(page *p, const cd_buffer *blocks, int64_t number)
{
    cd_list_push(&p->ctx->run, &p->shown, number);
    put_blocks(p, "<script type=\"text/plain\" class=\"frame\">", blocks);
    return flush(p, WRITE_AT);
}

static cd_status end_frame(page *p)
{
    const cd_frame_rows *frame = &p->frame.model.frame;
    cd_list_push(&p->ctx->run, &p->time, frame->time[0]);
    cd_list_push(&p->ctx->run, &p->index, frame->index[0]);
    take_metrics(p);
    int64_t number = p->time.count - 1;
    p->last.size = 0;
    if (p->is_wanted || p->ask->last_frame) {
        p->blocks.size = 0;
        for (int type = 0; type < CD_REC_COUNT; type++)
            if (!cd_records[type].is_head && (p->tables >> type & 1))
                put_table(p, (cd_record_type)type, cd_model_rows(&p->frame.model, (cd_record_type)type));
        if (p->is_wanted) {
            CD_TRY(put_frame(p, &p->blocks, number));
        } else {
            cd_buffer_append(&p->last, p->blocks.data, p->blocks.size);
            p->last_number = number;
        }
    }
    cd_arena_reset(&p->arena);
    memset(&p->frame, 0, sizeof p->frame);
    cd_progress(p->ctx, "frame %d, %.0f MB", p->time.count, ((double)p->written + (double)p->out.size) / 1e6);
    return CD_OK;
}

// Of frames that are not in the page metrics are read, and what these refer to.
static bool is_read(const page *p, cd_record_type type)
{
    if (type == CD_REC_UNKNOWN || type == CD_REC_end || type == CD_REC_fend)
        return false;
    if (cd_records[type].is_head)
        return true;
    bool is_whole = p->is_wanted || p->ask->last_frame;
    return (is_whole ? p->tables : CD_BIT(frame) | CD_BIT(metric) | CD_BIT(body)) >> type & 1;
}

static cd_status take(page *p, const cd_chunk *chunk)
{
    cd_ctx *ctx = p->ctx;
    if (chunk->type == CD_REC_fend)
        return end_frame(p);
    if (!is_read(p, chunk->type))
        return CD_OK;
    bool is_head = cd_records[chunk->type].is_head;
    CD_TRY(cd_tables_take(is_head ? &ctx->run : &p->arena, ctx->reader, chunk, is_head ? &p->head : &p->frame,
                          &ctx->diag));
    p->frame.model.dim = p->head.model.dim = cd_reader_dim(ctx->reader);
    if (chunk->type != CD_REC_frame)
        return CD_OK;
    p->is_wanted = !p->ask->chooses_frames || cd_plot_ask_has_frame(p->ask, p->frame.model.frame.index[0]);
    if (p->has_head)
        return CD_OK;
    p->has_head = true;
    return put_head(p);
}

// ---- the end -------------------------------------------------------------------------------------------------------

static void put_series(page *p)
{
    cd_buffer *out = &p->out;
    cd_buffer_text(out, "<script type=\"application/json\" id=\"series\">{\"index\":[");
    for (int32_t i = 0; i < p->index.count; i++)
        cd_buffer_printf(out, "%s%" PRId64, i ? "," : "", p->index.item[i]);
    cd_buffer_text(out, "],\"time\":[");
    for (int32_t i = 0; i < p->time.count; i++) {
        cd_buffer_text(out, i ? "," : "");
        put_number(out, p->time.item[i]);
    }
    cd_buffer_text(out, "],\"shown\":[");
    for (int32_t i = 0; i < p->shown.count; i++)
        cd_buffer_printf(out, "%s%" PRId64, i ? "," : "", p->shown.item[i]);
    cd_buffer_text(out, "],\"metrics\":[");
    for (int32_t m = 0; m < p->metric.count; m++) {
        const page_metric *metric = &p->metric.item[m];
        cd_buffer_text(out, m ? ",\n{\"tool\":" : "\n{\"tool\":");
        put_json_text(out, metric->tool);
        cd_buffer_text(out, ",\"name\":");
        put_json_text(out, metric->name);
        cd_buffer_text(out, ",\"value\":[");
        for (int32_t i = 0; i < p->time.count; i++) {
            cd_buffer_text(out, i ? "," : "");
            put_number(out, i < metric->value.count ? metric->value.item[i] : NAN);
        }
        cd_buffer_text(out, "]}");
    }
    cd_buffer_text(out, "]}</script>\n");
}

static cd_status finish(page *p)
{
    cd_ctx *ctx = p->ctx;
    if (p->last.size && p->ask->last_frame)
        CD_TRY(put_frame(p, &p->last, p->last_number));
    if (p->shown.count == 0)
        return cd_fail(&ctx->diag, p->time.count ? CD_ERR_USAGE : CD_ERR_FORMAT, "%s: %s",
                       ctx->operand_count ? ctx->operand[0] : "stdin",
                       p->time.count ? "no frame of --frames is in the stream" : "there is no frame to draw");
    put_series(p);
    for (size_t i = 0; i < sizeof page_script / sizeof page_script[0]; i++) {
        cd_buffer_text(&p->out, "<script>\n");
        cd_buffer_text(&p->out, page_script[i]);
        cd_buffer_text(&p->out, "</script>\n");
    }
    cd_buffer_text(&p->out, "</body>\n</html>\n");
    CD_TRY(flush(p, 0));
    if ((double)p->written > LARGE_PAGE)
        cd_warn(ctx,
                "the page has %.0f MB for %d frames: fewer frames (--frames 0:%" PRId64
                ":10) or less in them (--show bodies) make it open sooner",
                (double)p->written / 1e6, p->shown.count, p->index.item[p->index.count - 1]);
    return cd_output_commit(&p->output, &ctx->diag);
}

static cd_status walk(page *p)
{
    cd_ctx *ctx = p->ctx;
    cd_chunk chunk;
    cd_status status;
    while ((status = cd_reader_next(ctx->reader, &chunk, &ctx->diag)) == CD_OK)
        CD_TRY(take(p, &chunk));
    return status == CD_END ? finish(p) : status;
}

cd_status cd_plot_page(cd_ctx *ctx, const cd_plot_ask *ask)
{
    page p = {.ctx = ctx, .ask = ask, .tables = cd_plot_page_tables(ask)};
    CD_TRY(cd_open_reader(ctx, 0, &ctx->reader));
    cd_status status = cd_output_open(&p.output, ctx->output_path, &ctx->diag);
    if (status == CD_OK) {
        status = walk(&p);
        cd_output_discard(&p.output);
    }
    cd_reader_close(ctx->reader);
    ctx->reader = NULL;
    cd_buffer_release(&p.out);
    cd_buffer_release(&p.payload);
    cd_buffer_release(&p.blocks);
    cd_buffer_release(&p.last);
    cd_arena_release(&p.arena);
    return status;
}
