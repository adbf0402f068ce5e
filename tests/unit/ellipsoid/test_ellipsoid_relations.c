// What must hold of any two ellipsoids: sides exchanged, both moved, turned and scaled, vectors of all widths, starts
// from elsewhere, the potential against the signed distance, closed forms, and what is hard.
// SPDX-License-Identifier: MIT
#include "cd_ellipsoid_gap.h"
#include "cd_ellipsoid_point.h"
#include "cd_test.h"
#include "test_ellipsoids.h"

enum { PAIRS = 100000, PER_BLOCK = CD_PERRAM_LANES };

static const double aspects[4] = {1.5, 4, 20, 100};

typedef struct pair_at {
    cd_mat3 turn[2];
    cd_ellipsoid a, b;
    double size;  // [m] largest semiaxis
} pair_at;

// From deep inside to some sizes apart. Centres on a grid, so that moving them is exact.
static void random_pair(cd_random *random, int i, pair_at *p)
{
    const double aspect = aspects[i % 4];
    for (int k = 0; k < 2; k++) {
        p->turn[k] = test_turn(random);
        *(k == 0 ? &p->a : &p->b) = (cd_ellipsoid){{0, 0, 0}, test_semiaxes(random, aspect), &p->turn[k]};
    }
    p->size = fmax(test_largest(p->a.semiaxes), test_largest(p->b.semiaxes));
    const cd_half_axes half[2] = {cd_ellipsoid_half_axes(&p->a), cd_ellipsoid_half_axes(&p->b)};
    const cd_vec3 n = cd_unit3(test_point(random, 1));
    const cd_vec3 in_touch = cd_add3(cd_half_axes_support(&half[0], n), cd_half_axes_support(&half[1], n));
    const cd_vec3 at = cd_scale3(test_between(random, 0.05, 2), in_touch);
    p->b.centre = (cd_vec3){ldexp(nearbyint(ldexp(at.x, 20)), -20), ldexp(nearbyint(ldexp(at.y, 20)), -20),
                            ldexp(nearbyint(ldexp(at.z, 20)), -20)};
}

static bool is_same(cd_vec3 p, cd_vec3 q) { return p.x == q.x && p.y == q.y && p.z == q.z; }

static bool is_same_result(const cd_perram *p, const cd_perram *q)
{
    return p->lambda == q->lambda && p->potential == q->potential && p->gap == q->gap &&
           is_same(p->normal, q->normal) && is_same(p->point, q->point) && is_same(p->point_a, q->point_a) &&
           is_same(p->point_b, q->point_b) && p->iterations == q->iterations;
}

static bool is_flipped_result(const cd_perram *p, const cd_perram *q)
{
    return p->lambda == 1 - q->lambda && q->lambda == 1 - p->lambda && p->potential == q->potential &&
           p->gap == q->gap && is_same(p->normal, cd_negate3(q->normal)) && is_same(p->point, q->point) &&
           is_same(p->point_a, q->point_b) && is_same(p->point_b, q->point_a);
}

// Everything but normals, which may turn about flat places.
static double apart_of(const cd_perram *p, const cd_perram *q, double size)
{
    double apart = fmax(fabs(p->lambda - q->lambda), fabs(p->mu / q->mu - 1));
    return fmax(apart, fabs(p->gap - q->gap) / (size * fmax(1, q->mu)));
}

// ---- the potential -------------------------------------------------------------------------------------------------

CD_TEST(all_levels_and_single_pairs_give_the_same_bits)
{
    cd_random random = {1};
    int differ = 0, iterations = 0, blocks = 0;
    for (int i = 0; i < PAIRS; i += PER_BLOCK, blocks++) {
        pair_at p[PER_BLOCK];
        const int count = 1 + blocks % PER_BLOCK;
        cd_perram_block block[3] = {0};
        for (int k = 0; k < count; k++) {
            random_pair(&random, i + k, &p[k]);
            for (int level = 0; level < 3; level++)
                cd_perram_add(&block[level], &p[k].a, &p[k].b, 0);
        }
        for (int level = 0; level < 3; level++)
            cd_perram_solve(&block[level], (cd_vector_level)level);
        for (int k = 0; k < count; k++) {
            const cd_perram alone = cd_perram_of(&p[k].a, &p[k].b, 0);
            iterations += alone.iterations;
            for (int level = 0; level < 3; level++) {
                const cd_perram found = cd_perram_get(&block[level], k, p[k].a.centre, p[k].b.centre);
                differ += !is_same_result(&found, &alone);
            }
        }
    }
    CD_CHECK(differ == 0);
    printf("# %.2f iterations from nothing\n", (double)iterations / (PAIRS * 4.5 / 8));
}

