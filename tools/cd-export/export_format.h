// export_format -- what a format of cd-export is given and what it must give back.
//
// begin (head tables are complete) -> frame (each chosen one) -> finish (after `end` of the stream) -> close, where
// begin has set `state`, whatever failed. What a format cannot hold it counts, and says in one line at the end
// (cd_warn).
// SPDX-License-Identifier: MIT
#ifndef EXPORT_FORMAT_H
#define EXPORT_FORMAT_H

#include "cd_filter.h"
#include "cd_frame_range.h"
#include "export_target.h"

// As they stand on the command line; NULL: not given.
typedef struct cd_export_options {
    const char *to, *types, *frames;
    int64_t segments;  // corners of a circle
} cd_export_options;

typedef struct cd_export_format cd_export_format;

typedef struct cd_export {
    cd_ctx *ctx;
    const cd_export_format *format;
    int segments;
    uint64_t types;       // asked for, bits of CD_BIT
    uint64_t tables;      // that are read: `types`, what they refer to, and what the format needs
    const cd_refs *refs;  // ids of the tables below
    cd_model in;          // the head tables and, in `frame`, those of the frame; columns in ctx->run and ctx->arena
    int64_t frame_count;  // chosen frames before this one
    void *state;          // the format's own, in ctx->run; set in `begin`
} cd_export;

struct cd_export_format {
    const char *name, *about;  // the word of --to; one line for --help
    uint64_t choice;           // types that --type may name; 0: the option is refused
    uint64_t usual;            // without --type; 0, where there is a choice: the option is required
    uint64_t needs;            // tables that are read in any case
    bool has_defaults;         // absent values of bodies and shapes are filled in
    bool holds_one_frame;      // exactly one
    bool needs_frame;          // at least one
    bool is_binary;            // not to a terminal
    cd_status (*begin)(cd_export *e);
    cd_status (*frame)(cd_export *e);
    cd_status (*finish)(cd_export *e);
    void (*close)(cd_export *e);
};

extern const cd_export_format *const cd_export_formats[];  // by their line in export_formats.def, ended by NULL
extern const char *const cd_export_names[];                // their words, ended by NULL

#endif
