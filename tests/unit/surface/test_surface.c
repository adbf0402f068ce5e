// Which triangles meet where: stars, edge numbers, welding and faults against what brute force says of the same mesh.
// SPDX-License-Identifier: MIT
#include "cd_points_near.h"
#include "cd_test.h"
#include "test_surfaces.h"

#include <stdlib.h>

// ---- stars and edges -----------------------------------------------------------------------------------------------

static int compare_edges(const void *left, const void *right)
{
    const int32_t *a = left, *b = right;
    return a[0] != b[0] ? (a[0] > b[0] ? 1 : -1) : (a[1] > b[1]) - (a[1] < b[1]);
}

// All edges, sorted, each as often as triangles have it. Triangles with two corners at one place have one edge, once.
static int32_t edges_of(const cd_surface *s, int32_t (*edge)[2])
{
    int32_t count = 0;
    for (int32_t t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int32_t p = cd_surface_corner(s, t, k), q = cd_surface_corner(s, t, (k + 1) % 3);
            bool is_new = p != q;
            for (int j = 0; j < k; j++) {
                int32_t u = cd_surface_corner(s, t, j), v = cd_surface_corner(s, t, (j + 1) % 3);
                is_new = is_new && !((u == p && v == q) || (u == q && v == p));
            }
            if (!is_new)
                continue;
            edge[count][0] = p < q ? p : q;
            edge[count++][1] = p < q ? q : p;
        }
    qsort(edge, (size_t)count, sizeof *edge, compare_edges);
    return count;
}

static void check_topology(const cd_surface *s)
{
    cd_arena arena = {0};
    int32_t(*edge)[2] = cd_arena_alloc(&arena, 6 * (size_t)s->triangle_count * sizeof **edge);
    int32_t count = edges_of(s, edge), number = 0, crowded = 0;
    for (int32_t i = 0, end; i < count; i = end, number++) {
        for (end = i; end < count && compare_edges(edge[i], edge[end]) == 0;)
            end++;
        crowded += end - i > 2;
        CD_CHECK(cd_surface_edge_number(s, edge[i][0], edge[i][1]) == number);
        CD_CHECK(cd_surface_edge_number(s, edge[i][1], edge[i][0]) == number);
        int32_t other, found = 0, last = -1;
        cd_surface_star star = cd_surface_star_of_edge(s, edge[i][0], edge[i][1], &other);
        for (int32_t k = 0; k < star.count; k++) {
            CD_CHECK(star.triangle[k] > last);
            last = star.triangle[k];
            found += cd_surface_has(s, star.triangle[k], other);
        }
        CD_CHECK(found == end - i);
        if (end - i == 2) {
            int32_t first = -1;
            for (int32_t k = 0; k < star.count && first < 0; k++)
                first = cd_surface_has(s, star.triangle[k], other) ? star.triangle[k] : -1;
            int32_t beside = cd_surface_beside(s, first, edge[i][0], edge[i][1]);
            CD_CHECK(beside < 0 || cd_surface_beside(s, beside, edge[i][1], edge[i][0]) == first);
        }
    }
    CD_CHECK(s->edge_first[s->vertex_count] == number);
    CD_CHECK(s->faults.crowded == crowded);
    cd_arena_release(&arena);
}

CD_TEST(edges_are_numbered_by_their_sorted_vertices)
{
    cd_arena arena = {0};
    for (int32_t cells = 1; cells <= 9; cells += 4) {
        sheet s = sheet_make(&arena, (sheet_kind){cells, 0.3, 0.2, true, (uint64_t)cells});
        cd_surface surface = sheet_surface(&arena, &s);
        check_topology(&surface);
        CD_CHECK(surface.weld == NULL);
        // Euler: a sheet has V - E + F = 1
        CD_CHECK(s.vertex_count - surface.edge_first[s.vertex_count] + s.triangle_count == 1);
        CD_CHECK(surface.faults.crowded == 0 && surface.faults.t_junctions == 0);
    }
    cd_arena_release(&arena);
}

