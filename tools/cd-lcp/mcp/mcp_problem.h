// mcp_problem -- what the parts of cd_mcp_solve() share: the equilibrated problem, its blocks of free variables, its
// islands.
//
// Order of use: cd_mcp_problem_build; cd_mcp_find_blocks; for each island cd_mcp_island_gather and cd_mcp_island_solve
// (islands do not touch each other's variables, so they may be solved at the same time, each with a copy of the problem
// that has an arena of its own); cd_mcp_problem_measure. Everything is in equilibrated coordinates, those of contacts
// without friction as they were given (cd_mcp_matrix_scale_contacts).
//
// Blocks are shared by the copies, but what solving an island writes into its blocks (column, x, g, dense, root, r, c,
// lu; row and equation of a reduced one) is owned by the arena of the copy that solves it, and dangles once that arena
// is rewound after the island. Only z and kind outlive it.
// SPDX-License-Identifier: MIT
#ifndef MCP_PROBLEM_H
#define MCP_PROBLEM_H

#include "lcp_dense.h"
#include "mcp.h"
#include "mcp_matrix.h"

typedef enum cd_mcp_kind {
    CD_MCP_FREE,
    CD_MCP_LOWER,
    CD_MCP_UPPER,
    CD_MCP_BOXED,
    CD_MCP_DISC,   // a tangent of a friction disc
    CD_MCP_SPLIT,  // free, but its block is singular: z = y - t with y, t >= 0, and both w >= 0 and -w >= 0
    CD_MCP_FIXED
} cd_mcp_kind;

// A connected component of the free variables: rows and columns `row[0..count)`, factored, with
// x = B^-1 M_{B,held} s (count x column_count) and g = B^-1 (rhs + M_{B,fixed} z + M_{B,held} base), so z_B = -(g + x
// y).
typedef struct cd_mcp_block {
    int32_t count, column_count;
    int32_t offset;           // of its first variable among the velocities of its island
    const int32_t *row;       // its variables
    const int32_t *equation;  // the rows that give them: the same, unless cd_mcp_block_reduce() paired them anew
    int32_t *column;          // positions in the island's LCP
    double *x, *g;
    double *dense;  // B, count x count
    // The Cholesky factor of -B (sign = 1) or B (sign = -1) where either is positive definite beyond doubt and small;
    // else NULL, and r, c, the equilibration of the block by itself (within M its entries may be small beside the
    // Jacobians), and lu.
    double *root, sign;
    double *r, *c;
    cd_lu lu;
} cd_mcp_block;

typedef struct cd_mcp_problem {
    cd_mcp_matrix m;
    cd_mcp_kind *kind;
    double *rhs, *lower, *upper, *z;
    double *mu;                   // of the tangents of discs; NULL without discs
    double *row_unit, *col_unit;  // powers of two to the coordinates of the residual: row_unit w, z / col_unit
    int32_t *component;           // of a free variable: its block; else -1
    int32_t *equation;  // row of the matrix of a variable: its own, but for free variables of a singular block
    int32_t *local;     // its place in the block, or in the island's LCP
    int32_t *velocity;  // of a free variable: its place among the velocities of its island
    cd_mcp_block *blocks;
    bool is_contacts;  // rows and columns stand as they were given, cd_mcp_matrix_scale_contacts
    bool is_based;     // some base of a held variable (cd_mcp_base) or value of a fixed one is not 0
    double *seen_z, *seen_w, *seen_error;  // of each row, when it was measured last; NAN: it was not
    double *own_size;                      // of each row: its part in `size`, the largest
    double size;                           // divisor of the residual
    cd_arena *arena;
} cd_mcp_problem;

typedef struct cd_mcp_island {
    const int32_t *row;  // its members, ascending
    int32_t count;
    int32_t *held, held_count;  // members that are not free; LCP rows 0..held_count-1
    int32_t boxed_count;        // boxed and split ones: LCP rows behind those, in the order of the held ones
    int32_t split_count;
    int32_t disc_count;  // tangents
    int32_t *block, block_count;
    int32_t velocity_count;  // free members
} cd_mcp_island;

typedef struct cd_mcp_island_result {
    cd_lcp_status status;
    const char *reason, *solver;
    int64_t iterations;
    int32_t rows;  // of its LCP
    // What its way through the methods took from the size of the whole: at any with error <= share tolerance size it
    // is the same. share 0: at its own size alone.
    double error, share;
} cd_mcp_island_result;

// Whether an island, solved at one size of the whole, would be solved in the same way at another.
static inline bool cd_mcp_is_so_at(const cd_mcp_island_result *r, double then, double size, double tolerance)
{
    return size == then || (r->share > 0 && r->error <= r->share * tolerance * size);
}

