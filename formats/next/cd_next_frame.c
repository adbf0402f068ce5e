// SPDX-License-Identifier: MIT
#include "cd_next_frame.h"

#include "cd_bodies.h"
#include "cd_schedule.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

// [1] of a whole step: what is left below this after parts were taken off is rounding, not a remainder.
#define REST_TOLERANCE 1e-12

// ---- columns of tables of one row ----------------------------------------------------------------------------------

static double *one_f64(cd_arena *arena, double value)
{
    double *column = CD_ARENA_ARRAY(arena, double, 1);
    *column = value;
    return column;
}

static int32_t *one_i32(cd_arena *arena, int32_t value)
{
    int32_t *column = CD_ARENA_ARRAY(arena, int32_t, 1);
    *column = value;
    return column;
}

// ---- clock ---------------------------------------------------------------------------------------------------------

static bool obeys_index_times_step(const cd_frame_rows *frame, double step)
{
    return cd_i32_or(frame->substep, 0, 0) == 0 &&
           fabs(frame->time[0] - (double)frame->index[0] * step) <= CD_TIME_TOLERANCE * step;
}

cd_status cd_run_clock_start(const cd_frame_rows *frame, cd_run_clock *clock, cd_diag *diag)
{
    double step = cd_f64_or(frame->step, 0, NAN);
    if (isnan(step))
        return cd_fail(diag, CD_ERR_FORMAT, "frame: step: missing: the length of the step is needed");
    clock->whole = step + cd_f64_or(frame->rest, 0, 0);
    bool fixed = obeys_index_times_step(frame, clock->whole);
    clock->base_index = fixed ? 0 : frame->index[0];
    clock->base_time = fixed ? 0 : frame->time[0];
    return CD_OK;
}

bool cd_is_last_frame(const cd_frame_rows *frame, double until, int64_t frame_limit, int64_t first_index)
{
    if (cd_i32_or(frame->substep, 0, 0) != 0 || cd_i32_or(frame->round, 0, 0) != 0)
        return false;
    if (frame_limit > 0 && frame->index[0] - first_index >= frame_limit - 1)
        return true;
    double step = cd_f64_or(frame->step, 0, 0) + cd_f64_or(frame->rest, 0, 0);
    // Products k * step of long runs are off by an ulp of the time itself.
    double slack = fmax(CD_TIME_TOLERANCE * step, 4 * DBL_EPSILON * fabs(until));
    return !isnan(until) && frame->time[0] + step > until + slack;
}

// ---- the next frame's record ---------------------------------------------------------------------------------------

static cd_status cannot_count(const char *member, cd_diag *diag)
{
    return cd_fail(diag, CD_ERR_LIMIT, "frame: %s: no number can follow it", member);
}

// Time of the step after this one, and whether the run's step changes there.
static cd_status accepted_frame(cd_arena *arena, const cd_model *in, cd_run_clock *clock, cd_frame_rows *frame,
                                cd_diag *diag)
{
    double step = in->frame.step[0], left = cd_f64_or(in->frame.rest, 0, 0);
    double rest = cd_f64_or(in->verdict.rest, 0, left);
    double time = in->frame.time[0] + step;
    int64_t index = in->frame.index[0];
    // Else a step could go on for ever, part after part.
    if (rest > left + REST_TOLERANCE * clock->whole)
        return cd_fail(diag, CD_ERR_FORMAT, "verdict: rest: %g s, but behind this part of the step only %g s are left",
                       rest, left);
    if (rest > 0) {
        int32_t substep = cd_i32_or(in->frame.substep, 0, 0);
        if (substep == INT32_MAX)
            return cannot_count("substep", diag);
        frame->substep = one_i32(arena, substep + 1);
        frame->whole = one_f64(arena, clock->whole);
        frame->time = one_f64(arena, time);
        frame->step = one_f64(arena, rest);
        return CD_OK;
    }
    if (index == INT64_MAX)
        return cannot_count("index", diag);
    double nominal = clock->base_time + (double)(index + 1 - clock->base_index) * clock->whole;
    if (fabs(nominal - time) <= CD_TIME_TOLERANCE * clock->whole) {
        time = nominal;
    } else {  // a part of the step was given up: the grid of times starts anew
        clock->base_index = index + 1;
        clock->base_time = time;
    }
    double next_step = cd_f64_or(in->verdict.step, 0, clock->whole);
    if (next_step != clock->whole) {
        clock->base_index = index + 1;
        clock->base_time = time;
        clock->whole = next_step;
    }
    frame->index = CD_ARENA_ARRAY(arena, int64_t, 1);
    frame->index[0] = index + 1;
    frame->substep = NULL;
    frame->whole = NULL;
    frame->time = one_f64(arena, time);
    frame->step = one_f64(arena, next_step);
    return CD_OK;
}

