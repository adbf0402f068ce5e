// Exact labels of pairs: cores against integers (test_certify_cases.h), margins against lattice distances, halfspaces
// and ellipsoids against closed forms at touching and one unit in the last place beside it; sides exchanged, powers of
// two.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "certify_pair.h"
#include "test_certify_cases.h"

#include <float.h>

static cd_arena arena, scratch;

static certify_result by_cone(const certify_core *a, const certify_core *b)
{
    certify_cores cores = {3, *a, *b, {0}, NULL};
    return certify_by_cone(&arena, &scratch, &cores, NULL, 0);
}

CD_TEST(labels_of_near_touching_hulls_are_those_of_integers)
{
    cd_random random = {7};
    int wrong = 0, of_label[3] = {0, 0, 0}, changed = 0;
    for (int k = 0; k < 20000; k++) {
        lattice_body p, q;
        lattice_pair(&random, &p, &q);
        certify_core a = lattice_core(&p, 1), b = lattice_core(&q, 1);
        int32_t label = by_cone(&a, &b).label, truth = lattice_label(&p, &q);
        wrong += label != truth;
        of_label[truth]++;
        changed += by_cone(&b, &a).label != label;
        a = lattice_core(&p, 0x1p-600);
        b = lattice_core(&q, 0x1p-600);
        changed += by_cone(&a, &b).label != label;
        cd_arena_reset(&arena);
        cd_arena_reset(&scratch);
    }
    CD_CHECK(wrong == 0);
    CD_CHECK(changed == 0);
    for (int label = 0; label < 3; label++)
        CD_CHECK(of_label[label] > 1000);
    printf("# %d apart, %d touching, %d overlapping\n", of_label[0], of_label[1], of_label[2]);
}

// The squared distance of a lattice point from an upright box is a sum of squares.
CD_TEST(labels_with_margins_are_those_of_squares)
{
    cd_random random = {3};
    int wrong = 0, of_label[3] = {0, 0, 0};
    for (int k = 0; k < 20000; k++) {
        lattice_body box = {.count = 8}, point = {.count = 1};
        int64_t half[3], squares = 0;
        for (int i = 0; i < 3; i++) {
            half[i] = lattice_random(&random, 1, 5);
            int64_t x = lattice_random(&random, -14, 14), beyond = (x < 0 ? -x : x) - half[i];
            point.corner[0].at[i] = x;
            squares += beyond > 0 ? beyond * beyond : 0;
            for (int corner = 0; corner < 8; corner++)
                box.corner[corner].at[i] = corner >> i & 1 ? half[i] : -half[i];
        }
        int64_t r = lattice_random(&random, 1, 9);
        certify_cores cores = {3, lattice_core(&box, 0.125), lattice_core(&point, 0.125), {0}, NULL};
        cores.margin = cd_exact_of(&scratch, 0.125 * (double)r);
        int32_t label = certify_by_distance(&arena, &scratch, &cores, NULL, 0).label;
        int32_t truth = squares > r * r ? CD_LABEL_APART : squares == r * r ? CD_LABEL_TOUCHING : CD_LABEL_OVERLAPPING;
        wrong += label != truth;
        of_label[truth]++;
        cd_arena_reset(&arena);
        cd_arena_reset(&scratch);
    }
    CD_CHECK(wrong == 0);
    for (int label = 0; label < 3; label++)
        CD_CHECK(of_label[label] > 200);
}

// ---- closed forms --------------------------------------------------------------------------------------------------

static certify_part halfspace_of(cd_vec3 normal, double offset)
{
    return (certify_part){.form = CERTIFY_HALFSPACE, .normal = normal, .offset = offset};
}

static certify_part ellipsoid_of(cd_vec3 centre, double x, double y, double z)
{
    return (certify_part){
        .form = CERTIFY_ELLIPSOID, .centre = centre, .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .semiaxis = {x, y, z}};
}

static int32_t label_of(certify_part a, certify_part b)
{
    int32_t label = certify_pair3(&arena, &scratch, &a, &b).label;
    CD_CHECK(certify_pair3(&arena, &scratch, &b, &a).label == label);
    return label;
}

