// SPDX-License-Identifier: MIT
#include "cd_bodies.h"

#include "cd_assert.h"

#include <inttypes.h>
#include <stdlib.h>

// ---- order ---------------------------------------------------------------------------------------------------------

typedef struct body_key {
    int64_t id;
    int32_t row;
} body_key;

static int compare_ids(const void *left, const void *right)
{
    int64_t a = ((const body_key *)left)->id, b = ((const body_key *)right)->id;
    return (a > b) - (a < b);
}

cd_body_order cd_body_order_make(cd_arena *arena, const cd_body_rows *body)
{
    int32_t count = body->count;
    int32_t *row = CD_ARENA_ARRAY(arena, int32_t, count);
    bool is_ascending = true;
    for (int32_t i = 1; i < count && is_ascending; i++)
        is_ascending = body->id[i - 1] < body->id[i];
    if (is_ascending) {  // the inverse of which is itself
        for (int32_t i = 0; i < count; i++)
            row[i] = i;
        return (cd_body_order){row, row};
    }
    int32_t *rank = CD_ARENA_ARRAY(arena, int32_t, count);
    cd_arena_mark mark = cd_arena_get_mark(arena);
    body_key *key = CD_ARENA_ARRAY(arena, body_key, count);
    for (int32_t i = 0; i < count; i++)
        key[i] = (body_key){body->id[i], i};
    qsort(key, (size_t)count, sizeof *key, compare_ids);
    for (int32_t k = 0; k < count; k++)
        row[k] = key[k].row;
    cd_arena_rewind(arena, mark);
    for (int32_t k = 0; k < count; k++)
        rank[row[k]] = k;
    return (cd_body_order){row, rank};
}

// ---- who takes part ------------------------------------------------------------------------------------------------

bool cd_bodies_are_active(const cd_model *in)
{
    const double *release = in->body.release;
    if (in->body.count == 0)
        return true;
    if (!release)
        return cd_body_is_active(in, 0);
    double latest = cd_latest_release(in);
    bool are_active = true;
    for (int32_t i = 0; i < in->body.count; i++)
        are_active &= cd_is_released(release[i], latest);
    return are_active;
}

bool cd_body_is_of_elements(const cd_model *in, int32_t body)
{
    if (in->body.shape && in->body.shape[body] >= 0)
        return false;
    for (int32_t i = 0; in->element.body && i < in->element.count; i++)
        if (in->element.body[i] == in->body.id[body])
            return true;
    return false;
}

static cd_status fail_without(const cd_model *in, int32_t body, const char *what, cd_diag *diag)
{
    if (cd_body_is_of_elements(in, body))
        return cd_fail(diag, CD_ERR_UNSUPPORTED,
                       "body %" PRId64 ": its parts are elements, for which this stage has no routine",
                       in->body.id[body]);
    return cd_fail(diag, CD_ERR_FORMAT, "body %" PRId64 ": %s: required of a body that takes part", in->body.id[body],
                   what);
}

cd_status cd_body_need_position(const cd_model *in, int32_t body, cd_diag *diag)
{
    return cd_body_has_position(in, body) ? CD_OK : fail_without(in, body, "position", diag);
}

cd_status cd_bodies_need_positions(const cd_model *in, cd_diag *diag)
{
    for (int32_t i = 0; i < in->body.count; i++)
        if (!cd_body_has_position(in, i) && cd_body_is_active(in, i))
            return fail_without(in, i, "position", diag);
    return CD_OK;
}

cd_status cd_body_need_shape(const cd_model *in, int32_t body, cd_diag *diag)
{
    return in->body.shape && in->body.shape[body] >= 0 ? CD_OK : fail_without(in, body, "shape", diag);
}

static cd_status check_inertia(const cd_model *in, int32_t body, cd_diag *diag)
{
    int moments = in->dim == 2 ? 1 : 6, diagonal = in->dim == 2 ? 1 : 3;
    const double *inertia = in->body.inertia ? in->body.inertia + (size_t)moments * (size_t)body : NULL;
    int64_t id = in->body.id[body];
    if (!inertia || isnan(inertia[0]))
        return cd_fail(diag, CD_ERR_FORMAT, "body %" PRId64 ": inertia: required of a dynamic body", id);
    for (int k = 0; k < diagonal; k++)
        if (!(inertia[k] > 0))
            return cd_fail(diag, CD_ERR_FORMAT, "body %" PRId64 ": inertia: %g is not above 0", id, inertia[k]);
    if (in->dim == 3 && !cd_inertia3_is_definite(inertia))
        return cd_fail(diag, CD_ERR_FORMAT, "body %" PRId64 ": inertia: not positive definite", id);
    return CD_OK;
}

