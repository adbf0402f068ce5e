// cd-export -- a stream as files of other programs: VTK, glTF, tables of text and of NumPy, Matrix Market. Reads: any
// stream. Writes: files.
// SPDX-License-Identifier: MIT
#include "export_run.h"

static cd_export_options opt = {.segments = 24};

static const cd_option option_table[] = {
    CD_OPT_CHOICE(0, "to", &opt.to, cd_export_names, "the format"),
    CD_OPT_TEXT(0, "type", &opt.types, "LIST", "the tables, by record type, as body,contact"),
    CD_OPT_TEXT(0, "frames", &opt.frames, "FRAMES",
                "frames of these indices: N, A:B, A:B:STEP or last (default: all; where a format holds one, the last)"),
    CD_OPT_INT(0, "segments", &opt.segments, "N", 6, 1000, "corners of a circle; balls have half as many rings"),
    CD_OPT_END};

static cd_status run(cd_ctx *ctx) { return cd_export_run(ctx, &opt); }

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv,
                          &(cd_filter){.name = "cd-export",
                                       .summary = "Write a stream as files of other programs.",
                                       .help = cd_export_help,
                                       .example = "cd-export --to pvd -o pile.pvd pile.cdb\n"
                                                  "cd-export --to csv --type contact -o contacts.csv pile.cdb",
                                       .options = option_table,
                                       .run = run});
}
