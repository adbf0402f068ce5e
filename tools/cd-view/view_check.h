// view_check -- the conventions of a stream that decoding alone does not enforce. STREAM.md states them; looked at are
//
//   shapes      polygons strictly convex and counter-clockwise, compounds of earlier shapes with good parts, vertex numbers in range
//   frames      index ascends, or stays with a higher substep or round; time = index * step of a fixed step,
//               anew where a step's rest was given up
//   bodies      position of active bodies, mass and inertia of dynamic ones
//               (not looked at: a body without a shape beside bounds, which is a name for these, and one of elements,
//               whose nodes have position and mass)
//   sites       parts exist in the body's shape
//   sides       a < b by body id, in pair, contact and the metrics of a pair
//   order       bounds by a, pair by (a, b), contact by (a, b, features); ids of contact, constraint, row ascend
//   elements    as many nodes as their kind has, of the stream's dimension, a reference with volume, split at most 4
//   once        one solution and verdict a frame, a body in trial and next, a node in next_node and nodal_force, a row
//               in value, a pair in pair
//   bounds      min <= max; row lower <= upper; a friction row's normal_row exists; a velocity row has a body
//   contacts    (point_b - point_a) . normal = gap, point = their middle (not of volumes); features fit the kind
//
// Units, signs and unit normals: decoding checks what the table of fields states (exit 3).
// SPDX-License-Identifier: MIT
#ifndef CD_VIEW_CHECK_H
#define CD_VIEW_CHECK_H

#include "cd_tables.h"

enum { CD_CHECK_TEXT = 160 };

// All rows of a frame's table that break one rule: counted, the first one described.
typedef struct cd_finding {
    const char *table, *rule;
    int64_t frame;  // -1: head
    int64_t rows;
    char first[CD_CHECK_TEXT];
} cd_finding;

typedef struct cd_check {
    CD_LIST(cd_finding) findings;
    cd_arena arena;       // of the findings
    int32_t frame_start;  // findings of the open frame begin here
    int32_t *leaf_first;  // first leaf of each shape, NULL unknown
    cd_arena leaves;
    // the run so far
    bool has_frame, is_fixed_step;
    int64_t first_index, index;
    double first_time, time, whole;  // [s] whole: the whole step that the last frame is (a part of)
    double given_up_at;  // [s] where a step begins if the last frame's rest was given up: a new grid of times
    int32_t substep, round;
    int64_t frames;
} cd_check;

// The run before the first frame, then frame by frame: findings are added; the tables are borrowed for the call.
void cd_check_head(cd_check *check, cd_arena *arena, const cd_tables *head, const cd_refs *refs);
void cd_check_frame(cd_check *check, cd_arena *arena, const cd_tables *head, const cd_tables *frame);
void cd_check_release(cd_check *check);

#endif
