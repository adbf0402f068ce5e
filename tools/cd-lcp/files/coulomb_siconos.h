// coulomb_siconos -- reads the text in which Siconos keeps contact problems with friction (its `.dat` files).
//
// Numbers between blanks: d, C, then for a FrictionContactProblem the matrix M, q (d C numbers), mu (C); for a
// GlobalFrictionContactProblem M, H, q (as many as M has rows), b (d C), mu. They are told apart by how many numbers
// follow the first matrix. A matrix: storage, rows, columns; storage 0, dense: rows and columns again, the numbers
// column by column; storage 1, blocks: number of blocks, block rows, block columns, where each block row and column
// ends, lengths and contents of the two arrays of compressed rows, then each block: its number and its entries column
// by column. Storage 2 (a print of CSparse) is CD_ERR_UNSUPPORTED, so are d = 1 and 5 (rolling). Numbers behind the
// last one are passed over, as Siconos does. Memory grows with the numbers that arrived.
// Source: Siconos 4.4, numerics/src/FrictionContact and numerics/src/tools, what its readers accept.
// SPDX-License-Identifier: MIT
#ifndef COULOMB_SICONOS_H
#define COULOMB_SICONOS_H

#include "coulomb.h"

// text: `size` bytes and a NUL. Failures are CD_ERR_FORMAT, "name:line: reason".
cd_status cd_coulomb_read_siconos(const char *name, const char *text, size_t size, cd_arena *arena, cd_coulomb *out,
                                  cd_diag *diag) CD_MUST_CHECK;

#endif
