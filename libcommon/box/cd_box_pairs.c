// SPDX-License-Identifier: MIT
#include "cd_box_pairs.h"

#include "cd_assert.h"

// ---- order ---------------------------------------------------------------------------------------------------------

// Least significant digit first, 8 bits at a time; digits that are the same in all keys are skipped.
void cd_sort_keys(uint64_t *key, int32_t count, cd_arena *scratch)
{
    uint64_t differing = 0;
    bool is_sorted = true;
    for (int32_t i = 1; i < count; i++) {
        differing |= key[i] ^ key[0];
        is_sorted &= key[i - 1] <= key[i];
    }
    if (is_sorted)
        return;
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    uint64_t *from = key, *to = CD_ARENA_ARRAY(scratch, uint64_t, count);
    for (int shift = 0; shift < 64; shift += 8) {
        if (!(differing >> shift & 255))
            continue;
        int32_t place[257] = {0};
        for (int32_t i = 0; i < count; i++)
            place[(from[i] >> shift & 255) + 1]++;
        for (int digit = 0; digit < 256; digit++)
            place[digit + 1] += place[digit];
        for (int32_t i = 0; i < count; i++)
            to[place[from[i] >> shift & 255]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != key)
        memcpy(key, from, (size_t)count * sizeof *key);
    cd_arena_rewind(scratch, mark);
}

void cd_box_pairs_sort(cd_box_pairs *pairs, cd_arena *scratch)
{
    cd_arena_mark mark = cd_arena_get_mark(scratch);
    uint64_t *key = CD_ARENA_ARRAY(scratch, uint64_t, pairs->count);
    for (int32_t i = 0; i < pairs->count; i++) {
        uint64_t a = (uint32_t)pairs->item[i].a, b = (uint32_t)pairs->item[i].b;
        key[i] = a < b ? a << 32 | b : b << 32 | a;
    }
    cd_sort_keys(key, pairs->count, scratch);
    for (int32_t i = 0; i < pairs->count; i++) {
        CD_ASSERT(i == 0 || key[i - 1] < key[i]);
        pairs->item[i] = (cd_box_pair){(int32_t)(key[i] >> 32), (int32_t)(key[i] & UINT32_MAX)};
    }
    cd_arena_rewind(scratch, mark);
}

// ---- sweep ---------------------------------------------------------------------------------------------------------

// What one comparison reads, side by side in the order of the sweep.
typedef struct sweep_item {
    double low, high;       // [m] along the sweep axis
    double min[2], max[2];  // [m] along the others
    int32_t index;
} sweep_item;

// The axis of the largest variance of the finite box centres.
static int widest_axis(const cd_aabb *box, int32_t box_count, int dim)
{
    int best = 0;
    double largest = -1;
    for (int axis = 0; axis < dim; axis++) {
        double count = 0, mean = 0, sum = 0;  // Welford's running variance
        for (int32_t i = 0; i < box_count; i++) {
            double centre = box[i].min[axis] / 2 + box[i].max[axis] / 2;
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
    for (int32_t width = 1; width<count; width = width> count / 2 ? count : 2 * width) {
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

// The boxes after the sweep's `i` that meet it; their number. What does not is written over by the next: which of them
// meet nobody can guess, and a branch that is guessed wrong costs more than all comparisons of a box.
static int32_t find_met(const sweep_item *item, int32_t count, int32_t i, int32_t *met)
{
    const sweep_item one = item[i];
    int32_t found = 0;
    for (int32_t j = i + 1; j < count && item[j].low <= one.high; j++) {
        const sweep_item *other = &item[j];
        met[found] = other->index;
        found += !((one.min[0] > other->max[0]) | (other->min[0] > one.max[0]) | (one.min[1] > other->max[1]) |
                   (other->min[1] > one.max[1]));
    }
    return found;
}

void cd_box_sweep(const cd_aabb *box, int32_t count, int dim, cd_box_wanted *wanted, const void *context,
                  cd_arena *arena, cd_box_pairs *pairs)
{
    sweep_item *item = CD_ARENA_ARRAY(arena, sweep_item, count), *scratch = CD_ARENA_ARRAY(arena, sweep_item, count);
    int axis = widest_axis(box, count, dim), second = (axis + 1) % dim, third = (axis + 2) % dim;
    for (int32_t i = 0; i < count; i++)
        item[i] = (sweep_item){box[i].min[axis],
                               box[i].max[axis],
                               {box[i].min[second], box[i].min[third]},
                               {box[i].max[second], box[i].max[third]},
                               i};
    item = merge_sort(item, scratch, count);
    int32_t *met = CD_ARENA_ARRAY(arena, int32_t, count);
    for (int32_t i = 0; i < count; i++) {
        const int32_t found = find_met(item, count, i, met);
        for (int32_t k = 0; k < found; k++)
            if (wanted(context, item[i].index, met[k]))
                cd_list_push(arena, pairs, ((cd_box_pair){item[i].index, met[k]}));
    }
}