CD_TEST(random_triangles_with_crowded_edges)
{
    cd_random random = {5};
    for (int round = 0; round < 50; round++) {
        cd_arena arena = {0};
        int32_t triangle[3 * 40];
        cd_vec3 vertex[12];
        for (int v = 0; v < 12; v++)
            vertex[v] = (cd_vec3){cd_random_unit(&random), cd_random_unit(&random), cd_random_unit(&random)};
        vertex[7] = vertex[2];
        for (int t = 0; t < 40; t++)
            for (int k = 0; k < 3; k++)
                do
                    triangle[3 * t + k] = (int32_t)(cd_random_bits(&random) % 12);
                while (k > 0 &&
                       (triangle[3 * t + k] == triangle[3 * t] || triangle[3 * t + k] == triangle[3 * t + k - 1]));
        cd_surface surface = cd_surface_make(&arena, vertex, 12, triangle, 40, 0);
        CD_CHECK(surface.weld && surface.weld[7] == 2);
        // edges of triangles whose corners fall together are none of what crowds
        cd_surface apart = cd_surface_make(&arena, vertex, 7, triangle, 0, 0);
        CD_CHECK(apart.edge_first[7] == 0);
        int32_t(*edge)[2] = cd_arena_alloc(&arena, sizeof(int32_t[2]) * 120);
        int32_t count = edges_of(&surface, edge), number = 0;
        for (int32_t i = 0; i < count; i++)
            if (i == 0 || compare_edges(edge[i], edge[i - 1])) {
                CD_CHECK(cd_surface_edge_number(&surface, edge[i][0], edge[i][1]) == number);
                number++;
            }
        CD_CHECK(surface.edge_first[12] == number);
        CD_CHECK(surface.faults.crowded > 0);
        cd_arena_release(&arena);
    }
}

// ---- welding -------------------------------------------------------------------------------------------------------

// Each triangle with corners of its own, off by up to `noise` along each axis.
static void make_soup(cd_arena *arena, const sheet *s, double noise, cd_vec3 **vertex, int32_t **triangle)
{
    cd_random random = {9};
    int32_t count = 3 * s->triangle_count;
    *vertex = CD_ARENA_ARRAY(arena, cd_vec3, count);
    *triangle = CD_ARENA_ARRAY(arena, int32_t, count);
    for (int32_t i = 0; i < count; i++) {
        cd_vec3 off = {cd_random_between(&random, -noise, noise), cd_random_between(&random, -noise, noise),
                       cd_random_between(&random, -noise, noise)};
        (*vertex)[i] = cd_add3(s->vertex[s->triangle[i]], off);
        (*triangle)[i] = i;
    }
}

CD_TEST(a_soup_of_triangles_is_welded)
{
    const double noise[] = {0, 1e-4};
    for (int way = 0; way < 2; way++) {
        cd_arena arena = {0};
        cd_vec3 *vertex;
        int32_t *triangle;
        sheet s = sheet_make(&arena, (sheet_kind){7, 0.3, 0.3, true, 3});
        cd_surface whole = sheet_surface(&arena, &s);
        make_soup(&arena, &s, noise[way], &vertex, &triangle);
        cd_surface soup =
            cd_surface_make(&arena, vertex, 3 * s.triangle_count, triangle, s.triangle_count, 4 * noise[way]);
        CD_CHECK(soup.edge_first[soup.vertex_count] == whole.edge_first[whole.vertex_count]);
        CD_CHECK(soup.faults.t_junctions == 0 && soup.faults.crowded == 0);
        for (int32_t i = 0; i < 3 * s.triangle_count; i++)
            for (int32_t k = 0; k < i; k++)
                CD_CHECK((soup.weld[i] == soup.weld[k]) == (s.triangle[i] == s.triangle[k]));
        check_topology(&soup);
        // not welded: all edges are rims
        cd_surface apart = cd_surface_make(&arena, vertex, 3 * s.triangle_count, triangle, s.triangle_count, 0);
        CD_CHECK((apart.edge_first[apart.vertex_count] == 3 * s.triangle_count) == (way == 1));
        cd_arena_release(&arena);
    }
}

