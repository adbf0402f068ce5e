// cd-loop: the rules from a verdict to the next frame, and the split of a command into stages.
// SPDX-License-Identifier: MIT
#include "cd_next_frame.h"
#include "cd_test.h"
#include "loop_split.h"

static cd_arena arena;

// A returned frame: two bodies, ids 7 (moving) and 3 (fixed), in one object that stays valid for one test.
typedef struct fixture {
    int64_t index[1], id[2];
    double time[1], step[1], rest[1], position[4], velocity[4], next_position[2], next_rotation[1], next_velocity[2],
        next_spin[1];
    double verdict_step[1], verdict_rest[1];
    int32_t motion[2], round[1], substep[1], next_body[1], verdict_round[1];
    uint8_t accept[1];
    cd_model in, out;
    cd_run_clock clock;
    cd_diag diag;
} fixture;

static void set_up(fixture *f, int64_t index, double time, double step, bool accept)
{
    memset(f, 0, sizeof *f);
    f->index[0] = index;
    f->time[0] = time;
    f->step[0] = step;
    f->id[0] = 7;
    f->id[1] = 3;
    f->motion[0] = CD_MOTION_DYNAMIC;
    f->motion[1] = CD_MOTION_FIXED;
    f->position[0] = 1;
    f->next_position[0] = 11;
    f->next_position[1] = 12;
    f->next_rotation[0] = 0.5;
    f->next_velocity[0] = 21;
    f->next_spin[0] = 31;
    f->accept[0] = accept;
    f->in.dim = 2;
    f->in.frame = (cd_frame_rows){.count = 1, .index = f->index, .time = f->time, .step = f->step};
    f->in.body =
        (cd_body_rows){.count = 2, .id = f->id, .position = f->position, .velocity = f->velocity, .motion = f->motion};
    f->in.next = (cd_next_rows){.count = 1,
                                .body = f->next_body,
                                .position = f->next_position,
                                .rotation = f->next_rotation,
                                .velocity = f->next_velocity,
                                .spin = f->next_spin};
    f->in.verdict = (cd_verdict_rows){.count = 1, .accept = f->accept};
    CD_CHECK(cd_run_clock_start(&f->in.frame, &f->clock, &f->diag) == CD_OK);
}

static cd_status advance(fixture *f)
{
    bool accepted = !f->accept[0];
    cd_status status = cd_next_frame(&arena, &f->in, &f->clock, &f->out, &accepted, &f->diag);
    if (status == CD_OK)
        CD_CHECK(accepted == (f->accept[0] == 1));
    return status;
}

static double rest_of(const cd_frame_rows *frame) { return frame->rest ? frame->rest[0] : 0; }

CD_TEST(accepted_whole_step)
{
    fixture f;
    set_up(&f, 4, 0.4, 0.1, true);
    CD_CHECK(advance(&f) == CD_OK);
    CD_CHECK(f.out.frame.index[0] == 5);
    CD_CHECK_NEAR(f.out.frame.time[0], 5 * 0.1, 0);
    CD_CHECK_NEAR(f.out.frame.step[0], 0.1, 0);
    CD_CHECK(!f.out.frame.substep && !f.out.frame.round && !f.out.frame.rest && f.out.trial.count == 0);
    CD_CHECK(f.out.body.count == 2 && f.out.body.id == f.id && f.out.body.motion == f.motion);
    CD_CHECK_NEAR(f.out.body.position[0], 11, 0);
    CD_CHECK_NEAR(f.out.body.position[2], f.position[2], 0);  // the fixed body has no `next`: it stays
    CD_CHECK_NEAR(f.out.body.rotation[0], 0.5, 0);
    CD_CHECK(isnan(f.out.body.rotation[1]));  // absent it was, absent it stays
    CD_CHECK_NEAR(f.out.body.spin[0], 31, 0);
    CD_CHECK(f.position[0] == 1);  // the input is not touched
}

