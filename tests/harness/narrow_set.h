// narrow_set -- sets of pairs of convex polyhedra with the right answers, and how a program that answers is timed and
// judged: the same for cd-narrow's kernels (narrow_kernel.c) and for other libraries (pipelines/bench-narrow/peers).
//
// narrow_make writes a set: bytes "cdpairs1", int32 pairs, int32 vertices, 16 bytes name of the kind; then per pair
// twice a body (int32 vertices, faces, corners; doubles x y z a vertex; int32 first corner of each face and the number
// of corners; int32 vertex of each corner) and five doubles: inner point, gap, volume. All little-endian, without
// padding. Coordinates are those of the world, in m; faces are lists of vertices, counter-clockwise from outside.
// SPDX-License-Identifier: MIT
#ifndef NARROW_SET_H
#define NARROW_SET_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- sets ----------------------------------------------------------------------------------------------------------

typedef struct narrow_body {
    int32_t vertex_count, face_count;
    const double *vertex;        // [m] x y z of each
    const int32_t *face_first;   // [face_count + 1]
    const int32_t *face_vertex;  // counter-clockwise from outside
} narrow_body;

typedef struct narrow_pair {
    narrow_body body[2];  // a and b
    double inner[3];      // [m] the centroid of the intersection; NaN: there is none
    double gap;           // [m] the signed distance, negative the penetration depth; NaN: not known
    double volume;        // [m^3] of the intersection; NaN: not known
    double scale;         // [m] the larger diameter of the two (twice the largest distance from the mean vertex)
} narrow_pair;

typedef struct narrow_set {
    char kind[16];
    int32_t vertices, count;
    narrow_pair *pair;  // its memory stays until the program ends
} narrow_set;

// What is wrong with the file ends the program with one line and exit code 1.
narrow_set narrow_set_read(const char *path);

// ---- programs ------------------------------------------------------------------------------------------------------

typedef enum narrow_question {
    NARROW_OVERLAP,   // 1 or 0
    NARROW_DISTANCE,  // [m] 0 where they overlap
    NARROW_DEPTH,     // [m] 0 where they are apart
    NARROW_SIGNED,    // [m] the distance, or minus the depth
    NARROW_VOLUME,    // [m^3] of the intersection, its polyhedron built or not
    NARROW_CONTACT,   // the same answer, of a program that finds the contact point, normal, area, surfaces and gap too
    NARROW_QUESTIONS
} narrow_question;

typedef struct narrow_program {
    const char *name, *library;
    narrow_question question;
    const char *what;
    void *(*prepare)(const narrow_set *set);   // all that can be done before it is known who meets whom
    double (*ask)(void *prepared, int32_t i);  // pair i; NaN: the program gave up
} narrow_program;

// name, library, question, what; separated by tabs
void narrow_program_print(const narrow_program *program);

// Asks for all pairs, `repeats` times or until `seconds` are spent, more often where that takes less than 0.03 s, and
// prints one JSON line: per_pair is the median of the CPU seconds of a pass by the number of pairs, memory_kib what the
// passes needed at most beyond what was prepared.
//
// An answer is wrong when it is off by more than 1e-6 of the scale (volumes: of the volume, and 1e-12 of the scale
// cubed), when it is NaN, or when it tells overlap and separation apart wrongly where the gap is larger than 1e-6 of
// the scale: `missed` counts overlaps, `false` separated pairs. Errors are parts of the scale, of volumes relative.
void narrow_program_run(const narrow_program *program, const narrow_set *set, int repeats, double seconds);

// A main program around a table of them, ended by one without a name: without arguments a list, else NAME SET [REPEATS
// [SECONDS]].
int narrow_program_main(const narrow_program *table, int argc, char **argv);

#ifdef __cplusplus
}
#endif
#endif
