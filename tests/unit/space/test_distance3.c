// Distance of convex bodies. The oracle is weak duality in numbers of twice the digits: the point that the result's
// corners and weights make bounds the distance from above, the slab along its normal from below; when both agree with
// the number returned it is right, whatever way it was found. Beside that: closed forms, known answers,
// transformations.
// SPDX-License-Identifier: MIT
#include "cd_distance3.h"
#include "cd_hull3.h"
#include "cd_random.h"
#include "cd_test.h"
#include "test_convex3_random.h"
#include "test_kernels3.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

enum { PAIRS = 20000, POOL = 160 };

static double worst_error;  // of all checks, in parts of the scale

// ---- the oracle ----------------------------------------------------------------------------------------------------

static quad corner_along(const cd_support3 *s, int32_t i, const quad *n)
{
    cd_vec3 p = s->kind == CD_SUPPORT3_CONVEX ? cd_convex3_vertex(s->convex, i) : s->point[i];
    return (quad)p.x * n[0] + (quad)p.y * n[1] + (quad)p.z * n[2];
}

static int32_t corner_count(const cd_support3 *s)
{
    return s->kind == CD_SUPPORT3_CONVEX ? s->convex->vertex_count : (int32_t)s->kind;
}

static cd_vec3 corner(const cd_support3 *s, int32_t i)
{
    return s->kind == CD_SUPPORT3_CONVEX ? cd_convex3_vertex(s->convex, i) : s->point[i];
}

static quad lower_bound(const cd_support3 *a, const cd_support3 *b, cd_vec3 normal)
{
    quad n[3] = {normal.x, normal.y, normal.z}, most = corner_along(a, 0, n), least = corner_along(b, 0, n);
    for (int32_t i = 1; i < corner_count(a); i++) {
        quad h = corner_along(a, i, n);
        most = h > most ? h : most;
    }
    for (int32_t i = 1; i < corner_count(b); i++) {
        quad h = corner_along(b, i, n);
        least = h < least ? h : least;
    }
    quad length = quad_root(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    return length > 0 ? (least - most) / length : 0;
}

static quad upper_bound(const cd_support3 *a, const cd_support3 *b, const cd_distance3 *d)
{
    quad sum[3] = {0, 0, 0}, weight = 0;
    for (int k = 0; k < d->simplex.count; k++) {
        cd_vec3 p = corner(a, d->simplex.a[k]), q = corner(b, d->simplex.b[k]);
        quad w = d->weight[k];
        CD_CHECK(d->weight[k] >= 0);
        weight += w;
        sum[0] += w * ((quad)p.x - q.x);
        sum[1] += w * ((quad)p.y - q.y);
        sum[2] += w * ((quad)p.z - q.z);
    }
    return quad_root(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / weight;
}

static double core_radius(const cd_support3 *s, cd_vec3 *centre)
{
    if (s->kind == CD_SUPPORT3_CONVEX) {
        *centre = s->convex->centre;
        return s->convex->radius;
    }
    *centre = s->point[0];
    double most = 0;
    for (int32_t i = 1; i < corner_count(s); i++)
        most = fmax(most, cd_length3(cd_sub3(s->point[i], s->point[0])));
    return most;
}

static double scale_of(const cd_support3 *a, const cd_support3 *b)
{
    cd_vec3 p, q;
    double ra = core_radius(a, &p), rb = core_radius(b, &q);
    return fmax(2 * fmax(ra, rb), cd_length3(cd_sub3(p, q)));
}

static double largest(cd_vec3 p) { return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))); }

// Of bodies without margin.
static void check(const cd_support3 *a, const cd_support3 *b, const cd_distance3 *d)
{
    double scale = scale_of(a, b), tolerance = 1e-14 * scale;
    quad upper = upper_bound(a, b, d), lower = lower_bound(a, b, d->normal);
    lower = lower > 0 && d->status != CD_DISTANCE3_OVERLAPPING ? lower : 0;
    CD_CHECK(d->status != CD_DISTANCE3_STALLED);
    CD_CHECK_NEAR((double)(upper - lower), 0, tolerance);
    CD_CHECK_NEAR(d->distance, (double)upper, tolerance);
    CD_CHECK_NEAR(cd_length3(d->normal), 1, 1e-15);
    CD_CHECK(d->gap == d->distance);
    cd_vec3 rest = cd_sub3(cd_sub3(d->point_b, d->point_a), cd_scale3(d->distance, d->normal));
    // Sideways the witness points are free to the order of sqrt(distance * error); needles use that.
    CD_CHECK_NEAR(cd_length3(rest), 0, 20 * tolerance + 1e-15 * fmax(largest(d->point_a), largest(d->point_b)));
    if (scale > 0)
        worst_error = fmax(worst_error, fmax(fabs((double)(d->distance - upper)), (double)(upper - lower)) / scale);
}

