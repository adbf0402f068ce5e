// Hard pairs of convex bodies with exact answers: distance, signed distance, penetration depth and volume, either way
// round. The list is written by oracle_convex3 cases; tests/oracle/oracle_cases3.h tells how each pair is made.
// SPDX-License-Identifier: MIT
#include "cd_depth3.h"
#include "cd_hull3.h"
#include "cd_intersect3.h"
#include "cd_test.h"
#include "test_kernels3.h"

#include <cjson/cJSON.h>

enum { CASES = 111, METHODS = 3, MOST_POINTS = 32 };

static cd_arena arena;
static double worst_distance, worst_depth, worst_volume;  // [1] of what is allowed

static double larger(double a, double b) { return a > b ? a : b; }

static double number(const cJSON *item, const char *key)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(item, key);
    CD_CHECK(cJSON_IsNumber(value));
    return value ? value->valuedouble : NAN;
}

static cd_convex3 hull_of(const cJSON *list)
{
    cd_vec3 *point = CD_ARENA_ARRAY(&arena, cd_vec3, MOST_POINTS);
    int32_t count = 0;
    for (const cJSON *item = list ? list->child : NULL; item && count < MOST_POINTS; item = item->next)
        point[count++] = (cd_vec3){cJSON_GetArrayItem(item, 0)->valuedouble, cJSON_GetArrayItem(item, 1)->valuedouble,
                                   cJSON_GetArrayItem(item, 2)->valuedouble};
    cd_hull3 hull = cd_hull3_make(point, count, &arena);
    CD_CHECK(hull.dimension == 3);
    cd_polyhedron p = cd_hull3_polyhedron(&hull, point, &arena);
    return cd_convex3_make(&arena, &p, NULL);
}

static void check_distance(const cd_convex3 *a, const cd_convex3 *b, const cJSON *item)
{
    const char *relation = cJSON_GetObjectItemCaseSensitive(item, "relation")->valuestring;
    double distance = number(item, "distance"), depth = number(item, "depth");
    double scale = larger(2 * larger(a->radius, b->radius), cd_length3(cd_sub3(a->centre, b->centre)));
    cd_support3 of_a = cd_support3_convex(a), of_b = cd_support3_convex(b);
    cd_distance3 d = cd_distance3_compute(of_a, of_b, NULL);
    double error = fabs(d.distance - distance);
    CD_CHECK_NEAR(d.distance, distance, 1e-14 * scale);
    worst_distance = larger(worst_distance, error / (1e-14 * scale));
    // Deeper than a part of 1e-12 of the scale an overlap is told, and where there is none none.
    if (depth > 1.01e-12 * scale)
        CD_CHECK(d.status == CD_DISTANCE3_OVERLAPPING);
    else if (distance > 1e-14 * scale)
        CD_CHECK(d.status == CD_DISTANCE3_SEPARATED);
    if (strcmp(relation, "overlap"))
        CD_CHECK(d.status != CD_DISTANCE3_OVERLAPPING);
    cd_signed_distance3 s = test_signed_distance(of_a, NULL, of_b, NULL, NULL, &arena);
    CD_CHECK_NEAR(s.gap, distance - depth, 1e-14 * scale);
    cd_depth3 p = cd_support3_depth(of_a, NULL, of_b, NULL, &arena);
    CD_CHECK_NEAR(p.depth, depth, 1e-14 * scale);
    worst_depth = larger(worst_depth, larger(fabs(p.depth - depth), fabs(s.gap - distance + depth)) / (1e-14 * scale));
}

static void check_volume(const cd_convex3 *a, const cd_convex3 *b, double volume)
{
    for (int m = 0; m < METHODS; m++) {
        cd_intersect3 r = m == 0   ? cd_intersect3_clip(a, b, &arena)
                          : m == 1 ? test_intersect_cut(a, b, &arena)
                                   : cd_intersect3_dual(a, b, &arena);
        double least = a->radius < b->radius ? a->radius : b->radius;
        double area = cd_intersect3_has_volume(r.status) ? r.area : 12.6 * least * least;
        double allowed = 1e-12 * volume + 1e-14 * (a->radius + b->radius) * area;
        CD_CHECK_NEAR(r.volume, volume, allowed);
        worst_volume = larger(worst_volume, fabs(r.volume - volume) / allowed);
    }
}

CD_TEST(pairs_with_exact_answers)
{
    FILE *file = fopen("tests/cases/convex/exact-pairs.json", "r");
    CD_CHECK(file != NULL);
    if (!file)
        return;
    static char text[1 << 20];
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    cJSON *root = cJSON_Parse(text);
    const cJSON *pairs = cJSON_GetObjectItemCaseSensitive(root, "pairs");
    int count = 0;
    for (const cJSON *item = pairs ? pairs->child : NULL; item; item = item->next, count++) {
        int bad = cd_test_bad_checks;
        cd_convex3 a = hull_of(cJSON_GetObjectItemCaseSensitive(item, "a"));
        cd_convex3 b = hull_of(cJSON_GetObjectItemCaseSensitive(item, "b"));
        check_distance(&a, &b, item);
        check_distance(&b, &a, item);
        check_volume(&a, &b, number(item, "volume"));
        check_volume(&b, &a, number(item, "volume"));
        if (bad != cd_test_bad_checks)
            printf("# %s\n", cJSON_GetObjectItemCaseSensitive(item, "name")->valuestring);
        cd_arena_reset(&arena);
    }
    CD_CHECK(count == CASES);
    printf("# %d pairs; worst part of what is allowed: distance %.2g, depth %.2g, volume %.2g\n", count, worst_distance,
           worst_depth, worst_volume);
    cJSON_Delete(root);
}

int main(void)
{
    CD_RUN(pairs_with_exact_answers);
    return cd_test_done();
}
