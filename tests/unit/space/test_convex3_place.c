// Polyhedra placed without planes, and moved without turning: what stays the same as with planes and with a pose.
// SPDX-License-Identifier: MIT
#include "cd_convex3_place.h"
#include "cd_depth3.h"
#include "cd_hull3.h"
#include "cd_test.h"
#include "cd_vector.h"
#include "test_solids.h"
#include "test_kernels3.h"

static cd_arena arena;

static bool is_same(const void *a, const void *b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

static bool has_same_vertices(const cd_convex3 *a, const cd_convex3 *b)
{
    size_t bytes = (size_t)cd_convex3_padded(a->vertex_count) * sizeof(double);
    return is_same(a->x, b->x, bytes) && is_same(a->y, b->y, bytes) && is_same(a->z, b->z, bytes);
}

static cd_convex3 random_hull(cd_random *random, cd_edges3 *edges)
{
    int32_t count = 4 + (int32_t)(20 * cd_random_unit(random));
    cd_polyhedron p = test_hull(random, count, (cd_vec3){0.6, 0.8, 1}, &arena);
    *edges = cd_edges3_make(&arena, p.vertex_count, p.face_count, p.face_first, p.face_vertex);
    return cd_convex3_make(&arena, &p, NULL);
}

static cd_pose3 random_pose(cd_random *random, double spread)
{
    return cd_pose3_make(cd_scale3(spread, test_direction(random)), test_rotation(random));
}

static cd_convex3 place_vertices(cd_arena *to, const cd_convex3 *convex, const cd_pose3 *pose)
{
    cd_convex3 c;
    cd_convex3_place_into(to, convex, pose, false, &c);
    return c;
}

CD_TEST(distance_and_depth_need_no_planes)
{
    cd_random random = {11};
    int32_t depths = 0;
    for (int n = 0; n < 300; n++) {
        cd_edges3 edges[2];
        cd_convex3 whole[2], bare[2];
        for (int k = 0; k < 2; k++) {
            cd_convex3 *home = CD_ARENA_ARRAY(&arena, cd_convex3, 1);
            *home = random_hull(&random, &edges[k]);
            cd_pose3 pose = random_pose(&random, k ? 0.3 + n / 200.0 : 0);
            whole[k] = cd_convex3_place(&arena, home, &pose);
            bare[k] = place_vertices(&arena, home, &pose);
            CD_CHECK(whole[k].plane && !bare[k].plane && has_same_vertices(&whole[k], &bare[k]));
            CD_CHECK(is_same(&whole[k].centre, &bare[k].centre, sizeof(cd_vec3)) && whole[k].radius == bare[k].radius);
            for (int32_t f = 0; f < home->face_count; f++) {
                cd_vec3 with = cd_convex3_normal(&whole[k], f), without = cd_convex3_normal(&bare[k], f);
                CD_CHECK(is_same(&with, &whole[k].plane[f].normal, sizeof with) &&
                         is_same(&with, &without, sizeof with));
            }
        }
        cd_signed_distance3 with = test_signed_distance(cd_support3_convex(&whole[0]), &edges[0],
                                                        cd_support3_convex(&whole[1]), &edges[1], NULL, &arena);
        cd_signed_distance3 without = test_signed_distance(cd_support3_convex(&bare[0]), &edges[0],
                                                           cd_support3_convex(&bare[1]), &edges[1], NULL, &arena);
        CD_CHECK(with.gap == without.gap && is_same(&with.normal, &without.normal, sizeof(cd_vec3)) &&
                 is_same(&with.point_a, &without.point_a, sizeof(cd_vec3)) &&
                 is_same(&with.point_b, &without.point_b, sizeof(cd_vec3)) &&
                 is_same(&with.feature_a, &without.feature_a, sizeof(cd_feature3)) &&
                 is_same(&with.feature_b, &without.feature_b, sizeof(cd_feature3)));
        depths += with.is_depth;
        cd_arena_reset(&arena);
    }
    CD_CHECK(depths > 50 && depths < 250);
}

// A box whose top has a vertex in the middle of an edge, and there a face of three corners on one line.
CD_TEST(a_face_without_area_has_no_part_in_the_depth)
{
    cd_vec3 vertex[9];
    for (int i = 0; i < 8; i++)
        vertex[i] = (cd_vec3){i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
    vertex[8] = (cd_vec3){0, 1, 1};
    static const int32_t first[] = {0, 4, 8, 12, 16, 20, 25, 28};
    static const int32_t corner[] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6,
                                     7, 3, 0, 2, 3, 1, 4, 5, 7, 8, 6, 6, 8, 7};
    cd_polyhedron p = {9, 7, vertex, first, corner};
    cd_edges3 edges = cd_edges3_make(&arena, p.vertex_count, p.face_count, p.face_first, p.face_vertex);
    cd_convex3 home = cd_convex3_make(&arena, &p, NULL);
    cd_pose3 at = {{0, 0, 0}, cd_mat3_identity()}, above = {{0.25, 0.5, 1.75}, cd_mat3_identity()};
    cd_convex3 a = place_vertices(&arena, &home, &at), b = place_vertices(&arena, &home, &above);
    cd_depth3 d = test_depth(&a, &edges, &b, &edges, &arena);
    CD_CHECK(d.depth == 0.25 && d.normal.z == 1);
    cd_arena_reset(&arena);
}

CD_TEST(a_shift_is_a_pose_without_rotation)
{
    cd_random random = {12};
    for (int n = 0; n < 300; n++) {
        cd_edges3 edges;
        cd_convex3 home = random_hull(&random, &edges);
        cd_pose3 pose = random_pose(&random, n % 3 ? 1 : 1e6);
        cd_convex3 whole = cd_convex3_place(&arena, &home, &pose), bare = place_vertices(&arena, &home, &pose);
        cd_vec3 by = cd_scale3(exp(test_between(&random, -9, 3)), test_direction(&random));
        cd_pose3 move = {by, cd_mat3_identity()};
        cd_convex3 moved = cd_convex3_place(&arena, &whole, &move);
        const cd_convex3 *from[2] = {&whole, &bare};
        for (int k = 0; k < 2; k++) {
            cd_convex3 shifted = cd_convex3_shift(&arena, from[k], by);
            CD_CHECK(!shifted.plane && has_same_vertices(&shifted, &moved));
            CD_CHECK(is_same(&shifted.low, &moved.low, sizeof(cd_vec3)) &&
                     is_same(&shifted.high, &moved.high, sizeof(cd_vec3)));
            double size = cd_length3(moved.centre) + moved.radius;
            CD_CHECK(cd_length3(cd_sub3(shifted.centre, moved.centre)) <= 1e-15 * size);
            CD_CHECK(shifted.radius <= moved.radius + 2e-15 * size);
            for (int32_t i = 0; i < home.vertex_count; i++) {
                long double x = (long double)shifted.x[i] - shifted.centre.x;
                long double y = (long double)shifted.y[i] - shifted.centre.y;
                long double z = (long double)shifted.z[i] - shifted.centre.z;
                CD_CHECK(sqrtl(x * x + y * y + z * z) <= shifted.radius);
            }
            for (int32_t f = 0; f < home.face_count; f++) {
                cd_vec3 with = cd_convex3_normal(&whole, f), without = cd_convex3_normal(&shifted, f);
                CD_CHECK(with.x == without.x && with.y == without.y && with.z == without.z);
            }
        }
        cd_arena_reset(&arena);
    }
}

// ---- levels --------------------------------------------------------------------------------------------------------

// Of round points, all faces triangles; or of gridded ones, with polygons.
static cd_convex3 *hull_of(cd_random *random, int32_t count, bool has_polygons)
{
    enum { MOST = 80 };
    cd_vec3 p[MOST];
    for (int32_t i = 0; i < count; i++) {
        cd_vec3 d = test_direction(random);
        p[i] = has_polygons ? (cd_vec3){rint(2 * d.x), rint(2 * d.y), rint(2 * d.z)} : d;
    }
    cd_hull3 h = cd_hull3_make(p, count, &arena);
    if (h.dimension < 3)
        return NULL;
    cd_polyhedron solid = cd_hull3_polyhedron(&h, p, &arena);
    cd_convex3 *home = CD_ARENA_ARRAY(&arena, cd_convex3, 1);
    *home = cd_convex3_make(&arena, &solid, NULL);
    return home;
}

// One vertex and one face after the other.
static void check_plain(const cd_convex3 *c, const cd_convex3 *home, const cd_pose3 *pose)
{
    cd_vec3 first = cd_pose3_apply(pose, cd_convex3_vertex(home, 0)), sum = {0, 0, 0}, low = first, high = first;
    for (int32_t i = 0; i < cd_convex3_padded(c->vertex_count); i++) {
        cd_vec3 p = i < c->vertex_count ? cd_pose3_apply(pose, cd_convex3_vertex(home, i)) : first;
        CD_CHECK(c->x[i] == p.x && c->y[i] == p.y && c->z[i] == p.z);
        if (i < c->vertex_count)
            sum = cd_add3(sum, p);
        low = (cd_vec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (cd_vec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    cd_vec3 centre = cd_scale3(1.0 / c->vertex_count, sum);
    double farthest = 0;
    for (int32_t i = 0; i < c->vertex_count; i++) {
        cd_vec3 d = cd_sub3(cd_convex3_vertex(c, i), centre);
        farthest = fmax(farthest, cd_dot3(d, d));
    }
    CD_CHECK(is_same(&c->low, &low, sizeof low) && is_same(&c->high, &high, sizeof high));
    CD_CHECK(is_same(&c->centre, &centre, sizeof centre));
    CD_CHECK(c->radius == nextafter(sqrt(farthest) * (1 + 4e-16), INFINITY));
    for (int32_t f = 0; f < c->face_count; f++) {
        cd_vec3 normal = cd_pose3_turn(pose, home->plane[f].normal);
        double offset = -INFINITY;
        for (int32_t k = c->face_first[f]; k < c->face_first[f + 1]; k++)
            offset = fmax(offset, cd_dot3(normal, cd_convex3_vertex(c, c->face_vertex[k])));
        CD_CHECK(is_same(&c->plane[f].normal, &normal, sizeof normal) && c->plane[f].offset == offset);
    }
}

CD_TEST(placing_is_the_same_at_all_levels)
{
    bool has_avx512 = cd_vector_detect(CD_VECTOR_AVX512) == CD_VECTOR_AVX512;
    cd_random random = {13};
    int placed = 0;
    for (int n = 0; n < 700; n++) {
        cd_convex3 *home = hull_of(&random, 4 + n % 70, n % 5 == 0);
        if (!home)
            continue;
        cd_pose3 pose = random_pose(&random, n % 3 ? 2 : 1e6);
        cd_convex3 whole = cd_convex3_place(&arena, home, &pose);
        check_plain(&whole, home, &pose);
        CD_CHECK(!whole.home && !whole.turn && (uintptr_t)whole.x % 64 == 0);
        for (int level = 0; level <= has_avx512; level++) {
            size_t planes = (size_t)(home->face_count + CD_CONVEX3_PLANES);
            cd_convex3_columns to = cd_convex3_new_columns(&arena, home->vertex_count, planes * sizeof(cd_plane));
            cd_convex3 c = *home;
            cd_plane *plane = cd_convex3_behind(to, home->vertex_count);
            c.x = to.x;
            c.y = to.y;
            c.z = to.z;
            c.plane = plane;
            (level ? cd_convex3_move_avx512 : cd_convex3_move)(home, &pose, to, plane, &c);
            check_plain(&c, home, &pose);
        }
        placed++;
        cd_arena_reset(&arena);
    }
    CD_CHECK(placed > 600);
}

int main(void)
{
    CD_RUN(placing_is_the_same_at_all_levels);
    CD_RUN(distance_and_depth_need_no_planes);
    CD_RUN(a_face_without_area_has_no_part_in_the_depth);
    CD_RUN(a_shift_is_a_pose_without_rotation);
    cd_arena_release(&arena);
    return cd_test_done();
}
