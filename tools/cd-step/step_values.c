// SPDX-License-Identifier: MIT
#include "step_values.h"

#include "step_impulses.h"
#include "step_integrator.h"

#include <inttypes.h>
#include <math.h>

// Without friction impulses are the answer to a convex problem: wrong by this part of the motion they lead the rounds
// no further astray than their linearisation does, and the gaps at the step's end decide all the same.
static const double near_residual = 1e-6;

static bool has_friction_discs(const cd_row_rows *rows)
{
    for (int32_t i = 0; i < rows->count; i++)
        if (rows->normal_row && rows->normal_row[i] != CD_ABSENT)
            return true;
    return false;
}

static bool is_polish(const cd_model *in) { return cd_i32_or(in->frame.target, 0, CD_TARGET_FREE) == CD_TARGET_TRIAL; }

// solved, or with impulses to go on from. A polish round corrects a trial and nothing else: what it was left with the
// next one corrects, or the gaps at the step's end refuse; what is worse than no impulses is not taken
// (cd_step_worse_bodies).
static bool is_usable(const cd_model *in, int32_t status)
{
    const bool has_best = status == CD_SOLUTION_LIMIT || status == CD_SOLUTION_INACCURATE;
    return status == CD_SOLUTION_SOLVED ||
           (has_best && (has_friction_discs(&in->row) || is_polish(in) ||
                         cd_f64_or(in->solution.residual, 0, INFINITY) <= near_residual));
}

const bool *cd_step_unsolved_bodies(cd_arena *arena, const cd_model *in)
{
    bool *is_unsolved = CD_ARENA_ZARRAY(arena, bool, in->body.count), has_any = false;
    for (int32_t i = 0; i < in->value.count && in->value.status; i++) {
        int32_t row = in->value.row[i], body = in->row.body ? in->row.body[row] : -1;
        if (in->row.role[row] != CD_ROLE_VELOCITY || body < 0 || in->value.status[i] == CD_ABSENT)
            continue;
        if (cd_body_is_moved(in, body) && !is_usable(in, in->value.status[i]))
            is_unsolved[body] = has_any = true;
    }
    return has_any ? is_unsolved : NULL;
}

// -p . w [J] of the impulse rows of each island, w those of the trial, by root.
static double *asked_of(cd_arena *arena, const cd_model *in, const cd_step_velocity *before, const double *z,
                        const int32_t *root)
{
    const cd_row_rows *rows = &in->row;
    double *w = CD_ARENA_ARRAY(arena, double, rows->count), *sum = CD_ARENA_ZARRAY(arena, double, in->body.count);
    for (int32_t i = 0; i < rows->count; i++)
        w[i] = rows->rhs[i];
    for (int32_t i = 0; i < in->entry.count; i++) {
        const int32_t col = in->entry.col[i];
        if (rows->role[col] == CD_ROLE_VELOCITY)
            w[in->entry.row[i]] += in->entry.value[i] * before[rows->body[col]].at[rows->axis[col]];
    }
    for (int32_t i = 0; i < rows->count; i++) {
        const int32_t contact = rows->role[i] == CD_ROLE_IMPULSE && rows->contact ? rows->contact[i] : -1;
        if (contact < 0)
            continue;
        const int32_t a = in->contact.a[2 * contact], b = in->contact.b[2 * contact];
        sum[root[cd_body_is_moved(in, b) ? b : a]] -= z[i] * w[i];
    }
    return sum;
}

// (G p)' M^-1 G p [J] of each island, by root.
static double *changes_of(cd_arena *arena, const cd_step_bodies *bodies, const double *z, const int32_t *root)
{
    const cd_model *in = bodies->in;
    const cd_row_rows *rows = &in->row;
    double *sum = CD_ARENA_ZARRAY(arena, double, in->body.count);
    cd_step_velocity *momentum = CD_ARENA_ZARRAY(arena, cd_step_velocity, in->body.count);
    for (int32_t i = 0; i < in->entry.count; i++) {
        const int32_t row = in->entry.row[i], col = in->entry.col[i];
        if (rows->role[row] == CD_ROLE_VELOCITY && rows->role[col] == CD_ROLE_IMPULSE)
            momentum[rows->body[row]].at[rows->axis[row]] += in->entry.value[i] * z[col];
    }
    for (int32_t rank = 0; rank < in->body.count; rank++) {
        const int32_t i = bodies->by_id[rank];
        if (!cd_body_is_moved(in, i))
            continue;
        const cd_vec3 p = cd_step_linear_of(in->dim, &momentum[i]), l = cd_step_angular_of(in->dim, &momentum[i]);
        const cd_vec3 turn = in->dim == 2 ? cd_scale3(1 / in->body.inertia[i], l)
                                          : cd_spin_of_momentum3(cd_step_inertia(in, i), bodies->middle[i], l);
        sum[root[i]] += cd_dot3(p, p) / in->body.mass[i] + cd_dot3(turn, l);
    }
    return sum;
}

