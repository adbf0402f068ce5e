// Penetration depth against all candidate directions in long double, and by what it promises: b moved by it touches a.
// SPDX-License-Identifier: MIT
#include "cd_depth3.h"
#include "cd_test.h"
#include "test_convex3_random.h"
#include "test_kernels3.h"

enum { PAIRS = 20000, BRUTE_PAIRS = 250, POOL = 160 };

static double worst_error, worst_touching;  // in parts of the scale

// ---- the oracle ----------------------------------------------------------------------------------------------------

// max over a of n.x less min over b: minus the separation along n / |n|. Ends early above `enough`.
static long double overlap_along(const cd_convex3 *a, const cd_convex3 *b, test_long3 n, long double enough)
{
    long double length = sqrtl(test_long_dot(n, n)), most = -INFINITY, least = INFINITY;
    n = (test_long3){n.x / length, n.y / length, n.z / length};
    cd_vec3 origin = a->centre;
    for (int32_t i = 0, j = 0; i < a->vertex_count || j < b->vertex_count; i++, j++) {
        if (i < a->vertex_count)
            most = fmaxl(most, test_long_dot(n, test_long_sub(cd_convex3_vertex(a, i), origin)));
        if (j < b->vertex_count)
            least = fminl(least, test_long_dot(n, test_long_sub(cd_convex3_vertex(b, j), origin)));
        if (most - least > enough)
            return INFINITY;
    }
    return most - least;
}

static test_long3 turned(test_long3 n) { return (test_long3){-n.x, -n.y, -n.z}; }

// The least overlap over all normals of faces (of every three corners that follow each other) and all cross products.
static long double brute_depth(const cd_convex3 *a, const cd_edges3 *edges_a, const cd_convex3 *b,
                               const cd_edges3 *edges_b)
{
    long double best = INFINITY;
    for (int side = 0; side < 2; side++) {
        const cd_convex3 *c = side ? b : a;
        for (int32_t f = 0; f < c->face_count; f++) {
            const int32_t *corner = c->face_vertex + c->face_first[f];
            cd_vec3 p = cd_convex3_vertex(c, corner[0]), q = cd_convex3_vertex(c, corner[1]);
            test_long3 n = test_long_cross(test_long_sub(q, p), test_long_sub(cd_convex3_vertex(c, corner[2]), p));
            best = fminl(best, overlap_along(a, b, side ? turned(n) : n, best));
        }
    }
    for (int32_t i = 0; i < edges_a->count; i++)
        for (int32_t j = 0; j < edges_b->count; j++) {
            const int32_t *v = edges_a->edge[i].vertex, *w = edges_b->edge[j].vertex;
            test_long3 d = test_long_sub(cd_convex3_vertex(a, v[1]), cd_convex3_vertex(a, v[0]));
            test_long3 e = test_long_sub(cd_convex3_vertex(b, w[1]), cd_convex3_vertex(b, w[0]));
            test_long3 n = test_long_cross(d, e);
            if (test_long_dot(n, n) <= 1e-28L * test_long_dot(d, d) * test_long_dot(e, e))
                continue;
            best = fminl(best, overlap_along(a, b, n, best));
            best = fminl(best, overlap_along(a, b, turned(n), best));
        }
    return best;
}

static cd_edges3 edges_of(cd_arena *arena, const cd_convex3 *c)
{
    return cd_edges3_make(arena, c->vertex_count, c->face_count, c->face_first, c->face_vertex);
}

static double scale_of(const cd_convex3 *a, const cd_convex3 *b)
{
    return fmax(2 * fmax(a->radius, b->radius), cd_length3(cd_sub3(a->centre, b->centre)));
}

static cd_convex3 moved(cd_arena *arena, const cd_convex3 *c, cd_vec3 by)
{
    cd_pose3 pose = {by, cd_mat3_identity()};
    return cd_convex3_place(arena, c, &pose);
}

