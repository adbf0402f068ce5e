// SPDX-License-Identifier: MIT
#include "filter_options.h"

#include "cd_output.h"
#include "filter_usage.h"

#include <stdio.h>
#include <unistd.h>

// Caps that --max-* raise: far above this project's own streams, far below what would hurt a machine.
static const cd_limits default_limits = {
    .line = INT64_C(1) << 26, .block = INT64_C(1) << 30, .rows = INT64_C(200000000)};

typedef struct common {
    bool help, version, usage, json, binary, quiet, verbose, progress, stats, counts, no_prog;
    const char *output;
    int64_t level, threads, repeat, max_line, max_block, max_rows;
} common;

static void print_examples(const char *lines, cd_buffer *text)
{
    cd_buffer_text(text, "\nExamples:\n");
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        cd_buffer_printf(text, "  %.*s\n", (int)length, lines);
        lines += length + (lines[length] == '\n');
    }
}

static cd_status print_help(cd_ctx *ctx, const cd_option *const *tables)
{
    const cd_filter *filter = ctx->filter;
    cd_buffer text = {0};
    cd_buffer_printf(&text, "usage: %s [OPTIONS] %s\n%s\n", filter->name,
                     filter->synopsis ? filter->synopsis : "[FILE]", filter->summary);
    cd_options_help(tables, &text);
    if (filter->help) {
        cd_buffer_text(&text, "\n");
        filter->help(&text);
    }
    if (filter->notes)
        cd_buffer_printf(&text, "\n%s\n", filter->notes);
    if (filter->example)
        print_examples(filter->example, &text);
    cd_buffer_text(&text, "\nExit codes: 0 ok, 1 check failed, 2 usage, 3 bad or cut input, 4 I/O or memory, "
                          "5 numerical failure, 6 unsupported.\n");
    if (!filter->version)  // a program of this project
        cd_buffer_printf(&text, "Manual: man %s\n", filter->name);
    cd_status status = cd_output_write(STDOUT_FILENO, "stdout", text.data, text.size, &ctx->diag);
    cd_buffer_release(&text);
    return status;
}

static cd_status print_version(cd_ctx *ctx)
{
    char text[128];
    const char *own = ctx->filter->version;  // of a program outside this project
    int length = own ? snprintf(text, sizeof text, "%.60s %.60s\n", ctx->filter->name, own)
                     : snprintf(text, sizeof text, "%s (cdtools) %s\n", ctx->filter->name, CD_VERSION);
    return cd_output_write(STDOUT_FILENO, "stdout", text, (size_t)length, &ctx->diag);
}

// What a shell makes of a variable that is not set.
static cd_status refuse_empty_names(cd_ctx *ctx)
{
    if (ctx->output_path && !ctx->output_path[0])
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "-o: the name is empty");
    for (int i = 0; i < ctx->operand_count; i++)
        if (!ctx->operand[i][0])
            return cd_fail(&ctx->diag, CD_ERR_USAGE, "operand %d is empty", i + 1);
    return CD_OK;
}

static cd_status apply_common(cd_ctx *ctx, const common *c)
{
    if (c->json && c->binary)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "-j and -b exclude each other");
    ctx->output_is_json = c->json;
    ctx->output_is_binary = c->binary;
    ctx->output_path = c->output;
    ctx->level = (int)c->level;
    ctx->threads = (int)c->threads;
    ctx->quiet = c->quiet;
    ctx->verbose = c->verbose;
    ctx->progress = !c->quiet && (c->progress || (isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO)));
    ctx->stats = c->stats;
    ctx->repeat = (int)c->repeat;
    ctx->counts = c->counts;
    ctx->no_prog = c->no_prog;
    ctx->limits = (cd_limits){.line = c->max_line, .block = c->max_block, .rows = c->max_rows};
    int allowed = ctx->filter->max_operands ? ctx->filter->max_operands : 1;
    if (ctx->operand_count > allowed)
        return cd_fail(&ctx->diag, CD_ERR_USAGE, "%.100s: one operand too many", ctx->operand[allowed]);
    return refuse_empty_names(ctx);
}

cd_status filter_take_options(cd_ctx *ctx, int argc, char **argv, bool *is_done)
{
    common c = {.level = -1,
                .threads = 1,
                .repeat = 1,
                .max_line = default_limits.line,
                .max_block = default_limits.block,
                .max_rows = default_limits.rows};
    const cd_option common_options[] = {
        CD_OPT_HEADING("Common options:"),
        CD_OPT_FLAG('h', "help", &c.help, "this text"),
        CD_OPT_FLAG('V', "version", &c.version, "version"),
        CD_OPT_FLAG(0, "json-usage", &c.usage, "tables read and written, and all options, as JSON"),
        CD_OPT_TEXT('o', "output", &c.output, "FILE", "write there, complete or not at all; - is standard output"),
        CD_OPT_FLAG('j', "json", &c.json, "write JSON-lines"),
        CD_OPT_FLAG('b', "binary", &c.binary, "write binary (default: as the input)"),
        CD_OPT_INT('l', "level", &c.level, "LEVEL", -1, 9, "binary: 0 raw, 1..9 zlib, -1: 0 to a pipe, 1 to a file"),
        CD_OPT_INT('t', "threads", &c.threads, "N", 1, 1024, "threads; results do not depend on it"),
        CD_OPT_FLAG('q', "quiet", &c.quiet, "no warnings, no progress"),
        CD_OPT_FLAG('v', "verbose", &c.verbose, "say more on stderr"),
        CD_OPT_FLAG(0, "progress", &c.progress, "progress on stderr (default on a terminal)"),
        CD_OPT_FLAG(0, "stats", &c.stats, "one JSON line of counts and times on stderr at the end"),
        CD_OPT_INT(0, "repeat", &c.repeat, "N", 1, 1e9, "do the work of each frame N times (for benchmarks)"),
        CD_OPT_FLAG(0, "counts", &c.counts, "JSON: row counts in fend and end"),
        CD_OPT_FLAG(0, "no-prog", &c.no_prog, "leave the provenance record out"),
        CD_OPT_INT(0, "max-line", &c.max_line, "BYTES", 1024, 0x1p40, "longest JSON line accepted"),
        CD_OPT_INT(0, "max-block", &c.max_block, "BYTES", 1024, 0x1p40, "largest binary block accepted"),
        CD_OPT_INT(0, "max-rows", &c.max_rows, "N", 1, 2147483646.0, "most rows of one table in a frame"),
        CD_OPT_END};
    // The tool's own options come first: help lists them so.
    static const cd_option none[] = {CD_OPT_END};
    const cd_option *const tables[] = {ctx->filter->options ? ctx->filter->options : none,
                                       ctx->filter->manner ? ctx->filter->manner : none, common_options, NULL};
    cd_buffer usage = {0};
    filter_usage_of_options(tables, &usage);
    const char *defaults = cd_arena_text(&ctx->run, usage.data, usage.size);
    cd_buffer_release(&usage);
    cd_arguments arguments;
    CD_TRY(cd_options_parse(tables, argc, argv, &ctx->run, &arguments, &ctx->diag));
    ctx->usage = c.usage ? defaults : NULL;
    *is_done = c.help || c.version;
    if (*is_done)
        return c.help ? print_help(ctx, tables) : print_version(ctx);
    // Operands and the tool's own arguments, for provenance.
    ctx->operand = arguments.operand;
    ctx->operand_count = arguments.operand_count;
    ctx->dashes_place = arguments.dashes_place;
    ctx->own_arguments = arguments.own;
    ctx->own_argument_count = arguments.own_count;
    return apply_common(ctx, &c);
}
