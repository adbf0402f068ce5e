// Loads and drives over time in the frames that are made: closed forms, halved steps, what is refused.
// SPDX-License-Identifier: MIT
#include "cd_motion2.h"
#include "cd_motion3.h"
#include "cd_next_frame.h"
#include "cd_schedule.h"
#include "cd_test.h"

static cd_arena arena;

// Bodies 9 (dynamic) and 4 (prescribed), and a table with one row of each kind.
typedef struct fixture {
    int64_t id[2], index, load_body[2], drive_body[2];
    double time, step, position[6], rotation[8], velocity[6], spin[6];
    int32_t motion[2], offset[3];
    double load_time[3], force[9], torque[9], drive_time[3], drive_position[9], drive_rotation[12], point[3];
    cd_model model;
    cd_diag diag;
} fixture;

static cd_list one_list(fixture *f, double *data) { return (cd_list){f->offset, {data}}; }

static void set_up(fixture *f, int dim)
{
    *f = (fixture){.id = {9, 4}, .step = 0.1, .load_body = {9}, .drive_body = {4}, .offset = {0, 3, 6}};
    f->motion[1] = CD_MOTION_PRESCRIBED;
    for (int i = 0; i < 3; i++)
        f->load_time[i] = f->drive_time[i] = i;
    f->model.dim = dim;
    f->model.frame = (cd_frame_rows){.count = 1, .index = &f->index, .time = &f->time, .step = &f->step};
    f->model.body = (cd_body_rows){.count = 2, .id = f->id, .position = f->position, .motion = f->motion};
    f->model.body.rotation = f->rotation;
    if (dim == 3)
        f->rotation[0] = f->rotation[4] = 1;
    f->model.load = (cd_load_rows){.count = 1, .body = f->load_body, .time = one_list(f, f->load_time)};
    f->model.drive = (cd_drive_rows){.count = 1, .body = f->drive_body, .time = one_list(f, f->drive_time)};
}

static cd_status apply(fixture *f, cd_model *frame)
{
    *frame = f->model;
    return cd_schedule_apply(&arena, &f->model, frame, &f->diag);
}

CD_TEST(a_load_is_its_mean_over_the_step)
{
    fixture f;
    cd_model frame;
    set_up(&f, 2);
    memcpy(f.force, (double[]){0, 1, 4, 1, 0, 1}, 6 * sizeof(double));
    f.model.load.force = one_list(&f, f.force);
    f.model.drive.count = 0;
    f.time = 0.25;
    CD_CHECK(apply(&f, &frame) == CD_OK);
    CD_CHECK_NEAR(frame.body.force[0], 4 * 0.3, 1e-15);
    CD_CHECK(frame.body.force[1] == 1 && isnan(frame.body.force[2]) && !frame.body.torque && !f.model.body.force);
    f.time = 0.95;  // the corner at 1 s is half way
    CD_CHECK(apply(&f, &frame) == CD_OK);
    CD_CHECK_NEAR(frame.body.force[0], 4 * (1 - 0.025), 1e-14);
    // a torque alone leaves the force that the body has
    double own[4] = {7, 8, 1, 2};
    f.model.body.force = own;
    f.model.load.force = (cd_list){0};
    f.model.load.torque = one_list(&f, f.torque);
    memcpy(f.torque, (double[]){3, 3, 3}, 3 * sizeof(double));
    CD_CHECK(apply(&f, &frame) == CD_OK);
    CD_CHECK(frame.body.force == own && frame.body.torque[0] == 3 && isnan(frame.body.torque[1]));
}

