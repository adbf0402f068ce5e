// SPDX-License-Identifier: MIT
#include "broad_xytree.h"

#include "cd_assert.h"

cd_xytree_pool cd_xytree_pool_new(int32_t capacity, int bits, cd_arena *arena)
{
    return (cd_xytree_pool){CD_ARENA_ARRAY(arena, cd_xytree_node, capacity), 0, capacity, CD_XYTREE_NONE, bits};
}

// The child under which a rectangle belongs at a node whose subtree is divided by bit `bit` of low[0]. Below the last
// bit (negative) all are the same and go one way.
static inline int side_of(const cd_rectangle *rectangle, int bit)
{
    return bit >= 0 ? rectangle->low[0] >> bit & 1 : 0;
}

void cd_xytree_insert(cd_xytree_pool *pool, int32_t *root, const cd_rectangle *rectangle, int32_t item)
{
    cd_rectangle carried = *rectangle;
    int32_t *link = root;
    for (int bit = pool->bits - 1; *link != CD_XYTREE_NONE; bit--) {
        cd_xytree_node *node = &pool->node[*link];
        if (carried.high[0] > node->rectangle.high[0]) {
            cd_rectangle swap = node->rectangle;
            int32_t swap_item = node->item;
            node->rectangle = carried;
            node->item = item;
            carried = swap;
            item = swap_item;
        }
        link = &node->child[side_of(&carried, bit)];
    }
    int32_t row = pool->free;
    if (row != CD_XYTREE_NONE) {
        pool->free = pool->node[row].child[0];
    } else {
        CD_ASSERT(pool->used < pool->capacity);
        row = pool->used++;
    }
    pool->node[row] = (cd_xytree_node){carried, item, {CD_XYTREE_NONE, CD_XYTREE_NONE}};
    *link = row;
}

void cd_xytree_delete(cd_xytree_pool *pool, int32_t *root, const cd_rectangle *rectangle, int32_t item)
{
    cd_xytree_node *node = pool->node;
    int32_t *link = root;
    for (int bit = pool->bits - 1;; bit--) {
        CD_ASSERT(*link != CD_XYTREE_NONE);
        if (node[*link].item == item)
            break;
        link = &node[*link].child[side_of(rectangle, bit)];
    }
    // The gap moves down: the child that ends later moves up.
    for (;;) {
        int32_t row = *link, left = node[row].child[0], right = node[row].child[1];
        if (left == CD_XYTREE_NONE && right == CD_XYTREE_NONE) {
            *link = CD_XYTREE_NONE;
            node[row].child[0] = pool->free;
            pool->free = row;
            return;
        }
        bool from_left = right == CD_XYTREE_NONE ||
                         (left != CD_XYTREE_NONE && node[left].rectangle.high[0] >= node[right].rectangle.high[0]);
        int32_t child = from_left ? left : right;
        node[row].rectangle = node[child].rectangle;
        node[row].item = node[child].item;
        link = &node[row].child[from_left ? 0 : 1];
    }
}

int32_t cd_xytree_query(const cd_xytree_pool *pool, int32_t root, const cd_rectangle *window, int32_t *found)
{
    enum { MOST_DEPTH = 33 };  // each level of the path leaves at most one right child for later
    struct {
        int32_t row;
        int bit;
    } later[MOST_DEPTH];
    int waiting = 0, bit = pool->bits - 1;
    int32_t count = 0, row = root;
    for (;;) {
        if (row == CD_XYTREE_NONE || pool->node[row].rectangle.high[0] < window->low[0]) {
            if (waiting == 0)
                return count;
            waiting--;
            row = later[waiting].row;
            bit = later[waiting].bit;
            continue;
        }
        const cd_xytree_node *node = &pool->node[row];
        if (cd_rectangles_overlap(&node->rectangle, window))
            found[count++] = node->item;
        if (bit >= 0 && node->child[1] != CD_XYTREE_NONE) {
            // All keys of this subtree agree above `bit`; the right child's have it set.
            uint32_t right_from = (node->rectangle.low[0] >> bit | 1) << bit;
            if (right_from <= window->high[0]) {
                later[waiting].row = node->child[1];
                later[waiting++].bit = bit - 1;
            }
        }
        row = node->child[0];
        bit--;
    }
}

// ---- two levels ----------------------------------------------------------------------------------------------------

cd_tall_xytree cd_tall_xytree_new(int32_t capacity, int bits, cd_arena *arena)
{
    int levels = 3;
    while (levels <= bits && (int64_t)1 << levels < capacity)
        levels++;
    // Coordinates are coarsened to `levels` bits; the lines 1 .. 2^levels - 1 must hold those + 1.
    int shift = bits > levels ? bits - levels : 0;
    levels = levels + 1;
    cd_tall_xytree tree = {.pool = cd_xytree_pool_new(capacity, bits, arena),
                           .levels = levels,
                           .shift = shift,
                           .branch = CD_ARENA_ARRAY(arena, cd_xytree_branch, (int64_t)1 << levels)};
    for (int64_t i = 0; i < (int64_t)1 << levels; i++)
        tree.branch[i] = (cd_xytree_branch){CD_XYTREE_NONE, 0};
    return tree;
}

// The tree of the split line nearest to the root that the rectangle holds; counts on the way change by `change`.
static int32_t *tree_of(cd_tall_xytree *tree, const cd_rectangle *rectangle, int32_t change)
{
    uint32_t low = (rectangle->low[1] >> tree->shift) + 1, high = (rectangle->high[1] >> tree->shift) + 1;
    uint32_t line = (uint32_t)1 << (tree->levels - 1), step = line / 2;
    for (;; step /= 2) {
        tree->branch[line].below += change;
        if (low <= line && line <= high)
            return &tree->branch[line].root;
        line = high < line ? line - step : line + step;
    }
}

void cd_tall_xytree_insert(cd_tall_xytree *tree, const cd_rectangle *rectangle, int32_t item)
{
    cd_xytree_insert(&tree->pool, tree_of(tree, rectangle, 1), rectangle, item);
}

void cd_tall_xytree_delete(cd_tall_xytree *tree, const cd_rectangle *rectangle, int32_t item)
{
    cd_xytree_delete(&tree->pool, tree_of(tree, rectangle, -1), rectangle, item);
}

int32_t cd_tall_xytree_query(const cd_tall_xytree *tree, const cd_rectangle *window, int32_t *found)
{
    enum { MOST_LEVELS = 34 };
    struct {
        uint32_t line, step;
    } later[MOST_LEVELS];
    uint32_t low = (window->low[1] >> tree->shift) + 1, high = (window->high[1] >> tree->shift) + 1;
    int32_t count = 0;
    int waiting = 0;
    later[waiting].line = (uint32_t)1 << (tree->levels - 1);
    later[waiting++].step = later[0].line / 2;
    while (waiting > 0) {
        uint32_t line = later[--waiting].line, step = later[waiting].step;
        if (tree->branch[line].below == 0)
            continue;
        count += cd_xytree_query(&tree->pool, tree->branch[line].root, window, found + count);
        if (step > 0 && low < line) {
            later[waiting].line = line - step;
            later[waiting++].step = step / 2;
        }
        if (step > 0 && high > line) {
            later[waiting].line = line + step;
            later[waiting++].step = step / 2;
        }
    }
    return count;
}