static cd_distance3 checked(const cd_convex3 *a, const cd_convex3 *b)
{
    cd_support3 of_a = cd_support3_convex(a), of_b = cd_support3_convex(b);
    cd_distance3 d = cd_distance3_compute(of_a, of_b, NULL);
    check(&of_a, &of_b, &d);
    return d;
}

// ---- random pairs of each relation ---------------------------------------------------------------------------------

typedef enum relation { APART, TOUCHING, SHALLOW, DEEP, CONTAINED, IDENTICAL } relation;

static cd_convex3 moved(cd_arena *arena, const cd_convex3 *c, cd_vec3 by)
{
    cd_pose3 pose = {by, cd_mat3_identity()};
    return cd_convex3_place(arena, c, &pose);
}

static void check_relation(relation kind, const test_pool *pool, cd_random *random, cd_arena *arena)
{
    const cd_convex3 *one = test_pool_pick(pool, random), *other = test_pool_pick(pool, random);
    double size = one->radius + other->radius;
    cd_vec3 away = cd_scale3(cd_random_between(random, 0.9, 3) * size, test_direction(random));
    cd_pose3 pose_a = test_pose(random, (cd_vec3){0, 0, 0}), pose_b = test_pose(random, away);
    if (kind == DEEP)
        pose_b.position = cd_scale3(0.1, away);
    cd_convex3 a = cd_convex3_place(arena, one, &pose_a), b = cd_convex3_place(arena, other, &pose_b);
    if (kind == CONTAINED) {
        b = test_scaled(arena, &a, 0.05);
        b = moved(arena, &b, cd_sub3(a.centre, b.centre));
    }
    if (kind == IDENTICAL)
        b = a;
    cd_distance3 d = checked(&a, &b);
    if (kind == TOUCHING || kind == SHALLOW) {
        double depth = kind == TOUCHING ? -1e-12 * size : size * exp(cd_random_between(random, log(1e-13), log(1e-2)));
        b = moved(arena, &b, cd_scale3(-(d.distance + depth), d.normal));
        d = checked(&a, &b);
        if (kind == TOUCHING)
            CD_CHECK_NEAR(d.distance, 1e-12 * size, 4e-15 * size);
        else if (depth > 1e-9 * size && one->radius > 0.1 && other->radius > 0.1 && d.status == CD_DISTANCE3_SEPARATED)
            CD_CHECK(d.distance < 0.2 * size);  // the first pass was apart, this one need not overlap beyond a vertex
    }
    if (kind >= CONTAINED)
        CD_CHECK(d.status == CD_DISTANCE3_OVERLAPPING);
}

static void check_relations(relation kind, int pairs, test_family family)
{
    cd_arena arena = {0};
    cd_random random = {(uint64_t)kind * 100 + family + 1};
    test_pool pool = test_pool_make(&arena, &random, POOL, family);
    for (int i = 0; i < pairs; i++) {
        cd_arena_mark mark = cd_arena_get_mark(&arena);
        check_relation(kind, &pool, &random, &arena);
        cd_arena_rewind(&arena, mark);
    }
    cd_arena_release(&arena);
}

CD_TEST(separated_hulls) { check_relations(APART, PAIRS, TEST_ROUND); }
CD_TEST(hulls_touching_at_1e_12) { check_relations(TOUCHING, PAIRS, TEST_ROUND); }
CD_TEST(shallow_overlaps) { check_relations(SHALLOW, PAIRS, TEST_ROUND); }
CD_TEST(deep_overlaps) { check_relations(DEEP, PAIRS, TEST_ROUND); }
CD_TEST(one_contains_the_other) { check_relations(CONTAINED, PAIRS / 2, TEST_ROUND); }
CD_TEST(identical_hulls) { check_relations(IDENTICAL, PAIRS / 2, TEST_ROUND); }
CD_TEST(needles)
{
    for (relation kind = APART; kind <= DEEP; kind++)
        check_relations(kind, PAIRS / 8, TEST_NEEDLE);
}
CD_TEST(plates)
{
    for (relation kind = APART; kind <= DEEP; kind++)
        check_relations(kind, PAIRS / 8, TEST_PLATE);
}
CD_TEST(nearly_coplanar_corners)
{
    for (relation kind = APART; kind <= DEEP; kind++)
        check_relations(kind, PAIRS / 8, TEST_DIMPLED);
}