// Moved by what it was given, step after step, some of them halved, the body is where the table says, to rounding.
CD_TEST(a_driven_body_of_the_plane_is_where_its_table_says)
{
    fixture f;
    set_up(&f, 2);
    f.model.load.count = 0;
    memcpy(f.drive_position, (double[]){1, 2, 3, 2, 3, -1}, 6 * sizeof(double));
    memcpy(f.drive_rotation, (double[]){0, 10, 10}, 3 * sizeof(double));  // more than a turn in a second
    memcpy(f.point, (double[]){0.5, 0}, 2 * sizeof(double));
    f.model.drive.position = one_list(&f, f.drive_position);
    f.model.drive.rotation = one_list(&f, f.drive_rotation);
    f.model.drive.point = f.point;
    memcpy(f.position + 2, (double[]){-1, 0}, 2 * sizeof(double));  // not where the table begins
    for (int k = 0; k < 60; k++) {
        cd_model frame;
        f.step = k % 5 == 0 ? 0.025 : 0.05;
        CD_CHECK(apply(&f, &frame) == CD_OK);
        cd_state2 state = {cd_vec2_at(f.position + 2), f.rotation[1], {0, 0}, 0};
        state = cd_state2_advance(state, cd_vec2_at(frame.body.velocity + 2), frame.body.spin[1], f.step);
        memcpy(f.position + 2, (double[]){state.position.x, state.position.y}, 2 * sizeof(double));
        f.rotation[1] = state.angle;
        f.time += f.step;
        double t = fmin(f.time, 2), x = t < 1 ? 1 + 2 * t : 3, y = t < 1 ? 2 : 2 - 3 * (t - 1),
               angle = fmin(10 * t, 10);
        CD_CHECK_NEAR(state.position.x + 0.5 * cos(angle), x, 1e-14);
        CD_CHECK_NEAR(state.position.y + 0.5 * sin(angle), y, 1e-14);
        CD_CHECK_NEAR(state.angle, angle, 1e-14);
        CD_CHECK(isnan(frame.body.velocity[0]));  // the other body's
    }
    CD_CHECK(f.time > 2.5);
}

// A door on its hinge in space: the hinge stays, the angle is that of the table.
CD_TEST(a_door_turns_about_its_hinge)
{
    fixture f;
    set_up(&f, 3);
    f.model.load.count = 0;
    const double s = sqrt(0.5), pi = acos(-1);
    memcpy(f.drive_rotation, (double[]){1, 0, 0, 0, s, 0, 0, s, sqrt(0.75), 0, 0, -0.5}, 12 * sizeof(double));
    f.model.drive.rotation = one_list(&f, f.drive_rotation);
    memcpy(f.point, (double[]){-1, 0.1, 0}, 3 * sizeof(double));
    f.model.drive.point = f.point;
    memcpy(f.position + 3, (double[]){3, 2, 1}, 3 * sizeof(double));
    for (int k = 0; k < 40; k++) {
        cd_model frame;
        CD_CHECK(apply(&f, &frame) == CD_OK);
        cd_state3 state = {cd_vec3_at(f.position + 3), cd_quat_at(f.rotation + 4), {0, 0, 0}, {0, 0, 0}};
        state = cd_state3_advance(state, cd_vec3_at(frame.body.velocity + 3), cd_vec3_at(frame.body.spin + 3), f.step);
        cd_pose3 pose = cd_state3_pose(state);
        cd_vec3 hinge = cd_pose3_apply(&pose, cd_vec3_at(f.point));
        memcpy(f.position + 3, &state.position, sizeof state.position);
        cd_quat_put(state.rotation, f.rotation + 4);
        f.time += f.step;
        double t = fmin(f.time, 2), angle = t < 1 ? pi / 2 * t : pi / 2 - 5 * pi / 6 * (t - 1);
        CD_CHECK_NEAR(cd_quat_vector(state.rotation).z, angle, 1e-13);
        CD_CHECK_NEAR(hinge.x, 2, 1e-14);
        CD_CHECK_NEAR(hinge.y, 2.1, 1e-14);
        CD_CHECK_NEAR(hinge.z, 1, 1e-15);
    }
}

// cd_next_frame: of an accepted frame for its step, of a repeated one for the shorter step that it has.
CD_TEST(frames_that_follow_have_what_goes_with_their_step)
{
    fixture f;
    set_up(&f, 2);
    memcpy(f.force, (double[]){0, 0, 1, 0, 1, 0}, 6 * sizeof(double));
    memcpy(f.drive_position, (double[]){0, 0, 1, 0, 1, 0}, 6 * sizeof(double));
    f.model.load.force = one_list(&f, f.force);
    f.model.drive.position = one_list(&f, f.drive_position);
    uint8_t accept = 0;
    double half = 0.05;
    cd_run_clock clock;
    cd_model out;
    bool accepted;
    f.model.verdict = (cd_verdict_rows){.count = 1, .accept = &accept, .step = &half};
    f.time = 0.4;
    f.index = 4;
    f.position[2] = 0.4;
    CD_CHECK(cd_run_clock_start(&f.model.frame, &clock, &f.diag) == CD_OK);
    CD_CHECK(cd_next_frame(&arena, &f.model, &clock, &out, &accepted, &f.diag) == CD_OK && !accepted);
    CD_CHECK_NEAR(out.body.force[0], 0.425, 1e-15);
    CD_CHECK_NEAR(out.body.velocity[2], 1, 1e-14);
    // accepted: the driven body did not get all the way, and makes up for it in the next step
    accept = 1;
    f.model.verdict.step = NULL;
    int32_t next_body[2] = {0, 1};
    double next_position[4] = {0, 0, 0.45, 0}, zeros[4] = {0};
    f.model.next = (cd_next_rows){.count = 2, .body = next_body, .position = next_position, .rotation = zeros};
    f.model.next.velocity = f.model.next.spin = zeros;
    CD_CHECK(cd_next_frame(&arena, &f.model, &clock, &out, &accepted, &f.diag) == CD_OK && accepted);
    CD_CHECK(out.frame.time[0] == 0.5 && out.frame.step[0] == 0.1);
    CD_CHECK_NEAR(out.body.force[0], 0.55, 1e-15);
    CD_CHECK_NEAR(out.body.velocity[2], 1.5, 1e-14);
    CD_CHECK(out.body.velocity[0] == 0);
}

