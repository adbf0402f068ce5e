// A stage of cdstream.h as a cd_filter.
// SPDX-License-Identifier: MIT
#include "cds_frame.h"

#include <float.h>
#include <stdarg.h>
#include <stdio.h>

// The filter that cd_filter_main runs; it gets back to the stage from there.
typedef struct stage_filter {
    cd_filter filter;
    cds_frame frame;
    const cds_option *option;
    bool *flag;  // of each option: what a flag is taken into
} stage_filter;

// ---- mistakes and failures -----------------------------------------------------------------------------------------

cd_status stage_keep(cds_frame *f, cd_status status)
{
    if (f->fault == CD_OK)
        f->fault = status;
    return f->fault;
}

cd_status stage_mistake(cds_frame *f, cd_status status, const char *format, ...)
{
    if (f->fault != CD_OK)
        return f->fault;
    char text[sizeof f->ctx->diag.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return f->fault = cd_fail(&f->ctx->diag, status, "%s", text);
}

static cd_status status_of_code(int code)
{
    static const cd_status of[] = {CD_OK,     CD_ERR_CHECK,   CD_ERR_USAGE,      CD_ERR_FORMAT,
                                   CD_ERR_IO, CD_ERR_NUMERIC, CD_ERR_UNSUPPORTED};
    return code >= 0 && code < (int)(sizeof of / sizeof of[0]) ? of[code] : CD_ERR_NUMERIC;
}

int cds_fail(cds_frame *f, int code, const char *table, int32_t row, const char *field, const char *format, ...)
{
    char text[400], place[100] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cd_record_type type = table ? cd_record_find(table, strlen(table)) : CD_REC_UNKNOWN;
    bool is_there = type != CD_REC_UNKNOWN && row >= 0 && row < cd_model_rows(&f->ctx->in, type)->count;
    if (is_there && cd_record_has_id(&cd_records[type]))
        snprintf(place, sizeof place, "%.40s %lld: ", table, (long long)cds_id(f, table, row));
    else if (table)
        snprintf(place, sizeof place, "%.40s: row %d: ", table, row);
    cd_status status = status_of_code(code == CDS_OK ? CDS_NUMERIC : code);
    if (status == CD_ERR_CHECK) {
        snprintf(f->check, sizeof f->check, "%s%s%s%.300s", place, field ? field : "", field ? ": " : "", text);
        return code;
    }
    stage_mistake(f, status, "%s%s%s%s", place, field ? field : "", field ? ": " : "", text);
    return cd_status_exit_code(f->fault);
}

void cds_warn(cds_frame *f, const char *format, ...)
{
    char text[480];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    cd_warn(f->ctx, "%s", text);
}

// How a function of the stage ended.
static cd_status outcome(cds_frame *f, int code)
{
    if (f->fault != CD_OK)
        return f->fault;
    if (code == CDS_OK)
        return CD_OK;
    if (code == CDS_CHECK) {
        if (!f->check[0])
            snprintf(f->check, sizeof f->check, "a check failed");
        return CD_OK;
    }
    return cd_fail(&f->ctx->diag, status_of_code(code), "the stage failed with %d", code);
}

// ---- the filter's functions ----------------------------------------------------------------------------------------

static uint64_t set_of_tables(cds_frame *f, const char *member, const char *const *names)
{
    uint64_t set = 0;
    for (; names && *names; names++) {
        cd_record_type type = cd_record_find(*names, strlen(*names));
        if (type == CD_REC_UNKNOWN)
            stage_mistake(f, CD_ERR_USAGE, "%s: %.40s: there is no such table; see cd-view --fields", member, *names);
        else
            set |= UINT64_C(1) << type;
    }
    return set;
}

// The one table of a set that stages make of others. Of several a stage may well do without: then it lives on none.
static uint64_t made_by_stages(uint64_t set)
{
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (cd_records[type].rank <= CD_RANK_INPUT || cd_records[type].rank >= CD_RANK_METRIC)
            set &= ~(UINT64_C(1) << type);
    return set & (set - 1) ? 0 : set;
}

static cd_status begin(cd_ctx *ctx)
{
    stage_filter *own = (stage_filter *)(void *)(uintptr_t)ctx->filter;
    cds_frame *f = &own->frame;
    f->ctx = ctx;
    ctx->state = f;
    // Flags are ints where C++ may write the stage.
    for (int i = 0; own->option && own->option[i].kind; i++)
        if (own->option[i].kind == CDS_FLAG)
            *(int *)own->option[i].target = own->flag[i];
    const uint64_t takes = set_of_tables(f, "takes", f->stage->takes);
    ctx->needs = CD_BIT(head) | CD_BIT(shape) | CD_BIT(element) | CD_BIT(frame) | CD_BIT(body) | CD_BIT(trial) | takes;
    own->filter.lives_on = made_by_stages(takes);
    ctx->writes = set_of_tables(f, "makes", f->stage->makes);
    for (int type = 0; type < CD_REC_COUNT; type++)
        if (ctx->writes >> type & 1 && cd_records[type].rank <= CD_RANK_INPUT)
            stage_mistake(f, CD_ERR_USAGE, "makes: %s: a stage makes tables that derive from others, not this one",
                          cd_records[type].name);
    if (!f->stage->frame)
        stage_mistake(f, CD_ERR_USAGE, "the stage has no function `frame`");
    return f->fault;
}

static cd_status head(cd_ctx *ctx)
{
    cds_frame *f = ctx->state;
    return f->stage->begin ? outcome(f, f->stage->begin(f, f->user)) : CD_OK;
}

static cd_status each_frame(cd_ctx *ctx)
{
    cds_frame *f = ctx->state;
    f->in_frame = true;
    f->has_reach = false;
    f->trial_of = NULL;
    memset(&f->contact, 0, sizeof f->contact);
    memset(&f->list, 0, sizeof f->list);
    CD_TRY(outcome(f, f->stage->frame(f, f->user)));
    stage_finish_tables(f);
    f->in_frame = false;
    return f->fault;
}

static cd_status finish(cd_ctx *ctx)
{
    cds_frame *f = ctx->state;
    return f->check[0] ? cd_fail(&ctx->diag, CD_ERR_CHECK, "%s", f->check) : CD_OK;
}

static void close_run(cd_ctx *ctx)
{
    cds_frame *f = ctx->state;
    if (f->stage->end)
        f->stage->end(f->user);
}

// ---- options -------------------------------------------------------------------------------------------------------

static cd_option option_of(const cds_option *o, bool *flag)
{
    static const cd_option_kind kind[] = {CD_OPTION_END,    CD_OPTION_FLAG, CD_OPTION_INT,
                                          CD_OPTION_DOUBLE, CD_OPTION_TEXT, CD_OPTION_CHOICE};
    bool is_any = o->low == 0 && o->high == 0;
    double most = o->kind == CDS_INT ? 0x1p62 : DBL_MAX;
    return (cd_option){.kind = kind[o->kind],
                       .name = o->name,
                       .target = o->kind == CDS_FLAG ? (void *)flag : o->target,
                       .argument = o->argument,
                       .low = is_any ? -most : o->low,
                       .high = is_any ? most : o->high,
                       .choices = o->choices,
                       .help = o->help ? o->help : ""};
}

int cds_main(int argc, char **argv, const cds_stage *stage, void *user)
{
    int count = 0;
    while (stage->options && stage->options[count].kind)
        count++;
    cd_option *option = cd_alloc((size_t)(count + 1) * sizeof *option);
    bool *flag = cd_alloc((size_t)(count + 1) * sizeof *flag);
    for (int i = 0; i < count; i++) {
        flag[i] = stage->options[i].kind == CDS_FLAG && *(int *)stage->options[i].target;
        option[i] = option_of(&stage->options[i], &flag[i]);
    }
    option[count] = (cd_option)CD_OPT_END;
    stage_filter own = {.filter = {.name = stage->name,
                                   .version = stage->version,
                                   .summary = stage->summary ? stage->summary : "",
                                   .notes = stage->notes,
                                   .options = option,
                                   .needs = CD_BIT(head),
                                   .begin = begin,
                                   .head = head,
                                   .each_frame = each_frame,
                                   .finish = finish,
                                   .close = close_run},
                        .frame = {.stage = stage, .user = user},
                        .option = stage->options,
                        .flag = flag};
    int code = cd_filter_main(argc, argv, &own.filter);
    cd_free(option);
    cd_free(flag);
    return code;
}
