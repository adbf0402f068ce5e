// A plane sweeps across the boxes; those that it cuts are rectangles in a tall XY tree (broad_xytree.h). A box that
// begins is compared with those held and then held itself, until it ends.
// SPDX-License-Identifier: MIT
#include "broad_plane.h"

static void find(const cd_broad_run *run)
{
    const cd_broad_input *input = run->input;
    cd_broad_plane plane = cd_broad_plane_of(run);
    cd_tall_xytree held = cd_tall_xytree_new(plane.held_most, plane.bits, run->arena);
    int32_t *found = CD_ARENA_ARRAY(run->arena, int32_t, plane.held_most);
    for (int64_t e = 0; e < 2 * (int64_t)plane.count && !cd_broad_is_full(run, 0); e++) {
        cd_broad_plane_prefetch(&plane, e);
        if (plane.event[e] >= (uint32_t)plane.count) {
            int32_t ended = (int32_t)(plane.event[e] - (uint32_t)plane.count);
            cd_tall_xytree_delete(&held, &plane.section[ended], ended);
            continue;
        }
        int32_t begun = (int32_t)plane.event[e];
        int32_t meets = cd_tall_xytree_query(&held, &plane.section[begun], found);
        for (int32_t k = 0; k < meets; k++)
            cd_broad_emit(input, run->pairs, begun, found[k]);
        cd_tall_xytree_insert(&held, &plane.section[begun], begun);
    }
}

const cd_broad_method cd_broad_sweep_xytree = {
    "sweep-xytree",
    "sweep plane over an interval tree of priority search trees",
    "O(n log n + k + trees and rectangles visited in vain: up to all held for a box wide along both axes)",
    "64 while it sorts, then 24 and 48 to 64 for each box cut at once",
    "McCreight, Priority Search Trees, SIAM J. Comput. 14, 1985; the XY tree of Koziara's Solfec-1.0",
    find,
    NULL,
    NULL,
    false};
