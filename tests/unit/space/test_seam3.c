// Inner separators of space: plates side by side, with what stands on them.
// SPDX-License-Identifier: MIT
#include "cd_seam3.h"

#include "cd_separate3.h"
#include "cd_test.h"
#include "test_pairs3.h"

// Faces of a box: -x, +x, -y, +y, -z, +z.
enum { LEFT, RIGHT, FRONT, BACK, BELOW, ABOVE };

static const cd_shell3 *box_between(cd_vec3 low, cd_vec3 high, cd_arena *arena)
{
    body *made = CD_ARENA_ARRAY(arena, body, 1);
    *made = body_of(test_box_between(low, high, arena), arena);
    return shell_at(made, (cd_vec3){0, 0, 0}, (cd_quat){1, 0, 0, 0}, arena);
}

static cd_seams3 seams_of(const cd_shell3 *moving, const cd_shell3 *const *floor, int32_t count)
{
    return (cd_seams3){
        .shell = {moving, floor[0]}, .beside = {{0}, {count - 1, floor + 1}}, .near = 1e-7, .tolerance = 1e-12};
}

// Of the floor's part, with the normal from the moving body to it.
static bool is_inner_side(const cd_seams3 *seams, int32_t face)
{
    return cd_seams3_is_inner(seams, cd_negate3(cd_shell3_normal(seams->shell[1], face)));
}

CD_TEST(a_seam_is_inner_where_the_part_beside_covers_what_the_body_is_over)
{
    cd_arena arena = {0};
    const cd_shell3 *floor[2] = {box_between((cd_vec3){0, -3, -1}, (cd_vec3){3, 3, 0}, &arena),
                                 box_between((cd_vec3){-3, -1, -1}, (cd_vec3){0, 1, 0}, &arena)};
    const cd_shell3 *box = box_between((cd_vec3){-0.4, -0.2, 1e-10}, (cd_vec3){-0.001, 0.2, 0.2}, &arena);
    cd_seams3 seams = seams_of(box, floor, 2), alone = seams_of(box, floor, 1);
    CD_CHECK(is_inner_side(&seams, LEFT) && !is_inner_side(&seams, ABOVE));
    CD_CHECK(cd_seams3_are_none(&alone) && !is_inner_side(&alone, LEFT));
    // an edge of the box that stands upright, and the seam's edge
    CD_CHECK(cd_seams3_is_inner(&seams, cd_unit3((cd_vec3){1, 0, -1})));
    const cd_shell3 *at_bare = box_between((cd_vec3){-0.4, 1.5, -0.5}, (cd_vec3){-0.001, 1.9, -0.3}, &arena);
    seams = seams_of(at_bare, floor, 2);
    CD_CHECK(!is_inner_side(&seams, LEFT));
    cd_arena_release(&arena);
}

CD_TEST(seams_have_neither_corners_nor_edges)
{
    cd_arena arena = {0};
    const cd_shell3 *floor[2] = {box_between((cd_vec3){0, -1, -1}, (cd_vec3){3, 1, 0}, &arena),
                                 box_between((cd_vec3){-3, -1, -1}, (cd_vec3){0, 1, 0}, &arena)};
    const cd_shell3 *box = box_between((cd_vec3){-0.4, -2, 1e-10}, (cd_vec3){0.4, 2, 0.2}, &arena);
    cd_seams3 seams = seams_of(box, floor, 2);
    for (int32_t v = 0; v < 8; v++)  // bit 0 of a corner's number: +x
        CD_CHECK(cd_seams3_is_inner_row(&seams, false, BELOW, v) == !(v & 1));
    for (int32_t e = 0; e < floor[0]->edges->count; e++) {
        cd_segment3 s = cd_shell3_segment(floor[0], e);
        cd_vec3 middle = cd_segment3_at(&s, s.length / 2);
        CD_CHECK(cd_seams3_is_no_edge(&seams, 1, e, middle, (cd_vec3){0, 0, 1}) == (middle.x == 0));
    }
    cd_arena_release(&arena);
}

