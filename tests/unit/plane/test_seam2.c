// Inner edges: floors of parts whose seams are covered whole, in part and not at all, with what stands on them.
// SPDX-License-Identifier: MIT
#include "cd_seam2.h"

#include "cd_separate2.h"
#include "cd_test.h"

// Edges of a box: 0 below, 1 right, 2 above, 3 left; its corners from (-,-) counter-clockwise.
enum { BELOW, RIGHT, ABOVE, LEFT };
enum { LEFT_LOW, RIGHT_LOW, RIGHT_HIGH, LEFT_HIGH };

static cd_polygon box_between(double left, double low, double right, double high, cd_vec2 vertex[4])
{
    const cd_vec2 corner[4] = {{left, low}, {right, low}, {right, high}, {left, high}};
    for (int k = 0; k < 4; k++)
        vertex[k] = corner[k];
    return (cd_polygon){4, vertex};
}

// Body a is `moving`, body b the first of the floor's parts.
static cd_seams2 seams_of(cd_polygon moving, const cd_polygon *floor, int32_t count)
{
    return (cd_seams2){
        .polygon = {moving, floor[0]}, .beside = {{0}, {count - 1, floor + 1}}, .near = 1e-7, .tolerance = 1e-12};
}

CD_TEST(a_seam_is_inner_for_what_stands_before_it_and_not_without_the_part_beside)
{
    cd_vec2 v[3][4];
    cd_polygon box = box_between(-0.4, 1e-10, -0.001, 0.2, v[0]);
    cd_polygon floor[2] = {box_between(0, -1, 3, 0, v[1]), box_between(-3, -1, 0, 0, v[2])};
    cd_seams2 seams = seams_of(box, floor, 2), alone = seams_of(box, floor, 1);
    CD_CHECK(cd_seams2_is_inner_edge(&seams, true, LEFT) && !cd_seams2_is_inner_edge(&seams, true, ABOVE));
    // the box's own front would be held by the same side, its bottom is not
    CD_CHECK(cd_seams2_is_inner_edge(&seams, false, RIGHT) && !cd_seams2_is_inner_edge(&seams, false, BELOW));
    CD_CHECK(cd_seams2_are_none(&alone) && !cd_seams2_is_inner_edge(&alone, true, LEFT));
    // corners of the part: one at the seam, one at the floor's end
    CD_CHECK(cd_seams2_is_inner_row(&seams, false, BELOW, LEFT_HIGH) &&
             !cd_seams2_is_inner_row(&seams, false, BELOW, RIGHT_HIGH));
    CD_CHECK(cd_seams2_is_inner_row(&seams, true, LEFT, RIGHT_LOW) &&
             !cd_seams2_is_inner_row(&seams, true, ABOVE, RIGHT_LOW));
}

// Tops of parts that count as flush, but of which one is higher by more than rounding: what lies on both needs its
// corner; a side that comes along does not catch at it.
CD_TEST(a_corner_that_stands_out_of_the_part_beside_is_one)
{
    static const double steps[] = {-1e-8, 0, 1e-13, 1e-10, 9e-8};
    cd_vec2 v[3][4];
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        double step = steps[k], tilt = fmax(step, 0) / 0.4;
        cd_polygon floor[2] = {box_between(0, -1, 3, 0, v[1]), box_between(-3, -1, 0, -step, v[2])};
        cd_polygon box = box_between(-0.4, 0, 0.4, 0.2, v[0]);
        cd_seams2 seams = seams_of(box, floor, 2);
        CD_CHECK(cd_seams2_is_inner_row(&seams, false, BELOW, LEFT_HIGH) == (step < 1e-12));
        CD_CHECK(cd_seams2_is_inner_row(&seams, false, RIGHT, LEFT_HIGH));
        for (int c = 0; c < 4; c++)  // the box leans on both parts
            v[0][c] = (cd_vec2){v[0][c].x - tilt * v[0][c].y, v[0][c].y + tilt * v[0][c].x};
        CD_CHECK(cd_seams2_is_inner_row(&seams, false, BELOW, LEFT_HIGH) == (step < 1e-12));
        CD_CHECK(cd_seams2_is_inner_row(&seams, false, RIGHT, LEFT_HIGH));
    }
}

// The point under the corner of the box is in the wall too, which goes on upwards; what the box stands on is floor.
CD_TEST(a_box_in_the_corner_of_floor_and_wall_is_held_by_both)
{
    static const double gaps[] = {0, 1e-10, 1e-8, 1e-3};
    cd_vec2 v[3][4];
    cd_polygon floor = box_between(-3, -1, 3, 0, v[1]), wall = box_between(-1, 0, 0, 5, v[2]);
    for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++) {
        cd_polygon box = box_between(gaps[k], 0, 0.2, 0.2, v[0]);
        cd_seams2 on_floor = seams_of(box, (cd_polygon[]){floor, wall}, 2),
                  at_wall = seams_of(box, (cd_polygon[]){wall, floor}, 2);
        CD_CHECK(!cd_seams2_is_inner_row(&on_floor, true, ABOVE, LEFT_LOW) &&
                 !cd_seams2_is_inner_row(&on_floor, true, ABOVE, RIGHT_LOW));
        CD_CHECK(!cd_seams2_is_inner_row(&at_wall, true, RIGHT, LEFT_LOW) &&
                 !cd_seams2_is_inner_row(&at_wall, true, RIGHT, LEFT_HIGH));
    }
}

