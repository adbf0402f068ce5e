// A plane sweeps across the boxes; those that it cuts lie in the cells of a plane grid, each with an XY tree.
// SPDX-License-Identifier: MIT
#include "broad_sweep_trees.h"

static void find(const cd_broad_run *run) { cd_broad_sweep_trees(run, 2); }

const cd_broad_method cd_broad_sweep_hash2d_xytree = {
    "sweep-hash2d-xytree",
    "sweep plane over hashed cells with priority search trees",
    "O(n log n + k + cells covered and rectangles of a cell that overlap along one axis)",
    "64 while it sorts, then 24 and 36 for each box and cell cut at once (a box is in 16 cells at most)",
    "McCreight, Priority Search Trees, SIAM J. Comput. 14, 1985; the 2-D hash of XY trees of Koziara's Solfec-1.0",
    find,
    NULL,
    NULL,
    false};
