// filter_again -- frames that come again: what rests is sent through a pipeline in step after step, and nothing in it
// has changed but the number and the time.
//
// Where all needed tables of a frame are, byte for byte, those of the frame before, so is what the stage writes: the
// blocks that it wrote are written once more, nothing is decoded and nothing worked out. A stage says so, frame by
// frame: cd_ctx.is_pure. Blocks alone are looked at, raw or packed; where JSON-lines are on either side nothing is
// kept.
//
// open at the record `frame` -> take each needed chunk, and one without bytes for a chunk of a table that rows of
// needed ones refer to; where it is not as it was: the loop decodes in[0 .. same), which were kept back, then turn, and
// add from there on -> at `fend` is_whole: pass `out`; else the loop runs the stage, and what it writes is kept where
// wants says so.
//
// Memory: of a frame that moves its first table; of one whose first tables came again all needed ones and what was
// written, 256 MiB at most: a run with larger frames keeps nothing. Cost: comparing, and while things come to rest a
// copy. (A step of 1,024 bricks at rest: see pipelines/stand.)
// SPDX-License-Identifier: MIT
#ifndef FILTER_AGAIN_H
#define FILTER_AGAIN_H

#include "cd_filter.h"

typedef struct filter_again {
    bool is_on;             // of the run
    cd_buffer frame;        // the record `frame` of the frame kept, without its number and time
    int64_t index;          // of that frame
    double time;            // [s]
    CD_LIST(cd_chunk) in;   // its needed chunks, in order, or the first of them; their bytes are owned
    CD_LIST(cd_chunk) out;  // the blocks that the stage wrote for it
    bool has_out;
    size_t bytes;  // of both
    // The open frame.
    bool is_same_frame;  // its record `frame` says the same
    int32_t same;        // so many of its needed chunks are those kept, and not decoded; -1: it is decoded as usual
    int32_t room;        // so many chunks more are kept; INT32_MAX: all of them
} filter_again;

void filter_again_release(filter_again *again);
// A frame begins.
void filter_again_open(filter_again *again, const cd_frame_rows *frame);
// The next needed chunk: is it as it was? It need not be decoded then.
bool filter_again_take(filter_again *again, const cd_chunk *chunk);
// The frame is another one than that kept, from here on: what was kept back is decoded. is_odd: it has something by
// which it is not to be known again.
void filter_again_turn(filter_again *again, bool is_odd);
// A needed chunk behind that.
void filter_again_add(filter_again *again, const cd_chunk *chunk);
// At the frame's end: is it, whole, the one kept? Then `out` is what the stage would write.
bool filter_again_is_whole(const filter_again *again);
// Before the stage's tables are written: are they to be kept? body: with `release`, where the stage has it.
bool filter_again_wants(filter_again *again, const cd_body_rows *body);
// A block that was written; context: the filter_again. A cd_block_seen.
void filter_again_wrote(void *context, const cd_block_header *header, const void *stored);

#endif
