// cd-merge -- the shards of cd-shard, worked on apart, as one stream again. Reads: streams with `shard`. Writes: head
// tables, frame, body, node, bounds, pair, contact.
// SPDX-License-Identifier: MIT
#include "cd_shards.h"
#include "merge_run.h"

static const cd_option option_table[] = {CD_OPT_END};

int main(int argc, char **argv)
{
    return cd_filter_main(argc, argv,
                          &(cd_filter){.name = "cd-merge",
                                       .summary = "Join shards of cd-shard to the stream that they are parts of.",
                                       .synopsis = "SHARD...",
                                       .notes = "Refuses a shard that is missing, cut, or there twice, and names it.",
                                       .example = "cd-merge -o contacts.cdb contacts-*.cdb",
                                       .options = option_table,
                                       .max_operands = CD_SHARDS_MOST,
                                       .run = cd_merge_run});
}
