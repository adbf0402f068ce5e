// SPDX-License-Identifier: MIT
#include "cd_shell3.h"

cd_shell3 cd_shell3_make(cd_arena *arena, const cd_convex3 *convex, const cd_edges3 *edges)
{
    cd_vec3 *direction = CD_ARENA_ARRAY(arena, cd_vec3, edges->count);
    for (int32_t i = 0; i < edges->count; i++) {
        const int32_t *vertex = edges->edge[i].vertex;
        direction[i] = cd_unit3(cd_sub3(cd_convex3_vertex(convex, vertex[1]), cd_convex3_vertex(convex, vertex[0])));
    }
    cd_vec3 *on_plane = CD_ARENA_ARRAY(arena, cd_vec3, convex->face_count);
    for (int32_t f = 0; f < convex->face_count; f++)
        on_plane[f].x = NAN;
    return (cd_shell3){.convex = convex,
                       .edges = edges,
                       .direction = direction,
                       .on_plane = on_plane,
                       .inner_radius = cd_convex3_inner_radius(convex)};
}

cd_vec3 cd_shell3_find_plane_point(const cd_shell3 *s, int32_t face)
{
    const cd_convex3 *c = s->convex;
    const int32_t *corner = c->face_vertex + c->face_first[face];
    int32_t count = c->face_first[face + 1] - c->face_first[face];
    cd_vec3 first = cd_convex3_vertex(c, corner[0]), best = first;
    double most = 0;
    for (int32_t k = 1; k < count; k++) {
        cd_vec3 p = cd_convex3_vertex(c, corner[k]);
        double height = cd_dot3(c->plane[face].normal, cd_sub3(p, first));
        if (height > most) {
            most = height;
            best = p;
        }
    }
    s->on_plane[face] = best;
    return best;
}

bool cd_shell3_lies_in(const cd_shell3 *s, int32_t part, int32_t face, double tolerance)
{
    const cd_convex3 *c = s->convex;
    cd_vec3 normal = cd_shell3_normal(s, face);
    cd_vec3 origin = cd_convex3_vertex(c, c->face_vertex[c->face_first[face]]);
    for (int32_t k = c->face_first[part]; k < c->face_first[part + 1]; k++)
        if (!(fabs(cd_dot3(normal, cd_sub3(cd_convex3_vertex(c, c->face_vertex[k]), origin))) <= tolerance))
            return false;
    return true;
}

int32_t cd_shell3_first_corner(const cd_shell3 *s, int32_t face)
{
    const cd_convex3 *c = s->convex;
    int32_t least = c->face_vertex[c->face_first[face]];
    for (int32_t k = c->face_first[face] + 1; k < c->face_first[face + 1]; k++)
        least = c->face_vertex[k] < least ? c->face_vertex[k] : least;
    return least;
}

cd_edge_pair3 cd_edge_pair3_make(const cd_shell3 *a, int32_t i, const cd_shell3 *b, int32_t j)
{
    cd_vec3 cross = cd_cross3(a->direction[i], b->direction[j]);
    double sine = cd_length3(cross);
    if (!(sine > 0))
        return (cd_edge_pair3){{0, 0, 0}, 0, -1, -1};
    cd_edge_branches3 branch = cd_edge_branches3_make(a, i, b, j);
    int32_t sign = branch.along > branch.against ? 1 : -1;
    double applicability = (sign > 0 ? branch.along : branch.against) / sine;
    // of nearly parallel edges the quotient is rounding by rounding
    applicability = applicability > 1 ? 1 : applicability < -1 ? -1 : applicability;
    return (cd_edge_pair3){cd_scale3(sign / sine, cross), sine, sign, applicability};
}
