// The contacts of the shared region: against the intersection of two faces, found by clipping; edges that cross; trials
// that overlap; what may be left out, against bodies that turn.
// SPDX-License-Identifier: MIT
#include "cd_polygon.h"
#include "cd_test.h"
#include "pair2_polygons.h"
#include "pair3_polyhedra.h"
#include "pair_region.h"
#include "test_pairs3.h"

// [m] of prisms, whose radius is 0.9 m at most: where one corner stands for another.
#define NEAR_ASKEW (0.9 * CD_SHARED_REGION_NEAR_ASKEW)

static const cd_quat upright = {1, 0, 0, 0};

// sway_drift [m]: what the two can move by, and what of it their velocities make.
static cd_contacts between(const cd_shell3 *start[2], const cd_shell3 *now[2], const double sway_drift[2],
                           bool is_polish, cd_arena *arena)
{
    static cd_arena scratch;
    cd_pair3_input input = {.reach = 0.3,
                            .sway = sway_drift[0],
                            .drift = sway_drift[1],
                            .pull = sway_drift[0] - sway_drift[1],
                            .epsilon = 1e-6,
                            .arena = arena,
                            .scratch = &scratch};
    input.choice = (cd_separator_choice){.slack = 0.01, .tolerance = 1e-12, .tie = 1e-12, .is_polish = is_polish};
    input.a.shell[0] = input.a.shell[1] = start[0];
    input.b.shell[0] = input.b.shell[1] = start[1];
    input.a.shell[2] = now[0];
    input.b.shell[2] = now[1];
    cd_contacts contacts = {0};
    cd_pair3_polyhedra_separating(&input, &contacts);
    cd_arena_release(&scratch);
    return contacts;
}

static cd_contacts between_shells(const cd_shell3 *start[2], const cd_shell3 *now[2], double sway, cd_arena *arena)
{
    return between(start, now, (double[]){sway, sway}, false, arena);
}

// The sway is all gravity's.
static cd_contacts at_rest(const cd_shell3 *a, const cd_shell3 *b, double sway, cd_arena *arena)
{
    return between((const cd_shell3 *[]){a, b}, (const cd_shell3 *[]){a, b}, (double[]){sway, 0}, false, arena);
}

// A prism over a polygon of the plane, between two heights; is_cut: its ends as fans of triangles.
static cd_polyhedron prism(cd_polygon base, double low, double high, bool is_cut, cd_arena *arena)
{
    int32_t n = base.count, faces = is_cut ? 2 * (n - 2) + n : 2 + n, at = 0, f = 0;
    cd_vec3 *vertex = CD_ARENA_ARRAY(arena, cd_vec3, 2 * n);
    int32_t *first = CD_ARENA_ARRAY(arena, int32_t, faces + 1), *corner = CD_ARENA_ARRAY(arena, int32_t, 12 * n);
    for (int32_t i = 0; i < n; i++) {
        vertex[i] = (cd_vec3){base.vertex[i].x, base.vertex[i].y, low};
        vertex[n + i] = (cd_vec3){base.vertex[i].x, base.vertex[i].y, high};
    }
    for (int end = 0; end < 2; end++)
        for (int32_t k = 1; k + 1 < n; k += is_cut ? 1 : n) {
            first[f++] = at;
            for (int32_t i = 0; i < (is_cut ? 3 : n); i++) {
                int32_t v = is_cut ? (i == 0 ? 0 : k + i - 1) : i;
                int32_t last = is_cut ? (i == 0 ? 0 : k + 2 - i) : n - 1 - i;
                corner[at++] = end ? n + v : last;
            }
        }
    for (int32_t i = 0; i < n; i++) {
        int32_t j = (i + 1) % n, side[4] = {i, j, n + j, n + i};
        first[f++] = at;
        memcpy(corner + at, side, sizeof side);
        at += 4;
    }
    first[f] = at;
    return (cd_polyhedron){2 * n, faces, vertex, first, corner};
}

static cd_polygon random_polygon(cd_random *random, cd_arena *arena)
{
    cd_vec2 *point = CD_ARENA_ARRAY(arena, cd_vec2, 8);
    cd_vec2 off = {test_between(random, -0.4, 0.4), test_between(random, -0.4, 0.4)};
    for (int i = 0; i < 8; i++)
        point[i] = cd_add2(off, (cd_vec2){test_between(random, -0.5, 0.5), test_between(random, -0.5, 0.5)});
    return cd_hull2(point, 8, arena, NULL);
}

static bool is_among(cd_vec2 p, const cd_vec2 *of, int32_t count)
{
    for (int32_t i = 0; i < count; i++)
        if (cd_length2(cd_sub2(of[i], p)) < 1e-9)
            return true;
    return false;
}

