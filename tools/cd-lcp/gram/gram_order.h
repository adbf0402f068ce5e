// gram_order -- in which order to eliminate the columns of D + R'R, and which fronts come of it.
//
// Nodes are blocks of columns, cliques the sets of nodes that some rows of R touch. Eliminating a node joins all
// cliques it is in to one; that one without the node is the structure of its column of the factor. The node of least
// degree goes first, the degree being bounded from above as in AMD; nodes that are in no other clique go with it. Large
// graphs are parted before (gram_dissect.h), with separators after what they part, where that takes fewer
// multiplications. Nodes in very many cliques (a container) go last. Fronts are given bottom up: a front comes after
// all that hand their rest to it. Cost: the sizes of the cliques that come up, times the cliques of their nodes. The
// result depends on the pattern alone. Source: Amestoy, Davis & Duff 1996; Duff & Reid 1983 for fronts; Ashcraft &
// Grimes 1989 for joining them.
// SPDX-License-Identifier: MIT
#ifndef GRAM_ORDER_H
#define GRAM_ORDER_H

#include "cd_memory.h"

typedef struct cd_gram_cliques {
    int32_t node_count, clique_count;
    const int32_t *size;          // columns of each node, > 0
    const int32_t *first, *node;  // nodes of clique c: node[first[c]] .. node[first[c+1] - 1], none twice
} cd_gram_cliques;

typedef struct cd_gram_tree {
    int32_t front_count;
    // Nodes of front f: node[first[f]] .. node[first[f+1] - 1], those that it eliminates first; in the order of
    // elimination.
    int32_t *first, *node;
    int32_t *pivots;  // how many nodes it eliminates
    int32_t *parent;  // the front that takes its rest; -1: it has none
    int32_t *home;    // of each clique: a front that has all its nodes; -1: it has none
} cd_gram_tree;

// The tree is the arena's.
cd_gram_tree cd_gram_order(const cd_gram_cliques *cliques, cd_arena *arena);

#endif
