// cd_convex_parts: blocks of unit cubes with an exact volume and an exact answer of what is inside, prisms over stars,
// cubes with dents; each turned and moved at random.
// SPDX-License-Identifier: MIT
#include "cd_convex_parts.h"
#include "cd_polyhedron_check.h"
#include "cd_polyhedron_mass.h"
#include "cd_random.h"
#include "cd_test.h"

static cd_arena arena;
static cd_diag diag;

// ---- meshes --------------------------------------------------------------------------------------------------------

enum { SIDE = 3, CORNERS = (SIDE + 1) * (SIDE + 1) * (SIDE + 1) };

static bool is_full(uint32_t cubes, int x, int y, int z)
{
    if (x < 0 || y < 0 || z < 0 || x >= SIDE || y >= SIDE || z >= SIDE)
        return false;
    return cubes >> (x + SIDE * (y + SIDE * z)) & 1;
}

// Quadrilaterals between full cubes and empty ones; every corner of the grid is there, those of no face are dropped.
static cd_polyhedron blocks(uint32_t cubes)
{
    static const int face[6][4][3] = {
        {{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}}, {{1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {1, 0, 1}},
        {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}}, {{0, 1, 0}, {0, 1, 1}, {1, 1, 1}, {1, 1, 0}},
        {{0, 0, 0}, {0, 1, 0}, {1, 1, 0}, {1, 0, 0}}, {{0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
    int32_t number[CORNERS], count = 0;
    CD_LIST(int32_t) first = {0};
    CD_LIST(int32_t) corner = {0};
    cd_vec3 *vertex = CD_ARENA_ARRAY(&arena, cd_vec3, CORNERS);
    memset(number, -1, sizeof number);
    cd_list_push(&arena, &first, 0);
    for (int c = 0; c < SIDE * SIDE * SIDE; c++)
        for (int f = 0; f < 6; f++) {
            int at[3] = {c % SIDE, c / SIDE % SIDE, c / (SIDE * SIDE)}, beside[3] = {at[0], at[1], at[2]};
            beside[f / 2] += f % 2 ? 1 : -1;
            if (!is_full(cubes, at[0], at[1], at[2]) || is_full(cubes, beside[0], beside[1], beside[2]))
                continue;
            for (int k = 0; k < 4; k++) {
                int x = at[0] + face[f][k][0], y = at[1] + face[f][k][1], z = at[2] + face[f][k][2];
                int32_t *v = &number[x + (SIDE + 1) * (y + (SIDE + 1) * z)];
                if (*v < 0) {
                    vertex[count] = (cd_vec3){x, y, z};
                    *v = count++;
                }
                cd_list_push(&arena, &corner, *v);
            }
            cd_list_push(&arena, &first, corner.count);
        }
    return (cd_polyhedron){count, first.count - 1, vertex, first.item, corner.item};
}

// A prism over a polygon of the plane, counter-clockwise; its bottom and top are not convex.
static cd_polyhedron prism(const double (*xy)[2], int32_t n)
{
    cd_vec3 *vertex = CD_ARENA_ARRAY(&arena, cd_vec3, 2 * n);
    int32_t *first = CD_ARENA_ARRAY(&arena, int32_t, n + 3), *corner = CD_ARENA_ARRAY(&arena, int32_t, 6 * n);
    for (int32_t k = 0; k < n; k++) {
        int32_t next = (k + 1) % n, side[4] = {k, next, n + next, n + k};
        vertex[k] = (cd_vec3){xy[k][0], xy[k][1], 0};
        vertex[n + k] = (cd_vec3){xy[k][0], xy[k][1], 1};
        corner[k] = n - 1 - k;
        corner[n + k] = n + k;
        memcpy(corner + 2 * n + 4 * k, side, sizeof side);
        first[2 + k] = 2 * n + 4 * k;
    }
    first[0] = 0;
    first[1] = n;
    first[n + 2] = 6 * n;
    return (cd_polyhedron){2 * n, n + 2, vertex, first, corner};
}

// Turned and moved: no coordinate stays a round number.
static cd_polyhedron moved(cd_polyhedron mesh, cd_random *random)
{
    cd_quat turn = {cd_random_between(random, -1, 1), cd_random_between(random, -1, 1),
                    cd_random_between(random, -1, 1), cd_random_between(random, -1, 1)};
    cd_pose3 pose = cd_pose3_make((cd_vec3){cd_random_between(random, -1, 1), 0.3, -0.7}, cd_quat_unit(turn));
    cd_vec3 *vertex = CD_ARENA_ARRAY(&arena, cd_vec3, mesh.vertex_count);
    cd_points_place3(mesh.vertex, mesh.vertex_count, &pose, vertex);
    mesh.vertex = vertex;
    return mesh;
}

// ---- what parts must be --------------------------------------------------------------------------------------------

static bool contains(cd_polyhedron part, cd_vec3 point)
{
    for (int32_t f = 0; f < part.face_count; f++) {
        const int32_t *v = part.face_vertex + part.face_first[f];
        cd_vec3 normal = {0, 0, 0};
        for (int32_t k = 1; k + 1 < part.face_first[f + 1] - part.face_first[f]; k++)
            normal = cd_add3(normal, cd_cross3(cd_sub3(part.vertex[v[k]], part.vertex[v[0]]),
                                               cd_sub3(part.vertex[v[k + 1]], part.vertex[v[0]])));
        if (cd_dot3(normal, cd_sub3(point, part.vertex[v[0]])) > 0)
            return false;
    }
    return true;
}

// Convex each, with the volume and the centre of mass of the whole together.
static cd_convex_parts cut(cd_polyhedron mesh, double volume)
{
    cd_convex_parts parts = {0};
    CD_CHECK(cd_convex_parts_make(mesh, 1000, &arena, &parts, &diag) == CD_OK);
    double sum = 0;
    cd_vec3 moment = {0, 0, 0};
    for (int32_t p = 0; p < parts.count; p++) {
        cd_polyhedron part = parts.part[p].polyhedron;
        CD_CHECK(cd_polyhedron_check_convex(part, 1e-11, &arena, &diag) == CD_OK);
        cd_mass3 mass = cd_polyhedron_mass(part);
        CD_CHECK(mass.volume > 0);
        sum += mass.volume;
        moment = cd_add3(moment, cd_scale3(mass.volume, mass.centre));
    }
    CD_CHECK_NEAR(sum, volume, 1e-12 * volume);
    cd_mass3 whole = cd_polyhedron_mass(mesh);
    CD_CHECK_NEAR(cd_length3(cd_sub3(cd_scale3(1 / volume, moment), whole.centre)), 0, 1e-12);
    for (int32_t k = 0; k < parts.adjacent_count; k++)
        CD_CHECK(parts.adjacent[2 * k] < parts.adjacent[2 * k + 1] && parts.adjacent[2 * k + 1] < parts.count);
    return parts;
}

static int32_t inner_faces(const cd_convex_parts *parts)
{
    int32_t count = 0;
    for (int32_t p = 0; p < parts->count; p++)
        for (int32_t f = 0; f < parts->part[p].polyhedron.face_count; f++)
            count += parts->part[p].surface[f] < 0;
    return count;
}

// ---- tests ---------------------------------------------------------------------------------------------------------

CD_TEST(few_reflex_edges_give_few_parts)
{
    cd_random random = {5};
    static const double l[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const double u[8][2] = {{0, 0}, {3, 0}, {3, 2}, {2, 2}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    static const double square[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int k = 0; k < 20; k++) {
        cd_convex_parts parts = cut(moved(prism(square, 4), &random), 1);
        CD_CHECK(parts.count == 1 && parts.adjacent_count == 0 && inner_faces(&parts) == 0);
        parts = cut(moved(prism(l, 6), &random), 3);
        CD_CHECK(parts.count == 2 && parts.adjacent_count == 1 && inner_faces(&parts) == 1);
        parts = cut(moved(prism(u, 8), &random), 5);
        CD_CHECK(parts.count == 3 && parts.adjacent_count == 2);
    }
    cd_arena_reset(&arena);
}

// Stars of n tips, radii 1 and 1/2: n reflex edges, area n sin(pi / n) / 2 of 2 n triangles of the middle.
CD_TEST(stars)
{
    cd_random random = {6};
    for (int32_t n = 3; n <= 40; n++) {
        double xy[80][2];
        for (int32_t k = 0; k < 2 * n; k++) {
            double radius = k % 2 ? 0.5 : 1, angle = M_PI * k / n;
            xy[k][0] = radius * cos(angle);
            xy[k][1] = radius * sin(angle);
        }
        cd_convex_parts parts = cut(moved(prism((const double(*)[2])xy, 2 * n), &random), n * sin(M_PI / n) / 2);
        CD_CHECK(parts.count <= 2 * n);
        cd_arena_reset(&arena);
    }
}

// Random blocks, holes through them and hollow ones among them: each point is in as many parts as it is in cubes.
CD_TEST(blocks_of_cubes)
{
    cd_random random = {7};
    int tried = 0;
    for (int trial = 0; trial < 400; trial++) {
        uint32_t cubes = trial == 0 ? 0x7ffffff & ~(1u << 13) : (uint32_t)cd_random_bits(&random) & 0x7ffffff;
        if (trial % 2)
            cubes |= (uint32_t)cd_random_bits(&random) & 0x7ffffff;
        cd_polyhedron mesh = blocks(cubes);
        cd_convex_parts parts;
        if (mesh.face_count == 0 || cd_convex_parts_make(mesh, 1000, &arena, &parts, &diag) == CD_ERR_FORMAT) {
            CD_CHECK_TEXT(diag.text, "faces: not closed: an edge has not two faces that go along it both ways");
            cd_arena_reset(&arena);
            continue;  // cubes that have an edge alone in common
        }
        tried++;
        int volume = __builtin_popcount(cubes);
        parts = cut(mesh, volume);
        for (int k = 0; k < 100; k++) {
            cd_vec3 point = {cd_random_between(&random, 0, SIDE), cd_random_between(&random, 0, SIDE),
                             cd_random_between(&random, 0, SIDE)};
            int32_t found = 0;
            for (int32_t p = 0; p < parts.count; p++)
                found += contains(parts.part[p].polyhedron, point);
            CD_CHECK(found == is_full(cubes, (int)point.x, (int)point.y, (int)point.z));
        }
        cut(moved(mesh, &random), volume);
        cd_arena_reset(&arena);
    }
    CD_CHECK(tried > 40);
}

// A cube of 2 m whose faces are drawn in to a point `depth` deep: 24 triangles, 6 pyramids less.
CD_TEST(dented_cubes)
{
    cd_random random = {8};
    static const int32_t face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int trial = 0; trial < 30; trial++) {
        double depth = cd_random_between(&random, 0.01, 0.9);
        cd_vec3 vertex[14];
        int32_t first[25], corner[72];
        for (int v = 0; v < 8; v++)
            vertex[v] = (cd_vec3){v & 1 ? 1 : -1, v & 2 ? 1 : -1, v & 4 ? 1 : -1};
        for (int f = 0; f < 6; f++) {
            cd_vec3 sum = {0, 0, 0};
            for (int k = 0; k < 4; k++)
                sum = cd_add3(sum, vertex[face[f][k]]);
            vertex[8 + f] = cd_scale3((1 - depth) / 4, sum);
            for (int k = 0; k < 4; k++) {
                int32_t triangle[3] = {face[f][k], face[f][(k + 1) % 4], 8 + f};
                memcpy(corner + 12 * f + 3 * k, triangle, sizeof triangle);
            }
        }
        for (int f = 0; f <= 24; f++)
            first[f] = 3 * f;
        cut(moved((cd_polyhedron){14, 24, vertex, first, corner}, &random), 8 - 6 * 4 * depth / 3);
        cd_arena_reset(&arena);
    }
}

CD_TEST(what_is_refused)
{
    static const double l[6][2] = {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}};
    cd_polyhedron mesh = prism(l, 6);
    cd_convex_parts parts;
    CD_CHECK(cd_convex_parts_make(mesh, 0, &arena, &parts, &diag) == CD_ERR_LIMIT);
    CD_CHECK_TEXT(diag.text, "faces: 1 reflex edges, at most 0 are cut");
    CD_CHECK(cd_convex_parts_make(mesh, 1, &arena, &parts, &diag) == CD_ERR_LIMIT);
    CD_CHECK_TEXT(diag.text, "faces: more than 1 convex parts");
    mesh.face_count--;
    CD_CHECK(cd_convex_parts_make(mesh, 9, &arena, &parts, &diag) == CD_ERR_FORMAT);
    static const double clockwise[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    CD_CHECK(cd_convex_parts_make(prism(clockwise, 4), 9, &arena, &parts, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "faces: enclose no volume, or are listed clockwise as seen from outside");
    cd_arena_reset(&arena);
}

int main(void)
{
    CD_RUN(few_reflex_edges_give_few_parts);
    CD_RUN(stars);
    CD_RUN(blocks_of_cubes);
    CD_RUN(dented_cubes);
    CD_RUN(what_is_refused);
    cd_arena_release(&arena);
    return cd_test_done();
}