static bool has_vertex(const cd_convex3 *c, cd_feature3 f, int32_t vertex)
{
    if (f.kind == CD_FEATURE3_VERTEX)
        return f.index == vertex;
    if (f.kind == CD_FEATURE3_EDGE)
        return f.vertex[0] == vertex || f.vertex[1] == vertex;
    bool found = false;
    for (int32_t k = c->face_first[f.index]; k < c->face_first[f.index + 1]; k++)
        found |= c->face_vertex[k] == vertex;
    return found;
}

// All corners of the feature are in the body's support plane along n.
static void check_feature(const cd_convex3 *c, cd_feature3 f, cd_vec3 n, double tolerance)
{
    CD_CHECK(f.kind != CD_FEATURE3_NONE);
    int32_t top = cd_convex3_support(c, c->centre, n, CD_VECTOR_PORTABLE);
    for (int32_t i = 0; i < c->vertex_count; i++)
        if (has_vertex(c, f, i))
            CD_CHECK_NEAR(cd_dot3(n, cd_sub3(cd_convex3_vertex(c, i), cd_convex3_vertex(c, top))), 0, tolerance);
}

static cd_depth3 check(const cd_convex3 *a, const cd_convex3 *b, cd_arena *arena, bool with_brute_force)
{
    cd_arena_mark mark = cd_arena_get_mark(arena);
    cd_edges3 edges_a = edges_of(arena, a), edges_b = edges_of(arena, b);
    cd_depth3 d = test_depth(a, &edges_a, b, &edges_b, arena);
    double scale = scale_of(a, b), tolerance = 1e-14 * scale;
    CD_CHECK_NEAR(cd_length3(d.normal), 1, 1e-15);
    CD_CHECK(d.depth == fmax(0, -d.separation));
    long double along = overlap_along(a, b, (test_long3){d.normal.x, d.normal.y, d.normal.z}, INFINITY);
    CD_CHECK_NEAR(-d.separation, (double)along, tolerance);
    if (with_brute_force) {
        long double truth = brute_depth(a, &edges_a, b, &edges_b);
        if (truth < 0) {  // apart: directions that are no face's may do better
            CD_CHECK(d.separation >= -tolerance && d.separation <= (double)-truth + tolerance);
        } else {
            CD_CHECK_NEAR(-d.separation, (double)truth, tolerance);
            worst_error = fmax(worst_error, fabs((double)(-d.separation - truth)) / scale);
        }
    }
    if (d.depth > 0) {
        cd_convex3 parted = moved(arena, b, cd_scale3(d.depth, d.normal));
        cd_distance3 then = cd_distance3_compute(cd_support3_convex(a), cd_support3_convex(&parted), NULL);
        CD_CHECK_NEAR(then.distance, 0, tolerance);
        worst_touching = fmax(worst_touching, then.distance / scale);
        cd_vec3 rest = cd_sub3(cd_sub3(d.point_a, d.point_b), cd_scale3(d.depth, d.normal));
        double rounding = tolerance + 1e-15 * (cd_length3(d.point_a) + cd_length3(d.point_b));
        CD_CHECK_NEAR(cd_length3(rest), 0, rounding);
        // The witness points belong to the bodies.
        cd_distance3 on_a = cd_distance3_compute(cd_support3_convex(a), cd_support3_sphere(d.point_a, 0), NULL);
        cd_distance3 on_b = cd_distance3_compute(cd_support3_convex(b), cd_support3_sphere(d.point_b, 0), NULL);
        CD_CHECK_NEAR(on_a.distance, 0, 200 * rounding);
        CD_CHECK_NEAR(on_b.distance, 0, 200 * rounding);
        check_feature(a, d.feature_a, d.normal, 1e-11 * scale);
        check_feature(b, d.feature_b, cd_negate3(d.normal), 1e-11 * scale);
    }
    cd_arena_rewind(arena, mark);
    return d;
}