// A problem of normal impulses alone, those of a polish round, that was given up.
static bool is_given_up(const cd_model *in)
{
    if (!is_polish(in) || in->solution.count != 1 || in->solution.status[0] == CD_SOLUTION_SOLVED)
        return false;
    for (int32_t i = 0; i < in->row.count; i++)
        if (in->row.role[i] != CD_ROLE_VELOCITY && in->row.role[i] != CD_ROLE_IMPULSE)
            return false;
    return true;
}

// By root: islands whose part of the problem was given up. Where rows do not say how their part went all may be.
static bool *given_up_of(cd_arena *arena, const cd_model *in, const int32_t *root)
{
    bool *is_given_up = CD_ARENA_ZARRAY(arena, bool, in->body.count);
    for (int32_t i = 0; i < in->body.count && !in->value.status; i++)
        is_given_up[i] = true;
    for (int32_t i = 0; i < in->value.count && in->value.status; i++) {
        const int32_t row = in->value.row[i], status = in->value.status[i];
        if (in->row.role[row] == CD_ROLE_VELOCITY && status != CD_ABSENT && status != CD_SOLUTION_SOLVED)
            is_given_up[root[in->row.body[row]]] = true;
    }
    return is_given_up;
}

const bool *cd_step_worse_bodies(cd_arena *arena, const cd_step_bodies *bodies, const cd_step_velocity *before,
                                 const int32_t *root, const double *limit)
{
    const cd_model *in = bodies->in;
    const int32_t count = in->body.count;
    if (!is_given_up(in))
        return NULL;
    const double *z = cd_step_unknowns(arena, in), *asked = asked_of(arena, in, before, z, root);
    const double *change = changes_of(arena, bodies, z, root);
    const bool *may_be = given_up_of(arena, in, root);
    double *energy = CD_ARENA_ZARRAY(arena, double, count);
    for (int32_t rank = 0; rank < count; rank++) {
        const int32_t i = bodies->by_id[rank];
        if (cd_body_is_moved(in, i))
            energy[root[i]] += cd_step_norm_sq_of(bodies, i, &before[i]);
    }
    bool *is_worse = CD_ARENA_ZARRAY(arena, bool, count), has_any = false;
    for (int32_t i = 0; i < count; i++) {
        const double least = asked[root[i]] - change[root[i]] / 2, most = sqrt(energy[root[i]]) + sqrt(limit[root[i]]);
        is_worse[i] = cd_body_is_moved(in, i) && may_be[root[i]] && !(least >= 0 && least <= most * most / 2);
        has_any |= is_worse[i];
    }
    return has_any ? is_worse : NULL;
}

cd_status cd_step_read_outcome(const cd_model *in, cd_step_outcome *outcome, cd_diag *diag)
{
    *outcome = (cd_step_outcome){.has_rows = in->row.count > 0,
                                 .is_solved = true,
                                 .is_usable = true,
                                 .residual = cd_f64_or(in->frame.residual, 0, 0)};
    if (!outcome->has_rows)
        return CD_OK;
    if (in->solution.count == 0)
        return cd_fail(diag, CD_ERR_FORMAT,
                       "solution: missing: the frame has rows that nobody solved (cd-lcp comes before cd-step)");
    if (in->solution.count > 1)
        return cd_fail(diag, CD_ERR_FORMAT, "solution: %d of them, wanted one", in->solution.count);
    int32_t status = in->solution.status[0];
    outcome->status = cd_words_SOLUTION[status];
    outcome->is_usable = is_usable(in, status);
    outcome->is_solved = status == CD_SOLUTION_SOLVED || (is_polish(in) && outcome->is_usable);
    const double residual = cd_f64_or(in->solution.residual, 0, INFINITY);
    if (!outcome->is_solved && isfinite(residual))
        outcome->residual = fmax(outcome->residual, residual);
    return CD_OK;
}

// ---- velocities ----------------------------------------------------------------------------------------------------

// Columns of impulses are added up by body and axis, of rows without a value too.
static cd_status check_velocity_rows(cd_arena *scratch, const cd_step_bodies *bodies, cd_diag *diag)
{
    const cd_model *in = bodies->in;
    const cd_row_rows *rows = &in->row;
    unsigned *axes_seen = CD_ARENA_ZARRAY(scratch, unsigned, in->body.count);
    for (int32_t row = 0; row < rows->count; row++) {
        if (rows->role[row] != CD_ROLE_VELOCITY)
            continue;
        int32_t body = rows->body ? rows->body[row] : -1, axis = rows->axis ? rows->axis[row] : CD_ABSENT;
        if (body < 0 || axis < 0 || axis >= bodies->axes)
            return cd_fail(diag, CD_ERR_FORMAT, "row %" PRId64 ": a velocity row needs a body and an axis 0..%d",
                           rows->id[row], bodies->axes - 1);
        if (axes_seen[body] >> axis & 1)
            return cd_fail(diag, CD_ERR_FORMAT, "row %" PRId64 ": body %" PRId64 ", axis %d: there twice",
                           rows->id[row], in->body.id[body], axis);
        axes_seen[body] |= 1u << axis;
    }
    return CD_OK;
}

