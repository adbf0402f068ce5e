// SPDX-License-Identifier: MIT
#include "merge_run.h"

#include "cd_parcel.h"
#include "cd_rows.h"
#include "merge_table.h"

#include <inttypes.h>

// ---- heads ---------------------------------------------------------------------------------------------------------

// A fingerprint of the head: of each table's rows, as they print.
typedef struct head_print {
    uint64_t of[CD_REC_COUNT];
    cd_refs refs;
} head_print;

static void take_print(const cd_merge *m, const cd_merge_source *s, const cd_rows *rows, uint64_t *print)
{
    const cd_record *record = &cd_records[s->chunk.type];
    cd_buffer text = {0};
    cd_json_encode(record, m->dim, cd_reader_refs(s->reader), rows, 0, rows->count, &text);
    for (size_t i = 0; i < text.size; i++)
        *print = (*print ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001b3);
    cd_buffer_release(&text);
}

// Up to the first frame or the end. The lead's head goes to the writer, with the own record behind its provenance.
static cd_status read_head(cd_merge *m, cd_merge_source *s, uint64_t *print)
{
    cd_ctx *ctx = m->ctx;
    cd_prog_rows progs = {0};
    bool prog_is_written = !s->is_lead;
    for (;;) {
        CD_TRY(cd_merge_next_chunk(ctx, s));
        cd_record_type type = s->chunk.type;
        if (!prog_is_written && type != CD_REC_head && type != CD_REC_prog) {
            CD_TRY(cd_write_own_prog(ctx, ctx->writer, &progs));
            prog_is_written = true;
        }
        if (type == CD_REC_frame || type == CD_REC_end)
            return CD_OK;
        cd_arena *arena = s->is_lead ? &ctx->run : &s->arena;
        cd_rows *rows = cd_rows_new(arena, type);
        CD_TRY(cd_reader_decode(s->reader, &s->chunk, arena, rows, &ctx->diag));
        m->dim = s->is_lead ? cd_reader_dim(s->reader) : m->dim;
        if (cd_reader_dim(s->reader) != m->dim)
            return cd_merge_fail(ctx, s, "head: dim differs from that of %s", m->source[0].name);
        if (type != CD_REC_prog)
            take_print(m, s, rows, &print[type]);
        if (!s->is_lead)
            continue;
        if (type == CD_REC_prog)
            cd_rows_append(&ctx->run, &cd_records[type], m->dim, (cd_rows *)&progs, rows);
        CD_TRY(cd_refs_add_table(&m->refs, type, rows, &ctx->diag));
        CD_TRY(cd_writer_pass(ctx->writer, s->reader, &s->chunk, rows, &ctx->diag));
    }
}

static cd_status read_heads(cd_merge *m)
{
    uint64_t print[2][CD_REC_COUNT] = {{0}, {0}};
    for (int32_t i = 0; i < m->count; i++) {
        memset(print[i > 0], 0, sizeof print[0]);
        CD_TRY(read_head(m, &m->source[i], print[i > 0]));
        for (int type = 0; i > 0 && type < CD_REC_COUNT; type++)
            if (print[0][type] != print[1][type])
                return cd_merge_fail(m->ctx, &m->source[i],
                                     "%s: differs from that of %s: not a shard of the same stream",
                                     cd_records[type].name, m->source[0].name);
    }
    return CD_OK;
}

// ---- frames --------------------------------------------------------------------------------------------------------

