// step_nodes -- the nodes of bodies of elements over a step of central differences (step_central.h): forces of their
// elements and of contacts, gravity, and the state at the step's end.
//
//   dynamic node of a dynamic body   v + kick h (f / m + g), then x + h v
//   prescribed, or its body is       x + h v with its given velocity
//   fixed, or its body is, or no body of elements that takes part has it    keeps its state
// SPDX-License-Identifier: MIT
#ifndef STEP_NODES_H
#define STEP_NODES_H

#include "cd_solids.h"

typedef enum cd_step_node_motion { CD_STEP_NODE_STAYS, CD_STEP_NODE_GOES, CD_STEP_NODE_IS_PUSHED } cd_step_node_motion;

typedef struct cd_step_nodes {
    const cd_model *in;
    int dim;
    double step, kick;      // [s]; [1] of it
    const uint8_t *motion;  // by row of `node`: cd_step_node_motion
    const cd_vec3 *before;  // [m/s] half a step before the frame
    const cd_vec3 *after;   // half a step behind it
    double strain_energy;   // [J] at the frame
} cd_step_nodes;

// CD_ERR_FORMAT "node 5: mass: required of a dynamic node", CD_ERR_NUMERIC where a velocity is not finite; and as
// cd_solids_place. @owns arena
cd_status cd_step_nodes_make(cd_arena *arena, const cd_model *in, const cd_solids *solids,
                             const cd_placed_elements *placed, int threads, cd_step_nodes *nodes,
                             cd_diag *diag) CD_MUST_CHECK;

// A row for each node that does not stay, in the order of `node`. @owns arena
cd_status cd_step_write_nodes(cd_arena *arena, const cd_step_nodes *nodes, cd_next_node_rows *next,
                              cd_diag *diag) CD_MUST_CHECK;

#endif
