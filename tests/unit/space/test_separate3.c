// The separator of two polyhedra: against all separators tried in long double with the formulas of the paper as
// printed (with t vectors), exchange of sides, rigid motion, degenerate bodies.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "test_pairs3.h"

// ---- the slow way --------------------------------------------------------------------------------------------------

typedef struct slow_separator {
    cd_separator3 separator;
    real at_start, at_predicted;
} slow_separator;

enum { MOST_SEPARATORS = 20000 };

static int32_t list_separators(cd_separate3_pose at, const cd_separate3_input *input, slow_separator *list)
{
    int32_t count = 0;
    for (int32_t f = 0; f < at.a->convex->face_count; f++)
        list[count++].separator = (cd_separator3){CD_SEPARATOR3_FACE_A, f, -1, 1};
    for (int32_t f = 0; f < at.b->convex->face_count; f++)
        list[count++].separator = (cd_separator3){CD_SEPARATOR3_FACE_B, -1, f, 1};
    for (int32_t i = 0; i < at.a->edges->count; i++)
        for (int32_t j = 0; j < at.b->edges->count; j++) {
            int32_t sign;
            real sine;
            if (slow_applicability(at, i, j, &sign, &sine) >= -1e-9L && sine > 1e-9L)
                list[count++].separator = (cd_separator3){CD_SEPARATOR3_EDGES, i, j, sign};
        }
    for (int32_t k = 0; k < count; k++) {
        list[k].at_start = slow_separation(slow_normal(&list[k].separator, input->start), input->start);
        list[k].at_predicted = slow_separation(slow_normal(&list[k].separator, input->predicted), input->predicted);
    }
    return count;
}

// What the chosen separator must be worth.
typedef struct slow_choice {
    int rule;
    real value;  // at the start for rule 3, else at the predicted pose
    real bound;
    bool is_close;  // to where the rules change
} slow_choice;

static slow_choice choose_slowly(const cd_separate3_input *input, slow_separator *list)
{
    int32_t first = list_separators(input->start, input, list);
    real best_start = -INFINITY, best_predicted = -INFINITY, best_both = -INFINITY, before = 0;
    for (int32_t k = 0; k < first; k++)
        best_start = fmaxl(best_start, list[k].at_start);
    int32_t count = first + list_separators(input->predicted, input, list + first);
    for (int32_t k = first; k < count; k++)
        if (list[k].at_predicted > best_predicted) {
            best_predicted = list[k].at_predicted;
            before = list[k].at_start;
        }
    for (int32_t k = 0; k < count; k++)
        if (list[k].at_start >= -(real)input->tolerance)
            best_both = fmaxl(best_both, list[k].at_predicted);
    real bound = best_start < -(real)input->tolerance ? best_start : 0;
    bool is_close =
        fabsl(best_start) < 1e-11L || fabsl(best_predicted) < 1e-11L || fabsl(before + (real)input->slack) < 1e-11L;
    if (input->at_start || input->start.a == input->predicted.a)
        return (slow_choice){3, best_start, bound, false};
    if (best_predicted >= 0 && before > -(real)input->slack)
        return (slow_choice){1, best_predicted, bound, is_close};
    if (best_both > -INFINITY)
        return (slow_choice){2, best_both, bound, is_close};
    return (slow_choice){3, best_start, bound, is_close};
}

// ---- pairs in motion -----------------------------------------------------------------------------------------------

static cd_separate3_input swap_input(cd_separate3_input input)
{
    input.start = swap(input.start);
    input.predicted = swap(input.predicted);
    input.current = swap(input.current);
    return input;
}

static bool is_same_but_swapped(cd_separating3 one, cd_separating3 other)
{
    cd_separator3_kind kind = other.separator.kind == CD_SEPARATOR3_FACE_A   ? CD_SEPARATOR3_FACE_B
                              : other.separator.kind == CD_SEPARATOR3_FACE_B ? CD_SEPARATOR3_FACE_A
                                                                             : other.separator.kind;
    return one.separator.kind == kind && one.separator.index_a == other.separator.index_b &&
           one.separator.index_b == other.separator.index_a && one.separator.sign == other.separator.sign &&
           one.bound == other.bound;
}

