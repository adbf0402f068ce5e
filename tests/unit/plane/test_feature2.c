// Vertex-edge feature contacts: gap, distance, applicability, feasibility.
// SPDX-License-Identifier: MIT
#include "cd_feasible.h"
#include "cd_feature2.h"
#include "cd_test.h"
#include "test_polygon_random.h"

// Vertex 0 of a against an edge of b.
static cd_vertex_edge first_at(cd_polygon a, cd_polygon b, int32_t edge, cd_arena *arena)
{
    cd_feature2_table table = cd_feature2_table_make(a, b, arena);
    return cd_feature2_table_at(&table, 0, edge);
}

CD_TEST(one_vertex_over_a_box)
{
    cd_arena arena = {0};
    cd_polygon box = test_box(0, 0, 2, 1, &arena);
    const cd_vec2 v[] = {{1, 1.5}, {2, 3}, {0, 3}};
    cd_polygon wedge = {3, v};
    cd_vertex_edge top = first_at(wedge, box, 2, &arena);
    CD_CHECK(top.psi == 0.5 && top.distance == 0.5 && top.overhang == -1);
    CD_CHECK_NEAR(top.applicability, 1.5 / sqrt(3.25), 1e-15);
    CD_CHECK_NEAR(top.feasible, M_PI / 2, 1e-15);
    // The right side, x = 2: the vertex is 1 m behind its line and 0.5 m beyond its end.
    cd_vertex_edge right = first_at(wedge, box, 1, &arena);
    CD_CHECK(right.psi == -1 && right.overhang == 0.5);
    CD_CHECK_NEAR(right.distance, sqrt(1.25), 1e-15);
    CD_CHECK_NEAR(right.feasible, -atan2(1, 0.5), 1e-15);
    CD_CHECK_NEAR(right.applicability, -1 / sqrt(3.25), 1e-15);
    cd_vec2 foot = cd_edge_foot(wedge.vertex[0], top.psi, cd_polygon_edge(box, 2));
    CD_CHECK(foot.x == 1 && foot.y == 1);
    cd_arena_release(&arena);
}

CD_TEST(voronoi_region_is_closed)
{
    cd_arena arena = {0};
    cd_polygon box = test_box(0, 0, 2, 1, &arena);
    cd_vec2 v[3] = {{2, 1.25}, {2.6, 2.05}, {1.4, 2.05}};
    cd_polygon wedge = {3, v};
    cd_vertex_edge at = first_at(wedge, box, 2, &arena);
    CD_CHECK(at.overhang == 0 && at.feasible == M_PI / 2);
    v[0].x = nextafter(2, 3);
    at = first_at(wedge, box, 2, &arena);
    CD_CHECK(at.overhang > 0 && at.distance >= at.overhang && at.feasible <= M_PI / 2 && at.feasible > 1.57);
    v[0].y = 0.75;  // below the line and beyond its end by one unit in the last place: seen from straight below
    at = first_at(wedge, box, 2, &arena);
    CD_CHECK_NEAR(at.feasible, -M_PI / 2, 1e-7);
    v[0] = (cd_vec2){2.5, 1};
    at = first_at(wedge, box, 2, &arena);
    CD_CHECK(at.psi == 0 && at.distance == 0.5 && at.feasible == 0);
    CD_CHECK(cd_feasible_angle(false, 1, nextafter(1, 0)) == M_PI / 2);  // no NaN when rounding leaves the sine above 1
    cd_arena_release(&arena);
}

static void check_entry(cd_polygon a, int32_t v, cd_polygon b, int32_t e, cd_vertex_edge at)
{
    cd_vec2 p = b.vertex[e], q = b.vertex[cd_polygon_next(b, e)], x = a.vertex[v];
    long double ex = (long double)q.x - p.x, ey = (long double)q.y - p.y, length = hypotl(ex, ey);
    long double dx = (long double)x.x - p.x, dy = (long double)x.y - p.y;
    long double psi = (ey * dx - ex * dy) / length, along = (ex * dx + ey * dy) / length;
    long double overhang = fmaxl(-along, along - length), clamped = fminl(fmaxl(along, 0), length);
    long double distance = hypotl(dx - clamped * ex / length, dy - clamped * ey / length);
    CD_CHECK_NEAR(at.psi, (double)psi, 2e-15);
    CD_CHECK_NEAR(at.overhang, (double)overhang, 2e-15);
    CD_CHECK_NEAR(at.distance, (double)distance, 2e-15);
    if (fabsl(overhang) > 1e-12L) {
        double expected = overhang <= 0 ? M_PI / 2 : (double)atan2l(psi, overhang);
        CD_CHECK_NEAR(at.feasible, expected, 1e-6);  // asin loses half the digits near 90 degrees
    }
    long double applicability = INFINITY;
    for (int k = 0; k < 2; k++) {
        cd_vec2 n = a.vertex[k ? cd_polygon_next(a, v) : cd_polygon_previous(a, v)];
        long double nx = (long double)n.x - x.x, ny = (long double)n.y - x.y;
        applicability = fminl(applicability, (ey * nx - ex * ny) / (length * hypotl(nx, ny)));
    }
    CD_CHECK_NEAR(at.applicability, (double)applicability, 1e-15);
}

