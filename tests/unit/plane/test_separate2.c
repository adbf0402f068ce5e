// The separating edge of two polygons: against all edges tried in long double, exchange of sides, equally good edges.
// SPDX-License-Identifier: MIT
#include "cd_separate2.h"

#include "cd_random.h"
#include "cd_test.h"

typedef long double real;

static cd_polygon random_polygon(cd_random *random, cd_arena *arena)
{
    cd_vec2 point[9];
    for (;;) {
        for (int k = 0; k < 9; k++)
            point[k] = (cd_vec2){cd_random_between(random, -1, 1), cd_random_between(random, -1, 1)};
        cd_polygon hull = cd_hull2(point, 9, arena, NULL);
        if (hull.count >= 3)
            return hull;
    }
}

static cd_polygon placed(cd_polygon local, cd_vec2 at, double angle, cd_arena *arena)
{
    return cd_polygon_place(local, cd_pose2_make(at, angle), CD_ARENA_ARRAY(arena, cd_vec2, local.count));
}

static real slow_separation(cd_separator2 separator, cd_separate2_pose at)
{
    cd_polygon owner = separator.is_of_b ? at.b : at.a, other = separator.is_of_b ? at.a : at.b;
    cd_vec2 p = owner.vertex[separator.edge], q = owner.vertex[cd_polygon_next(owner, separator.edge)];
    real ex = (real)q.x - p.x, ey = (real)q.y - p.y, length = sqrtl(ex * ex + ey * ey), least = INFINITY;
    for (int32_t v = 0; v < other.count; v++)
        least = fminl(least, (ey * ((real)other.vertex[v].x - p.x) - ex * ((real)other.vertex[v].y - p.y)) / length);
    return least;
}

typedef struct slow_choice {
    int rule;
    real value, bound;
    bool is_close;
} slow_choice;

static slow_choice choose_slowly(const cd_separate2_input *input)
{
    real best_start = -INFINITY, best_predicted = -INFINITY, best_both = -INFINITY, before = 0;
    for (int32_t k = 0; k < input->start.a.count + input->start.b.count; k++) {
        cd_separator2 separator = {k >= input->start.a.count, k < input->start.a.count ? k : k - input->start.a.count};
        real start = slow_separation(separator, input->start), predicted = slow_separation(separator, input->predicted);
        best_start = fmaxl(best_start, start);
        if (predicted > best_predicted) {
            best_predicted = predicted;
            before = start;
        }
        if (start >= -(real)input->tolerance)
            best_both = fmaxl(best_both, predicted);
    }
    slow_choice choice = {3, best_start, best_start < -(real)input->tolerance ? best_start : 0,
                          fabsl(best_start) < 1e-11L || fabsl(best_predicted) < 1e-11L ||
                              fabsl(before + (real)input->slack) < 1e-11L};
    if (!input->at_start && best_predicted >= 0 && before > -(real)input->slack) {
        choice.rule = 1;
        choice.value = best_predicted;
    } else if (!input->at_start && best_both > -INFINITY) {
        choice.rule = 2;
        choice.value = best_both;
    }
    return choice;
}