// A word of the verdict, "" takes an older wish back; without one the older wish holds.
static const char **wish_of(const char **verdict, const char **before)
{
    if (!verdict || !verdict[0])
        return before;
    return verdict[0][0] ? verdict : NULL;
}

static cd_status repeated_frame(cd_arena *arena, const cd_model *in, const cd_run_clock *clock, cd_frame_rows *frame,
                                cd_diag *diag)
{
    int32_t round = cd_i32_or(in->frame.round, 0, 0), wanted = cd_i32_or(in->verdict.round, 0, 0);
    if (wanted != 0 && wanted <= round)
        return cd_fail(diag, CD_ERR_FORMAT,
                       "verdict: round: %d asked for after round %d: a repeated frame needs a higher one", wanted,
                       round);
    if (wanted == 0 && round == INT32_MAX)
        return cannot_count("round", diag);
    double whole = in->frame.step[0] + cd_f64_or(in->frame.rest, 0, 0);
    double step = cd_f64_or(in->verdict.step, 0, in->frame.step[0]);
    if (step > whole * (1 + REST_TOLERANCE))
        return cd_fail(diag, CD_ERR_FORMAT, "verdict: step: %g s asked for, but the frame has only %g s left", step,
                       whole);
    if (step < REST_TOLERANCE * whole)
        return cd_fail(diag, CD_ERR_NUMERIC, "verdict: step: %g s of a step of %g s: halving does not help here", step,
                       whole);
    double rest = whole - step;
    frame->round = one_i32(arena, wanted ? wanted : round + 1);
    frame->step = one_f64(arena, step);
    frame->rest = rest > REST_TOLERANCE * clock->whole ? one_f64(arena, rest) : NULL;
    frame->contacts = wish_of(in->verdict.contacts, frame->contacts);
    frame->model = wish_of(in->verdict.model, frame->model);
    if (cd_i32_or(in->verdict.facets, 0, -1) >= 0)
        frame->facets = in->verdict.facets;
    if (cd_i32_or(in->verdict.target, 0, -1) >= 0)
        frame->target = in->verdict.target;
    if (cd_i32_or(in->verdict.impact, 0, -1) >= 0)
        frame->impact = in->verdict.impact;
    int32_t first = cd_i32_or(in->verdict.first_round, 0, 0);
    if (first > frame->round[0])
        return cd_fail(diag, CD_ERR_FORMAT, "verdict: first_round: %d is after round %d, which it rules", first,
                       frame->round[0]);
    if (first > 0)
        frame->first_round = in->verdict.first_round;
    frame->residual = in->verdict.residual;
    return CD_OK;
}

bool cd_chunk_outlives_frame(const cd_chunk *chunk)
{
    return chunk->encoding == CD_ENCODING_JSON || (chunk->header.flags & CD_BLOCK_SAFE_TO_COPY);
}

// ---- bodies --------------------------------------------------------------------------------------------------------

static cd_status next_rows_by_body(cd_arena *arena, const cd_model *in, int32_t **row, cd_diag *diag)
{
    int32_t *next_row = cd_body_next_rows(arena, in);
    for (int32_t i = 0; i < in->next.count; i++)
        if (next_row[in->next.body[i]] != i)
            return cd_fail(diag, CD_ERR_FORMAT, "next: body %" PRId64 " is there twice", in->body.id[in->next.body[i]]);
    for (int32_t i = 0; i < in->body.count; i++) {
        bool is_fixed = cd_body_motion(in, i) == CD_MOTION_FIXED;
        bool is_of_nodes = !cd_body_has_position(in, i) && in->node.count > 0;
        if (next_row[i] < 0 && !is_fixed && !is_of_nodes && cd_body_is_active(in, i))
            return cd_fail(diag, CD_ERR_FORMAT,
                           "next: body %" PRId64
                           " has no end-of-step state: does the pipeline end in a step (cd-step)?",
                           in->body.id[i]);
    }
    *row = next_row;
    return CD_OK;
}

