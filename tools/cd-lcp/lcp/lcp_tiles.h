// lcp_tiles -- a symmetric matrix in tiles of 4 x 4, those that are all zeros left out.
//
// Contacts come in bunches, those of one pair of bodies one after the other, so a tile that is there is mostly full.
// A loop over the tiles of a row runs at the machine's width with one place looked up for four numbers; entries alone
// take a load, a place and an addition each. Vectors beside the tiles have cd_tiles_padded(n) numbers, 0 behind the
// n-th: tiles at the edge reach there, with zeros.
// Each loop runs the same operations in the same order at every width. Memory: 16 numbers a tile.
// SPDX-License-Identifier: MIT
#ifndef LCP_TILES_H
#define LCP_TILES_H

#include "cd_memory.h"

#include <stdbool.h>
#include <stdint.h>

enum { CD_TILE = 4 };

typedef struct cd_tile_row {
    int32_t count;
    int32_t *col;   // the first column of each tile, ascending
    double *value;  // four rows, one after the other, of four numbers a tile
} cd_tile_row;

typedef struct cd_tiles {
    int32_t n;
    int32_t rows;  // of tiles
    cd_tile_row *row;
} cd_tiles;

static inline int32_t cd_tiles_padded(int32_t n) { return (n + CD_TILE - 1) / CD_TILE * CD_TILE; }

// Of M, n x n by rows. False: it is not finite, or not symmetric to the last bit.
bool cd_tiles_of_matrix(const double *M, int32_t n, cd_tiles *out, cd_arena *arena);

// N N' + C, symmetric, of rows with the entries `value` at `col`, ascending: those of N over m velocities, of C over
// the n rows. Of so many rows at most: a row of tiles is one word of bits then.
enum { CD_TILES_GRAM_MOST = 256 };
struct cd_lcp_rows;
cd_tiles cd_tiles_of_gram(const struct cd_lcp_rows *N, const struct cd_lcp_rows *C, int32_t n, int32_t m,
                          cd_arena *arena);

double cd_tiles_most(const cd_tiles *t, int32_t i, const double *c);  // the largest |S_ij| c_j
void cd_tiles_scale(const cd_tiles *t, const double *c);              // S_ij := S_ij c_i c_j
double cd_tiles_entry(const cd_tiles *t, int32_t i, int32_t j);       // S_ij
// The tile of row i on the diagonal: four rows, `stride` numbers from one to the next. NULL: it is all zeros.
const double *cd_tiles_of_itself(const cd_tiles *t, int32_t i, size_t *stride);
void cd_tiles_spread(const cd_tiles *t, int32_t i, double factor, double *out);  // out_j := factor S_ij in its tiles
// The same with as many rows as there are, up to four: out_{4 j + k} := S_ij of the k-th row i; and 0 there again.
void cd_tiles_spread_four(const cd_tiles *t, const int32_t *i, int32_t count, double *out);
void cd_tiles_forget_four(const cd_tiles *t, const int32_t *i, int32_t count, double *out);
double cd_tiles_dot(const cd_tiles *t, int32_t i, const double *y);               // sum of S_ij y_j
void cd_tiles_add_row(const cd_tiles *t, int32_t i, double factor, double *out);  // out_j += factor S_ij
void cd_tiles_add(const cd_tiles *t, const double *y, double *w);                 // w += S y, row after row of S
// w_i += sum of S_ij y_j, size_i += the magnitudes of its terms, each row by itself.
void cd_tiles_measure(const cd_tiles *t, const double *y, double *w, double *size);
// One sweep of projected over-relaxation: y_i := max(0, y_i - w_i step_i), and w with it. Whether other rows than
// before have y > 0. No division: row waits for row.
bool cd_tiles_relax(const cd_tiles *t, const double *step, double *y, double *w);

#endif
