// The end of a step from solved velocities, forces or nothing; verdicts and halving; the frame that follows.
// SPDX-License-Identifier: MIT
#include "cd_test.h"
#include "step_impulses.h"
#include "step_integrator.h"
#include "step_verdict.h"

static cd_arena arena;

enum { DYNAMIC, FIXED, PRESCRIBED, LATER, BODIES };

static double *numbers(int count, const double *from)
{
    double *copy = CD_ARENA_ARRAY(&arena, double, count);
    memcpy(copy, from, (size_t)count * sizeof *copy);
    return copy;
}
static int32_t *integers(int count, const int32_t *from)
{
    int32_t *copy = CD_ARENA_ARRAY(&arena, int32_t, count);
    memcpy(copy, from, (size_t)count * sizeof *copy);
    return copy;
}
#define NUMBERS(...) numbers((int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})
#define INTEGERS(...) integers((int)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)), (int32_t[]){__VA_ARGS__})

// One body of each kind, ids descending so that rows and canonical order differ; step 0.5 s, gravity -10.
static cd_model frame(void)
{
    static int64_t id[BODIES] = {40, 30, 20, 10}, index = 3, row_id[5] = {0, 1, 2, 3, 4};
    cd_model in = {.dim = 2};
    in.head = (cd_head_rows){.count = 1, .gravity = NUMBERS(0, -10)};
    in.frame = (cd_frame_rows){.count = 1, .index = &index, .time = NUMBERS(1.5), .step = NUMBERS(0.5)};
    in.body =
        (cd_body_rows){.count = BODIES,
                       .id = id,
                       .position = NUMBERS(1, 2, 3, 4, 5, 6, 7, 8),
                       .rotation = NUMBERS(0.1, 0.2, 0.3, 0.4),
                       .velocity = NUMBERS(1, 0, 9, 9, 2, -2, 3, 3),
                       .spin = NUMBERS(0.5, 9, -1, 3),
                       .mass = NUMBERS(2, NAN, NAN, 1),
                       .inertia = NUMBERS(0.25, NAN, NAN, 1),
                       .release = NUMBERS(0, 0, 0, 1.6),
                       .motion = INTEGERS(CD_MOTION_DYNAMIC, CD_MOTION_FIXED, CD_MOTION_PRESCRIBED, CD_MOTION_DYNAMIC)};
    in.row = (cd_row_rows){.count = 0, .id = row_id};
    return in;
}

static void add_rows(cd_model *in, int32_t status)
{
    in->row = (cd_row_rows){.count = 4,
                            .id = in->row.id,
                            .body = INTEGERS(DYNAMIC, DYNAMIC, DYNAMIC, -1),
                            .axis = INTEGERS(0, 1, 2, CD_ABSENT),
                            .role = INTEGERS(CD_ROLE_VELOCITY, CD_ROLE_VELOCITY, CD_ROLE_VELOCITY, CD_ROLE_IMPULSE)};
    in->value = (cd_value_rows){.count = 4, .row = INTEGERS(3, 2, 1, 0), .z = NUMBERS(7, -0.5, 0.25, -1)};
    in->solution = (cd_solution_rows){.count = 1, .status = INTEGERS(status)};
}

// Row of `next` of a body row.
static int32_t row_of(const cd_next_rows *next, int32_t body)
{
    for (int32_t i = 0; i < next->count; i++)
        if (next->body[i] == body)
            return i;
    return -1;
}

static void check_state(const cd_next_rows *next, int32_t body, const double want[6])
{
    int32_t i = row_of(next, body);
    CD_CHECK(i >= 0);
    if (i < 0)
        return;
    double have[6] = {next->position[2 * i], next->position[2 * i + 1], next->rotation[i],
                      next->velocity[2 * i], next->velocity[2 * i + 1], next->spin[i]};
    for (int k = 0; k < 6; k++)
        CD_CHECK_NEAR(have[k], want[k], 1e-15);
}

// The ways cd-step moves bodies with one round.
static cd_status moved(const cd_model *in, cd_step_policy policy, cd_next_rows *next, cd_diag *diag)
{
    cd_step_bodies bodies;
    cd_step_outcome outcome;
    cd_step_decision decision;
    CD_TRY(cd_step_bodies_make(&arena, in, cd_step_integrators[0], &bodies, diag));
    CD_TRY(cd_step_read_outcome(in, &outcome, diag));
    CD_TRY(cd_step_decide(&arena, &bodies, &outcome, policy, &decision, diag));
    *next = (cd_next_rows){0};
    return cd_step_write_next(&arena, &bodies, true, NULL, next, diag);
}

