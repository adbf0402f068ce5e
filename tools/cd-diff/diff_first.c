// SPDX-License-Identifier: MIT
#include "diff_first.h"

#include <math.h>

enum { MEMBERS_MOST = 24 };  // told of the first record

typedef struct first_run {
    cd_ctx *ctx;
    cd_diff_streams streams;
    cd_arena scratch;
    cd_diff_rules rules;
    const cd_diff_section *section;
    cd_diff_first first;
    cd_diff_link open;  // the table in work; it becomes a link when it differs, or when one before it did
    int32_t place;      // row of the first record
} first_run;

static const char *keep(first_run *run, const char *text) { return cd_arena_text(&run->ctx->run, text, strlen(text)); }

static cd_diff_kept kept_of(first_run *run, const cd_diff_difference *d)
{
    return (cd_diff_kept){.field = d->field,
                          .key = keep(run, d->key),
                          .member = keep(run, d->member),
                          .text = {keep(run, d->text[0]), keep(run, d->text[1])},
                          .value = {d->value[0], d->value[1]}};
}

static cd_diff_bodies bodies_of(const first_run *run, cd_record_type type, const int32_t row[2])
{
    cd_diff_bodies bodies = {0};
    for (int s = 0; s < 2 && type != CD_REC_UNKNOWN && !cd_records[type].is_head; s++)
        if (row[s] >= 0)
            cd_diff_add_bodies(&bodies, &run->section->side[s], type, row[s]);
    return bodies;
}

// ---- the first record ----------------------------------------------------------------------------------------------

// The record that comes first in its table; rows that the right side alone has are told after all others.
static void take_of_first_table(first_run *run, const cd_diff_difference *d)
{
    cd_diff_first *first = &run->first;
    int32_t place = d->row[0] >= 0 ? d->row[0] : d->row[1];
    bool is_same = first->is_found && d->row[0] == first->row[0] && d->row[1] == first->row[1];
    if (!first->is_found || place < run->place) {
        first->is_found = true;
        run->place = place;
        first->members.count = 0;
        for (int s = 0; s < 2; s++) {
            first->row[s] = d->row[s];
            first->key[s] = d->text[s][0] == 'a' && !strcmp(d->member, CD_DIFF_ROW) ? NULL : keep(run, d->key);
        }
        is_same = true;
    } else if (place == run->place && first->key[1] == NULL && d->row[0] < 0) {
        first->row[1] = d->row[1];  // another record stands in its place
        first->key[1] = keep(run, d->key);
    }
    if (is_same && first->members.count < MEMBERS_MOST)
        cd_list_push(&run->ctx->run, &first->members, kept_of(run, d));
}

// ---- what differs with it ------------------------------------------------------------------------------------------

static void count(first_run *run, cd_diff_link *link, const cd_diff_difference *d)
{
    bool is_row = !strcmp(d->member, CD_DIFF_ROW);
    bool is_counted = !is_row && d->row[0] == link->last[0] && d->row[1] == link->last[1];
    if (is_counted)
        return;
    link->last[0] = d->row[0];
    link->last[1] = d->row[1];
    if (is_row)
        link->only[d->text[0][0] == 'a']++;
    else
        link->differ++;
    if (run->first.links.count == 0)
        return;
    cd_diff_bodies bodies = bodies_of(run, d->type, d->row);
    if (!cd_diff_is_about(&bodies, &run->first.bodies))
        return;
    if (link->about++ == 0)
        link->one = kept_of(run, d);
}

static void close_table(first_run *run)
{
    cd_diff_first *first = &run->first;
    if (!run->open.table || !first->is_found)
        return;
    if (first->links.count == 0) {
        first->bodies = bodies_of(run, run->open.type, first->row);
        first->stage = cd_diff_stage_tool(&run->section->side[0].head->model.prog, run->open.type);
        if (run->open.type == CD_REC_metric)  // its key begins with the program
            first->stage =
                cd_arena_text(&run->ctx->run, first->members.item[0].key, strcspn(first->members.item[0].key, " "));
    }
    cd_list_push(&run->ctx->run, &first->links, run->open);
    run->open.table = NULL;
}

static void open_table(void *context, cd_record_type type, const char *name, int32_t left_count, int32_t right_count)
{
    first_run *run = context;
    close_table(run);
    run->open =
        (cd_diff_link){.table = keep(run, name), .type = type, .rows = {left_count, right_count}, .last = {-1, -1}};
}

static void take(void *context, const cd_diff_difference *d)
{
    first_run *run = context;
    if (run->first.links.count == 0)
        take_of_first_table(run, d);
    count(run, &run->open, d);
}

// ---- the run -------------------------------------------------------------------------------------------------------

static void look_at(first_run *run, const cd_diff_section *section)
{
    const cd_diff_sink sink = {.context = run, .take = take, .open_table = open_table};
    cd_diff_first *first = &run->first;
    bool is_left = section->side[0].tables != NULL, is_right = section->side[1].tables != NULL;
    run->section = section;
    first->only = is_left && is_right ? -1 : is_right;
    first->is_head = section->is_head;
    first->frame = cd_diff_section_name(&run->ctx->run, section);
    if (!section->is_head)
        first->place = cd_diff_place_of(section);
    if (first->only >= 0) {
        first->is_found = true;
        return;
    }
    cd_diff_tables(&run->scratch, section->side[0], section->side[1], &run->rules, &sink);
    close_table(run);
    run->open.table = NULL;
}

static cd_status search(first_run *run, const cd_diff_options *options)
{
    cd_ctx *ctx = run->ctx;
    run->streams.any_round = true;  // a step that took another round is the same step
    CD_TRY(cd_diff_begin_rows(ctx, options, &run->rules, &run->streams));
    CD_TRY(cd_diff_check_dim(&run->streams));
    cd_diff_section section;
    while (!run->first.is_found) {
        cd_status status = cd_diff_next(&run->streams, &section);
        if (status == CD_END)
            break;
        CD_TRY(status);
        look_at(run, &section);
        cd_arena_reset(&run->scratch);
    }
    if (!run->first.is_found)
        return ctx->output_is_json ? cd_write_text(ctx, "null\n", 5) : CD_OK;
    for (int s = 0; s < 2; s++)
        run->first.programs[s] = cd_diff_programs(&ctx->run, &run->streams.stream[s].head.model.prog);
    cd_buffer out = {0};
    if (ctx->output_is_json)
        cd_diff_print_first_json(&run->first, &out);
    else
        cd_diff_print_first(&run->scratch, &run->first, &out);
    cd_status status = cd_write_text(ctx, out.data, out.size);
    cd_buffer_release(&out);
    CD_TRY(status);
    return cd_fail(&ctx->diag, CD_ERR_CHECK, "%s%s: the streams differ", run->first.is_head ? "" : "frame ",
                   run->first.frame);
}

cd_status cd_diff_run_first(cd_ctx *ctx, const cd_diff_options *options)
{
    first_run run = {.ctx = ctx};
    cd_status status = search(&run, options);
    cd_diff_close(&run.streams);
    cd_arena_release(&run.scratch);
    return status;
}
