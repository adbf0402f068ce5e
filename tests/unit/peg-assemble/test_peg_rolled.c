// What bodies that roll slip by in a step (peg_carried.h), against motions that do not slip at all: velocities that
// lead from the start to the end, arms of the start, and the drift make up the slip, which is 0. Without the drift it
// is of first order of the step, with it of second.
// SPDX-License-Identifier: MIT
#include "cd_quat.h"
#include "cd_test.h"
#include "peg_carried.h"

static const double STEP = 1e-2;

static cd_vec3 turned(cd_vec3 spin, double time, cd_vec3 v)
{
    return cd_quat_turn(cd_quat_from_vector(cd_scale3(time, spin)), v);
}

// The slip of b against a as the step has it, in the plane across the normal.
static double slip_of(const cd_peg_rolled *rolled, bool has_drift)
{
    cd_vec3 speed[2];
    for (int s = 0; s < 2; s++)
        speed[s] = cd_add3(rolled->velocity[s], cd_cross3(rolled->spin[s], rolled->arm[s]));
    cd_vec3 slip = cd_sub3(speed[1], speed[0]);
    slip = cd_sub3(slip, cd_scale3(cd_dot3(rolled->normal, slip), rolled->normal));
    return cd_length3(has_drift ? cd_add3(slip, cd_peg_rolled_drift(rolled)) : slip);
}

// made: by step. The slip without the drift is there, and goes with the step; what the drift leaves goes with its
// square.
static void check_order(cd_peg_rolled (*made)(double step))
{
    const cd_peg_rolled whole = made(STEP), half = made(STEP / 2);
    CD_CHECK(slip_of(&whole, false) > 1e-3);
    CD_CHECK_NEAR(slip_of(&half, false) / slip_of(&whole, false), 0.5, 0.05);
    CD_CHECK(slip_of(&whole, true) < 0.1 * slip_of(&whole, false));
    CD_CHECK_NEAR(slip_of(&half, true) / slip_of(&whole, true), 0.25, 0.05);
}

// Way of a centre over the step.
static cd_vec3 chord(cd_vec3 from, cd_vec3 to, double step) { return cd_scale3(1 / step, cd_sub3(to, from)); }

// ---- a body that turns on its corner, on the ground
// --------------------------------------------------------------------

static cd_peg_rolled on_a_corner(double step)
{
    const cd_vec3 spin = {3, -2, 4}, centre = {0.3, 0.5, 0.7};  // from the corner
    return (cd_peg_rolled){.step = step,
                           .normal = {0, 0, 1},
                           .arm = {{0, 0, 0}, cd_negate3(centre)},
                           .velocity = {{0, 0, 0}, chord(centre, turned(spin, step, centre), step)},
                           .spin = {{0, 0, 0}, spin},
                           .is_held = {true, false}};
}

CD_TEST(what_turns_on_a_corner_does_not_slip) { check_order(on_a_corner); }

// ---- a loaded ball that rolls, and turns about the normal too
// -------------------------------------------------------------

static const double RADIUS = 0.5;
static const cd_vec3 SPIN = {2, 3, 5}, LOAD = {0.2, -0.1, 0.15};  // from the middle to the centre of mass

static cd_vec3 middle_speed(void) { return cd_cross3(SPIN, (cd_vec3){0, 0, RADIUS}); }

static cd_peg_rolled loaded_ball(double step)
{
    const cd_vec3 way = middle_speed(), end = cd_add3(cd_scale3(step, way), turned(SPIN, step, LOAD));
    return (cd_peg_rolled){.step = step,
                           .normal = {0, 0, 1},
                           .arm = {{7, 8, 9}, cd_sub3((cd_vec3){0, 0, -RADIUS}, LOAD)},
                           .velocity = {{0, 0, 0}, chord(LOAD, end, step)},
                           .spin = {{0, 0, 0}, SPIN},
                           .is_held = {true, false},
                           .is_round = true,
                           .has_way = true,
                           .way = way};
}

CD_TEST(a_loaded_ball_rolls_and_turns_without_slip) { check_order(loaded_ball); }

// Its load on the axis of its spin, which lies along the floor: nothing turns about the normal, so the way is not
// asked.
static cd_peg_rolled loaded_disc(double step)
{
    const cd_vec3 spin = {0, 3, 0}, load = {0.2, 0, 0.1};
    const cd_vec3 way = cd_cross3(spin, (cd_vec3){0, 0, RADIUS});
    cd_peg_rolled rolled = loaded_ball(step);
    rolled.arm[1] = cd_sub3((cd_vec3){0, 0, -RADIUS}, load);
    rolled.velocity[1] = chord(load, cd_add3(cd_scale3(step, way), turned(spin, step, load)), step);
    rolled.spin[1] = spin;
    rolled.has_way = false;
    return rolled;
}