CD_TEST(without_rows_bodies_move_freely_and_the_rest_keeps_its_state)
{
    cd_model in = frame();
    cd_next_rows next = {0};
    cd_diag diag;
    CD_CHECK(moved(&in, CD_STEP_STOP, &next, &diag) == CD_OK && next.count == BODIES);
    check_state(&next, DYNAMIC, (double[]){1.5, -0.5, 0.35, 1, -5, 0.5});
    check_state(&next, FIXED, (double[]){3, 4, 0.2, 9, 9, 9});
    check_state(&next, PRESCRIBED, (double[]){6, 5, -0.2, 2, -2, -1});
    check_state(&next, LATER, (double[]){7, 8, 0.4, 3, 3, 3});
    for (int32_t i = 0; i < BODIES; i++)
        CD_CHECK(next.body[i] == BODIES - 1 - i);  // in the order of ids
}

CD_TEST(of_an_attempt_for_some_bodies_only_the_others_have_a_row)
{
    cd_model in = frame();
    cd_step_bodies bodies;
    cd_next_rows next = {0};
    cd_diag diag;
    CD_CHECK(cd_step_bodies_make(&arena, &in, cd_step_integrators[0], &bodies, &diag) == CD_OK);
    bool is_wanted[BODIES] = {[DYNAMIC] = true};
    CD_CHECK(cd_step_write_next(&arena, &bodies, false, is_wanted, &next, &diag) == CD_OK && next.count == 1);
    check_state(&next, DYNAMIC, (double[]){1.5, -0.5, 0.35, 1, -5, 0.5});
}

CD_TEST(solved_velocities_rule_where_there_are_rows)
{
    cd_model in = frame();
    cd_next_rows next = {0};
    cd_diag diag;
    add_rows(&in, CD_SOLUTION_SOLVED);
    CD_CHECK(moved(&in, CD_STEP_STOP, &next, &diag) == CD_OK);
    check_state(&next, DYNAMIC, (double[]){0.5, 2.125, -0.15, -1, 0.25, -0.5});
    add_rows(&in, CD_SOLUTION_RAY);
    CD_CHECK(moved(&in, CD_STEP_GO_FREE, &next, &diag) == CD_OK);
    check_state(&next, DYNAMIC, (double[]){1.5, -0.5, 0.35, 1, -5, 0.5});
    CD_CHECK(moved(&in, CD_STEP_STAND, &next, &diag) == CD_OK);
    check_state(&next, DYNAMIC, (double[]){1, 2, 0.1, 0, 0, 0});
    check_state(&next, PRESCRIBED, (double[]){6, 5, -0.2, 2, -2, -1});
}

CD_TEST(forces_act_on_both_sides_at_the_contact)
{
    cd_model in = frame();
    cd_next_rows next = {0};
    cd_diag diag;
    in.body.release = NULL;  // all take part
    in.contact =
        (cd_contact_rows){.count = 1, .a = INTEGERS(LATER, 0), .b = INTEGERS(DYNAMIC, 0), .point = NUMBERS(2, 4)};
    in.force = (cd_force_rows){.count = 1, .contact = INTEGERS(0), .vector = NUMBERS(4, 8)};
    CD_CHECK(moved(&in, CD_STEP_STOP, &next, &diag) == CD_OK);
    // on b: dv = 0.5 (4, 8) / 2, dw = 0.5 * ((1, 2) x (4, 8) = 0) / 0.25
    check_state(&next, DYNAMIC, (double[]){1 + 0.5 * 2, 2 + 0.5 * -3, 0.1 + 0.25, 2, -3, 0.5});
    // on a: dv = -0.5 (4, 8), dw = 0.5 * ((-5, -4) x (-4, -8) = 24) / 1
    check_state(&next, LATER, (double[]){7 + 0.5, 8 + 0.5 * -6, 0.4 + 0.5 * 15, 1, -6, 15});
}

