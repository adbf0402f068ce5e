// The kernels of `incremental`, once a vector level: the including file defines
//   WALK(name)            the name of the function at its level
//   node_mask(node, b)    bit l: lane l of the node meets the bounds
//   ticks_within(from, to, tick)   bit k: from[k] <= tick <= to[k], k = 0 .. 63
//   store_pairs(to, from, mask)    stores the pairs from[k] of the bits k of the mask, in order; returns how many
//   store_lanes(to, item, items, mask)   stores (item, items[l]) of the bits l of the mask; returns how many
// SPDX-License-Identifier: MIT
#ifndef BROAD_INCREMENTAL_WALK_H
#define BROAD_INCREMENTAL_WALK_H

// ---- tree ------------------------------------------------------------------------------------------------------

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

// The boxes of node `one` against those of `other`, which is not before it.
static void join_nodes(const cd_timed_tree *tree, int32_t one, int32_t other, cd_broad_pairs *pairs)
{
    const cd_timed_node *left = &tree->level[0][one], *right = &tree->level[0][other];
    const int32_t *left_item = tree->item + (int64_t)CD_TIMED_LANES * one;
    const int32_t *right_item = tree->item + (int64_t)CD_TIMED_LANES * other;
    cd_timed_bounds right_bounds = tree->levels > 1 ? leaf_bounds(tree, other) : everywhere;
    unsigned lanes = node_mask(left, &right_bounds);
    cd_box_pair *to = cd_broad_room(pairs, CD_TIMED_LANES * (CD_TIMED_LANES + 1));
    int count = 0;
    for (; lanes; lanes &= lanes - 1) {
        int lane = __builtin_ctz(lanes);
        cd_timed_bounds bounds = lane_bounds(left, lane);
        unsigned mask = node_mask(right, &bounds);
        if (one == other)
            mask &= 0xfffeu << lane;
        count += store_lanes(to + count, left_item[lane], right_item, mask);
    }
    pairs->count += count;
}

// One walk for the 16 boxes of a node, by the bounds of all: the nodes it meets are in the cache for all of them.
void WALK(cd_timed_join)(const cd_timed_tree *tree, int32_t begin, int32_t end, const cd_broad_input *input,
                         cd_broad_pairs *pairs)
{
    int32_t stack[STACK];
    int level_of[STACK];
    for (int32_t one = begin; one < end && !pairs->is_full; one++) {
        cd_timed_bounds all = tree->levels > 1 ? leaf_bounds(tree, one) : everywhere;
        int64_t before = pairs->count;
        int depth = 0;
        stack[depth] = 0;
        level_of[depth++] = tree->levels - 1;
        while (depth) {
            int32_t node = stack[--depth];
            int level = level_of[depth];
            if (level == 0) {
                join_nodes(tree, one, node, pairs);
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
        cd_broad_keep_wanted(input, pairs, before);
    }
}

// ---- list ------------------------------------------------------------------------------------------------------

enum { ROOM = 64 + 1 + 8 };  // a block, an extra pair, what a vector store writes beyond

// Bits of the boxes among `maybe` that overlap now.
static uint64_t compare_boxes(const cd_broad_input *input, const cd_box_pair *pair, uint64_t maybe)
{
    uint64_t hits = 0;
    for (; maybe; maybe &= maybe - 1) {
        int k = __builtin_ctzll(maybe);
        hits |= (uint64_t)cd_broad_overlaps(input, pair[k].a, pair[k].b) << k;
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
    int32_t extra = part.extra_begin;
    for (int64_t block = part.begin; block < part.end || extra < part.extra_end; block += 64) {
        if (pairs->is_full)
            return;
        const cd_box_pair *pair = list->pair + block;
        uint8_t *const *end = list->tick;
        uint64_t sure = ticks_within(end[CD_TIMED_SURE_FROM] + block, end[CD_TIMED_SURE_TO] + block, tick);
        uint64_t maybe = ticks_within(end[CD_TIMED_MAYBE_FROM] + block, end[CD_TIMED_MAYBE_TO] + block, tick);
        int64_t here = part.end - block < 64 ? part.end - block : 64;
        uint64_t inside = here < 64 ? ((uint64_t)1 << here) - 1 : UINT64_MAX;
        uint64_t hits = (sure | compare_boxes(input, pair, maybe & ~sure & inside)) & inside;
        while (extra < part.extra_end && (list->extra[extra].before < block + 64 || here < 64)) {
            const cd_timed_extra *one = &list->extra[extra++];
            if (!extra_overlaps(one, tick, input))
                continue;
            cd_box_pair *to = cd_broad_room(pairs, ROOM);
            int64_t place = one->before - block;
            uint64_t first = place < 64 ? hits & (((uint64_t)1 << place) - 1) : hits;
            int count = store_pairs(to, pair, first);
            hits &= ~first;
            to[count] = one->pair;
            pairs->count += count + 1;
        }
        pairs->count += store_pairs(cd_broad_room(pairs, ROOM), pair, hits);
    }
}

#endif
