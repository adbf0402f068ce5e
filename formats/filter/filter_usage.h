// filter_usage -- --json-usage: what a tool reads and writes, and its options, as JSON for programs (the check of
// cd-loop, completion of command lines).
// SPDX-License-Identifier: MIT
#ifndef FILTER_USAGE_H
#define FILTER_USAGE_H

#include "cd_filter.h"

// The options of the tables as the elements of a JSON array, one a line: name, letter, type (flag, integer, number,
// text, choice), argument, words, low, high, default, help. Before the command line is parsed: targets hold the
// defaults until then.
void filter_usage_of_options(const cd_option *const *tables, cd_buffer *out);

// Writes the whole object to standard output, with the tables of the options that were given (after `begin`).
cd_status filter_print_usage(cd_ctx *ctx) CD_MUST_CHECK;

#endif