// `part` touches where x is, overlaps a unit in the last place below and is apart one above.
#define CD_CHECK_TURNS_AT(x, pair)                       \
    do {                                                 \
        double at_ = (x), here;                          \
        here = at_;                                      \
        CD_CHECK(label_of pair == CD_LABEL_TOUCHING);    \
        here = nextafter(at_, -INFINITY);                \
        CD_CHECK(label_of pair == CD_LABEL_OVERLAPPING); \
        here = nextafter(at_, INFINITY);                 \
        CD_CHECK(label_of pair == CD_LABEL_APART);       \
    } while (0)

CD_TEST(closed_forms_turn_within_one_unit)
{
    certify_part ball = ellipsoid_of((cd_vec3){0, 0, 0}, 1, 1, 1), egg = ellipsoid_of((cd_vec3){0, 0, 0}, 0.5, 2, 3);
    CD_CHECK_TURNS_AT(2, (ball, ellipsoid_of((cd_vec3){here, 0, 0}, 1, 4, 9)));
    CD_CHECK_TURNS_AT(2.5, (egg, ellipsoid_of((cd_vec3){0, here, 0}, 3, 0.5, 0.25)));
    CD_CHECK_TURNS_AT(5, (ball, ellipsoid_of((cd_vec3){0.6 * here, 0.8 * here, 0}, 4, 4, 4)) /* 3, 4, 0 */);
    CD_CHECK_TURNS_AT(3, (egg, halfspace_of((cd_vec3){0, 0, -1}, -here)));
    // normal (3, 4) is not a unit: x at distance 1 of 3 x + 4 y = 5
    CD_CHECK_TURNS_AT(5, (ball, halfspace_of((cd_vec3){-3, -4, 0}, -here)));
    CD_CHECK_TURNS_AT(0.75, (halfspace_of((cd_vec3){0, 1, 0}, 0.75), halfspace_of((cd_vec3){0, -2, 0}, -2 * here)));
    CD_CHECK(label_of(halfspace_of((cd_vec3){0, 1, 0}, -9), halfspace_of((cd_vec3){DBL_MIN, -1, 0}, -9)) ==
             CD_LABEL_OVERLAPPING);
}

// x^2 / 4 + y^2 + z^2 <= 1 and the plane's triangle x + 2 y = t: they touch at t = 2 sqrt 2, which no double is.
CD_TEST(an_irrational_tangent_is_never_touched)
{
    double root = 2 * sqrt(2);
    cd_vec3 corner[3];
    for (int k = -2; k <= 2; k++) {
        double t = root + k * (nextafter(root, 3) - root);
        corner[0] = (cd_vec3){0, t / 2, -9};
        corner[1] = (cd_vec3){t, 0, 9};
        corner[2] = (cd_vec3){-t, t, 0};
        lattice_body triangle = {.count = 3};
        for (int i = 0; i < 3; i++) {
            triangle.column[0][i] = corner[i].x;
            triangle.column[1][i] = corner[i].y;
            triangle.column[2][i] = corner[i].z;
        }
        certify_core core = {3, triangle.column[0], triangle.column[1], triangle.column[2]};
        certify_part a = {.form = CERTIFY_CORE, .core = core}, b = ellipsoid_of((cd_vec3){0, 0, 0}, 2, 1, 1);
        // sqrt(8) as a double is below or above the root: compare squares, exactly
        cd_exact square = cd_exact_multiply(&scratch, cd_exact_of(&scratch, t), cd_exact_of(&scratch, t));
        int order = cd_exact_compare(square, cd_exact_of(&scratch, 8));
        CD_CHECK(order != 0);
        CD_CHECK(label_of(a, b) == (order > 0 ? CD_LABEL_APART : CD_LABEL_OVERLAPPING));
    }
}

int main(void)
{
    CD_RUN(labels_of_near_touching_hulls_are_those_of_integers);
    CD_RUN(labels_with_margins_are_those_of_squares);
    CD_RUN(closed_forms_turn_within_one_unit);
    CD_RUN(an_irrational_tangent_is_never_touched);
    cd_arena_release(&arena);
    cd_arena_release(&scratch);
    return cd_test_done();
}
