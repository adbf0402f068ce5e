// loop_resume -- to go on with the trajectory of an earlier run, whole, cut or interrupted, as if it had never stopped.
//
// The result of a frame depends on that frame alone, and a frame at the start of a whole step is its bodies and nodes.
// So the last such frame of the file is taken off and made again: every frame behind it, and the clock, are then those
// of a run that was not interrupted, to the bit.
// SPDX-License-Identifier: MIT
#ifndef LOOP_RESUME_H
#define LOOP_RESUME_H

#include "loop_origin.h"

// What an earlier run wrote. Memory: the run's arena, but for frame_places.
typedef struct cd_loop_file {
    const char *path;  // FILE.part, or FILE
    bool has_end;      // the stream is whole
    bool is_first;     // the frame to be made again is the first one of the run
    bool needs_scene;  // that one, of which rounds have changed what the scene said
    cd_encoding encoding;
    cd_writer_place place;      // where that frame begins
    cd_buffer frame_places;     // cd_frame_place of the frames before it
    double first_step;          // [s] of the first frame, and
    cd_buffer first_positions;  // [m] of its bodies
    cd_prog_rows stages;        // provenance of the stages, behind cd-loop's own
} cd_loop_file;

// Reads options->resume whole; origin: its head tables, and the frame to be made again. CD_ERR_FORMAT, CD_ERR_USAGE
// where it is no trajectory of cd-loop, or one with other options. @owns caller: release
cd_status cd_loop_file_read(cd_ctx *ctx, const cd_loop_options *options, cd_loop_file *file,
                            cd_loop_origin *origin) CD_MUST_CHECK;
void cd_loop_file_release(cd_loop_file *file);

// Is this the scene that the file's run began with? CD_ERR_FORMAT
cd_status cd_loop_file_check_scene(cd_ctx *ctx, const cd_loop_file *file, const cd_loop_origin *of_file,
                                   const cd_loop_origin *of_scene) CD_MUST_CHECK;
// Are these the stages of the file's run? `back`: all provenance that came back, `sent`: the number of rows that were
// sent.
cd_status cd_loop_file_check_stages(cd_ctx *ctx, const cd_loop_file *file, const cd_prog_rows *back,
                                    int32_t sent) CD_MUST_CHECK;

#endif