CD_TEST(exchanged_moved_and_scaled_pairs_are_the_same)
{
    cd_random random = {2};
    int flipped = 0, moved = 0, scaled = 0;
    for (int i = 0; i < PAIRS; i++) {
        pair_at p;
        random_pair(&random, i, &p);
        const cd_perram found = cd_perram_of(&p.a, &p.b, 0), other = cd_perram_of(&p.b, &p.a, 0);
        flipped += is_flipped_result(&found, &other);
        const cd_vec3 by = {8, -4, 16};
        cd_ellipsoid a = p.a, b = p.b;
        a.centre = cd_add3(a.centre, by);
        b.centre = cd_add3(b.centre, by);
        const cd_perram there = cd_perram_of(&a, &b, 0);
        moved += there.lambda == found.lambda && there.potential == found.potential && there.gap == found.gap &&
                 is_same(there.normal, found.normal);
        const double by_two = ldexp(1, i % 2 ? -20 : 13);
        a = (cd_ellipsoid){cd_scale3(by_two, p.a.centre), cd_scale3(by_two, p.a.semiaxes), &p.turn[0]};
        b = (cd_ellipsoid){cd_scale3(by_two, p.b.centre), cd_scale3(by_two, p.b.semiaxes), &p.turn[1]};
        const cd_perram large = cd_perram_of(&a, &b, 0);
        scaled += large.lambda == found.lambda && large.potential == found.potential &&
                  large.gap == by_two * found.gap && is_same(large.normal, found.normal) &&
                  is_same(large.point, cd_scale3(by_two, found.point));
    }
    CD_CHECK(flipped == PAIRS && moved == PAIRS && scaled == PAIRS);
}

// Turned coordinates are rounded: what comes out is so much wrong, no more.
CD_TEST(turned_pairs_are_turned)
{
    cd_random random = {3};
    double worst = 0, worst_point = 0;
    for (int i = 0; i < PAIRS; i++) {
        pair_at p;
        random_pair(&random, i, &p);
        const cd_mat3 turn = test_turn(&random);
        const cd_mat3 turned[2] = {cd_mat3_product(&turn, &p.turn[0]), cd_mat3_product(&turn, &p.turn[1])};
        const cd_ellipsoid a = {cd_mat3_apply(&turn, p.a.centre), p.a.semiaxes, &turned[0]};
        const cd_ellipsoid b = {cd_mat3_apply(&turn, p.b.centre), p.b.semiaxes, &turned[1]};
        const cd_perram found = cd_perram_of(&p.a, &p.b, 0), there = cd_perram_of(&a, &b, 0);
        worst = fmax(worst, apart_of(&there, &found, p.size));
        worst_point = fmax(worst_point,
                           test_apart(there.point, cd_mat3_apply(&turn, found.point)) / (p.size * fmax(1, found.mu)));
    }
    CD_CHECK(worst < 1e-12 && worst_point < 1e-12);
    printf("# turned: %.2g, points %.2g\n", worst, worst_point);
}