CD_TEST(bodies_that_are_not_released_stay_as_they_are)
{
    fixture f;
    cd_model frame;
    set_up(&f, 2);
    double release[2] = {1, 1};
    f.model.body.release = release;
    f.model.load.force = one_list(&f, f.force);
    f.model.drive.position = one_list(&f, f.drive_position);
    memcpy(f.drive_position, (double[]){5, 5, 6, 6, 7, 7}, 6 * sizeof(double));
    CD_CHECK(apply(&f, &frame) == CD_OK);
    CD_CHECK(isnan(frame.body.force[0]) && isnan(frame.body.velocity[2]));
    f.time = 1;
    CD_CHECK(apply(&f, &frame) == CD_OK);
    CD_CHECK(frame.body.force[0] == 0);
    CD_CHECK_NEAR(frame.body.velocity[2], 61, 1e-12);
}

static void refuses(fixture *f, const char *sentence)
{
    cd_model frame;
    f->diag.text[0] = '\0';
    CD_CHECK(apply(f, &frame) == CD_ERR_FORMAT);
    CD_CHECK_TEXT(f->diag.text, sentence);
}

CD_TEST(tables_that_are_wrong_are_refused)
{
    fixture f;
    set_up(&f, 2);
    refuses(&f, "load: body 9: has neither force nor torque");
    f.model.load.force = one_list(&f, f.force);
    refuses(&f, "drive: body 4: has neither position nor rotation");
    CD_CHECK(cd_schedule_check(&f.model, &f.diag) == CD_ERR_FORMAT);
    f.model.drive.position = one_list(&f, f.drive_position);
    CD_CHECK(cd_schedule_check(&f.model, &f.diag) == CD_OK);
    f.load_time[2] = f.load_time[1];
    refuses(&f, "load: body 9: time: 1 s after 1 s: must ascend");
    f.load_time[2] = 2;
    f.load_body[0] = 5;
    refuses(&f, "load: body 5: is not in the frame");
    f.load_body[0] = 4;
    refuses(&f, "load: body 4: its motion must be dynamic");
    f.load_body[0] = 9;
    f.drive_body[0] = 9;
    refuses(&f, "drive: body 9: its motion must be prescribed");
    f.drive_body[0] = f.drive_body[1] = 4;
    f.model.drive.count = 2;
    int32_t offset[3] = {0, 1, 3};
    f.model.drive.time.offset = f.model.drive.position.offset = offset;
    refuses(&f, "drive: body 4 is there twice");
    int32_t short_of[3] = {0, 1, 2};
    f.model.drive.position.offset = short_of;
    refuses(&f, "drive: body 4: position: 1 of them for 2 times");
    f.model.drive.position.offset = offset;
    f.model.drive.count = 1;
    f.model.frame.step = NULL;
    refuses(&f, "drive: body 4: the frame has no step");
    f.model.frame.step = &f.step;
    int32_t none[3] = {0, 0, 0};
    f.model.drive.time.offset = none;
    refuses(&f, "drive: body 4: time: is empty");
}

int main(void)
{
    CD_RUN(a_load_is_its_mean_over_the_step);
    CD_RUN(a_driven_body_of_the_plane_is_where_its_table_says);
    CD_RUN(a_door_turns_about_its_hinge);
    CD_RUN(frames_that_follow_have_what_goes_with_their_step);
    CD_RUN(bodies_that_are_not_released_stay_as_they_are);
    CD_RUN(tables_that_are_wrong_are_refused);
    cd_arena_release(&arena);
    return cd_test_done();
}
