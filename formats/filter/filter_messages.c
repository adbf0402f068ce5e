// SPDX-License-Identifier: MIT
#include "filter_messages.h"

#include "cd_clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static const char *tool_name = "cdtools";  // for the memory handler, which has no other way to know

void filter_print_line(const char *tool, const char *text)
{
    cd_buffer line = {0};
    cd_buffer_printf(&line, "%s: ", tool);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7f)
            cd_buffer_printf(&line, "\\x%02x", *c);
        else
            cd_buffer_append(&line, c, 1);
    cd_buffer_text(&line, "\n");
    if (write(STDERR_FILENO, line.data, line.size) < 0) {
        // Nobody listens on stderr: the exit code still tells.
    }
    cd_buffer_release(&line);
}

static void out_of_memory(size_t bytes)
{
    char text[160];
    int length = snprintf(text, sizeof text, "%s: out of memory: %zu bytes wanted\n", tool_name, bytes);
    if (write(STDERR_FILENO, text, (size_t)length) < 0)
        _exit(4);
    _exit(4);
}

void filter_watch_memory(const char *tool)
{
    tool_name = tool;
    cd_set_memory_handler(out_of_memory);
}

void cd_warn(const cd_ctx *ctx, const char *format, ...)
{
    if (ctx->quiet)
        return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    filter_print_line(ctx->filter->name, text);
}

void cd_progress(const cd_ctx *ctx, const char *format, ...)
{
    static double last;  // rate limit of a terminal line: no result depends on it
    double now = cd_clock(CLOCK_MONOTONIC);
    if (!ctx->progress || now - last < 0.1)
        return;
    last = now;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "\r\033[K%s: ", ctx->filter->name);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

void filter_end_progress(const cd_ctx *ctx)
{
    if (ctx->progress)
        fputs("\r\033[K", stderr);
}
