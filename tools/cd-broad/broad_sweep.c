// Sort-and-sweep on one axis: boxes are sorted by their lower face along the axis on which they lie most spread, then
// each box is compared with those that begin before it ends. O(n log n + k), k the pairs that overlap along the axis;
// k is about n^1.5 for n boxes of like size filling a square. Infinite boxes begin before all others and meet all of
// them. Source: D. Baraff, Dynamic Simulation of Non-Penetrating Rigid Bodies, thesis, Cornell 1992, section 2.2.
// SPDX-License-Identifier: MIT
#include "broad_method.h"

// What one comparison reads, side by side in the order of the sweep.
typedef struct sweep_item {
    double low, high;  // [m] along the sweep axis
    double min[2], max[2];  // [m] along the others
    int32_t index;
} sweep_item;

// The axis of the largest variance of the finite box centres.
static int widest_axis(const cd_broad_input *input)
{
    int best = 0;
    double largest = -1;
    for (int axis = 0; axis < input->dim; axis++) {
        double count = 0, mean = 0, sum = 0;  // Welford's running variance
        for (int32_t i = 0; i < input->count; i++) {
            double centre = input->box[i].min[axis] / 2 + input->box[i].max[axis] / 2;
            if (!isfinite(centre))
                continue;
            count += 1;
            double step = centre - mean;
            mean += step / count;
            sum += step * (centre - mean);
        }
        if (sum > largest) {
            largest = sum;
            best = axis;
        }
    }
    return best;
}

// Stable: equal lower faces keep the canonical order.
static sweep_item *merge_sort(sweep_item *from, sweep_item *to, int32_t count)
{
    for (int32_t width = 1; width < count; width = width > count / 2 ? count : 2 * width) {
        for (int32_t begin = 0; begin < count;) {
            int32_t middle = count - begin > width ? begin + width : count;
            int32_t end = count - middle > width ? middle + width : count;
            int32_t left = begin, right = middle;
            for (int32_t k = begin; k < end; k++) {
                bool take_left = left < middle && (right >= end || from[left].low <= from[right].low);
                to[k] = take_left ? from[left++] : from[right++];
            }
            begin = end;
        }
        sweep_item *swap = from;
        from = to;
        to = swap;
    }
    return from;
}

static void find(const cd_broad_input *input, cd_arena *arena, cd_broad_pairs *pairs)
{
    int32_t count = input->count;
    sweep_item *item = CD_ARENA_ARRAY(arena, sweep_item, count), *scratch = CD_ARENA_ARRAY(arena, sweep_item, count);
    int axis = widest_axis(input), second = (axis + 1) % input->dim, third = (axis + 2) % input->dim;
    for (int32_t i = 0; i < count; i++) {
        const cd_aabb *box = &input->box[i];
        item[i] = (sweep_item){box->min[axis], box->max[axis], {box->min[second], box->min[third]},
                               {box->max[second], box->max[third]}, i};
    }
    item = merge_sort(item, scratch, count);
    for (int32_t i = 0; i < count; i++) {
        sweep_item one = item[i];
        for (int32_t j = i + 1; j < count && item[j].low <= one.high; j++) {
            const sweep_item *other = &item[j];
            if (one.min[0] > other->max[0] || other->min[0] > one.max[0] || one.min[1] > other->max[1] ||
                other->min[1] > one.max[1])
                continue;
            if (cd_broad_wanted(input, one.index, other->index))
                cd_list_push(arena, pairs, ((cd_broad_pair){one.index, other->index}));
        }
    }
}

const cd_broad_method cd_broad_sweep = {"sweep", "sort-and-sweep along the widest axis, O(n log n + k)",
                                        "Baraff 1992", find};
