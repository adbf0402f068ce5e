// SPDX-License-Identifier: MIT
#include "cd_schedule.h"

#include "cd_bodies.h"
#include "cd_samples.h"

#include <inttypes.h>

// ---- the tables ----------------------------------------------------------------------------------------------------

static int32_t items_of(const cd_list *list, int32_t row)
{
    return list->offset ? list->offset[row + 1] - list->offset[row] : 0;
}

// The samples of a row; count 0 where the list is absent.
static cd_samples samples_of(const cd_list *time, const cd_list *value, int32_t row, int width)
{
    if (items_of(value, row) == 0)
        return (cd_samples){.width = width};
    return (cd_samples){items_of(time, row), width, time->f64 + time->offset[row],
                        value->f64 + (size_t)width * (size_t)value->offset[row]};
}

// What both tables have in common: times, and two lists of values that go with them.
typedef struct schedule {
    const char *table;
    int32_t count;
    const int64_t *body;
    const cd_list *time, *linear, *angular;
    const char *linear_name, *angular_name;
} schedule;

static schedule schedule_of_loads(const cd_load_rows *rows)
{
    return (schedule){"load", rows->count, rows->body, &rows->time, &rows->force, &rows->torque, "force", "torque"};
}

static schedule schedule_of_drives(const cd_drive_rows *rows)
{
    return (schedule){"drive",         rows->count,     rows->body, &rows->time,
                      &rows->position, &rows->rotation, "position", "rotation"};
}

static cd_status check_values(const schedule *s, int32_t row, const cd_list *values, const char *name, cd_diag *diag)
{
    int32_t count = items_of(values, row), times = items_of(s->time, row);
    if (count == 0 || count == times)
        return CD_OK;
    return cd_fail(diag, CD_ERR_FORMAT, "%s: body %" PRId64 ": %s: %d of them for %d times", s->table, s->body[row],
                   name, count, times);
}

static cd_status check_row(const schedule *s, int32_t row, cd_diag *diag)
{
    int32_t times = items_of(s->time, row);
    if (times == 0)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: body %" PRId64 ": time: is empty", s->table, s->body[row]);
    const double *time = s->time->f64 + s->time->offset[row];
    for (int32_t i = 1; i < times; i++)
        if (!(time[i] > time[i - 1]))
            return cd_fail(diag, CD_ERR_FORMAT, "%s: body %" PRId64 ": time: %g s after %g s: must ascend", s->table,
                           s->body[row], time[i], time[i - 1]);
    CD_TRY(check_values(s, row, s->linear, s->linear_name, diag));
    CD_TRY(check_values(s, row, s->angular, s->angular_name, diag));
    if (items_of(s->linear, row) == 0 && items_of(s->angular, row) == 0)
        return cd_fail(diag, CD_ERR_FORMAT, "%s: body %" PRId64 ": has neither %s nor %s", s->table, s->body[row],
                       s->linear_name, s->angular_name);
    return CD_OK;
}

static cd_status check_table(const schedule *s, cd_diag *diag)
{
    for (int32_t row = 0; row < s->count; row++)
        CD_TRY(check_row(s, row, diag));
    return CD_OK;
}

cd_status cd_schedule_check(const cd_model *head, cd_diag *diag)
{
    schedule load = schedule_of_loads(&head->load), drive = schedule_of_drives(&head->drive);
    CD_TRY(check_table(&load, diag));
    return check_table(&drive, diag);
}

// ---- bodies --------------------------------------------------------------------------------------------------------

typedef struct scheduled_frame {
    cd_model *frame;
    const int32_t *by_id;  // rows of `body` in the order of ids
    double from, step;     // [s]
    int spins, turns;      // numbers of a spin, of a rotation
    double *force, *torque, *velocity, *spin;
    cd_diag *diag;
} scheduled_frame;

