// Balls over flat parts of one body: which of the parts they have their contact with.
// SPDX-License-Identifier: MIT
#include "cd_pair2.h"
#include "cd_pair3.h"
#include "cd_test.h"
#include "test_solids.h"

// What the ball rolls over: boxes that are between -1 and 1 across.
typedef struct block {
    double left, low, right, high;  // [m]
} block;

enum { BLOCKS_MOST = 4 };
static const double RADIUS = 0.1;
static const cd_separator_choice choice = {.slack = 0.03, .tolerance = 1e-12, .tie = 1e-12};

static cd_pair2_part part2(cd_leaf2 leaf, cd_arena *arena)
{
    cd_leaf2 *kept = CD_ARENA_ARRAY(arena, cd_leaf2, 1);
    *kept = leaf;
    return (cd_pair2_part){.start = kept, .predicted = kept, .current = kept};
}

static cd_pair2_part block2(block b, cd_arena *arena)
{
    cd_vec2 *vertex = CD_ARENA_ARRAY(arena, cd_vec2, 4);
    const cd_vec2 corner[4] = {{b.left, b.low}, {b.right, b.low}, {b.right, b.high}, {b.left, b.high}};
    for (int k = 0; k < 4; k++)
        vertex[k] = corner[k];
    return part2((cd_leaf2){.kind = CD_SHAPE_POLYGON, .polygon = {4, vertex}}, arena);
}

static cd_pair3_part part3(cd_solid3 solid, cd_arena *arena)
{
    cd_solid3 *kept = CD_ARENA_ARRAY(arena, cd_solid3, 1);
    *kept = solid;
    cd_pair3_part part = {.start = kept, .predicted = kept, .current = kept};
    if (kept->kind == CD_SHAPE_POLYHEDRON) {
        cd_shell3 *shell = CD_ARENA_ARRAY(arena, cd_shell3, 1);
        *shell = cd_shell3_make(arena, &kept->convex, kept->edges);
        part.shell[0] = part.shell[1] = part.shell[2] = shell;
    }
    return part;
}

static cd_pair3_part block3(block b, cd_arena *arena)
{
    cd_polyhedron p = test_box_between((cd_vec3){b.left, -1, b.low}, (cd_vec3){b.right, 1, b.high}, arena);
    cd_edges3 *edges = CD_ARENA_ARRAY(arena, cd_edges3, 1);
    *edges = cd_edges3_make(arena, p.vertex_count, p.face_count, p.face_first, p.face_vertex);
    cd_solid3 solid = {.convex = cd_convex3_make(arena, &p, NULL), .edges = edges};
    solid.kind = CD_SHAPE_POLYHEDRON;
    return part3(solid, arena);
}

// The contacts of the ball with number `own` of the blocks, as one body; the points of space in the plane.
static cd_contacts contacts_of(int dim, const block *blocks, int count, int own, cd_vec2 centre, cd_arena *arena)
{
    cd_contacts found = {0};
    cd_pair2_part beside2[BLOCKS_MOST];
    cd_pair3_part beside3[BLOCKS_MOST];
    for (int i = 0, n = 0; i < count; i++)
        if (i != own) {
            beside2[n] = block2(blocks[i], arena);
            beside3[n++] = block3(blocks[i], arena);
        }
    if (dim == 2) {
        cd_pair2_input input = {
            .a = part2((cd_leaf2){.kind = CD_SHAPE_SPHERE, .centre = centre, .radius = RADIUS}, arena),
            .b = block2(blocks[own], arena),
            .reach = 1,
            .choice = choice,
            .arena = arena,
            .scratch = arena};
        input.b.covers = (cd_covers2){count - 1, own, beside2};
        cd_pair2_separating(cd_pair2_for(CD_SHAPE_SPHERE, CD_SHAPE_POLYGON), &input, &found);
        return found;
    }
    cd_solid3 ball = {.sphere = {{centre.x, 0.3, centre.y}, RADIUS}};
    ball.kind = CD_SHAPE_SPHERE;
    cd_pair3_input input = {.a = part3(ball, arena),
                            .b = block3(blocks[own], arena),
                            .reach = 1,
                            .choice = choice,
                            .arena = arena,
                            .scratch = arena};
    input.b.covers = (cd_covers3){count - 1, own, beside3};
    cd_pair3_separating(cd_pair3_for(CD_SHAPE_SPHERE, CD_SHAPE_POLYHEDRON), &input, &found);
    for (int32_t i = 0; i < found.count; i++)
        found.item[i].normal.y = found.item[i].normal.z;
    return found;
}

// Has the ball one contact with each of the blocks in the set of bits, and none with the others?
static bool has_contacts(const block *blocks, int count, cd_vec2 centre, unsigned wanted)
{
    bool is_so = true;
    for (int dim = 2; dim <= 3; dim++)
        for (int own = 0; own < count; own++) {
            cd_arena arena = {0};
            is_so = is_so && contacts_of(dim, blocks, count, own, centre, &arena).count == (int)(wanted >> own & 1);
            cd_arena_release(&arena);
        }
    return is_so;
}