// A copy of the body column at `offset` with the rows that have a `next` replaced.
static double *replaced(cd_arena *arena, const cd_model *in, size_t offset, const double *old, const double *next,
                        const int32_t *next_row)
{
    const cd_field *field = cd_field_by_offset(CD_REC_body, offset);
    size_t width = (size_t)cd_field_width(field, in->dim);
    double *column = cd_column_new(arena, field, in->dim, in->body.count);
    if (old)
        memcpy(column, old, (size_t)in->body.count * width * sizeof *column);
    for (int32_t i = 0; i < in->body.count; i++)
        if (next_row[i] >= 0)
            memcpy(column + (size_t)i * width, next + (size_t)next_row[i] * width, width * sizeof *column);
    return column;
}

// A copy of the column with the rows that the table `next_node` has replaced.
static double *replaced_nodes(cd_arena *arena, const cd_model *in, const double *old, const double *next)
{
    size_t width = (size_t)in->dim;
    double *column = CD_ARENA_ZARRAY(arena, double, width *(size_t)in->node.count);
    if (old)
        memcpy(column, old, width * (size_t)in->node.count * sizeof *column);
    for (int32_t i = 0; i < in->next_node.count; i++)
        memcpy(column + width * (size_t)in->next_node.node[i], next + width * (size_t)i, width * sizeof *column);
    return column;
}

static cd_status moved_nodes(cd_arena *arena, const cd_model *in, cd_node_rows *node, cd_diag *diag)
{
    bool *is_there = CD_ARENA_ZARRAY(arena, bool, in->node.count);
    for (int32_t i = 0; i < in->next_node.count; i++) {
        int32_t row = in->next_node.node[i];
        if (is_there[row])
            return cd_fail(diag, CD_ERR_FORMAT, "next_node: node %" PRId64 " is there twice", in->node.id[row]);
        is_there[row] = true;
    }
    if (in->next_node.count == 0)
        return CD_OK;
    node->position = replaced_nodes(arena, in, node->position, in->next_node.position);
    node->velocity = replaced_nodes(arena, in, node->velocity, in->next_node.velocity);
    node->capacity = 0;
    return CD_OK;
}

static double *own_absent(cd_arena *arena, const cd_model *frame, size_t offset)
{
    return cd_column_new(arena, cd_field_by_offset(CD_REC_body, offset), frame->dim, frame->body.count);
}

static cd_status moved_bodies(cd_arena *arena, const cd_model *in, cd_body_rows *body, cd_diag *diag)
{
    int32_t *next_row = NULL;
    CD_TRY(next_rows_by_body(arena, in, &next_row, diag));
    if (in->next.count == 0) {  // none takes part: none flies
        body->ahead = body->ahead_spin = NULL;
        return CD_OK;
    }
    body->position = replaced(arena, in, offsetof(cd_body_rows, position), body->position, in->next.position, next_row);
    body->rotation = replaced(arena, in, offsetof(cd_body_rows, rotation), body->rotation, in->next.rotation, next_row);
    body->velocity = replaced(arena, in, offsetof(cd_body_rows, velocity), body->velocity, in->next.velocity, next_row);
    body->spin = replaced(arena, in, offsetof(cd_body_rows, spin), body->spin, in->next.spin, next_row);
    const size_t ahead = offsetof(cd_body_rows, ahead), ahead_spin = offsetof(cd_body_rows, ahead_spin);
    body->ahead = in->next.ahead ? replaced(arena, in, ahead, NULL, in->next.ahead, next_row) : NULL;
    body->ahead_spin =
        in->next.ahead_spin ? replaced(arena, in, ahead_spin, NULL, in->next.ahead_spin, next_row) : NULL;
    body->capacity = 0;
    return CD_OK;
}

// A whole step follows, though the frame's part was not the last one: its rest was given up. Velocities then stand
// where those of whole steps do, as they would behind a last part.
static void give_up_ahead(cd_body_rows *body, int dim)
{
    const size_t moves = (size_t)dim * (size_t)body->count, turns = (dim == 2 ? 1 : 3) * (size_t)body->count;
    for (size_t k = 0; k < moves && body->ahead; k++)
        body->velocity[k] -= isnan(body->ahead[k]) ? 0 : body->ahead[k];
    for (size_t k = 0; k < turns && body->ahead_spin; k++)
        body->spin[k] -= isnan(body->ahead_spin[k]) ? 0 : body->ahead_spin[k];
    body->ahead = body->ahead_spin = NULL;
}