CD_TEST(the_separator_is_as_good_as_the_best_of_all)
{
    static const double gaps[] = {1e-9, 1e-3, 0.03, 0, -0.01, -0.1, -0.5, 0.5};
    static slow_separator list[2 * MOST_SEPARATORS];
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {11};
    int by_rule[4] = {0}, edges = 0, bounds = 0;
    for (int round = 0; round < 1600; round++) {
        scene s = random_scene(&random, gaps[round % 8], round % 3 == 0 ? 0.003 : round % 3 == 1 ? 0.03 : 0.3, &arena);
        cd_separate3_input input = input_of(&s, &arena);
        input.at_start = round % 7 == 0;
        slow_choice want = choose_slowly(&input, list);
        cd_separating3 got = cd_separate3_choose(&input, &scratch);
        if (!want.is_close) {
            cd_separate3_pose at = want.rule == 3 ? input.start : input.predicted;
            CD_CHECK_NEAR((double)slow_separation(slow_normal(&got.separator, at), at), (double)want.value, 3e-12);
            CD_CHECK_NEAR(cd_separator3_separation(&got.separator, at), (double)want.value, 3e-12);
            CD_CHECK_NEAR(got.bound, (double)want.bound, 1e-13);
            by_rule[want.rule]++;
            edges += got.separator.kind == CD_SEPARATOR3_EDGES;
            bounds += got.bound < 0;
        }
        cd_separate3_input other = swap_input(input);
        CD_CHECK(is_same_but_swapped(got, cd_separate3_choose(&other, &scratch)));
        cd_arena_reset(&arena);
    }
    CD_CHECK(by_rule[1] > 200 && by_rule[2] > 200 && by_rule[3] > 200 && edges > 300 && bounds > 200);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// ---- what must not matter ------------------------------------------------------------------------------------------

CD_TEST(moving_the_scene_moves_the_separator_along)
{
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {13};
    for (int round = 0; round < 300; round++) {
        scene s = random_scene(&random, round % 2 ? 1e-3 : -0.1, 0.05, &arena), moved = s;
        cd_quat turn = test_rotation(&random);
        cd_pose3 motion = cd_pose3_make(cd_scale3(10, test_direction(&random)), turn);
        for (int k = 0; k < 2; k++) {
            moved.place_a[k] = cd_pose3_apply(&motion, s.place_a[k]);
            moved.place_b[k] = cd_pose3_apply(&motion, s.place_b[k]);
            moved.turn_a[k] = cd_quat_unit(cd_quat_product(turn, s.turn_a[k]));
            moved.turn_b[k] = cd_quat_unit(cd_quat_product(turn, s.turn_b[k]));
        }
        cd_separate3_input input = input_of(&s, &arena), other = input_of(&moved, &arena);
        cd_separating3 one = cd_separate3_choose(&input, &scratch), two = cd_separate3_choose(&other, &scratch);
        CD_CHECK_NEAR(one.bound, two.bound, 1e-13);
        CD_CHECK(one.separator.kind == two.separator.kind && one.separator.index_a == two.separator.index_a &&
                 one.separator.index_b == two.separator.index_b && one.separator.sign == two.separator.sign);
        cd_arena_reset(&arena);
    }
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// What is kept from round to round changes no bit, whatever the trial; without a trial, and out of reach, too.
CD_TEST(what_is_known_of_the_step_changes_nothing)
{
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {19};
    int entered = 0, none = 0;
    for (int round = 0; round < 400; round++) {
        scene s = random_scene(&random, round % 3 == 0 ? -0.01 : round % 3 == 1 ? 1e-3 : 0.05, 0.05, &arena);
        cd_separate3_input input = input_of(&s, &arena);
        cd_separate3_known known = {.is_known = false};
        input.reach = round % 4 ? 1e9 : 0.02;
        input.near = round % 5 ? 0 : 0.03;
        for (int k = 0; k < 4; k++) {
            scene trial = random_scene(&random, 0, 0.05, &arena);
            trial.a = s.a;
            trial.b = s.b;
            for (int end = 0; end < 2; end++) {
                trial.place_a[end] = s.place_a[end];
                trial.place_b[end] = cd_add3(s.place_b[end], cd_scale3(0.05, test_direction(&random)));
                trial.turn_a[end] = s.turn_a[end];
                trial.turn_b[end] = s.turn_b[end];
            }
            input.current = k ? input_of(&trial, &arena).start : input.start;
            input.known = NULL;
            cd_separating3 want = cd_separate3_choose(&input, &scratch);
            input.known = &known;
            cd_separating3 got = cd_separate3_choose(&input, &scratch);
            const cd_separator3 *f[] = {&want.separator, &want.entered}, *g[] = {&got.separator, &got.entered};
            for (int m = 0; m < 2; m++)
                CD_CHECK(f[m]->kind == g[m]->kind && f[m]->index_a == g[m]->index_a && f[m]->index_b == g[m]->index_b &&
                         f[m]->sign == g[m]->sign);
            CD_CHECK(want.bound == got.bound && want.is_inner == got.is_inner);
            entered += got.entered.kind != CD_SEPARATOR3_NONE;
            none += got.separator.kind == CD_SEPARATOR3_NONE;
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(entered > 50 && none > 20);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// ---- degenerate pairs ----------------------------------------------------------------------------------------------

static const cd_quat no_turn = {1, 0, 0, 0};

// A trial of the parts of `s`, from where they start: b is moved by up to `motion`.
static scene trial_of(const scene *s, double motion, cd_random *random)
{
    scene trial = *s;
    trial.place_b[0] = cd_add3(s->place_b[0], cd_scale3(motion, test_direction(random)));
    return trial;
}

// At a trial the best separator there joins where the parts overlap, and where they are near and it parts them by more.
CD_TEST(what_is_near_at_a_trial_is_held_by_the_separator_best_there)
{
    static slow_separator list[MOST_SEPARATORS];
    static const double near[] = {0, 1e-3, 0.02};
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {23};
    int joined = 0, same = 0, far = 0, overlapping = 0;
    for (int round = 0; round < 1500; round++) {
        scene s = random_scene(&random, 1e-3, 0.05, &arena), trial = trial_of(&s, 0.01, &random);
        cd_separate3_input input = input_of(&s, &arena);
        input.current = input_of(&trial, &arena).start;
        input.near = near[round % 3];
        cd_separating3 got = cd_separate3_choose(&input, &scratch);
        cd_separate3_input at_trial = input;
        at_trial.start = at_trial.predicted = input.current;
        int32_t count = list_separators(input.current, &at_trial, list);
        real best = -INFINITY;
        for (int32_t k = 0; k < count; k++)
            best = fmaxl(best, list[k].at_start);
        real chosen = slow_separation(slow_normal(&got.separator, input.current), input.current);
        double distance = cd_distance3_compute(cd_support3_convex(input.current.a->convex),
                                               cd_support3_convex(input.current.b->convex), NULL)
                              .distance;
        if (got.entered.kind != CD_SEPARATOR3_NONE) {
            real entered = slow_separation(slow_normal(&got.entered, input.current), input.current);
            CD_CHECK_NEAR((double)entered, (double)best, 2e-12);
            CD_CHECK(distance <= input.near && (distance == 0 || entered > chosen));
            joined += distance > 0;
            overlapping += distance == 0;
        } else {
            CD_CHECK(distance > input.near || best - chosen <= 2e-12L);
            far += distance > input.near;
            same += distance <= input.near;
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(joined > 20 && same > 20 && far > 100 && overlapping > 20);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

static cd_separate3_input still(const cd_shell3 *a, const cd_shell3 *b)
{
    cd_separate3_pose at = {a, b};
    return (cd_separate3_input){at, at, at, 0.05, 0.03, 1e-12, 1e-12, false, NULL, NULL, 0};
}

CD_TEST(of_faces_that_are_equally_good_the_larger_one_is_taken)
{
    cd_arena arena = {0}, scratch = {0};
    body plate = body_of(test_box_between((cd_vec3){-5, -4, -0.1}, (cd_vec3){5, 4, 0}, &arena), &arena);
    body cube = body_of(test_box_between((cd_vec3){-0.5, -0.5, 0}, (cd_vec3){0.5, 0.5, 1}, &arena), &arena);
    const cd_shell3 *under = shell_at(&plate, (cd_vec3){0, 0, 0}, no_turn, &arena);
    for (int k = 0; k < 8; k++) {
        // lying on it, turned by any angle about the vertical, with rounding of the corners
        cd_quat turn = cd_quat_from_vector((cd_vec3){0, 0, 0.1 * k});
        const cd_shell3 *over = shell_at(&cube, (cd_vec3){0.3, 0.2 * k, 1e-10 * (k % 3 - 1)}, turn, &arena);
        cd_separate3_input input = still(under, over), exchanged = still(over, under);
        cd_separating3 chosen = cd_separate3_choose(&input, &scratch);
        CD_CHECK(chosen.separator.kind == CD_SEPARATOR3_FACE_A && chosen.separator.index_a == 5);
        CD_CHECK_NEAR(chosen.bound, fmin(0, 1e-10 * (k % 3 - 1)), 1e-15);
        CD_CHECK(is_same_but_swapped(chosen, cd_separate3_choose(&exchanged, &scratch)));
    }
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// A box with pairs of faces of areas 1, 1 + 1.5e-9 and 1 + 3e-9 in each of their orders: of the two largest pairs the
// first face is taken, though the third pair's is as large as neither or both.
CD_TEST(faces_of_nearly_the_same_area_are_held_against_the_largest)
{
    static const double area[3] = {1, 1 + 1.5e-9, 1 + 3e-9};
    static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    cd_arena arena = {0}, scratch = {0};
    body small = body_of(test_box_between((cd_vec3){-0.01, -0.01, -0.01}, (cd_vec3){0.01, 0.01, 0.01}, &arena), &arena);
    const cd_shell3 *inside = shell_at(&small, (cd_vec3){0, 0, 0}, no_turn, &arena);
    for (int i = 0; i < 6; i++) {
        double x = area[order[i][0]], y = area[order[i][1]], z = area[order[i][2]], edge = sqrt(x * y * z);
        cd_vec3 half = {edge / x / 2, edge / y / 2, edge / z / 2};  // sides y z = area of the faces -x, +x
        body box = body_of(test_box_between(cd_negate3(half), half, &arena), &arena);
        const cd_shell3 *around = shell_at(&box, (cd_vec3){0, 0, 0}, no_turn, &arena);
        cd_separate3_input input = still(around, inside), exchanged = still(inside, around);
        input.tolerance = exchanged.tolerance = input.tie = exchanged.tie = 10;
        cd_separating3 chosen = cd_separate3_choose(&input, &scratch);
        CD_CHECK(chosen.separator.kind == CD_SEPARATOR3_FACE_A &&
                 chosen.separator.index_a == (order[i][0] == 0 ? 2 : 0));
        CD_CHECK(is_same_but_swapped(chosen, cd_separate3_choose(&exchanged, &scratch)));
    }
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// Two bars, the edge of one over that of the other, which turns past being parallel to it: what is above stays above.
CD_TEST(edges_that_turn_past_parallel_keep_what_is_in_front)
{
    cd_arena arena = {0}, scratch = {0};
    const double half = 0.1, up = 2 * sqrt(2) * half, gap = 1e-3;
    body bar = body_of(test_box_between((cd_vec3){-1, -half, -half}, (cd_vec3){1, half, half}, &arena), &arena);
    const cd_quat on_edge = cd_quat_from_vector((cd_vec3){atan(1), 0, 0});
    const cd_shell3 *under = shell_at(&bar, (cd_vec3){0, 0, 0}, on_edge, &arena);
    const cd_shell3 *over[3];  // at the start, at a trial above, at one that has gone in
    for (int k = 0; k < 3; k++) {
        cd_quat aside = cd_quat_from_vector((cd_vec3){0, 0, k ? -0.01 : 0.02});
        over[k] = shell_at(&bar, (cd_vec3){0, 0, up + (k == 2 ? -gap : gap)}, cd_quat_product(aside, on_edge), &arena);
    }
    cd_separate3_known known = {.is_known = false};
    for (int k = 0; k < 6; k++) {  // known or not, and with the bars exchanged
        const cd_shell3 *now = over[k % 3];
        cd_separate3_input input = still(under, over[0]);
        input.current.b = now;
        input.known = k < 3 ? &known : NULL;
        cd_separating3 chosen = cd_separate3_choose(&input, &scratch);
        CD_CHECK(chosen.separator.kind == CD_SEPARATOR3_EDGES && chosen.bound == 0);
        CD_CHECK(cd_separator3_normal(&chosen.separator, input.current).z > 0.999);
        CD_CHECK_NEAR(cd_separator3_separation(&chosen.separator, input.current), k % 3 == 2 ? -gap : gap, 1e-12);
        cd_separate3_input exchanged = swap_input(input);
        exchanged.known = NULL;
        CD_CHECK(is_same_but_swapped(chosen, cd_separate3_choose(&exchanged, &scratch)));
    }
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

CD_TEST(degenerate_pairs_have_a_separator_too)
{
    cd_arena arena = {0}, scratch = {0};
    body cube = body_of(test_box_between((cd_vec3){-0.5, -0.5, -0.5}, (cd_vec3){0.5, 0.5, 0.5}, &arena), &arena);
    body small = body_of(test_box_between((cd_vec3){-0.1, -0.1, -0.1}, (cd_vec3){0.1, 0.1, 0.1}, &arena), &arena);
    body plate = body_of(test_box_between((cd_vec3){-1, -1, -1e-6}, (cd_vec3){1, 1, 1e-6}, &arena), &arena);
    const cd_shell3 *a = shell_at(&cube, (cd_vec3){0, 0, 0}, no_turn, &arena);
    // contained, nearest to the +y face; identical bodies in one place; a corner at a corner; crossed thin plates
    const cd_shell3 *b = shell_at(&small, (cd_vec3){0, 0.2, 0}, no_turn, &arena);
    cd_separate3_input input = still(a, b);
    cd_separating3 chosen = cd_separate3_choose(&input, &scratch);
    CD_CHECK(chosen.separator.kind == CD_SEPARATOR3_FACE_A && chosen.separator.index_a == 3);
    CD_CHECK_NEAR(chosen.bound, -0.4, 1e-15);
    input = still(a, a);
    chosen = cd_separate3_choose(&input, &scratch);
    CD_CHECK(chosen.separator.kind == CD_SEPARATOR3_FACE_A && chosen.bound == -1);
    input = still(a, shell_at(&cube, (cd_vec3){1, 1, 1}, no_turn, &arena));
    chosen = cd_separate3_choose(&input, &scratch);
    CD_CHECK(chosen.bound == 0 && fabs(cd_separator3_separation(&chosen.separator, input.current)) < 1e-15);
    cd_quat across = cd_quat_from_vector((cd_vec3){1.5707963267948966, 0, 0});
    input = still(shell_at(&plate, (cd_vec3){0, 0, 0}, no_turn, &arena),
                  shell_at(&plate, (cd_vec3){0.25, 0.5, 0}, across, &arena));
    chosen = cd_separate3_choose(&input, &scratch);
    CD_CHECK_NEAR(chosen.bound, -0.5 - 1e-6, 1e-12);  // out over the nearer side
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

CD_TEST(what_is_far_at_all_poses_has_none)
{
    cd_arena arena = {0}, scratch = {0};
    body cube = body_of(test_box_between((cd_vec3){-0.5, -0.5, -0.5}, (cd_vec3){0.5, 0.5, 0.5}, &arena), &arena);
    const cd_shell3 *a = shell_at(&cube, (cd_vec3){0, 0, 0}, no_turn, &arena);
    const cd_shell3 *far = shell_at(&cube, (cd_vec3){1.2, 0, 0}, no_turn, &arena);
    const cd_shell3 *near = shell_at(&cube, (cd_vec3){1.04, 0, 0}, no_turn, &arena);
    for (int k = 0; k < 8; k++) {
        cd_separate3_input input = still(a, far);
        input.start.b = k & 1 ? near : far;
        input.predicted.b = k & 2 ? near : far;
        input.current.b = k & 4 ? near : far;
        cd_separating3 chosen = cd_separate3_choose(&input, &scratch);
        CD_CHECK((chosen.separator.kind == CD_SEPARATOR3_NONE) == (k == 0));
    }
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// Edges that cross at the start and are parallel at the trial pose: another separator has a normal there.
CD_TEST(parallel_edges_give_way_at_the_trial_pose)
{
    cd_arena arena = {0}, scratch = {0};
    cd_vec3 ridge[6] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {-1, 0, 0}, {1, 0, 0}};
    static const int32_t first[6] = {0, 4, 8, 12, 15, 18},
                         corner[18] = {0, 2, 3, 1, 0, 1, 5, 4, 2, 4, 5, 3, 0, 4, 2, 1, 3, 5};
    body roof = body_of((cd_polyhedron){6, 5, ridge, first, corner}, &arena);
    cd_quat over = {0, 1, 0, 0}, across = cd_quat_product(cd_quat_from_vector((cd_vec3){0, 0, 1}), over);
    const cd_shell3 *a = shell_at(&roof, (cd_vec3){0, 0, 0}, no_turn, &arena);
    cd_separate3_input input = still(a, shell_at(&roof, (cd_vec3){0, 0, 0.01}, across, &arena));
    cd_separating3 chosen = cd_separate3_choose(&input, &scratch);
    CD_CHECK(chosen.separator.kind == CD_SEPARATOR3_EDGES);
    input.current.b = shell_at(&roof, (cd_vec3){0, 0, 0.01}, over, &arena);
    CD_CHECK(cd_separator3_separation(&chosen.separator, input.current) == -INFINITY);
    chosen = cd_separate3_choose(&input, &scratch);
    CD_CHECK(cd_length3(cd_separator3_normal(&chosen.separator, input.current)) > 0.5);
    CD_CHECK(cd_separator3_separation(&chosen.separator, input.current) > 0);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(the_separator_is_as_good_as_the_best_of_all);
    CD_RUN(what_is_known_of_the_step_changes_nothing);
    CD_RUN(edges_that_turn_past_parallel_keep_what_is_in_front);
    CD_RUN(what_is_near_at_a_trial_is_held_by_the_separator_best_there);
    CD_RUN(moving_the_scene_moves_the_separator_along);
    CD_RUN(of_faces_that_are_equally_good_the_larger_one_is_taken);
    CD_RUN(faces_of_nearly_the_same_area_are_held_against_the_largest);
    CD_RUN(degenerate_pairs_have_a_separator_too);
    CD_RUN(what_is_far_at_all_poses_has_none);
    CD_RUN(parallel_edges_give_way_at_the_trial_pose);
    return cd_test_done();
}
