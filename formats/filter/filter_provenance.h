// filter_provenance -- which tool wrote what: `prog` records, metrics, and the rank from which on a rerun makes a table
// or a metric stale. The rest of it is in cd_filter.h.
// SPDX-License-Identifier: MIT
#ifndef FILTER_PROVENANCE_H
#define FILTER_PROVENANCE_H

#include "cd_filter.h"

// A metric goes with the tables of the tool that wrote it: the rank from which on a rerun makes it stale. CD_RANK_END:
// not a stage of this project.
cd_rank filter_metric_rank(const char *tool);

// The tool that makes tables of this set, for a message; NULL: no stage does.
const char *filter_maker_of(uint64_t tables);

// May one of the programs have made a table of this set? Those outside this project may, and this project's stages that
// do. cd-loop runs stages that it does not name.
bool filter_may_have_made(const cd_prog_rows *progs, uint64_t tables);

#endif