CD_TEST(zeros_of_either_sign_are_one_place)
{
    cd_arena arena = {0};
    const cd_vec3 vertex[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, -0.0}, {1, -0.0, 0}, {1, 1, 0}};
    const int32_t triangle[] = {0, 1, 2, 3, 4, 5};
    cd_surface s = cd_surface_make(&arena, vertex, 6, triangle, 2, 0);
    CD_CHECK(s.weld && s.weld[3] == 0 && s.weld[4] == 1 && s.weld[5] == 5);
    CD_CHECK(cd_surface_beside(&s, 0, 0, 1) == 1);
    cd_arena_release(&arena);
}

// ---- faults --------------------------------------------------------------------------------------------------------

CD_TEST(t_junctions_are_found)
{
    cd_arena arena = {0};
    // a square over two squares of half the side: the middle of its lower edge is no corner of it
    const cd_vec3 vertex[] = {{0, 0, 0}, {2, 0, 0},  {2, 2, 0},  {0, 2, 0},
                              {1, 0, 0}, {0, -1, 0}, {1, -1, 0}, {2, -1, 0}};
    const int32_t triangle[] = {0, 1, 2, 0, 2, 3, 0, 5, 4, 5, 6, 4, 4, 6, 1, 6, 7, 1};
    cd_surface s = cd_surface_make(&arena, vertex, 8, triangle, 6, 0);
    CD_CHECK(s.faults.t_junctions == 1 && s.faults.crowded == 0);
    // a triangle without area between closes it
    const int32_t closed[] = {0, 1, 2, 0, 2, 3, 0, 5, 4, 5, 6, 4, 4, 6, 1, 6, 7, 1, 0, 4, 1};
    s = cd_surface_make(&arena, vertex, 8, closed, 7, 0);
    CD_CHECK(s.faults.t_junctions == 0 && s.faults.crowded == 0);
    cd_arena_release(&arena);
}

// ---- points by box -------------------------------------------------------------------------------------------------

static void count_point(void *context, int32_t point) { ((int32_t *)context)[point]++; }

CD_TEST(points_in_boxes_are_those_of_brute_force)
{
    enum { COUNT = 300 };
    cd_random random = {2};
    for (int round = 0; round < 60; round++) {
        cd_vec3 point[COUNT];
        int32_t order[COUNT], count = round < 3 ? round : COUNT, seen[COUNT] = {0};
        // many coordinates are equal
        for (int32_t i = 0; i < count; i++) {
            point[i] = (cd_vec3){(double)(cd_random_bits(&random) % 5), cd_random_unit(&random) * 4,
                                 (double)(cd_random_bits(&random) % 2)};
            order[i] = i;
        }
        cd_points_near tree = {point, order, count};
        cd_points_near_sort(&tree);
        cd_vec3 low = {1, cd_random_unit(&random), 0}, high = {3, 1 + cd_random_unit(&random) * 3, round % 2};
        cd_points_near_in(&tree, low, high, count_point, seen);
        for (int32_t i = 0; i < count; i++) {
            cd_vec3 p = point[i];
            bool is_in =
                p.x >= low.x && p.x <= high.x && p.y >= low.y && p.y <= high.y && p.z >= low.z && p.z <= high.z;
            CD_CHECK(seen[i] == is_in);
        }
    }
}

int main(void)
{
    CD_RUN(edges_are_numbered_by_their_sorted_vertices);
    CD_RUN(random_triangles_with_crowded_edges);
    CD_RUN(a_soup_of_triangles_is_welded);
    CD_RUN(zeros_of_either_sign_are_one_place);
    CD_RUN(t_junctions_are_found);
    CD_RUN(points_in_boxes_are_those_of_brute_force);
    return cd_test_done();
}