// What bodies of a drive did in the step that is over, where the coming one differs. ended: their rows at its end.
static void keep_last_velocities(cd_arena *arena, const cd_body_rows *ended, cd_model *out)
{
    cd_body_rows *body = &out->body;
    const size_t moves = (size_t)out->dim, turns = out->dim == 2 ? 1 : 3;
    if (body->velocity == ended->velocity || !ended->velocity)
        return;  // nothing is driven, or no body has moved
    for (int32_t i = 0; i < body->count; i++) {
        const double *v = ended->velocity + moves * (size_t)i, *w = ended->spin + turns * (size_t)i;
        bool is_same = memcmp(body->velocity + moves * (size_t)i, v, moves * sizeof *v) == 0 &&
                       memcmp(body->spin + turns * (size_t)i, w, turns * sizeof *w) == 0;
        if (is_same || cd_body_motion(out, i) != CD_MOTION_PRESCRIBED)
            continue;
        if (!body->last_velocity) {
            body->last_velocity = own_absent(arena, out, offsetof(cd_body_rows, last_velocity));
            body->last_spin = own_absent(arena, out, offsetof(cd_body_rows, last_spin));
        }
        memcpy(body->last_velocity + moves * (size_t)i, v, moves * sizeof *v);
        memcpy(body->last_spin + turns * (size_t)i, w, turns * sizeof *w);
    }
}

static void trial_of_next(cd_arena *arena, const cd_model *in, cd_trial_rows *trial)
{
    const cd_next_rows *next = &in->next;
    *trial = (cd_trial_rows){.count = next->count,
                             .json = next->json,
                             .body = next->body,
                             .position = next->position,
                             .rotation = next->rotation,
                             .velocity = next->velocity,
                             .spin = next->spin,
                             .state = next->state,
                             .lead = next->lead,
                             .group = next->group,
                             .held = next->held};
    trial->round = CD_ARENA_ARRAY(arena, int32_t, next->count);
    for (int32_t i = 0; i < next->count; i++)
        trial->round[i] = cd_i32_or(in->frame.round, 0, 0);
}

// What contacts gave over the rejected step, which the trial comes of.
static cd_status impulses_of_forces(cd_arena *arena, const cd_model *in, cd_impulse_rows *out, cd_diag *diag)
{
    const cd_contact_rows *from = &in->contact;
    const size_t dim = (size_t)in->dim;
    out->count = in->next.count > 0 ? in->force.count : 0;
    int32_t *a = CD_COLUMN(arena, in->dim, impulse, out, a), *b = CD_COLUMN(arena, in->dim, impulse, out, b);
    int32_t *features = from->features ? CD_COLUMN(arena, in->dim, impulse, out, features) : NULL;
    int32_t *facet = from->facet ? CD_COLUMN(arena, in->dim, impulse, out, facet) : NULL;
    double *point = CD_COLUMN(arena, in->dim, impulse, out, point);
    double *vector = CD_COLUMN(arena, in->dim, impulse, out, vector);
    for (int32_t i = 0; i < out->count; i++) {
        size_t row = (size_t)i, contact = (size_t)in->force.contact[i];
        memcpy(a + 2 * row, from->a + 2 * contact, 2 * sizeof *a);
        memcpy(b + 2 * row, from->b + 2 * contact, 2 * sizeof *b);
        if (features)
            memcpy(features + 2 * row, from->features + 2 * contact, 2 * sizeof *features);
        if (facet)
            memcpy(facet + 2 * row, from->facet + 2 * contact, 2 * sizeof *facet);
        memcpy(point + dim * row, from->point + dim * contact, dim * sizeof *point);
        for (size_t k = 0; k < dim; k++) {
            vector[dim * row + k] = in->frame.step[0] * in->force.vector[dim * row + k];
            if (!isfinite(vector[dim * row + k]))
                return cd_fail(diag, CD_ERR_NUMERIC, "force: contact %" PRId64 ": its impulse is not finite",
                               from->id[contact]);
        }
    }
    return CD_OK;
}