CD_TEST(times_of_a_fixed_step_are_products)
{
    fixture f;
    const double step = 0.1;
    set_up(&f, 0, 0, step, true);
    for (int64_t k = 0; k < 1000; k++) {
        CD_CHECK(f.in.frame.time[0] == (double)k * step);
        CD_CHECK(advance(&f) == CD_OK);
        f.index[0] = f.out.frame.index[0];
        f.time[0] = f.out.frame.time[0];
        f.step[0] = f.out.frame.step[0];
        cd_arena_reset(&arena);
    }
}

// Any sequence of halvings of one step: the parts add up to it, and the grid of times is met again.
CD_TEST(halved_steps_lose_nothing)
{
    uint32_t seed = 1;
    for (int run = 0; run < 200; run++) {
        fixture f;
        set_up(&f, 3, 3 * 0.01, 0.01, true);
        double sum = 0;
        for (int turn = 0; f.index[0] == 3 && turn < 300; turn++) {
            seed = seed * 1664525u + 1013904223u;
            bool halve = (seed >> 24) % 3 == 0 && f.step[0] > 0.01 / 64;
            f.accept[0] = !halve;
            f.in.next.count = halve ? 0 : 1;
            f.verdict_step[0] = f.step[0] / 2;
            f.in.verdict.step = halve ? f.verdict_step : NULL;
            double before = f.step[0] + rest_of(&f.in.frame);
            sum += halve ? 0 : f.step[0];
            CD_CHECK(advance(&f) == CD_OK);
            if (halve)
                CD_CHECK_NEAR(f.out.frame.step[0] + rest_of(&f.out.frame), before, 1e-17);
            f.in.frame = f.out.frame;
            f.index[0] = f.out.frame.index[0];
            f.step[0] = f.out.frame.step[0];
            f.time[0] = f.out.frame.time[0];
            f.in.frame.index = f.index;
            f.in.frame.step = f.step;
            f.in.frame.time = f.time;
        }
        CD_CHECK(f.index[0] == 4);
        CD_CHECK_NEAR(sum, 0.01, 1e-16);
        CD_CHECK(f.time[0] == 4 * 0.01);
        CD_CHECK(f.step[0] == 0.01);
        cd_arena_reset(&arena);
    }
}

CD_TEST(an_explicit_rest_of_zero_gives_the_remainder_up)
{
    fixture f;
    set_up(&f, 2, 2.0, 1.0, true);
    f.step[0] = 0.25;
    f.rest[0] = 0.75;
    f.in.frame.rest = f.rest;
    f.in.verdict.rest = f.verdict_rest;  // 0
    CD_CHECK(advance(&f) == CD_OK);
    CD_CHECK(f.out.frame.index[0] == 3);
    CD_CHECK_NEAR(f.out.frame.time[0], 2.25, 0);
    CD_CHECK_NEAR(f.out.frame.step[0], 1.0, 0);
    f.in.verdict.rest = NULL;  // absent: the frame's
    CD_CHECK(advance(&f) == CD_OK);
    CD_CHECK(f.out.frame.index[0] == 2 && f.out.frame.substep[0] == 1);
    CD_CHECK_NEAR(f.out.frame.step[0], 0.75, 0);
}

CD_TEST(a_part_knows_its_whole_step_and_what_is_ahead_and_the_next_whole_step_neither)
{
    fixture f;
    set_up(&f, 2, 2.0, 1.0, true);
    double ahead[] = {0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25, 0.5};
    f.step[0] = 0.25;
    f.rest[0] = 0.75;
    f.in.frame.rest = f.rest;
    f.in.next.ahead = ahead;
    CD_CHECK(advance(&f) == CD_OK);
    CD_CHECK(f.out.frame.whole && f.out.frame.whole[0] == 1 && f.out.body.ahead && f.out.body.ahead[1] == 0.5);
    f.in.frame.whole = f.out.frame.whole;
    f.in.body.ahead = ahead;
    f.in.frame.rest = NULL;
    f.in.next.ahead = NULL;
    CD_CHECK(advance(&f) == CD_OK);
    CD_CHECK(f.out.frame.index[0] == 3 && !f.out.frame.whole && !f.out.body.ahead);
}

