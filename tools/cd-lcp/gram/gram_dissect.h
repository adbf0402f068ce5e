// gram_dissect -- nested dissection: nodes that part a graph into two, and each part again.
//
// What is eliminated before a separator fills nothing beyond it, so that large graphs of a plane or of space cost far
// fewer multiplications than by least degree alone (10,050 squares between two walls: a fifteenth). A part is halved by
// edges, on a graph that is made smaller by joining neighbours until few nodes are left, and refined while it is made
// larger again; of the ends of the edges that are cut the least cover parts it, which is refined as a separator. The
// best of several trials is taken. Cost: near the edges times the depth and the trials.
// Deterministic; depends on the pattern alone. Source: George 1973; Hendrickson & Leland 1995 and Karypis & Kumar 1998
// for the way over small graphs; Fiduccia & Mattheyses 1982 for refining, Ashcraft & Liu 1998 for that of separators;
// Konig's theorem for the cover.
// SPDX-License-Identifier: MIT
#ifndef GRAM_DISSECT_H
#define GRAM_DISSECT_H

#include "gram_order.h"

#include <stdbool.h>

// rank: of each node; those of rank 0 lie in parts, those of a higher one separate what has a lower one. Nodes that are
// left out count for nothing and get rank 0. trials: of each separator. Returns the number of ranks: 1 where nothing is
// worth parting.
int32_t cd_gram_dissect(const cd_gram_cliques *cliques, const bool *is_left_out, int32_t trials, int32_t *rank,
                        cd_arena *scratch);

#endif
