// mcp_matrix -- the sparse matrix of a mixed complementarity problem: rows, scales and connected components.
//
// cd_mcp_matrix_build: O(n + entries) (two counting sorts, columns first, so rows come sorted and equal places
// adjacent). Entries of one place are added in the order given; zeros are dropped, so they connect nothing.
// cd_mcp_matrix_scale: both of the following, in common sweeps where the matrix is symmetric.
// Equilibration: powers of two as in lcp_solver.h (Ruiz 2001): a = r_i M_ij c_j. For the elimination.
// cd_mcp_norm_scales: powers of two for the residual, of the raw matrix. Equilibration of the whole will not do: it
// bounds entries from above only, so beside Jacobians of 1 a mass of 1e-6 stays 1e-6, its row a momentum beside gap
// rows in velocities, and the verdict depends on the unit of mass. Here the block of the free variables comes first and
// alone (of velocity rows r = c = mass^-1/2: velocities in the energy norm, the same for every unit of mass, length and
// time), then the rows and columns that meet it, step by step outwards, one power of two a step, then Ruiz' sweeps on
// all but the free ones. Another unit of mass by a power of 4 gives the very same scaled matrix, by 2 one within a
// factor 2. Without free variables: as equilibrated. Components: union-find with the least member as representative, so
// numbering follows the row order.
// SPDX-License-Identifier: MIT
#ifndef MCP_MATRIX_H
#define MCP_MATRIX_H

#include "mcp.h"

#include <stdbool.h>

// Where the scales of a row depend on rows that it has nothing to do with: cd_mcp_norm_scales spreads them in at most
// CD_MCP_SPREADS turns, and those that get theirs in one turn share the largest entry.
enum { CD_MCP_SPREADS = 8 };

// The largest of each turn, 0: none. In: of rows that this matrix stands beside; out: of these and its own.
typedef struct cd_mcp_joint {
    double row[CD_MCP_SPREADS], col[CD_MCP_SPREADS];
} cd_mcp_joint;

typedef struct cd_mcp_spread {
    cd_mcp_joint joint;
    int8_t *row_turn, *col_turn;  // n: the turn in which it got its scale, -1: none; NULL: not asked
    double *row_most, *col_most;  // n: its own largest entry there
} cd_mcp_spread;

typedef struct cd_mcp_matrix {
    int32_t n;
    int32_t *first;             // n + 1: entries of row i are first[i] .. first[i+1] - 1
    const int32_t *col;         // ascending within a row; the problem's own where it has them so
    const double *value;        // raw until equilibrated: then `raw`, where that is not NULL
    const double *raw;          // the problem's own values, where they stand as here; else NULL
    bool is_symmetric;          // M_ij = M_ji to the last bit, as it was given
    double *r, *c;              // powers of two; 1 until equilibrated. The tangents of a disc share theirs
    int32_t *normal, *partner;  // of the tangents of discs: row of the normal impulse, the other tangent (-1: none);
                                // NULL without discs
    cd_mcp_spread *spread;      // NULL: it stands alone, and nobody asks
} cd_mcp_matrix;

cd_mcp_matrix cd_mcp_matrix_build(const cd_mcp *mcp, cd_arena *arena);

void cd_mcp_norm_scales(const cd_mcp_matrix *m, const bool *free, double *r, double *c, cd_arena *scratch);

// r, c (n each): those of cd_mcp_norm_scales; then m is equilibrated.
void cd_mcp_matrix_scale(cd_mcp_matrix *m, const bool *free, double *r, double *c, cd_arena *scratch);

// The same of a matrix without discs whose rows that are not free meet free ones alone, as of contacts without
// friction: their scales follow from one look at their entries, and m stays as it was given, its r and c 1. For
// what becomes N N' in the units of the problem anyway. False, r and c spoilt: it is not so.
bool cd_mcp_matrix_scale_contacts(const cd_mcp_matrix *m, const bool *free, double *r, double *c, cd_arena *scratch);

// Component number of each member (-1 for the others), over entries that join two members and between tangents
// and their normal rows. Returns the number of components.
int32_t cd_mcp_components(const cd_mcp_matrix *matrix, const bool *member, int32_t *component, cd_arena *scratch);

#endif
