// filter_sink -- what the reader of a stage's output has no use for: cd-loop behind the last stage of its pipeline.
//
// cd-loop writes down in CD_LOOP_SINK which pipe it reads and which tables of frames it keeps or needs: the stage whose
// standard output is that pipe leaves the others out. Who only inherits the variable writes to another pipe, and is not
// meant. Most of a frame are rows and entries of the problem, which nobody reads behind cd-step.
// SPDX-License-Identifier: MIT
#ifndef FILTER_SINK_H
#define FILTER_SINK_H

#include "cd_records.h"

// Names of tables with commas between, behind what names the pipe that fd writes to. @owns arena
char *filter_sink_text(int fd, const char *tables, cd_arena *arena);
// Tables of frames (CD_BIT) that who reads from fd by such a text has no use for; none where text is NULL, of another
// pipe, or no such text.
uint64_t filter_sink_leaves_out(const char *text, int fd);

#endif