// Of its only contact, that with block `own`: from the ball to the block (x, y) is the normal, and the gap is so much?
static bool is_held(const block *blocks, int count, int own, cd_vec2 centre, cd_vec2 normal, double gap)
{
    bool is_so = has_contacts(blocks, count, centre, 1u << own);
    for (int dim = 2; dim <= 3 && is_so; dim++) {
        cd_arena arena = {0};
        cd_contact c = contacts_of(dim, blocks, count, own, centre, &arena).item[0];
        is_so = fabs(c.normal.x - normal.x) < 1e-12 && fabs(c.normal.y - normal.y) < 1e-12 && fabs(c.gap - gap) < 1e-12;
        cd_arena_release(&arena);
    }
    return is_so;
}

static const cd_vec2 DOWN = {0, -1};

CD_TEST(a_ball_over_a_floor_of_parts_is_held_by_the_part_below_it)
{
    const block floor[4] = {{-3, -1, 0, 0}, {0, -1, 0.05, 0}, {0.05, -1, 0.1, 0}, {0.1, -2, 3, 0}};
    const double x[4] = {-0.02, 0.03, 0.07, 0.2};
    for (int own = 0; own < 4; own++)
        for (double gap = -0.05; gap < 0.06; gap += 0.01)
            CD_CHECK(is_held(floor, 4, own, (cd_vec2){x[own], RADIUS + gap}, DOWN, gap));
    // right over the seam: the first of both
    CD_CHECK(is_held(floor, 4, 0, (cd_vec2){0, RADIUS}, DOWN, 0));
    // one alone has its corner
    CD_CHECK(has_contacts(floor + 1, 1, (cd_vec2){-0.02, RADIUS}, 1));
}

CD_TEST(a_ball_whose_centre_is_in_a_part_goes_out_where_the_body_ends)
{
    const block floor[2] = {{-3, -1, 0, 0}, {0, -1, 3, 0}};
    CD_CHECK(is_held(floor, 2, 0, (cd_vec2){-0.001, -0.04}, DOWN, -0.14));
    CD_CHECK(is_held(floor, 2, 1, (cd_vec2){0.001, -0.04}, DOWN, -0.14));
    // what is bare of the side: 0.01 of it above the other part
    const block step[2] = {{-3, -1, 0, 0}, {0, -1, 3, 0.1}};
    CD_CHECK(is_held(step, 2, 1, (cd_vec2){0.002, 0.06}, (cd_vec2){1, 0}, -0.102));
}

CD_TEST(lips_steps_walls_and_gaps_hold_as_they_are)
{
    for (double high = 1e-6; high < 0.2; high *= 10) {  // the corner of a lip, or the side of a step
        const block floor[2] = {{-3, -1, 0, 0}, {0, -1, 3, high}};
        CD_CHECK(has_contacts(floor, 2, (cd_vec2){-0.02, RADIUS}, 3));
        // from above it the lower part is behind the higher one
        CD_CHECK(is_held(floor, 2, 1, (cd_vec2){0.02, RADIUS + high}, DOWN, 0));
        const block slot[2] = {{-3, -1, 0, 0}, {high, -1, 3, 0}};
        CD_CHECK(has_contacts(slot, 2, (cd_vec2){0.4 * high, RADIUS}, 3));
    }
    const block wall[2] = {{-3, -1, 0.5, 0}, {0.1, 0, 0.5, 3}};  // stands on the floor
    CD_CHECK(has_contacts(wall, 2, (cd_vec2){0, RADIUS}, 3));
}

CD_TEST(of_parts_that_are_in_each_other_one_holds)
{
    const block floor[2] = {{-3, -1, 1, 0}, {-1, -0.5, 3, 0}};
    CD_CHECK(is_held(floor, 2, 0, (cd_vec2){0.3, RADIUS - 0.01}, DOWN, -0.01));
    CD_CHECK(is_held(floor, 2, 1, (cd_vec2){1.3, RADIUS - 0.01}, DOWN, -0.01));
    // a ridge: both have the corner
    const block stair[2] = {{-3, -1, 0, 0}, {-3, -2, 1, -0.5}};
    CD_CHECK(has_contacts(stair, 2, (cd_vec2){0.06, 0.08}, 3));
}

int main(void)
{
    CD_RUN(a_ball_over_a_floor_of_parts_is_held_by_the_part_below_it);
    CD_RUN(a_ball_whose_centre_is_in_a_part_goes_out_where_the_body_ends);
    CD_RUN(lips_steps_walls_and_gaps_hold_as_they_are);
    CD_RUN(of_parts_that_are_in_each_other_one_holds);
    return cd_test_done();
}
