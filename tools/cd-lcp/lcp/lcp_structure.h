// lcp_structure -- a complementarity problem with its structure kept: no n x n matrix is formed.
//
//     w = q + left u + direct y,   u = right' y,   y complementary to w
//
// n rows (impulses, slacks), m velocities u. For bodies in contact `left` and `right` are the Jacobian, each row over
// the velocities of two bodies, made white by the Cholesky factors of the mass blocks: then right = left = N and the
// matrix N N' + direct is symmetric positive semidefinite whatever N is. `direct` holds what acts without a velocity:
// the slacks of disjunctions, or the whole matrix of a problem that has no velocities.
//
// y_i >= 0; with a room, y_i <= room_i as well; the tangents t of a disc: |(y_t)| <= mu y_normal, and y_t the
// projection of y_t - w_t on that disc.
// Memory: proportional to rows plus entries.
// SPDX-License-Identifier: MIT
#ifndef LCP_STRUCTURE_H
#define LCP_STRUCTURE_H

#include "lcp_solver.h"
#include "lcp_tiles.h"

#include <stdbool.h>

typedef struct cd_lcp_rows {
    int32_t *first;  // entries of row i are first[i] .. first[i+1] - 1
    int32_t *col;    // ascending within a row
    double *value;
} cd_lcp_rows;

struct cd_lcp_structure {
    int32_t n, m;
    cd_lcp_rows left, right, direct;
    double *q;
    double *room;           // upper bound of each y, infinity without; NULL: none has one
    int32_t *normal;        // row of the normal impulse of a disc's tangent, else -1; NULL: no discs
    int32_t *partner;       // the disc's other tangent, -1 when it has one only; together with `normal`
    double *mu;             // together with `normal`
    double *diagonal;       // of the matrix
    const cd_tiles *tiles;  // `direct`, which has no entries then; only for who asks for it. Else NULL
    bool is_full;           // direct holds all n columns of every row, zeros too
    bool is_symmetric;      // left = right (the same arrays), direct symmetric up to rounding
    bool is_skew;           // not so, but each row of `left` has the columns of that of `right`, and nothing is direct
    bool is_semidefinite;   // known to be positive semidefinite: symmetric, and direct diagonal and >= 0
};

static inline bool cd_lcp_is_tangent(const cd_lcp_structure *s, int32_t i) { return s->normal && s->normal[i] >= 0; }

// The row that says whether the contact of row i is open: its normal one.
static inline int32_t cd_lcp_head(const cd_lcp_structure *s, int32_t i)
{
    return cd_lcp_is_tangent(s, i) ? s->normal[i] : i;
}

// Rows that the factor of an active set may have: its square stays below options->max_dense.
int32_t cd_lcp_largest_factor(const cd_lcp_options *options);

// Of a matrix alone with M_ij = M_ji to the last bit: what cd_lcp_structure_classify would find.
void cd_lcp_structure_classify_same(cd_lcp_structure *s, cd_arena *arena);

// Sets diagonal, is_symmetric, is_skew and is_semidefinite from the other members.
void cd_lcp_structure_classify(cd_lcp_structure *s, cd_arena *arena);

// A dense problem as `direct`; zeros are left out, unless less than half of it is zero, of few rows three quarters.
cd_lcp_structure cd_lcp_structure_of_dense(const cd_lcp *lcp, cd_arena *arena);
// The same before cd_lcp_structure_classify; so many entries are not 0. Where it `is_full`, `direct` is the table of
// places alone, whose values the caller enters.
cd_lcp_structure cd_lcp_structure_entries(const cd_lcp *lcp, size_t filled, cd_arena *arena);

// The rows of `right` that touch each velocity, ascending: what one row of the matrix needs.
typedef struct cd_lcp_columns {
    int32_t *first, *row;
    double *value;
} cd_lcp_columns;
cd_lcp_columns cd_lcp_structure_columns(const cd_lcp_structure *s, cd_arena *arena);
// row[0..n) = row i of the matrix left right' + direct.
void cd_lcp_structure_row(const cd_lcp_structure *s, const cd_lcp_columns *columns, int32_t i, double *row);

// The problem of the rows with keep[i] alone, in their order. Rows of a disc are kept together, or its normal alone.
cd_lcp_structure cd_lcp_structure_part(const cd_lcp_structure *s, const bool *keep, cd_arena *arena);
// That of the rows that are no tangents.
cd_lcp_structure cd_lcp_structure_frictionless(const cd_lcp_structure *s, cd_arena *arena);

// The matrix, row-major n x n, and q. Rooms and discs are not part of it: where there are some, this is not the whole
// problem, and the caller takes care of them.
cd_lcp cd_lcp_structure_to_dense(const cd_lcp_structure *s, cd_arena *arena);

// w = q + left u + direct y with u = right' y (m, or NULL when it is not wanted).
void cd_lcp_structure_values(const cd_lcp_structure *s, const double *y, double *u, double *w, cd_arena *scratch);

// out = left u + direct y with u = right' y, which is scratch of m: the same without q.
void cd_lcp_structure_product(const cd_lcp_structure *s, const double *y, double *u, double *out);

// The natural residual with the rounding of w, as cd_lcp_natural_residual; discs by projection. w may be NULL.
double cd_lcp_structure_residual(const cd_lcp_structure *s, const double *y, double *w, cd_arena *scratch);

// One row's part of the natural map: the distance of y_i from where y_i - w_i is projected to.
double cd_lcp_structure_error(const cd_lcp_structure *s, int32_t i, const double *y, const double *w);

// Whether v >= 0 shows that nothing is feasible: the rows of v add up to what no y >= 0 can make non-negative (the
// signs of lcp_lemke.h). v must be 0 on rows with a room and on tangents, whose w may be negative.
bool cd_lcp_structure_refutes(const cd_lcp_structure *s, const double *v, cd_arena *scratch);

// The problem in coordinates where diagonals are near 1 and max |q| lies in [1/2, 1): powers of two, so exact.
// y = c y' / sigma. The two tangents of a disc share one c.
typedef struct cd_lcp_scaled_structure {
    cd_lcp_structure s;
    double *c;
    double sigma;
    bool is_same;  // all of them are 1
} cd_lcp_scaled_structure;
cd_lcp_scaled_structure cd_lcp_structure_scale(const cd_lcp_structure *s, cd_arena *arena);

#endif
