// coulomb_fclib -- reads contact problems with friction in FCLIB's HDF5 files, by libhdf5 where it is installed.
//
// The library (1.10 or newer) is looked for when the first such file is opened, not when the program starts: it brings
// thirty others with it, which take longer to load than most frames to solve. Without it: CD_ERR_UNSUPPORTED.
//   fclib_local:  spacedim; W; vectors/q, vectors/mu            V, R, s (further unknowns): CD_ERR_UNSUPPORTED
//   fclib_global: spacedim; M, H; vectors/f, vectors/w, vectors/mu     G, b (joints): CD_ERR_UNSUPPORTED
// each matrix with m, n, nz, p, i, x: nz = -1 compressed columns, -2 compressed rows, >= 0 triplets (i: rows, p:
// columns, as CSparse has them and Siconos writes them; fclib.h says it the other way round, and where one of the two
// leaves the matrix the other is taken). H is J'. An M or W with entries on one
// side of its diagonal alone stands for the symmetric matrix (LMGC's files). Other groups (info, solution, guesses) are
// passed over. Source: FCLIB, src/fclib.h; Acary et al., INRIA RT-0444, 2014, section 4.
// SPDX-License-Identifier: MIT
#ifndef COULOMB_FCLIB_H
#define COULOMB_FCLIB_H

#include "coulomb.h"

// The first eight bytes of an HDF5 file.
bool cd_coulomb_is_hdf5(const char *bytes, size_t size);

// Failures are "path: dataset: reason".
cd_status cd_coulomb_read_fclib(const char *path, cd_arena *arena, cd_coulomb *out, cd_diag *diag) CD_MUST_CHECK;

#endif