CD_TEST(a_rejected_frame_is_repeated_with_a_trial)
{
    fixture f;
    set_up(&f, 1, 0.1, 0.1, false);
    const char *model[] = {"peg"}, *contacts[] = {"distance"}, *older[] = {"features"};
    int32_t facets[] = {CD_FACETS_START};
    f.in.frame.contacts = older;
    f.in.verdict.model = model;
    f.in.verdict.facets = facets;
    CD_CHECK(advance(&f) == CD_OK);
    CD_CHECK(f.out.frame.index[0] == 1 && f.out.frame.time[0] == 0.1 && f.out.frame.step[0] == 0.1 &&
             f.out.frame.round[0] == 1);
    CD_CHECK_TEXT(f.out.frame.model[0], "peg");
    CD_CHECK_TEXT(f.out.frame.contacts[0], "features");
    CD_CHECK(f.out.frame.facets[0] == CD_FACETS_START);
    CD_CHECK(f.out.trial.count == 1 && f.out.trial.body[0] == 0 && f.out.trial.position[1] == 12 &&
             f.out.trial.round[0] == 0);
    CD_CHECK(f.out.body.position == f.position);
    f.in.verdict.contacts = contacts;
    f.verdict_round[0] = 5;
    f.in.verdict.round = f.verdict_round;
    CD_CHECK(advance(&f) == CD_OK);
    CD_CHECK(f.out.frame.round[0] == 5);
    CD_CHECK_TEXT(f.out.frame.contacts[0], "distance");
    // "" takes a wish back; an attempt that begins says so
    const char *none[] = {""};
    int32_t target[] = {CD_TARGET_TRIAL}, first_round[] = {6};
    f.in.frame = f.out.frame;
    f.in.verdict.round = NULL;
    f.in.verdict.contacts = none;
    f.in.verdict.target = target;
    f.in.verdict.first_round = first_round;
    double residual[] = {1e-5};
    f.in.verdict.residual = residual;
    CD_CHECK(advance(&f) == CD_OK);
    CD_CHECK(f.out.frame.round[0] == 6 && !f.out.frame.contacts && f.out.frame.target[0] == CD_TARGET_TRIAL &&
             f.out.frame.first_round[0] == 6 && f.out.frame.residual[0] == 1e-5);
    first_round[0] = 7;
    CD_CHECK(advance(&f) == CD_ERR_FORMAT);
    // wishes end with their frame
    f.accept[0] = true;
    f.in.frame = f.out.frame;
    CD_CHECK(advance(&f) == CD_OK);
    CD_CHECK(!f.out.frame.model && !f.out.frame.contacts && !f.out.frame.facets && !f.out.frame.round &&
             !f.out.frame.target && !f.out.frame.first_round && !f.out.frame.residual);
}

CD_TEST(forces_of_a_rejected_step_are_its_impulses)
{
    fixture f;
    set_up(&f, 1, 0.1, 0.25, false);
    int32_t a[] = {1, 0, 1, 0}, b[] = {0, 0, 0, 2}, features[] = {4, 5, 6, 8}, contact[] = {1};
    int64_t id[] = {0, 1};
    double point[] = {1, 2, 3, 4}, vector[] = {8, -2};
    f.in.contact = (cd_contact_rows){.count = 2, .id = id, .a = a, .b = b, .features = features, .point = point};
    f.in.force = (cd_force_rows){.count = 1, .contact = contact, .vector = vector};
    CD_CHECK(advance(&f) == CD_OK);
    const cd_impulse_rows *impulse = &f.out.impulse;
    CD_CHECK(impulse->count == 1 && impulse->a[0] == 1 && impulse->b[1] == 2 && impulse->features[1] == 8 &&
             !impulse->facet && impulse->point[0] == 3 && impulse->vector[0] == 2 && impulse->vector[1] == -0.5);
    // Without an end of the step, and once it is accepted, there are none.
    f.in.next.count = 0;
    CD_CHECK(advance(&f) == CD_OK && f.out.impulse.count == 0);
    f.in.next.count = 1;
    vector[0] = f.step[0] = 1e300;
    CD_CHECK(advance(&f) == CD_ERR_NUMERIC);
    f.accept[0] = true;
    CD_CHECK(advance(&f) == CD_OK && f.out.impulse.count == 0);
}

