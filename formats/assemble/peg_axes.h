// peg_axes -- the size of a velocity block: 3 components in the plane (x, y, spin), 6 in space (velocity, spin).
// SPDX-License-Identifier: MIT
#ifndef PEG_AXES_H
#define PEG_AXES_H

enum { CD_PEG_AXES_MAX = 6 };

#endif