// Two prisms, one on the other: the corners of what their faces have in common, and no other place.
CD_TEST(contacts_of_two_faces_are_the_corners_of_what_they_share)
{
    cd_arena arena = {0};
    cd_random random = {4};
    int shared = 0, apart = 0;
    for (int round = 0; round < 600; round++) {
        cd_polygon under = random_polygon(&random, &arena), over = random_polygon(&random, &arena);
        double gap = round % 3 ? 1e-3 : 0;
        body a = body_of(prism(under, -1, 0, round % 2, &arena), &arena);
        body b = body_of(prism(over, gap, 1 + gap, round % 4 > 1, &arena), &arena);
        cd_contacts c = at_rest(shell_at(&a, (cd_vec3){0, 0, 0}, upright, &arena),
                                shell_at(&b, (cd_vec3){0, 0, 0}, upright, &arena), 0, &arena);
        cd_polygon common = cd_polygon_clip(under, over, &arena).polygon;
        cd_vec2 *at = CD_ARENA_ARRAY(&arena, cd_vec2, c.count);
        for (int32_t i = 0; i < c.count; i++) {
            at[i] = (cd_vec2){c.item[i].point.x, c.item[i].point.y};
            if (common.count == 0)
                continue;
            CD_CHECK_NEAR(c.item[i].gap, gap, 1e-12);
            CD_CHECK_NEAR(c.item[i].normal.z, 1, 1e-12);
            CD_CHECK(is_among(at[i], common.vertex, common.count) || is_among(at[i], under.vertex, under.count) ||
                     is_among(at[i], over.vertex, over.count) || (round % 2) || round % 4 > 1);
        }
        for (int32_t i = 0; i < common.count; i++)
            CD_CHECK(is_among(common.vertex[i], at, c.count));
        // None is outside of what is shared.
        for (int32_t i = 0; i < c.count && common.count; i++)
            CD_CHECK(cd_polygon_point_distance(common, at[i]).gap < 1e-9);
        shared += common.count > 0;
        apart += common.count == 0;
        cd_arena_reset(&arena);
    }
    CD_CHECK(shared > 300 && apart > 10);
    cd_arena_release(&arena);
}