// All stand at a frame, the same one, or all at the end.
static cd_status open_frame(cd_merge *m)
{
    cd_ctx *ctx = m->ctx;
    uint64_t print[2] = {0, 0};
    for (int32_t i = 0; i < m->count; i++) {
        cd_merge_source *s = &m->source[i];
        if (s->chunk.type != CD_REC_frame)
            return cd_merge_fail(ctx, s, "ends before %s does", m->source[0].name);
        CD_TRY(cd_merge_load(ctx, s));
        print[i > 0] = 0;
        take_print(m, s, &s->table.rows, &print[i > 0]);
        if (i > 0 && print[0] != print[1])
            return cd_merge_fail(ctx, s, "frame %" PRId64 ": differs from frame %" PRId64 " of %s",
                                 ((cd_frame_rows *)&s->table)->index[0], ctx->in.frame.index[0], m->source[0].name);
        if (i == 0) {
            cd_arena_reset(&s->frame);
            s->kept = (cd_parcel){0};
            ctx->in.frame = (cd_frame_rows){.count = 1, .index = CD_ARENA_ARRAY(&s->frame, int64_t, 1)};
            ctx->in.frame.index[0] = ((cd_frame_rows *)&s->table)->index[0];
            CD_TRY(cd_writer_pass(ctx->writer, s->reader, &s->chunk, &s->table.rows, &ctx->diag));
        }
        s->in_frame = true;
        s->index = -1;
        s->bodies = 0;
    }
    cd_refs_open_frame(&m->refs);
    m->bodies = m->seal = m->contacts = 0;
    m->body = -1;
    for (int32_t i = 0; i < m->count; i++)
        CD_TRY(cd_merge_next_chunk(ctx, &m->source[i]));
    return CD_OK;
}

// The place of a source in the grid, which all have alike.
static cd_status take_shard(cd_merge *m, cd_merge_source *s, int64_t *bodies, int64_t *seal)
{
    cd_ctx *ctx = m->ctx;
    cd_diag *diag = &ctx->diag;
    cd_shard_rows none = {.count = 0};
    bool is_there = s->chunk.type == CD_REC_shard;
    if (is_there)
        CD_TRY(cd_merge_load(ctx, s));
    const cd_shard_rows *row = is_there ? (const cd_shard_rows *)&s->table : &none;
    cd_status status = cd_shard_grid_read(row, m->dim, &s->grid, diag);
    if (status != CD_OK)
        return cd_fail_at(diag, status, "%s", s->name);
    s->index = (int32_t)row->index[0];
    if (s->is_lead) {
        *bodies = row->bodies[0];
        *seal = row->seal[0];
        m->source_of = CD_ARENA_ARRAY(&s->frame, int32_t, cd_shard_grid_cells(&s->grid));
        m->has_body = CD_ARENA_ZARRAY(&s->frame, uint8_t, cd_shard_grid_cells(&s->grid));
        memset(m->source_of, 0xff, (size_t)cd_shard_grid_cells(&s->grid) * sizeof *m->source_of);  // -1
    } else if (memcmp(&s->grid, &m->source[0].grid, sizeof s->grid) || row->bodies[0] != *bodies ||
               row->seal[0] != *seal)
        return cd_merge_fail(ctx, s, "shard: of another grid or other bodies than %s", m->source[0].name);
    if (m->source_of[s->index] >= 0)
        return cd_fail(diag, CD_ERR_FORMAT, "shard %d is there twice: %s and %s", (int)s->index,
                       m->source[m->source_of[s->index]].name, s->name);
    m->source_of[s->index] = (int32_t)(s - m->source);
    return cd_merge_next_chunk(ctx, s);
}

static cd_status take_shards(cd_merge *m)
{
    int64_t bodies = 0, seal = 0;
    cd_diag *diag = &m->ctx->diag;
    for (int32_t i = 0; i < m->count; i++)
        CD_TRY(take_shard(m, &m->source[i], &bodies, &seal));
    int32_t cells = cd_shard_grid_cells(&m->source[0].grid);
    for (int32_t i = 0; i < cells; i++)
        if (m->source_of[i] < 0)
            return cd_fail(diag, CD_ERR_FORMAT, "shard %d of %d is missing", (int)i, (int)cells);
    if (m->bodies != bodies)
        return cd_fail(diag, CD_ERR_FORMAT, "the shards have %" PRId64 " of %" PRId64 " bodies", m->bodies, bodies);
    if (m->seal != seal)
        return cd_fail(diag, CD_ERR_FORMAT,
                       "the bodies are not those that the stream was split with: the seal differs");
    return CD_OK;
}

// What the lead has that goes on as it is.
static cd_status pass_kept(cd_merge *m)
{
    cd_merge_source *lead = &m->source[0];
    CD_TRY(cd_parcel_pass(&lead->kept, m->ctx->writer, lead->reader, &m->ctx->diag));
    lead->kept = (cd_parcel){0};
    return CD_OK;
}