// ---- known answers -------------------------------------------------------------------------------------------------

static cd_support3 points_of(const cJSON *list, cd_arena *arena)
{
    int32_t count = cJSON_GetArraySize(list), i = 0;
    cd_vec3 *point = CD_ARENA_ARRAY(arena, cd_vec3, count);
    for (const cJSON *item = list->child; item; item = item->next)
        point[i++] = (cd_vec3){cJSON_GetArrayItem(item, 0)->valuedouble, cJSON_GetArrayItem(item, 1)->valuedouble,
                               cJSON_GetArrayItem(item, 2)->valuedouble};
    if (count <= 3)
        return (cd_support3){.kind = (cd_support3_kind)count,
                             .point = {point[0], point[count > 1], point[2 * (count > 2)]}};
    cd_convex3 *convex = CD_ARENA_ARRAY(arena, cd_convex3, 1);
    *convex = test_convex_of_points(arena, point, count);
    return cd_support3_convex(convex);
}

CD_TEST(pairs_on_which_others_failed)
{
    FILE *file = fopen("tests/cases/convex/hard-pairs.json", "r");
    CD_CHECK(file != NULL);
    if (!file)
        return;
    static char text[1 << 20];
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    cJSON *root = cJSON_Parse(text);
    const cJSON *pairs = cJSON_GetObjectItemCaseSensitive(root, "pairs");
    cd_arena arena = {0};
    int count = 0;
    for (const cJSON *pair = pairs ? pairs->child : NULL; pair; pair = pair->next, count++) {
        cd_support3 a = points_of(cJSON_GetObjectItemCaseSensitive(pair, "a"), &arena);
        cd_support3 b = points_of(cJSON_GetObjectItemCaseSensitive(pair, "b"), &arena);
        cd_distance3 d = cd_distance3_compute(a, b, NULL), back = cd_distance3_compute(b, a, NULL);
        int bad = cd_test_bad_checks;
        CD_CHECK_NEAR(d.distance, cJSON_GetObjectItemCaseSensitive(pair, "distance")->valuedouble,
                      cJSON_GetObjectItemCaseSensitive(pair, "distance_tolerance")->valuedouble);
        check(&a, &b, &d);
        CD_CHECK(back.distance == d.distance);
        if (!strcmp(cJSON_GetObjectItemCaseSensitive(pair, "relation")->valuestring, "overlap"))
            CD_CHECK(d.status == CD_DISTANCE3_OVERLAPPING || d.status == CD_DISTANCE3_TOUCHING);
        if (bad != cd_test_bad_checks)
            printf("# %s\n", cJSON_GetObjectItemCaseSensitive(pair, "name")->valuestring);
    }
    CD_CHECK(count == 24);
    cJSON_Delete(root);
    cd_arena_release(&arena);
}

// Boxes with sides along the axes on a grid: the distance is that of three intervals; faces, edges, corners coincide
// often.
CD_TEST(aligned_boxes)
{
    cd_arena arena = {0};
    cd_random random = {11};
    for (int i = 0; i < PAIRS; i++) {
        cd_arena_mark mark = cd_arena_get_mark(&arena);
        double low[2][3], high[2][3], square = 0;
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 3; k++) {
                low[side][k] = (double)(cd_random_bits(&random) % 7);
                high[side][k] = low[side][k] + 1 + (double)(cd_random_bits(&random) % 3);
            }
        for (int k = 0; k < 3; k++) {
            double gap = fmax(0, fmax(low[1][k] - high[0][k], low[0][k] - high[1][k]));
            square += gap * gap;
        }
        cd_convex3 a = test_box(&arena, low[0], high[0]), b = test_box(&arena, low[1], high[1]);
        cd_distance3 d = checked(&a, &b);
        CD_CHECK_NEAR(d.distance, sqrt(square), 4e-15);
        bool is_open = true;
        for (int k = 0; k < 3; k++)
            is_open &= low[1][k] < high[0][k] && low[0][k] < high[1][k];
        CD_CHECK(d.status == (square > 0 ? CD_DISTANCE3_SEPARATED
                              : is_open  ? CD_DISTANCE3_OVERLAPPING
                                         : CD_DISTANCE3_TOUCHING));
        cd_arena_rewind(&arena, mark);
    }
    cd_arena_release(&arena);
}

