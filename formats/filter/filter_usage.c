// SPDX-License-Identifier: MIT
#include "filter_usage.h"

#include "cd_output.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>

static void add_member(cd_buffer *out, const char *key, const char *text)
{
    if (!text)
        return;
    cd_buffer_printf(out, ", \"%s\": ", key);
    cd_json_string(out, text);
}

static void add_words(cd_buffer *out, const char *const *words)
{
    cd_buffer_text(out, ", \"words\": [");
    for (const char *const *word = words; *word; word++) {
        cd_buffer_text(out, word == words ? "" : ", ");
        cd_json_string(out, *word);
    }
    cd_buffer_text(out, "]");
}

// JSON has no infinity: a bound that is none is left out.
static void add_range(cd_buffer *out, const cd_option *option)
{
    if (isfinite(option->low))
        cd_buffer_printf(out, ", \"low\": %.15g", option->low);
    if (isfinite(option->high))
        cd_buffer_printf(out, ", \"high\": %.15g", option->high);
}

static void add_default(cd_buffer *out, const cd_option *option)
{
    if (option->kind == CD_OPTION_INT)
        cd_buffer_printf(out, ", \"default\": %" PRId64, *(const int64_t *)option->target);
    else if (option->kind == CD_OPTION_DOUBLE && isfinite(*(const double *)option->target))
        cd_buffer_printf(out, ", \"default\": %.15g", *(const double *)option->target);
    else if (option->kind == CD_OPTION_TEXT || option->kind == CD_OPTION_CHOICE)
        add_member(out, "default", *(const char *const *)option->target);
}

static void add_option(cd_buffer *out, const cd_option *option)
{
    static const char *const type[] = {
        [CD_OPTION_FLAG] = "flag", [CD_OPTION_INT] = "integer",   [CD_OPTION_DOUBLE] = "number",
        [CD_OPTION_TEXT] = "text", [CD_OPTION_CHOICE] = "choice",
    };
    cd_buffer_text(out, "  {\"name\": ");
    cd_json_string(out, option->name);
    if (option->letter)
        cd_buffer_printf(out, ", \"letter\": \"%c\"", option->letter);
    cd_buffer_printf(out, ", \"type\": \"%s\"", type[option->kind]);
    add_member(out, "argument", option->argument);
    if (option->kind == CD_OPTION_CHOICE)
        add_words(out, option->choices);
    if (option->kind == CD_OPTION_INT || option->kind == CD_OPTION_DOUBLE)
        add_range(out, option);
    add_default(out, option);
    add_member(out, "help", option->help);
    cd_buffer_text(out, "}");
}

void filter_usage_of_options(const cd_option *const *tables, cd_buffer *out)
{
    bool is_first = true;
    for (; *tables; tables++)
        for (const cd_option *o = *tables; o->kind != CD_OPTION_END; o++) {
            if (o->kind == CD_OPTION_HEADING)
                continue;
            cd_buffer_text(out, is_first ? "" : ",\n");
            add_option(out, o);
            is_first = false;
        }
}

static void add_tables(cd_buffer *out, const char *key, uint64_t tables, bool is_told)
{
    cd_buffer_printf(out, ",\n \"%s\": ", key);
    if (!is_told) {
        cd_buffer_text(out, "null");
        return;
    }
    cd_buffer_text(out, "[");
    for (int type = 0, count = 0; type < CD_REC_COUNT; type++)
        if (tables >> type & 1)
            cd_buffer_printf(out, "%s\"%s\"", count++ ? ", " : "", cd_records[type].name);
    cd_buffer_text(out, "]");
}

cd_status filter_print_usage(cd_ctx *ctx)
{
    const cd_filter *filter = ctx->filter;
    bool goes_by_tables = ctx->needs || ctx->writes || !filter->run;
    cd_buffer out = {0};
    cd_buffer_text(&out, "{\"tool\": ");
    cd_json_string(&out, filter->name);
    add_member(&out, "version", filter->version ? filter->version : CD_VERSION);
    add_member(&out, "summary", filter->summary);
    add_member(&out, "synopsis", filter->synopsis ? filter->synopsis : "[FILE]");
    add_tables(&out, "reads", ctx->needs, goes_by_tables);
    add_tables(&out, "lives_on", filter->lives_on, goes_by_tables);
    add_tables(&out, "writes", ctx->writes, goes_by_tables);
    cd_buffer_printf(&out, ",\n \"options\": [\n%s\n ]}\n", ctx->usage);
    cd_status status = cd_output_write(STDOUT_FILENO, "stdout", out.data, out.size, &ctx->diag);
    cd_buffer_release(&out);
    return status;
}
