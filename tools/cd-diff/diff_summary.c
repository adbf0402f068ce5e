// What differs, counted: a table at a time, and of each the members that differ, by how much at most and where.
// SPDX-License-Identifier: MIT
#include "diff_run.h"
#include "diff_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

// Where a difference is the largest.
typedef struct largest {
    double value;
    char *frame, *key;  // cd_free
} largest;

typedef struct member {
    const char *name;
    const cd_field *field;  // NULL: members that are not known
    int64_t count;          // numbers, words or texts that differ
    largest absolute;       // [unit of the member]; of words and texts 0, at the first that differs
    largest relative;       // [1] of the larger of both
} member;

typedef struct table {
    const char *name;
    cd_record_type type;
    int64_t rows[2], only[2], differ;
    int64_t last[3];  // section and rows of the difference counted last
    CD_LIST(member) members;
} table;

typedef struct summary_run {
    cd_ctx *ctx;
    cd_diff_streams streams;
    cd_arena scratch;
    cd_diff_rules rules;
    const char *frame;
    int64_t section;
    int32_t known[CD_REC_COUNT];  // place in `tables` + 1
    CD_LIST(table) tables;
    int64_t count;
} summary_run;

// ---- counting ------------------------------------------------------------------------------------------------------

static table *table_of(summary_run *run, cd_record_type type, const char *name)
{
    int32_t at = type == CD_REC_UNKNOWN ? 0 : run->known[type];
    for (int32_t i = 0; type == CD_REC_UNKNOWN && i < run->tables.count; i++)
        if (!strcmp(run->tables.item[i].name, name))
            at = i + 1;
    if (!at) {
        table fresh = {.name = cd_arena_text(&run->ctx->run, name, strlen(name)), .type = type, .last = {-1, -1, -1}};
        cd_list_push(&run->ctx->run, &run->tables, fresh);
        at = run->tables.count;
        if (type != CD_REC_UNKNOWN)
            run->known[type] = at;
    }
    return &run->tables.item[at - 1];
}

static void open_table(void *context, cd_record_type type, const char *name, int32_t left_count, int32_t right_count)
{
    table *t = table_of(context, type, name);
    t->rows[0] += left_count;
    t->rows[1] += right_count;
}

// A field; of metrics the program and the name of what was measured, which their keys begin with.
static member *member_of(summary_run *run, table *t, const cd_diff_difference *d)
{
    const char *name = d->field ? d->field->name : d->member;
    size_t length = strlen(name);
    if (d->type == CD_REC_metric && d->field) {
        name = d->key;
        length = strcspn(name, " ");
        length += name[length] ? 1 + strcspn(name + length + 1, " ") : 0;
    }
    for (int32_t i = 0; i < t->members.count; i++)
        if (!strncmp(t->members.item[i].name, name, length) && !t->members.item[i].name[length])
            return &t->members.item[i];
    member fresh = {.name = cd_arena_text(&run->ctx->run, name, length), .field = d->field};
    cd_list_push(&run->ctx->run, &t->members, fresh);
    return &t->members.item[t->members.count - 1];
}

static void replace(char **text, const char *by)
{
    size_t size = strlen(by) + 1;
    *text = memcpy(cd_realloc(*text, size), by, size);
}

static void keep_larger(summary_run *run, largest *kept, double value, const char *key)
{
    if (kept->frame && !(value > kept->value))
        return;
    kept->value = value;
    replace(&kept->frame, run->frame);
    replace(&kept->key, key);
}

static void take(void *context, const cd_diff_difference *d)
{
    summary_run *run = context;
    table *t = table_of(run, d->type, d->table);
    run->count++;
    if (!strcmp(d->member, CD_DIFF_ROW)) {
        t->only[d->text[0][0] == 'a']++;
        return;
    }
    int64_t at[3] = {run->section, d->row[0], d->row[1]};
    t->differ += memcmp(at, t->last, sizeof at) != 0;
    memcpy(t->last, at, sizeof at);
    member *m = member_of(run, t, d);
    m->count++;
    double size = fabs(d->value[0] - d->value[1]), scale = fmax(fabs(d->value[0]), fabs(d->value[1]));
    bool is_number = !isnan(size);
    keep_larger(run, &m->absolute, is_number ? size : 0, d->key);
    if (isfinite(size) && scale > 0)
        keep_larger(run, &m->relative, size / scale, d->key);
}

