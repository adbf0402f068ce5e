// A plane sweeps across the boxes; those that it cuts lie in stripes along one axis, each with an XY tree.
// SPDX-License-Identifier: MIT
#include "broad_sweep_trees.h"

static void find(const cd_broad_run *run) { cd_broad_sweep_trees(run, 1); }

const cd_broad_method cd_broad_sweep_hash1d_xytree = {
    "sweep-hash1d-xytree",
    "sweep plane over stripes with priority search trees",
    "O(n log n + k + rectangles of a stripe that overlap along it: up to all held for boxes that long)",
    "64 while it sorts, then 24 and 36 for each box and stripe cut at once (a box is in 8 stripes at most)",
    "McCreight, Priority Search Trees, SIAM J. Comput. 14, 1985; the 1-D hash of XY trees of Koziara's Solfec-1.0",
    find,
    NULL,
    NULL,
    false};