CD_TEST(springs_of_an_accepted_step_go_over)
{
    fixture f;
    set_up(&f, 1, 0.1, 0.25, true);
    int32_t a[] = {1, 0, 1, 0, 1, 0}, b[] = {0, 0, 0, 2, 0, 1}, features[] = {4, 5, 6, 8, 1, 2}, contact[] = {2, 1};
    int64_t id[] = {0, 1, 2};
    double point[] = {1, 2, 3, 4, 5, 6}, normal[] = {0, 1, 1, 0, 0, -1}, vector[] = {8, -2, 1, 1}, step[] = {0.5},
           spring[] = {NAN, NAN, 0, 0.5};
    f.in.contact =
        (cd_contact_rows){.count = 3, .id = id, .a = a, .b = b, .features = features, .point = point, .normal = normal};
    f.in.force = (cd_force_rows){.count = 2, .contact = contact, .vector = vector};
    CD_CHECK(advance(&f) == CD_OK && f.out.spring.count == 0);
    f.in.force.spring = spring;
    CD_CHECK(advance(&f) == CD_OK);
    const cd_spring_rows *out = &f.out.spring;
    CD_CHECK(out->count == 1 && out->a[0] == 1 && out->b[1] == 2 && out->features[1] == 8 && out->point[0] == 3 &&
             out->normal[0] == 1 && out->vector[1] == 0.5 && !out->step);
    // The next step is another one: they say how long this one was.
    f.in.verdict.step = step;
    CD_CHECK(advance(&f) == CD_OK && f.out.frame.step[0] == 0.5 && out->step[0] == 0.25);
    // Of a rejected one those of the start stay.
    cd_spring_rows before = *out;
    f.in.verdict.step = NULL;
    f.accept[0] = false;
    f.in.spring = before;
    CD_CHECK(advance(&f) == CD_OK && f.out.spring.count == 1 && f.out.spring.vector == before.vector);
}

// Body 7, led from 3 to 4 in [0.5, 1] and on to 8 by 1.5: it went by 2 m/s, and the coming step is another one.
CD_TEST(a_drive_that_changes_leaves_the_velocity_of_the_step)
{
    fixture f;
    set_up(&f, 1, 0.5, 0.5, true);
    int64_t body[] = {7};
    double times[] = {0.5, 1, 1.5}, places[] = {3, 0, 4, 0, 8, 0};
    int32_t offset[] = {0, 3};
    f.motion[0] = CD_MOTION_PRESCRIBED;
    f.next_position[0] = 4;
    f.next_position[1] = f.next_spin[0] = f.next_rotation[0] = 0;
    f.next_velocity[0] = 2;
    f.in.drive = (cd_drive_rows){.count = 1, .body = body};
    f.in.drive.time = (cd_list){.offset = offset, .f64 = times};
    f.in.drive.position = (cd_list){.offset = offset, .f64 = places};
    CD_CHECK(advance(&f) == CD_OK);
    CD_CHECK_NEAR(f.out.body.velocity[0], 8, 1e-14);
    CD_CHECK_NEAR(f.out.body.last_velocity[0], 2, 0);
    CD_CHECK(f.out.body.last_spin[0] == 0 && isnan(f.out.body.last_velocity[2]) && isnan(f.out.body.last_spin[1]));
    // A frame that is sent again keeps it; of an even pace there is none.
    double last[] = {1, 0, NAN, NAN};
    f.in.body.last_velocity = last;
    f.accept[0] = false;
    CD_CHECK(advance(&f) == CD_OK && f.out.body.last_velocity[0] == 1);
    f.accept[0] = true;
    places[4] = 5;
    CD_CHECK(advance(&f) == CD_OK && !f.out.body.last_velocity && !f.out.body.last_spin);
}

