// SPDX-License-Identifier: MIT
#include "merge_source.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

cd_status cd_merge_fail(cd_ctx *ctx, const cd_merge_source *source, const char *format, ...)
{
    char text[400];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return cd_fail(&ctx->diag, CD_ERR_FORMAT, "%s: %s", source->name, text);
}

// A table of the lead that goes on as it is, but not between blocks of a table that is being merged.
static cd_status keep(cd_ctx *ctx, cd_merge_source *source)
{
    const cd_chunk *chunk = &source->chunk;
    cd_rows *rows = NULL;
    if (chunk->type != CD_REC_UNKNOWN && chunk->encoding != cd_writer_encoding(ctx->writer)) {
        rows = cd_rows_new(&source->frame, chunk->type);
        CD_TRY(cd_reader_decode(source->reader, chunk, &source->frame, rows, &ctx->diag));
    }
    cd_parcel_add(&source->frame, &source->kept, chunk, rows);
    return CD_OK;
}

// Tables that are no matter of merging; metrics tell of a shard alone.
static cd_status pass_over(cd_ctx *ctx, cd_merge_source *source)
{
    const cd_chunk *chunk = &source->chunk;
    uint32_t text = CD_BLOCK_PRIVATE | CD_BLOCK_SAFE_TO_COPY;
    bool is_foreign = chunk->type == CD_REC_UNKNOWN;
    if (is_foreign && chunk->encoding == CD_ENCODING_BINARY && (chunk->header.flags & text) != text)
        return cd_fail(&ctx->diag, CD_ERR_UNSUPPORTED, "%s: %s: a table of unknown type may refer to rows of others",
                       source->name, chunk->name);
    CD_TRY(cd_reader_check_lines(source->reader, chunk, &source->arena, &ctx->diag));
    if (!source->is_lead || chunk->type == CD_REC_metric)
        return CD_OK;
    return source->in_frame ? keep(ctx, source) : cd_writer_pass(ctx->writer, source->reader, chunk, NULL, &ctx->diag);
}

cd_status cd_merge_next_chunk(cd_ctx *ctx, cd_merge_source *source)
{
    for (;;) {
        cd_arena_reset(&source->arena);
        CD_TRY(cd_reader_next(source->reader, &source->chunk, &ctx->diag));
        cd_record_type type = source->chunk.type;
        if (type != CD_REC_UNKNOWN && type != CD_REC_node && type != CD_REC_metric)
            return CD_OK;
        CD_TRY(pass_over(ctx, source));
    }
}

static uint64_t site_of(const cd_merge_source *source, const int32_t *sites)
{
    const int32_t *site = sites + 2 * (size_t)source->row;
    return (uint64_t)(uint32_t)cd_merge_place(source, site[0]) << 32 | (uint32_t)site[1];
}

// By id, by site, by both sites: the canonical order of each table.
static void take_key(cd_merge_source *source)
{
    source->key[1] = 0;
    switch ((int)source->chunk.type) {
    case CD_REC_body:
        source->key[0] = (uint64_t)((const cd_body_rows *)&source->table)->id[source->row] ^ UINT64_C(1) << 63;
        break;
    case CD_REC_bounds:
        source->key[0] = site_of(source, ((const cd_bounds_rows *)&source->table)->a);
        break;
    case CD_REC_pair:
        source->key[0] = site_of(source, ((const cd_pair_rows *)&source->table)->a);
        source->key[1] = site_of(source, ((const cd_pair_rows *)&source->table)->b);
        break;
    case CD_REC_contact:
        source->key[0] = site_of(source, ((const cd_contact_rows *)&source->table)->a);
        source->key[1] = site_of(source, ((const cd_contact_rows *)&source->table)->b);
        break;
    default:
        source->key[0] = 0;
    }
}

// So many bodies more, without a place yet. Grows by a quarter: of thousands of sources each has its own.
static void add_places(cd_merge_source *source, int32_t count)
{
    int64_t needed = (int64_t)source->bodies + count;
    if (needed > source->room) {
        int64_t room = needed + needed / 4;
        source->room = room < INT32_MAX ? (int32_t)room : INT32_MAX;
        source->place = cd_realloc(source->place, (size_t)source->room * sizeof *source->place);
    }
    memset(source->place + source->bodies, 0xff, (size_t)count * sizeof *source->place);  // -1
    source->bodies = (int32_t)needed;
}

cd_status cd_merge_load(cd_ctx *ctx, cd_merge_source *source)
{
    cd_record_type type = source->chunk.type;
    memset(&source->table, 0, cd_records[type].size);
    CD_TRY(cd_reader_decode_here(source->reader, &source->chunk, &source->arena, &source->table.rows, &ctx->diag));
    source->row = 0;
    if (type == CD_REC_body)
        add_places(source, source->table.rows.count);
    if (source->table.rows.count > 0)
        take_key(source);
    return CD_OK;
}

static const char *const order_of[] = {"bodies must come in the order of their ids",
                                       "rows must come in the order of bodies and parts"};

cd_status cd_merge_advance(cd_ctx *ctx, cd_merge_source *source, bool *is_open)
{
    cd_record_type type = source->chunk.type;
    uint64_t before[] = {source->key[0], source->key[1]};
    source->row++;
    while (source->row >= source->table.rows.count) {
        CD_TRY(cd_merge_next_chunk(ctx, source));
        *is_open = source->chunk.type == type;
        if (!*is_open)
            return CD_OK;
        CD_TRY(cd_merge_load(ctx, source));
    }
    *is_open = true;
    take_key(source);
    bool is_behind = source->key[0] > before[0] || (source->key[0] == before[0] && source->key[1] > before[1]);
    bool may_repeat = type == CD_REC_contact && source->key[0] == before[0] && source->key[1] == before[1];
    if (!is_behind && !may_repeat)
        return cd_merge_fail(ctx, source, "%s: %s", cd_records[type].name, order_of[type != CD_REC_body]);
    return CD_OK;
}
