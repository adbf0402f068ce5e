// box_stream -- the boxes of a stream, frame by frame, as plain arrays: for programs that time or check the broad
// phase, in C and C++.
//
//     box_stream *stream = box_stream_open(path);
//     for (box_frame frame; box_stream_next(stream, &frame);) ...
//     box_stream_close(stream);
//
// Reads the table `bounds` of a stream, of either encoding; rows must be in canonical order, as cd-scene writes them,
// so that row numbers are item numbers. Files *.f64 are one frame of rows xmin ymin zmin xmax ymax zmax, little-endian
// doubles, without anything else. What is wrong with the file ends the program with one line and exit code 1.
// SPDX-License-Identifier: MIT
#ifndef BOX_STREAM_H
#define BOX_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct box_frame {
    int dim;  // 2 or 3
    int32_t count;
    const double *min, *max;  // [m] dim numbers a box; valid until the next call
} box_frame;

typedef struct box_stream box_stream;
box_stream *box_stream_open(const char *path);
bool box_stream_next(box_stream *stream, box_frame *frame);  // false behind the last frame
bool box_stream_is_last(box_stream *stream);  // is no frame behind the one that was given last? It stays valid
void box_stream_close(box_stream *stream);

// The sum over all pairs of a mixed (smaller index, larger index): tells sets of pairs apart, whatever their order.
static inline uint64_t box_pair_hash(int32_t one, int32_t other)
{
    uint64_t a = (uint32_t)(one < other ? one : other), b = (uint32_t)(one < other ? other : one);
    uint64_t z = (a << 32 | b) + 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double box_cpu_seconds(void);  // of this process
double box_wall_seconds(void);
double box_median(double *value, int count);  // sorts `value`
// Peak of the memory that is really there [KiB] since the last call of box_peak_reset; since the start of the program
// where the kernel cannot reset it (/proc/self/clear_refs).
void box_peak_reset(void);
long box_peak_kib(void);
long box_now_kib(void);  // what is there now

#ifdef __cplusplus
}
#endif
#endif