static double segments_apart(cd_vec3 p, cd_vec3 q, cd_vec3 r, cd_vec3 s)
{
    // Brute force over a vertex and a segment, and the two lines; in long double.
    long double best = INFINITY;
    cd_vec3 end[4] = {p, q, r, s};
    for (int i = 0; i < 4; i++) {
        cd_vec3 u = i < 2 ? r : p, v = i < 2 ? s : q;
        best = fminl(best, test_point_segment(end[i], u, v));
    }
    return (double)fminl(best, test_lines(p, q, r, s));
}

CD_TEST(points_segments_and_triangles)
{
    cd_random random = {12};
    for (int i = 0; i < PAIRS; i++) {
        cd_vec3 p[6];
        for (int k = 0; k < 6; k++)
            p[k] = (cd_vec3){cd_random_between(&random, -1, 1), cd_random_between(&random, -1, 1),
                             cd_random_between(&random, -1, 1)};
        if (i % 3 == 0)
            p[1] = cd_add3(p[0], cd_scale3(i % 2 ? 1e-9 : 1, cd_sub3(p[3], p[2])));  // parallel, one of them tiny
        cd_support3 a[3] = {cd_support3_sphere(p[0], 0), cd_support3_segment(p[0], p[1], 0),
                            cd_support3_triangle(p[0], p[1], p[4], 0)};
        cd_support3 b[3] = {cd_support3_sphere(p[2], 0), cd_support3_segment(p[2], p[3], 0),
                            cd_support3_triangle(p[2], p[3], p[5], 0)};
        for (int k = 0; k < 9; k++) {
            cd_distance3 d = cd_distance3_compute(a[k / 3], b[k % 3], NULL);
            check(&a[k / 3], &b[k % 3], &d);
            if (k == 4)
                CD_CHECK_NEAR(d.distance, segments_apart(p[0], p[1], p[2], p[3]), 1e-14);
        }
    }
}

CD_TEST(spheres_and_thick_facets)
{
    cd_random random = {13};
    for (int i = 0; i < 2000; i++) {
        cd_vec3 p = cd_scale3(3, test_direction(&random)), q = {0, 0, 0};
        double ra = cd_random_between(&random, 0.1, 2), rb = cd_random_between(&random, 0.1, 2),
               truth = cd_length3(p) - ra - rb;
        cd_distance3 d = cd_distance3_compute(cd_support3_sphere(q, ra), cd_support3_sphere(p, rb), NULL);
        CD_CHECK_NEAR(d.gap, truth, 2e-15);
        CD_CHECK(d.distance == fmax(0, d.gap) &&
                 d.status == (truth > 0 ? CD_DISTANCE3_SEPARATED : CD_DISTANCE3_OVERLAPPING));
        CD_CHECK_NEAR(cd_length3(d.point_a), ra, 1e-15);
        CD_CHECK_NEAR(cd_length3(cd_sub3(d.point_b, p)), rb, 2e-15);
        // A facet in the plane z = 0 and a sphere above its inside.
        cd_support3 facet = cd_support3_triangle((cd_vec3){-9, -9, 0}, (cd_vec3){9, -9, 0}, (cd_vec3){0, 9, 0}, 0.25);
        d = cd_distance3_compute(facet, cd_support3_sphere((cd_vec3){p.x / 9, p.y / 9, 2}, rb), NULL);
        CD_CHECK_NEAR(d.gap, 1.75 - rb, 4e-15);
        CD_CHECK_NEAR(d.normal.z, 1, 1e-15);
    }
}