// ---- random pairs --------------------------------------------------------------------------------------------------

typedef enum relation { SHALLOW, DEEP, CONTAINED, IDENTICAL, TOUCHING } relation;

static void check_relation(relation kind, const test_pool *pool, cd_random *random, cd_arena *arena,
                           bool with_brute_force)
{
    const cd_convex3 *one = test_pool_pick(pool, random), *other = test_pool_pick(pool, random);
    double size = one->radius + other->radius;
    cd_vec3 away = cd_scale3((kind == DEEP ? 0.2 : 1.2) * size, test_direction(random));
    cd_pose3 pose_a = test_pose(random, (cd_vec3){0, 0, 0}), pose_b = test_pose(random, away);
    cd_convex3 a = cd_convex3_place(arena, one, &pose_a), b = cd_convex3_place(arena, other, &pose_b);
    if (kind == SHALLOW || kind == TOUCHING) {
        cd_distance3 d = cd_distance3_compute(cd_support3_convex(&a), cd_support3_convex(&b), NULL);
        double depth = kind == TOUCHING ? 0 : size * exp(cd_random_between(random, log(1e-12), log(0.1)));
        b = moved(arena, &b, cd_scale3(-(d.distance + depth), d.normal));
    }
    if (kind == CONTAINED) {
        b = test_scaled(arena, &a, 0.05);
        b = moved(arena, &b, cd_sub3(a.centre, b.centre));
    }
    if (kind == IDENTICAL)
        b = a;
    check(&a, &b, arena, with_brute_force);
}

static void check_relations(int pairs, test_family family, bool with_brute_force)
{
    cd_arena arena = {0};
    cd_random random = {family + (with_brute_force ? 1000u : 2000u)};
    test_pool pool = test_pool_make(&arena, &random, with_brute_force ? POOL / 2 : POOL, family);
    for (int i = 0; i < pairs; i++) {
        cd_arena_mark mark = cd_arena_get_mark(&arena);
        check_relation((relation)(i % 5), &pool, &random, &arena, with_brute_force);
        cd_arena_rewind(&arena, mark);
    }
    cd_arena_release(&arena);
}

CD_TEST(hulls_against_brute_force) { check_relations(BRUTE_PAIRS * 5, TEST_ROUND, true); }
CD_TEST(needles_against_brute_force) { check_relations(BRUTE_PAIRS, TEST_NEEDLE, true); }
CD_TEST(plates_against_brute_force) { check_relations(BRUTE_PAIRS, TEST_PLATE, true); }
CD_TEST(dimpled_against_brute_force) { check_relations(BRUTE_PAIRS, TEST_DIMPLED, true); }
// Points on an ellipse and one on either side: edges with long arcs, more pairs of them than are looked at one by one
// without thought. Apart and overlapping.
static cd_convex3 lens(cd_random *random, int32_t rim, double width, double far, cd_arena *arena)
{
    double height = pow(10, cd_random_between(random, -3, 0.5));
    cd_vec3 *point = CD_ARENA_ARRAY(arena, cd_vec3, rim + 2);
    for (int32_t k = 0; k < rim; k++) {
        double angle = 6.283185307179586 * (k + (rim % 2 ? 0.5 * cd_random_unit(random) : 0)) / rim;
        point[k] = (cd_vec3){cos(angle), width * sin(angle), 0};
    }
    point[rim] = (cd_vec3){0.1 * width, 0, height};
    point[rim + 1] = (cd_vec3){0, 0.05 * width, -height};
    cd_hull3 hull = cd_hull3_make(point, rim + 2, arena);
    cd_pose3 pose = test_pose(random, cd_scale3(far, test_direction(random)));
    cd_polyhedron p = cd_hull3_polyhedron(&hull, point, arena);
    cd_vec3 *vertex = CD_ARENA_ARRAY(arena, cd_vec3, p.vertex_count);
    cd_points_place3(p.vertex, p.vertex_count, &pose, vertex);
    p.vertex = vertex;
    return cd_convex3_make(arena, &p, NULL);
}