cd_status cd_body_check(const cd_model *in, int32_t body, bool need_shape, cd_diag *diag)
{
    int64_t id = in->body.id[body];
    // A fixed body keeps its state, whatever it is made of.
    if (need_shape || (cd_body_motion(in, body) != CD_MOTION_FIXED && cd_body_is_of_elements(in, body)))
        CD_TRY(cd_body_need_shape(in, body, diag));
    if (cd_body_motion(in, body) != CD_MOTION_DYNAMIC)
        return CD_OK;
    if (!in->body.mass || isnan(in->body.mass[body]))
        return cd_fail(diag, CD_ERR_FORMAT, "body %" PRId64 ": mass: required of a dynamic body", id);
    if (!(in->body.mass[body] > 0))
        return cd_fail(diag, CD_ERR_FORMAT, "body %" PRId64 ": mass: %g is not above 0", id, in->body.mass[body]);
    return check_inertia(in, body, diag);
}

cd_status cd_bodies_check(const cd_model *in, bool need_shapes, cd_diag *diag)
{
    CD_TRY(cd_bodies_need_positions(in, diag));
    for (int32_t i = 0; i < in->body.count; i++)
        if (cd_body_is_active(in, i))
            CD_TRY(cd_body_check(in, i, need_shapes, diag));
    return CD_OK;
}

cd_status cd_frame_step(const cd_model *in, double *step, cd_diag *diag)
{
    *step = cd_frame_step_or_zero(in);
    if (!(*step > 0))
        return cd_fail(diag, CD_ERR_FORMAT, "frame: step: required");
    return CD_OK;
}

cd_vec2 cd_gravity2(const cd_model *in)
{
    const double *gravity = in->head.gravity;
    return gravity && !isnan(gravity[0]) ? cd_vec2_at(gravity) : (cd_vec2){0, 0};
}

cd_vec3 cd_gravity3(const cd_model *in)
{
    const double *gravity = in->head.gravity;
    return gravity && !isnan(gravity[0]) ? cd_vec3_at(gravity) : (cd_vec3){0, 0, 0};
}

// The row of a column of `width` numbers a row; NULL where it is absent.
static const double *row_of(const double *column, int32_t body, int width)
{
    const double *row = column ? column + (size_t)width * (size_t)body : NULL;
    return row && !isnan(row[0]) ? row : NULL;
}

cd_applied2 cd_body_applied2(const cd_model *in, int32_t body)
{
    const cd_body_rows *rows = &in->body;
    const double *force = row_of(rows->force, body, 2), *mass = row_of(rows->mass, body, 1);
    const double *torque = row_of(rows->torque, body, 1), *inertia = row_of(rows->inertia, body, 1);
    cd_applied2 applied = {cd_gravity2(in), 0};
    if (force && mass && *mass > 0)
        applied.acceleration = cd_add2(applied.acceleration, cd_scale2(1 / *mass, cd_vec2_at(force)));
    if (torque && inertia && *inertia > 0)
        applied.spin_rate = *torque / *inertia;
    return applied;
}

cd_applied3 cd_body_applied3(const cd_model *in, int32_t body)
{
    const double *force = row_of(in->body.force, body, 3), *mass = row_of(in->body.mass, body, 1);
    const double *torque = row_of(in->body.torque, body, 3);
    cd_applied3 applied = {cd_gravity3(in), {0, 0, 0}};
    if (force && mass && *mass > 0)
        applied.acceleration = cd_add3(applied.acceleration, cd_scale3(1 / *mass, cd_vec3_at(force)));
    if (torque)
        applied.torque = cd_vec3_at(torque);
    return applied;
}

cd_gyration cd_head_gyration(const cd_model *in)
{
    int32_t word = in->head.gyroscopic ? in->head.gyroscopic[0] : CD_GYROSCOPIC_MIDPOINT;
    return word == CD_GYROSCOPIC_EXPLICIT ? CD_GYRATION_EXPLICIT : CD_GYRATION_MIDPOINT;
}

// ---- states in the plane -------------------------------------------------------------------------------------------

cd_state2 cd_body_start2(const cd_model *in, int32_t body)
{
    const cd_body_rows *rows = &in->body;
    return (cd_state2){
        .position = rows->position ? cd_vec2_at(rows->position + 2 * (size_t)body) : (cd_vec2){NAN, NAN},
        .angle = rows->rotation ? rows->rotation[body] : 0,
        .velocity = rows->velocity ? cd_vec2_at(rows->velocity + 2 * (size_t)body) : (cd_vec2){0, 0},
        .spin = rows->spin ? rows->spin[body] : 0,
    };
}

cd_state2 cd_body_predicted2(const cd_model *in, int32_t body, double step)
{
    if (cd_body_motion(in, body) != CD_MOTION_DYNAMIC)
        return cd_body_drifted2(in, body, step);
    return cd_state2_free(cd_body_start2(in, body), cd_body_applied2(in, body), step);
}

cd_state2 cd_body_trial2(const cd_model *in, const int32_t *trial_row, int32_t body)
{
    int32_t row = trial_row[body];
    if (row < 0)
        return cd_body_start2(in, body);
    const cd_trial_rows *trial = &in->trial;
    return (cd_state2){cd_vec2_at(trial->position + 2 * (size_t)row), trial->rotation[row],
                       cd_vec2_at(trial->velocity + 2 * (size_t)row), trial->spin[row]};
}

// ---- states in space -----------------------------------------------------------------------------------------------