// The springs that forces had, for the frame that follows.
static void springs_of_forces(cd_arena *arena, const cd_model *in, double step, cd_spring_rows *out)
{
    const cd_contact_rows *from = &in->contact;
    const cd_field *field = cd_field_by_offset(CD_REC_force, offsetof(cd_force_rows, spring));
    const size_t dim = (size_t)in->dim;
    if (!in->force.spring)
        return;
    out->count = in->force.count;
    int32_t *a = CD_COLUMN(arena, in->dim, spring, out, a), *b = CD_COLUMN(arena, in->dim, spring, out, b);
    int32_t *features = from->features ? CD_COLUMN(arena, in->dim, spring, out, features) : NULL;
    double *point = CD_COLUMN(arena, in->dim, spring, out, point);
    double *normal = CD_COLUMN(arena, in->dim, spring, out, normal);
    double *vector = CD_COLUMN(arena, in->dim, spring, out, vector);
    double *turn = in->force.turn ? CD_COLUMN(arena, in->dim, spring, out, turn) : NULL;
    const size_t turns = in->dim == 2 ? 1 : 3;
    double *passed = step != in->frame.step[0] ? CD_COLUMN(arena, in->dim, spring, out, step) : NULL;
    size_t row = 0;
    for (int32_t i = 0; i < in->force.count; i++) {
        size_t contact = (size_t)in->force.contact[i];
        const double *spring = in->force.spring + dim * (size_t)i;
        if (cd_is_absent(field, in->dim, spring, 0))
            continue;
        memcpy(a + 2 * row, from->a + 2 * contact, 2 * sizeof *a);
        memcpy(b + 2 * row, from->b + 2 * contact, 2 * sizeof *b);
        if (features)
            memcpy(features + 2 * row, from->features + 2 * contact, 2 * sizeof *features);
        memcpy(point + dim * row, from->point + dim * contact, dim * sizeof *point);
        memcpy(normal + dim * row, from->normal + dim * contact, dim * sizeof *normal);
        memcpy(vector + dim * row, spring, dim * sizeof *vector);
        if (turn)
            memcpy(turn + turns * row, in->force.turn + turns * (size_t)i, turns * sizeof *turn);
        if (passed)
            passed[row] = in->frame.step[0];
        row++;
    }
    out->count = (int32_t)row;
}

cd_status cd_next_frame(cd_arena *arena, const cd_model *in, cd_run_clock *clock, cd_model *out, bool *accepted,
                        cd_diag *diag)
{
    if (in->verdict.count != 1)
        return cd_fail(diag, CD_ERR_FORMAT,
                       "verdict: %d of them: the pipeline must return exactly one (cd-step writes it)",
                       in->verdict.count);
    if (in->node.count == 0)  // else bodies may be of elements
        CD_TRY(cd_bodies_need_positions(in, diag));
    *accepted = in->verdict.accept[0] == 1;
    memset(out, 0, sizeof *out);
    out->dim = in->dim;
    out->node = in->node;
    out->body = in->body;
    out->frame = in->frame;
    if (!*accepted) {
        out->spring = in->spring;
        CD_TRY(repeated_frame(arena, in, clock, &out->frame, diag));
        trial_of_next(arena, in, &out->trial);
        CD_TRY(impulses_of_forces(arena, in, &out->impulse, diag));
        return cd_schedule_apply(arena, in, out, diag);
    }
    CD_TRY(moved_bodies(arena, in, &out->body, diag));
    CD_TRY(moved_nodes(arena, in, &out->node, diag));
    out->body.last_velocity = out->body.last_spin = NULL;
    out->frame.contacts = out->frame.model = NULL;
    out->frame.facets = out->frame.target = out->frame.impact = NULL;
    out->frame.round = out->frame.first_round = NULL;
    out->frame.rest = out->frame.residual = NULL;
    CD_TRY(accepted_frame(arena, in, clock, &out->frame, diag));
    if (!out->frame.substep)
        give_up_ahead(&out->body, in->dim);
    springs_of_forces(arena, in, out->frame.step[0], &out->spring);
    const cd_body_rows ended = out->body;
    CD_TRY(cd_schedule_apply(arena, in, out, diag));
    keep_last_velocities(arena, &ended, out);
    return CD_OK;
}
