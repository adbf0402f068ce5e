// SPDX-License-Identifier: MIT
#include "filter_provenance.h"

#include "cd_rows.h"

#include <inttypes.h>

cd_status cd_make_prog(cd_ctx *ctx, cd_arena *arena, const cd_prog_rows *before, cd_prog_rows *prog)
{
    int64_t last = 0;
    for (int32_t i = 0; i < before->count; i++)
        last = before->id[i] > last ? before->id[i] : last;
    if (last >= INT32_MAX)  // `prev` is a list of int32
        return cd_fail(&ctx->diag, CD_ERR_LIMIT, "prog: id: %" PRId64 " is too large to count on from", last);
    memset(prog, 0, sizeof *prog);
    prog->count = 1;
    CD_COLUMN(arena, 2, prog, prog, id)[0] = last + 1;
    CD_COLUMN(arena, 2, prog, prog, tool)[0] = ctx->filter->name;
    CD_COLUMN(arena, 2, prog, prog, version)[0] = ctx->filter->version ? ctx->filter->version : CD_VERSION;
    prog->prev.offset = CD_ARENA_ARRAY(arena, int32_t, 2);
    prog->prev.offset[0] = 0;
    prog->prev.offset[1] = 1;
    prog->prev.i32 = CD_ARENA_ARRAY(arena, int32_t, 1);
    prog->prev.i32[0] = (int32_t)last;
    if (ctx->own_argument_count > 0) {
        prog->argv.offset = CD_ARENA_ARRAY(arena, int32_t, 2);
        prog->argv.offset[0] = 0;
        prog->argv.offset[1] = ctx->own_argument_count;
        prog->argv.text = CD_ARENA_ARRAY(arena, const char *, ctx->own_argument_count);
        memcpy(prog->argv.text, ctx->own_arguments, (size_t)ctx->own_argument_count * sizeof(const char *));
    }
    return CD_OK;
}

cd_status cd_write_own_prog(cd_ctx *ctx, cd_writer *writer, const cd_prog_rows *before)
{
    if (ctx->no_prog)
        return CD_OK;
    cd_prog_rows prog;
    CD_TRY(cd_make_prog(ctx, &ctx->run, before, &prog));
    return cd_writer_rows(writer, CD_REC_prog, 2, ctx->refs, (cd_rows *)&prog, &ctx->diag);
}

void cd_add_metric(cd_ctx *ctx, const char *name, double value, int32_t a, int32_t b)
{
    cd_metric_rows one = {.count = 1};
    cd_arena *arena = &ctx->arena;
    CD_COLUMN(arena, 2, metric, &one, tool)[0] = ctx->filter->name;
    CD_COLUMN(arena, 2, metric, &one, name)[0] = name;
    CD_COLUMN(arena, 2, metric, &one, value)[0] = value;
    if (a >= 0)
        CD_COLUMN(arena, 2, metric, &one, a)[0] = a;
    if (b >= 0)
        CD_COLUMN(arena, 2, metric, &one, b)[0] = b;
    cd_rows_append(arena, &cd_records[CD_REC_metric], 2, (cd_rows *)&ctx->out.metric, (cd_rows *)&one);
}

cd_rank filter_metric_rank(const char *tool)
{
    static const struct {
        const char *tool;
        cd_rank rank;
    } owner[] = {
        {"cd-broad", CD_RANK_BOUNDS},
        {"cd-narrow", CD_RANK_CONTACT},
        {"cd-spars", CD_RANK_CONTACT},
        {"cd-peg-assemble", CD_RANK_CONSTRAINT},
        {"cd-lcp", CD_RANK_SOLUTION},
        {"cd-step", CD_RANK_NEXT},
        // cd-step writes the table of forces too, and hands on those of penalties with what was measured of them.
        {"cd-penalty", CD_RANK_SOLUTION},
        {"cd-overlap-metric", CD_RANK_METRIC},
    };
    for (size_t i = 0; i < sizeof owner / sizeof owner[0]; i++)
        if (!strcmp(tool, owner[i].tool))
            return owner[i].rank;
    return CD_RANK_END;  // not a stage of this project
}

cd_rank cd_lowest_rank(uint64_t writes)
{
    cd_rank lowest = CD_RANK_END;
    for (int type = 0; type < CD_REC_COUNT; type++)
        if ((writes >> type & 1) && cd_records[type].rank < lowest)
            lowest = cd_records[type].rank;
    return lowest;
}

// ---- who makes what ------------------------------------------------------------------------------------------------

// Stages that others live on, in the order of a pipeline, and programs that make none of these tables.
static const struct {
    const char *tool;
    uint64_t makes;
} makers[] = {
    {"cd-broad", CD_BIT(bounds) | CD_BIT(pair)},
    {"cd-narrow", CD_BIT(contact)},
    {"cd-spars", CD_BIT(contact)},
    {"cd-peg-assemble", CD_BIT(constraint) | CD_BIT(row) | CD_BIT(entry)},
    {"cd-lcp", CD_BIT(solution) | CD_BIT(value)},
    {"cd-penalty", CD_BIT(force) | CD_BIT(nodal_force)},
    {"cd-scene", 0},
    {"cd-view", 0},
    {"cd-shard", 0},
    {"cd-merge", 0},
    {"cd-step", CD_BIT(next) | CD_BIT(next_node) | CD_BIT(verdict)},
    {"cd-overlap-metric", 0},
};
enum { MAKERS = sizeof makers / sizeof makers[0] };

const char *filter_maker_of(uint64_t tables)
{
    for (int i = 0; i < MAKERS; i++)
        if (makers[i].makes & tables)
            return makers[i].tool;
    return NULL;
}

bool filter_may_have_made(const cd_prog_rows *progs, uint64_t tables)
{
    for (int32_t p = 0; p < progs->count; p++) {
        int i = 0;
        while (i < MAKERS && strcmp(progs->tool[p], makers[i].tool))
            i++;
        if (i == MAKERS || (makers[i].makes & tables))
            return true;
    }
    return false;
}
