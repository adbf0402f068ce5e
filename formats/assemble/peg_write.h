// peg_write -- constraints, rows and entries as tables of the stream; user ids count from 0 in the order of the rows.
// SPDX-License-Identifier: MIT
#ifndef PEG_WRITE_H
#define PEG_WRITE_H

#include "cd_records.h"
#include "peg_frame.h"

void cd_peg_write(cd_arena *arena, const cd_peg_frame *frame, const cd_peg_constraints *constraints,
                  const cd_peg_problem *problem, int dim, cd_model *out);

#endif