cd_status cd_step_take_velocities(cd_arena *scratch, cd_step_bodies *bodies, cd_diag *diag)
{
    CD_TRY(check_velocity_rows(scratch, bodies, diag));
    const cd_model *in = bodies->in;
    unsigned *axes_seen = CD_ARENA_ZARRAY(scratch, unsigned, in->body.count);
    const cd_row_rows *rows = &in->row;
    for (int32_t i = 0; i < in->value.count; i++) {
        int32_t row = in->value.row[i];
        if (rows->role[row] != CD_ROLE_VELOCITY)
            continue;
        const int32_t body = rows->body[row], axis = rows->axis[row];
        if (axes_seen[body] >> axis & 1)
            return cd_fail(diag, CD_ERR_FORMAT, "value: body %" PRId64 ", axis %d: there twice", in->body.id[body],
                           axis);
        axes_seen[body] |= 1u << axis;
        if (cd_body_is_moved(in, body))
            bodies->nu[body].at[axis] = in->value.z[i];
    }
    // A body whose rows got no value at all must not drift off as if it had none.
    const unsigned all = (1u << bodies->axes) - 1;
    for (int32_t row = 0; row < rows->count; row++)
        if (rows->role[row] == CD_ROLE_VELOCITY && axes_seen[rows->body[row]] != all)
            return cd_fail(diag, CD_ERR_FORMAT,
                           "value: body %" PRId64 ": its velocity rows have no complete set of values",
                           in->body.id[rows->body[row]]);
    return CD_OK;
}

// ---- forces --------------------------------------------------------------------------------------------------------

static cd_vec3 vector_at(const double *x, int dim) { return (cd_vec3){x[0], x[1], dim == 3 ? x[2] : 0}; }

static cd_vec3 centre_of(const cd_model *in, int32_t body)
{
    return vector_at(in->body.position + (size_t)in->dim * (size_t)body, in->dim);
}

// On b, of a row of `force`.
static cd_vec3 torque_at(const cd_model *in, int32_t row)
{
    const double *torque = in->force.torque ? in->force.torque + (in->dim == 2 ? 1 : 3) * (size_t)row : NULL;
    if (!torque || isnan(torque[0]))
        return (cd_vec3){0, 0, 0};
    return in->dim == 2 ? (cd_vec3){0, 0, torque[0]} : (cd_vec3){torque[0], torque[1], torque[2]};
}

static void take_forces(cd_arena *scratch, const cd_step_bodies *bodies)
{
    const cd_model *in = bodies->in;
    cd_step_wrench *on = CD_ARENA_ZARRAY(scratch, cd_step_wrench, in->body.count);
    for (int32_t i = 0; i < in->force.count; i++) {
        size_t contact = (size_t)in->force.contact[i], dim = (size_t)in->dim;
        cd_vec3 point = vector_at(in->contact.point + dim * contact, in->dim);
        cd_vec3 f = vector_at(in->force.vector + dim * (size_t)i, in->dim);
        cd_vec3 torque = torque_at(in, i);
        const int32_t body[2] = {in->contact.a[2 * contact], in->contact.b[2 * contact]};
        for (int s = 0; s < 2; s++) {
            if (!cd_body_is_moved(in, body[s]))
                continue;
            cd_vec3 acting = s ? f : cd_negate3(f), arm = cd_sub3(point, centre_of(in, body[s]));
            on[body[s]].force = cd_add3(on[body[s]].force, acting);
            on[body[s]].moment = cd_add3(on[body[s]].moment, cd_cross3(arm, acting));
            on[body[s]].moment = cd_add3(on[body[s]].moment, s ? torque : cd_negate3(torque));
        }
    }
    for (int32_t i = 0; i < in->body.count; i++)
        if (cd_body_is_moved(in, i))
            bodies->integrator->push(bodies, i, &on[i]);
}

cd_status cd_step_take_values(cd_arena *scratch, cd_step_bodies *bodies, cd_diag *diag)
{
    CD_TRY(cd_step_integrator_check(bodies->integrator, bodies->in, diag));
    CD_TRY(cd_step_take_velocities(scratch, bodies, diag));
    if (cd_step_forces_act(bodies->in))
        take_forces(scratch, bodies);
    else
        cd_step_take_impulses(scratch, bodies);
    return CD_OK;
}
