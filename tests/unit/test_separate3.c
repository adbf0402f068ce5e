// The separating facet of two polyhedra: against all facets tried in long double with the formulas of the paper as
// printed (with t vectors), exchange of sides, rigid motion, degenerate bodies, gaps of vertices.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "test_pairs3.h"

// ---- the slow way ----------------------------------------------------------------------------------------------

typedef struct slow_facet {
    cd_facet3 facet;
    real at_start, at_predicted;
} slow_facet;

enum { MOST_FACETS = 20000 };

static int32_t list_facets(cd_separate3_pose at, const cd_separate3_input *input, slow_facet *list)
{
    int32_t count = 0;
    for (int32_t f = 0; f < at.a->convex->face_count; f++)
        list[count++].facet = (cd_facet3){CD_FACET3_FACE_A, f, -1, 1};
    for (int32_t f = 0; f < at.b->convex->face_count; f++)
        list[count++].facet = (cd_facet3){CD_FACET3_FACE_B, -1, f, 1};
    for (int32_t i = 0; i < at.a->edges->count; i++)
        for (int32_t j = 0; j < at.b->edges->count; j++) {
            int32_t sign;
            real sine;
            if (slow_applicability(at, i, j, &sign, &sine) >= -1e-9L && sine > 1e-9L)
                list[count++].facet = (cd_facet3){CD_FACET3_EDGES, i, j, sign};
        }
    for (int32_t k = 0; k < count; k++) {
        list[k].at_start = slow_separation(slow_normal(&list[k].facet, input->start), input->start);
        list[k].at_predicted = slow_separation(slow_normal(&list[k].facet, input->predicted), input->predicted);
    }
    return count;
}

// What the chosen facet must be worth.
typedef struct slow_choice {
    int rule;
    real value;  // at the start for rule 3, else at the predicted pose
    real bound;
    bool is_close;  // to where the rules change
} slow_choice;

static slow_choice choose_slowly(const cd_separate3_input *input, slow_facet *list)
{
    int32_t first = list_facets(input->start, input, list);
    real best_start = -INFINITY, best_predicted = -INFINITY, best_both = -INFINITY, before = 0;
    for (int32_t k = 0; k < first; k++)
        best_start = fmaxl(best_start, list[k].at_start);
    int32_t count = first + list_facets(input->predicted, input, list + first);
    for (int32_t k = first; k < count; k++)
        if (list[k].at_predicted > best_predicted) {
            best_predicted = list[k].at_predicted;
            before = list[k].at_start;
        }
    for (int32_t k = 0; k < count; k++)
        if (list[k].at_start >= -(real)input->tolerance)
            best_both = fmaxl(best_both, list[k].at_predicted);
    real bound = best_start < -(real)input->tolerance ? best_start : 0;
    bool is_close = fabsl(best_start) < 1e-11L || fabsl(best_predicted) < 1e-11L ||
                    fabsl(before + (real)input->slack) < 1e-11L;
    if (input->at_start || input->start.a == input->predicted.a)
        return (slow_choice){3, best_start, bound, false};
    if (best_predicted >= 0 && before > -(real)input->slack)
        return (slow_choice){1, best_predicted, bound, is_close};
    if (best_both > -INFINITY)
        return (slow_choice){2, best_both, bound, is_close};
    return (slow_choice){3, best_start, bound, is_close};
}

// ---- pairs in motion -------------------------------------------------------------------------------------------

static cd_separate3_input swap_input(cd_separate3_input input)
{
    input.start = swap(input.start);
    input.predicted = swap(input.predicted);
    input.current = swap(input.current);
    return input;
}

static bool is_same_but_swapped(cd_separating3 one, cd_separating3 other)
{
    cd_facet3_kind kind = other.facet.kind == CD_FACET3_FACE_A   ? CD_FACET3_FACE_B
                          : other.facet.kind == CD_FACET3_FACE_B ? CD_FACET3_FACE_A
                                                                 : other.facet.kind;
    return one.facet.kind == kind && one.facet.index_a == other.facet.index_b &&
           one.facet.index_b == other.facet.index_a && one.facet.sign == other.facet.sign && one.bound == other.bound;
}

CD_TEST(the_facet_is_as_good_as_the_best_of_all)
{
    static const double gaps[] = {1e-9, 1e-3, 0.03, 0, -0.01, -0.1, -0.5, 0.5};
    static slow_facet list[2 * MOST_FACETS];
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
            CD_CHECK_NEAR((double)slow_separation(slow_normal(&got.facet, at), at), (double)want.value, 3e-12);
            CD_CHECK_NEAR(cd_facet3_separation(&got.facet, at), (double)want.value, 3e-12);
            CD_CHECK_NEAR(got.bound, (double)want.bound, 1e-13);
            by_rule[want.rule]++;
            edges += got.facet.kind == CD_FACET3_EDGES;
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

int main(void)
{
    CD_RUN(the_facet_is_as_good_as_the_best_of_all);
    return cd_test_done();
}