// ---- text ----------------------------------------------------------------------------------------------------------

static bool is_equal(const table *t) { return t->only[0] + t->only[1] + t->differ == 0; }

static void print_member(cd_arena *scratch, const member *m, cd_buffer *out)
{
    cd_buffer_printf(out, "  %-24s %9" PRId64, cd_diff_member_title(scratch, m->name, m->field), m->count);
    bool is_number = m->field && m->field->base == CD_BASE_F64;
    if (is_number && m->absolute.value > 0)
        cd_buffer_printf(out, " %12.4g", m->absolute.value);
    else
        cd_buffer_printf(out, " %12s", "-");
    if (m->relative.frame)
        cd_buffer_printf(out, " %10.3g", m->relative.value);
    else
        cd_buffer_printf(out, " %10s", "-");
    cd_buffer_printf(out, "  %s%s", m->absolute.frame, *m->absolute.key ? ": " : "");
    cd_diff_print_tamed(m->absolute.key, out);
    cd_buffer_text(out, "\n");
}

static int compare_tables(const void *left, const void *right)
{
    int a = ((const table *)left)->type, b = ((const table *)right)->type;
    int of_others = (a == CD_REC_UNKNOWN) - (b == CD_REC_UNKNOWN);
    return of_others ? of_others : (a > b) - (a < b);
}

static void print(summary_run *run, cd_buffer *out)
{
    cd_buffer_printf(out, "frames: %" PRId64 " in both, %" PRId64 " only left, %" PRId64 " only right\n",
                     run->streams.frames, run->streams.only[0], run->streams.only[1]);
    if (run->streams.only[0] > 0 && run->streams.only[1] > 0 && !run->streams.any_round)
        cd_buffer_text(out, "--ignore frame.round matches frames of one step whatever their rounds\n");
    const char *separator = "same: ";
    for (int32_t i = 0; i < run->tables.count; i++)
        if (is_equal(&run->tables.item[i])) {
            cd_buffer_printf(out, "%s%s (%" PRId64 ")", separator, run->tables.item[i].name,
                             run->tables.item[i].rows[0]);
            separator = ", ";
        }
    cd_buffer_text(out, strcmp(separator, "same: ") ? "\n" : "");
    for (int32_t i = 0; i < run->tables.count; i++) {
        const table *t = &run->tables.item[i];
        if (is_equal(t))
            continue;
        cd_buffer_printf(out,
                         "\n%s: %" PRId64 " rows left, %" PRId64 " right; %" PRId64 " differ, %" PRId64
                         " only left, %" PRId64 " only right\n",
                         t->name, t->rows[0], t->rows[1], t->differ, t->only[0], t->only[1]);
        if (t->members.count > 0)
            cd_buffer_printf(out, "  %-24s %9s %12s %10s  %s\n", "member", "differ", "largest", "relative",
                             "where it is the largest");
        for (int32_t k = 0; k < t->members.count; k++)
            print_member(&run->scratch, &t->members.item[k], out);
    }
}

// ---- JSON ----------------------------------------------------------------------------------------------------------

static void put_largest(const char *name, const largest *at, cd_buffer *out)
{
    if (!at->frame)
        return;
    char text[CD_NUMBER_MAX];
    cd_buffer_printf(out, ",\"%s\":{\"value\":", name);
    if (isfinite(at->value))
        cd_buffer_append(out, text, (size_t)cd_number_print(at->value, text));
    else
        cd_buffer_text(out, "\"Infinity\"");  // of bounds
    cd_buffer_text(out, ",\"frame\":");
    cd_json_string(out, at->frame);
    cd_buffer_text(out, ",\"key\":");
    cd_json_string(out, at->key);
    cd_buffer_text(out, "}");
}

