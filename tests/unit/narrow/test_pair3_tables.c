// Pairs of kinds of space as the tables have them: whether a pair is near, which routine an entry goes by, modes by
// name.
// SPDX-License-Identifier: MIT
#include "test_pair3_solids.h"

CD_TEST(potential_contacts_are_near_at_one_of_the_poses)
{
    cd_arena arena = {0}, scratch = {0};
    const cd_solid3 *ground = halfspace_at((cd_vec3){0, 0, 1}, 0, &arena);
    const cd_solid3 *high = sphere_at((cd_vec3){0, 0, 3}, 1, &arena);
    const cd_solid3 *low = sphere_at((cd_vec3){0, 0, 1.05}, 1, &arena);
    cd_pair3_input input = still(high, ground, 0.1, &scratch);
    cd_contact c;
    CD_CHECK(!find("features", &input, &c));
    input.a.predicted = low;
    CD_CHECK(find("features", &input, &c) && c.gap == 2);  // reported at the current pose
    CD_CHECK(!find("distance", &input, &c));
    input.a.predicted = high;
    input.a.start = low;
    CD_CHECK(find("features", &input, &c) && c.gap == 2);
    input.a.start = high;
    input.a.current = low;
    CD_CHECK(find("distance", &input, &c) && fabs(c.gap - 0.05) < 1e-15);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

CD_TEST(every_entry_is_that_of_two_kinds_and_can_measure_them)
{
    for (int i = 0; cd_pairs3[i]; i++) {
        int places = 0;
        for (int a = 0; a < CD_SHAPE_KINDS; a++)
            for (int b = a; b < CD_SHAPE_KINDS; b++) {
                places += cd_pair3_for(a, b) == cd_pairs3[i];
                CD_CHECK(cd_pair3_for(a, b) == cd_pair3_for(b, a));
            }
        CD_CHECK(places == 1 && cd_pairs3[i]->name);
        CD_CHECK(!cd_pairs3[i]->has_features || cd_pairs3[i]->potential);
        for (int j = 0; j < i; j++)
            CD_CHECK(cd_pairs3[i] != cd_pairs3[j] && strcmp(cd_pairs3[i]->name, cd_pairs3[j]->name) != 0);
    }
}

// Those of a kind without a support, and no line: two halfspaces, and all against kinds that are no leaves of space.
CD_TEST(kinds_are_supported_by_a_line_or_by_their_supports)
{
    int supported = 0;
    for (int a = 0; a < CD_SHAPE_KINDS; a++)
        for (int b = a; b < CD_SHAPE_KINDS; b++) {
            bool are_convex = cd_shape_table[a]->space.support && cd_shape_table[b]->space.support;
            const cd_pair3 *pair = cd_pair3_for(a, b);
            CD_CHECK(pair || !are_convex);
            CD_CHECK(!pair || pair->gap || are_convex);
            supported += pair != NULL;
        }
    CD_CHECK(supported >= KINDS * (KINDS + 1) / 2 - 1);
    CD_CHECK(!cd_pair3_for(CD_SHAPE_HALFSPACE, CD_SHAPE_HALFSPACE));
    CD_CHECK(!cd_pair3_for(CD_SHAPE_POLYGON, CD_SHAPE_SPHERE));
}

// What two new convex kinds take that nobody wrote a routine for.
CD_TEST(an_entry_without_routines_goes_by_the_signed_distance)
{
    static const cd_pair3 bare = {.name = "bare"};
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {29};
    int overlaps = 0, near = 0;
    for (int round = 0; round < 300; round++) {
        const cd_solid3 *a = random_solid(kinds[round % 3], 0.6, &random, &arena);
        const cd_solid3 *b = random_solid(kinds[round / 3 % 3], 0.6, &random, &arena);
        cd_pair3_input input = still(a, b, 0.2, &scratch);
        input.arena = &arena;
        cd_gap3 want = cd_gap3_convex(a->kind <= b->kind ? a : b, a->kind <= b->kind ? b : a, &scratch);
        bool is_near = want.gap <= input.reach, is_overlap = want.gap < 0;
        cd_contacts potential = {0}, separating = {0}, volume = {0}, distance = {0}, depth = {0};
        cd_pair3_potential(&bare, &input, &potential);
        cd_pair3_separating(&bare, &input, &separating);
        cd_pair3_volume(&bare, &input, &volume);
        cd_pair3_distance(&bare, &input, &distance);
        cd_pair3_depth(&bare, &input, &depth);
        CD_CHECK(potential.count == is_near && separating.count == is_near && volume.count == is_overlap);
        CD_CHECK(distance.count == is_near && depth.count == is_near);
        if (is_near) {
            near++;
            CD_CHECK(potential.item->kind == CD_CONTACT_DISTANCE && potential.item->gap == fmax(want.gap, 0));
            CD_CHECK(separating.item->kind == CD_CONTACT_DEPTH && separating.item->gap == want.gap);
            CD_CHECK(want.gap >= -1e-12 || separating.item->bound == want.gap);
            CD_CHECK(distance.item->gap == fmax(want.gap, 0) && depth.item->gap == want.gap);
        }
        overlaps += is_overlap;
        CD_CHECK(!is_overlap || volume.item->kind == CD_CONTACT_DEPTH);
        cd_arena_reset(&arena);
        cd_arena_reset(&scratch);
    }
    CD_CHECK(overlaps > 50 && near - overlaps > 20);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// A flat ellipsoid just over the ground, and turned about x by an angle at its predicted pose.
static cd_contacts turned_contacts(double angle, bool with_turned, bool is_second, cd_arena *arena)
{
    const cd_vec3 half = {0.5, 0.4, 0.1}, centre = {0.3, -0.2, 0.101};
    const cd_quat turn = {cos(angle / 2), sin(angle / 2), 0, 0};
    const cd_pose3 now = cd_pose3_make(centre, (cd_quat){1, 0, 0, 0}), then = cd_pose3_make(centre, turn);
    const cd_solid3 *ground = halfspace_at((cd_vec3){0, 0, 1}, 0, arena), *flat = ellipsoid_at(half, &now, arena);
    cd_pair3_input input = is_second ? still(ground, flat, 1, arena) : still(flat, ground, 1, arena);
    (is_second ? &input.b : &input.a)->predicted = ellipsoid_at(half, &then, arena);
    input.sway = 1;
    input.choice.with_turned = with_turned;
    input.arena = arena;
    cd_contacts found = {0};
    cd_pair3_separating(cd_pair3_for(CD_SHAPE_ELLIPSOID, CD_SHAPE_HALFSPACE), &input, &found);
    return found;
}

// Along y the ellipse z = -0.1 sqrt(1 - (y/0.4)^2): its lowest point after a turn by t has, in its own frame, the
// direction (0, -sin t, -cos t), so y = -0.16 sin t / w and z = -0.01 cos t / w with w^2 = (0.4 sin t)^2 + (0.1 cos
// t)^2.
CD_TEST(an_ellipsoid_that_turns_has_rows_of_the_points_that_come_to_be_the_closest)
{
    cd_arena arena = {0};
    for (int is_second = 0; is_second < 2; is_second++) {
        const double angle = 0.3, w = hypot(0.4 * sin(angle), 0.1 * cos(angle));
        const cd_vec3 lowest = {0.3, -0.2 - 0.16 * sin(angle) / w, 0.101 - 0.01 * cos(angle) / w};
        cd_contacts found = turned_contacts(angle, true, is_second, &arena);
        CD_CHECK(found.count == 5);  // the closest point, two ahead, two back
        CD_CHECK(fabs(found.item[0].gap - 0.001) < 1e-15);
        for (int32_t i = 1; i < found.count; i++) {
            const cd_contact *c = &found.item[i];
            const cd_vec3 own = is_second ? c->point_b : c->point_a;
            const double x = (own.x - 0.3) / 0.5, y = (own.y + 0.2) / 0.4, z = (own.z - 0.101) / 0.1;
            CD_CHECK(fabs(x * x + y * y + z * z - 1) < 1e-14);
            CD_CHECK(fabs(c->gap - own.z) < 1e-15 && c->gap > found.item[0].gap);
            CD_CHECK(c->normal.z == (is_second ? 1 : -1) && fabs((is_second ? c->point_a : c->point_b).z) < 1e-15);
            CD_CHECK((own.y < -0.2) == (i < 3));
        }
        const cd_vec3 first = is_second ? found.item[1].point_b : found.item[1].point_a;
        CD_CHECK(cd_length3(cd_sub3(first, lowest)) < 1e-15);
    }
    // By little, only where it is asked for; by much, anyway (points that are near to the one before are left out); not
    // at all, never.
    CD_CHECK(turned_contacts(0.4, false, false, &arena).count == 1);
    CD_CHECK(turned_contacts(0.4, true, false, &arena).count > 1);
    CD_CHECK(turned_contacts(0.6, false, false, &arena).count == 3);
    CD_CHECK(turned_contacts(0, true, false, &arena).count == 1);
    cd_arena_release(&arena);
}

// What a new convex kind takes over the ground, against the routines of the kinds that have their own.
CD_TEST(the_general_routine_of_halfspaces_is_that_of_each_kind)
{
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {31};
    for (int round = 0; round < 100 * KINDS; round++) {
        if (kinds[round % KINDS] == CD_SHAPE_HALFSPACE)
            continue;
        const cd_solid3 *a = random_solid(kinds[round % KINDS], 1, &random, &arena);
        const cd_solid3 *ground = random_solid(CD_SHAPE_HALFSPACE, 1, &random, &arena);
        cd_gap3 want = cd_pair3_gap(cd_pair3_for(a->kind, ground->kind), a, ground, &scratch);
        cd_gap3 got = cd_gap3_convex_halfspace(a, ground, &scratch);
        cd_gap3 flipped = cd_gap3_flip(cd_gap3_convex_halfspace(ground, a, &scratch));
        CD_CHECK_NEAR(got.gap, want.gap, 1e-14);
        CD_CHECK(same_point(got.normal, want.normal) && same_point(got.normal, flipped.normal));
        CD_CHECK(apart(got.point_a, want.point_a) < 1e-14 && apart(got.point_b, want.point_b) < 1e-14);
        CD_CHECK(got.gap == flipped.gap && same_point(got.point_a, flipped.point_a));
        cd_arena_reset(&arena);
    }
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

CD_TEST(modes_and_intersections_are_found_by_their_names)
{
    int i = 0;
    for (; cd_narrow_modes[i].name; i++) {
        const cd_narrow_mode *mode = &cd_narrow_modes[i];
        CD_CHECK(strcmp(cd_narrow_mode_names[1 + i], mode->name) == 0 && cd_narrow_find_mode(mode->name) == mode);
        CD_CHECK(mode->summary && (mode->plane || mode->space));
        CD_CHECK(mode->is_single == (mode->columns != 0));
        CD_CHECK(!(mode->needs & CD_NARROW_NEEDS_SHELLS) || mode->needs & CD_NARROW_NEEDS_PLANES);
    }
    CD_CHECK(!cd_narrow_mode_names[1 + i] && strcmp(cd_narrow_mode_names[0], "auto") == 0);
    CD_CHECK(!cd_narrow_find_mode("nearness") && !cd_narrow_find_mode("auto"));
    CD_CHECK(cd_narrow_find_intersection("auto") == cd_contact3_volume);
    CD_CHECK(cd_narrow_find_intersection("dual") == cd_contact3_dual);
}

int main(void)
{
    CD_RUN(modes_and_intersections_are_found_by_their_names);
    CD_RUN(potential_contacts_are_near_at_one_of_the_poses);
    CD_RUN(every_entry_is_that_of_two_kinds_and_can_measure_them);
    CD_RUN(kinds_are_supported_by_a_line_or_by_their_supports);
    CD_RUN(an_entry_without_routines_goes_by_the_signed_distance);
    CD_RUN(an_ellipsoid_that_turns_has_rows_of_the_points_that_come_to_be_the_closest);
    CD_RUN(the_general_routine_of_halfspaces_is_that_of_each_kind);
    return cd_test_done();
}