// The row of `body` with the id, -1 where there is none.
static int32_t find_body(const scheduled_frame *f, int64_t id)
{
    const int64_t *ids = f->frame->body.id;
    int32_t low = 0, high = f->frame->body.count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (ids[f->by_id[middle]] < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->frame->body.count && ids[f->by_id[low]] == id ? f->by_id[low] : -1;
}

// Row of the table for each body, -1 none. @owns arena
static cd_status rows_by_body(cd_arena *arena, const scheduled_frame *f, const schedule *s, int32_t motion,
                              int32_t **row_of)
{
    int32_t *row = CD_ARENA_ARRAY(arena, int32_t, f->frame->body.count);
    for (int32_t i = 0; i < f->frame->body.count; i++)
        row[i] = -1;
    for (int32_t i = 0; i < s->count; i++) {
        int32_t body = find_body(f, s->body[i]);
        if (body < 0)
            return cd_fail(f->diag, CD_ERR_FORMAT, "%s: body %" PRId64 ": is not in the frame", s->table, s->body[i]);
        if (row[body] >= 0)
            return cd_fail(f->diag, CD_ERR_FORMAT, "%s: body %" PRId64 " is there twice", s->table, s->body[i]);
        if (cd_body_motion(f->frame, body) != motion)
            return cd_fail(f->diag, CD_ERR_FORMAT, "%s: body %" PRId64 ": its motion must be %s", s->table, s->body[i],
                           cd_words_MOTION[motion]);
        row[body] = i;
    }
    *row_of = row;
    return CD_OK;
}

// A column of its own for the frame, with what is there.
static double *own_column(cd_arena *arena, cd_model *frame, size_t offset, double **column)
{
    const cd_field *field = cd_field_by_offset(CD_REC_body, offset);
    size_t width = (size_t)cd_field_width(field, frame->dim);
    double *own = cd_column_new(arena, field, frame->dim, frame->body.count);
    if (*column)
        memcpy(own, *column, (size_t)frame->body.count * width * sizeof *own);
    frame->body.capacity = 0;
    return *column = own;
}

// ---- loads ---------------------------------------------------------------------------------------------------------

static void load_body(const scheduled_frame *f, const cd_load_rows *load, int32_t row, int32_t body)
{
    int dim = f->frame->dim;
    cd_samples force = samples_of(&load->time, &load->force, row, dim);
    cd_samples torque = samples_of(&load->time, &load->torque, row, f->spins);
    if (force.count > 0)
        cd_samples_mean(&force, f->from, f->from + f->step, f->force + (size_t)dim * (size_t)body);
    if (torque.count > 0)
        cd_samples_mean(&torque, f->from, f->from + f->step, f->torque + (size_t)f->spins * (size_t)body);
}

static cd_status apply_loads(cd_arena *arena, const cd_load_rows *load, scheduled_frame *f)
{
    schedule s = schedule_of_loads(load);
    int32_t *row;
    CD_TRY(check_table(&s, f->diag));
    CD_TRY(rows_by_body(arena, f, &s, CD_MOTION_DYNAMIC, &row));
    f->force =
        load->force.offset ? own_column(arena, f->frame, offsetof(cd_body_rows, force), &f->frame->body.force) : NULL;
    f->torque = load->torque.offset
                    ? own_column(arena, f->frame, offsetof(cd_body_rows, torque), &f->frame->body.torque)
                    : NULL;
    for (int32_t i = 0; i < f->frame->body.count; i++)
        if (row[i] >= 0 && cd_body_is_active(f->frame, i))
            load_body(f, load, row[i], i);
    return CD_OK;
}

// ---- drives --------------------------------------------------------------------------------------------------------

static void drive_in_plane(const scheduled_frame *f, const cd_drive_rows *drive, int32_t row, int32_t body)
{
    cd_state2 start = cd_body_start2(f->frame, body);
    cd_samples position = samples_of(&drive->time, &drive->position, row, 2);
    cd_samples rotation = samples_of(&drive->time, &drive->rotation, row, 1);
    const double *own = drive->point ? drive->point + 2 * (size_t)row : NULL;
    cd_vec2 point = own && !isnan(own[0]) ? cd_vec2_at(own) : (cd_vec2){0, 0};
    double end = f->from + f->step, angle = start.angle, target[2];
    if (rotation.count > 0)
        cd_samples_at(&rotation, end, &angle);
    cd_vec2 placed = cd_pose2_apply(cd_state2_pose(start), point);
    if (position.count > 0) {
        cd_samples_at(&position, end, target);
        placed = cd_vec2_at(target);
    }
    cd_vec2 centre = cd_sub2(placed, cd_pose2_turn(cd_pose2_make(start.position, angle), point));
    double *velocity = f->velocity + 2 * (size_t)body;
    velocity[0] = (centre.x - start.position.x) / f->step;
    velocity[1] = (centre.y - start.position.y) / f->step;
    f->spin[body] = (angle - start.angle) / f->step;
}

static void drive_in_space(const scheduled_frame *f, const cd_drive_rows *drive, int32_t row, int32_t body)
{
    cd_state3 start = cd_body_start3(f->frame, body);
    cd_samples position = samples_of(&drive->time, &drive->position, row, 3);
    cd_samples rotation = samples_of(&drive->time, &drive->rotation, row, 4);
    const double *own = drive->point ? drive->point + 3 * (size_t)row : NULL;
    cd_vec3 point = own && !isnan(own[0]) ? cd_vec3_at(own) : (cd_vec3){0, 0, 0};
    double end = f->from + f->step, target[3];
    cd_quat turn = rotation.count > 0 ? cd_samples_rotation(&rotation, end) : start.rotation;
    cd_pose3 pose = cd_state3_pose(start);
    cd_vec3 placed = cd_pose3_apply(&pose, point);
    if (position.count > 0) {
        cd_samples_at(&position, end, target);
        placed = cd_vec3_at(target);
    }
    pose = cd_pose3_make(start.position, turn);
    cd_vec3 centre = cd_sub3(placed, cd_pose3_turn(&pose, point));
    cd_vec3 velocity = cd_sub3(centre, start.position), spin = {0, 0, 0};
    if (!cd_quat_is_same(turn, start.rotation))
        spin = cd_quat_vector(cd_quat_product(turn, cd_quat_conjugate(start.rotation)));
    memcpy(f->velocity + 3 * (size_t)body, (double[]){velocity.x / f->step, velocity.y / f->step, velocity.z / f->step},
           3 * sizeof(double));
    memcpy(f->spin + 3 * (size_t)body, (double[]){spin.x / f->step, spin.y / f->step, spin.z / f->step},
           3 * sizeof(double));
}

static cd_status apply_drives(cd_arena *arena, const cd_drive_rows *drive, scheduled_frame *f)
{
    schedule s = schedule_of_drives(drive);
    int32_t *row;
    CD_TRY(check_table(&s, f->diag));
    CD_TRY(rows_by_body(arena, f, &s, CD_MOTION_PRESCRIBED, &row));
    f->velocity = own_column(arena, f->frame, offsetof(cd_body_rows, velocity), &f->frame->body.velocity);
    f->spin = own_column(arena, f->frame, offsetof(cd_body_rows, spin), &f->frame->body.spin);
    for (int32_t i = 0; i < f->frame->body.count; i++) {
        if (row[i] < 0 || !cd_body_is_active(f->frame, i))
            continue;
        if (!(f->step > 0))
            return cd_fail(f->diag, CD_ERR_FORMAT, "drive: body %" PRId64 ": the frame has no step", s.body[row[i]]);
        CD_TRY(cd_body_need_position(f->frame, i, f->diag));
        if (f->frame->dim == 2)
            drive_in_plane(f, drive, row[i], i);
        else
            drive_in_space(f, drive, row[i], i);
    }
    return CD_OK;
}

cd_status cd_schedule_apply(cd_arena *arena, const cd_model *head, cd_model *frame, cd_diag *diag)
{
    if (head->load.count == 0 && head->drive.count == 0)
        return CD_OK;
    scheduled_frame f = {.frame = frame,
                         .by_id = cd_body_order_make(arena, &frame->body).row,
                         .from = frame->frame.time[0],
                         .step = cd_frame_step_or_zero(frame),
                         .spins = frame->dim == 2 ? 1 : 3,
                         .diag = diag};
    if (head->load.count > 0)
        CD_TRY(apply_loads(arena, &head->load, &f));
    return head->drive.count > 0 ? apply_drives(arena, &head->drive, &f) : CD_OK;
}