CD_TEST(broken_values_are_refused)
{
    cd_model in = frame();
    cd_next_rows next = {0};
    cd_diag diag;
    add_rows(&in, CD_SOLUTION_SOLVED);
    in.value.count = 3;  // the value of axis 0 is missing
    CD_CHECK(moved(&in, CD_STEP_STOP, &next, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "value: body 40: its velocity rows have no complete set of values");
    in.value.count = 0;
    CD_CHECK(moved(&in, CD_STEP_STOP, &next, &diag) == CD_ERR_FORMAT);
    add_rows(&in, CD_SOLUTION_SOLVED);
    in.value.row[0] = 2;
    CD_CHECK(moved(&in, CD_STEP_STOP, &next, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "value: body 40, axis 2: there twice");
    add_rows(&in, CD_SOLUTION_SOLVED);
    in.row.axis[1] = 3;
    CD_CHECK(moved(&in, CD_STEP_STOP, &next, &diag) == CD_ERR_FORMAT);
    in.row.axis[1] = 0;  // a row, with a value or without, adds what impulses give
    CD_CHECK(moved(&in, CD_STEP_STOP, &next, &diag) == CD_ERR_FORMAT);
    in.row.axis[1] = 1;
    in.row.body[1] = -1;
    in.value.count = 0;
    CD_CHECK(moved(&in, CD_STEP_STOP, &next, &diag) == CD_ERR_FORMAT);
    in = frame();
    in.body.velocity[0] = 1e308;
    in.frame.step[0] = 1e10;
    CD_CHECK(moved(&in, CD_STEP_STOP, &next, &diag) == CD_ERR_NUMERIC);
    in.frame.step = NULL;
    CD_CHECK(moved(&in, CD_STEP_STOP, &next, &diag) == CD_ERR_FORMAT);
}

static cd_status decide(const cd_model *in, cd_step_policy policy, cd_step_decision *decision, cd_diag *diag)
{
    cd_step_bodies bodies;
    cd_step_outcome outcome;
    CD_TRY(cd_step_bodies_make(&arena, in, cd_step_integrators[0], &bodies, diag));
    CD_TRY(cd_step_read_outcome(in, &outcome, diag));
    return cd_step_decide(&arena, &bodies, &outcome, policy, decision, diag);
}

CD_TEST(outcomes_and_policies)
{
    cd_model in = frame();
    cd_step_decision decision;
    cd_diag diag;
    CD_CHECK(decide(&in, CD_STEP_STOP, &decision, &diag) == CD_OK && decision.accept);
    add_rows(&in, CD_SOLUTION_SOLVED);
    CD_CHECK(decide(&in, CD_STEP_STOP, &decision, &diag) == CD_OK && decision.accept && !decision.reason);
    in.solution.count = 0;
    CD_CHECK(decide(&in, CD_STEP_GO_FREE, &decision, &diag) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(diag.text, "solution: missing: the frame has rows that nobody solved (cd-lcp comes before cd-step)");
    add_rows(&in, CD_SOLUTION_RAY);
    CD_CHECK(decide(&in, CD_STEP_STOP, &decision, &diag) == CD_ERR_NUMERIC);
    CD_CHECK(decide(&in, CD_STEP_GO_FREE, &decision, &diag) == CD_OK && decision.accept);
    CD_CHECK_TEXT(decision.reason, "unsolved (ray): moved without contact");
    CD_CHECK(decide(&in, CD_STEP_STAND, &decision, &diag) == CD_OK && decision.accept);
    CD_CHECK(decide(&in, CD_STEP_HALVE, &decision, &diag) == CD_OK && !decision.accept && decision.step == 0.25);
}

// A loop that keeps to the rules of the verdict: every part is tried, halved when `fails` says so, and time adds up to
// the whole step.
static int walk(double whole, bool (*fails)(double time, double step), double *covered)
{
    cd_model in = frame();
    double rest = 0, *step = in.frame.step;
    int32_t round = 0, substep = 0, parts = 0;
    in.frame.rest = &rest;
    in.frame.round = &round;
    in.frame.substep = &substep;
    *step = whole;
    for (*covered = 0;;) {
        add_rows(&in, fails(*covered, *step) ? CD_SOLUTION_LIMIT : CD_SOLUTION_SOLVED);
        cd_step_decision decision;
        cd_verdict_rows verdict = {0};
        cd_diag diag;
        if (decide(&in, CD_STEP_HALVE, &decision, &diag) != CD_OK)
            return -1;
        CD_CHECK(cd_step_write_verdict(&arena, &in, &decision, NAN, &verdict, &diag) == CD_OK);
        if (!verdict.accept[0]) {
            CD_CHECK(verdict.round[0] == round + 1 && verdict.step[0] == *step / 2 && !verdict.rest);
            rest += *step - verdict.step[0];
            *step = verdict.step[0];
            round++;
            continue;
        }
        parts++;
        *covered += *step;
        CD_CHECK(verdict.round[0] == round && !verdict.step && (rest > 0) == (verdict.rest != NULL));
        if (!verdict.rest)
            return parts;
        *step = verdict.rest[0];
        rest = 0;
        round = 0;
        substep++;
    }
}

static bool never(double time, double step) { return (void)time, (void)step, false; }
static bool always(double time, double step) { return (void)time, (void)step, true; }
static bool above_a_quarter(double time, double step) { return (void)time, step > 0.25; }
static bool early(double time, double step) { return time < 0.2 && step > 0.1; }
static bool above_a_hundredth(double time, double step) { return (void)time, step > 0.04; }

CD_TEST(halving_covers_the_whole_step_or_ends)
{
    double covered;
    CD_CHECK(walk(1, never, &covered) == 1 && covered == 1);
    CD_CHECK(walk(1, above_a_quarter, &covered) > 1 && covered == 1);
    CD_CHECK(walk(1, early, &covered) > 1 && covered == 1);
    CD_CHECK(walk(1, always, &covered) == -1 && covered == 0);
    walk(1, above_a_hundredth, &covered);  // whatever comes of it, it came to an end
    CD_CHECK(covered <= 1);
}

CD_TEST(verdict_carries_the_next_step_when_asked)
{
    cd_model in = frame();
    cd_verdict_rows verdict = {0};
    cd_step_decision decision = cd_step_accepted();
    cd_diag diag;
    CD_CHECK(cd_step_write_verdict(&arena, &in, &decision, 0.125, &verdict, &diag) == CD_OK);
    CD_CHECK(verdict.accept[0] == 1 && verdict.step[0] == 0.125 && verdict.round[0] == 0 && !verdict.rest &&
             !verdict.reason);
}

// The force of a contact between these bodies that alone moves the dynamic one, by `share` of what it was moved by.
static cd_force_rows force_of(int32_t a, int32_t b, double share, double *unplaced)
{
    cd_model in = frame();
    cd_step_bodies bodies;
    cd_force_rows force;
    cd_diag diag;
    add_rows(&in, CD_SOLUTION_SOLVED);  // nu = (-1, 0.25) of free (1, -5), m = 2: an impulse of (-4, 10.5), z = 7
    in.row.contact = INTEGERS(-1, -1, -1, 0);
    in.contact = (cd_contact_rows){.count = 1, .a = INTEGERS(a, 0), .b = INTEGERS(b, 0), .point = NUMBERS(2, 4)};
    in.entry = (cd_entry_rows){.count = 4,
                               .row = INTEGERS(0, 0, 1, 2),
                               .col = INTEGERS(0, 3, 3, 3),
                               .value = NUMBERS(-2, share * -4 / 7, share * 1.5, 100)};
    CD_CHECK(cd_step_bodies_make(&arena, &in, cd_step_integrators[0], &bodies, &diag) == CD_OK);
    CD_CHECK(cd_step_take_values(&arena, &bodies, &diag) == CD_OK);
    *unplaced = cd_step_unplaced_impulse(&arena, &bodies);
    cd_step_write_force(&arena, &bodies, true, &force);
    return force;
}

CD_TEST(forces_of_contacts_are_those_on_b)
{
    double unplaced;
    for (int side = 0; side < 2; side++) {
        cd_force_rows force = force_of(side ? FIXED : DYNAMIC, side ? DYNAMIC : FIXED, 1, &unplaced);
        CD_CHECK(force.count == 1 && force.contact[0] == 0 && unplaced == 0);
        CD_CHECK_NEAR(force.vector[0], side ? -8 : 8, 1e-14);
        CD_CHECK_NEAR(force.vector[1], side ? 21 : -21, 1e-14);
    }
    force_of(FIXED, DYNAMIC, 0.5, &unplaced);
    CD_CHECK_NEAR(unplaced, hypot(2, 5.25), 1e-14);
}

// Contacts 0 and 1 of one pair of parts, 2 of another one; carried impulses on them, in the frame's first round or in
// one that starts from the trial.
static cd_step_bodies carried(cd_model *in, int32_t target)
{
    cd_step_bodies bodies;
    cd_diag diag;
    in->frame.target = INTEGERS(target);
    in->contact = (cd_contact_rows){.count = 3,
                                    .a = INTEGERS(FIXED, 0, FIXED, 0, FIXED, 1),
                                    .b = INTEGERS(DYNAMIC, 0, DYNAMIC, 0, DYNAMIC, 0),
                                    .features = INTEGERS(4, 5, 8, 5, 4, 5),
                                    .point = NUMBERS(0, 0, 1, 0, 2, 0)};
    in->impulse = (cd_impulse_rows){.count = 4,
                                    .a = INTEGERS(FIXED, 0, FIXED, 0, FIXED, 1, FIXED, 2),
                                    .b = INTEGERS(DYNAMIC, 0, DYNAMIC, 0, DYNAMIC, 0, DYNAMIC, 0),
                                    .features = INTEGERS(4, 5, 12, 5, 12, 5, 4, 5),
                                    .point = NUMBERS(0.9, 0, 0.8, 0, 0, 0, 0, 0),
                                    .vector = NUMBERS(1, 0, 0, 2, 4, 0, 0, 8)};
    CD_CHECK(cd_step_bodies_make(&arena, in, cd_step_integrators[0], &bodies, &diag) == CD_OK);
    cd_step_take_impulses(&arena, &bodies);
    return bodies;
}

CD_TEST(impulses_are_carried_to_the_same_contact_else_to_the_nearest_of_the_parts)
{
    cd_model in = frame();
    cd_step_bodies bodies = carried(&in, CD_TARGET_TRIAL);
    const double wanted[3][2] = {{1, 0}, {0, 2}, {4, 0}};
    for (int i = 0; i < 3; i++)
        CD_CHECK(bodies.impulse[i].x == wanted[i][0] && bodies.impulse[i].y == wanted[i][1]);
    // The fourth had no contact of its parts: without a solution all that is placed is too much.
    CD_CHECK_NEAR(cd_step_unplaced_impulse(&arena, &bodies), hypot(5, 2), 1e-14);
    cd_step_scale_impulses(&bodies, NUMBERS(0.5, 8, 8, 8));
    CD_CHECK(bodies.impulse[1].y == 1);
    cd_force_rows force;
    cd_step_write_force(&arena, &bodies, false, &force);
    CD_CHECK(force.count == 0);
    // A round that aims at free motion starts anew.
    bodies = carried(&in, CD_TARGET_FREE);
    CD_CHECK(bodies.impulse[0].x == 0 && cd_step_unplaced_impulse(&arena, &bodies) == 0);
    // But not of bodies that are held out of it.
    in.trial = (cd_trial_rows){.count = 1, .body = INTEGERS(DYNAMIC), .state = INTEGERS(CD_STATE_SETTLED)};
    bodies = carried(&in, CD_TARGET_FREE);
    for (int i = 0; i < 3; i++)
        CD_CHECK(bodies.impulse[i].x == wanted[i][0] && bodies.impulse[i].y == wanted[i][1]);
    in.trial.state[0] = CD_ABSENT;
    bodies = carried(&in, CD_TARGET_FREE);
    CD_CHECK(bodies.impulse[0].x == 0);
}

CD_TEST(forces_act_where_nothing_was_solved_for_contacts)
{
    cd_model in = frame();
    CD_CHECK(!cd_step_forces_act(&in));
    in.force = (cd_force_rows){.count = 1, .contact = INTEGERS(0), .vector = NUMBERS(4, 8)};
    in.impulse.count = 1;
    CD_CHECK(cd_step_forces_act(&in));
    add_rows(&in, CD_SOLUTION_SOLVED);
    CD_CHECK(!cd_step_forces_act(&in));
    in.row.count = 3;  // velocities alone: what is there was carried
    CD_CHECK(!cd_step_forces_act(&in));
    in.impulse.count = 0;
    CD_CHECK(cd_step_forces_act(&in));
}

// A body of 2 kg whose trial falls at 1 m/s on a row that wants `wanted` upwards: of 0 an impulse of 2 N s is the
// answer. Is the one that was given taken? status: of the problem; part: of each value, NULL: none says.
static bool is_taken_where(double impulse, double wanted, int32_t status, int32_t *part)
{
    cd_model in = frame();
    cd_step_bodies bodies;
    cd_diag diag;
    int32_t target = CD_TARGET_TRIAL;
    add_rows(&in, status);
    in.frame.target = &target;
    in.row.rhs = NUMBERS(0, 2, 0, -wanted);  // - M nu of the trial
    in.row.contact = INTEGERS(-1, -1, -1, 0);
    in.contact = (cd_contact_rows){.count = 1, .a = INTEGERS(FIXED, 0), .b = INTEGERS(DYNAMIC, 0)};
    in.entry = (cd_entry_rows){.count = 5,
                               .row = INTEGERS(0, 1, 2, 1, 3),
                               .col = INTEGERS(0, 1, 2, 3, 1),
                               .value = NUMBERS(2, 2, 0.25, -1, 1)};
    in.value.z = NUMBERS(impulse, 0, 0, 0);
    in.value.status = part;
    CD_CHECK(cd_step_bodies_make(&arena, &in, cd_step_integrators[0], &bodies, &diag) == CD_OK);
    const cd_step_velocity before[BODIES] = {[DYNAMIC] = {{0, -1, 0}}};
    const double limit[BODIES] = {[DYNAMIC] = 2};  // [J] of nu' M nu: that of the trial
    const bool *is_worse = cd_step_worse_bodies(&arena, &bodies, before, INTEGERS(0, 1, 2, 3), limit);
    for (int i = 0; is_worse && i < BODIES; i++)
        CD_CHECK(is_worse[i] == (i == DYNAMIC));
    return !is_worse;
}

static bool is_taken(double impulse, double wanted, int32_t status)
{
    return is_taken_where(impulse, wanted, status, NULL);
}

CD_TEST(impulses_of_a_polish_round_that_are_worse_than_none_are_not_taken)
{
    for (int way = 0; way < 2; way++) {
        const int32_t status = way ? CD_SOLUTION_LIMIT : CD_SOLUTION_INACCURATE;
        CD_CHECK(is_taken(2, 0, status) && is_taken(1, 0, status) && is_taken(0, 0, status));
        CD_CHECK(is_taken(3.99, 0, status) && !is_taken(4.01, 0, status));  // D = p - p^2 / 4
        CD_CHECK(!is_taken(7e5, 0, status) && !is_taken(NAN, 0, status));
        // Upwards at 1 m/s has the limit's energy, D = 4 J; more nobody can have
        CD_CHECK(is_taken(3.99, 1, status) && !is_taken(4.2, 1.1, status) && !is_taken(2e3, 1e3, status));
    }
    CD_CHECK(is_taken(7e5, 0, CD_SOLUTION_SOLVED));  // verified by whoever solved it
    // Another part was given up: what rounding left of an answer of 0 is as good as any.
    int32_t *solved = INTEGERS(CD_ABSENT, CD_ABSENT, CD_ABSENT, CD_ABSENT),
            *same = INTEGERS(CD_SOLUTION_SOLVED, CD_SOLUTION_SOLVED, CD_SOLUTION_SOLVED, CD_SOLUTION_SOLVED),
            *given_up = INTEGERS(CD_ABSENT, CD_ABSENT, CD_SOLUTION_LIMIT, CD_ABSENT);
    CD_CHECK(is_taken_where(1e-17, -1, CD_SOLUTION_LIMIT, solved) && !is_taken(1e-17, -1, CD_SOLUTION_LIMIT));
    CD_CHECK(is_taken_where(1e-17, -1, CD_SOLUTION_LIMIT, same));
    CD_CHECK(!is_taken_where(4.01, 0, CD_SOLUTION_LIMIT, given_up));
}

int main(void)
{
    CD_RUN(forces_of_contacts_are_those_on_b);
    CD_RUN(impulses_are_carried_to_the_same_contact_else_to_the_nearest_of_the_parts);
    CD_RUN(forces_act_where_nothing_was_solved_for_contacts);
    CD_RUN(without_rows_bodies_move_freely_and_the_rest_keeps_its_state);
    CD_RUN(of_an_attempt_for_some_bodies_only_the_others_have_a_row);
    CD_RUN(solved_velocities_rule_where_there_are_rows);
    CD_RUN(forces_act_on_both_sides_at_the_contact);
    CD_RUN(broken_values_are_refused);
    CD_RUN(outcomes_and_policies);
    CD_RUN(impulses_of_a_polish_round_that_are_worse_than_none_are_not_taken);
    CD_RUN(halving_covers_the_whole_step_or_ends);
    CD_RUN(verdict_carries_the_next_step_when_asked);
    cd_arena_release(&arena);
    return cd_test_done();
}
