// SPDX-License-Identifier: MIT
#include "diff_stage.h"

// ---- programs ------------------------------------------------------------------------------------------------------

bool cd_diff_has_tool(const cd_prog_rows *prog, const char *tool)
{
    for (int32_t i = 0; i < prog->count; i++)
        if (!strcmp(prog->tool[i], tool))
            return true;
    return false;
}

const char *cd_diff_stage_tool(const cd_prog_rows *prog, cd_record_type type)
{
    // By rank; of two the first is named only where the stream went through it.
    static const char *const maker[CD_RANK_END + 1][2] = {
        [CD_RANK_BOUNDS] = {NULL, "cd-broad"},          [CD_RANK_PAIR] = {NULL, "cd-broad"},
        [CD_RANK_CONTACT] = {"cd-spars", "cd-narrow"},  [CD_RANK_CONSTRAINT] = {NULL, "cd-peg-assemble"},
        [CD_RANK_ROW] = {NULL, "cd-peg-assemble"},      [CD_RANK_SOLUTION] = {NULL, "cd-lcp"},
        [CD_RANK_FORCE] = {"cd-penalty", "cd-step"},    [CD_RANK_NEXT] = {NULL, "cd-step"},
        [CD_RANK_METRIC] = {NULL, "cd-overlap-metric"},
    };
    if (type == CD_REC_UNKNOWN || type == CD_REC_metric)
        return NULL;
    cd_rank rank = cd_records[type].rank;
    return maker[rank][0] && cd_diff_has_tool(prog, maker[rank][0]) ? maker[rank][0] : maker[rank][1];
}

const char *cd_diff_programs(cd_arena *arena, const cd_prog_rows *prog)
{
    cd_buffer line = {0};
    for (int32_t i = 0; i < prog->count; i++) {
        cd_buffer_text(&line, i > 0 ? " | " : "");
        cd_buffer_text(&line, prog->tool[i]);
        for (int32_t k = prog->argv.offset ? prog->argv.offset[i] : 0;
             prog->argv.offset && k < prog->argv.offset[i + 1]; k++) {
            cd_buffer_text(&line, " ");
            cd_buffer_text(&line, prog->argv.text[k]);
        }
    }
    const char *text = cd_arena_text(arena, line.data ? line.data : "", line.size);
    cd_buffer_release(&line);
    return text;
}

// ---- bodies --------------------------------------------------------------------------------------------------------

static void add(cd_diff_bodies *bodies, int64_t id)
{
    int32_t at = bodies->count;
    while (at > 0 && bodies->id[at - 1] > id)
        at--;
    if (at > 0 && bodies->id[at - 1] == id)
        return;
    if (bodies->count == CD_DIFF_BODIES_MOST) {
        bodies->is_cut = true;
        return;
    }
    memmove(bodies->id + at + 1, bodies->id + at, (size_t)(bodies->count - at) * sizeof *bodies->id);
    bodies->id[at] = id;
    bodies->count++;
}

static void add_target(cd_diff_bodies *bodies, const cd_diff_side *side, cd_record_type target, int32_t row)
{
    if (row >= 0 && !cd_records[target].is_head)
        cd_diff_add_bodies(bodies, side, target, row);
}

void cd_diff_add_bodies(cd_diff_bodies *bodies, const cd_diff_side *side, cd_record_type type, int32_t row)
{
    if (type == CD_REC_body) {
        add(bodies, cd_refs_id(side->refs, CD_REC_body, row));
        return;
    }
    const cd_rows *rows = cd_model_rows(&side->tables->model, type);
    for (int32_t f = 0; f < cd_records[type].field_count; f++) {
        const cd_field *field = &cd_records[type].field[f];
        if (field->target == CD_REC_UNKNOWN)
            continue;
        if (field->depth == 1) {
            const cd_list *list = cd_field_list(field, rows);
            for (int32_t k = list->offset ? list->offset[row] : 0; list->offset && k < list->offset[row + 1]; k++)
                add_target(bodies, side, field->target, list->i32[k]);
            continue;
        }
        const int32_t *column = *cd_field_column(field, rows);
        if (column)
            add_target(bodies, side, field->target, column[field->type == CD_TYPE_SITE ? 2 * row : row]);
    }
}

static bool has(const cd_diff_bodies *bodies, int64_t id)
{
    for (int32_t i = 0; i < bodies->count; i++)
        if (bodies->id[i] == id)
            return true;
    return false;
}

bool cd_diff_is_about(const cd_diff_bodies *row, const cd_diff_bodies *first)
{
    if (row->count == 0 || first->count == 0)
        return false;
    if (first->count == 1)
        return has(row, first->id[0]);
    for (int32_t i = 0; i < row->count; i++)
        if (!has(first, row->id[i]))
            return false;
    return !row->is_cut;
}
