// Pairs of ellipsoids against numbers of 50 digits (tests/oracle/ellipsoids.py): aspects 1 to 100, apart, touching,
// overlapping, nested, concentric.
// SPDX-License-Identifier: MIT
#include "cd_ellipsoid_gap.h"
#include "cd_memory.h"
#include "cd_test.h"
#include "test_ellipsoids.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

enum { LEAST_CASES = 200 };

typedef struct worst_of {
    double lambda, potential, gap, normal, point, true_gap, true_normal, true_point, contract;
} worst_of;

static worst_of worst;

static cd_vec3 vector_of(const cJSON *item, const char *key)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(item, key);
    CD_CHECK(cJSON_GetArraySize(list) == 3);
    return (cd_vec3){cJSON_GetArrayItem(list, 0)->valuedouble, cJSON_GetArrayItem(list, 1)->valuedouble,
                     cJSON_GetArrayItem(list, 2)->valuedouble};
}

static cd_mat3 turn_of(const cJSON *item, const char *key)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(item, key);
    CD_CHECK(cJSON_GetArraySize(list) == 4);
    return cd_quat_matrix((cd_quat){cJSON_GetArrayItem(list, 0)->valuedouble, cJSON_GetArrayItem(list, 1)->valuedouble,
                                    cJSON_GetArrayItem(list, 2)->valuedouble,
                                    cJSON_GetArrayItem(list, 3)->valuedouble});
}

static double number_of(const cJSON *item, const char *key)
{
    return cJSON_GetObjectItemCaseSensitive(item, key)->valuedouble;
}

static void note(double *most, double error, double allowed, const cJSON *item, const char *what)
{
    *most = fmax(*most, error);
    if (!(error <= allowed)) {
        cd_test_bad_checks++;
        printf("# %s: %s is wrong by %g\n", cJSON_GetObjectItemCaseSensitive(item, "id")->valuestring, what, error);
    }
}

static void check_potential(const cJSON *item, const cd_ellipsoid *a, const cd_ellipsoid *b, double size)
{
    const cd_perram found = cd_perram_of(a, b, 0);
    if (!cJSON_HasObjectItem(item, "lambda")) {
        CD_CHECK(found.is_concentric && found.potential == 0);
        return;
    }
    CD_CHECK(!found.is_concentric && found.iterations <= 20);
    const double potential = number_of(item, "F"), lambda = number_of(item, "lambda");
    note(&worst.lambda, fabs(found.lambda - lambda), 1e-12, item, "lambda");
    note(&worst.potential, fabs(found.potential / potential - 1), 1e-12, item, "potential");
    note(&worst.gap, fabs(found.gap - number_of(item, "un")) / size, 1e-12, item, "gap");
    note(&worst.normal, test_apart(found.normal, vector_of(item, "n")), 1e-11, item, "normal");
    note(&worst.point, test_apart(found.point, vector_of(item, "point")) / size, 1e-12, item, "point");
}

static void check_distance(const cJSON *item, const cd_ellipsoid *a, const cd_ellipsoid *b, double size)
{
    const cd_ellipsoid_gap found = cd_ellipsoid_gap_of(a, b, NULL);
    const double want = number_of(item, "true_gap");
    note(&worst.true_gap, fabs(found.gap - want) / size, 1e-12, item, "true gap");
    cd_vec3 across = cd_sub3(found.point_b, found.point_a);
    note(&worst.contract, test_apart(across, cd_scale3(found.gap, found.normal)) / size, 1e-12, item, "b - a");
    if (!cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(item, "is_unique")))
        return;
    // of balls that are nearly concentric the normal is as uncertain as the direction of what is left between them
    double loose = 1e-15 * size / test_apart(a->centre, b->centre);
    if (loose > 1e-12)
        return;
    note(&worst.true_normal, test_apart(found.normal, vector_of(item, "true_n")), 1e-11, item, "true normal");
    note(&worst.true_point, test_apart(found.point_a, vector_of(item, "witness_a")) / size, 1e-12, item, "point on a");
    note(&worst.true_point, test_apart(found.point_b, vector_of(item, "witness_b")) / size, 1e-12, item, "point on b");
}

CD_TEST(pairs_have_the_answers_of_fifty_digits)
{
    FILE *file = fopen("tests/cases/ellipsoid/pairs.json", "r");
    CD_CHECK(file != NULL);
    if (!file)
        return;
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    rewind(file);
    char *text = cd_alloc((size_t)length + 1);
    CD_CHECK(fread(text, 1, (size_t)length, file) == (size_t)length);
    text[length] = 0;
    fclose(file);
    cJSON *list = cJSON_Parse(text);
    CD_CHECK(cJSON_GetArraySize(list) >= LEAST_CASES);
    for (const cJSON *item = list ? list->child : NULL; item; item = item->next) {
        cd_mat3 turn_a = turn_of(item, "qa"), turn_b = turn_of(item, "qb");
        cd_ellipsoid a = {vector_of(item, "ra"), vector_of(item, "a"), &turn_a};
        cd_ellipsoid b = {vector_of(item, "rb"), vector_of(item, "b"), &turn_b};
        double size = fmax(test_largest(a.semiaxes), test_largest(b.semiaxes));
        check_potential(item, &a, &b, size);
        check_distance(item, &a, &b, size);
    }
    cJSON_Delete(list);
    cd_free(text);
}

int main(void)
{
    CD_RUN(pairs_have_the_answers_of_fifty_digits);
    printf("# worst: lambda %.2g, potential %.2g of it, gap %.2g, normal %.2g, point %.2g\n", worst.lambda,
           worst.potential, worst.gap, worst.normal, worst.point);
    printf("# true gap %.2g, normal %.2g, points %.2g, their difference %.2g\n", worst.true_gap, worst.true_normal,
           worst.true_point, worst.contract);
    return cd_test_done();
}