CD_TEST(broken_answers_are_refused)
{
    fixture f;
    set_up(&f, 1, 0.1, 0.1, true);
    f.in.verdict.count = 0;
    CD_CHECK(advance(&f) == CD_ERR_FORMAT);
    set_up(&f, 1, 0.1, 0.1, true);
    f.in.next.count = 0;
    CD_CHECK(advance(&f) == CD_ERR_FORMAT && strstr(f.diag.text, "body 7"));
    set_up(&f, 1, 0.1, 0.1, true);
    double release[] = {0.2, 0};
    f.in.body.release = release;
    f.in.next.count = 0;
    CD_CHECK(advance(&f) == CD_OK);  // not released yet
    CD_CHECK(f.out.body.position == f.position);
    set_up(&f, 1, 0.1, 0.1, true);
    int32_t twice[] = {0, 0};
    f.in.next.count = 2;
    f.in.next.body = twice;
    CD_CHECK(advance(&f) == CD_ERR_FORMAT && strstr(f.diag.text, "twice"));
    set_up(&f, 1, 0.1, 0.1, false);
    f.round[0] = 3;
    f.verdict_round[0] = 3;
    f.in.frame.round = f.round;
    f.in.verdict.round = f.verdict_round;
    CD_CHECK(advance(&f) == CD_ERR_FORMAT);
    set_up(&f, 1, 0.1, 0.1, false);
    f.verdict_step[0] = 0.2;
    f.in.verdict.step = f.verdict_step;
    CD_CHECK(advance(&f) == CD_ERR_FORMAT);
    f.verdict_step[0] = 1e-16;
    CD_CHECK(advance(&f) == CD_ERR_NUMERIC);
    f.in.frame.step = NULL;
    CD_CHECK(cd_run_clock_start(&f.in.frame, &f.clock, &f.diag) == CD_ERR_FORMAT);
}

// Hand-made chains (cd-step --advance): every frame starts a clock of its own.
CD_TEST(single_frames_keep_time_as_a_run_does)
{
    fixture f;
    set_up(&f, 0, 0, 0.1, true);
    for (int64_t k = 1; k <= 1000; k++) {  // the product, not the sum
        CD_CHECK(advance(&f) == CD_OK);
        CD_CHECK(f.out.frame.index[0] == k && f.out.frame.time[0] == (double)k * 0.1 && f.out.frame.step[0] == 0.1);
        set_up(&f, f.out.frame.index[0], f.out.frame.time[0], f.out.frame.step[0], true);
    }
    f.verdict_step[0] = 0.05;
    f.in.verdict.step = f.verdict_step;
    CD_CHECK(advance(&f) == CD_OK);
    CD_CHECK(f.out.frame.index[0] == 1001 && f.out.frame.step[0] == 0.05);
    f.rest[0] = 0.3;
    f.in.frame.rest = f.rest;
    CD_CHECK(advance(&f) == CD_OK);
    CD_CHECK(f.out.frame.index[0] == 1000 && f.out.frame.substep[0] == 1 && f.out.frame.step[0] == 0.3 &&
             !f.out.frame.rest);
}

CD_TEST(numbers_that_cannot_be_counted_further)
{
    fixture f;
    set_up(&f, INT64_MAX, 0, 0.1, true);
    CD_CHECK(advance(&f) == CD_ERR_LIMIT);
    set_up(&f, 4, 0.4, 0.1, true);
    f.substep[0] = INT32_MAX;
    f.rest[0] = 0.05;
    f.in.frame.substep = f.substep;
    f.in.frame.rest = f.rest;
    CD_CHECK(advance(&f) == CD_ERR_LIMIT);
    set_up(&f, 4, 0.4, 0.1, false);
    f.round[0] = INT32_MAX;
    f.in.frame.round = f.round;
    CD_CHECK(advance(&f) == CD_ERR_LIMIT);
}