CD_TEST(a_start_from_the_last_frame_changes_no_digit_that_counts)
{
    cd_random random = {4};
    double worst = 0;
    int iterations = 0, most = 0;
    for (int i = 0; i < PAIRS; i++) {
        pair_at p;
        random_pair(&random, i, &p);
        const double before = cd_perram_of(&p.a, &p.b, 0).lambda;
        p.b.centre = cd_add3(p.b.centre, test_point(&random, 1e-3 * test_least(p.b.semiaxes)));
        const cd_perram cold = cd_perram_of(&p.a, &p.b, 0), warm = cd_perram_of(&p.a, &p.b, before);
        iterations += warm.iterations;
        most = warm.iterations > most ? warm.iterations : most;
        worst = fmax(worst, apart_of(&warm, &cold, p.size));
        const cd_perram wild = cd_perram_of(&p.a, &p.b, test_between(&random, 0, 1));
        worst = fmax(worst, apart_of(&wild, &cold, p.size));
    }
    CD_CHECK(worst < 1e-12 && (double)iterations / PAIRS <= 2 && most <= 3);
    printf("# %.2f iterations from the last frame, at most %d; apart %.2g\n", (double)iterations / PAIRS, most, worst);
}

// ---- the signed distance -------------------------------------------------------------------------------------------

// At 1/mu of the way the two touch: mu is the centres' distance over that of closest approach along the line between
// them (Zheng, Iacobucci & Palffy-Muhoray, Phys. Rev. E 79 (2009) 057702).
CD_TEST(the_potential_has_the_sign_of_the_distance_and_its_root_leads_to_touch)
{
    cd_random random = {5};
    double worst = 0, above = 0;
    int signs = 0, overlaps = 0;
    enum { SOME = PAIRS / 5 };
    for (int i = 0; i < SOME; i++) {
        pair_at p;
        random_pair(&random, i, &p);
        const cd_perram found = cd_perram_of(&p.a, &p.b, 0);
        const cd_ellipsoid_gap gap = cd_ellipsoid_gap_of(&p.a, &p.b, &found);
        above = fmax(above, (found.gap - gap.gap) / p.size);
        signs += (found.gap < 0) == (gap.gap < 0) && (found.mu < 1) == (gap.gap < 0);
        overlaps += gap.gap < 0;
        cd_ellipsoid near = p.b;
        near.centre = cd_scale3(1 / found.mu, p.b.centre);
        const cd_perram touch = cd_perram_of(&p.a, &near, 0);
        worst = fmax(worst, fabs(cd_ellipsoid_gap_of(&p.a, &near, &touch).gap) / p.size);
    }
    CD_CHECK(signs == SOME && overlaps > SOME / 4 && overlaps < SOME);
    CD_CHECK(worst < 1e-13 && above < 1e-13);
    printf("# touch is missed by %.2g\n", worst);
}

CD_TEST(distances_of_exchanged_and_moved_pairs_are_the_same)
{
    cd_random random = {6};
    enum { SOME = PAIRS / 10 };
    int flipped = 0, moved = 0;
    for (int i = 0; i < SOME; i++) {
        pair_at p;
        random_pair(&random, i, &p);
        if (i % 50 == 0)
            p.b.semiaxes = p.a.semiaxes, p.turn[1] = p.turn[0];  // equal ones too
        const cd_ellipsoid_gap found = cd_ellipsoid_gap_of(&p.a, &p.b, NULL);
        const cd_ellipsoid_gap other = cd_ellipsoid_gap_of(&p.b, &p.a, NULL);
        flipped += found.gap == other.gap && is_same(found.normal, cd_negate3(other.normal)) &&
                   is_same(found.point_a, other.point_b) && is_same(found.point_b, other.point_a);
        cd_ellipsoid a = p.a, b = p.b;
        a.centre = cd_add3(a.centre, (cd_vec3){-2, 32, 4});
        b.centre = cd_add3(b.centre, (cd_vec3){-2, 32, 4});
        const cd_ellipsoid_gap there = cd_ellipsoid_gap_of(&a, &b, NULL);
        moved += found.gap == there.gap && is_same(found.normal, there.normal);
    }
    CD_CHECK(flipped == SOME && moved == SOME);
}

