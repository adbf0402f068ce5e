// The kernels of `incremental`, once a vector level: the including file defines
//   WALK(name)            the name of the function at its level
//   node_mask(node, b)    bit l: lane l of the node meets the bounds
//   ticks_within(from, to, tick)   bit k: from[k] <= tick <= to[k], k = 0 .. 63
// and, with CD_TIMED_OWN_STORES,
//   store_pairs(to, lower, upper, mask)  stores (lower[k], upper[k]) of the bits k of the mask, in order, and up to 16
//                                        pairs of anything behind them; returns how many
//   store_lanes(to, slot, first, mask)   the same of (slot, first + l) and 16 bits l
// SPDX-License-Identifier: MIT
#ifndef BROAD_INCREMENTAL_WALK_H
#define BROAD_INCREMENTAL_WALK_H

#ifndef CD_TIMED_OWN_STORES
static inline int store_pairs(cd_box_pair *to, const int32_t *lower, const int32_t *upper, uint64_t mask)
{
    int count = 0;
    for (; mask; mask &= mask - 1) {
        int k = __builtin_ctzll(mask);
        to[count++] = (cd_box_pair){lower[k], upper[k]};
    }
    return count;
}

static inline int store_lanes(cd_box_pair *to, int32_t slot, int32_t first, unsigned mask)
{
    int count = 0;
    for (; mask; mask &= mask - 1)
        to[count++] = (cd_box_pair){slot, first + __builtin_ctz(mask)};
    return count;
}
#endif

// ---- tree ----------------------------------------------------------------------------------------------------------

enum { STACK = CD_TIMED_LEVELS * CD_TIMED_LANES };

int32_t WALK(cd_timed_query)(const cd_timed_tree *tree, const cd_timed_bounds *bounds, int32_t *slot)
{
    int32_t stack[STACK], found = 0;
    int level_of[STACK], depth = 0;
    stack[depth] = 0;
    level_of[depth++] = tree->levels - 1;
    while (depth) {
        int32_t node = stack[--depth];
        int level = level_of[depth];
        unsigned mask = node_mask(&tree->level[level][node], bounds);
        for (; mask; mask &= mask - 1) {
            int32_t below = node * CD_TIMED_LANES + __builtin_ctz(mask);
            if (level == 0) {
                slot[found++] = below;
            } else {
                stack[depth] = below;
                level_of[depth++] = level - 1;
            }
        }
    }
    return found;
}

static const cd_timed_bounds everywhere = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};

static inline cd_timed_bounds lane_bounds(const cd_timed_node *node, int lane)
{
    cd_timed_bounds b;
    for (int axis = 0; axis < 3; axis++) {
        b.min[axis] = node->min[axis][lane];
        b.max[axis] = node->max[axis][lane];
    }
    return b;
}

// Bounds of a node of level 0, where there is a level above.
static inline cd_timed_bounds leaf_bounds(const cd_timed_tree *tree, int32_t node)
{
    return lane_bounds(&tree->level[1][node / CD_TIMED_LANES], node % CD_TIMED_LANES);
}

enum { FOUND = 1024, NODE_PAIRS = CD_TIMED_LANES * (CD_TIMED_LANES + 1) };

// The boxes of node `one` against those of `other`, which is not before it. Room for NODE_PAIRS at `to`.
static int join_nodes(const cd_timed_tree *tree, int32_t one, int32_t other, cd_box_pair *to)
{
    const cd_timed_node *left = &tree->level[0][one], *right = &tree->level[0][other];
    cd_timed_bounds right_bounds = tree->levels > 1 ? leaf_bounds(tree, other) : everywhere;
    unsigned lanes = node_mask(left, &right_bounds);
    int count = 0;
    for (; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        cd_timed_bounds bounds = lane_bounds(left, lane);
        unsigned mask = node_mask(right, &bounds);
        if (one == other)
            mask &= 0xfffeu << lane;
        count += store_lanes(to + count, one * CD_TIMED_LANES + lane, other * CD_TIMED_LANES, mask);
    }
    return count;
}