// Two ellipsoids: the bounds themselves, by their support functions; spheres among them by the closed form.
CD_TEST(ellipsoids)
{
    cd_random random = {14};
    for (int i = 0; i < 2000; i++) {
        cd_vec3 r = {cd_random_between(&random, 0.1, 1), cd_random_between(&random, 0.1, 1),
                     cd_random_between(&random, 0.1, 1)};
        cd_vec3 s = {0.5, 0.5, 0.5};
        cd_pose3 pose_a = test_pose(&random, (cd_vec3){0, 0, 0});
        cd_pose3 pose_b = test_pose(&random, cd_scale3(cd_random_between(&random, 1.6, 4), test_direction(&random)));
        cd_support3 a = cd_support3_ellipsoid(&pose_a, r), b = cd_support3_ellipsoid(&pose_b, s);
        cd_distance3 d = cd_distance3_compute(a, b, NULL), sphere;
        sphere = cd_distance3_compute(a, cd_support3_sphere(pose_b.position, 0.5), NULL);
        CD_CHECK(d.status == CD_DISTANCE3_SEPARATED && sphere.status == CD_DISTANCE3_SEPARATED);
        CD_CHECK_NEAR(d.distance, sphere.distance, 4e-12);
        CD_CHECK(d.error <= 4e-12);
        d = cd_distance3_compute(b, cd_support3_sphere((cd_vec3){0, 0, 0}, 0.25), NULL);
        CD_CHECK_NEAR(d.distance, cd_length3(pose_b.position) - 0.75, 4e-12);
    }
}

// The corner x of the sum of two ellipsoids that is farthest along some direction, and s x between their centres: they
// overlap for s < 1 and are apart for s > 1. Along common axes the search meets the origin in a segment.
CD_TEST(ellipsoids_deep_in_each_other)
{
    cd_random random = {15};
    cd_vec3 zero = {0, 0, 0};
    for (int i = 0; i < 6000; i++) {
        cd_vec3 r = {cd_random_between(&random, 0.1, 1), cd_random_between(&random, 0.1, 1),
                     cd_random_between(&random, 0.1, 1)};
        cd_vec3 s = {cd_random_between(&random, 0.1, 1), cd_random_between(&random, 0.1, 1),
                     cd_random_between(&random, 0.1, 1)};
        cd_pose3 pose_a = test_pose(&random, zero), pose_b = test_pose(&random, zero);
        cd_vec3 along = test_direction(&random), x = zero;
        if (i % 3 == 0) {  // a common axis
            pose_b = pose_a;
            along = cd_pose3_turn(&pose_a, (cd_vec3){i % 9 == 0, i % 9 == 3, i % 9 == 6});
        }
        cd_support3 body[2] = {cd_support3_ellipsoid(&pose_a, r), cd_support3_ellipsoid(&pose_b, s)};
        for (int k = 0; k < 2; k++) {
            cd_vec3 t = {cd_dot3(body[k].axis[0], along), cd_dot3(body[k].axis[1], along),
                         cd_dot3(body[k].axis[2], along)};
            t = cd_unit3(t);
            x = cd_add3(x, cd_add3(cd_add3(cd_scale3(t.x, body[k].axis[0]), cd_scale3(t.y, body[k].axis[1])),
                                   cd_scale3(t.z, body[k].axis[2])));
        }
        double part = i % 5 == 0   ? 0
                      : i % 5 == 1 ? cd_random_between(&random, 1 + 1e-9, 2)
                      : i % 5 == 2 ? 1 - 1e-9
                                   : cd_random_between(&random, 0, 1);
        body[1].point[0] = cd_scale3(part, x);
        cd_distance3 d = cd_distance3_compute(body[0], body[1], NULL), e = cd_distance3_compute(body[1], body[0], NULL);
        CD_CHECK(d.status == (part > 1 ? CD_DISTANCE3_SEPARATED : CD_DISTANCE3_OVERLAPPING) && d.status == e.status);
        CD_CHECK((d.distance > 0) == (part > 1));
        double past = part > 1 ? part - 1 : 0;  // from the plane that supports the sum in x, and from x itself
        CD_CHECK(d.distance >= past * cd_dot3(x, along) - 4e-12 && d.distance <= past * cd_length3(x) + 4e-12);
    }
}

// ---- metamorphic ---------------------------------------------------------------------------------------------------

static bool same_bits(const cd_distance3 *p, const cd_distance3 *q, double factor)
{
    bool is_same =
        p->distance * factor == q->distance && p->status == q->status && p->simplex.count == q->simplex.count;
    is_same &= p->normal.x == q->normal.x && p->normal.y == q->normal.y && p->normal.z == q->normal.z;
    is_same &= p->point_a.x * factor == q->point_a.x && p->point_b.y * factor == q->point_b.y;
    for (int k = 0; k < p->simplex.count; k++)
        is_same &=
            p->weight[k] == q->weight[k] && p->simplex.a[k] == q->simplex.a[k] && p->simplex.b[k] == q->simplex.b[k];
    return is_same;
}

