// cd_filter -- the frame of every tool: options, the read-process-write loop over frames, error lines, exit codes.
//
// A stage declares what it `needs` (tables decoded for it, defaults filled in) and what it `writes`. The loop passes
// every chunk on as stored bytes, except: tables of the stage's own rank and of all ranks above (they are stale and
// dropped), and metrics that go with them. At `fend` each_frame runs; then the tables of ctx->out are written, then
// `fend`, then stdout is flushed. So memory holds the needed tables of one frame, nothing else. A failed filter writes
// no `end`.
//
//     int main(int argc, char **argv)
//     {
//         return cd_filter_main(argc, argv, &(cd_filter){.name = "cd-broad", .summary = "...",
//                                                         .options = option_table,
//                                                         .needs = CD_BIT(body) | CD_BIT(shape),
//                                                         .writes = CD_BIT(bounds) | CD_BIT(pair),
//                                                         .begin = begin, .each_frame = each_frame});
//     }
// SPDX-License-Identifier: MIT
#ifndef CD_FILTER_H
#define CD_FILTER_H

#include "cd_codec.h"
#include "cd_option.h"
#include "cd_reader.h"
#include "cd_records.h"
#include "cd_refs.h"
#include "cd_writer.h"

#define CD_VERSION "0.1.0"

typedef struct cd_filter cd_filter;

// What a stage sees. Pointers inside `in` and `out` live in `arena` (frame tables) or `run` (head tables).
typedef struct cd_ctx {
    const cd_filter *filter;
    cd_arena run;    // run lifetime
    cd_arena arena;  // frame lifetime: reset after each frame
    cd_model in;     // the needed tables of the open frame and of the head, in stream order, defaults filled in; of
                     // `metric` the rows that stay
    cd_model out;    // what the stage writes; empty when each_frame is called. Tables of `writes` only.
    cd_parts parts[CD_REC_COUNT];  // instead of a table of `out`: one that is made while it is written; not for records
                                   // with ids
    cd_refs *refs;                 // ids of the input
    cd_diag diag;
    void *state;  // the stage's own, set in begin (memory from `run`)
    // The filter's masks to start with; begin may change them where its options say what is needed and written.
    uint64_t needs, writes;
    uint64_t plain;  // of the needed tables: those whose absent values stay absent; 0 to start with
    // Fields of the needed tables (sets of CD_FIELD_BIT), 0 to start with: those that the stage does not look at, which
    // are checked as all are, and absent in `in`; and those whose column may be NULL where no row has a value. Of head
    // tables set in begin; of tables of the frame open_frame may change them.
    uint64_t unread[CD_REC_COUNT], bare[CD_REC_COUNT];
    // common options
    const char *const *operand;  // input files: "-" or none is standard input
    int operand_count;
    int dashes_place;  // of the operand behind `--`; -1: there is no `--`
    int threads;       // >= 1
    bool quiet, verbose;
    bool progress;                          // asked for, or stderr is a terminal
    bool output_is_json, output_is_binary;  // -j, -b
    const char *output_path;                // -o, NULL: standard output
    int level;                              // -l, -1: by target
    bool counts;                            // --counts
    bool no_prog;                           // --no-prog
    bool stats;                             // --stats
    bool stats_are_printed;
    bool has_begun;  // `begin` has succeeded, or there is none
    int signal;      // the run ended well because of this signal: the exit code is 128 + its number; 0: none
    int repeat;      // --repeat, >= 1
    int repetition;  // how often each_frame has been called for this frame before
    // Set by each_frame, where it can say so; false before: what it wrote depends on the needed tables alone, not on
    // the frame's number, nor on its time but for who is released, and there was nothing to tell of and to remember.
    // The loop then answers a frame with the same tables, byte for byte, with the same blocks, and does not call it.
    bool is_pure;
    cd_limits limits;   // --max-*
    cd_reader *reader;  // of cd_filter_loop
    cd_writer *writer;
    int64_t again;                     // for --stats: frames that came again, see is_pure
    const char *method, *why;          // a stage sets them for --stats: the method that ran, and why it was chosen
    double reach;                      // [m] the same: the largest reach in force of the run; 0: it has none
    const char *usage;                 // --json-usage: the options as JSON; NULL: it was not asked for
    const char *const *own_arguments;  // the stage's own options as given, for provenance
    int own_argument_count;
} cd_ctx;

