// mcp_matrix -- the sparse matrix of a mixed complementarity problem: rows, scales and connected components.
//
// cd_mcp_matrix_build: O(n + entries) (two counting sorts, columns first, so rows come sorted and equal places adjacent).
// Entries of one place are added in the order given; zeros are dropped, so they connect nothing. Values are equilibrated by
// powers of two as in lcp_solver.h (Ruiz 2001): a = r_i M_ij c_j.
// Components: union-find with the least member as representative, so numbering follows the row order.
// SPDX-License-Identifier: MIT
#ifndef MCP_MATRIX_H
#define MCP_MATRIX_H

#include "mcp.h"

#include <stdbool.h>

typedef struct cd_mcp_matrix {
    int32_t n;
    int32_t *first;   // n + 1: entries of row i are first[i] .. first[i+1] - 1
    int32_t *col;     // ascending within a row
    double *value;    // equilibrated
    double *r, *c;    // powers of two
} cd_mcp_matrix;

cd_mcp_matrix cd_mcp_matrix_build(const cd_mcp *mcp, cd_arena *arena);

// Component number of each member (-1 for the others), over entries that join two members. Returns the number of components.
int32_t cd_mcp_components(const cd_mcp_matrix *matrix, const bool *member, int32_t *component, cd_arena *scratch);

#endif