// The same where one leans by far less than the bodies may turn by: a pair of edges may part them best, and what their
// faces have in common is theirs all the same, but for corners near lower ones.
CD_TEST(faces_that_lie_on_each_other_askew_share_the_same_corners)
{
    const double lean = 1e-4, sway = 1e-2;
    cd_arena arena = {0};
    cd_random random = {5};
    int by_edges = 0, met = 0;
    for (int round = 0; round < 400; round++) {
        cd_polygon under = random_polygon(&random, &arena), over = random_polygon(&random, &arena);
        cd_polygon common = cd_polygon_clip(under, over, &arena).polygon;
        body a = body_of(prism(under, -1, 0, false, &arena), &arena);
        body b = body_of(prism(over, 0, 1, false, &arena), &arena);
        const cd_vec3 turn = {test_between(&random, -lean, lean), test_between(&random, -lean, lean), 0};
        const cd_shell3 *fixed = shell_at(&a, (cd_vec3){0, 0, 0}, upright, &arena);
        const cd_quat leaning = {1, turn.x / 2, turn.y / 2, 0};
        // Lowered until they nearly touch: over the common corners one is above the other by z + turn x corner.
        double least = INFINITY;
        for (int32_t i = 0; i < common.count; i++)
            least = fmin(least, turn.x * common.vertex[i].y - turn.y * common.vertex[i].x);
        const double z = 1e-6 - least;
        cd_contacts c = at_rest(fixed, shell_at(&b, (cd_vec3){0, 0, z}, leaning, &arena), sway, &arena);
        bool has_edges = false;
        for (int32_t k = 0; k < c.count && common.count > 0; k++)
            has_edges |= c.item[k].separator.side != CD_SIDE_A && c.item[k].separator.side != CD_SIDE_B;
        by_edges += has_edges;
        for (int32_t i = 0; i < common.count; i++) {
            const cd_vec2 p = common.vertex[i];
            const double gap = z + turn.x * p.y - turn.y * p.x;
            bool is_met = false, is_there = false;
            for (int32_t k = 0; k < c.count; k++) {
                const double off = cd_length2(cd_sub2((cd_vec2){c.item[k].point.x, c.item[k].point.y}, p));
                is_there |= fabs(c.item[k].gap - gap) < 1e-7 && off < 1e-3;
                is_met |= c.item[k].gap < gap + 1e-7 && off < NEAR_ASKEW;
            }
            CD_CHECK(is_met);
            met += !is_there;
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(by_edges > 50 && met > 0 && met < 100);
    cd_arena_release(&arena);
}

// Boxes that lie nearly corner on corner have each corner once; where the upper one leans over the rim, the contact is
// that of the rim and not of the corner beside it.
CD_TEST(points_of_a_region_that_are_nearly_one_count_once)
{
    const double shift = 3e-6, slope = 1e-3;
    cd_arena arena = {0};
    body box = body_of(test_box_between((cd_vec3){-0.3, -0.3, 0}, (cd_vec3){0.3, 0.3, 0.2}, &arena), &arena);
    const cd_shell3 *under = shell_at(&box, (cd_vec3){0, 0, 0}, upright, &arena);
    for (int k = 0; k < 8; k++) {
        const double side = k % 2 ? 1 : -1, lean = k / 4 ? side * slope : 0;
        const cd_vec3 at = {side * shift, k % 4 / 2 ? shift : -shift, 0.2 + 1e-6 + 0.3 * fabs(lean)};
        const cd_shell3 *over = shell_at(&box, at, (cd_quat){1, 0, lean / 2, 0}, &arena);
        cd_contacts c = at_rest(under, over, 1e-4, &arena);
        double least = INFINITY;
        for (int32_t i = 0; i < c.count; i++)
            least = fmin(least, side * c.item[i].point.x > 0 ? c.item[i].gap : INFINITY);
        CD_CHECK(lean != 0 || c.count == 4);
        // The rim lies `shift` inward of the lowest vertex, and so deeper below the upper box by slope * shift.
        CD_CHECK_NEAR(least, 1e-6 + fabs(lean) * shift, 1e-10);
    }
    cd_arena_release(&arena);
}

// Nearly touching at the start, and askew by much less than the margin: the bound of a contact is the gap that its own
// point has there, not that of a far corner of the table.
CD_TEST(bounds_are_the_gaps_of_the_same_points_at_the_start)
{
    const double gap = 3e-10, slope = 5e-10;
    cd_arena arena = {0};
    body table = body_of(test_box_between((cd_vec3){-5, -5, -1}, (cd_vec3){5, 5, 0}, &arena), &arena);
    body box = body_of(test_box_between((cd_vec3){-0.3, -0.3, 0}, (cd_vec3){0.3, 0.3, 0.5}, &arena), &arena);
    const cd_shell3 *under = shell_at(&table, (cd_vec3){0, 0, 0}, upright, &arena);
    const cd_shell3 *askew = shell_at(&box, (cd_vec3){0, 0, gap}, (cd_quat){1, 0, -slope / 2, 0}, &arena);
    const cd_shell3 *level = shell_at(&box, (cd_vec3){0, 0, gap}, upright, &arena);
    for (int k = 0; k < 4; k++) {
        const cd_shell3 *now = k % 2 ? level : askew;
        cd_contacts c =
            k / 2 ? between_shells((const cd_shell3 *[]){askew, under}, (const cd_shell3 *[]){now, under}, 0.1, &arena)
                  : between_shells((const cd_shell3 *[]){under, askew}, (const cd_shell3 *[]){under, now}, 0.1, &arena);
        CD_CHECK(c.count == 4);
        for (int32_t i = 0; i < c.count; i++)
            CD_CHECK_NEAR(c.item[i].bound, gap + slope * c.item[i].point.x, 1e-14);
    }
    cd_arena_release(&arena);
}

// The same in the plane.
CD_TEST(bounds_in_the_plane_are_the_gaps_of_the_same_vertices_at_the_start)
{
    cd_arena arena = {0}, scratch = {0};
    cd_vec2 under[] = {{-5, -1}, {5, -1}, {5, 0}, {-5, 0}};
    cd_vec2 askew[] = {{-0.3, 1.5e-10}, {0.3, 4.5e-10}, {0.3, 0.5}, {-0.3, 0.5}};
    cd_vec2 level[] = {{-0.3, 3e-10}, {0.3, 3e-10}, {0.3, 0.5}, {-0.3, 0.5}};
    cd_leaf2 table = {.kind = CD_SHAPE_POLYGON, .polygon = {4, under}};
    cd_leaf2 box[] = {{.kind = CD_SHAPE_POLYGON, .polygon = {4, askew}},
                      {.kind = CD_SHAPE_POLYGON, .polygon = {4, level}}};
    for (int k = 0; k < 4; k++) {
        cd_pair2_part still = {.start = &table, .predicted = &table, .current = &table};
        cd_pair2_part moved = {.start = &box[0], .predicted = &box[0], .current = &box[k % 2]};
        cd_pair2_input input = {.a = k / 2 ? moved : still,
                                .b = k / 2 ? still : moved,
                                .reach = 0.2,
                                .sway = 0.1,
                                .drift = 0.1,
                                .choice = {.tolerance = 1e-12, .tie = 1e-12},
                                .arena = &arena,
                                .scratch = &scratch};
        cd_contacts c = {0};
        cd_pair2_polygons_separating(&input, &c);
        CD_CHECK(c.count == 2);
        for (int32_t i = 0; i < c.count; i++)
            CD_CHECK_NEAR(c.item[i].bound, c.item[i].point.x < 0 ? 1.5e-10 : 4.5e-10, 1e-14);
    }
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// The drift of a pair takes in what its motion can bring over the face within the step, and no more.
CD_TEST(vertices_beside_a_face_count_within_the_drift)
{
    cd_arena arena = {0};
    body table = body_of(test_box_between((cd_vec3){-1, -1, -1}, (cd_vec3){0, 1, 0}, &arena), &arena);
    body box = body_of(test_box_between((cd_vec3){-0.1, -0.2, 0}, (cd_vec3){0.3, 0.2, 0.5}, &arena), &arena);
    const cd_shell3 *both[] = {shell_at(&table, (cd_vec3){0, 0, 0}, upright, &arena),
                               shell_at(&box, (cd_vec3){0, 0, 0}, upright, &arena)};
    for (int k = 0; k < 3; k++) {
        cd_contacts c =
            k < 2 ? between_shells(both, both, k ? 0.31 : 0.29, &arena) : at_rest(both[0], both[1], 0.31, &arena);
        int beside = 0;
        for (int32_t i = 0; i < c.count; i++)
            beside += c.item[i].point.x > 1e-9;
        CD_CHECK(beside == (k == 1 ? 2 : 0));
    }
    cd_arena_release(&arena);
}

CD_TEST(the_plane_has_the_ends_of_what_two_edges_share)
{
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {5};
    for (int round = 0; round < 500; round++) {
        double left[2], right[2], gap = round % 3 ? 1e-3 : 0;
        cd_leaf2 leaf[2];
        for (int k = 0; k < 2; k++) {
            left[k] = test_between(&random, -1, 0.2);
            right[k] = left[k] + test_between(&random, 0.1, 1);
            double low = k ? gap : -0.5, high = k ? 0.5 : 0;
            cd_vec2 *v = CD_ARENA_ARRAY(&arena, cd_vec2, 4);
            memcpy(v, (cd_vec2[]){{left[k], low}, {right[k], low}, {right[k], high}, {left[k], high}}, 4 * sizeof *v);
            leaf[k] = (cd_leaf2){.kind = CD_SHAPE_POLYGON, .polygon = {4, v}};
        }
        cd_pair2_input input = {.a = {&leaf[0], &leaf[0], &leaf[0]},
                                .b = {&leaf[1], &leaf[1], &leaf[1]},
                                .reach = 0.2,
                                .choice = {.tolerance = 1e-12, .tie = 1e-12},
                                .arena = &arena,
                                .scratch = &scratch};
        cd_contacts c = {0};
        cd_pair2_polygons_separating(&input, &c);
        double from = fmax(left[0], left[1]), to = fmin(right[0], right[1]), least = INFINITY, most = -INFINITY;
        if (from < to) {
            CD_CHECK(c.count == 2);
            for (int32_t i = 0; i < c.count; i++) {
                least = fmin(least, c.item[i].point.x);
                most = fmax(most, c.item[i].point.x);
                CD_CHECK_NEAR(c.item[i].gap, gap, 1e-15);
            }
            CD_CHECK(least == from && most == to);
        }
        cd_arena_reset(&arena);
        cd_arena_reset(&scratch);
    }
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// A box stands on a corner over a table: what of it counts is the same however both are turned.
CD_TEST(the_plane_leaves_out_the_same_vertices_however_a_pair_is_turned)
{
    cd_arena arena = {0}, scratch = {0};
    int counts[5] = {0};
    for (double sway = 0.05; sway < 1; sway += 0.01) {
        int32_t unturned = 0;
        for (int turn = 0; turn < 16; turn++) {
            cd_pose2 pose = cd_pose2_make((cd_vec2){0, 0}, turn * 0.25);
            cd_vec2 corner[2][4] = {{{-5, -1}, {5, -1}, {5, 0}, {-5, 0}},
                                    {{0, 0}, {0.4, 0.1}, {0.3, 0.5}, {-0.1, 0.4}}};
            cd_leaf2 leaf[2];
            for (int k = 0; k < 2; k++) {
                leaf[k] = (cd_leaf2){.kind = CD_SHAPE_POLYGON, .extent = k ? 0.6 : 5.1, .polygon = {4, corner[k]}};
                for (int i = 0; i < 4; i++)
                    corner[k][i] = cd_pose2_apply(pose, corner[k][i]);
            }
            cd_pair2_input input = {.a = {&leaf[0], &leaf[0], &leaf[0]},
                                    .b = {&leaf[1], &leaf[1], &leaf[1]},
                                    .reach = 2,
                                    .sway = sway,
                                    .choice = {.tolerance = 1e-12, .tie = 1e-12},
                                    .arena = &arena,
                                    .scratch = &scratch};
            cd_contacts c = {0};
            cd_pair2_polygons_separating(&input, &c);
            unturned = turn ? unturned : c.count;
            CD_CHECK(c.count == unturned);
        }
        counts[unturned]++;
    }
    CD_CHECK(counts[1] > 0 && counts[2] > 0 && counts[4] > 0);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// A stone on the floor z = 0 from `low` to `high`, its sides leaning inwards by a tenth of its height.
static cd_polyhedron stone(cd_vec2 low, cd_vec2 high, cd_arena *arena)
{
    cd_polyhedron made = test_box_between((cd_vec3){low.x, low.y, 0}, (cd_vec3){high.x, high.y, 0.5}, arena);
    cd_vec3 *vertex = CD_ARENA_ARRAY(arena, cd_vec3, made.vertex_count);
    for (int32_t i = 0; i < made.vertex_count; i++) {
        vertex[i] = made.vertex[i];
        if (vertex[i].z == 0)
            continue;
        vertex[i].x += vertex[i].x == low.x ? 0.05 : -0.05;
        vertex[i].y += vertex[i].y == low.y ? 0.05 : -0.05;
    }
    made.vertex = vertex;
    return made;
}

// Two of them side by side touch along their lower edges, and are held at both ends of what these share, though neither
// is over the side of the other.
CD_TEST(edges_along_each_other_are_held_at_both_ends)
{
    cd_arena arena = {0};
    const double gap = 1e-6;
    body left = body_of(stone((cd_vec2){-0.5, -0.3}, (cd_vec2){0.5, 0}, &arena), &arena);
    body right = body_of(stone((cd_vec2){-0.2, gap}, (cd_vec2){0.8, 0.3}, &arena), &arena);
    const cd_shell3 *a = shell_at(&left, (cd_vec3){0, 0, 0}, upright, &arena);
    for (int k = 0; k < 4; k++) {
        const cd_quat askew = cd_quat_from_vector((cd_vec3){0, 0, k < 2 ? 0 : 1e-6});
        const cd_shell3 *b = shell_at(&right, (cd_vec3){0, 0, 0}, askew, &arena);
        const cd_contacts c = at_rest(k % 2 ? b : a, k % 2 ? a : b, 0.01, &arena);
        double end[2] = {INFINITY, -INFINITY};
        for (int32_t i = 0; i < c.count; i++) {
            if (c.item[i].gap > 3e-6)  // the upper edges
                continue;
            CD_CHECK(c.item[i].gap > 0 && fabs(c.item[i].normal.y) > 0.98);
            end[0] = fmin(end[0], c.item[i].point.x);
            end[1] = fmax(end[1], c.item[i].point.x);
        }
        CD_CHECK_NEAR(end[0], -0.2, 1e-5);
        CD_CHECK_NEAR(end[1], 0.5, 1e-5);
    }
    cd_arena_release(&arena);
}

// Two pyramids on the floor z = 0 that touch at one corner of each, parted by the edges that rise from these: the lines
// of the two pass each other a little below the floor.
CD_TEST(edges_that_rise_from_where_two_touch_hold_them_at_rest)
{
    cd_arena arena = {0};
    const double gap = 2e-6, across = hypot(0.2, 0.4);
    const cd_vec3 n = {-0.2 / across, 0.4 / across, 0}, off = {gap * (n.x + 0.3 * n.y), gap * (n.y - 0.3 * n.x), 0};
    const cd_vec3 corner[] = {{0, 0, 0}, {-0.2, -0.1, 1}, {0.3, -0.6, 0}, {-0.6, -0.9, 0}};
    cd_vec3 place[2][4];
    for (int i = 0; i < 4; i++) {
        place[0][i] = corner[i];
        place[1][i] = (cd_vec3){off.x - corner[i].x, off.y - corner[i].y, corner[i].z};
    }
    body left = body_of(test_tetrahedron(place[0][0], place[0][1], place[0][2], place[0][3], &arena), &arena);
    body right = body_of(test_tetrahedron(place[1][0], place[1][1], place[1][2], place[1][3], &arena), &arena);
    const cd_shell3 *a = shell_at(&left, (cd_vec3){0, 0, 0}, upright, &arena);
    const cd_shell3 *b = shell_at(&right, (cd_vec3){0, 0, 0}, upright, &arena);
    for (int k = 0; k < 2; k++) {
        const cd_contacts c = at_rest(k ? b : a, k ? a : b, 0.01, &arena);
        double least = INFINITY;
        for (int32_t i = 0; i < c.count; i++)
            least = fmin(least, c.item[i].gap);
        CD_CHECK_NEAR(least, gap, 1e-12);
    }
    cd_arena_release(&arena);
}

CD_TEST(crossed_edges_touch_in_one_point)
{
    cd_arena arena = {0};
    body bar = body_of(test_box_between((cd_vec3){-1, -0.1, -0.1}, (cd_vec3){1, 0.1, 0.1}, &arena), &arena);
    cd_quat lean = cd_quat_from_vector((cd_vec3){0.7853981633974483, 0, 0});
    cd_quat across = cd_quat_product(cd_quat_from_vector((cd_vec3){0, 0, 1.3}), lean);
    const cd_shell3 *a = shell_at(&bar, (cd_vec3){0, 0, 0}, lean, &arena);
    for (int k = 0; k < 2; k++) {
        const cd_shell3 *b = shell_at(&bar, (cd_vec3){0.2, 0, 0.29}, across, &arena);
        cd_contacts c = at_rest(k ? b : a, k ? a : b, 0.01, &arena);
        CD_CHECK(c.count == 1);
        CD_CHECK_NEAR(c.item[0].gap, 0.29 - 2 * 0.1 * sqrt(2), 1e-12);
        CD_CHECK_NEAR(c.item[0].normal.z, k ? -1 : 1, 1e-12);
        CD_CHECK_NEAR(c.item[0].point.x, 0.2, 1e-12);
        CD_CHECK_NEAR(c.item[0].point.y, 0, 1e-12);
        CD_CHECK((c.item[0].feature_a & 3) == CD_FEATURE_EDGE && c.item[0].separator.side == CD_ABSENT);
    }
    cd_arena_release(&arena);
}

// Of bodies that overlap at a trial some contact is as deep as they are, whatever the start has chosen.
// A bar on its edge over a plate that is narrower than it, at a pitch: what holds it are both edges of the plate that
// it crosses, each at its own gap along the normal of both. Steeper, the bar leaves the plate at the other end.
CD_TEST(an_edge_along_a_face_is_held_where_it_crosses_the_outline)
{
    cd_arena arena = {0};
    body plate = body_of(test_box_between((cd_vec3){-0.2, -1, -1}, (cd_vec3){0.2, 1, 0}, &arena), &arena);
    body bar = body_of(test_box_between((cd_vec3){-1, -0.1, -0.1}, (cd_vec3){1, 0.1, 0.1}, &arena), &arena);
    const double pitches[] = {1e-3, 0.05, 0.3}, height = 0.25;
    cd_quat lean = cd_quat_from_vector((cd_vec3){0.7853981633974483, 0, 0});
    const cd_shell3 *a = shell_at(&plate, (cd_vec3){0, 0, 0}, upright, &arena);
    for (int k = 0; k < 6; k++) {
        double pitch = pitches[k / 2], middle = height * cos(pitch) - 0.1 * sqrt(2);
        cd_quat turn = cd_quat_product(cd_quat_from_vector((cd_vec3){0, pitch, 0}), lean);
        const cd_shell3 *b = shell_at(&bar, (cd_vec3){0, 0, height}, turn, &arena);
        cd_contacts c = at_rest(k % 2 ? b : a, k % 2 ? a : b, 1e-3, &arena);
        CD_CHECK(c.count == (pitch < 0.1 ? 2 : 1));
        for (int32_t i = 0; i < c.count; i++) {
            cd_vec3 on_plate = k % 2 ? c.item[i].point_b : c.item[i].point_a;
            CD_CHECK_NEAR(fabs(on_plate.x), 0.2, 1e-12);
            CD_CHECK_NEAR(c.item[i].gap, middle - on_plate.x * sin(pitch), 1e-12);
            CD_CHECK_NEAR(c.item[i].normal.z, (k % 2 ? -1 : 1) * cos(pitch), 1e-12);
        }
    }
    cd_arena_release(&arena);
}

static const cd_contact *same_contact(const cd_contacts *contacts, const cd_contact *as)
{
    for (int32_t i = 0; i < contacts->count; i++)
        if (contacts->item[i].feature_a == as->feature_a && contacts->item[i].feature_b == as->feature_b)
            return &contacts->item[i];
    return NULL;
}

// Is there a contact of the bottom of a box that leans by so much about y?
static bool is_of_bottom(const cd_contacts *contacts, double lean)
{
    for (int32_t i = 0; i < contacts->count; i++)
        if (fabs(fabs(contacts->item[i].normal.x) - sin(lean)) < 1e-9)
            return true;
    return false;
}

// The brick on the right of x = 0 leans about its lower edge, which is `up` above the lower corners of the brick on the
// left and touches its side. Its bottom leans over these corners, and no turn within the sway brings it there.
CD_TEST(a_corner_beside_a_brick_is_not_held_by_its_bottom)
{
    static const double leans[] = {1e-5, 1e-3, 0.1, 0.7}, ups[] = {1e-9, 1e-6, 1e-4};
    cd_arena arena = {0};
    body left = body_of(test_box_between((cd_vec3){-0.2, -0.1, 0}, (cd_vec3){0, 0.1, 0.1}, &arena), &arena);
    body right = body_of(test_box_between((cd_vec3){0, -0.1, 0}, (cd_vec3){0.2, 0.1, 0.1}, &arena), &arena);
    const cd_shell3 *a = shell_at(&left, (cd_vec3){0, 0, 0}, upright, &arena);
    for (int k = 0; k < 24; k++) {
        const double lean = leans[k / 6], up = ups[k / 2 % 3];
        const cd_shell3 *b = shell_at(&right, (cd_vec3){0, 0, up}, cd_quat_from_vector((cd_vec3){0, lean, 0}), &arena);
        const cd_contacts c = at_rest(k % 2 ? b : a, k % 2 ? a : b, 1e-3, &arena);
        int along = 0;
        for (int32_t i = 0; i < c.count; i++)
            along += fabs(c.item[i].normal.x) > 0.7 && c.item[i].gap < 1e-12;
        CD_CHECK(along == 2);
        CD_CHECK(!is_of_bottom(&c, lean));
    }
    // Where it leans so far that its bottom is all but along the side, such a turn does, and they are held.
    for (int k = 0; k < 2; k++) {
        const double lean = 1.57;
        const cd_shell3 *b =
            shell_at(&right, (cd_vec3){0, 0, 0.05}, cd_quat_from_vector((cd_vec3){0, lean, 0}), &arena);
        const cd_contacts c = at_rest(k ? b : a, k ? a : b, 1e-2, &arena);
        CD_CHECK(is_of_bottom(&c, lean));
    }
    cd_arena_release(&arena);
}

// In a polish round the gap where an edge that leans crosses the outline of a face changes as its normal says, to first
// order; along the face's own normal it changes too as the point slides along the edge.
CD_TEST(crossings_of_a_polish_round_change_as_their_normals_say)
{
    static const double d = 1e-6;
    cd_arena arena = {0};
    cd_random random = {12};
    int crossings = 0, sliding = 0;
    for (int round = 0; round < 100; round++) {
        body a = body_of(prism(random_polygon(&random, &arena), -1, 0, false, &arena), &arena);
        body b = body_of(prism(random_polygon(&random, &arena), 0, 1, false, &arena), &arena);
        const cd_vec3 turn = {test_between(&random, -0.2, 0.2), test_between(&random, -0.2, 0.2), 0};
        const cd_vec3 at = {0, 0, 0.1}, way = cd_scale3(d, test_direction(&random));
        const cd_quat leaning = cd_quat_from_vector(turn);
        const cd_shell3 *under = shell_at(&a, (cd_vec3){0, 0, 0}, upright, &arena);
        const cd_shell3 *start[2] = {under, shell_at(&b, at, upright, &arena)};
        const cd_shell3 *now[2] = {under, shell_at(&b, at, leaning, &arena)};
        const cd_shell3 *then[2] = {under, shell_at(&b, cd_add3(at, way), leaning, &arena)};
        const cd_contacts before = between(start, now, (double[]){0.3, 0.3}, true, &arena),
                          after = between(start, then, (double[]){0.3, 0.3}, true, &arena);
        const cd_contacts plain = between(start, now, (double[]){0.3, 0.3}, false, &arena);
        const cd_contacts plain_after = between(start, then, (double[]){0.3, 0.3}, false, &arena);
        for (int32_t i = 0; i < before.count; i++) {
            const cd_contact *p = &before.item[i], *q = same_contact(&after, p);
            const cd_contact *r = same_contact(&plain, p), *t = same_contact(&plain_after, p);
            CD_CHECK(r);
            const double cosine = cd_dot3(p->normal, r->normal);
            if (!q || !t || cd_feature_kind(p->feature_a) != CD_FEATURE_EDGE || cosine > 1 - 1e-6)
                continue;
            CD_CHECK(cosine > 0.5 - 1e-12);
            CD_CHECK_NEAR(p->gap, cosine * r->gap, 1e-12);
            CD_CHECK_NEAR((q->gap - p->gap) / d, cd_dot3(p->normal, way) / d, 1e-6);
            crossings++;
            sliding += fabs((t->gap - r->gap) / d - cd_dot3(r->normal, way) / d) > 1e-2;
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(crossings > 50 && sliding > 50);
    cd_arena_release(&arena);
}

CD_TEST(a_trial_that_overlaps_has_a_contact_that_says_so)
{
    cd_arena arena = {0};
    cd_random random = {8};
    int overlaps = 0;
    for (int round = 0; round < 2000; round++) {
        scene s = random_scene(&random, 0.02, 0.2, &arena);
        cd_separate3_input m = input_of(&s, &arena);
        const cd_shell3 *start[2] = {m.start.a, m.start.b}, *now[2] = {m.predicted.a, m.predicted.b};
        cd_arena scratch = {0};
        cd_separate3_input there = {.start = {now[0], now[1]},
                                    .predicted = {now[0], now[1]},
                                    .current = {now[0], now[1]},
                                    .reach = 1e9,
                                    .tolerance = 1e-12,
                                    .tie = 1e-12};
        double least = INFINITY, gap = cd_separate3_choose(&there, &scratch).bound;
        cd_arena_release(&scratch);
        cd_contacts c = between_shells(start, now, 0.2, &arena);
        for (int32_t i = 0; i < c.count; i++)
            least = fmin(least, c.item[i].gap);
        if (gap < -1e-9) {
            CD_CHECK(least <= gap + 1e-9);
            overlaps++;
        }
        cd_arena_reset(&arena);
    }
    CD_CHECK(overlaps > 200);
    cd_arena_release(&arena);
}

// What is left out stays above what is kept, however the body turns by the angle that was stated.
CD_TEST(vertices_left_out_cannot_become_the_lowest)
{
    cd_arena arena = {0}, scratch = {0};
    cd_random random = {9};
    int left_out = 0;
    for (int round = 0; round < 300; round++) {
        double angle = test_between(&random, 0.01, 0.5);
        cd_shared_region region = cd_shared_region_make(&scratch, 10, angle, 1);
        cd_vec3 at[30];
        for (int i = 0; i < 30; i++) {
            at[i] = cd_scale3(test_between(&random, 0.5, 1), test_direction(&random));
            cd_contact c = cd_contact_separating((cd_vec3){0, 0, 1}, at[i].z + 1, NAN);
            c.point = at[i];
            cd_shared_region_add(&region, &c);
        }
        cd_contacts kept = {0};
        cd_shared_region_finish(&region, &arena, &kept);
        left_out += 30 - kept.count;
        CD_CHECK(kept.count > 0);
        for (int turn = 0; turn < 50; turn++) {
            cd_pose3 turned_by = cd_pose3_make(
                (cd_vec3){0, 0, 0},
                cd_quat_from_vector(cd_scale3(angle * test_between(&random, 0, 1), test_direction(&random))));
            double lowest = INFINITY, lowest_kept = INFINITY;
            for (int i = 0; i < 30; i++)
                lowest = fmin(lowest, cd_pose3_turn(&turned_by, at[i]).z);
            for (int32_t i = 0; i < kept.count; i++)
                lowest_kept = fmin(lowest_kept, cd_pose3_turn(&turned_by, kept.item[i].point).z);
            CD_CHECK_NEAR(lowest_kept, lowest, 1e-12);
        }
        cd_arena_reset(&arena);
        cd_arena_reset(&scratch);
    }
    CD_CHECK(left_out > 1000);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

CD_TEST(of_very_many_the_lowest_are_kept)
{
    cd_arena arena = {0}, scratch = {0};
    cd_shared_region region = cd_shared_region_make(&scratch, 1, 100, 1);
    for (int i = 0; i < 500; i++) {
        cd_contact c = cd_contact_separating((cd_vec3){0, 0, 1}, (i * 37 % 500) * 1e-3, NAN);
        c.point = (cd_vec3){i, 0, 0};
        cd_shared_region_add(&region, &c);
    }
    cd_contacts kept = {0};
    cd_shared_region_finish(&region, &arena, &kept);
    CD_CHECK(kept.count == CD_SHARED_REGION_MOST);
    for (int32_t i = 0; i < kept.count; i++)
        CD_CHECK(kept.item[i].gap < CD_SHARED_REGION_MOST * 1e-3 &&
                 (i == 0 || kept.item[i].point.x > kept.item[i - 1].point.x));
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

// Many that are equally high and come first take no place of a lower one.
CD_TEST(of_equal_gaps_none_takes_the_place_of_a_lower_one)
{
    enum { EQUAL = 100, LOWER = CD_SHARED_REGION_MOST - 3 };
    cd_arena arena = {0}, scratch = {0};
    cd_shared_region region = cd_shared_region_make(&scratch, 1, 100, 1);
    for (int i = 0; i < EQUAL + LOWER; i++) {
        cd_contact c = cd_contact_separating((cd_vec3){0, 0, 1}, i < EQUAL ? 0.5 : 0.25, NAN);
        c.point = (cd_vec3){i, 0, 0};
        cd_shared_region_add(&region, &c);
    }
    cd_contacts kept = {0};
    cd_shared_region_finish(&region, &arena, &kept);
    CD_CHECK(kept.count == CD_SHARED_REGION_MOST);
    int lower = 0;
    for (int32_t i = 0; i < kept.count; i++)
        lower += kept.item[i].gap == 0.25;
    CD_CHECK(lower == LOWER);
    cd_arena_release(&scratch);
    cd_arena_release(&arena);
}

int main(void)
{
    CD_RUN(contacts_of_two_faces_are_the_corners_of_what_they_share);
    CD_RUN(faces_that_lie_on_each_other_askew_share_the_same_corners);
    CD_RUN(points_of_a_region_that_are_nearly_one_count_once);
    CD_RUN(bounds_are_the_gaps_of_the_same_points_at_the_start);
    CD_RUN(bounds_in_the_plane_are_the_gaps_of_the_same_vertices_at_the_start);
    CD_RUN(vertices_beside_a_face_count_within_the_drift);
    CD_RUN(the_plane_has_the_ends_of_what_two_edges_share);
    CD_RUN(the_plane_leaves_out_the_same_vertices_however_a_pair_is_turned);
    CD_RUN(edges_along_each_other_are_held_at_both_ends);
    CD_RUN(edges_that_rise_from_where_two_touch_hold_them_at_rest);
    CD_RUN(crossed_edges_touch_in_one_point);
    CD_RUN(an_edge_along_a_face_is_held_where_it_crosses_the_outline);
    CD_RUN(a_corner_beside_a_brick_is_not_held_by_its_bottom);
    CD_RUN(crossings_of_a_polish_round_change_as_their_normals_say);
    CD_RUN(a_trial_that_overlaps_has_a_contact_that_says_so);
    CD_RUN(vertices_left_out_cannot_become_the_lowest);
    CD_RUN(of_very_many_the_lowest_are_kept);
    CD_RUN(of_equal_gaps_none_takes_the_place_of_a_lower_one);
    return cd_test_done();
}