CD_TEST(tables_match_the_definitions)
{
    cd_arena arena = {0};
    cd_random random = {40};
    for (int k = 0; k < 2000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_ellipse_polygon(&random, 3 + k % 9, (cd_vec2){0, 0}, 1, &arena);
        cd_vec2 centre = {cd_random_between(&random, -2, 2), cd_random_between(&random, -2, 2)};
        cd_polygon b = test_ellipse_polygon(&random, 3 + k % 7, centre, 1, &arena);
        cd_feature2_table table = cd_feature2_table_make(a, b, &arena);
        CD_CHECK(table.vertices == a.count && table.edges == b.count);
        for (int32_t v = 0; v < a.count; v++)
            for (int32_t e = 0; e < b.count; e++) {
                cd_vertex_edge at = cd_feature2_table_at(&table, v, e);
                CD_CHECK(table.psi[cd_feature_entry(&table, v, e)] == at.psi);
                check_entry(a, v, b, e, at);
            }
    }
    cd_arena_release(&arena);
}

// A corner is applicable to an edge exactly when no vertex of its polygon lies deeper along the edge's normal.
CD_TEST(applicable_vertices_are_the_lowest)
{
    cd_arena arena = {0};
    cd_random random = {41};
    int applicable = 0;
    for (int k = 0; k < 3000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_grid_polygon(&random, 4 + k % 9, 0, 0, 64, &arena);
        cd_polygon b = test_grid_polygon(&random, 4 + k % 5, 20, 30, 64, &arena);
        cd_feature2_table table = cd_feature2_table_make(a, b, &arena);
        for (int32_t v = 0; v < a.count; v++)
            for (int32_t e = 0; e < b.count; e++) {
                cd_vec2 p = b.vertex[e], q = b.vertex[cd_polygon_next(b, e)];
                bool is_lowest = true;
                for (int32_t w = 0; w < a.count; w++)
                    is_lowest &= test_exact_turn(p, q, a.vertex[w]) <= test_exact_turn(p, q, a.vertex[v]);
                double value = table.applicability[cd_feature_entry(&table, v, e)];
                CD_CHECK(is_lowest ? value >= -1e-15 : value < 1e-15);
                applicable += is_lowest;
            }
    }
    CD_CHECK(applicable > 3000);
    cd_arena_release(&arena);
}

// The nearest vertex and edge of separated polygons are an applicable and feasible contact with the distance as gap.
CD_TEST(nearest_features_are_contacts)
{
    cd_arena arena = {0};
    cd_random random = {42};
    int seen = 0;
    for (int k = 0; k < 10000; k++) {
        cd_arena_reset(&arena);
        cd_polygon a = test_ellipse_polygon(&random, 3 + k % 9, (cd_vec2){0, 0}, 1, &arena);
        double angle = cd_random_between(&random, 0, 7);
        cd_polygon b = test_ellipse_polygon(&random, 3 + k % 7, (cd_vec2){2 * cos(angle), 2 * sin(angle)}, 1, &arena);
        cd_distance2 d = cd_polygon_distance(a, b);
        if (d.gap <= 0 || d.feature_a.kind != CD_FEATURE2_VERTEX || d.feature_b.kind != CD_FEATURE2_EDGE)
            continue;
        seen++;
        cd_feature2_table table = cd_feature2_table_make(a, b, &arena);
        cd_vertex_edge at = cd_feature2_table_at(&table, d.feature_a.index, d.feature_b.index);
        CD_CHECK_NEAR(at.psi, d.gap, 2e-15);
        CD_CHECK_NEAR(at.distance, d.gap, 2e-15);
        CD_CHECK(at.overhang <= 0 && at.feasible == M_PI / 2 && at.applicability >= -1e-15);
        cd_edge2 edge = table.edge[d.feature_b.index];
        CD_CHECK_NEAR(cd_dot2(edge.normal, d.normal), -1, 1e-15);
    }
    CD_CHECK(seen > 1000);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(one_vertex_over_a_box);
    CD_RUN(voronoi_region_is_closed);
    CD_RUN(tables_match_the_definitions);
    CD_RUN(applicable_vertices_are_the_lowest);
    CD_RUN(nearest_features_are_contacts);
    return cd_test_done();
}