CD_TEST(lenses_against_brute_force)
{
    cd_random random = {11};
    cd_arena arena = {0};
    int apart = 0;
    for (int trial = 0; trial < 450; trial++) {
        double width = pow(10, cd_random_between(&random, -3, 0));
        cd_convex3 a = lens(&random, 8 + trial % 40, width, 0, &arena);
        cd_convex3 b = lens(&random, 8 + trial % 37, trial % 3 ? 1 : 0.02, cd_random_between(&random, 0, 1.5), &arena);
        apart += check(&a, &b, &arena, true).separation > 0;
        cd_arena_reset(&arena);
    }
    CD_CHECK(apart > 90 && apart < 360);
    cd_arena_release(&arena);
}

CD_TEST(moved_apart_hulls_touch) { check_relations(PAIRS, TEST_ROUND, false); }

// ---- known answers -------------------------------------------------------------------------------------------------

// Boxes along the axes: the least of six overlaps; when several are least, any of them.
CD_TEST(aligned_boxes)
{
    cd_arena arena = {0};
    cd_random random = {31};
    for (int i = 0; i < 4000; i++) {
        cd_arena_mark mark = cd_arena_get_mark(&arena);
        double low[2][3], high[2][3], depth = INFINITY;
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++) {
                low[side][k] = (double)(cd_random_bits(&random) % 3);
                high[side][k] = low[side][k] + 1 + (double)(cd_random_bits(&random) % 4);
            }
        for (int k = 0; k < 3; k++)
            depth = fmin(depth, fmin(high[0][k] - low[1][k], high[1][k] - low[0][k]));
        cd_convex3 a = test_box(&arena, low[0], high[0]), b = test_box(&arena, low[1], high[1]);
        if (depth >= 0) {
            cd_depth3 d = check(&a, &b, &arena, false);
            CD_CHECK_NEAR(d.depth, depth, 1e-15);
            CD_CHECK(d.kind != CD_DEPTH3_EDGES && d.feature_a.kind == CD_FEATURE3_FACE &&
                     d.feature_b.kind == CD_FEATURE3_FACE);
        }
        cd_arena_rewind(&arena, mark);
    }
    cd_arena_release(&arena);
}

CD_TEST(crossed_boxes_touch_by_edges)
{
    cd_arena arena = {0};
    cd_convex3 bar = test_box(&arena, (double[]){-4, -1, -1}, (double[]){4, 1, 1});
    cd_pose3 low = cd_pose3_make((cd_vec3){0, 0, 0}, cd_quat_from_vector((cd_vec3){0.78539816339744831, 0, 0}));
    cd_convex3 a = cd_convex3_place(&arena, &bar, &low);
    cd_quat across = cd_quat_product(cd_quat_from_vector((cd_vec3){0, 0, 1.5707963267948966}),
                                     cd_quat_from_vector((cd_vec3){0.78539816339744831, 0, 0}));
    cd_pose3 high = cd_pose3_make((cd_vec3){0, 0, 2 * sqrt(2) - 0.125}, across);
    cd_convex3 b = cd_convex3_place(&arena, &bar, &high);
    cd_depth3 d = check(&a, &b, &arena, true);
    CD_CHECK(d.kind == CD_DEPTH3_EDGES && d.feature_a.kind == CD_FEATURE3_EDGE && d.feature_b.kind == CD_FEATURE3_EDGE);
    CD_CHECK_NEAR(d.depth, 0.125, 4e-15);
    CD_CHECK_NEAR(d.normal.z, 1, 1e-15);
    CD_CHECK_NEAR(cd_length3(cd_sub3(d.point_a, (cd_vec3){0, 0, sqrt(2)})), 0, 1e-14);
    cd_arena_release(&arena);
}

