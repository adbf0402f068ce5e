// cd_outline3 -- where the vertices of one polyhedron are beside the outline of a face of another, seen along the
// face's normal: told for all of them at once, by vectors, as far as doubles tell it beyond doubt.
//
// Most edges that stand over or beside a face cross no edge of its outline, and most vertices are clearly over it or
// clearly beside it. What is not told here is asked of each of them. Cost: corners of the face times vertices over the
// width of a vector; some 0.1 us for a face of six corners and a body of sixteen vertices.
// SPDX-License-Identifier: MIT
#ifndef CD_OUTLINE3_H
#define CD_OUTLINE3_H

#include "cd_shell3.h"

// Does p, seen along the face's normal, lie over the face, grown by `grown` [m] >= 0? The side of a sheet is the edge
// that it is.
bool cd_face3_is_over(const cd_shell3 *shell, int32_t face, cd_vec3 p, double grown);

enum { CD_OUTLINE3_MOST = 31 };  // edges of an outline, bits of an int32_t; of more nothing is told

// Bit k: of the edge from corner k of the face to the next one.
typedef struct cd_outline3 {
    uint32_t all;             // the edges that are told of; 0: none
    const uint32_t *within;   // of each vertex: clearly on the inner side of the edge's line
    const uint32_t *outside;  // clearly on the outer side
    const uint32_t *beyond;   // farther out than anything within `grown` of an edge of the outline
} cd_outline3;

// grown [m] >= 0; unsure [m]: a distance to a line that is not beyond doubt. @owns arena
cd_outline3 cd_outline3_make(cd_arena *arena, const cd_shell3 *owner, int32_t face, const cd_shell3 *other,
                             double grown, double unsure);

// Is the vertex over the face, or farther than `grown` beside it? Neither: it is not told.
static inline bool cd_outline3_is_over(const cd_outline3 *o, int32_t vertex)
{
    return o->all != 0 && o->within[vertex] == o->all;
}
static inline bool cd_outline3_is_beside(const cd_outline3 *o, int32_t vertex)
{
    return o->all != 0 && o->beyond[vertex] != 0;
}

// The edges of the outline, grown at either end, that an edge of the other body between two vertices may cross. Not
// those whose line has both on one side, and none where both are beyond one line: what lies between them is too. All
// bits where nothing is told.
static inline uint32_t cd_outline3_crossed(const cd_outline3 *o, const int32_t vertex[2])
{
    const int32_t a = vertex[0], b = vertex[1];
    if (o->all == 0)
        return UINT32_MAX;
    if ((o->beyond[a] & o->beyond[b]) != 0)
        return 0;
    return o->all & ~((o->within[a] & o->within[b]) | (o->outside[a] & o->outside[b]));
}

#endif
