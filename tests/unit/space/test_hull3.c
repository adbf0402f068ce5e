// Hulls in space against exact definitions: every face a plane that has all points on one side, corners strictly
// convex, edges in pairs, Euler's formula; the set of faces against all triples of points; and what must not matter:
// order, scale, place, points added inside, on faces, on edges and twice.
// SPDX-License-Identifier: MIT
#include "cd_hull3.h"

#include "cd_predicates.h"
#include "cd_random.h"
#include "cd_test.h"

#include <stdlib.h>

static cd_arena arena;

static bool are_collinear(cd_vec3 a, cd_vec3 b, cd_vec3 c)
{
    return cd_orient2d((cd_vec2){a.x, a.y}, (cd_vec2){b.x, b.y}, (cd_vec2){c.x, c.y}) == 0 &&
           cd_orient2d((cd_vec2){a.y, a.z}, (cd_vec2){b.y, b.z}, (cd_vec2){c.y, c.z}) == 0 &&
           cd_orient2d((cd_vec2){a.z, a.x}, (cd_vec2){b.z, b.x}, (cd_vec2){c.z, c.x}) == 0;
}

typedef struct directed_edge {
    int32_t from, to;
} directed_edge;

static int compare_edges(const void *left, const void *right)
{
    const directed_edge *a = left, *b = right;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

// Every edge once in each direction, and vertices - edges + faces = 2. Edges are sorted and sought, so that it is
// quick.
static bool is_closed(const cd_hull3 *h)
{
    int32_t count = h->face_first[h->face_count];
    directed_edge *edge = malloc((size_t)count * sizeof *edge);
    for (int32_t f = 0; f < h->face_count; f++)
        for (int32_t k = h->face_first[f]; k < h->face_first[f + 1]; k++) {
            int32_t next = k + 1 < h->face_first[f + 1] ? k + 1 : h->face_first[f];
            edge[k] = (directed_edge){h->face_vertex[k], h->face_vertex[next]};
        }
    qsort(edge, (size_t)count, sizeof *edge, compare_edges);
    bool good = h->vertex_count - count / 2 + h->face_count == 2;
    for (int32_t k = 0; k < count && good; k++) {
        directed_edge back = {edge[k].to, edge[k].from};
        good = (k == 0 || compare_edges(&edge[k - 1], &edge[k]) != 0) &&
               bsearch(&back, edge, (size_t)count, sizeof *edge, compare_edges);
    }
    free(edge);
    return good;
}

static cd_vec3 corner(const cd_hull3 *h, const cd_vec3 *p, int32_t k) { return p[h->vertex[h->face_vertex[k]]]; }

// Planar, strictly convex in its plane, with the smallest number in front and after the face before it.
static bool is_proper_face(const cd_hull3 *h, const cd_vec3 *p, int32_t f)
{
    int32_t first = h->face_first[f], end = h->face_first[f + 1], count = end - first;
    if (count < 3)
        return false;
    for (int32_t k = first; k < end; k++) {
        int32_t next = first + (k - first + 1) % count, last = first + (k - first + 2) % count;
        if (cd_orient3d(corner(h, p, first), corner(h, p, first + 1), corner(h, p, first + 2), corner(h, p, k)) != 0 ||
            are_collinear(corner(h, p, k), corner(h, p, next), corner(h, p, last)) ||
            (k > first && h->face_vertex[k] <= h->face_vertex[first]))
            return false;
    }
    if (f == 0)
        return true;
    int32_t before = h->face_first[f - 1];
    return h->face_vertex[before] < h->face_vertex[first] ||
           (h->face_vertex[before] == h->face_vertex[first] && h->face_vertex[before + 1] < h->face_vertex[first + 1]);
}

// Is it the hull? `step` > 1 looks at every so-many-th point alone (all corners, though, are compared by their
// neighbours).
static bool is_hull(const cd_hull3 *h, const cd_vec3 *p, int32_t count, int32_t step)
{
    if (h->dimension != 3 || !is_closed(h))
        return false;
    for (int32_t i = 0; i < h->vertex_count; i++)
        if (h->vertex[i] < 0 || h->vertex[i] >= count || (i && h->vertex[i] <= h->vertex[i - 1]))
            return false;
    for (int32_t f = 0; f < h->face_count; f++) {
        if (!is_proper_face(h, p, f))
            return false;
        int32_t k = h->face_first[f];
        for (int32_t i = f % step; i < count; i += step)
            if (cd_orient3d(corner(h, p, k), corner(h, p, k + 1), corner(h, p, k + 2), p[i]) > 0)
                return false;
    }
    return true;
}

static cd_vec3 in_cube(cd_random *random)
{
    return (cd_vec3){cd_random_between(random, -1, 1), cd_random_between(random, -1, 1),
                     cd_random_between(random, -1, 1)};
}

static cd_vec3 on_sphere(cd_random *random)
{
    cd_vec3 p;
    do
        p = in_cube(random);
    while (cd_length3(p) > 1 || cd_length3(p) < 0.1);
    return cd_unit3(p);
}

static cd_vec3 on_lattice(cd_random *random, int size)
{
    return (cd_vec3){(double)(cd_random_bits(random) % (unsigned)size),
                     (double)(cd_random_bits(random) % (unsigned)size),
                     (double)(cd_random_bits(random) % (unsigned)size)};
}

// ---- by definition -------------------------------------------------------------------------------------------------

// The supporting planes of up to 32 points, each as the set of points in it.
static int supporting_planes(const cd_vec3 *p, int count, uint32_t *plane)
{
    int planes = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            for (int k = j + 1; k < count; k++) {
                uint32_t in_plane = 0;
                int known = 0, l = 0;
                if (i == j || i == k || are_collinear(p[i], p[j], p[k]))
                    continue;
                for (; l < count; l++) {
                    double side = cd_orient3d(p[i], p[j], p[k], p[l]);
                    if (side > 0)
                        break;
                    in_plane |= (uint32_t)(side == 0) << l;
                }
                while (known < planes && plane[known] != in_plane)
                    known++;
                if (l == count && known == planes)
                    plane[planes++] = in_plane;
            }
    return planes;
}

CD_TEST(faces_are_the_supporting_planes)
{
    cd_random random = {1};
    int wrong = 0, solid = 0, dropped = 0;
    for (int trial = 0; trial < 1500; trial++) {
        enum { MOST = 14 };
        cd_vec3 p[MOST];
        uint32_t plane[4 * MOST * MOST];
        int count = 4 + (int)(cd_random_bits(&random) % (MOST - 3));
        for (int i = 0; i < count; i++)
            p[i] = trial % 3 ? on_lattice(&random, 2 + trial % 4) : in_cube(&random);
        cd_hull3 h = cd_hull3_make(p, count, &arena);
        if (h.dimension == 3) {
            solid++;
            dropped += h.vertex_count < count;
            int planes = supporting_planes(p, count, plane);
            wrong += !is_hull(&h, p, count, 1) || planes != h.face_count;
            for (int32_t f = 0; f < h.face_count; f++) {
                uint32_t corners = 0;
                for (int32_t k = h.face_first[f]; k < h.face_first[f + 1]; k++)
                    corners |= 1u << h.vertex[h.face_vertex[k]];
                int with = 0;
                for (int q = 0; q < planes; q++)
                    with += (plane[q] & corners) == corners;
                wrong += with != 1;
            }
        } else  // then every four points are coplanar
            for (int i = 0; i < count; i++)
                for (int j = 0; j < i; j++)
                    for (int k = 0; k < j; k++)
                        for (int l = 0; l < k; l++)
                            wrong += cd_orient3d(p[i], p[j], p[k], p[l]) != 0;
        cd_arena_reset(&arena);
    }
    CD_CHECK(wrong == 0);
    CD_CHECK(solid > 1000 && dropped > 500);
}

CD_TEST(few_dimensions_are_told)
{
    cd_random random = {2};
    enum { N = 50 };
    cd_vec3 p[N];
    CD_CHECK(cd_hull3_make(NULL, 0, &arena).dimension == -1);
    for (int i = 0; i < N; i++)
        p[i] = (cd_vec3){0.1, -7, 1e9};
    CD_CHECK(cd_hull3_make(p, 1, &arena).dimension == 0 && cd_hull3_make(p, N, &arena).dimension == 0);
    for (int i = 0; i < N; i++) {  // exactly on a line: whole numbers times a vector
        double t = (double)(cd_random_bits(&random) % 1000);
        p[i] = (cd_vec3){3 * t, 0.1 * 8, -5 * t};
    }
    CD_CHECK(cd_hull3_make(p, N, &arena).dimension == 1);
    p[N - 1].y = nextafter(p[N - 1].y, 1);
    CD_CHECK(cd_hull3_make(p, N, &arena).dimension == 2);
    for (int i = 0; i < N; i++) {
        cd_vec3 q = on_lattice(&random, 100);
        p[i] = (cd_vec3){q.x, q.y, 3 * q.x - 2 * q.y + 1};
    }
    CD_CHECK(cd_hull3_make(p, N, &arena).dimension == 2);
    p[17].z = nextafter(p[17].z, INFINITY);  // one rounding out of the plane: a hull, thin as it is
    cd_hull3 h = cd_hull3_make(p, N, &arena);
    CD_CHECK(is_hull(&h, p, N, 1));
    CD_CHECK(cd_hull3_make(p, 3, &arena).dimension == 2 && cd_hull3_make(p, 2, &arena).dimension == 1);
    cd_arena_reset(&arena);
}

// ---- solids whose hull is known ------------------------------------------------------------------------------------

CD_TEST(a_cube_of_lattice_points_has_eight_corners)
{
    enum { SIDE = 12, COUNT = SIDE * SIDE * SIDE };
    cd_vec3 *p = malloc(COUNT * sizeof *p);
    for (int i = 0; i < COUNT; i++)
        p[i] = (cd_vec3){i % SIDE, i / SIDE % SIDE, (double)(i / SIDE / SIDE)};
    cd_hull3 h = cd_hull3_make(p, COUNT, &arena);
    static const int32_t corners[] = {0,
                                      SIDE - 1,
                                      SIDE * (SIDE - 1),
                                      SIDE * SIDE - 1,
                                      COUNT - SIDE * SIDE,
                                      COUNT - SIDE * SIDE + SIDE - 1,
                                      COUNT - SIDE,
                                      COUNT - 1};
    static const int32_t faces[] = {0, 1, 5, 4, 0, 2, 3, 1, 0, 4, 6, 2, 1, 3, 7, 5, 2, 6, 7, 3, 4, 5, 7, 6};
    CD_CHECK(h.vertex_count == 8 && h.face_count == 6 && !memcmp(h.vertex, corners, sizeof corners) &&
             !memcmp(h.face_vertex, faces, sizeof faces) && h.face_first[6] == 24 && is_hull(&h, p, COUNT, 1));
    cd_polyhedron solid = cd_hull3_polyhedron(&h, p, &arena);
    CD_CHECK(solid.vertex_count == 8 && solid.vertex[7].x == SIDE - 1 &&
             cd_polyhedron_validate(solid, &arena, NULL) == CD_OK);
    free(p);
    cd_arena_reset(&arena);
}

// Corners of an octahedron in whole numbers, and points on its faces and edges and within.
CD_TEST(points_on_faces_and_edges_are_no_corners)
{
    cd_random random = {3};
    enum { COUNT = 3000, SIZE = 64 };
    cd_vec3 *p = malloc(COUNT * sizeof *p);
    for (int i = 0; i < COUNT; i++) {
        double x = (double)(cd_random_bits(&random) % (SIZE + 1)), y = (double)(cd_random_bits(&random) % (SIZE + 1));
        if (x + y > SIZE)
            x = SIZE - x, y = SIZE - y;
        double z = i % 5 ? SIZE - x - y : 0;
        p[i] = (cd_vec3){cd_random_bits(&random) % 2 ? x : -x, cd_random_bits(&random) % 2 ? y : -y,
                         cd_random_bits(&random) % 2 ? z : -z};
        if (i % 7 == 0)
            p[i] = i % 2 ? (cd_vec3){SIZE - x, x, 0} : (cd_vec3){0, -x, SIZE - x};
    }
    for (int i = 0; i < 6; i++)
        p[COUNT - 6 + i] =
            (cd_vec3){i / 2 == 0 ? SIZE * (2 * (i % 2) - 1) : 0, i / 2 == 1 ? SIZE * (2 * (i % 2) - 1) : 0,
                      i / 2 == 2 ? SIZE * (2 * (i % 2) - 1) : 0};
    cd_hull3 h = cd_hull3_make(p, COUNT, &arena);
    CD_CHECK(h.vertex_count == 6 && h.face_count == 8 && is_hull(&h, p, COUNT, 1));
    free(p);
    cd_arena_reset(&arena);
}

CD_TEST(ten_thousand_points_on_a_sphere)
{
    cd_random random = {4};
    enum { COUNT = 10000 };
    cd_vec3 *p = malloc(COUNT * sizeof *p);
    for (int i = 0; i < COUNT; i++)
        p[i] = on_sphere(&random);
    cd_hull3 h = cd_hull3_make(p, COUNT, &arena);
    CD_CHECK(h.vertex_count > COUNT - 20 && is_hull(&h, p, COUNT, 37));
    free(p);
    cd_arena_reset(&arena);
}

// What makes fans: a drum, a cone, a lens; points of planes and circles that are not quite such as doubles.
CD_TEST(drums_cones_and_curves)
{
    cd_random random = {5};
    enum { COUNT = 2000 };
    cd_vec3 *p = malloc(COUNT * sizeof *p);
    for (int kind = 0; kind < 5; kind++) {
        for (int i = 0; i < COUNT; i++) {
            double t = 2 * M_PI * i / COUNT, s = cd_random_unit(&random);
            cd_vec3 round = {cos(t), sin(t), 0};
            if (kind == 0)
                p[i] = (cd_vec3){round.x, round.y, i % 2};
            if (kind == 1)
                p[i] = i ? round : (cd_vec3){0, 0, 1};
            if (kind == 2)
                p[i] = (cd_vec3){s, s * s, s * s * s};
            if (kind == 3)
                p[i] = (cd_vec3){(1 - 0.5 * s) * round.x, (1 - 0.5 * s) * round.y, s};
            if (kind == 4)
                p[i] = cd_quat_turn(cd_quat_from_vector((cd_vec3){0.3, 0.2, 1}), on_lattice(&random, 4));
        }
        cd_hull3 h = cd_hull3_make(p, COUNT, &arena);
        CD_CHECK(is_hull(&h, p, COUNT, 7));
        cd_arena_reset(&arena);
    }
    free(p);
}

// ---- what must not matter ------------------------------------------------------------------------------------------

static bool are_equal_hulls(const cd_hull3 *a, const cd_hull3 *b)
{
    return a->dimension == b->dimension && a->vertex_count == b->vertex_count && a->face_count == b->face_count &&
           !memcmp(a->vertex, b->vertex, (size_t)a->vertex_count * sizeof *a->vertex) &&
           !memcmp(a->face_first, b->face_first, ((size_t)a->face_count + 1) * sizeof *a->face_first) &&
           !memcmp(a->face_vertex, b->face_vertex, (size_t)a->face_first[a->face_count] * sizeof *a->face_vertex);
}

// Lattice points twice and thrice in random order: corners are the first of their kind, and with all further ones taken
// away, or put behind, the hull is the same.
CD_TEST(of_equal_points_the_first_counts)
{
    cd_random random = {6};
    int wrong = 0;
    for (int trial = 0; trial < 200; trial++) {
        enum { COUNT = 120 };
        cd_vec3 p[3 * COUNT];
        for (int i = 0; i < COUNT; i++)
            p[i] = trial % 2 ? on_lattice(&random, 4) : on_sphere(&random);
        cd_hull3 h = cd_hull3_make(p, COUNT, &arena);
        for (int i = COUNT; i < 3 * COUNT; i++)
            p[i] = p[cd_random_bits(&random) % COUNT];
        cd_hull3 more = cd_hull3_make(p, 3 * COUNT, &arena);
        wrong += !are_equal_hulls(&h, &more) || !is_hull(&h, p, COUNT, 1);
        for (int32_t v = 0; v < h.vertex_count; v++)
            for (int32_t i = 0; i < h.vertex[v]; i++)
                wrong += p[i].x == p[h.vertex[v]].x && p[i].y == p[h.vertex[v]].y && p[i].z == p[h.vertex[v]].z;
        cd_arena_reset(&arena);
    }
    CD_CHECK(wrong == 0);
}

// Corners and faces of points in another order, where the corners keep their order among themselves: the same but for
// numbers.
CD_TEST(order_changes_numbers_alone)
{
    cd_random random = {7};
    int wrong = 0;
    for (int trial = 0; trial < 100; trial++) {
        enum { COUNT = 300 };
        cd_vec3 p[COUNT], q[COUNT];
        for (int i = 0; i < COUNT; i++)
            p[i] = trial % 2 ? on_lattice(&random, 9) : in_cube(&random);
        cd_hull3 h = cd_hull3_make(p, COUNT, &arena);
        // corners alone, in their order, then all points
        for (int32_t v = 0; v < h.vertex_count; v++)
            q[v] = p[h.vertex[v]];
        cd_hull3 alone = cd_hull3_make(q, h.vertex_count, &arena);
        wrong += alone.vertex_count != h.vertex_count || alone.face_count != h.face_count ||
                 memcmp(alone.face_vertex, h.face_vertex, (size_t)h.face_first[h.face_count] * sizeof(int32_t));
        // reversed: corner v is now vertex_count - 1 - v
        for (int32_t v = 0; v < h.vertex_count; v++)
            q[h.vertex_count - 1 - v] = p[h.vertex[v]];
        cd_hull3 turned = cd_hull3_make(q, h.vertex_count, &arena);
        wrong += turned.vertex_count != h.vertex_count || turned.face_count != h.face_count ||
                 !is_hull(&turned, q, h.vertex_count, 1);
        cd_arena_reset(&arena);
    }
    CD_CHECK(wrong == 0);
}

CD_TEST(scales_and_places)
{
    cd_random random = {8};
    enum { COUNT = 1000 };
    cd_vec3 *p = malloc(COUNT * sizeof *p), *q = malloc(COUNT * sizeof *q);
    for (int i = 0; i < COUNT; i++)  // 20 bits, so that a shift by 2^20 is exact
        p[i] =
            cd_scale3(0x1p-20, (cd_vec3){rint(0x1p20 * cd_random_unit(&random)), rint(0x1p20 * cd_random_unit(&random)),
                                         rint(0x1p20 * cd_random_unit(&random))});
    cd_hull3 h = cd_hull3_make(p, COUNT, &arena);
    CD_CHECK(is_hull(&h, p, COUNT, 1));
    for (int kind = 0; kind < 6; kind++) {
        static const double scale[] = {0x1p-27, 0x1p27, 0x1p-200, 0x1p200, 1, 1};
        static const double shift[] = {0, 0, 0, 0, 0x1p20, -0x1p30};
        for (int i = 0; i < COUNT; i++)
            q[i] = cd_add3(cd_scale3(scale[kind], p[i]), (cd_vec3){shift[kind], -shift[kind], 2 * shift[kind]});
        cd_hull3 other = cd_hull3_make(q, COUNT, &arena);
        CD_CHECK(are_equal_hulls(&h, &other));
    }
    for (int kind = 0; kind < 4; kind++) {  // rounded: another set of points, still its exact hull
        static const double scale[] = {1e-8, 1e8, 0.1, 1e-8};
        static const double shift[] = {0, 0, 1e12, 1e3};
        for (int i = 0; i < COUNT; i++)
            q[i] = cd_add3(cd_scale3(scale[kind], p[i]), (cd_vec3){shift[kind], shift[kind] / 3, -shift[kind]});
        cd_hull3 other = cd_hull3_make(q, COUNT, &arena);
        CD_CHECK(other.dimension < 3 || is_hull(&other, q, COUNT, 1));
        CD_CHECK(other.dimension == 3);
    }
    free(p);
    free(q);
    cd_arena_reset(&arena);
}

// ---- diameters -----------------------------------------------------------------------------------------------------

CD_TEST(diameters_are_those_of_all_pairs)
{
    cd_random random = {9};
    int wrong = 0;
    for (int trial = 0; trial < 300; trial++) {
        cd_vec3 p[200];
        int count = 1 + (int)(cd_random_bits(&random) % 200);
        double most = 0;
        for (int i = 0; i < count; i++) {
            p[i] = trial % 4 == 0 ? in_cube(&random) : trial % 4 == 1 ? on_sphere(&random) : on_lattice(&random, 3);
            if (trial % 4 == 3)
                p[i].z = 1e-300 * p[i].x;
            if (trial % 5 == 0)
                p[i] = cd_add3(p[i], (cd_vec3){1e9, 0, -1e9});
        }
        for (int i = 0; i < count; i++)
            for (int j = 0; j < i; j++)
                most = fmax(most, cd_length3(cd_sub3(p[i], p[j])));
        wrong += cd_points_diameter3(p, count, &arena) != most;
        cd_arena_reset(&arena);
    }
    CD_CHECK(wrong == 0);
}

int main(void)
{
    CD_RUN(faces_are_the_supporting_planes);
    CD_RUN(few_dimensions_are_told);
    CD_RUN(a_cube_of_lattice_points_has_eight_corners);
    CD_RUN(points_on_faces_and_edges_are_no_corners);
    CD_RUN(ten_thousand_points_on_a_sphere);
    CD_RUN(drums_cones_and_curves);
    CD_RUN(of_equal_points_the_first_counts);
    CD_RUN(order_changes_numbers_alone);
    CD_RUN(scales_and_places);
    CD_RUN(diameters_are_those_of_all_pairs);
    cd_arena_release(&arena);
    return cd_test_done();
}
