// cd_input -- bytes of a file or pipe, unpacked when they are gzip, in one window that grows with what arrives.
//
// open -> (fill, look at data[start..end), consume)... -> close. Only cd_reader uses it.
// SPDX-License-Identifier: MIT
#ifndef CD_INPUT_H
#define CD_INPUT_H

#include "cd_memory.h"
#include "cd_status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cd_input {
    int fd;
    const char *name;   // for messages
    char *data;         // window, in `memory`; what stands at start has no alignment
    size_t start, end;  // bytes not consumed yet: data[start..end)
    size_t capacity;    // of the window
    cd_region memory;
    bool at_end;           // the source gave its last byte, or the last of a part that cd_input_go_to chose
    int64_t left;          // [bytes] of that part that are still to be read; INT64_MAX: no bound
    int64_t bytes_read;    // [bytes] from the source so far, as they are stored there
    struct cd_gzip *gzip;  // NULL: plain
} cd_input;

// Finds out whether the bytes are packed. fd goes over to it: cd_input_close closes it, but for 0 to 2; name: borrowed.
// CD_ERR_IO
cd_status cd_input_open(cd_input *input, int fd, const char *name, cd_diag *diag) CD_MUST_CHECK;
// Makes at least `wanted` bytes available behind start, or all there are (at_end). Moves the window: pointers into it
// die.
cd_status cd_input_need(cd_input *input, size_t wanted, cd_diag *diag) CD_MUST_CHECK;
// Reads on at `place` [bytes] of a plain file and no further than `bytes` (INT64_MAX: to its end); the window is empty
// then. Only where all that was made available has been consumed. CD_ERR_IO
cd_status cd_input_go_to(cd_input *input, int64_t place, int64_t bytes, cd_diag *diag) CD_MUST_CHECK;
void cd_input_close(cd_input *input);

#endif
