// step_parts -- the parts of the bodies while a step is looked at: which pairs of them could meet, where they are after
// a share of the step, and how far apart two of them are then.
//
// cd_step_meet, once for all looks at one motion -> cd_step_place at any share -> cd_step_apart_of.
// SPDX-License-Identifier: MIT
#ifndef STEP_PARTS_H
#define STEP_PARTS_H

#include "cd_box_pairs.h"
#include "cd_leaves.h"
#include "step_bodies.h"

// What is looked at, and with what.
typedef struct cd_step_gaps {
    const cd_step_bodies *bodies;
    const cd_leaves *shapes;
    int threads;
    cd_arena *arena;  // scratch, given back
    double length;    // [m] L of cd_length.h
} cd_step_gaps;

// Borrowed, the arena too.
cd_step_gaps cd_step_gaps_make(cd_arena *arena, const cd_step_bodies *bodies, const cd_leaves *shapes, int threads);
cd_status cd_step_gaps_check(const cd_step_gaps *gaps, cd_diag *diag) CD_MUST_CHECK;  // shapes and poses are there

// ---- pairs ---------------------------------------------------------------------------------------------------------

typedef struct cd_step_part {
    int32_t body, leaf;
    bool is_dynamic;
} cd_step_part;

// Where a body is over the step: pairs ask for it many times.
typedef struct cd_step_way {
    cd_step_state state[2];  // at the start and at the end
    cd_vec3 start, end;      // [m] its origin there
    cd_vec3 middle;          // [m] what its parts are placed about, alone
} cd_step_way;

// Pairs of parts of different bodies, one of them dynamic, whose boxes over the whole step meet; in an order that no
// result may depend on.
typedef struct cd_step_meeting {
    int32_t count;
    const cd_step_part *part;  // of all bodies that take part, by user id
    const cd_step_way *way;    // by body row, of these bodies
    cd_box_pairs pairs;        // numbers of parts
} cd_step_meeting;

// It holds for the velocities that the bodies have now. O(n log n + pairs). @owns gaps->arena
cd_step_meeting cd_step_meet(const cd_step_gaps *gaps);

// ---- two parts at a pose -------------------------------------------------------------------------------------------

typedef union cd_step_placed {  // by dim
    cd_leaf2 plane;
    cd_solid3 space;
} cd_step_placed;

// The part where its body is after the share (0..1) of the step, its coordinates about `middle` [m]; of space vertices
// alone, without planes. @owns arena
cd_step_placed cd_step_place(const cd_step_gaps *gaps, const cd_step_meeting *meeting, const cd_step_part *part,
                             double share, cd_vec3 middle, cd_arena *arena);
// [m] What a pair is placed about: the middle of both ways, but where their bodies are in two cells.
cd_vec3 cd_step_middle_of_pair(const cd_step_gaps *gaps, const cd_step_meeting *meeting, const cd_box_pair *pair);

// The signed distance, exact. Kinds without a routine (two half-spaces, ellipses of the plane) can have no contacts
// either: infinite.
typedef struct cd_step_apart {
    double gap;        // [m] NaN: they overlap, but how deep is not known (curved bodies)
    cd_vec3 normal;    // unit, from a to b; z is 0 in the plane
    bool is_crossing;  // two edges of polyhedra are nearest:
    cd_vec3 edge[2];   // [m] these, of a and of b
    bool is_without;   // there is no routine
} cd_step_apart;

// Both placed about one middle. Scratch is used up.
cd_step_apart cd_step_apart_of(int dim, const cd_step_placed *a, const cd_step_placed *b, cd_arena *scratch);
// The gap of that where it is not above 0; else a number above 0 and, to rounding, no larger than it, which is cheaper
// to have. along: of space, a unit vector that may part polyhedra; NULL: none is known.
double cd_step_apart_least(int dim, const cd_step_placed *a, const cd_step_placed *b, const cd_vec3 *along,
                           cd_arena *scratch);

#endif
