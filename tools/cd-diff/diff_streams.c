// SPDX-License-Identifier: MIT
#include "diff_streams.h"

#include <inttypes.h>

static cd_status read_head(cd_ctx *ctx, cd_diff_stream *s)
{
    cd_chunk chunk;
    for (;;) {
        CD_TRY(cd_reader_next(s->reader, &chunk, &ctx->diag));
        if (chunk.type == CD_REC_frame) {
            s->has_following = true;
            return cd_tables_take(&s->arena[1], s->reader, &chunk, &s->following, &ctx->diag);
        }
        CD_TRY(cd_tables_take(&s->head_arena, s->reader, &chunk, &s->head, &ctx->diag));
        if (chunk.type == CD_REC_end)
            return cd_reader_next(s->reader, &chunk, &ctx->diag) == CD_END ? CD_OK : CD_ERR_FORMAT;
    }
}

cd_status cd_diff_open(cd_ctx *ctx, const char *frames, cd_diff_streams *streams)
{
    streams->ctx = ctx;
    CD_TRY(cd_frame_range_parse(frames, &streams->range, &ctx->diag));
    for (int i = 0; i < 2; i++)
        CD_TRY(cd_open_reader(ctx, i, &streams->stream[i].reader));
    for (int i = 0; i < 2; i++)
        CD_TRY(read_head(ctx, &streams->stream[i]));
    return CD_OK;
}

// The next frame, wanted or not, into the arena that is not in use. *found false: the stream has ended properly.
static cd_status read_frame(cd_ctx *ctx, cd_diff_stream *s, cd_tables *tables, bool *found)
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
        cd_status status = cd_reader_next(s->reader, &chunk, &ctx->diag);
        if (status == CD_END)
            return CD_OK;
        CD_TRY(status);
        if (chunk.type == CD_REC_fend)
            return CD_OK;
        *found |= chunk.type == CD_REC_frame;
        CD_TRY(cd_tables_take(arena, s->reader, &chunk, tables, &ctx->diag));
    }
}

static cd_status next_frame(cd_diff_streams *streams, cd_diff_stream *s)
{
    s->has_frame = false;
    for (;;) {
        cd_tables tables;
        bool found;
        CD_TRY(read_frame(streams->ctx, s, &tables, &found));
        if (!found)
            return CD_OK;
        if (!cd_frame_range_has(&streams->range, tables.model.frame.index[0]))
            continue;
        s->tables = tables;
        s->turn = 1 - s->turn;
        s->has_frame = true;
        if (!streams->range.only_last)
            return CD_OK;
    }
}

static int compare_frames(const cd_diff_streams *streams, const cd_frame_rows *a, const cd_frame_rows *b)
{
    int64_t left[] = {a->index[0], cd_i32_or(a->substep, 0, 0), cd_i32_or(a->round, 0, 0)},
            right[] = {b->index[0], cd_i32_or(b->substep, 0, 0), cd_i32_or(b->round, 0, 0)};
    int parts = streams->any_round ? 2 : 3;
    for (int i = 0; i < parts; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static cd_diff_side side_of(cd_diff_stream *s, cd_tables *tables)
{
    return (cd_diff_side){tables, &s->head, cd_reader_refs(s->reader)};
}

cd_status cd_diff_next(cd_diff_streams *streams, cd_diff_section *section)
{
    cd_diff_stream *left = &streams->stream[0], *right = &streams->stream[1];
    section->is_head = !streams->has_heads;
    if (section->is_head) {
        streams->has_heads = true;
        streams->took[0] = streams->took[1] = true;
        section->side[0] = side_of(left, &left->head);
        section->side[1] = side_of(right, &right->head);
        return CD_OK;
    }
    for (int i = 0; i < 2; i++)
        if (streams->took[i])
            CD_TRY(next_frame(streams, &streams->stream[i]));
    if (!left->has_frame && !right->has_frame)
        return CD_END;
    int order = !left->has_frame    ? 1
                : !right->has_frame ? -1
                : streams->range.only_last
                    ? 0
                    : compare_frames(streams, &left->tables.model.frame, &right->tables.model.frame);
    streams->took[0] = order <= 0;
    streams->took[1] = order >= 0;
    for (int i = 0; i < 2; i++)
        section->side[i] = side_of(&streams->stream[i], streams->took[i] ? &streams->stream[i].tables : NULL);
    if (order == 0)
        streams->frames++;
    else
        streams->only[order > 0]++;
    return CD_OK;
}

void cd_diff_close(cd_diff_streams *streams)
{
    for (int i = 0; i < 2; i++) {
        cd_diff_stream *s = &streams->stream[i];
        cd_reader_close(s->reader);
        cd_arena_release(&s->head_arena);
        cd_arena_release(&s->arena[0]);
        cd_arena_release(&s->arena[1]);
    }
}

int cd_diff_dim(const cd_diff_streams *streams, int side) { return streams->stream[side].head.model.dim; }

cd_status cd_diff_check_dim(cd_diff_streams *streams)
{
    int left = cd_diff_dim(streams, 0), right = cd_diff_dim(streams, 1);
    if (left == right)
        return CD_OK;
    return cd_fail(&streams->ctx->diag, CD_ERR_CHECK, "head: dim: %d on the left, %d on the right", left, right);
}

static const cd_tables *tables_of(const cd_diff_section *section)
{
    return section->side[0].tables ? section->side[0].tables : section->side[1].tables;
}

cd_diff_place cd_diff_place_of(const cd_diff_section *section)
{
    const cd_frame_rows *frame = &tables_of(section)->model.frame;
    return (cd_diff_place){frame->index[0], cd_i32_or(frame->substep, 0, 0), cd_i32_or(frame->round, 0, 0)};
}

// "3", "3 round 2", "3 substep 1 round 2". @owns arena
static const char *name_of_frame(cd_arena *arena, const cd_frame_rows *frame)
{
    int32_t substep = cd_i32_or(frame->substep, 0, 0), round = cd_i32_or(frame->round, 0, 0);
    const char *part = substep ? cd_arena_printf(arena, " substep %d", substep) : "";
    const char *turn = round ? cd_arena_printf(arena, " round %d", round) : "";
    return cd_arena_printf(arena, "%" PRId64 "%s%s", frame->index[0], part, turn);
}

const char *cd_diff_section_name(cd_arena *arena, const cd_diff_section *section)
{
    return section->is_head ? "head" : name_of_frame(arena, &tables_of(section)->model.frame);
}
