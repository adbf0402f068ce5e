// SPDX-License-Identifier: MIT
#include "islands_join.h"

#include <inttypes.h>

// From good to bad, as cd-lcp orders them.
static const int32_t badness[CD_SOLUTION_COUNT] = {
    [CD_SOLUTION_SOLVED] = 0, [CD_SOLUTION_INACCURATE] = 1, [CD_SOLUTION_LIMIT] = 2,
    [CD_SOLUTION_RAY] = 3,    [CD_SOLUTION_INFEASIBLE] = 4, [CD_SOLUTION_SINGULAR] = 5,
};

cd_status cd_islands_join_begin(cd_ctx *ctx, cd_islands_join_state *join)
{
    join->part = CD_ARENA_ZARRAY(&ctx->run, cd_islands_part, ctx->operand_count);
    for (; join->count < ctx->operand_count; join->count++) {
        join->part[join->count].name = ctx->operand[join->count];
        CD_TRY(cd_open_reader(ctx, join->count, &join->part[join->count].reader));
    }
    return CD_OK;
}

// The tables of the part's next frame. *found false: the stream has ended.
static cd_status read_frame(cd_ctx *ctx, cd_islands_part *part, bool *found)
{
    cd_chunk chunk;
    cd_status status;
    *found = false;
    cd_arena_reset(&part->arena);
    memset(&part->tables, 0, sizeof part->tables);
    while ((status = cd_reader_next(part->reader, &chunk, &ctx->diag)) == CD_OK && chunk.type != CD_REC_fend) {
        *found |= chunk.type == CD_REC_frame;
        CD_TRY(cd_tables_take(*found ? &part->arena : &part->head, part->reader, &chunk, &part->tables, &ctx->diag));
    }
    return status == CD_END ? CD_OK : status;
}

// The part's values of its rows, put where the rows of the whole are.
static cd_status take_values(cd_ctx *ctx, const cd_islands_part *part, int32_t *part_of, int32_t number)
{
    const cd_model *of = &part->tables.model, *in = &ctx->in;
    cd_value_rows *out = &ctx->out.value;
    for (int32_t i = 0; i < of->value.count; i++) {
        int32_t from = of->value.row[i];
        int64_t id = of->row.id[from];
        int32_t row = cd_refs_row(ctx->refs, CD_REC_row, id);
        if (row < 0 || in->row.rhs[row] != of->row.rhs[from] || in->row.role[row] != of->row.role[from])
            return cd_fail(&ctx->diag, CD_ERR_FORMAT, "%s: row %" PRId64 ": is not that of the whole", part->name, id);
        if (part_of[row] >= 0)
            return cd_fail(&ctx->diag, CD_ERR_FORMAT, "%s: row %" PRId64 ": has a value already", part->name, id);
        part_of[row] = number;
        out->z[row] = of->value.z[i];
        out->w[row] = of->value.w ? of->value.w[i] : NAN;
        int32_t status = of->value.status ? of->value.status[i] : CD_ABSENT;
        if (status != CD_ABSENT && !out->status)
            CD_COLUMN(&ctx->arena, in->dim, value, out, status);
        if (status != CD_ABSENT)
            out->status[row] = status;
    }
    return CD_OK;
}

static cd_status take_solution(cd_ctx *ctx, const cd_islands_part *part, int64_t *most)
{
    const cd_solution_rows *of = &part->tables.model.solution;
    cd_solution_rows *out = &ctx->out.solution;
    if (of->count != 1)
        return cd_fail(&ctx->diag, CD_ERR_FORMAT, "%s: the frame has no solution: is cd-lcp missing?", part->name);
    if (badness[of->status[0]] > badness[out->status[0]])
        out->status[0] = of->status[0];
    double residual = cd_f64_or(of->residual, 0, NAN);
    if (!isnan(residual))
        out->residual[0] = fmax(out->residual[0], residual);  // NaN: none yet
    int64_t iterations = of->iterations && of->iterations[0] != CD_ABSENT_I64 ? of->iterations[0] : 0;
    out->iterations[0] += iterations;
    if (of->solver && of->solver[0] && iterations > *most) {
        *most = iterations;
        out->solver[0] = cd_arena_text(&ctx->arena, of->solver[0], strlen(of->solver[0]));
    }
    return CD_OK;
}

static cd_status check_frame(cd_ctx *ctx, const cd_islands_part *part)
{
    const cd_frame_rows *of = &part->tables.model.frame, *in = &ctx->in.frame;
    bool is_same = of->index[0] == in->index[0] && of->time[0] == in->time[0] &&
                   cd_i32_or(of->substep, 0, 0) == cd_i32_or(in->substep, 0, 0) &&
                   cd_i32_or(of->round, 0, 0) == cd_i32_or(in->round, 0, 0);
    return is_same
               ? CD_OK
               : cd_fail(&ctx->diag, CD_ERR_FORMAT, "%s: has frame %" PRId64 " in its place", part->name, of->index[0]);
}

cd_status cd_islands_join_frame(cd_ctx *ctx, cd_islands_join_state *join)
{
    cd_arena *arena = &ctx->arena;
    cd_model *out = &ctx->out;
    int32_t rows = ctx->in.row.count, *part_of = CD_ARENA_ARRAY(arena, int32_t, rows), dim = ctx->in.dim;
    int64_t most = -1;
    out->solution.count = 1;
    CD_COLUMN(arena, dim, solution, &out->solution, status)[0] = CD_SOLUTION_SOLVED;
    CD_COLUMN(arena, dim, solution, &out->solution, residual);
    CD_COLUMN(arena, dim, solution, &out->solution, iterations)[0] = 0;
    CD_COLUMN(arena, dim, solution, &out->solution, solver);
    out->value.count = rows;
    int32_t *row = CD_COLUMN(arena, dim, value, &out->value, row);
    CD_COLUMN(arena, dim, value, &out->value, z);
    CD_COLUMN(arena, dim, value, &out->value, w);
    for (int32_t i = 0; i < rows; i++) {
        row[i] = i;
        part_of[i] = -1;
    }
    for (int32_t p = 0; p < join->count; p++) {
        cd_islands_part *part = &join->part[p];
        bool found;
        CD_TRY(read_frame(ctx, part, &found));
        if (!found)
            return cd_fail(&ctx->diag, CD_ERR_FORMAT, "%s: ends before the whole does", part->name);
        CD_TRY(check_frame(ctx, part));
        CD_TRY(take_solution(ctx, part, &most));
        CD_TRY(take_values(ctx, part, part_of, p));
    }
    for (int32_t i = 0; i < rows; i++)
        if (part_of[i] < 0)
            return cd_fail(&ctx->diag, CD_ERR_FORMAT, "row %" PRId64 ": no part has a value: is one missing?",
                           ctx->in.row.id[i]);
    return CD_OK;
}

cd_status cd_islands_join_end(cd_ctx *ctx, cd_islands_join_state *join)
{
    for (int32_t p = 0; p < join->count; p++) {
        bool found;
        CD_TRY(read_frame(ctx, &join->part[p], &found));
        if (found)
            return cd_fail(&ctx->diag, CD_ERR_FORMAT, "%s: goes on where the whole ends", join->part[p].name);
    }
    return CD_OK;
}

void cd_islands_join_close(cd_islands_join_state *join)
{
    for (int32_t p = 0; p < join->count; p++) {
        cd_reader_close(join->part[p].reader);
        cd_arena_release(&join->part[p].head);
        cd_arena_release(&join->part[p].arena);
    }
}