struct cd_filter {
    const char *name;              // "cd-broad"
    const char *version;           // NULL: CD_VERSION
    const char *summary;           // one line for --help
    const char *synopsis;          // operands after [OPTIONS]; NULL: "[FILE]"
    const char *notes;             // extra help text after the options, or NULL (method lists, units)
    const char *example;           // command lines for --help, separated by newlines; NULL only in foreign stages
    void (*help)(cd_buffer *out);  // more help made from a method table, or NULL
    const cd_option *options;
    const cd_option *manner;  // of how it speaks, not of what it writes: provenance leaves them out; NULL: none
    uint64_t needs, writes;   // masks of CD_BIT(...)
    // Tables without any of which the stage has nothing to work on: a stream with frames that has none of them, in none
    // of its frames, is refused (CD_ERR_FORMAT) where no program in its provenance can have made them. 0: none.
    uint64_t lives_on;
    int max_operands;                 // 0 means 1
    cd_status (*begin)(cd_ctx *ctx);  // once, options are parsed, nothing is read; may be NULL
    cd_status (*head)(cd_ctx *ctx);   // once, when the head tables are complete, before the first frame; may be NULL
    // Per frame, when its record `frame` is there and its tables are to come; no defaults yet. May change what is
    // `unread` of these tables; may be NULL.
    cd_status (*open_frame)(cd_ctx *ctx);
    cd_status (*each_frame)(cd_ctx *ctx);  // per frame
    // After the last frame and `end`; CD_ERR_CHECK here still leaves a complete stream; may be NULL.
    cd_status (*finish)(cd_ctx *ctx);
    void (*close)(cd_ctx *ctx);     // last of all, after failures too, when `begin` has run: gives back what `run` and
                                    // `arena` do not
    cd_status (*run)(cd_ctx *ctx);  // instead of the loop: tools that are not one-in one-out; may call cd_filter_loop
};

int cd_filter_main(int argc, char **argv, const cd_filter *filter);

// The loop itself, for tools with `run`.
cd_status cd_filter_loop(cd_ctx *ctx) CD_MUST_CHECK;

// For tools with `run`: a reader of operand `index` (standard input when there are fewer), a writer to -o or standard
// output in the encoding -j or -b asks for, else `usual`; text to -o or standard output (complete or an error).
cd_status cd_open_reader(cd_ctx *ctx, int index, cd_reader **reader) CD_MUST_CHECK;
cd_status cd_open_writer(cd_ctx *ctx, cd_encoding usual, cd_writer **writer) CD_MUST_CHECK;
cd_writer_options cd_usual_writer_options(const cd_ctx *ctx, cd_encoding usual);  // of that writer
// Of `count` streams that go to the folder of -o, which is made where it is not there: NAME-00000.cdb (.jsonl) and so
// on. writer: [count] all NULL; after a failure those that were opened are not, and are to be closed.
cd_status cd_open_writers(cd_ctx *ctx, cd_encoding usual, const char *name, int32_t count,
                          cd_writer **writer) CD_MUST_CHECK;
cd_status cd_write_text(cd_ctx *ctx, const char *text, size_t size) CD_MUST_CHECK;

// "cd-broad: text" on stderr, control bytes escaped, unless -q. For progress and warnings; errors go through cd_fail.
void cd_warn(const cd_ctx *ctx, const char *format, ...) CD_PRINTF(2, 3);
// Writes one progress line (overwriting the last) when ctx->progress; at most ten a second.
void cd_progress(const cd_ctx *ctx, const char *format, ...) CD_PRINTF(2, 3);

// Appends a metric row of this tool to ctx->out.metric. a, b: body rows or -1. Order of calls is kept.
void cd_add_metric(cd_ctx *ctx, const char *name, double value, int32_t a, int32_t b);

// The provenance row of this tool: one row in `arena`, its id behind those of `before` (may be empty). It records the
// tool's own options, not the common ones and no operands: files, threads and encodings do not make a difference to the
// result.
cd_status cd_make_prog(cd_ctx *ctx, cd_arena *arena, const cd_prog_rows *before, cd_prog_rows *prog) CD_MUST_CHECK;

// Writes that row, unless --no-prog: for tools with `run`, behind the records `before`.
cd_status cd_write_own_prog(cd_ctx *ctx, cd_writer *writer, const cd_prog_rows *before) CD_MUST_CHECK;

// Rank of a stage in the derived order: the lowest of what it writes; CD_RANK_END when it writes nothing.
cd_rank cd_lowest_rank(uint64_t writes);

#endif