CD_TEST(spheres_points_and_facets_in_a_box)
{
    cd_arena arena = {0};
    cd_random random = {32};
    cd_convex3 box = test_box(&arena, (double[]){-1, -2, -3}, (double[]){1, 2, 3});
    for (int i = 0; i < 5000; i++) {
        cd_vec3 p = {cd_random_between(&random, -2, 2), cd_random_between(&random, -3, 3),
                     cd_random_between(&random, -4, 4)};
        double r = cd_random_between(&random, 0.01, 0.5), x = fabs(p.x) - 1, y = fabs(p.y) - 2, z = fabs(p.z) - 3;
        double outside = sqrt(fmax(x, 0) * fmax(x, 0) + fmax(y, 0) * fmax(y, 0) + fmax(z, 0) * fmax(z, 0));
        double truth = outside > 0 ? outside : fmax(x, fmax(y, z));
        cd_signed_distance3 d =
            test_signed_distance(cd_support3_convex(&box), NULL, cd_support3_sphere(p, r), NULL, NULL, &arena);
        CD_CHECK_NEAR(d.gap, truth - r, 1e-14);
        CD_CHECK_NEAR(cd_length3(cd_sub3(cd_sub3(d.point_b, d.point_a), cd_scale3(d.gap, d.normal))), 0, 1e-14);
        CD_CHECK_NEAR(cd_length3(cd_sub3(d.point_b, p)), r, 1e-14);
        // A facet in a plane z = const reaches through the box: up or down it goes.
        double height = cd_random_between(&random, -4, 4);
        cd_support3 facet =
            cd_support3_triangle((cd_vec3){-90, -90, height}, (cd_vec3){90, -90, height}, (cd_vec3){0, 90, height}, r);
        d = test_signed_distance(cd_support3_convex(&box), NULL, facet, NULL, NULL, &arena);
        CD_CHECK_NEAR(d.gap, fabs(height) - 3 - r, 2e-13);
        CD_CHECK_NEAR(fabs(d.normal.z), 1, 1e-15);
    }
    // Segments that cross, that lie along each other, points in one place.
    cd_support3 s = cd_support3_segment((cd_vec3){-1, 0, 0}, (cd_vec3){1, 0, 0}, 0.5);
    cd_support3 t = cd_support3_segment((cd_vec3){0, -1, 0}, (cd_vec3){0, 1, 0}, 0.25);
    CD_CHECK_NEAR(test_signed_distance(s, NULL, t, NULL, NULL, &arena).gap, -0.75, 1e-15);
    CD_CHECK_NEAR(test_signed_distance(s, NULL, s, NULL, NULL, &arena).gap, -1, 1e-15);
    cd_support3 p = cd_support3_sphere((cd_vec3){3, 4, 5}, 2);
    CD_CHECK_NEAR(test_signed_distance(p, NULL, p, NULL, NULL, &arena).gap, -4, 1e-15);
    cd_arena_release(&arena);
}

// ---- metamorphic ---------------------------------------------------------------------------------------------------

