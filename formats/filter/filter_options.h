// filter_options -- the command line of a tool: its own options and the common ones.
// SPDX-License-Identifier: MIT
#ifndef FILTER_OPTIONS_H
#define FILTER_OPTIONS_H

#include "cd_filter.h"

// Puts what argv asks for into `ctx` and the targets of the tool's own options. is_done: --help or --version was asked
// for and is written; there is nothing to run.
cd_status filter_take_options(cd_ctx *ctx, int argc, char **argv, bool *is_done) CD_MUST_CHECK;

#endif
