// Sort-and-sweep: boxes are sorted by their lower face along the axis on which they lie most spread, then each is
// compared with those that begin before it ends. Cost O(n log n + s), s the pairs that overlap along that axis: about
// n^(5/3) for n boxes of like size that fill a cube.
// SPDX-License-Identifier: MIT
#include "broad_method.h"

// What one comparison reads, side by side in the order of the sweep. 56 bytes a box.
typedef struct sweep_item {
    double low, high;       // [m] along the sweep axis
    double min[2], max[2];  // [m] along the others
    int32_t index;
} sweep_item;

// The axis along which the boxes lie sparsest: most mean extents fit into their range.
static int sparsest_axis(const cd_broad_statistics *statistics, int dim)
{
    int best = 0;
    double most = -1;
    for (int axis = 0; axis < dim; axis++) {
        double range = statistics->high[axis] - statistics->low[axis], extent = statistics->extent_mean[axis];
        double fit = range > 0 ? range / (extent + 1e-9 * range) : 0;
        if (fit > most) {
            most = fit;
            best = axis;
        }
    }
    return best;
}

// A number whose order is that of the floats nearest to the lower faces, and the item in its lower half. Faces that
// differ as doubles alone may come in either order; the sweep compares floats too, so none is missed.
static uint64_t sort_key(float low, int32_t item)
{
    uint32_t bits;
    memcpy(&bits, &low, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | 0x80000000u;
    return (uint64_t)bits << 32 | (uint32_t)item;
}

static void find(const cd_broad_run *run)
{
    const cd_broad_input *input = run->input;
    int dim = input->dim, axis = sparsest_axis(run->statistics, dim), second = (axis + 1) % dim, third = (axis + 2) % dim;
    uint64_t *key = CD_ARENA_ARRAY(run->arena, uint64_t, input->count);
    for (int32_t i = 0; i < input->count; i++)
        key[i] = sort_key((float)input->min[(int64_t)dim * i + axis] + 0.0f, i);  // no negative zero
    cd_sort_keys(key, input->count, run->arena);
    sweep_item *item = CD_ARENA_ARRAY(run->arena, sweep_item, input->count);
    for (int32_t k = 0; k < input->count; k++) {
        int32_t i = (int32_t)(key[k] & UINT32_MAX);
        const double *min = input->min + (int64_t)dim * i, *max = input->max + (int64_t)dim * i;
        item[k] = (sweep_item){min[axis], max[axis], {min[second], min[third]}, {max[second], max[third]}, i};
    }
    for (int32_t i = 0; i < input->count && !cd_broad_is_full(run, 0); i++) {
        sweep_item one = item[i];
        float high = (float)one.high;
        for (int32_t j = i + 1; j < input->count && (float)item[j].low <= high; j++) {
            const sweep_item *other = &item[j];
            if (other->low <= one.high && one.low <= other->high && one.min[0] <= other->max[0] && other->min[0] <= one.max[0] && one.min[1] <= other->max[1] &&
                other->min[1] <= one.max[1])
                cd_broad_emit(input, run->pairs, one.index, other->index);
        }
    }
}

const cd_broad_method cd_broad_sweep = {"sweep",
                                        "sort-and-sweep along the axis of the sparsest boxes",
                                        "O(n log n + pairs that overlap along the axis)",
                                        "72",
                                        "Baraff, Dynamic Simulation of Non-Penetrating Rigid Bodies, 1992",
                                        find,
                                        NULL};