static bool same_vector(cd_vec3 p, cd_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

CD_TEST(exchange_scale_and_motion)
{
    cd_arena arena = {0};
    cd_random random = {41};
    test_pool pool = test_pool_make(&arena, &random, POOL, TEST_ROUND);
    for (int i = 0; i < 3000; i++) {
        cd_arena_mark mark = cd_arena_get_mark(&arena);
        const cd_convex3 *one = test_pool_pick(&pool, &random), *other = test_pool_pick(&pool, &random);
        cd_pose3 pose_a = test_pose(&random, (cd_vec3){0, 0, 0}), pose_b = test_pose(&random, test_direction(&random));
        cd_convex3 a = cd_convex3_place(&arena, one, &pose_a), b = cd_convex3_place(&arena, other, &pose_b);
        cd_support3 of_a = cd_support3_convex(&a), of_b = cd_support3_convex(&b);
        cd_signed_distance3 d = test_signed_distance(of_a, NULL, of_b, NULL, NULL, &arena);
        cd_signed_distance3 back = test_signed_distance(of_b, NULL, of_a, NULL, NULL, &arena);
        CD_CHECK(d.gap == back.gap && same_vector(d.normal, cd_negate3(back.normal)));
        CD_CHECK(same_vector(d.point_a, back.point_b) && same_vector(d.point_b, back.point_a));
        CD_CHECK(d.feature_a.kind == back.feature_b.kind && d.feature_a.index == back.feature_b.index);

        double factor = i % 2 ? 0x1p20 : 0x1p-27;
        cd_convex3 large_a = test_scaled(&arena, &a, factor), large_b = test_scaled(&arena, &b, factor);
        cd_signed_distance3 large =
            test_signed_distance(cd_support3_convex(&large_a), NULL, cd_support3_convex(&large_b), NULL, NULL, &arena);
        CD_CHECK_NEAR(large.gap, factor * d.gap, factor * 1e-14);
        CD_CHECK_NEAR(cd_length3(cd_sub3(large.normal, d.normal)), 0, 1e-13);

        cd_pose3 pose = test_pose(&random, (cd_vec3){1, 2, 3});
        cd_convex3 far_a = cd_convex3_place(&arena, &a, &pose), far_b = cd_convex3_place(&arena, &b, &pose);
        cd_signed_distance3 far =
            test_signed_distance(cd_support3_convex(&far_a), NULL, cd_support3_convex(&far_b), NULL, NULL, &arena);
        CD_CHECK_NEAR(far.gap, d.gap, 2e-14);
        cd_arena_rewind(&arena, mark);
    }
    cd_arena_release(&arena);
}

// ---- edges ---------------------------------------------------------------------------------------------------------

CD_TEST(edges_are_sorted_and_have_their_faces)
{
    cd_arena arena = {0};
    cd_random random = {51};
    for (int i = 0; i < 300; i++) {
        cd_convex3 c = test_random_convex(&arena, &random, (test_family)(i % 4));
        cd_edges3 edges = edges_of(&arena, &c);
        CD_CHECK(edges.count == c.vertex_count + c.face_count - 2);
        for (int32_t e = 0; e < edges.count; e++) {
            const cd_edge3 *edge = &edges.edge[e];
            int32_t p = edge->vertex[0], q = edge->vertex[1];
            CD_CHECK(p < q && cd_edges3_find(&edges, q, p) == e && cd_edges3_find(&edges, p, q) == e);
            if (e > 0)
                CD_CHECK(edge[-1].vertex[0] < p || (edge[-1].vertex[0] == p && edge[-1].vertex[1] < q));
            for (int side = 0; side < 2; side++) {
                bool found = false;
                int32_t first = c.face_first[edge->face[side]], end = c.face_first[edge->face[side] + 1];
                for (int32_t k = first; k < end; k++)
                    found |= c.face_vertex[k] == (side ? q : p) &&
                             c.face_vertex[k + 1 < end ? k + 1 : first] == (side ? p : q);
                CD_CHECK(found);
            }
        }
        CD_CHECK(cd_edges3_find(&edges, 0, 0) == -1 && cd_edges3_find(&edges, -1, 3) == -1);
    }
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(hulls_against_brute_force);
    CD_RUN(needles_against_brute_force);
    CD_RUN(plates_against_brute_force);
    CD_RUN(dimpled_against_brute_force);
    CD_RUN(lenses_against_brute_force);
    CD_RUN(moved_apart_hulls_touch);
    CD_RUN(aligned_boxes);
    CD_RUN(crossed_boxes_touch_by_edges);
    CD_RUN(spheres_points_and_facets_in_a_box);
    CD_RUN(exchange_scale_and_motion);
    CD_RUN(edges_are_sorted_and_have_their_faces);
    printf("# worst error %g of the scale; moved apart %g\n", worst_error, worst_touching);
    return cd_test_done();
}
