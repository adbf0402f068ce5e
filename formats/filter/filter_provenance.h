// filter_provenance -- which tool wrote what: `prog` records, metrics, and the rank from which on a rerun makes a table
// or a metric stale. The rest of it is in cd_filter.h.
// SPDX-License-Identifier: MIT
#ifndef FILTER_PROVENANCE_H
#define FILTER_PROVENANCE_H

#include "cd_filter.h"

// A metric goes with the tables of the tool that wrote it: the rank from which on a rerun makes it stale. CD_RANK_END:
// not a stage of this project.
cd_rank filter_metric_rank(const char *tool);

#endif