CD_TEST(exchange_scale_level_motion_and_warm_start)
{
    cd_arena arena = {0};
    cd_random random = {21};
    test_pool pool = test_pool_make(&arena, &random, POOL, TEST_ROUND);
    for (int i = 0; i < PAIRS; i++) {
        cd_arena_mark mark = cd_arena_get_mark(&arena);
        const cd_convex3 *one = test_pool_pick(&pool, &random), *other = test_pool_pick(&pool, &random);
        cd_pose3 pose_a = test_pose(&random, (cd_vec3){0, 0, 0});
        cd_pose3 pose_b = test_pose(&random, cd_scale3(cd_random_between(&random, 0.1, 4), test_direction(&random)));
        cd_convex3 a = cd_convex3_place(&arena, one, &pose_a), b = cd_convex3_place(&arena, other, &pose_b);
        cd_support3 of_a = cd_support3_convex(&a), of_b = cd_support3_convex(&b);
        double tolerance = 1e-14 * scale_of(&of_a, &of_b);
        cd_distance3 d = cd_distance3_compute(of_a, of_b, NULL);

        cd_distance3 back = test_distance_flip(cd_distance3_compute(of_b, of_a, NULL));
        CD_CHECK(same_bits(&d, &back, 1));
        for (cd_vector_level level = CD_VECTOR_PORTABLE; level <= CD_VECTOR_AVX2; level++) {
            cd_distance3 twin = cd_distance3_compute_at(of_a, of_b, NULL, level);
            CD_CHECK(same_bits(&d, &twin, 1));
        }
        double factor = i % 2 ? 0x1p27 : 0x1p-27;
        cd_convex3 large_a = test_scaled(&arena, &a, factor), large_b = test_scaled(&arena, &b, factor);
        cd_distance3 large = cd_distance3_compute(cd_support3_convex(&large_a), cd_support3_convex(&large_b), NULL);
        CD_CHECK(same_bits(&d, &large, factor));

        cd_distance3 warm = cd_distance3_compute(of_a, of_b, &d.simplex);
        CD_CHECK_NEAR(warm.distance, d.distance, tolerance);
        CD_CHECK(warm.iterations <= 2 || d.status != CD_DISTANCE3_SEPARATED);
        cd_simplex3 any = {.count = 1 + (int)(cd_random_bits(&random) % 4)};
        for (int k = 0; k < any.count; k++) {
            any.a[k] = (int32_t)(cd_random_bits(&random) % (unsigned)a.vertex_count);
            any.b[k] = (int32_t)(cd_random_bits(&random) % (unsigned)b.vertex_count);
        }
        warm = cd_distance3_compute(of_a, of_b, &any);
        check(&of_a, &of_b, &warm);
        CD_CHECK_NEAR(warm.distance, d.distance, tolerance);

        cd_pose3 pose = test_pose(&random, (cd_vec3){1, 2, 3});
        cd_convex3 turned_a = cd_convex3_place(&arena, &a, &pose), turned_b = cd_convex3_place(&arena, &b, &pose);
        cd_distance3 turned = checked(&turned_a, &turned_b);
        CD_CHECK_NEAR(turned.distance, d.distance, 2e-15 * 8);
        cd_arena_rewind(&arena, mark);
    }
    cd_arena_release(&arena);
}

// Far from the origin the bodies are what their rounded corners say; the answer must not lose more.
CD_TEST(far_away_and_of_any_size)
{
    cd_arena arena = {0};
    cd_random random = {22};
    test_pool pool = test_pool_make(&arena, &random, POOL, TEST_ROUND);
    for (int i = 0; i < PAIRS / 4; i++) {
        cd_arena_mark mark = cd_arena_get_mark(&arena);
        double size = exp(cd_random_between(&random, log(1e-8), log(1e8)));
        cd_convex3 one = test_scaled(&arena, test_pool_pick(&pool, &random), size);
        cd_convex3 other = test_scaled(&arena, test_pool_pick(&pool, &random), size * (i % 3 ? 1 : 1e-4));
        cd_vec3 far = cd_scale3(size * exp(cd_random_between(&random, 0, log(1e6))), test_direction(&random));
        cd_vec3 away = cd_scale3(size * cd_random_between(&random, 0.1, 3), test_direction(&random));
        cd_pose3 pose_a = test_pose(&random, far), pose_b = test_pose(&random, cd_add3(far, away));
        cd_convex3 a = cd_convex3_place(&arena, &one, &pose_a), b = cd_convex3_place(&arena, &other, &pose_b);
        checked(&a, &b);
        cd_arena_rewind(&arena, mark);
    }
    cd_arena_release(&arena);
}

