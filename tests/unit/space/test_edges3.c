// Edges of polyhedra, few vertices and many, whole and damaged, against all pairs of vertices; closed is what has two
// opposite half-edges of each.
// SPDX-License-Identifier: MIT
#include "cd_edges3.h"

#include "cd_hull3.h"
#include "cd_random.h"
#include "cd_test.h"

static cd_arena arena;

enum { MOST_POINTS = 150 };

// Faces that go from p to q; the last of them in `face`, -1: none.
static int32_t faces_along(cd_polyhedron s, int32_t p, int32_t q, int32_t *face)
{
    int32_t uses = 0;
    *face = -1;
    for (int32_t f = 0; f < s.face_count; f++)
        for (int32_t k = s.face_first[f]; k < s.face_first[f + 1]; k++) {
            int32_t next = s.face_vertex[k + 1 < s.face_first[f + 1] ? k + 1 : s.face_first[f]];
            if (s.face_vertex[k] == p && next == q) {
                uses++;
                *face = f;
            }
        }
    return uses;
}

static void check_around(const cd_edges3 *edges)
{
    for (int32_t v = 0; v < edges->vertex_count; v++) {
        int32_t at = edges->around_first[v];
        for (int32_t e = 0; e < edges->count; e++)
            if (edges->edge[e].vertex[0] == v || edges->edge[e].vertex[1] == v)
                CD_CHECK(at < edges->around_first[v + 1] && edges->around[at++] == e);
        CD_CHECK(at == edges->around_first[v + 1]);
    }
}

static bool check_edges(cd_polyhedron s)
{
    cd_edges3 edges = cd_edges3_make(&arena, s.vertex_count, s.face_count, s.face_first, s.face_vertex);
    int32_t count = 0;
    bool is_closed = true;
    CD_CHECK(cd_edges3_find(&edges, 0, s.vertex_count) == -1 && cd_edges3_find(&edges, 0, 64 + s.vertex_count) == -1);
    CD_CHECK(cd_edges3_find(&edges, -1, 1) == -1);
    for (int32_t p = 0; p < s.vertex_count; p++) {
        CD_CHECK(edges.first[p] == count);
        for (int32_t q = p + 1; q < s.vertex_count; q++) {
            int32_t left, right, there = faces_along(s, p, q, &left), back = faces_along(s, q, p, &right);
            is_closed &= there == back && there <= 1;
            if (there + back == 0) {
                CD_CHECK(cd_edges3_find(&edges, p, q) == -1);
                continue;
            }
            const cd_edge3 *e = &edges.edge[count];
            CD_CHECK(count < edges.count && e->vertex[0] == p && e->vertex[1] == q && e->face[0] == left &&
                     e->face[1] == right);
            CD_CHECK(cd_edges3_find(&edges, p, q) == count && cd_edges3_find(&edges, q, p) == count);
            count++;
        }
    }
    CD_CHECK(edges.count == count && edges.first[s.vertex_count] == count && edges.vertex_count == s.vertex_count);
    check_around(&edges);
    CD_CHECK(cd_edges3_are_closed(&edges, s.face_first[s.face_count] - s.face_first[0]) == is_closed);
    return is_closed;
}

static cd_polyhedron random_hull(cd_random *random, int32_t count, bool has_polygons)
{
    cd_vec3 p[MOST_POINTS];
    for (int32_t i = 0; i < count; i++) {
        p[i] = (cd_vec3){cd_random_between(random, -1, 1), cd_random_between(random, -1, 1),
                         cd_random_between(random, -1, 1)};
        if (has_polygons)
            p[i] = (cd_vec3){rint(2 * p[i].x), rint(2 * p[i].y), rint(2 * p[i].z)};
        else
            p[i] = cd_unit3(p[i]);
    }
    cd_hull3 h = cd_hull3_make(p, count, &arena);
    return h.dimension < 3 ? (cd_polyhedron){0} : cd_hull3_polyhedron(&h, p, &arena);
}

// One face turned round, left out or listed twice.
static cd_polyhedron damaged(cd_polyhedron s, cd_random *random)
{
    int32_t corners = s.face_first[s.face_count] - s.face_first[0], faces = 0, count = 0;
    int32_t *first = CD_ARENA_ARRAY(&arena, int32_t, s.face_count + 2),
            *corner = CD_ARENA_ARRAY(&arena, int32_t, 2 * corners);
    int32_t bad = (int32_t)(cd_random_bits(random) % (uint64_t)s.face_count),
            how = (int32_t)(cd_random_bits(random) % 3);
    for (int32_t f = 0; f < s.face_count; f++) {
        int32_t start = s.face_first[f], end = s.face_first[f + 1];
        for (int copy = 0; copy < (f != bad || how == 0 ? 1 : how == 1 ? 0 : 2); copy++) {
            first[faces++] = count;
            for (int32_t k = start; k < end; k++)
                corner[count++] = s.face_vertex[f == bad && how == 0 ? start + end - 1 - k : k];
        }
    }
    first[faces] = count;
    return (cd_polyhedron){s.vertex_count, faces, s.vertex, first, corner};
}

CD_TEST(edges_are_those_of_all_pairs)
{
    cd_random random = {3};
    int32_t large = 0, polygons = 0, small = 0;
    for (int n = 0; n < 160; n++) {
        int32_t count = n % 8 ? 4 + (int32_t)(cd_random_bits(&random) % 30) : 60 + n % 16 + (n % 32 ? 0 : 60);
        cd_polyhedron s = random_hull(&random, count, n % 3 == 0);
        if (s.vertex_count == 0)
            continue;
        large += s.vertex_count > 64;
        small += s.vertex_count < 20;
        polygons += s.face_count < 2 * s.vertex_count - 4;
        CD_CHECK(check_edges(s));
        CD_CHECK(!check_edges(damaged(s, &random)));
        cd_arena_reset(&arena);
    }
    CD_CHECK(large > 2 && small > 50 && polygons > 30);
}

// Where one table ends and the other way begins.
CD_TEST(edges_of_64_and_65_vertices)
{
    cd_random random = {4};
    for (int32_t count = 63; count <= 66; count++) {
        cd_polyhedron s = random_hull(&random, count, false);
        CD_CHECK(s.vertex_count == count && check_edges(s));
    }
    cd_arena_reset(&arena);
}

// A list of faces that does not start at 0, and a vertex that no face has.
CD_TEST(faces_may_be_part_of_a_longer_list)
{
    static const int32_t first[] = {5, 8, 11, 14, 17};
    static const int32_t corner[] = {7, 7, 7, 7, 7, 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3};
    CD_CHECK(check_edges((cd_polyhedron){4, 4, NULL, first, corner}));
    CD_CHECK(check_edges((cd_polyhedron){5, 4, NULL, first, corner}));
    CD_CHECK(!check_edges((cd_polyhedron){4, 3, NULL, first, corner}));
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(edges_are_those_of_all_pairs);
    CD_RUN(edges_of_64_and_65_vertices);
    CD_RUN(faces_may_be_part_of_a_longer_list);
    cd_arena_release(&arena);
    return cd_test_done();
}