cd_state3 cd_body_start3(const cd_model *in, int32_t body)
{
    const cd_body_rows *rows = &in->body;
    size_t i = (size_t)body;
    return (cd_state3){
        .position = rows->position ? cd_vec3_at(rows->position + 3 * i) : (cd_vec3){NAN, NAN, NAN},
        .rotation = rows->rotation ? cd_quat_at(rows->rotation + 4 * i) : cd_quat_identity(),
        .velocity = rows->velocity ? cd_vec3_at(rows->velocity + 3 * i) : (cd_vec3){0, 0, 0},
        .spin = rows->spin ? cd_vec3_at(rows->spin + 3 * i) : (cd_vec3){0, 0, 0},
    };
}

cd_state2 cd_body_drifted2(const cd_model *in, int32_t body, double step)
{
    cd_state2 start = cd_body_start2(in, body);
    bool is_fixed = cd_body_motion(in, body) == CD_MOTION_FIXED;
    return is_fixed ? start : cd_state2_advance(start, start.velocity, start.spin, step);
}

cd_state3 cd_body_drifted3(const cd_model *in, int32_t body, double step)
{
    cd_state3 start = cd_body_start3(in, body);
    bool is_fixed = cd_body_motion(in, body) == CD_MOTION_FIXED;
    return is_fixed ? start : cd_state3_advance(start, start.velocity, start.spin, step);
}

cd_state3 cd_body_predicted3(const cd_model *in, int32_t body, double step)
{
    if (cd_body_motion(in, body) != CD_MOTION_DYNAMIC)
        return cd_body_drifted3(in, body, step);
    const double *inertia = in->body.inertia ? in->body.inertia + 6 * (size_t)body : NULL;
    if (inertia && !cd_inertia3_is_definite(inertia))
        inertia = NULL;
    return cd_state3_free(cd_body_start3(in, body), inertia, cd_body_applied3(in, body), step, cd_head_gyration(in));
}

cd_state3 cd_body_trial3(const cd_model *in, const int32_t *trial_row, int32_t body)
{
    if (trial_row[body] < 0)
        return cd_body_start3(in, body);
    size_t row = (size_t)trial_row[body];
    const cd_trial_rows *trial = &in->trial;
    return (cd_state3){cd_vec3_at(trial->position + 3 * row), cd_quat_at(trial->rotation + 4 * row),
                       cd_vec3_at(trial->velocity + 3 * row), cd_vec3_at(trial->spin + 3 * row)};
}

cd_pose3 cd_body_trial_pose3(const cd_model *in, const int32_t *trial_row, int32_t body)
{
    size_t i = (size_t)(trial_row[body] < 0 ? body : trial_row[body]);
    const double *position = trial_row[body] < 0 ? in->body.position : in->trial.position;
    const double *rotation = trial_row[body] < 0 ? in->body.rotation : in->trial.rotation;
    return cd_pose3_make(position ? cd_vec3_at(position + 3 * i) : (cd_vec3){NAN, NAN, NAN},
                         rotation ? cd_quat_at(rotation + 4 * i) : cd_quat_identity());
}

// ---- trial and next ------------------------------------------------------------------------------------------------

// The row of each of `bodies` in a table whose column `body` refers to them.
static int32_t *rows_by_body(cd_arena *arena, int32_t bodies, const int32_t *body, int32_t count)
{
    int32_t *row = CD_ARENA_ARRAY(arena, int32_t, bodies);
    for (int32_t i = 0; i < bodies; i++)
        row[i] = -1;
    for (int32_t i = 0; i < count; i++)
        row[body[i]] = i;
    return row;
}

int32_t cd_body_trial_state(const cd_model *in, const int32_t *trial_row, int32_t body)
{
    return trial_row[body] >= 0 && in->trial.state ? in->trial.state[trial_row[body]] : CD_ABSENT;
}

int32_t *cd_body_trial_rows(cd_arena *arena, const cd_model *in)
{
    return rows_by_body(arena, in->body.count, in->trial.body, in->trial.count);
}

int32_t *cd_body_next_rows(cd_arena *arena, const cd_model *in)
{
    return rows_by_body(arena, in->body.count, in->next.body, in->next.count);
}

// ---- sets ----------------------------------------------------------------------------------------------------------

int32_t *cd_body_roots_start(cd_arena *arena, const cd_model *in)
{
    int32_t *root = CD_ARENA_ARRAY(arena, int32_t, in->body.count);
    for (int32_t i = 0; i < in->body.count; i++)
        root[i] = i;
    return root;
}

static int32_t root_of(int32_t *root, int32_t body)
{
    while (root[body] != body)
        body = root[body] = root[root[body]];
    return body;
}

bool cd_body_roots_connect(const cd_model *in, int32_t *root, int32_t a, int32_t b)
{
    if (!cd_body_is_moved(in, a) || !cd_body_is_moved(in, b))
        return false;
    a = root_of(root, a);
    b = root_of(root, b);
    bool a_is_first = in->body.id[a] < in->body.id[b];
    root[a_is_first ? b : a] = a_is_first ? a : b;
    return a != b;
}

void cd_body_roots_finish(const cd_model *in, int32_t *root)
{
    for (int32_t i = 0; i < in->body.count; i++)
        root[i] = root_of(root, i);
}