// ---- features ------------------------------------------------------------------------------------------------------

CD_TEST(features_of_boxes)
{
    cd_arena arena = {0};
    cd_convex3 a = test_box(&arena, (double[]){0, 0, 0}, (double[]){1, 1, 1});
    cd_convex3 corner_box = test_box(&arena, (double[]){2, 2, 2}, (double[]){3, 3, 3});
    cd_distance3 d = checked(&a, &corner_box);
    CD_CHECK(cd_distance3_feature_a(&d, &a, NULL).kind == CD_FEATURE3_VERTEX);
    CD_CHECK(cd_distance3_feature_b(&d, &corner_box, NULL).kind == CD_FEATURE3_VERTEX);
    cd_pose3 tilted = cd_pose3_make((cd_vec3){0.3, 0.4, 3}, cd_quat_from_vector((cd_vec3){0.6, -0.5, 0.1}));
    cd_convex3 tip = cd_convex3_place(&arena, &a, &tilted);
    d = checked(&a, &tip);
    cd_feature3 under = cd_distance3_feature_a(&d, &a, NULL), over = cd_distance3_feature_b(&d, &tip, NULL);
    CD_CHECK(under.kind == CD_FEATURE3_FACE && a.plane[under.index].normal.z == 1);
    CD_CHECK(over.kind == CD_FEATURE3_VERTEX);
    CD_CHECK_NEAR(cd_length3(cd_sub3(cd_convex3_vertex(&tip, over.index), d.point_b)), 0, 1e-15);
    int32_t far_corners[] = {0, 7};
    CD_CHECK(cd_convex3_feature(&a, NULL, far_corners, 2).kind == CD_FEATURE3_NONE);
    cd_arena_release(&arena);
}

// By edges and by going through all faces: the same, of all sets of two or three vertices, dimpled boxes with sides in
// several faces among the bodies.
CD_TEST(features_by_edges_and_by_faces)
{
    cd_arena arena = {0};
    cd_random random = {52};
    int32_t seen[4] = {0};
    for (int i = 0; i < 60; i++) {
        cd_convex3 c = test_random_convex(&arena, &random, (test_family)(i % 4));
        cd_edges3 edges = cd_edges3_make(&arena, c.vertex_count, c.face_count, c.face_first, c.face_vertex);
        int32_t n = c.vertex_count;
        for (int32_t m = 0; m < n * n * n; m++) {
            int32_t vertex[3] = {m % n, m / n % n, m / n / n};
            cd_feature3 fast = cd_convex3_feature(&c, &edges, vertex, 3),
                        slow = cd_convex3_feature(&c, NULL, vertex, 3);
            CD_CHECK(fast.kind == slow.kind && fast.vertex[0] == slow.vertex[0] && fast.vertex[1] == slow.vertex[1]);
            CD_CHECK(fast.kind == CD_FEATURE3_EDGE
                         ? fast.index == cd_edges3_find(&edges, slow.vertex[0], slow.vertex[1])
                         : fast.index == slow.index);
            seen[slow.kind + 1]++;
        }
    }
    for (int k = 0; k < 4; k++)
        CD_CHECK(seen[k] > 100);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(separated_hulls);
    CD_RUN(hulls_touching_at_1e_12);
    CD_RUN(shallow_overlaps);
    CD_RUN(deep_overlaps);
    CD_RUN(one_contains_the_other);
    CD_RUN(identical_hulls);
    CD_RUN(needles);
    CD_RUN(plates);
    CD_RUN(nearly_coplanar_corners);
    CD_RUN(pairs_on_which_others_failed);
    CD_RUN(aligned_boxes);
    CD_RUN(points_segments_and_triangles);
    CD_RUN(spheres_and_thick_facets);
    CD_RUN(ellipsoids);
    CD_RUN(ellipsoids_deep_in_each_other);
    CD_RUN(exchange_scale_level_motion_and_warm_start);
    CD_RUN(far_away_and_of_any_size);
    CD_RUN(features_of_boxes);
    CD_RUN(features_by_edges_and_by_faces);
    printf("# worst error %g of the scale\n", worst_error);
    return cd_test_done();
}
