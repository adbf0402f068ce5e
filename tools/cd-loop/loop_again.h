// loop_again -- steps that come again: where nothing moves any more, each frame that would be sent is the one before
// but for its number and time, and so is its answer.
//
// The stages say so: each frame goes out with fend.again 1, and a stage that answered it with what it wrote for the
// frame before adds one. Where all of the pipeline did, and the next frame is the one that they answered, its answer is
// known: it is written once more and the pipeline is not asked. A stage that works, or that knows nothing of
// fend.again, leaves it out, and none behind it begins to count; one that hands on what it read is missing in the sum.
//
// note (an answer has come) -> knows (the next frame) -> at: it is that answer, at the frame's number and time.
// Cost: comparing the frame, O(its bytes). Memory: a copy of it.
// SPDX-License-Identifier: MIT
#ifndef LOOP_AGAIN_H
#define LOOP_AGAIN_H

#include "loop_origin.h"

typedef struct cd_loop_again {
    bool is_known;     // the answer to the frame `sent` is what any like it would have
    cd_buffer sent;    // that frame's tables, without its number and time
    cd_arena_mark at;  // memory of the answer ends here; that of the frame made of it follows
    int64_t index;     // of the frame in work, where it comes again
    double time;       // [s]
} cd_loop_again;

void cd_loop_again_release(cd_loop_again *again);
// The answer to `sent` is there; arena: of the answer. is_same: each stage answered as it did before.
void cd_loop_again_note(cd_loop_again *again, const cd_loop_frame *sent, bool is_same, const cd_arena *arena);
// Is the answer to this frame the last one?
bool cd_loop_again_knows(const cd_loop_again *again, const cd_loop_frame *frame);
// Makes the last answer's row `frame` that of the frame in work; its columns are `again`'s own. Gives back the memory
// behind the answer.
void cd_loop_again_at(cd_loop_again *again, const cd_frame_rows *frame, cd_arena *arena, cd_frame_rows *answer);

#endif
