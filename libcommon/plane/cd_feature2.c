// SPDX-License-Identifier: MIT
#include "cd_feature2.h"

#include "cd_assert.h"
#include "cd_feasible.h"

cd_edge2 cd_polygon_edge(cd_polygon polygon, int32_t edge)
{
    cd_vec2 start = polygon.vertex[edge];
    cd_vec2 e = cd_sub2(polygon.vertex[cd_polygon_next(polygon, edge)], start);
    double length = cd_length2(e);
    cd_vec2 tangent = cd_scale2(1 / length, e);
    return (cd_edge2){start, tangent, cd_right2(tangent), length};
}

static cd_edge2 *polygon_edges(cd_polygon polygon, cd_arena *arena)
{
    cd_edge2 *edge = CD_ARENA_ARRAY(arena, cd_edge2, polygon.count);
    for (int32_t i = 0; i < polygon.count; i++)
        edge[i] = cd_polygon_edge(polygon, i);
    return edge;
}

typedef struct position_over_edge {
    double psi, overhang, distance;
} position_over_edge;

static inline position_over_edge locate(cd_vec2 p, cd_edge2 edge)
{
    cd_vec2 d = cd_sub2(p, edge.start);
    double psi = cd_dot2(edge.normal, d);
    double along = cd_dot2(edge.tangent, d);
    double beyond = along - edge.length;
    double overhang = -along > beyond ? -along : beyond;
    double outside = overhang > 0 ? overhang : 0;
    double distance = outside > 0 ? sqrt(outside * outside + psi * psi) : fabs(psi);
    return (position_over_edge){psi, overhang, distance > outside ? distance : outside};
}

// Of a corner whose edges arrive along one tangent and leave along the other.
static inline double applicability_of(cd_vec2 arriving, cd_vec2 leaving, cd_vec2 normal)
{
    double previous = cd_dot2(normal, cd_negate2(arriving)), next = cd_dot2(normal, leaving);
    return previous < next ? previous : next;
}

cd_feature2_table cd_feature2_table_make(cd_polygon a, cd_polygon b, cd_arena *arena)
{
    CD_ASSERT(a.count >= 3 && b.count >= 3);
    size_t size = (size_t)a.count * (size_t)b.count;
    const cd_edge2 *edge_a = polygon_edges(a, arena), *edge_b = polygon_edges(b, arena);
    double *psi = CD_ARENA_ARRAY(arena, double, size), *overhang = CD_ARENA_ARRAY(arena, double, size);
    double *distance = CD_ARENA_ARRAY(arena, double, size), *applicability = CD_ARENA_ARRAY(arena, double, size);
    size_t k = 0;
    for (int32_t v = 0; v < a.count; v++) {
        cd_vec2 arriving = edge_a[cd_polygon_previous(a, v)].tangent, leaving = edge_a[v].tangent;
        for (int32_t e = 0; e < b.count; e++, k++) {
            position_over_edge position = locate(a.vertex[v], edge_b[e]);
            psi[k] = position.psi;
            overhang[k] = position.overhang;
            distance[k] = position.distance;
            applicability[k] = applicability_of(arriving, leaving, edge_b[e].normal);
        }
    }
    return (cd_feature2_table){a.count, b.count, edge_b, psi, overhang, distance, applicability};
}

cd_vertex_edge cd_feature2_table_at(const cd_feature2_table *table, int32_t vertex, int32_t edge)
{
    size_t k = (size_t)vertex * (size_t)table->edges + (size_t)edge;
    return (cd_vertex_edge){table->psi[k], table->overhang[k], table->distance[k], table->applicability[k],
                            cd_feasible_angle(table->overhang[k] <= 0, table->psi[k], table->distance[k])};
}