// No direction of many separates more than the one that was found.
CD_TEST(no_direction_separates_more)
{
    enum { SOME = 1000, DIRECTIONS = 2000 };
    cd_random random = {7};
    double above = 0;
    for (int i = 0; i < SOME; i++) {
        pair_at p;
        random_pair(&random, i, &p);
        p.b.centre = cd_scale3(0.5, p.b.centre);
        const cd_half_axes a = cd_ellipsoid_half_axes(&p.a), b = cd_ellipsoid_half_axes(&p.b);
        const double found = cd_ellipsoid_gap_of(&p.a, &p.b, NULL).gap;
        for (int k = 0; k < DIRECTIONS; k++) {
            const cd_vec3 n = cd_unit3(test_point(&random, 1));
            const double gap = cd_dot3(p.b.centre, n) - cd_half_axes_width(&a, n) - cd_half_axes_width(&b, n);
            above = fmax(above, (gap - found) / p.size);
        }
    }
    CD_CHECK(above < 1e-14);
}

// ---- closed forms, and what is hard --------------------------------------------------------------------------------

CD_TEST(balls_have_their_closed_forms)
{
    cd_random random = {8};
    for (int i = 0; i < 1000; i++) {
        const cd_mat3 turn[2] = {test_turn(&random), test_turn(&random)};
        const double r = test_between(&random, 0.1, 2), s = test_between(&random, 0.1, 2);
        const cd_ellipsoid a = {test_point(&random, 1), {r, r, r}, &turn[0]},
                           b = {test_point(&random, 2), {s, s, s}, &turn[1]};
        const double d = test_apart(a.centre, b.centre), want = d - r - s;
        const cd_perram found = cd_perram_of(&a, &b, 0);
        CD_CHECK_NEAR(found.lambda, r / (r + s), 1e-14);
        CD_CHECK_NEAR(found.potential, d / (r + s) * (d / (r + s)), 1e-13);
        CD_CHECK_NEAR(found.gap, want, 1e-14);
        CD_CHECK(test_apart(found.point, cd_lerp3(a.centre, b.centre, r / (r + s))) < 1e-14);
        CD_CHECK(found.iterations <= 2);
        CD_CHECK_NEAR(cd_ellipsoid_gap_of(&a, &b, &found).gap, want, 1e-14);
    }
}

CD_TEST(concentric_ones_are_flagged_and_have_a_depth)
{
    const cd_mat3 still = cd_mat3_identity(), turned = cd_quat_matrix((cd_quat){1, 2, 3, 4});
    const cd_ellipsoid a = {{1, 2, 3}, {1, 2, 3}, &still}, b = {{1, 2, 3}, {5, 0.5, 4}, &still};
    const cd_perram none = cd_perram_of(&a, &b, 0);
    CD_CHECK(none.is_concentric && none.potential == 0 && none.mu == 0 && isnan(none.gap) && isnan(none.lambda));
    const cd_ellipsoid_gap gap = cd_ellipsoid_gap_of(&a, &b, &none), other = cd_ellipsoid_gap_of(&b, &a, NULL);
    CD_CHECK_NEAR(gap.gap, -2.5, 1e-15);
    CD_CHECK(fabs(fabs(gap.normal.y) - 1) < 1e-15 && is_same(gap.normal, cd_negate3(other.normal)));
    CD_CHECK(gap.gap == other.gap);
    const cd_ellipsoid ball = {{1, 2, 3}, {2, 2, 2}, &turned}, needle = {{1, 2, 3}, {1, 0.01, 0.01}, &turned};
    CD_CHECK_NEAR(cd_ellipsoid_gap_of(&ball, &ball, NULL).gap, -4, 1e-14);
    CD_CHECK_NEAR(cd_ellipsoid_gap_of(&needle, &ball, NULL).gap, -2.01, 1e-15);
    CD_CHECK_NEAR(cd_length3(cd_ellipsoid_gap_of(&needle, &needle, NULL).normal), 1, 1e-15);
    // nearly so: a direction is left
    cd_ellipsoid near = b;
    near.centre.x += 0x1p-51;
    const cd_perram found = cd_perram_of(&a, &near, 0);
    CD_CHECK(!found.is_concentric && found.mu > 0 && found.mu < 1e-14 && found.gap < -1 && found.normal.x == 1);
    CD_CHECK_NEAR(cd_ellipsoid_gap_of(&a, &near, &found).gap, -2.5, 1e-14);
}