static cd_status close_frame(cd_merge *m)
{
    cd_ctx *ctx = m->ctx;
    CD_TRY(pass_kept(m));
    for (int32_t i = 0; i < m->count; i++)
        if (m->source[i].chunk.type != CD_REC_fend)
            return cd_fail(&ctx->diag, CD_ERR_UNSUPPORTED,
                           "%s: %s: a table of one shard alone, or out of order; stages behind contacts work on the "
                           "merged stream",
                           m->source[i].name, cd_records[m->source[i].chunk.type].name);
    CD_TRY(cd_writer_frame_end(ctx->writer, &ctx->diag));
    cd_progress(ctx, "frame %" PRId64, ctx->in.frame.index[0]);
    for (int32_t i = 0; i < m->count; i++)
        CD_TRY(cd_merge_next_chunk(ctx, &m->source[i]));
    return CD_OK;
}

static cd_status merge_frame(cd_merge *m)
{
    CD_TRY(cd_merge_table(m, CD_REC_body));
    CD_TRY(take_shards(m));
    CD_TRY(pass_kept(m));
    CD_TRY(cd_merge_table(m, CD_REC_bounds));
    CD_TRY(cd_merge_check_halo(m));
    CD_TRY(cd_merge_table(m, CD_REC_pair));
    CD_TRY(cd_merge_table(m, CD_REC_contact));
    return close_frame(m);
}

// ---- the run -------------------------------------------------------------------------------------------------------

static cd_status open_sources(cd_merge *m)
{
    cd_ctx *ctx = m->ctx;
    m->count = ctx->operand_count > 0 ? ctx->operand_count : 1;
    m->source = CD_ARENA_ZARRAY(&ctx->run, cd_merge_source, m->count);
    m->heap = CD_ARENA_ARRAY(&ctx->run, int32_t, m->count);
    m->alike = CD_ARENA_ARRAY(&ctx->run, int32_t, m->count);
    m->batch.source = CD_ARENA_ARRAY(&ctx->run, int32_t, CD_MERGE_BATCH);
    m->batch.row = CD_ARENA_ARRAY(&ctx->run, int32_t, CD_MERGE_BATCH);
    for (int32_t i = 0; i < m->count; i++) {
        m->source[i].is_lead = i == 0;
        m->source[i].name = i < ctx->operand_count ? ctx->operand[i] : "stdin";
        CD_TRY(cd_open_reader(ctx, i, &m->source[i].reader));
        cd_reader_count_ids(m->source[i].reader, CD_REC_body);  // that they ascend is looked after here
    }
    return cd_open_writer(ctx, cd_reader_encoding(m->source[0].reader), &ctx->writer);
}

static cd_status merge(cd_merge *m)
{
    cd_ctx *ctx = m->ctx;
    CD_TRY(open_sources(m));
    ctx->refs = &m->refs;
    CD_TRY(read_heads(m));
    while (m->source[0].chunk.type == CD_REC_frame) {
        CD_TRY(open_frame(m));
        cd_status status = merge_frame(m);
        if (status != CD_OK)
            return status == CD_ERR_IO ? status : cd_fail_in_frame(&ctx->diag, status, &ctx->in.frame);
    }
    for (int32_t i = 0; i < m->count; i++) {
        cd_merge_source *s = &m->source[i];
        if (s->chunk.type != CD_REC_end)
            return cd_merge_fail(ctx, s, "goes on where %s ends", m->source[0].name);
        cd_status status = cd_merge_next_chunk(ctx, s);
        if (status != CD_END)
            return status == CD_OK ? CD_ERR_FORMAT : status;
    }
    return cd_writer_end(ctx->writer, &ctx->diag);
}

cd_status cd_merge_run(cd_ctx *ctx)
{
    cd_merge m = {.ctx = ctx, .body = -1};
    cd_status status = merge(&m);
    for (int32_t i = 0; i < m.count; i++) {
        cd_reader_close(m.source[i].reader);
        cd_arena_release(&m.source[i].arena);
        cd_arena_release(&m.source[i].frame);
        cd_free(m.source[i].place);
    }
    cd_refs_release(&m.refs);
    ctx->refs = NULL;
    return status;
}
