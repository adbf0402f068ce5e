// Triangles as sheets: against a distance in long double by brute force over features, in pairs with each other, with
// margins, moved from one side to the other, degenerate.
// SPDX-License-Identifier: MIT
#include "cd_random.h"
#include "cd_sheet3.h"
#include "cd_test.h"
#include "test_pairs3.h"

static cd_vec3 random_point(cd_random *random, double spread)
{
    return (cd_vec3){test_between(random, -spread, spread), test_between(random, -spread, spread),
                     test_between(random, -spread, spread)};
}

static const cd_shell3 *sheet_about(cd_random *random, cd_vec3 middle, double margin, cd_arena *arena)
{
    cd_vec3 corner[3];
    for (int k = 0; k < 3; k++)
        corner[k] = cd_add3(middle, random_point(random, 1));
    const cd_shell3 *sheet = cd_sheet3_make(arena, corner, margin);
    CD_CHECK(sheet);
    return sheet;
}

static cd_separating3 choose(const cd_shell3 *a, const cd_shell3 *b, cd_arena *arena)
{
    cd_separate3_pose pose = {a, b};
    cd_separate3_input input = {.start = pose, .predicted = pose, .current = pose, .reach = 10, .tie = 1e-12};
    return cd_separate3_choose(&input, arena);
}

// Every point of a triangle is a mean of its corners, so the best of all directions is that of the closest pair; faces
// and pairs of edges know whether it is positive.
CD_TEST(triangles_that_are_apart_have_a_separator_and_others_have_none)
{
    cd_arena arena = {0};
    cd_random random = {71};
    int apart = 0, crossing = 0;
    for (int round = 0; round < 20000; round++) {
        const cd_shell3 *a = sheet_about(&random, (cd_vec3){0, 0, 0}, 0, &arena);
        const cd_shell3 *b = sheet_about(&random, random_point(&random, 0.7), 0, &arena);
        cd_separate3_pose pose = {a, b};
        cd_separating3 chosen = choose(a, b, &arena);
        double value = cd_separator3_separation(&chosen.separator, pose);
        double distance =
            cd_distance3_compute(cd_support3_convex(a->convex), cd_support3_convex(b->convex), NULL).distance;
        CD_CHECK(chosen.separator.kind != CD_SEPARATOR3_NONE && value <= distance + 1e-12);
        CD_CHECK((value > 1e-12) == (distance > 1e-12) || fabs(value) < 1e-9);
        CD_CHECK((chosen.bound < 0) == (value < 0));
        apart += distance > 1e-9;
        crossing += distance == 0;
        cd_arena_reset(&arena);
    }
    CD_CHECK(apart > 2000 && crossing > 2000);
    cd_arena_release(&arena);
}