// A held variable is z = base + sign y; y >= 0 but for discs and split ones.
static inline double cd_mcp_sign(const cd_mcp_problem *p, int32_t i) { return p->kind[i] == CD_MCP_UPPER ? -1 : 1; }
static inline double cd_mcp_base(const cd_mcp_problem *p, int32_t i)
{
    return p->kind[i] == CD_MCP_UPPER                                ? p->upper[i]
           : p->kind[i] == CD_MCP_DISC || p->kind[i] == CD_MCP_SPLIT ? 0
                                                                     : p->lower[i];
}
static inline bool cd_mcp_is_held(cd_mcp_kind kind) { return kind != CD_MCP_FREE && kind != CD_MCP_FIXED; }
static inline double cd_mcp_clip(double x, double lower, double upper)
{
    return x < lower ? lower : x > upper ? upper : x;
}

// beside: what other parts of the same problem, that nothing joins to this one, have in common with it, or NULL. It is
// `spread` of the matrix then, and `size` is at least beside_size.
cd_mcp_problem cd_mcp_problem_build(const cd_mcp *mcp, cd_mcp_spread *beside, double beside_size, cd_arena *arena);
// w_i; *size grows by the sum of the magnitudes of its terms but rhs_i.
double cd_mcp_row_value(const cd_mcp_problem *p, int32_t i, const double *z, double *size);
// Row i's part of the residual, not divided, and w_i.
double cd_mcp_row_error(const cd_mcp_problem *p, int32_t i, const double *z, double *w);
// The largest error of rows at p->z, which is remembered for cd_mcp_problem_measure.
double cd_mcp_rows_error(const cd_mcp_problem *p, const int32_t *row, int32_t count);
// The residual of z and w, both in the units of the problem as it was given, not divided by `size`. error: of each row,
// or NULL.
double cd_mcp_problem_measure(const cd_mcp_problem *p, const double *z, double *w, double *error);

// ---- mcp_blocks.c: the free variables
void cd_mcp_find_blocks(cd_mcp_problem *p);
// Of a block of one variable: the entry of the matrix; -1: it is 0.
int32_t cd_mcp_single_entry(const cd_mcp_problem *p, const cd_mcp_block *b);
bool cd_mcp_block_factor(const cd_mcp_problem *p, cd_mcp_block *b);  // false: singular
// Of a singular block: keeps as many variables as it has rank, with the equations that give them, and makes the others
// CD_MCP_SPLIT. All equations say w = 0, so it does not matter which of those left is paired with which variable.
void cd_mcp_block_reduce(const cd_mcp_problem *p, cd_mcp_block *b);
void cd_mcp_block_constants(const cd_mcp_problem *p, cd_mcp_block *b);  // sets g
// Sets column, column_count and x. `slot` (an entry an LCP row) must be all -1 and is again.
void cd_mcp_block_condense(const cd_mcp_problem *p, cd_mcp_block *b, int32_t *slot);
void cd_mcp_block_substitute(const cd_mcp_problem *p, const cd_mcp_block *b);  // z of its variables from all others

// Members of each component in ascending order: those of component k are member[first[k]] .. member[first[k+1]-1].
void cd_mcp_list_members(const int32_t *component, int32_t n, int32_t count, int32_t **first, int32_t **member,
                         cd_arena *arena);

// Part of the tolerance that an island as structure gets (mcp_island.c).
#define CD_MCP_STRUCTURE_SHARE 0.5

// ---- mcp_structure.c: an island as structure; blocks must be factored and have their constants
// The lower Cholesky factor of -B (sign = 1) or B (sign = -1), whichever is positive definite; NULL when neither or not
// symmetric.
double *cd_mcp_block_root(const cd_mcp_problem *p, const cd_mcp_block *b, double *sign);
// False when the island is not of the form N N' + C. In the units of the problem as it was given: y = c z of the
// equilibrated one.
bool cd_mcp_island_gram(const cd_mcp_problem *p, const cd_mcp_island *s, cd_lcp_structure *out);
cd_lcp_structure cd_mcp_island_structure(const cd_mcp_problem *p, const cd_mcp_island *s);  // blocks must be condensed

// ---- mcp_island.c
cd_mcp_island cd_mcp_island_gather(const cd_mcp_problem *p, const int32_t *row, int32_t count);
cd_mcp_island_result cd_mcp_island_solve(const cd_mcp_problem *p, const cd_mcp_island *s, const cd_lcp_solver *solver,
                                         const cd_lcp_options *options);

#endif