CD_TEST(the_edge_is_as_good_as_the_best_of_all)
{
    static const double gaps[] = {1e-9, 1e-3, 0.03, -0.01, -0.3};
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {31};
    int by_rule[4] = {0}, bounds = 0;
    for (int round = 0; round < 4000; round++) {
        cd_polygon a = random_polygon(&random, &arena), b = random_polygon(&random, &arena);
        double turn_a = cd_random_between(&random, 0, 6.3), turn_b = cd_random_between(&random, 0, 6.3);
        double heading = cd_random_between(&random, 0, 6.3), motion = round % 3 == 0 ? 0.3 : 0.02;
        cd_vec2 d = {cos(heading), sin(heading)}, at = cd_scale2(5, d), zero = {0, 0};
        for (int k = 0; k < 8; k++)
            at = cd_sub2(
                at,
                cd_scale2(
                    fmax(0, cd_polygon_distance(placed(a, zero, turn_a, &arena), placed(b, at, turn_b, &arena)).gap),
                    d));
        at = cd_add2(at, cd_scale2(gaps[round % 5], d));
        cd_vec2 then = {at.x + cd_random_between(&random, -motion, motion),
                        at.y + cd_random_between(&random, -motion, motion)};
        cd_separate2_input input = {
            .reach = 1e9, .slack = 0.03, .tolerance = 1e-12, .tie = 1e-12, .at_start = round % 7 == 0};
        input.start = (cd_separate2_pose){placed(a, zero, turn_a, &arena), placed(b, at, turn_b, &arena)};
        input.predicted =
            (cd_separate2_pose){placed(a, zero, turn_a + cd_random_between(&random, -motion, motion), &arena),
                                placed(b, then, turn_b, &arena)};
        input.current = input.start;
        slow_choice want = choose_slowly(&input);
        cd_separating2 got = cd_separate2_choose(&input, &scratch);
        if (!want.is_close) {
            cd_separate2_pose pose = want.rule == 3 ? input.start : input.predicted;
            CD_CHECK_NEAR((double)slow_separation(got.separator, pose), (double)want.value, 2e-12);
            CD_CHECK_NEAR(got.bound, (double)want.bound, 1e-14);
            by_rule[want.rule]++;
            bounds += got.bound < 0;
        }
        cd_separate2_input other = input;
        other.start = (cd_separate2_pose){input.start.b, input.start.a};
        other.predicted = (cd_separate2_pose){input.predicted.b, input.predicted.a};
        other.current = other.start;
        cd_separating2 swapped = cd_separate2_choose(&other, &scratch);
        CD_CHECK(swapped.separator.is_of_b != got.separator.is_of_b && swapped.separator.edge == got.separator.edge &&
                 swapped.bound == got.bound);
        cd_arena_reset(&arena);
    }
    CD_CHECK(by_rule[1] > 500 && by_rule[2] > 500 && by_rule[3] > 500 && bounds > 500);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// A box above a shelf at the start, which the shelf's top parts from it; at the trial it is beside the shelf, farther
// from its end than above its top.
CD_TEST(what_is_near_at_a_trial_is_held_by_the_edge_best_there)
{
    static const cd_vec2 shelf[4] = {{-5, -1}, {0, -1}, {0, 0}, {-5, 0}};
    static const cd_vec2 above[4] = {{-0.5, 1e-3}, {0.5, 1e-3}, {0.5, 1}, {-0.5, 1}};
    static const cd_vec2 beside[4] = {{5e-3, 1e-3}, {1, 1e-3}, {1, 1}, {5e-3, 1}};
    const cd_separate2_pose start = {{4, shelf}, {4, above}}, trial = {{4, shelf}, {4, beside}};
    cd_arena scratch = {0};
    cd_separate2_known known = {.is_known = false};
    static const double near[] = {0, 4e-3, 6e-3, 1};
    for (int k = 0; k < 8; k++) {
        cd_separate2_input input = {.start = start, .predicted = start, .current = start, .reach = 0.05, .tie = 1e-12};
        input.near = near[k / 2];
        input.known = k % 2 ? &known : NULL;
        known.is_known = false;
        CD_CHECK(cd_separate2_choose(&input, &scratch).entered.edge == -1);
        input.current = trial;
        const cd_separating2 chosen = cd_separate2_choose(&input, &scratch);
        CD_CHECK(!chosen.separator.is_of_b && chosen.separator.edge == 2);
        if (input.near < 5e-3)
            CD_CHECK(chosen.entered.edge == -1);
        else
            CD_CHECK(!chosen.entered.is_of_b && chosen.entered.edge == 1);
        input.tie = 0.01;  // 4e-3 more is as good
        CD_CHECK(input.known || cd_separate2_choose(&input, &scratch).entered.edge == -1);
    }
    cd_arena_release(&scratch);
}

CD_TEST(of_edges_that_are_equally_good_the_longer_one_is_taken)
{
    static const cd_vec2 shelf[4] = {{-5, -1}, {5, -1}, {5, 0}, {-5, 0}}, box[4] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    cd_arena scratch = {0};
    cd_separate2_pose at = {{4, box}, {4, shelf}};
    cd_separate2_input input = {at, at, at, 0.05, 0.03, 1e-12, 1e-12, false, NULL, NULL, 0};
    cd_separating2 chosen = cd_separate2_choose(&input, &scratch);
    CD_CHECK(chosen.separator.is_of_b && chosen.separator.edge == 2 && chosen.bound == 0);
    static const cd_vec2 far[4] = {{0, 0.1}, {1, 0.1}, {1, 1}, {0, 1}};
    input.start.a = input.predicted.a = input.current.a = (cd_polygon){4, far};
    CD_CHECK(cd_separate2_choose(&input, &scratch).separator.edge == -1);
    input.reach = 0.1;
    CD_CHECK(cd_separate2_choose(&input, &scratch).separator.edge == 2);
    cd_arena_release(&scratch);
}

// Sides of 1, 1 + 1.5e-9, 1 + 3e-9: the first is as long as the second and the second as the third, but not the first
// as the third. Of the two longest the first one is taken, wherever the triangle's corners begin and on whichever side
// it is.
CD_TEST(edges_of_nearly_the_same_length_are_held_against_the_longest)
{
    static const double length[3] = {1, 1 + 1.5e-9, 1 + 3e-9};
    static const cd_vec2 inside[3] = {{0.5, 0.3}, {0.51, 0.3}, {0.5, 0.31}};
    cd_arena scratch = {0};
    double x = (1 + (length[2] - length[1]) * (length[2] + length[1])) / 2;
    cd_vec2 corner[3] = {{0, 0}, {1, 0}, {x, sqrt(length[2] * length[2] - x * x)}};
    for (int first = 0; first < 3; first++) {
        cd_vec2 turned[3];
        for (int k = 0; k < 3; k++)
            turned[k] = corner[(k + first) % 3];
        int shortest = (3 - first) % 3, expected = shortest == 0 ? 1 : 0;
        for (int swap = 0; swap < 2; swap++) {
            cd_separate2_pose at = {{3, turned}, {3, inside}};
            if (swap)
                at = (cd_separate2_pose){at.b, at.a};
            cd_separate2_input input = {at, at, at, 10, 0.03, 10, 10, false, NULL, NULL, 0};
            cd_separator2 chosen = cd_separate2_choose(&input, &scratch).separator;
            CD_CHECK(chosen.is_of_b == swap && chosen.edge == expected);
        }
    }
    cd_arena_release(&scratch);
}

int main(void)
{
    CD_RUN(edges_of_nearly_the_same_length_are_held_against_the_longest);
    CD_RUN(the_edge_is_as_good_as_the_best_of_all);
    CD_RUN(what_is_near_at_a_trial_is_held_by_the_edge_best_there);
    CD_RUN(of_edges_that_are_equally_good_the_longer_one_is_taken);
    return cd_test_done();
}