CD_TEST(a_loaded_disc_needs_no_way) { check_order(loaded_disc); }

// ---- a board on a log that turns
// -------------------------------------------------------------------------------------------

// In the plane: the log, a, of RADIUS turns by LOG about its middle at the origin; the board, b, rolls on it. The point
// of contact is at the angle u of the log, from upright, along the board at s from its centre, HIGH over its face.
static const double HIGH = 0.05, LOG = 2, BOARD = -3;

static cd_vec3 board_at(double angle, double along)
{
    const cd_vec3 n = {-sin(angle), cos(angle), 0}, t = {cos(angle), sin(angle), 0};
    return cd_add3(cd_scale3(RADIUS + HIGH, n), cd_scale3(-along, t));
}

static cd_peg_rolled board_on_a_log(double step)
{
    // the board is as steep as the log at the contact; it rolls by RADIUS times what it turns against the log
    const double angle = 0.4, along = 0.3;
    const cd_vec3 from = board_at(angle, along);
    const cd_vec3 to = board_at(angle + BOARD * step, along - RADIUS * (BOARD - LOG) * step);
    const cd_vec3 n = {-sin(angle), cos(angle), 0}, point = cd_scale3(RADIUS, n);
    return (cd_peg_rolled){.step = step,
                           .normal = n,
                           .arm = {point, cd_sub3(point, from)},
                           .velocity = {{0, 0, 0}, chord(from, to, step)},
                           .spin = {{0, 0, LOG}, {0, 0, BOARD}},
                           .is_round = true};
}

CD_TEST(a_board_rolls_on_a_log_that_turns) { check_order(board_on_a_log); }

// ---- what is not asked for
// -------------------------------------------------------------------------------------------------

// A ball on the floor slips by its velocities alone, however it turns and goes.
CD_TEST(a_ball_on_the_floor_has_no_drift)
{
    const cd_peg_rolled ball = {.step = STEP,
                                .normal = {0, 0, 1},
                                .arm = {{0, 0, 0}, {0, 0, -RADIUS}},
                                .velocity = {{0, 0, 0}, middle_speed()},
                                .spin = {{0, 0, 0}, SPIN},
                                .is_held = {true, false},
                                .is_round = true};
    CD_CHECK_NEAR(cd_length3(cd_peg_rolled_drift(&ball)), 0, 1e-16);
}

// The same contact, both bodies named the other way round.
CD_TEST(sides_may_be_exchanged)
{
    const cd_peg_rolled r = board_on_a_log(STEP);
    cd_peg_rolled other = r;
    other.normal = cd_negate3(r.normal);
    for (int s = 0; s < 2; s++) {
        other.arm[s] = r.arm[1 - s];
        other.velocity[s] = r.velocity[1 - s];
        other.spin[s] = r.spin[1 - s];
    }
    const cd_vec3 sum = cd_add3(cd_peg_rolled_drift(&r), cd_peg_rolled_drift(&other));
    CD_CHECK_NEAR(cd_length3(sum), 0, 1e-15);
}

// Bodies that part as fast as turning moves them, along the floor or off it, have nothing.
CD_TEST(what_slips_or_meets_has_no_drift)
{
    cd_peg_rolled r = on_a_corner(STEP);
    const double rolls = cd_length3(cd_peg_rolled_drift(&r)), turning = cd_length3(cd_cross3(r.spin[1], r.arm[1]));
    const cd_vec3 still = r.velocity[1], off[2] = {{turning, 0, 0}, {0, 0, -turning}};
    for (int k = 0; k < 2; k++) {
        r.velocity[1] = cd_add3(cd_negate3(cd_cross3(r.spin[1], r.arm[1])), cd_scale3(1.01, off[k]));
        CD_CHECK(cd_length3(cd_peg_rolled_drift(&r)) == 0);
    }
    r.velocity[1] = still;
    CD_CHECK(cd_length3(cd_peg_rolled_drift(&r)) == rolls && rolls > 0);
    r.spin[1] = (cd_vec3){0, 0, 0};
    CD_CHECK(cd_length3(cd_peg_rolled_drift(&r)) == 0);
}

int main(void)
{
    CD_RUN(what_turns_on_a_corner_does_not_slip);
    CD_RUN(a_loaded_ball_rolls_and_turns_without_slip);
    CD_RUN(a_loaded_disc_needs_no_way);
    CD_RUN(a_board_rolls_on_a_log_that_turns);
    CD_RUN(a_ball_on_the_floor_has_no_drift);
    CD_RUN(sides_may_be_exchanged);
    CD_RUN(what_slips_or_meets_has_no_drift);
    return cd_test_done();
}
