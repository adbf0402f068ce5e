// broad_sweep_trees -- sweep plane over a hash of XY trees, along one axis across the sweep or along both.
//
// A cell is an interval of 2^shift ranks along each hashed axis: the hash function is a shift, cells hold about equal
// numbers of faces however clustered these are, and there are no collisions. Cells are about twice as wide as the mean
// box and at most as many as boxes are held at once. A box is held in the tree of each cell that it covers, a box that
// covers more than a few in one tree apart, which every box that begins is compared with. A pair is reported in the
// cell that holds the lower corner of the boxes' intersection, so once.
// SPDX-License-Identifier: MIT
#ifndef BROAD_SWEEP_TREES_H
#define BROAD_SWEEP_TREES_H

#include "broad_method.h"

// hashed: number of hashed axes, 1 or 2. Memory: the plane's 24 bytes a box and 40 more while it is set up, then 4
// bytes a cell, 28 a box and cell that are held at once, and 4 a box.
void cd_broad_sweep_trees(const cd_broad_run *run, int hashed);

#endif