CD_TEST(what_is_left_over_of_a_covered_edge_is_an_edge)
{
    cd_vec2 v[3][4];
    cd_polygon box = box_between(-0.4, 1e-10, -0.001, 0.2, v[0]), under = box_between(-3, -1, 0, 0, v[2]);
    for (double high = 1e-9; high < 1; high *= 10) {
        cd_polygon floor[2] = {box_between(0, -1, 3, high, v[1]), under};
        cd_seams2 seams = seams_of(box, floor, 2);
        cd_separate2_pose at = {box, floor[0]};
        cd_separate2_input input = {at, at, at, 0.05, 0.03, 1e-12, 1e-12, true, &seams, NULL, 0};
        cd_arena scratch = {0};
        cd_separator2 chosen = cd_separate2_choose(&input, &scratch).separator;  // that side, or the front before it
        CD_CHECK(chosen.is_of_b ? chosen.edge == LEFT : chosen.edge == RIGHT);
        cd_arena_release(&scratch);
    }
    cd_polygon deeper[2] = {box_between(0, -9, 3, 0, v[1]), under};
    cd_seams2 seams = seams_of(box, deeper, 2);
    CD_CHECK(cd_seams2_is_inner_edge(&seams, true, LEFT));
    cd_polygon low = box_between(-0.4, -1.5, -0.001, -1.1, v[0]);  // below the part beside
    seams = seams_of(low, deeper, 2);
    CD_CHECK(!cd_seams2_is_inner_edge(&seams, true, LEFT));
}

CD_TEST(before_all_parts_a_seam_may_hold_and_behind_some_it_may_not)
{
    cd_vec2 v[5][4];
    cd_polygon floor[4] = {box_between(0, -1, 3, 0, v[1]), box_between(-0.01, -1, 0, 0, v[2]),
                           box_between(-0.02, -1, -0.01, 0, v[3]), box_between(-3, -1, -0.02, 0, v[4])};
    cd_polygon beside = box_between(-0.4, -0.5, -0.021, -0.3, v[0]);
    cd_seams2 seams = seams_of(beside, floor, 3);  // left of both narrow parts
    CD_CHECK(!cd_seams2_is_inner_edge(&seams, true, LEFT));
    cd_polygon box = box_between(-0.4, 1e-10, -0.021, 0.2, v[0]);
    seams = seams_of(box, floor, 4);  // above a part behind these
    CD_CHECK(cd_seams2_is_inner_edge(&seams, true, LEFT));
}

CD_TEST(a_ramp_s_slope_is_no_inner_edge_and_its_tip_is_no_corner)
{
    cd_vec2 v[2][4];
    const cd_vec2 wedge[3] = {{0, 0}, {2, 0}, {2, 1}};
    cd_polygon box = box_between(-0.4, 1e-10, -0.001, 0.2, v[0]);
    cd_polygon floor[2] = {{3, wedge}, box_between(-3, -1, 3, 0, v[1])};
    cd_seams2 seams = seams_of(box, floor, 2);
    CD_CHECK(!cd_seams2_is_inner_edge(&seams, true, 2) && cd_seams2_is_inner_edge(&seams, false, RIGHT));
    CD_CHECK(cd_seams2_is_inner_row(&seams, false, RIGHT, 0));
    // a ridge is a corner: the box's bottom is held by it
    const cd_vec2 falling[4] = {{0, -1}, {3, -1}, {3, -0.5}, {0, 0}};
    cd_polygon ridge[2] = {{4, falling}, box_between(-3, -1, 0, 0, v[1])};
    seams = seams_of(box, ridge, 2);
    CD_CHECK(!cd_seams2_is_inner_edge(&seams, false, BELOW) && !cd_seams2_is_inner_row(&seams, false, BELOW, 3));
    CD_CHECK(cd_seams2_is_inner_edge(&seams, true, 3));
}

CD_TEST(the_choice_leaves_inner_edges_out_as_long_as_another_one_separates)
{
    cd_vec2 v[4][4];
    cd_polygon box = box_between(-0.4, 1e-10, -0.001, 0.2, v[0]),
               next = box_between(-0.3995, -1e-3, -5e-4, 0.199, v[3]);
    cd_polygon floor[2] = {box_between(0, -1, 3, 0, v[1]), box_between(-3, -1, 0, 0, v[2])};
    cd_seams2 seams = seams_of(box, floor, 2);
    cd_separate2_pose start = {box, floor[0]}, predicted = {next, floor[0]};
    cd_separate2_input input = {start, predicted, start, 0.05, 0.03, 1e-12, 1e-12, false, &seams, NULL, 0};
    cd_arena scratch = {0};
    cd_separating2 chosen = cd_separate2_choose(&input, &scratch);
    CD_CHECK(!chosen.is_inner &&
             (chosen.separator.is_of_b ? chosen.separator.edge == ABOVE : chosen.separator.edge == BELOW));
    cd_polygon low = box_between(-0.4, -0.5, -0.001, -0.3, v[0]);  // in the other part: nothing else separates
    seams = seams_of(low, floor, 2);
    input.start.a = input.predicted.a = input.current.a = low;
    chosen = cd_separate2_choose(&input, &scratch);
    CD_CHECK(chosen.is_inner && chosen.bound == 0);
    cd_arena_release(&scratch);
}

int main(void)
{
    CD_RUN(a_seam_is_inner_for_what_stands_before_it_and_not_without_the_part_beside);
    CD_RUN(a_corner_that_stands_out_of_the_part_beside_is_one);
    CD_RUN(a_box_in_the_corner_of_floor_and_wall_is_held_by_both);
    CD_RUN(what_is_left_over_of_a_covered_edge_is_an_edge);
    CD_RUN(before_all_parts_a_seam_may_hold_and_behind_some_it_may_not);
    CD_RUN(a_ramp_s_slope_is_no_inner_edge_and_its_tip_is_no_corner);
    CD_RUN(the_choice_leaves_inner_edges_out_as_long_as_another_one_separates);
    return cd_test_done();
}
