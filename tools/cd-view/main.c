// cd-view -- look at a stream: convert, select, tabulate, check, fingerprint, salvage. Reads: any stream. Writes: a
// stream or text.
// SPDX-License-Identifier: MIT
#include "view_run.h"

static cd_view_options opt;

static const cd_option option_table[] = {
    CD_OPT_TEXT(0, "type", &opt.types, "LIST", "keep these record types, as body,contact (and what they refer to)"),
    CD_OPT_TEXT(0, "frames", &opt.frames, "FRAMES", "keep frames of these indices: N, A:B, A:B:STEP or last"),
    CD_OPT_TEXT(0, "bodies", &opt.bodies, "LIST", "keep these bodies, as 1,4,10:20, and rows that refer to no other"),
    CD_OPT_FLAG(0, "check", &opt.check, "verify every record and convention; a line per problem, exit 1"),
    CD_OPT_FLAG(0, "digest", &opt.digest, "print a fingerprint of the content (-v: with the sums it is made of)"),
    CD_OPT_FLAG(0, "table", &opt.table, "print aligned tables (-v: all digits)"),
    CD_OPT_FLAG(0, "salvage", &opt.salvage,
                "write the whole frames of a cut or damaged stream; exit 3 when something is lost"),
    CD_OPT_FLAG(0, "join", &opt.join,
                "make one stream of pieces of one run, given in order; exit 3 when they do not fit"),
    CD_OPT_TEXT(0, "why", &opt.why, "A [B]",
                "tell through all stages why bodies A and B touch or not, or what acted on A (-j: as JSON)"),
    CD_OPT_TEXT(0, "frame", &opt.frame, "INDEX",
                "of --why; fault: the first where stream and bodies differ; last (default: where the two are near)"),
    CD_OPT_FLAG(0, "fields", &opt.fields,
                "print the list of all record types and their members (-v: as mdoc); reads nothing"),
    CD_OPT_END};

static cd_status run(cd_ctx *ctx) { return cd_view_run(ctx, &opt); }

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv,
                          &(cd_filter){.name = "cd-view",
                                       .summary = "Convert, select, tabulate, check or fingerprint a stream.",
                                       .notes = "Without options the stream passes unchanged; -j and -b convert it.",
                                       .example = "cd-view --table --frames last run.cdb\n"
                                                  "cd-view --why 1 2 run.cdb\n"
                                                  "cd-view --join first.cdb second.cdb > run.cdb",
                                       .options = option_table,
                                       .synopsis = "[B] [FILE]...",
                                       .max_operands = 4096,
                                       .run = run});
}