static void put_table(cd_arena *scratch, const table *t, cd_buffer *out)
{
    cd_buffer_text(out, "{\"table\":");
    cd_json_string(out, t->name);
    cd_buffer_printf(out,
                     ",\"rows\":{\"left\":%" PRId64 ",\"right\":%" PRId64 "},\"only\":{\"left\":%" PRId64
                     ",\"right\":%" PRId64 "},\"differ\":%" PRId64 ",\"members\":[",
                     t->rows[0], t->rows[1], t->only[0], t->only[1], t->differ);
    for (int32_t k = 0; k < t->members.count; k++) {
        const member *m = &t->members.item[k];
        cd_buffer_printf(out, "%s{\"member\":\"%s\",\"unit\":\"%s\",\"differ\":%" PRId64, k ? "," : "", m->name,
                         cd_diff_unit(scratch, m->field), m->count);
        if (m->field && m->field->base == CD_BASE_F64)
            put_largest("largest", &m->absolute, out);
        else
            put_largest("first", &m->absolute, out);
        put_largest("relative", &m->relative, out);
        cd_buffer_text(out, "}");
    }
    cd_buffer_text(out, "]}");
}

static void put(summary_run *run, cd_buffer *out)
{
    cd_buffer_printf(out, "{\"frames\":{\"both\":%" PRId64 ",\"left\":%" PRId64 ",\"right\":%" PRId64 "},\"tables\":[",
                     run->streams.frames, run->streams.only[0], run->streams.only[1]);
    for (int32_t i = 0; i < run->tables.count; i++) {
        cd_buffer_text(out, i ? "," : "");
        put_table(&run->scratch, &run->tables.item[i], out);
    }
    cd_buffer_text(out, "]}\n");
}

// ---- the run -------------------------------------------------------------------------------------------------------

static cd_status compare(summary_run *run, const cd_diff_options *options)
{
    const cd_diff_sink sink = {.context = run, .take = take, .open_table = open_table};
    CD_TRY(cd_diff_begin_rows(run->ctx, options, &run->rules, &run->streams));
    CD_TRY(cd_diff_check_dim(&run->streams));
    cd_diff_section section;
    for (;; run->section++) {
        cd_status status = cd_diff_next(&run->streams, &section);
        if (status == CD_END)
            break;
        CD_TRY(status);
        run->frame = cd_diff_section_name(&run->scratch, &section);
        if (section.side[0].tables && section.side[1].tables)
            cd_diff_tables(&run->scratch, section.side[0], section.side[1], &run->rules, &sink);
        cd_arena_reset(&run->scratch);
    }
    if (run->tables.count > 0)  // in the order of records.def, whatever came first
        qsort(run->tables.item, (size_t)run->tables.count, sizeof *run->tables.item, compare_tables);
    cd_buffer out = {0};
    if (run->ctx->output_is_json)
        put(run, &out);
    else
        print(run, &out);
    cd_status status = cd_write_text(run->ctx, out.data, out.size);
    cd_buffer_release(&out);
    CD_TRY(status);
    int64_t frames = run->streams.only[0] + run->streams.only[1];
    if (run->count + frames > 0)
        return cd_fail(&run->ctx->diag, CD_ERR_CHECK, "%" PRId64 " differences, %" PRId64 " frames in one stream alone",
                       run->count, frames);
    return CD_OK;
}

cd_status cd_diff_run_summary(cd_ctx *ctx, const cd_diff_options *options)
{
    summary_run run = {.ctx = ctx};
    cd_status status = compare(&run, options);
    for (int32_t i = 0; i < run.tables.count; i++)
        for (int32_t k = 0; k < run.tables.item[i].members.count; k++) {
            member *m = &run.tables.item[i].members.item[k];
            cd_free(m->absolute.frame);
            cd_free(m->absolute.key);
            cd_free(m->relative.frame);
            cd_free(m->relative.key);
        }
    cd_diff_close(&run.streams);
    cd_arena_release(&run.scratch);
    return status;
}