// One walk for the 16 boxes of a node, by the bounds of all: the nodes it meets are in the cache for all of them.
void WALK(cd_timed_join)(const cd_timed_tree *tree, int32_t begin, int32_t end, cd_timed_sink *sink, void *context)
{
    cd_box_pair found[FOUND + NODE_PAIRS];
    int32_t stack[STACK];
    int level_of[STACK], count = 0;
    for (int32_t one = begin; one < end; one++) {
        cd_timed_bounds all = tree->levels > 1 ? leaf_bounds(tree, one) : everywhere;
        int depth = 0;
        stack[depth] = 0;
        level_of[depth++] = tree->levels - 1;
        while (depth) {
            int32_t node = stack[--depth];
            int level = level_of[depth];
            if (level == 0) {
                count += join_nodes(tree, one, node, found + count);
                if (count >= FOUND) {
                    if (!sink(context, found, count))
                        return;
                    count = 0;
                }
                continue;
            }
            // Lane l covers the nodes of level 0 from (16 node + l) << shift on; those before `one` have met it.
            int shift = 4 * (level - 1);
            for (unsigned mask = node_mask(&tree->level[level][node], &all); mask; mask &= mask - 1) {
                int32_t below = node * CD_TIMED_LANES + __builtin_ctz(mask);
                if (((int64_t)below + 1) << shift <= one)
                    continue;
                stack[depth] = below;
                level_of[depth++] = level - 1;
            }
        }
    }
    sink(context, found, count);
}

// ---- list ----------------------------------------------------------------------------------------------------------

enum { ROW_FILL = 16, ROOM = CD_TIMED_BLOCK + 1 + 16 };  // a block, an extra pair, what vector stores write beyond

// The lower boxes of the pairs of a block from position `begin` on: each row, from `row` on, is filled by whole vectors
// that the next row writes over. Returns the row of the last pair.
static int32_t fill_lower(const cd_timed_list *list, int32_t begin, int32_t row,
                          int32_t lower[CD_TIMED_BLOCK + ROW_FILL])
{
    const int32_t *first = list->first;
    int32_t end = list->count - begin < CD_TIMED_BLOCK ? list->count : begin + CD_TIMED_BLOCK;
    while (first[row + 1] <= begin)
        row++;
    for (int32_t at = begin;; row++) {
        int32_t row_end = first[row + 1] < end ? first[row + 1] : end;
        for (; at < row_end; at += ROW_FILL)
            for (int k = 0; k < ROW_FILL; k++)
                lower[at - begin + k] = row;
        at = row_end;
        if (row_end == end)
            return row;
    }
}

// Bits of the pairs among `maybe` that overlap now.
static uint64_t compare_boxes(const cd_broad_input *input, const int32_t *lower, const int32_t *upper, uint64_t maybe)
{
    uint64_t hits = 0;
    for (; maybe; maybe &= maybe - 1) {
        int k = __builtin_ctzll(maybe);
        hits |= (uint64_t)cd_broad_overlaps(input, lower[k], upper[k]) << k;
    }
    return hits;
}

static inline bool extra_overlaps(const cd_timed_extra *extra, int tick, const cd_broad_input *input)
{
    const uint8_t *end = extra->tick;
    if (end[CD_TIMED_SURE_FROM] <= tick && tick <= end[CD_TIMED_SURE_TO])
        return true;
    return end[CD_TIMED_MAYBE_FROM] <= tick && tick <= end[CD_TIMED_MAYBE_TO] &&
           cd_broad_overlaps(input, extra->pair.a, extra->pair.b);
}

void WALK(cd_timed_emit)(const cd_timed_list *list, cd_timed_part part, int tick, const cd_broad_input *input,
                         cd_broad_pairs *pairs)
{
    int32_t lower[CD_TIMED_BLOCK + ROW_FILL], row = part.lower, extra = part.extra_begin;
    for (int32_t b = part.begin; b < part.end && !pairs->is_full; b++) {
        const cd_timed_block *block = &list->block[b];
        int64_t begin = (int64_t)b * CD_TIMED_BLOCK;
        uint64_t sure = ticks_within(block->tick[CD_TIMED_SURE_FROM], block->tick[CD_TIMED_SURE_TO], tick);
        uint64_t maybe = ticks_within(block->tick[CD_TIMED_MAYBE_FROM], block->tick[CD_TIMED_MAYBE_TO], tick);
        uint64_t hits = sure | maybe;
        if (hits) {
            row = fill_lower(list, (int32_t)begin, row, lower);
            hits = sure | compare_boxes(input, lower, block->upper, maybe & ~sure);
        }
        for (; extra < part.extra_end && list->extra[extra].before < begin + CD_TIMED_BLOCK; extra++) {
            const cd_timed_extra *one = &list->extra[extra];
            if (!extra_overlaps(one, tick, input))
                continue;
            cd_box_pair *to = cd_broad_room(pairs, ROOM);
            uint64_t first = hits & (((uint64_t)1 << (one->before - begin)) - 1);
            int count = store_pairs(to, lower, block->upper, first);
            hits &= ~first;
            to[count] = one->pair;
            pairs->count += count + 1;
        }
        cd_box_pair *to = cd_broad_room(pairs, ROOM);
        pairs->count += store_pairs(to, lower, block->upper, hits);
    }
}

#endif
