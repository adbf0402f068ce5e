// Sort-and-sweep: boxes are sorted by their lower face along the axis on which they lie most spread, then each is
// compared with those that begin before it ends. Cost O(n log n + s), s the pairs that overlap along that axis: about
// n^(5/3) for n boxes of like size that fill a cube.
// SPDX-License-Identifier: MIT
#include "broad_faces.h"

// What one comparison reads, side by side in the order of the sweep. 56 bytes a box.
typedef struct sweep_item {
    double low, high;       // [m] along the sweep axis
    double min[2], max[2];  // [m] along the others
    int32_t index;
} sweep_item;

static void find(const cd_broad_run *run)
{
    const cd_broad_input *input = run->input;
    int dim = input->dim, axis = cd_broad_sparsest_axis(run->statistics, dim);
    int second = (axis + 1) % dim, third = (axis + 2) % dim;
    const uint32_t *order = cd_broad_sort_faces(run, axis, input->count);
    sweep_item *item = CD_ARENA_ARRAY(run->arena, sweep_item, input->count);
    for (int32_t k = 0; k < input->count; k++) {
        int32_t i = (int32_t)order[k];
        const double *min = input->min + (int64_t)dim * i, *max = input->max + (int64_t)dim * i;
        item[k] = (sweep_item){min[axis], max[axis], {min[second], min[third]}, {max[second], max[third]}, i};
    }
    for (int32_t i = 0; i < input->count && !cd_broad_is_full(run, 0); i++) {
        sweep_item one = item[i];
        for (int32_t j = i + 1; j < input->count && item[j].low <= one.high; j++) {
            const sweep_item *other = &item[j];
            if (one.min[0] <= other->max[0] && other->min[0] <= one.max[0] && one.min[1] <= other->max[1] &&
                other->min[1] <= one.max[1])
                cd_broad_emit(input, run->pairs, one.index, other->index);
        }
    }
}

const cd_broad_method cd_broad_sweep = {"sweep",
                                        "sort-and-sweep along the axis of the sparsest boxes",
                                        "O(n log n + pairs that overlap along the axis)",
                                        "60",
                                        "Baraff, Dynamic Simulation of Non-Penetrating Rigid Bodies, 1992",
                                        find,
                                        NULL,
                                        NULL,
                                        false};