// See test_seam2.c. Bit 0 of a corner's number: +x, 2: +z.
CD_TEST(corners_and_edges_that_stand_out_of_the_part_beside_are_some)
{
    static const double steps[] = {-1e-8, 0, 1e-13, 1e-10, 9e-8};
    cd_arena arena = {0};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
        const cd_shell3 *floor[2] = {box_between((cd_vec3){0, -1, -1}, (cd_vec3){3, 1, 0}, &arena),
                                     box_between((cd_vec3){-3, -1, -1}, (cd_vec3){0, 1, -steps[k]}, &arena)};
        const cd_shell3 *box = box_between((cd_vec3){-0.4, -2, 0}, (cd_vec3){0.4, 2, 0.2}, &arena);
        cd_seams3 seams = seams_of(box, floor, 2);
        bool is_flush = steps[k] < 1e-12;
        for (int32_t v = 4; v < 8; v += 2) {
            CD_CHECK(cd_seams3_is_inner_row(&seams, false, BELOW, v) == is_flush);
            CD_CHECK(cd_seams3_is_inner_row(&seams, false, RIGHT, v));
        }
        int32_t seam = cd_edges3_find(floor[0]->edges, 4, 6);
        CD_CHECK(seam >= 0);
        for (int way = -1; way <= 1; way += 2) {  // seen from a box that leans to either side
            cd_vec3 up = cd_unit3((cd_vec3){1e-3 * way, 0, 1});
            CD_CHECK(cd_seams3_is_no_edge(&seams, 1, seam, (cd_vec3){0, 0.1, 0}, up) == is_flush);
            CD_CHECK(cd_seams3_is_no_edge(&seams, 1, seam, (cd_vec3){0, 0.1, 0}, (cd_vec3){-1, 0, 1e-3 * way}));
        }
    }
    cd_arena_release(&arena);
}

// See test_seam2.c.
CD_TEST(a_box_in_the_corner_of_floor_and_wall_is_held_by_both)
{
    static const double gaps[] = {0, 1e-10, 1e-8, 1e-3};
    cd_arena arena = {0};
    const cd_shell3 *floor = box_between((cd_vec3){-3, -3, -1}, (cd_vec3){3, 3, 0}, &arena),
                    *wall = box_between((cd_vec3){-1, -3, 0}, (cd_vec3){0, 3, 5}, &arena);
    for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++) {
        const cd_shell3 *box = box_between((cd_vec3){gaps[k], -0.1, 0}, (cd_vec3){0.2, 0.1, 0.2}, &arena);
        cd_seams3 on_floor = seams_of(box, (const cd_shell3 *[]){floor, wall}, 2),
                  at_wall = seams_of(box, (const cd_shell3 *[]){wall, floor}, 2);
        for (int32_t v = 0; v < 8; v++) {  // bit 2 of a corner's number: +z
            CD_CHECK((v & 4) || !cd_seams3_is_inner_row(&on_floor, true, ABOVE, v));
            CD_CHECK((v & 1) || !cd_seams3_is_inner_row(&at_wall, true, RIGHT, v));
        }
    }
    cd_arena_release(&arena);
}

CD_TEST(the_choice_leaves_inner_separators_out_as_long_as_another_one_separates)
{
    cd_arena arena = {0}, scratch = {0};
    const cd_shell3 *floor[2] = {box_between((cd_vec3){0, -3, -1}, (cd_vec3){3, 3, 0}, &arena),
                                 box_between((cd_vec3){-3, -3, -1}, (cd_vec3){0, 3, 0}, &arena)};
    const cd_shell3 *box = box_between((cd_vec3){-0.4, -0.2, 1e-10}, (cd_vec3){-0.001, 0.2, 0.2}, &arena);
    const cd_shell3 *next = box_between((cd_vec3){-0.4, -0.2, -1e-3}, (cd_vec3){5e-4, 0.2, 0.199}, &arena);
    for (int k = 0; k < 4; k++) {
        cd_seams3 seams = seams_of(box, floor, 2);
        cd_separate3_pose start = {box, floor[0]}, predicted = {next, floor[0]};
        cd_separate3_input input = {
            start, predicted, k & 1 ? predicted : start, 0.05, 0.03, 1e-12, 1e-12, k & 2, &seams, NULL, 0};
        cd_separating3 chosen = cd_separate3_choose(&input, &scratch);
        cd_vec3 n = cd_separator3_normal(&chosen.separator, start);
        CD_CHECK(!chosen.is_inner && chosen.bound == 0 && n.z == -1);
        input.seams = NULL;
        chosen = cd_separate3_choose(&input, &scratch);
        n = cd_separator3_normal(&chosen.separator, start);
        CD_CHECK(n.x == 1);
    }
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(a_seam_is_inner_where_the_part_beside_covers_what_the_body_is_over);
    CD_RUN(seams_have_neither_corners_nor_edges);
    CD_RUN(corners_and_edges_that_stand_out_of_the_part_beside_are_some);
    CD_RUN(a_box_in_the_corner_of_floor_and_wall_is_held_by_both);
    CD_RUN(the_choice_leaves_inner_separators_out_as_long_as_another_one_separates);
    return cd_test_done();
}
