// spars_adjacency -- which leaves of a shape are adjacent: the same leaf, a declared pair of a compound (its own or
// that of a compound inside it), two facets of one surface that share a vertex.
//
// Nothing is unfolded: a compound keeps its own pairs, and a leaf is looked up level by level, so a few records that
// nest deeply cost what they hold. Around a vertex of k triangles there are k^2 pairs; vertices are therefore nodes of
// their own, numbered behind the leaves, and two triangles are adjacent when they have one in common.
// SPDX-License-Identifier: MIT
#ifndef SPARS_ADJACENCY_H
#define SPARS_ADJACENCY_H

#include "cd_records.h"
#include "cd_refs.h"

typedef struct cd_adjacency {
    const cd_shape_rows *shape;
    bool is_space;                   // facets have leaves and vertices in space only
    const int32_t *leaf_first;       // leaves of shape s are leaf_first[s] .. leaf_first[s + 1] - 1
    const int64_t *vertex_count;     // by shape: of the surfaces in it
    const uint8_t *links;            // by shape: of CD_LINKS_...
    const int32_t *neighbour_first;  // by leaf: of `neighbour`
    const int32_t *neighbour;        // leaf numbers within the compound that declares them
    const int32_t *part_leaf;        // by part of all compounds: its first leaf within the compound
    const int64_t *part_vertex;      // and its first vertex
} cd_adjacency;

enum { CD_LINKS_DECLARED = 1, CD_LINKS_FACETS = 2 };

// Nodes of a shape: its leaves, then the vertices of its surfaces.
typedef CD_LIST(int64_t) cd_node_list;

// Head tables only: call it once a run. CD_ERR_FORMAT for compounds whose parts or pairs are not there, and for
// triangles whose vertices are not. Other geometry is not looked at. @owns arena, but refers to in->shape.
cd_status cd_adjacency_make(cd_arena *arena, const cd_model *in, const cd_refs *refs, cd_adjacency *adjacency,
                            cd_diag *diag) CD_MUST_CHECK;

static inline int32_t cd_adjacency_leaves(const cd_adjacency *adjacency, int32_t shape)
{
    return adjacency->leaf_first[shape + 1] - adjacency->leaf_first[shape];
}

static inline int64_t cd_adjacency_nodes(const cd_adjacency *adjacency, int32_t shape)
{
    return cd_adjacency_leaves(adjacency, shape) + adjacency->vertex_count[shape];
}

// The three vertex nodes of a leaf; false when it is no triangle. O(depth of the compound).
bool cd_adjacency_corners(const cd_adjacency *adjacency, int32_t shape, int32_t leaf, int64_t corner[3]);

// The declared neighbours of a leaf replace what `near` held; a pair that is declared twice is there twice.
// O(depth + neighbours); memory from the arena.
void cd_adjacency_declared(const cd_adjacency *adjacency, int32_t shape, int32_t leaf, cd_arena *arena,
                           cd_node_list *near);

#endif
