// filter_messages -- what a tool says on stderr: error lines, the end of a progress line, running out of memory.
// SPDX-License-Identifier: MIT
#ifndef FILTER_MESSAGES_H
#define FILTER_MESSAGES_H

#include "cd_filter.h"

// "tool: text" and a newline on stderr in one write, control bytes escaped.
void filter_print_line(const char *tool, const char *text);

// Takes the progress line off the terminal.
void filter_end_progress(const cd_ctx *ctx);

// From here on a failed allocation ends the process: "tool: out of memory: N bytes wanted", exit code 4. `tool` is
// kept.
void filter_watch_memory(const char *tool);

#endif