CD_TEST(the_last_frame)
{
    fixture f;
    for (int64_t k = 0; k <= 600;
         k++) {  // the closed form floor(T / step) for T and steps that are no binary fractions
        set_up(&f, k, (double)k * 0.01, 0.01, true);
        CD_CHECK(cd_is_last_frame(&f.in.frame, 6, 0, 0) == (k == 600));
        CD_CHECK(cd_is_last_frame(&f.in.frame, 5.9999, 0, 0) == (k >= 599));
        CD_CHECK(cd_is_last_frame(&f.in.frame, NAN, 17, 0) == (k >= 16));
    }
    set_up(&f, 10000000, 1e7 * 0.007, 0.007, true);
    CD_CHECK(!cd_is_last_frame(&f.in.frame, 10000001 * 0.007, 0, 0));
    CD_CHECK(cd_is_last_frame(&f.in.frame, 10000000.9 * 0.007, 0, 0));
    set_up(&f, 5, 0.055, 0.005, true);
    f.substep[0] = 1;
    f.in.frame.substep = f.substep;
    CD_CHECK(!cd_is_last_frame(&f.in.frame, 0.05, 0, 0));  // the parts of a step are completed
}

// ---- stages --------------------------------------------------------------------------------------------------------

static void check_stages(const char *command, int count, const char *last)
{
    cd_stage_list stages = cd_loop_split(&arena, command);
    if (stages.list.count != count)
        printf("# %s: %d stages\n", command, stages.list.count);
    CD_CHECK(stages.list.count == count);
    CD_CHECK_TEXT(stages.list.item[stages.list.count - 1], last);
}

CD_TEST(pipelines_are_split)
{
    check_stages("a", 1, "a");
    check_stages("a|b|c", 3, "c");
    check_stages("a -x | b 'p|q' | c \"r|s\" \\| t", 3, " c \"r|s\" \\| t");
    check_stages("a 2>/dev/null | b 2>&1 | c >&2", 3, " c >&2");
    check_stages("a | (b; c | d) | e", 3, " e");
    check_stages("a | { b; c | d; } | e", 3, " e");
    check_stages("a |\n  b |\n  c\n", 3, "\n  c\n");
    check_stages("a >| file | b", 2, " b");
    check_stages("X=1 a | Y=\"$Z\" b", 2, " Y=\"$Z\" b");
    check_stages("a | b ${X#y}", 2, " b ${X#y}");
    check_stages("a | jq 'select(.x==1) | .y'", 2, " jq 'select(.x==1) | .y'");
}

CD_TEST(other_commands_stay_whole)
{
    static const char *const commands[] = {"a && b | c",
                                           "a || b",
                                           "a | b; c",
                                           "a | b &",
                                           "a | while read x; do echo $x; done",
                                           "if a; then b | c; fi",
                                           "a `b | c` | d",
                                           "a $(b | c) | d",
                                           "a \"$(b)\" | d",
                                           "a | b # c | d",
                                           "a <<E | b\nx\nE\n",
                                           "a | ",
                                           "| a",
                                           "a | 'b",
                                           "a | (b",
                                           "! a | b",
                                           "a\nb | c",
                                           "a |& b"};
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        check_stages(commands[i], 1, commands[i]);
}

int main(void)
{
    CD_RUN(accepted_whole_step);
    CD_RUN(times_of_a_fixed_step_are_products);
    CD_RUN(halved_steps_lose_nothing);
    CD_RUN(an_explicit_rest_of_zero_gives_the_remainder_up);
    CD_RUN(a_part_knows_its_whole_step_and_what_is_ahead_and_the_next_whole_step_neither);
    CD_RUN(a_rejected_frame_is_repeated_with_a_trial);
    CD_RUN(forces_of_a_rejected_step_are_its_impulses);
    CD_RUN(springs_of_an_accepted_step_go_over);
    CD_RUN(a_drive_that_changes_leaves_the_velocity_of_the_step);
    CD_RUN(broken_answers_are_refused);
    CD_RUN(single_frames_keep_time_as_a_run_does);
    CD_RUN(numbers_that_cannot_be_counted_further);
    CD_RUN(the_last_frame);
    CD_RUN(pipelines_are_split);
    CD_RUN(other_commands_stay_whole);
    cd_arena_release(&arena);
    return cd_test_done();
}
