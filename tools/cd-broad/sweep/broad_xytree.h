// broad_xytree -- XY trees: sets of rectangles that change, asked for those that overlap a rectangle.
//
// Rectangles are closed and have integer coordinates below 2^bits; sweep-plane methods give them ranks (broad_plane.h).
//
// An XY tree is a radix priority search tree (McCreight 1985, section 2) on axis 0: a node holds one rectangle, the
// rectangle of a subtree that ends last (largest high[0]) is in its root, and the others are divided between the
// children by the next bit of low[0]. So the 3-sided question "low[0] <= window.high[0] and high[0] >= window.low[0]"
// leaves out subtrees that begin too late or end too early. Axis 1 is compared at each node visited. Depth is at most
// `bits` whatever the order of insertion; the skeleton needs no memory and no balancing. Rectangles that are the same
// in low[0] are legal, but from depth `bits` on they form a list (ranks never are the same).
//     insert, delete   O(bits)
//     query            O(bits + k'), k' the held rectangles that overlap the window along axis 0
// Nodes of all trees of a pool are rows of one array and refer to each other by row.
//
// A tall tree adds the second level: an interval tree on axis 1 whose nodes are XY trees. A rectangle is in the tree of
// the split line that it holds nearest to the root, thus in one tree only. The skeleton is implicit in the bits of a
// coarsened coordinate; a node counts what lies below it, so that empty branches cost nothing.
//     insert, delete   O(bits + levels)
//     query            O(t bits + k'), t the trees that are not empty and meet the window along axis 1; k' as above
//                      within those trees. Trees whose line is inside the window give overlaps only.
// SPDX-License-Identifier: MIT
#ifndef BROAD_XYTREE_H
#define BROAD_XYTREE_H

#include "cd_memory.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct cd_rectangle {
    uint32_t low[2], high[2];
} cd_rectangle;

static inline bool cd_rectangles_overlap(const cd_rectangle *a, const cd_rectangle *b)
{
    return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) &
           (b->low[1] <= a->high[1]);
}

typedef struct cd_xytree_node {
    cd_rectangle rectangle;
    int32_t item;
    int32_t child[2];  // row, CD_XYTREE_NONE; a free row: child[0] is the next free one
} cd_xytree_node;

enum { CD_XYTREE_NONE = -1 };  // an empty tree's root

typedef struct cd_xytree_pool {
    cd_xytree_node *node;
    int32_t used, capacity;  // rows that were ever used, and that there are
    int32_t free;            // first free row
    int bits;
} cd_xytree_pool;

// Room for `capacity` rectangles held at once in all its trees: 28 bytes each in the arena. bits 1..32.
cd_xytree_pool cd_xytree_pool_new(int32_t capacity, int bits, cd_arena *arena);

// A tree is its root's row, CD_XYTREE_NONE at first. The pool must have room.
void cd_xytree_insert(cd_xytree_pool *pool, int32_t *root, const cd_rectangle *rectangle, int32_t item);

// Takes out what was inserted as (rectangle, item); it must be there (traps).
void cd_xytree_delete(cd_xytree_pool *pool, int32_t *root, const cd_rectangle *rectangle, int32_t item);

// Writes the items whose rectangles overlap the window, each once, in an order of its own; returns how many.
// found[]: room for all that the tree holds.
int32_t cd_xytree_query(const cd_xytree_pool *pool, int32_t root, const cd_rectangle *window, int32_t *found);

// ---- two levels ----------------------------------------------------------------------------------------------------

typedef struct cd_xytree_branch {
    int32_t root;   // the XY tree of this split line
    int32_t below;  // rectangles in it and in all branches under it
} cd_xytree_branch;

typedef struct cd_tall_xytree {
    cd_xytree_pool pool;
    cd_xytree_branch *branch;  // [2^levels], by split line: 1 .. 2^levels - 1
    int levels, shift;         // the line of coordinate y is (y >> shift) + 1
} cd_tall_xytree;

// Room for `capacity` rectangles: 28 bytes each and 8 bytes a branch, of which there are fewer than 4 capacity, or 16.
cd_tall_xytree cd_tall_xytree_new(int32_t capacity, int bits, cd_arena *arena);
void cd_tall_xytree_insert(cd_tall_xytree *tree, const cd_rectangle *rectangle, int32_t item);
void cd_tall_xytree_delete(cd_tall_xytree *tree, const cd_rectangle *rectangle, int32_t item);
int32_t cd_tall_xytree_query(const cd_tall_xytree *tree, const cd_rectangle *window, int32_t *found);

#endif