CD_TEST(a_margin_takes_from_every_separation)
{
    cd_arena arena = {0};
    cd_random random = {72};
    for (int round = 0; round < 2000; round++) {
        cd_random again = random;
        const cd_shell3 *a = sheet_about(&random, (cd_vec3){0, 0, 0}, 0, &arena);
        const cd_shell3 *b = sheet_about(&random, (cd_vec3){0, 0, 2.5}, 0, &arena);
        const cd_shell3 *thick_a = sheet_about(&again, (cd_vec3){0, 0, 0}, 0.125, &arena);
        const cd_shell3 *thick_b = sheet_about(&again, (cd_vec3){0, 0, 2.5}, 0.0625, &arena);
        cd_separating3 thin = choose(a, b, &arena), thick = choose(thick_a, thick_b, &arena);
        double of_thin = cd_separator3_separation(&thin.separator, (cd_separate3_pose){a, b});
        double of_thick = cd_separator3_separation(&thick.separator, (cd_separate3_pose){thick_a, thick_b});
        CD_CHECK(fabs(of_thin - of_thick - 0.1875) < 1e-12);
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

// A triangle over another one by `height`, expected below it: the side it is on is kept, however small the height.
CD_TEST(the_side_at_the_start_is_kept)
{
    static const cd_vec3 ground[3] = {{-1, -1, 0}, {1, -1, 0}, {0, 2, 0}};
    cd_arena arena = {0};
    for (double height = 1e-1; height > 1e-13; height /= 10) {
        cd_vec3 above[3], below[3];
        for (int k = 0; k < 3; k++) {
            above[k] = (cd_vec3){0.3 * ground[k].x, 0.3 * ground[k].y, height};
            below[k] = (cd_vec3){0.3 * ground[k].x, 0.3 * ground[k].y, -0.01};
        }
        const cd_shell3 *a = cd_sheet3_make(&arena, ground, 0);
        cd_separate3_pose start = {a, cd_sheet3_make(&arena, above, 0)}, end = {a, cd_sheet3_make(&arena, below, 0)};
        cd_separate3_input input = {.start = start, .predicted = end, .current = end, .reach = 1, .tie = 1e-12};
        cd_separating3 chosen = cd_separate3_choose(&input, &arena);
        cd_vec3 n = cd_separator3_normal(&chosen.separator, end);
        CD_CHECK(n.z == 1 && chosen.bound == 0);
        CD_CHECK(fabs(cd_separator3_separation(&chosen.separator, end) + 0.01) < 1e-15);
    }
    cd_arena_release(&arena);
}

CD_TEST(a_triangle_without_a_normal_is_no_sheet)
{
    cd_arena arena = {0};
    static const cd_vec3 needle[3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 1e-13, 0}},
                         point[3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    static const cd_vec3 thin[3] = {{0, 0, 0}, {1, 0, 0}, {0.5, 1e-11, 0}},
                         lost[3] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 0}};
    CD_CHECK(!cd_sheet3_make(&arena, needle, 0) && !cd_sheet3_make(&arena, point, 0) &&
             !cd_sheet3_make(&arena, lost, 0));
    const cd_shell3 *sheet = cd_sheet3_make(&arena, thin, 0.5);
    CD_CHECK(sheet && sheet->margin == 0.5 && sheet->inner_radius == 0);
    CD_CHECK(sheet && fabs(cd_shell3_normal(sheet, 0).z - 1) < 1e-12);
    CD_CHECK(cd_sheet3_longest(needle) == 0 && cd_sheet3_longest(point) == -1 && cd_sheet3_longest(lost) == -1);
    cd_arena_release(&arena);
}

// Its extent along any direction is that of the segment, and its faces go round it by quarters.
CD_TEST(a_segment_is_a_sheet_of_four_faces)
{
    cd_arena arena = {0};
    cd_random random = {7};
    for (int round = 0; round < 200; round++) {
        cd_vec3 end[2] = {random_point(&random, 1), random_point(&random, 1)}, along = cd_sub3(end[1], end[0]);
        const cd_shell3 *line = cd_sheet3_make_line(&arena, end, cd_across3(along), 0.25);
        CD_CHECK(line->is_line && line->is_sheet && line->margin == 0.25 && line->convex->vertex_count == 2);
        for (int f = 0; f < line->convex->face_count; f++) {
            cd_vec3 n = cd_shell3_normal(line, f), next = cd_shell3_normal(line, (f + 1) % 4);
            CD_CHECK(fabs(cd_dot3(n, along)) < 1e-15 && fabs(cd_dot3(n, next)) < 1e-15);
            CD_CHECK(cd_dot3(cd_cross3(n, next), along) > 0);
            CD_CHECK(fabs(cd_dot3(n, end[0]) - line->convex->plane[f].offset) < 1e-15);
        }
        cd_arena_reset(&arena);
    }
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(triangles_that_are_apart_have_a_separator_and_others_have_none);
    CD_RUN(a_margin_takes_from_every_separation);
    CD_RUN(the_side_at_the_start_is_kept);
    CD_RUN(a_triangle_without_a_normal_is_no_sheet);
    CD_RUN(a_segment_is_a_sheet_of_four_faces);
    return cd_test_done();
}