// Aspects and sizes far beyond what grains have: still finite, and of the right sign.
CD_TEST(extreme_ones_are_finite)
{
    const cd_mat3 still = cd_mat3_identity(), turned = cd_quat_matrix((cd_quat){1, 1, 0, 0});
    const cd_ellipsoid needle = {{0, 0, 0}, {1, 1e-6, 1e-6}, &still}, pancake = {{0.5, 0, 1e-7}, {1, 1, 1e-6}, &still};
    cd_perram found = cd_perram_of(&needle, &pancake, 0);
    CD_CHECK(found.mu < 1 && found.gap < 0 && isfinite(found.gap));
    CD_CHECK_NEAR(cd_ellipsoid_gap_of(&needle, &pancake, &found).gap, -1.8e-6, 2e-7);
    const cd_ellipsoid across = {{0, 0, 2.5e-6}, {1e-6, 1, 1e-6}, &still};
    found = cd_perram_of(&needle, &across, 0);
    CD_CHECK_NEAR(found.gap, 0.5e-6, 1e-15);
    CD_CHECK_NEAR(cd_ellipsoid_gap_of(&needle, &across, &found).gap, 0.5e-6, 1e-15);
    const cd_ellipsoid large = {{0, 0, 0}, {1e6, 1e6, 1e6}, &turned},
                       small = {{1e6 + 3e-3, 0, 0}, {2e-3, 1e-3, 1e-3}, &still};
    found = cd_perram_of(&large, &small, 0);
    CD_CHECK_NEAR(found.gap, 1e-3, 1e-9);
    const cd_ellipsoid tiny = {{0, 0, 0}, {1e-30, 2e-30, 1e-30}, &still},
                       beside = {{0, 5e-30, 0}, {1e-30, 2e-30, 1e-30}, &still};
    found = cd_perram_of(&tiny, &beside, 0);
    CD_CHECK_NEAR(found.gap, 1e-30, 1e-44);
    CD_CHECK(found.lambda == 0.5 && found.normal.y == 1);
}

// ---- a point -------------------------------------------------------------------------------------------------------

// A ball is an ellipsoid too: the routine of two has the same distance.
CD_TEST(points_have_the_distance_of_balls)
{
    cd_random random = {9};
    double worst = 0, worst_foot = 0;
    int inside = 0;
    for (int i = 0; i < PAIRS / 4; i++) {
        pair_at p;
        random_pair(&random, i, &p);
        const double r = test_between(&random, 0.01, 1) * p.size;
        p.b.semiaxes = (cd_vec3){r, r, r};
        p.b.centre = cd_scale3(test_between(&random, 0, 1.5), p.b.centre);
        const cd_ellipsoid_foot found = cd_ellipsoid_point(&p.a, p.b.centre);
        const cd_ellipsoid_gap want = cd_ellipsoid_gap_of(&p.a, &p.b, NULL);
        worst = fmax(worst, fabs(found.gap - r - want.gap) / p.size);
        CD_CHECK(!found.is_degenerate);
        const cd_vec3 across = cd_sub3(p.b.centre, found.foot);
        worst_foot = fmax(worst_foot, test_apart(across, cd_scale3(found.gap, found.normal)) / p.size);
        inside += found.gap < 0;
    }
    CD_CHECK(inside > PAIRS / 40 && inside < PAIRS / 5);
    CD_CHECK(worst < 1e-14 && worst_foot < 1e-12);
    printf("# points: distance %.2g, foot %.2g\n", worst, worst_foot);
}

CD_TEST(points_in_the_middle_are_flagged)
{
    const cd_mat3 still = cd_mat3_identity();
    const cd_ellipsoid e = {{0, 0, 0}, {3, 2, 1}, &still}, ball = {{0, 0, 0}, {2, 2, 2}, &still};
    cd_ellipsoid_foot found = cd_ellipsoid_point(&e, e.centre);
    CD_CHECK(found.is_degenerate && found.gap == -1 && fabs(found.normal.z) == 1);
    // (x, 0) in an ellipse of semiaxes 3 and 1: the foot at 9 x / 8 while that is below 3
    found = cd_ellipsoid_point(&e, (cd_vec3){1, 0, 0});
    CD_CHECK(found.is_degenerate && fabs(found.foot.x - 9.0 / 8) < 1e-15 && found.foot.y == 0);
    CD_CHECK_NEAR(found.gap, -sqrt(1.0 / 64 + 1 - 9.0 / 64), 1e-15);
    // an ulp beside the disc it is one side's
    found = cd_ellipsoid_point(&e, (cd_vec3){1, 0, -1e-300});
    CD_CHECK(!found.is_degenerate && found.foot.z < -0.9 && fabs(found.foot.x - 9.0 / 8) < 1e-15);
    found = cd_ellipsoid_point(&e, (cd_vec3){2.9, 0, 0});
    CD_CHECK(!found.is_degenerate && fabs(found.gap + 0.1) < 1e-15 && found.normal.x == 1);
    found = cd_ellipsoid_point(&ball, ball.centre);
    CD_CHECK(found.is_degenerate && found.gap == -2);
    found = cd_ellipsoid_point(&ball, (cd_vec3){0, 0, 1e-200});
    CD_CHECK(!found.is_degenerate && found.gap == -2 && found.normal.z == 1);
    found = cd_ellipsoid_point(&e, (cd_vec3){0, -2, 0});
    CD_CHECK(found.gap == 0 && found.normal.y == -1);
}

// The second foot of a point inside is a minimum too, on the other side of the shortest axis.
CD_TEST(feet_are_where_the_distance_is_least)
{
    cd_random random = {10};
    int seconds = 0;
    for (int i = 0; i < 20000; i++) {
        const cd_vec3 a = test_semiaxes(&random, aspects[i % 4]), p = test_point(&random, 0.7);
        const cd_vec3 y = {a.x * p.x, a.y * p.y, a.z * p.z};
        cd_vec3 normal[CD_ELLIPSOID_FEET];
        bool is_degenerate;
        const int count = cd_ellipsoid_feet(a, y, normal, &is_degenerate);
        double gap[CD_ELLIPSOID_FEET] = {0, -INFINITY};
        for (int k = 0; k < count; k++) {
            const cd_vec3 n = normal[k], h = {a.x * n.x, a.y * n.y, a.z * n.z};
            gap[k] = cd_dot3(n, y) - cd_length3(h);
            for (int j = 0; j < 20; j++) {
                const cd_vec3 m = cd_unit3(cd_add3(n, test_point(&random, 1e-3 * test_least(a) / test_largest(a))));
                const cd_vec3 g = {a.x * m.x, a.y * m.y, a.z * m.z};
                CD_CHECK(cd_dot3(m, y) - cd_length3(g) <= gap[k] + 1e-14 * test_largest(a));
            }
        }
        CD_CHECK(gap[1] <= gap[0]);
        seconds += count == 2;
    }
    CD_CHECK(seconds > 1000 && seconds < 19000);
}

int main(void)
{
    CD_RUN(all_levels_and_single_pairs_give_the_same_bits);
    CD_RUN(exchanged_moved_and_scaled_pairs_are_the_same);
    CD_RUN(turned_pairs_are_turned);
    CD_RUN(a_start_from_the_last_frame_changes_no_digit_that_counts);
    CD_RUN(the_potential_has_the_sign_of_the_distance_and_its_root_leads_to_touch);
    CD_RUN(distances_of_exchanged_and_moved_pairs_are_the_same);
    CD_RUN(no_direction_separates_more);
    CD_RUN(balls_have_their_closed_forms);
    CD_RUN(concentric_ones_are_flagged_and_have_a_depth);
    CD_RUN(extreme_ones_are_finite);
    CD_RUN(points_have_the_distance_of_balls);
    CD_RUN(points_in_the_middle_are_flagged);
    CD_RUN(feet_are_where_the_distance_is_least);
    return cd_test_done();
}
